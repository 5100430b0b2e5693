"""Records of openai/evals: one JSON event a line; the first is the spec, one of the last the final report.

Events come in the order of threads, not of samples. The report's standard deviation of a "bootstrap" is spelled
``boostrap_std`` in basic evals; it is of half-samples drawn without replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from socialstats.claims.types import Claim, Log, Quantity
from socialstats.errors import InputError
from socialstats_collect.readers.files import Source, json_lines
from socialstats_collect.readers.tabular import (
    Row,
    at,
    cell,
    claim,
    flat,
    is_number,
    log_of,
    mapping,
    natural,
    row,
    scored,
    sequence,
)

NEEDS = "events with 'run_id' and 'type', or a line with 'spec' (openai/evals)"
KINDS = "lines object"
FORMS = ((KINDS, "spec.eval_name"), (KINDS, "spec.base_eval"), (KINDS, "run_id", "event_id", "type", "data"))
MATCH, METRICS, ERROR = "match", "metrics", "error"
TEXTS = ("correct", "picked", "choice", "prompt", "sampled", "options")
BOOTSTRAP: dict[str, Any] = {"method": "bootstrap", "resamples": 1000, "ddof": 1}


def read(source: Source) -> Log:
    """Read events: one row per sample and score (``match``, or a key of its metrics); others are missing."""
    spec: dict[str, Any] = {}
    report: dict[str, Any] = {}
    samples: dict[str, dict[str, list[Row]]] = {}
    failed: dict[str, Any] = {}
    runs = set()
    for line, event in json_lines(source.path):
        data, kind = mapping(event.get("data")), event.get("type")
        spec = spec or at(event, "spec")
        report |= at(event, "final_report")
        if not {"spec", "final_report"} & {*event} and event.get("sample_id") is not None:
            sample = cell(event["sample_id"]) or ""
            scores = samples.setdefault(sample, {})
            runs.add(str(event.get("run_id")))
            if kind == ERROR:
                failed[sample] = data.get("type") or data.get("message") or "error"
            found = {k: v for k, v in data.items() if isinstance(v, bool) or is_number(v)} if kind == METRICS else {}
            for scorer, value in ({MATCH: data.get("correct")} if kind == MATCH else found).items():
                scores.setdefault(scorer, []).append(_row(data, sample, scorer, value, len(scores.get(scorer, ())) + 1))
        if len(runs) > 1:
            raise InputError(f"{source.path.name} line {line}: events of several runs. Write one file per run")
    if not samples:
        raise InputError(f"{source.path.name}: events, but not one of a sample. Is the record complete?")
    scorers = [*dict.fromkeys(name for scores in samples.values() for name in scores)] or [MATCH]
    rows = [
        r for sample in sorted(samples, key=natural) for scorer in scorers
        for r in samples[sample].get(scorer) or [_absent(sample, scorer, failed.get(sample))]
    ]  # fmt: skip
    model = ", ".join(cell(name) or "" for name in sequence(spec.get("completion_fns")))
    return log_of(
        __name__, source, rows, about={"model": model, "task": spec.get("eval_name") or spec.get("base_eval")},
        claims=_claims(report, scorers, source.path.name), notes=_notes(report),
    )  # fmt: skip


def _row(data: dict[str, Any], sample: str, scorer: str, value: Any, epoch: int) -> Row:
    rest = {name: held for name, held in data.items() if name not in (*TEXTS, scorer)}
    answer = data.get("picked" if scorer == MATCH else "choice")
    return row(unit=sample, scorer=scorer, epoch=epoch, score=scored(value), answer=answer, metadata=flat(rest))


def _absent(sample: str, scorer: str, failed: Any) -> Row:
    score = scored(None, failed=bool(failed), absent="missing")
    return row(unit=sample, scorer=scorer, score=score, answer=failed)


def _claims(report: dict[str, Any], scorers: list[str], file: str) -> Iterator[Claim]:
    usual = MATCH if MATCH in scorers else scorers[0]
    for name, value in report.items():
        quantity: Quantity = "mean" if name in ("accuracy", *scorers) else "other"
        settings: dict[str, Any] = {"reducer": "none"}
        if "strap_std" in name:
            quantity, settings = "std_error", {**settings, **BOOTSTRAP}
        select = {"scorer": name if name in scorers else usual}
        yield from claim(name, quantity, value, f"{file}: final_report.{name}", select, **settings)


def _notes(report: dict[str, Any]) -> Iterator[str]:
    if not report:
        yield "no final report: the run may not have ended, and there are no numbers of the harness to check"
    if any("strap_std" in key for key in report):
        yield "the report's bootstrap is of half-samples drawn without replacement, s / sqrt(n) for even n"
