"""What a winner or order column means is decided once, for the whole column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.designs.winners import (
    cell_of_replies,
    likely_scheme,
    reply_parts,
    scheme_of,
    tied_replies,
)
from socialstats.errors import InputError


def outcomes(
    winner: list[Any],
    a: list[Any],
    b: list[Any],
    names: tuple[str, str] = ("item_a", "item_b"),
    **options: Any,
) -> Any:
    """Return the outcome of each row; every row gets a cluster of its own, so that cells keep the rows' order."""
    rows = {names[0]: a, names[1]: b, "winner": winner, "row": [f"{k:03d}" for k in range(len(a))]}
    design = Comparisons.from_frame(
        rows, item_a=names[0], item_b=names[1], cluster="row", **options
    )
    of_row = design.clusters[0].codes.argsort()
    return design.outcome[of_row].tolist()


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (("left", "right"), ("left", "right")),
        (("left", "right"), ("a", "b")),
        (("x1", "x2"), ("x1", "x2")),
        (("item_a", "item_b"), ("item_a", "item_b")),
        (("item_a", "item_b"), ("A", "B")),
        (("item_a", "item_b"), ("1", "2")),
        (("item_a", "item_b"), (1, 2)),
        (("model_a", "model_b"), ("model_a", "model_b")),
        (("role_i", "role_j"), ("i", "j")),
        (("home.team", "away.team"), ("home", "away")),
        (("one", "two"), ("model_a", "model_b")),
    ],
)
def test_sides_are_recognised(names: tuple[str, str], codes: tuple[Any, Any]) -> None:
    winner = [codes[0], codes[1], codes[1]]
    assert outcomes(winner, ["p", "q", "r"], ["q", "r", "p"], names) == [A_WON, B_WON, B_WON]
    if isinstance(codes[0], str):
        assert outcomes([*winner, "tie"], [*"pqrp"], [*"qrpr"], names) == [
            A_WON,
            B_WON,
            B_WON,
            TIED,
        ]


def test_labels_win_where_they_explain_every_value() -> None:
    """Items called A and B: the winner is the item, whichever side it was on."""
    assert outcomes(["A", "A", "B"], ["A", "B", "A"], ["B", "A", "B"]) == [A_WON, B_WON, B_WON]
    assert outcomes(["A", "A", "B"], ["A", "B", "A"], ["B", "A", "B"], winner_coding="side") == [
        A_WON,
        A_WON,
        B_WON,
    ]


def test_codes_that_may_be_labels_or_sides_are_ambiguous() -> None:
    arguments = (["A", "B"], ["A", "p"], ["p", "q"])
    with pytest.raises(InputError) as caught:
        outcomes(*arguments)
    assert str(caught.value) == (
        "data frame, column 'winner': 'A' may name an item or a side, and not every value names an item of its "
        "row. Say winner_coding='label' or winner_coding='side'"
    )
    assert outcomes(*arguments, winner_coding="side") == [A_WON, B_WON]
    with pytest.raises(
        InputError, match=r"'B' is neither of the two items of its row nor a tie label \('tie'\)"
    ):
        outcomes(*arguments, winner_coding="label")


def test_a_mixture_of_labels_and_sides_is_an_error() -> None:
    with pytest.raises(InputError, match="'left' is neither of the two items of its row"):
        outcomes(["p", "q", "left"], ["p", "q", "r"], ["q", "r", "p"], ("left", "right"))


@pytest.mark.parametrize(
    "tied", ["tie (bothbad)", "draw", "unentschieden", "Empate", "égalité", "平局"]
)
def test_labels_that_begin_with_a_word_for_a_tie_are_ties(tied: str) -> None:
    assert outcomes(["left", tied], ["p", "q"], ["q", "p"], ("left", "right")) == [A_WON, TIED]
    assert outcomes(["p", tied], ["p", "q"], ["q", "p"]) == [A_WON, TIED]
    assert outcomes(["p", tied], ["p", tied], [tied, "p"]) == [
        A_WON,
        A_WON,
    ]  # an item of this name is an item
    with pytest.raises(
        InputError, match="declare it with"
    ):  # what was declared is all that is a tie
        outcomes(["left", tied], ["p", "q"], ["q", "p"], ("left", "right"), tie="same")


def test_an_undeclared_tie_among_sides_is_named_as_such() -> None:
    rows = (["model_a", "both bad"], ["p", "q"], ["q", "p"], ("model_a", "model_b"))
    with pytest.raises(InputError) as caught:
        outcomes(*rows)
    assert str(caught.value) == (
        "data frame row 1, column 'winner': 'both bad' is neither 'model_a', 'model_b' nor a tie label "
        "('tie'). Correct it, or declare it with tie='both bad' if it means a tie, "
        "or with refusal='both bad' if no choice was made"
    )
    assert outcomes(*rows, tie=("tie", "both bad")) == [A_WON, TIED]


@pytest.mark.parametrize(("value", "meant"), [("P", "p"), (" q", "q")])
def test_a_near_miss_is_recognised_but_never_taken(value: str, meant: str) -> None:
    with pytest.raises(
        InputError, match=f"Did you mean '{meant}'\\? Correct it, or declare it with tie='{value}'"
    ):
        outcomes([value, "q"], ["p", "q"], ["q", "p"])


def test_braces_in_labels_are_only_text() -> None:
    with pytest.raises(
        InputError,
        match=r"'\{0\}' is neither of the two items of its row nor a tie label \('\{x\}'\)",
    ):
        outcomes(["{0}", "{q}"], ["p", "{q}"], ["{q}", "p"], tie="{x}")


@pytest.mark.parametrize("values", [[True, False], ["TRUE", "FALSE"], ["true", "0"]])
def test_logical_values_are_scores_only_on_request(values: list[object]) -> None:
    rows = (values, ["p", "q"], ["q", "r"])
    assert outcomes(*rows, winner_coding="score") == [A_WON, B_WON]
    said = (
        "TRUE says that the first item won"
        if values[1] != "0"
        else "1, 0.5 and 0 are the share of the first item"
    )
    with pytest.raises(InputError, match=f"Say winner_coding='score' if {said}"):
        outcomes(*rows)


def test_scores_only_on_request() -> None:
    rows = ([1, 0.5, 0], ["p", "q", "r"], ["q", "r", "p"])
    assert outcomes(*rows, winner_coding="score") == [A_WON, TIED, B_WON]
    with pytest.raises(
        InputError,
        match=r"Say winner_coding='score' if 1, 0\.5 and 0 are the share of the first item",
    ):
        outcomes(*rows)
    with pytest.raises(
        InputError, match=r"row 1, column 'winner': '0\.7' is not a score\. A score is 1"
    ):
        outcomes([1, 0.7, 0], *rows[1:], winner_coding="score")


@pytest.mark.parametrize(
    "order",
    [
        ["p", "r", "p"],
        ["item_a", "item_b", "item_b"],
        ["a", "b", "b"],
        [1, 2, 2],
        [1, -1, -1],
        ["+1", "-1", "-1"],
    ],
)
def test_who_was_shown_first(order: list[Any]) -> None:
    rows = {
        "item_a": ["p", "q", "r"],
        "item_b": ["q", "r", "p"],
        "winner": ["p", "q", "r"],
        "order": order,
    }
    design = Comparisons.from_frame(rows)
    assert design.order_known
    first = {
        design.items[a]: f
        for a, f in zip(design.item_a.tolist(), design.first.tolist(), strict=True)
    }
    assert first == {"p": 1, "q": -1, "r": -1}


def test_an_order_that_says_nothing_about_order_is_an_error_or_ignored() -> None:
    rows = {
        "item_a": ["p", "q", "r"],
        "item_b": ["q", "r", "p"],
        "winner": ["p", "q", "r"],
        "order": [1, 2, 3],
    }
    with pytest.raises(InputError) as caught:
        Comparisons.from_frame(rows)
    assert str(caught.value).split("\n")[0] == (
        "data frame row 2, column 'order': '3' does not say which of the two items of its row was shown first. "
        "Use the item's label, a side code or +1/-1; or say order=False if the column means something else"
    )
    design = Comparisons.from_frame(rows, order=False)
    assert not design.order_known
    assert design.first.tolist() == [1, 1, 1]


@pytest.mark.parametrize("other", ["0", "z"])
def test_a_code_of_a_side_that_is_an_item_too_tells_no_order(other: str) -> None:
    """Whether that item is the first of all or not."""
    rows = {
        "item_a": ["a", other, "q"],
        "item_b": [other, "q", "a"],
        "winner": ["a", "q", "q"],
        "order": ["a", "b", "a"],
    }
    with pytest.raises(InputError, match="'b' does not say which of the two items of its row"):
        Comparisons.from_frame(rows, order="order")


@pytest.mark.parametrize(
    ("yes", "no"), [(True, False), (1, 0), ("Sí", "no"), ("ja", "nein"), ("empate", "N")]
)
def test_a_column_says_which_rows_are_ties_whatever_their_winner(yes: Any, no: Any) -> None:
    rows = {"winner": [*"pqrp"], "loser": [*"qrpr"], "draw": [no, yes, no, yes]}
    design = Comparisons.from_frame(
        rows, item_a="winner", item_b="loser", winner="winner", drawn="draw"
    )
    told = ["p", "tie", "r", "tie"]
    same = Comparisons.from_frame(
        {**rows, "who": told}, item_a="winner", item_b="loser", winner="who"
    )
    assert (design.n_ties, design.n_rows, design.ties_possible) == (2, 4, True)
    assert sorted(zip(design.item_a, design.item_b, design.outcome, strict=True)) == sorted(
        zip(same.item_a, same.item_b, same.outcome, strict=True)
    )
    assert design.columns == {
        "item_a": "winner",
        "item_b": "loser",
        "winner": "winner",
        "drawn": "draw",
    }


def test_a_drawn_row_needs_no_winner_and_flags_are_flags() -> None:
    rows = {
        "item_a": [*"ppq"],
        "item_b": [*"qrr"],
        "winner": ["p", None, "?"],
        "drawn": ["0", "1", "1"],
    }
    assert Comparisons.from_frame(rows, drawn="drawn").n_ties == 2
    with pytest.raises(InputError, match="the value is missing"):
        Comparisons.from_frame(rows)
    with pytest.raises(
        InputError,
        match=r"'maybe' does not say whether the contest was drawn\. Write TRUE or FALSE",
    ):
        Comparisons.from_frame({**rows, "drawn": ["0", "1", "maybe"]}, drawn="drawn")
    with pytest.raises(InputError, match="column 'drawn': the value is missing"):
        Comparisons.from_frame({**rows, "drawn": ["0", "1", None]}, drawn="drawn")
    wins = {"item_a": ["p"], "item_b": ["q"], "score_a": [2], "score_b": [1], "drawn": [True]}
    with pytest.raises(
        InputError, match="drawn='drawn' says which rows are ties, beside a column of winners"
    ):
        Comparisons.from_frame(wins, score_a="score_a", score_b="score_b", drawn="drawn")


def test_an_order_of_both_sides_is_that_of_the_first() -> None:
    rows = [
        ("a", "b", "a", "AB"),
        ("b", "a", "a", "AB"),
        ("a", "c", "c", "AB"),
        ("c", "b", "b", "BA"),
    ]
    design = ss.read_comparisons(
        pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "order"])
    )
    assert design.order_known
    assert sorted(design.first.tolist()) == [-1, 1, 1, 1]  # BA once: item_b was first


def test_a_column_called_order_that_tells_none_is_left_out_with_a_word() -> None:
    rows = [
        ("a", "b", "a", "WB"),
        ("b", "a", "a", "BW"),
        ("a", "c", "c", "WB"),
        ("c", "b", "b", "BW"),
    ]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "order"])
    design = ss.read_comparisons(frame)
    assert not design.order_known
    assert any(c.code == "SS307" and "'order' does not say" in str(c) for c in design.cautions)
    with pytest.raises(InputError, match="does not say which of the two items"):
        ss.read_comparisons(frame, order="order")


def test_grades_say_which_side_was_better() -> None:
    rows = [3, -1, 0, 0.5], ["A", "A", "B", "B"], ["B", "B", "A", "A"]
    assert outcomes(*rows, winner_coding="grade") == [A_WON, B_WON, TIED, A_WON]
    with pytest.raises(
        InputError, match=r"'much' is not a number.*above 0 the first item was better"
    ):
        outcomes(["much", 1, 2, 0], *rows[1:], winner_coding="grade")


def test_codes_of_sides_are_those_of_the_first_pair_that_explains_every_value() -> None:
    pairs = [("left", "right"), ("a", "b"), ("b", "c")]
    assert scheme_of({"a"}, pairs) == ("a", "b")
    assert scheme_of({"b"}, pairs) == ("a", "b")
    assert scheme_of({"b", "c"}, pairs) == ("b", "c")
    assert scheme_of({"right"}, pairs) == ("left", "right")
    assert scheme_of({"a", "c"}, pairs) is None
    assert scheme_of(set(), pairs) is None
    assert likely_scheme({"b", "c", "x"}, pairs) == ("b", "c")
    assert likely_scheme({"b", "x"}, pairs) == ("a", "b")


def test_replies_with_probabilities_are_a_win_of_either_item() -> None:
    """Two alike replies of 1/4, one each of 1 and 0, and a cell that is not in use."""
    p, n = np.array([0.25, 0.5, 1.0, 0.0]), np.array([2.0, 7.0, 1.0, 1.0])
    use = np.array([True, False, True, True])
    assert cell_of_replies(n, use).tolist() == [0, 0, 2, 3]
    parts = reply_parts(p, n, use)
    assert parts.cell.tolist() == [0, 0, 2, 0, 0, 3]
    assert parts.outcome.tolist() == [A_WON] * 3 + [B_WON] * 3
    assert parts.times.tolist() == [0.25, 0.25, 1, 0.75, 0.75, 1]
    assert parts.reply is not None
    assert parts.reply.tolist() == [0, 1, 2, 0, 1, 3]
    tied = tied_replies(n, use)
    assert tied.cell.tolist() == [0, 0, 2, 3]
    assert tied.outcome.tolist() == [TIED] * 4
    assert tied.times.tolist() == [1] * 4
    assert tied.reply is not None
    assert tied.reply.tolist() == [0, 1, 2, 3]
