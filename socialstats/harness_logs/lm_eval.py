"""Results of lm-evaluation-harness: ``results_*.json`` with the ``samples_*.jsonl`` beside it, one row per filter.

Keys of a task's results are ``metric,filter`` and ``metric_stderr,filter``; in versions before 0.4 they have no filter.
A samples file holds a row for each document and filter; which filter, old files do not say. Files that were put
together hold those of several models: a member of each line names the model, or documents begin again. Another one may
name the task. Where nothing lists the metrics, they are the numbers that no member of people's own describes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from socialstats.designs.vocabulary import (
    CALLS,
    COSTS,
    IDENTITIES,
    NUMBERINGS,
    REPEATS,
    TASKS,
    TIMINGS,
)
from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, inside, json_lines, load_json
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
    member,
    printed,
    row,
    scored,
    whole,
)
from socialstats.text import count, listing

NEEDS = "a JSON file with 'results' and 'versions' or 'configs', or samples with 'doc_id' (lm-evaluation-harness)"
ALONE = "no results file beside {}: there are no numbers of the harness to check"
FORMS = (
    *(("lines", "doc_id", "doc", said) for said in ("resps", "filtered_resps")),
    ("object", "results.*.*,*"),
    *(
        ("object", "results.*", key)
        for key in ("versions", "configs", "n-shot", "lm_eval_version", "group_subtasks")
    ),
)
TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
STAMPED = re.compile(rf"samples_(?P<task>.+)_(?P<stamp>{TIME})", re.DOTALL)
STAMP = re.compile(rf"_({TIME})\.json")
OWN = frozenset(
    (
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    )
)
# Members by which people name the model of a sample; the harness writes none of them
NAMING = (
    "model",
    "model_name",
    "model_id",
    "llm",
    "lm",
    "engine",
    "checkpoint",
    "pretrained",
    "run",
    "run_id",
)
RUN = "run {}"
# The member by which people name the task of a sample, where samples of several tasks were put together
TASK = "task"
DESCRIBING = frozenset((*CALLS, *COSTS, *IDENTITIES, *NUMBERINGS, *TIMINGS))
LABELLING = frozenset((*REPEATS.names, *TASKS.names))
LOOKED = 1_000  # samples in which members are looked at that people added
# Samples of a task, each with its place for messages
Samples = Iterable[tuple[str, Members]]


def read(source: Source) -> Log:
    """Read a results file with its samples, or the samples of one task with what their results say about it."""
    path, stem, alone = source.path, _stem(source.path.name), source.kind == "lines"
    match = STAMPED.fullmatch(stem)
    beside = (
        path.parent / (f"results_{match['stamp']}.json" if match else "results.json")
        if alone
        else path
    )
    results = at(load_json(beside, nan=True)) if beside.is_file() else {}
    numbers, notes = list(task_claims(results, beside.name)), []
    if alone:
        task = match["task"] if match else stem.removeprefix("samples_")
        task = next((name for name in at(results, "results") if stem.endswith(f"_{name}")), task)
        files, within = {task: path}, {}
        numbers = [c for c in numbers if c.select.get("task") == task and not c.parts]
        notes += [] if results else [ALONE.format(path.name)]
    else:
        files = _samples_of(path, results)
        within = {
            task: content
            for task, content in at(results, "samples").items()
            if isinstance(content, list)
        }
        groups = {
            *at(results, "groups"),
            *(name for name, tasks in at(results, "group_subtasks").items() if tasks),
        }
        without = [
            task for task in at(results, "results") if task not in {*within, *files, *groups}
        ]
        missing = f"no samples file for {listing(without, most=8)}: run lm_eval with --log_samples to have one"
        notes += [missing] if without else []
    samples = {
        task: with_places(f"{file.name} line", json_lines(file, nan=True))
        for task, file in files.items()
    }
    samples |= {
        task: with_places(f"{path.name} sample", enumerate(content, 1))
        for task, content in within.items()
    }
    config = at(results, "config")
    named = " ".join(filter(None, (cell(config.get("model")), cell(config.get("model_args")))))
    rows = [
        r for task, content in samples.items() for r in task_rows(content, task, results, notes)
    ]
    models = [*dict.fromkeys(r["model"] for r in rows)]
    if models == [RUN.format(1)]:
        rows = [r | {"model": ""} for r in rows]
    elif len(models) > 1:
        unsaid = (
            "; no line names one, and documents that recur are of another run"
            if RUN.format(2) in models
            else ""
        )
        notes.append(
            f"samples of {count(len(models), 'model')} in one file: {listing(models, most=8)}{unsaid}"
        )
        notes += (
            ["the harness's own numbers are of one of them, and are not checked"] if numbers else []
        )
        numbers = []
    return log_of(
        __name__,
        source,
        rows,
        files=dict.fromkeys((path.name, *(file.name for file in files.values()))),
        claims=numbers,
        notes=notes,
        about={"model": results.get("model_name") or named or path.parent.name},
        version=results.get("lm_eval_version"),
    )


def _stem(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".jsonl")


def _samples_of(path: Path, results: Members) -> dict[str, Path]:
    """Find the samples file of each task: same time stamp, else (old versions) a name that ends with the task."""
    stamp = STAMP.search(path.name)
    stems = {
        p.name: _stem(p.name) for p in sorted(path.parent.iterdir()) if _stem(p.name) != p.name
    }
    files: dict[str, Path] = {}
    for task in at(results, "results"):
        exact = f"samples_{task}_{stamp[1]}" if stamp else f"samples_{task}"
        chosen = [name for name, stem in stems.items() if stem == exact]
        if not stamp:
            chosen += sorted(
                (name for name, stem in stems.items() if stem.endswith(f"_{task}")), key=len
            )
            dated = [
                name
                for name, stem in stems.items()
                if (m := STAMPED.fullmatch(stem)) and m["task"] == task
            ]
            chosen += dated if len(dated) == 1 else []
        if chosen:
            files[task] = inside(path.parent, chosen[0])
    return files


def with_places(what: str, numbered: Iterable[tuple[int, Any]]) -> Samples:
    """Return samples with their places for messages."""
    return ((f"{what} {number}", at(sample)) for number, sample in numbered)


def task_rows(samples: Samples, task: str, results: Members, notes: list[str]) -> Iterator[Row]:
    """Yield one row per document, filter and metric of one task's samples, and note what is to be said about them."""
    listed = metrics_of(results, task)
    filters = list(dict.fromkeys(used for _, used in listed)) or [""]
    counts: Counter[tuple[str | None, ...]] = Counter()
    unnamed = False
    first = [*islice(samples := iter(samples), LOOKED)]
    added = members_added([sample for _, sample in first])
    for place, sample in chain(first, samples):
        doc = cell(sample.get("doc_id"))
        if doc is None:
            raise InputError(
                f"{place}: a sample without doc_id. Is this a samples file of lm_eval?"
            )
        inner = [
            documents
            for name, documents in sample.items()
            if isinstance(documents, dict) and name not in ("doc", "arguments")
        ]
        places_of_names = [(documents, name) for documents in (sample, *inner) for name in NAMING]
        model = next(
            (
                text
                for documents, name in places_of_names
                if isinstance(text := documents.get(name), str) and text
            ),
            None,
        )
        possible = [cell(sample["filter"]) or ""] if "filter" in sample else filters
        named = sample.get(TASK)
        of_task = named if isinstance(named, str) and named and not results else task
        key = (doc, of_task, model, *possible)
        run, place_of = divmod(counts[key], len(possible))
        unnamed |= place_of > 0
        counts[key] += 1
        used = possible[place_of]
        common = {
            "task": of_task,
            "unit": f"{of_task}:{doc}",
            "filter": used,
            "model": model or RUN.format(run + 1),
        }
        yield from metric_rows(
            sample, common, [name for name, of in listed if of == used], added, results, place
        )
    if unnamed:
        notes.append(
            f"{task}: its samples do not say which filter a row is of: they were told apart by their order"
        )
    if len(filters) > 1:
        notes.append(
            f"{task}: {count(len(filters), 'filter')}, so each document has {len(filters)} rows a metric"
        )
    sizes = at(results, "n-samples", task)
    effective, original = whole(sizes, "effective"), whole(sizes, "original")
    documents = len({doc for doc, *_ in counts})
    if effective is not None and effective != documents:
        notes.append(
            f"{task}: the harness says {count(effective, 'document')}, the samples file holds {count(documents)}"
        )
    if effective is not None and original is not None and effective < original:
        notes.append(
            f"{task}: {count(effective)} of {count(original)} documents were used (a limit was set)"
        )


def metric_rows(
    sample: Members,
    common: Row,
    listed: list[str],
    added: frozenset[str],
    results: Members,
    place: str,
) -> Iterator[Row]:
    """Yield a row for each metric of one sample."""
    doc, responses = at(sample, "doc"), items(sample, "filtered_resps")
    metrics = [str(name) for name in items(sample, "metrics")] or listed
    beside = {key: value for key, value in sample.items() if key in added - {*metrics, TASK}}
    values = beside | doc
    metadata = {key: values[key] for key in values if not isinstance(values[key], list | dict)}
    if sample.get("target") is not None:
        metadata["target"] = cell(sample["target"])
    text = (
        responses[0] if len(responses) == 1 and isinstance(responses[0], str) else None
    )  # likelihoods are no answer
    for name in dict.fromkeys(
        metrics or [key for key in sample if key not in {*OWN, *NAMING, *added}]
    ):
        held = sample.get(name)
        score = scored(held, absent="missing")
        if isinstance(held, float) and not is_number(held):
            if aggregation(results, common["task"], name) != "nanmean":
                raise InputError(
                    f"{place}: {name} is {held}, which is no score. Run the task again, or leave it out"
                )
            score = scored(None)
        answer = held if score[1] == "unparsed" else text
        yield row(**common, scorer=name, score=score, answer=answer, metadata=metadata)


def members_added(samples: Iterable[Members]) -> frozenset[str]:
    """Return the members that people added to samples, and that are no metrics.

    They hold texts or objects alone, or are called like a task, a repeat, an identity, a length, a cost or a time.

    Examples
    --------
    >>> sorted(members_added([{"doc_id": 0, "acc": 1.0, "task": "ethics", "seed": 3, "n_tokens": 80, "split": "test"}]))
    ['n_tokens', 'seed', 'split', 'task']
    """
    kinds: dict[str, set[bool]] = {}
    for sample in samples:
        for name in sample.keys() - {*OWN, *NAMING}:
            kinds.setdefault(name, set()).add(isinstance(sample[name], str | dict))
    described = {name for name, texts in kinds.items() if texts == {True} or _describes(name)}
    return frozenset(described if {*kinds} - described else {TASK} & {*kinds})


def _describes(name: str) -> bool:
    """Return whether a member is called like what describes a sample, rather than like a score of it."""
    words = re.split(r"[\W_]+", name.casefold())
    return "_".join(words) in LABELLING or bool(DESCRIBING & {words[-1], "".join(words)})


NOT_METRICS = frozenset(("alias", "name", "samples", "sample_len", "sample_count", " ", ""))
BOOTSTRAPPED = frozenset(
    (
        "median",
        "nanmean",
        "perplexity",
        "matthews_corrcoef",
        "mcc",
        "f1",
        "f1_score",
        "bleu",
        "chrf",
        "ter",
    )
)
SLOW, SLOW_MOST, ITERATIONS = ("bleu", "chrf", "ter"), 100, 100_000
# Ways of joining that are no mean, of metrics whose configuration does not say (api/metrics.py)
BY_NAME = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "bleu": "bleu",
    "chrf": "chrf",
    "ter": "ter",
    "mcc": "mcc",
    "matthews_corrcoef": "matthews_corrcoef",
    "brier_score": "brier_score",
}
QUANTITIES: dict[str, Quantity] = {"mean": "mean", "nanmean": "mean", "median": "median"}
MEAN_AS_CODE = re.compile(r"\s*(?:def|<function) mean\b")
STDERR = "_stderr"


def task_claims(results: Members, file: str) -> Iterator[Claim]:
    """Return a claim for each number of each task and group; standard errors that are "N/A" are none."""
    tasks = at(results, "results")
    for task, numbers in {**tasks, **at(results, "groups"), **tasks}.items():
        for key, value in at(numbers).items():
            if key not in NOT_METRICS and is_number(value):
                yield task_claim(results, task, key, printed(value), file)
        n, listed = (
            whole(results, "n-samples", task, "effective"),
            metrics_of(results, task),
        )
        for metric, used in listed[:1]:
            where, select = (
                f"{file}: n-samples.{task}.effective",
                {"task": task, "scorer": metric, "filter": used},
            )
            yield from claim("n-samples effective", "count", n, where, select)


def metrics_of(results: Members, task: str) -> list[tuple[str, str]]:
    """Return metric and filter of a task's numbers, without standard errors."""
    keys = [
        key.partition(",")[::2] for key in at(results, "results", task) if key not in NOT_METRICS
    ]
    return [(metric, used) for metric, used in keys if not metric.endswith(STDERR)]


def aggregation(results: Members, task: str, metric: str) -> str:
    """Return how a task's metric joins documents: as configured, else by its name, else the mean."""
    how = _configured(results, task, "metric_list", metric).get("aggregation")
    if not isinstance(how, str):
        return BY_NAME.get(metric, "mean")
    return "mean" if MEAN_AS_CODE.match(how) else how


def _configured(results: Members, task: str, key: str, metric: str) -> Members:
    """Return what a list (or its only entry) in the configuration of a task or group says about a metric."""
    listed = member(results, "configs", task, key)
    entries = map(at, listed if isinstance(listed, list) else [listed])
    return next((entry for entry in entries if entry.get("metric", metric) == metric), {})


def task_claim(results: Members, task: str, key: str, number: str, file: str) -> Claim:
    """Return the claim of one number of a task or group."""
    metric, _, used = key.partition(",")
    base = metric.removesuffix(STDERR)
    value = f"{base},{used}" if used else base
    select = {"task": task, "scorer": base, "filter": used}
    tasks = _leaves(results, task, value)
    how = aggregation(results, tasks[0] if tasks else task, base)
    settings: dict[str, object] = {"aggregation": how} if how != "mean" else {}
    if metric != base:
        settings |= _error_settings(results, how)
    n = member(results, "n-samples", task, "effective")
    if tasks:
        by_size = _configured(results, task, "aggregate_metric_list", base).get("weight_by_size")
        settings |= {"by_size": by_size} if isinstance(by_size, bool) else {}
        numbers = at(results, "results", task)
        n = at(numbers, "sample_count").get(f"{base},{used}", numbers.get("samples"))
    return Claim(
        name=f"{task}: {key}" if tasks else key,
        printed=number,
        where=f"{file}: results.{task}[{key!r}]",
        quantity="std_error" if metric != base else QUANTITIES.get(how, "other"),
        select={} if tasks else select,
        parts=tuple({**select, "task": below} for below in tasks),
        settings=settings,
        n=whole(n),
    )


def _error_settings(results: Members, how: str) -> dict[str, object]:
    """Return what is known about a standard error: s / sqrt(n), or a bootstrap for some ways of joining."""
    if how not in BOOTSTRAPPED:
        return {"ddof": 1}
    configured = whole(results, "config", "bootstrap_iters")
    times = ITERATIONS if configured is None else configured
    return {
        "method": "bootstrap",
        "resamples": min(times, SLOW_MOST) if how in SLOW else times,
        "ddof": 0,
    }


def _leaves(results: Members, group: str, key: str, depth: int = 0) -> list[str]:
    """Return the tasks of a group, and of the groups in it, that have a number; nothing for a task."""
    leaves: list[str] = []
    for task in map(str, items(results, "group_subtasks", group) if depth < 20 else []):
        inner = _leaves(results, task, key, depth + 1)
        leaves += inner or ([task] if key in at(results, "results", task) else [])
    return list(dict.fromkeys(leaves))
