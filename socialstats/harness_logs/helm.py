"""Run folders of HELM: ``stats.json`` and ``per_instance_stats.json``, with ``run_spec.json`` where it is kept.

A statistic of ``stats.json`` is the mean of each train trial, merged over trials. Its count is the number of trials and
its standard deviation (divisor n) that between trials, 0 when there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, inside, load_json
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    Score,
    at,
    cell,
    claim,
    is_number,
    items,
    log_of,
    objects,
    row,
    scored,
    text,
)
from socialstats.text import count

NEEDS = "a folder with stats.json and per_instance_stats.json (HELM)"
STATS, INSTANCES, SPEC = "stats.json", "per_instance_stats.json", "run_spec.json"
FORMS = (("folder", INSTANCES), ("list", "instance_id", "stats"), ("list", "name.name", "count"))
NUMBERS: dict[str, Quantity] = {"mean": "mean", "stddev": "std_dev", "count": "count"}


def read(source: Source) -> Log:
    """Read a run: a row an instance, train trial, perturbation and statistic."""
    folder = source.path if source.kind == "folder" else source.path.parent
    paths = {
        name: path for name in (STATS, INSTANCES, SPEC) if (path := inside(folder, name)).is_file()
    }
    if INSTANCES not in paths:
        raise InputError(
            f"{folder.name}: no {INSTANCES} beside {source.path.name}: there are no rows to read"
        )
    spec, stats = (load_json(paths[name]) if name in paths else None for name in (SPEC, STATS))
    spec = at(spec)
    adapter = at(spec, "adapter_spec")
    model, task = (
        adapter.get("model") or adapter.get("model_deployment"),
        spec.get("name") or folder.resolve().name,
    )
    instances = load_json(paths[INSTANCES], [lambda instance: list(instance_rows(at(instance)))])
    rows = [r for rows_of_instance in items(instances) for r in rows_of_instance]
    scorers = {r["scorer"] for r in rows}
    return log_of(
        __name__,
        source,
        rows,
        about={"model": model, "task": task},
        files=[f"{folder.name}/{name}" for name in paths],
        notes=trial_notes(rows),
        claims=(c for stat in items(stats) for c in statistic_claims(at(stat), scorers)),
    )


def instance_rows(instance: Members) -> Iterator[Row]:
    """Yield the statistics of one instance."""
    index = instance.get("train_trial_index")
    trial = index if isinstance(index, int) else 0
    for stat in objects(instance, "stats"):
        name = at(stat, "name")
        bent = perturbation_name(name.get("perturbation") or instance.get("perturbation"))
        yield row(
            unit=instance.get("instance_id"),
            epoch=trial + 1,
            scorer=name.get("name"),
            filter=bent,
            score=mean_score(stat),
            metadata=split_of(name),
        )


def split_of(name: Members) -> Members:
    """Return the split and its part that a statistic is about."""
    return {"split": name.get("split") or "", "sub_split": name.get("sub_split") or ""}


def mean_score(stat: Members) -> Score:
    """Return a statistic's mean; a statistic of nothing has none."""
    n, total = stat.get("count"), stat.get("sum")
    if is_number(n) and is_number(total) and float(n) > 0:
        return float(total) / float(n), "ok"
    return scored(None if n == 0 else stat.get("mean"))


def perturbation_name(perturbation: Any) -> str:
    """Name a perturbation; ``worst`` and ``original`` say what was computed over the versions of an instance."""
    content = at(perturbation)
    name, on = text(content, "name"), content.get("computed_on")
    return name if not content or on in (None, "perturbed") else f"{name} ({cell(on)})"


def statistic_claims(stat: Members, scorers: set[str]) -> Iterator[Claim]:
    """Yield the numbers of one statistic of the run."""
    name = at(stat, "name")
    scorer, bent = text(name, "name"), at(name, "perturbation")
    if scorer not in scorers or (bent.get("computed_on") or "perturbed") != "perturbed":
        return
    for key, quantity in NUMBERS.items():
        select = {"scorer": scorer, "filter": perturbation_name(bent), **split_of(name)}
        settings = {"ddof": 0} if key == "stddev" else {}
        yield from claim(
            f"{scorer} {key}",
            quantity,
            stat.get(key),
            f"{STATS}: {scorer}.{key}",
            select,
            **settings,
        )


def trial_notes(rows: list[Row]) -> Iterator[str]:
    """Yield what the harness counts."""
    trials, instances = (len({r[name] for r in rows}) for name in ("epoch", "unit"))
    yield (
        f"{STATS} counts train trials ({trials}), not instances ({count(instances)}): its stddev is that between "
        "trials and says nothing about the error of a mean"
        + ", and with one trial it is 0"
        * (trials == 1)
    )
