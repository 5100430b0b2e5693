"""Pairs that cannot be read: every message names the place, the value and the fix, with the lines of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Paired, read_paired
from socialstats.errors import DesignError, InputError, NothingToAnalyse

HEAD = "question,prompt,score"


def messages(text: str, folder: Path, **options: Any) -> list[str]:
    (folder / "answers.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_paired(folder / "answers.csv", **options)
    return str(caught.value).split("\n")


def frame_error(table: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        Paired.from_frame(table, **options)
    return str(caught.value)


def test_units_without_a_partner_are_listed_with_their_lines(tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,1\nq1,old,2\n\nq2,new,3\n\nq3,old,1\nq4,old,1\n"
    assert messages(text, tmp_path) == [
        "answers.csv, column 'question': 3 units without a partner: 2 units under 'new', 3 units under 'old', 1 pair. "
        "Add the missing rows, or say missing='drop' (--missing drop) to leave such units out",
        "answers.csv line 5, column 'question': 'q2' has no row under 'old'",
        "answers.csv line 7, column 'question': 'q3' has no row under 'new'",
        "answers.csv line 8, column 'question': 'q4' has no row under 'new'",
    ]
    assert read_paired(tmp_path / "answers.csv", unmatched="drop").unmatched == ("q2", "q3", "q4")


def test_many_unmatched_units_are_counted(tmp_path: Path) -> None:
    text = f"{HEAD}\nx,old,1\nx,new,1\n" + "".join(f"q{k:02d},new,1\n" for k in range(40))
    found = messages(text, tmp_path)
    assert len(found) == 20
    assert found[0].startswith(
        "answers.csv, column 'question': 40 units without a partner: 41 units under 'new', 1 unit"
    )
    assert found[18] == "answers.csv line 21, column 'question': 'q17' has no row under 'old'"
    assert found[19].startswith(
        "answers.csv line 22, column 'question': 22 further units have no partner (22 rows: lines"
    )


def test_by_tells_units_apart(tmp_path: Path) -> None:
    text = f"{HEAD},model\nq1,new,1,m\nq1,old,2,m\nq1,new,3,k\n"
    assert messages(text, tmp_path, condition="prompt", by="model")[1] == (
        "answers.csv line 4, column 'question': 'q1' (model 'k') has no row under 'old'"
    )
    text += "q1,old,2,k\nq2,new,1,m\nq2,old,1,m\nq2,new,3,k\nq2,old,1,k\n"
    assert messages(text, tmp_path, condition="prompt") == [
        "answers.csv: a unit has several rows of one source, and column 'model' tells them apart ('k' and 'm'). Name "
        "it with by='model' (--by model), or as a part of the unit: unit=['question', 'model'] (--map "
        "unit=question,model)"
    ]


def test_repeated_rows_are_named_even_when_they_are_equal(tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,1\nq1,old,2\nq1,old,2\nq2,new,1\nq2,old,1\nq2,new,2\n"
    found = messages(text, tmp_path)
    assert [m.split(". ")[0] for m in found] == [
        "answers.csv line 3, column 'question': 'q1' (prompt 'old') has 2 rows (2 rows: lines 3, 4)",
        "answers.csv line 5, column 'question': 'q2' (prompt 'new') has 2 rows (2 rows: lines 5, 7)",
    ]


@pytest.mark.parametrize("value", ["seven", "inf", "-inf", "1e999", "1_000", "0x10"])
def test_what_is_no_finite_number_is_named(value: str, tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,1.5\nq1,old,{value}\nq2,new,1\nq2,old,3\n"
    assert messages(text, tmp_path) == [
        f"answers.csv line 3, column 'score': '{value}' is not a finite number. "
        f"Correct it, or declare it with na='{value}' if it means a missing value"
    ]
    assert read_paired(tmp_path / "answers.csv", na=value, missing="drop").n_pairs == 1


def test_numbers_of_an_engine_that_are_not_finite_are_named() -> None:
    table = {"unit": [1, 1, 2, 2], "condition": ["a", "b"] * 2, "value": [1.5, np.inf, 2.0, np.nan]}
    assert frame_error(table).split("\n") == [
        "data frame row 1, column 'value': 'inf' is not a finite number. "
        "Correct it, or declare it with na='inf' if it means a missing value",
        "data frame row 3, column 'value': the value is missing. "
        "Fill it in, or say missing='drop' (--missing drop) to leave such rows out",
    ]


def test_missing_values_of_every_column_are_named_at_once(tmp_path: Path) -> None:
    text = f"{HEAD},story\nq1,new,1,s\n,old,2,s\nq2,,3,s\nq2,old,,s\nq2,new,5,\n"
    fix = "Fill it in, or say missing='drop' (--missing drop) to leave such rows out"
    found = messages(text, tmp_path, cluster="story", unmatched="drop")
    assert found == [
        f"answers.csv line {line}, column '{column}': the value is missing. {fix}"
        for line, column in ((3, "question"), (4, "prompt"), (6, "story"))
    ]
    text = f"{HEAD}\nq1,new,1\nq1,old,\nq2,new,2\nq2,old,3\n"
    assert messages(text, tmp_path) == [
        f"answers.csv line 3, column 'score': the value is missing. {fix}"
    ]


def test_more_or_fewer_than_two_conditions(tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,1\nq1,old,2\nq1,older,2\n"
    assert messages(text, tmp_path) == [
        "answers.csv, column 'prompt': 3 conditions ('new', 'old' and 'older'), and two are compared. Say which two to "
        "compare, the first minus the second: conditions=('new', 'old')"
    ]
    assert messages(f"{HEAD}\nq1,new,1\n", tmp_path) == [
        "answers.csv, column 'prompt': only one condition, 'new'. A comparison needs a second condition"
    ]
    (tmp_path / "answers.csv").write_text(text)
    with pytest.raises(
        DesignError, match=r"no condition 'newer'. Did you mean 'new'\? Conditions: 'new', 'old' "
    ):
        read_paired(tmp_path / "answers.csv", conditions=("newer", "old"))


def test_two_texts_need_an_order(tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,good\nq1,old,bad\n"
    assert messages(text, tmp_path) == [
        "answers.csv, column 'score': the values are the texts 'bad' and 'good', and which counts as 1 is undeclared. "
        "Declare levels=('bad', 'good') if 'good' counts as 1, or levels=('good', 'bad') if 'bad' does"
    ]
    assert read_paired(tmp_path / "answers.csv", levels=("bad", "good")).difference.tolist() == [
        1.0
    ]
    assert messages(f"{HEAD}\nq1,new,1\nq1,old,2\n", tmp_path, scale="binary") == [
        "answers.csv, column 'score': scale='binary', but the values are 1 and 2. Say which two values count as 0 and "
        "1: levels=(ZERO, ONE)"
    ]


def test_values_outside_the_levels(tmp_path: Path) -> None:
    text = f"{HEAD}\nq1,new,Good\nq1,old,bad\nq2,new,fine\nq2,old,fine\n"
    assert messages(text, tmp_path, levels=("bad", "good")) == [
        "answers.csv line 4, column 'score': 'fine' is none of the levels ('bad' and 'good') (2 rows: lines "
        "4, 5). Correct it, add it to levels= (--levels), or say na='fine'",
        "answers.csv line 2, column 'score': 'Good' is none of the levels ('bad' and 'good'). Did you mean "
        "'good'? Correct it, add it to levels= (--levels), or say na='Good'",
    ]


def test_a_unit_in_two_clusters(tmp_path: Path) -> None:
    text = f"{HEAD},story\nq1,new,1,s\nq1,old,2,t\nq2,new,1,s\nq2,old,1,s\n"
    assert messages(text, tmp_path, cluster="story") == [
        "answers.csv line 2, column 'story': unit 'q1' has several values of 'story': 's' and 't' (2 rows: lines 2, "
        "3). A unit belongs to one cluster: give its rows the same value, or different units different names"
    ]


def test_missing_columns_say_where_they_were_looked_for(tmp_path: Path) -> None:
    found = messages("scoer,promt,nr\n1,2,3\n", tmp_path, by="modle")
    assert found == [
        "answers.csv: no column 'modle' (asked for as by). Columns: scoer, promt and nr. Say which it is: by='COLUMN'",
        "answers.csv: no column for 'unit' (looked for unit, unit_id, item, item_id, question, question_id and 28 "
        "more). Columns: scoer, promt and nr. Say which it is: unit='COLUMN'",
        "answers.csv: no column for 'condition' (looked for condition, arm, treatment, phase, time, group and 5 more). "
        "Columns: scoer, promt and nr. Say which it is: condition='COLUMN'",
        "answers.csv: no column for 'value' (looked for value, score, correct, answer, response, rating and 5 more). "
        "Columns: scoer, promt and nr. Did you mean value='scoer' ?",
    ]
    message = frame_error({"unit": [1], "condition": [1], "score": [1]}, unit="unit", value="unit")
    assert message == (
        "data frame: unit and value are the same column 'unit'. Columns: unit, condition and score. "
        "Say which it is: value='COLUMN'"
    )


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame({"unit": [], "condition": [], "value": []}),
        {"unit": [1, 1], "condition": ["a", "b"], "value": [None, 1]},
    ],
)
def test_nothing_to_analyse(data: Any) -> None:
    with pytest.raises(NothingToAnalyse):
        Paired.from_frame(data, missing="drop", unmatched="drop", conditions=("a", "b"))


def test_one_pair_can_be_read() -> None:
    design = Paired.from_frame(
        {"unit": [1, 1], "condition": ["a", "b"], "value": [1, 2]}, conditions=("a", "b")
    )
    assert (design.n_pairs, design.difference.tolist()) == (1, [-1.0])


def test_lists_are_no_labels() -> None:
    message = frame_error({"unit": [[1], [2]], "condition": ["a", "b"], "value": [1, 2]})
    assert message.startswith("data frame, column 'unit': it holds values that are no labels")
    message = frame_error({"unit": [b"1", b"1"], "condition": ["a", "b"], "value": [1, 2]})
    assert (
        message
        == "data frame, column 'unit': it holds values that are no labels (a bytes is not a label)"
    )


def test_differences_of_nominal_values_and_tables_of_numbers_do_not_exist() -> None:
    table = {"unit": [1, 1], "condition": ["a", "b"], "value": ["x", "y"]}
    with pytest.raises(DesignError, match="differences need numbers or two levels"):
        _ = Paired.from_frame(table, scale="nominal").difference
    with pytest.raises(DesignError, match="a table of pairs needs levels"):
        Paired.from_frame(table | {"value": [1, 5]}).square()
