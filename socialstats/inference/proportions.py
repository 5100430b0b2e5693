"""Intervals of proportions, on arrays: Wilson's, and Wilson's with a sample size that knows about clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from socialstats.resampling.units import FloatArray, IntArray, Units

ROUNDING = 1e-28  # a variance below is rounding of standard errors of 0


def wilson(
    p: FloatArray, n: FloatArray, *, level: float = 0.95, df: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Score interval of a proportion (Wilson 1927).

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).

    Parameters
    ----------
    p, n : float64 arrays of one shape
        Proportion in [0, 1], and (effective) number of trials.
    level : float
    df : float64 array, optional
        Degrees of freedom: a t quantile takes the place of z.

    Returns
    -------
    low, high : float64 arrays

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953

    Examples
    --------
    >>> low, high = wilson(np.array([0.5]), np.array([10.0]))
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.2366, 0.7634)
    """
    tail = (1 + level) / 2
    z = ndtri(tail) if df is None else stdtrit(df, tail)
    share = z**2 / n
    middle = (p + share / 2) / (1 + share)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + share)
    return np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)


def korn_graubard(p: float, n: float, *, df: float, most: float, level: float) -> tuple[float, float]:
    """Interval of a proportion from clusters, after Clopper and Pearson (1934).

    Beta quantiles with n (t(most) / t(df))^2 trials, so that few degrees of freedom count.

    Parameters
    ----------
    p : float
    n : float
        Effective trials.
    df : float
        Degrees of freedom of the variance behind `n`.
    most : float
        Those that independent trials would have.
    level : float

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> low, high = korn_graubard(0.0, 50.0, df=49, most=49, level=0.95)
    >>> low, round(high, 4)
    (0.0, 0.0711)
    """
    tail = (1 - level) / 2
    if most > df:
        n *= float(stdtrit(most, 1 - tail) / stdtrit(df, 1 - tail)) ** 2
    x = p * n
    low = float(betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    return low, float(betaincinv(x + 1, n - x, 1 - tail)) if x < n else 1.0


def cluster_variance(
    influence: Any, touched: Any, factors: Sequence[IntArray], count: FloatArray, evenness: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Variance of linearised statistics under clustering, one column a statistic.

    One factor: G/(G-1) sum_g (sum of influences in g)^2, G counting the clusters that touch the statistic
    (Liang & Zeger 1986). Two crossed: V1 + V2 - V12, not below 0 (Cameron, Gelbach & Miller 2011).
    None: rows are independent.

    Parameters
    ----------
    influence : (cells, k) sparse array
        Sum over a cell's rows of each row's influence on each statistic.
    touched : (cells, k) sparse array
        Positive where a cell takes part in a statistic (its influence may be 0 all the same).
    factors : sequence of (cells,) int64 arrays
    count : (cells,) float64 array
        Rows in each cell.
    evenness : (cells,) float64 array
        Sum of the squared weights of a cell's rows over their squared sum: 1/count where they weigh the same.

    Returns
    -------
    variance, clusters : (k,) float64 arrays
        Variance (NaN with fewer than two clusters) and the number of clusters, of the smaller factor.
    """
    if len(factors) == 2:
        first = cluster_variance(influence, touched, factors[:1], count, evenness)
        second = cluster_variance(influence, touched, factors[1:], count, evenness)
        both = cluster_variance(influence, touched, (Units.clusters(*factors).unit,), count, evenness)
        total = first[0] + second[0] - both[0]
        return np.maximum(total, 0.0), np.minimum(first[1], second[1])
    if factors and len(np.unique(factors[0])) < 2:
        alone = (np.asarray(touched.sum(axis=0)).ravel() > 0).astype(np.float64)
        return np.full(len(alone), np.nan), alone
    if factors:
        units = Units.clusters(*factors)
        sums, met = units.total(influence), (units.total(touched) > 0).sum(axis=0)
    else:
        sums, met = influence.multiply(np.sqrt(evenness)[:, None]), count @ (touched > 0).astype(np.float64)
    squares: FloatArray = np.asarray(sums.multiply(sums).sum(axis=0), dtype=np.float64).ravel()
    clusters: FloatArray = np.asarray(met, dtype=np.float64).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(clusters > 1, squares * clusters / (clusters - 1), np.nan), clusters


def effective_trials(p: FloatArray, variance: FloatArray, clusters: FloatArray, trials: FloatArray) -> FloatArray:
    """Independent trials that would give a proportion the variance it has under clustering.

    p(1-p)/variance, never more than `trials` (Korn & Graubard 1998). With p of 0 or 1, or where all clusters have the
    same share, the variance says nothing: the number of clusters stands in, as if each were one trial.

    Parameters
    ----------
    p, variance, clusters, trials : float64 arrays of one shape

    Returns
    -------
    float64 array
    """
    inside = (p > 0) & (p < 1) & ~(variance <= ROUNDING)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(variance > 0, p * (1 - p) / variance, np.inf)
    found = np.where(inside, np.minimum(ratio, trials), np.minimum(clusters, trials))
    return np.where(np.isnan(variance), np.nan, found)
