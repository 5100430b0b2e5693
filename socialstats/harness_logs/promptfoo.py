"""Outputs of promptfoo: JSON and JSONL (one row per test, prompt and provider); of a csv only its rounded scores.

A csv of another form has a column for each prompt and provider, whose texts begin with a verdict: ``[PASS] Hello``.

Repeats (``--repeat``) are new tests without an index: tests with the same variables and assertions are one unit here.
The named scores of a prompt are sums weighted by the assertions' weights, not means."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, head_of, json_lines, load_json, open_bytes
from socialstats.harness_logs.log import Claim, Log, Quantity, Status
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    at,
    cell,
    claim,
    is_number,
    items,
    log_of,
    member,
    objects,
    printed,
    row,
    scored,
)
from socialstats.tables import as_number
from socialstats.text import count, quoted

NEEDS = "JSON with 'results' and its 'prompts' or 'stats', or lines with 'promptIdx', or its csv (promptfoo)"
VERDICT = re.compile(r"\[(PASS|FAIL|ERROR)\]\s*")
LOOKED = 1 << 20  # bytes in which verdicts are looked for
VERDICTS_NOTE = (
    "of each text its verdict was read: PASS is 1, FAIL is 0, ERROR is no score. "
    "Scores are in the .json output"
)
SCORE, PASS, TASK = "score", "pass", "promptfoo"
# promptfoo's failureReason of a test that could not be run (1: an assertion failed)
COULD_NOT_RUN = 2
ERROR, CSV_STATUS, CSV_SCORE = "ERROR", "Status", "Score"
PARTS = ("version", "results", "prompts", "stats", "table")
FORMS = (
    ("text", CSV_STATUS, CSV_SCORE, "Grader Reason"),
    ("lines list", "promptIdx", "gradingResult"),
    ("lines list", "promptIdx", "namedScores"),
    ("object", "results", "evalId"),
    *(
        ("object", f"results.{first}", f"results.{second}")
        for first, second in combinations(PARTS, 2)
    ),
)
METRIC, PASSED = "Metric: ", {"PASS": True, "FAIL": False}
LABEL = re.compile(r"\[(?P<provider>[^\]]*)\]\s*(?P<label>.*)", re.DOTALL)
PROVENANCE = {
    "text": "a csv holds scores cut to two decimals: convert the .json output for whole ones, and for totals to check",
    "lines": "a .jsonl output has no totals of promptfoo: there are no numbers of the harness to check",
}


@dataclass(slots=True, kw_only=True)
class Test:
    """One test of one prompt: what it asks (`case`), the model, its scores by name, and what became of it.

    `index` and `prompt` are promptfoo's numbers; versions that give none tell prompts apart by `template`.
    """

    case: str
    model: Any
    scores: Members
    answer: Any
    failed: bool = False
    absent: Status = "unscored"
    weights: Members | None = None
    metadata: Row = field(default_factory=dict)
    index: int = 0
    prompt: int | None = None
    template: tuple[str, str] = ("", "")


def recognises(source: Source) -> bool:
    """Return whether this is a csv of texts that begin with verdicts."""
    if source.kind != "text" or len(source.names) < 2:
        return False
    head = head_of(source.path, LOOKED)
    try:
        records = [*csv.reader(head.decode("utf-8-sig", "replace").splitlines(keepends=True))]
    except csv.Error:
        return False
    # the last one may be cut off, and a header of many columns is
    complete = records[:-1] if len(head) == LOOKED else records
    return bool(complete and verdict_columns(complete))


def read(source: Source) -> Log:
    """Read an output: one row per test, repeat, prompt and score (``score``, ``pass`` and each named score)."""
    if recognises(source):
        records = csv_records(source)
        rows, _ = test_rows([*tests_of_verdicts(records)])
        rows = [{**r, "filter": ""} for r in rows]  # a column is a model, not a prompt
        repeated = len(records) - 1 - len({r["unit"] for r in rows})
        notes = (VERDICTS_NOTE, *prompt_notes([], repeated))
        return log_of(__name__, source, rows, about={"task": TASK}, notes=notes)
    top = output_of(source)
    results = at(top, "results")
    rows, repeated = test_rows(in_order(items(results, "results")))
    prompts = objects(results, "prompts") or objects(results, "table", "head", "prompts")
    provenance = [PROVENANCE[source.kind]] if source.kind in PROVENANCE else []
    return log_of(
        __name__,
        source,
        rows,
        about={"task": member(top, "config", "description") or top.get("evalId") or TASK},
        version=member(top, "metadata", "promptfooVersion"),
        claims=prompt_claims(prompts, rows, source.path.name),
        notes=(*provenance, *prompt_notes(prompts, repeated)),
    )


def output_of(source: Source) -> Members:
    """Read an output of any format as that of JSON; of each test only what its rows need."""
    if source.kind == "object":
        return at(load_json(source.path, {"*": None, "results": {"*": None, "results": [test_of]}}))
    if source.kind == "lines":
        tests = [test_of(line) for _, line in json_lines(source.path)]
    elif source.kind == "text":
        tests = [test_of(test) for test in tests_of_csv(csv_records(source))]
    else:
        tests = load_json(source.path, [test_of])
    return {"results": {"results": tests}}


def test_of(value: Any) -> Test:
    """Return what the rows of a test need; numbers of versions that give none are put in later."""
    test, prompt, case = at(value), at(value, "prompt"), at(value, "testCase")
    response, provider, error = test.get("response"), test.get("provider"), test.get("error")
    graded = isinstance(test.get("gradingResult"), dict)
    failed = test.get("failureReason") == COULD_NOT_RUN or (bool(error) and not graded)
    output = response.get("output") if isinstance(response, dict) else response
    about = {**at(case, "metadata"), **at(test, "metadata"), **at(test, "vars")}
    metadata = {key: about[key] for key in about if not key.startswith("_promptfoo")}
    metadata["prompt_label"] = cell(prompt.get("label"))
    if member(response, "isRefusal"):
        metadata["refusal"] = "True"
    model = identity = provider
    if isinstance(provider, dict):
        identity = provider.get("id")
        model = provider.get("label") or identity
    label = prompt.get("label") or prompt.get("display") or prompt.get("id")
    index, position = test.get("testIdx"), test.get("promptIdx")
    question = [test.get("vars"), case.get("assert"), case.get("description")]
    return Test(
        case=json.dumps(question, sort_keys=True, default=str),
        model=model,
        scores={SCORE: test.get("score"), PASS: test.get("success"), **at(test, "namedScores")},
        answer=error if failed else output,
        failed=failed,
        weights=at(test, "gradingResult", "namedScoreWeights") if graded else None,
        metadata=metadata,
        index=index if isinstance(index, int) else 0,
        prompt=position if isinstance(position, int) else None,
        template=(cell(label) or "", cell(identity) or ""),
    )


def csv_records(source: Source) -> list[list[str]]:
    """Return the header of a csv and its records, all as long as the header."""
    name, fix = source.path.name, "Convert the .json output"
    try:
        with open_bytes(source.path) as raw:
            records = [*filter(None, csv.reader(codecs.iterdecode(raw, "utf-8-sig")))]
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{name}: the csv cannot be read ({error}). {fix}") from error
    width = len(records[0])
    for number, record in enumerate(records, start=1):
        if len(record) != width:
            message = f"{len(record)} fields where the header has {width}"
            raise InputError(f"{name} record {number}: {message}. {fix}")
    return records


def verdict_columns(records: Sequence[Sequence[str]]) -> list[int]:
    """Return where the columns of texts are that begin with a verdict: several, or one below ``[provider] prompt``."""
    header = records[0]
    complete = [record for record in records[1:] if len(record) == len(header)]
    columns = []
    for k in range(len(header)):
        texts = [record[k] for record in complete if record[k].strip()]
        if texts and all(map(VERDICT.match, texts)):
            columns.append(k)
    labelled = any(LABEL.fullmatch(header[k]) for k in columns)
    return columns if labelled or len(columns) > 1 else []


def tests_of_verdicts(records: Sequence[Sequence[str]]) -> Iterator[Test]:
    """Yield a test for each record and column of texts with verdicts.

    A model is a provider, or a provider with its prompt where one provider has several.
    """
    header, columns = records[0], verdict_columns(records)
    labels = [LABEL.fullmatch(header[k]) for k in columns]
    names = [header[k] for k in columns]
    providers = [
        label["provider"] if label else name for label, name in zip(labels, names, strict=True)
    ]
    models = providers if len({*providers}) == len(providers) else names
    for number, record in enumerate(records[1:]):
        about = {header[k]: record[k] for k in range(len(header)) if k not in columns}
        for position, k in enumerate(columns):
            text = record[k]
            verdict = VERDICT.match(text)
            answer = text[verdict.end() :] if verdict else text
            unclear = text if text.strip() else None
            yield Test(
                case=json.dumps([*about.values()] or number),
                model=models[position],
                scores={PASS: PASSED.get(verdict[1]) if verdict else unclear},
                answer=answer or None,
                failed=verdict is not None and verdict[1] == ERROR,
                absent="missing",
                metadata=about,
                prompt=position,
            )


def tests_of_csv(records: Sequence[Sequence[str]]) -> Iterator[Members]:
    """Yield the tests of a csv, whose scores are cut to two decimals, as those of JSON; an odd status is no score.

    Columns of a prompt are an output, Status and Score, and its metrics.
    """
    header = records[0]
    pairs = [*pairwise(header)]
    starts = [k - 1 for k in range(1, len(pairs)) if pairs[k] == (CSV_STATUS, CSV_SCORE)]
    for line, record in enumerate(records[1:], start=2):
        for position, (start, end) in enumerate(pairwise([*starts, len(header)])):
            output, status, score = record[start : start + 3]
            label = LABEL.fullmatch(header[start])
            columns = dict(zip(header[start:end], record[start:end], strict=True))
            metrics = {key: text for key, text in columns.items() if key.startswith(METRIC)}
            test = {
                "testIdx": line,
                "promptIdx": position,
                "vars": dict(zip(header[: starts[0]], record, strict=False)),
                "provider": label["provider"] if label else "",
                "response": {"output": output},
                "prompt": {"label": label["label"] if label else header[start]},
                "score": csv_score(score, status),
                "success": PASSED.get(status, status),
                "namedScores": {
                    key.removeprefix(METRIC): csv_score(text, status)
                    for key, text in metrics.items()
                    if text
                },
            }
            if status == ERROR:
                test |= {"failureReason": COULD_NOT_RUN, "error": output}
            yield test


def csv_score(text: str, status: str) -> Any:
    """Return a score of a csv as a number; its text where it is none, and an odd status in its place."""
    if text and status not in PASSED:
        return status
    number = as_number(text)
    return text if number is None else number


def in_order(tests: list[Test]) -> list[Test]:
    """Order tests, with numbers for prompts of versions that give none: each template and provider is one."""
    templates: dict[tuple[str, str], int] = {}
    for test in tests:
        position = templates.setdefault(test.template, len(templates))
        test.prompt = position if test.prompt is None else test.prompt
    return sorted(tests, key=lambda test: (test.index, test.prompt))


def test_rows(tests: Sequence[Test]) -> tuple[list[Row], int]:
    """Return rows, and how many of the tests repeat another one.

    A test is known by its variables and assertions, or by its index where variables differ within an index.
    """
    cases: defaultdict[int, set[str]] = defaultdict(set)
    for test in tests:
        cases[test.index].add(test.case)
    by_index = len(cases) > 1 and any(len(within) > 1 for within in cases.values())
    units: dict[str, str] = {}
    repeats: Counter[tuple[str, int | None]] = Counter()
    rows: list[Row] = []
    for test in tests:
        identity = str(test.index) if by_index else test.case
        unit = units.setdefault(identity, f"test {len(units) + 1}")
        repeats[unit, test.prompt] += 1
        rows += score_rows(test, unit, repeats[unit, test.prompt])
    return rows, sum(n - 1 for n in repeats.values())


def score_rows(test: Test, unit: str, epoch: int) -> Iterator[Row]:
    """Yield a row for each score of a test."""
    for scorer, value in test.scores.items():
        weight = {} if test.weights is None else {"weight": cell(test.weights.get(scorer, 1))}
        yield row(
            unit=unit,
            filter=f"prompt {(test.prompt or 0) + 1}",
            epoch=epoch,
            model=test.model,
            scorer=scorer,
            score=scored(value, failed=test.failed, absent=test.absent),
            answer=test.answer,
            metadata=test.metadata | weight,
        )


def prompt_claims(prompts: list[Members], rows: list[Row], file: str) -> Iterator[Claim]:
    """Yield sums: a prompt's score, passed tests and named scores; named scores with weights are no plain sums."""
    quantities: dict[tuple[str, str], Quantity] = {}
    for r in rows:
        place = r["scorer"], r["filter"]
        plain = r.get("weight") in ("1", "1.0", None)
        quantities[place] = quantities.get(place, "sum") if plain else "other"
    for position, prompt in enumerate(prompts):
        metrics, side = at(prompt, "metrics"), f"prompt {position + 1}"
        totals = {"score": SCORE, "testPassCount": PASS}
        values = [(name, scorer, metrics.get(name)) for name, scorer in totals.items()]
        named = at(metrics, "namedScores")
        values += [(f"namedScores.{name}", name, value) for name, value in named.items()]
        for name, scorer, value in values:
            if (scorer, side) in quantities:
                quantity = quantities[scorer, side]
                where = f"{file}: results.prompts[{position}].metrics.{name}"
                select = {"scorer": scorer, "filter": side}
                yield from claim(name, quantity, value, where, select, reducer="none")


def prompt_notes(prompts: list[Members], repeated: int) -> Iterator[str]:
    """Yield notes on repeats and on weighted sums."""
    if repeated:
        why = "same variables and assertions: they are repeats (epochs) of one unit here, not new ones"
        yield f"{count(repeated, 'row')} of promptfoo repeat a test with the {why}"
    for position, prompt in enumerate(prompts, start=1):
        weights = at(prompt, "metrics", "namedScoreWeights")
        for name, total in at(prompt, "metrics", "namedScores").items():
            weight = weights.get(name)
            if is_number(total) and is_number(weight) and weight > 0:
                by = f"is a weighted sum (weights add up to {printed(weight)})"
                mean = f"the weighted mean is {float(total) / float(weight):g}"
                yield f"prompt {position}: namedScores {quoted([name])} = {printed(total)} {by}; {mean}"
