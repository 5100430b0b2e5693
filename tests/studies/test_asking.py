"""Rows become questions: any result has a block without code, and what rows lack is said."""

from __future__ import annotations

import pytest

import socialstats as ss
from socialstats.results import Row
from socialstats.results.rows import Role
from socialstats.studies.asking import (
    ask_result,
    ask_rows,
    compared_sides,
    interval_points,
    largest_sentence,
    name_rows,
    pick_rows,
    share_bars,
)

SCORES = {"before": [1, 2, 2, 4, 3], "after": [2, 2, 5, 6, 3]}


@pytest.fixture(scope="module")
def change() -> ss.Result:
    result = ss.paired_difference(SCORES, first="after", second="before")
    assert isinstance(result, ss.Result)
    return result


def test_a_result_is_a_question_without_code(change: ss.Result) -> None:
    block = ask_result("change", change)
    assert block is not None
    assert block.sentences == (change.sentence(),)
    assert block.tables[0].rows == change.rows
    assert block.draw is not None
    assert block.draw().get_figure() is not None


def test_a_question_without_rows_is_none(change: ss.Result) -> None:
    assert ask_rows("id", "Question?", change, [], quantity="change") is None
    assert ask_rows("id", "Question?", None, change.rows, quantity="change") is None


def test_a_question_shows_the_rows_it_was_asked_with(change: ss.Result) -> None:
    rows = pick_rows(change.rows, None)[:2]
    block = ask_rows(
        "id", "Question?", change, rows, quantity="change", draw=interval_points(), say=["", "A."]
    )
    assert block is not None
    assert block.sentences == ("A.",)
    assert [row.estimate for row in block.drawn] == [row.estimate for row in rows]
    assert len(block.tables[0].cells) == len(rows)


def test_rows_that_keys_do_not_tell_apart_have_their_names() -> None:
    rows = [Row(term=t, key=(("stage", "1"), ("judge", j))) for t, j in (("a", "x"), ("b", "x"))]
    assert name_rows(rows) == ["a", "b"]


def test_the_sides_of_a_difference_are_those_of_its_cell() -> None:
    def row(role: Role, **key: str) -> Row:
        return Row(term="yes", role=role, estimate=0.1 * len(key), key=tuple(key.items()))

    rows = [row("estimate", source=s, stage=k) for s in ("model", "people") for k in "12"]
    gap = row("difference", source="model", reference="people", stage="2")
    assert compared_sides(gap, rows) == (rows[1], rows[3])
    assert compared_sides(gap, rows[:3]) is None
    assert "model" not in largest_sentence([gap], rows[:3])


def test_a_difference_without_estimate_has_its_reason() -> None:
    assert "one cluster" in largest_sentence([Row(term="yes", undefined="one cluster")], [])


def test_more_levels_than_colours_have_no_bars() -> None:
    rows = [Row(term=str(k), estimate=0.1, key=(("source", "a"),)) for k in range(9)]
    assert share_bars("source")(rows, [], "Share") is None
    assert share_bars("source")(rows[:4], [], "Share") is not None
