"""A mean over units of values between 0 and 1 once more: statsmodels, matrices of clusters, Wilson's ends as roots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from socialstats.crosscheck.bootstrap import RESAMPLED, mean_with_error, redrawn, resampled_checks, sampled_check
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_table import matrix_cr2
from socialstats.crosscheck.row_arithmetic import FORMULA, crossed_error, end_checks, label, quantile, relative
from socialstats.results import Check, FloatArray, Result, Row

SAME = "the same sums in another order"
MATRICES = "CR2 by inverse square roots of matrices; crossed factors by sums written out"
ROOTS = "Wilson's ends are the roots of (p - x)^2 = q^2 x (1 - x)/n"
LARGEST_CLUSTER, MOST_CELLS = 400, 4_000_000
Unit = tuple[float, float, tuple[int, ...]]


def share_checks(result: Result, row: Row, found: Mapping[int, Unit], answers: float) -> list[Check]:
    """Compare mean, standard error and Wilson's interval of a row.

    Parameters
    ----------
    result : Result
    row : Row
    found : mapping of unit to (value, number of units it stands for, cluster by each factor)
    answers : float
        Yes-or-no answers behind the values: most trials that an interval may count.
    """
    if not found or row.estimate is None:
        return []
    values, weights = (np.array([unit[k] for unit in found.values()], dtype=np.float64) for k in (0, 1))
    codes = np.array([unit[2] for unit in found.values()], dtype=np.int64).reshape(len(values), -1)
    return mean_checks(result, row, values, weights, codes, answers)


def mean_checks(
    result: Result, row: Row, values: FloatArray, weights: FloatArray, codes: Any, answers: float
) -> list[Check]:
    """Compare the same of arrays: values, weights, (units, factors) codes."""
    from statsmodels.stats.weightstats import DescrStatsW

    name = row.term if row.group is None else f"{row.term} ({row.group})"
    stats = DescrStatsW(values, weights=weights, ddof=1)
    made: dict[str, Any] = {"package": "statsmodels", "tolerance": 1e-10, "why": SAME}
    out = [compare(name, row.estimate, float(stats.mean), **made)]
    yes_no = bool(np.all((values == 0) | (values == 1)))
    out += bootstrap_checks(result, row, values, weights, codes)
    if codes.shape[1]:
        return out + clustered_checks(result, row, values, weights, codes, answers)
    p, n = float(stats.mean), float(weights.sum())
    error = math.sqrt(p * (1 - p) / n) if yes_no else float(stats.std_mean)
    if row.std_error is not None:
        out.append(relative(f"{name}, s.e.", row.std_error, error, "statsmodels", SAME))
    trials = n if yes_no else trials_of(p, error, n, answers)
    return out + wilson_checks(result, row, p, trials, None if yes_no else n - 1)


def bootstrap_checks(result: Result, row: Row, values: FloatArray, weights: FloatArray, codes: Any) -> list[Check]:
    """Compute the mean of every resample from its own units."""
    settings = result.settings
    if settings["ci"] not in RESAMPLED or row.conf_low is None:
        return []
    alike, place = np.unique(np.column_stack([codes, values]), axis=0, return_inverse=True)  # ascending, as drawn
    cells = Cells.of(np.bincount(place.ravel(), weights), alike[:, :-1].T)
    statistic = mean_with_error(cells, alike[:, -1])
    drawn = redrawn(cells, statistic, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"])
    out = resampled_checks(row, drawn, settings["ci"], settings["level"], error=False)
    if drawn is None or row is not result.rows[0]:
        return out
    from statsmodels.stats.weightstats import DescrStatsW

    def peer(times: FloatArray) -> float:
        return float(DescrStatsW(alike[:, -1], weights=times).mean)

    mine, seed = drawn.replicates[:, 0], settings["seed"]
    return out + sampled_check(label(row), cells, mine, peer, seed=seed, package="statsmodels")


def clustered_checks(
    result: Result, row: Row, values: FloatArray, weights: FloatArray, codes: Any, answers: float
) -> list[Check]:
    """Compare standard error and ends by clusters, every unit written out."""
    times = weights.astype(np.int64)
    x, groups = np.repeat(values, times), np.repeat(codes, times, axis=0)
    sizes = [np.unique(column, return_counts=True)[1] for column in groups.T]
    g = min(map(len, sizes))
    if g < 2:
        return []
    name = row.term if row.group is None else f"{row.term} ({row.group})"
    p, error, df = float(x.mean()), 0.0, float(g - 1)
    if np.ptp(x) and len(sizes) == 2:
        error, df = crossed_error(x, groups)
    elif np.ptp(x):
        if sizes[0].max() > LARGEST_CLUSTER or len(sizes[0]) * len(x) > MOST_CELLS:
            note = "clusters too large for matrices"
            return [compare(f"{name}, s.e.", row.std_error, None, package="numpy", tolerance=0, why="", note=note)]
        error, df = matrix_cr2(x - p, groups[:, 0], len(x))
    if error < 1e-14 * len(x):
        error, df = 0.0, float(g - 1)
    checks = [relative(f"{name}, s.e.", row.std_error, error or None, "numpy", MATRICES)]
    out = checks if error or row.std_error is not None else []
    return out + wilson_checks(result, row, p, trials_of(p, error, g, answers), df)


def trials_of(p: float, error: float, groups: float, answers: float) -> float:
    """Return p(1 - p)/s.e.^2, at most `answers`; the number of clusters where they show no variance."""
    return min(p * (1 - p) / error**2 if error and 0 < p < 1 else groups, answers)


def wilson_checks(result: Result, row: Row, p: float, trials: float, df: float | None) -> list[Check]:
    """Compare the ends with the roots of a polynomial; of independent answers, with statsmodels too."""
    if row.conf_low is None or result.settings["ci"] != "wilson":
        return []
    from statsmodels.stats.proportion import proportion_confint

    level = result.settings["level"]
    checks = end_checks(row, *wilson_roots(p, trials, level, df), "numpy", ROOTS, 1e-7)
    if df is None:
        low, high = proportion_confint(p * trials, trials, alpha=1 - level, method="wilson")
        checks += end_checks(row, float(low), float(high), "statsmodels", FORMULA)
    return checks


def wilson_roots(p: float, trials: float, level: float, df: float | None) -> tuple[float, float]:
    """Wilson's ends as the roots of a polynomial; with `df` for a t quantile."""
    share = quantile(level, df) ** 2 / trials
    roots = np.sort(np.roots([1 + share, -(2 * p + share), p * p]).real)
    return (0.0 if p == 0 else float(roots[0])), (1.0 if p == 1 else float(roots[1]))
