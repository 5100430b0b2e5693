"""Arrays and frames that are cross-tabulations: which they are, and the design that each kind of them makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from socialstats.designs.aliases import Fields
from socialstats.designs.crosstabs import are_counts, square_counts, win_counts
from socialstats.designs.levels import opposites
from socialstats.designs.vocabulary import CONDITIONS, RATERS, UNITS, PartVocabulary, bare
from socialstats.errors import InputError
from socialstats.tables import as_number
from socialstats.text import listing, quoted
from socialstats.voice import option


def matrix(data: Any) -> Any:
    """Return a 2-D array, or rows of one length, as an array of objects; None for anything else.

    Examples
    --------
    >>> matrix([(1, "a"), (2, "b")]).shape, matrix([1, 2]), matrix([[1], [2, 3]])
    ((2, 2), None, None)
    """
    if isinstance(data, np.ndarray):
        return data.astype(object) if data.ndim == 2 else None
    rows = isinstance(data, (list, tuple)) and all(
        isinstance(row, (list, tuple, np.ndarray)) for row in data
    )
    if not rows or len({len(row) for row in data}) != 1:
        return None
    cells = np.empty((len(data), len(data[0])), dtype=object)
    for k, row in enumerate(data):
        cells[k] = [*row]
    return cells


def is_square(data: Any) -> bool:
    """Whether something is a square array, a list of rows as long as itself, or a cross-tabulation."""
    if isinstance(data, np.ndarray):
        return data.ndim == 2 and data.shape[0] == data.shape[1] > 1
    rows = isinstance(data, (list, tuple)) and all(
        isinstance(row, (list, np.ndarray)) for row in data
    )
    return is_crosstab(data) or (
        rows and len(data) > 1 and all(len(row) == len(data) for row in data)
    )


def is_crosstab(data: Any) -> bool:
    """Whether something is a data frame with the same labels on both sides, or a crosstab that lacks some of them."""
    if not isinstance(data, pd.DataFrame) or not data.size:
        return False
    if data.shape[0] == data.shape[1] > 1 and list(data.index) == list(data.columns):
        return True
    sides = (data.index.name, data.columns.name)
    # pandas' crosstab names both; its rows are no units
    if None in sides or called(sides[0], UNITS):
        return False
    return bool(data.index.isin(data.columns).any()) and are_counts(data.to_numpy(dtype=object))


def called(name: Any, part: PartVocabulary) -> bool:
    """Whether a column, or an index, has one of the names of a part."""
    return bare(str(name)) in {*map(bare, (*part.names, *part.words))}


def refuse_pivoted(data: Any, name: str) -> None:
    """Refuse a data frame that may cross two ratings, or have a row for each unit and a column for each condition.

    Raises
    ------
    InputError
        With what to write for each reading.
    """
    if not isinstance(data, pd.DataFrame) or [*data.index] == [*data.columns]:
        return
    if called(data.columns.name, CONDITIONS) or called(data.columns.name, RATERS):
        raise InputError(
            f"{name}: this data frame may count pairs of labels, or have a row for each '{data.index.name}' and a "
            f"column for each '{data.columns.name}'. Counts: data.reindex(index=labels, columns=labels, fill_value=0). "
            "A row for each unit: data.rename_axis('unit')"
        )


def complete_square(data: Any) -> Any:
    """Return a cross-tabulation with all labels on both sides; anything else as it is.

    Examples
    --------
    >>> complete_square(pd.crosstab(pd.Series([1, 2, 3]), pd.Series([1, 2, 2]))).to_numpy().tolist()
    [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    """
    if not isinstance(data, pd.DataFrame):
        return data
    labels = [*data.index, *data.columns.difference(data.index, sort=False)]
    if len(labels) > min(data.shape):
        labels = sorted(labels, key=lambda label: (isinstance(label, str), label))
        data = data.reindex(index=labels, columns=labels, fill_value=0)
    return data


def wins_of(design: Any, data: Any, options: Fields, name: str) -> Any:
    """Return the comparisons of a square array of wins: the row's item won, or lost where the index is called so.

    Raises
    ------
    InputError
        For cells that are no counts, and an item that won over itself.

    Examples
    --------
    >>> from socialstats import Comparisons
    >>> wins_of(Comparisons, [[0, 3], [2, 0]], {}, "f()").items
    ('1', '2')
    """
    data = complete_square(data)
    frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    cells = frame.to_numpy(dtype=object, copy=True)
    # nobody meets himself
    cells[np.eye(len(cells), dtype=bool) & frame.isna().to_numpy()] = 0
    named = [*map(str, frame.index)] if frame is data else options.get("levels")
    labels, counts, _ = square_counts(cells, named, start=1, source=name, vectors="three vectors")
    alone = [label for label, won in zip(labels, counts.diagonal(), strict=True) if won]
    if alone:
        raise InputError(
            f"{name}: items cannot win over themselves, and {listing(alone)} did. Set the diagonal to 0"
        )
    wins = win_counts(
        pd.DataFrame(counts, index=list(labels), columns=list(labels)), str(frame.index.name or "")
    )
    return replace(design.from_counts(wins, source="table"), columns={})


def is_counts(data: Any) -> bool:
    """Whether something counts the units of two groups by level: a data frame with labelled rows, or an array."""
    if isinstance(data, pd.DataFrame):
        labelled = not isinstance(data.index, pd.RangeIndex)
        return (
            labelled
            and len(data) == 2
            and data.shape[1] > 1
            and are_counts(data.to_numpy(dtype=object))
        )
    cells = matrix(data)
    return cells is not None and cells.shape[0] == 2 and cells.shape[1] > 1 and are_counts(cells)


def groups_counted(design: Any, data: Any, options: Fields, name: str) -> Any:
    """Return the groups of a table of counts.

    Raises
    ------
    InputError
        Where it is open which column has the ones, or the order of the levels.
    """
    framed = isinstance(data, pd.DataFrame)
    labels = [str(label) for label in data.columns] if framed else []
    known = opposites(labels) or all(as_number(label) is not None for label in labels)
    typed = framed and isinstance(data.columns, pd.CategoricalIndex) and data.columns.ordered
    if options.get("levels") is None and framed and not (known or typed):
        raise InputError(
            f"{name}: say the order of the levels {quoted(labels, 5)}: {option('levels', tuple(labels))}, "
            "the lowest first. Of two, the last one counts as 1"
        )
    cells = None if framed else matrix(data)
    if cells is not None and cells.shape == (2, 2) and options.get("levels") is None:
        totals, (first, second) = cells.sum(axis=1).tolist(), cells.T.tolist()
        raise InputError(
            f"{name}: either column may have the successes. The first, as in R's prop.test: "
            f"{name[:-2]}(count={first}, nobs={totals}). The second: {name[:-2]}(count={second}, nobs={totals})"
        )
    wanted = [str(label) for label in options.get("groups") or ()]
    # the labels in another order
    if framed and sorted(wanted) == sorted(map(str, data.index)):
        labels = [*map(str, data.index)]
        data = data.iloc[[labels.index(label) for label in wanted]]
        options = {**options, "groups": None}
    return design.from_table(data if framed else cells, source=name, **options)


def levels_crossed(design: Any, data: Any, options: Fields, name: str) -> Any:
    """Return the pairs, or the two raters, of a square table of counts."""
    return design.from_table(complete_square(data), **options)


# by the name of the design, whose class is the first argument
SQUARES: Mapping[str, Callable[[Any, Any, Fields, str], Any]] = {
    "Groups": groups_counted,
    "Paired": levels_crossed,
    "Ratings": levels_crossed,
    "Comparisons": wins_of,
}
