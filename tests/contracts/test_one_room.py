"""Intervals are made in `inference/` alone: what the code of all other rooms may and may not do is read here."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

import socialstats
from socialstats.metrics import METRICS
from tests.contracts.subjects import run, subject_of
from tests.contracts.trees import tree_of

ROOT = Path(socialstats.__file__).parent
ENDS = {"conf_low", "conf_high"}
QUANTILES = {"ndtri", "stdtrit", "ppf", "isf"}
OF_ROWS = {  # modules that write ends of rows, and why
    "custom/multiverse.py": "rounds the ends of rows for print",
    "results/rows.py": "turns the sign of a difference around",
}
OF_QUANTILES = {  # modules that take quantiles, and why
    "paired/noncentral_t.py": "inverts the noncentral t",
    "paired/mean_sizes.py": "draws correlated t",
    "custom/rechecks.py": "intervals, recomputed",
    "planning/power.py": "power of tests",
    "planning/power_peers.py": "power of tests, recomputed",
    "designs/undeclared.py": "how much longer intervals would be with a column as clusters",
    "choices/bradley_terry/covariance.py": "critical values of rank sets",
    "resampling/intervals.py": "BCa's and interpolated quantiles of resamples",
    "datasets/simulating.py": "draws normal numbers",
    "figures/qq.py": "the band of a normal Q-Q plot",
    "datasets/simulate_role_conflict.py": "draws normal numbers",
}
CAUTIONS = ("SS201", "SS202", "SS204", "SS312")


def everything() -> dict[str, ast.Module]:
    """Every module of the package."""
    paths = sorted(ROOT.rglob("*.py"))
    return {
        path.relative_to(ROOT).as_posix(): tree_of(path.read_text(encoding="utf-8"))
        for path in paths
    }


def modules() -> dict[str, ast.Module]:
    """Every module outside `inference/`, `crosscheck/` (of peers) and `audit/claims/` (others' numbers)."""
    return {
        name: tree
        for name, tree in everything().items()
        if not name.startswith(("inference/", "crosscheck/", "audit/claims/"))
    }


@functools.cache
def calls(tree: ast.Module) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def is_copy(value: ast.expr) -> bool:
    """None, or the end of another row as it is."""
    empty = isinstance(value, ast.Constant) and value.value is None
    return empty or (isinstance(value, ast.Attribute) and value.attr in ENDS)


def writes_ends(tree: ast.Module) -> bool:
    keywords = any(
        k.arg in ENDS and not is_copy(k.value) for call in calls(tree) for k in call.keywords
    )
    keys = any(
        isinstance(key, ast.Constant)
        and key.value in ENDS
        and not isinstance(value, ast.Constant | ast.Call)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
    )
    return keywords or keys


def takes_quantiles(tree: ast.Module) -> bool:
    return any(
        (isinstance(f := call.func, ast.Name) and f.id in QUANTILES)
        or (isinstance(f, ast.Attribute) and f.attr in QUANTILES)
        for call in calls(tree)
    )


def test_rows_get_their_intervals_in_one_room():
    assert {name for name, tree in modules().items() if writes_ends(tree)} == set(OF_ROWS)


def test_quantiles_for_intervals_are_taken_in_one_room():
    assert {name for name, tree in modules().items() if takes_quantiles(tree)} == set(OF_QUANTILES)


@pytest.mark.parametrize("code", CAUTIONS)
def test_a_caution_of_intervals_is_raised_in_one_place(code):
    found = [
        name
        for name, tree in everything().items()
        for call in calls(tree)
        if call.args
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value == code
        and isinstance(call.func, ast.Name)
        and call.func.id == "caution"
    ]
    assert len([name for name in found if not name.startswith("audit/claims/")]) == 1, found


@pytest.mark.parametrize("name", METRICS)
def test_glance_tells_how_much_clusters_know(name):
    subject = subject_of(name)
    result = run(name, subject.design(subject.rows()))
    told = result.glance().iloc[0]
    if any(
        row.n_clusters is not None and row.conf_low is not None and row.df is not None
        for row in result.rows
    ):
        assert told["effective_df"] > 0
        assert 0 < told["largest_leverage"] <= 1
