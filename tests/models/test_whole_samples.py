"""Samples of whole numbers against all there are."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations_with_replacement

import numpy as np
import pytest

from socialstats.audit.checks.whole_samples import all_samples, can_have_squares, some_samples


@pytest.mark.parametrize(("n", "low", "high"), [(1, 1, 4), (3, 1, 4), (4, 0, 3), (4, -2, 1)])
def test_sums_of_squares_fit_between_those_of_the_most_even_and_most_uneven_sample(
    n: int, low: int, high: int
) -> None:
    squares = defaultdict(list)
    for sample in combinations_with_replacement(range(low, high + 1), n):
        squares[sum(sample)].append(sum(x * x for x in sample))
    for total, known in squares.items():
        least, most = min(known), max(known)
        for q in range(least - 2, most + 3):
            assert can_have_squares(n, total, low, high, q, q) == (least <= q <= most)
        assert can_have_squares(n, total, low, high, most, most + 9)
        assert can_have_squares(n, total, low, high, least - 9, least)


def test_no_numbers_have_a_sum_of_zero() -> None:
    assert can_have_squares(0, 0, 1, 5, 0, 0)
    assert can_have_squares(0, 0, 1, 5, -1, 1)
    assert not can_have_squares(0, 1, 1, 5, 0, 1)
    assert not can_have_squares(0, 0, 1, 5, 1, 2)
    assert not can_have_squares(0, 0, 1, 5, -2, -1)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("n", "low", "high"), [(3, 1, 5), (6, 1, 4), (5, -1, 3)])
def test_walks_end_at_samples_that_there_are(n: int, low: int, high: int, seed: int) -> None:
    samples = list(combinations_with_replacement(range(low, high + 1), n))
    mean, spread = samples[len(samples) // 2], 3
    total, q = sum(mean), sum(x * x for x in mean)
    squares = {total: (q - spread, q + spread), total + 1: (q - spread, q + spread)}
    wanted = {
        tuple(np.bincount(np.array(sample) - low, minlength=high - low + 1).tolist())
        for sample in samples
        if sum(sample) in squares and abs(sum(x * x for x in sample) - q) <= spread
    }
    every = all_samples(n, low, high, squares, most=10**4, steps=10**5)
    assert {*every} == wanted
    assert len(every) == len(wanted)
    found = some_samples(n, low, high, squares, wanted=len(wanted) + 1, seed=seed, tries=400)
    assert {*found} == wanted
    assert len(found) == len(wanted)


@pytest.mark.parametrize("values", [[1, 5], [3, 3], [2, 4], [1, 3, 5]])
def test_a_walk_moves_numbers_apart_or_together_as_far_as_it_must(values: list[int]) -> None:
    """Random starts of 60 numbers are far from the most uneven and from the most even sample."""
    sample = np.resize(values, 60)
    total, q = int(sample.sum()), int((sample**2).sum())
    for seed in range(5):
        (found,) = some_samples(60, 1, 5, {total: (q - 4, q + 4)}, wanted=1, seed=seed, tries=1)
        numbers = np.repeat(np.arange(1, 6), found)
        assert (len(numbers), numbers.sum()) == (60, total)
        assert abs((numbers**2).sum() - q) <= 4
