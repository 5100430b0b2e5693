"""What means a missing value, values that stand apart like a code, and numbers that are spelled for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import socialstats as ss
from socialstats import Comparisons, Paired, Ratings
from socialstats.designs.suspects import standing_apart
from socialstats.errors import InputError

RNG = np.random.default_rng(4)
LIKERT = RNG.integers(1, 6, 60).astype(float)


def ratings(values: Any, **options: Any) -> Ratings:
    table = {"item": [*range(30)] * 2, "judge": ["a"] * 30 + ["b"] * 30, "rating": values}
    return Ratings.from_frame(table, **options)


def apart(design: Any) -> list[str]:
    return [c.detail for c in design.cautions if c.code == "SS325"]


@pytest.mark.parametrize(
    "word", ["NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", ".", "<NA>", "#N/A", "-2147483648"]
)
def test_words_for_missing_values_are_missing_in_every_design(word: str) -> None:
    plain = [str(int(x)) for x in LIKERT]
    marked = [*plain[:3], word, *plain[4:]]
    empty = [*plain[:3], "", *plain[4:]]
    one, other = (
        ss.krippendorff_alpha(ratings(values)).rows[0].estimate for values in (marked, empty)
    )
    assert one == other
    pairs = {"unit": [1, 1, 2, 2], "condition": ["x", "y"] * 2, "value": ["1", word, "3", "4"]}
    with pytest.raises(InputError, match="the value is missing"):
        Paired.from_frame(pairs, conditions=("x", "y"))
    assert Paired.from_frame(pairs, conditions=("x", "y"), missing="drop").n_pairs == 1
    votes = {"item_a": ["A", "B"], "item_b": ["B", "A"], "winner": ["A", word], "w": ["2", "1"]}
    assert Comparisons.from_frame(votes, missing="drop").n_rows == 1
    weights = {"item_a": ["A", "B"], "item_b": ["B", "A"], "winner": ["A", "B"], "w": ["2", word]}
    assert Comparisons.from_frame(weights, weight="w", missing="drop").n_rows == 1


def test_the_integer_na_of_r_is_missing_where_the_engine_holds_numbers() -> None:
    values = np.array([*LIKERT[:59], -2147483648])
    assert ratings(values).levels == ("1", "2", "3", "4", "5")
    pairs = pd.DataFrame({"x": [1, 2, -2147483648], "y": [2, 4, 3]})
    assert Paired.from_wide(pairs, first="x", second="y", missing="drop").difference.tolist() == [
        -1.0,
        -2.0,
    ]
    votes = {
        "item_a": ["A", "B"],
        "item_b": ["B", "A"],
        "winner": ["A", "B"],
        "w": [2, -2147483648],
    }
    assert Comparisons.from_frame(votes, weight="w", missing="drop").n_rows == 1


def test_what_is_declared_is_not_missing() -> None:
    words = ["yes", "NA"] * 30
    assert ratings(words, levels=["yes", "NA"]).levels == ("yes", "NA")
    assert int((ratings(words, refusal="NA", scale="nominal").status == 2).sum()) == 30
    assert ratings(words, scale="nominal", na=False).levels == ("NA", "yes")
    assert ratings(words, scale="nominal").levels == ("yes",)
    votes = {"item_a": ["A", "B"], "item_b": ["B", "A"], "winner": ["A", "null"]}
    assert Comparisons.from_frame(votes, tie="null").n_ties == 1
    with pytest.raises(InputError, match=r"'NA' means that.*na=False"):
        Comparisons.from_frame(votes | {"item_a": ["NA", "B"]}, tie="null")


@pytest.mark.parametrize("code", [9, 99, 999, -1, -9, 55, -99, 9999])
def test_codes_on_a_scale_of_five_are_named_with_their_rows(code: int) -> None:
    values = LIKERT.copy()
    values[[7, 31]] = code
    (detail,) = apart(ratings(values))
    assert detail == f"'{code}' in 'rating' (rows 7, 31), beside 1 to 5"
    assert apart(ratings(values, na=str(code))) == []
    assert apart(ratings(LIKERT)) == []
    pairs = Paired.from_wide({"x": values, "y": LIKERT[::-1]}, first="x", second="y")
    assert apart(pairs)[0].startswith(f"'{code}'")


def test_files_name_the_lines_of_codes(tmp_path: Path) -> None:
    values = [str(int(x)) for x in LIKERT]
    values[5] = "99"
    frame = pd.DataFrame(
        {"item": [*range(30)] * 2, "judge": ["a"] * 30 + ["b"] * 30, "rating": values}
    )
    frame.to_csv(tmp_path / "r.csv", index=False)
    (detail,) = apart(ss.read_ratings(tmp_path / "r.csv"))
    assert detail == "'99' in 'rating' (line 7), beside 1 to 5"


@pytest.mark.parametrize(
    "values",
    [
        [-1, 0, 1],
        [-2, -1, 0, 1, 2],
        [*range(11)],
        [1, 3, 5, 7, 9],
        [0, 1],
        [1, 2],
        [0.1, 0.9, 0.5],
        [10, 50, 90],
    ],
)
def test_ordinary_scales_have_no_codes(values: list[float]) -> None:
    assert standing_apart(dict.fromkeys(values, 20.0)) == []


@given(st.lists(st.integers(-3, 12), min_size=3, max_size=9, unique=True))
def test_what_stands_apart_is_an_end_of_the_values(values: list[int]) -> None:
    found = standing_apart({float(x): 10.0 for x in values})
    rest = [x for x in values if x not in found]
    assert all(x < min(rest) or x > max(rest) for x in found)


SPELLED = {
    "28.4%": "Write percentages as plain numbers",
    "1,234.5": "no marks between thousands",
    "1,5": "with a point",
    "\u22123": "hyphen",
    "1 234": "no marks between thousands",
    "1.234,5": "decimal point",
    "$5": "of the currency",
}


@pytest.mark.parametrize(("spelled", "cure"), SPELLED.items())
def test_numbers_spelled_for_people_are_named_with_line_and_cure(
    spelled: str, cure: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    rows = [f'{k},{c},"{spelled if k == 2 else k}"' for k in range(1, 5) for c in ("a", "b")]
    path.write_text("unit,condition,value\n" + "\n".join(rows) + "\n", encoding="utf-8")
    for read in (ss.read_paired, lambda p: ss.read_ratings(p, rater="condition")):
        with pytest.raises(InputError) as caught:
            read(path)
        message = str(caught.value)
        assert (
            f"x.csv line 4, column 'value': '{spelled}' is not spelled as a plain number" in message
        )
        assert cure in message
    assert len(ss.read_ratings(path, rater="condition", scale="nominal").levels) == 4


def test_covariates_spelled_for_people_are_no_labels() -> None:
    votes = {
        "item_a": ["A", "B"],
        "item_b": ["B", "A"],
        "winner": ["A", "B"],
        "u_a": ["3%", "4%"],
        "u_b": ["1%", "2%"],
    }
    with pytest.raises(InputError, match="'3%' is not spelled as a plain number"):
        Comparisons.from_frame(votes)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["A1", "A2", "A3"], True),
        (["q1", "q2"], True),
        (["rater1", "rater2"], False),
        (["ann", "bob"], False),
        (["V1", "V2"], False),
        (["gpt_4", "J2"], False),
    ],
)
def test_numbered_items_of_a_questionnaire_are_not_taken_for_raters_in_silence(
    names: list[str], told: bool
) -> None:
    wide = {name: [1, 2, 3, 2] for name in names}
    found = Ratings.from_wide(wide, raters_in="columns", raters=names)
    assert ("SS326" in {c.code for c in found.cautions}) is told
