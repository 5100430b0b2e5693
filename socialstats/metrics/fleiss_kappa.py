"""Fleiss' kappa: agreement of any number of interchangeable raters, corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.designs.calls import TableLike, reads
from socialstats.designs.ratings import Ratings
from socialstats.inference.intervals import two_sided_p
from socialstats.models.agreement_weights import AgreementWeights, WeightsKind, WeightsName
from socialstats.models.chance_agreement import ChanceAgreement, conger_chance, fleiss_null
from socialstats.models.rating_counts import Refusal, rated
from socialstats.models.reliability import (
    NO_ERROR,
    UNDEFINED,
    AgreementOptions,
    CiName,
    Coefficient,
    Group,
    chosen_raters,
    coefficient_rows,
    groups_of,
    reliability_weights,
)
from socialstats.models.reliability_words import (
    agreement_cautions,
    inference_text,
    reliability_counts,
    reliability_rows,
    reliability_sentence,
)
from socialstats.registry import Metric
from socialstats.results import FloatArray, Result, ResultGroup, Row, by_levels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@reads(Ratings)
def fleiss_kappa(
    ratings: Ratings | TableLike,
    *,
    weights: WeightsName | Any = "unweighted",
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
    """Estimate Fleiss' kappa, unweighted or weighted, with any numbers of raters.

    (pa - pe) / (1 - pe): pa is the (weighted) share of agreeing pairs of raters, mean over the units with two ratings
    or more; pe = sum_kl w_kl pi_k pi_l, with pi_k the mean share of level k over all rated units (Fleiss 1971; weights
    and unequal numbers of raters: Gwet 2014, sections 2.4 and 5.3). Two raters: Scott's pi, not Cohen's kappa.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str, (levels, levels) matrix or None
        ``"unweighted"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"`` or a matrix. None: unweighted for
        nominal levels, quadratic for all others.
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
        Where the ratings do not vary kappa does not exist: a row with the reason, an exception, or the number 1.
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``kappa`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also t, df and
        p of kappa = 0. Row ``null test`` (unweighted, independent units, equal numbers of raters): z and p with the
        standard error that holds only where there is no agreement beyond chance (Fleiss, Nee & Landis 1979); never an
        interval. `extras` (all units): ``observed_agreement``, ``chance_agreement``, ``levels``, ``shares``,
        ``weights``, ``conger`` (Conger's kappa, the "exact" one, in which raters keep their own shares) and
        ``conger_chance``; None where the raters are not known.

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
    Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. doi:10.1037/h0031619
    Fleiss, J. L., Nee, J. C. M., & Landis, J. R. (1979). Large sample variance of kappa in the case of different sets
    of raters. doi:10.1037/0033-2909.86.5.974
    Conger, A. J. (1980). Integration and generalization of kappas for multiple raters.
    doi:10.1037/0033-2909.88.2.322
    Gwet, K. L. (2014). Handbook of inter-rater reliability (4th ed.). Advanced Analytics.

    Examples
    --------
    >>> table = {"a": ["no", "no", "yes", "no"], "b": ["no", "yes", "yes", "no"]}
    >>> result = fleiss_kappa(table, raters=["a", "b"], levels=["no", "yes"], scale="nominal")
    >>> round(result.row("kappa").estimate, 4)
    0.4667
    """
    options = AgreementOptions(
        refusal=refusal, raters=None if raters is None else tuple(raters), stratum=stratum, ci=ci, cluster=cluster,
        on_undefined=on_undefined, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    options.check_all()
    return by_levels(ratings, "declared", lambda one: estimate(one, weights, kind, options), Ratings)


def estimate(design: Ratings, weights: Any, kind: str, options: AgreementOptions) -> Result:
    """Compute the coefficient of one design."""
    w = reliability_weights(design, weights, kind, options.refusal)
    design = chosen_raters(design, options)
    groups = groups_of(design, options, least=1)
    found = [coefficient(group, w.matrix) for group in groups]
    rows, warned, largest = coefficient_rows("kappa", groups, found, options)
    test = null_test(groups[0], w.name)
    whole = groups[0].counts
    return Result(
        metric="fleiss_kappa",
        title=f"Fleiss' kappa ({w.name})",
        inference=inference_text(design, options),
        rows=(*rows, *test),
        counts=reliability_counts(design, whole),
        fit=options.fit(rows[0], largest),
        settings={"weights": w.name, "kind": kind, **options.settings},
        cautions=(
            *w.cautions, *agreement_cautions(design, groups, rows, options, largest), *warned,
        ),
        references=METRIC.references,
        design=design,
        extras=extras(groups[0], w, options),
    )  # fmt: skip


def coefficient(group: Group, weights: FloatArray) -> Coefficient:
    """Kappa of a group of units."""
    counts = group.counts
    parts = ChanceAgreement(kind="fleiss", weights=weights, counts=counts)
    if group.n_paired == 0 or not counts.varies or 1 - parts.whole()[1] <= NO_ERROR:
        return UNDEFINED
    paired = (counts.size > 1).astype(np.float64)
    return Coefficient(
        estimate=parts.linear_values()[0], statistics=parts.statistics(), finish=parts.finish,
        values=lambda: parts.linear_values()[1], apart=paired - parts.agreement, weight=paired,
        expected=1 - parts.whole()[1],
    )  # fmt: skip


def null_test(group: Group, weights: str) -> tuple[Row, ...]:
    """Row of the z test of no agreement, where its standard error is known."""
    counts = group.counts
    if weights != "unweighted" or group.clusters or not counts.varies or np.ptp(counts.size) > 0 or counts.size[0] < 2:
        return ()
    value = ChanceAgreement(kind="fleiss", weights=np.eye(len(counts.levels)), counts=counts).linear_values()[0]
    z = value / fleiss_null(counts)
    said = "z with the s.e. that holds only where kappa = 0; not for intervals"
    p = float(two_sided_p(np.asarray(z)))
    return (
        Row(term="null test", statistic=z, p_value=p, n=float(counts.n_ratings), n_units=counts.n_units, method=said),
    )


def extras(group: Group, weights: AgreementWeights, options: AgreementOptions) -> dict[str, Any]:
    """Observed and chance agreement, shares of the levels, weights, and Conger's kappa, of all units."""
    parts = ChanceAgreement(kind="fleiss", weights=weights.matrix, counts=group.counts)
    observed, chance, shares = parts.whole()
    conger = float("nan")
    if group.design.raters_known:
        conger = conger_chance(*rated(group.design, options.refusal), weights.matrix)
    return {
        "observed_agreement": observed, "chance_agreement": chance, "levels": group.counts.levels, "shares": shares,
        "weights": weights.matrix, "conger_chance": conger if math.isfinite(conger) else None,
        "conger": (observed - conger) / (1 - conger) if 1 - conger > NO_ERROR else None,
    }  # fmt: skip


def sentence(result: Result) -> str:
    """Say kappa with its interval and what it was computed from."""
    name = result.settings["weights"]
    said = "Fleiss' kappa" if name == "unweighted" else f"Weighted Fleiss' kappa ({name} weights)"
    return reliability_sentence(result, said)


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the coefficient of all units and of each stratum with the intervals."""
    from socialstats.figures import forest

    settings = {"xlabel": result.title, "sort": False, "digits": 3}
    return forest(reliability_rows(result, "kappa"), ax=ax, **{**settings, **options})


METRIC = Metric(
    name="fleiss_kappa",
    title="Fleiss' kappa",
    design="ratings",
    function=fleiss_kappa,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.agreement:verify_fleiss",
    estimand=(
        "Agreement of two raters of the same unit beyond that of two ratings drawn from all, as a share of what "
        "is left to reach."
    ),
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "raters are interchangeable; whether a rating is missing does not depend on its value",
    ),
    references=("fleiss1971", "fleiss1979", "conger1980", "gwet2014"),
    swap="invariant",
)
