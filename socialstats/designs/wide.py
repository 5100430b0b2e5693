"""Wide tables made long: several columns of values become one, and every value keeps its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray
from socialstats.designs.levels import categories
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import Table
from socialstats.text import listing, shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class Long:
    """A wide table made long.

    Attributes
    ----------
    table : Table
        Its lines are those of the wide table.
    row, name, value : str
        Columns: what the row stands for, which column the value came from, the value.
    levels : tuple of str or None
        The order that all columns' type declares.
    """

    table: Table
    row: str
    name: str
    value: str
    levels: tuple[str, ...] | None


def make_long(table: Table, columns: Sequence[str], keep: Sequence[str], *, row: str | None, name: str) -> Long:
    """Stack some columns of a table.

    Parameters
    ----------
    table : Table
    columns : sequence of str
        Columns of values.
    keep : sequence of str
        Columns that belong to the row.
    row : str, optional
        Column that names the rows; by default they are numbered as messages do (data frames from 0, files from 1).
    name : str
        What the columns are (condition, rater, unit).
    """
    import pandas as pd

    wanted = list(dict.fromkeys([*columns, *keep, *([row] if row else [])]))
    chosen: Any = table.frame.select(*wanted)
    frame = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
    rows, times = len(frame), len(columns)
    if not rows:
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")
    label = "value" if len(columns) > 6 else listing([shorten(column, 30) for column in columns])
    value, which, numbered = (_free(text, [*keep, row or ""]) for text in (label, name, "row"))
    data = {column: np.tile(_array(frame, column), times) for column in dict.fromkeys([*keep, *([row] if row else [])])}
    if row is None:
        data[numbered] = np.tile(np.arange(rows) + (table.unit != "row"), times)
    codes = np.repeat(np.arange(times), rows).astype(np.int64)
    long = pd.DataFrame(
        data
        | {which: pd.Categorical.from_codes(codes, categories=pd.Index([*columns])), value: _stacked(frame, columns)}
    )

    def locate(positions: Sequence[int]) -> list[int]:
        places = table.places([position % rows for position in positions])
        return [places[position % rows] for position in positions]

    kinds = {categories(table, column) for column in columns}
    made = Table(
        frame=nw.from_native(long), columns=tuple(long.columns), source=table.source, unit=table.unit,
        is_file=table.is_file, semicolons=table.semicolons, locate=locate,
        epsilons={value: max(table.epsilon(column) for column in columns)},
    )  # fmt: skip
    levels = kinds.pop() if len(kinds) == 1 else None
    return Long(table=made, row=row or numbered, name=which, value=value, levels=levels)


def _free(wanted: str, taken: Sequence[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def _array(frame: Any, column: str) -> AnyArray:
    """Return a column as numbers, or as objects."""
    series = frame.get_column(column)
    if series.dtype.is_numeric():
        numbers: AnyArray = series.to_numpy()
        if numbers.dtype.kind in "fiu":
            return numbers
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _stacked(frame: Any, columns: Sequence[str]) -> AnyArray:
    """Put columns below each other; where some are numbers, truth values are 0 and 1."""
    arrays = [_array(frame, column) for column in columns]
    truth = [frame.get_column(column).dtype == nw.Boolean for column in columns]
    plain = all(one or array.dtype != object for array, one in zip(arrays, truth, strict=True))
    if plain and any(truth) and not all(truth):
        arrays = [np.array(array, dtype=np.float64) if one else array for array, one in zip(arrays, truth, strict=True)]
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)


def as_named(data: Any, prefix: str = "") -> Any:
    """Return a 2-D array as a data frame with columns ``1``, ``2``, ...; anything else as it is.

    Raises
    ------
    InputError
        For arrays of other shapes.
    """
    if isinstance(data, (list, tuple)):
        data = np.array(data, dtype=object)
    if not isinstance(data, np.ndarray):
        return data
    if data.ndim != 2:
        raise InputError(f"a 2-D array is needed, not one of shape {data.shape}. Pass a data frame, or a 2-D array")
    import pandas as pd

    width = len(str(data.shape[1]))
    return pd.DataFrame(data, columns=[f"{prefix}{k + 1:0{width}d}" for k in range(data.shape[1])])
