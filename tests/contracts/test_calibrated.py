"""Public functions that give an interval or a p-value have simulated lines by kind of data; none fails in silence."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.metrics import METRICS
from socialstats.results import Result, Row
from tests.contracts.subjects import run, subject_of
from tests.contracts.test_derived import DERIVED

TOP = Path(__file__).parents[2]
OTHERS: dict[str, Callable[[], Result]] = {
    "effect_sizes_from_summary": lambda: ss.effect_sizes_from_summary(n=20, t=2.1),
}
PLANNED = {
    "power_paired_t",
    "power_mcnemar",
    "power_clustered_mean",
}  # of a study that has no data yet
REPEATED = {  # take several answers of one source to one unit, and several meetings of one pair
    "mean_ratings",
    "reply_shares",
    "changed_shares",
    "changed_means",
    "two_proportions",
    "choice_shares",
    "js_similarity",
    "multinomial_logit",
    "ratings_difference",
    *(name for name, metric in METRICS.items() if metric.design == "comparisons"),
}


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Import a script of tests/calibration."""
    monkeypatch.syspath_prepend(str(TOP / "tests" / "calibration"))
    return importlib.import_module


def functions() -> Iterator[str]:
    """Yield the public functions that return results."""
    for name in ss.__all__:
        one = getattr(ss, name)
        if inspect.isfunction(one) and "Result" in str(inspect.signature(one).return_annotation):
            yield name


def rows_of(name: str) -> list[Row]:
    """Return the rows of an example of a function."""
    if name in METRICS:
        subject = subject_of(name)
        result = run(name, subject.design(subject.rows()))
    else:
        result = (DERIVED | OTHERS)[name]()
    parts = [part for _, part in result] if isinstance(result, ss.ResultGroup) else [result]
    return [row for part in parts for row in part.rows]


def kinds_of(name: str) -> set[str]:
    """Return the kinds of data that lines are asked for, by what the function takes."""
    found = {"repeats"} if name in REPEATED else set()
    if "people" in inspect.signature(getattr(ss, name)).parameters:
        found.add("people")
    if name not in METRICS:
        return found
    metric = METRICS[name]
    if "cluster" in inspect.signature(metric.function).parameters or name == "multinomial_logit":
        found.add("few clusters")
    return found | {
        "numeric": {"skewed"},
        "traits": {"skewed"},
        "binary": {"yes or no", "rare"},
        "nominal": {"yes or no", "rare"},
    }.get(metric.values, set())


@pytest.mark.parametrize("name", sorted(set(functions()) - PLANNED))
def test_what_has_an_interval_or_a_p_value_has_lines_of_each_kind(
    name: str, load: Callable[[str], Any]
) -> None:
    coverage = load("coverage")
    if name in coverage.PASSED_ON:
        return
    inferred = any(row.p_value is not None or row.conf_low is not None for row in rows_of(name))
    assert inferred == (name in coverage.LINES)
    if inferred:
        wanted = kinds_of(name)
        assert wanted <= set(coverage.LINES[name])
        assert {"rare", "skewed"} & set(coverage.LINES[name]) or name not in METRICS


def test_every_pattern_names_default_lines(load: Callable[[str], Any]) -> None:
    coverage, tally = load("coverage"), load("tally")
    lines = tally.read(TOP / "docs" / "calibration.csv")
    claims = [f"{line.study}: {line.setting}, {line.quantity}" for line in lines if line.is_claim]
    assert set(coverage.LINES) <= set(functions())
    absent = set()
    for name, kinds in coverage.LINES.items():
        for kind, pattern in kinds.items():
            assert kind in coverage.KINDS
            if not any(re.match(pattern, line) for line in claims):
                absent.add((name, kind))
    assert absent == set()


def test_no_default_fails_in_silence(load: Callable[[str], Any]) -> None:
    lines = load("tally").read(TOP / "docs" / "calibration.csv")
    silent = [line for line in lines if line.is_claim and line.is_silent and line.is_beyond_noise]
    assert silent == []
    assert all(line.cautioned is not None for line in lines if line.is_claim and line.is_wrong)
