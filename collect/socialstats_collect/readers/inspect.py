"""Logs of Inspect AI: ``.eval`` (a zip) and ``.json``, new and old versions; inspect-ai itself is not needed.

Entries of an ``.eval``: ``header.json`` (or ``_journal/start.json`` of a run that did not end), ``summaries.json``,
``samples/<id>_epoch_<n>.json``, ``reductions.json``. A ``.json`` log holds the same as one object."""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.claims.types import SCORE_TEXT, Claim, Log, Quantity, Status
from socialstats.errors import InputError
from socialstats.text import count, quoted
from socialstats_collect.readers.files import Archive, Source, json_stream
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

INFINITE = "a score is infinite: no mean of it exists. Correct the scorer, or leave the sample out"
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def to_float(value: Any) -> tuple[float | None, Status]:
    """Turn a score into a number as Inspect documents it (scorer/_metric.py, value_to_float).

    Numbers and truth values as they are; C 1, P 0.5, I and N 0; yes, true 1; no, false 0; text that is a number.
    NaN is Inspect's mark of an unscored sample. Anything else has no number: Inspect counts it as 0.0, we do not.

    Examples
    --------
    >>> to_float("C"), to_float(True), to_float("0.25"), to_float("maybe"), to_float(float("nan"))
    ((1.0, 'ok'), (1.0, 'ok'), (0.25, 'ok'), (None, 'unparsed'), (None, 'unscored'))
    """
    if value is None:
        return None, "unscored"
    if isinstance(value, (bool, int, float)):
        if value != value:
            return None, "unscored"
        if not isinstance(value, bool) and not is_number(value):
            raise InputError(INFINITE)
        return float(value), "ok"
    if not isinstance(value, str):
        return None, "unparsed"
    if value in LETTERS:
        return LETTERS[value], "ok"
    if value.lower() in WORDS:
        return WORDS[value.lower()], "ok"
    try:
        number = float(value)
    except ValueError:
        return None, "unparsed"
    return (number, "ok") if math.isfinite(number) else (None, "unparsed")


def rows(
    about: dict[str, Any], samples: list[dict[str, Any]], reductions: list[Any], printed: list[str]
) -> tuple[list[Row], tuple[str, ...]]:
    """Return a row a sample, epoch, scorer and part, and what is to be said about them.

    Where no sample has a score, the scorers are those that the log prints numbers of, or that it declares.
    """
    model, task = about.get("model"), about.get("task")
    if not samples and reductions:
        note = "the log holds no samples: rows are the values after epochs were joined, without metadata"
        return [r for each in reductions for r in _reduced(mapping(each), model, task)], (note,)
    scorers = _scorers(about, samples, printed)
    found: list[Row] = []
    for sample in samples:
        try:
            found += _rows_of(sample, scorers, model, task)
        except InputError as error:
            place = f"sample {quoted([cell(sample['id']) or ''])}, epoch {cell(sample.get('epoch', 1))}"
            raise InputError(f"{place}: {error}") from None
    _drop_plain_texts(found)
    missing = list(_missing(about, samples, scorers, model, task)) if samples else []
    return found + missing, tuple(_notes(samples, found))


def scores_of(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample by scorer; the oldest logs have one, without a name."""
    if isinstance(sample.get("score"), dict) and not sample.get("scores"):
        return {"score": sample["score"]}
    return mapping(sample.get("scores"))


def _scorers(about: dict[str, Any], samples: list[dict[str, Any]], printed: list[str]) -> dict[str, list[str]]:
    """Return every scorer with the parts of its values, in order of appearance."""
    found: dict[str, dict[str, None]] = {}
    for sample in samples:
        for name, score in scores_of(sample).items():
            parts = found.setdefault(name, {})
            parts.update(dict.fromkeys(parts_of(mapping(score).get("value"))))
    if not found:
        names = printed or [cell(mapping(s).get("name")) or "" for s in sequence(about.get("scorers"))] or [""]
        found = {name: {} for name in names}
    return {name: [*parts] for name, parts in found.items()}


def parts_of(value: Any) -> dict[str, Any]:
    """Return the parts of a dict or list value by name; nothing for a plain value."""
    if isinstance(value, dict):
        return {str(key): part for key, part in value.items()}
    return {str(k): part for k, part in enumerate(value)} if isinstance(value, list) else {}


def _rows_of(sample: dict[str, Any], scorers: dict[str, list[str]], model: Any, task: Any) -> Iterator[Row]:
    scores, metadata = scores_of(sample), _metadata(sample)
    absent: Status = "error" if sample.get("error") else "missing" if scores else "unscored"
    for name, parts in scorers.items():
        score = mapping(scores.get(name))
        for scorer, raw, number, status in _cells(name, parts, score, absent):
            held = {**metadata, SCORE_TEXT: raw} if isinstance(raw, str) else metadata
            yield row(
                model=model, task=task, unit=sample["id"], epoch=sample.get("epoch", 1), scorer=scorer, value=number,
                status=status, answer=score.get("answer"), metadata=held,
            )  # fmt: skip


def _drop_plain_texts(found: list[Row]) -> None:
    """Keep the texts of scores only where two of them stand for one number: the most frequent text is not its number.

    Inspect's reducer ``mode`` counts I and N apart, and both are worth 0.
    """
    texts: dict[tuple[str, float], set[str]] = {}
    for each in found:
        if SCORE_TEXT in each and each["status"] == "ok":
            texts.setdefault((each["scorer"], each["value"]), set()).add(each[SCORE_TEXT])
    double = {scorer for (scorer, _), held in texts.items() if len(held) > 1}
    for each in found:
        if each["scorer"] not in double:
            each.pop(SCORE_TEXT, None)


def _cells(
    name: str, parts: list[str], score: dict[str, Any], absent: Status
) -> Iterator[tuple[str, Any, float | None, Status]]:
    """Return the values of one score with their numbers: one a part where values have parts, else one."""
    value = score.get("value")
    held = parts_of(value)
    if held or (parts and (not score or to_float(value)[1] == "unscored")):
        for part in parts:
            number, status = to_float(held[part]) if part in held else (None, "unscored" if score else absent)
            yield f"{name}/{part}", held.get(part), number, status
    elif score:
        yield name, value, *to_float(value)
    else:
        yield name, None, None, absent


def _metadata(sample: dict[str, Any]) -> dict[str, str | None]:
    found = flat(mapping(sample.get("metadata")))
    if sample.get("target") not in (None, ""):
        found["target"] = cell(sample["target"])
    for key in ("error", "limit"):
        if sample.get(key):
            held = sample[key]
            found[f"sample_{key}"] = cell(held.get("message") or held.get("type") if isinstance(held, dict) else held)
    return found


def _reduced(reduction: dict[str, Any], model: Any, task: Any) -> Iterator[Row]:
    name = cell(reduction.get("scorer")) or ""
    for sample in map(mapping, sequence(reduction.get("samples"))):
        for scorer, _, number, status in _cells(name, [*parts_of(sample.get("value"))], sample, "missing"):
            yield row(
                model=model, task=task, unit=sample.get("sample_id"), scorer=scorer, value=number, status=status,
                filter=reduction.get("reducer") or "", answer=sample.get("answer"),
            )  # fmt: skip


def _missing(
    about: dict[str, Any], samples: list[dict[str, Any]], scorers: dict[str, list[str]], model: Any, task: Any
) -> Iterator[Row]:
    """Return rows for samples that were planned and are not in the log, where it names the planned ones."""
    epochs = mapping(about.get("config")).get("epochs") or 1
    seen = {(cell(s["id"]), cell(s.get("epoch", 1))) for s in samples}
    for unit in sequence(mapping(about.get("dataset")).get("sample_ids")):
        for epoch in range(1, epochs + 1 if isinstance(epochs, int) else 2):
            if (cell(unit), cell(epoch)) not in seen:
                for name, parts in scorers.items():
                    for scorer in [f"{name}/{part}" for part in parts] or [name]:
                        yield row(
                            model=model, task=task, unit=unit, epoch=epoch, scorer=scorer, value=None, status="missing"
                        )


def _notes(samples: list[dict[str, Any]], found: list[Row]) -> Iterator[str]:
    failed = sum(1 for s in samples if s.get("error") and scores_of(s))
    if failed:
        yield f"{count(failed, 'sample')} ended in an error and have a score all the same: the harness counts it"
    limited = sum(1 for s in samples if s.get("limit"))
    if limited:
        yield f"{count(limited, 'sample')} stopped at a limit (of tokens, time or messages); their scores count"
    odd = sorted({str(r["scorer"]) for r in found if r["status"] == "unparsed"})
    if odd:
        yield f"values that are no numbers count as 0.0 in Inspect's own metrics, and are left out here: {odd}"


Select = dict[str, str]
Named = tuple[str, dict[str, Any]]
ONE_NUMBER = ("accuracy", "mean", "stderr", "bootstrap_stderr", "std", "var")
QUANTITIES: dict[str, Quantity] = {
    "accuracy": "mean", "mean": "mean", "stderr": "std_error", "bootstrap_stderr": "std_error", "std": "std_dev",
    "var": "variance", "lower": "conf_low", "upper": "conf_high",
}  # fmt: skip
SETTINGS: dict[str, dict[str, object]] = {
    "stderr": {"ddof": 1}, "std": {"ddof": 1}, "var": {"ddof": 1},
    "bootstrap_stderr": {"method": "bootstrap", "resamples": 1000, "ddof": 0},
    "lower": {"method": "t", "conf_level": 0.95}, "upper": {"method": "t", "conf_level": 0.95},
}  # fmt: skip
NO_GROUP = "None"  # how a sample is grouped whose metadata says nothing
PARAMS = {"level": "conf_level", "method": "method", "num_samples": "resamples", "to_float": "to_float"}


def scores(top: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the log prints by scorer; the oldest logs have one scorer, with its metrics beside it."""
    results = mapping(top.get("results"))
    if "scores" not in results and isinstance(results.get("scorer"), dict):
        legacy = results["scorer"]
        return [{**legacy, "scorer": legacy.get("name"), "metrics": results.get("metrics") or legacy.get("metrics")}]
    return [mapping(score) for score in sequence(results.get("scores"))]


def scorers(top: dict[str, Any]) -> list[str]:
    """Return the scorers that the log prints numbers of."""
    return list(dict.fromkeys(cell(s.get("scorer") or s.get("name")) or "" for s in scores(top)))


def clusters(top: dict[str, Any]) -> set[str]:
    """Return the metadata keys that printed metrics group or cluster samples by."""
    params = [mapping(mapping(m).get("params")) for s in scores(top) for m in mapping(s.get("metrics")).values()]
    return {str(held[key]) for held in params for key in ("cluster", "group_key") if held.get(key)}


def claims(top: dict[str, Any], rows: list[Row], file: str) -> Iterator[Claim]:
    """Return a claim a printed metric, and one without a number for each declared metric that is not printed."""
    about = mapping(top.get("eval"))
    known = {str(r["scorer"]) for r in rows}
    entries: dict[tuple[str, str | None], list[_Entry]] = {}
    for position, score in enumerate(scores(top)):
        name, scorer = cell(score.get("name")) or "", cell(score.get("scorer") or score.get("name")) or ""
        part = f"{scorer}/{name}"
        by_part = part in known and (name != scorer or not any(_plain(_declared(about, scorer))))
        select = {"scorer": part if by_part else scorer}
        settings: dict[str, object] = {"reducer": _reducer(score, about, rows, select)}
        entry = _Entry(select=select, settings=settings, where=f"{file}: results.scores[{position}]")
        entries.setdefault((scorer, name if by_part else None), []).append(entry)
        n = score.get("scored_samples")
        for key, held in mapping(score.get("metrics")).items():
            metric = mapping(held)
            params = mapping(metric.get("params")) or mapping(metric.get("options"))
            entry.printed.append((_bare(metric.get("group") or metric.get("name") or key), _set(params)))
            claim = _claim(key, metric, params, select, settings, rows)
            yield _finished(claim, f"{entry.where}.metrics.{key}", n if isinstance(n, int) else None)
        if isinstance(n, int) and select["scorer"] in known:
            yield Claim(name="scored_samples", quantity="count", printed=str(n), where=f"{entry.where}.scored_samples",
                        select=select, settings=settings)  # fmt: skip
    for (scorer, of), found in entries.items():
        for metric_name, params in _unprinted(list(_expected(_declared(about, scorer), of)), found):
            yield _absent(metric_name, params, found[0].select, found[0].settings, found[0].where)


@dataclass(slots=True, kw_only=True)
class _Entry:
    """What the log prints in one place about a scorer, or about one part of its values."""

    select: Select
    settings: dict[str, object]
    where: str
    printed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


def _unprinted(declared: list[Named], entries: list[_Entry]) -> Iterator[Named]:
    """Yield declared metrics of one number that no entry prints: fewer are printed of a name than were declared."""
    for name in dict.fromkeys(n for n, _ in declared if n in ONE_NUMBER):
        wanted = [(n, params) for n, params in declared if n == name]
        there = max(sum(n == name for n, _ in entry.printed) for entry in entries)
        seen = [held for entry in entries for held in entry.printed]
        lost = [(n, params) for n, params in wanted if (n, _set(params)) not in seen]
        yield from lost[: max(0, len(wanted) - there)]


def _claim(
    key: str, metric: dict[str, Any], params: dict[str, Any], select: Select, settings: dict[str, object],
    rows: list[Row],
) -> Claim:  # fmt: skip
    name, group = _bare(metric.get("name") or key), _bare(metric.get("group"))
    value = metric.get("value")
    number = printed(value) if is_number(value) else "NaN"
    parts: tuple[Select, ...] = ()
    if group == "grouped":
        label, name, params, select, parts = _grouped(name, params, select, rows)
    elif group == "aggregate" or name == "aggregate":
        inner = mapping(params.get("agg"))
        label, select = f"aggregate {params.get('key')}", {"scorer": f"{select['scorer']}/{params.get('key')}"}
        name, params = _bare(inner.get("name")), mapping(inner.get("params"))
    else:
        label = f"{group} {name}" if group else name
    plain = group in ("", "ci", "grouped", "aggregate")
    quantity: Quantity = QUANTITIES.get(name, "other") if plain else "other"
    if parts and quantity != "mean" and (name != "stderr" or params.get("cluster")):
        quantity = "other"
    over_parts = {"over_parts": "mean"} if parts and quantity == "std_error" else {}
    return Claim(
        name=_label(label, params), quantity=quantity, printed=number, select=select, parts=parts,
        settings={**settings, **_settings(name, params), **over_parts},
    )  # fmt: skip


def _finished(claim: Claim, where: str, n: int | None) -> Claim:
    return replace(claim, where=where, n=n if len(claim.select) == 1 and not claim.parts else None)


def _grouped(
    name: str, params: dict[str, Any], select: Select, rows: list[Row]
) -> tuple[str, str, dict[str, Any], Select, tuple[Select, ...]]:
    """Return label, inner metric and the rows it is about (scorer/_metrics/grouped.py): a group, or all of them."""
    inner, key = mapping(params.get("metric")), column(str(params.get("group_key")))
    metric, template = _bare(inner.get("name")), str(params.get("name_template") or "{group_name}")
    label = f"{metric} ({params.get('group_key')} = {name})"
    mine = [r for r in rows if r["scorer"] == select["scorer"] and r["status"] in ("ok", "unparsed")]
    groups = dict.fromkeys(r.get(key) or "" for r in mine)
    if name == str(params.get("all_label") or "all"):
        by_group = params.get("all") == "groups"
        parts = tuple({**select, key: group} for group in groups) if by_group else ()
        label = f"{metric} (mean over {params.get('group_key')})" if by_group else f"{metric} (all)"
        return label, metric, mapping(inner.get("params")), select, parts
    value = next((g for g in groups if template.replace("{group_name}", g or NO_GROUP) == name), name)
    return label, metric, mapping(inner.get("params")), {**select, key: value}, ()


def _settings(name: str, params: dict[str, Any]) -> dict[str, object]:
    found = dict(SETTINGS.get(name, {}))
    found.update({ours: params[theirs] for theirs, ours in PARAMS.items() if params.get(theirs) is not None})
    if params.get("cluster"):
        found["cluster"] = column(str(params["cluster"]))
    if found.get("method") != "bootstrap":
        found.pop("resamples", None)
    return found


def _label(label: str, params: dict[str, Any]) -> str:
    shown = [f"{k}={cell(v)}" for k, v in params.items() if v is not None and k not in ("metric", "agg", "to_float")]
    return f"{label} ({', '.join(shown)})" if shown else label


def _reducer(score: dict[str, Any], about: dict[str, Any], rows: list[Row], select: Select) -> str:
    """Return how epochs were joined: as printed, else as configured; ``none`` where every epoch was counted."""
    if score.get("reducer"):
        return str(score["reducer"])
    mine = [r for r in rows if r["scorer"] == select["scorer"]]
    units, repeats = len({r["unit"] for r in mine}), sum(r["status"] in ("ok", "unparsed") for r in mine)
    if units < repeats == score.get("scored_samples"):
        return "none"
    configured = mapping(about.get("config")).get("epochs_reducer")
    listed = configured if isinstance(configured, list) else [configured]
    return str(listed[0]) if listed and listed[0] else "mean"


def _declared(about: dict[str, Any], scorer: str) -> Any:
    for held in map(mapping, sequence(about.get("scorers"))):
        if held.get("name") == scorer:
            return held.get("metrics")
    return None


def _plain(declared: Any) -> Iterator[dict[str, Any]]:
    """Yield the metrics of a scorer that are about its whole value."""
    for metric in sequence(declared):
        if isinstance(metric, dict) and "name" in metric:
            yield metric


def _expected(declared: Any, part: str | None) -> Iterator[Named]:
    """Yield name and parameters of the metrics that were declared for a scorer, or for one part of its values."""
    if part is None:
        wanted: list[Any] = [*_plain(declared)]
    else:
        tables = (
            [declared] if isinstance(declared, dict) else [m for m in sequence(declared) if "name" not in mapping(m)]
        )
        wanted = [
            m for t in tables for key, ms in mapping(t).items() if fnmatch.fnmatch(part, key) for m in sequence(ms)
        ]
    for metric in map(mapping, wanted):
        yield _bare(metric.get("name")), mapping(metric.get("options")) or mapping(metric.get("params"))


def _absent(name: str, params: dict[str, Any], select: Select, settings: dict[str, object], where: str) -> Claim:
    """Return a claim without a number: the metric was declared for the scorer, and is not printed."""
    return Claim(
        name=_label(name, params), quantity=QUANTITIES.get(name, "other"), printed="",
        where=f"{where}: declared, not printed", select=select, settings={**settings, **_settings(name, params)},
    )  # fmt: skip


def _set(params: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in params.items() if value is not None}


def _bare(name: Any) -> str:
    """Return a metric's name; only Inspect's own go without their package: another's ``accuracy`` may be anything."""
    return (cell(name) or "").removeprefix("inspect_ai/")


NAME = "inspect"
NEEDS = "a .eval file, or a .json with 'eval' and 'status' (Inspect AI)"
HEADER, START = "header.json", "_journal/start.json"
SUMMARIES = re.compile(r"_journal/summaries/(\d+)\.json")
SAMPLE = re.compile(r"samples/.*\.json", re.DOTALL)
SLIM = ("id", "epoch", "target", "metadata", "scores", "error", "limit", "score")
TOP = ("version", "status", "eval", "results", "reductions", "error", "invalidated")
RUN = ("task_args", "model_args", "config", "dataset", "created")


@dataclass(slots=True, kw_only=True)
class Parts:
    """The parts of a log that statistics need."""

    top: dict[str, Any]
    samples: list[dict[str, Any]] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Tell whether this is an Inspect log."""
    if source.kind == "zip":
        return HEADER in source.names or START in source.names
    return source.kind == "object" and source.has("status", "eval") and "task" in mapping(source.first["eval"])


def read(source: Source) -> Log:
    """Read an Inspect log: a row a sample, epoch and scorer; dict and list values a row a part (``scorer/part``)."""
    parts = _read_zip(source) if source.kind == "zip" else _read_json(source)
    about = mapping(parts.top.get("eval"))
    found, notes = rows(about, parts.samples, _reductions(parts.top), scorers(parts.top))
    found, long = without_long(found)
    return Log(
        harness=NAME,
        version=cell(mapping(about.get("packages")).get("inspect_ai")),
        files=(source.path.name,),
        rows=frame(found),
        claims=tuple(claims(parts.top, found, source.path.name)),
        notes=(*_state(parts.top), *notes, *status_notes(found), *long),
        settings={name: cell(about[name]) or "" for name in RUN if about.get(name)},
    )


def _slim(sample: Any, source: Source) -> dict[str, Any]:
    if not isinstance(sample, dict) or "id" not in sample:
        raise InputError(f"{source.path.name}: a sample without an id. Is this a log that Inspect wrote?")
    return {key: sample[key] for key in SLIM if key in sample}


def _read_json(source: Source) -> Parts:
    """Read one member after the other; of samples only what is needed is kept."""
    parts = Parts(top={})
    with json_stream(source.path, nan=True) as stream:
        for key in stream.members():
            if key == "samples" and stream.peek() == "[":
                parts.samples.extend(_slim(sample, source) for sample in stream.elements())
            elif key in TOP:
                parts.top[key] = stream.value()
            else:
                stream.value(plain=True)
        if stream.peek():
            raise stream.broken("there is text after the end of the log")
    return parts


def _read_zip(source: Source) -> Parts:
    with Archive(source.path) as archive:
        name = HEADER if HEADER in archive else START
        top = mapping(archive.json(name, nan=True))
        if name == START:
            top["status"] = top.get("status") or "started"
        if "reductions.json" in archive:
            top["reductions"] = archive.json("reductions.json", nan=True, spelled=False)
        return Parts(top=top, samples=_samples(archive, top, source))


def _samples(archive: Archive, top: dict[str, Any], source: Source) -> list[dict[str, Any]]:
    """Take the summaries; read whole samples only where a summary misses something that is needed."""
    found = {_entry(s): s for s in (_slim(s, source) for s in _summaries(archive))}
    needed = clusters(top)
    for name in [name for name in archive.names if SAMPLE.fullmatch(name)]:
        if name not in found or _too_thin(found[name], needed):
            sample = _slim(archive.json(name, nan=True, spelled=False), source)
            found[_entry(sample)] = sample
    return list(found.values())


def _too_thin(summary: dict[str, Any], needed: set[str]) -> bool:
    """Tell whether a summary misses scores or metadata: old versions wrote neither, new ones leave out long values."""
    if not (summary.get("scores") or summary.get("error")) or "metadata" not in summary:
        return True
    return not needed <= set(mapping(summary["metadata"]))


def _entry(sample: dict[str, Any]) -> str:
    return f"samples/{sample['id']}_epoch_{sample.get('epoch', 1)}.json"


def _summaries(archive: Archive) -> Iterator[Any]:
    if "summaries.json" in archive:
        yield from sequence(archive.json("summaries.json", nan=True, spelled=False))
        return
    numbered = sorted((int(match[1]), name) for name in archive.names if (match := SUMMARIES.fullmatch(name)))
    for _, name in numbered:
        yield from sequence(archive.json(name, nan=True, spelled=False))


def _reductions(top: dict[str, Any]) -> list[Any]:
    return sequence(top.get("reductions")) or sequence(mapping(top.get("results")).get("sample_reductions"))


def _state(top: dict[str, Any]) -> Iterator[str]:
    status = cell(top.get("status"))
    if status != "success":
        yield f"the run did not end well: its status is '{status}', so its numbers may be about a part of the samples"
    if top.get("invalidated"):
        yield "the log says that it was invalidated"
    results = mapping(top.get("results"))
    total, done = results.get("total_samples"), results.get("completed_samples")
    if isinstance(total, int) and isinstance(done, int) and done < total:
        yield f"the harness counts {count(done)} of {count(total)} samples as completed"
