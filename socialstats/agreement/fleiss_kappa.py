"""Fleiss' kappa: agreement of any number of interchangeable raters, corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from socialstats.agreement.agreement_weights import WeightsKind, WeightsName, reliability_weights
from socialstats.agreement.chance_corrected import (
    NO_ERROR,
    ChanceAgreement,
    ObservedAndChance,
    chance_corrected,
)
from socialstats.agreement.rating_counts import RatingCounts, raters_and_levels
from socialstats.agreement.rating_tables import sample_of_chance_corrected, tallies_of
from socialstats.agreement.reliability import (
    AgreementOptions,
    CiName,
    UnitGroup,
    reliability_plot,
    reliability_sentence,
)
from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.inference.intervals import two_sided_p
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, PlainSample
from socialstats.results.peers import load_peer


def conger_chance(
    rater: IntArray, level: IntArray, copies: FloatArray, weights: FloatArray
) -> float:
    """Chance agreement of Conger's (1980) kappa, in which each rater keeps their own level shares.

    pe = sum_kl w_kl times the mean over pairs of raters g != h of p_gk p_hl. Here p_gk is the share of rater g's
    ratings that are k (Conger 1980; Gwet 2014 for weights and missing ratings).

    Parameters
    ----------
    rater, level : (ratings,) int64 arrays
        At least two raters.
    copies : (ratings,) float64 array
        Alike units that each rating stands for.
    weights : (levels, levels) float64 array
    """
    names, dense = np.unique(rater, return_inverse=True)
    raters, q = len(names), len(weights)
    # (raters, levels): counts, and shares p_gk
    n = np.bincount(dense * q + level, weights=copies, minlength=raters * q).reshape(raters, q)
    share = n / n.sum(axis=1, keepdims=True)
    total = share.sum(axis=0)
    # sum over g != h of p_gk p_hl: that over all pairs less that of each rater with itself
    products = np.outer(total, total) - share.T @ share
    return float((weights * products).sum() / (raters * (raters - 1)))


def fleiss_null(counts: RatingCounts) -> float:
    """Standard error of unweighted Fleiss' kappa where there is no agreement beyond chance.

    var0 = 2 / (N m (m - 1)) * ((sum p q)^2 - sum p q (q - p)) / (sum p q)^2, q = 1 - p (Fleiss, Nee & Landis 1979).

    Parameters
    ----------
    counts : RatingCounts
        All units rated by the same number m of raters, and ratings that vary.
    """
    m, units = float(counts.size[0]), counts.copies.sum()
    p = counts.margins / counts.margins.sum()
    q = 1 - p
    pq = p @ q
    variance = 2 / (units * m * (m - 1)) * (pq**2 - np.sum(p * q * (q - p))) / pq**2
    return float(np.sqrt(variance))


@reads(Ratings, labels="single")
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

    The coefficient is (pa - pe) / (1 - pe). pa is the (weighted) share of agreeing pairs of raters, the mean over units
    with at least two ratings. Chance agreement is pe = sum_kl w_kl pi_k pi_l, with pi_k the mean share of level k over
    all rated units (Fleiss 1971). Weights and unequal numbers of raters: Gwet 2014, sections 2.4 and 5.3. Two raters:
    Scott's pi, not Cohen's kappa.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result a level.
    weights : str or (levels, levels) matrix
        ``"unweighted"``, ``"linear"``, ``"quadratic"``, ``"ordinal"``, ``"ratio"`` or a matrix. ``"auto"``: unweighted
        for nominal levels, quadratic for all others.
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
        Where the ratings do not vary kappa is undefined: a row with the reason, an exception, or the number 1.
    level : float
    resamples, seed : int
        Of the bootstrap.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Row ``kappa`` (group None: all units; other groups: levels of the stratum); with ``ci="closed"`` also t, df and
        p of kappa = 0. Row ``null test`` (unweighted, independent units, equal numbers of raters): z and p. Their
        standard error holds only where kappa = 0 (Fleiss, Nee & Landis 1979), so it makes no interval.

        `extras` (all units): ``observed_agreement``, ``chance_agreement``, ``levels``, ``shares``, ``weights``,
        ``conger``, ``conger_chance``. Conger's "exact" kappa keeps each rater's own shares; None for unknown raters.

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

    def conger(group: UnitGroup, observed: ObservedAndChance) -> dict[str, float | None]:
        chance = math.nan
        if group.design.raters_known:
            chance = conger_chance(*raters_and_levels(group.design, refusal), agreement.matrix)
        # Conger (1980): as Cohen's kappa, chance by the rates of raters
        kappa = (observed.observed - chance) / (1 - chance) if 1 - chance > NO_ERROR else None
        return {"conger_chance": None if math.isnan(chance) else chance, "conger": kappa}

    return chance_corrected(
        METRIC,
        ratings,
        options,
        agreement,
        drawn_ratings,
        kind=kind,
        term="kappa",
        name="Fleiss' kappa",
        further=conger,
        tests=null_test if agreement.name == "unweighted" else lambda _: (),
    )


def drawn_ratings(pi: FloatArray, weights: FloatArray) -> FloatArray:
    """Agreement by chance of each level with a rating that is drawn from all (Fleiss 1971)."""
    return np.asarray(pi @ weights)


def null_test(group: UnitGroup) -> tuple[Row, ...]:
    """Row of the z test of no agreement, where its standard error is known."""
    counts = group.counts
    # the error is known for independent units with equally many ratings
    if group.clusters or np.ptp(counts.size) > 0:
        return ()
    unweighted = np.eye(len(counts.levels))
    kappa = ChanceAgreement(chance=drawn_ratings, weights=unweighted, counts=counts).coefficient()
    if kappa is None:
        return ()
    # Fleiss, Nee & Landis (1979)
    z = kappa.estimate / fleiss_null(counts)
    row = Row(
        term="null test",
        role="test",
        test="z",
        statistic=z,
        p_value=float(two_sided_p(np.asarray(z))),
        n=float(counts.n_ratings),
        n_units=counts.n_units,
        method="z with the s.e. that holds only where kappa = 0; not for intervals",
    )
    return (row,)


def sentence(result: Result) -> str:
    """State kappa with its interval and sample."""
    name = result.settings["weights"]
    name_text = (
        "Fleiss' kappa" if name == "unweighted" else f"Weighted Fleiss' kappa ({name} weights)"
    )
    return reliability_sentence(result, name_text)


def sample_fleiss(result: Result) -> Iterator[PlainSample]:
    """Yield units with their ratings by level; chance is the agreement of two ratings drawn from all."""
    return sample_of_chance_corrected(result, "kappa", lambda share, w: float(share @ w @ share))


def ask_statsmodels(result: Result) -> Iterator[PeerNumbers]:
    """Kappa of statsmodels, and z of Fleiss, Nee & Landis (1979) from the shares of the levels."""
    for group, tallies in tallies_of(result, least=1):
        row = (group, "kappa")
        sizes, weights = tallies.size, result.settings["weights"]
        note = "" if weights == "unweighted" else "has no weights"
        if np.ptp(sizes):
            note = f"takes the same number of ratings for every unit; here {sizes.min():g} to {sizes.max():g}"
        if note:
            numbers = {"estimate": math.nan}
            yield PeerNumbers(package="statsmodels", row=row, numbers=numbers, note=note)
            continue
        table = tallies.units()
        theirs = load_peer("statsmodels.stats.inter_rater", "fleiss_kappa")
        value = float(theirs(table, method="fleiss"))
        yield PeerNumbers(package="statsmodels", row=row, numbers={"estimate": value})
        n, m = table.shape[0], sizes[0]
        share = table.sum(axis=0) / (n * m)
        spread = float((share * (1 - share)).sum())
        skewed = float((share * (1 - share) * (1 - 2 * share)).sum())
        variance = 2 * (spread**2 - skewed) / (n * m * (m - 1) * spread**2)
        z = value / math.sqrt(variance)
        p = math.erfc(abs(z) / math.sqrt(2))
        row = (group, "null test")
        yield PeerNumbers(package="numpy", row=row, numbers={"statistic": z, "p_value": p})


METRIC = Metric(
    name="fleiss_kappa",
    title="Fleiss' kappa",
    design="ratings",
    function=fleiss_kappa,
    sentence=sentence,
    plot=reliability_plot,
    definition=Definition(samples=sample_fleiss, peers=ask_statsmodels),
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
