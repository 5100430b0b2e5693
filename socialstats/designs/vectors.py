"""Vectors and square arrays of counts at the start of a call, as scipy, statsmodels and R take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from socialstats.designs.aliases import Fields
from socialstats.designs.calls import keywords
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.contrasts_reading import vector
from socialstats.designs.groups import Groups
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import square_counts, win_counts
from socialstats.errors import InputError
from socialstats.text import listing
from socialstats.voice import option

ARRAYS = ("ndarray", "Series", "Index", "Categorical")  # an attribute of a relation of DuckDB may be a query
LISTS = ("unit", "cluster", "strata", "raters", "units", "columns", "ranks")  # keywords that may be several columns
OF_SQUARES = ("levels", "scale")  # keywords that go with a square array
COLUMNS = ("unit", "cluster", "by", "count", "weight")  # keywords that may be a vector, with one value per row


def from_vectors(
    args: Sequence[Any], given: Mapping[str, Any], readers: Sequence[Any], name: str, square: bool = True
) -> tuple[list[Any], Fields]:
    """Return a call with vectors as a call with one table, and a square array of counts as a design.

    Parameters
    ----------
    args, given
        Of the call. Two vectors are pairs or two samples; one or more are raters; three are the two items of each
        comparison and its winner. A square array counts pairs, or wins of the row's item over the column's, and a
        crosstab with names on both sides the values of groups. Tuples of two are winners and losers. Keywords of
        `COLUMNS` may be vectors too.
    readers : sequence of type or callable
        As for `as_design`.
    name : str
        The function that was called, for messages.
    square : bool
        Whether a square array without labels is one of counts; a data frame with the same labels on both sides is.

    Raises
    ------
    InputError
        For vectors of different lengths, series with different indexes, and two vectors where it is open whether they
        are pairs.

    Examples
    --------
    >>> args, given = from_vectors([[3, 4], [5, 4]], {}, [Paired], "f()")
    >>> args, given["first"], given["second"]
    ([{'first': [3, 4], 'second': [5, 4]}], 'first', 'second')
    >>> from_vectors([[[44, 5], [7, 19]]], {}, [Paired], "f()")[0][0].n_pairs
    75
    >>> from_vectors([[("x", "y"), ("z", "x")]], {}, [Comparisons], "f()")[0]
    [{'item_a': ['x', 'z'], 'item_b': ['y', 'x'], 'winner': ['x', 'z']}]
    """
    args, given = list(args), dict(given)
    kinds = [reader for reader in readers if reader in TABLES]
    if not args or not kinds:
        return args, given
    vectors = leading_vectors(args)
    rest = args[max(1, len(vectors)) :]
    if len(vectors) < 2 and not (vectors and kinds == [*readers] == [Ratings]):
        counted = kinds[0] in SQUARES and (is_square(args[0]) if square else is_crosstab(args[0]))
        if counted and not {key for kind in kinds for key in keywords(kind)}.difference(OF_SQUARES).intersection(given):
            of_squares: Fields = {key: given.pop(key) for key in OF_SQUARES if key in given}
            return [SQUARES[kinds[0]](args[0], of_squares, name), *rest], given
        if kinds == [Groups] and names_both_sides(args[0]) and not {"group", "value", "count"} & {*given}:
            table, named = cells_of(args[0])
            return [table, *rest], {**named, **given}
        if kinds != [Comparisons] or is_square(args[0]) or not is_rows(args[0]):
            if kinds == [*readers] and "raters_in" not in given:
                refuse_array(args[0], kinds[0] is Ratings, name)
            return args, given
        vectors = [list(column) for column in zip(*args[0], strict=True)]
        vectors = vectors if len(vectors) == 3 else [*vectors, vectors[0]]
    if len(kinds) > 1:
        raise InputError(
            f"{name}: two vectors may be pairs or two samples. Say which: ss.Paired.from_wide({{'first': x, "
            "'second': y}, first='first', second='second') or ss.Groups.from_samples(x, y)"
        )
    table, named = TABLES[kinds[0]](vectors, name)
    contradicted = [key for key in named if key in given]
    if contradicted:
        raise InputError(
            f"{name}: {listing([option(key) for key in contradicted])} names columns, and vectors have none. "
            "Leave it out, or pass a table"
        )
    rows = len(next(iter(table.values())))
    for key in COLUMNS:
        if is_vector(given.get(key)):
            table[key] = values_of(given[key], key)
            if len(table[key]) != rows:
                raise InputError(f"{name}: {key}= has {len(table[key])} values for {rows} rows")
            if kinds != [Groups]:
                aligned([vectors[0], given[key]], name)
            given[key] = key
    return [table, *rest], {**given, **named}


def is_vector(data: Any) -> bool:
    """Whether something is a sequence of single values."""
    if isinstance(data, (list, tuple)):
        return all(isinstance(x, str) or np.ndim(x) == 0 for x in data[:100])
    return type(data).__name__ in ARRAYS and len(data.shape) == 1


def refuse_array(data: Any, rated: bool, name: str) -> None:
    """Refuse an array of rows and columns, of which packages read the one or the other as raters.

    Raises
    ------
    InputError
        With the ways to pass it.
    """
    nested = isinstance(data, (list, tuple)) and data and all(isinstance(row, (list, tuple)) for row in data)
    if nested or (isinstance(data, np.ndarray) and data.ndim == 2):
        ways = f"a data frame ({option('count')} names a column of counts), or vectors"
        if rated:
            either = f"{option('raters_in', 'columns')} or {option('raters_in', 'rows')}"
            ways = f"{either}; counts of levels are a data frame with {option('columns')}"
        shape = f"{len(data)} rows and {len(data[0])} columns"
        raise InputError(f"{name}: an array of {shape} does not say what they are. Pass {ways}")


def leading_vectors(args: Sequence[Any]) -> list[Any]:
    """Return the vectors before the first argument that is none."""
    end = next((k for k, data in enumerate(args) if not is_vector(data)), len(args))
    return list(args[:end])


def is_rows(data: Any) -> bool:
    """Whether something is a list of rows, or an array, of winner and loser, or of two items and the winner."""
    if isinstance(data, np.ndarray):
        return data.ndim == 2 and data.shape[1] in (2, 3)
    rows = isinstance(data, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in data)
    return rows and {len(row) for row in data} in ({2}, {3})


def values_of(data: Any, name: str) -> list[Any]:
    """Return a vector as a list."""
    return list(vector(data, name))


def aligned(vectors: Sequence[Any], name: str) -> list[list[Any]]:
    """Return vectors whose values belong together by position.

    Raises
    ------
    InputError
        For other lengths, and for series whose indexes differ: pandas would align them.

    Examples
    --------
    >>> aligned([pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0])], "f()")
    Traceback (most recent call last):
    socialstats.errors.InputError: f(): two of the vectors have different indexes. ...
    """
    lengths = [len(data) for data in vectors]
    if len(set(lengths)) > 1:
        sizes = listing([str(length) for length in lengths])
        raise InputError(
            f"{name}: the vectors have {sizes} values. Values that belong together stand at the same place of each"
        )
    series = [data.index for data in vectors if isinstance(data, pd.Series)]
    for index in series[1:]:
        if not index.equals(series[0]):
            raise InputError(
                f"{name}: two of the vectors have different indexes. Put them in the same order, "
                "and pass their values (.to_numpy()), or pass a table"
            )
    return [values_of(data, name) for data in vectors]


def names_of(vectors: Sequence[Any], defaults: Sequence[str]) -> list[str]:
    """Return the names of series, where they all have one of their own, else the defaults."""
    names = [getattr(data, "name", None) for data in vectors]
    texts = [name for name in names if isinstance(name, str)]
    return texts if len({*texts, *COLUMNS}) == len(vectors) + len(COLUMNS) else list(defaults)


def pairs(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return two vectors as a table with one row per pair."""
    need_two(vectors, name)
    first, second = names_of(vectors, ("first", "second"))
    table = dict(zip((first, second), aligned(vectors, name), strict=True))
    return table, {"first": first, "second": second}


def samples(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return two samples as a table with one row per unit."""
    need_two(vectors, name)
    groups = names_of(vectors, ("first", "second"))
    lists = [values_of(data, name) for data in vectors]
    labels = [group for group, values in zip(groups, lists, strict=True) for _ in values]
    table = {"group": labels, "value": [*lists[0], *lists[1]]}
    return table, {"group": "group", "value": "value", "groups": groups}


def raters(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return the vectors of raters as a table with one row per unit."""
    names = names_of(vectors, [f"rater {k + 1}" for k in range(len(vectors))])
    return dict(zip(names, aligned(vectors, name), strict=True)), {"raters": names}


def contests(vectors: Sequence[Any], name: str) -> tuple[Fields, Fields]:
    """Return three vectors as a table with one row per comparison."""
    if len(vectors) != 3:
        raise InputError(f"{name} takes three vectors: the two items of each comparison and its winner, not "
                         f"{len(vectors)}")  # fmt: skip
    keys = ("item_a", "item_b", "winner")
    return dict(zip(keys, aligned(vectors, name), strict=True)), {key: key for key in keys}


def need_two(vectors: Sequence[Any], name: str) -> None:
    """Refuse another number of vectors."""
    if len(vectors) != 2:
        raise InputError(f"{name} takes two vectors, not {len(vectors)}. Pass a table")


TABLES: Mapping[Any, Callable[[Sequence[Any], str], tuple[Fields, Fields]]] = {
    Paired: pairs,
    Groups: samples,
    Ratings: raters,
    Comparisons: contests,
}


def is_square(data: Any) -> bool:
    """Whether something is a square array, a list of rows as long as itself, or a cross-tabulation."""
    if isinstance(data, np.ndarray):
        return data.ndim == 2 and data.shape[0] == data.shape[1] > 1
    rows = isinstance(data, (list, tuple)) and all(isinstance(row, (list, np.ndarray)) for row in data)
    return is_crosstab(data) or (rows and len(data) > 1 and all(len(row) == len(data) for row in data))


def is_crosstab(data: Any) -> bool:
    """Whether something is a data frame with the same labels on both sides, or a crosstab that lacks some of them."""
    if not isinstance(data, pd.DataFrame) or not data.size:
        return False
    square = data.shape[0] == data.shape[1] > 1 and list(data.index) == list(data.columns)
    return square or (names_both_sides(data) and bool(data.index.isin(data.columns).any()))


def names_both_sides(data: Any) -> bool:
    """Whether something is a data frame whose rows and columns have names, as pandas' crosstab gives them."""
    return isinstance(data, pd.DataFrame) and data.index.name is not None and data.columns.name is not None


def cells_of(data: pd.DataFrame) -> tuple[Fields, Fields]:
    """Return a cross-tabulation of groups by their values as a table with a row for each cell.

    Examples
    --------
    >>> arm, passed = pd.Series(["new", "new", "old"], name="arm"), pd.Series([1, 0, 1], name="passed")
    >>> cells_of(pd.crosstab(arm, passed))[0]
    {'arm': ['new', 'new', 'old', 'old'], 'passed': [0, 1, 0, 1], 'cells': [1, 1, 0, 1]}
    """
    group, value = str(data.index.name), str(data.columns.name)
    rows, columns = [*data.index], [*data.columns]
    table = {group: [row for row in rows for _ in columns], value: columns * len(rows)}
    return {**table, "cells": data.to_numpy().ravel().tolist()}, {"group": group, "value": value, "count": "cells"}


def squared(data: Any) -> Any:
    """Return a cross-tabulation with all labels on both sides; anything else as it is.

    Examples
    --------
    >>> squared(pd.crosstab(pd.Series([1, 2, 3]), pd.Series([1, 2, 2]))).to_numpy().tolist()
    [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    """
    if not isinstance(data, pd.DataFrame):
        return data
    labels = [*data.index, *data.columns.difference(data.index, sort=False)]
    if len(labels) > min(data.shape):
        labels = sorted(labels, key=lambda label: (isinstance(label, str), label))
        data = data.reindex(index=labels, columns=labels, fill_value=0)
    return data


def wins_of(data: Any, options: Fields, name: str) -> Comparisons:
    """Return the comparisons of a square array of wins: the row's item won, or lost where the index is called so.

    Raises
    ------
    InputError
        For cells that are no counts, and an item that won over itself.

    Examples
    --------
    >>> wins_of([[0, 3], [2, 0]], {}, "f()").items
    ('1', '2')
    """
    data = squared(data)
    frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    cells = frame.to_numpy(dtype=object, copy=True)
    cells[np.eye(len(cells), dtype=bool) & frame.isna().to_numpy()] = 0  # nobody meets himself
    named = [*map(str, frame.index)] if frame is data else options.get("levels")
    labels, counts, _ = square_counts(cells, named, start=1, source=name, vectors="three vectors")
    alone = [label for label, won in zip(labels, counts.diagonal(), strict=True) if won]
    if alone:
        raise InputError(f"{name}: items cannot win over themselves, and {listing(alone)} did. Set the diagonal to 0")
    wins = win_counts(pd.DataFrame(counts, index=list(labels), columns=list(labels)), str(frame.index.name or ""))
    return replace(Comparisons.from_counts(wins, source="table"), columns={})


SQUARES: Mapping[Any, Callable[[Any, Fields, str], Any]] = {
    Paired: lambda data, options, _: Paired.from_table(squared(data), **options),
    Ratings: lambda data, options, _: Ratings.from_table(squared(data), **options),
    Comparisons: wins_of,
}


def by_text(data: Any, columns: Mapping[str, Any]) -> Fields:
    """Return the keywords of a table whose columns are called 0, 1, ... with these names as text.

    Examples
    --------
    >>> by_text(pd.DataFrame([[1, 2]]), {"first": 1, "second": 0, "raters": [0, 1], "levels": [0, 1]})
    {'first': '1', 'second': '0', 'raters': ['0', '1'], 'levels': [0, 1]}
    """
    labels: list[Any] = [*data.columns] if isinstance(data, pd.DataFrame) else []
    numbers = {name for name in labels if isinstance(name, int)}
    out = dict(columns)
    for key, value in columns.items():
        if type(value) is int and value in numbers:
            out[key] = str(value)
        elif numbers and value and key in LISTS and isinstance(value, (list, tuple)) and numbers.issuperset(value):
            out[key] = [str(name) for name in value]
    return out
