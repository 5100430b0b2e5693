"""What the rows of a mean difference are made from: intervals, ranks, sign flips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.errors import UndefinedStatistic
from socialstats.inference.clustered_mean import KINDS, ClusteredMean, clustered_mean, rounding, t_p_value
from socialstats.models.pair_values import ROUNDING, PairValues, mean_interval, merged
from socialstats.models.signed_rank import SignedRank, signed_rank
from socialstats.resampling import Alternative, ChanceTest, cluster_sums, sign_flip
from socialstats.resampling.units import FloatArray
from socialstats.results.scaling import size_unit
from socialstats.tables import EPSILON
from socialstats.text import count

MOST_FLIPPED = 20_000  # 100,000 flips of more take over a second, and their normal approximation is then right
FEWEST_FLIPS = 99
CROSSED_FLIPS = "signs cannot be flipped along two crossed factors at once; name one of them with cluster="


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one call."""

    null: float
    alternative: Alternative
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    flips: int
    seed: int


def interval_of(
    lead: ClusteredMean, pairs: PairValues, factors: Sequence[Factor], options: Options
) -> tuple[tuple[float, float] | None, str]:
    """Return both ends of the interval (one may be infinite), or None and the reason."""
    if lead.undefined:
        return None, lead.undefined
    if options.ci == "closed":
        return lead.interval(options.level, alternative=options.alternative), ""
    two = options.alternative == "two_sided"
    found = mean_interval(
        pairs.difference, pairs.count, [f.codes for f in factors], ci=options.ci,
        level=options.level if two else 2 * options.level - 1, resamples=options.resamples, seed=options.seed,
    )  # fmt: skip
    if found.undefined[0]:
        return None, found.undefined[0]
    low, high = float(found.low[0]), float(found.high[0])
    if not low < high:
        return None, "all resamples give the same interval end: too few different units"
    return (
        low if options.alternative != "less" else -math.inf,
        high if options.alternative != "greater" else math.inf,
    ), ""


def shifted(pairs: PairValues, options: Options) -> FloatArray:
    """Differences minus the hypothesised mean, free of rounding noise."""
    tolerance = np.maximum(pairs.tolerance, ROUNDING * EPSILON * abs(options.null))
    return merged(pairs.difference - options.null, tolerance) if options.null else pairs.difference


def ranked(pairs: PairValues, options: Options) -> SignedRank | str:
    """Ranks of the differences, or why there are none."""
    try:
        return signed_rank(shifted(pairs, options), pairs.count)
    except UndefinedStatistic as error:
        return str(error)


def rank_variants(ranks: SignedRank, pairs: PairValues, options: Options) -> dict[str, float | None]:
    """All p-values of Wilcoxon's test: exact given the ranks, normal with and without correction, Pratt's zeros."""
    pratt = signed_rank(shifted(pairs, options), pairs.count, zeros="pratt")
    return {
        "v": ranks.v, "zeros": ranks.zeros, "p_exact": ranks.p_exact(options.alternative),
        "p_normal_corrected": ranks.p_normal(options.alternative),
        "p_normal": ranks.p_normal(options.alternative, corrected=False), "z_pratt": pratt.z(),
        "p_pratt": pratt.p_normal(options.alternative, corrected=False),
    }  # fmt: skip


def flipped_units(
    pairs: PairValues, factors: Sequence[Factor], options: Options
) -> tuple[FloatArray, FloatArray, float] | None:
    """Return what changes its sign (pairs, or sums of clusters) over its `size_unit`, how often each occurs, the unit.

    None for two factors.
    """
    if len(factors) == 2:
        return None
    values = shifted(pairs, options)
    unit = size_unit(values)
    if not factors:
        return values / unit, pairs.count, unit
    sums = cluster_sums(values / unit, pairs.count, factors[0].codes)
    return merged(sums, pairs.n * float(pairs.tolerance.max() / unit)), np.ones(len(sums)), unit


def flips_of(pairs: PairValues, factors: Sequence[Factor], options: Options) -> ChanceTest | str:
    """Run the sign-flip test of pairs or whole clusters (its statistic a mean), or say why there is none."""
    units = flipped_units(pairs, factors, options)
    if units is None:
        return CROSSED_FLIPS
    values, times, unit = units
    if times.sum() < 2:
        return f"a single {'cluster' if factors else 'pair'}: its sign alone cannot be tested"
    many = len(values) > MOST_FLIPPED
    try:
        test = sign_flip(
            values, times, alternative=options.alternative, flips=FEWEST_FLIPS if many else options.flips,
            seed=options.seed,
        )  # fmt: skip
    except UndefinedStatistic as error:
        return str(error)
    test = replace(test, statistic=test.statistic / float(pairs.n) * unit)
    if not many or test.exact:
        return test
    normal = normal_flips(pairs, factors, options)["p"]
    said = f"normal approximation: more than {count(MOST_FLIPPED)} different values"
    return replace(test, p_value=np.array([normal]), mc_error=np.zeros(1), draws=0, method=said)


def normal_flips(pairs: PairValues, factors: Sequence[Factor], options: Options) -> dict[str, float]:
    """Return the normal approximation of the sign-flip test, z = sum / sqrt(sum of squares); empty without a test."""
    units = flipped_units(pairs, factors, options)
    if units is None or not np.any(units[0]):
        return {}
    z = float(units[0] @ units[1] / math.sqrt(float(units[0] ** 2 @ units[1])))
    return {"z": z, "p": t_p_value(z, math.inf, options.alternative)}


def variants(pairs: PairValues, factors: Sequence[Factor]) -> dict[str, float]:
    """Standard errors of the other clustered estimators, where they exist."""
    if len(factors) != 1:
        return {}
    found: dict[str, float] = {}
    for kind in KINDS:
        one = clustered_mean(pairs.difference, pairs.count, [factors[0].codes], kind=kind, magnitude=pairs.magnitude)
        if not one.undefined:
            found[kind] = one.std_error
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """The mean of the means of clusters, and how far it is from the mean of all pairs.

    Attributes
    ----------
    mean : ClusteredMean
    gap : float
        Mean of the means less the mean of all pairs.
    p : float
        Of a t test that the gap is 0, with G - 1 degrees of freedom.
    """

    mean: ClusteredMean
    gap: float
    p: float


def clusters_alike(pairs: PairValues, factors: Sequence[Factor]) -> Alike | None:
    """Weigh the clusters of one factor alike; None where their numbers of pairs are all the same.

    A cluster with share f of the pairs and mean y adds f (y - m) to the error of the mean m of all pairs, and
    (y - u)/G to that of the mean u of the G means; the error of u - m is the root of G/(G-1) times the sum of squares
    of their differences.
    """
    if len(factors) != 1:
        return None
    code = np.unique(factors[0].codes, return_inverse=True)[1]
    n = np.bincount(code, pairs.count)
    if len(n) < 2 or not np.ptp(n):
        return None
    means = np.bincount(code, pairs.count * pairs.difference) / n
    mean = clustered_mean(means, np.ones(len(n)), magnitude=pairs.magnitude)
    share, overall = n / n.sum(), float(n @ means / n.sum())
    moved = (means - mean.mean) / len(n) - share * (means - overall)
    top = float(np.abs(moved).max()) or 1.0
    error = top * math.sqrt(len(n) / (len(n) - 1) * float((moved / top) @ (moved / top)))
    gap = mean.mean - overall
    p = t_p_value(gap / error, len(n) - 1.0) if error > rounding(means, len(n), pairs.magnitude) else 1.0
    return Alike(mean=mean, gap=gap, p=p)
