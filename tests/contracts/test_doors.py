"""One default for all doors: the page, ``socialstats estimate`` and Python give the same numbers of a table."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.cli.analysis import prepare
from socialstats.cli.parser import make_parser
from socialstats.studies.plan_files import load_plan

DATA = Path(__file__).parents[2] / "examples" / "data"
FIELDS = ("estimate", "std_error", "df", "p_value", "conf_low", "conf_high")
WIDE, BOTH = ["--first", "after", "--second", "before"], {"first": "after", "second": "before"}
LEVELS = {"levels": ["low", "medium", "high"]}
CASES: dict[str, tuple[str, str, list[str], list[str], dict[str, Any]]] = {
    # name: table, metric, options of report, options of estimate, keywords of Python
    "order declared": ("choices.csv", "bradley_terry", [], [], {}),
    "cluster declared": (
        "choices.csv",
        "bradley_terry",
        ["--cluster", "prompt"],
        ["--cluster", "prompt"],
        {"cluster": "prompt"},
    ),
    "arena": ("arena.csv", "bradley_terry", [], [], {}),
    "arena by pair": (
        "arena.csv",
        "bradley_terry",
        ["--cluster", "pair"],
        ["--cluster", "pair"],
        {"cluster": "pair"},
    ),
    "counts": ("votes.csv", "bradley_terry", [], [], {}),
    "pairs as clusters": ("role_choices.csv", "bradley_terry", [], [], {}),
    "board": ("benchmark.csv", "leaderboard", [], [], {}),
    "board of answers": ("samples.csv", "leaderboard", [], [], {}),
    "scores": ("scores.csv", "paired_difference", [], WIDE, BOTH),
    "sizes": ("scores.csv", "effect_sizes", [], WIDE, BOTH),
    "right or wrong": ("answers.csv", "mcnemar", [], [], {}),
    "counted pairs": (
        "pairs.csv",
        "mcnemar",
        [],
        [*WIDE, "--count", "Freq"],
        {**BOTH, "count": "Freq"},
    ),
    "agreement": (
        "ratings.csv",
        "krippendorff_alpha",
        ["--levels", "low,medium,high"],
        ["--levels", "low,medium,high"],
        LEVELS,
    ),
}


def on_page(words: list[str], metric: str) -> dict[str, Any]:
    """Return the rows of the page's first result of a metric."""
    options = make_parser().parse_args(["report", *words])
    outcome, _ = prepare(options, load_plan(None)).run()
    found = next(
        result for block in outcome.blocks for result in block.results if result.metric == metric
    )
    return {row.name: row for row in found.rows}


@pytest.mark.parametrize("name", CASES)
def test_the_doors_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    table, metric, of_report, of_estimate, keywords = CASES[name]
    path = str(DATA / table)
    page = on_page([path, *of_report], metric)
    python = {row.name: row for row in getattr(ss, metric)(path, **keywords).rows}
    assert main(["estimate", metric, path, *of_estimate, "--format", "json"]) == 0
    typed = json.loads(capsys.readouterr().out)
    printed = [
        {field: row.get(field) for field in ("term", "group", *FIELDS)} for row in typed["terms"]
    ]
    assert set(page) == set(python)
    assert len(printed) == len(python)
    for (row_name, row), other in zip(python.items(), printed, strict=True):
        for field in FIELDS:
            values = [getattr(row, field), getattr(page[row_name], field), other[field]]
            assert alike(values), (row_name, field, values)


def alike(values: list[float | None]) -> bool:
    if any(value is None for value in values):
        return all(value is None for value in values)
    return all(
        math.isclose(values[0] or 0.0, value or 0.0, rel_tol=1e-9, abs_tol=1e-12)
        for value in values
    )


@pytest.mark.parametrize("metric", ["win_rates", "sensitivity"])
def test_declared_clusters_are_not_overridden_by_pairs(metric: str) -> None:
    table = ss.datasets.role_conflict().head(3000)
    declared = ss.read_comparisons(table, covariates=["urgency"], cluster="scenario")
    by_default, by_name, by_pair = (
        getattr(ss, metric)(declared, **options)
        for options in ({}, {"cluster": "declared"}, {"cluster": "pair"})
    )
    assert [row.conf_low for row in by_default.rows] == [row.conf_low for row in by_name.rows]
    assert [row.conf_low for row in by_default.rows] != [row.conf_low for row in by_pair.rows]
    assert "SS201" not in {c.code for c in by_default.cautions}
