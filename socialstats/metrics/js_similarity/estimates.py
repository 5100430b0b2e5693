"""Plug-in divergences, their bias, their replicates and their tests, of every source in every group of units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.divergence import jackknife_moments, jensen_shannon, quadratic_moments, unit_corrected
from socialstats.models.rater_exchange import exchange_test
from socialstats.models.source_counts import Cells, SourceCounts
from socialstats.models.source_swaps import swap_test
from socialstats.resampling import ChanceTest, Replicates, Units, bootstrap

FLAT = 1e-24  # a variance below is 0 but for rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What the caller chose; `resamples`, `permutations` and `seed` are those of the bootstrap and the test."""

    aggregate: str
    resamples: int
    permutations: int
    seed: int
    ci: str = "percentile"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Divergences:
    """Of m groups of units: all of them, each cell, and (with cells) the mean of the cells.

    Attributes
    ----------
    plain, corrected : (m,) float64 arrays
        NaN where there is none.
    variance, df : (m,) float64 array or None
        By the jackknife: of the plug-in divergences of pooled shares; within units of the corrected ones, with an
        allowance for the bias that is left (without df).
    chance : (2, m) float64 array or None
        tr(AV) and tr((AV)^2) of pooled shares (`quadratic_moments`), what the noncentral interval needs.
    similar : Replicates or None
        Similarities of the resamples, moved by twice the bias so that they lie around the corrected one; None where no
        bootstrap was asked for.
    test : ChanceTest or None
        Of all units and of each cell.
    """

    plain: FloatArray
    corrected: FloatArray
    similar: Replicates | None
    test: ChanceTest | None
    variance: FloatArray | None = None
    df: FloatArray | None = None
    chance: FloatArray | None = None


def with_all(sums: FloatArray) -> FloatArray:
    """(B, cells, ...) sums to (B, 1 + cells, ...): all units first."""
    return np.concatenate([sums.sum(axis=1, keepdims=True), sums], axis=1)


def with_mean(values: FloatArray, several: bool) -> FloatArray:
    """(B, 1 + cells) values to (B, m): the mean of the cells last; without cells (B, 1)."""
    if not several:
        return values[:, :1]
    return np.concatenate([values, values[:, 1:].mean(axis=1, keepdims=True)], axis=1)


def compared(
    data: SourceCounts, cells: Cells, pair: tuple[int, int], codes: Sequence[IntArray], how: How
) -> Divergences:
    """Compare a source with the reference.

    Parameters
    ----------
    data : SourceCounts
    cells : Cells
    pair : (reference, source)
        Places in `data.sources`.
    codes : sequence of (units,) int64 arrays
        Cluster factors.
    how : How
    """
    first, second = (data.counts[:, k] for k in pair)
    make = pooled if how.aggregate == "pooled" else by_unit
    return make(first, second, data.copies, cells, tuple(codes), how)


def pooled(
    first: FloatArray, second: FloatArray, copies: FloatArray, cells: Cells, codes: tuple[IntArray, ...], how: How
) -> Divergences:
    """Divergence of the pooled shares of each cell."""
    n, levels = first.shape
    size, several = max(len(cells.labels), 1), bool(cells.labels)
    table = np.zeros((n, size, 2, levels))
    table[np.arange(n), cells.codes] = np.stack([first, second], axis=1) * copies[:, None, None]

    def finish(sums: FloatArray) -> FloatArray:
        every = with_all(sums.reshape(-1, size, 2, levels))
        return with_mean(jensen_shannon(every[:, :, 0], every[:, :, 1]), several)

    flat = table.reshape(n, -1)
    plain = finish(flat.sum(axis=0)[None, :])[0]
    if few(codes, copies):
        return Divergences(plain=plain, corrected=np.full(len(plain), math.nan), similar=None, test=None)
    moments = jackknife_moments(flat, finish, copies, codes, touching(table, several))
    bias, variance = moments.bias, moments.variance
    if several:
        bias[-1] = bias[1:-1].mean()
    test = swaps(table, codes, copies, how)
    if how.ci == "noncentral":
        parts = [with_all(table)[:, k : k + 1] for k in range(1 + size)] if several else [table]
        chance = np.array([quadratic_moments(part, copies, codes) for part in (*parts, *([table] * several))]).T
        return Divergences(plain=plain, corrected=plain - bias, similar=None, test=test, variance=variance,
                           df=moments.df, chance=chance)  # fmt: skip
    units = Units.clusters(*codes) if codes else Units.rows(copies)
    boot = bootstrap(flat, finish, units, resamples=how.resamples, seed=how.seed)
    similar = Replicates(  # a replicate has the bias twice: of the sample from the truth, and its own from the sample
        estimate=1 - (plain - bias), replicates=1 - (boot.replicates - 2 * bias), n_degenerate=boot.n_degenerate
    )
    return Divergences(plain=plain, corrected=plain - bias, similar=similar, test=test, variance=variance)


def touching(table: FloatArray, several: bool) -> FloatArray:
    """(units, m) array: which units enter which group."""
    each = table.sum(axis=(2, 3)) > 0
    some = each.any(axis=1, keepdims=True)
    return np.asarray(np.concatenate([some, each, some] if several else [some], axis=1), dtype=np.float64)


def few(codes: Sequence[IntArray], copies: FloatArray) -> bool:
    """Tell whether there is a single independent unit."""
    return min((len(np.unique(c)) for c in codes), default=int(copies.sum())) < 2


def swaps(table: FloatArray, codes: tuple[IntArray, ...], copies: FloatArray, how: How) -> ChanceTest | None:
    """Swap the sources in whole clusters; None with two crossed factors, whose clusters overlap."""
    if len(codes) == 2:
        return None
    n, levels = len(table), table.shape[3]
    if codes:
        code, rows = codes[0], table
    else:  # alike units are swapped one by one
        times = copies.astype(np.int64)
        rows = np.repeat(table / copies[:, None, None, None], times, axis=0)
        code, n = np.arange(len(rows)), len(rows)
    every = with_all(rows)
    totals = every.sum(axis=(0, 3))
    shares = every / np.where(totals > 0, totals, 1.0)[None, :, :, None]

    def finish(one: FloatArray, two: FloatArray) -> FloatArray:
        return jensen_shannon(one.reshape(len(one), -1, levels), two.reshape(len(two), -1, levels))

    first, second = (shares[:, :, k].reshape(n, -1) for k in (0, 1))
    return swap_test(first, second, finish, code, permutations=how.permutations, seed=how.seed)


def with_allowance(spread: FloatArray, corrected: FloatArray, first_order: FloatArray) -> FloatArray:
    """Variance with the square of about half of what the second order takes off, for the bias that is left.

    NaN where units do not differ.
    """
    return np.where(spread > FLAT, spread + ((corrected - first_order) / 2) ** 2, math.nan)


def by_unit(
    first: FloatArray, second: FloatArray, copies: FloatArray, cells: Cells, codes: tuple[IntArray, ...], how: How
) -> Divergences:
    """Mean over units of the divergence within the unit."""
    size, several = max(len(cells.labels), 1), bool(cells.labels)
    kept = np.flatnonzero((first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    if not len(kept):
        none = np.full(size + 2 if several else 1, math.nan)
        return Divergences(plain=none, corrected=none, similar=None, test=None)
    one, two, weight, cell = first[kept], second[kept], copies[kept], cells.codes[kept]
    table = np.zeros((len(kept), size, 4))
    values = [jensen_shannon(one, two), unit_corrected(one, two), unit_corrected(one, two, 1), np.ones(len(kept))]
    table[np.arange(len(kept)), cell] = np.column_stack(values) * weight[:, None]
    known = ~np.isnan(table)

    def finish(sums: FloatArray) -> FloatArray:
        every = with_all(sums.reshape(-1, size, 4))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.concatenate([with_mean(every[:, :, k] / every[:, :, 3], several) for k in range(3)], axis=1)

    own = [c[kept] for c in codes]
    test = exchange_test(one, two, weight, cell, size, permutations=how.permutations, seed=how.seed)
    whole = finish(table.reshape(len(kept), -1).sum(axis=0)[None, :])[0]
    m = len(whole) // 3
    plain, corrected, first_order = (whole[k * m : (k + 1) * m] for k in range(3))
    if few(own, weight):
        return Divergences(plain=plain, corrected=corrected, similar=None, test=test)
    flat = np.where(known, table, 0.0).reshape(len(kept), -1)
    if how.ci == "t":
        met = np.zeros((len(kept), size, 1, 1))
        met[np.arange(len(kept)), cell] = 1.0
        spread = jackknife_moments(flat, lambda sums: finish(sums)[:, m : 2 * m], weight, tuple(own),
                                   touching(met, several)).variance  # fmt: skip
        variance = with_allowance(spread, corrected, first_order)
        return Divergences(plain=plain, corrected=corrected, similar=None, test=test, variance=variance)
    units = Units.clusters(*own) if own else Units.rows(weight)
    boot = bootstrap(flat, finish, units, resamples=how.resamples, seed=how.seed)
    similar = Replicates(
        estimate=1 - corrected, replicates=1 - boot.replicates[:, m : 2 * m], n_degenerate=boot.n_degenerate[m : 2 * m]
    )
    return Divergences(plain=plain, corrected=corrected, similar=similar, test=test)
