"""Modes of counted answers, and distances from them, by hand and by loops."""

from __future__ import annotations

from statistics import multimode

import numpy as np
import pytest

from socialstats.scales.modes import mode_distances

FIVE = np.arange(5.0)
BC, ACE, D = [0.0, 3, 3, 0, 0], [2.0, 0, 2, 0, 2], [0.0, 1, 0, 4, 1]


def distances(counts, ties="mean", refusal="max", scores=FIVE):
    found, known = mode_distances(np.array([counts]), scores, ties, refusal)
    return found[0].tolist(), bool(known[0])


@pytest.mark.parametrize(
    ("counts", "ties", "expected"),
    [
        (D, "mean", [3, 2, 1, 0, 1]),
        (D, "drop", [3, 2, 1, 0, 1]),
        (BC, "mean", [1.5, 0.5, 0.5, 1.5, 2.5]),
        (BC, "low", [1, 0, 1, 2, 3]),
        (BC, "high", [2, 1, 0, 1, 2]),
        (BC, "nearest", [1, 0, 0, 1, 2]),
        (ACE, "mean", [2, 1, 0, 1, 2]),
        (ACE, "low", [0, 1, 2, 3, 4]),
        (ACE, "high", [4, 3, 2, 1, 0]),
        (ACE, "nearest", [0, 1, 0, 1, 0]),
        ([1.0, 1, 1, 1, 1], "mean", [2, 1, 0, 1, 2]),
        (
            [2.0, 2, 0, 2, 0],
            "mean",
            [4 / 3, 1 / 3, 2 / 3, 5 / 3, 8 / 3],
        ),  # all tied levels count, not first and last
    ],
)
def test_each_rule_for_tied_modes_by_hand(counts, ties, expected):
    found, known = distances(counts, ties)
    assert known
    assert found[:5] == pytest.approx(expected, abs=1e-15)


def test_dropped_ties_and_empty_rows_have_no_mode():
    assert distances(BC, "drop") == ([0.0] * 6, False)
    for ties in ("mean", "low", "high", "nearest", "drop"):
        assert distances([0.0] * 5, ties) == ([0.0] * 6, False)


@pytest.mark.parametrize(
    ("counts", "ties", "refusal", "expected"),
    [
        (
            [0.0, 0, 2, 0, 0],
            "mean",
            "max",
            4,
        ),  # farther than any answer can be: the mode is in the middle
        ([0.0, 0, 2, 0, 0], "mean", "item_max", 2),
        (D, "mean", "item_max", 3),
        (BC, "mean", "item_max", 2.5),
        (BC, "nearest", "item_max", 2),
        (BC, "mean", 1.25, 1.25),
        (BC, "mean", "exclude", 0),
    ],
)
def test_each_rule_for_refusals_by_hand(counts, ties, refusal, expected):
    assert distances(counts, ties, refusal)[0][5] == pytest.approx(expected, abs=1e-15)


def test_numeric_scores_are_used_as_they_are():
    assert distances([0.0, 2, 2], "mean", "max", np.array([1.0, 2, 10]))[0] == [5, 4, 4, 9]


# distances of many counts are looked up by the set of levels that have the most answers
@pytest.mark.parametrize("shape", [(3, 40), (2, 15)])
@pytest.mark.parametrize("ties", ["mean", "low", "high", "nearest", "drop"])
def test_loops_over_single_answers_agree(ties, shape):
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 4, size=(*shape, 5)).astype(float)
    found, known = mode_distances(counts, FIVE, ties, "item_max")
    for index in np.ndindex(shape):
        answers = [level for level in range(5) for _ in range(int(counts[index][level]))]
        modes = multimode(answers)
        assert known[index] == bool(modes and (ties != "drop" or len(modes) == 1))
        if not known[index]:
            continue
        chosen = {"low": [min(modes)], "high": [max(modes)], "nearest": modes}.get(
            ties, [sum(modes) / len(modes)]
        )
        expected = [min(abs(mode - level) for mode in chosen) for level in range(5)]
        assert found[index].tolist() == pytest.approx([*expected, max(expected)], abs=1e-12)


@pytest.mark.parametrize("ties", ["mean", "low", "high", "nearest", "drop"])
@pytest.mark.parametrize("refusal", ["max", "item_max", "exclude", 7.0])
def test_many_rows_are_looked_up_as_few_are_computed(ties, refusal):
    """Rows without an answer are among them: they have no mode, whatever is looked up."""
    counts = np.random.default_rng(5).integers(0, 3, size=(400, 4)).astype(float)
    counts[::50] = 0.0
    scores = np.array([0.0, 1.0, 2.5, 7.0])
    many, has_mode = mode_distances(counts, scores, ties, refusal)
    for row, distances_of_row, known in zip(counts, many, has_mode, strict=True):
        alone, has_one = mode_distances(row[None], scores, ties, refusal)
        assert known == has_one[0]
        assert distances_of_row.tolist() == alone[0].tolist()
