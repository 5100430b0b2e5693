"""The test by swapping: would two sources do as well under each other's name, cluster by cluster?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.chance import TIE, ChanceTest, as_extreme, checked_draws, checked_seed, monte_carlo_p

SharesOf = Callable[[FloatArray, FloatArray], FloatArray]
BLOCK = 512


def swap_test(
    first: FloatArray, second: FloatArray, finish: SharesOf, code: IntArray, *, permutations: int, seed: int
) -> ChanceTest:
    """Test that two sources choose alike, by exchanging their names in whole clusters at random.

    A cluster's two parts are shares of the totals of their sources. Swapping them leaves their sum as it is and turns
    the sign of their difference: the test asks whether the mean difference of the clusters is 0. It needs clusters
    that are independent, but neither as many ratings of one source as of the other nor independent ratings within a
    cluster: runs of one model that repeat each other stay together. (Exchanging single ratings would take them for
    independent.)

    Parameters
    ----------
    first, second : (units, k) float64 arrays
        Counts of each source over its total, so that the columns of a cell sum to 1 over the units.
    finish : callable
        ((B, k) shares of the first, (B, k) of the second) -> (B, m) statistics that grow with the difference.
    code : (units,) int64 array
        Cluster of each unit.
    permutations, seed : int

    Returns
    -------
    ChanceTest
        p = (b + 1)/(B + 1) with B the swaps that have a statistic; NaN where fewer than two clusters differ.

    References
    ----------
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). Randomization tests under an approximate symmetry assumption.
    doi:10.3982/ECTA13081
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> one = np.array([[5.0, 1.0], [4.0, 2.0], [6.0, 0.0], [5.0, 1.0], [4.0, 2.0], [5.0, 1.0]]) / 36
    >>> gap = lambda p, q: np.abs(p - q).sum(axis=1, keepdims=True)
    >>> test = swap_test(one, one[:, ::-1], gap, np.arange(6), permutations=999, seed=1)
    >>> float(test.statistic[0]), bool(test.p_value[0] < 0.06)
    (1.222..., True)
    """
    permutations, seed = checked_draws(permutations, "permutations"), checked_seed(seed)
    dense = np.unique(code, return_inverse=True)[1]
    one, two = (cluster_totals(x, dense) for x in (first, second))
    total, apart = one + two, one - two
    whole, gap = total.sum(axis=0), apart.sum(axis=0)
    observed = finish(*swapped(whole, gap[None, :]))[0]
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    extreme, usable = np.zeros(len(observed), dtype=np.int64), np.zeros(len(observed), dtype=np.int64)
    tolerance = 100 * TIE * (1 + np.abs(observed))
    for start in range(0, permutations, BLOCK):
        n = min(BLOCK, permutations - start)
        signs = 2.0 * rng.integers(0, 2, size=(n, len(apart))) - 1
        values = finish(*swapped(whole, signs @ apart))
        usable += (~np.isnan(values)).sum(axis=0)
        extreme += as_extreme(values, observed, tolerance, "greater").sum(axis=0)
    known = ~np.isnan(observed) & (usable > 0) & (len(apart) > 1)
    p, error = monte_carlo_p(extreme, np.maximum(usable, 1))
    return ChanceTest(
        statistic=observed, p_value=np.where(known, p, np.nan), mc_error=np.where(known, error, np.nan), exact=False,
        draws=permutations, method="sources swapped in whole clusters",
    )  # fmt: skip


def cluster_totals(counts: FloatArray, dense: IntArray) -> FloatArray:
    """(clusters, k) sums of (units, k) counts."""
    out = np.zeros((int(dense.max()) + 1, counts.shape[1]))
    np.add.at(out, dense, counts)
    return out


def swapped(whole: FloatArray, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both sources' sums from their sum and (B, k) differences; rounding below 0 is 0."""
    rounding = TIE * np.abs(whole)
    one, two = (whole + gap) / 2, (whole - gap) / 2
    return np.where(one > rounding, one, 0.0), np.where(two > rounding, two, 0.0)
