"""A mean over units of values between 0 and 1 once more: statsmodels, matrices of clusters, Wilson's ends as roots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from socialstats.crosscheck.bootstrap import RESAMPLED, mean_with_error, redrawn, resampled_checks, sampled_check
from socialstats.crosscheck.draws import Cells
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import FORMULA, end_checks, label, relative
from socialstats.crosscheck.share_errors import ROOTS, clustered_share_checks, wilson_roots
from socialstats.results import Check, FloatArray, Result, Row

SAME = "the same sums in another order"
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
    """Compare standard error, df and ends by clusters, every unit written out."""
    times, settings = weights.astype(np.int64), result.settings
    return clustered_share_checks(
        row, np.repeat(values, times), np.ones(int(times.sum())), np.repeat(codes, times, axis=0), answers=answers,
        level=settings["level"], ends=settings["ci"] == "wilson",
    )  # fmt: skip


def trials_of(p: float, error: float, n: float, answers: float) -> float:
    """Return p(1 - p)/s.e.^2 of n independent units, between 1 and `answers`; n where they show no variance."""
    return min(max(p * (1 - p) / error**2, 1.0) if error and 0 < p < 1 else n, answers)


def wilson_checks(result: Result, row: Row, p: float, trials: float, df: float | None) -> list[Check]:
    """Compare the ends with the roots of a polynomial; of independent answers, with statsmodels too."""
    if row.conf_low is None or result.settings["ci"] != "wilson":
        return []
    from statsmodels.stats.proportion import proportion_confint

    level = result.settings["level"]
    checks = end_checks(row, *wilson_roots(p, trials, level, df), "numpy", ROOTS, 1e-7)
    if df is not None:
        checks.append(relative(label(row, "df"), row.df, df, "numpy", SAME))
    if df is None:
        low, high = proportion_confint(p * trials, trials, alpha=1 - level, method="wilson")
        ends = 0.0 if p == 0 else float(low), 1.0 if p == 1 else float(high)  # statsmodels leaves rounding there
        checks += end_checks(row, *ends, "statsmodels", FORMULA)
    return checks
