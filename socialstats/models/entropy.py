"""Entropy of each pair's win rate, on arrays, and tests of its mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit, xlogy

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import two_sided_p
from socialstats.models.conditions import scores
from socialstats.resampling.units import FloatArray, IntArray

ALIKE = 1e-12
ONCE = 1 + 1e-9  # an effective n up to here is a single comparison


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable:
    """Each pair's win rate and its entropy.

    Attributes
    ----------
    rate : (pairs,) float64 array
        How often the item with the smaller label won.
    n : (pairs,) float64 array
        Comparisons ((sum of weights)^2 / sum of squared weights).
    entropy, corrected : (pairs,) float64 arrays
        Plug-in and Miller-Madow.
    """

    rate: FloatArray
    n: FloatArray
    entropy: FloatArray
    corrected: FloatArray


def entropy(rate: FloatArray, base: float = 2.0) -> FloatArray:
    """Entropy of a two-way choice, -p log p - (1-p) log(1-p) (Shannon 1948).

    Parameters
    ----------
    rate : float64 array
        In [0, 1].
    base : float
        2 for bits (range [0, 1]), e for nats (range [0, log 2]).

    Examples
    --------
    >>> entropy(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    found = np.asarray(xlogy(rate, rate) + xlogy(1 - rate, 1 - rate), dtype=np.float64) / -math.log(base)
    return np.maximum(found, 0.0)


def miller_madow(rate: FloatArray, n: FloatArray, base: float = 2.0) -> FloatArray:
    """Entropy plus (K-1)/(2n), K the outcomes that occurred: first-order bias correction (Miller 1955).

    Not cut at its maximum: the correction makes the mean over pairs less biased, not each pair's value.
    """
    both = (rate > 0) & (rate < 1)
    return entropy(rate, base) + np.where(both, 1 / (2 * n), 0.0) / math.log(base)


def pair_entropies(design: Comparisons, base: float) -> PairTable:
    """Win rate and entropy of every pair of items.

    Raises
    ------
    UndefinedStatistic
        If no pair was compared twice: the plug-in entropy of one choice is 0 by construction.
    """
    codes, size = design.pair.codes, len(design.pair.levels)
    score = scores(design)
    ahead = np.where(design.item_a < design.item_b, score, 1 - score)
    weight = np.bincount(codes, design.weight, size)
    rate = np.clip(np.bincount(codes, design.weight * ahead, size) / weight, 0.0, 1.0)
    n = weight**2 / np.bincount(codes, design.weight_sq, size)
    if n.max() < ONCE:
        raise UndefinedStatistic("every pair was compared once: one choice says nothing of a pair's entropy")
    return PairTable(rate=rate, n=n, entropy=entropy(rate, base), corrected=miller_madow(rate, n, base))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanTest:
    """A mean with its t interval.

    Attributes
    ----------
    mean, sd : float
        `sd` with n - 1.
    std_error, low, high, t, df, p : float
        NaN where they do not exist; `undefined` says why. t and p test a mean of 0.
    """

    mean: float
    sd: float
    std_error: float
    low: float
    high: float
    t: float
    df: float
    p: float
    undefined: str


def mean_test(values: FloatArray, *, level: float = 0.95, clusters: IntArray | None = None) -> MeanTest:
    """Mean of independent values (or of values in independent clusters) with its t interval.

    s.e. = sd/sqrt(n) and n - 1 df; with clusters sqrt(G/(G-1) sum_g (sum of deviations in g)^2)/n and G - 1.

    Parameters
    ----------
    values : (n,) float64 array
    level : float
    clusters : (n,) int64 array, optional

    Examples
    --------
    >>> test = mean_test(np.array([1.0, 2.0, 3.0]))
    >>> round(test.t, 4), round(test.p, 4)
    (3.4641, 0.0742)
    """
    n, mean = len(values), float(values.mean())
    off = values - mean
    sums = off if clusters is None else np.bincount(clusters, off)
    groups = n if clusters is None else len(np.unique(clusters))
    sd = float(values.std(ddof=1)) if n > 1 else math.nan
    why = ""
    if groups < 2:
        why = "one unit only: no standard error"
    elif np.ptp(values) <= ALIKE:
        why = f"all {n} values are equal: no standard error, no test"
    if why:
        nan = math.nan
        return MeanTest(mean=mean, sd=sd, std_error=nan, low=nan, high=nan, t=nan, df=nan, p=nan, undefined=why)
    se = math.sqrt(groups / (groups - 1) * float(sums @ sums)) / n
    df = groups - 1
    half = float(stdtrit(df, (1 + level) / 2)) * se
    t = mean / se
    p = float(two_sided_p(np.array(t), df))
    return MeanTest(mean=mean, sd=sd, std_error=se, low=mean - half, high=mean + half, t=t, df=df, p=p, undefined="")
