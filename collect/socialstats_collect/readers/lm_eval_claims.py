"""The numbers that lm-evaluation-harness prints, as claims: per task and filter, and of groups with their tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from socialstats.claims.types import Claim, Quantity
from socialstats_collect.readers.tabular import is_number, mapping, printed, sequence

NOT_METRICS = frozenset(("alias", "name", "samples", "sample_len", "sample_count", " ", ""))
BOOTSTRAPPED = frozenset(
    ("median", "nanmean", "perplexity", "matthews_corrcoef", "mcc", "f1", "f1_score", "bleu", "chrf", "ter")
)
SLOW, SLOW_MOST = ("bleu", "chrf", "ter"), 100
BY_NAME = {
    "perplexity": "perplexity", "word_perplexity": "weighted_perplexity", "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte", "bleu": "bleu", "chrf": "chrf", "ter": "ter", "mcc": "mcc",
    "matthews_corrcoef": "matthews_corrcoef", "brier_score": "brier_score",
}  # fmt: skip
"""Ways of joining that are no mean, of metrics whose configuration does not say (api/metrics.py)."""
MEAN_AS_CODE = re.compile(r"\s*(?:def|<function) mean\b")
STDERR = "_stderr"


def claims(results: dict[str, Any], file: str) -> Iterator[Claim]:
    """Return a claim for each number of each task and group; standard errors that are "N/A" are none."""
    tables = mapping(results.get("results"))
    extra = {name: held for name, held in mapping(results.get("groups")).items() if name not in tables}
    for name, held in (tables | extra).items():
        for key, value in mapping(held).items():
            if key in NOT_METRICS or not is_number(value):
                continue
            metric, filter = split(key)
            yield _claim(results, str(name), key, metric, filter, value, file)
        yield from _documents(results, str(name), file)


def _documents(results: dict[str, Any], task: str, file: str) -> Iterator[Claim]:
    """Return the number of documents that the file says were used for a task, as a claim about its first metric."""
    n, listed = _n(results, task, "", "", []), metrics_of(results, task)
    if n is not None and listed:
        yield Claim(
            name="n-samples effective", quantity="count", printed=str(n), where=f"{file}: n-samples.{task}.effective",
            select={"task": task, "scorer": listed[0][0], "filter": listed[0][1]},
        )  # fmt: skip


def split(key: str) -> tuple[str, str]:
    """Split a key of a task's results.

    Examples
    --------
    >>> split("exact_match,strict-match"), split("acc")
    (('exact_match', 'strict-match'), ('acc', ''))
    """
    metric, _, filter = key.partition(",")
    return metric, filter


def metrics_of(results: dict[str, Any], task: str) -> list[tuple[str, str]]:
    """Return metric and filter of a task's numbers, without standard errors."""
    keys = [k for k in mapping(mapping(results.get("results")).get(task)) if k not in NOT_METRICS]
    return [split(key) for key in keys if not split(key)[0].endswith(STDERR)]


def aggregation(results: dict[str, Any], task: str, metric: str) -> str:
    """Return how a task's metric joins documents: as configured, else by its name, else the mean."""
    config = mapping(mapping(results.get("configs")).get(task))
    for held in map(mapping, sequence(config.get("metric_list"))):
        if held.get("metric") == metric and isinstance(held.get("aggregation"), str):
            how = str(held["aggregation"])
            return "mean" if MEAN_AS_CODE.match(how) else how
    return BY_NAME.get(metric, "mean")


def _claim(results: dict[str, Any], task: str, key: str, metric: str, filter: str, value: Any, file: str) -> Claim:
    base = metric.removesuffix(STDERR)
    select = {"task": task, "scorer": base, "filter": filter}
    tasks = _leaves(results, task, f"{base},{filter}" if filter else base)
    how = aggregation(results, tasks[0] if tasks else task, base)
    settings: dict[str, object] = {"aggregation": how} if how != "mean" else {}
    if metric != base:
        settings |= _error_settings(results, how)
    if tasks:
        settings |= _weights(results, task, base)
    parts = tuple({**select, "task": below} for below in tasks)
    return Claim(
        name=f"{task}: {key}" if parts else key, quantity=_quantity(metric != base, how), printed=printed(value),
        where=f"{file}: results.{task}[{key!r}]", select={} if parts else select, parts=parts, settings=settings,
        n=_n(results, task, base, filter, tasks),
    )  # fmt: skip


def _quantity(is_error: bool, how: str) -> Quantity:
    if is_error:
        return "std_error"
    if how in ("mean", "nanmean"):
        return "mean"
    return "median" if how == "median" else "other"


def _error_settings(results: dict[str, Any], how: str) -> dict[str, object]:
    """Return what is known about a standard error: s / sqrt(n), or a bootstrap for some ways of joining."""
    if how not in BOOTSTRAPPED:
        return {"ddof": 1}
    times = mapping(results.get("config")).get("bootstrap_iters")
    times = times if isinstance(times, int) else 100_000
    return {"method": "bootstrap", "resamples": min(times, SLOW_MOST) if how in SLOW else times, "ddof": 0}


def _leaves(results: dict[str, Any], group: str, key: str, depth: int = 0) -> list[str]:
    """Return the tasks of a group, and of the groups in it, that have a number; nothing for a task."""
    below = [str(t) for t in sequence(mapping(results.get("group_subtasks")).get(group))]
    tables = mapping(results.get("results"))
    found: list[str] = []
    for task in below if depth < 20 else []:
        inner = _leaves(results, task, key, depth + 1)
        found += inner or ([task] if key in mapping(tables.get(task)) else [])
    return list(dict.fromkeys(found))


def _weights(results: dict[str, Any], group: str, metric: str) -> dict[str, object]:
    """Return whether a group weights its tasks by their sizes, where the file says so."""
    config = mapping(mapping(results.get("configs")).get(group))
    listed = config.get("aggregate_metric_list")
    for held in map(mapping, listed if isinstance(listed, list) else [listed]):
        if held.get("metric", metric) == metric and isinstance(held.get("weight_by_size"), bool):
            return {"by_size": held["weight_by_size"]}
    return {}


def _n(results: dict[str, Any], task: str, metric: str, filter: str, tasks: list[str]) -> int | None:
    """Return how many documents a number is about."""
    sizes = mapping(results.get("n-samples"))
    if tasks:
        held = mapping(mapping(results.get("results")).get(task))
        said = mapping(held.get("sample_count")).get(f"{metric},{filter}", held.get("samples"))
        return said if isinstance(said, int) else None
    n = mapping(sizes.get(task)).get("effective")
    return n if isinstance(n, int) else None
