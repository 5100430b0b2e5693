"""People beside models in a study of a user's own: one row for each person, one column for each question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import read_study

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
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "question,model,never,sometimes,often"
    assert len(lines) == 8 * 3
    people, models = pd.read_csv("people.csv"), pd.read_csv("models.csv")
    of_people = (people["q3"] == "often").mean()
    line = next(line for line in lines if line.startswith("q3,human,"))
    assert f"{of_people:.3f}".lstrip("0") in line.split(",")[-2] + line.split(",")[-1]
    of_model = models[(models["question"] == "q3") & (models["model"] == "birch")]["said"]
    line = next(line for line in lines if line.startswith("q3,birch,"))
    assert f"{(of_model == 'often').mean():.3f}".lstrip("0") in line


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
