"""Cross-tabulations: their cells, margins and labels, and counts of wins in a square."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.aliases import LevelOrder, Levels, Texts
from socialstats.designs.levels import codes_in, declared_levels
from socialstats.designs.vocabulary import bare, spelled
from socialstats.errors import MOST_PROBLEMS, InputError, NothingToAnalyse, Problem
from socialstats.tables import MISSING, Table, as_number, label_text
from socialstats.tables.lazy import asks, collected
from socialstats.text import quoted, shorten

if TYPE_CHECKING:
    import pandas as pd


FIX_OF_COUNTS = "Counts are whole numbers from 0 upwards"
MARGINS = frozenset(spelled("total totals sum all margin"))
# labels of a cross table
LARGEST = 500
LOSERS = frozenset(spelled("loser losers lost loses defeated"))


@asks
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

    columns = list(table.columns)
    first = [label or "" for label in table.texts(columns[0])]
    # without shared labels the first column has counts, and the header has the labels
    shared = len({bare(label) for label in first} & {bare(name) for name in columns[1:]})
    lost = _lost_labels(first, columns[1:])
    named = shared >= min(2, len(first)) or lost
    labels, heads = (first, columns[1:]) if named else (columns, columns)
    cells = np.full((len(first), len(heads)), np.nan)
    problems = []
    for k, head in enumerate(heads[:LARGEST]):
        for row, label in enumerate(table.texts(head)):
            number = as_number(label) if label is not None else None
            if number is not None:
                cells[row, k] = number
            elif (
                label is not None
                and label not in MISSING
                # a dash on the diagonal: an item does not meet itself
                and not (named and label == "-" and first[row] == head)
            ):
                line = tuple(table.places([row]).values())
                message = f"'{shorten(label)}' is not a count"
                problems.append(
                    Problem(
                        message=message,
                        source=table.source,
                        column=head,
                        lines=line,
                        fix=FIX_OF_COUNTS,
                    )
                )
    size = len(first)
    square = None
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
        raise InputError(problems[: MOST_PROBLEMS + 1])
    return square


def _lost_labels(rows: Texts, heads: Texts) -> bool:
    """Whether the header is V1, V2, ... (or X1, ...) over rows 1, 2, ...: R's names for columns without any."""
    numbered = [str(k) for k in range(1, len(rows) + 1)]
    return list(rows) == numbered and any(
        list(heads) == [letter + k for k in numbered] for letter in "VX"
    )


def _without_totals(square: pd.DataFrame, source: str) -> pd.DataFrame:
    """Leave out a last row and a last column that hold the sums of the others.

    Raises
    ------
    InputError
        For a row and column called like totals that are none.
    """
    names = [bare(str(label)) for label in (*square.index, *square.columns)]
    row = names[len(square) - 1]
    column = names[-1]
    down, across = (
        len(side) > 2 and np.allclose(side.iloc[:-1].sum(axis=0), side.iloc[-1])
        for side in (square, square.T)
    )
    if row == column and row in MARGINS and not (down and across):
        raise InputError(
            f"{source}: '{shorten(str(square.index[-1]))}' is not the sum of the other rows and columns"
        )
    if row == column:
        down = across = down and across
    else:
        down = down and names.count(row) == 1
        across = across and names.count(column) == 1
    return square.iloc[: len(square) - down, : square.shape[1] - across]


def _matched(square: pd.DataFrame) -> pd.DataFrame | None:
    """Give both sides the same labels, spelled and ordered as in the rows; levels that one side lacks hold 0.

    None where labels repeat, or each side has levels that the other lacks: two different variables.
    """
    spelled = {bare(str(label)): str(label) for label in square.index}
    square = square.rename(columns={c: spelled.get(bare(str(c)), str(c)) for c in square.columns})
    every = [*square.index, *(name for name in square.columns if name not in square.index)]
    if (
        square.index.has_duplicates
        or square.columns.has_duplicates
        or len(every) > max(square.shape)
    ):
        return None
    absent = [~np.isin(every, axis) for axis in (square.index, square.columns)]
    full = square.reindex(index=every, columns=every)
    return full.mask(absent[0][:, None] | absent[1][None, :], 0.0)


def are_counts(cells: Any) -> bool:
    """Whether all cells are whole numbers from 0 upwards."""
    numbers = [
        x
        for x in np.ravel(cells)
        if isinstance(x, (int, float, np.number)) and not isinstance(x, bool)
    ]
    return 0 < len(numbers) == np.size(cells) and all(
        x >= 0 and float(x).is_integer() for x in numbers
    )


def may_count(cells: Any) -> bool:
    """Whether an array of ratings may count ratings by level instead: rows of one sum, or with zeros beside more.

    Examples
    --------
    >>> may_count([[0, 3], [1, 2]]), may_count([[1, 3], [2, 4]]), may_count([[0, 1], [1, 1]])
    (True, False, False)
    """
    if not are_counts(cells):
        return False
    numbers = np.array(cells, dtype=np.float64)
    sums = np.unique(numbers.sum(axis=1))
    return bool((len(sums) == 1 and sums[0] > 1) or (numbers.min() == 0 and numbers.max() > 1))


def numbers_in(table: Table, columns: Texts, most: int | None = None) -> list[list[float | None]]:
    """Return the numbers of columns, of the first rows where there are `most`; None for anything else."""
    frame = table.frame.select([*columns])
    held = collected(frame if most is None else frame.head(most))

    def number(value: Any) -> float | None:
        return (
            None if isinstance(value, list | dict | bytes) else as_number(label_text(value) or "")
        )

    return [[*map(number, held.get_column(column).to_list())] for column in columns]


def sums_alike(rows: Iterable[Sequence[float | None]]) -> int:
    """Return the sum of each row of whole numbers from 0 upwards, where all sums are alike and above 1; else 0.

    Examples
    --------
    >>> sums_alike([[0, 3], [1, 2]]), sums_alike([[1, 0], [0, 1]]), sums_alike([[0, 3], [1, 3]])
    (3, 0, 0)
    """
    total = 0.0
    for row in rows:
        found = 0.0
        for x in row:
            if x is None or x < 0 or x % 1:
                return 0
            found += x
        if found < 2 or (total and found != total):
            return 0
        total = found
    return int(total)


def win_counts(square: pd.DataFrame, corner: str = "") -> dict[str, list[Any]]:
    """Return a matrix of wins as one row per pair that met: items and wins of both.

    The row's item won over the column's, but where the corner of the table says that the rows are the losers.
    """
    square = square.T if bare(corner) in LOSERS else square
    labels = np.array([*map(str, square.index)], dtype=object)
    wins = np.nan_to_num(square.to_numpy(dtype=np.float64))
    a, b = np.nonzero(np.triu(wins + wins.T, k=1))
    return {
        "item_a": labels[a].tolist(),
        "item_b": labels[b].tolist(),
        "wins_a": wins[a, b].tolist(),
        "wins_b": wins[b, a].tolist(),
    }


def square_counts(
    table: Any, levels: LevelOrder, *, start: int, source: str, vectors: str
) -> tuple[Levels, FloatArray, bool]:
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
    framed = hasattr(table, "columns") and hasattr(table, "index")
    labels = _frame_labels(table, source) if framed else declared
    cells = np.asarray(table, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.shape[0] < 2:
        shape = " x ".join(map(str, cells.shape)) or "a single value"
        raise InputError(
            f"{source}: a square table of counts is needed, not {shape}. For two vectors of values use {vectors}"
        )
    size = cells.shape[0]
    labels = labels or tuple(str(start + k) for k in range(size))
    if len(labels) != size:
        raise InputError(
            f"{source}: {len(labels)} levels ({quoted(labels, 8)}) for a {size} x {size} table"
        )
    counts = _cell_numbers(cells, labels, source)
    if size > 2:
        refuse_margins(counts, labels[-1], source)
    if not counts.any():
        raise NothingToAnalyse(f"{source}: every count is 0: there is nothing to analyse")
    return (
        *_ordered(labels, counts, declared, source),
        declared is not None or hasattr(table, "columns"),
    )


def refuse_margins(counts: FloatArray, label: str, source: str) -> None:
    """Refuse a table of counts whose last row and column are the sums of the others.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_margins(np.array([[1, 2, 3], [4, 5, 9], [5, 7, 12]]), "All", "table")
    Traceback (most recent call last):
    socialstats.errors.InputError: table: the last row and the last column ('All') are the sums of the others. ...
    """
    by_row = np.array_equal(counts[:, -1], counts[:, :-1].sum(axis=1))
    if counts.any() and by_row and np.array_equal(counts[-1], counts[:-1].sum(axis=0)):
        raise InputError(
            f"{source}: the last row and the last column ('{shorten(label)}') are the sums of the others. Leave "
            "them out: pd.crosstab without margins, or table.iloc[:-1, :-1]"
        )


def _frame_labels(table: Any, source: str) -> Levels:
    rows, columns = (
        tuple(label_text(label) or "" for label in axis) for axis in (table.index, table.columns)
    )
    if rows != columns:
        raise InputError(
            f"{source}: the rows are {quoted(rows, 8)} and the columns {quoted(columns, 8)}. Both sides need the same "
            "levels in the same order: table.reindex(index=levels, columns=levels, fill_value=0)"
        )
    if len({*rows} - {""}) < len(rows):
        raise InputError(f"{source}: levels must be distinct and not empty, not {quoted(rows, 8)}")
    return rows


def _cell_numbers(cells: Any, labels: Texts, source: str) -> FloatArray:
    numbers = {place: _count(value) for place, value in np.ndenumerate(cells)}
    problems = []
    for row, column in [place for place, number in numbers.items() if number is None][
        : MOST_PROBLEMS + 1
    ]:
        place = f"row {row + 1} ('{shorten(labels[row])}'), column {column + 1} ('{shorten(labels[column])}')"
        message = f"{place}: {shorten(str(cells[row, column]))} is not a count"
        problems.append(Problem(message=message, source=source, fix=FIX_OF_COUNTS))
    if problems:
        raise InputError(problems)
    return np.array([*numbers.values()], dtype=np.float64).reshape(cells.shape)


def _count(value: Any) -> float | None:
    """Return a whole number from 0 upwards, None for anything else (text and missing values too)."""
    number = -1.0
    if not isinstance(value, (str, bytes, complex)):
        with suppress(TypeError, ValueError):
            number = float(value)
    return number if number >= 0 and number.is_integer() else None


def whole_count(value: Any, place: str) -> float:
    """Return one count.

    Raises
    ------
    InputError
        Naming the value and its place.
    """
    number = _count(value)
    if number is None:
        raise InputError(f"{place}={value!r} is not a count. {FIX_OF_COUNTS}")
    return number


def _ordered(
    labels: Levels, counts: FloatArray, declared: Levels | None, source: str
) -> tuple[Levels, FloatArray]:
    """Arrange the labels of a data frame in the declared order; levels that it lacks have counts of 0."""
    if declared is None or declared == labels:
        return labels, counts
    codes = codes_in(labels, declared)
    if unknown := [label for label, code in zip(labels, codes, strict=True) if code < 0]:
        raise InputError(
            f"{source}: {quoted(unknown)} is none of the declared levels ({quoted(declared, 8)})"
        )
    out = np.zeros((len(declared), len(declared)))
    out[np.ix_(codes, codes)] = counts
    return declared, out
