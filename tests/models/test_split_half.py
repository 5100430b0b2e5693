"""Random halves of ratings against all halves there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from socialstats.shares.counts import StratumCells
from socialstats.shares.divergence import jensen_shannon, unit_corrected
from socialstats.shares.split_half import draw_halves, split_half

COUNTS = np.array([[4.0, 0.0, 0.0], [2.0, 2.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [3, 1, 1]])
COPIES = np.array([1.0, 3.0, 2.0, 5.0, 1.0])
SPLITS = 4000


def all_halves(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each way to take the smaller half of the ratings, and what is left."""
    ratings = np.repeat(np.arange(len(counts)), counts.astype(int))
    taken = combinations(range(len(ratings)), len(ratings) // 2)
    half = np.array([np.bincount(ratings[list(at)], minlength=len(counts)) for at in taken], float)
    return half, counts - half


def cells(codes: list[int]) -> StratumCells:
    return StratumCells(names=("g",), labels=("a", "b"), codes=np.array(codes))


def exact(counts: np.ndarray) -> float:
    return float(jensen_shannon(*all_halves(counts)).mean()) if counts.sum() > 1 else np.nan


@pytest.mark.parametrize("counts", [[5, 2, 1], [3, 0, 4], [1, 1, 0], [0, 1, 1]])
def test_halves_hold_all_ratings_and_either_is_the_larger_one(counts: list[int]) -> None:
    whole = np.array(counts)
    half, other = draw_halves(whole, 2, SPLITS, np.random.default_rng(1))
    assert half.shape == other.shape == (SPLITS, 2, 3)
    assert np.all(half + other == whole)
    gap = (half - other).sum(axis=2)
    odd = whole.sum() % 2
    assert {*np.unique(gap)} == ({-1, 1} if odd else {0})
    assert abs(gap.mean()) < 5 / np.sqrt(2 * SPLITS)
    np.testing.assert_allclose(half.mean(axis=(0, 1)), whole / 2, atol=0.06)


def test_divergences_of_units_are_those_of_all_halves() -> None:
    values, units, _ = split_half(COUNTS, COPIES, cells([0] * 5), splits=SPLITS, pooled=False)
    wanted = [exact(counts) for counts in COUNTS]
    np.testing.assert_allclose(units, wanted, atol=0.02)
    assert np.isnan(units[3])
    known = ~np.isnan(wanted)
    mean = np.average(np.array(wanted)[known], weights=COPIES[known])
    assert values.shape == (SPLITS, 4)  # all units, both cells, their mean
    assert values[:, 0].mean() == pytest.approx(mean, abs=5 * values[:, 0].std() / np.sqrt(SPLITS))
    np.testing.assert_array_equal(values[:, 1], values[:, 0])
    assert np.isnan(values[:, 2:]).all()


def test_units_of_four_ratings_or_more_have_a_divergence_less_its_bias() -> None:
    _, _, less = split_half(COUNTS, COPIES, cells([0, 0, 1, 1, 1]), splits=SPLITS, pooled=False)
    corrected = [float(unit_corrected(*all_halves(counts)).mean()) for counts in COUNTS[[0, 1, 4]]]
    one, two = (corrected[0] + 3 * corrected[1]) / 4, corrected[2]
    wanted = [(4 * one + two) / 5, one, two, (one + two) / 2]
    np.testing.assert_allclose(less, wanted, atol=0.04)
    _, _, none = split_half(COUNTS[[2]], np.ones(1), cells([0]), splits=9, pooled=False)
    assert np.isnan(none).all()


def test_pooled_halves_are_sums_of_halves() -> None:
    """Of two units with halves of their own: all pairs of halves are as likely."""
    counts = np.array([[2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    values, units, less = split_half(counts, np.ones(2), cells([1, 1]), splits=SPLITS, pooled=True)
    (one, left), (two, right) = map(all_halves, counts)
    sums, others = ((a[:, None] + b).reshape(-1, 3) for a, b in ((one, two), (left, right)))
    wanted = jensen_shannon(sums, others)
    found = values[:, 2]
    assert found.mean() == pytest.approx(wanted.mean(), abs=5 * wanted.std() / np.sqrt(SPLITS))
    assert {*found.round(9)} == {*wanted.round(9)}
    np.testing.assert_array_equal(values[:, 0], found)
    assert np.isnan(values[:, 1]).all()
    assert np.isnan(units).all()
    assert np.isnan(less).all()


def test_alike_units_count_as_often_as_they_are_there() -> None:
    once = split_half(
        np.repeat(COUNTS[:2], 3, axis=0), np.ones(6), cells([0] * 6), splits=9, pooled=True
    )
    copies = split_half(COUNTS[:2], 3 * np.ones(2), cells([0] * 2), splits=9, pooled=True)
    np.testing.assert_allclose(once[0], copies[0])
