"""Arrangements of labels: each once, the data among them, in groups and blocks; tails of what they give."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from socialstats.resampling.shuffles import Shuffle, distinct_orders, p_of_draws

BLOCK = np.array([0, 0, 1, 2, 2, 3, 4])
LABEL = np.array([0, 0, 1, 1, 1, 0, 2])


def arranged(shuffle: Shuffle) -> list[tuple[int, ...]]:
    return [tuple(codes.tolist()) for codes in shuffle.all_arrangements()]


def test_orders_are_all_different_ones() -> None:
    labels = [0, 0, 1, 2, 2]
    assert sorted(distinct_orders(labels)) == sorted({*permutations(labels)})


def test_whole_blocks_exchange_their_labels() -> None:
    shuffle = Shuffle.between(LABEL, BLOCK)
    wanted = {tuple(np.array(order)[BLOCK].tolist()) for order in permutations([0, 1, 1, 0, 2])}
    found = arranged(shuffle)
    assert {*found} == wanted
    assert len(found) == shuffle.arrangements == 30
    assert tuple(LABEL.tolist()) in wanted


def test_strata_keep_their_labels() -> None:
    stratum = np.array([1, 1, 0, 1, 1, 0, 0])
    shuffle = Shuffle.between(LABEL, BLOCK, stratum)
    found = arranged(shuffle)
    assert len({*found}) == len(found) == shuffle.arrangements == 2 * 6
    for codes in found:
        for level in (0, 1):
            own = stratum == level
            assert Counter(np.array(codes)[own]) == Counter(LABEL[own])
    assert tuple(LABEL.tolist()) in found


def test_labels_are_exchanged_within_blocks() -> None:
    label, block = np.array([0, 1, 0, 2, 1, 0]), np.array([5, 5, 5, 2, 2, 2])
    shuffle = Shuffle.within(label, block)
    maps = product(permutations([0, 1]), permutations([0, 1, 2]))
    wanted = {
        tuple((five if b == 5 else two)[k] for k, b in zip(label, block, strict=True))
        for five, two in maps
    }
    found = arranged(shuffle)
    assert {*found} == wanted
    assert len(found) == shuffle.arrangements == 12


def test_blocks_are_turned_as_wholes() -> None:
    shuffle = Shuffle.flips(BLOCK)
    wanted = {tuple(np.array(sides)[BLOCK].tolist()) for sides in product([0, 1], repeat=5)}
    assert {*arranged(shuffle)} == wanted
    assert shuffle.arrangements == 32


@pytest.mark.parametrize(
    "shuffle",
    [
        Shuffle.between(LABEL, BLOCK),
        Shuffle.between(LABEL, BLOCK, np.array([1, 1, 0, 1, 1, 0, 0])),
        Shuffle.flips(BLOCK),
        Shuffle.within(np.array([0, 1, 0, 2, 1, 0]), np.array([5, 5, 5, 2, 2, 2])),
    ],
)
def test_random_arrangements_are_each_as_frequent(shuffle: Shuffle) -> None:
    draws = 300 * shuffle.arrangements
    seen = Counter(tuple(codes.tolist()) for codes in shuffle.random_arrangements(draws, 1))
    assert {*seen} == {*arranged(shuffle)}
    chi_square = sum((n - 300) ** 2 / 300 for n in seen.values())
    df = shuffle.arrangements - 1
    assert chi_square < df + 4 * np.sqrt(2 * df)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("observed", [-3.0, 1.0, 4.0])
def test_tails_count_what_is_as_extreme(observed: float, exact: bool) -> None:
    null = np.array([-3.0, -1.0, 0.1 + 0.2, 1.0, 1.0 + 1e-15, 3.0, 3.5, 4.0])
    above, below = (null >= observed - 1e-9).sum(), (null <= observed + 1e-9).sum()
    n, more = len(null), 0 if exact else 1
    counts = {"greater": above, "less": below, "two_sided": min(above, below)}
    for side, count in counts.items():
        p, error = p_of_draws(null, observed, side, exact=exact)
        share = (count + more) / (n + more)
        times = 2 if side == "two_sided" else 1
        assert p == pytest.approx(min(1.0, times * share))
        of_draws = 0 if exact else times * np.sqrt(share * (1 - share) / n)
        assert error == pytest.approx(of_draws)
