"""Noncentrality of a t statistic with an interval, and the effect sizes that rest on it."""

from __future__ import annotations

import math

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.models.intervals import checked_level

REACH = 6.0
WIDENINGS = 40


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
