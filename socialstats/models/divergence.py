"""The Jensen-Shannon divergence of shares, on arrays, and its bias in small samples."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, rel_entr

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.resampling import Units, jackknife
from socialstats.resampling.engine import Finish


def jensen_shannon(a: FloatArray, b: FloatArray) -> FloatArray:
    """Jensen-Shannon divergence in bits of two lists of counts (or shares).

    JSD = (KL(p || m) + KL(q || m)) / 2 with p and q the shares and m = (p + q)/2 (Lin 1991, eq. 3.4 with equal
    weights): 0 for equal shares, 1 where no level is shared. It is the divergence, not its square root.

    Parameters
    ----------
    a, b : (..., levels) float64 arrays
        Not below 0; each is divided by its sum.

    Returns
    -------
    (...) float64 array
        In [0, 1]; NaN where a sum is 0.

    References
    ----------
    Lin, J. (1991). Divergence measures based on the Shannon entropy. doi:10.1109/18.61115

    Examples
    --------
    >>> jensen_shannon(np.array([[5.0, 5.0], [1.0, 0.0]]), np.array([[10.0, 0.0], [0.0, 1.0]])).round(4).tolist()
    [0.3113, 1.0]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = (x / x.sum(axis=-1, keepdims=True) for x in (np.asarray(a), np.asarray(b)))
    middle = (p + q) / 2
    bits = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / (2 * math.log(2))
    return np.asarray(np.clip(bits, 0.0, 1.0))


def jackknife_bias(
    statistics: FloatArray, finish: Finish, count: FloatArray, codes: tuple[IntArray, ...], touched: FloatArray
) -> FloatArray:
    """Bias of plug-in statistics: the first of `jackknife_moments`."""
    return jackknife_moments(statistics, finish, count, codes, touched)[0]


def jackknife_moments(
    statistics: FloatArray, finish: Finish, count: FloatArray, codes: tuple[IntArray, ...], touched: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bias and variance of plug-in statistics, with one independent unit left out at a time.

    With g the units that touch the statistic, the bias is (g - 1)/g * sum over units of (leave-one-out value - value),
    and the variance (g - 1)/g * sum of squares of the leave-one-out values around their mean (Efron & Tibshirani 1993,
    eqs. 11.4 and 11.5). For two crossed factors b1 + b2 - b12, as the bias is linear in the variance.

    Parameters
    ----------
    statistics : (units, k) array
    finish : callable
        (n, k) sums -> (n, m) statistics.
    count : (units,) float64 array
        Alike units.
    codes : tuple of (units,) int64 arrays
        None, one or two cluster factors.
    touched : (units, m) array
        Positive where a unit enters a statistic.

    Returns
    -------
    bias, variance : (m,) float64 arrays
        NaN with fewer than two independent units, or where a statistic hangs on one of them. The variance of two
        crossed factors is at least that of either.
    """
    if len(codes) == 2:
        both = Units.clusters(*codes).unit
        one, two, joint = (jackknife_moments(statistics, finish, count, (c,), touched) for c in (*codes, both))
        return one[0] + two[0] - joint[0], np.max([one[1], two[1], one[1] + two[1] - joint[1]], axis=0)
    if codes and len(np.unique(codes[0])) < 2:
        return np.full(touched.shape[1], math.nan), np.full(touched.shape[1], math.nan)
    units = Units.clusters(*codes) if codes else Units.rows(count)
    met = units.total(touched).toarray() > 0
    left = jackknife(statistics, finish, units)
    groups = left.copies @ met
    moved = np.where(met, left.values - left.estimate, 0.0)
    apart, squares = left.copies @ moved, left.copies @ moved**2
    with np.errstate(invalid="ignore", divide="ignore"):
        bias = np.where(groups > 1, (groups - 1) / groups * apart, math.nan)
        return bias, np.where(groups > 1, (groups - 1) / groups * (squares - apart**2 / groups), math.nan)


def unit_corrected(a: FloatArray, b: FloatArray) -> FloatArray:
    """Divergence of each unit's two lists of counts, less its mean over all exchanges of ratings between them.

    Where both sources have the same shares this is 0 on average, however few ratings there are (a jackknife is not:
    -.03 or +.05 with seven and five or three and three ratings). Sources that differ keep a bias, of either sign.

    The divergence is a sum over levels, so its mean needs only the hypergeometric distribution of each level's count:
    k of the t ratings of the level among the n of the first source, out of n + m.

    Parameters
    ----------
    a, b : (units, levels) float64 arrays of counts

    Returns
    -------
    (units,) float64 array
        NaN where a source has fewer than two ratings.

    Examples
    --------
    >>> unit_corrected(np.array([[2.0, 0.0], [3.0, 1.0]]), np.array([[0.0, 2.0], [1.0, 0.0]])).round(4).tolist()
    [0.6667, nan]
    """
    n, m = a.sum(axis=1), b.sum(axis=1)
    enough = (n >= 2) & (m >= 2)
    out = np.full(len(a), math.nan)
    for level in range(a.shape[1]):
        t = (a[:, level] + b[:, level])[enough]
        sizes, place = np.unique(np.column_stack([t, n[enough], m[enough]]), axis=0, return_inverse=True)
        mean = np.array([exchanged_mean(*size) for size in sizes.astype(np.int64).tolist()])[place.ravel()]
        out[enough] = np.nan_to_num(out[enough]) - mean
    out[enough] += jensen_shannon(a[enough], b[enough])
    return out


def exchanged_mean(t: int, n: int, m: int) -> float:
    """Mean of a level's part of the divergence, where t of n + m ratings are of the level and n are drawn."""
    k = np.arange(max(0, t - m), min(t, n) + 1)
    log_p = log_choose(t, k) + log_choose(n + m - t, n - k) - log_choose(n + m, np.array(n))
    return float(np.exp(log_p) @ level_parts(t, n, m)[k])


def level_parts(t: int, n: int, m: int) -> FloatArray:
    """(t + 1) float64 array: a level's part of the divergence where the first source has 0, 1, ... t of its t ratings.

    Only those from t - m to n can occur.
    """
    k = np.arange(t + 1)
    p, q = k / n, (t - k) / m
    middle = (p + q) / 2
    return np.asarray((rel_entr(p, middle) + rel_entr(q, middle)) / (2 * math.log(2)))


def log_choose(n: int, k: IntArray) -> FloatArray:
    """Logarithm of the binomial coefficient."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
