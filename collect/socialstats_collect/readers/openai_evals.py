"""Records of openai/evals: one JSON event a line; the first is the spec, one of the last the final report.

Events come in the order of threads, not of samples. The report's standard deviation of a "bootstrap" is spelled
``boostrap_std`` in basic evals; it is of half-samples drawn without replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from socialstats.claims.types import Claim, Log, Quantity
from socialstats.errors import InputError
from socialstats_collect.readers.files import Source, json_lines
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    flat,
    frame,
    is_number,
    mapping,
    natural,
    printed,
    row,
    sequence,
    status_notes,
    without_long,
)

NAME = "openai-evals"
NEEDS = "events with 'run_id' and 'type', or a line with 'spec' (openai/evals)"
MATCH, METRICS, ERROR = "match", "metrics", "error"


@dataclass(slots=True, kw_only=True)
class Events:
    """What the events say, by sample."""

    spec: dict[str, Any] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    scored: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    samples: dict[str, None] = field(default_factory=dict)
    failed: dict[str, Any] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)


def recognises(source: Source) -> bool:
    """Tell whether these are records of openai/evals."""
    if source.kind not in ("lines", "object"):
        return False
    spec = mapping(source.first.get("spec"))
    return "eval_name" in spec or "base_eval" in spec or source.has("run_id", "event_id", "type", "data")


def read(source: Source) -> Log:
    """Read events: a row a sample and score (``match``, or a key of its metrics); samples without one are missing."""
    events = _events(source)
    model = ", ".join(cell(name) or "" for name in sequence(events.spec.get("completion_fns")))
    task = events.spec.get("eval_name") or events.spec.get("base_eval")
    rows = list(_rows(events, model, task))
    if not rows:
        raise InputError(f"{source.path.name}: events, but not one of a sample. Is the record complete?")
    kept, long = without_long(rows)
    notes = list(status_notes(kept))
    if not events.report:
        notes.append("no final report: the run may not have ended, and there are no numbers of the harness to check")
    if any("strap_std" in key for key in events.report):
        notes.append("the report's bootstrap is of half-samples drawn without replacement, s / sqrt(n) for even n")
    return Log(
        harness=NAME, files=(source.path.name,), rows=frame(kept), claims=tuple(_claims(events, source.path.name)),
        notes=(*notes, *long), settings={k: cell(v) or "" for k, v in mapping(events.spec.get("run_config")).items()},
    )  # fmt: skip


def _events(source: Source) -> Events:
    events = Events()
    for line, event in json_lines(source.path, spelled=True):
        if "spec" in event:
            events.spec = events.spec or mapping(event["spec"])
        elif "final_report" in event:
            events.report |= mapping(event["final_report"])
        elif event.get("sample_id") is not None:
            sample, data, kind = cell(event["sample_id"]) or "", mapping(event.get("data")), event.get("type")
            events.samples.setdefault(sample)
            events.runs.add(str(event.get("run_id")))
            if kind == MATCH:
                events.scored.setdefault((MATCH, sample), []).append(data)
            elif kind == METRICS:
                for key, value in data.items():
                    if isinstance(value, bool) or is_number(value):
                        events.scored.setdefault((key, sample), []).append({**data, "_score": value})
            elif kind == ERROR:
                events.failed[sample] = data.get("type") or data.get("message") or "error"
        if len(events.runs) > 1:
            raise InputError(f"{source.path.name} line {line}: events of several runs. Write one file a run")
    return events


def _rows(events: Events, model: str, task: Any) -> Iterator[Row]:
    scorers = list(dict.fromkeys(key for key, _ in events.scored)) or [MATCH]
    for sample in sorted(events.samples, key=natural):
        for scorer in scorers:
            held = events.scored.get((scorer, sample), [])
            for epoch, data in enumerate(held, start=1):
                yield _scored(data, scorer, sample, epoch, model, task)
            if not held:
                failed = events.failed.get(sample)
                yield row(
                    model=model, task=task, unit=sample, scorer=scorer, value=None, answer=failed,
                    status="error" if failed else "missing",
                )  # fmt: skip


def _scored(data: dict[str, Any], scorer: str, sample: str, epoch: int, model: str, task: Any) -> Row:
    if scorer == MATCH:
        correct, answer = data.get("correct"), data.get("picked")
        rest = {k: v for k, v in data.items() if k not in ("correct", "picked", "sampled", "options", "prompt")}
    else:
        correct, answer = data["_score"], data.get("choice")
        rest = {k: v for k, v in data.items() if k not in ("_score", scorer, "choice", "prompt", "sampled")}
    usable = isinstance(correct, bool) or is_number(correct)
    return row(
        model=model, task=task, unit=sample, epoch=epoch, scorer=scorer, answer=answer, metadata=flat(rest),
        value=float(correct) if usable else None,  # type: ignore[arg-type]
        status="ok" if usable else "unscored" if correct is None else "unparsed",
    )  # fmt: skip


def _claims(events: Events, file: str) -> Iterator[Claim]:
    keys = {key for key, _ in events.scored}
    for name, value in events.report.items():
        if not is_number(value):
            continue
        select, quantity = {"scorer": MATCH if MATCH in keys else next(iter(keys), MATCH)}, "other"
        settings: dict[str, object] = {}
        if name == "accuracy" or name in keys:
            quantity, select = "mean", {"scorer": name if name in keys else select["scorer"]}
        elif "strap_std" in name:
            quantity, settings = "std_error", {"method": "bootstrap", "resamples": 1000, "ddof": 1}
        yield Claim(
            name=name, quantity=_checked(quantity), printed=printed(value), where=f"{file}: final_report.{name}",
            select=select, settings={"reducer": "none", **settings},
        )  # fmt: skip


def _checked(quantity: str) -> Quantity:
    return "mean" if quantity == "mean" else "std_error" if quantity == "std_error" else "other"
