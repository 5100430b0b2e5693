"""Rows become questions: any result has a block without code, and what rows lack is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import socialstats as ss
from socialstats.figures import dumbbell, forest, shares
from socialstats.results import Row
from socialstats.results.rows import Role
from socialstats.studies.asking import ask_result, ask_rows
from socialstats.studies.row_figures import cell_map, dot_lines, interval_points, share_bars
from socialstats.studies.row_picking import compared_sides, name_rows, pick_rows
from socialstats.studies.row_sentences import largest_sentence

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


def drawn_with(draw: Any) -> Any:
    assert draw is not None
    return draw.func


def test_more_levels_than_colours_are_points() -> None:
    rows = [Row(term=str(k), estimate=0.1, key=(("source", "a"),)) for k in range(9)]
    names = [row.term for row in rows]
    assert drawn_with(share_bars("source")(rows, names, "Share")) is forest
    assert drawn_with(share_bars("source")(rows[:4], names[:4], "Share")) is shares


def test_more_bars_than_can_be_read_are_those_of_the_first_section() -> None:
    rows = [
        Row(term="yes", estimate=0.5, key=(("source", f"m{k % 20}"), ("stratum", f"s{k // 20}")))
        for k in range(80)
    ]
    drawing: Any = share_bars("source", "stratum")(rows, [], "Share")
    assert [bar.section for bar in drawing.args[0]] == ["s0"] * 20


def test_the_place_of_the_largest_difference_is_named() -> None:
    key = (("source", "model"), ("reference", "human"))
    gaps = [
        Row(term="yes", role="difference", key=(*key, ("stratum", s)), estimate=e)
        for s, e in (("calm", 0.1), ("risk", -0.4))
    ]
    assert largest_sentence(gaps, []) == "The largest difference was for 'yes' (risk): −0.40."
    assert largest_sentence(gaps[:1], []) == "The largest difference was for 'yes': 0.10."
    tested = replace(gaps[0], p_value=0.4)
    assert largest_sentence([tested, gaps[1]], []).startswith("The largest tested difference was")
    clear = replace(gaps[0], p_value=0.01)
    assert largest_sentence([clear, gaps[1]], []).startswith("The largest significant difference")


def test_columns_of_a_table_that_hold_nothing_are_left_out(change: ss.Result) -> None:
    rows = [replace(row, p_value=None, p_adjusted=None) for row in pick_rows(change.rows, None)]
    block = ask_rows("id", "Question?", change, rows, quantity="change")
    assert block is not None
    assert "p" not in block.tables[0].header
    assert "Estimate" in block.tables[0].header


def placed(lines: int, marks: int) -> list[Row]:
    return [
        Row(term="x", estimate=float(i + j), key=(("model", f"m{i}"), ("rule", f"r{j}")))
        for i in range(lines)
        for j in range(marks)
    ]


def test_marks_stand_on_the_line_of_their_label_where_a_line_holds_them() -> None:
    few: Any = dot_lines("model", "rule")(placed(2, 3), ["x"] * 6, "d")
    assert few.func is dumbbell
    expected = {(f"m{i}", f"r{j}") for i in range(2) for j in range(3)}
    assert {(row.term, row.group) for row in few.args[0]} == expected
    many: Any = dot_lines("model", "rule")(placed(2, 9), ["x"] * 18, "d")
    assert many.func is forest


def test_colours_of_a_heat_map_start_at_the_median_and_reach_the_farthest() -> None:
    draw: Any = cell_map("model", "model", "rule", neutral=None, extreme=None)(
        placed(2, 2), [], "d"
    )
    assert (draw.keywords["neutral"], draw.keywords["extreme"]) == (1.0, 1.0)
    assert draw.args[0][1].group == "m0: r1"
    assert cell_map("model", "rule")(placed(2, 21), [], "d") is None
