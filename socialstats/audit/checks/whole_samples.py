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


class SearchLimit(Exception):
    """The search for all samples was given up."""


def all_samples(
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
    >>> all_samples(4, 1, 5, {12: (40, 46)}, most=10, steps=1000)
    [(0, 2, 0, 2, 0), (1, 0, 1, 2, 0), (0, 2, 1, 0, 1), (1, 0, 2, 0, 1), (1, 1, 0, 1, 1)]
    """
    samples: list[Counts] = []
    steps_left = steps

    def grow(value: int, people: int, total: int, low_q: int, high_q: int) -> Iterator[Counts]:
        """Yield the counts of the numbers from `value` on, for people with this sum and squares in these limits."""
        nonlocal steps_left
        if value == high:
            q = people * value * value
            if total == people * value and low_q <= q <= high_q:
                yield (people,)
            return
        # people of this value: so many that those of higher values may have their sum
        fewest = max(0, people * (value + 1) - total)
        most_people = min(people, (people * high - total) // (high - value))
        for n_value in range(fewest, most_people + 1):
            steps_left -= 1
            if steps_left < 0:
                raise SearchLimit
            n_higher, higher_sum = people - n_value, total - n_value * value
            q = n_value * value * value
            limits = low_q - q, high_q - q
            if can_have_squares(n_higher, higher_sum, value + 1, high, *limits):
                for tail in grow(value + 1, n_higher, higher_sum, *limits):
                    yield (n_value, *tail)

    for total, (low_q, high_q) in squares.items():
        for counts in grow(low, n, total, low_q, high_q):
            samples.append(counts)
            if len(samples) > most:
                raise SearchLimit
    return sorted(samples, key=lambda counts: counts[::-1])


def can_have_squares(n: int, total: int, low: int, high: int, least: int, most: int) -> bool:
    """Return whether n whole numbers with this sum may have squares between two ends, by their extreme splits alone."""
    if not n:
        return total == 0 and least <= 0 <= most
    # least squares: all numbers as equal as they can be
    part, remainder = divmod(total, n)
    equal = n * part * part + remainder * (2 * part + 1)
    # most squares: all numbers but one at an end of the scale
    n_high, between = divmod(total - n * low, high - low) if high > low else (0, 0)
    extreme = n_high * high * high + (n - n_high - (between > 0)) * low * low
    if between:
        extreme += (low + between) ** 2
    return equal <= most and extreme >= least


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
    generator, samples, failed = np.random.default_rng(seed), dict[Counts, None](), 0
    totals = list(squares)
    while len(samples) < wanted and failed < tries:
        total = totals[int(generator.integers(len(totals)))]
        counts = _walk(n, low, high, total, squares[total], generator)
        failed = failed + 1 if counts is None or counts in samples else 0
        if counts is not None:
            samples[counts] = None
    return list(samples)


def _walk(
    n: int, low: int, high: int, total: int, ends: Ends, generator: np.random.Generator
) -> Counts | None:
    """Walk from a random sample to one with the sum and squares; None where the walk does not arrive."""

    def random_place(places: Any) -> int:
        return int(places[int(generator.integers(len(places)))])

    values, top = np.arange(low, high + 1), high - low
    counts = np.bincount(generator.integers(0, len(values), n), minlength=len(values))
    # move some people of one value, as far as the scale and the gap allow
    while gap := total - int(counts @ values):
        movable = np.flatnonzero(counts[:-1]) if gap > 0 else np.flatnonzero(counts[1:]) + 1
        place = random_place(movable)
        distance = int(generator.integers(1, min(abs(gap), top - place if gap > 0 else place) + 1))
        people = int(generator.integers(1, min(int(counts[place]), abs(gap) // distance) + 1))
        counts[place] -= people
        counts[place + (distance if gap > 0 else -distance)] += people
    q = int(counts @ values**2)
    for _ in range(20 * n + 2000):
        if ends[0] <= q <= ends[1]:
            return tuple(int(count) for count in counts)
        up = random_place(np.flatnonzero(counts[:-1]))
        down = random_place(np.flatnonzero(counts[1:]) + 1)
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
    ends, integers = [math.inf, -math.inf], np.ones(len(values), dtype=np.int64)
    for total, (least, most) in squares.items():
        shifted = values - round(total / n)  # smaller squares, for the solver's tolerances
        move = round(total / n)
        rows = np.vstack([np.ones_like(values), shifted, shifted**2])
        fixed = (n, total - n * move)
        # sum (x - move)^2 less sum x^2
        change = n * move * move - 2 * move * total
        limits = LinearConstraint(rows, [*fixed, least + change], [*fixed, most + change])
        for end, sign in enumerate((1.0, -1.0)):
            solved: Any = milp(
                sign * weights, constraints=limits, integrality=integers, bounds=Bounds(0, n)
            )
            if solved.success:
                ends[end] = (min, max)[end](ends[end], float(weights @ np.round(solved.x)))
            elif solved.status != 2:  # 2: infeasible
                raise InputError(f"the integer program was not solved: {solved.message}")
    if ends[0] > ends[1]:
        raise InputError("no whole numbers have this sum and these squares")
    return ends[0], ends[1]


def mean_and_skew(counts: Sequence[int], low: int) -> tuple[float, float]:
    """Return the mean and the skew of a sample; the skew of equal numbers is NaN, for it does not exist."""
    values, weights = np.arange(low, low + len(counts)), np.asarray(counts)
    mean = weights @ values / weights.sum()
    second, third = ((weights @ (values - mean) ** power) / weights.sum() for power in (2, 3))
    return float(mean), float(third / second**1.5) if second > 0 else math.nan
