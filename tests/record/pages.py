"""The JSON of a page by key: a cell by table, row and column; a sentence by block and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.record.entries import Entry, Leaf, leaves, with_paths

# what the record has elsewhere (rows of results), or what needs recomputation, which it does without
ELSEWHERE = ("results", "verified", "recomputed", "verification", "socialstats")
NAMES = (
    "id",
    "label",
    "code",
    "check",
)  # what tells parts of a list apart, the first that there is
# texts that are no prose: names of places and kinds, which other programs read
CODES = ("study", "id", "level", "status", "part", "figure", "number", "code", "severity", "kind")


def entry_of_page(case: str, page: Mapping[str, Any]) -> Entry:
    """Return the entry of the JSON of a page, without the rows of its results."""
    facts: dict[str, Leaf] = {}
    texts: dict[str, str] = {}
    for path, leaf in with_paths(parts(page, "")):
        coded = path.startswith("settings") or path.rpartition(".")[2] in CODES
        if isinstance(leaf, str) and not coded:
            texts[path] = leaf
        else:
            facts[path] = leaf
    return Entry(case, (), facts, texts)


def parts(value: Any, path: str) -> Iterator[tuple[str, Leaf]]:
    """Yield every number and text of a page with its path."""
    if isinstance(value, Mapping) and "cells" in value and "header" in value:
        yield from cells(value, path)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if name not in ELSEWHERE:
                yield from parts(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list | tuple):
        named = ((f"{path}.{name_of(part, k)}", part) for k, part in enumerate(value))
        for name, part in with_paths(named):
            yield from parts(part, name)
    else:
        yield from leaves(value, path)


def name_of(part: Any, k: int) -> str:
    """Return what tells a part of a list from the others: its name, or its place."""
    told = part if isinstance(part, Mapping) else {}
    return str(next((told[name] for name in NAMES if name in told), k))


def cells(table: Mapping[str, Any], path: str) -> Iterator[tuple[str, Leaf]]:
    """Yield the cells of a table by row and column: rows are named by their first cell."""
    for name, part in table.items():
        if name not in ("cells", "printed", "header"):
            yield from leaves(part, f"{path}.{name}")
    header = [str(name) for name in table["header"]]
    for k, name in enumerate(header):
        yield f"{path}.header.{k}", name
    rows = zip(table["cells"], table["printed"], strict=True)
    for name, (values, printed) in with_paths(
        (str(row[0][0]) if row[0] else "", row) for row in rows
    ):
        columns = zip(header, values, printed, strict=True)
        for column, (value, text) in with_paths((column, rest) for column, *rest in columns):
            yield from leaves(value, f"{path}[{name}, {column}]")
            if text is not None:
                yield f"{path}[{name}, {column}] as printed", text
