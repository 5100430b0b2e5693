"""Square tables of counts: two conditions, or two raters, by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.aggregate import FIX, bare
from socialstats.designs.levels import codes_in, declared_levels
from socialstats.errors import SHOWN_AT_MOST, InputError, NothingToAnalyse, Problem
from socialstats.tables import MISSING, Table, as_number, as_text
from socialstats.text import quoted, shorten

if TYPE_CHECKING:
    import pandas as pd

TOTALS = frozenset({"total", "totals", "sum", "all", "margin"})
LARGEST = 500  # labels of a cross table


def crosstab(table: Table) -> pd.DataFrame:
    """Return a table that is a cross table of counts as a data frame with the same labels on both sides.

    The labels of the rows stand in the first column, or are those of the columns in the same order. A row or column
    of totals is left out, whatever it is called; a level that one side lacks has counts of 0. Cells may be missing.

    Raises
    ------
    InputError
        For labels that differ, and cells that are no counts, with line and column.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> crosstab(as_table({"": ["no", "yes"], "no": [44, 7], "yes": [5, 19]})).loc["yes", "no"]
    np.float64(7.0)
    """
    import pandas as pd

    frame: Any = table.frame
    frame = frame.collect() if hasattr(frame, "collect") else frame
    columns = list(table.columns)
    first = [as_text(label) or "" for label in frame.get_column(columns[0]).to_list()]
    shared = len({bare(label) for label in first} & {bare(name) for name in columns[1:]})
    lost = _lost_labels(first, columns[1:])
    named = shared >= min(2, len(first)) or lost
    labels, heads = (first, columns[1:]) if named else (columns, columns)
    cells = np.full((len(first), len(heads)), np.nan)
    problems = []
    for k, head in enumerate(heads[:LARGEST]):
        for row, value in enumerate(frame.get_column(head).to_list()):
            text = as_text(value)
            number = as_number(text) if text is not None else None
            if number is not None:
                cells[row, k] = number
            elif text is not None and text not in MISSING and not (named and text == "-" and first[row] == head):
                line = tuple(table.places([row]).values())
                message = f"'{shorten(text)}' is not a count"
                problems.append(Problem(message=message, source=table.source, column=head, lines=line, fix=FIX))
    size, square = len(first), None
    if named:
        square = pd.DataFrame(cells, index=labels, columns=labels if lost else heads)
        square = _matched(_without_totals(square, table.source))
    elif size == len(heads):
        square = pd.DataFrame(cells, index=labels, columns=heads)
    if square is None or not 2 <= len(square) <= LARGEST:
        raise InputError(
            f"{table.source}: a cross table has the same labels in its first column and in its header. Here the rows "
            f"are {quoted(first[:9], 8)} and the columns {quoted(heads[:9], 8)}"
        )
    if problems:
        raise InputError(problems[: SHOWN_AT_MOST + 1])
    return square


def _lost_labels(rows: Sequence[str], heads: Sequence[str]) -> bool:
    """Whether the header is V1, V2, ... (or X1, ...) over rows 1, 2, ...: R's names for columns without any."""
    numbered = [str(k) for k in range(1, len(rows) + 1)]
    return list(rows) == numbered and any(list(heads) == [letter + k for k in numbered] for letter in "VX")


def _without_totals(square: pd.DataFrame, source: str) -> pd.DataFrame:
    """Leave out a last row and a last column that hold the sums of the others.

    Raises
    ------
    InputError
        For a row and column called like totals that are none.
    """
    row, column = (bare(str(axis[-1])) for axis in (square.index, square.columns))
    down = len(square) > 2 and np.allclose(square.iloc[:-1].sum(axis=0), square.iloc[-1])
    across = square.shape[1] > 2 and np.allclose(square.iloc[:, :-1].sum(axis=1), square.iloc[:, -1])
    if row == column:
        if row in TOTALS and not (down and across):
            raise InputError(
                f"{source}: '{shorten(str(square.index[-1]))}' is not the sum of the other rows and columns"
            )
        return square.iloc[:-1, :-1] if down and across else square
    names = [bare(str(label)) for label in (*square.index, *square.columns)]
    square = square.iloc[:-1] if down and names.count(row) == 1 else square
    return square.iloc[:, :-1] if across and names.count(column) == 1 else square


def _matched(square: pd.DataFrame) -> pd.DataFrame | None:
    """Give both sides the same labels, spelled and ordered as in the rows; levels that one side lacks hold 0.

    None where labels repeat, or each side has levels that the other lacks: two different variables.
    """
    spelled = {bare(str(label)): str(label) for label in square.index}
    square = square.rename(columns={c: spelled.get(bare(str(c)), str(c)) for c in square.columns})
    every = [*square.index, *(name for name in square.columns if name not in square.index)]
    if square.index.has_duplicates or square.columns.has_duplicates or len(every) > max(square.shape):
        return None
    absent = [~np.isin(every, axis) for axis in (square.index, square.columns)]
    full = square.reindex(index=every, columns=every)
    return full.mask(absent[0][:, None] | absent[1][None, :], 0.0)


LOSERS = frozenset({"loser", "losers", "lost", "loses", "defeated"})


def win_counts(square: pd.DataFrame, corner: str = "") -> dict[str, list[Any]]:
    """Return a matrix of wins as one row a pair that met: items and wins of both.

    The row's item won over the column's, but where the corner of the table says that the rows are the losers.
    """
    square = square.T if bare(corner) in LOSERS else square
    labels = [str(label) for label in square.index]
    wins = square.to_numpy()
    pairs = [
        (a, b) for a in range(len(labels)) for b in range(a + 1, len(labels)) if np.nansum([wins[a, b], wins[b, a]])
    ]
    return {
        "item_a": [labels[a] for a, _ in pairs], "item_b": [labels[b] for _, b in pairs],
        "wins_a": [float(np.nan_to_num(wins[a, b])) for a, b in pairs],
        "wins_b": [float(np.nan_to_num(wins[b, a])) for a, b in pairs],
    }  # fmt: skip


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
