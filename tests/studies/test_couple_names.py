"""The check of the names beside a table of couples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from socialstats import datasets
from socialstats.errors import InputError
from socialstats.inference.proportions import wilson
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.couple_tables import ask_names, check_names, read_names
from socialstats.tables import as_table

STUDY = STUDIES["relationship-bias"]
RIGHT = {"woman": "female", "man": "male", "neutral": ""}


def asked(seed: int = 2) -> pd.DataFrame:
    """Ten names of each of three groups in five phrasings; the answers are right with .8, neutral names coin flips."""
    rng = np.random.default_rng(seed)
    rows = []
    for group, right in RIGHT.items():
        for k in range(10):
            for phrasing in range(5):
                share = 0.5 if not right else 0.8 if right == "male" else 0.2
                rows.append(
                    (
                        f"{group} {k}",
                        group,
                        right,
                        f"p{phrasing}",
                        "male" if rng.random() < share else "female",
                    )
                )
    return pd.DataFrame(rows, columns=["name", "group", "expected", "phrasing", "answer"])


def test_majorities_of_phrasings_are_counted_by_group() -> None:
    frame = asked()
    check = read_names(as_table(frame, "names"))
    result = check_names(check, StudyOptions())
    male = (
        frame.assign(male=frame["answer"] == "male").groupby(["group", "name"])["male"].mean() > 0.5
    )
    for group, right in RIGHT.items():
        wanted = float((male[group] if right != "female" else ~male[group]).mean())
        row = result.row("accuracy", group=group)
        low, high = wilson(np.array([wanted]), np.array([10.0]), level=0.95)
        assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx(
            (wanted, low[0], high[0])
        )
    assert result.verify().ok
    block = ask_names(check, result)
    assert block is not None
    assert (
        "The share of neutral names taken for male by the majority of 5 phrasings was ."
        in " ".join(block.sentences)
    )
    assert "share of woman names recognised by" in " ".join(block.sentences)
    assert block.draw is not None
    block.draw().figure.draw_without_rendering()


@pytest.mark.slow
def test_the_page_has_the_names_where_they_are_given() -> None:
    frame = datasets.relationship_bias()
    few = frame[frame["scenario"] < "scenario 08"]
    assert STUDY.read is not None
    options = StudyOptions(
        resamples=200, verify=False, names=STUDY.beside["names"](as_table(asked(), "names"))
    )
    outcome = run_study(STUDY, STUDY.read(as_table(few, "couples")), options)
    assert "names" in [b.id for b in outcome.blocks]
    bare = run_study(STUDY, STUDY.read(as_table(few, "couples")), replace(options, names=None))
    assert "names" not in [b.id for b in bare.blocks]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.drop(columns="expected"), "no column 'expected'"),
        (lambda d: d.assign(answer="male"), "a name check has two"),
        (
            lambda d: d.assign(expected=["male"] * 75 + ["female"] * 75),
            "group 'man' has two right answers",
        ),
        (lambda d: d.assign(expected="woman"), "expected 'woman' is no answer"),
    ],
)
def test_what_is_refused(change: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_names(as_table(change(asked()), "names"))  # type: ignore[operator]
