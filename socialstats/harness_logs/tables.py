"""Plain tables that people release: their columns as texts, found by name or by what is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from socialstats.errors import InputError, NothingToAnalyse
from socialstats.harness_logs.files import Source
from socialstats.harness_logs.tabular import label
from socialstats.tables import read_table

Columns = Mapping[str, list[str | None]]
Record = dict[str, str | None]
NOTHING = ("", "NA", "N/A", "nan", "None")
PERSON = re.compile(
    r"(?i)(human|person|people|annotator|participant|worker|crowd|subject|rater|[hpwar](?=[\W_]*\d)).*|\d+"
)


def plain_name(name: str) -> str:
    """Return a column's name in small letters, without marks.

    Examples
    --------
    >>> plain_name("Expectation_No1"), plain_name("Pressure Type")
    ('expectationno1', 'pressuretype')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def header(source: Source) -> list[str]:
    """Return the names of a table's columns, by the first look where that is enough; nothing for other files."""
    if source.kind == "text":
        return [*(source.names or columns_in(source.path))]
    return [
        name
        for name, values in source.first.items()
        if source.kind != "object" or isinstance(values, list)
    ]


def columns_of(path: Path) -> Columns:
    """Return the columns of a table as texts."""
    native: Any = read_table(path).frame
    return {
        str(name): [label(v) for v in values]
        for name, values in native.to_dict(as_series=False).items()
    }


def columns_in(path: Path) -> Columns:
    """Return the columns of a file that may be a table; none where it cannot be read as one."""
    try:
        return columns_of(path)
    except (InputError, NothingToAnalyse):
        return {}


def named(columns: Collection[str], *names: str) -> str | None:
    """Return the first column that is called one of these, in any spelling."""
    return next(
        (name for spelling in names for name in columns if plain_name(name) == spelling), None
    )


def mostly(columns: Columns, is_known: Callable[[str], bool]) -> list[str]:
    """Name the columns at least half of whose values are known words."""
    names = []
    for name, values in columns.items():
        present = [value for value in values if (value or "").strip() not in NOTHING]
        if present and 2 * sum(is_known(value or "") for value in present) >= len(present):
            names.append(name)
    return names


def records(columns: Columns) -> Iterator[Record]:
    """Yield the rows of a table."""
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))
