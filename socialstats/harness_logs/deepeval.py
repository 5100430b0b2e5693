"""Test runs of DeepEval: ``test_run_*.json`` and ``.latest_test_run.json``.

Metrics that raised an error have no score, so that each metric has its own denominator. ``metricsScores`` mixes scores
of test cases with scores of spans inside them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from socialstats.harness_logs.files import Source, load_json
from socialstats.harness_logs.log import Claim, Log
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    at,
    cell,
    claim,
    is_number,
    items,
    log_of,
    objects,
    row,
    scored,
    text,
)
from socialstats.text import count, quoted

NEEDS = "JSON with 'testCases' or 'testRunData' (DeepEval)"
CASE, SUCCESS = "case", "success"
OWN = {"threshold": "threshold", "passed": "success", "judge": "evaluationModel"}
KINDS = ("testCases", "conversationalTestCases")
FORMS = [("object", name) for name in ("testRunData", *KINDS)]


def read(source: Source) -> Log:
    """Read a test run: one row per test case and metric, its spans under the filter ``span: name``."""
    units: dict[str, dict[str, Row]] = {}
    position = itertools.count()
    cases = [lambda case: list(case_rows(at(case), next(position), units))]
    shape: Members = {"*": None, **dict.fromkeys(KINDS, cases)}
    top = at(load_json(source.path, {**shape, "testRunData": shape}))
    run = at(top, "testRunData") or top
    task = run.get("testFile") or run.get("identifier") or run.get("datasetAlias") or ""
    rows = [r for kind in KINDS for rows_of_case in items(run, kind) for r in rows_of_case]
    return log_of(
        __name__,
        source,
        rows,
        about={"task": task},
        version=run.get("deepevalVersion"),
        notes=level_notes(run, rows),
        claims=pass_claims(run, source.path.name),
    )


def case_rows(case: Members, position: int, units: dict[str, dict[str, Row]]) -> Iterator[Row]:
    """Yield the rows of a case; another input under the same name is another unit, the same one a repeat."""
    unit = cell(case.get("name")) or f"case {cell(case.get('order', position))}"
    question = cell(case.get("input") or case.get("scenario")) or ""
    inputs = units.setdefault(unit, {})
    common = inputs.setdefault(
        question, {"unit": f"{unit} ({len(inputs) + 1})" if inputs else unit, "epoch": 0}
    )
    common["epoch"] += 1
    about = {**at(case, "additionalMetadata"), **at(case, "metadata")}
    if case.get("tags"):
        about["tags"] = "; ".join(cell(t) or "" for t in items(case["tags"]))
    shared = {**common, "metadata": about}
    yield from metric_rows(case, CASE, case.get("actualOutput"), shared)
    yield row(**shared, scorer=SUCCESS, filter=CASE, score=scored(case.get("success")))
    traces = [spans for key, spans in at(case, "trace").items() if key.endswith("Spans")]
    for span in [at(span) for listed in traces for span in items(listed)]:
        level = f"span: {cell(span.get('name') or span.get('type'))}"
        yield from metric_rows(span, level, span.get("output"), shared)


def metric_rows(judged: Members, level: str, answer: Any, shared: Row) -> Iterator[Row]:
    """Yield a row for each metric of a test case, or of a span in it."""
    for metric in objects(judged, "metricsData"):
        failed = metric.get("error")
        scored_row = row(
            **shared,
            scorer=metric.get("name"),
            filter=level,
            score=scored(metric.get("score"), failed=bool(failed)),
            answer=failed or answer,
        )
        yield scored_row | {name: cell(metric.get(key)) for name, key in OWN.items()}


def pass_claims(run: Members, file: str) -> Iterator[Claim]:
    """Return the counts of passed test cases, and of scores of each metric (of all levels) that pass and fail."""
    select = {"scorer": SUCCESS, "filter": CASE}
    yield from claim(
        "testPassed", "sum", run.get("testPassed"), f"{file}: testPassed", select, reducer="none"
    )
    for position, entry in enumerate(objects(run, "metricsScores")):
        metric = cell(entry.get("metric"))
        for key, passed in (("passes", "True"), ("fails", "False")):
            select, where = (
                {"scorer": metric or "", "passed": passed},
                f"{file}: metricsScores[{position}].{key}",
            )
            yield from claim(
                f"{key} of {metric}", "count", entry.get(key) or None, where, select, reducer="none"
            )


def level_notes(run: Members, rows: list[Row]) -> Iterator[str]:
    """Yield notes on metrics whose scores are of different cases or levels."""
    mine = [r for r in rows if r["filter"] == CASE]
    scores = Counter(
        str(r["scorer"]) for r in mine if r["status"] == "ok" and r["scorer"] != SUCCESS
    )
    cases = sum(r["scorer"] == SUCCESS for r in mine)
    if short := sorted(name for name, n in scores.items() if n < cases):
        listed = ", ".join(f"{quoted([name])} {scores[name]}" for name in short)
        of = f"fewer than all {count(cases, 'test case')}"
        yield f"metrics with a score for {of}: {listed}; means of different metrics are of different cases"
    for entry in objects(run, "metricsScores"):
        name, n = text(entry, "metric"), len(items(entry, "scores"))
        if n > scores[name]:
            mixed = f"{n} scores, {scores[name]} of test cases and {n - scores[name]} of spans inside them"
            yield f"metricsScores mixes levels for {quoted([name])}: {mixed}; rows keep them apart (column filter)"
    if any(is_number(run.get(key)) for key in ("testPassed", "testFailed")):
        yield "a test case passes when all its metrics do: a pass rate depends on how many metrics were asked"
