"""Covariates that stay with the table: its rows go through a temporary file, where cells would be as many as rows.

A number of its own in each row, such as a length, makes each row a cell. Such covariates make no cells. The table is
read once, and its rows are written to a temporary file: cell, weight, both sides of the covariates, clusters. Sums over
the rows are made from this file, of which a part is in memory at a time.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import IO, Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Pair
from socialstats.designs.parts import Factor
from socialstats.designs.scan import Scan, blocks
from socialstats.tables import Table
from socialstats.tables.batches import Places
from socialstats.tables.counting import R_INTEGER_NA
from socialstats.tables.labels import as_number
from socialstats.tables.lazy import asks, collected, height

MANY_VALUES = 10_000  # distinct rows of covariates, among the first rows of a table, from which they make no cells
FIRST_ROWS = 100_000
EAGER_ROWS = 1_000_000  # rows up to which a table that is in memory anyway is counted in cells
SPOOL_ROWS = 32_768  # rows of one part: what is computed from them stays in a processor's cache
SORTED_ROWS = 500_000  # rows of whole clusters that are sorted at a time
MOST_FILES = 256  # in which they wait


@asks
def continuous(table: Table, covariates: Mapping[str, Pair], items: Pair, na: Collection[str]) -> dict[str, Pair]:
    """Return the covariates that make no cells: numbers that differ in most rows, and of which no row misses any.

    Those that have one number for each item make no more cells. Rows that miss a number are an error, or are left out,
    with their places: for that all columns make cells.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> rows = {"item_a": ["x", "y"], "item_b": ["y", "z"], "n_a": [1, 2], "n_b": [3, 4]}
    >>> continuous(as_table(rows), {"n": ("n_a", "n_b")}, ("item_a", "item_b"), ())
    {}
    """
    frame = table.frame
    if not covariates or (not table.lazy and table.height < EAGER_ROWS):
        return {}
    schema: Any = frame.select(*{column for pair in covariates.values() for column in pair}).collect_schema()
    numeric = {name: pair for name, pair in covariates.items() if all(schema[column].is_numeric() for column in pair)}
    if not numeric:
        return {}
    columns = list(dict.fromkeys([*items, *(column for pair in covariates.values() for column in pair)]))
    first: Any = collected(frame.select(*columns).head(FIRST_ROWS))

    def distinct(*names: str) -> int:
        return len(first.select(*dict.fromkeys(names)).unique())

    of_items = {
        name
        for name, pair in covariates.items()
        if all(distinct(item, c) == distinct(item) for item, c in zip(items, pair, strict=True))
    }
    numeric = {name: pair for name, pair in numeric.items() if name not in of_items}
    stored: dict[str, Pair] = {}
    for name in sorted(numeric, key=lambda name: -distinct(*numeric[name])):
        rest = [c for other, pair in covariates.items() if other not in {*stored, *of_items} for c in pair]
        if distinct(*rest) < MANY_VALUES:
            break
        stored[name] = numeric[name]
    gone = nw.lit(False)
    codes = [R_INTEGER_NA, *(number for label in na if (number := as_number(label)) is not None)]
    for column in dict.fromkeys(c for pair in stored.values() for c in pair):
        value = nw.col(column).cast(nw.Float64)
        gone = gone | value.is_null() | value.is_nan() | ~value.is_finite()
        for code in codes:
            gone = gone | (value == code)
    return {} if stored and height(frame.filter(gone)) else stored


class Spool:
    """Rows of a table in a temporary file, each with its cell, weight, sides of covariates and clusters.

    Attributes
    ----------
    names : tuple of str
        The covariates.
    factors : tuple of Factor
        Clusters; those that stay with the table have no codes.
    sizes : list of int64 arrays
        Rows of each cluster of each factor.
    """

    def __init__(self, scan: Scan, names: Sequence[str], factors: Sequence[Factor] = ()) -> None:
        self.names, self.factors = tuple(names), tuple(factors)
        self._dtype = np.dtype(
            [
                ("cell", np.int32),
                ("weight", np.float64),
                ("sides", np.float64, (len(self.names), 2)),
                ("codes", np.int64, (len(self.factors),)),
            ]
        )
        self._stored = {
            factor.name: scan.rows([factor.name]) for factor in self.factors if factor.name in scan.clusters
        }
        places = {name: Places(rows.levels[0]) for name, rows in self._stored.items()}
        known = [self._stored[f.name].levels[0] if f.name in self._stored else f.levels for f in self.factors]
        self.sizes = [np.zeros(len(levels), dtype=np.int64) for levels in known]
        self._file = _File(self._dtype)
        for part in self._read(scan, places):
            for k, size in enumerate(self.sizes):
                size += np.bincount(part["codes"][:, k], minlength=len(size))
            self._file.write(part)

    def _read(self, scan: Scan, places: Mapping[str, Places]) -> Iterator[AnyArray]:
        pairs = [scan.covariates[name] for name in self.names]
        sides = [column for pair in pairs for column in pair]
        numbers = [nw.col(column).cast(nw.Float64) for column in dict.fromkeys(sides)]
        for batch, cell, w in scan.read([*sides, *places], numbers):
            part = np.zeros(len(cell), dtype=self._dtype)
            part["cell"], part["weight"] = cell, w if len(w) else 1.0
            for k, pair in enumerate(pairs):
                for side, column in enumerate(pair):
                    part["sides"][:, k, side] = batch.column(column).to_numpy(zero_copy_only=False)
            part["sides"] += 0.0  # no negative zero
            use = part["cell"] >= 0
            part = part if use.all() else part[use]
            for k, factor in enumerate(self.factors):
                places_of = places.get(factor.name)
                part["codes"][:, k] = (
                    factor.codes[part["cell"]] if places_of is None else places_of.of(batch.column(factor.name))[use]
                )
            yield part

    def texts(self, k: int) -> Sequence[str]:
        """Return the names of the clusters of a factor."""
        stored = self._stored.get(self.factors[k].name)
        return self.factors[k].levels if stored is None else stored.texts(0)

    def parts(self) -> Iterator[AnyArray]:
        """Yield all rows in parts."""
        return self._file.parts(SPOOL_ROWS)

    def by_cluster(self, factor: int) -> Iterator[AnyArray]:
        """Yield all rows in parts that hold the whole of each cluster of a factor, sorted by it."""
        edges = blocks(self.sizes[factor], max(SORTED_ROWS, int(self.sizes[factor].sum()) // MOST_FILES))
        block_of = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
        files = [self._file] if len(edges) == 2 else [_File(self._dtype) for _ in edges[1:]]
        if len(files) > 1:
            for part in self.parts():
                block = block_of[part["codes"][:, factor]]
                order = np.argsort(block, kind="stable")
                ends = np.cumsum(np.bincount(block, minlength=len(files)))
                for file, start, end in zip(files, [0, *ends.tolist()], ends.tolist(), strict=False):
                    file.write(part[order[start:end]])
        for file in files:
            held = file.whole()
            held = held[np.argsort(held["codes"][:, factor], kind="stable")]
            code = held["codes"][:, factor]
            first = np.append(np.flatnonzero(np.diff(code, prepend=-1)), len(code))
            for start, end in pairwise(first[blocks(np.diff(first), SPOOL_ROWS)].tolist()):
                if start < end:
                    yield held[start:end]

    def whole(self) -> AnyArray:
        """Return all rows in memory."""
        return self._file.whole()


class _File:
    """Rows in a file that is removed when nobody holds it."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype, self._rows = dtype, 0
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="socialstats")  # noqa: SIM115 - closed by the finalizer
        weakref.finalize(self, self._file.close)

    def write(self, rows: AnyArray) -> None:
        self._file.seek(0, 2)
        self._file.write(rows.tobytes())
        self._rows += len(rows)

    def parts(self, most: int) -> Iterator[AnyArray]:
        for start in range(0, self._rows, most):
            self._file.seek(start * self._dtype.itemsize)
            held = self._file.read(min(most, self._rows - start) * self._dtype.itemsize)
            yield np.frombuffer(held, dtype=self._dtype)

    def whole(self) -> AnyArray:
        return next(self.parts(max(self._rows, 1)), np.zeros(0, dtype=self._dtype))


def sides_of(rows: AnyArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return both sides of covariate k of some rows."""
    sides = rows["sides"][:, k]
    return np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1])


def used_levels(codes: IntArray, texts: Sequence[str]) -> tuple[IntArray, Levels]:
    """Return codes into the sorted names of the clusters that occur, and these names."""
    levels = tuple(sorted({texts[code] for code in np.unique(codes).tolist()}))
    place = {text: code for code, text in enumerate(levels)}
    return np.array([place.get(text, -1) for text in texts], dtype=np.int64)[codes], levels
