"""Test runs of DeepEval: ``test_run_*.json`` and ``.latest_test_run.json``.

Metrics that raised an error have no score, so that each metric has its own denominator; ``metricsScores`` mixes scores
of test cases with scores of spans inside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from socialstats.claims.types import Claim, Log, Status
from socialstats.text import count, quoted
from socialstats_collect.readers.files import Source, json_stream
from socialstats_collect.readers.streaming import JsonStream
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    flat,
    frame,
    is_number,
    mapping,
    printed,
    row,
    sequence,
    status_notes,
    without_long,
)

NAME = "deepeval"
NEEDS = "JSON with 'testCases' or 'testRunData' (DeepEval)"
CASE = "case"
SUCCESS = "success"
KINDS = ("testCases", "conversationalTestCases")
CASE_KEYS = (
    "name", "order", "input", "scenario", "success", "metricsData", "actualOutput", "tags", "metadata",
    "additionalMetadata", "trace",
)  # fmt: skip


def recognises(source: Source) -> bool:
    """Tell whether this is a test run of DeepEval."""
    if source.kind != "object":
        return False
    held = mapping(source.first.get("testRunData")) or source.first
    return "testRunData" in source.first or any(kind in held for kind in KINDS)


def read(source: Source) -> Log:
    """Read a test run: a row a test case and metric, its spans under the filter ``span: name``."""
    with json_stream(source.path) as stream:
        top = _run(stream)
    run = mapping(top.get("testRunData")) or top
    task = cell(run.get("testFile") or run.get("identifier") or run.get("datasetAlias")) or ""
    seen: Counter[tuple[str, str]] = Counter()
    rows: list[Row] = []
    for kind in KINDS:
        for position, case in enumerate(map(mapping, sequence(run.get(kind)))):
            rows += _of_case(case, position, task, seen)
    kept, long = without_long(rows)
    return Log(
        harness=NAME, version=cell(run.get("deepevalVersion")), files=(source.path.name,), rows=frame(kept),
        claims=tuple(_claims(run, source.path.name)), notes=(*_notes(run, rows), *status_notes(kept), *long),
        settings={k: cell(v) or "" for k, v in mapping(run.get("hyperparameters")).items()},
    )  # fmt: skip


def _run(stream: JsonStream) -> dict[str, Any]:
    """Read a run; of its cases only what the rows need."""
    found: dict[str, Any] = {}
    for key in stream.members():
        if key in KINDS and stream.peek() == "[":
            found[key] = list(stream.objects(CASE_KEYS))
        elif key == "testRunData" and stream.peek() == "{":
            found[key] = _run(stream)
        else:
            found[key] = stream.value()
    return found


def _of_case(case: dict[str, Any], position: int, task: str, seen: Counter[tuple[str, str]]) -> Iterator[Row]:
    unit = cell(case.get("name")) or f"case {cell(case.get('order', position))}"
    said = cell(case.get("input") or case.get("scenario")) or ""
    seen[unit, said] += 1
    about = {**mapping(case.get("additionalMetadata")), **mapping(case.get("metadata"))}
    if case.get("tags"):
        about["tags"] = "; ".join(cell(t) or "" for t in sequence(case["tags"]))
    others = sorted({text for name, text in seen if name == unit} - {said})
    name = unit if not others or seen[unit, said] > 1 else f"{unit} ({len(others) + 1})"
    common = {"task": task, "unit": name, "epoch": seen[unit, said]}
    for held in map(mapping, sequence(case.get("metricsData"))):
        yield _row(held, common, CASE, about, case.get("actualOutput"))
    passed = case.get("success")
    yield row(
        model="", scorer=SUCCESS, filter=CASE, value=float(passed) if isinstance(passed, bool) else None,
        status="ok" if isinstance(passed, bool) else "unscored", metadata=flat(about), **common,
    )  # fmt: skip
    for key, spans in mapping(case.get("trace")).items():
        for span in map(mapping, sequence(spans) if key.endswith("Spans") else []):
            for held in map(mapping, sequence(span.get("metricsData"))):
                yield _row(
                    held, common, f"span: {cell(span.get('name') or span.get('type'))}", about, span.get("output")
                )


def _row(held: dict[str, Any], common: dict[str, Any], level: str, about: dict[str, Any], answer: Any) -> Row:
    score, failed = held.get("score"), held.get("error")
    usable = not failed and is_number(score)
    status: Status = "error" if failed else "ok" if usable else "unscored"
    metadata = flat(about)
    for key, name in (("threshold", "threshold"), ("success", "passed"), ("evaluationModel", "judge")):
        metadata[name] = cell(held.get(key))
    return row(
        model="", scorer=held.get("name"), filter=level, value=float(score) if usable else None, status=status,  # type: ignore[arg-type]
        answer=failed or answer, metadata=metadata, **common,
    )  # fmt: skip


def _claims(run: dict[str, Any], file: str) -> Iterator[Claim]:
    """Return the counts of passed test cases, and of scores of each metric (of all levels) that pass and fail."""
    if is_number(run.get("testPassed")):
        yield Claim(
            name="testPassed", quantity="sum", printed=printed(run["testPassed"]), where=f"{file}: testPassed",
            select={"scorer": SUCCESS, "filter": CASE}, settings={"reducer": "none"},
        )  # fmt: skip
    for position, held in enumerate(map(mapping, sequence(run.get("metricsScores")))):
        for key, passed in (("passes", "True"), ("fails", "False")):
            if is_number(held.get(key)) and held[key] > 0:
                yield Claim(
                    name=f"{key} of {cell(held.get('metric'))}", quantity="count", printed=printed(held[key]),
                    where=f"{file}: metricsScores[{position}].{key}", settings={"reducer": "none"},
                    select={"scorer": cell(held.get("metric")) or "", "passed": passed},
                )  # fmt: skip


def _notes(run: dict[str, Any], rows: list[Row]) -> Iterator[str]:
    scored = Counter(
        r["scorer"] for r in rows if r["filter"] == CASE and r["status"] == "ok" and r["scorer"] != SUCCESS
    )
    cases = sum(r["scorer"] == SUCCESS for r in rows)
    short = sorted(str(name) for name, n in scored.items() if n < cases)
    if short:
        listed = ", ".join(f"{quoted([name])} {scored[name]}" for name in short)
        of = f"fewer than all {count(cases, 'test case')}"
        yield f"metrics with a score for {of}: {listed}; means of different metrics are of different cases"
    for held in map(mapping, sequence(run.get("metricsScores"))):
        name, scores = cell(held.get("metric")) or "", sequence(held.get("scores"))
        mine = scored.get(name, 0)
        if len(scores) > mine:
            mixed = f"{len(scores)} scores, {mine} of test cases and {len(scores) - mine} of spans inside them"
            yield f"metricsScores mixes levels for {quoted([name])}: {mixed}; rows keep them apart (column filter)"
    if any(is_number(run.get(key)) for key in ("testPassed", "testFailed")):
        yield "a test case passes when all its metrics do: a pass rate depends on how many metrics were asked"
