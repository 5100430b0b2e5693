"""Parts of a design at some of its places: factors, names of units, answers behind means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from socialstats.designs.frequencies import looks_counted
from socialstats.designs.parts import (
    Factor,
    Repeats,
    Replies,
    UnitNames,
    places_among,
    stack_factors,
)
from socialstats.tables import as_table

LEVELS = ("a", "b", "c", "d")


def labels(factor: Factor) -> list[str | None]:
    return [None if code < 0 else factor.levels[code] for code in factor.codes.tolist()]


@pytest.mark.parametrize("codes", [[3, 0, 0, 2, 3], [3, -1, 0, -1, 2], [-1, -1, 3, 3, 1]])
@pytest.mark.parametrize("index", [[0, 1, 2, 3, 4], [4, 0, 2], [1, 3], [2, 2, 4, 1]])
def test_factors_have_the_levels_that_are_left_and_gaps_stay(
    codes: list[int], index: list[int]
) -> None:
    factor = Factor(name="f", codes=np.array(codes), levels=LEVELS)
    some = factor.take(np.array(index))
    known = labels(factor)
    assert labels(some) == [known[k] for k in index]
    assert some.levels == tuple(level for level in LEVELS if level in labels(some))
    assert some.name == "f"


def test_places_of_what_is_taken() -> None:
    assert places_among(np.array([4, 1]), 5).tolist() == [-1, 1, -1, -1, 0]
    assert places_among(np.array([False, True, True, False]), 4).tolist() == [-1, 0, 1, -1]


def test_names_of_units_follow_their_cells() -> None:
    units = UnitNames(codes=np.array([2, 0, 1, 3]), levels=LEVELS, cell=np.array([1, 0, 1, 2]))
    some = units.take(np.array([2, 1]), 3)
    assert some.names() == ["c", "b", "d"]
    assert some.cell.tolist() == [1, 1, 0]


def test_answers_follow_their_means() -> None:
    repeats = Repeats(
        columns=(),
        sources=("x", "y"),
        source=np.array([0, 1, 0]),
        place=np.array([0, 2, 3]),
        answers=np.array([2.0, 3.0, 5.0]),
        variance=np.array([0.5, 0.2, 0.1]),
        shares=np.array([[0.5, 0.5], [1, 0], [0.2, 0.8]]),
        first=np.array([1, 0, 1]),
    )
    some = repeats.take(np.array([3, 1, 0]), 4)
    assert some.place.tolist() == [2, 0]
    assert some.answers.tolist() == [2, 5]
    assert some.variance.tolist() == [0.5, 0.1]
    assert some.source.tolist() == [0, 0]
    assert some.shares is not None
    assert some.shares.tolist() == [[0.5, 0.5], [0.2, 0.8]]
    assert some.first is not None
    assert some.first.tolist() == [1, 1]
    assert repeats.of_source("y").answers.tolist() == [3]
    bare = replace(repeats, shares=None, first=None).take(np.array([2]), 4)
    assert (bare.shares, bare.first, bare.answers.tolist()) == (None, None, [3])


def test_factors_of_several_tables_have_all_levels() -> None:
    one = Factor(name="f", codes=np.array([0, 1]), levels=("b", "c"))
    two = Factor(name="f", codes=np.array([1, 0, 0]), levels=("a", "b"))
    both = stack_factors([one, two])
    assert both.levels == ("a", "b", "c")
    assert labels(both) == ["b", "c", "b", "a", "a"]


def test_replies_are_clusters_called_by_their_numbers() -> None:
    replies = Replies(codes=np.array([4, 0, 4, 2]), rest=np.zeros(4), none=0, column="p_a")
    assert labels(replies.factor) == ["5", "1", "5", "3"]
    assert labels(replies.take(np.array([2, 3])).factor) == ["5", "3"]


@pytest.mark.parametrize(("rows", "counted"), [(8, True), (6, True), (5, False)])
def test_rows_are_counted_where_half_of_the_combinations_occur(rows: int, counted: bool) -> None:
    cells = [(a, b) for a in "wxyz" for b in "pqr"]  # 12 combinations
    some = [cells[(5 * k) % 12] for k in range(rows)]
    table = as_table({"a": [a for a, _ in some], "b": [b for _, b in some]})
    assert len({a for a, _ in some}) * len({b for _, b in some}) == 12
    assert looks_counted(table, "a", "b") == counted
