"""The rows of a table in batches, as codes into values that are known: nothing of the size of the table is held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.tables.aliases import Texts
from socialstats.tables.lazy import TIMES, Frame, collected, group_rows, smallest_and_largest

# rows that an engine is asked for at a time
BATCH_ROWS = 50_000
# whole numbers whose sums fit 64 bits
LARGEST = 2**62
# whole numbers from the smallest to the largest up to which each is listed
LARGEST_RANGE = 10_000_000


def batches(frame: Frame, columns: Texts) -> Iterator[Any]:
    """Yield the rows of some columns as pyarrow record batches, in the order in which the engine has them ready.

    Engines that give the stream of Arrow's C interface, and polars, hold no more than a few batches. Others, such as
    Spark, count the distinct rows, which alone are fetched; equal rows are then yielded together.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [batch.num_rows for batch in batches(nw.from_native(pa.table({"x": ["u", "v"], "y": [1, 2]})), ["x"])]
    [2]
    """
    import pyarrow as pa

    chosen: Any = frame.select(*dict.fromkeys(columns))
    native: Any = nw.to_native(chosen)
    # polars: the order of rows is of no account to sums
    if hasattr(native, "collect_batches"):
        for part in native.collect_batches(chunk_size=BATCH_ROWS, maintain_order=False):
            yield from part.to_arrow().to_batches()
        return
    # DuckDB: a million rows where nothing is said, and slow in small batches
    if hasattr(native, "to_arrow_reader"):
        native = native.to_arrow_reader(2 * BATCH_ROWS)
    elif not hasattr(native, "__arrow_c_stream__") and isinstance(chosen, nw.LazyFrame):
        names = chosen.collect_schema().names()
        cells: Any = chosen.group_by(*names).agg(nw.len().alias(TIMES)).collect().to_arrow()
        for start in range(0, cells.num_rows, BATCH_ROWS):
            part = cells.slice(start, BATCH_ROWS).combine_chunks()
            times = part.column(TIMES).to_numpy()
            # engines without a stream of rows count equal ones, which are written out again here
            yield from part.select(names).take(np.repeat(np.arange(len(times)), times)).to_batches()
        return
    elif not hasattr(native, "__arrow_c_stream__"):
        native = chosen.to_arrow()
    for batch in pa.RecordBatchReader.from_stream(native):
        for start in range(0, batch.num_rows, BATCH_ROWS):
            yield batch.slice(start, BATCH_ROWS)


class Places:
    """The place of each value in a list of distinct values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> Places(np.array(["u", "v"])).of(pa.array(["v", None, "u", "w"])).tolist()
    [1, -1, 0, -1]
    """

    def __init__(self, values: AnyArray) -> None:
        known = [] if values.dtype.kind in "iu" else values.tolist()
        self._whole = len(values) > 0 and all(
            type(value) is int and -LARGEST < value < LARGEST for value in known
        )
        self._place = {} if self._whole else {value: place for place, value in enumerate(known)}
        self._listed: IntArray | None = None
        if not self._whole:
            return
        numbers = values.astype(np.int64, copy=False)
        self._low, self._high = int(numbers.min()), int(numbers.max())
        if self._high - self._low < LARGEST_RANGE:
            self._listed = np.full(self._high - self._low + 1, -1, dtype=np.int32)
            self._listed[numbers - self._low] = np.arange(len(numbers), dtype=np.int32)
        else:
            self._order = np.argsort(numbers)
            self._numbers = numbers[self._order]

    def of(self, column: Any) -> IntArray:
        """Return the places of the values of an arrow array; -1 where a value is missing or not in the list."""
        import pyarrow as pa

        if not (self._whole and pa.types.is_integer(column.type)):
            indices, values = encoded(column)
            return np.array(
                [*(self._place.get(value, -1) for value in values), -1], dtype=np.int64
            )[indices]
        found, there = numbers_of_arrow(column).astype(np.int64, copy=False), valid(column)
        if self._listed is not None:
            known = (found >= self._low) & (found <= self._high)
            places = np.where(known, self._listed[np.where(known, found - self._low, 0)], -1)
        else:
            # numbers beyond the largest would be placed after the end
            at = np.minimum(np.searchsorted(self._numbers, found), len(self._numbers) - 1)
            places = np.where(self._numbers[at] == found, self._order[at], -1)
        return np.where(there, places, -1)


def numbers_of_arrow(column: Any) -> AnyArray:
    """Return the numbers of an arrow array, any ones where they are missing; `to_numpy` would import pandas, 30 MB.

    Examples
    --------
    >>> import pyarrow as pa
    >>> numbers_of_arrow(pa.array([1, 2, 3])[1:]).tolist()
    [2, 3]
    """
    kind = column.type.to_pandas_dtype()
    validity = column.buffers()[1] if len(column) else b""
    return np.frombuffer(validity, dtype=kind)[column.offset :][: len(column)]


def valid(column: Any) -> Any:
    """Return where an arrow array has values; True where it has no missing one."""
    return numbers_of_arrow(column.is_valid().cast("int8")) > 0 if column.null_count else True


def count_values(frame: Frame, column: str) -> tuple[AnyArray, IntArray]:
    """Return the distinct values of a column without missing ones, in ascending order, and the rows of each.

    Whole numbers that lie close together are counted in batches of the rows, anything else by the engine.

    Examples
    --------
    >>> import pyarrow as pa
    >>> [part.tolist() for part in count_values(nw.from_native(pa.table({"x": [7, 9, 7]})), "x")]
    [[7, 9], [2, 1]]
    """
    chosen: Any = frame.select(column)
    if chosen.collect_schema()[column].is_integer():
        low, high = smallest_and_largest(chosen, column)
        if high is not None and high - low < LARGEST_RANGE and high < LARGEST:
            n = np.zeros(high - low + 1, dtype=np.int64)
            for batch in batches(frame, [column]):
                np.add.at(
                    n, numbers_of_arrow(batch.column(column).drop_null()).astype(np.int64) - low, 1
                )
            used = np.flatnonzero(n)
            n = n[used]
            used += low
            return used, n
    found = collected(group_rows(chosen, [column], nw.len().alias(TIMES))).sort(column)
    values = found.get_column(column)
    known = values.to_numpy() if values.dtype.is_integer() else np.array(values.to_list(), object)
    return known, found.get_column(TIMES).to_numpy().astype(np.int64)


def encoded(column: Any) -> tuple[IntArray, list[Any]]:
    """Return the codes of an arrow array, -1 where a value is missing, and its distinct values."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = np.where(
        valid(column.indices), numbers_of_arrow(column.indices).astype(np.int32, copy=False), -1
    )
    return indices, column.dictionary.to_pylist()
