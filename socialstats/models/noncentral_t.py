"""Noncentrality of a t statistic with an interval, and the effect sizes that rest on it."""

from __future__ import annotations

import math

import numpy as np

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.intervals import FloatArray, checked_level

REACH = 6.0
WIDENINGS = 40
NEAR_ZERO = 1e-5  # smaller tails: 1 - P loses digits, and scipy's P itself is right to some 1e-15 only
ZOOMS, POINTS, DEEP = 12, 2001, 45.0


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
        If the distribution function cannot be inverted.

    Notes
    -----
    Solved for abs(t) and the sign put back. scipy's distribution function is NaN far out in the tails; there it stands
    for 0 (noncentrality above t) or 1 (below). The bracket abs(t) -+ 6 (1 + abs(t)/sqrt(2 df)) is widened where needed.

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
        raise InputError(f"the noncentral t needs a finite t and positive df, not t={t!r}, df={df!r}")
    tail = (1 - level) / 2
    low, high = (solve(abs(t), df, share) for share in (1 - tail, tail))
    return (low, high) if t >= 0 else (-high, -low)


def solve(t: float, df: float, share: float) -> float:
    """Return the noncentrality at which P(T <= t) is `share`, for t >= 0."""
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    def gap(center: float) -> float:
        below = float(nctdtr(df, center, t))
        if math.isnan(below):
            below = 0.0 if center > t else 1.0
        return below - share

    reach = REACH * (1 + t / math.sqrt(2 * df))
    for _ in range(WIDENINGS):
        if gap(t - reach) > 0 > gap(t + reach):
            return float(brentq(gap, t - reach, t + reach, xtol=1e-13, rtol=4 * 2.3e-16, maxiter=500))
        reach *= 1.5
    raise UndefinedStatistic(f"the noncentral t distribution cannot be inverted at t = {t:g} with {df:g} df")


def noncentral_t_tail(t: float, df: float, center: float, *, upper: bool) -> float:
    """P(T >= t) or P(T <= t) of the noncentral t distribution, with its relative precision kept far out in the tail.

    T <= t where Z <= t U - center, Z normal and U^2 chi-square over its df. Where scipy's distribution function is
    too near 0 or 1, or NaN, the integral over log U is taken by the trapezoid rule.

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
    from scipy.special import nctdtr

    if t < 0:
        return noncentral_t_tail(-t, df, -center, upper=not upper)
    below = float(nctdtr(df, center, t))
    tail = 1 - below if upper else below
    return integrated_tail(t, df, center, upper) if math.isnan(below) or tail < NEAR_ZERO else tail


def integrated_tail(t: float, df: float, center: float, upper: bool) -> float:
    """Integrate normal(center - t u) (upper) or normal(t u - center) over the density of log u."""
    from scipy.special import gammaln, log_ndtr

    sign, half = (-1.0 if upper else 1.0), df / 2
    constant = math.log(2) + half * math.log(half) - float(gammaln(half))

    def exponent(s: FloatArray) -> FloatArray:
        u = np.exp(s)
        return np.asarray(constant + df * s - half * u * u + log_ndtr(sign * (t * u - center)))

    low, high = -60 / df - math.log1p(t) - 3, math.log(10 + (60 + abs(center)) / math.sqrt(df))
    for _ in range(ZOOMS):  # the integrand has one peak: narrow down to where it counts
        s = np.linspace(low, high, POINTS)
        values = exponent(s)
        kept = np.flatnonzero(values > values.max() - DEEP)
        low, high = float(s[max(kept[0] - 1, 0)]), float(s[min(kept[-1] + 1, POINTS - 1)])
        if len(kept) > POINTS / 2:
            break
    peak = float(values.max())
    return math.exp(peak) * float(np.exp(values - peak).sum()) * float(s[1] - s[0])


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
        raise UndefinedStatistic(f"Hedges' correction needs more than 1 degree of freedom, not {df:g}")
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
