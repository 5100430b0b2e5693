"""Run folders of HELM: ``stats.json`` and ``per_instance_stats.json``, with ``run_spec.json`` where it is kept.

A statistic of ``stats.json`` is the mean of each train trial, merged over trials: its count is the number of trials
and its standard deviation (divisor n) that between trials, 0 when there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from socialstats.claims.types import Claim, Log, Quantity, Status
from socialstats.errors import InputError
from socialstats.text import count
from socialstats_collect.readers.files import Source, inside, json_stream, load_json
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
)

NAME = "helm"
NEEDS = "a folder with stats.json and per_instance_stats.json (HELM)"
STATS, INSTANCES, SPEC = "stats.json", "per_instance_stats.json", "run_spec.json"
NUMBERS: dict[str, Quantity] = {"mean": "mean", "stddev": "std_dev", "count": "count"}


def recognises(source: Source) -> bool:
    """Tell whether this is a HELM run folder, or one of its two files."""
    if source.kind == "folder":
        return INSTANCES in source.names
    if source.kind != "list":
        return False
    return source.has("instance_id", "stats") or (
        source.has("name", "count") and "name" in mapping(source.first["name"])
    )


def read(source: Source) -> Log:
    """Read a run: a row an instance, train trial, perturbation and statistic."""
    folder = source.path if source.kind == "folder" else source.path.parent
    files = [name for name in (STATS, INSTANCES, SPEC) if inside(folder, name).is_file()]
    if INSTANCES not in files:
        raise InputError(f"{folder.name}: no {INSTANCES} beside {source.path.name}: there are no rows to read")
    spec = mapping(_load(folder, SPEC)) if SPEC in files else {}
    model = mapping(spec.get("adapter_spec")).get("model") or mapping(spec.get("adapter_spec")).get("model_deployment")
    task = spec.get("name") or folder.resolve().name
    with json_stream(inside(folder, INSTANCES)) as stream:
        rows = [r for held in stream.elements() for r in _rows(mapping(held), model, task)]
    stats = sequence(_load(folder, STATS)) if STATS in files else []
    trials = len({r["epoch"] for r in rows})
    return Log(
        harness=NAME, files=tuple(f"{folder.name}/{name}" for name in files), rows=frame(rows),
        claims=tuple(c for held in stats for c in _claims(mapping(held), {r["scorer"] for r in rows})),
        notes=(*_notes(trials, rows), *status_notes(rows)), settings=_settings(spec),
    )  # fmt: skip


def _load(folder: Path, name: str) -> Any:
    return load_json(inside(folder, name))


def _settings(spec: dict[str, Any]) -> dict[str, str]:
    adapter = mapping(spec.get("adapter_spec"))
    keys = ("max_train_instances", "max_eval_instances", "num_train_trials", "num_outputs", "temperature", "method")
    return {key: cell(adapter[key]) or "" for key in keys if adapter.get(key) is not None}


def _rows(held: dict[str, Any], model: Any, task: Any) -> Iterator[Row]:
    index = held.get("train_trial_index")
    trial = index if isinstance(index, int) else 0
    for stat in map(mapping, sequence(held.get("stats"))):
        name = mapping(stat.get("name"))
        number, status = _mean(stat)
        yield row(
            model=model, task=task, unit=held.get("instance_id"), epoch=trial + 1,
            scorer=name.get("name"), filter=_perturbed(name.get("perturbation") or held.get("perturbation")),
            value=number, status=status, metadata=flat(_where(name)),
        )  # fmt: skip


def _where(name: dict[str, Any]) -> dict[str, Any]:
    return {"split": name.get("split") or "", "sub_split": name.get("sub_split") or ""}


def _mean(stat: dict[str, Any]) -> tuple[float | None, Status]:
    """Return a statistic's mean; a statistic of nothing has none."""
    n, total = stat.get("count"), stat.get("sum")
    if is_number(n) and is_number(total) and float(n) > 0:  # type: ignore[arg-type]
        return float(total) / float(n), "ok"  # type: ignore[arg-type]
    return (float(stat["mean"]), "ok") if is_number(stat.get("mean")) and n != 0 else (None, "unscored")


def _perturbed(perturbation: Any) -> str:
    """Name a perturbation; ``worst`` and ``original`` say what was computed over the versions of an instance."""
    held = mapping(perturbation)
    if not held:
        return ""
    on = held.get("computed_on")
    name = cell(held.get("name")) or ""
    return name if on in (None, "perturbed") else f"{name} ({cell(on)})"


def _claims(stat: dict[str, Any], known: set[str]) -> Iterator[Claim]:
    name = mapping(stat.get("name"))
    scorer = cell(name.get("name")) or ""
    on = mapping(name.get("perturbation")).get("computed_on") or "perturbed"
    select = {"scorer": scorer, "filter": _perturbed(name.get("perturbation")), **_where(name)}
    for key, quantity in NUMBERS.items():
        if scorer in known and on == "perturbed" and is_number(stat.get(key)):
            yield Claim(
                name=f"{scorer} {key}", quantity=quantity, printed=printed(stat[key]), select=select,
                where=f"{STATS}: {scorer}.{key}", settings={"ddof": 0} if key == "stddev" else {},
            )  # fmt: skip


def _notes(trials: int, rows: list[Row]) -> Iterator[str]:
    instances = len({r["unit"] for r in rows})
    yield (
        f"{STATS} counts train trials ({trials}), not instances ({count(instances)}): its stddev is that between "
        "trials and says nothing about the error of a mean" + (", and with one trial it is 0" if trials == 1 else "")
    )
