"""Entropy of each pair's win rate, on arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import UndefinedStatistic
from socialstats.models.conditions import scores

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
