"""How far two random halves of the same ratings lie apart on average, as a smooth function of sums over units."""

from __future__ import annotations

import math

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.divergence import jackknife_moments
from socialstats.resampling.engine import Finish

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
