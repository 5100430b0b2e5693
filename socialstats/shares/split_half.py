"""How far halves of the people are from each other: the ceiling of alignment."""

from __future__ import annotations

import math

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.resampling.engine import Finish
from socialstats.shares.counts import StratumCells
from socialstats.shares.divergence import jackknife_moments, jensen_shannon, unit_corrected

FOUR = 4  # ratings of a unit whose halves have two each
# halves have a stream of their own: estimates do not move with the seed of the intervals
STREAM = 20_261_122


def split_half(
    counts: FloatArray, copies: FloatArray, cells: StratumCells, *, splits: int, pooled: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Divergence of two halves of each unit's ratings, drawn at random again and again.

    Of an odd number of ratings one half gets one more, either half as likely. A unit with a single rating takes no
    part.

    Parameters
    ----------
    counts : (units, levels) float64 array
        Ratings of the reference source.
    copies : (units,) float64 array
        Alike units.
    cells : StratumCells
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
    less : (groups,) float64 array
        Mean over the units with four ratings or more of the divergence of their own halves, less its bias
        (`unit_corrected`). NaN for pooled halves, whose bias `mean_divergence` tells.

    Examples
    --------
    >>> cells = StratumCells(names=(), labels=(), codes=np.zeros(2, dtype=np.int64))
    >>> values, units, less = split_half(np.array([[4.0, 0.0], [2.0, 2.0]]), np.ones(2), cells, splits=99, pooled=False)
    >>> values.shape, float(units[0]), bool(units[1] > 0.1)
    ((99, 1), 0.0, True)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    halved, levels = counts.sum(axis=1) >= 2, counts.shape[1]
    # rows: a cell and the counts of a unit; alike units are halved together
    rows, _, row_of_unit = unique_rows(np.column_stack([cells.codes[halved], counts[halved]]))
    times = np.bincount(row_of_unit, copies[halved], len(rows)).astype(np.int64)
    mean = np.full(len(rows), np.nan)
    sums = np.zeros((splits, cells.size, 2 * levels if pooled else 2))
    less = np.zeros((cells.size, 2))
    for k, (row, n) in enumerate(zip(rows.astype(np.int64), times.tolist(), strict=True)):
        halves = draw_halves(row[1:], n, splits, rng)
        if pooled:
            sums[:, row[0]] += np.hstack([half.sum(axis=1) for half in halves])
        else:
            divergence = jensen_shannon(*halves)  # (splits, n)
            mean[k] = divergence.mean()
            sums[:, row[0]] += np.column_stack([divergence.sum(axis=1), np.full(splits, n)])
            if row[1:].sum() >= FOUR:
                less[row[0]] += n * mean_corrected_divergence(*halves), n
    units = np.full(len(counts), np.nan)
    units[halved] = mean[row_of_unit]
    finish = cells.by_group(divergence_of_sides if pooled else mean_of_units)
    corrected = np.full(len(cells.groups), math.nan)
    if not pooled:
        with np.errstate(invalid="ignore"):
            corrected = finish(less.reshape(1, -1))[0]
    return finish(sums.reshape(splits, -1)), units, corrected


def mean_corrected_divergence(first: FloatArray, second: FloatArray) -> float:
    """Mean divergence of (..., levels) halves of two ratings or more, less its bias; each pair is computed once."""
    pairs = np.concatenate([first, second], axis=-1).reshape(-1, 2 * first.shape[-1])
    distinct, _, row_of_pair = unique_rows(pairs)
    values = unit_corrected(distinct[:, : first.shape[-1]], distinct[:, first.shape[-1] :])
    return float(values @ np.bincount(row_of_pair) / len(pairs))


def divergence_of_sides(sums: FloatArray) -> FloatArray:
    """Divergence of two lists of counts that stand one behind the other, (..., 2 levels) -> (...)."""
    half = sums.shape[-1] // 2
    return jensen_shannon(sums[..., :half], sums[..., half:])


def mean_of_units(sums: FloatArray) -> FloatArray:
    """Mean over units from the sum of their values and their number, (..., 2) -> (...)."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def draw_halves(
    counts: IntArray, n: int, splits: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw halves of n alike units: two (splits, n, levels) arrays."""
    size = int(counts.sum())
    half = rng.multivariate_hypergeometric(
        counts, size // 2, size=(splits, n), method="marginals"
    ).astype(np.float64)
    remainder = counts - half
    if size % 2 == 0:
        return half, remainder
    larger = rng.integers(0, 2, size=(splits, n, 1)).astype(bool)
    return np.where(larger, remainder, half), np.where(larger, half, remainder)


ROUNDING = 1e-14  # a divergence below is 0 but for rounding


def half_parts(counts: FloatArray) -> FloatArray:
    """Sums that the mean divergence of two random halves needs, unit by unit.

    A unit has n ratings, of which c are of a level. Halves of m and n - m ratings differ in this level by a
    hypergeometric count. The difference of the two counts has variance 4 m (n - m)/(n - 1) x c/n x (1 - c/n). Its mean
    is 0 for even n and plus or minus c/n for odd n.

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
    odd_share = np.where(odd, share, 0.0)
    counted = np.where(used, counts, 0.0)
    return np.concatenate(
        [spread, odd_share**2, odd_share, counted, odd.astype(np.float64)], axis=1
    )


def mean_divergence(sums: FloatArray) -> FloatArray:
    """Mean Jensen-Shannon divergence of two random halves, to second order in their differences.

    p are the shares of all ratings and d the difference of the halves' shares. JSD is close to sum d^2/p / (8 ln 2)
    bits, half the chi-square distance around the middle (Lin 1991; a Taylor expansion of eq. 3.4); the mean of d^2 is a
    sum over units.

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
        # the mean of the squared difference: its variance, and (c/n - p)^2 summed over odd units
        mean_square = spread + squares - 2 * p * shares + p**2 * odd
        terms = np.where(counts > 0, mean_square / p, 0.0)
        chi_square = terms.sum(axis=-1) / (total[..., 0] / 2) ** 2
        return np.asarray(chi_square / (8 * math.log(2)))


def log_error(
    parts: FloatArray,
    finish: Finish,
    copies: FloatArray,
    codes: tuple[IntArray, ...],
    touched: BoolArray,
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
        NaN where a divergence is 0 (with or without some unit), there are fewer than two independent units, or they
        are alike.
    """

    def logs(sums: FloatArray) -> FloatArray:
        value = finish(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(np.where(value > ROUNDING, value, math.nan)))

    return jackknife_moments(parts, logs, copies, codes, touched).std_error
