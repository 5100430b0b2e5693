"""Ratings that cannot be read: every message names the place, the value and the fix, with the lines of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Ratings, read_ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse

HEAD = "item,judge,rating"


def messages(text: str, folder: Path, **options: Any) -> list[str]:
    (folder / "ratings.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_ratings(folder / "ratings.csv", **options)
    return str(caught.value).split("\n")


def test_texts_without_an_order_say_exactly_what_to_pass(tmp_path: Path) -> None:
    text = f"{HEAD}\n1,a,low\n1,b,high\n2,a,medium\n2,b,low\n"
    assert messages(text, tmp_path) == [
        "ratings.csv, column 'rating': the values are texts whose order is undeclared: 'high', 'low' and 'medium'. "
        "Pass all levels, the lowest first, perhaps levels=['low', 'medium', 'high'], or "
        "scale='nominal' (--scale nominal) if they have none. Declare a refusal apart: refusal='LABEL' "
        "(--refusal LABEL)"
    ]
    with pytest.raises(DesignError):
        read_ratings(tmp_path / "ratings.csv")
    for scale in ("ordinal", None):
        assert (
            read_ratings(
                tmp_path / "ratings.csv", levels=["low", "medium", "high"], scale=scale
            ).scale
            == "ordinal"
        )
    assert read_ratings(tmp_path / "ratings.csv", scale="nominal").levels == (
        "high",
        "low",
        "medium",
    )


def test_values_outside_the_levels_are_named_one_by_one(tmp_path: Path) -> None:
    text = f"{HEAD}\n1,a,low\n1,b,High\n2,a,none\n2,b,none\n"
    tail = "Correct it, add it to levels= (--levels), or say refusal='{}' or na='{}'"
    assert messages(text, tmp_path, levels=["low", "high"]) == [
        "ratings.csv line 4, column 'rating': 'none' is none of the levels ('low' and 'high') (2 rows: lines 4, 5). "
        + tail.replace("{}", "none"),
        "ratings.csv line 3, column 'rating': 'High' is none of the levels ('low' and 'high'). Did you mean 'high'? "
        + tail.replace("{}", "High"),
    ]
    fine = read_ratings(tmp_path / "ratings.csv", levels=["low", "high"], refusal="none", na="High")
    assert fine.status.tolist() == [0, 1, 2, 2]
    assert messages(f"{HEAD}\n1,a,1\n1,b,7\n", tmp_path, levels=range(1, 6))[0].startswith(
        "ratings.csv line 3, column 'rating': '7' is none of the levels ('1', '2', '3', '4' and '5')."
    )


@pytest.mark.parametrize("value", ["seven", "inf", "1e999", "none"])
def test_a_text_among_numbers_is_named(value: str, tmp_path: Path) -> None:
    text = f"{HEAD}\n1,a,1\n1,b,2\n2,a,{value}\n2,b,2\n"
    assert messages(text, tmp_path) == [
        f"ratings.csv line 4, column 'rating': '{value}' is not a finite number. Correct it, or say refusal='{value}' "
        f"or na='{value}', or scale='nominal' if these are labels"
    ]
    assert read_ratings(tmp_path / "ratings.csv", na=value).n_rows == 3
    assert read_ratings(tmp_path / "ratings.csv", scale="nominal").levels == tuple(
        sorted(["1", "2", value])
    )


def test_infinite_numbers_are_no_levels() -> None:
    frame = pd.DataFrame(
        {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "rating": [1.0, np.inf, 2.0, np.nan]}
    )
    with pytest.raises(
        InputError, match=r"data frame row 1, column 'rating': 'inf' is not a finite number"
    ):
        Ratings.from_frame(frame)


@pytest.mark.parametrize("scale", ["interval", "ratio"])
def test_scales_that_need_numbers(scale: Any, tmp_path: Path) -> None:
    text = f"{HEAD}\n1,a,low\n1,b,low\n"
    assert messages(text, tmp_path, scale=scale)[0].startswith(
        "ratings.csv line 2, column 'rating': 'low' is not a finite number (2 rows: lines 2, 3)."
    )
    assert messages(f"{HEAD}\n1,a,-1\n1,b,2\n", tmp_path, scale="ratio") == [
        "ratings.csv, column 'rating': scale='ratio' needs numbers from 0 upwards, and '-1' is negative. "
        "Say scale='interval' (--scale interval)"
    ]


def test_repeated_ratings_are_named_with_both_lines(tmp_path: Path) -> None:
    text = f"{HEAD},model\n1,a,1,m\n1,b,2,m\n1,a,1,k\n2,b,2,m\n2,b,2,m\n"
    fix = "If they are several answers, say repeat=True to take their mean. Or leave copies out"
    assert messages(text, tmp_path)[0].startswith(
        "ratings.csv: a unit has several rows of one source, and column 'model'"
    )
    assert messages(text, tmp_path, by="model") == [
        f"ratings.csv line 5, column 'item': '2' (judge 'b', model 'm') has 2 rows (2 rows: lines 5, 6). {fix}"
    ]


def test_what_belongs_to_units_and_raters_is_constant(tmp_path: Path) -> None:
    text = f"{HEAD},domain,age,kind\n1,a,1,x,20,h\n1,b,2,y,30,h\n2,a,1,x,21,h\n2,b,2,x,30,m\n"
    assert messages(text, tmp_path, strata="domain", rater_groups="age") == [
        "ratings.csv line 2, column 'domain': unit '1' has several values of 'domain': 'x' and 'y' (2 rows: lines 2, "
        "3). It belongs to the unit: give its rows the same value",
        "ratings.csv line 2, column 'age': rater 'a' has several values of 'age': '20' and '21' (2 rows: lines 2, 4). "
        "It belongs to the rater: give the rater's rows the same value",
    ]
    assert messages(text, tmp_path, cluster="domain")[0].startswith(
        "ratings.csv line 2, column 'domain': unit '1' has"
    )
    assert read_ratings(tmp_path / "ratings.csv", rater_source="kind").raters == (
        "a",
        "h: b",
        "m: b",
    )


def test_a_group_may_be_empty_for_a_whole_rater_but_not_for_some_of_the_rows(
    tmp_path: Path,
) -> None:
    text = f"{HEAD},age\n1,a,1,20\n1,m,2,\n2,a,2,20\n2,m,2,\n"
    assert messages(text.replace("2,a,2,20", "2,a,2,"), tmp_path, rater_groups="age") == [
        "ratings.csv line 4, column 'age': the value is missing. It belongs to the rater: fill it in, or leave it "
        "empty in all rows of a rater who has no such group"
    ]
    nobody = text.replace(",20", ",")
    assert messages(nobody, tmp_path, rater_groups="age") == [
        "ratings.csv, column 'age': no rater has a value. It belongs to the rater: fill it in, or take it out of "
        "rater_groups="
    ]


def test_missing_names_are_errors_and_missing_values_by_request(tmp_path: Path) -> None:
    text = f"{HEAD},domain\n,a,1,x\n1,,2,x\n2,a,,x\n2,b,2,\n"
    fix = "Fill it in, or leave such rows out of the table"
    names = [
        f"ratings.csv line {line}, column '{column}': the value is missing. {fix}"
        for line, column in ((2, "item"), (3, "judge"), (5, "domain"))
    ]
    assert messages(text, tmp_path, strata="domain") == names
    assert messages(text, tmp_path, strata="domain", missing="error") == [
        *names,
        "ratings.csv line 4, column 'rating': the value is missing. Fill it in, or say missing='drop' (--missing drop) "
        "to keep such ratings as missing",
    ]


def test_missing_columns_say_where_they_were_looked_for(tmp_path: Path) -> None:
    assert messages("itm,jdge,x\n1,2,3\n", tmp_path, strata="domain") == [
        "ratings.csv: no column 'domain' (asked for as strata). Columns: itm, jdge and x. "
        "Say which it is: strata='COLUMN'",
        "ratings.csv: no column for 'unit' (looked for unit, unit_id, item, item_id, question, question_id and 24 "
        "more). Columns: itm, jdge and x. Did you mean unit='itm' ?",
        "ratings.csv: no column for 'rater' (looked for rater, rater_id, judge, judge_id, annotator, annotator_id and "
        "13 more). Columns: itm, jdge and x. Did you mean rater='jdge' ?",
        "ratings.csv: no column for 'value' (looked for value, rating, score, label, correct, answer and 5 more). "
        "Columns: itm, jdge and x. Say which it is: value='COLUMN'",
    ]


def test_nothing_to_analyse(tmp_path: Path) -> None:
    with pytest.raises(NothingToAnalyse, match="data frame has no rows"):
        Ratings.from_frame(pd.DataFrame({"item": [], "judge": [], "rating": []}))
    (tmp_path / "ratings.csv").write_text(f"{HEAD}\n")
    with pytest.raises(NothingToAnalyse, match="has a header but no rows"):
        read_ratings(tmp_path / "ratings.csv")


def test_a_scenario_is_suggested_as_the_unit_and_never_taken(tmp_path: Path) -> None:
    said = messages("scenario,judge,rating\ns1,a,1\ns2,a,2\n", tmp_path)
    assert said[0].endswith("Did you mean unit='scenario' ?")
    assert messages("Item,judge,rating\ns1,a,1\n", tmp_path)[0].endswith(
        "Did you mean unit='Item' ?"
    )


def test_ratings_of_people_that_belong_to_no_level_are_an_error():
    rows = {
        "unit": [1, 1, 2, 2],
        "rater": ["p", "q"] * 2,
        "value": [1, 2, 1, 1],
        "kind": ["human"] * 4,
        "prompt": [""] * 4,
    }
    with pytest.raises(
        InputError,
        match="no row has a value in 'prompt' that the ratings of people could belong to",
    ):
        Ratings.from_frame(rows, rater_source="kind", by="prompt", shared="people")
