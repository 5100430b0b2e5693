"""Clusters that stay with the table: its rows are read again, in blocks of whole clusters, where they are needed.

A design has one cell for each distinct row of the columns that play a part. With clusters among these columns there are
nearly as many cells as rows. A table that an engine reads lazily is therefore counted without its clusters. Sums by
cluster are made from blocks of rows, so that memory depends neither on rows nor on clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.tables import Counts, Table
from socialstats.tables.table import LARGEST, N, as_text, counts

BLOCK_ROWS = 600_000  # rows of whole clusters that are read at a time
LARGEST_LIST = 4_000_000  # possible rows of the columns up to which the cell of each is listed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Rows of whole clusters, by cell and cluster.

    Attributes
    ----------
    cell : (k,) int64 array
        Cells of the design.
    count, weight, weight_sq : (k,) float64 arrays
    codes : tuple of (k,) int64 arrays
        Cluster of each factor, 0, 1, ... within this part.
    levels : tuple of arrays
        Values of the clusters, as the engine holds them.
    """

    cell: IntArray
    count: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    codes: tuple[IntArray, ...]
    levels: tuple[AnyArray, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan:
    """The clusters of a design, in the table that it was counted from.

    Attributes
    ----------
    table : Table
    clusters : tuple of str
        Columns of the declared clusters.
    weight : str or None
    na : collection of str
        Texts that mean a missing weight.
    values : mapping of str to array
        Distinct values of each column that makes a cell, as the engine holds them.
    keys : (rows,) int64 array
        Distinct rows of these columns, each as one number, in ascending order.
    cell : (rows,) int64 array
        The design's cell of each; -1 where it is in none.
    """

    table: Table
    clusters: tuple[str, ...]
    weight: str | None
    na: Collection[str]
    values: Mapping[str, AnyArray]
    keys: IntArray
    cell: IntArray

    @classmethod
    def of(cls, table: Table, clusters: Sequence[str], counted: Counts, cell: IntArray, *, weight: str | None,
           na: Collection[str]) -> Scan:  # fmt: skip
        """Remember the cells of a table that was counted without its clusters.

        Parameters
        ----------
        counted : Counts
        cell : (rows of `counted`,) int64 array
        """
        values = {column: coded.values for column, coded in counted.columns.items()}
        keys = one_number([coded.codes for coded in counted.columns.values()], [len(v) for v in values.values()])
        order = np.argsort(keys)
        return cls(table=table, clusters=tuple(clusters), weight=weight, na=na, values=values, keys=keys[order],
                   cell=cell[order])  # fmt: skip

    def moved(self, cell: IntArray) -> Scan:
        """Return the scan of a design whose cells are others: `cell` is the new one of each old one, or -1."""
        return replace(self, cell=np.append(cell, -1)[self.cell])

    def taken(self, index: AnyArray, cells: int) -> Scan:
        """Return the scan of a design that has some of this one's cells (indexes, or a mask)."""
        new = np.full(cells, -1, dtype=np.int64)
        new[index] = np.arange(len(new[index]))
        return self.moved(new)

    def named(self, names: str | Sequence[str] | None) -> tuple[str, ...]:
        """Return the clusters among some names; all of them for ``"declared"``."""
        if names == "declared":
            return self.clusters
        wanted = (names,) if isinstance(names, str) else tuple(names or ())
        return tuple(name for name in wanted if name in self.clusters)

    def factors(self, names: str | Sequence[str] | None) -> tuple[Factor, ...]:
        """Return the clusters among some names as factors without codes and levels, which stay with the table."""
        return tuple(Factor(name=name, codes=np.zeros(0, dtype=np.int64), levels=()) for name in self.named(names))

    def finer(self, names: Sequence[str]) -> int:
        """Return which of some clusters has the most levels."""
        if len(names) == 1:
            return 0
        lazy: Any = self.table.frame.select(*(nw.col(name).n_unique() for name in names))
        found = lazy.collect()
        return int(np.argmax([found.get_column(name)[0] for name in names]))

    def parts(self, names: Sequence[str], factor: int = 0) -> Iterator[Part]:
        """Yield all rows by cell and cluster, in parts that hold the whole of each cluster of one of the factors."""
        column, sizes, found = names[factor], self._sizes(names[factor]), self._finder()
        rows, values = sizes.get_column(N).to_numpy(), sizes.get_column(column)
        starts = [0, *(np.flatnonzero(np.diff(np.cumsum(rows) // BLOCK_ROWS)) + 1).tolist(), len(rows)]
        for start, end in pairwise(starts):
            part = self.table.frame.filter(nw.col(column) >= values[start], nw.col(column) <= values[end - 1])
            grouped = int(rows[start:end].sum()) > 2 * BLOCK_ROWS  # a cluster that is larger than a block
            counted = counts(part, [*self.values, *names], self.weight, na=self.na, grouped=grouped)
            made = self._part(counted, names, found)
            if len(made.cell):
                yield made

    def _sizes(self, column: str) -> Any:
        """Return the values of a column and the rows of each, in the engine's order of values."""
        grouped: Any = self.table.frame.select(column).group_by(column).agg(nw.len().alias(N))
        return (grouped.collect() if isinstance(grouped, nw.LazyFrame) else grouped).sort(column)

    def ranks(self, column: str, at_most: int) -> float:
        """Return the sum over the clusters of their rows, of which at most some count."""
        return float(np.minimum(self._sizes(column).get_column(N).to_numpy(), at_most).sum())

    def _finder(self) -> Callable[[IntArray], IntArray]:
        """Return a function from rows of the columns, as numbers, to the design's cells."""
        size = math.prod(len(known) + 1 for known in self.values.values())
        if size > LARGEST_LIST:
            return lambda keys: self.cell[np.searchsorted(self.keys, keys)]
        listed = np.full(size, -1, dtype=np.int64)
        listed[self.keys] = self.cell
        return listed.__getitem__

    def _part(self, counted: Counts, names: Sequence[str], found: Callable[[IntArray], IntArray]) -> Part:
        codes = []
        for column, known in self.values.items():
            coded, place = counted.columns[column], {value: k for k, value in enumerate(known.tolist())}
            codes.append(
                np.array([*(place[value] for value in coded.values.tolist()), -1], dtype=np.int64)[coded.codes]
            )
        keys = one_number(codes, [len(known) for known in self.values.values()])
        cell = found(keys)
        used = cell >= 0
        clusters = [counted.columns[name] for name in names]
        dense = [np.unique(coded.codes[used], return_inverse=True) for coded in clusters]
        return Part(
            cell=cell[used], count=counted.n[used], weight=counted.weight[used], weight_sq=counted.weight_sq[used],
            codes=tuple(inverse.astype(np.int64) for _, inverse in dense),
            levels=tuple(coded.values[seen] for coded, (seen, _) in zip(clusters, dense, strict=True)),
        )  # fmt: skip

    def whole(self) -> tuple[Part, tuple[Factor, ...]]:
        """Return all rows as one part, and the clusters as factors: what a design of all columns holds."""
        parts = list(self.parts(self.clusters))
        factors = []
        for k, name in enumerate(self.clusters):
            texts = [[str(as_text(value)) for value in part.levels[k].tolist()] for part in parts]
            levels = tuple(sorted({text for some in texts for text in some}))
            place = {text: code for code, text in enumerate(levels)}
            codes = [np.array([place[text] for text in some], dtype=np.int64)[part.codes[k]]
                     for some, part in zip(texts, parts, strict=True)]  # fmt: skip
            factors.append(Factor(name=name, codes=np.concatenate(codes), levels=levels))
        cell = np.concatenate([part.cell for part in parts])
        count, weight, weight_sq = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("count", "weight", "weight_sq")
        )
        one = Part(cell=cell, count=count, weight=weight, weight_sq=weight_sq, codes=(), levels=())
        return one, tuple(factors)


def one_number(codes: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """Return one number for each row of several codes from -1, which `fits` a 64-bit integer."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key = key * (size + 1) + code + 1
    return key


def fits(counted: Counts) -> bool:
    """Whether each distinct row of some columns can be one number."""
    return bool(np.prod([float(len(coded.values) + 1) for coded in counted.columns.values()]) < LARGEST)


def stays(table: Table, clusters: Sequence[str], na: Collection[str]) -> bool:
    """Whether the clusters of a table stay with it: it is read lazily, and no row misses its clusters.

    Rows without a cluster are an error, or are left out, with their places: for that the table is read as a whole.
    """
    if not clusters or not isinstance(table.frame, nw.LazyFrame):
        return False
    schema = table.frame.select(*clusters).collect_schema()
    missing = nw.lit(False)
    for name in clusters:
        missing = missing | nw.col(name).is_null()
        if schema[name].is_float():
            missing = missing | nw.col(name).is_nan()
        elif schema[name] == nw.String:
            missing = missing | nw.col(name).is_in(sorted({"", *na}))
        elif not schema[name].is_integer():
            return False
    bad: Any = table.frame.filter(missing).select(nw.len().alias(N)).collect()
    return int(bad.get_column(N)[0]) == 0
