"""Differences of shares seen on the same units once more: McNemar's peers, matrices of clusters, statsmodels' Holm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import CR2, mean_error
from socialstats.crosscheck.mcnemar import PROFILE, profile_interval, score_checks
from socialstats.crosscheck.paired_tables import CLOSED
from socialstats.crosscheck.row_arithmetic import adjusted_p, end_checks, label, quantile, relative, same_p, tail_p
from socialstats.results import Check, FloatArray, Row

HALF = "twice the binomial tail less the point probability"


def difference_checks(rows: Sequence[Row], d: FloatArray, groups: Any, level: float) -> list[Check]:
    """Compare rows of differences of shares, and their p adjusted by Holm.

    Parameters
    ----------
    rows : sequence of Row, one a column of `d`
    d : (pairs, rows) array of -1, 0 and 1
    groups : (pairs, factors) array of labels
    level : float
    """
    out = []
    for row, column in zip(rows, d.T, strict=True):
        out.append(relative(label(row), row.estimate, float(column.mean()), "pandas", CLOSED, size=1e-3))
        if groups.shape[1]:
            out += clustered(row, column, groups, level)
        else:
            out += independent(row, column, level)
    known = [r for r in rows if r.p_value is not None]
    if known:
        adjusted = adjusted_p([r.p_value for r in known])
        pairs = zip(known, adjusted, strict=True)
        out += [same_p(label(r, "adjusted p"), r.p_adjusted, p, "statsmodels", "Holm's steps") for r, p in pairs]
    return out


def independent(row: Row, d: FloatArray, level: float) -> list[Check]:
    """Standard error, Tango's interval and mid-p of independent pairs."""
    from scipy.stats import binom

    b, c, n = float((d > 0).sum()), float((d < 0).sum()), len(d)
    out = []
    if row.std_error is not None:
        out.append(relative(label(row, "s.e."), row.std_error, float(d.std() / math.sqrt(n)), "numpy", CLOSED))
    if row.p_value is not None:
        theirs = min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5) - binom.pmf(b, b + c, 0.5)) if b + c else 1.0
        out.append(same_p(label(row, "p"), row.p_value, float(theirs), "scipy", HALF))
    if row.conf_low is not None:
        table = np.array([[n - b - c, c], [b, 0.0]])
        out += end_checks(row, *profile_interval(table, level), "scipy", PROFILE, 1e-6)
    return out


def clustered(row: Row, d: FloatArray, groups: Any, level: float) -> list[Check]:
    """Standard error, t, df, p and interval by clusters; where the score leads, its statistic and interval."""
    scored = score_checks(row, row, d, groups, level) if (row.method or "").startswith("Tango") else []
    if row.std_error is None:
        return scored
    error, df = mean_error(d, groups)
    if scored:
        return [*scored, relative(label(row, "s.e."), row.std_error, error, "scipy", CR2)]
    mean, reach = float(d.mean()), quantile(level, df) * error
    return [
        relative(label(row, "s.e."), row.std_error, error, "scipy", CR2),
        relative(label(row, "statistic"), row.statistic, mean / error, "scipy", CR2, size=1e-6),
        relative(label(row, "df"), row.df, df, "scipy", CR2),
        same_p(label(row, "p"), row.p_value, tail_p(mean / error, df), "scipy", CR2),
        *end_checks(row, max(mean - reach, -1.0), min(mean + reach, 1.0), "scipy", CR2),
    ]
