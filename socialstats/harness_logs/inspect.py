"""Logs of Inspect AI: ``.eval`` (a zip) and ``.json``, new and old versions; inspect-ai itself is not needed.

Entries of an ``.eval``: ``header.json`` (or ``_journal/start.json`` of a run that did not end), ``summaries.json``,
``samples/<id>_epoch_<n>.json``, ``reductions.json``. A ``.json`` log holds the same as one object."""

from __future__ import annotations

import fnmatch
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.errors import InputError
from socialstats.harness_logs.files import Archive, Source, load_json
from socialstats.harness_logs.log import SCORE_TEXT, Claim, Log, Quantity, Status, version_of
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    Score,
    at,
    cell,
    column,
    is_number,
    items,
    log_of,
    member,
    objects,
    printed,
    row,
    scored,
    text,
    whole,
)
from socialstats.tables import as_number
from socialstats.text import count, quoted

NEEDS = "a .eval file, or a .json with 'eval' and 'status' (Inspect AI)"
HEADER, START, SUMMARIES, REDUCTIONS = (
    "header.json",
    "_journal/start.json",
    "summaries.json",
    "reductions.json",
)
FORMS = (("zip", HEADER), ("zip", START), ("object", "status", "eval.task"))
JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
ENTRY = re.compile(r"samples/.*\.json", re.DOTALL)
SAMPLE = ("id", "epoch", "target", "metadata", "scores", "error", "limit", "score")
WHOLE = ("version", "status", "eval", "results", "reductions", "error", "invalidated")
Samples = list[Members]
Version = tuple[int, ...]
Scorers = dict[str, list[str]]


def read(source: Source) -> Log:
    """Read an Inspect log: one row per sample, epoch and scorer; dicts and lists one per part (``scorer/part``)."""
    if source.kind == "zip":
        with Archive(source.path) as archive:
            top, samples = archive_content(archive)
    else:
        name = source.path.name
        shape_of_samples = [lambda sample: sample_content(sample, name)]
        shape = {**dict.fromkeys(WHOLE), "samples": shape_of_samples}
        top = at(load_json(source.path, shape, nan=True))
        samples = items(top, "samples")
    about = at(top, "eval")
    rows = sample_rows(top, samples)
    return log_of(
        __name__,
        source,
        rows,
        about={"model": about.get("model"), "task": about.get("task")},
        version=member(about, "packages", "inspect_ai"),
        claims=metric_claims(top, rows, source.path.name),
        notes=(*state_notes(top), *sample_notes(samples, rows, version_in(top))),
    )


def sample_content(content: Any, name: str) -> Members:
    """Keep of a sample what is needed; the oldest logs have one score, without a name."""
    members = {key: at(content)[key] for key in SAMPLE if key in at(content)}
    if "id" not in members:
        raise InputError(f"{name}: a sample without an id. Is this a log that Inspect wrote?")
    if isinstance(members.get("score"), dict) and not members.get("scores"):
        members["scores"] = {"score": members["score"]}
    return {"epoch": 1, **members, "scores": at(members, "scores")}


def archive_content(archive: Archive) -> tuple[Members, Samples]:
    """Take the summaries; read whole samples only where a summary misses something that is needed."""
    names = archive.namelist()
    ended = HEADER in names
    top = at(archive.json(HEADER if ended else START))
    if not ended:
        top["status"] = top.get("status") or "started"
    if REDUCTIONS in names:
        top["reductions"] = archive.json(REDUCTIONS)
    journal = sorted((int(match[1]), name) for name in names if (match := JOURNAL.fullmatch(name)))
    listed = [SUMMARIES] if SUMMARIES in names else [name for _, name in journal]
    samples = [
        sample_content(content, name) for name in listed for content in items(archive.json(name))
    ]
    by_entry = {_entry(sample): sample for sample in samples}
    needed = _groupings(top)
    for name in filter(ENTRY.fullmatch, dict.fromkeys(names)):
        if name not in by_entry or _too_thin(by_entry[name], needed):
            sample = sample_content(archive.json(name), name)
            by_entry[_entry(sample)] = sample
    return top, [*by_entry.values()]


def _entry(sample: Members) -> str:
    return f"samples/{sample['id']}_epoch_{sample['epoch']}.json"


def _too_thin(summary: Members, needed: set[str]) -> bool:
    """Return whether a summary misses scores or metadata: old versions wrote neither, new ones no long values."""
    ended = summary["scores"] or summary.get("error")
    return not ended or "metadata" not in summary or not needed <= {*at(summary["metadata"])}


def _groupings(top: Members) -> set[str]:
    """Return the metadata keys that printed metrics group or cluster samples by."""
    params = [
        at(metric, "params")
        for score in printed_scores(top)
        for metric in at(score, "metrics").values()
    ]
    return {
        str(parameters[key])
        for parameters in params
        for key in ("cluster", "group_key")
        if parameters.get(key)
    }


def state_notes(top: Members) -> Iterator[str]:
    """Yield notes on a run that did not end well."""
    status = cell(top.get("status"))
    if status != "success":
        yield f"the run did not end well: its status is '{status}', so its numbers may be about a part of the samples"
    if top.get("invalidated"):
        yield "the log says that it was invalidated"
    results = at(top, "results")
    total, done = whole(results, "total_samples"), whole(results, "completed_samples")
    if total is not None and done is not None and done < total:
        yield f"the harness counts {count(done)} of {count(total)} samples as completed"


WORTH = {"C": "1", "P": "0.5", "I": "0", "N": "0", "yes": "1", "true": "1", "no": "0", "false": "0"}
INFINITE = "a score is infinite: no mean of it exists. Correct the scorer, or leave the sample out"
REDUCED = "the log holds no samples: rows are the values after epochs were joined, without metadata"


NEWEST = (9,)  # a log that does not say its version is read as one of today's
# First versions of Inspect with a behaviour (its CHANGELOG.md). POPULATION: a variance is divided by n - 1. EQUAL:
# scores above the threshold of pass@k pass too. KEPT: unscored repeats are left out. SIGNED: texts such as "-2" are
# numbers. SHORT: pass@k of fewer than k repeats is undefined, and the standard error of one cluster is 0. ERRORED:
# errored samples with a score are counted
POPULATION, EQUAL, KEPT, SIGNED, SHORT, ERRORED = (
    (0, 3, 64),
    (0, 3, 101),
    (0, 3, 123),
    (0, 3, 133),
    (0, 3, 221),
    (0, 3, 248),
)


def version_in(top: Members) -> Version:
    """Return the version of Inspect that wrote a log."""
    return version_of(cell(member(top, "eval", "packages", "inspect_ai"))) or NEWEST


def to_float(value: Any, version: Version = NEWEST) -> Score:
    """Turn a score into a number as Inspect documents it (scorer/_metric.py, value_to_float).

    Numbers and truth values as they are; C 1, P 0.5, I and N 0; yes, true 1; no, false 0; text that is a number, before
    0.3.133 only of digits and points. NaN is Inspect's mark of an unscored sample. Anything else has no number: Inspect
    counts it as 0.0, we do not.

    Examples
    --------
    >>> to_float("C"), to_float(True), to_float("0.25"), to_float("maybe"), to_float(float("nan"))
    ((1.0, 'ok'), (1.0, 'ok'), (0.25, 'ok'), (None, 'unparsed'), (None, 'unscored'))
    """
    if isinstance(value, str):
        plain = WORTH.get(value, WORTH.get(value.lower(), value))
        number = (
            as_number(plain) if version >= SIGNED or plain.replace(".", "").isnumeric() else None
        )
        return scored(value if number is None else number)
    return scored(None if value != value else value)


def sample_rows(top: Members, samples: Samples) -> list[Row]:
    """Return one row per sample, epoch, scorer and part.

    Where no sample has a score, the scorers are those that the log prints numbers of, or that it declares. Samples
    that the log plans and does not hold are missing. Of a log without samples, rows are what its epochs were joined to.
    """
    about, version = at(top, "eval"), version_in(top)
    if not samples:
        return [
            r
            for sample in reduced_samples(top)
            for r in scorer_rows(sample, scorers_with_parts([sample]), version)
        ]
    declared = [text(scorer, "name") for scorer in items(about, "scorers")]
    named = [str(score["scorer"]) for score in printed_scores(top)] or declared or [""]
    scorers = scorers_with_parts(samples) or {name: [] for name in named}
    places = {(cell(sample["id"]), cell(sample["epoch"])) for sample in samples}
    epochs = range(1, 1 + (whole(about, "config", "epochs") or 1))
    planned = [(unit, epoch) for unit in items(about, "dataset", "sample_ids") for epoch in epochs]
    absent = [
        {"id": unit, "epoch": epoch, "scores": {}, "planned": True}
        for unit, epoch in planned
        if (cell(unit), cell(epoch)) not in places
    ]
    rows = [
        scored_row
        for sample in (*samples, *absent)
        for scored_row in scorer_rows(sample, scorers, version)
    ]
    _drop_plain_texts(rows)
    return rows


def reduced_samples(top: Members) -> Iterator[Members]:
    """Yield what is left of samples in a log without them: values after epochs were joined, in place of scores."""
    reductions = items(top, "reductions") or items(top, "results", "sample_reductions")
    for reduction in map(at, reductions):
        for sample in objects(reduction, "samples"):
            scores = {text(reduction, "scorer"): sample}
            yield {
                "id": sample.get("sample_id"),
                "epoch": 1,
                "filter": reduction.get("reducer"),
                "scores": scores,
            }


def scorers_with_parts(samples: Samples) -> Scorers:
    """Return every scorer with the parts of its values, in order of appearance."""
    found: dict[str, dict[str, None]] = {}
    for sample in samples:
        for name, score in sample["scores"].items():
            found.setdefault(name, {}).update(dict.fromkeys(parts_of_value(member(score, "value"))))
    return {name: [*parts] for name, parts in found.items()}


def parts_of_value(value: Any) -> Members:
    """Return the parts of a dict or list value by name; nothing for a plain value."""
    parts = dict(enumerate(value)) if isinstance(value, list) else at(value)
    return {str(name): part for name, part in parts.items()}


def scorer_rows(sample: Members, scorers: Scorers, version: Version) -> Iterator[Row]:
    """Yield one row for each scorer, or for each part of its values where they have parts."""
    scores = sample["scores"] if version >= ERRORED or not sample.get("error") else {}
    absent: Status = "missing" if scores or "planned" in sample else "unscored"
    if sample.get("error"):
        absent = "error"
    metadata = _metadata(sample)
    for name, parts in scorers.items():
        score = at(scores, name)
        value = score.get("value")
        values = {f"{name}/{part}": v for part, v in parts_of_value(value).items()}
        plain = bool(score) and not values and value is not None and value == value
        if plain or not parts:
            values, scorers_here = {name: value}, [name]
        else:
            scorers_here = [f"{name}/{part}" for part in parts]
        for scorer in scorers_here:
            value = values.get(scorer)
            if value in (math.inf, -math.inf):
                place = f"{quoted([str(sample['id'])])}, epoch {cell(sample['epoch'])}"
                raise InputError(f"sample {place}: {INFINITE}")
            texts = {SCORE_TEXT: value} if isinstance(value, str) else {}
            yield row(
                unit=sample["id"],
                epoch=sample["epoch"],
                scorer=scorer,
                filter=sample.get("filter") or "",
                score=to_float(value, version) if score else (None, absent),
                answer=score.get("answer"),
                metadata=metadata | texts,
            )


def _drop_plain_texts(rows: list[Row]) -> None:
    """Keep the texts of scores only where two of them stand for one number: the most frequent text is not its number.

    Inspect's reducer ``mode`` counts I and N apart, and both are worth 0.
    """
    texts: defaultdict[tuple[str, float], set[str]] = defaultdict(set)
    for r in rows:
        if SCORE_TEXT in r and r["status"] == "ok":
            texts[r["scorer"], r["value"]].add(r[SCORE_TEXT])
    doubled = {scorer for (scorer, _), alike in texts.items() if len(alike) > 1}
    for r in rows:
        if r["scorer"] not in doubled:
            r.pop(SCORE_TEXT, None)


def _metadata(sample: Members) -> Row:
    metadata = dict(at(sample, "metadata"))
    if sample.get("target") not in (None, ""):
        metadata["target"] = cell(sample["target"])
    for key in ("error", "limit"):
        reason = sample.get(key)
        if isinstance(reason, dict) and reason:
            reason = reason.get("message") or reason.get("type")
            metadata[f"sample_{key}"] = cell(reason)
        elif reason:
            metadata[f"sample_{key}"] = cell(reason)
    return metadata


def sample_notes(samples: Samples, rows: list[Row], version: Version) -> Iterator[str]:
    """Yield notes on samples whose scores count otherwise than one may think."""
    if rows and not samples:
        yield REDUCED
    if failed := sum(bool(sample.get("error") and sample["scores"]) for sample in samples):
        counts = (
            "the harness counts it"
            if version >= ERRORED
            else "this version of Inspect does not count it"
        )
        yield f"{count(failed, 'sample')} ended in an error and have a score all the same: {counts}"
    if limited := sum(bool(sample.get("limit")) for sample in samples):
        yield f"{count(limited, 'sample')} stopped at a limit (of tokens, time or messages); their scores count"
    if odd := sorted({str(r["scorer"]) for r in rows if r["status"] == "unparsed"}):
        yield f"values that are no numbers count as 0.0 in Inspect's own metrics, and are left out here: {odd}"


DDOF: dict[str, object] = {"ddof": 1, "undefined": "0"}
STUDENT: dict[str, object] = {"method": "t", "conf_level": 0.95, "undefined": "mean"}
# Inspect's own metrics: what they are of scores, and how they are computed unless their parameters say otherwise
METRICS: dict[str, tuple[Quantity, dict[str, object]]] = {
    "accuracy": ("mean", {}),
    "mean": ("mean", {}),
    "stderr": ("std_error", DDOF),
    "std": ("std_dev", DDOF),
    "bootstrap_stderr": ("std_error", {"method": "bootstrap", "resamples": 1000, "ddof": 0}),
    "bootstrap_std": ("std_error", {"method": "bootstrap", "resamples": 1000, "ddof": 0}),
    "var": ("variance", DDOF),
    "ci lower": ("conf_low", STUDENT),
    "ci upper": ("conf_high", STUDENT),
}
NO_GROUP = "None"  # how a sample is grouped whose metadata says nothing
PARAMS = {
    "level": "conf_level",
    "method": "method",
    "num_samples": "resamples",
    "to_float": "to_float",
}
UNSHOWN = ("metric", "agg", "to_float")  # parameters that names of metrics do not tell


@dataclass(slots=True, frozen=True)
class DeclaredMetric:
    """A metric that the log declares, or one number of it that the log prints, with its parameters."""

    kind: str
    params: Members
    label: str = field(compare=False)

    @classmethod
    def of(cls, content: Any, key: str = "") -> DeclaredMetric:
        """Read a metric; only Inspect's own names go without their package: another's ``accuracy`` may be anything."""
        name = (text(content, "name") or key).removeprefix("inspect_ai/")
        group = text(content, "group").removeprefix("inspect_ai/")
        params = at(content, "params") or at(content, "options")
        params = {key: value for key, value in params.items() if value is not None}
        return cls(group or name, params, f"{group} {name}".strip())


@dataclass(slots=True, frozen=True)
class PrintedScorer:
    """What a log prints of a scorer, or of a `part` of its values: a claim without a number, and its metrics."""

    scorer: str
    part: str | None
    claim: Claim
    metrics: list[DeclaredMetric]


def printed_scores(top: Members) -> list[Members]:
    """Return what the log prints by scorer; the oldest logs have one scorer, with its metrics beside it."""
    results = at(top, "results")
    legacy = at(results, "scorer")
    metrics = results.get("metrics") or legacy.get("metrics")
    oldest = [{**legacy, "metrics": metrics}] if legacy else []
    scores = objects(results, "scores") if "scores" in results else oldest
    return [{**score, "scorer": text(score, "scorer") or text(score, "name")} for score in scores]


def metric_claims(top: Members, rows: list[Row], file: str) -> Iterator[Claim]:
    """Yield a claim a printed metric, and one without a number for each declared metric that is not printed."""
    about, version = at(top, "eval"), version_in(top)
    scorers: defaultdict[tuple[str, str | None], list[PrintedScorer]] = defaultdict(list)
    for position, score in enumerate(printed_scores(top)):
        place = f"{file}: results.scores[{position}]"
        scorer = printed_scorer(score, about, rows, version, place)
        scorers[scorer.scorer, scorer.part].append(scorer)
        yield from printed_claims(score, scorer, rows, version)
    for (name, part), entries in scorers.items():
        declared = [
            metric
            for pattern, metric in _declared(about, name)
            if (pattern is None) == (part is None) and fnmatch.fnmatch(part or "", pattern or "")
        ]
        first = entries[0].claim
        claim = replace(first, where=f"{first.where}: declared, not printed")
        for metric in _unprinted(declared, [entry.metrics for entry in entries]):
            yield metric_claim(metric, claim, rows, version)


def printed_scorer(
    score: Members, about: Members, rows: list[Row], version: Version, place: str
) -> PrintedScorer:
    """Return of which scorer, or part of its values, the numbers are that stand together in a log."""
    name, scorer = text(score, "name"), score["scorer"]
    part = f"{scorer}/{name}"
    by_part = any(r["scorer"] == part for r in rows)
    if by_part and name == scorer:
        by_part = all(pattern is not None for pattern, _ in _declared(about, scorer))
    select = {"scorer": part if by_part else scorer}
    claim = Claim(
        name="",
        quantity="other",
        printed="",
        where=place,
        select=select,
        settings=_of_version(_reducer(score, about, rows, select), version),
    )
    metrics = [DeclaredMetric.of(value, key) for key, value in at(score, "metrics").items()]
    return PrintedScorer(scorer, name if by_part else None, claim, metrics)


def printed_claims(
    score: Members, scorer: PrintedScorer, rows: list[Row], version: Version
) -> Iterator[Claim]:
    """Yield the claims of the metrics of a scorer, and of how many samples it scored."""
    empty, n = scorer.claim, whole(score, "scored_samples")
    for metric, (key, content) in zip(scorer.metrics, at(score, "metrics").items(), strict=True):
        value = member(content, "value")
        claim = metric_claim(metric, empty, rows, version)
        alone = len(claim.select) == 1 and not claim.parts
        yield replace(
            claim,
            printed=printed(value) if is_number(value) else "NaN",
            where=f"{empty.where}.metrics.{key}",
            n=n if alone else None,
        )
    if n is not None and any(r["scorer"] == empty.select["scorer"] for r in rows):
        where = f"{empty.where}.scored_samples"
        yield replace(empty, name="scored_samples", quantity="count", printed=str(n), where=where)


def _declared(about: Members, name: str) -> Iterator[tuple[str | None, DeclaredMetric]]:
    """Yield the metrics that are declared for a scorer, with the pattern of the parts of its values they are about."""
    scorers = [scorer for scorer in objects(about, "scorers") if scorer.get("name") == name]
    declared = scorers[0].get("metrics") if scorers else None
    for metrics in declared if isinstance(declared, list) else [declared]:
        alone = isinstance(member(metrics, "name"), str)
        tables = {None: [metrics]} if alone else at(metrics)
        for pattern, listed in tables.items():
            for metric in items(listed):
                yield pattern, DeclaredMetric.of(metric)


def _unprinted(
    declared: list[DeclaredMetric], printed: list[list[DeclaredMetric]]
) -> Iterator[DeclaredMetric]:
    """Yield declared metrics of one number that no entry prints: fewer are printed of a name than were declared."""
    for kind in dict.fromkeys(metric.kind for metric in declared if metric.kind in METRICS):
        metrics = [metric for metric in declared if metric.kind == kind]
        most = max(sum(metric.kind == kind for metric in entry) for entry in printed)
        unprinted = [metric for metric in metrics if all(metric not in entry for entry in printed)]
        yield from unprinted[: max(0, len(metrics) - most)]


def metric_claim(metric: DeclaredMetric, entry: Claim, rows: list[Row], version: Version) -> Claim:
    """Return the claim of a metric in a place that says the scorer, the number, and how epochs were joined."""
    inner, label, select = metric, metric.label, dict(entry.select)
    parts: tuple[dict[str, str], ...] = ()
    if metric.kind == "grouped":
        inner = DeclaredMetric.of(metric.params.get("metric"))
        label, select, parts = group_claim(metric, inner.label, select, rows)
    elif metric.kind == "aggregate":
        inner, key = DeclaredMetric.of(metric.params.get("agg")), metric.params.get("key")
        label, select = f"aggregate {key}", {"scorer": f"{select['scorer']}/{key}"}
    params = inner.params
    quantity, usual = METRICS.get(inner.label, ("other", {}))
    settings = {**entry.settings, **usual}
    settings |= {ours: params[theirs] for theirs, ours in PARAMS.items() if theirs in params}
    if params.get("cluster"):
        settings["cluster"] = column(str(params["cluster"]))
        if version < SHORT:
            settings.pop("undefined", None)
    if settings.get("method") != "bootstrap":
        settings.pop("resamples", None)
    if quantity == "variance" and version < POPULATION:
        settings["ddof"] = 0
    if parts:
        settings["by_size"] = False
    if parts and quantity != "mean":
        of_errors = inner.kind == "stderr" and "cluster" not in settings
        quantity = "std_error" if of_errors else "other"
        settings |= {"over_parts": "mean"} if of_errors else {}
    settings_text = [f"{key}={cell(params[key])}" for key in params if key not in UNSHOWN]
    name = f"{label} ({', '.join(settings_text)})" if settings_text else label
    return replace(
        entry, name=name, quantity=quantity, select=select, parts=parts, settings=settings
    )


def group_claim(
    metric: DeclaredMetric, of: str, select: dict[str, str], rows: list[Row]
) -> tuple[str, dict[str, str], tuple[dict[str, str], ...]]:
    """Return label and the rows a grouped metric is about (scorer/_metrics/grouped.py): a group, or all of them."""
    params, by = metric.params, text(metric.params, "group_key") or "None"
    name, key = metric.label.removeprefix("grouped").strip(), column(by)
    scored_rows = [
        r for r in rows if r["scorer"] == select["scorer"] and r["status"] in ("ok", "unparsed")
    ]
    groups = dict.fromkeys(r.get(key) or "" for r in scored_rows)
    if name != str(params.get("all_label") or "all"):
        template = str(params.get("name_template") or "{group_name}")
        names = {
            template.replace("{group_name}", group or NO_GROUP): group
            for group in reversed(groups)  # the first group with a name has it
        }
        return f"{of} ({by} = {name})", {**select, key: names.get(name, name)}, ()
    if params.get("all") != "groups":
        return f"{of} (all)", select, ()
    return f"{of} (mean over {by})", select, tuple({**select, key: group} for group in groups)


def _of_version(reducer: str, version: Version) -> dict[str, object]:
    """Return how a version joined repeats, and what it did with those that were not scored."""
    if reducer.startswith("pass_at") and version < SHORT:
        variant = "pass_at_equal" if version < EQUAL else "pass_at_short"
        reducer = variant + reducer.removeprefix("pass_at")
    settings: dict[str, object] = {"reducer": reducer}
    if version < KEPT and reducer != "none":
        settings["errors"] = "kept"
    return settings


def _reducer(score: Members, about: Members, rows: list[Row], select: dict[str, str]) -> str:
    """Return how epochs were joined: as printed, else as configured; ``none`` where every epoch was counted."""
    if score.get("reducer"):
        return str(score["reducer"])
    scores = [r for r in rows if r["scorer"] == select["scorer"]]
    units = len({r["unit"] for r in scores})
    repeats = sum(r["status"] in ("ok", "unparsed") for r in scores)
    if units < repeats == score.get("scored_samples"):
        return "none"
    configured = member(about, "config", "epochs_reducer")
    first = configured[0] if isinstance(configured, list) and configured else configured
    return str(first or "mean")
