"""Differences of shares seen on the same units recomputed: McNemar's peers, matrices of clusters, statsmodels' Holm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, mean_error
from socialstats.crosscheck.paired_tables import CLOSED
from socialstats.crosscheck.profile_score import PROFILE, profile_interval, score_checks
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    end_checks,
    label,
    relative,
    same_p,
    wald_checks,
)
from socialstats.results import Check, Row

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
        out.append(
            relative(label(row), row.estimate, float(column.mean()), "pandas", CLOSED, size=1e-3)
        )
        if groups.shape[1]:
            out += clustered(row, column, groups, level)
        else:
            out += independent(row, column, level)
    return out + adjusted_checks(rows)


def independent(row: Row, d: FloatArray, level: float) -> list[Check]:
    """Standard error, Tango's interval and mid-p of independent pairs."""
    from scipy.stats import binom

    b, c, n = float((d > 0).sum()), float((d < 0).sum()), len(d)
    out = []
    if row.std_error is not None:
        out.append(
            relative(
                label(row, "s.e."), row.std_error, float(d.std() / math.sqrt(n)), "numpy", CLOSED
            )
        )
    if row.p_value is not None:
        theirs = (
            min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5) - binom.pmf(b, b + c, 0.5))
            if b + c
            else 1.0
        )
        out.append(same_p(label(row, "p"), row.p_value, float(theirs), "scipy", HALF))
    if row.conf_low is not None:
        table = np.array([[n - b - c, c], [b, 0.0]])
        out += end_checks(row, *profile_interval(table, level), "scipy", PROFILE, 1e-6)
    return out


def clustered(row: Row, d: FloatArray, groups: Any, level: float) -> list[Check]:
    """Standard error, t, df, p and interval by clusters; where the score leads, its statistic and interval."""
    scored = (
        score_checks(row, row, d, groups, level, "two_sided") if row.interval == "score" else []
    )
    if row.std_error is None:
        return scored
    error, df = mean_error(d, groups)
    if scored:
        return [*scored, relative(label(row, "s.e."), row.std_error, error, "scipy", CR2)]
    return [
        relative(label(row, "s.e."), row.std_error, error, "scipy", CR2),
        *wald_checks(row, level, float(d.mean()), error, df, cut=(-1.0, 1.0), why=CR2),
    ]
