"""Records of openai/evals: one JSON event a line; the first is the spec, one of the last the final report.

Events come in the order of threads, not of samples. The report's standard deviation of a "bootstrap" is spelled
``boostrap_std`` in basic evals; it is of half-samples drawn without replacement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, json_lines
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    at,
    cell,
    claim,
    is_number,
    items,
    log_of,
    natural,
    row,
    scored,
)
from socialstats.text import count

NEEDS = "events with 'run_id' and 'type', or a line with 'spec' (openai/evals)"
KINDS = "lines object"
FORMS = (
    (KINDS, "spec.eval_name"),
    (KINDS, "spec.base_eval"),
    (KINDS, "run_id", "event_id", "type", "data"),
)
MATCH, METRICS, ERROR = "match", "metrics", "error"
TEXTS = ("correct", "picked", "choice", "prompt", "sampled", "options")
BOOTSTRAP: Members = {"method": "bootstrap", "resamples": 1000, "ddof": 1}


@dataclass(slots=True)
class EvalRun:
    """What a file says of one run: its spec and report, the scores of each sample, and the samples that failed."""

    name: str
    spec: Members = field(default_factory=dict)
    report: Members = field(default_factory=dict)
    samples: dict[str, dict[str, list[Row]]] = field(default_factory=dict)
    failed: Members = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The names of what it asked."""
        return ", ".join(cell(name) or "" for name in items(self.spec.get("completion_fns")))

    def take(self, event: Members) -> None:
        """Take in the score, or the error, of a sample."""
        data, kind, sample = (
            at(event, "data"),
            event.get("type"),
            cell(event["sample_id"]) or "",
        )
        scores = self.samples.setdefault(sample, {})
        if kind == ERROR:
            self.failed[sample] = data.get("type") or data.get("message") or "error"
        numbers = (
            {k: v for k, v in data.items() if isinstance(v, bool) or is_number(v)}
            if kind == METRICS
            else {}
        )
        for scorer, value in ({MATCH: data.get("correct")} if kind == MATCH else numbers).items():
            scores.setdefault(scorer, []).append(
                event_row(data, sample, scorer, value, len(scores.get(scorer, ())) + 1)
            )

    def rows(self, scorers: list[str], about: Row) -> Iterator[Row]:
        """Yield a row for each sample and score; samples without one are missing."""
        for sample in sorted(self.samples, key=natural):
            for scorer in scorers:
                for r in self.samples[sample].get(scorer) or [
                    absent_row(sample, scorer, self.failed.get(sample))
                ]:
                    yield r | about


def read(source: Source) -> Log:
    """Read events: one row per run, sample and score (``match``, or a key of its metrics); others are missing."""
    file, runs = source.path.name, runs_in(source)
    if not any(run.samples for run in runs):
        raise InputError(f"{file}: events, but not one of a sample. Is the record complete?")
    names = dict.fromkeys(
        name for run in runs for scores in run.samples.values() for name in scores
    )
    scorers, models = [*names] or [MATCH], Counter(run.model for run in runs)
    rows: list[Row] = []
    claims: list[Claim] = []
    notes: list[str] = []
    for run in runs:
        model = (
            run.model
            if run.model and models[run.model] == 1
            else f"{run.model or 'run'} ({run.name})"
        )
        about = {"model": model, "run": run.name} if len(runs) > 1 else {"model": run.model}
        rows += run.rows(scorers, {**about, "task": task_of(run.spec, source)})
        claims += report_claims(
            run.report, scorers, file, {"model": model} if len(runs) > 1 else {}
        )
        notes += [
            f"run {run.name}: {note}" if len(runs) > 1 else note
            for note in report_notes(run.report)
        ]
    if len(runs) > 1:
        notes.insert(
            0, f"{count(len(runs), 'run')} in one file: the column 'model' tells them apart"
        )
    return log_of(__name__, source, rows, claims=claims, notes=notes)


def task_of(spec: Row, source: Source) -> Any:
    """Return the name of the evaluation; that of the file, where no line says it."""
    return spec.get("eval_name") or spec.get("base_eval") or source.path.stem


def runs_in(source: Source) -> list[EvalRun]:
    """Return the runs of a file: an event without the name of its run is of the one before."""
    runs: list[EvalRun] = []
    run = EvalRun("")
    for _, event in json_lines(source.path):
        spec, report = at(event, "spec"), at(event, "final_report")
        name = cell(event.get("run_id") or spec.get("run_id")) or ""
        earlier = (
            next((earlier_run for earlier_run in runs if earlier_run.name == name), None)
            if name
            else None
        )
        if earlier is not None:
            run = earlier
        elif not runs or (spec and run.spec) or (name and run.name):
            run = EvalRun(name)
            runs.append(run)
        run.name, run.spec = run.name or name, run.spec or spec
        run.report |= report
        if not spec and not report and event.get("sample_id") is not None:
            run.take(event)
    return runs


def event_row(data: Members, sample: str, scorer: str, value: Any, epoch: int) -> Row:
    """Return the score of one event."""
    metadata = {name: held for name, held in data.items() if name not in (*TEXTS, scorer)}
    answer = data.get("picked" if scorer == MATCH else "choice")
    return row(
        unit=sample,
        scorer=scorer,
        epoch=epoch,
        score=scored(value),
        answer=answer,
        metadata=metadata,
    )


def absent_row(sample: str, scorer: str, failed: Any) -> Row:
    """Return the row of a sample without a score."""
    score = scored(None, failed=bool(failed), absent="missing")
    return row(unit=sample, scorer=scorer, score=score, answer=failed)


def report_claims(
    report: Members, scorers: list[str], file: str, rows: Mapping[str, str]
) -> Iterator[Claim]:
    """Yield the numbers of the final report."""
    usual = MATCH if MATCH in scorers else scorers[0]
    for name, value in report.items():
        quantity: Quantity = "mean" if name in ("accuracy", *scorers) else "other"
        settings: Members = {"reducer": "none"}
        if "strap_std" in name:
            quantity, settings = "std_error", {**settings, **BOOTSTRAP}
        select = {**rows, "scorer": name if name in scorers else usual}
        yield from claim(name, quantity, value, f"{file}: final_report.{name}", select, **settings)


def report_notes(report: Members) -> Iterator[str]:
    """Yield notes on the final report."""
    if not report:
        yield "no final report: the run may not have ended, and there are no numbers of the harness to check"
    if any("strap_std" in key for key in report):
        yield "the report's bootstrap is of half-samples drawn without replacement, s / sqrt(n) for even n"
