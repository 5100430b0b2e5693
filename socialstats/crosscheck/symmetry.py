"""Symmetry recomputed: statsmodels' SquareTable, Stuart and Maxwell by a reduced covariance, scipy's Hotelling F."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import cochran, crossing, mean_error
from socialstats.crosscheck.paired_tables import (
    CLOSED,
    TOO_MANY,
    cross_table,
    expanded,
    near,
    pair_table,
    set_aside,
)
from socialstats.crosscheck.row_arithmetic import relative, same_p
from socialstats.crosscheck.share_differences import difference_checks
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    import pandas as pd

IGNORING = "ignoring clusters"
NONE = 1e-10  # share of the trace below which an eigenvalue is none


def verify(result: Result) -> Verification:
    """Recompute the differences of the shares and the tests."""
    design = result.design
    factors = design.factors(result.settings["cluster"])
    data = pair_table(design, factors)
    table = cross_table(data, len(design.levels))
    n = table.sum()
    shift = dict(zip(design.levels, (table.sum(axis=1) - table.sum(axis=0)) / n, strict=True))
    checks = [
        near(f"share of level {k + 1}", r.estimate, float(shift[r.term]), "pandas", close=1e-10)
        for k, r in enumerate(r for r in result.rows if r.group == "margin")
    ]
    group = IGNORING if factors else "test"
    checks += square_tests(
        result.row("bowker", group=group), result.row("stuart_maxwell", group=group), table
    )
    if factors:
        checks += wald_check(result, data, len(factors))
    return Verification(checks=tuple(checks + margin_checks(result, data, len(factors))))


def margin_checks(result: Result, data: pd.DataFrame, factors: int) -> list[Check]:
    """Error, test and interval of the difference of each level's shares."""
    rows = expanded(data)
    if rows is None:
        return []
    shown = [r for r in result.rows if r.group == "margin"]
    codes = [result.design.levels.index(r.term) for r in shown]
    d = np.column_stack(
        [(rows["first"] == k).astype(float) - (rows["second"] == k).astype(float) for k in codes]
    )
    groups = rows[[f"g{k}" for k in range(factors)]].to_numpy()
    return difference_checks(shown, d, groups, result.settings["level"])


def square_tests(bowker: Row, margins: Row, table: FloatArray) -> list[Check]:
    """Both chi-square tests with statsmodels, never with shifted zeros."""
    SquareTable = load_peer("statsmodels.stats.contingency_tables", "SquareTable")

    used = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    square = table[np.ix_(used, used)]
    both = square + square.T
    if len(used) < 2 or not np.all(both[np.triu_indices(len(used), 1)] > 0):
        note = "statsmodels divides 0 by 0 where two levels never exchange, or shifts the zeros by a half"
        return [
            set_aside(t.term, t.statistic, None, "statsmodels", note) for t in (bowker, margins)
        ]
    peer = SquareTable(square, shift_zeros=False)
    symmetric, homogeneous = peer.symmetry(), peer.homogeneity(method="stuart_maxwell")
    return [
        check
        for row, test in ((bowker, symmetric), (margins, homogeneous))
        for check in (
            near(f"{row.term} statistic", row.statistic, test.statistic, "statsmodels", close=1e-8),
            near(f"{row.term} df", row.df, test.df, "statsmodels"),
            same_p(
                f"{row.term} p", row.p_value, test.pvalue, "statsmodels", CLOSED, least=1e-15
            ),  # 1 - cdf
        )
    ]


def wald_check(result: Result, data: pd.DataFrame, factors: int) -> list[Check]:
    """The robust test: covariance by cluster sums, one level left out, scipy's F."""
    row = result.row("robust_wald", group="test")
    if row.undefined or row.df is None:
        return []
    rows = expanded(data)
    if rows is None:
        return [set_aside("F", row.statistic, None, "pandas", TOO_MANY)]
    data = rows
    levels = sorted(set(data["first"]) | set(data["second"]))
    d = np.column_stack(
        [(data["first"] == x).astype(float) - (data["second"] == x).astype(float) for x in levels]
    )
    codes = data[[f"g{k}" for k in range(factors)]].to_numpy()
    return hotelling_checks(row, d, codes, result.extras["df_denominator"])


def hotelling_checks(row: Row, d: FloatArray, codes: Any, denominator: float) -> list[Check]:
    """Compare F and p with explicit sums over clusters of the columns of d, which sum to 0; codes (n, factors)."""
    from scipy.stats import f

    whole, d = d, d[:, :-1]
    q = d.shape[1]
    codes = crossing(codes)
    crossed = codes.shape[1] == 2
    covariance = crossed_covariance(d, codes) if crossed else clustered_covariance(d, codes[:, 0])
    if crossed:
        traces = [float(np.trace(clustered_covariance(whole, code))) for code in codes.T]
        denominator = (
            cochran(traces, [mean_error(d[:, 0], code[:, None])[1] for code in codes.T]) - q + 1
        )
    if int(np.linalg.matrix_rank(covariance, tol=1e-10 * float(np.trace(covariance)))) < q:
        return [
            set_aside("F", row.statistic, None, "scipy", "the covariance has less than full rank")
        ]
    freedom, middle = denominator + q - 1, d.mean(axis=0)
    each = (
        [covariance, *(clustered_covariance(d, code) for code in codes.T)]
        if crossed
        else [covariance]
    )
    full = [v for v in each if int(np.linalg.matrix_rank(v, tol=1e-10 * float(np.trace(v)))) == q]
    value = (
        denominator / (freedom * q) * min(float(middle @ np.linalg.solve(v, middle)) for v in full)
    )
    why = "one column left out, covariance by sums over clusters"
    return [
        near("F", row.statistic, value, "pandas", why, 1e-7),
        relative("df of F", row.df, float(q), "numpy", why),
        same_p("p of F", row.p_value, float(f.sf(value, q, denominator)), "scipy", why, 1e-7),
    ]


def clustered_covariance(d: FloatArray, code: Any) -> FloatArray:
    """CR2 covariance of the means: sums of each cluster, over 1 minus its share of the rows."""
    total, off = np.zeros((d.shape[1], d.shape[1])), d - d.mean(axis=0)
    for name in np.unique(code):
        here = code == name
        own = off[here].sum(axis=0)
        total += np.outer(own, own) / (1 - here.mean())
    return total / len(d) ** 2


def crossed_covariance(d: FloatArray, codes: Any) -> FloatArray:
    """V1 + V2 - V12 of the means, V1 and V2 by CR2; V1 + V2 (one column: V1 or V2) where that is too small."""
    parts = [clustered_covariance(d, code) for code in codes.T]
    both = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    sums = np.column_stack([np.bincount(both, column - column.mean()) for column in d.T])
    parts.append(sums.T @ sums / len(d) ** 2)
    whole: FloatArray = parts[0] + parts[1] - parts[2]
    if d.shape[1] == 1:
        return max(whole, parts[0], parts[1], key=lambda part: float(part[0, 0]))
    rank, least = np.linalg.matrix_rank, float(np.linalg.eigvalsh(whole)[0])
    small = rank(whole, tol=NONE * np.trace(whole)) < rank(
        parts[0] + parts[1], tol=NONE * np.trace(parts[0])
    )
    return parts[0] + parts[1] if small or least < -NONE * np.trace(whole) else whole
