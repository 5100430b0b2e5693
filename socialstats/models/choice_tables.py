"""Shares of levels by source, their differences on the units that both sources rated, and tests of equal shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.intervals import not_zero
from socialstats.models.source_swaps import swap_test
from socialstats.models.unit_shares import Shares, merged
from socialstats.resampling import ChanceTest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairTable:
    """Counts of two sources in the units that both rated.

    Attributes
    ----------
    first, second : (units, levels) float64 arrays
        The source, and the reference that is subtracted.
    copies : (units,) float64 array
    codes : tuple of (units,) int64 arrays
        Cluster factors.
    """

    first: FloatArray
    second: FloatArray
    copies: FloatArray
    codes: tuple[IntArray, ...]

    @property
    def totals(self) -> FloatArray:
        """(2, levels) float64 array of counts."""
        return np.stack([self.copies @ self.first, self.copies @ self.second])


def common(
    first: FloatArray, second: FloatArray, copies: FloatArray, codes: Sequence[IntArray], among: FloatArray
) -> PairTable:
    """Keep the units (of some) that both sources rated."""
    kept = np.flatnonzero(among & (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    return PairTable(
        first=first[kept], second=second[kept], copies=copies[kept], codes=tuple(code[kept] for code in codes)
    )


def level_shares(counts: FloatArray, level: int, copies: FloatArray, codes: Sequence[IntArray]) -> Shares:
    """Ratings of a level among all ratings, in clusters.

    Ratings of one unit are not independent: without declared clusters the units are the clusters (unless each has
    one rating).

    Parameters
    ----------
    counts : (units, levels) float64 array
        Of one source; units without a rating take no part.
    level : int
    copies : (units,) float64 array
    codes : sequence of (units,) int64 arrays
    """
    n = counts.sum(axis=1)
    kept = np.flatnonzero(n > 0)
    chosen, size, weight = counts[kept, level], n[kept], copies[kept]
    groups = [code[kept] for code in codes]
    if not groups and np.any(size > 1):  # alike units are clusters of their own
        times = weight.astype(np.int64)
        chosen, size = np.repeat(chosen, times), np.repeat(size, times)
        weight, groups = np.ones(len(size)), [np.arange(len(size))]
    ones, counted = np.repeat([1.0, 0.0], len(size)), np.concatenate([weight * chosen, weight * (size - chosen)])
    some = counted > 0
    return merged(ones[some], counted[some], [np.tile(g, 2)[some] for g in groups], float(counted.sum()))


def share_differences(pair: PairTable) -> list[ClusteredMean]:
    """Difference of two shares, level by level: first minus second, with the standard error of paired units.

    A ratio of sums is the mean of its linearised values: unit u of n adds p + n (c_u - p m_u)/M, with c_u of its m_u
    ratings in the level and M ratings in all; their difference between the sources is one value a unit, whose mean
    gets the standard error CR2 of the clusters (of independent units: sd/sqrt(n)). With equally many ratings in every
    unit it is the paired t of the units' own shares.
    """
    n = float(pair.copies.sum())
    sums = pair.totals
    shares = sums / sums.sum(axis=1, keepdims=True)
    values = np.zeros_like(pair.first)
    for sign, counts, p, total in zip((1, -1), (pair.first, pair.second), shares, sums.sum(axis=1), strict=True):
        values += sign * (p + n * (counts - p * counts.sum(axis=1, keepdims=True)) / total)
    levels = range(len(shares[0]))
    return [clustered_mean(values[:, j], pair.copies, pair.codes, magnitude=1.0) for j in levels]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChiSquare:
    """Pearson's chi-square of two sources by levels; `undefined` says why there is none."""

    statistic: float
    df: int
    p_value: float
    undefined: str = ""


def chi_square(pair: PairTable) -> ChiSquare:
    """Pearson's (1900) chi-square of equal shares, as if all ratings were independent; unused levels are left out.

    Examples
    --------
    >>> table = PairTable(first=np.array([[30.0, 10.0]]), second=np.array([[20.0, 20.0]]), copies=np.ones(1), codes=())
    >>> found = chi_square(table)
    >>> round(found.statistic, 4), found.df, round(found.p_value, 4)
    (5.3333, 1, 0.0209)
    """
    table = pair.totals
    used = table[:, table.sum(axis=0) > 0]
    df = used.shape[1] - 1
    if df < 1:
        why = "every rating is of one level: nothing to compare"
        return ChiSquare(statistic=math.nan, df=df, p_value=math.nan, undefined=why)
    value = float(statistic_of(used[:1] / used[0].sum(), used[1:] / used[1].sum(), used.sum(axis=1))[0, 0])
    return ChiSquare(statistic=value, df=df, p_value=float(not_zero(chdtrc(df, value))))


def statistic_of(p: FloatArray, q: FloatArray, sizes: FloatArray) -> FloatArray:
    """Chi-square of shares: sum over levels of (p - q)^2 / (share of both) times n1 n2/(n1 + n2); (B, 1)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = (x / x.sum(axis=1, keepdims=True) for x in (p, q))
        both = (sizes[0] * p + sizes[1] * q) / sizes.sum()
        terms = np.where(both > 0, (p - q) ** 2 / both, 0.0)
        value = terms.sum(axis=1, keepdims=True) * sizes[0] * sizes[1] / sizes.sum()
    return np.where(np.isnan(p).any(axis=1, keepdims=True) | np.isnan(q).any(axis=1, keepdims=True), np.nan, value)


def swap_p(pair: PairTable, *, permutations: int, seed: int) -> ChanceTest | None:
    """Test equal shares by swapping the sources in whole clusters (units); None with two crossed factors."""
    if len(pair.codes) == 2:
        return None
    sizes = pair.totals.sum(axis=1)
    first, second = pair.first * pair.copies[:, None] / sizes[0], pair.second * pair.copies[:, None] / sizes[1]
    if pair.codes:
        code = pair.codes[0]
    else:
        times = pair.copies.astype(np.int64)
        first, second = (np.repeat(x / pair.copies[:, None], times, axis=0) for x in (first, second))
        code = np.arange(len(first))

    def finish(p: FloatArray, q: FloatArray) -> FloatArray:
        return statistic_of(p, q, sizes)

    return swap_test(first, second, finish, code, permutations=permutations, seed=seed)
