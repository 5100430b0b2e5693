"""The power of plans by other packages: t tests by statsmodels, McNemar's test table by table."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.definition import Definition
from socialstats.results import Result
from socialstats.results.definitions import PeerNumbers
from socialstats.results.peers import load_peer

SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "smaller"}
MOST_PAIRS = 1500  # the time the time of a sum over all tables grows with their square
ROUNDING = 1e-9  # share of alpha by which a p that equals it may lie above


def ask_for_paired_t(result: Result) -> Iterator[PeerNumbers]:
    """Return statsmodels' power of a paired t test, and the pairs it needs."""
    return ask_for_t_power(result, "n", 1.0)


def ask_for_clustered_mean(result: Result) -> Iterator[PeerNumbers]:
    """Return statsmodels' power of a t test of cluster means, which are a sample of their own."""
    settings = result.settings
    sd = math.hypot(settings["sd_between"], settings["sd_within"] / math.sqrt(settings["size"]))
    return ask_for_t_power(result, "clusters", sd)


def ask_for_t_power(result: Result, term: str, sd: float) -> Iterator[PeerNumbers]:
    """Yield statsmodels' power of a t test of values with this standard deviation, and the values it needs.

    Parameters
    ----------
    result : Result
    term : str
        Of the row with the number of values.
    sd : float
    """
    settings = result.settings
    solver = load_peer("statsmodels.stats.power", "TTestPower")()
    effect = (result.row("effect").estimate or 0.0) / sd
    alternative = SIDES[settings["alternative"]]

    def power_of(n: float) -> float:
        return float(solver.power(effect, n, alpha=settings["alpha"], alternative=alternative))

    power = power_of(result.row(term).estimate or 0.0)
    yield PeerNumbers(package="statsmodels", row=(None, "power"), numbers={"estimate": power})
    if settings["solved"] == term:
        # scipy's noncentral t, which statsmodels takes, is NaN far from its centre
        needed = power if math.isnan(power) else smallest_size(power_of, settings["power"])
        yield PeerNumbers(package="statsmodels", row=(None, term), numbers={"estimate": needed})


def smallest_size(power_of: Callable[[float], float], target: float) -> float:
    """Return the smallest size of a study, from 2, that has a power.

    Examples
    --------
    >>> smallest_size(lambda n: n / 10, 0.55)
    6.0
    """
    largest = 2
    while power_of(largest) < target:
        largest *= 2
    sizes = range(2, largest + 1)
    return float(sizes[bisect_left(sizes, target, key=power_of)])


def ask_for_mcnemar(result: Result) -> Iterator[PeerNumbers]:
    """Yield the power of McNemar's test by scipy's binomials, and its normal approximation."""
    from scipy.stats import norm

    settings = result.settings
    alpha, discordant = settings["alpha"], settings["discordant"]
    n, effect = (result.row(term).estimate or 0.0 for term in ("n", "effect"))
    # Connor (1987): the variance of a pair's difference is smaller than under no effect
    shift = abs(effect) * math.sqrt(n) - norm.isf(alpha / 2) * math.sqrt(discordant)
    normal = float(norm.cdf(shift, scale=math.sqrt(discordant - effect**2)))
    yield PeerNumbers(package="scipy", row=(None, "power_normal"), numbers={"estimate": normal})
    if n <= MOST_PAIRS:
        power = power_by_tables(int(n), discordant, effect, alpha, settings["test"])
        numbers = {"estimate": power}
        yield PeerNumbers(package="scipy", row=(None, "power"), numbers=numbers, close=1e-9)


def power_by_tables(n: int, discordant: float, effect: float, alpha: float, test: str) -> float:
    """Return the sum over m and b of the binomial probabilities of the tables that the test rejects."""
    from scipy.stats import binom

    power = 0.0
    of_first_kind = (1 + effect / discordant) / 2
    for m in range(1, n + 1):
        b = np.arange(m + 1.0)
        rejects = p_of_tables(np.minimum(b, m - b), m, test) <= alpha * (1 + ROUNDING)
        tables = binom.pmf(b, m, of_first_kind)
        power += float(binom.pmf(m, n, discordant) * tables[rejects].sum())
    return power


def p_of_tables(rarer: FloatArray, m: int, test: str) -> FloatArray:
    """Return p of McNemar's test of each table with `rarer` of m discordant pairs on the rarer side."""
    from scipy.stats import binom, chi2

    if test in ("exact", "mid_p"):
        p = 2 * binom.cdf(rarer, m, 0.5)
        if test == "mid_p":
            p = p - binom.pmf(rarer, m, 0.5)
        return np.asarray(np.minimum(p, 1))
    correction = 1 if test == "corrected" else 0
    distance = np.maximum(m - 2 * rarer - correction, 0)
    return np.asarray(chi2.sf(distance**2 / m, 1))


PAIRED_T = Definition(peers=ask_for_paired_t)
CLUSTERED_MEAN = Definition(peers=ask_for_clustered_mean)
MCNEMAR = Definition(peers=ask_for_mcnemar)
