"""Distinct rows of some columns: how often each occurs, and with what weight, by any engine."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.tables.aliases import Texts
from socialstats.tables.batches import encoded, numbers_of_arrow
from socialstats.tables.labels import (
    Coded,
    as_number,
    is_nested,
    label_text,
    no_labels,
    refuse_no_labels,
)
from socialstats.tables.lazy import Frame, collected, group_rows

if TYPE_CHECKING:
    import pandas as pd

WEIGHT_OK, WEIGHT_ZERO, WEIGHT_MISSING, WEIGHT_NEGATIVE, WEIGHT_NO_NUMBER, WEIGHT_EXTREME = (
    0,
    1,
    2,
    3,
    4,
    5,
)
# products of three weights are floats
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100
LARGEST = 2**62
# how R's integer NA reads where a file or engine does not know it
R_INTEGER_NA = -(2**31)
N, SUM, SUM_SQ, STATUS = (
    "socialstats rows",
    "socialstats sum",
    "socialstats sum of squares",
    "socialstats status",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistinctRows:
    """Distinct rows of some columns.

    Attributes
    ----------
    columns : mapping of str to Coded
        One a key column, over the cells.
    n : (cells,) float64 array
        Rows in the cell.
    weight, weight_sq : (cells,) float64 arrays
        Sum of the rows' weights and of their squares; both equal `n` without weights, and 0 in cells whose
        weights cannot be used.
    status : (cells,) int64 array
        ``WEIGHT_OK``, ``WEIGHT_ZERO``, ``WEIGHT_MISSING``, ``WEIGHT_NEGATIVE``, ``WEIGHT_NO_NUMBER`` (text, infinite)
        or ``WEIGHT_EXTREME`` (below 1e-100, above 1e100): rows of different status are never in one cell.
    """

    columns: Mapping[str, Coded]
    n: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    status: IntArray


def counts(
    frame: Frame,
    keys: Texts,
    weight: str | None = None,
    *,
    na: Collection[str] = (),
    source: str = "",
    grouped: bool = True,
) -> DistinctRows:
    """Count the distinct rows of the key columns.

    Parameters
    ----------
    frame : narwhals DataFrame or LazyFrame
    keys : sequence of str
        Columns that make a cell.
    weight : str, optional
        Column of row weights, summed and checked in the same pass when it is numeric. A text column (from a csv
        file) is one more key: its distinct values are parsed, not its rows.
    na : collection of str
        Texts that mean a missing weight.
    source : str
        Named in errors.
    grouped : bool
        False: an engine that is not pandas returns equal rows as cells of their own, where few rows are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = counts(nw.from_native(pd.DataFrame({"x": ["u", "v", "u"]})), ["x"])
    >>> cells.columns["x"].values.tolist(), cells.n.tolist()
    (['u', 'v'], [2.0, 1.0])
    """
    keys = list(dict.fromkeys(keys))
    text_weight = (
        weight is not None and not frame.select(weight).collect_schema()[weight].is_numeric()
    )
    if weight is not None and text_weight:
        keys = list(dict.fromkeys([*keys, weight]))
    summed = None if text_weight else weight
    if frame.implementation.is_pandas():
        cells = _count_pandas(nw.to_native(frame), keys, summed, source)
    else:
        cells = _count_narwhals(frame, keys, summed, source, grouped=grouped)
    return _parse_weights(cells, weight, na) if weight is not None and text_weight else cells


def _count_pandas(
    frame: pd.DataFrame, keys: Texts, weight: str | None, source: str
) -> DistinctRows:
    """Count by combining the columns' codes in mixed radix, re-coded whenever the radix would overflow."""
    combined = _Radix(len(frame))
    values: dict[str, AnyArray] = {}
    for key in keys:
        codes, values[key] = _factorise(frame[key], key, source)
        combined.push(key, codes, len(values[key]) + 1)
    numbers = None
    if weight is not None:
        numbers = frame[weight].to_numpy(dtype=np.float64, na_value=np.nan)
        status = weight_status(numbers)
        if status.any():
            numbers = np.where(status > WEIGHT_ZERO, 0.0, numbers)
            combined.push(STATUS, status - 1, WEIGHT_EXTREME + 1)
    n, cell_of_row, cells = combined.finish(each_row=numbers is not None)
    size = len(n)
    w = w2 = n
    if numbers is not None and cell_of_row is not None:
        w, w2 = (
            np.bincount(cell_of_row, weights=x, minlength=size).astype(float)
            for x in (numbers, numbers**2)
        )
    state = cells.pop(STATUS) + 1 if STATUS in cells else np.zeros(size, dtype=np.int64)
    columns = {key: Coded(codes=cells[key], values=values[key]) for key in keys}
    return DistinctRows(columns=columns, n=n, weight=w, weight_sq=w2, status=state)


class _Radix:
    """Several code columns (each from -1) as one integer a row, and back."""

    def __init__(self, rows: int) -> None:
        self.key: IntArray = np.zeros(rows, dtype=np.int64)
        self.size = 1
        self.stages: list[tuple[IntArray | None, list[tuple[str, int]]]] = [(None, [])]

    def push(self, name: str, codes: IntArray, size: int) -> None:
        import pandas as pd

        # the next product would not fit 64 bits: only keys that occur are numbered on
        if self.size > LARGEST // size:
            self.key, occurring = pd.factorize(self.key)
            self.size = len(occurring)
            self.stages.append((occurring, []))
        self.key *= size
        self.key += codes
        self.key += 1
        self.size *= size
        self.stages[-1][1].append((name, size))

    def finish(self, *, each_row: bool) -> tuple[FloatArray, IntArray | None, dict[str, IntArray]]:
        """Return the rows of each cell, the cell of each row if asked for, and each column's codes over the cells.

        Where the possible keys are no more than the rows, they are counted in place of being hashed.
        """
        import pandas as pd

        key, cell_of_row = self.key, None
        # no more possible keys than rows: each has a place of its own, and nothing is looked up
        if self.size <= len(key):
            every = np.bincount(key, minlength=self.size)
            remainder = np.flatnonzero(every)
            n = every[remainder].astype(np.float64)
            if each_row:
                cell_of_row = (np.cumsum(every > 0) - 1)[key]
        else:
            cell_of_row, remainder = pd.factorize(key)
            n = np.bincount(cell_of_row, minlength=len(remainder)).astype(np.float64)
        codes: dict[str, IntArray] = {}
        for occurring, names in reversed(self.stages):
            for name, size in reversed(names):
                codes[name] = remainder % size - 1
                remainder = remainder // size
            if occurring is not None:
                remainder = occurring[remainder]
        return n, cell_of_row, codes


def coded_column(column: pd.Series[Any], key: str, source: str) -> Coded:
    """Return a column of pandas as codes into its distinct values.

    Raises
    ------
    InputError
        For values that are no labels.
    """
    codes, values = _factorise(column, key, source)
    return Coded(codes=codes, values=values)


def _factorise(column: pd.Series[Any], key: str, source: str) -> tuple[IntArray, AnyArray]:
    import pandas as pd

    # pandas has coded the labels already; -1 is missing there, too
    if isinstance(column.dtype, pd.CategoricalDtype):
        values = np.asarray(column.cat.categories)
        return column.cat.codes.to_numpy().astype(np.int64), values
    # Text held as Python objects factorises twice as fast as an object array than through its extension array.
    python_text = isinstance(column.dtype, pd.StringDtype) and column.dtype.storage == "python"
    data: Any = column.to_numpy(dtype=object) if python_text else column
    try:
        codes, distinct = pd.factorize(data)
    except TypeError as error:
        raise no_labels(source, key, str(error)) from error
    values = (
        np.asarray(distinct, dtype=object) if column.dtype.kind in "mM" else np.asarray(distinct)
    )
    if values.dtype == object:
        refuse_no_labels(values.tolist(), source, key)
    return codes.astype(np.int64, copy=False), values


def _count_narwhals(
    frame: Frame, keys: Texts, weight: str | None, source: str, *, grouped: bool
) -> DistinctRows:
    """Count with the engine's own group-by; only the cells leave the engine."""
    chosen: Any = frame.select(*dict.fromkeys([*keys, *([weight] if weight else [])]))
    schema = chosen.collect_schema()
    for key in keys:
        if is_nested(schema[key]):
            raise no_labels(source, key, str(schema[key]))
    texts = [k for k in keys if isinstance(schema[k], (nw.Categorical, nw.Enum))]
    if texts:
        chosen = chosen.with_columns(*(nw.col(key).cast(nw.String) for key in texts))
    by, sums = list(keys), [nw.len().alias(N)]
    if weight is not None:
        w = nw.col(weight).cast(nw.Float64)
        usable = nw.col(STATUS) <= WEIGHT_ZERO
        chosen = chosen.with_columns(_status_expression(w).alias(STATUS))
        chosen = chosen.with_columns(nw.when(usable).then(w).otherwise(nw.lit(0.0)).alias(SUM))
        chosen = chosen.with_columns((nw.col(SUM) * nw.col(SUM)).alias(SUM_SQ))
        by, sums = [*by, STATUS], [*sums, nw.col(SUM).sum(), nw.col(SUM_SQ).sum()]
    cells = collected(
        group_rows(chosen, by, *sums) if grouped else chosen.with_columns(nw.lit(1).alias(N))
    )
    n = _numbers_of(cells.get_column(N)).astype(np.float64)
    columns = {key: _code_cells(cells.get_column(key), source) for key in keys}
    w_sum, w_sq, state = n, n, np.zeros(len(n))
    if weight is not None:
        w_sum, w_sq, state = (
            _numbers_of(cells.get_column(name)).astype(float) for name in (SUM, SUM_SQ, STATUS)
        )
    return DistinctRows(
        columns=columns, n=n, weight=w_sum, weight_sq=w_sq, status=state.astype(np.int64)
    )


def weight_rules(w: Any, nan: Any) -> list[tuple[Any, int]]:
    """Return conditions on weights (of numpy or an engine) with their status; where several hold, the last one counts.

    Engines differ in how they compare NaN, so that the last condition tells it.
    """
    return [
        ((w < SMALLEST_WEIGHT) | (w > LARGEST_WEIGHT), WEIGHT_EXTREME),
        (w == 0, WEIGHT_ZERO),
        (w == math.inf, WEIGHT_NO_NUMBER),
        (w < 0, WEIGHT_NEGATIVE),
        # the last rule that holds wins
        (nan | (w == R_INTEGER_NA), WEIGHT_MISSING),
    ]


def _status_expression(w: nw.Expr) -> nw.Expr:
    status = nw.lit(WEIGHT_OK)
    for condition, state in [*weight_rules(w, w.is_nan()), (w.is_null(), WEIGHT_MISSING)]:
        status = nw.when(condition).then(nw.lit(state)).otherwise(status)
    return status


def _numbers_of(column: nw.Series[Any]) -> AnyArray:
    arrow = column.implementation is nw.Implementation.PYARROW and not column.null_count()
    return numbers_of_arrow(column.to_arrow()) if arrow else column.to_numpy()


def _code_cells(column: nw.Series[Any], source: str) -> Coded:
    if (
        column.implementation in (nw.Implementation.PYARROW, nw.Implementation.POLARS)
        and column.dtype == nw.String
    ):
        present = column.to_arrow()
        codes, texts = encoded(
            present.combine_chunks() if hasattr(present, "combine_chunks") else present
        )
        return Coded(codes=codes.astype(np.int64), values=np.array(texts, dtype=object))
    import pandas as pd

    plain = (column.dtype.is_integer() or column.dtype.is_float()) and not column.null_count()
    series = pd.Series(
        column.to_numpy() if plain else column.to_list(), dtype=None if plain else object
    )
    codes, values = _factorise(series, column.name, source)
    return Coded(codes=codes, values=values)


def weight_status(numbers: FloatArray) -> IntArray:
    """Classify weights: usable, zero, missing, negative, no finite number, or far from 1."""
    status = np.zeros(len(numbers), dtype=np.int64)
    for condition, state in weight_rules(numbers, np.isnan(numbers)):
        status[condition] = state
    return status


def text_weight(value: Any) -> tuple[float, int]:
    """Return a weight written as text, and its status.

    Examples
    --------
    >>> text_weight("2.5"), text_weight("-1"), text_weight("many"), text_weight("")
    ((2.5, 0), (0.0, 3), (0.0, 4), (0.0, 2))
    """
    text = label_text(value)
    if text is None:
        return 0.0, WEIGHT_MISSING
    number = as_number(text)
    if number is None:
        return 0.0, WEIGHT_NO_NUMBER if text != "-inf" else WEIGHT_NEGATIVE
    status = int(weight_status(np.array([number]))[0])
    return number if status == WEIGHT_OK else 0.0, status


def _parse_weights(cells: DistinctRows, weight: str, na: Collection[str]) -> DistinctRows:
    coded = cells.columns[weight]
    parsed = [
        *(text_weight("" if label_text(v) in na else v) for v in coded.values.tolist()),
        (0.0, WEIGHT_MISSING),
    ]
    w = np.array([value for value, _ in parsed])[coded.codes]
    status = np.array([state for _, state in parsed], dtype=np.int64)[coded.codes]
    return replace(cells, weight=w * cells.n, weight_sq=w**2 * cells.n, status=status)
