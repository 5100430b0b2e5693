"""Results of lighteval: ``results_DATE.json``, and in a folder beside the ``details_TASK_DATE.parquet`` of samples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from socialstats.harness_logs.files import Source, load_json
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tables import columns_of
from socialstats.harness_logs.tabular import (
    Members,
    Row,
    at,
    cell,
    claim,
    items,
    log_of,
    member,
    row,
    scored,
)
from socialstats.text import listing

NEEDS = "a JSON file with 'config_general' and 'results' (lighteval)"
FORMS = (("object", "config_general", "results"), ("object", "config_general", "versions"))
DEEPEST = 4  # folders between the results of a model, whose name may hold a slash, and those of its details
AVERAGE = "_average"


def read(source: Source) -> Log:
    """Read the numbers of a run, and one row per sample and metric where its details are there."""
    top, path = at(load_json(source.path, nan=True)), source.path
    results, config = at(top, "results"), at(top, "config_general")
    tasks = [task for task in results if task != "all" and AVERAGE not in task]
    files = {task: file for task in tasks if (file := details_file(path, task))}
    without = [task for task in tasks if task not in files]
    note = f"no details of {listing(without, most=8)}: run lighteval with --save-details, and keep its folder 'details'"
    return log_of(
        __name__,
        source,
        (r for task, file in files.items() for r in detail_rows(task, file)),
        files=(path.name, *(file.name for file in files.values())),
        notes=[note] if without else [],
        about={"model": config.get("model_name") or member(config, "model_config", "model_name")},
        claims=result_claims(top, tasks, path.name),
        version=config.get("lighteval_version"),
    )


def details_file(path: Path, task: str) -> Path | None:
    """Find the details of a task: beside the results, or in a folder 'details' above, with the results' date."""
    name = f"details_{task}_{path.stem.removeprefix('results_')}.parquet"
    folders = [
        path.parent,
        *(above / "details" for above in path.parents[:DEEPEST] if (above / "details").is_dir()),
    ]
    candidates = (
        file
        for folder in folders
        for file in folder.rglob("details_*.parquet")
        if not file.is_symlink()
    )
    return next((file for file in candidates if file.name == name), None)


def detail_rows(task: str, file: Path) -> Iterator[Row]:
    """Yield the scores of the samples of a task."""
    columns = columns_of(file)
    docs = columns.get("doc", [])
    for k, text in enumerate(columns.get("metric") or columns.get("metrics") or []):
        doc = at(json.loads(docs[k] or "{}")) if k < len(docs) else {}
        for name, value in at(json.loads(text or "{}")).items():
            yield row(
                task=task,
                unit=f"{task}:{doc.get('id') or k}",
                scorer=name,
                score=scored(value),
                metadata=at(doc, "specific"),
            )


def result_claims(top: Members, tasks: list[str], file: str) -> Iterator[Claim]:
    """Yield means and standard errors of tasks, and their averages over tasks (of standard errors too)."""
    results = at(top, "results")
    for task, numbers in results.items():
        stem, _, shots = task.partition(f":{AVERAGE}")
        group = [
            t for t in tasks if task == "all" or (t.startswith(f"{stem}:") and t.endswith(shots))
        ]
        for key, value in at(numbers).items():
            name = key.removesuffix("_stderr")
            quantity: Quantity = "mean" if name == key else "std_error"
            joined = [
                how
                for t in ([task] if task in tasks else group)
                if (how := corpus_function(top, t, name)) != "mean"
            ]
            settings: Members = {"aggregation": joined[0]} if joined else {}
            select, where = {"scorer": name, "task": task}, f"{file}: results.{task}.{key}"
            parts: tuple[dict[str, str], ...] = ()
            if task not in tasks:
                select, settings = (
                    {"scorer": name},
                    settings | {"over_parts": "mean", "by_size": False},
                )
                parts = tuple({"scorer": name, "task": t} for t in group if key in results[t])
            for result in claim(f"{task} {key}", quantity, value, where, select, **settings):
                yield replace(result, parts=parts)


def corpus_function(top: Members, task: str, name: str) -> str:
    """Return how scores of samples became the task's number: a function of the corpus, where the log names one."""
    config = at(top, "config_tasks", task) or at(top, "config_tasks", task.rpartition("|")[0])
    for metric in map(at, items(config.get("metrics") or config.get("metric"))):
        names = items(metric, "metric_name") or [metric.get("metric_name")]
        function = metric.get("corpus_level_fn")
        if name in names and function and "mean" not in str(function):
            return str(cell(function))
    return "mean"
