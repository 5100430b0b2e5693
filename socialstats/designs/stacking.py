"""Wide tables made long: columns of values below one another, in memory or by the engine that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import or_
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray
from socialstats.designs.aliases import Fields, Levels, Names, Texts, TextSet
from socialstats.designs.levels import categories
from socialstats.designs.options import texts
from socialstats.designs.parts import Read
from socialstats.errors import NothingToAnalyse
from socialstats.tables import Coded, DistinctRows, Table
from socialstats.tables.counting import WEIGHT_OK, coded_column
from socialstats.tables.lazy import ROW, asks, collected
from socialstats.tables.table import Stacked
from socialstats.text import listing, shorten

D = TypeVar("D", bound=Read)


# more than any number of a row: those of stacked columns lie as far apart
SPAN = 2**52


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
    levels: Levels | None


@asks
def make_long(table: Table, columns: Texts, keep: Texts, *, row: str | None, name: str) -> Long:
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
    label = "value" if len(columns) > 6 else listing([shorten(column, 30) for column in columns])
    value, which, numbered = (free_name([*keep, row or ""], text) for text in (label, name, "row"))
    kept = list(dict.fromkeys([*keep, *([row] if row else [])]))
    added = (which, value, "" if row else numbered)
    kind = _common_kind(table, columns)
    cells = None
    long: Any
    if kind is not None:
        rows = SPAN
        long = _stacked_lazily(table, columns, kept, added, kind)
    else:
        frame: Any = table.frame
        if table.lazy:
            frame = collected(frame.select(*dict.fromkeys([*columns, *kept])))
        stack = _Stack(frame, columns, kept, added, first=table.unit != "row")
        rows = stack.rows
        long = stack.frame
        cells = stack.cells(table.source) if rows and not row else None
    if not rows:
        raise NothingToAnalyse(f"{table.source} has no rows: there is nothing to analyse")

    kinds = {categories(table, column) for column in columns}
    stacked = Table(
        data=long,
        columns=(*kept, *([] if row else [numbered]), which, value),
        source=table.source,
        unit=table.unit,
        is_file=table.is_file,
        semicolons=table.semicolons,
        encoding=table.encoding,
        entries=table.entries,
        locate=partial(places_of_copies, table, rows),
        epsilons={value: max(table.epsilon(column) for column in columns)},
        stacked=Stacked(value, tuple(columns), rows),
    )
    if cells is not None:
        stacked.counted[frozenset(stacked.columns)] = cells
    levels = kinds.pop() if len(kinds) == 1 else None
    return Long(table=stacked, row=row or numbered, name=which, value=value, levels=levels)


def stack_values(table: Table, columns: Texts) -> Long:
    """Stack columns of one kind of answer; all other columns belong to the row."""
    of_rows = [name for name in (*table.columns, *table.index) if name not in columns]
    return make_long(table, columns, of_rows, row=None, name="column")


def several_values(
    table: Table, value: Names | None, repeat: Names | bool | None
) -> tuple[Table, Fields, str]:
    """Stack the columns of ``value=["a", "b"]`` as repeats of one answer, so that their mean is the value.

    Returns
    -------
    table : Table
        With a row for each value, where several columns hold values; else as it is.
    changed : dict
        The keywords that this changes.
    row : str
        The column that numbers the rows of the table; empty where nothing was stacked.

    Raises
    ------
    InputError
        For a name that no column has.
    """
    if value is None or isinstance(value, str):
        return table, {}, ""
    columns = list(dict.fromkeys(value))
    table.need(*columns)
    if len(columns) == 1:
        return table, {"value": columns[0]}, ""
    long = stack_values(table, columns)
    further = () if isinstance(repeat, bool) or repeat is None else texts(repeat)
    return long.table, {"value": long.value, "repeat": (*further, long.name)}, long.row


def values_were_read(design: D, table: Table) -> D:
    """Return a design whose flow begins with values, where the columns of a table were stacked."""
    if table.stacked is None:
        return design
    read, *steps = design.flow
    return replace(design, flow=(replace(read, label="values read"), *steps))


def _common_kind(table: Table, columns: Texts) -> nw.dtypes.DType | type[nw.dtypes.DType] | None:
    """Return the type that stacked columns of a lazy table have; None where its rows are to be read first."""
    if not table.lazy:
        return None
    schema = table.frame.collect_schema()
    kinds = [schema[column] for column in columns]
    if ROW not in schema:
        return None
    if len({*kinds}) == 1 and (kinds[0].is_numeric() or kinds[0] in (nw.String, nw.Boolean)):
        return kinds[0]
    return nw.Float64 if all(kind.is_numeric() or kind == nw.Boolean for kind in kinds) else None


def _stacked_lazily(
    table: Table, columns: Texts, kept: Texts, added: tuple[str, str, str], kind: Any
) -> nw.LazyFrame[Any]:
    """Return a lazy frame with a row for each value; `added` names the columns of what it is, the value, the row."""
    which, value, numbered = added
    frame: Any = table.frame
    row = nw.col(ROW).cast(nw.Int64)
    numbers = [(row + int(table.unit != "row")).alias(numbered)] if numbered else []
    parts = []
    for k, column in enumerate(columns):
        values = nw.col(column).cast(kind).alias(value)
        place = (row + k * SPAN).alias(ROW)
        parts.append(frame.select(*kept, *numbers, nw.lit(column).alias(which), values, place))
    stacked: nw.LazyFrame[Any] = nw.concat(parts)
    return stacked


class _Stack:
    """Columns in memory that stand one below the other; rows are numbered from 0, or from 1.

    Numbered rows make cells of one row each, so that most designs never need the frame.
    """

    def __init__(
        self, frame: Any, columns: Texts, keep: Texts, added: tuple[str, str, str], *, first: bool
    ) -> None:
        import pandas as pd

        self.columns = columns
        self.which, self.value, self.numbered = added
        self.rows = len(frame)
        self.values = pd.Series(_stacked(frame, columns))
        self.kept = {column: pd.Series(_array(frame.get_column(column))) for column in keep}
        self.numbers = np.arange(self.rows) + first
        self.of_column = np.repeat(np.arange(len(columns)), self.rows)

    def frame(self) -> nw.DataFrame[Any]:
        """Return the rows."""
        import pandas as pd

        times = len(self.columns)
        data: Fields = {
            column: np.tile(series.to_numpy(), times) for column, series in self.kept.items()
        }
        if self.numbered:
            data[self.numbered] = np.tile(self.numbers, times)
        data[self.which] = pd.Categorical.from_codes(
            self.of_column, categories=pd.Index([*self.columns])
        )
        return nw.from_native(pd.DataFrame(data | {self.value: self.values}), eager_only=True)

    def cells(self, source: str) -> DistinctRows:
        """Return the cells of all columns, a row each, in their order."""
        times = len(self.columns)
        columns = {}
        for name, series in self.kept.items():
            coded = coded_column(series, name, source)
            columns[name] = replace(coded, codes=np.tile(coded.codes, times))
        places = np.tile(np.arange(self.rows), times)
        columns[self.numbered] = Coded(codes=places, values=self.numbers)
        names = np.array(self.columns, dtype=object)
        columns[self.which] = Coded(codes=self.of_column, values=names)
        columns[self.value] = coded_column(self.values, self.value, source)
        ones = np.ones(len(places))
        status = np.full(len(places), WEIGHT_OK, dtype=np.int64)
        return DistinctRows(columns=columns, n=ones, weight=ones, weight_sq=ones, status=status)


def with_constant(table: Table, name_of_column: str, label: str) -> tuple[Table, str]:
    """Add a column that holds one label in every row; return its name as well."""
    name = free_name(table.columns, name_of_column)
    frame: Any = table.frame
    return replace(
        table, data=frame.with_columns(nw.lit(label).alias(name)), columns=(*table.columns, name)
    ), name


def places_of_copies(table: Table, rows: int, positions: Sequence[int]) -> list[int]:
    """Return the places in a table of rows that were made of its rows: one copy of all of them after the other."""
    places = table.places([position % rows for position in positions])
    return [places[position % rows] for position in positions]


def free_name(used: TextSet, name: str) -> str:
    """Return a name that no column has."""
    while name in used:
        name += "_"
    return name


def _array(series: nw.Series[Any]) -> AnyArray:
    """Return a column as numbers, or as objects."""
    if series.dtype.is_numeric():
        numbers: AnyArray = series.to_numpy()
        if numbers.dtype.kind in "fiu":
            return numbers
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _stacked(frame: Any, columns: Texts) -> AnyArray:
    """Stack columns; where some are numbers, truth values are 0 and 1."""
    series = [frame.get_column(column) for column in columns]
    arrays = [_array(column) for column in series]
    truth = [column.dtype == nw.Boolean for column in series]
    numbers = [array.dtype != object for array in arrays]
    if not all(truth) and all(map(or_, truth, numbers)):
        arrays = [
            np.array(array, dtype=np.float64) if of_truth else array
            for array, of_truth in zip(arrays, truth, strict=True)
        ]
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)
