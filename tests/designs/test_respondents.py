"""People with a row each, and models with a row for each answer, in one table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from socialstats.designs.respondents import join_people
from socialstats.errors import InputError

MODELS = {
    "model": ["gpt", "gpt", "gpt", "claude", "claude"],
    "question": ["q1", "q2", "q1", "q1", "q2"],
    "run": [1, 1, 2, 1, 1],
    "answer": [4, 2, 5, 3, 3],
}
PEOPLE = {"id": [1, 2, 3], "age": [30, 41, 52], "q1": [5, 3, None], "q2": [1, 2, 2]}
NAMED = {"source": "model", "item": "question", "value": "answer"}


def test_each_answer_of_people_is_a_row() -> None:
    joined = join_people(MODELS, PEOPLE, **NAMED)
    rows = joined.table.frame.to_pandas()
    people = rows[rows["kind"] == "people"]
    assert len(rows) == 5 + 6
    assert {
        (r.model, r.question, r.answer) for r in people.dropna(subset="answer").itertuples()
    } == {
        ("1", "q1", 5),
        ("2", "q1", 3),
        ("1", "q2", 1),
        ("2", "q2", 2),
        ("3", "q2", 2),
    }
    assert people.groupby("model")["age"].first().to_dict() == {"1": 30, "2": 41, "3": 52}
    assert people["run"].isna().all()


def test_people_with_a_row_for_each_answer_are_the_same() -> None:
    wide = join_people(MODELS, PEOPLE, **NAMED)
    long = pd.DataFrame(PEOPLE).melt(["id", "age"], var_name="question", value_name="answer")
    tall = join_people(MODELS, long, **NAMED)
    columns = ["model", "question", "answer", "age", "kind"]
    assert tall.questions == wide.questions == ("q1", "q2")
    first, second = (one.table.frame.to_pandas()[columns].astype(str) for one in (wide, tall))
    assert sorted(first.itertuples(index=False)) == sorted(second.itertuples(index=False))


def test_models_with_a_column_for_each_question() -> None:
    models = {"model": ["gpt", "claude"], "q1": [4, 3], "q2": [2, 3]}
    joined = join_people(models, PEOPLE, source="model", questions=("q1", "q2"))
    assert joined.table.texts("q2") == ["2", "3", "1", "2", "2"]
    assert joined.table.texts("model") == ["gpt", "claude", "1", "2", "3"]


def test_people_without_a_name_are_numbered() -> None:
    joined = join_people(MODELS, {"q1": [5, 3], "q2": [1, 2]}, **NAMED)
    assert joined.table.texts("model")[5:] == ["person 1", "person 2"] * 2


def test_what_one_side_alone_answered_is_told() -> None:
    people = pd.DataFrame(PEOPLE).drop(columns="q2")
    assert join_people(MODELS, people, **NAMED).only_models == ("q2",)


def test_a_column_that_tells_people_from_models_keeps_its_labels() -> None:
    models = {**MODELS, "source": "llm"}
    joined = join_people(models, PEOPLE, **NAMED, kind="source")
    assert set(joined.table.texts("source")) == {"llm", "people"}


@pytest.mark.parametrize(
    ("people", "parts"),
    [
        ({"id": [1, 1], "q1": [1, 2]}, ("column 'id'", "'1' has several rows", "Keep one row")),
        ({"id": [1, None], "q1": [1, 2]}, ("column 'id'", "no name of the person")),
        ({"id": ["gpt", "p"], "q1": [1, 2]}, ("'gpt'", "called like a model", "Rename")),
        ({"id": [1, 2], "Q1": [1, 2]}, ("'Q1'", "'q1'", "in one way")),
        ({"id": [1, 2], "item1": [1, 2]}, ("no question", "'item1'")),
        ({"id": [1, 2], "q1": ["agree", 2]}, ("column 'q1'", "'agree' is not a number", "Code it")),
        ({"id": [1, 2], "q1": [1, 2], "answer": [1, 2]}, ("'answer'", "Rename it")),
    ],
)
def test_bad_people_are_refused(people: dict[str, list[object]], parts: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        join_people(MODELS, people, **NAMED)
    for part in parts:
        assert part in str(error.value)


def test_labels_that_people_spell_otherwise_are_refused() -> None:
    models = {"model": ["gpt", "gpt"], "question": ["q1", "q2"], "answer": ["Yes", "No"]}
    people = {"id": [1, 2], "q1": ["yes", "No"]}
    with pytest.raises(InputError, match="'yes' is 'Yes' in"):
        join_people(models, people, **NAMED)


def test_lines_of_a_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,q1\n1,4\n2,often\n")
    with pytest.raises(
        InputError, match=r"people.csv line 3, column 'q1': 'often' is not a number"
    ):
        join_people(MODELS, str(path), **NAMED)
    joined = join_people(MODELS, str(path), **NAMED, na=["often"])
    assert joined.table.texts("answer")[5:] == ["4", "often"]
