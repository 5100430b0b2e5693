"""Rows that stay with the table: they pass through a temporary file, where cells would be as many as rows.

A design has one cell for each distinct row of the columns that play a part. With clusters, or with covariates that
differ in each row, such as lengths, there are nearly as many cells as rows. A lazy table is therefore counted without
them. Where sums need them, the table is read once more (`Scan`), and rows are written to a temporary file (`Spool`).
There a row has its cell and weight, both sides of the covariates, and its clusters. Rows of whole clusters are sorted
one part of the file at a time.
"""

from __future__ import annotations

import math
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import IO, Any

import narwhals as nw
import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import Levels, Names, Pair, Texts, TextSet
from socialstats.designs.cells import group, totals
from socialstats.designs.parts import Factor, places_among, taken_fields
from socialstats.errors import InputError
from socialstats.tables import DistinctRows, Table
from socialstats.tables.batches import BATCH_ROWS, Places, batches, count_values, encoded
from socialstats.tables.counting import LARGEST, N, text_weight
from socialstats.tables.labels import label_text
from socialstats.tables.lazy import FIRST, TIMES, asks, collected, engine, group_rows, height

# rows of one part: what is computed from them stays in a processor's cache
SPOOL_ROWS = 32_768
# rows of whole clusters that are sorted at a time
SORTED_ROWS = 500_000
# in which they wait
MOST_FILES = 256
# possible rows of the columns up to which the cell of each is listed
LARGEST_LIST = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterPart:
    """Rows of whole clusters, by cell and cluster.

    Attributes
    ----------
    cell : (k,) int64 array
        Cells of the design.
    count, weight, weight_sq : (k,) float64 arrays
        Of the rows; or their shares of the cell's.
    codes : tuple of (k,) int64 arrays
        Cluster of each factor. Of the factor whose whole clusters the part holds, they are sorted.
    """

    cell: IntArray
    count: FloatArray
    weight: FloatArray
    weight_sq: FloatArray
    codes: tuple[IntArray, ...]

    @classmethod
    def of(cls, codes: Sequence[IntArray]) -> ClusterPart:
        """Return whole cells, given the cluster of each."""
        ones = np.ones(len(codes[0]))
        return cls(
            cell=np.arange(len(ones)), count=ones, weight=ones, weight_sq=ones, codes=tuple(codes)
        )

    def gather(self, code: IntArray, cells: int, *, squared: bool = False) -> Any:
        """Return the sparse matrix that sums statistics of cells by cluster, (clusters, cells)."""
        from scipy.sparse import csr_array

        # parts hold whole clusters in order, so that their codes are a run
        dense = code - code.min()
        share = self.weight_sq if squared else self.weight
        return csr_array((share, (dense, self.cell)), shape=(int(dense.max(initial=-1)) + 1, cells))

    def cluster_sums(self, code: IntArray, *tables: FloatArray) -> list[FloatArray]:
        """Return the sums by cluster of dense (cells, k) tables, (clusters, k) each."""
        if tables[0].shape[1] > 1:
            gather = self.gather(code, len(tables[0]))
            return [gather @ table for table in tables]
        # a single column needs no sparse matrix
        dense = code - code.min()
        columns = [self.weight * table[self.cell, 0] for table in tables]
        return [np.bincount(dense, column).astype(np.float64)[:, None] for column in columns]


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
        Columns of the covariates that stay with the table as well.
    """

    table: Table
    clusters: Levels
    weight: str | None
    na: TextSet
    values: Mapping[str, AnyArray]
    keys: IntArray
    cell: AnyArray
    n: AnyArray
    covariates: Mapping[str, Pair] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        table: Table,
        clusters: Texts,
        counted: DistinctRows,
        cell: AnyArray,
        *,
        weight: str | None,
        na: TextSet,
        covariates: Mapping[str, Pair],
    ) -> Scan:
        """Remember the cells of a table that was counted without its clusters.

        Parameters
        ----------
        counted : Counts
        cell : (rows of `counted`,) int32 array
        """
        values = {column: coded.values for column, coded in counted.columns.items()}
        keys = one_number(
            [coded.codes for coded in counted.columns.values()], [len(v) for v in values.values()]
        )
        order = np.argsort(keys)
        # rows that are left out have no cell, and need no key
        if (cell < 0).any():
            order = order[cell[order] >= 0]
        # there may be millions of keys: the smallest type of counts saves memory
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

    def batches(self, columns: Texts, extra: Sequence[nw.Expr] = ()) -> Iterator[Any]:
        """Yield the rows of the table as record batches; rows in memory are converted piece by piece.

        Parameters
        ----------
        columns : sequence of str
        extra : sequence of expressions
            Columns that take the place of those of the same name.
        """
        with engine(self.table.source):
            frame = self.table.frame.with_columns(*extra) if extra else self.table.frame
            if isinstance(frame, nw.LazyFrame):
                yield from batches(frame, columns)
                return
            for start in range(0, len(frame), BATCH_ROWS):
                yield from batches(frame[start : start + BATCH_ROWS], columns)

    def read(
        self, columns: Texts, extra: Sequence[nw.Expr] = ()
    ) -> Iterator[tuple[Any, IntArray, FloatArray]]:
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
        find = self.finder()
        places = {name: Places(levels) for name, levels in self.values.items()}
        sizes = [len(levels) for levels in self.values.values()]
        names_read = dict.fromkeys(
            [*self.values, *columns, *([self.weight] if self.weight else [])]
        )
        # sums of random stamps over both readings differ where any count of a cell does, but for 1
        # in 2^64
        stamp = np.random.default_rng(0).integers(
            0, 2**64, int(self.cell.max(initial=-1)) + 1, dtype=np.uint64
        )
        there = self.cell >= 0
        total = 0
        for batch in self.batches(list(names_read), extra):
            cell = find(
                one_number([place.of(batch.column(name)) for name, place in places.items()], sizes)
            )
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
        return self.moved(places_among(index, cells))

    def named(self, names: Names | None) -> Levels:
        """Return the clusters among some names; all of them for ``"declared"``."""
        if names == "declared":
            return self.clusters
        chosen = (names,) if isinstance(names, str) else tuple(names or ())
        return tuple(name for name in chosen if name in self.clusters)

    def factors(self, names: Names | None) -> tuple[Factor, ...]:
        """Return the clusters among some names as factors without codes and levels, which stay with the table."""
        return tuple(
            Factor(name=name, codes=np.zeros(0, dtype=np.int64), levels=())
            for name in self.named(names)
        )

    def alike(self) -> dict[str, list[str]]:
        """Return labels of clusters that an engine takes for one: equal but for case, outer spaces or a final .0."""
        alike = {}
        for name in self.clusters:
            frame: Any = self.table.frame.select(name)
            if frame.collect_schema()[name] != nw.String:
                continue
            # as `spelling_key`, as far as engines can fold labels
            folded = nw.col(name).str.strip_chars().str.to_lowercase().str.replace_all(r"\.0$", "")
            labels = group_rows(frame, [name], nw.len().alias(N)).with_columns(folded.alias(TIMES))
            ends = collected(
                labels.group_by(TIMES).agg(
                    nw.col(name).min().alias(FIRST), nw.col(name).max().alias(N)
                )
            )
            pairs = ends.filter(nw.col(FIRST) != nw.col(N))
            alike[name] = sorted(
                [*pairs.get_column(FIRST).to_list(), *pairs.get_column(N).to_list()]
            )
        return alike

    def is_inside(self, name: str, factor: Factor) -> bool:
        """Return whether every cluster of a column lies within one level of a factor, which may stay as well."""
        # a level lies within another factor where all its rows have one level of that
        spool = Spool(self, (), (*self.factors(name), factor))
        return spool.only(len(spool.levels[0]), lambda _, codes: (codes[0], codes[1])) is not None

    def rows(self, names: Texts) -> Spool:
        """Return the rows of the table by cell and some of the clusters."""
        return Spool(self, (), self.factors(names))

    def cells(self) -> int:
        """Return how many cells a design that holds the clusters has."""
        return sum(len(part.cell) for part in self.rows(self.clusters).pairs())

    def finder(self) -> Callable[[IntArray], IntArray]:
        """Return a function from rows of the columns, as numbers, to the design's cells; -1 for rows of none."""
        size = math.prod(len(levels) + 1 for levels in self.values.values())
        if size > LARGEST_LIST:

            def found(keys: IntArray) -> IntArray:
                # keys beyond the largest would be placed after the end
                at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
                return np.where(self.keys[at] == keys, self.cell[at], -1)

            return found
        listed = np.full(size, -1, dtype=np.int32)
        listed[self.keys] = self.cell
        return listed.__getitem__


class Spool:
    """Rows of a table in a temporary file, each with its cell, weight, sides of covariates and clusters.

    Attributes
    ----------
    names : tuple of str
        The covariates.
    factors : tuple of Factor
        Clusters; those that stay with the table have no codes.
    levels : list of sequences
        The clusters of each factor, those that stay as the engine holds them.
    """

    def __init__(self, scan: Scan, names: Texts, factors: Sequence[Factor] = ()) -> None:
        self._scan = scan
        self.names = tuple(names)
        self.factors = tuple(factors)
        self._stored = {factor.name for factor in self.factors if factor.name in scan.clusters}
        self.levels: list[Any] = []
        # rows of the table in each factor
        self._read: list[float] = []
        self._sorted: dict[int, _File] = {}
        for factor in self.factors:
            levels: Any = factor.levels
            rows: AnyArray = scan.n
            if factor.name in self._stored:
                try:
                    with engine(scan.table.source):
                        levels, rows = count_values(scan.table.frame, factor.name)
                except IndexError as error:
                    # whole numbers beyond those that were there a reading before
                    raise scan.changed() from error
            self.levels.append(levels)
            self._read.append(float(rows.sum()))

    @cached_property
    def _file(self) -> _File:
        """The rows, each written once."""
        scan = self._scan
        pairs = [self._scan.covariates[name] for name in self.names]
        sides = [column for pair in pairs for column in pair]
        place = {
            factor.name: Places(levels)
            for factor, levels in zip(self.factors, self.levels, strict=True)
            if factor.name in self._stored
        }
        file = _File(
            np.dtype(
                [
                    ("cell", np.int32),
                    ("weight", np.float64),
                    ("sides", np.float64, (len(pairs), 2)),
                    ("codes", np.int32, (len(self.factors),)),
                ]
            )
        )
        numbers = [nw.col(column).cast(nw.Float64) for column in dict.fromkeys(sides)]
        for batch, cell, w in scan.read([*sides, *place], numbers):
            part = np.zeros(len(cell), dtype=file.dtype)
            part["cell"], part["weight"] = cell, w if len(w) else 1.0
            for k, pair in enumerate(pairs):
                for side, column in enumerate(pair):
                    part["sides"][:, k, side] = batch.column(column).to_numpy(zero_copy_only=False)
            # no negative zero
            part["sides"] += 0.0
            for k, factor in enumerate(self.factors):
                stays = factor.name in place
                part["codes"][:, k] = (
                    place[factor.name].of(batch.column(factor.name))
                    if stays
                    else factor.codes[cell]
                )
            file.write(part[part["cell"] >= 0])
        return file

    @cached_property
    def sizes(self) -> list[IntArray]:
        """Rows of each cluster of each factor."""
        sizes = [np.zeros(len(levels), dtype=np.int64) for levels in self.levels]
        for part in self.parts():
            for size, codes in zip(sizes, part["codes"].T, strict=True):
                size += np.bincount(codes, minlength=len(size))
        return sizes

    def texts(self, factor: int) -> Texts:
        """Return the names of the clusters of a factor."""
        levels = self.levels[factor]
        return (
            [str(label_text(value)) for value in levels.tolist()]
            if isinstance(levels, np.ndarray)
            else levels
        )

    def used(self, rows: float) -> list[BoolArray]:
        """Return which clusters of each factor have rows of the design, which has so many rows."""
        return [
            np.full(len(levels), True) if read == rows else self.sizes[k] > 0
            for k, (levels, read) in enumerate(zip(self.levels, self._read, strict=True))
        ]

    def owners(self, code: IntArray) -> IntArray | None:
        """Return the cluster of the first factor that holds each group of cells; None where one has rows in several.

        Parameters
        ----------
        code : (cells,) int64 array
            Group of each cell, from 0.
        """
        return self.only(int(code.max(initial=-1)) + 1, lambda cell, codes: (code[cell], codes[0]))

    def only(
        self, size: int, couple: Callable[[IntArray, Any], tuple[IntArray, IntArray]]
    ) -> IntArray | None:
        """Return the only other number that goes with each of `size` numbers in all rows; None where several do.

        Parameters
        ----------
        size : int
        couple : function of the cell and the clusters of rows
            Returns two numbers of each row.
        """
        partner_of = np.full(size, -1, dtype=np.int64)
        for part in self.parts():
            number, partner = couple(part["cell"], part["codes"].T)
            # the first partner that is met has to stay the only one
            partner_of[number] = np.where(partner_of[number] < 0, partner, partner_of[number])
            if np.any(partner_of[number] != partner):
                return None
        return partner_of

    def finer(self) -> int:
        """Return the factor with the most levels."""
        return int(np.argmax([len(levels) for levels in self.levels]))

    def ranks(self, at_most: int) -> list[float]:
        """Return for each factor the sum over its clusters of their rows, of which at most some count."""
        return [float(np.minimum(size, at_most).sum()) for size in self.sizes]

    def parts(self) -> Iterator[AnyArray]:
        """Yield all rows in parts."""
        for start in range(0, self._file.rows, SPOOL_ROWS):
            yield self._file.read(start, min(start + SPOOL_ROWS, self._file.rows))

    def whole(self) -> AnyArray:
        """Return all rows in memory."""
        return self._file.read(0, self._file.rows)

    def by_cluster(self, factor: int) -> Iterator[AnyArray]:
        """Yield all rows in parts that hold the whole of each cluster of a factor, sorted by it."""
        if factor not in self._sorted:
            self._sorted[factor] = self._sort(factor)
        ends = np.append(0, np.cumsum(self.sizes[factor]))
        for start, end in pairwise(ends[run_edges(self.sizes[factor], SPOOL_ROWS)].tolist()):
            if start < end:
                yield self._sorted[factor].read(start, end)

    def _sort(self, factor: int) -> _File:
        """Return the rows in the order of the clusters of a factor: those of some clusters are sorted at a time."""
        edges = run_edges(self.sizes[factor], max(SORTED_ROWS, self._file.rows // MOST_FILES))
        block_of = np.repeat(np.arange(len(edges) - 1), np.diff(edges)).astype(
            np.min_scalar_type(len(edges))
        )
        files = [_File(self._file.dtype) for _ in edges[1:]]
        for part in self.parts():
            block = block_of[part["codes"][:, factor]]
            # rows of one block are written together
            order = np.argsort(block, kind="stable")
            ends = np.cumsum(np.bincount(block, minlength=len(files)))
            for file, start, end in zip(files, [0, *ends.tolist()], ends.tolist(), strict=False):
                file.write(part[order[start:end]])
        # an external sort: blocks of whole clusters are small enough to be sorted in memory
        in_order = _File(self._file.dtype)
        for file in files:
            rows = file.read(0, file.rows)
            in_order.write(rows[np.argsort(rows["codes"][:, factor])])
        return in_order

    def pairs(self, factor: int = 0) -> Iterator[ClusterPart]:
        """Yield the rows by cell and cluster, in parts that hold the whole of each cluster of a factor."""
        for rows in self.by_cluster(factor):
            codes = rows["codes"].T
            codes_of_others = [code for k, code in enumerate(codes) if k != factor]
            first, pair = group([codes[factor], *codes_of_others, rows["cell"]])
            w = rows["weight"]
            cell = rows["cell"][first]
            yield ClusterPart(
                cell=cell.astype(np.int64),
                count=np.bincount(pair).astype(np.float64),
                weight=totals(pair, w, len(first)),
                weight_sq=totals(pair, w**2, len(first)),
                codes=tuple(code[first].astype(np.int64) for code in codes),
            )


class _File:
    """Rows in a file that is removed when nobody holds it."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.rows = 0
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="socialstats")  # noqa: SIM115 - closed by the finalizer
        weakref.finalize(self, self._file.close)

    def write(self, rows: AnyArray) -> None:
        self._file.seek(0, 2)
        self._file.write(rows.tobytes())
        self.rows += len(rows)

    def read(self, start: int, end: int) -> AnyArray:
        self._file.seek(start * self.dtype.itemsize)
        return np.frombuffer(self._file.read((end - start) * self.dtype.itemsize), dtype=self.dtype)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredClusters:
    """The clusters of one or two factors that stay with the table of a design.

    Attributes
    ----------
    rows : Spool
    weight, weight_sq : (cells,) float64 arrays
        Of the design.
    used : tuple of bool arrays
        Which clusters of each factor have rows of the design.
    place : (cells,) int64 array, optional
        Where only some cells are looked at: their places among these, -1 for the others.
    """

    rows: Spool
    weight: FloatArray
    weight_sq: FloatArray
    used: tuple[BoolArray, ...]
    place: IntArray | None = None

    def among(self, keep: AnyArray) -> StoredClusters:
        """Return the clusters of the rows of some cells (a mask)."""
        return replace(self, place=np.where(keep, np.cumsum(keep) - 1, -1))

    def __len__(self) -> int:
        return len(self.rows.levels)

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
        most = 0.0
        total = float(self.weight.sum())
        for k in range(len(self)):
            for share in self.blocks(k):
                code = share.codes[k]
                of_clusters = np.bincount(code - code.min(), share.weight * self.weight[share.cell])
                most = max(most, float(of_clusters.max()))
        return most / total

    def blocks(self, factor: int) -> Iterator[ClusterPart]:
        """Yield shares of the cells that belong to clusters, in blocks of whole clusters of one factor."""
        for part in self.rows.pairs(factor):
            part = replace(
                part,
                weight=part.weight / self.weight[part.cell],
                weight_sq=part.weight_sq / self.weight_sq[part.cell],
            )
            if self.place is not None:
                part = replace(part, cell=self.place[part.cell])
                arrays = [field.name for field in fields(part)]
                part = replace(part, **taken_fields(part, arrays, part.cell >= 0))
            if len(part.cell):
                yield part


def run_edges(sizes: IntArray, most: int) -> list[int]:
    """Return edges between runs of sizes, each run of about `most` in sum or of a single size."""
    run = np.cumsum(sizes)
    run //= most
    return [0, *(np.flatnonzero(run[1:] != run[:-1]) + 1).tolist(), len(sizes)]


def weights(column: Any, na: TextSet) -> FloatArray:
    """Return the weights of an arrow array; 0 where a weight cannot be used."""
    codes, values = encoded(column)
    numbers = [text_weight("" if label_text(value) in na else value)[0] for value in values]
    return np.array([*numbers, 0.0])[codes]


def one_number(codes: Sequence[IntArray], sizes: Sequence[int]) -> IntArray:
    """Return one number for each row of several codes from -1, which `fits` a 64-bit integer."""
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key *= size + 1
        key += code
        key += 1
    return key


def fits(counted: DistinctRows) -> bool:
    """Whether each distinct row of some columns can be one number."""
    return bool(
        np.prod([float(len(coded.values) + 1) for coded in counted.columns.values()]) < LARGEST
    )


@asks
def with_texts(table: Table, clusters: Texts) -> Table:
    """Return a table whose clusters of categories or dates are texts where it is lazy: such ones can stay with it."""
    if not clusters or not table.lazy:
        return table
    schema: Any = table.frame.select(*clusters).collect_schema()
    texts = [
        name for name in clusters if isinstance(schema[name], (nw.Categorical, nw.Enum, nw.Date))
    ]
    return (
        replace(table, data=table.frame.with_columns(nw.col(*texts).cast(nw.String)))
        if texts
        else table
    )


@asks
def stays(table: Table, clusters: Texts, na: TextSet, *, eager: bool = False) -> bool:
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
