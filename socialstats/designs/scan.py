"""Clusters that stay with the table: its rows are read again, as pairs of a cell and a cluster, where they are needed.

A design has one cell for each distinct row of the columns that play a part. With clusters among these columns there are
nearly as many cells as rows. A table that an engine reads lazily is therefore counted without its clusters. Sums by
cluster are made from its rows, each of which is one number: its clusters and its cell. Equal ones are counted. Where
there are more than `HELD` of them, the table is read several times, each time for a part of the clusters. Of a single
factor without weights, the cells alone are held, in the place of their cluster (`Placed`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Names, Pair
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.tables import Counts, Table
from socialstats.tables.batches import BATCH_ROWS, Places, batches, counted, encoded
from socialstats.tables.counting import LARGEST, N, text_weight
from socialstats.tables.labels import as_text
from socialstats.tables.lazy import FIRST, TIMES, asks, collected, engine, group_rows, height
from socialstats.text import quoted

BLOCK_ROWS = 60_000  # rows of whole clusters in one part
HELD = 20_000_000  # distinct rows, as numbers of 8 bytes, that are held at a time; twice as many of 4 bytes
LARGEST_LIST = 10_000_000  # possible rows of the columns up to which the cell of each is listed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Rows of whole clusters, by cell and cluster.

    Attributes
    ----------
    cell : (k,) int64 array
        Cells of the design.
    count, weight, weight_sq : (k,) float64 arrays
    codes : tuple of (k,) int64 arrays
        Cluster of each factor. Of the factor whose whole clusters the part holds, they are sorted.
    """

    cell: IntArray
    count: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    codes: tuple[IntArray, ...]


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
    cell : (rows,) int32 array
        The design's cell of each; -1 where it is in none.
    n : (rows,) array of the smallest unsigned integers
        How often each was read.
    covariates : mapping of str to pair of str
        Columns of the covariates that stay with the table as well (`socialstats.designs.spool`).
    """

    table: Table
    clusters: Levels
    weight: str | None
    na: Collection[str]
    values: Mapping[str, AnyArray]
    keys: IntArray
    cell: AnyArray
    n: AnyArray
    covariates: Mapping[str, Pair] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        table: Table,
        clusters: Sequence[str],
        counted: Counts,
        cell: AnyArray,
        *,
        weight: str | None,
        na: Collection[str],
        covariates: Mapping[str, Pair],
    ) -> Scan:
        """Remember the cells of a table that was counted without its clusters.

        Parameters
        ----------
        counted : Counts
        cell : (rows of `counted`,) int32 array
        """
        values = {column: coded.values for column, coded in counted.columns.items()}
        keys = one_number([coded.codes for coded in counted.columns.values()], [len(v) for v in values.values()])
        order = np.argsort(keys)
        if (cell < 0).any():
            order = order[cell[order] >= 0]
        n = counted.n[order].astype(np.min_scalar_type(int(counted.n.max(initial=0))))
        return cls(
            table=table,
            clusters=tuple(clusters),
            weight=weight,
            na=na,
            values=values,
            keys=keys[order],
            cell=cell[order],
            n=n,
            covariates=covariates,
        )

    def changed(self) -> InputError:
        """Return the error of a table whose rows are not those of the first reading."""
        return InputError(
            f"{self.table.source}: a second reading gave other rows than the first. Its rows changed in the meantime, "
            "or a query draws them at random. Store the rows first, in a file or in memory"
        )

    def batches(self, columns: Sequence[str], made: Sequence[nw.Expr] = ()) -> Iterator[Any]:
        """Yield the rows of the table as record batches; rows in memory are converted piece by piece.

        Parameters
        ----------
        columns : sequence of str
        made : sequence of expressions
            Columns that take the place of those of the same name.
        """
        with engine(self.table.source):
            frame = self.table.frame.with_columns(*made) if made else self.table.frame
            if isinstance(frame, nw.LazyFrame):
                yield from batches(frame, columns)
                return
            for start in range(0, len(frame), BATCH_ROWS):
                yield from batches(frame[start : start + BATCH_ROWS], columns)

    def read(self, columns: Sequence[str], made: Sequence[nw.Expr] = ()) -> Iterator[tuple[Any, IntArray, FloatArray]]:
        """Yield the rows of the table in batches, the cell of each row, and its weight.

        Every cell has a random number. Equal sums of these mean that cells occur as often as in the reading that the
        design was made of, but for one case in 2^64.

        Parameters
        ----------
        columns, made
            As in `batches`, beside the columns that make cells.

        Yields
        ------
        batch : pyarrow.RecordBatch
        cell : (rows,) integer array
            -1 for rows of no cell, such as those without a weight above 0.
        weight : (rows,) float64 array
            Empty without weights.

        Raises
        ------
        InputError
            At the end, if the rows are not those of the first reading.
        """
        find, places = self.finder(), {name: Places(levels) for name, levels in self.values.items()}
        sizes = [len(levels) for levels in self.values.values()]
        wanted = dict.fromkeys([*self.values, *columns, *([self.weight] if self.weight else [])])
        stamp = np.random.default_rng(0).integers(0, 2**64, int(self.cell.max(initial=-1)) + 1, dtype=np.uint64)
        there, total = self.cell >= 0, 0
        for batch in self.batches(list(wanted), made):
            cell = find(one_number([place.of(batch.column(name)) for name, place in places.items()], sizes))
            w = np.zeros(0)
            if self.weight is not None:
                w = weights(batch.column(self.weight), self.na)
                cell[w <= 0] = -1
            total += int(stamp[cell if cell.min(initial=0) >= 0 else cell[cell >= 0]].sum())
            yield batch, cell, w
        if (total - int((stamp[self.cell[there]] * self.n[there].astype(np.uint64)).sum())) % 2**64:
            raise self.changed()

    def moved(self, cell: IntArray) -> Scan:
        """Return the scan of a design whose cells are others: `cell` is the new one of each old one, or -1."""
        return replace(self, cell=np.append(cell, -1).astype(np.int32)[self.cell])

    def taken(self, index: AnyArray, cells: int) -> Scan:
        """Return the scan of a design that has some of this one's cells (indexes, or a mask)."""
        new = np.full(cells, -1, dtype=np.int64)
        new[index] = np.arange(len(new[index]))
        return self.moved(new)

    def named(self, names: Names | None) -> Levels:
        """Return the clusters among some names; all of them for ``"declared"``."""
        if names == "declared":
            return self.clusters
        wanted = (names,) if isinstance(names, str) else tuple(names or ())
        return tuple(name for name in wanted if name in self.clusters)

    def factors(self, names: Names | None) -> tuple[Factor, ...]:
        """Return the clusters among some names as factors without codes and levels, which stay with the table."""
        return tuple(Factor(name=name, codes=np.zeros(0, dtype=np.int64), levels=()) for name in self.named(names))

    def alike(self) -> dict[str, list[str]]:
        """Return labels of clusters that an engine takes for one: equal but for case, outer spaces or a final .0."""
        alike = {}
        for name in self.clusters:
            held: Any = self.table.frame.select(name)
            if held.collect_schema()[name] != nw.String:
                continue
            folded = nw.col(name).str.strip_chars().str.to_lowercase().str.replace_all(r"\.0$", "")
            labels = group_rows(held, [name], nw.len().alias(N)).with_columns(folded.alias(TIMES))
            ends = collected(labels.group_by(TIMES).agg(nw.col(name).min().alias(FIRST), nw.col(name).max().alias(N)))
            pairs = ends.filter(nw.col(FIRST) != nw.col(N))
            alike[name] = sorted([*pairs.get_column(FIRST).to_list(), *pairs.get_column(N).to_list()])
        return alike

    def is_inside(self, name: str, factor: Factor) -> bool:
        """Return whether every cluster of a column lies within one level of a factor, which may stay as well."""
        if factor.name in self.clusters:
            return self.rows([name, factor.name]).within(None)
        return self.rows([name]).within(factor.codes)

    def rows(self, names: Sequence[str]) -> Rows:
        """Return the rows of the table by cell and some of the clusters."""
        return Rows(self, names)

    def cells(self) -> int:
        """Return how many cells a design that holds the clusters has."""
        return sum(len(part.cell) for part in self.rows(self.clusters).parts())

    def finder(self) -> Callable[[IntArray], IntArray]:
        """Return a function from rows of the columns, as numbers, to the design's cells; -1 for rows of none."""
        size = math.prod(len(levels) + 1 for levels in self.values.values())
        if size > LARGEST_LIST:

            def found(keys: IntArray) -> IntArray:
                at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
                return np.where(self.keys[at] == keys, self.cell[at], -1)

            return found
        listed = np.full(size, -1, dtype=np.int32)
        listed[self.keys] = self.cell
        return listed.__getitem__


class Rows:
    """The rows of a table by cell and cluster.

    Attributes
    ----------
    levels : list of arrays
        Values of the clusters of each factor, as the engine holds them.
    sizes : list of int64 arrays
        Rows of each.
    """

    def __init__(self, scan: Scan, names: Sequence[str]) -> None:
        self._scan, self._names = scan, tuple(names)
        self.levels: list[AnyArray] = []
        self.sizes: list[IntArray] = []
        for name in names:
            try:
                with engine(scan.table.source):
                    values, rows = counted(scan.table.frame, name)
            except IndexError as error:  # whole numbers beyond those that were there a reading before
                raise scan.changed() from error
            self.levels.append(values)
            self.sizes.append(rows)
        self._cells = int(scan.cell.max(initial=0)) + 1
        if self._cells * math.prod(len(levels) for levels in self.levels) >= LARGEST:
            raise InputError(
                f"{scan.table.source}: the clusters {quoted(names)} have too many levels to be crossed. "
                "Name one of them, or read the table into memory"
            )
        self._held: tuple[int, Distinct | Placed] | None = None

    def texts(self, factor: int) -> list[str]:
        """Return the names of the clusters of a factor."""
        return [str(as_text(value)) for value in self.levels[factor].tolist()]

    def used(self, rows: float) -> list[BoolArray]:
        """Return which clusters of each factor have rows of the design, which has so many rows."""
        used = [
            np.full(len(levels), sizes.sum() == rows) for levels, sizes in zip(self.levels, self.sizes, strict=True)
        ]
        for k, there in enumerate(used):
            for part in () if there.all() else self.parts(k):
                there[part.codes[k]] = True
        return used

    def within(self, code: IntArray | None) -> bool:
        """Return whether each cluster of the first factor lies within one of a factor of the cells, or of the second.

        Rows are read until a cluster is found in two.
        """
        inner = self._only(len(self.levels[0]), lambda codes: (codes[0], codes[1] if code is None else code[codes[-1]]))
        return inner is not None

    def owners(self, code: IntArray) -> IntArray | None:
        """Return the cluster of the first factor that holds each group of cells; None where one has rows in several.

        Parameters
        ----------
        code : (cells,) int64 array
            Group of each cell, from 0.
        """
        return self._only(int(code.max(initial=-1)) + 1, lambda codes: (code[codes[-1]], codes[0]))

    def _only(self, size: int, couple: Callable[[list[IntArray]], tuple[IntArray, IntArray]]) -> IntArray | None:
        """Return the only other number that goes with each of `size` numbers in all rows; None where several do.

        Parameters
        ----------
        size : int
        couple : function of the clusters and the cell of rows
            Returns two numbers of each row.
        """
        other_of = np.full(size, -1, dtype=np.int64)
        for keys, _ in self._keys(0, 0, len(self.levels[0])):
            one, other = couple(self._decoded(keys, 0))
            other_of[one] = np.where(other_of[one] < 0, other, other_of[one])
            if np.any(other_of[one] != other):
                return None
        return other_of

    def finer(self) -> int:
        """Return the factor with the most levels."""
        return int(np.argmax([len(levels) for levels in self.levels]))

    def ranks(self, factor: int, at_most: int) -> float:
        """Return the sum over the clusters of a factor of their rows, of which at most some count."""
        return float(np.minimum(self.sizes[factor], at_most).sum())

    def parts(self, factor: int = 0) -> Iterator[Part]:
        """Yield all rows, in parts that hold the whole of each cluster of one of the factors."""
        stride = self._cells * math.prod(len(levels) for k, levels in enumerate(self.levels) if k != factor)
        placed = (
            len(self._names) == 1
            and self._scan.weight is None
            and stride <= 2**32
            and int(self.sizes[factor].max(initial=0)) <= stride
        )
        edges = blocks(np.minimum(self.sizes[factor], stride), HELD * (1 + placed))
        for low, high in pairwise(edges):
            read = partial(self._place if placed else self._read, factor, low, high)
            held = self._once(factor, read) if len(edges) == 2 else read()
            rows = self._parts_of(held, factor, held.rows_by_cluster(low, high, stride), low, stride)
            del held  # the rows of some clusters are gone before the next are read
            yield from rows

    def _parts_of(self, held: Distinct | Placed, factor: int, used: IntArray, low: int, stride: int) -> Iterator[Part]:
        for first, last in pairwise(blocks(used, BLOCK_ROWS)):
            if used[first:last].any():
                rows = held.of_clusters(low + first, low + last, stride)
                *codes, cell = self._decoded(rows.keys, factor)
                n, w, w_sq = rows.columns
                yield Part(cell=cell, count=n, weight=w, weight_sq=w_sq, codes=tuple(codes))

    def _once(self, factor: int, read: Callable[[], Distinct | Placed]) -> Distinct | Placed:
        """Return the rows of all clusters of a factor, which are read once for all factors."""
        if self._held is None:
            self._held = factor, read()
        before, held = self._held
        if before != factor:
            assert isinstance(held, Distinct)  # rows of one factor alone are placed
            for start in range(0, len(held.keys), BLOCK_ROWS):
                part = held.keys[start : start + BLOCK_ROWS]
                *codes, cell = self._decoded(part, before)
                part[:] = self._encoded(codes, cell, factor)
            self._held = factor, held.ordered()
        return self._held[1]

    def _order(self, factor: int) -> list[int]:
        return [factor, *(k for k in range(len(self._names)) if k != factor)]

    def _encoded(self, codes: Sequence[IntArray], cell: IntArray, factor: int) -> IntArray:
        key = np.zeros(len(cell), dtype=np.int64)
        for k in self._order(factor):
            key = key * len(self.levels[k]) + codes[k]
        return np.asarray(key * self._cells + cell)

    def _decoded(self, key: IntArray, factor: int) -> list[IntArray]:
        """Return the cluster of each factor and the cell of rows as numbers."""
        rest, cell = np.divmod(key, self._cells)
        codes = {}
        for k in self._order(factor)[:0:-1]:
            rest, codes[k] = np.divmod(rest, len(self.levels[k]))
        codes[factor] = rest
        return [*(codes[k] for k in range(len(self._names))), cell]

    def _read(self, factor: int, low: int, high: int) -> Distinct:
        room = int(min(self.sizes[factor][low:high].sum(), 2 * HELD + BATCH_ROWS))
        keys, weight = np.empty(room, dtype=np.int64), np.empty(0 if self._scan.weight is None else room)
        before, used = None, 0
        for key, w in self._keys(factor, low, high):
            if len(key) > room:
                raise self._scan.changed()
            if used + len(key) > room:
                before, used = Distinct.of(keys[:used], weight[:used], before).summed(), 0
            keys[used : used + len(key)] = key
            weight[used : used + len(w)] = w
            used += len(key)
        return Distinct.of(keys[:used], weight[: used if len(weight) else 0], before)

    def _place(self, factor: int, low: int, high: int) -> Placed:
        """Return the rows of some clusters of the only factor, without weights."""
        placed = Placed.of(self.sizes[factor][low:high], low)
        for key, _ in self._keys(factor, low, high):
            key.sort()
            if not placed.add(*np.divmod(key, self._cells)):
                raise self._scan.changed()
        return placed

    def _keys(self, factor: int, low: int, high: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the rows of some clusters of a factor as numbers, with their weights, where there are weights."""
        of_cluster = [Places(levels) for levels in self.levels]
        for batch, cell, w in self._scan.read(self._names):
            codes = [place.of(batch.column(name)) for name, place in zip(self._names, of_cluster, strict=True)]
            use = (cell >= 0) & (codes[factor] >= low) & (codes[factor] < high)
            if not use.all():
                cell, codes, w = cell[use], [code[use] for code in codes], w[use] if len(w) else w
            yield self._encoded(codes, cell, factor), w


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Rows as numbers in ascending order, with sums over the rows of each: counts, and with weights those and squares.

    Without sums, every number is one row without a weight.
    """

    keys: IntArray
    sums: FloatArray | None

    @classmethod
    def of(cls, keys: IntArray, weight: FloatArray, before: Distinct | None = None) -> Distinct:
        """Return rows with their weights, if they have any, in order; `keys` is overwritten."""
        if before is None and not len(weight):
            keys.sort()
            return cls(keys, None)
        ones = np.ones((1, len(keys)))
        sums: FloatArray = np.concatenate([ones, weight[None], weight[None] ** 2]) if len(weight) else ones
        if before is not None and before.sums is not None:
            keys, sums = np.append(before.keys, keys), np.concatenate([before.sums, sums], axis=1)
        return cls(keys, sums).ordered()

    @property
    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Counts, weights and squared weights of numbers that are `summed`."""
        assert self.sums is not None
        n, *rest = self.sums
        return (n, rest[0], rest[1]) if rest else (n, n, n)

    def ordered(self) -> Distinct:
        """Return the numbers in ascending order."""
        if self.sums is None:
            return Distinct(np.sort(self.keys), None)
        order = np.argsort(self.keys, kind="stable")
        return Distinct(self.keys[order], self.sums[:, order])

    def rows_by_cluster(self, low: int, high: int, stride: int) -> IntArray:
        """Return how many numbers each of the clusters from `low` to `high` has; one has `stride` possible numbers."""
        return np.diff(np.searchsorted(self.keys, np.arange(low, high + 1) * stride))

    def of_clusters(self, low: int, high: int, stride: int) -> Distinct:
        """Return the numbers of some clusters, each once."""
        start, end = np.searchsorted(self.keys, [low * stride, high * stride])
        keys, sums = self.keys[start:end], None if self.sums is None else self.sums[:, start:end]
        return Distinct(keys, sums).summed()

    def summed(self) -> Distinct:
        """Return every number once."""
        first = np.flatnonzero(np.append(True, self.keys[1:] != self.keys[:-1])[: len(self.keys)])
        if self.sums is None:
            return Distinct(self.keys[first], np.diff(first, append=len(self.keys))[None].astype(np.float64))
        return Distinct(self.keys[first], np.add.reduceat(self.sums, first, axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Rows of clusters that are no more than the cells, as the cells alone: those of a cluster follow each other.

    Attributes
    ----------
    low : int
        The first cluster.
    start : (clusters + 1,) integer array
        Place of the first row of each cluster.
    end : (clusters,) integer array
        Place behind the last row of each that was added.
    cell : (rows,) uint32 array
    """

    low: int
    start: AnyArray
    end: AnyArray
    cell: AnyArray

    @classmethod
    def of(cls, sizes: IntArray, low: int) -> Placed:
        """Return no rows yet of clusters that can have so many."""
        start = np.zeros(len(sizes) + 1, dtype=np.int32 if sizes.sum() < 2**31 else np.int64)
        np.cumsum(sizes, out=start[1:])
        return cls(low, start, start[:-1].copy(), np.empty(start[-1], dtype=np.uint32))

    def add(self, cluster: IntArray, cell: IntArray) -> bool:
        """Add rows in the order of their clusters; return whether there was room for all."""
        first = np.flatnonzero(np.append(True, cluster[1:] != cluster[:-1])[: len(cluster)])
        of, n = cluster[first] - self.low, np.diff(first, append=len(cluster))
        begin = self.end[of]
        if np.any(begin + n > self.start[of + 1]):
            return False
        self.cell[np.repeat(begin - first, n) + np.arange(len(cell))] = cell
        self.end[of] += n.astype(self.end.dtype)
        return True

    def rows_by_cluster(self, low: int, high: int, stride: int) -> IntArray:
        """Return how many rows each cluster has."""
        return np.asarray(self.end - self.start[:-1])

    def of_clusters(self, low: int, high: int, stride: int) -> Distinct:
        """Return the rows of some clusters as numbers, each once; one cluster has `stride` possible numbers."""
        of = slice(low - self.low, high - self.low)
        n = self.end[of] - self.start[of]
        at = np.repeat(self.start[of] - (np.cumsum(n) - n), n) + np.arange(n.sum())
        keys = np.repeat(np.arange(low, high), n) * stride + self.cell[at]
        keys.sort()
        return Distinct(keys, None).summed()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Share:
    """Parts of the cells of a design, each of which belongs to one cluster of each factor.

    Attributes
    ----------
    cell : (n,) int64 array
    weight, weight_sq : (n,) float64 arrays
        Shares of the cell's weight, and of its squared weight.
    codes : tuple of (n,) int64 arrays
        Cluster of each factor.
    """

    cell: IntArray
    weight: FloatArray
    weight_sq: FloatArray
    codes: tuple[IntArray, ...]

    @classmethod
    def of(cls, codes: Sequence[IntArray]) -> Share:
        """Return whole cells, given the cluster of each."""
        ones = np.ones(len(codes[0]))
        return cls(cell=np.arange(len(ones)), weight=ones, weight_sq=ones, codes=tuple(codes))

    def gather(self, code: IntArray, cells: int, *, squared: bool = False) -> Any:
        """Return the sparse matrix that sums statistics of cells by cluster, (clusters, cells)."""
        from scipy.sparse import csr_array

        dense = code - code.min()
        of = self.weight_sq if squared else self.weight
        return csr_array((of, (dense, self.cell)), shape=(int(dense.max(initial=-1)) + 1, cells))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredClusters:
    """The clusters of one or two factors that stay with the table of a design.

    Attributes
    ----------
    rows : Rows
    weight, weight_sq : (cells,) float64 arrays
        Of the design.
    used : tuple of bool arrays
        Which clusters of each factor have rows of the design.
    place : (cells,) int64 array, optional
        Where only some cells are looked at: their places among these, -1 for the others.
    """

    rows: Rows
    weight: FloatArray
    weight_sq: FloatArray
    used: tuple[BoolArray, ...]
    place: IntArray | None = None

    def among(self, keep: AnyArray) -> StoredClusters:
        """Return the clusters of the rows of some cells (a mask)."""
        return replace(self, place=np.where(keep, np.cumsum(keep) - 1, -1))

    def __len__(self) -> int:
        return len(self.rows.levels)

    @property
    def finer(self) -> int:
        """The factor with more clusters."""
        return self.rows.finer()

    def in_order(self) -> list[IntArray]:
        """Return the place of each cluster among those of its factor that are used, in the order of their names."""
        places = []
        for k, used in enumerate(self.used):
            texts = self.rows.texts(k)
            order = sorted(np.flatnonzero(used).tolist(), key=texts.__getitem__)
            place = np.full(len(used), -1, dtype=np.int64)
            place[order] = np.arange(len(order))
            places.append(place)
        return places

    def largest(self) -> float:
        """Return the largest share of the weight of the design that one cluster holds."""
        most, total = 0.0, float(self.weight.sum())
        for k in range(len(self)):
            for share in self.blocks(k):
                code = share.codes[k]
                most = max(most, float(np.bincount(code - code.min(), share.weight * self.weight[share.cell]).max()))
        return most / total

    def blocks(self, factor: int) -> Iterator[Share]:
        """Yield shares of the cells that belong to clusters, in blocks of whole clusters of one factor."""
        for part in self.rows.parts(factor):
            cell, codes = part.cell, part.codes
            shares = part.weight / self.weight[cell], part.weight_sq / self.weight_sq[cell]
            if self.place is not None:
                cell = self.place[cell]
                kept = cell >= 0
                cell, shares, codes = cell[kept], (shares[0][kept], shares[1][kept]), tuple(c[kept] for c in codes)
            if len(cell):
                yield Share(cell=cell, weight=shares[0], weight_sq=shares[1], codes=codes)


def blocks(sizes: IntArray, most: int) -> list[int]:
    """Return edges between runs of sizes, each run of about `most` in sum or of a single size."""
    run = np.cumsum(sizes)
    run //= most
    return [0, *(np.flatnonzero(run[1:] != run[:-1]) + 1).tolist(), len(sizes)]


def weights(column: Any, na: Collection[str]) -> FloatArray:
    """Return the weights of an arrow array; 0 where a weight cannot be used."""
    codes, values = encoded(column)
    numbers = [text_weight("" if as_text(value) in na else value)[0] for value in values]
    return np.array([*numbers, 0.0])[codes]


def one_number(codes: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """Return one number for each row of several codes from -1, which `fits` a 64-bit integer."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key *= size + 1
        key += code
        key += 1
    return key


def fits(counted: Counts) -> bool:
    """Whether each distinct row of some columns can be one number."""
    return bool(np.prod([float(len(coded.values) + 1) for coded in counted.columns.values()]) < LARGEST)


@asks
def with_texts(table: Table, clusters: Sequence[str]) -> Table:
    """Return a table whose clusters of categories or dates are texts where it is lazy: such ones can stay with it."""
    if not clusters or not table.lazy:
        return table
    schema: Any = table.frame.select(*clusters).collect_schema()
    texts = [name for name in clusters if isinstance(schema[name], (nw.Categorical, nw.Enum, nw.Date))]
    return replace(table, frame=table.frame.with_columns(nw.col(*texts).cast(nw.String))) if texts else table


@asks
def stays(table: Table, clusters: Sequence[str], na: Collection[str], *, eager: bool = False) -> bool:
    """Whether the clusters of a table stay with it: it is read lazily (or `eager` is true), and no row misses them.

    Rows without a cluster are an error, or are left out, with their places: for that the table is read as a whole.
    """
    if not clusters or not (eager or table.lazy):
        return False
    schema: Any = table.frame.select(*clusters).collect_schema()
    missing = nw.lit(False)
    for name in clusters:
        missing = missing | nw.col(name).is_null()
        if schema[name].is_float():
            missing = missing | nw.col(name).is_nan()
        elif schema[name] == nw.String:
            missing = missing | nw.col(name).is_in(sorted({"", *na}))
        elif not schema[name].is_integer():
            return False
    return height(table.frame.filter(missing)) == 0
