"""Outputs of promptfoo: JSON and JSONL (one row per test, prompt and provider); of a csv only its rounded scores.

A csv of another form has a column for each prompt and provider, whose texts begin with a verdict: ``[PASS] Hello``.

Repeats (``--repeat``) are new tests without an index: tests with the same variables and assertions are one unit here.
The named scores of a prompt are sums weighted by the assertions' weights, not means."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, head_of, json_lines, load_json, open_bytes
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    Score,
    at,
    cell,
    claim,
    flat,
    is_number,
    items,
    log_of,
    member,
    printed,
    row,
    scored,
)
from socialstats.tables import as_number
from socialstats.text import count, quoted

NEEDS = "JSON with 'results' and its 'prompts' or 'stats', or lines with 'promptIdx', or its csv (promptfoo)"
MARKED = re.compile(r"\[(PASS|FAIL|ERROR)\]\s*")
VERDICTS: dict[str, Score] = {"PASS": (1.0, "ok"), "FAIL": (0.0, "ok"), "ERROR": (None, "error")}
LOOKED = 1 << 20  # bytes in which verdicts are looked for
MARKS_SAID = (
    "of each text its verdict was read: PASS is 1, FAIL is 0, ERROR is no score. "
    "Scores are in the .json output"
)
SCORE, PASS, TASK = "score", "pass", "promptfoo"
KEPT = (
    "promptIdx",
    "testIdx",
    "vars",
    "testCase",
    "metadata",
    "provider",
    "prompt",
    "success",
    "score",
    "namedScores",
    "error",
    "failureReason",
)
FAILED = 2
"""promptfoo's failureReason of a test that could not be run (1: an assertion failed)."""
CSV_STATUS, CSV_SCORE = "Status", "Score"
PARTS = ("version", "results", "prompts", "stats", "table")
FORMS = (
    ("text", CSV_STATUS, CSV_SCORE, "Grader Reason"),
    ("lines list", "promptIdx", "gradingResult"),
    ("lines list", "promptIdx", "namedScores"),
    ("object", "results", "evalId"),
    *(("object", f"results.{one}", f"results.{other}") for one, other in combinations(PARTS, 2)),
)
METRIC, PASSED = "Metric: ", {"PASS": True, "FAIL": False}
LABEL = re.compile(r"\[(?P<provider>[^\]]*)\]\s*(?P<label>.*)", re.DOTALL)
NO_TOTALS = (
    "a .jsonl output has no totals of promptfoo: there are no numbers of the harness to check"
)
ROUNDED = "a csv holds scores cut to two decimals: convert the .json output for whole ones, and for totals to check"


def recognises(source: Source) -> bool:
    """Return whether this is a csv of texts that begin with verdicts."""
    if source.kind != "text" or len(source.names) < 2:
        return False
    head = head_of(source.path, LOOKED)
    try:
        header, records = _records(head.decode("utf-8-sig", "replace").splitlines(keepends=True))
    except csv.Error:
        return False
    return bool(
        _marked(header, records[:-1] if len(head) == LOOKED else records)
    )  # the last one may be cut off


def read(source: Source) -> Log:
    """Read an output: one row per test, repeat, prompt and score (``score``, ``pass`` and each named score)."""
    if recognises(source):
        rows, repeated = _marked_rows(source)
        return log_of(
            __name__, source, rows, about={"task": TASK}, notes=(MARKS_SAID, *_notes([], repeated))
        )
    top = _top(source)
    inner = at(top, "results")
    tests = _numbered(items(inner, "results"))
    rows, repeated = _rows(tests)
    listed = items(inner, "prompts") or items(inner, "table", "head", "prompts")
    prompts = [*map(at, listed)]
    about = {"text": [ROUNDED], "lines": [NO_TOTALS]}.get(source.kind, [])
    return log_of(
        __name__,
        source,
        rows,
        about={"task": member(top, "config", "description") or top.get("evalId") or TASK},
        version=member(top, "metadata", "promptfooVersion"),
        claims=_claims(prompts, rows, source.path.name),
        notes=(*about, *_notes(prompts, repeated)),
    )


def _top(source: Source) -> Members:
    """Read an output of any format as that of JSON; of its tests only what the rows need."""
    if source.kind == "object":
        return at(load_json(source.path, {"*": None, "results": {"*": None, "results": [_kept]}}))
    if source.kind == "lines":
        tests = [_kept(held) for _, held in json_lines(source.path)]
    else:
        tests = (
            [*map(_kept, _csv_tests(source))]
            if source.kind == "text"
            else load_json(source.path, [_kept])
        )
    return {"results": {"results": tests}}


def _kept(test: Any) -> Members:
    """Keep of a test what its rows need; numbers of versions that give none are put in later."""
    test = at(test)
    answer, grading = test.get("response"), test.get("gradingResult")
    return {key: test.get(key) for key in KEPT} | {
        "answer": answer.get("output") if isinstance(answer, dict) else answer,
        "refused": bool(member(answer, "isRefusal")),
        "weights": at(grading, "namedScoreWeights") if isinstance(grading, dict) else None,
    }


def _records(lines: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    """Return the header of a csv, and its records."""
    header, *records = csv.reader(lines)
    return header, [record for record in records if record]


def _marked(header: list[str], records: list[list[str]]) -> list[int]:
    """Return where the columns of texts are that begin with a verdict: several, or one below ``[provider] prompt``."""
    whole = [record for record in records if len(record) == len(header)]
    texts = [[record[k] for record in whole if record[k].strip()] for k in range(len(header))]
    found = [k for k, held in enumerate(texts) if held and all(map(MARKED.match, held))]
    return found if len(found) > 1 or any(LABEL.fullmatch(header[k]) for k in found) else []


def _marked_rows(source: Source) -> tuple[list[Row], int]:
    """Return a row for each test and column of texts with verdicts, and how many of the tests repeat another one.

    A source is a provider, or a provider with its prompt where one provider has several.
    """
    name = source.path.name
    try:
        with open_bytes(source.path) as raw:
            header, records = _records(codecs.iterdecode(raw, "utf-8-sig"))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{name}: the csv cannot be read ({error}). Convert the .json output"
        ) from error
    columns = _marked(header, records)
    labels = [LABEL.fullmatch(header[k]) for k in columns]
    providers = [
        label["provider"] if label else header[k] for k, label in zip(columns, labels, strict=True)
    ]
    models = providers if len({*providers}) == len(providers) else [header[k] for k in columns]
    units: dict[tuple[str, ...], str] = {}
    seen: Counter[str] = Counter()
    rows: list[Row] = []
    for number, record in enumerate(records, start=1):
        if len(record) != len(header):
            message = f"{len(record)} fields where the header has {len(header)}"
            raise InputError(f"{name} record {number + 1}: {message}. Convert the .json output")
        about = {header[k]: record[k] for k in range(len(header)) if k not in columns}
        unit = units.setdefault((*about.values(),) or (str(number),), f"test {len(units) + 1}")
        seen[unit] += 1
        for k, model in zip(columns, models, strict=True):
            mark = MARKED.match(record[k])
            score: Score = (
                VERDICTS[mark[1]]
                if mark
                else (None, "unparsed" if record[k].strip() else "missing")
            )
            answer = record[k][mark.end() :] if mark else record[k]
            rows.append(
                row(
                    unit=unit,
                    epoch=seen[unit],
                    model=model,
                    scorer=PASS,
                    score=score,
                    answer=answer or None,
                    metadata=flat(about),
                )
            )
    return rows, sum(n - 1 for n in seen.values())


def _starts(header: Sequence[str]) -> list[int]:
    """Return where the columns of each prompt start in a csv: an output, then columns named Status and Score."""
    return [
        k - 1
        for k, pair in enumerate(pairwise(header))
        if k > 0 and pair == (CSV_STATUS, CSV_SCORE)
    ]


def _csv_tests(source: Source) -> Iterator[Members]:
    """Yield the tests of a csv, whose scores are cut to two decimals, as those of JSON; an odd status is no score."""
    name, header = source.path.name, [*source.names]
    try:
        with open_bytes(source.path) as raw:
            _, *records = csv.reader(codecs.iterdecode(raw, "utf-8-sig"))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(
            f"{name}: the csv cannot be read ({error}). Convert the .json output"
        ) from error
    starts = _starts(header)
    for line, record in enumerate(records, start=2):
        if len(record) != len(header):
            message = f"{len(record)} fields where the header has {len(header)}"
            raise InputError(f"{name} record {line}: {message}. Convert the .json output")
        for position, (start, end) in enumerate(pairwise([*starts, len(header)])):
            output, status, score = record[start : start + 3]
            label = LABEL.fullmatch(header[start])
            held = {"score": score, **dict(zip(header[start:end], record[start:end], strict=True))}
            read = {
                key: as_number(text) if status in PASSED else status
                for key, text in held.items()
                if text
            }
            numbers = {key: held[key] if number is None else number for key, number in read.items()}
            test = {
                "testIdx": line,
                "promptIdx": position,
                "vars": dict(zip(header[: starts[0]], record, strict=False)),
                "provider": label["provider"] if label else "",
                "response": {"output": output},
                "prompt": {"label": label["label"] if label else header[start]},
                "score": numbers.get("score", ""),
                "success": PASSED.get(status, status),
                "namedScores": {
                    key.removeprefix(METRIC): v
                    for key, v in numbers.items()
                    if key.startswith(METRIC)
                },
            }
            yield {**test, "failureReason": FAILED, "error": output} if status == "ERROR" else test


def _numbered(tests: list[Members]) -> list[Members]:
    """Order tests, with numbers for prompts of versions that give none: each template and provider is one."""
    columns: dict[tuple[str, str], int] = {}
    for test in tests:
        prompt, provider = at(test, "prompt"), test.get("provider")
        named = cell(provider.get("id") if isinstance(provider, dict) else provider) or ""
        template = cell(prompt.get("label") or prompt.get("display") or prompt.get("id")) or ""
        columns.setdefault((template, named), len(columns))
        for key, number in (("testIdx", 0), ("promptIdx", columns[template, named])):
            test[key] = test[key] if isinstance(test.get(key), int) else number
    return sorted(tests, key=lambda test: (test["testIdx"], test["promptIdx"]))


def _rows(tests: list[Members]) -> tuple[list[Row], int]:
    """Return rows, and how many of the tests repeat another one.

    A test is known by its variables and assertions, or by its index where variables differ within an index.
    """
    units: dict[str, str] = {}
    cases: dict[int, set[str]] = {}
    for test in tests:
        cases.setdefault(test["testIdx"], set()).add(_case(test))
    by_index = len(cases) > 1 and any(len(held) > 1 for held in cases.values())
    seen: Counter[tuple[str, str]] = Counter()
    found: list[Row] = []
    for test in tests:
        same = str(test["testIdx"]) if by_index else _case(test)
        unit = units.setdefault(same, f"test {len(units) + 1}")
        side = f"prompt {test['promptIdx'] + 1}"
        seen[unit, side] += 1
        found += _of_test(test, {"unit": unit, "filter": side, "epoch": seen[unit, side]})
    return found, sum(n - 1 for n in seen.values())


def _case(test: Members) -> str:
    """Return what a test asks: its variables, assertions and description."""
    case = at(test, "testCase")
    return json.dumps(
        [test.get("vars"), case.get("assert"), case.get("description")], sort_keys=True, default=str
    )


def _of_test(test: Members, common: Row) -> Iterator[Row]:
    provider, case, weights = test["provider"], at(test["testCase"]), test["weights"]
    model = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    failed = test["failureReason"] == FAILED or (bool(test["error"]) and weights is None)
    about = {
        **at(case, "metadata"),
        **at(test, "metadata"),
        **at(test, "vars"),
    }
    metadata = flat(
        {name: held for name, held in about.items() if not name.startswith("_promptfoo")}
    )
    metadata["prompt_label"] = cell(member(test, "prompt", "label"))
    if test["refused"]:
        metadata["refusal"] = "True"
    answer = test["error"] if failed else test["answer"]
    scores = {
        SCORE: test.get("score"),
        PASS: test.get("success"),
        **at(test, "namedScores"),
    }
    for scorer, value in scores.items():
        weight = {} if weights is None else {"weight": cell(weights.get(scorer, 1))}
        score = scored(value, failed=failed)
        yield row(
            **common,
            model=model,
            scorer=scorer,
            score=score,
            answer=answer,
            metadata={**metadata, **weight},
        )


def _claims(prompts: list[Members], rows: list[Row], file: str) -> Iterator[Claim]:
    """Return sums: a prompt's score, passed tests and named scores; named scores with weights are no plain sums."""
    known = {(r["scorer"], r["filter"]) for r in rows}
    weighted = {
        (r["scorer"], r["filter"]) for r in rows if r.get("weight") not in ("1", "1.0", None)
    }
    for position, prompt in enumerate(prompts):
        metrics, side = at(prompt, "metrics"), f"prompt {position + 1}"
        numbers = {
            SCORE: (SCORE, metrics.get("score")),
            "testPassCount": (PASS, metrics.get("testPassCount")),
        }
        numbers |= {f"namedScores.{n}": (n, v) for n, v in at(metrics, "namedScores").items()}
        for name, (scorer, value) in numbers.items():
            quantity: Quantity = "other" if (scorer, side) in weighted else "sum"
            where = f"{file}: results.prompts[{position}].metrics.{name}"
            if (scorer, side) in known:
                yield from claim(
                    name, quantity, value, where, {"scorer": scorer, "filter": side}, reducer="none"
                )


def _notes(prompts: list[Members], repeated: int) -> Iterator[str]:
    if repeated:
        same = "same variables and assertions: they are repeats (epochs) of one unit here, not new ones"
        yield f"{count(repeated, 'row')} of promptfoo repeat a test with the {same}"
    for position, prompt in enumerate(prompts, start=1):
        metrics = at(prompt, "metrics")
        weights = at(metrics, "namedScoreWeights")
        for name, total in at(metrics, "namedScores").items():
            by = weights.get(name)
            if is_number(total) and is_number(by) and float(by) > 0:
                mean = float(total) / float(by)
                said = f"is a weighted sum (weights add up to {printed(by)}); the weighted mean is {mean:g}"
                yield f"prompt {position}: namedScores {quoted([name])} = {printed(total)} {said}"
