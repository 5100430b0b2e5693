"""How far halves of the people are from each other: the ceiling of alignment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.inference.intervals import critical_value
from socialstats.models.alignment import Answers, Residuals, Rules, Spread, Targets, features
from socialstats.models.divergence import jackknife_moments, jensen_shannon
from socialstats.models.shares import Cells
from socialstats.resampling.engine import Finish

STREAM = 20_261_122  # halves have a stream of their own: estimates do not move with the seed of the intervals


def split_half(
    counts: FloatArray, copies: FloatArray, cells: Cells, *, splits: int, pooled: bool
) -> tuple[FloatArray, FloatArray]:
    """Divergence of two halves of each unit's ratings, drawn at random again and again.

    Of an odd number of ratings one half gets one more, either half as likely. A unit with a single rating takes no
    part.

    Parameters
    ----------
    counts : (units, levels) float64 array
        Ratings of the reference source.
    copies : (units,) float64 array
        Alike units.
    cells : Cells
    splits : int
        Random halvings.
    pooled : bool
        True: divergence of the pooled halves of a cell; False: mean over units of each unit's own.

    Returns
    -------
    values : (splits, groups) float64 array
        NaN where no unit has two ratings.
    units : (units,) float64 array
        Mean divergence of each unit's own halves; NaN for units with a single rating, and for pooled halves.

    Examples
    --------
    >>> cells = Cells(names=(), labels=(), codes=np.zeros(2, dtype=np.int64))
    >>> values, units = split_half(np.array([[4.0, 0.0], [2.0, 2.0]]), np.ones(2), cells, splits=99, pooled=False)
    >>> values.shape, float(units[0]), bool(units[1] > 0.1)
    ((99, 1), 0.0, True)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    kept, levels = counts.sum(axis=1) >= 2, counts.shape[1]
    rows, place = np.unique(np.column_stack([cells.codes[kept], counts[kept]]), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), copies[kept], len(rows)).astype(np.int64)
    mean = np.full(len(rows), np.nan)
    sums = np.zeros((splits, cells.size, 2 * levels if pooled else 2))
    for k, (row, n) in enumerate(zip(rows.astype(np.int64), times.tolist(), strict=True)):
        halves = halved(row[1:], n, splits, rng)
        if pooled:
            sums[:, row[0]] += np.hstack([half.sum(axis=1) for half in halves])
        else:
            each = jensen_shannon(*halves)
            mean[k] = each.mean()
            sums[:, row[0]] += np.column_stack([each.sum(axis=1), np.full(splits, n)])
    units = np.full(len(counts), np.nan)
    units[kept] = mean[place.ravel()]
    finish = cells.by_group(divergence_of_sides if pooled else mean_of_units)
    return finish(sums.reshape(splits, -1)), units


def divergence_of_sides(sums: FloatArray) -> FloatArray:
    """Divergence of two lists of counts that stand one behind the other, (..., 2 levels) -> (...)."""
    half = sums.shape[-1] // 2
    return jensen_shannon(sums[..., :half], sums[..., half:])


def mean_of_units(sums: FloatArray) -> FloatArray:
    """Mean over units from the sum of their values and their number, (..., 2) -> (...)."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def halved(counts: IntArray, n: int, splits: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw halves of n alike units: two (splits, n, levels) arrays."""
    size = int(counts.sum())
    half = rng.multivariate_hypergeometric(counts, size // 2, size=(splits, n), method="marginals").astype(np.float64)
    other = counts - half
    if size % 2 == 0:
        return half, other
    larger = rng.integers(0, 2, size=(splits, n, 1)).astype(bool)
    return np.where(larger, other, half), np.where(larger, half, other)


ROUNDING = 1e-14  # a divergence below is 0 but for rounding


def half_parts(counts: FloatArray) -> FloatArray:
    """Sums that the mean divergence of two random halves needs, unit by unit.

    For a unit with n ratings, of which c are of a level, halves of m and n - m ratings differ in this level by a
    hypergeometric count: the difference of the two halves' counts has variance 4 m (n - m)/(n - 1) x c/n x (1 - c/n)
    around its mean, which is 0 for even n and plus or minus c/n for odd n.

    Parameters
    ----------
    counts : (units, levels) float64 array
        Ratings; units with a single one take no part.

    Returns
    -------
    (units, 4 levels + 1) float64 array
        Variance, squared share and share of units with an odd number of ratings, count; last, whether n is odd.

    Examples
    --------
    >>> half_parts(np.array([[2.0, 2.0], [1.0, 0.0]])).round(3).tolist()[0]
    [1.333, 1.333, 0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 0.0]
    """
    n = counts.sum(axis=1, keepdims=True)
    used = n >= 2
    share = counts / np.maximum(n, 1.0)
    odd = used & (n % 2 == 1)
    sizes = np.where(odd, (n**2 - 1) / 4, n**2 / 4)  # m (n - m)
    spread = np.where(used, 4 * sizes / np.maximum(n - 1, 1.0) * share * (1 - share), 0.0)
    own = np.where(odd, share, 0.0)
    return np.concatenate([spread, own**2, own, np.where(used, counts, 0.0), odd.astype(np.float64)], axis=1)


def mean_divergence(sums: FloatArray) -> FloatArray:
    """Mean Jensen-Shannon divergence of two random halves, to second order in their differences.

    With p the shares of all ratings and d the difference of the halves' shares, JSD is close to sum d^2/p / (8 ln 2)
    bits, half the chi-square distance around the middle (Lin 1991; a Taylor expansion of eq. 3.4); the mean of d^2 is
    a sum over units.

    Parameters
    ----------
    sums : (..., 4 levels + 1) float64 array
        Sums over units of `half_parts`.

    Returns
    -------
    (...) float64 array
        NaN without ratings.

    Examples
    --------
    >>> units = np.tile([[2.0, 2.0]], (100, 1))
    >>> round(float(mean_divergence(half_parts(units).sum(axis=0))), 6)
    0.002404
    """
    levels = (sums.shape[-1] - 1) // 4
    spread, squares, shares, counts = (sums[..., k * levels : (k + 1) * levels] for k in range(4))
    odd = sums[..., -1:]
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = counts / total
        moved = spread + squares - 2 * p * shares + p**2 * odd  # (c/n - p)^2 summed over odd units
        each = np.where(counts > 0, moved / p, 0.0)
        found: FloatArray = each.sum(axis=-1) / (total[..., 0] / 2) ** 2 / (8 * math.log(2))
    return found


def log_error(
    parts: FloatArray, finish: Finish, copies: FloatArray, codes: tuple[IntArray, ...], touched: BoolArray
) -> FloatArray:
    """Standard error of the logarithm of mean divergences: the jackknife over independent units.

    Parameters
    ----------
    parts : (units, k) float64 array
        What is summed over units.
    finish : callable
        (B, k) sums -> (B, m) mean divergences.
    copies, codes, touched
        As in `jackknife_moments`.

    Returns
    -------
    (m,) float64 array
        NaN where a divergence is 0 (with or without some unit), or there are fewer than two independent units.
    """

    def logs(sums: FloatArray) -> FloatArray:
        value = finish(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(np.where(value > ROUNDING, value, math.nan)))

    variance = jackknife_moments(parts, logs, copies, codes, touched).variance
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


SPLITS = 100
BLOCK = 64
FASTEST, SLOWEST, SCATTERED = 1.0, 0.5, 0.25  # rates a of noise n^-a; the last where leads are narrow
FEW, MANY, MOST = 0.25, 0.4, 0.5  # shares of units with a narrow lead: rate 1/2 up to, 1/4 from, no interval above
LEAD, APART = 1.0, 0.08  # answers of a narrow lead at most; share of them far apart from which noise may turn round


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads:
    """How many units have a leading level at most one answer ahead.

    Attributes
    ----------
    narrow : float
        Their share.
    apart : float
        Share of the units where it is ahead, by so little, only of levels that are not beside it.
    """

    narrow: float
    apart: float

    @classmethod
    def of(cls, answers: Answers) -> Leads:
        """Compare the leading level (the lowest of several) with the others, unit by unit."""
        counts = answers.counts(np.ones((1, len(answers.people))))[0]
        first = counts.argmax(axis=1)[:, None]
        away = np.abs(np.arange(counts.shape[1]) - first)
        close = (np.take_along_axis(counts, first, axis=1) - counts <= LEAD) & (away > 0)
        narrow, beside = close.any(axis=1), (close & (away == 1)).any(axis=1)
        share = answers.weight / answers.weight.sum()
        return cls(narrow=float(share @ narrow), apart=float(share @ (narrow & ~beside)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """Distances from the mode of the population, (means,) arrays.

    Attributes
    ----------
    estimate, low, high : float64 arrays
    half : float64 array
        Mean distance with half of the answers of each unit.
    leads : Leads
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    half: FloatArray
    leads: Leads


def slowest_rate(narrow: float) -> float:
    """Slowest rate a at which the noise of modes, n^-a, may fall: 1/2, and less where many leads are narrow.

    In simulations of answers in five levels (`tests/calibration`) the rate that leads from halves to the population
    falls from 1/2 to about 1/4 while the share of narrow leads rises from 1/4 to 2/5.

    Examples
    --------
    >>> slowest_rate(0.1), round(slowest_rate(0.34), 3), slowest_rate(0.45)
    (0.5, 0.35, 0.25)
    """
    part = min(max((narrow - FEW) / (MANY - FEW), 0.0), 1.0)
    return SLOWEST + part * (SCATTERED - SLOWEST)


def weight_of_gap(rate: float) -> float:
    """What half of the answers add to the distance, times this, is the noise with all answers: 1 / (2^a - 1)."""
    return float(1 / (2**rate - 1))


def half_distances(answers: Answers, rules: Rules) -> tuple[FloatArray, FloatArray]:
    """Mean over random halves of each unit's answers of the distances (units, k + 1), and of whether there is a mode.

    Units with the same counts share their halves, so that nothing depends on the order or the names of the units.
    """
    counts = answers.counts(np.ones((1, len(answers.people))))[0]
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    found, seen = np.zeros((len(kinds), len(answers.scores) + 1)), np.zeros(len(kinds))
    for start in range(0, len(kinds), BLOCK):
        some = kinds[start : start + BLOCK].astype(np.int64)
        drawn = np.stack([np.concatenate(halved(one, 1, SPLITS, rng))[:, 0] for one in some])
        distances, known = rules.distances(drawn, answers.scores)
        found[start : start + BLOCK] = (distances * known[..., None]).mean(axis=1)
        seen[start : start + BLOCK] = known.mean(axis=1)
    return found[place.ravel()], seen[place.ravel()]


def population(
    answers: Answers, targets: Targets, clusters: Sequence[IntArray], rules: Rules, value: FloatArray, spread: Spread,
    level: float,
) -> Population:  # fmt: skip
    """Take the noise of the modes off the means `value`.

    With n answers a unit the mean distance is that from the mode of the population plus c n^-a. Half of the answers
    give the difference d = c (n/2)^-a - c n^-a, and the distance without noise is the mean less d / (2^a - 1)
    (Quenouille 1956 for a = 1). Where the leading levels of most units are clearly apart or their gaps spread evenly, a
    is 1; where they nearly tie, 1/2, and with few answers less (`slowest_rate`). The estimate takes the middle of
    both. The interval reaches from the lowest end for either rate to the highest, with a critical value for an
    interval of such a range (Imbens & Manski 2004, eq. 7). Where levels far apart nearly tie, more answers may also
    add distance, and the interval reaches as far the other way. Where more than half of the leads are narrow halves
    say nothing about the population: all are NaN.
    """
    leads = Leads.of(answers)
    slow = slowest_rate(leads.narrow)
    half, known = half_distances(answers, rules)
    whole = rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        fewer = (targets.pick @ (half * answers.weight[:, None]).ravel()) / (targets.asked @ (answers.weight * known))
    gap = fewer - value
    full = Residuals.of(targets, value, whole[1][0], answers.weight, clusters)
    less = Residuals.of(targets, fewer, known, answers.weight, clusters)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = full.weight / less.weight
    parts = full.pieces_of(features(*whole)), less.pieces_of(np.column_stack([half, known]).reshape(-1, 1))
    ends, errors = [], []
    least, most = map(weight_of_gap, (FASTEST, slow))
    for rate in (least, most, *([-most] if leads.apart > APART else [])):
        sums = [
            ((1 + rate) * one - rate * two * scale[own.target, None])[:, 0]
            for one, two, own in zip(*parts, full.parts, strict=True)
        ]
        ends.append(value - rate * gap)
        errors.append(np.sqrt(full.unit_variance(sums) + spread.people))
    low, high = ranged(np.array(ends), np.array(errors), spread.df, level)
    estimate = np.maximum(value - weight_of_gap((FASTEST + slow) / 2) * gap, 0.0)
    found = np.array([estimate, np.maximum(low, 0.0), np.maximum(high, estimate)])
    if leads.narrow > MOST:
        found[:] = np.nan
    return Population(estimate=found[0], low=found[1], high=found[2], half=fewer, leads=leads)


def ranged(ends: FloatArray, errors: FloatArray, df: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Interval of a quantity known to lie between estimates, (2 or 3, means): the intervals of all, joined.

    The estimate that lies farthest out by chance need not be the one with the largest error.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        width = np.ptp(ends, axis=0) / errors.max(axis=0)
    reach = np.array([critical_of_range(w, d, level) for w, d in zip(width.tolist(), df.tolist(), strict=True)])
    return (ends - reach * errors).min(axis=0), (ends + reach * errors).max(axis=0)


def critical_of_range(width: float, df: float, level: float) -> float:
    """Solve F(c + width) - F(-c) = level for c (Imbens & Manski 2004, eq. 7, with the t distribution).

    From the two-sided critical value, for a range of width 0, to the one-sided, for a wide one.

    Examples
    --------
    >>> round(critical_of_range(0.0, 1e9, 0.95), 3), round(critical_of_range(9.0, 1e9, 0.95), 3)
    (1.96, 1.645)
    """
    from scipy.optimize import brentq

    if not (width >= 0 and df > 0):
        return float("nan")
    least, most = critical_value(2 * level - 1, df), critical_value(level, df)
    if width == 0:
        return most
    return float(brentq(lambda c: stdtr(df, c + width) - stdtr(df, -c) - level, least - 1e-9, most + 1e-9))
