"""Names of columns: texts, all different, and no row of data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from itertools import islice
from typing import Any

from socialstats.errors import InputError
from socialstats.tables.aliases import Texts
from socialstats.tables.labels import as_number
from socialstats.tables.limits import check_limit
from socialstats.text import quoted

# first rows, and first columns, in which names of columns are looked for
LOOKED = (1_000, 30)
NAME_THEM = "Add a first line that names the columns, such as unit,rater,value"


def check_column_names(
    names: Sequence[Any], source: str, below: Iterable[Sequence[str | None]] = ()
) -> None:
    """Refuse column names that are not text, or not distinct.

    Parameters
    ----------
    names : sequence
    source : str
        Named in errors.
    below : iterable of sequence of str
        Rows under the names, to tell whether the names are a row as well; read only where names repeat.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_column_names(["a", "b", "a"], "x.csv")
    Traceback (most recent call last):
    socialstats.errors.InputError: x.csv: two columns are called 'a'. Rename one of them
    """
    previous: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{source}: the column name {name!r} is not text. Rename the columns")
        check_limit("name", len(name), source, fix="Check the first line and the delimiter")
        if name in previous:
            signs = signs_of_data(names, below)
            if signs:
                raise InputError(
                    f"{source}: the first line looks like data, not column names ({signs}). {NAME_THEM}"
                )
            if not name:
                titled = ". If the first line is a title, remove it" if not any(names[1:]) else ""
                raise InputError(
                    f"{source}: {names.count(name)} columns have no name. Name each of them{titled}"
                )
            raise InputError(f"{source}: two columns are called '{name}'. Rename one of them")
        previous.add(name)


def refuse_many_columns(names: Sized, source: str) -> None:
    """Refuse a file with more columns than are read in seconds.

    Raises
    ------
    InputError
    """
    shape = "a table has one row per observation and one column per variable"
    fix = f"Of its {len(names):,} columns keep those that are needed, or transpose it: {shape}"
    check_limit("columns", len(names), source, fix=fix)


def refuse_lengths(columns: Mapping[str, Sized], source: str) -> None:
    """Refuse columns of different lengths.

    Raises
    ------
    InputError
    """
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise InputError(f"{source}: the columns have different lengths ({listed})")


def signs_of_data(names: Texts, below: Iterable[Sequence[str | None]]) -> str:
    """Return what says that names of columns are a row of data; empty where little does.

    Names that are numbers, or that occur again in their own column, may be data. They are taken as data where at least
    half of the names occur again, or all are such names and some occur again.

    Examples
    --------
    >>> signs_of_data(["A", "B", "B"], [["B", "A", "B"], ["A", "B", "A"]])
    "'A' and 'B' occur again below"
    >>> signs_of_data(["unit", "1", "2"], [["u1", "1", "2"]])
    ''
    """
    rows, names = islice(below, LOOKED[0]), names[: LOOKED[1]]
    pairs = (pair for row in rows for pair in enumerate(zip(names, row, strict=False)))
    places = {place for place, (name, value) in pairs if name and value == name}
    again = dict.fromkeys(names[place] for place in sorted(places))
    numbers = {place for place, name in enumerate(names) if as_number(name) is not None}
    if places and (2 * len(places - numbers) >= len(names) or len(places | numbers) == len(names)):
        return f"{quoted([*again])} occur{'s' if len(again) == 1 else ''} again below"
    return ""
