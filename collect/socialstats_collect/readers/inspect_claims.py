"""The metrics that an Inspect log prints, as claims: identified by name, group and parameters, never by key."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.claims.types import Claim, Quantity
from socialstats_collect.readers.tabular import Row, cell, column, is_number, mapping, printed, sequence

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
