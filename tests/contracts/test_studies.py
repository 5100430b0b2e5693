"""Every number on a page comes from a metric: what the code of studies may and may not do is read here."""

from __future__ import annotations

import ast
from pathlib import Path

import socialstats

STUDIES = Path(socialstats.__file__).parent / "studies"
MAKERS = {  # what makes numbers or results
    "Result",
    "infer",
    "Estimand",
    "bootstrap",
    "jackknife",
    "clustered_mean",
    "clustered_share",
    "mean_errors",
    "robust",
    "group_mean_row",
    "mean_difference_row",
    "mean_or_difference_row",
    "sample_mean_row",
    "share_row",
    "with_ends",
    "with_t",
    "with_each_t",
    "with_mean",
    "with_share",
    "with_inferred",
    "with_welch",
    "with_resamples",
    "with_resampled_t",
    "with_both_intervals",
    "with_jackknife",
}
NUMBERS = {
    "estimate",
    "std_error",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
    "conf_low",
    "conf_high",
    "n",
}
OF_NUMBERS = {  # studies that write a number of a row, and why
    "estimates.py": "the one-sided test and the interval at another level of a planned hypothesis, from its row",
    "plan.py": "p of the direction that a plan states",
}


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else ""


def made(text: str) -> list[str]:
    """Return the calls that make a number, a row with numbers, or a result."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        numbers = [
            k
            for k in node.keywords
            if k.arg in NUMBERS
            and not (isinstance(k.value, ast.Constant) and k.value.value is None)
            and not (isinstance(k.value, ast.Attribute) and k.value.attr in NUMBERS)
        ]
        if name_of(node) in MAKERS or (name_of(node) in ("Row", "replace") and numbers):
            found.append(ast.unparse(node))
    return found


def test_studies_make_no_numbers() -> None:
    places = {
        path.relative_to(STUDIES).as_posix(): made(path.read_text(encoding="utf-8"))
        for path in sorted(STUDIES.rglob("*.py"))
    }
    assert {name: calls for name, calls in places.items() if calls and name not in OF_NUMBERS} == {}
    assert all(places[name] for name in OF_NUMBERS)


def test_makers_are_found() -> None:
    text = "Row(term='a', undefined='why'); Row(term='a', estimate=1.0); replace(r, n=None); replace(r, p_value=p)"
    assert made(text) == ["Row(term='a', estimate=1.0)", "replace(r, p_value=p)"]
    assert made("Result(rows=rows); with_t(row, error, 3, .95)") == [
        "Result(rows=rows)",
        "with_t(row, error, 3, 0.95)",
    ]
