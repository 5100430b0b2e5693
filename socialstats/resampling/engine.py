"""The engine: weights (B x units) @ statistics (units x k), in blocks, then a vectorised finish."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.resampling.units import Scheme, Units, factor_blocks
from socialstats.text import count, percent

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Finish = Callable[[FloatArray], FloatArray]
MEMORY = 4_000_000  # about what stays in the cache
PIECE = 32  # resamples of one dense product: always these, so that its rounding does not depend on the block
DENSE, FEW_UNITS = 0.25, 20_000  # filled share, and units, up to which tables are summed densely
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
    """

    estimate: FloatArray
    replicates: FloatArray
    n_degenerate: IntArray

    @property
    def resamples(self) -> int:
        """Number of resamples B, degenerate ones included."""
        return len(self.replicates)

    @property
    def std_error(self) -> FloatArray:
        """Standard deviation of the usable replicates; NaN where fewer than two are usable."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        return np.array([c.std(ddof=1) if len(c) > 1 else np.nan for c in usable])

    @property
    def bias(self) -> FloatArray:
        """Mean of the usable replicates minus the estimate; NaN where none is usable."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        return np.array([c.mean() if len(c) else np.nan for c in usable]) - self.estimate

    @property
    def is_constant(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """True where all usable replicates are the same number: the bootstrap then says nothing of its error."""
        usable = [column[~np.isnan(column)] for column in self.replicates.T]
        return np.array([bool(len(c) and np.ptp(c) <= 1e-12 * max(1.0, abs(c[0]))) for c in usable])

    def caution(self, what: str = "the interval") -> Caution | None:
        """Return caution SS204 when more than 1 % of the resamples had no estimate of some quantity."""
        return lost_caution(int(self.n_degenerate[~np.isnan(self.estimate)].max(initial=0)), self.resamples, what)


def lost_caution(
    lost: int, resamples: int, what: str,
    fix: str = "collect more comparisons per unit, or resample a factor with more levels",
) -> Caution | None:  # fmt: skip
    """Return caution SS204 when more than 1 % of the resamples had no estimate."""
    if lost <= MOST_DEGENERATE * resamples:
        return None
    said = f"{count(lost)} of {count(resamples, 'resample')} ({percent(lost / resamples)}) were left out"
    return caution("SS204", said, affects=what, fix=fix)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bootstrap(Replicates):
    """Replicates that the engine made, with what it resampled.

    Attributes
    ----------
    units : Units
    seed : int
    scheme : {"multinomial", "poisson"}
    """

    units: Units
    seed: int
    scheme: Scheme


def bootstrap(
    statistics: Any,
    finish: Finish,
    units: Units,
    *,
    resamples: int = 2000,
    seed: int = 0,
    scheme: Scheme = "multinomial",
    memory: int = MEMORY,
) -> Bootstrap:
    """Resample units and recompute an estimate from summed statistics.

    Parameters
    ----------
    statistics : (cells, k) array, dense or sparse
        What each cell adds to the sums that the estimate is made from.
    finish : callable
        (B, k) sums -> (B, m) estimates, row by row; NaN for a row without an estimate.
    units : Units
    resamples : int
        At least 1.
    seed : int
        Same seed, same bytes, whatever `memory` is.
    scheme : {"multinomial", "poisson"}
    memory : int
        Rough bound, in bytes, on the weights and sums held at once.

    Returns
    -------
    Bootstrap

    Raises
    ------
    UndefinedStatistic
        If the sample has an estimate and no resample has any.

    Notes
    -----
    Sparse products run one unit after the other, dense ones over pieces of fixed size, so a sum does not depend on
    how many resamples share its block.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, chapter 2.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> table = np.column_stack([x, np.ones(4)])
    >>> mean = lambda sums: sums[:, :1] / sums[:, 1:]
    >>> b = bootstrap(table, mean, Units.rows(np.ones(4)), resamples=4000, seed=1)
    >>> float(b.estimate[0]), bool(abs(b.std_error[0] - x.std() / 2) < 0.05)
    (3.75, True)
    """
    if resamples < 1:
        raise InputError(f"resamples must be at least 1, not {resamples}")
    table = units.total(statistics)
    summed = sums_of(units, table)
    estimate = finite(finish(summed([np.ones((1, size)) for size in units.sizes])))[0]
    per_resample = 8 * (3 * units.n_units + 3 * table.shape[1] + len(estimate))
    block = max(1, min(resamples, int(memory) // per_resample))
    replicates = np.empty((resamples, len(estimate)))
    start = 0
    block = whole_pieces(block) if units.n_units <= FEW_UNITS else block  # only dense sums come in pieces
    for weights in factor_blocks(units, resamples=resamples, seed=seed, block=block, scheme=scheme):
        stop = start + len(weights[0])
        replicates[start:stop] = finite(finish(summed(weights)))
        start = stop
    lost = np.isnan(replicates).sum(axis=0)
    if np.any(~np.isnan(estimate)) and np.all(lost == resamples):
        raise UndefinedStatistic(
            f"none of the {resamples} resamples had a finite estimate; too few units ({units.n_clusters})"
        )
    return Bootstrap(estimate=estimate, replicates=replicates, n_degenerate=lost, units=units, seed=seed, scheme=scheme)


def sums_of(units: Units, table: csr_array) -> Callable[[list[FloatArray]], FloatArray]:
    """Return the function from the weights of each factor, (b, levels), to the weighted sums (b, k).

    A table that is mostly filled is summed densely, any other unit by unit; two crossed factors whose combinations
    mostly occur without making the weights of the combinations: sum_ij v_i s_ij w_j.
    """
    if units.n_units > FEW_UNITS or table.nnz < DENSE * table.shape[0] * table.shape[1]:
        return lambda weights: unit_sums(units.product(weights), table)
    dense = table.toarray()
    if len(units.sizes) == 1:
        return lambda weights: in_pieces(weights[0], dense)
    if units.n_units < DENSE * units.sizes[0] * units.sizes[1]:
        return lambda weights: in_pieces(units.product(weights), dense)
    grid = np.zeros((table.shape[1], *units.sizes))
    grid[:, units.members[0], units.members[1]] = dense.T

    def crossed(weights: list[FloatArray]) -> FloatArray:
        sums = [np.einsum("bj,bj->b", in_pieces(weights[0], one), weights[1]) for one in grid]
        return np.column_stack(sums)

    return crossed


def whole_pieces(block: int) -> int:
    """Return a number of resamples a block that cuts no piece, and is at least one."""
    return max(PIECE, block // PIECE * PIECE)


def in_pieces(weights: FloatArray, dense: FloatArray) -> FloatArray:
    """Weighted sums (b, units) @ (units, k) by dense products of `PIECE` resamples each."""
    out = np.empty((len(weights), dense.shape[1]))
    for start in range(0, len(weights), PIECE):
        out[start : start + PIECE] = weights[start : start + PIECE] @ dense
    return out


def unit_sums(weights: FloatArray, table: csr_array) -> FloatArray:
    """Weighted sums (b, units) @ (units, k), accumulated in the order of the units.

    A sparse product adds one unit at a time to every resample, so bytes do not depend on the block size.
    """
    from scipy.sparse import csr_array

    product = csr_array(table.T) @ np.ascontiguousarray(weights.T)
    return np.ascontiguousarray(np.asarray(product).T)


def finite(values: FloatArray) -> FloatArray:
    """Copy of the estimates with NaN in place of infinities."""
    return np.where(np.isfinite(values), values, np.nan)
