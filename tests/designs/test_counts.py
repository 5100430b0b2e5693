"""Tables that were counted: frequencies, wins and ties, cross tables; the same numbers as their rows one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats import Comparisons, Paired, Ratings
from socialstats.designs.crosstabs import crosstab, win_counts
from socialstats.errors import InputError
from socialstats.tables import as_table
from tests.designs.same import same

VOTES = {
    "item_a": ["A", "A", "B", "B", "A", "A"],
    "item_b": ["B", "B", "C", "C", "C", "C"],
    "winner": ["A", "B", "B", "C", "A", "C"],
    "count": [120, 80, 10, 90, 40, 60],
}
CROSS = pd.DataFrame(
    [[30, 5, 2], [4, 25, 6], [1, 3, 24]], index=["lo", "mid", "hi"], columns=["lo", "mid", "hi"]
)


def repeated(table: dict[str, list[Any]], times: str) -> pd.DataFrame:
    """Return every row as often as its count says."""
    frame = pd.DataFrame(table)
    return (
        frame.loc[frame.index.repeat(frame[times].astype(int))]
        .drop(columns=times)
        .reset_index(drop=True)
    )


def cells(square: pd.DataFrame) -> dict[str, list[Any]]:
    pairs = [
        (row, column, int(square.loc[row, column]))
        for row in square.index
        for column in square.columns
    ]
    return {
        "ann": [p[0] for p in pairs],
        "bob": [p[1] for p in pairs],
        "Freq": [p[2] for p in pairs],
    }


def codes(design: Any) -> set[str]:
    return {c.code for c in design.cautions}


@pytest.mark.parametrize("name", ["count", "n", "Freq", "N", "frequency", "wt_n", "Counts"])
def test_votes_with_a_column_of_frequencies_are_the_votes_one_by_one(name: str) -> None:
    table = {(name if column == "count" else column): values for column, values in VOTES.items()}
    found = Comparisons.from_frame(table)
    same(
        found, Comparisons.from_frame(repeated(VOTES, "count")), but=("flow", "columns", "cautions")
    )
    assert codes(found) == {"SS323"}
    declared = Comparisons.from_frame(table, count=name)
    assert codes(declared) == set()
    assert declared.n_rows == 400
    strengths = ss.bradley_terry(found).tidy().set_index("term")["estimate"]
    assert [round(strengths[item], 2) for item in "CA"] == [0.75, -0.07]


def test_frequencies_can_be_text_and_can_be_refused() -> None:
    texts = VOTES | {"count": [str(n) for n in VOTES["count"]]}
    assert Comparisons.from_frame(texts).n_rows == 400
    assert Comparisons.from_frame(VOTES, count=False).n_rows == 6
    assert codes(Comparisons.from_frame(VOTES, count=False)) == set()


def test_frequencies_beside_repeated_rows_are_named_and_not_used() -> None:
    twice = {column: [*values, values[0]] for column, values in VOTES.items()}
    found = Comparisons.from_frame(twice)
    assert found.n_rows == 7
    assert codes(found) == {"SS324"}
    assert Comparisons.from_frame(twice, count="count").n_rows == 520


def test_row_numbers_and_broken_numbers_are_no_frequencies() -> None:
    assert codes(Comparisons.from_frame(VOTES | {"count": [1, 2, 3, 4, 5, 6]})) == set()
    constant = Comparisons.from_frame(VOTES | {"count": [1000] * 6})
    assert (constant.n_rows, codes(constant)) == (6, {"SS324"})
    broken = Comparisons.from_frame(VOTES | {"count": [0.5, 2, 3, 4, 5, 6]})
    assert (broken.n_rows, codes(broken)) == (6, {"SS324"})


@pytest.mark.parametrize("name", ["weight", "w", "votes", "total", "Anzahl"])
def test_a_column_that_may_count_or_weigh_rows_is_named_where_it_is_not_used(name: str) -> None:
    votes = {(name if column == "count" else column): values for column, values in VOTES.items()}
    assert codes(Comparisons.from_frame(votes)) == {"SS324"}
    assert codes(Comparisons.from_frame(votes, count=False)) == set()
    pairs = {"before": [0, 1, 1, 0], "after": [1, 1, 0, 0], name: [8, 30, 2, 5]}
    assert codes(Paired.from_wide(pairs, first="before", second="after")) == {"SS324"}


@pytest.mark.parametrize("name", ["both_bad", "neither", "unentschieden", "weight"])
def test_a_column_beside_wins_that_nothing_used_is_named(name: str) -> None:
    table = {
        "item_a": ["A", "B"],
        "item_b": ["B", "C"],
        "wins_a": [3, 1],
        "wins_b": [2, 4],
        name: [5, 0],
    }
    assert codes(Comparisons.from_frame(table)) == {"SS324"}
    assert (
        codes(Comparisons.from_frame({**table, name: [5, 5]})) == set()
    )  # the numbers of comparisons


def test_a_sampling_weight_that_looks_like_a_frequency_is_named() -> None:
    found = Comparisons.from_frame(VOTES, weight="count")
    assert found.n_rows == 6
    assert codes(found) == {"SS324"}
    assert "count='count'" in found.cautions[0].fix


def test_counts_that_are_no_counts_are_named_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pd.DataFrame(VOTES | {"count": ["1,200", "80", "10", "90", "40", "60"]}).to_csv(
        path, index=False
    )
    with pytest.raises(
        InputError,
        match=r"votes.csv line 2, column 'count': '1,200' is not spelled as a plain number",
    ):
        ss.read_comparisons(path, count="count")
    pd.DataFrame(VOTES | {"count": ["-1", "80", "NA", "90", "40", "60"]}).to_csv(path, index=False)
    with pytest.raises(
        InputError, match=r"line 4, column 'count': the value is missing \('NA' means that\)"
    ):
        ss.read_comparisons(path, count="count")
    with pytest.raises(InputError, match=r"line 2, column 'count': '-1' is not a count"):
        ss.read_comparisons(path, count="count", missing="drop")


@pytest.mark.parametrize("ties", ["ties", "tie", "tied", "draws", "Draw", "n_ties", "Ties"])
@pytest.mark.parametrize(
    ("a", "b"), [("wins_a", "wins_b"), ("Win1", "Win2"), ("a.wins", "b.wins"), ("WINS_A", "WINS_B")]
)
def test_wins_and_ties_are_found_whatever_their_case(ties: str, a: str, b: str) -> None:
    table = {"item_a": ["A", "B"], "item_b": ["B", "C"], a: [3, 1], b: [2, 4], ties: [5, 0]}
    found = Comparisons.from_frame(table)
    assert (found.n_rows, found.n_ties, found.ties_possible) == (15, 5, True)
    assert Comparisons.from_counts(table, ties=ties).n_ties == 5
    assert (
        Comparisons.from_counts({k: v for k, v in table.items() if k != ties}).ties_possible
        is False
    )


def test_home_and_away_wins_are_found_by_the_words_of_the_items() -> None:
    table = {
        "home.team": ["A", "B"],
        "away.team": ["B", "C"],
        "home.wins": [3, 1],
        "away.wins": [2, 4],
    }
    assert Comparisons.from_frame(table, item_a="home.team", item_b="away.team").n_rows == 10


def test_the_higher_of_two_scores_wins() -> None:
    table = {
        "item_a": ["A", "B", "C"],
        "item_b": ["B", "C", "A"],
        "score_a": [3, 1, 2.5],
        "score_b": [2, 4, 2.5],
    }
    found = Comparisons.from_frame(table, score_a="score_a", score_b="score_b")
    told = Comparisons.from_frame(
        {"item_a": ["A", "B", "C"], "item_b": ["B", "C", "A"], "winner": ["A", "C", "tie"]}
    )
    same(found, told, but=("columns",))
    with pytest.raises(InputError, match="'many' is not a number"):
        Comparisons.from_frame(table | {"score_a": [3, "many", 2]}, score_a="score_a")


def test_pairs_with_a_column_of_frequencies_are_the_pairs_one_by_one() -> None:
    table = {"before": [0, 1, 1, 0], "after": [1, 1, 0, 0], "Freq": [8, 30, 2, 5]}
    found = Paired.from_wide(table, first="before", second="after")
    assert found.square().tolist() == [[5, 8], [2, 30]]
    assert codes(found) == {"SS323"}
    rows = Paired.from_wide(repeated(table, "Freq"), first="before", second="after")
    assert ss.mcnemar(found).tidy().equals(ss.mcnemar(rows).tidy())
    named = Paired.from_wide(
        table | {"id": list("wxyz")}, first="before", second="after", unit="id"
    )
    assert named.n_pairs == 4  # each row names a unit: the frequencies are only mentioned
    assert "SS324" in codes(named)


def test_long_pairs_take_a_count_that_is_the_same_in_both_rows() -> None:
    table = {
        "unit": [1, 1, 2, 2],
        "condition": ["x", "y"] * 2,
        "value": [3, 5, 4, 4],
        "n": [10, 10, 3, 3],
    }
    found = Paired.from_frame(table, conditions=("x", "y"), count="n")
    assert found.n_pairs == 13
    with pytest.raises(InputError, match="unit '1' has several values of 'n'"):
        Paired.from_frame(table | {"n": [10, 11, 3, 3]}, conditions=("x", "y"), count="n")


def test_ratings_with_a_column_of_frequencies_are_the_cross_table() -> None:
    table = cells(CROSS)
    wide = Ratings.from_wide(table, raters_in="columns", raters=["ann", "bob"], scale="nominal")
    assert "SS323" in codes(wide)
    square = Ratings.from_table(CROSS, raters=("ann", "bob"), scale="nominal")
    for metric in (ss.krippendorff_alpha, ss.weighted_kappa, ss.percent_agreement):
        one, other = metric(wide).tidy(), metric(square).tidy()
        pd.testing.assert_frame_equal(
            one[["estimate", "std_error"]], other[["estimate", "std_error"]]
        )
    every = Ratings.from_wide(repeated(table, "Freq"), raters_in="columns", scale="nominal")
    found = ss.krippendorff_alpha(wide).rows[0].estimate
    assert found == pytest.approx(ss.krippendorff_alpha(every).rows[0].estimate, rel=1e-12)
    assert Ratings.from_wide(table, raters_in="columns", scale="nominal").raters == ("ann", "bob")


def test_long_ratings_take_a_count_of_alike_units() -> None:
    table = {
        "unit": [1, 1, 2, 2],
        "rater": ["a", "b"] * 2,
        "value": [1, 2, 3, 3],
        "n": [10, 10, 4, 4],
    }
    found = Ratings.from_frame(table, count="n", scale="nominal")
    assert (found.n_rows, found.unit_count.tolist()) == (28, [10.0, 4.0])
    assert codes(Ratings.from_frame(table, scale="nominal")) >= {"SS324"}


def test_a_key_of_two_columns_names_the_unit() -> None:
    table = {
        "task": ["t", "t", "u", "u"],
        "id": [1, 1, 1, 1],
        "rater": ["a", "b"] * 2,
        "value": [1, 2, 3, 3],
    }
    for unit in (["task", "id"], "task,id"):
        assert Ratings.from_frame(table, unit=unit, scale="nominal").units == ("t | 1", "u | 1")
    lazy = pytest.importorskip("polars").DataFrame(table).lazy()
    assert Ratings.from_frame(lazy, unit="task,id", scale="nominal").units == ("t | 1", "u | 1")
    both = {
        "task": table["task"],
        "id": table["id"],
        "condition": table["rater"],
        "value": table["value"],
    }
    assert Paired.from_frame(both, unit=["task", "id"], conditions=("a", "b")).n_pairs == 2


SQUARE = {"": ["lo", "mid", "hi"], "lo": [30, 4, 1], "mid": [5, 25, 3], "hi": [2, 6, 24]}


@pytest.mark.parametrize(
    "table",
    [
        SQUARE,
        {
            "": ["lo", "mid", "hi", "Gesamt"],
            **{k: [*SQUARE[k], sum(SQUARE[k])] for k in ("lo", "mid", "hi")},
            "Gesamt": [37, 35, 28, 100],
        },
        {**SQUARE, "n": [37, 35, 28]},
        {
            "": ["lo", "mid", "hi", "Sum"],
            **{k: [*SQUARE[k], sum(SQUARE[k])] for k in ("lo", "mid", "hi")},
        },
        {"": ["LO", "Mid", "hi"], **{k: SQUARE[k] for k in ("lo", "mid", "hi")}},
        {"": ["lo", "mid", "hi"], "hi": SQUARE["hi"], "lo": SQUARE["lo"], "mid": SQUARE["mid"]},
    ],
)
def test_cross_tables_are_read_without_their_totals(table: dict[str, list[Any]]) -> None:
    found = crosstab(as_table(table))
    assert found.to_numpy().tolist() == [[30, 5, 2], [4, 25, 6], [1, 3, 24]]


def test_a_level_that_one_side_of_a_cross_table_lacks_has_counts_of_zero() -> None:
    found = crosstab(as_table({"": ["lo", "mid"], "lo": [3, 1], "mid": [1, 5], "hi": [0, 1]}))
    assert found.loc["hi"].tolist() == [0, 0, 0]
    assert found.loc["mid", "hi"] == 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"": ["lo", "Total"], "lo": [3, 4], "hi": [1, 1], "Total": [4, 5]},
            "'Total' is not the sum",
        ),
        (
            {"": ["a", "b", "Total"], "a": [3, 4, 8], "b": [1, 1, 2], "Total": [4, 5, 10]},
            "'Total' is not the sum",
        ),
        ({"": ["a", "b"], "a": [3, "x"], "b": [1, 1]}, "column 'a': 'x' is not a count"),
        (
            {"visit": ["rare", "often"], "short": [1, 2], "long": [3, 4]},
            "cross table has the same labels",
        ),
    ],
)
def test_other_tables_are_no_cross_tables(table: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        crosstab(as_table(table))


def test_the_corner_of_a_win_matrix_may_say_that_its_rows_lost() -> None:
    square = pd.DataFrame([[0, 7], [3, 0]], index=["A", "B"], columns=["A", "B"])
    assert (win_counts(square)["wins_a"], win_counts(square, "loser")["wins_a"]) == ([7.0], [3.0])


def test_rows_of_totals_in_a_table_of_frequencies_are_named() -> None:
    table = {"ann": ["lo", "hi", "Sum"], "bob": ["lo", "hi", "Sum"], "Freq": [3, 4, 7]}
    with pytest.raises(InputError, match="'Sum' looks like a row of totals"):
        Ratings.from_wide(table, raters_in="columns", raters=["ann", "bob"], scale="nominal")


def test_one_option_leaves_out_missing_values_and_missing_partners() -> None:
    wide = {"x": [1.0, np.nan, 3.0, np.nan], "y": [2.0, 2.0, np.nan, np.nan]}
    with pytest.raises(InputError, match="missing='drop'"):
        Paired.from_wide(wide, first="x", second="y")
    assert Paired.from_wide(wide, first="x", second="y", missing="drop").n_pairs == 1
