"""Flip rate: R's numbers, pairs counted one by one, refusals, tolerance, and what is no repeat."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats import flip_rate
from socialstats.errors import DesignError, InputError

TOP = Path(__file__).parents[2]
SAMPLES = TOP / "examples" / "data" / "samples.csv"


def answers(draws: int = 3, seed: int = 1) -> pd.DataFrame:
    """Three labels of two models to 40 questions, unequally often."""
    draw = np.random.default_rng(seed)
    rows = [
        (f"q{k}", model, t, "abc"[draw.choice(3, p=draw.dirichlet([1, 1, 1]))])
        for k in range(40)
        for model in ("ash", "elm")
        for t in range(draws - (k % 7 == 0))
    ]
    return pd.DataFrame(rows, columns=["question", "model", "take", "label"])


def by_hand(table: pd.DataFrame, model: str) -> float:
    groups = table[table["model"] == model].groupby("question")["label"]
    shares = [
        np.mean([a != b for a, b in combinations(group, 2)])
        for _, group in groups
        if len(group) > 1
    ]
    return float(np.mean(shares))


def test_rates_and_errors_are_those_of_r() -> None:
    golden = json.loads((TOP / "tests" / "golden" / "flip_rate.json").read_text())
    found = flip_rate(SAMPLES)
    for model, wanted in golden.items():
        assert found.row(model).estimate == pytest.approx(wanted["estimate"], rel=1e-12)
        assert found.row(model).std_error == pytest.approx(wanted["std_error"], rel=1e-9)
    assert found.row("all").n_clusters == 60


def test_pairs_of_labels_are_those_counted_one_by_one() -> None:
    table = answers()
    found = flip_rate(table, unit="question", rater="model", value="label", repeat="take")
    for model in ("ash", "elm"):
        assert found.row(model).estimate == pytest.approx(by_hand(table, model), rel=1e-12)
    assert found.verify().ok
    shuffled = table.sample(frac=1, random_state=3)
    again = flip_rate(shuffled, unit="question", rater="model", value="label", repeat=True)
    assert again.row("elm").estimate == pytest.approx(found.row("elm").estimate, rel=1e-12)
    assert again.row("elm").conf_low == pytest.approx(found.row("elm").conf_low, rel=1e-12)


def test_a_source_that_never_changes_has_an_interval_above_zero() -> None:
    table = answers().assign(label=lambda t: np.where(t["model"] == "ash", "a", t["label"]))
    row = flip_rate(table, value="label").row("ash")
    assert row.estimate == 0
    assert row.conf_low == 0 < row.conf_high < 0.12


def test_answers_within_a_tolerance_are_alike() -> None:
    table = pd.DataFrame(
        {"item": [1, 1, 2, 2], "model": "m", "run": [1, 2] * 2, "score": [3, 4, 5, 9]}
    )
    assert flip_rate(table).row("m").estimate == 1
    assert flip_rate(table, tolerance=1).row("m").estimate == 0.5


def test_what_was_asked_once_has_no_flip_rate() -> None:
    with pytest.raises(DesignError, match="nothing was asked again"):
        flip_rate(answers(draws=2).query("take == 0"), value="label")


def test_judges_of_one_answer_are_no_repeats() -> None:
    table = answers().rename(columns={"take": "judge"})
    with pytest.raises(InputError, match="judge"):
        flip_rate(table, value="label")


def test_other_ratings_are_refused() -> None:
    rated = ss.Ratings.from_frame({"unit": [1, 1], "rater": ["a", "b"], "value": [1, 2]})
    with pytest.raises(DesignError, match="one row for each answer"):
        flip_rate(rated)
