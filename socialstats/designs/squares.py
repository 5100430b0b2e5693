"""Square tables of counts: two conditions, or two raters, by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.designs.levels import codes_in, declared_levels
from socialstats.designs.parts import FloatArray
from socialstats.errors import SHOWN_AT_MOST, InputError, NothingToAnalyse, Problem
from socialstats.tables import as_text
from socialstats.text import quoted, shorten

FIX = "Counts are whole numbers from 0 upwards"


def square_counts(
    table: Any, levels: Sequence[Any] | None, *, start: int, source: str, vectors: str
) -> tuple[tuple[str, ...], FloatArray, bool]:
    """Check a square table of counts.

    Parameters
    ----------
    table : (k, k) array-like, or pandas data frame with the same labels on both sides
    levels : sequence, optional
        Labels of the rows and columns; with a data frame, the order to put its labels into.
    start : int
        First of the default labels of a plain array.
    source : str
        Name for messages.
    vectors : str
        What to call with two vectors of values instead.

    Returns
    -------
    levels : tuple of str
    counts : (k, k) float64 array
    named : bool
        False where the labels are the default ones.

    Raises
    ------
    InputError
        Naming every cell that is no count.
    NothingToAnalyse
        When all counts are 0.
    """
    declared = declared_levels(levels)
    labels = _frame_labels(table, source) if hasattr(table, "columns") and hasattr(table, "index") else None
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.shape[0] < 2:
        shape = " x ".join(map(str, cells.shape)) or "a single value"
        raise InputError(
            f"{source}: a square table of counts is needed, not {shape}. For two vectors of values use {vectors}"
        )
    size = cells.shape[0]
    if labels is None:
        labels = declared or tuple(str(start + k) for k in range(size))
        if len(labels) != size:
            raise InputError(f"{source}: {len(labels)} levels ({quoted(labels, 8)}) for a {size} x {size} table")
    counts = _numbers(cells, labels, source)
    if not counts.any():
        raise NothingToAnalyse(f"{source}: every count is 0: there is nothing to analyse")
    named = declared is not None or hasattr(table, "columns")
    return (*_ordered(labels, counts, declared, source), named)


def _frame_labels(table: Any, source: str) -> tuple[str, ...]:
    rows, columns = (tuple(as_text(label) or "" for label in axis) for axis in (table.index, table.columns))
    if rows != columns:
        raise InputError(
            f"{source}: the rows are {quoted(rows, 8)} and the columns {quoted(columns, 8)}. Both sides need the same "
            "levels in the same order: table.reindex(index=levels, columns=levels, fill_value=0)"
        )
    if len(set(rows)) < len(rows) or "" in rows:
        raise InputError(f"{source}: levels must be distinct and not empty, not {quoted(rows, 8)}")
    return rows


def _numbers(cells: Any, labels: Sequence[str], source: str) -> FloatArray:
    problems = []
    out = np.zeros(cells.shape)
    for (row, column), value in np.ndenumerate(cells):
        number = _count(value)
        if number is None:
            place = f"row {row + 1} ('{shorten(labels[row])}'), column {column + 1} ('{shorten(labels[column])}')"
            message = f"{place}: {shorten(str(value))} is not a count"
            problems.append(Problem(message=message, source=source, fix=FIX))
        else:
            out[row, column] = number
    if problems:
        raise InputError(problems[: SHOWN_AT_MOST + 1])
    return out


def _count(value: Any) -> float | None:
    """Return a whole number from 0 upwards, None for anything else (text and missing values too)."""
    if value is None or isinstance(value, (str, bytes, complex)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) and number >= 0 and number.is_integer() else None


def whole_count(value: Any, place: str) -> float:
    """Return one count.

    Raises
    ------
    InputError
        Naming the value and its place.
    """
    number = _count(value)
    if number is None:
        raise InputError(f"{place}={value!r} is not a count. {FIX}")
    return number


def _ordered(
    labels: tuple[str, ...], counts: FloatArray, declared: tuple[str, ...] | None, source: str
) -> tuple[tuple[str, ...], FloatArray]:
    """Put the labels of a data frame into the declared order; levels that it lacks have counts of 0."""
    if declared is None or declared == labels:
        return labels, counts
    codes = codes_in(labels, declared)
    unknown = [label for label, code in zip(labels, codes, strict=True) if code < 0]
    if unknown:
        raise InputError(f"{source}: {quoted(unknown)} is none of the declared levels ({quoted(declared, 8)})")
    out = np.zeros((len(declared), len(declared)))
    out[np.ix_(codes, codes)] = counts
    return declared, out
