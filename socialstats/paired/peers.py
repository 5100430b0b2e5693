"""What scipy and statsmodels have of shares, and of differences of values and shares of the same units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.parts import Factor
from socialstats.results.definitions import PeerNumbers, RowKey
from socialstats.results.peers import load_peer

MOST_WRITTEN_OUT = 2_000_000  # units that are written out for another package


def binomial_p(b: int, c: int, side: str = "two_sided") -> float:
    """Return scipy's binomial p of b first-only and c second-only pairs; 1 without such pairs."""
    from scipy.stats import binomtest

    if not b + c:
        return 1.0
    test: Any = binomtest  # its stubs take literal sides
    return float(test(b, b + c, alternative=side.replace("_", "-")).pvalue)


def mid_p_value(b: int, c: int, side: str = "two_sided") -> float:
    """Return the exact p less half the probability of b in each of its tails.

    Examples
    --------
    >>> binomial_p(1, 3), mid_p_value(1, 3), mid_p_value(2, 2)
    (0.625, 0.375, 1.0)
    """
    from scipy.stats import binom

    if side == "two_sided" and b == c:
        return 1.0
    point = float(binom.pmf(b, b + c, 0.5))
    return binomial_p(b, c, side) - (point if side == "two_sided" else point / 2)


def wilson_ends(hits: float, n: float, level: float) -> tuple[float, float]:
    """Return statsmodels' Wilson interval, without the rounding that it leaves at 0 and 1."""
    proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")
    low, high = proportion_confint(hits, n, alpha=1 - level, method="wilson")
    return (0.0 if hits == 0 else float(low)), (1.0 if hits == n else float(high))


def newcombe_ends(
    first: tuple[float, float], second: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return statsmodels' interval of the difference of two independent shares, each of hits and units."""
    theirs = load_peer("statsmodels.stats.proportion", "confint_proportions_2indep")
    low, high = theirs(*first, *second, method="newcomb", compare="diff", alpha=1 - level)
    return float(low), float(high)


def newcombe_p(
    first: tuple[float, float], second: tuple[float, float], bound: float, *, above: bool
) -> float:
    """Return the one-sided p of a difference above (or below) a bound, at which statsmodels' interval ends.

    It is (1 - L) / 2 of the level L of this interval, and (1 + L) / 2 where the difference is on the other side.
    """
    from scipy.optimize import brentq

    gap = first[0] / first[1] - second[0] / second[1]
    end = 0 if gap > bound else 1

    def distance(level: float) -> float:
        return newcombe_ends(first, second, level)[end] - bound

    least, most = 1e-9, 1 - 1e-13
    if distance(least) * distance(most) >= 0:
        return math.nan
    level = float(brentq(distance, least, most, xtol=1e-15))
    return (1 - level) / 2 if (gap > bound) == above else (1 + level) / 2


def noncentral_ends(t: float, n: float, level: float) -> tuple[float, float]:
    """Return the standardised differences of n pairs at which scipy's noncentral t has t at a tail."""
    from scipy.optimize import brentq
    from scipy.stats import nct

    if t < 0:
        # scipy is more exact above 0
        low, high = noncentral_ends(-t, n, level)
        return -high, -low
    reach = 10 + 2 * abs(t)

    def end(tail: float) -> float:
        return float(brentq(lambda c: nct.cdf(t, n - 1, c) - tail, t - reach, t + reach))

    low, high = end((1 + level) / 2), end((1 - level) / 2)
    return low / math.sqrt(n), high / math.sqrt(n)


def ask_for_mid_p(signs: Mapping[RowKey, FloatArray], count: FloatArray) -> Iterator[PeerNumbers]:
    """Mid-p tests of differences of shares, whose sign each unit has, by scipy's binomial distribution."""
    for row, sign in signs.items():
        b, c = int(count[sign > 0].sum()), int(count[sign < 0].sum())
        yield PeerNumbers(package="scipy", row=row, numbers={"p_value": mid_p_value(b, c)})


def t_test_numbers(
    values: FloatArray,
    row: RowKey,
    *,
    null: float = 0.0,
    side: str = "two_sided",
    level: float = 0.95,
    cut: tuple[float, float] = (-math.inf, math.inf),
) -> PeerNumbers:
    """Return scipy's t test of a mean, and its interval, cut at the limits of the scale."""
    from scipy.stats import ttest_1samp

    theirs: Any = ttest_1samp
    test = theirs(values, null, alternative=side.replace("_", "-"))
    low, high = test.confidence_interval(level)
    numbers = {
        "estimate": values.mean(),
        "std_error": values.std(ddof=1) / math.sqrt(len(values)),
        "statistic": test.statistic,
        "df": test.df,
        "p_value": test.pvalue,
    }
    return PeerNumbers(
        package="scipy",
        row=row,
        numbers={name: float(value) for name, value in numbers.items()},
        ends=(max(float(low), cut[0]), min(float(high), cut[1])),
    )


def cluster_means(values: FloatArray, count: FloatArray, factor: Factor) -> FloatArray:
    """Return the mean of each cluster that has units."""
    n = np.bincount(factor.codes, count)
    total = np.bincount(factor.codes, count * values)
    means: FloatArray = total[n > 0] / n[n > 0]
    return means
