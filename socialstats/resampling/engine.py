"""Resamples of units and clusters, and the jackknife over them; `intervals.py` has the intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray, scale_free, size_unit
from socialstats.designs.scan import StoredClusters
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.resampling.poisson import PoissonTables, suits_tables
from socialstats.rounding import gated, left_of_recomputed, left_of_resamples
from socialstats.text import count, percent

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Scheme = Literal["multinomial", "poisson"]
SCHEMES: tuple[str, ...] = get_args(Scheme)
Draw = Callable[[int], FloatArray]
# from here on tables beat single draws (65 items, 1,000 resamples: 0.03 against 0.13 CPU s)
ROWS_PER_CELL = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanUnits:
    """The units of a resampling plan, over a table of cells.

    Make one with `PlanUnits.rows` or `PlanUnits.clusters`.

    Attributes
    ----------
    codes : tuple of (cells,) int64 arrays
        One array for each resampled factor: the level each cell belongs to.
    sizes : tuple of int
        Number of levels of each factor.
    copies : (cells,) float64 array or None
        Rows in each cell when single rows are resampled (rows of a cell are alike); None for clusters.
    unit : (cells,) int64 array
        Unit of each cell: its level, or its combination of two levels.
    members : tuple of (units,) int64 arrays
        Level of each unit, for each factor.
    """

    codes: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    copies: FloatArray | None
    unit: IntArray
    members: tuple[IntArray, ...]

    @classmethod
    def rows(cls, count: FloatArray) -> PlanUnits:
        """Resample single rows, given as cells of `count` alike rows.

        Raises
        ------
        InputError
            If a count is not a positive whole number.

        Examples
        --------
        >>> PlanUnits.rows(np.array([3.0, 1.0])).n_units
        2
        """
        counts = np.asarray(count, dtype=np.float64)
        if counts.ndim != 1 or counts.size == 0 or np.any(counts < 1) or np.any(counts % 1 != 0):
            raise InputError(
                "counts of rows must be positive whole numbers to resample rows; resample clusters"
            )
        index = np.arange(len(counts), dtype=np.int64)
        return cls(
            codes=(index,), sizes=(len(counts),), copies=counts, unit=index, members=(index,)
        )

    @classmethod
    def clusters(cls, *codes: IntArray) -> PlanUnits:
        """Resample whole clusters of one factor, or of two crossed factors (the pigeonhole bootstrap).

        Parameters
        ----------
        *codes : (cells,) int64 arrays
            One or two; levels that no cell has are not resampled.

        Raises
        ------
        InputError
            If there are more than two factors, or a factor has a single level.

        Examples
        --------
        >>> PlanUnits.clusters(np.array([0, 0, 1]), np.array([0, 1, 1])).n_units
        3
        """
        if not 1 <= len(codes) <= 2:
            raise InputError(
                f"resampling takes one cluster factor or two crossed ones, not {len(codes)}"
            )
        # levels that no cell has are left out: codes become 0, 1, 2, ... without gaps
        dense = [np.unique(np.asarray(c), return_inverse=True)[1].astype(np.int64) for c in codes]
        sizes = tuple(int(c.max()) + 1 if c.size else 0 for c in dense)
        refuse_single(sizes)
        if len(dense) == 1:
            members: tuple[IntArray, ...] = (np.arange(sizes[0], dtype=np.int64),)
            unit = dense[0]
        else:
            # one key for each combination of levels that occurs
            keys, inverse = np.unique(dense[0] * sizes[1] + dense[1], return_inverse=True)
            unit, members = inverse.astype(np.int64), (keys // sizes[1], keys % sizes[1])
        return cls(codes=tuple(dense), sizes=sizes, copies=None, unit=unit, members=members)

    @property
    def n_units(self) -> int:
        """Number of units (levels, combinations of levels, or cells)."""
        return len(self.members[0])

    @property
    def n_clusters(self) -> int:
        """Independent things resampled: rows, clusters, or levels of the smaller of two factors."""
        return min(self.sizes) if self.copies is None else int(self.copies.sum())

    def product(self, weights: Sequence[FloatArray]) -> FloatArray:
        """Weights of the units from those of each factor's levels: (b, levels) arrays to (b, units)."""
        if len(weights) == 1:
            return weights[0]
        return np.asarray(weights[0][:, self.members[0]] * weights[1][:, self.members[1]])

    def total(self, statistics: Any) -> csr_array:
        """Sum statistics of cells to statistics of units: (cells, k) to (units, k), sparse."""
        from scipy.sparse import csr_array

        statistics_of_cells = csr_array(statistics, dtype=np.float64)
        if statistics_of_cells.shape[0] != len(self.unit):
            raise InputError(
                f"statistics have {statistics_of_cells.shape[0]} rows, the units {len(self.unit)} cells"
            )
        if self.copies is not None:
            # every cell is its own unit
            return statistics_of_cells
        cells = np.arange(len(self.unit))
        # (units, cells): 1 where the cell belongs to the unit
        membership = csr_array(
            (np.ones(len(cells)), (self.unit, cells)), shape=(self.n_units, len(cells))
        )
        return csr_array(membership @ statistics_of_cells)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredUnits:
    """Clusters that stay with a table as units: what `Units.clusters` makes of clusters of the cells.

    Attributes
    ----------
    stored : StoredClusters
    squares : int
        The first column of the statistics that sums squared weights; those before it sum weights.
    places : tuple of (clusters,) int64 arrays
        Each cluster's place in the order of their names, for each factor.
    sizes : tuple of int
    copies : None
    """

    stored: StoredClusters
    squares: int
    places: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    copies: None = None

    @classmethod
    def from_clusters(cls, stored: StoredClusters, squares: int) -> StoredUnits:
        """Return the clusters as units, in the order of their names.

        Raises
        ------
        InputError
            If a factor has a single level.
        """
        places = tuple(stored.in_order())
        sizes = tuple(int(place.max(initial=-1)) + 1 for place in places)
        refuse_single(sizes)
        return cls(stored=stored, squares=squares, places=places, sizes=sizes)

    @property
    def n_units(self) -> int:
        """Number of clusters of all factors."""
        return sum(self.sizes)

    @property
    def n_clusters(self) -> int:
        """Independent things resampled: clusters of the factor with fewer."""
        return min(self.sizes)

    def tables(self, statistics: Any) -> Iterator[csr_array]:
        """Yield the statistics of the clusters of one factor from those of the cells, block by block."""
        from scipy.sparse import csr_array, hstack

        table = csr_array(statistics, dtype=np.float64)
        plain, squared = csr_array(table[:, : self.squares]), csr_array(table[:, self.squares :])
        for block in self.stored.blocks(0):
            cluster = np.unique(block.codes[0], return_inverse=True)[1]
            # (clusters, cells): the weights, and the squared weights, of each cluster's rows
            weight = block.gather(cluster, table.shape[0], squared=False)
            weight_sq = block.gather(cluster, table.shape[0], squared=True)
            yield csr_array(hstack([weight @ plain, weight_sq @ squared], format="csr"))

    def summed(self, statistics: Any) -> Callable[[list[FloatArray]], FloatArray]:
        """Return what `sums_by_weights` does: weights of the clusters are summed by cell first."""
        from scipy.sparse import csr_array

        table = csr_array(statistics, dtype=np.float64)
        plain, squared = csr_array(table[:, : self.squares]), csr_array(table[:, self.squares :])

        def weighted_sums(weights: list[FloatArray]) -> FloatArray:
            # (2, cells, resamples): weights and squared weights of the rows drawn
            drawn_weight = np.zeros((2, table.shape[0], len(weights[0])))
            for block in self.stored.blocks(0):
                drawn = np.ones((len(block.cell), len(weights[0])))
                for place, code, weight in zip(self.places, block.codes, weights, strict=True):
                    drawn *= weight.T[place[code]]
                for total, part in zip(drawn_weight, (block.weight, block.weight_sq), strict=True):
                    by_cell = csr_array(
                        (part, (block.cell, np.arange(len(part)))), shape=(len(total), len(part))
                    )
                    total += by_cell @ drawn
            sums = np.concatenate([plain.T @ drawn_weight[0], squared.T @ drawn_weight[1]])
            return np.asarray(sums.T)

        return weighted_sums


def refuse_single(sizes: Sequence[int]) -> None:
    """Refuse to resample a single cluster."""
    if min(sizes) < 2:
        raise InputError(
            "a single cluster cannot be resampled; name a factor with at least two levels"
        )


def weight_blocks(
    units: PlanUnits, *, resamples: int, seed: int, block: int, scheme: Scheme = "multinomial"
) -> Iterator[FloatArray]:
    """Draw the weights of the resamples, `block` resamples at a time.

    Two crossed factors are drawn independently and their weights multiplied (Owen 2007, section 3). The
    numbers depend on the seed alone, not on `block`: each factor has its own stream, read in order.

    Parameters
    ----------
    units : Units
    resamples : int
    seed : int
    block : int
        Resamples in memory at once.
    scheme : {"multinomial", "poisson"}
        ``"poisson"`` draws independent Poisson(1) weights: the sample size varies, nothing else does.

    Yields
    ------
    (at most block, units) float64 array
        How often each unit was drawn (for rows: drawn rows over the cell's rows).

    References
    ----------
    Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122

    Examples
    --------
    >>> units = PlanUnits.clusters(np.array([0, 0, 1, 2]))
    >>> next(weight_blocks(units, resamples=2, seed=1, block=2)).sum(axis=1)
    array([3., 3.])
    """
    for weights in factor_blocks(units, resamples=resamples, seed=seed, block=block, scheme=scheme):
        yield units.product(weights)


def factor_blocks(
    units: PlanUnits | StoredUnits,
    *,
    resamples: int,
    seed: int,
    block: int,
    scheme: Scheme = "multinomial",
) -> Iterator[list[FloatArray]]:
    """Draw the weights of each factor's levels, not yet multiplied; otherwise as `weight_blocks`.

    Yields
    ------
    list of (at most block, levels) float64 arrays
    """
    if scheme not in SCHEMES:
        raise InputError(f"scheme '{scheme}' is not one of {', '.join(SCHEMES)}")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    # a stream for each factor, so that the draws of one do not depend on the other
    children = np.random.SeedSequence(int(seed)).spawn(len(units.sizes))
    streams = [np.random.Generator(np.random.PCG64(child)) for child in children]
    samplers = [
        sampler(rng, size, units.copies, scheme)
        for rng, size in zip(streams, units.sizes, strict=True)
    ]
    for start in range(0, resamples, block):
        n = min(block, resamples - start)
        weights = [draw(n) for draw in samplers]
        if units.copies is not None and not np.all(units.copies == 1):
            # rows drawn over rows of the cell
            weights = [weights[0] / units.copies]
        yield weights


def sampler(rng: np.random.Generator, size: int, copies: FloatArray | None, scheme: Scheme) -> Draw:
    """Return a function that draws n resamples of `size` levels, (n, size) float64.

    The numbers say how often each level (or a row of each cell) was drawn. Multinomial numbers come from Poisson
    tables where a cell has several rows, else rows are drawn one by one: same distribution.
    """
    if scheme == "poisson":
        rates = np.ones(size) if copies is None else copies
        return lambda n: rng.poisson(rates, size=(n, size)).astype(np.float64)
    if copies is None or copies.sum() < ROWS_PER_CELL * size:
        cell_of_row = (
            None if copies is None else np.repeat(np.arange(size), copies.astype(np.int64))
        )
        return lambda n: draw_singly(rng, n, size, cell_of_row)
    if suits_tables(copies):
        return PoissonTables(copies, rng).draw
    total = int(copies.sum())
    return lambda n: rng.multinomial(total, copies / total, size=n).astype(np.float64)


def draw_singly(
    rng: np.random.Generator, n: int, size: int, cell_of_row: IntArray | None
) -> FloatArray:
    """Draw the rows (or clusters) of n resamples one by one; return how many fell into each cell, (n, size)."""
    total = size if cell_of_row is None else len(cell_of_row)
    picked = rng.integers(0, total, size=(n, total))
    if cell_of_row is not None and total > size:
        picked = cell_of_row[picked]
    picked += size * np.arange(n)[:, None]
    return np.bincount(picked.ravel(), minlength=n * size).reshape(n, size).astype(np.float64)


Finish = Callable[[FloatArray], FloatArray]
# bytes: about what stays in the cache
MEMORY = 4_000_000
# times as much memory where each block of resamples reads a table again
READ = 64
# resamples of one dense product: always these, so that its rounding does not depend on the block
PIECE = 32
# filled share, and units, up to which tables are summed densely
DENSE, FEW_UNITS = 0.25, 20_000
# share of resamples without an estimate above which SS204 is raised
MOST_DEGENERATE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replicates:
    """Estimates of the sample and of its resamples.

    Attributes
    ----------
    estimate : (m,) float64 array
        NaN where the sample itself has no estimate.
    replicates : (B, m) float64 array
        NaN where a resample has no finite estimate: counted, never used.
    n_degenerate : (m,) int64 array
    size : float or (m,) float64 array
        Largest size of the numbers that each estimate is made from, in its unit; 1 for numbers without a unit.
    """

    estimate: FloatArray
    replicates: FloatArray
    n_degenerate: IntArray
    size: FloatArray | float = 1.0

    @property
    def resamples(self) -> int:
        """Number of resamples B, degenerate ones included."""
        return len(self.replicates)

    @property
    def std_error(self) -> FloatArray:
        """Standard deviation of the usable replicates; NaN where fewer than two are usable, or all are alike."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        deviation = [
            scale_free(c).std(ddof=1) * size_unit(c) if len(c) > 1 else np.nan for c in usable
        ]
        return np.where(self.is_constant, np.nan, deviation)

    @property
    def bias(self) -> FloatArray:
        """Mean of the usable replicates minus the estimate; NaN where none is usable."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        return np.array([c.mean() if len(c) else np.nan for c in usable]) - self.estimate

    @property
    def is_constant(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """True where all usable replicates are the same number: the bootstrap then says nothing of its error."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        columns = zip(usable, np.broadcast_to(self.size, len(usable)).tolist(), strict=True)
        return np.array(
            [
                bool(len(c) and np.ptp(c) <= left_of_resamples(abs(c[0]), size))
                for c, size in columns
            ]
        )

    def caution(self, what: str = "the interval") -> Caution | None:
        """Return caution SS204 when more than 1% of the resamples had no estimate of some quantity."""
        return lost_caution(
            int(self.n_degenerate[~np.isnan(self.estimate)].max(initial=0)), self.resamples, what
        )


def lost_caution(
    lost: int,
    resamples: int,
    what: str,
    fix: str = "collect more comparisons per unit, or resample a factor with more levels",
) -> Caution | None:
    """Return caution SS204 when more than 1% of the resamples had no estimate."""
    if lost <= MOST_DEGENERATE * resamples:
        return None
    message = f"{count(lost)} of {count(resamples, 'resample')} ({percent(lost / resamples)}) were left out"
    return caution("SS204", message, affects=what, fix=fix)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bootstrap(Replicates):
    """Replicates that the engine made, with what it resampled.

    Attributes
    ----------
    units : Units or StoredUnits
    seed : int
    scheme : {"multinomial", "poisson"}
    """

    units: PlanUnits | StoredUnits
    seed: int
    scheme: Scheme


def bootstrap_sums(
    statistics: Any,
    finish: Finish,
    units: PlanUnits | StoredUnits,
    *,
    resamples: int = 2000,
    seed: int = 0,
    scheme: Scheme = "multinomial",
    memory: int = MEMORY,
    size: FloatArray | float = 1.0,
) -> Bootstrap:
    """Resample units and recompute an estimate from summed statistics.

    Parameters
    ----------
    statistics : (cells, k) array, dense or sparse
        What each cell adds to the sums that the estimate is made from.
    finish : callable
        (B, k) sums -> (B, m) estimates, row by row; NaN for a row without an estimate.
    units : Units or StoredUnits
    resamples : int
        At least 1.
    seed : int
        Same seed, same bytes, whatever `memory` is.
    scheme : {"multinomial", "poisson"}
    memory : int
        Rough bound, in bytes, on the weights and sums held at once.
    size : float or (m,) float64 array
        As of `Replicates`.

    Returns
    -------
    Bootstrap

    Raises
    ------
    UndefinedStatistic
        If the sample has an estimate and no resample has any.

    Notes
    -----
    Sparse products run one unit after the other, dense ones over pieces of fixed size. A sum does not depend on how
    many resamples share its block.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, chapter 2.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> table = np.column_stack([x, np.ones(4)])
    >>> mean = lambda sums: sums[:, :1] / sums[:, 1:]
    >>> b = bootstrap_sums(table, mean, PlanUnits.rows(np.ones(4)), resamples=4000, seed=1)
    >>> float(b.estimate[0]), bool(abs(b.std_error[0] - x.std() / 2) < 0.05)
    (3.75, True)
    """
    if resamples < 1:
        raise InputError(f"resamples must be at least 1, not {resamples}")
    stored = isinstance(units, StoredUnits)
    weighted_sums = (
        units.summed(statistics)
        if isinstance(units, StoredUnits)
        else sums_by_weights(units, units.total(statistics))
    )
    estimate = without_infinities(
        finish(weighted_sums([np.ones((1, size)) for size in units.sizes]))
    )[0]
    # numbers in memory at once: weights of units, and of the rows' cells where clusters are stored
    floats_per_resample = units.n_units + (2 * statistics.shape[0] if stored else 0)
    per_resample = 8 * (3 * floats_per_resample + 3 * statistics.shape[1] + len(estimate))
    block = max(1, min(resamples, int(memory) * (READ if stored else 1) // per_resample))
    replicates = np.empty((resamples, len(estimate)))
    start = 0
    # only dense sums come in pieces
    if units.n_units <= FEW_UNITS and not stored:
        block = whole_pieces(block)
    for weights in factor_blocks(units, resamples=resamples, seed=seed, block=block, scheme=scheme):
        stop = start + len(weights[0])
        replicates[start:stop] = without_infinities(finish(weighted_sums(weights)))
        start = stop
    n_degenerate = np.isnan(replicates).sum(axis=0)
    if np.any(~np.isnan(estimate)) and np.all(n_degenerate == resamples):
        raise UndefinedStatistic(
            f"none of the {resamples} resamples had a finite estimate; too few units ({units.n_clusters})"
        )
    return Bootstrap(
        estimate=estimate,
        replicates=replicates,
        n_degenerate=n_degenerate,
        units=units,
        seed=seed,
        scheme=scheme,
        size=size,
    )


def sums_by_weights(units: PlanUnits, table: csr_array) -> Callable[[list[FloatArray]], FloatArray]:
    """Return the function from the weights of each factor, (b, levels), to the weighted sums (b, k).

    A table that is mostly filled is summed densely, any other unit by unit. Two crossed factors whose combinations
    mostly occur without making the weights of the combinations: sum_ij v_i s_ij w_j.
    """
    if units.n_units > FEW_UNITS or table.nnz < DENSE * table.shape[0] * table.shape[1]:
        by_column = column_major(table)
        return lambda weights: unit_sums(units.product(weights), by_column)
    dense = table.toarray()
    if len(units.sizes) == 1:
        return lambda weights: in_pieces(weights[0], dense)
    if units.n_units < DENSE * units.sizes[0] * units.sizes[1]:
        return lambda weights: in_pieces(units.product(weights), dense)
    # (k, levels of the first factor, levels of the second): s_ij of each statistic
    grid = np.zeros((table.shape[1], *units.sizes))
    grid[:, units.members[0], units.members[1]] = dense.T

    def crossed(weights: list[FloatArray]) -> FloatArray:
        sums = [
            np.einsum("bj,bj->b", in_pieces(weights[0], statistic), weights[1])
            for statistic in grid
        ]
        return np.column_stack(sums)

    return crossed


def whole_pieces(block: int) -> int:
    """Return a number of resamples a block that cuts no piece, and is at least one."""
    return max(PIECE, block // PIECE * PIECE)


def in_pieces(weights: FloatArray, dense: FloatArray) -> FloatArray:
    """Weighted sums (b, units) @ (units, k) by dense products of `PIECE` resamples each."""
    sums = np.empty((len(weights), dense.shape[1]))
    # sums beyond the range of floats: no estimate
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(weights), PIECE):
            sums[start : start + PIECE] = weights[start : start + PIECE] @ dense
    return sums


def column_major(table: csr_array) -> csr_array:
    """Return a table (units, k) column by column, (k, units): made once, as it takes longer than a weighted sum."""
    from scipy.sparse import csr_array

    return csr_array(table.T)


def unit_sums(weights: FloatArray, by_column: csr_array) -> FloatArray:
    """Weighted sums (b, units) @ (units, k), accumulated in the order of the units; `by_column` is (k, units).

    A sparse product adds one unit at a time to every resample, so bytes do not depend on the block size.
    """
    product = by_column @ np.ascontiguousarray(weights.T)
    return np.ascontiguousarray(np.asarray(product).T)


def without_infinities(values: FloatArray) -> FloatArray:
    """Copy of the estimates with NaN in place of infinities."""
    return np.where(np.isfinite(values), values, np.nan)


# leave-one-out sums in memory at once
BLOCK = 2048
# share of a sum below which what is left of it is rounding
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Jackknife:
    """Estimates with one unit left out.

    Attributes
    ----------
    estimate : (m,) float64 array
        From the whole sample.
    values : (units, m) float64 array
        With one unit (for rows: one row of the cell) left out; NaN where there is no estimate then.
    copies : (units,) float64 array
        How many left-out samples each row of `values` stands for (1 for clusters).
    size : float
        Largest size of the numbers that the estimates are made from, in their unit.
    """

    estimate: FloatArray
    values: FloatArray
    copies: FloatArray
    size: float = 1.0

    @property
    def deviations(self) -> FloatArray:
        """Mean of the leave-one-out estimates minus each of them."""
        mean: FloatArray = self.copies @ self.values / self.copies.sum()
        return mean - self.values

    @property
    def influence(self) -> FloatArray:
        """(n-1) (estimate - leave-one-out estimate): R's ``empinf(type="jack")``, not centred on their mean.

        For a statistic that is not linear, `acceleration` of these differs from that of the deviations.
        """
        values: FloatArray = (self.copies.sum() - 1) * (self.estimate - self.values)
        return values

    @property
    def std_error(self) -> FloatArray:
        """Jackknife standard error: sqrt((n-1)/n * sum of squared deviations) (Efron & Tibshirani 1993, 11.5).

        NaN where all leave-one-out estimates are alike, or one does not exist.
        """
        n = self.copies.sum()
        # Efron & Tibshirani (1993), eq. 11.5
        error: FloatArray = np.sqrt((n - 1) / n * (self.copies @ self.deviations**2))
        return gated(error, left_of_recomputed(self.values, self.copies, self.size))

    @property
    def bias(self) -> FloatArray:
        """Jackknife estimate of bias: (n-1) (mean of the leave-one-out estimates - estimate)."""
        n = self.copies.sum()
        bias: FloatArray = (n - 1) * (self.copies @ self.values / n - self.estimate)
        return bias

    @property
    def acceleration(self) -> FloatArray:
        """Acceleration of the BCa interval: sum d^3 / (6 (sum d^2)^1.5) (Efron & Tibshirani 1993, eq. 14.15)."""
        return acceleration(self.deviations, self.copies)


def acceleration(influence: FloatArray, copies: FloatArray | None = None) -> FloatArray:
    """Acceleration of the BCa interval from influence values: sum l^3 / (6 (sum l^2)^1.5).

    Parameters
    ----------
    influence : (units, m) array
        What each unit adds to each statistic: jackknife deviations, a closed form, or slopes of replicates regressed on
        how often each unit was drawn. Centred on 0; only proportions matter.
    copies : (units,) array, optional
        How many alike units each row stands for.

    Returns
    -------
    (m,) float64 array
        NaN where no unit has any influence, or one is unknown.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, eq. 14.15.
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, eq. 5.23.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> x = np.array([[1.0], [4.0], [2.0], [8.0]])
    >>> round(float(acceleration(x - x.mean())[0]), 4)
    0.0547
    """
    x = np.asarray(influence, dtype=np.float64)
    c = np.ones(len(x)) if copies is None else np.asarray(copies, dtype=np.float64)
    squares = c @ x**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0, (c @ x**3) / (6 * squares**1.5), np.nan)


def jackknife_sums(
    statistics: Any, finish: Finish, units: PlanUnits | StoredUnits, *, size: float = 1.0
) -> Jackknife:
    """Recompute an estimate with one unit left out at a time, from leave-one-out sums.

    Parameters
    ----------
    statistics : (cells, k) array, dense or sparse
    finish : callable
        As in `bootstrap_sums`.
    units : Units or StoredUnits
        Rows or one cluster factor.
    size : float
        As of `Jackknife`.

    Returns
    -------
    Jackknife

    Raises
    ------
    InputError
        For two crossed factors: there is no single unit to leave out.

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> table = np.column_stack([x, np.ones(4)])
    >>> j = jackknife_sums(table, lambda s: s[:, :1] / s[:, 1:], PlanUnits.rows(np.ones(4)))
    >>> bool(np.isclose(j.std_error[0], x.std(ddof=1) / 2))
    True
    """
    if len(units.sizes) == 2:
        raise InputError("the jackknife needs rows or one cluster factor, not two crossed ones")
    if isinstance(units, StoredUnits):
        total, values = np.asarray(statistics.sum(axis=0), dtype=np.float64)[None, :], []
        for units_of_block in units.tables(statistics):
            values += [
                without_infinities(
                    finish(left_out_sums(total, units_of_block[start : start + BLOCK].toarray()))
                )
                for start in range(0, units_of_block.shape[0], BLOCK)
            ]
        left_out = np.concatenate(values)
        return Jackknife(
            estimate=without_infinities(finish(total))[0],
            values=left_out,
            copies=np.ones(len(left_out)),
            size=size,
        )
    dense = (
        units.copies is not None
        and isinstance(statistics, np.ndarray)
        and len(statistics) == units.n_units
    )
    table: Any = statistics if dense else units.total(statistics)
    copies = np.ones(units.n_units) if units.copies is None else units.copies
    if dense:
        # the sums before and after a unit: total - unit would lose digits beside a huge unit
        total = np.cumsum(table, axis=0)[-1:]
        before, after = np.zeros_like(table), np.zeros_like(table)
        before[1:] = np.cumsum(table[:-1], axis=0)
        after[:-1] = np.cumsum(table[:0:-1], axis=0)[::-1]
    else:
        total = unit_sums(np.ones((1, units.n_units)), column_major(table))
    values = []
    for start in range(0, units.n_units, BLOCK):
        block = slice(start, min(start + BLOCK, units.n_units))
        if dense:
            sums = before[block] + after[block] + table[block] * (1 - 1 / copies[block, None])
        else:
            sums = left_out_sums(total, table[block].toarray() / copies[block, None])
        values.append(without_infinities(finish(sums)))
    return Jackknife(
        estimate=without_infinities(finish(total))[0],
        values=np.concatenate(values),
        copies=copies,
        size=size,
    )


def left_out_sums(total: FloatArray, unit: FloatArray) -> FloatArray:
    """Return sums without those of single units; a rest that is rounding is 0."""
    sums: FloatArray = total - unit
    sums[np.abs(sums) <= ROUNDING * np.abs(total)] = 0.0
    return sums
