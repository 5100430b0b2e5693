"""People beside models in a study of a user's own: one row for each person, one column for each question."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import read_study
from socialstats.errors import InputError
from socialstats.studies.declared.people import add_people
from socialstats.tables import as_table
from socialstats.tables.joining import as_read, pandas_of

LABELS = ["never", "sometimes", "often"]
QUESTIONS = [f"q{k}" for k in range(1, 9)]
SURVEY = """
[data]
scale = "ordinal"
levels = ["never", "sometimes", "often"]
map = {unit = "question", source = "model", rater = "run", value = "said"}

[[question]]
id = "shares"
metric = "choice_shares"
each = ["question", "model"]
unit = "run"

[[question]]
id = "agreement"
metric = "js_similarity"
rater_source = "model"

[[table]]
title = "Shares"
question = "shares"
rows = ["question", "model"]
columns = "level"
"""
SCALED = """
[data]
range = [1, 5]
map = {unit = "run", source = "model", MAP}

[scale.care]
items = ["care1", "care2"]
reversed = ["care2"]

[[question]]
id = "level"
metric = "mean_ratings"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a survey of two models and of people, and its study."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [
        {"question": question, "model": model, "run": f"{model} {k}", "said": rng.choice(LABELS)}
        for question in QUESTIONS
        for model in ("birch", "cedar")
        for k in range(6)
    ]
    pd.DataFrame(rows).to_csv("models.csv", index=False)
    people: dict[str, Any] = {"person": [f"p{k}" for k in range(20)], "age": range(20, 40)}
    people |= {question: rng.choice(LABELS, 20) for question in QUESTIONS}
    pd.DataFrame(people).to_csv("people.csv", index=False)
    (tmp_path / "study.toml").write_text(SURVEY)
    return tmp_path


def test_people_are_a_source_of_their_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["models.csv", "--study", "study.toml", "--people", "people.csv"]
    assert main(["check", *typed]) == 0
    assert "8 questions of people and of models" in capsys.readouterr().out
    assert main(["report", *typed, "-o", "page.html", "-q", "--no-verify"]) == 0
    assert main(["show", "page.html", "--table", "Shares", "--format", "csv"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    levels = [name for name in table if " " not in name]
    assert levels == ["question", "model", "never", "sometimes", "often"]
    assert len(table) == 8 * 3
    often = table.set_index(["question", "model"])["often"]
    people, models = pd.read_csv("people.csv"), pd.read_csv("models.csv")
    of_people = (people["q3"] == "often").mean()
    assert often["q3", "human"] == pytest.approx(of_people, abs=1e-12)
    of_model = models[(models["question"] == "q3") & (models["model"] == "birch")]["said"]
    assert often["q3", "birch"] == pytest.approx((of_model == "often").mean(), abs=1e-12)


def test_a_key_of_the_file_names_people(folder: Path) -> None:
    text = SURVEY.replace('scale = "ordinal"', 'scale = "ordinal"\npeople = "people.csv"')
    (folder / "study.toml").write_text(text)
    answers = read_study("study.toml").answers("models.csv")
    groups = {row.label("source") for row in answers["agreement"].rows}  # type: ignore[union-attr]
    assert {"birch", "cedar"} <= groups
    assert "q3 / human" in answers["shares"].results  # type: ignore[union-attr]


# what is wrong with the file of people, and what the message names
WRONG = {
    "question": ((",q4,", ",q44,"), ("people.csv", "no column 'q4'", "Did you mean 'q44'")),
    "column": (("q4", "Q4"), ("people.csv", "'Q4' is 'q4'", "Spell the question in one way")),
    "value": (("p3,23,", "p3,23,Often no,"), ("people.csv line 5", "'q1'", "'Often no'")),
    "twice": (("\np4,", "\np5,"), ("line 6", "'person'", "'p5' has several rows")),
}


@pytest.mark.parametrize("case", WRONG)
def test_questions_levels_and_persons_are_checked(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (old, new), words = WRONG[case]
    text = (folder / "people.csv").read_text()
    assert old in text
    if case == "value":
        line = next(line for line in text.splitlines() if line.startswith(old))
        changed = new + ",".join(line.split(",")[3:])
        (folder / "people.csv").write_text(text.replace(line, changed))
    else:
        (folder / "people.csv").write_text(text.replace(old, new))
    typed = ["check", "models.csv", "--study", "study.toml", "--people", "people.csv"]
    assert main(typed) == 2
    told = capsys.readouterr().err
    assert all(word in told for word in words)


@pytest.mark.parametrize("long", [False, True], ids=["columns", "rows"])
def test_scores_of_people_are_those_of_models(long: bool, folder: Path) -> None:
    models = pd.DataFrame(
        {"model": ["birch"] * 4, "run": [*"abcd"], "care1": [1, 2, 3, 4], "care2": [5, 4, 3, 1]}
    )
    if long:
        models = models.melt(id_vars=["model", "run"], var_name="item", value_name="grade")
    models.to_csv("models.csv", index=False)
    people = pd.DataFrame({"person": [*"xyz"], "care1": [5, 4, 2], "care2": [1, 2, 5]})
    people.to_csv("people.csv", index=False)
    columns = 'item = "item", value = "grade"' if long else ""
    text = SCALED.replace(", MAP", f", {columns}" if columns else "")
    text = text.replace("range = [1, 5]", 'range = [1, 5]\npeople = "people.csv"')
    (folder / "study.toml").write_text(text)
    scores = read_study("study.toml").scores("models.csv")
    of_people = scores[scores["model"] == "human"].set_index("run")["score"]
    expected = (people.set_index("person")["care1"] + 6 - people.set_index("person")["care2"]) / 2
    pd.testing.assert_series_equal(
        of_people.sort_index(), expected.sort_index(), check_names=False, check_index_type=False
    )
    (folder / "people.csv").write_text("person,care1,care2\nx,9,1\n")
    assert main(["check", "models.csv", "--study", "study.toml"]) == 2


LONG = """
[data]
map = {unit = "dylemat", source = "model", rater = "sędzia", VALUE}
SCALE

[[question]]
id = "level"
metric = "mean_ratings"
each = ["model", "rama"]
"""
LAYOUTS = {
    "value": ('value = "wynik"', ""),
    "item": ('condition = "rama"', "[scale.wynik]\nitems = ['wynik']\nrange = [1, 5]"),
}


def long_folder(folder: Path, layout: str) -> pd.DataFrame:
    """Write answers of a model and of four people to 24 dilemmas in two framings, and return those of people."""
    rng = np.random.default_rng(5)
    value, scale = LAYOUTS[layout]
    (folder / "long.toml").write_text(LONG.replace("VALUE", value).replace("SCALE", scale))
    rows = [
        {"sędzia": rater, "dylemat": f"d{k}", "rama": framing, "wynik": int(rng.integers(1, 6))}
        for rater in ("Anna", "Ewa", "Jan", "Piotr")
        for k in range(24)
        for framing in ("zysk", "strata")
    ]
    people = pd.DataFrame(rows)
    models = people.assign(model="birch", sędzia=people["sędzia"].map(lambda name: f"judge {name}"))
    models.to_csv("long_models.csv", index=False)
    people.to_csv("long_people.csv", index=False)
    return people


@pytest.mark.parametrize("layout", LAYOUTS)
def test_people_in_long_form_keep_the_labels_of_the_study(layout: str, folder: Path) -> None:
    people = long_folder(folder, layout)
    study = read_study("long.toml")
    joined = add_people(as_read("long_models.csv"), as_read("long_people.csv"), study.declaration)
    assert joined.table.levels("dylemat") == tuple(sorted({*people["dylemat"]}))
    raters = {*people["sędzia"]}
    assert {*joined.table.levels("sędzia")} == raters | {f"judge {name}" for name in raters}
    rows = pandas_of(joined.table)
    kept = rows[rows["model"] == "human"][[*people.columns]].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept.astype(str), people.astype(str), check_dtype=False)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_answers_of_a_person_to_a_question_are_refused(layout: str, folder: Path) -> None:
    people = long_folder(folder, layout)
    pd.concat([people, people.iloc[[3]]]).to_csv("long_people.csv", index=False)
    study = read_study("long.toml")
    with pytest.raises(
        InputError, match=r"long_people.csv line 5, column 'sędzia': .*lines 5, 194"
    ):
        add_people(as_read("long_models.csv"), as_read("long_people.csv"), study.declaration)


@pytest.mark.parametrize("name", ["run", "osoba", "name", "Person"])
def test_a_person_with_two_rows_is_refused_whatever_the_column_is_called(
    name: str, folder: Path
) -> None:
    people = pd.read_csv("people.csv").rename(columns={"person": name})
    people.loc[4, name] = "p2"
    study = read_study("study.toml")
    with pytest.raises(InputError, match="'p2' has several rows"):
        add_people(as_read("models.csv"), as_table(people), study.declaration)


def test_people_in_long_form_are_told_apart_by_structure(folder: Path) -> None:
    people = pd.read_csv("people.csv").drop(columns="age")
    long = people.melt("person", var_name="question", value_name="said")
    study = read_study("study.toml")
    tall = add_people(
        as_read("models.csv"), as_table(long.rename(columns={"person": "kto"})), study.declaration
    )
    assert {*people["person"]} <= {*tall.table.levels("run")}
    with pytest.raises(InputError, match="call it 'person', 'respondent' or 'id'"):
        add_people(as_read("models.csv"), as_table(long.drop(columns="person")), study.declaration)
