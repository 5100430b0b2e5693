"""Results of lm-evaluation-harness: ``results_*.json`` with the ``samples_*.jsonl`` beside it, one row a filter.

Keys of a task's results are ``metric,filter`` and ``metric_stderr,filter``; in versions before 0.4 they have no filter.
A samples file holds a row for each document and filter; which filter, old files do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from socialstats.claims.types import Claim, Log, Quantity, Status
from socialstats.errors import InputError
from socialstats.text import count, listing
from socialstats_collect.readers.files import Source, inside, json_lines, load_json
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
    without_long,
)

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


NAME = "lm-eval"
NEEDS = "a JSON file with 'results' and 'versions' or 'configs', or samples with 'doc_id' (lm-evaluation-harness)"
TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
STAMPED = re.compile(rf"^samples_(?P<task>.+)_(?P<stamp>{TIME})\.jsonl(?:\.gz)?$", re.DOTALL)
STAMP = re.compile(rf"_({TIME})\.json")
OWN = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
     "target_hash")
)  # fmt: skip
RUN = ("model", "model_args", "limit", "num_fewshot", "batch_size", "gen_kwargs", "random_seed", "numpy_seed",
       "torch_seed", "fewshot_seed", "bootstrap_iters")  # fmt: skip


def recognises(source: Source) -> bool:
    """Tell whether these are results or samples of lm-evaluation-harness."""
    if source.kind == "lines":
        return source.has("doc_id", "doc") and ("resps" in source.first or "filtered_resps" in source.first)
    tables = source.first.get("results")
    if source.kind != "object" or not isinstance(tables, dict):
        return False
    known = any(key in source.first for key in ("versions", "configs", "n-shot", "lm_eval_version", "group_subtasks"))
    return known or any("," in key for held in tables.values() if isinstance(held, dict) for key in held)


def read(source: Source) -> Log:
    """Read a results file with its samples, or samples whose results are not there (then without claims)."""
    if source.kind == "lines":
        return _read_samples(source)
    results = mapping(load_json(source.path, nan=True))
    files = _samples_of(source.path, results)
    rows: list[Row] = []
    notes: list[str] = []
    within = {str(task): held for task, held in mapping(results.get("samples")).items() if isinstance(held, list)}
    for task in dict.fromkeys((*within, *files)):
        place = source.path if task in within else files[task]
        found, said = _rows(_within(within[task], place) if task in within else _lines(place), place, task, results)
        rows += found
        notes += said
    there = {*files, *within, *_groups(results)}
    without = [task for task in mapping(results.get("results")) if task not in there]
    if without:
        named = listing([str(task) for task in without], most=8)
        notes.append(f"no samples file for {named}: run lm_eval with --log_samples to have one")
    kept, long = without_long(rows)
    return Log(
        harness=NAME,
        version=cell(results.get("lm_eval_version")),
        files=(source.path.name, *(path.name for path in files.values())),
        rows=frame(kept),
        claims=tuple(claims(results, source.path.name)),
        notes=(*notes, *status_notes(kept), *long),
        settings={k: cell(v) or "" for k, v in mapping(results.get("config")).items() if k in RUN and v is not None},
    )


def _read_samples(source: Source) -> Log:
    folder, name = source.path.parent, source.path.name
    match = STAMPED.match(name)
    beside = folder / f"results_{match['stamp']}.json" if match else folder / "results.json"
    results = mapping(load_json(beside, nan=True)) if beside.is_file() else {}
    task = match["task"] if match else name.removesuffix(".gz").removesuffix(".jsonl").removeprefix("samples_")
    task = next((t for t in mapping(results.get("results")) if name.endswith(f"_{t}.jsonl")), task)
    found, said = _rows(_lines(source.path), source.path, task, results)
    kept, long = without_long(found)
    own = tuple(c for c in claims(results, beside.name) if c.select.get("task") == task and not c.parts)
    note = () if results else (f"no results file beside {name}: there are no numbers of the harness to check",)
    return Log(
        harness=NAME, version=cell(results.get("lm_eval_version")), files=(name,), rows=frame(kept), claims=own,
        notes=(*note, *said, *status_notes(kept), *long),
    )  # fmt: skip


def _groups(results: dict[str, Any]) -> set[str]:
    subtasks = mapping(results.get("group_subtasks"))
    return {*mapping(results.get("groups")), *(name for name, below in subtasks.items() if below)}


def _samples_of(path: Path, results: dict[str, Any]) -> dict[str, Path]:
    """Find the samples file of each task: same time stamp, else (old versions) a name that ends with the task."""
    stamp = STAMP.search(path.name)
    names = sorted(p.name for p in path.parent.iterdir() if p.name.removesuffix(".gz").endswith(".jsonl"))
    found: dict[str, Path] = {}
    for task in mapping(results.get("results")):
        ends = (f"_{task}_{stamp[1]}.jsonl", f"_{task}_{stamp[1]}.jsonl.gz") if stamp else (f"_{task}.jsonl",)
        exact = [n for n in names if n.startswith("samples_" + ends[0][1:]) or n == f"samples{ends[0]}"]
        near = [] if stamp else [n for n in names if n.endswith(ends)]
        dated = [] if stamp else [n for n in names if (match := STAMPED.match(n)) and match["task"] == task]
        chosen = exact or near or (dated if len(dated) == 1 else [])
        if chosen:
            found[str(task)] = inside(path.parent, min(chosen, key=len))
    return found


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line, sample in json_lines(path, nan=True):
        yield f"{path.name} line {line}", sample


def _within(samples: list[Any], path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield samples that a results file holds itself (as the library returns them)."""
    for position, sample in enumerate(samples, start=1):
        yield f"{path.name} sample {position}", mapping(sample)


def _rows(
    samples: Iterable[tuple[str, dict[str, Any]]], path: Path, task: str, results: dict[str, Any]
) -> tuple[list[Row], list[str]]:
    """Return a row a document, filter and metric of one task's samples."""
    listed = metrics_of(results, task)
    filters = list(dict.fromkeys(f for _, f in listed))
    model = cell(results.get("model_name")) or _model(results, path)
    seen: dict[str, int] = {}
    rows: list[Row] = []
    unnamed = 0
    for place, sample in samples:
        doc = cell(sample.get("doc_id"))
        if doc is None:
            raise InputError(f"{place}: a sample without doc_id. Is this a samples file of lm_eval?")
        before = seen[doc] = seen.get(doc, -1) + 1
        if "filter" in sample:
            used = cell(sample["filter"]) or ""
        else:
            unnamed += before > 0
            used = filters[before % len(filters)] if filters else ""
        rows += _of_sample(sample, used, task, model, listed, results, place)
    notes = []
    if unnamed:
        notes.append(f"{path.name} does not say which filter a row is of: they were told apart by their order")
    notes += _count_notes(seen, task, results)
    if len(filters) > 1:
        notes.append(f"{task}: {count(len(filters), 'filter')}, so each document has {len(filters)} rows a metric")
    return rows, notes


def _of_sample(
    sample: dict[str, Any], used: str, task: str, model: str, listed: list[tuple[str, str]], results: dict[str, Any],
    place: str,
) -> Iterator[Row]:  # fmt: skip
    doc = mapping(sample.get("doc"))
    metadata = flat({key: value for key, value in doc.items() if not isinstance(value, (list, dict))})
    if sample.get("target") is not None:
        metadata["target"] = cell(sample["target"])
    names = [str(n) for n in sequence(sample.get("metrics"))] or [n for n, f in listed if f == used]
    for name in dict.fromkeys(names) or [key for key in sample if key not in OWN]:
        held = sample.get(name)
        value: float | None = None
        status: Status = "missing"
        answer = _answer(sample)
        if isinstance(held, bool) or (isinstance(held, (int, float)) and is_number(held)):
            value, status = float(held), "ok"
        elif isinstance(held, float):
            if aggregation(results, task, name) != "nanmean":
                raise InputError(f"{place}: {name} is {held}, which is no score. Run the task again, or leave it out")
            status = "unscored"
        elif held is not None:
            status, answer = "unparsed", held
        yield row(
            model=model, task=task, unit=f"{task}:{cell(sample.get('doc_id'))}", scorer=name, filter=used, value=value,
            status=status, answer=answer, metadata=metadata,
        )  # fmt: skip


def _answer(sample: dict[str, Any]) -> Any:
    """Return the answer where it is one text; of options with likelihoods there is none."""
    responses = sequence(sample.get("filtered_resps"))
    return responses[0] if len(responses) == 1 and isinstance(responses[0], str) else None


def _model(results: dict[str, Any], path: Path) -> str:
    config = mapping(results.get("config"))
    named = " ".join(filter(None, (cell(config.get("model")), cell(config.get("model_args")))))
    return named or path.parent.name


def _count_notes(seen: dict[str, int], task: str, results: dict[str, Any]) -> Iterator[str]:
    sizes = mapping(mapping(results.get("n-samples")).get(task))
    wanted, original = sizes.get("effective"), sizes.get("original")
    if isinstance(wanted, int) and wanted != len(seen):
        yield f"{task}: the harness says {count(wanted, 'document')}, the samples file holds {count(len(seen))}"
    if isinstance(wanted, int) and isinstance(original, int) and wanted < original:
        yield f"{task}: {count(wanted)} of {count(original)} documents were used (a limit was set)"
