"""Two sources in the units that both rated: differences of their shares, and tests that these are equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.cells import mass, unequal
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.intervals import not_zero
from socialstats.inference.means import DrawnRaters
from socialstats.paired.robust_tests import WaldTest, robust_wald
from socialstats.resampling.options import checked_seed
from socialstats.resampling.permutation import (
    TIE,
    ChanceTest,
    as_extreme,
    checked_draws,
    monte_carlo_p,
)
from socialstats.shares.divergence import summed
from socialstats.text import number

SharesOf = Callable[[FloatArray, FloatArray], FloatArray]
BLOCK = 512  # swaps in memory at once


def swap_test(
    first: FloatArray,
    second: FloatArray,
    finish: SharesOf,
    copies: FloatArray,
    codes: Sequence[IntArray],
    *,
    permutations: int,
    seed: int,
) -> ChanceTest | None:
    """Test that two sources choose alike, by exchanging their names in whole clusters at random.

    A cluster's two parts are shares of the totals of their sources. Swapping them leaves their sum as it is and turns
    the sign of their difference. The test asks whether the mean difference of the clusters is 0. It needs independent
    clusters. It needs neither equal numbers of ratings of both sources nor independent ratings within a cluster.
    Repeated runs of one model stay together. (Exchanging single ratings would take them for independent.)

    Parameters
    ----------
    first, second : (units, k) float64 arrays
        Counts of each source, of all alike units together, over its total: the columns of a cell sum to 1.
    finish : callable
        ((B, k) shares of the first, (B, k) of the second) -> (B, m) statistics that grow with the difference.
    copies : (units,) float64 array
        Alike units, which are swapped one by one where there are no clusters.
    codes : sequence of (units,) int64 arrays
        Cluster factors.
    permutations, seed : int

    Returns
    -------
    ChanceTest or None
        p = (b + 1)/(B + 1) with B the swaps that have a statistic; NaN where fewer than two clusters differ. None with
        two crossed factors, whose clusters overlap.

    References
    ----------
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). Randomization tests under an approximate symmetry assumption.
    doi:10.3982/ECTA13081
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> first = np.array([[5.0, 1.0], [4.0, 2.0], [6.0, 0.0], [5.0, 1.0], [4.0, 2.0], [5.0, 1.0]]) / 36
    >>> gap = lambda p, q: np.abs(p - q).sum(axis=1, keepdims=True)
    >>> test = swap_test(first, first[:, ::-1], gap, np.ones(6), (), permutations=999, seed=1)
    >>> float(test.statistic[0]), bool(test.p_value[0] < 0.06)
    (1.222..., True)
    """
    permutations, seed = checked_draws(permutations, "permutations"), checked_seed(seed)
    if len(codes) == 2:
        return None
    if codes:
        dense = np.unique(codes[0], return_inverse=True)[1]
        x, y = (summed(counts, dense) for counts in (first, second))
    else:
        n_alike = copies.astype(np.int64)
        x, y = (np.repeat(counts / copies[:, None], n_alike, axis=0) for counts in (first, second))
    # (clusters, k): a swap leaves the sum of a cluster's parts and turns their difference
    differences = x - y
    total = (x + y).sum(axis=0)
    observed = finish(*swapped_sums(total, differences.sum(axis=0)[None, :]))[0]
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    extreme = np.zeros(len(observed), dtype=np.int64)
    usable = np.zeros(len(observed), dtype=np.int64)
    tolerance = 100 * TIE * (1 + np.abs(observed))
    for start in range(0, permutations, BLOCK):
        n = min(BLOCK, permutations - start)
        signs = 2.0 * rng.integers(0, 2, size=(n, len(differences))) - 1
        values = finish(*swapped_sums(total, signs @ differences))
        usable += (~np.isnan(values)).sum(axis=0)
        extreme += as_extreme(values, observed, tolerance, "greater").sum(axis=0)
    defined = ~np.isnan(observed) & (usable > 0) & (len(differences) > 1)
    p, error = monte_carlo_p(extreme, np.maximum(usable, 1))
    return ChanceTest(
        statistic=observed,
        p_value=np.where(defined, p, np.nan),
        mc_error=np.where(defined, error, np.nan),
        exact=False,
        draws=permutations,
        method="sources swapped in whole clusters",
    )


def swapped_sums(total: FloatArray, difference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both sources' sums from their sum and (B, k) differences; rounding below 0 is 0."""
    rounding = TIE * np.abs(total)
    first, second = (total + difference) / 2, (total - difference) / 2
    return np.where(first > rounding, first, 0.0), np.where(second > rounding, second, 0.0)


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
    weight : (units,) float64 array, or None
        Sampling weights.
    """

    first: FloatArray
    second: FloatArray
    copies: FloatArray
    codes: tuple[IntArray, ...]
    weight: FloatArray | None = None

    @property
    def totals(self) -> FloatArray:
        """(2, levels) float64 array of counts."""
        return np.stack([self.copies @ self.first, self.copies @ self.second])


def rated_by_both(
    first: FloatArray,
    second: FloatArray,
    copies: FloatArray,
    codes: Sequence[IntArray],
    among: BoolArray,
    weight: FloatArray | None = None,
) -> PairTable:
    """Keep the units (of some) that both sources rated."""
    rated = np.flatnonzero(among & (first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    return PairTable(
        first=first[rated],
        second=second[rated],
        copies=copies[rated],
        codes=tuple(code[rated] for code in codes),
        weight=None if weight is None else unequal(weight[rated]),
    )


def share_differences(pair: PairTable, drawn: Sequence[DrawnRaters] = ()) -> list[ClusteredMean]:
    """Difference of two shares, level by level: first minus second, with the standard error of paired units.

    A ratio of sums is the mean of its linearised values: unit u of n adds p + n (c_u - p m_u)/M, with c_u of its m_u
    ratings in the level and M ratings in all. Their difference between the sources is one value per unit, whose mean
    gets the standard error CR2 of the clusters (of independent units: sd/sqrt(n)). With equally many ratings in every
    unit it is the paired t of the units' own shares. Raters who are a sample are a second, crossed factor.
    """
    values = linear_differences(pair)
    return [
        clustered_mean(
            values[:, j],
            pair.copies,
            pair.codes,
            magnitude=1.0,
            weight=pair.weight,
            drawn=[group.column(j) for group in drawn],
        )
        for j in range(values.shape[1])
    ]


def linear_differences(pair: PairTable) -> FloatArray:
    """(units, levels) float64 array: values of `share_differences`, whose mean is the difference of shares."""
    unit_mass = mass(pair.copies, pair.weight)
    n = float(pair.copies.sum())
    values = np.zeros_like(pair.first)
    for sign, counts in ((1, pair.first), (-1, pair.second)):
        sums = unit_mass @ counts
        total = sums.sum()
        p, m = sums / total, counts.sum(axis=1, keepdims=True)
        values += sign * (p + n * (counts - p * m) / total)
    return values


def joint_share_test(pair: PairTable, drawn: Sequence[DrawnRaters]) -> WaldTest | str:
    """Test equal shares of all levels by F, with units (or clusters) and drawn raters as crossed factors."""
    values = linear_differences(pair)
    times = np.ones(len(values), dtype=np.int64) if pair.codes else pair.copies.astype(np.int64)
    values, count = np.repeat(values, times, axis=0), np.repeat(pair.copies / times, times)
    return robust_wald(values, count, pair.codes or (np.arange(len(values)),), drawn)


def f_text(test: WaldTest) -> str:
    """Name the F test with both degrees of freedom."""
    return f"F({number(test.df, 0)}, {number(test.df_denominator, 1)}) of all levels, over units (clusters) and raters"


def pearson_chi_square(pair: PairTable) -> tuple[float, int, float]:
    """Pearson's (1900) chi-square of equal shares, as if all ratings were independent; unused levels are left out.

    Returns
    -------
    tuple
        Statistic, degrees of freedom and p-value; with a single level in use (0 degrees of freedom) NaN.

    Examples
    --------
    >>> table = PairTable(first=np.array([[30.0, 10.0]]), second=np.array([[20.0, 20.0]]), copies=np.ones(1), codes=())
    >>> value, df, p = pearson_chi_square(table)
    >>> round(value, 4), df, round(p, 4)
    (5.3333, 1, 0.0209)
    """
    table = pair.totals
    used = table[:, table.sum(axis=0) > 0]
    df = used.shape[1] - 1
    if df < 1:
        return math.nan, df, math.nan
    value = float(chi_square_statistic(used[:1], used[1:], used.sum(axis=1))[0, 0])
    return value, df, float(not_zero(chdtrc(df, value)))


def chi_square_statistic(p: FloatArray, q: FloatArray, sizes: FloatArray) -> FloatArray:
    """Chi-square of shares: sum over levels of (p - q)^2 / (share of both) times n1 n2/(n1 + n2); (B, 1)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = (x / x.sum(axis=1, keepdims=True) for x in (p, q))
        pooled = (sizes[0] * p + sizes[1] * q) / sizes.sum()
        terms = np.where(pooled > 0, (p - q) ** 2 / pooled, 0.0)
        value = terms.sum(axis=1, keepdims=True) * sizes[0] * sizes[1] / sizes.sum()
    undefined = (np.isnan(p) | np.isnan(q)).any(axis=1, keepdims=True)
    return np.where(undefined, np.nan, value)


def swap_p(pair: PairTable, *, permutations: int, seed: int) -> ChanceTest | None:
    """Test equal shares by swapping the sources in whole clusters (units); None with two crossed factors."""
    sizes = pair.totals.sum(axis=1)
    first, second = (
        x * pair.copies[:, None] / n for x, n in zip((pair.first, pair.second), sizes, strict=True)
    )
    return swap_test(
        first,
        second,
        lambda p, q: chi_square_statistic(p, q, sizes),
        pair.copies,
        pair.codes,
        permutations=permutations,
        seed=seed,
    )
