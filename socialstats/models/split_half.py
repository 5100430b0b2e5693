"""How far halves of the people are from each other: the ceiling of alignment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.divergence import jackknife_moments, jensen_shannon
from socialstats.resampling.engine import Finish

STREAM = 20_261_122  # halves have a stream of their own: estimates do not move with the seed of the intervals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Halves:
    """Divergences of random halves.

    Attributes
    ----------
    values : (splits, n_cells + 1) float64 array
        The first column is of all units; NaN where no unit has two ratings.
    units : (units,) float64 array
        Mean divergence of each unit's own halves; NaN for units with a single rating, and for pooled halves.
    """

    values: FloatArray
    units: FloatArray


def split_half(
    counts: FloatArray, copies: FloatArray, codes: IntArray, n_cells: int, *, splits: int, pooled: bool
) -> Halves:
    """Divergence of two halves of each unit's ratings, drawn at random again and again.

    Of an odd number of ratings one half gets one more, either half as likely. A unit with a single rating takes no
    part.

    Parameters
    ----------
    counts : (units, levels) float64 array
        Ratings of the reference source.
    copies : (units,) float64 array
        Alike units.
    codes : (units,) int64 array
        Cell of each unit.
    n_cells : int
    splits : int
        Random halvings.
    pooled : bool
        True: divergence of the pooled halves of a cell; False: mean over units of each unit's own.

    Returns
    -------
    Halves

    Examples
    --------
    >>> halves = split_half(np.array([[4.0, 0.0], [2.0, 2.0]]), np.ones(2), np.zeros(2, dtype=np.int64), 1, splits=99,
    ...                     pooled=False)
    >>> halves.values.shape, float(halves.units[0]), bool(halves.units[1] > 0.1)
    ((99, 2), 0.0, True)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    kept = counts.sum(axis=1) >= 2
    rows, place = np.unique(np.column_stack([codes[kept], counts[kept]]), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), copies[kept], len(rows)).astype(np.int64)
    levels = counts.shape[1]
    mean = np.full(len(rows), np.nan)
    sums = np.zeros((2, splits, n_cells, levels)) if pooled else np.zeros((2, splits, n_cells))
    for k, (row, n) in enumerate(zip(rows.astype(np.int64), times.tolist(), strict=True)):
        one, two = halved(row[1:], n, splits, rng)
        if pooled:
            sums[0, :, row[0]] += one.sum(axis=1)
            sums[1, :, row[0]] += two.sum(axis=1)
        else:
            each = jensen_shannon(one, two)
            mean[k] = each.mean()
            sums[0, :, row[0]] += each.sum(axis=1)
            sums[1, :, row[0]] += n
    every = np.concatenate([sums.sum(axis=2, keepdims=True), sums], axis=2)
    units = np.full(len(counts), np.nan)
    units[kept] = mean[place.ravel()]
    if pooled:
        return Halves(values=jensen_shannon(every[0], every[1]), units=units)
    with np.errstate(invalid="ignore"):
        return Halves(values=np.asarray(every[0] / every[1]), units=units)


def halved(counts: IntArray, n: int, splits: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw halves of n alike units: two (splits, n, levels) arrays."""
    size = int(counts.sum())
    half = rng.multivariate_hypergeometric(counts, size // 2, size=(splits, n), method="marginals").astype(np.float64)
    other = counts - half
    if size % 2 == 0:
        return half, other
    larger = rng.integers(0, 2, size=(splits, n, 1)).astype(bool)
    return np.where(larger, other, half), np.where(larger, half, other)


def noise_ratio(n: FloatArray, reference: FloatArray) -> FloatArray:
    """By how much sampling noise of a comparison exceeds that of two halves of the reference.

    The bias of the divergence is proportional to 1/n1 + 1/n2: (1/n + 1/m) / (2/m + 2/m) for m ratings of the
    reference.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((1 / n + 1 / reference) / (4 / reference))


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
    parts: FloatArray, finish: Finish, copies: FloatArray, codes: tuple[IntArray, ...], touched: FloatArray
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
