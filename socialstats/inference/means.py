"""Cluster-robust variances of means and ratios, and their degrees of freedom: CR2 with one parameter.

A mean, a share, a ratio of sums or any linearised statistic has two parts. Its cells contribute deviations (`scores`,
whose sum is 0) and weights (`shares`, whose sum is 1). With one parameter the equations of
`socialstats.inference.robust` are closed formulas of the sums by cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.intervals import cochran_df

LOST = 64 * float(np.finfo(np.float64).eps)  # a share that rounding can leave of 0: one cluster is the whole statistic
ROUND_DF = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanErrors:
    """Variances of k statistics, as (k,) arrays.

    Attributes
    ----------
    variance : float64 array
        NaN where one cluster is the whole statistic, or there is none.
    df : float64 array
        Satterthwaite's degrees of freedom of each; with two factors Cochran's. NaN where `variance` is.
    clusters : float64 array
        Clusters that take part; of the factor with fewer.
    effective : float64 array
        1 / sum f^2, the number of equal clusters that would weigh as evenly; of the factor with less.
    largest : float64 array
        Largest share f of one cluster.
    plain : float64 array
        Two factors: V1 + V2 - V12 before it is raised to the larger of V1 and V2. One: `variance`.
    """

    variance: FloatArray
    df: FloatArray
    clusters: FloatArray
    effective: FloatArray
    largest: FloatArray
    plain: FloatArray

    @classmethod
    def of(cls, *, variance: float, df: float, clusters: float, effective: float, largest: float) -> MeanErrors:
        """Return those of one statistic."""
        parts = (variance, df, clusters, effective, largest, variance)
        return cls(**dict(zip(cls.__slots__, (np.array([part]) for part in parts), strict=True)))


def mean_errors(
    scores: Any, shares: Any, factors: Sequence[IntArray] = (), alike: FloatArray | None = None
) -> MeanErrors:
    """Estimate the variances of k means, under independent rows, one cluster factor, or two crossed ones.

    Parameters
    ----------
    scores : (cells, k) array, dense or sparse
        What each cell adds to the deviation of each statistic from its expectation; columns sum to 0.
    shares : (cells, k) array, dense or sparse
        What each cell weighs in each statistic; at least 0, columns sum to 1.
    factors : sequence of (cells,) int64 arrays
        None, one or two.
    alike : (cells,) array, optional
        Independent rows: how many rows of one score each cell stands for (default 1).

    Notes
    -----
    With sums e_g and f_g of the scores and shares of clusters, V = sum e_g^2 / (1 - f_g), which is CR2 of one parameter
    (Bell & McCaffrey 2002), and with r_g = f_g^2 / (1 - f_g)

        df = 1 / (sum f_g^2 + (sum r_g)^2 - sum r_g^2)

    (Satterthwaite's, of independent errors; G - 1 where clusters weigh the same). Two crossed factors: the largest of
    V1, V2 and V1 + V2 - V12, with V12 = sum e^2 over intersections (Cameron, Gelbach & Miller 2011; MacKinnon, Nielsen
    & Webb, arXiv:2406.08880), with Cochran's degrees of freedom of V1 and V2. Of two nested factors the coarser one
    alone counts.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering.
    doi:10.1198/jbes.2010.07136

    Examples
    --------
    >>> values, cluster = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 2])
    >>> found = mean_errors((values - 4)[:, None] / 4, np.full((4, 1), 1 / 4), [cluster])
    >>> round(float(found.variance[0]) ** 0.5, 4), round(float(found.df[0]), 4)
    (2.2822, 1.8)
    """
    if not factors:
        return _one_factor(scores, shares, None, alike)
    dense = crossing(factors)
    if len(dense) == 1:
        return _one_factor(scores, shares, dense[0], None)
    first, second = (_one_factor(scores, shares, code, None) for code in dense[:2])
    e, _, column = _by_cluster(scores, shares, dense[2])
    plain = first.variance + second.variance - np.bincount(column, e**2, minlength=len(first.variance))
    least = (LOST * np.asarray(abs(scores).sum(axis=0)).ravel()) ** 2  # below it sums of scores are rounding
    df = [_joint_df(*both) for both in zip(first.variance, second.variance, first.df, second.df, least, strict=True)]
    return MeanErrors(
        variance=np.maximum(np.maximum(plain, first.variance), second.variance), df=np.array(df), plain=plain,
        clusters=np.minimum(first.clusters, second.clusters), largest=np.maximum(first.largest, second.largest),
        effective=np.minimum(first.effective, second.effective),
    )  # fmt: skip


def crossing(factors: Sequence[IntArray]) -> list[IntArray]:
    """Return the dense codes of one factor, or of two crossed ones and their intersections.

    Of two nested factors only the coarser is left: it holds all dependence.

    Examples
    --------
    >>> [code.tolist() for code in crossing([np.array([4, 4, 7]), np.array([1, 2, 3])])]
    [[0, 0, 1]]
    """
    dense = [np.unique(code, return_inverse=True)[1] for code in factors]
    if len(dense) == 1:
        return dense
    both = np.unique(dense[0] * (dense[1].max() + 1) + dense[1], return_inverse=True)[1]
    if both.max() == max(code.max() for code in dense):
        return [min(dense, key=lambda code: int(code.max()))]
    return [*dense, both]


def _joint_df(v1: float, v2: float, df1: float, df2: float, least: float) -> float:
    """Return Cochran's degrees of freedom of two parts; the smaller where neither varies, NaN where one is unknown."""
    if np.isnan(v1 + v2):
        return np.nan
    return cochran_df([v1, v2], [df1, df2]) if v1 + v2 > least else min(df1, df2)


def _one_factor(scores: Any, shares: Any, code: IntArray | None, alike: FloatArray | None) -> MeanErrors:
    """Variances from sums by cluster, or of cells that stand for `alike` independent rows each."""
    k = scores.shape[1]
    e, f, column = _by_cluster(scores, shares, code)
    m = np.ones(len(e)) if alike is None else _by_cluster(scores, _spread(shares, alike), None)[1]

    def sums(values: FloatArray) -> FloatArray:
        return np.bincount(column, values, minlength=k).astype(np.float64)

    share = f / m
    largest = np.zeros(k)
    np.maximum.at(largest, column, share)
    top = np.full(k, -1)
    most = np.flatnonzero(share == largest[column])
    top[column[most]] = most
    there = top >= 0
    top = top[there]
    others = m.copy()
    others[top] -= 1  # all but one row of the largest share: sums over them lose nothing where it is near 1
    rest = 1 - share
    rest[top] = sums(others * share)[there]
    known = np.zeros(k, dtype=bool)
    known[there] = rest[top] > LOST
    rest = np.maximum(rest, LOST)
    r, of_top = share**2 / rest, np.zeros(k)
    of_top[there] = r[top]
    variance = np.where(known, sums(e**2 / m / rest), np.nan)
    squares, apart = sums(m * share**2), sums(others * r)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = 1 / (squares + apart**2 - sums(others * r**2) + 2 * of_top * apart)
        near = np.round(df)
        df = np.where(np.abs(df - near) < ROUND_DF * near, near, df)  # equal clusters: G - 1, not 27.999999999999996
        return MeanErrors(
            variance=variance, df=np.where(known, df, np.nan), clusters=sums(m * (f > 0)), effective=1 / squares,
            largest=largest, plain=variance,
        )  # fmt: skip


def _spread(shares: Any, alike: FloatArray) -> Any:
    """A table with `alike` wherever there is a share."""
    if not sparse.issparse(shares):
        return np.where(np.asarray(shares) > 0, np.asarray(alike, dtype=np.float64)[:, None], 0.0)
    table: Any = shares
    there = sparse.csr_array(table) > 0
    return there.multiply(np.asarray(alike, dtype=np.float64)[:, None])


def _by_cluster(scores: Any, shares: Any, code: IntArray | None) -> tuple[FloatArray, FloatArray, IntArray]:
    """Sums of scores and shares of each cluster and column where there is a share, flat, with their columns."""
    n, k = scores.shape
    e: Any = scores
    f: Any = shares
    if not sparse.issparse(shares):
        dense: list[FloatArray] = [np.asarray(scores, dtype=np.float64), np.asarray(shares, dtype=np.float64)]
        if code is not None:
            dense = [np.stack([np.bincount(code, column) for column in table.T], axis=1) for table in dense]
        there = np.nonzero(dense[1] > 0)
        return dense[0][there], dense[1][there], there[1]
    e, f = sparse.csr_array(e, dtype=np.float64), sparse.csr_array(f, dtype=np.float64)
    if code is not None:
        gather: Any = sparse.csr_array((np.ones(n), (code, np.arange(n))), shape=(int(code.max()) + 1, n))
        e, f = gather @ e, gather @ f
    f.eliminate_zeros()
    f.sort_indices()
    e, f = e.tocoo(), f.tocoo()
    aligned = np.zeros(len(f.data))
    keys = f.row.astype(np.int64) * k + f.col
    aligned[np.searchsorted(keys, e.row.astype(np.int64) * k + e.col)] = e.data
    return aligned, f.data, f.col.astype(np.int64)


def effective_trials(p: FloatArray, errors: MeanErrors, trials: FloatArray | float) -> FloatArray:
    """Independent trials that would give a proportion the variance it has under clustering.

    p (1 - p) / variance, between 1 and `trials` (Korn & Graubard 1998). With p of 0 or 1, or where all clusters have
    one share, the variance is uninformative. 1 / sum f^2 stands in, as if each of so many equal clusters were one
    trial.

    Parameters
    ----------
    p : (k,) float64 array
    errors : MeanErrors
    trials : (k,) float64 array or float
        Answers behind each proportion.

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.
    """
    return effective_size(p * (1 - p), errors, trials)


def effective_size(spread: FloatArray, errors: MeanErrors, most: FloatArray | float) -> FloatArray:
    """Independent values of variance `spread` that would give a mean its variance: between 1 and `most`.

    Where values or clusters do not differ: 1 / sum f^2.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(varies(spread, errors), np.maximum(spread / errors.variance, 1.0), errors.effective)
    return np.where(np.isnan(errors.variance), np.nan, np.minimum(found, most))


def varies(spread: FloatArray, errors: MeanErrors) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return whether values of variance `spread` differ, and clusters do by more than rounding."""
    seen = errors.variance > ROUND_DF * spread / np.maximum(errors.effective, 1)
    return np.asarray((spread > 0) & seen)
