"""A leaderboard recomputed: means by pandas, errors by matrices, Wilson's ends as roots, Holm by statsmodels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import counted, errors_by
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import (
    adjusted_p,
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
)
from socialstats.crosscheck.shares import ROOTS, wilson_roots
from socialstats.designs.ratings import OK, Ratings
from socialstats.results import Check, Result, Row, Verification

if TYPE_CHECKING:
    import pandas as pd

SAME = "the same scores, averaged by task with pandas"
MATRICES = "Bell and McCaffrey's matrices, on the residuals of a regression on tasks"
VARIANCES = "the variances of tasks by pandas, each divided by its units"
LARGEST = 1500  # units of which matrices are written out
ROUNDING = 1e-12


def verify(result: Result) -> Verification:
    """Recompute every row: means, errors, intervals, tests and adjusted p-values."""
    table = scores_of(result)
    ways: dict[tuple[str, str], Errors] = {}
    checks = [
        check
        for row in result.rows
        if row.estimate is not None
        for check in row_checks(result, row, part_of(row, table), table, ways)
    ]
    tested = [row for row in result.rows if row.p_adjusted is not None]
    holm = adjusted_p([row.p_value for row in tested]) if tested else []
    checks += [
        same_p(label(row, "p (Holm)"), row.p_adjusted, p, "statsmodels", "multipletests")
        for row, p in zip(tested, holm, strict=True)
    ]
    return Verification(checks=tuple(checks))


def scores_of(result: Result) -> pd.DataFrame:
    """Return one row per unit and one column per model; the index holds the unit, its task and its cluster."""
    import pandas as pd

    design: Ratings = result.design
    ok = design.status == OK
    unit = design.unit[ok]
    frame = pd.DataFrame(
        {
            "unit": unit,
            "model": np.array(design.raters, dtype=object)[design.rater[ok]],
            "score": design.scores[design.value[ok]],
        }
    )
    wide = frame.pivot(index="unit", columns="model", values="score")
    stratum = design.strata.get(str(result.settings["task"]))
    factors = design.factors(result.settings["cluster"])
    codes = wide.index.to_numpy()
    wide = wide.loc[np.repeat(codes, design.unit_count[codes].astype(int))]
    codes = wide.index.to_numpy()
    alike = np.zeros(len(wide), dtype=int)
    tasks = (
        alike if stratum is None else np.array(stratum.levels, dtype=object)[stratum.codes[codes]]
    )
    clusters = factors[0].codes[codes] if factors else np.arange(len(wide))
    wide.index = pd.MultiIndex.from_arrays(
        [np.arange(len(wide)), tasks, clusters], names=["unit", "task", "cluster"]
    )
    return wide


def part_of(row: Row, table: pd.DataFrame) -> pd.Series[Any]:
    """Return the scores behind a mean, or the gaps behind a difference."""
    model, other, task = (row.label(name) for name in ("model", "minus", "task"))
    if other is not None:
        both = table[[model, other]].dropna()
        return both[model] - both[other]
    own = (table if row.label("units") is None else table.dropna())[model].dropna()
    return own if task is None else own[own.index.get_level_values("task") == task]


def pooling_of(result: Result, row: Row) -> str:
    """Return what weighs the same in a row: tasks or units."""
    asked = str(row.label("pooling") or result.settings["pooling"])
    return "units" if row.label("task") is not None else asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """How residuals of some units become a standard error: contrasts of each cluster, and degrees of freedom."""

    weights: Mapping[Any, float]
    contrasts: FloatArray | None
    df: float


def errors_of(
    values: pd.Series[Any], pooling: str, clustered: bool, ways: dict[tuple[str, str], Errors]
) -> Errors:
    """Return the weights of tasks, and the matrices, of some units; made once for each set of units."""
    units = values.index.get_level_values("unit").to_numpy()
    key = (pooling, units.tobytes().hex())
    if key not in ways:
        sizes = values.groupby(level="task").size()
        equal = pooling == "tasks"
        weights = {t: 1 / len(sizes) if equal else n / len(values) for t, n in sizes.items()}
        ways[key] = by_matrices(values, weights) if clustered else independent(sizes, weights)
    return ways[key]


def independent(sizes: pd.Series[Any], weights: Mapping[Any, float]) -> Errors:
    """Return the degrees of freedom of a combination of means of independent units of one variance (Satterthwaite)."""
    parts = [(weights[t] ** 2 / n, n - 1) for t, n in sizes.items()]
    low = sum(v**2 / df for v, df in parts if df)
    return Errors(
        weights=weights, contrasts=None, df=sum(v for v, _ in parts) ** 2 / low if low else math.nan
    )


def by_matrices(values: pd.Series[Any], weights: Mapping[Any, float]) -> Errors:
    """Return a' A_g of each cluster and Satterthwaite's df: (tr P)^2 / tr(P^2), all matrices written out."""
    n = len(values)
    if n > LARGEST:
        return Errors(weights=weights, contrasts=np.zeros((0, n)), df=math.nan)
    task, cluster = (values.index.get_level_values(name).to_numpy() for name in ("task", "cluster"))
    x = (task[:, None] == np.array(list(weights), dtype=object)[None, :]).astype(float)
    bread = x @ np.linalg.inv(x.T @ x)
    off = np.eye(n) - bread @ x.T
    a = bread @ np.array(list(weights.values()))
    rows = np.zeros((len(np.unique(cluster)), n))
    for g, name in enumerate(np.unique(cluster)):
        at = np.flatnonzero(cluster == name)
        own, vectors = np.linalg.eigh(off[np.ix_(at, at)])
        root = np.where(own > ROUNDING, 1 / np.sqrt(np.maximum(own, ROUNDING)), 0.0)
        rows[g, at] = a[at] @ (vectors * root) @ vectors.T
    p = rows @ off @ rows.T
    return Errors(weights=weights, contrasts=rows, df=float(np.trace(p) ** 2 / np.sum(p * p)))


def estimate_and_error(values: pd.Series[Any], how: Errors) -> tuple[float, float | None]:
    """Return the weighted mean of the tasks' means, and its standard error (None: too many units for matrices)."""
    by_task = values.groupby(level="task")
    means = by_task.mean()
    estimate = float(sum(how.weights[t] * m for t, m in means.items()))
    if how.contrasts is None:
        spread = by_task.var(ddof=1) / by_task.size()
        return estimate, math.sqrt(sum(how.weights[t] ** 2 * v for t, v in spread.items()))
    if not len(how.contrasts):
        return estimate, None
    residual = (values - by_task.transform("mean")).to_numpy()
    return estimate, float(np.sqrt(((how.contrasts @ residual) ** 2).sum()))


def row_checks(
    result: Result,
    row: Row,
    values: pd.Series[Any],
    table: pd.DataFrame,
    ways: dict[tuple[str, str], Errors],
) -> list[Check]:
    """Compare a mean or a paired difference, its error, interval and test."""
    clustered, level = (
        bool(result.design.factors(result.settings["cluster"])),
        result.settings["level"],
    )
    how = errors_of(values, pooling_of(result, row), clustered, ways)
    estimate, error = estimate_and_error(values, how)
    checks = [relative(label(row, "estimate"), row.estimate, estimate, "pandas", SAME, 1e-9, 1.0)]
    if row.std_error is not None and error is None:
        note = f"more than {LARGEST} units: matrices would be too large"
        return [
            *checks,
            compare(
                label(row, "s.e."),
                row.std_error,
                None,
                package="numpy",
                tolerance=0,
                why="",
                note=note,
            ),
        ]
    if row.std_error is not None:
        why, package = (MATRICES, "numpy") if clustered else (VARIANCES, "pandas")
        checks.append(relative(label(row, "s.e."), row.std_error, error, package, why))
    shares = bool(table.min().min() >= 0 and table.max().max() <= 1)
    if row.role == "difference":
        return [
            *checks,
            *statistic_checks(row, df=how.df),
            *t_ends(row, level, how.df, cut=(-1.0, 1.0) if shares else None),
        ]
    if row.df is not None and not math.isnan(how.df):
        checks.append(relative(label(row, "df"), row.df, how.df, "numpy", MATRICES))
    if row.conf_low is None or error is None:
        return checks
    if not shares:
        return [*checks, *t_ends(row, level, how.df)]
    low, high = roots_of(values, how, error, clustered, level)
    if values.index.get_level_values("task").nunique() > 1:
        low, high = of_tasks(values, how, clustered, level, ways, (low, high))
    return [*checks, *end_checks(row, low, high, "numpy", ROOTS, 1e-7)]


def of_tasks(
    values: pd.Series[Any],
    how: Errors,
    clustered: bool,
    level: float,
    ways: dict[tuple[str, str], Errors],
    pooled: tuple[float, float],
) -> tuple[float, float]:
    """Return the outer ones of the pooled ends and those that Zou, Huang and Zhang (2009) make of the tasks' own."""
    centre, below, above = 0.0, 0.0, 0.0
    for task, own in values.groupby(level="task"):
        errors = errors_of(own, "units", clustered, ways)
        p, error = estimate_and_error(own, errors)
        if error is None:
            return math.nan, math.nan
        low, high = roots_of(own, errors, error, clustered, level)
        centre += how.weights[task] * p
        below, above = (
            math.hypot(x, how.weights[task] * far)
            for x, far in ((below, p - low), (above, high - p))
        )
    return min(max(centre - below, 0.0), pooled[0]), max(min(centre + above, 1.0), pooled[1])


def roots_of(
    values: pd.Series[Any], how: Errors, error: float, clustered: bool, level: float
) -> tuple[float, float]:
    """Return Wilson's ends: of yes-or-no scores of one task, or of as many scores as the error speaks for."""
    p = float(sum(how.weights[t] * m for t, m in values.groupby(level="task").mean().items()))
    sizes = values.groupby(level="task").size()
    groups = float(values.index.get_level_values("cluster").nunique())
    if len(sizes) == 1 and not clustered and set(values) <= {0.0, 1.0}:
        return wilson_roots(p, groups, level, None)
    kish = 1 / sum(how.weights[t] ** 2 / n for t, n in sizes.items())
    share = values.index.get_level_values("task").map(
        {t: how.weights[t] / n for t, n in sizes.items()}
    )
    codes = np.unique(values.index.get_level_values("cluster"), return_inverse=True)[1]
    even = errors_by(np.zeros(len(share)), np.asarray(share, dtype=np.float64), codes[:, None])
    found = replace(even, variance=0.0 if error < 1e-14 * len(values) else error**2)
    trials = counted(
        p * (1 - p), found, kish if clustered and set(values) <= {0.0, 1.0} else math.inf
    )
    return wilson_roots(p, trials, level, how.df)


def verify_ranks(result: Result) -> Verification:
    """Count the ranks by scipy, and the sets of Holm's method from statsmodels' adjusted p-values."""
    from scipy.stats import rankdata

    lead: Result = result.extras["result"]
    known = [row for row in result.rows if row.estimate is not None]
    means = np.array([lead.row(row.term, group="mean").estimate for row in known], dtype=np.float64)
    theirs = rankdata(-np.round(means / (np.abs(means).max() or 1.0), 8), method="min")
    checks = [
        compare(
            f"{row.term}, rank",
            row.estimate,
            float(rank),
            package="scipy",
            tolerance=0,
            why="rankdata",
        )
        for row, rank in zip(known, theirs.tolist(), strict=True)
    ]
    if not known or not result.extras["holm"]:
        return Verification(checks=tuple(checks))
    names, level = [row.term for row in known], float(result.settings["level"])
    tests = {
        frozenset((str(row.label("model")), str(row.label("minus")))): row
        for row in lead.rows
        if row.role == "difference" and row.p_value is not None
    }
    tests = {pair: row for pair, row in tests.items() if pair <= set(names)}
    families = [[pair for pair in tests if name in pair] for name in names]
    if result.settings["kind"] == "simultaneous":
        families = [list(tests)] * len(names)
    for row, rank, family in zip(known, theirs.tolist(), families, strict=True):
        p = dict(
            zip(
                family,
                adjusted_p([tests[pair].p_value for pair in family]) if family else [],
                strict=True,
            )
        )
        called = [tests[pair] for pair in family if row.term in pair and p[pair] <= 1 - level]
        won = sum(
            (one.estimate or 0.0) * (1 if one.label("model") == row.term else -1) > 0
            for one in called
        )
        low, high = min(1 + len(called) - won, rank), max(len(names) - won, rank)
        if np.isnan([*p.values()]).any():  # statsmodels is not installed
            low = high = math.nan
        why = "Holm's method by statsmodels, the pairs found different counted"
        checks += [
            compare(
                f"{row.term}, {name}", ours, float(end), package="statsmodels", tolerance=0, why=why
            )
            for name, ours, end in (("low", row.conf_low, low), ("high", row.conf_high, high))
        ]
    return Verification(checks=tuple(checks))
