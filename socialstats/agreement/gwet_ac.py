"""Gwet's AC1 and AC2: agreement of any number of raters, corrected for chance without the paradox of kappa."""

from __future__ import annotations

import math
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
def gwet_ac(
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
    """Estimate Gwet's AC1 (unweighted) or AC2 (weighted).

    The coefficient is (pa - pe) / (1 - pe). pa is the weighted share of agreeing pairs of raters, the mean over units
    with at least two ratings. Chance agreement is pe = T sum_k pi_k (1 - pi_k) / (q (q - 1)), with pi_k the mean share
    of level k over all rated units. q is the number of levels, T the sum of all weights (Gwet 2008, 2014). Declared
    levels without ratings count in q.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str or (levels, levels) matrix
        ``"unweighted"`` (AC1), ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"`` or a matrix (AC2).
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
        Row ``AC1`` or ``AC2`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also
        t, df and p (two-sided) of a coefficient of 0. `extras` (all units): ``observed_agreement``,
        ``chance_agreement``, ``levels``, ``shares``, ``weights``.

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
    Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high agreement.
    doi:10.1348/000711006X126600
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> table = {"a": ["no", "no", "no", "no"], "b": ["no", "yes", "no", "no"]}
    >>> result = gwet_ac(table, raters=["a", "b"], levels=["no", "yes"], scale="nominal")
    >>> round(result.row("AC1").estimate, 4)
    0.68
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
    term = "AC1" if agreement.name == "unweighted" else "AC2"
    return chance_corrected(
        METRIC,
        ratings,
        options,
        agreement,
        random_ratings,
        kind=kind,
        term=term,
        name=f"Gwet's {term}",
        cautions=undeclared_levels_caution(ratings, "AC1 and AC2 depend"),
    )


def random_ratings(pi: FloatArray, weights: FloatArray) -> FloatArray:
    """Agreement by chance of each level, T_w / (q (q - 1)) (1 - pi_k); NaN for a single level (Gwet 2014, eq. 5.8)."""
    q = pi.shape[-1]
    return np.asarray((weights.sum() / (q * (q - 1)) if q > 1 else math.nan) * (1 - pi))


def sentence(result: Result) -> str:
    """State the coefficient with its interval and sample."""
    name = result.settings["weights"]
    weights = "" if name == "unweighted" else f" ({name} weights)"
    return reliability_sentence(result, f"Gwet's {result.rows[0].term}{weights}")


def sample_gwet(result: Result) -> Iterator[PlainSample]:
    """Yield units with their ratings by level; chance is Gwet's (2014, eq. 5.8), of all levels that there are.

    No package for a current Python has these coefficients.
    """

    def chance(share: FloatArray, weights: FloatArray) -> float:
        levels = len(weights)
        varied = float((share * (1 - share)).sum())
        return float(weights.sum()) * varied / (levels * (levels - 1)) if levels > 1 else 1.0

    return sample_of_chance_corrected(result, result.rows[0].term, chance)


METRIC = Metric(
    name="gwet_ac",
    title="Gwet's AC1 and AC2",
    design="ratings",
    function=gwet_ac,
    sentence=sentence,
    plot=reliability_plot,
    definition=Definition(samples=sample_gwet),
    estimand=(
        "Agreement of two raters of the same unit beyond what raters who sometimes choose at random would reach by "
        "chance."
    ),
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are interchangeable; whether a rating is missing does not depend on its value",
        "all possible levels are declared",
    ),
    references=("gwet2008", "gwet2014"),
    swap="invariant",
)
