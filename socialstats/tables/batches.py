"""The rows of a table in batches, as codes into values that are known: nothing of the size of the table is held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, IntArray
from socialstats.tables.lazy import TIMES, Frame

BATCH_ROWS = 100_000  # rows that an engine is asked for at a time


def batches(frame: Frame, columns: Sequence[str]) -> Iterator[Any]:
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
    if hasattr(native, "collect_batches"):
        for part in native.collect_batches(chunk_size=BATCH_ROWS, maintain_order=False):
            yield from part.to_arrow().to_batches()
        return
    if not hasattr(native, "__arrow_c_stream__") and isinstance(chosen, nw.LazyFrame):
        names = list(dict.fromkeys(columns))
        cells: Any = chosen.group_by(*names).agg(nw.len().alias(TIMES)).collect().to_arrow()
        for start in range(0, cells.num_rows, BATCH_ROWS):
            part = cells.slice(start, BATCH_ROWS).combine_chunks()
            times = part.column(TIMES).to_numpy()
            yield from part.select(names).take(np.repeat(np.arange(len(times)), times)).to_batches()
        return
    if not hasattr(native, "__arrow_c_stream__"):
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
        import pandas as pd

        numbers = values if values.dtype.kind in "iu" else values.tolist()
        self._index: Any = pd.Index(numbers)

    def of(self, column: Any) -> IntArray:
        """Return the places of the values of an arrow array; -1 where a value is missing or not in the list."""
        import pyarrow as pa

        if pa.types.is_integer(column.type) and not column.null_count:
            return np.asarray(self._index.get_indexer(column.to_numpy(zero_copy_only=False)), dtype=np.int64)
        indices, values = encoded(column)
        places = np.asarray(self._index.get_indexer(values), dtype=np.int64) if len(values) else np.zeros(0, np.int64)
        return np.append(places, -1)[indices]


def encoded(column: Any) -> tuple[IntArray, list[Any]]:
    """Return the codes of an arrow array, -1 where a value is missing, and its distinct values."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    indices = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return indices, column.dictionary.to_pylist()
