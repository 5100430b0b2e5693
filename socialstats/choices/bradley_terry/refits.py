"""Refits of resamples of a Bradley-Terry model, at once or in processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from scipy import sparse

from socialstats.arrays import FloatArray, IntArray
from socialstats.choices.bradley_terry.fitting import Refitter
from socialstats.choices.bradley_terry.model import FitState
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.designs.scan import ClusterPart, one_number
from socialstats.errors import InputError
from socialstats.halves import in_halves, processes
from socialstats.resampling.engine import PlanUnits, weight_blocks
from socialstats.resampling.hashed import HashedWeights
from socialstats.voice import option

# bytes of the weights of one block of refits: few enough to stay in the processor's cache
TABLE_BYTES = 1_600_000
READ_FOR = 64  # resamples for which the rows are gone through once
# (start, n) -> blocks start, start + n, ... of resamples, and their tables of weights
Tables = Callable[[int, int], Iterator[tuple[slice, FloatArray]]]


def cells_in_parts(
    design: Comparisons, factors: Sequence[Factor]
) -> tuple[Callable[[], Iterable[ClusterPart]], list[Sequence[str]]]:
    """Return the rows by cell and cluster, in parts, and the names of the clusters of each factor."""
    if design.scan is not None and design.scan.named([f.name for f in factors]):
        rows = design.scan.rows([f.name for f in factors])
        return rows.pairs, [rows.texts(k) for k in range(len(factors))]
    all_cells = ClusterPart(
        cell=np.arange(len(design.weight)),
        count=design.count,
        weight=design.weight,
        weight_sq=design.weight_sq,
        codes=tuple(f.codes for f in factors),
    )
    return lambda: [all_cells], [f.levels for f in factors]


def resampled_factors(design: Comparisons, state: FitState, by: str) -> Sequence[Factor]:
    """Return what is resampled; nothing for single rows."""
    if by == "row":
        return () if design.replies is None else (design.replies.factor,)
    if by == "pair":
        return (design.pair,)
    if by == "cluster":
        if not state.factors:
            raise InputError(
                f"{option('by', 'cluster')} needs a fit with clusters; this one has none"
            )
        return state.factors
    raise InputError(f"{option('by', by)} is not one of 'auto', 'row', 'pair', 'cluster'")


def refit_all(
    design: Comparisons, state: FitState, units: PlanUnits, resamples: int, seed: int
) -> FloatArray:
    """Return the (resamples, p) estimates from multinomial weights, NaN where a resample has no finite one."""
    data = state.data
    m = len(state.data.a)
    # (outcome and cell, unit): the weights of three outcomes of m cells, one below the other
    place = (data.outcome * m + data.cell, units.unit)
    counts = sparse.csr_array(
        sparse.coo_array((design.weight, place), shape=(3 * m, units.n_units))
    )
    used = np.flatnonzero(np.diff(counts.indptr))
    table = sparse.csr_array(counts[used])

    def tables(start: int, n: int) -> Iterator[tuple[slice, FloatArray]]:
        block = resamples_at_once(m)
        drawn = weight_blocks(units, resamples=resamples, seed=seed, block=block)
        for k, weights in enumerate(drawn):
            # every process draws all weights, so that they do not depend on the number of processes
            if k % n == start:
                w = np.zeros((3 * m, len(weights)))
                w[used] = table @ weights.T
                yield slice(k * block, k * block + len(weights)), w

    return refit_in_processes(state, resamples, tables, processes())


def refit_hashed(
    state: FitState,
    parts: Callable[[], Iterable[ClusterPart]],
    weights: Sequence[HashedWeights],
    resamples: int,
) -> FloatArray:
    """Return what `refit_all` does, from weights that depend on the names of the clusters alone.

    Parameters
    ----------
    parts : callable
        Returns all rows by cell and cluster, in parts.
    weights : sequence of HashedWeights
        One for each factor.
    """
    data = state.data
    m = len(state.data.a)

    def tables(start: int, n: int) -> Iterator[tuple[slice, FloatArray]]:
        few = resamples_at_once(m)
        for first in range(start * READ_FOR, resamples, n * READ_FOR):
            last = min(first + READ_FOR, resamples)
            w = np.zeros((3 * m, last - first))
            for part in parts():
                outcome = data.outcome[part.cell] * m + data.cell[part.cell]
                used, at = np.unique(outcome, return_inverse=True)
                unit, times = draws_of_units(part, weights, first, last)
                shape = len(used), len(times)
                w[used] += sparse.csr_array((part.weight, (at, unit)), shape=shape) @ times
            for k in range(first, last, few):
                yield slice(k, min(k + few, last)), w[:, k - first : k - first + few]

    return refit_in_processes(state, resamples, tables, 1)


def draws_of_units(
    part: ClusterPart, weights: Sequence[HashedWeights], first: int, last: int
) -> tuple[IntArray, FloatArray]:
    """Return the unit of each row of a part, its cluster or combination of two, and how often each unit is drawn."""
    # one number a combination, whose digits to the base size + 1 are the levels plus 1
    sizes = [int(code.max()) + 1 for code in part.codes]
    units, unit = np.unique(one_number(part.codes, sizes), return_inverse=True)
    times = np.ones((len(units), last - first))
    for factor_weights, size in zip(reversed(weights), reversed(sizes), strict=True):
        units, level = np.divmod(units, size + 1)
        times *= factor_weights.weights(level - 1, first, last)
    return unit, times


def resamples_at_once(m: int) -> int:
    """Return how many refits of m cells fill one block."""
    # 24 bytes: the weights of three outcomes of a cell
    return max(8, min(64, TABLE_BYTES // (24 * m)))


def refit_in_processes(state: FitState, resamples: int, tables: Tables, n: int) -> FloatArray:
    """Return estimates from tables of weights of outcomes, (3 m, b), by n processes."""
    m = len(state.data.a)

    def refit_part(start: int) -> list[tuple[slice, FloatArray]]:
        refitter = Refitter(state.data, state.model, state.fitted.beta)
        return [(rows, refitter.refit(w.reshape(3, m, -1))) for rows, w in tables(start, n)]

    estimates = np.empty((resamples, len(state.fitted.beta)))
    for rows, beta in (block for part in in_halves(refit_part, n, least=2) for block in part):
        estimates[rows] = beta.T
    return estimates
