"""Samples of n whole numbers with a given sum and sum of squares: all of them, some of them, and what they all share.

A sample is the tuple of its counts: how often each whole number from `low` to `high` occurs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError

if TYPE_CHECKING:
    from socialstats.arrays import FloatArray

Counts = tuple[int, ...]
Ends = tuple[int, int]


class TooMany(Exception):
    """The search for all samples was given up."""


def every_sample(
    n: int, low: int, high: int, squares: Mapping[int, Ends], *, most: int, steps: int
) -> list[Counts]:
    """Return all samples whose sum k is a key of `squares`, and whose sum of squares lies between its two ends.

    Depth first, one value after the other. A branch ends where the rest cannot have the sum. It also ends where its
    squares are too many even if all are equal, or too few even if all stand at the ends.

    Parameters
    ----------
    n, low, high : int
    squares : mapping of int to (int, int)
    most, steps : int
        Samples found and branches tried after which the search is given up.

    Raises
    ------
    TooMany
        When it is given up.

    Examples
    --------
    >>> every_sample(4, 1, 5, {12: (40, 46)}, most=10, steps=1000)
    [(0, 2, 0, 2, 0), (1, 0, 1, 2, 0), (0, 2, 1, 0, 1), (1, 0, 2, 0, 1), (1, 1, 0, 1, 1)]
    """
    found: list[Counts] = []
    left = steps

    def grow(value: int, people: int, total: int, least: int, more: int) -> Iterator[Counts]:
        nonlocal left
        if value == high:
            q = people * value * value
            if total == people * value and least <= q <= more:
                yield (people,)
            return
        fewest = max(0, people * (value + 1) - total)  # so that the rest may have their sum
        for taken in range(fewest, min(people, (people * high - total) // (high - value)) + 1):
            left -= 1
            if left < 0:
                raise TooMany
            rest, of = people - taken, total - taken * value
            q = taken * value * value
            if fits(rest, of, value + 1, high, least - q, more - q):
                for tail in grow(value + 1, rest, of, least - q, more - q):
                    yield (taken, *tail)

    for total, (least, more) in squares.items():
        for counts in grow(low, n, total, least, more):
            found.append(counts)
            if len(found) > most:
                raise TooMany
    return sorted(found, key=lambda counts: counts[::-1])


def fits(n: int, total: int, low: int, high: int, least: int, most: int) -> bool:
    """Return whether n whole numbers with this sum may have squares between two ends, by their extreme splits alone."""
    if not n:
        return total == 0 and least <= 0 <= most
    part, rest = divmod(total, n)
    equal = n * part * part + rest * (2 * part + 1)
    full, left = divmod(total - n * low, high - low) if high > low else (0, 0)
    ends = (
        full * high * high
        + (n - full - (left > 0)) * low * low
        + ((low + left) ** 2 if left else 0)
    )
    return equal <= most and ends >= least


def some_samples(
    n: int, low: int, high: int, squares: Mapping[int, Ends], *, wanted: int, seed: int, tries: int
) -> list[Counts]:
    """Return different samples found by random walks from random starts (Heathers and others 2018: SPRITE).

    A start is drawn uniformly and brought to its sum one step at a time. Then two numbers move by one, in opposite
    directions, so that the sum stays. They move until the sum of squares lies between its ends: apart where it is too
    small, together where it is too large. The samples are not drawn from any distribution, and need not show all there
    are.

    Parameters
    ----------
    n, low, high : int
    squares : mapping of int to (int, int)
    wanted, tries : int
        Different samples, and walks that may end without a new one in a row.
    seed : int
    """
    generator, found, failed = np.random.default_rng(seed), dict[Counts, None](), 0
    totals = list(squares)
    while len(found) < wanted and failed < tries:
        total = totals[int(generator.integers(len(totals)))]
        counts = _walk(n, low, high, total, squares[total], generator)
        failed = failed + 1 if counts is None or counts in found else 0
        if counts is not None:
            found[counts] = None
    return list(found)


def _walk(
    n: int, low: int, high: int, total: int, ends: Ends, generator: np.random.Generator
) -> Counts | None:
    def some(places: Any) -> int:
        return int(places[int(generator.integers(len(places)))])

    values = np.arange(low, high + 1)
    counts, top = (
        np.bincount(generator.integers(0, len(values), n), minlength=len(values)),
        high - low,
    )
    while gap := total - int(
        counts @ values
    ):  # some people of one value, as far as the scale and the gap allow
        at = some(np.flatnonzero(counts[:-1]) if gap > 0 else np.flatnonzero(counts[1:]) + 1)
        hop = int(generator.integers(1, min(abs(gap), top - at if gap > 0 else at) + 1))
        people = int(generator.integers(1, min(int(counts[at]), abs(gap) // hop) + 1))
        counts[at] -= people
        counts[at + (hop if gap > 0 else -hop)] += people
    q = int(counts @ values**2)
    for _ in range(20 * n + 2000):
        if ends[0] <= q <= ends[1]:
            return tuple(int(count) for count in counts)
        up, down = some(np.flatnonzero(counts[:-1])), some(np.flatnonzero(counts[1:]) + 1)
        change, wanted = 2 * (up - down) + 2, (ends[0] - q if q < ends[0] else ends[1] - q)
        if change * wanted <= 0 or (up == down and counts[up] < 2):
            continue  # it would not change the squares, or not towards their ends
        pairs = int(counts[up]) // 2 if up == down else int(min(counts[up], counts[down]))
        pairs = int(generator.integers(1, max(1, min(pairs, wanted // change)) + 1))
        counts[up] -= pairs
        counts[down] -= pairs
        counts[up + 1] += pairs
        counts[down - 1] += pairs
        q += pairs * change
    return None


def range_of(
    n: int, low: int, high: int, squares: Mapping[int, Ends], weights: FloatArray
) -> tuple[float, float]:
    """Return the least and the largest weighted sum of the counts, over all samples: two integer programs a sum k.

    Raises
    ------
    InputError
        Where there is no sample at all.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    values = np.arange(low, high + 1, dtype=np.float64)
    ends, whole = [math.inf, -math.inf], np.ones(len(values), dtype=np.int64)
    for total, (least, most) in squares.items():
        shifted = values - round(total / n)  # smaller squares, for the solver's tolerances
        move = round(total / n)
        rows = np.vstack([np.ones_like(values), shifted, shifted**2])
        fixed = (n, total - n * move)
        change = n * move * move - 2 * move * total
        limits = LinearConstraint(rows, [*fixed, least + change], [*fixed, most + change])
        for which, sign in enumerate((1.0, -1.0)):
            solved: Any = milp(
                sign * weights, constraints=limits, integrality=whole, bounds=Bounds(0, n)
            )
            if solved.success:
                ends[which] = (min, max)[which](ends[which], float(weights @ np.round(solved.x)))
            elif solved.status != 2:  # 2: infeasible
                raise InputError(f"the integer program was not solved: {solved.message}")
    if ends[0] > ends[1]:
        raise InputError("no whole numbers have this sum and these squares")
    return ends[0], ends[1]


def moments(counts: Sequence[int], low: int) -> tuple[float, float]:
    """Return the mean and the skew of a sample; the skew of equal numbers is NaN, for it does not exist."""
    values, weights = np.arange(low, low + len(counts)), np.asarray(counts)
    mean = weights @ values / weights.sum()
    second, third = ((weights @ (values - mean) ** power) / weights.sum() for power in (2, 3))
    return float(mean), float(third / second**1.5) if second > 0 else math.nan
