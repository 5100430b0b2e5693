"""Differences of two independent estimates once more: sums of variances, and scipy's t distribution."""

from __future__ import annotations

from socialstats.crosscheck.row_arithmetic import label, relative, statistic_checks, t_ends
from socialstats.results import Check, Result


def checks_of(result: Result) -> list[Check]:
    """Recompute every difference from the two rows behind it."""
    import numpy as np

    checks: list[Check] = []
    for row, (one, two) in zip(result.rows, result.extras["pairs"], strict=True):
        if row.estimate is None or row.std_error is None:
            continue
        values = np.array([[r.estimate, r.std_error, (r.n_clusters or r.n_units or 2) - 1] for r in (one, two)])
        variances = np.square(values[:, 1])
        df = float(variances.sum() ** 2 / (variances**2 / values[:, 2]).sum())
        checks.append(
            relative(label(row, "estimate"), row.estimate, float(-np.diff(values[:, 0])[0]), "numpy", size=1.0)
        )
        checks.append(relative(label(row, "s.e."), row.std_error, float(np.linalg.norm(values[:, 1])), "numpy"))
        checks += statistic_checks(row, df=df) + t_ends(row, row.conf_level or 0.95, df, cut=(-2.0, 2.0))
    return checks
