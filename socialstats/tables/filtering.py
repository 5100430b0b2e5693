"""Rows of a table with, or without, one value in one column; the places of errors stay those of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from socialstats import text
from socialstats.arrays import BoolArray
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables.table import Table
from socialstats.tables.values import as_text

SHOWN = 20


def rows_where(table: Table, column: str, value: str) -> tuple[Table, int]:
    """Keep the rows whose value, written as text, is `value`.

    Parameters
    ----------
    table : Table
        Of an engine that holds its rows in memory, as every file's is.
    column, value : str

    Returns
    -------
    table : Table
    left_out : int
        Rows that have another value.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If no row has the value; the message lists those there are.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_where(as_table({"model": ["m1", "m2", "m1"], "y": [1, 2, 3]}), "model", "m1")
    >>> kept.frame.shape, left_out
    ((2, 2), 1)
    """
    mask, values = _matching(table, column, value)
    if not mask.any():
        known = text.listing([text.shorten(str(as_text(v))) for v in values], most=SHOWN)
        raise NothingToAnalyse(f"{table.source}: no row has {column} = '{text.shorten(value)}'; values: {known}")
    return _kept(table, mask), int((~mask).sum())


def rows_without(table: Table, column: str, value: str) -> tuple[Table, int]:
    """Leave out the rows whose value, written as text, is `value`; rows that miss a value stay.

    Returns
    -------
    table : Table
    left_out : int
        Rows with the value; 0 where there is none, since what is excluded in advance may not occur.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If every row has the value.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_without(as_table({"state": ["ok", "failed", None], "y": [1, 2, 3]}), "state", "failed")
    >>> kept.frame.shape, left_out
    ((2, 2), 1)
    """
    mask, _ = _matching(table, column, value)
    if mask.all():
        raise NothingToAnalyse(f"{table.source}: every row has {column} = '{text.shorten(value)}': none is left")
    return (_kept(table, ~mask) if mask.any() else table), int(mask.sum())


def rows_unlike(table: Table, one: str, other: str) -> tuple[Table, int]:
    """Leave out the rows in which two columns hold the same text; rows that miss a value stay.

    Returns
    -------
    table : Table
    left_out : int

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If the columns agree in every row.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_unlike(as_table({"winner": ["a", "b"], "loser": ["b", "b"]}), "winner", "loser")
    >>> kept.frame.shape, left_out
    ((1, 2), 1)
    """
    for column in (one, other):
        if column not in table.columns:
            listed = text.listing([text.shorten(name) for name in table.columns], most=SHOWN)
            raise InputError(f"{table.source}: no column '{text.shorten(column)}'. Columns: {listed}")
    a, b = ([as_text(value) for value in _eager(table).get_column(c).to_list()] for c in (one, other))
    mask = np.array([x == y not in (None, "") for x, y in zip(a, b, strict=True)], dtype=bool)
    if mask.all():
        raise NothingToAnalyse(f"{table.source}: every row has the same value in '{one}' and '{other}': none is left")
    return (_kept(table, ~mask) if mask.any() else table), int(mask.sum())


def rows_without_whole(table: Table, column: str, value: str, whole: str) -> tuple[Table, int, int]:
    """Leave out all rows of everyone (everything named in the column `whole`) who has a row with the value.

    Returns
    -------
    table : Table
    left_out, names : int
        Rows, and how many names.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If nobody is left.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> rows = as_table({"rater": ["ann", "bob", "ann"], "check": ["ok", "ok", "failed"]})
    >>> kept, left_out, names = rows_without_whole(rows, "check", "failed", "rater")
    >>> kept.frame.shape, left_out, names
    ((1, 2), 2, 1)
    """
    mask, _ = _matching(table, column, value)
    if whole not in table.columns:
        listed = text.listing([text.shorten(name) for name in table.columns], most=SHOWN)
        raise InputError(f"{table.source}: no column '{text.shorten(whole)}'. Columns: {listed}")
    who = [as_text(name) for name in _eager(table).get_column(whole).to_list()]
    out = {name for name, hit in zip(who, mask.tolist(), strict=True) if hit and name not in (None, "")}
    gone = mask | np.array([name in out for name in who], dtype=bool)
    if gone.all():
        raise NothingToAnalyse(
            f"{table.source}: everyone in '{text.shorten(whole)}' has a row with {column} = '{text.shorten(value)}'"
        )
    return (_kept(table, ~gone) if gone.any() else table), int(gone.sum()), len(out)


def with_joint(table: Table, column: str | Sequence[str]) -> tuple[Table, str]:
    """Make one key of several columns: a column of their values, with the columns' names joined by commas as its name.

    Parameters
    ----------
    table : Table
    column : str or sequence of str
        Several columns, or their names in one text with commas between; a column of that very name is left as it is.

    Returns
    -------
    table : Table
        With the column added where there are several; a value is missing where one of its parts is.
    name : str

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> made, name = with_joint(as_table({"task": ["t", "t"], "id": [1, 2]}), "task,id")
    >>> name, made.frame["task,id"].to_list()
    ('task,id', ['t | 1', 't | 2'])
    """
    names = [part.strip() for part in column.split(",")] if isinstance(column, str) else list(column)
    name = column if isinstance(column, str) else ",".join(names)
    if name in table.columns or len(names) < 2 or not set(names) <= set(table.columns):
        return table, name
    if isinstance(table.frame, nw.LazyFrame):
        parts = [nw.col(part).cast(nw.String()) for part in names]
        lazy = table.frame.with_columns(nw.concat_str(parts, separator=" | ").alias(name))
        return replace(table, frame=lazy, columns=(*table.columns, name)), name
    values = [[as_text(value) for value in table.frame.get_column(part).to_list()] for part in names]
    keys = [None if None in row else " | ".join(map(str, row)) for row in zip(*values, strict=True)]
    series = nw.new_series(name, keys, nw.String(), backend=table.frame.implementation)
    return replace(table, frame=table.frame.with_columns(series), columns=(*table.columns, name)), name


def _matching(table: Table, column: str, value: str) -> tuple[BoolArray, list[Any]]:
    """Tell for each row whether it has the value, and list the values there are."""
    if column not in table.columns:
        listed = text.listing([text.shorten(name) for name in table.columns], most=SHOWN)
        raise InputError(f"{table.source}: no column '{text.shorten(column)}'. Columns: {listed}")
    coded = table.counts([column]).columns[column]
    wanted = [v for v in coded.values if as_text(v) == value]
    series = _eager(table).get_column(column)
    if not wanted:  # of an empty list, not every engine can tell the type
        return np.zeros(len(series), dtype=bool), coded.values.tolist()
    return np.array(np.array(series.is_in(wanted).to_numpy(), dtype=object) == True, dtype=bool), coded.values.tolist()  # noqa: E712


def _eager(table: Table) -> Any:
    frame: Any = table.frame
    return frame.collect() if hasattr(frame, "collect") else frame


def _kept(table: Table, mask: BoolArray) -> Table:
    """Return the rows of the mask; the places of errors stay those of the whole table."""
    kept = np.flatnonzero(mask)

    def locate(positions: Sequence[int]) -> list[int]:
        before = [int(kept[position]) for position in positions]
        places = table.places(before)
        return [places[position] for position in before]

    return replace(table, frame=_eager(table).filter(mask.tolist()), locate=locate)
