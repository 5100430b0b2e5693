"""Columns find their parts by name, by alias, and by pairs of names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from socialstats.designs.columns import Contest, assign, item_tokens, side_pairs
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.options import Options
from socialstats.designs.stacking import make_long
from socialstats.errors import DesignError
from socialstats.tables import as_table
from socialstats.tables.lazy import collected


def roles(columns: str, **options: Any) -> Contest:
    return assign(as_table({name: ["x"] for name in columns.split()}), Options(**options))


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("item_a item_b winner", {}, ("item_a", "item_b", "winner")),
        ("role_i role_j choice", {}, ("role_i", "role_j", "choice")),
        ("player1 player2 result", {}, ("player1", "player2", "result")),
        ("left right preferred", {}, ("left", "right", "preferred")),
        ("winner left right item_a item_b", {}, ("item_a", "item_b", "winner")),
        (
            "model_a model_b winner",
            {"item_a": "model_b", "item_b": "model_a"},
            ("model_b", "model_a", "winner"),
        ),
        (
            "home.team away.team winner",
            {"item_a": "home.team"},
            ("home.team", "away.team", "winner"),
        ),
        ("left right winner", {"item_b": "right"}, ("left", "right", "winner")),
        (
            "one two three",
            {"item_a": "one", "item_b": "two", "winner": "three"},
            ("one", "two", "three"),
        ),
    ],
)
def test_parts_are_found(
    columns: str, options: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    found = roles(columns, **options)
    assert (found["item_a"], found["item_b"], found["winner"]) == expected


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("item_a item_b winner urgency_a urgency_b", {}, {"urgency": ("urgency_a", "urgency_b")}),
        ("role_i role_j winner urgency_i urgency_j", {}, {"urgency": ("urgency_i", "urgency_j")}),
        ("item_1 item_2 winner u_1 u_2", {}, {"u": ("u_1", "u_2")}),
        ("item_a item_b winner a_len b_len", {}, {"len": ("a_len", "b_len")}),
        ("left right winner age_left age_right", {}, {"age": ("age_left", "age_right")}),
        ("left right winner left_age right_age", {}, {"age": ("left_age", "right_age")}),
        ("item_a item_b winner age_left age_right turn_1 turn_2", {}, {}),
        (
            "home.team away.team winner home.rest away.rest",
            {"item_a": "home.team"},
            {"rest": ("home.rest", "away.rest")},
        ),
        ("item_a item_b winner u_a u_b", {"covariates": ()}, {}),
        ("item_a item_b winner u_a u_b v_a v_b", {"covariates": ["v"]}, {"v": ("v_a", "v_b")}),
        ("item_a item_b winner p q", {"covariates": {"z": ("p", "q")}}, {"z": ("p", "q")}),
        ("item_a item_b winner u_a", {}, {}),
        ("item_a item_b winner w_a w_b", {"weight": "w_a"}, {}),
    ],
)
def test_covariates_are_pairs_of_columns(
    columns: str, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert dict(roles(columns, **options).covariates) == expected


def test_order_and_wins_are_found() -> None:
    assert roles("item_a item_b winner first_shown")["order"] == "first_shown"
    assert roles("item_a item_b winner order", order=False)["order"] == ""
    assert roles("first second winner")["order"] == ""
    assert roles("item_a item_b wins_a wins_b ties").of("wins") == ["wins_a", "wins_b", "ties"]
    assert roles("journal1 journal2 win1 win2", item_a="journal1", item_b="journal2").of(
        "wins"
    ) == ["win1", "win2"]


def test_an_undeclared_covariate_says_how_to_declare_it() -> None:
    with pytest.raises(DesignError) as caught:
        roles("item_a item_b winner u_a u_b", covariates=["v"])
    assert str(caught.value) == (
        "data frame: no pair of columns for covariate 'v' (looked for v_a and v_b). "
        "Columns: item_a, item_b, winner, u_a and u_b. Say covariates={'v': (column_a, column_b)}"
    )


def test_the_same_column_cannot_be_both_items() -> None:
    with pytest.raises(DesignError, match="item_a and item_b are the same column 'one'"):
        roles("one two winner", item_a="one", item_b="one")


def test_tokens_need_one_difference() -> None:
    assert item_tokens(("one", "two_three")) is None
    assert item_tokens(("a_x", "b_y")) is None
    assert item_tokens(("journal1", "journal2")) == ("1", "2")
    assert list(side_pairs(["x_a"], ("a", "b"))) == []


def test_texts_that_identify_rows_are_not_covariates_unless_declared() -> None:
    n = 120
    rows = {
        "item_a": ["p", "q"] * (n // 2),
        "item_b": ["q", "p"] * (n // 2),
        "winner": ["p"] * n,
        "answer_a": [f"text {k}" for k in range(n)],
        "answer_b": [f"reply {k}" for k in range(n)],
    }
    design = Comparisons.from_frame(rows)
    assert not design.covariates
    assert [c.code for c in design.cautions] == ["SS307"]
    assert len(design.count) == 2
    assert "answer" in Comparisons.from_frame(rows, covariates=["answer"]).covariates


def test_values_in_place_of_a_column_are_an_error_that_says_so() -> None:
    import socialstats as ss

    with pytest.raises(ss.InputError, match="weight= names a column of the table"):
        ss.bradley_terry(ss.datasets.baseball(), weight=[1, 2, 3])


@pytest.mark.parametrize(
    "values", [["a", "b", "c"], [1, 2, 3]]
)  # texts are stacked in memory, numbers later
@pytest.mark.parametrize(("unit", "first"), [("row", 0), ("line", 1)])
def test_rows_of_a_wide_table_are_numbered_as_messages_number_them(
    values: list[Any], unit: str, first: int
) -> None:
    table = replace(as_table({"before": values, "after": values[::-1]}), unit=unit)
    long = make_long(table, ["before", "after"], [], row=None, name="condition")
    frame = collected(long.table.frame)
    assert frame[long.row].to_list() == 2 * [first, first + 1, first + 2]
    assert frame[long.name].to_list() == 3 * ["before"] + 3 * ["after"]
    assert frame[long.value].to_list() == values + values[::-1]
