"""Brennan and Prediger's coefficient: agreement of any number of raters beyond guessing among all levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from socialstats.agreement.agreement_weights import WeightsKind, WeightsName, reliability_weights
from socialstats.agreement.chance_corrected import chance_corrected
from socialstats.agreement.rating_tables import sample_of_chance_corrected
from socialstats.agreement.reliability import (
    AgreementOptions,
    CiName,
    reliability_plot,
    reliability_sentence,
    undeclared_levels_caution,
)
from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup
from socialstats.results.definitions import PlainSample


@reads(Ratings, square=True)
def brennan_prediger(
    ratings: Ratings | TableLike,
    *,
    weights: WeightsName | Any = "auto",
    kind: WeightsKind = "agreement",
    refusal: Refusal = "missing",
    raters: Sequence[str] | None = None,
    stratum: str | None = None,
    ci: CiName = "closed",
    cluster: str | Sequence[str] | None = "declared",
    on_undefined: Literal["nan", "raise"] | float = "nan",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate Brennan and Prediger's coefficient, unweighted or weighted, with any numbers of raters.

    The coefficient is (pa - pe) / (1 - pe). pa is the (weighted) share of agreeing pairs of raters, the mean over units
    with at least two ratings. Chance agreement is that of raters who choose every level equally often: pe = T / q^2 of
    q levels, T the sum of all weights, 1 / q without weights (Brennan & Prediger 1981). Weights and missing
    ratings: Gwet 2014. Declared levels without ratings count in q.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str or (levels, levels) matrix
        ``"unweighted"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"`` or a matrix.
        ``"auto"``: unweighted for nominal levels, quadratic for all others.
    kind : {"agreement", "disagreement"}
        What a matrix holds.
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own (unweighted only).
    raters : sequence of str, optional
        Only these raters.
    stratum : str, optional
        A declared stratum (or cluster) of the units: one more row for each of its levels.
    ci : {"closed", "percentile", "basic", "bca"}
        ``"closed"``: t interval with Gwet's standard error, cut at 1. Else bootstrap of units. Without disagreement
        the lower end is that of Korn and Graubard (1998); of clusters see `socialstats.inference.infer.infer`.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent, as Gwet does.
    on_undefined : {"nan", "raise", 1.0}
        Where a single level is known the coefficient is undefined: a row with the reason, an exception, or 1.
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``kappa`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also t, df and
        p (two-sided) of a coefficient of 0. `extras` (all units): ``observed_agreement``, ``chance_agreement``,
        ``levels``, ``shares``, ``weights``.

    Raises
    ------
    InputError
        For an unknown option, or weights that the levels do not allow.
    NothingToAnalyse
        If no unit has two ratings.
    UndefinedStatistic
        With ``on_undefined="raise"``.

    References
    ----------
    Brennan, R. L., & Prediger, D. J. (1981). Coefficient kappa: Some uses, misuses, and alternatives.
    doi:10.1177/001316448104100307
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> table = {"a": ["no", "no", "no", "no"], "b": ["no", "yes", "no", "no"]}
    >>> result = brennan_prediger(table, raters=["a", "b"], levels=["no", "yes"], scale="nominal")
    >>> result.row("kappa").estimate
    0.5
    """
    options = AgreementOptions(
        refusal=refusal,
        raters=raters,
        stratum=stratum,
        ci=ci,
        cluster=cluster,
        on_undefined=on_undefined,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    agreement = reliability_weights(ratings, weights, kind, refusal)
    return chance_corrected(
        METRIC,
        ratings,
        options,
        agreement,
        guessed_ratings,
        kind=kind,
        term="kappa",
        name="Brennan and Prediger's kappa",
        cautions=undeclared_levels_caution(ratings, "the coefficient depends"),
    )


def guessed_ratings(pi: FloatArray, weights: FloatArray) -> FloatArray:
    """Agreement by chance of each level with a guess among all levels, T_w / q^2, whatever their shares are."""
    return np.full_like(pi, weights.sum() / pi.shape[-1] ** 2)


def sentence(result: Result) -> str:
    """State the coefficient with its interval and sample."""
    name = result.settings["weights"]
    weights = "" if name == "unweighted" else f" ({name} weights)"
    return reliability_sentence(result, f"Brennan and Prediger's kappa{weights}")


def sample_guesses(result: Result) -> Iterator[PlainSample]:
    """Yield units with their ratings by level; chance is that of guesses among all levels."""

    def chance(share: FloatArray, weights: FloatArray) -> float:
        return float(weights.mean())

    return sample_of_chance_corrected(result, "kappa", chance)


METRIC = Metric(
    name="brennan_prediger",
    title="Brennan and Prediger's kappa",
    design="ratings",
    function=brennan_prediger,
    sentence=sentence,
    plot=reliability_plot,
    definition=Definition(samples=sample_guesses),
    estimand=(
        "Agreement of two raters of the same unit beyond that of raters who choose every level equally often. It is a "
        "share of what is left to reach."
    ),
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are interchangeable; whether a rating is missing does not depend on its value",
        "all possible levels are declared",
    ),
    references=("brennan1981", "gwet2014"),
    swap="invariant",
)
