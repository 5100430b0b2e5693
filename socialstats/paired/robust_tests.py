"""Cluster-robust Wald tests of several means, beside chi-square tests that ignore the clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import Caution, caution
from socialstats.inference.clustered_mean import ONE_HOLDS_ALL, clustered_mean, share_outside
from socialstats.inference.intervals import cochran_df, not_zero
from socialstats.inference.means import DrawnRaters, factors_and_intersections, mean_errors
from socialstats.paired.matched_pairs import NOTHING, McNemarTest
from socialstats.paired.pair_values import IGNORING
from socialstats.results import Row
from socialstats.rounding import no_variation_reason
from socialstats.text import number, p_value

RANK = 1e-10  # eigenvalues below this share of the largest are 0
FEW_DISCORDANT = 10  # units or pairs that differ, below which SS314 is raised
WALD = "robust_wald"


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


def robust_wald(
    values: FloatArray,
    count: FloatArray,
    codes: Sequence[IntArray],
    drawn: Sequence[DrawnRaters] = (),
) -> WaldTest | str:
    """Test that the means of several columns are all 0, with one or two crossed cluster factors.

    W = m' V^- m, with V the cluster-robust covariance of the means. One factor: CR2. Two: V1 + V2 - V12, the first two
    by CR2, or V1 or V2 where W is smaller (in one dimension as `clustered_mean`). V^- is its inverse on the q
    dimensions it has. F = (v - q + 1) / (v q) W has q and v - q + 1 df (Hotelling's T^2; Pustejovsky & Tipton 2018), v
    the Satterthwaite df of a single mean; of two factors Cochran's, by the traces of V1 and V2.

    Parameters
    ----------
    values : (cells, m) float64 array
        May be linearly dependent, such as shares that sum to 0.
    count : (cells,) float64 array
    codes : one or two (cells,) int64 arrays
    drawn : sequence of DrawnRaters
        Groups of raters who are samples too: the second factor, beside one of `codes`.

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
    dense = factors_and_intersections(codes)
    if min(int(c.max()) for c in dense) < 1:
        return "a single cluster"
    mean = count @ values / n
    deviation = (values - mean) * count[:, None]
    cautious = False
    dfs = [satterthwaite_df(count, c) for c in dense[:2]]
    groups = [group for group in drawn if not group.nested.all()]
    if groups:
        group_variances = [float((group.sums() ** 2).sum()) for group in groups]
        group_dfs = [
            float(np.fmin.reduce(group.errors().df)) if group.raters > 1 else math.nan
            for group in groups
        ]
        # people who are alike add no variance
        varies = sum(group_variances) > 0
        dfs.append(cochran_df(group_variances, group_dfs) if varies else dfs[0])
    if np.isnan(dfs).any():
        return ONE_HOLDS_ALL
    # V1 and V2 by CR2: a cluster's squared sum over the share of the others
    parts = [outer_sums(deviation / n, c, 1 / share_outside(c, count)) for c in dense[:2]]
    shares = np.repeat(count[:, None] / n, values.shape[1], axis=1)
    errors = mean_errors(deviation / n, shares, codes, size=np.abs(values).max())
    least = float(errors.rounding.max()) ** 2
    covariance, freedom = parts[0], dfs[0]
    if groups:
        parts.append(np.sum([group.sums().T @ group.sums() for group in groups], axis=0))
        overlap = np.sum(
            [sum_outer_products(group.scores, group.intersections) for group in groups], axis=0
        )
    elif len(dense) > 1:
        overlap = sum_outer_products(deviation / n, dense[2])
    if len(parts) > 1:
        covariance = parts[0] + parts[1] - overlap
        traces = [float(np.trace(part)) for part in parts]
        freedom = cochran_df(traces, dfs) if sum(traces) > 0 else min(dfs)
        # dimensions that the variances of both factors together have
        rank = rank_of(parts[0] + parts[1], least)
        # tests with V1, or V2, alone: the smallest W of all is taken
        tests = [
            f_test(mean, part, freedom, least, True)
            for part in parts
            if rank_of(part, least) == rank
        ]
        negative = np.linalg.eigvalsh(covariance).min() < -RANK * np.trace(covariance)
        # V1 + V2 - V12 may lose dimensions or have negative variances: V1 + V2 takes its place
        if rank > 1 and (negative or rank_of(covariance, least) < rank):
            covariance, cautious = parts[0] + parts[1], True
        elif rank == 1 and np.trace(covariance) < max(traces):
            covariance, cautious = max(parts, key=lambda part: float(np.trace(part))), True
        tests.insert(0, f_test(mean, covariance, freedom, least, cautious))
        if defined := [test for test in tests if isinstance(test, WaldTest)]:
            return min(defined, key=lambda test: test.statistic)
    return f_test(mean, covariance, freedom, least, cautious)


def f_test(
    mean: FloatArray, covariance: FloatArray, freedom: float, least: float, cautious: bool
) -> WaldTest | str:
    """Turn means and their covariance, whose variances up to `least` are rounding, into an F test."""
    values, vectors = np.linalg.eigh(covariance)
    used = values > max(RANK * float(values[-1]), least)
    q = float(np.count_nonzero(used))
    if not q:
        return no_variation_reason("clusters")
    # the means on the dimensions that have a variance; the rest of them must be 0
    projected = vectors[:, used].T @ mean
    if float(np.linalg.norm(mean) ** 2 - projected @ projected) > RANK * max(
        float(mean @ mean), RANK
    ):
        return "too few clusters, or too alike: they show no variance in a direction in which the means differ"
    denominator = freedom - q + 1
    if denominator <= 0:
        return f"too few clusters for {q:g} differences"
    # Hotelling's T^2 approximation (Pustejovsky & Tipton 2018): F with q and v - q + 1 df
    statistic = denominator / (freedom * q) * float(projected**2 @ (1 / values[used]))
    p = float(not_zero(fdtrc(q, denominator, statistic)))
    return WaldTest(statistic=statistic, df=q, df_denominator=denominator, p=p, cautious=cautious)


def outer_sums(scores: FloatArray, code: IntArray, weight: FloatArray) -> FloatArray:
    """Sum over clusters of the outer products of their sums, weighted."""
    sums = np.column_stack([np.bincount(code, column) for column in scores.T])
    return np.asarray((sums * weight[:, None]).T @ sums)


def sum_outer_products(scores: FloatArray, code: IntArray) -> FloatArray:
    """Sum over clusters of the outer products of their sums."""
    return outer_sums(scores, code, np.ones(int(code.max()) + 1))


def rank_of(covariance: FloatArray, least: float) -> int:
    """Number of eigenvalues that are more than rounding."""
    values = np.linalg.eigvalsh(covariance)
    return int(np.count_nonzero(values > max(RANK * float(values[-1]), least)))


def satterthwaite_df(count: FloatArray, code: IntArray) -> float:
    """Degrees of freedom of a CR2 mean: they depend on the sizes of the clusters alone."""
    signs = np.where(code % 2 == 0, 1.0, -1.0)  # any values that vary
    return clustered_mean(signs, count, [code]).df


# the robust test, p = 1 by definition, why there is none, no clusters
Robust = WaldTest | McNemarTest | str | None


def robust_test(values: FloatArray, count: FloatArray, codes: Sequence[IntArray]) -> Robust:
    """Return `robust_wald`; None without clusters, and p = 1 where no unit has a value other than 0."""
    if not codes:
        return None
    return robust_wald(values, count, codes) if np.any(values) else NOTHING


def wald_and_chi_square_rows(
    wald: Robust, plain: Mapping[str, McNemarTest], n: float, names: Mapping[str, str]
) -> list[Row]:
    """Return rows of chi-square tests by their terms; with clusters the robust test leads, and they ignore these."""
    group = "test" if wald is None else IGNORING
    rows = [
        Row(
            term=term,
            group=group,
            role="test",
            test="chi2",
            statistic=test.statistic,
            df=test.df,
            p_value=test.p,
            n=n,
            method=names[term],
        )
        for term, test in plain.items()
    ]
    if wald is None:
        return rows
    lead = Row(term=WALD, group="test", role="test", test="f", n=n, method=names[WALD])
    if isinstance(wald, str):
        return [replace(lead, undefined=wald), *rows]
    return [replace(lead, statistic=wald.statistic, df=wald.df, p_value=wald.p), *rows]


def cautions_of_tests(wald: Robust, discordant: float, message: str) -> list[Caution]:
    """Cautions SS314 (few units or pairs that differ) and SS206 (a covariance that was not positive)."""
    cautions = []
    if discordant < FEW_DISCORDANT:
        message += ": p is 1 by definition" if not discordant else ""
        cautions.append(caution("SS314", message, affects="chi-square and F tests"))
    if isinstance(wald, WaldTest) and wald.cautious:
        cautions.append(
            caution(
                "SS206",
                "V1 + V2 - V12 was too small or not positive; a larger variance took its place",
                affects="the robust test, which is cautious",
            )
        )
    return cautions


def wald_or_chi_square_text(row: Row, name: str, denominator: float | None) -> str:
    """Return a test as text with its statistic, df and p."""
    if row.undefined:
        return f"{name} undefined ({row.undefined})"
    if row.df is None:
        return f"{name} {p_value(row.p_value)}"
    letter, dfs = "chi-square", number(row.df, 0)
    if row.term == WALD:
        letter, dfs = "F", f"{dfs}, {number(denominator, 1)}"
    return f"{name} {letter}({dfs}) = {number(row.statistic)}, {p_value(row.p_value)}"
