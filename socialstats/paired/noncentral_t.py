"""The noncentral t distribution: intervals of its noncentrality and of d_z, tails, Hedges' correction."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from socialstats.arrays import FloatArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.intervals import checked_level

# narrowings of the range and points of the grid; exp(-DEEP) of the peak no longer counts
ZOOMS, POINTS, DEEP = 12, 2001, 45.0
STEEP = 5.0  # t / sqrt(2 df) from which t U varies more than Z, and the integral is over Z
KINK = 13.0  # noncentralities above: the normal density at U = 0 is below 1e-36
ONLY_U = 1e7  # t / sqrt(2 df) from which Z changes the ends by less than 1e-13 of them
STIRLING = 1000.0  # arguments of log Gamma from which its asymptotic series has all digits
NORMAL_END = 40.0  # beyond, the normal density is 0 as a float
# trapezoid step, in standard deviations of the narrowest factor; its error is exp(-2 (pi / STEP)^2)
STEP = 0.4


def noncentrality_interval(t: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the noncentrality parameter that a t statistic supports.

    The ends are the noncentralities under which t is the upper and the lower tail's quantile (inversion of the test;
    Steiger & Fouladi 1997).

    Parameters
    ----------
    t : float
    df : float
        Positive, need not be whole.
    level : float

    Returns
    -------
    low, high : float

    Raises
    ------
    InputError
        For a t that is not finite or df not above 0.
    UndefinedStatistic
        If an end is beyond the largest float.

    Notes
    -----
    P(T <= t) at noncentrality delta is P(t U + Z > delta), with Z normal and U^2 an independent chi-square over its df:
    the ends are the two quantiles of t U + Z. Solved for abs(t), and the sign put back. As t grows, they approach
    t sqrt(chi2_q / df).

    References
    ----------
    Steiger, J. H., & Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of statistical models.

    Examples
    --------
    >>> [round(x / 10**0.5, 4) for x in noncentrality_interval(-4.0621277, 9)]
    [-2.118, -0.4146]
    """
    checked_level(level)
    if not math.isfinite(t) or not (math.isfinite(df) and df > 0):
        raise InputError(
            f"the noncentral t needs a finite t and positive df, not t={t!r}, df={df!r}"
        )
    tail = (1 - level) / 2
    low, high = (t_u_plus_z(abs(t), df, tail, upper=upper) for upper in (False, True))
    if not math.isfinite(high):
        raise UndefinedStatistic(
            f"the noncentrality at t = {t:g} with {df:g} df is beyond the largest float"
        )
    return (low, high) if t >= 0 else (-high, -low)


def t_u_plus_z(t: float, df: float, tail: float, *, upper: bool) -> float:
    """Return the value that t U + Z exceeds (upper) or falls below with probability `tail`, for t >= 0."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    ratio = t / math.sqrt(2 * df)
    if ratio > ONLY_U:
        return t * u_quantile(df, tail, upper=upper)
    sign = 1.0 if upper else -1.0
    # a bracket: P(U beyond far) + P(Z beyond far) < tail < 1 - P(U within near) - P(Z within)
    far, near = tail / 4, 2 * tail
    outer = t * u_quantile(df, far, upper=upper) - sign * float(ndtri(far))
    inner = t * u_quantile(df, near, upper=upper) + sign * float(ndtri(tail))
    tail_beyond = (
        tail_over_z(t, df, upper)
        if ratio > STEEP and min(outer, inner) > KINK
        else tail_over_u(t, df, upper, max(abs(outer), abs(inner)))
    )
    solution = brentq(
        lambda end: tail_beyond(end) - tail, outer, inner, xtol=1e-13, rtol=4 * 2.3e-16, maxiter=500
    )
    return float(solution)


def u_quantile(df: float, tail: float, *, upper: bool) -> float:
    """Quantile of U = sqrt(chi-square / df), of the upper or the lower tail."""
    from scipy.special import gammainccinv, gammaincinv

    return math.sqrt(float((gammainccinv if upper else gammaincinv)(df / 2, tail)) / (df / 2))


def tail_over_u(t: float, df: float, upper: bool, reach: float) -> Callable[[float], float]:
    """Return the function from an end to P(t U + Z > end) or P(t U + Z < end), integrated over log U.

    Parameters
    ----------
    t, df : float
    upper : bool
    reach : float
        Largest size of an end.
    """

    # outside low to high the density of log U is below exp(-DEEP) of its peak
    deep = DEEP / df
    low = -math.sqrt(2 * deep) if deep < 0.5 else -deep - 0.5
    high = min(math.sqrt(deep), 0.5 * math.log(4 * deep + 4))
    steepest = min(t * math.exp(high), reach + 10)
    step = min(0.1, STEP / math.sqrt(2 * df + steepest**2))
    log_u = np.linspace(low, high, math.ceil((high - low) / step) + 1)
    weight = np.exp(log_u_density(log_u, df))
    weight /= weight.sum()
    mean = t * np.exp(log_u)
    sign = 1.0 if upper else -1.0
    return lambda end: float(weight @ ndtr(sign * (mean - end)))


def tail_over_z(t: float, df: float, upper: bool) -> Callable[[float], float]:
    """As `tail_over_u`, integrated over Z: for t U that varies more than Z, and ends far above 0."""
    from scipy.special import gammainc, gammaincc

    z = np.arange(-NORMAL_END, NORMAL_END, STEP)
    weight = np.exp(-z * z / 2)
    weight /= weight.sum()
    beyond = gammaincc if upper else gammainc

    def share(end: float) -> float:
        u = np.maximum(end - z, 0.0) / t
        return float(weight @ beyond(df / 2, df / 2 * u * u))

    return share


def log_u_density(log_u: FloatArray, df: float) -> FloatArray:
    """Log density of log U at `log_u`, less its largest value; without cancellation for many df."""
    log_density: FloatArray = df * (log_u - np.expm1(2 * log_u) / 2)
    return log_density


def noncentral_t_tail(t: float, df: float, center: float, *, upper: bool) -> float:
    """P(T >= t) or P(T <= t) of the noncentral t distribution, with its relative precision kept far out in the tail.

    T <= t where Z <= t U - center, Z normal and U^2 chi-square over its df: integrated over log U by the trapezoid
    rule, or over Z where t U varies more.

    Parameters
    ----------
    t, df, center : float
    upper : bool

    Returns
    -------
    float
        0 only where the tail is too small for a float.

    Examples
    --------
    >>> noncentral_t_tail(2.0, 10.0, 0.0, upper=True)  # doctest: +ELLIPSIS
    0.0366940...
    >>> 1e-46 < noncentral_t_tail(0.0, 50.0, -14.0, upper=True) < 1e-44  # P(Z > 14)
    True
    """
    if t < 0:
        return noncentral_t_tail(-t, df, -center, upper=not upper)
    if t > STEEP * math.sqrt(2 * df) and center > KINK:
        return tail_over_z(t, df, not upper)(center)
    return integrated_tail(t, df, center, upper)


def integrated_tail(t: float, df: float, center: float, upper: bool) -> float:
    """Integrate normal(center - t u) (upper) or normal(t u - center) over the density of log u."""
    from scipy.special import log_ndtr

    sign = -1.0 if upper else 1.0

    def exponent(s: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(log_u_density(s, df) + log_ndtr(sign * (t * np.exp(s) - center)))

    low, high = -60 / df - math.log1p(t) - 3, math.log(10 + (60 + abs(center)) / math.sqrt(df))
    # the integrand has one peak: narrow down to where it counts
    for _ in range(ZOOMS):
        s = np.linspace(low, high, POINTS)
        values = exponent(s)
        counting = np.flatnonzero(values > values.max() - DEEP)
        low = float(s[max(counting[0] - 1, 0)])
        high = float(s[min(counting[-1] + 1, POINTS - 1)])
        if len(counting) > POINTS / 2:
            break
    peak = float(values.max())
    step = float(s[1] - s[0])
    return math.exp(peak + log_peak(df)) * float(np.exp(values - peak).sum()) * step


def log_peak(df: float) -> float:
    """Log of the largest value of the density of log U: 2 (df/2)^(df/2) exp(-df/2) / Gamma(df/2)."""
    half = df / 2
    if half > STIRLING:  # the series of log Gamma, where its parts would cancel
        return math.log(2) + 0.5 * math.log(half / (2 * math.pi)) - 1 / (12 * half)
    return math.log(2) + half * math.log(half) - half - math.lgamma(half)


def d_z_interval(t: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Interval of d_z = t/sqrt(n) from the noncentral t distribution with n - 1 df.

    Parameters
    ----------
    t : float
        Of a paired (or one-sample) test.
    n : float
        Pairs, at least 2.
    level : float

    Returns
    -------
    low, high : float

    Raises
    ------
    InputError, UndefinedStatistic
        As `noncentrality_interval`.

    Examples
    --------
    >>> [round(x, 4) for x in d_z_interval(-4.0621277, 10)]
    [-2.118, -0.4146]
    """
    low, high = noncentrality_interval(t, n - 1, level)
    return low / math.sqrt(n), high / math.sqrt(n)


def hedges_j(df: float) -> float:
    """Hedges' exact correction of the bias of a standardised mean: Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)).

    Raises
    ------
    UndefinedStatistic
        For df of 1 or less: the standardised mean has no expectation there.

    References
    ----------
    Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators.
    doi:10.3102/10769986006002107

    Examples
    --------
    >>> round(hedges_j(9), 6)
    0.913875
    """
    if not df > 1:
        raise UndefinedStatistic(
            f"Hedges' correction needs more than 1 degree of freedom, not {df:g}"
        )
    if df > 2 * STIRLING:  # the asymptotic series, where log Gammas of this size would cancel
        return 1 - 3 / (4 * df) - 7 / (32 * df**2) - 9 / (128 * df**3)
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
