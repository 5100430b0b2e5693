"""Power of tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.special import (
    betainc,
    chdtrc,
    chndtr,
    gammaln,
    nctdtr,
    ndtr,
    ndtri,
    stdtrit,
    xlog1py,
    xlogy,
)

from socialstats.arrays import FloatArray
from socialstats.errors import UndefinedStatistic

Alternative = Literal["two_sided", "greater", "less"]
Test = Literal["mid_p", "exact", "asymptotic", "corrected"]
# n at which the search ends
LARGEST = 1e9
# a probability that is 0 but for rounding
NEVER = 1e-15
# n from which the search for a steady n takes finer steps
MANY = 20_000
# share of alpha by which a p equal to it may lie above
ROUNDING = 1e-9


def t_power(
    df: float, center: float, alpha: float, alternative: Alternative = "two_sided"
) -> float:
    """Power of a t test whose statistic is noncentral t: P(abs(T) > t_(1 - alpha/2)), both tails counted.

    Parameters
    ----------
    df : float
    center : float
        Noncentrality: effect over the standard error of its estimate.
    alpha : float
    alternative : {"two_sided", "greater", "less"}

    Examples
    --------
    >>> round(t_power(19, 0.5 * 20**0.5, 0.05), 6)  # 20 pairs, d_z = 0.5
    0.564504
    """
    if alternative == "less":
        return t_power(df, -center, alpha, "greater")
    if alternative == "greater":
        return upper_tail(df, center, float(stdtrit(df, 1 - alpha)))
    critical = float(stdtrit(df, 1 - alpha / 2))
    return upper_tail(df, center, critical) + upper_tail(df, -center, critical)


def upper_tail(df: float, center: float, edge: float) -> float:
    """P(T > edge) of noncentral t.

    Far from the edge on the other side the distribution function cannot be computed; the tail is 0 or 1 there to
    double precision.
    """
    p = float(nctdtr(df, center, edge)) if center >= 0 else 1 - float(nctdtr(df, -center, -edge))
    if math.isnan(p):
        return float(center > edge)
    return min(1.0, max(0.0, 1 - p))


def smallest_n(
    power: Callable[[int], float], target: float, *, least: int, steady: bool = True
) -> int:
    """Return the smallest whole n whose power reaches the target.

    Parameters
    ----------
    power : callable
        Of a whole n.
    target : float
    least : int
    steady : bool
        False where power may fall a little as n grows (tests of counts). Then the result is the smallest n from which
        on it stays at the target, as far as the search looks (40 + 3 sqrt(n) beyond the first such n).

    Raises
    ------
    UndefinedStatistic
        If a billion is not enough.
    """
    low, high = least - 1, least
    while power(high) < target:
        low, high = high, 2 * high
        if high > LARGEST:
            raise UndefinedStatistic(f"no n up to {LARGEST:,.0f} has a power of {target:g}")
    while high - low > 1:
        # power is below the target at `low`, and not at `high`
        middle = (low + high) // 2
        low, high = (middle, high) if power(middle) < target else (low, middle)
    if steady:
        return high
    return steady_n(power, target, high, least)


def steady_n(power: Callable[[int], float], target: float, first: int, least: int) -> int:
    """Search around an n for the smallest from which on the power stays at the target."""
    # how far power goes up and down
    reach = 40 + 3 * math.isqrt(first)
    step = max(1, reach // (100 if first < MANY else 20))
    last = max(least - 1, first - reach)
    for n in range(last + 1, first + reach + 1, step):
        if power(n) < target:
            last = n
    n = last + 1
    while power(n) < target:
        n += 1
    return n


def smallest_effect(power: Callable[[float], float], target: float, *, largest: float) -> float:
    """Return the effect at which a power that grows with the effect reaches the target (to 1e-12 relative).

    Raises
    ------
    UndefinedStatistic
        If even the largest effect does not reach it.
    """
    from scipy.optimize import brentq

    if power(largest) < target:
        best = power(largest)
        raise UndefinedStatistic(
            f"no effect up to {largest:g} reaches a power of {target:g} here (at most {best:.3g})"
        )
    return float(
        brentq(lambda effect: power(effect) - target, 0.0, largest, xtol=1e-13, rtol=1e-13)
    )


def most_extreme(m: FloatArray, alpha: float, test: Test) -> FloatArray:
    """Largest number of pairs on the rarer side with which the test rejects, for m discordant pairs; -1: never.

    Parameters
    ----------
    m : (k,) float64 array
        Whole numbers.
    alpha : float
    test : {"mid_p", "exact", "asymptotic", "corrected"}
    """
    half = np.floor(m / 2)
    # start a little above the normal approximation, then go down, and up again where that was too far
    start = np.floor((m - ndtri(1 - alpha / 2) * np.sqrt(m)) / 2) + 4
    c = np.clip(start, -1, half)
    while True:
        rejected = mcnemar_p(c, m, test) <= alpha * (1 + ROUNDING)
        down = ~rejected & (c >= 0)
        if not down.any():
            break
        c = np.where(down, c - 1, c)
    while True:
        up = (c < half) & (mcnemar_p(c + 1, m, test) <= alpha * (1 + ROUNDING))
        if not up.any():
            return np.asarray(c)
        c = np.where(up, c + 1, c)


def mcnemar_p(rarer: FloatArray, m: FloatArray, test: Test) -> FloatArray:
    """Two-sided p of McNemar's test with `rarer` of m discordant pairs on the rarer side; 1 where m = 0.

    Exact 2 P(B <= rarer), mid-p 2 P(B <= rarer) - P(B = rarer), B binomial(m, 1/2); asymptotic
    chi2 = (m - 2 rarer)^2/m, corrected (m - 2 rarer - 1)^2/m (0 when both sides are equal), 1 df (Fagerland,
    Lydersen & Laake 2013).

    Examples
    --------
    >>> mcnemar_p(np.array([1.0]), np.array([9.0]), "mid_p").round(6).tolist()
    [0.021484]
    """
    k, size = np.maximum(rarer, 0), np.maximum(m, 1)
    if test in ("exact", "mid_p"):
        p = 2 * binomial_below(k, size, 0.5)
        if test == "mid_p":
            log_choose = gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1)
            p = p - np.exp(log_choose - size * math.log(2))
    else:
        gap = size - 2 * k
        p = chdtrc(1, np.where(gap > 0, gap - (test == "corrected"), 0) ** 2 / size)
    return np.asarray(np.where(m < 1, 1.0, np.minimum(p, 1)))


def binomial_below(k: FloatArray, n: FloatArray, p: float) -> FloatArray:
    """P(X <= k) of X binomial(n, p), by the incomplete beta function: scipy's bdtr loses digits for large n.

    Examples
    --------
    >>> binomial_below(np.array([1.0, 3.0]), np.array([3.0, 3.0]), 0.5).round(6).tolist()
    [0.5, 1.0]
    """
    inside = k < n
    probability = betainc(np.where(inside, n - k, 1.0), k + 1, 1 - p)
    return np.asarray(np.where(inside, probability, 1.0))


def mcnemar_power(n: int, discordant: float, difference: float, alpha: float, test: Test) -> float:
    """Power of a two-sided McNemar test, summed over every number of discordant pairs and their split.

    Discordant pairs are binomial(n, discordant); of m of them those of the first kind binomial(m, share) with
    share = (1 + difference/discordant)/2.

    Parameters
    ----------
    n : int
        Pairs.
    discordant : float
        Share of pairs that differ, p10 + p01.
    difference : float
        p10 - p01.
    alpha : float
    test : {"mid_p", "exact", "asymptotic", "corrected"}

    Examples
    --------
    >>> round(mcnemar_power(40, 0.4, 0.2, 0.05, "mid_p"), 4)
    0.5249
    """
    sd = math.sqrt(n * discordant * (1 - discordant))
    # numbers of discordant pairs within nine standard deviations of their mean: the others do not count
    low = max(0, math.floor(n * discordant - 9 * sd - 9))
    high = min(n, math.ceil(n * discordant + 9 * sd + 9))
    m = np.arange(low, high + 1, dtype=np.float64)
    log_choose = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    weight = np.exp(log_choose + xlogy(m, discordant) + xlog1py(n - m, -discordant))
    c = most_extreme(m, alpha, test)
    rejects = c >= 0
    k = np.maximum(c, 0)
    share = (1 + difference / discordant) / 2
    below, above = binomial_below(k, m, share), binomial_below(k, m, 1 - share)
    return float(min(1.0, np.sum(weight * np.where(rejects, below + above, 0.0))))


def mcnemar_power_normal(n: float, discordant: float, difference: float, alpha: float) -> float:
    """Power of the asymptotic test by the normal approximation (Connor 1987).

    Phi((abs(difference) sqrt(n) - z sqrt(discordant)) / sqrt(discordant - difference^2)).
    """
    # standard deviation of a pair's difference
    spread = math.sqrt(max(discordant - difference**2, NEVER))
    shift = abs(difference) * math.sqrt(n) + ndtri(alpha / 2) * math.sqrt(discordant)
    return float(ndtr(shift / spread))


def cluster_center(
    clusters: float, size: float, effect: float, sd_between: float, sd_within: float
) -> float:
    """Noncentrality of the t of G cluster means: effect / sqrt((between^2 + within^2/size)/G) (Donner & Klar 2000)."""
    return effect / math.sqrt((sd_between**2 + sd_within**2 / size) / clusters)


# scaled values beyond are normal
FAR = 2_000.0


def quadratic_intervals(
    value: FloatArray, mean: FloatArray, square: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals of divergences that are quadratic forms of asymptotically normal differences.

    Near 0 a divergence is d'Ad, with d the differences of shares and V their covariance; equal shares give it the mean
    tr(AV) and the variance 2 tr((AV)^2). It is taken as c times a noncentral chi-square with f degrees of freedom and
    noncentrality truth / c. Here c = tr((AV)^2) / tr(AV) and f = tr(AV)^2 / tr((AV)^2) give these two (the correction
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
    ends = [
        quadratic_interval(*numbers, level)
        for numbers in zip(value.tolist(), mean.tolist(), square.tolist(), strict=True)
    ]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    return low, high


def quadratic_interval(
    value: float, mean: float, square: float, level: float
) -> tuple[float, float]:
    """Both ends of the interval of a divergence; formulas in `quadratic_intervals`."""
    if not (value > 0 and mean > 0 and square > 0):
        return math.nan, math.nan
    # c of Rao & Scott (1984); mean / scale is f
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
