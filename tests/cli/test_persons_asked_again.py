"""Tables in which persons have several rows: their repeats are no further persons. Data are simulated."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.profile import TableProfile
from socialstats.proposals.readings.waves import waves_of
from socialstats.tables import as_table

PERSONS = [f"P{k:02}" for k in range(1, 31)]
ITEMS = ["Item1", "Item2", "Item3", "Item4"]


def answers(rows: int, names: Sequence[str] = ITEMS, seed: int = 4) -> pd.DataFrame:
    """Answers from 1 to 5 that hang together within a row."""
    made = np.random.default_rng(seed)
    level = made.normal(3, 1, (rows, 1)) + made.normal(0, 0.7, (rows, len(names)))
    return pd.DataFrame(np.clip(np.round(level), 1, 5).astype(int), columns=[*names])


def asked(
    person: str, time: str, times: Sequence[object], names: Sequence[str] = ITEMS
) -> pd.DataFrame:
    """Each person at each time, a column for each item."""
    keys = pd.DataFrame([(p, t) for p in PERSONS for t in times], columns=[person, time])
    return pd.concat([keys, answers(len(keys), names)], axis=1)


def proposed(rows: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the commands that are proposed for a table."""
    path = tmp_path / "table.csv"
    rows.to_csv(path, index=False)
    assert main(["report", str(path), "-o", str(tmp_path / "page.html")]) != 0
    lines = [line.strip() for line in capsys.readouterr().err.splitlines()]
    return [line for line in lines if line.startswith("socialstats report")]


@pytest.mark.parametrize(
    ("person", "time", "times"),
    [
        ("Befragte", "Welle", [1, 2]),
        ("Kürzel", "Erhebung", [1, 2]),
        ("codename", "occasion_no", [1, 2, 3]),
        ("participant_id", "time", ["pre", "post"]),
        ("sujet", "vague", [1, 2]),
        ("Código", "Onda", ["primera", "segunda"]),
        ("rispondente", "misurazione", ["prima", "dopo"]),
        ("回答者", "調査", [1, 2, 3]),
    ],
)
def test_persons_of_several_waves_are_compared_by_wave(
    person: str,
    time: str,
    times: Sequence[object],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, *more = proposed(asked(person, time, times), tmp_path, capsys)
    words = shlex.split(first)
    assert {f"unit={person}", f"condition={time}", f"value={','.join(ITEMS)}"} <= {*words}
    for command in more:  # no row is a person
        assert f"rater={person}" in shlex.split(command)
        assert f"repeat={time}" in shlex.split(command)


def test_waves_that_some_persons_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = asked("Befragte", "Welle", [1, 2, 3]).drop(index=[1, 5, 8, 12, 13, 30, 41, 77, 88])
    first, *more = proposed(rows, tmp_path, capsys)
    assert "condition=Welle" in shlex.split(first)
    assert "--missing drop" in first
    assert all("rater=Befragte" in shlex.split(command) for command in more)


def test_a_number_of_the_reply_names_no_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = asked("Befragte", "Welle", [1, 2])
    rows.insert(0, "response_id", [f"R_{k}" for k in range(len(rows))])
    first, second = proposed(rows, tmp_path, capsys)
    assert "condition=Welle" in shlex.split(first)
    assert {"rater=Befragte", "repeat=Welle"} <= {*shlex.split(second)}


def test_persons_and_models_whose_rows_nothing_numbers_are_averaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    persons = asked("Befragte", "Welle", [1, 2]).drop(columns="Welle")
    (only,) = proposed(persons, tmp_path, capsys)
    assert {"rater=Befragte", "repeat=true"} <= {*shlex.split(only)}
    models = pd.DataFrame({"model": ["gpt-4o", "claude-3-opus", "mistral-large"] * 10})
    (only,) = proposed(pd.concat([models, answers(30)], axis=1), tmp_path, capsys)
    assert {"rater=model", "repeat=true"} <= {*shlex.split(only)}


def test_raters_of_several_texts_of_a_person_meet_units_in_clusters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = asked("Kürzel", "Zeit", [1, 2], ["Rater1", "Rater2", "Rater3"])
    commands = [shlex.split(line) for line in proposed(rows, tmp_path, capsys)]
    raters = next(words for words in commands if "--raters" in words)
    assert "unit=Kürzel,Zeit" in raters
    assert raters[raters.index("--cluster") + 1] == "Kürzel"


def rows_of(**columns: Sequence[object]) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(columns), answers(60)], axis=1)


@pytest.mark.parametrize(
    "rows",
    [
        rows_of(
            participant=[f"S{k}" for k in range(60)], city=[f"town {k % 20}" for k in range(60)]
        ),
        rows_of(teacher=[f"T{k % 3}" for k in range(60)], age=[20 + k % 9 for k in range(60)]),
        rows_of(
            first_name=[f"name {k if k < 56 else k - 56}" for k in range(60)],
            course=["AB"[k % 7 > 3] for k in range(60)],
        ),
        rows_of(
            scenario=[f"s{k % 10}" for k in range(60)], arm=["xy"[k % 4 > 1] for k in range(60)]
        ),
    ],
    ids=["persons", "teachers", "first names", "cells of many"],
)
def test_rows_that_may_be_persons_stay(rows: pd.DataFrame) -> None:
    seen = TableProfile(as_table(rows))
    assert waves_of(seen, [seen.columns[name] for name in ITEMS]) is None


def test_raters_of_things_that_are_shown_may_disagree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Decimals of three columns, without a name for raters: their agreement comes before a pair of two of them."""
    made = np.random.default_rng(0)
    marks = made.normal(5, 1.5, (40, 3)).round(1)
    rows = pd.DataFrame(marks, columns=["anna", "ben", "chris"])
    rows.insert(0, "item", [f"q{k}" for k in range(40)])
    first, second = proposed(rows, tmp_path, capsys)
    assert "--raters anna,ben,chris" in first
    assert "first=anna" in shlex.split(second)
