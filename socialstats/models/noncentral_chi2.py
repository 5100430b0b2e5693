"""Intervals of quantities that cannot be below 0 and are quadratic near it: noncentral chi-square, scaled."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chndtr, ndtri

from socialstats.arrays import FloatArray

FAR = 2_000.0  # scaled values beyond are normal


def quadratic_intervals(
    value: FloatArray, mean: FloatArray, square: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals of divergences that are quadratic forms of asymptotically normal differences.

    Near 0 a divergence is d'Ad, with d the differences of shares and V their covariance; equal shares give it the mean
    tr(AV) and the variance 2 tr((AV)^2). It is taken as c times a noncentral chi-square with f degrees of freedom and
    noncentrality truth / c, where c = tr((AV)^2) / tr(AV) and f = tr(AV)^2 / tr((AV)^2) give these two (the correction
    of second order of Rao & Scott 1984). The interval holds the truths for which the value is in no tail.

    Parameters
    ----------
    value : (m,) float64 array
        Plug-in divergences.
    mean, square : (m,) float64 arrays
        tr(AV) and tr((AV)^2).
    level : float

    Returns
    -------
    low, high : (m,) float64 arrays
        NaN where a value, mean or square is not positive.

    References
    ----------
    Rao, J. N. K., & Scott, A. J. (1984). On chi-squared tests for multiway contingency tables with cell proportions
    estimated from survey data. The Annals of Statistics, 12(1), 46-60. doi:10.1214/aos/1176346391

    Examples
    --------
    >>> low, high = quadratic_intervals(np.array([0.02]), np.array([0.01]), np.array([0.00005]), 0.95)
    >>> float(low[0]), round(float(high[0]), 4)
    (0.0, 0.0713)
    """
    ends = [one_interval(*each, level) for each in zip(value.tolist(), mean.tolist(), square.tolist(), strict=True)]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return low, high


def one_interval(value: float, mean: float, square: float, level: float) -> tuple[float, float]:
    """Both ends of one interval."""
    if not (value > 0 and mean > 0 and square > 0):
        return math.nan, math.nan
    scale = square / mean
    if value / scale > FAR:
        middle = value - mean
        reach = float(ndtri((1 + level) / 2)) * math.sqrt(2 * square + 4 * scale * max(middle, 0.0))
        return max(0.0, middle - reach), middle + reach
    tails = ((1 + level) / 2, (1 - level) / 2)
    low, high = (scale * noncentrality(value / scale, mean / scale, tail) for tail in tails)
    return low, high


def noncentrality(x: float, df: float, p: float) -> float:
    """Noncentrality for which x is the p quantile; 0 where even without any x lies below it."""
    from scipy.optimize import brentq

    def above(noncentral: float) -> float:
        return float(chndtr(x, df, noncentral)) - p

    if above(0.0) <= 0:
        return 0.0
    top = max(1.0, x)
    while above(top) > 0:
        top *= 2
    return float(brentq(above, 0.0, top, xtol=1e-10 * top))
