"""Exact sign-flip distributions: all 2^n sums, without writing them down one by one."""

from __future__ import annotations

import math

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.chance import TIE

MOST_FLIPPED = 36  # two halves of 2^18 sums
LARGEST_WORK = 40_000_000  # additions of the shift algorithm
DECIMALS = 6
NEAR = 1e-9


def flip_tail(size: FloatArray, count: FloatArray, at: float) -> tuple[float, str] | None:
    """Return P(S >= at) of S = sum of +-size over units, and how; None where it takes too long.

    Parameters
    ----------
    size : (k,) array
        Distinct absolute values, above 0.
    count : (k,) array
        Units with each.
    at : float
        Already lowered by the tolerance for ties.

    Returns
    -------
    probability, method
        ``"binomial"`` for a single size, ``"shift"`` for values on a grid (Streitberg & Roehmel 1986),
        ``"enumeration"`` for few units.
    """
    if len(size) == 1:
        return binomial_tail(int(count[0]), at / float(size[0])), "binomial"
    whole = grid(size)
    if whole is not None:
        unit, steps = whole
        if float(count.sum()) * float(steps @ count) <= LARGEST_WORK:
            return shift_tail(steps, count, at / unit), "shift"
    if count.sum() <= MOST_FLIPPED:
        return enumerated_tail(np.repeat(size, count.astype(np.int64)), at), "enumeration"
    return None


def binomial_tail(n: int, at: float) -> float:
    """Return P(S >= at) where all units have size 1: (S + n)/2 of them have a plus."""
    from scipy.special import betainc

    first = math.ceil((at + n) / 2 - NEAR)
    if first <= 0:
        return 1.0
    return float(betainc(first, n - first + 1, 0.5)) if first <= n else 0.0


def grid(size: FloatArray) -> tuple[float, IntArray] | None:
    """Return a unit and the whole multiples of it that `size` are (decimals of at most six places), or None."""
    for places in range(DECIMALS + 1):
        scaled = size * 10.0**places
        steps = np.round(scaled)
        if float(steps.max()) > LARGEST_WORK:
            return None
        if np.all(np.abs(scaled - steps) <= NEAR * np.maximum(scaled, 1)) and np.all(steps >= 1):
            whole = steps.astype(np.int64)
            common = int(np.gcd.reduce(whole))
            return common / 10.0**places, whole // common
    return None


def shift_tail(steps: IntArray, count: FloatArray, at: float) -> float:
    """Return P(S >= at) by adding one unit at a time to the distribution of the sum of the positive ones.

    S = 2 (sum of the steps with a plus) - total: the sum with a plus runs over 0, 1, ..., total.
    """
    total = int(steps @ count.astype(np.int64))
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reach = 0
    for step, times in zip(steps.tolist(), count.astype(np.int64).tolist(), strict=True):
        for _ in range(times):
            chance[: reach + 1] *= 0.5
            moved = chance[: reach + 1].copy()
            chance[step : step + reach + 1] += moved
            reach += step
    first = math.ceil((at + total) / 2 - NEAR * max(1, total) / 4)
    return float(chance[max(first, 0) :][::-1].sum()) if first <= total else 0.0


def enumerated_tail(values: FloatArray, at: float) -> float:
    """Return P(S >= at): every sum of one half of the units meets those of the other (Horowitz & Sahni 1974)."""
    half = len(values) // 2
    one, other = sums_of(values[:half]), np.sort(sums_of(values[half:]))
    fewer = np.searchsorted(other, at - one, side="left")
    return float(len(other) * len(one) - int(fewer.sum())) / 2.0 ** len(values)


def sums_of(values: FloatArray) -> FloatArray:
    """Return all 2^n sums of +-values."""
    sums = np.zeros(1)
    for x in values:
        sums = np.concatenate([sums + x, sums - x])
    return sums


def tolerance_of(size: FloatArray, count: FloatArray) -> float:
    """Return how far two equal sums may differ by rounding."""
    return TIE * float(size @ count)
