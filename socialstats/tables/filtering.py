"""Rows that are kept or left out by what a column holds, and keys of several columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import BoolArray
from socialstats.errors import NothingToAnalyse
from socialstats.tables.aliases import Lines, Positions, Texts
from socialstats.tables.counting import STATUS
from socialstats.tables.labels import label_text, labels_of
from socialstats.tables.lazy import asks
from socialstats.tables.table import MOST_LINES, Table
from socialstats.text import listing, shorten

Filtered = tuple[Table, int]
"""The rows that remain, and how many do not."""


def rows_where(table: Table, column: str, value: str, *, missing: bool = False) -> Filtered:
    """Keep the rows whose value, written as text, is `value`.

    Parameters
    ----------
    table : Table
        The rows of a lazy one are left to its engine.
    column, value : str
    missing : bool
        Keep rows without a value too.

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
    labels = [label_text(label) for label in _values(table, column)]
    if value not in labels:
        listed = listing([shorten(str(label)) for label in labels], most=MOST_LINES)
        raise NothingToAnalyse(
            f"{table.source}: no row has {column} = '{shorten(value)}'; values: {listed}"
        )
    other_labels = {label for label in labels if label is not None} - {value}
    bad = _has(table, column, other_labels) if missing else ~_has(table, column, {value})
    return _left_out(table, bad, "none is left")


def rows_without(table: Table, column: str, value: str) -> Filtered:
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
    return _left_out(
        table,
        _has(table, column, {value}),
        f"every row has {column} = '{shorten(value)}': none is left",
    )


@asks
def rows_unlike(table: Table, first: str, second: str) -> Filtered:
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
    table.need(first, second)
    bad: BoolArray | nw.Expr
    if isinstance(table.frame, nw.LazyFrame):
        a, b = (_label_expression(table, column) for column in (first, second))
        bad = _sure((a == b) & (a != ""))
    else:
        texts = (labels_of(table.frame.get_column(column).to_list()) for column in (first, second))
        bad = np.array([x == y is not None for x, y in zip(*texts, strict=True)], dtype=bool)
    return _left_out(
        table, bad, f"every row has the same value in '{first}' and '{second}': none is left"
    )


def rows_without_whole(table: Table, column: str, value: str, unit: str) -> tuple[Table, int, int]:
    """Leave out all rows of everyone (everything named in the column `unit`) who has a row with the value.

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
    table.need(column, unit)
    cells = table.counts([column, unit]).columns
    labels = [[*labels_of(cells[name].values.tolist()), None] for name in (column, unit)]
    pairs = zip(cells[column].codes, cells[unit].codes, strict=True)
    out = {labels[1][name] for held, name in pairs if labels[0][held] == value} - {None}
    gone = _has(table, column, {value}) | _has(table, unit, out)
    nothing = f"everyone in '{shorten(unit)}' has a row with {column} = '{shorten(value)}'"
    return (*_left_out(table, gone, nothing), len(out))


@asks
def with_joint(table: Table, column: str | Texts | None) -> tuple[Table, str | None]:
    """Make one key of several columns: a column of their values, with the columns' names joined by commas as its name.

    Parameters
    ----------
    table : Table
    column : str, sequence of str or None
        Several columns, or their names in one text with commas between; a column of that very name is left as it is.
        None or empty: there is no key.

    Returns
    -------
    table : Table
        With the column added where there are several; a value is missing where one of its parts is.
    name : str or None

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> made, name = with_joint(as_table({"task": ["t", "t"], "id": [1, 2]}), "task,id")
    >>> name, made.frame["task,id"].to_list()
    ('task,id', ['t | 1', 't | 2'])
    """
    if not column:
        return table, None
    names = (
        [part.strip() for part in column.split(",")] if isinstance(column, str) else list(column)
    )
    name = column if isinstance(column, str) else ",".join(names)
    if name in table.columns or len(names) < 2 or not set(names) <= set(table.columns):
        return table, name
    if isinstance(table.frame, nw.LazyFrame):
        parts = [nw.col(part).cast(nw.String()) for part in names]
        lazy = table.frame.with_columns(nw.concat_str(parts, separator=" | ").alias(name))
        return replace(table, data=lazy, columns=(*table.columns, name)), name
    values = [table.texts(part) for part in names]
    keys = [None if None in row else " | ".join(map(str, row)) for row in zip(*values, strict=True)]
    series = nw.new_series(name, keys, nw.String(), backend=table.frame.implementation)
    return replace(
        table, data=table.frame.with_columns(series), columns=(*table.columns, name)
    ), name


def _values(table: Table, column: str) -> list[Any]:
    """Return the distinct values of a column."""
    table.need(column)
    return list(table.counts([column]).columns[column].values.tolist())


def _has(table: Table, column: str, labels: Collection[str]) -> nw.Expr:
    """Return whether a row has a value that is one of some labels."""
    values = [value for value in _values(table, column) if label_text(value) in labels]
    missing = nw.col(column).is_null()
    # no engine takes an empty list
    return _sure(nw.col(column).is_in(values)) if values else missing & ~missing


def _sure(condition: nw.Expr) -> nw.Expr:
    """Return a condition that is false where a value is missing."""
    return nw.when(condition).then(nw.lit(True)).otherwise(nw.lit(False))


def _label_expression(table: Table, column: str) -> nw.Expr:
    """Return a column of a lazy table as the labels that `label_text` makes."""
    is_float = table.frame.collect_schema()[column].is_float()
    cast = nw.col(column).cast(nw.String)
    return cast.str.replace_all(r"\.0$", "") if is_float else cast


@asks
def _left_out(table: Table, bad: BoolArray | nw.Expr, nothing: str) -> Filtered:
    """Leave out some rows and count them; raise NothingToAnalyse with a reason where these are all."""
    rows, frame = table.height, table.frame
    if isinstance(frame, nw.LazyFrame):
        remaining = replace(table, data=frame.filter(~bad))
        out = rows - remaining.height
    else:
        mask = (
            bad
            if isinstance(bad, np.ndarray)
            else frame.with_columns(bad.alias(STATUS)).get_column(STATUS).to_numpy()
        )
        remaining, out = _rows_of_mask(table, ~mask.astype(bool)), int(mask.sum())
    if rows == out:
        raise NothingToAnalyse(f"{table.source}: {nothing}")
    return (remaining if out else table), out


def _rows_of_mask(table: Table, mask: BoolArray) -> Table:
    """Return the rows of the mask; the places of errors stay those of the whole table."""
    remaining = np.flatnonzero(mask)
    frame: Any = table.frame

    def locate(positions: Positions) -> Lines:
        before = [int(remaining[position]) for position in positions]
        places = table.places(before)
        return [places[position] for position in before]

    return replace(table, data=frame.filter(mask.tolist()), locate=locate)
