"""Outputs of promptfoo: JSON and JSONL (a row a test, prompt and provider); of a csv only its rounded scores.

Repeats (``--repeat``) are new tests without an index: tests with the same variables and assertions are one unit here.
The named scores of a prompt are sums weighted by the assertions' weights, not means."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from socialstats.claims.types import Claim, Log, Quantity, Status
from socialstats.errors import InputError
from socialstats.text import count, quoted
from socialstats_collect.readers.files import MOST_BYTES, Source, head_of, json_lines, json_stream, open_bytes
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    column,
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

CSV_STATUS, CSV_SCORE, LAST = "Status", "Score", "Grader Reason"
METRIC = "Metric: "
LABEL = re.compile(r"\[(?P<provider>[^\]]*)\] ?(?P<label>.*)", re.DOTALL)
STATUSES: dict[str, Status] = {"PASS": "ok", "FAIL": "ok", "ERROR": "error"}
ROUNDED = "a csv holds scores cut to two decimals: convert the .json output for whole ones, and for totals to check"


def is_csv(source: Source) -> bool:
    """Tell whether this is promptfoo's csv: for each prompt an output, then columns named Status and Score."""
    if source.kind != "text":
        return False
    names = next(_records(head_of(source.path, 1 << 20).decode("utf-8-sig", "replace"), source.path.name), [])
    return LAST in names and bool(_starts(names))


def _starts(header: list[str]) -> list[int]:
    """Return where the columns of each prompt start."""
    pairs = enumerate(pairwise(header))
    return [k - 1 for k, pair in pairs if k > 0 and pair == (CSV_STATUS, CSV_SCORE)]


def _records(text: str, name: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""))
    except csv.Error as error:
        raise InputError(f"{name}: the csv cannot be read ({error}). Convert the .json output") from error


def _text(source: Source) -> str:
    with open_bytes(source.path) as raw:
        data = raw.read(MOST_BYTES)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} at offset {error.start:,} is not UTF-8"
        raise InputError(f"{source.path.name}: {message}. Save the file as UTF-8") from error


def rows_of(source: Source) -> list[Row]:
    """Read the rows; repeats of a test are told by equal variables."""
    name = source.path.name
    header, *records = _records(_text(source), name)
    starts = _starts(header)
    ends = [*starts[1:], len(header)]
    units: dict[tuple[str, ...], str] = {}
    seen: Counter[str] = Counter()
    found: list[Row] = []
    for line, record in enumerate(records, start=2):
        if len(record) != len(header):
            raise InputError(
                f"{source.path.name} record {line}: {len(record)} fields where the header has {len(header)}"
            )
        given = tuple(record[: starts[0]])
        unit = units.setdefault(given, f"test {len(units) + 1}")
        seen[unit] += 1
        metadata = {column(name): value for name, value in zip(header[: starts[0]], given, strict=True)}
        for position, (start, end) in enumerate(zip(starts, ends, strict=True), start=1):
            found += _prompt(header[start:end], record[start:end], (unit, seen[unit], f"prompt {position}"), metadata)
    return found


def _prompt(
    header: Sequence[str], fields: Sequence[str], place: tuple[str, int, str], metadata: dict[str, str]
) -> Iterator[Row]:
    """Yield the rows of one test and prompt."""
    unit, epoch, side = place
    named = LABEL.match(header[0])
    status = STATUSES.get(fields[1], "unparsed")
    scores = {"score": fields[2], "pass": {"PASS": "1", "FAIL": "0"}.get(fields[1], "")}
    scores |= {n.removeprefix(METRIC): v for n, v in zip(header, fields, strict=True) if n.startswith(METRIC) and v}
    about = metadata | {"prompt_label": named["label"] if named else header[0]}
    for scorer, text in scores.items():
        value = _number(text) if status == "ok" else None
        yield row(
            model=named["provider"] if named else "", task="", unit=unit, epoch=epoch, scorer=scorer, filter=side,
            value=value, status="unparsed" if status == "ok" and value is None else status, answer=fields[0],
            metadata=about,
        )  # fmt: skip


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


NAME = "promptfoo"
NEEDS = "JSON with 'results' and its 'prompts' or 'stats', or lines with 'promptIdx', or its csv (promptfoo)"
SCORE, PASS = "score", "pass"
TEST_KEYS = (
    "promptIdx", "testIdx", "vars", "testCase", "metadata", "provider", "prompt", "success", "score", "namedScores",
    "gradingResult", "response", "error", "failureReason",
)  # fmt: skip
FAILED = 2
"""promptfoo's failureReason of a test that could not be run (1: an assertion failed)."""


def recognises(source: Source) -> bool:
    """Tell whether this is an output of promptfoo."""
    if is_csv(source):
        return True
    if source.kind == "lines" or source.kind == "list":
        return source.has("promptIdx") and ("gradingResult" in source.first or "namedScores" in source.first)
    if source.kind != "object" or "results" not in source.first:
        return False
    inner = source.first["results"]
    if isinstance(inner, dict):
        return sum(key in inner for key in ("version", "results", "prompts", "stats", "table")) > 1
    return "evalId" in source.first


def read(source: Source) -> Log:
    """Read an output: a row a test, repeat, prompt and score (``score``, ``pass`` and each named score)."""
    if source.kind == "text":
        cut, said = without_long(rows_of(source))
        notes = (ROUNDED, *status_notes(cut), *said)
        return Log(harness=NAME, files=(source.path.name,), rows=frame(cut), notes=notes)
    top = _top(source)
    inner = mapping(top.get("results"))
    tests = _numbered([mapping(held) for held in sequence(inner.get("results"))])
    rows, repeated = _rows(tests, mapping(top.get("config")).get("description") or top.get("evalId"))
    older = mapping(mapping(inner.get("table")).get("head"))
    prompts = [mapping(p) for p in sequence(inner.get("prompts")) or sequence(older.get("prompts"))]
    kept, long = without_long(rows)
    remarks = [*_notes(prompts, repeated), *status_notes(kept), *long]
    if source.kind == "lines":
        remarks.append("a .jsonl output has no totals of promptfoo: there are no numbers of the harness to check")
    return Log(
        harness=NAME, version=cell(mapping(top.get("metadata")).get("promptfooVersion")), files=(source.path.name,),
        rows=frame(kept), claims=tuple(_claims(prompts, rows, source.path.name)), notes=tuple(remarks),
        settings={k: cell(v) or "" for k, v in mapping(top.get("runtimeOptions")).items() if k in ("repeat", "cache")},
    )  # fmt: skip


def _top(source: Source) -> dict[str, Any]:
    """Read an output; of its tests only what the rows need."""
    if source.kind == "lines":
        return {"results": {"results": [_slim(held) for _, held in json_lines(source.path)]}}
    found: dict[str, Any] = {}
    with json_stream(source.path) as stream:
        if source.kind == "list":
            return {"results": {"results": [_slim(held) for held in stream.objects(TEST_KEYS)]}}
        for key in stream.members():
            if key != "results" or stream.peek() != "{":
                found[key] = stream.value()
                continue
            found[key] = inner = {}
            for name in stream.members():
                tests = name == "results" and stream.peek() == "["
                inner[name] = [_slim(held) for held in stream.objects(TEST_KEYS)] if tests else stream.value()
    return found


def _slim(test: dict[str, Any]) -> dict[str, Any]:
    """Keep what the rows need of a test: of its response what was answered, of its grading the weights."""
    found = {key: test[key] for key in TEST_KEYS if key in test}
    response, grading = test.get("response"), mapping(test.get("gradingResult"))
    if isinstance(response, dict):
        found["response"] = {key: response[key] for key in ("output", "isRefusal") if key in response}
    if grading:
        found["gradingResult"] = {"namedScoreWeights": grading.get("namedScoreWeights")}
    return found


def _numbered(tests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number the prompts of versions that do not: a column is a prompt's template and a provider, in order."""
    columns: dict[tuple[str, str], int] = {}
    for test in tests:
        prompt, provider = mapping(test.get("prompt")), test.get("provider")
        named = cell(provider.get("id") if isinstance(provider, dict) else provider) or ""
        template = cell(prompt.get("label") or prompt.get("display") or prompt.get("id")) or ""
        columns.setdefault((template, named), len(columns))
        if not isinstance(test.get("promptIdx"), int):
            test["promptIdx"] = columns[template, named]
    return tests


def _rows(tests: list[dict[str, Any]], task: Any) -> tuple[list[Row], int]:
    """Return rows, and how many of the tests repeat another one."""
    units: dict[str, str] = {}
    seen: Counter[tuple[str, str]] = Counter()
    found: list[Row] = []
    for test in sorted(tests, key=lambda t: (_index(t, "testIdx"), _index(t, "promptIdx"))):
        case = mapping(test.get("testCase"))
        same = json.dumps([test.get("vars"), case.get("assert"), case.get("description")], sort_keys=True, default=str)
        unit = units.setdefault(same, f"test {len(units) + 1}")
        side = prompt_of(test)
        seen[unit, side] += 1
        found += _of_test(test, task, unit, side, seen[unit, side])
    return found, sum(n - 1 for n in seen.values())


def _index(test: dict[str, Any], key: str) -> int:
    return test[key] if isinstance(test.get(key), int) else 0


def prompt_of(test: dict[str, Any]) -> str:
    """Name the column of a test: the prompt by its number, with the provider where it is named."""
    return f"prompt {_index(test, 'promptIdx') + 1}"


def _of_test(test: dict[str, Any], task: Any, unit: str, side: str, epoch: int) -> Iterator[Row]:
    provider, case = test.get("provider"), mapping(test.get("testCase"))
    named = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    grading = mapping(test.get("gradingResult"))
    weights = mapping(grading.get("namedScoreWeights"))
    failed = test.get("failureReason") == FAILED or (bool(test.get("error")) and not grading)
    about = {**mapping(case.get("metadata")), **mapping(test.get("metadata")), **mapping(test.get("vars"))}
    metadata = flat({k: v for k, v in about.items() if not k.startswith("_promptfoo")})
    metadata["prompt_label"] = cell(mapping(test.get("prompt")).get("label"))
    response = test.get("response")
    answer = response.get("output") if isinstance(response, dict) else response
    if mapping(response).get("isRefusal"):
        metadata["refusal"] = "True"
    scores = {SCORE: test.get("score"), PASS: test.get("success"), **mapping(test.get("namedScores"))}
    for scorer, value in scores.items():
        usable = (isinstance(value, bool) or is_number(value)) and not failed
        status: Status = "error" if failed else "ok" if usable else "unscored"
        yield row(
            model=named, task=task, unit=unit, epoch=epoch, scorer=scorer, filter=side, status=status,
            value=float(value) if usable else None,
            answer=test.get("error") if failed else answer,
            metadata={**metadata, "weight": cell(weights.get(scorer, 1))},
        )  # fmt: skip


def _claims(prompts: list[dict[str, Any]], rows: list[Row], file: str) -> Iterator[Claim]:
    """Return sums: a prompt's score, passed tests and named scores; named scores with weights are no plain sums."""
    known = {(r["scorer"], r["filter"]) for r in rows}
    weighted = {(r["scorer"], r["filter"]) for r in rows if r.get("weight") not in ("1", "1.0", None)}
    for position, prompt in enumerate(prompts):
        metrics, side = mapping(prompt.get("metrics")), f"prompt {position + 1}"
        numbers = {SCORE: (SCORE, metrics.get("score")), "testPassCount": (PASS, metrics.get("testPassCount"))}
        numbers |= {f"namedScores.{n}": (n, v) for n, v in mapping(metrics.get("namedScores")).items()}
        for name, (scorer, value) in numbers.items():
            if is_number(value) and (scorer, side) in known:
                quantity: Quantity = "other" if (scorer, side) in weighted else "sum"
                yield Claim(
                    name=name, quantity=quantity, printed=printed(value), select={"scorer": scorer, "filter": side},
                    where=f"{file}: results.prompts[{position}].metrics.{name}", settings={"reducer": "none"},
                )  # fmt: skip


def _notes(prompts: list[dict[str, Any]], repeated: int) -> Iterator[str]:
    if repeated:
        same = "same variables and assertions: they are repeats (epochs) of one unit here, not new ones"
        yield f"{count(repeated, 'row')} of promptfoo repeat a test with the {same}"
    for position, prompt in enumerate(prompts, start=1):
        metrics = mapping(prompt.get("metrics"))
        weights = mapping(metrics.get("namedScoreWeights"))
        for name, total in mapping(metrics.get("namedScores")).items():
            by = weights.get(name)
            if is_number(total) and is_number(by) and float(by) > 0:  # type: ignore[arg-type]
                mean = float(total) / float(by)  # type: ignore[arg-type]
                said = f"is a weighted sum (weights add up to {printed(by)}); the weighted mean is {mean:g}"
                yield f"prompt {position}: namedScores {quoted([name])} = {printed(total)} {said}"
