"""What the record holds of a call or a page: rows, and beside them facts and texts by key."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from socialstats.errors import SocialStatsError
from socialstats.results import Row

Leaf = float | int | str | bool | None
ROW_TEXTS = ("term", "group", "method", "undefined")  # rendered from the other fields of a row
RESULT_TEXTS = ("title", "inference")
FACTS = ("counts", "fit", "settings", "extras")
UNEXPECTED = "unexpected "
CAUTION_TEXTS = ("short", "detail", "affects", "fix")


@dataclass(frozen=True, slots=True)
class Entry:
    """One case: the rows of its results, every other number, name or code by its path, and texts by theirs."""

    case: str
    rows: tuple[dict[str, Leaf], ...] = ()
    facts: dict[str, Leaf] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def entry_of_call(case: str, call: Callable[[], Any]) -> Entry:
    """Return the entry of a result, or of the error that there is in its place."""
    try:
        return entry_of_result(case, call())
    except Exception as error:  # also one that nobody meant: it is told, and other cases go on
        return entry_of_error(case, error)


def entry_of_error(case: str, error: Exception) -> Entry:
    """Return the entry of an error; one that the package does not raise on purpose is called unexpected."""
    meant = "" if isinstance(error, SocialStatsError) else UNEXPECTED
    return Entry(case, (), {"error": f"{meant}{type(error).__name__}"}, {"error": str(error)})


def entry_of_result(case: str, result: Any) -> Entry:
    """Return the entry of a result; an error of its sentence stands in place of the sentence."""
    facts = {path: leaf for name in FACTS for path, leaf in leaves(getattr(result, name), name)}
    if result.covariance is not None:
        facts |= dict(leaves(result.covariance, "covariance"))
    facts |= {
        f"references.{k}": reference for k, reference in enumerate(map(str, result.references))
    }
    texts = {name: str(getattr(result, name)) for name in RESULT_TEXTS}
    try:
        texts["sentence"] = result.sentence()
    except SocialStatsError as error:
        texts["sentence"] = f"{type(error).__name__}: {error}"
    for path, caution in with_paths((caution.code, caution) for caution in result.cautions):
        touched = "every row" if caution.rows is None else "; ".join(caution.rows)
        facts |= {f"cautions.{path}": f"{caution.severity}: {touched}"}
        texts |= {f"cautions.{path}.{name}": getattr(caution, name) for name in CAUTION_TEXTS}
    rows = tuple(fields_of(row, result.metric) for row in result.rows)
    return Entry(case, rows, facts, texts)


def fields_of(row: Row, metric: str) -> dict[str, Leaf]:
    """Return the fields of a row that hold something, its key and the codes of its cautions as text."""
    filled: dict[str, Leaf] = {"metric": metric}
    for name in (one_field.name for one_field in fields(Row)):
        value = getattr(row, name)
        if name == "key":
            value = "; ".join(f"{dimension}={label}" for dimension, label in value)
        if name == "cautions":
            value = " ".join(sorted({caution.code for caution in value}))
        if name == "limits" and value is not None:
            filled |= {"limits.low": float(value[0]), "limits.high": float(value[1])}
        elif value is not None and value != "":
            filled[name] = as_leaf(value)
    return filled


def as_leaf(value: Any) -> Leaf:
    """Return a number, text or truth value as Python's own type."""
    if isinstance(value, str):
        return str(value)
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool | int | float):
        return plain if type(plain) in (bool, int, float) else float(plain)
    raise TypeError(f"a row holds a {type(value).__name__}, which the record does not know")


def leaves(value: Any, path: str) -> Iterator[tuple[str, Leaf]]:
    """Yield numbers, texts and truth values of mappings, sequences and arrays, with their paths.

    Other objects are left out: what they hold is computed, and no part of the answer.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, np.ndarray):
        if value.dtype.kind != "O":
            yield from leaves(value.tolist(), path)
    elif isinstance(value, set | frozenset):
        yield from leaves(sorted(map(str, value)), path)
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield from leaves(item, f"{path}.{k}")
    elif isinstance(value, str | bool | int | float | np.generic):
        yield path, as_leaf(value)


def with_paths(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield pairs whose names differ: a name that was there before has its number behind it.

    Examples
    --------
    >>> list(with_paths([("a", 1), ("b", 2), ("a", 3)]))
    [('a', 1), ('b', 2), ('a #2', 3)]
    """
    times: dict[str, int] = {}
    for name, value in pairs:
        times[name] = times.get(name, 0) + 1
        yield (name if times[name] == 1 else f"{name} #{times[name]}"), value


def write(path: Path, head: Mapping[str, Any], entries: Iterable[Entry]) -> int:
    """Write a record, the same bytes for the same numbers, and return how many entries it has."""
    written = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as packed, gzip.GzipFile("", "wb", fileobj=packed, mtime=0) as file:
        file.write((json.dumps(head) + "\n").encode())
        for entry in entries:
            line = [entry.case, entry.rows, entry.facts, entry.texts]
            file.write((json.dumps(line) + "\n").encode())
            written += 1
    return written


def read(path: Path) -> tuple[dict[str, Any], dict[str, Entry]]:
    """Return the head of a record and its entries by case."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head = json.loads(next(file))
        entries = [Entry(case, tuple(rows), *rest) for case, rows, *rest in map(json.loads, file)]
    return head, {entry.case: entry for entry in entries}
