"""Several means that are all 0, tested with clusters: a Wald test with the F distribution of Hotelling's T^2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.clustered_mean import ONE_HOLDS_ALL, clustered_mean, others
from socialstats.inference.intervals import cochran_df, not_zero
from socialstats.inference.means import crossing

RANK = 1e-10  # eigenvalues below this share of the largest are 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaldTest:
    """F test of q means.

    Attributes
    ----------
    statistic, df, df_denominator, p : float
    cautious : bool
        Two factors only: V1 + V2 - V12 was not positive and V1 + V2 took its place, or W was smaller with V1 or V2.
    """

    statistic: float
    df: float
    df_denominator: float
    p: float
    cautious: bool = False


def robust_wald(values: FloatArray, count: FloatArray, codes: Sequence[IntArray]) -> WaldTest | str:
    """Test that the means of several columns are all 0, with one or two crossed cluster factors.

    W = m' V^- m, with V the cluster-robust covariance of the means (one factor: CR2; two: V1 + V2 - V12, the first two
    by CR2, or V1 or V2 where W is smaller, which in one dimension is the rule of `clustered_mean`) and V^- its inverse
    on the q dimensions it has. F = (v - q + 1) / (v q) W has q and v - q + 1 df (Hotelling's T^2; Pustejovsky
    & Tipton 2018), v the Satterthwaite df of a single mean; of two factors Cochran's, by the traces of V1 and V2.

    Parameters
    ----------
    values : (cells, m) float64 array
        May be linearly dependent, such as shares that sum to 0.
    count : (cells,) float64 array
    codes : one or two (cells,) int64 arrays

    Returns
    -------
    WaldTest, or str
        The reason where it does not exist.

    Examples
    --------
    >>> x = np.array([[1.0], [2.0], [-1.0], [3.0]])
    >>> test = robust_wald(x, np.ones(4), [np.arange(4)])
    >>> round(test.statistic, 4), test.df, round(test.df_denominator, 6)
    (2.1429, 1.0, 3.0)
    """
    n = float(count.sum())
    dense = crossing(codes)
    if min(int(c.max()) for c in dense) < 1:
        return "a single cluster"
    mean = count @ values / n
    off = (values - mean) * count[:, None]
    cautious = False
    dfs = [satterthwaite(count, c) for c in dense[:2]]
    if np.isnan(dfs).any():
        return ONE_HOLDS_ALL
    parts = [outer_sums(off / n, c, 1 / others(c, count)) for c in dense[:2]]
    covariance, freedom = parts[0], dfs[0]
    if len(dense) > 1:
        covariance = parts[0] + parts[1] - outer_sums(off / n, dense[2], np.ones(int(dense[2].max()) + 1))
        traces = [float(np.trace(part)) for part in parts]
        freedom = cochran_df(traces, dfs) if sum(traces) > 0 else min(dfs)
        known = rank_of(parts[0] + parts[1])
        alone = [f_test(mean, part, freedom, True) for part in parts if rank_of(part) == known]
        less = np.linalg.eigvalsh(covariance).min() < -RANK * np.trace(covariance)
        if known > 1 and (less or rank_of(covariance) < known):
            covariance, cautious = parts[0] + parts[1], True
        elif known == 1 and np.trace(covariance) < max(traces):
            covariance, cautious = max(parts, key=lambda part: float(np.trace(part))), True
        found = [test for test in (f_test(mean, covariance, freedom, cautious), *alone) if isinstance(test, WaldTest)]
        if found:
            return min(found, key=lambda test: test.statistic)
    return f_test(mean, covariance, freedom, cautious)


def f_test(mean: FloatArray, covariance: FloatArray, freedom: float, cautious: bool) -> WaldTest | str:
    """Turn means and their covariance into an F test."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > RANK * max(float(values[-1]), 0.0)
    q = float(np.count_nonzero(kept & (values > 0)))
    if not q:
        return "the clusters show no variance to judge the differences by"
    turned = vectors[:, kept].T @ mean
    if float(np.linalg.norm(mean) ** 2 - turned @ turned) > RANK * max(float(mean @ mean), RANK):
        return "too few clusters, or too alike: they show no variance in a direction in which the means differ"
    denominator = freedom - q + 1
    if denominator <= 0:
        return f"too few clusters for {q:g} differences"
    statistic = denominator / (freedom * q) * float(turned**2 @ (1 / values[kept]))
    p = float(not_zero(fdtrc(q, denominator, statistic)))
    return WaldTest(statistic=statistic, df=q, df_denominator=denominator, p=p, cautious=cautious)


def outer_sums(off: FloatArray, code: IntArray, weight: FloatArray) -> FloatArray:
    """Sum over clusters of the outer products of their sums, weighted."""
    size = int(code.max()) + 1
    sums = np.column_stack([np.bincount(code, column, minlength=size) for column in off.T])
    return np.asarray((sums * weight[:, None]).T @ sums)


def rank_of(covariance: FloatArray) -> int:
    """Number of eigenvalues that are not 0."""
    values = np.linalg.eigvalsh(covariance)
    return int(np.count_nonzero(values > RANK * max(float(values[-1]), 0.0)))


def satterthwaite(count: FloatArray, code: IntArray) -> float:
    """Degrees of freedom of a CR2 mean: they depend on the sizes of the clusters alone."""
    signs = np.where(code % 2 == 0, 1.0, -1.0)  # any values that vary
    return clustered_mean(signs, count, [code]).df
