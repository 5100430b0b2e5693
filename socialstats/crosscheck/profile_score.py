"""Tango's score recomputed: the constrained likelihood of paired shares, maximised numerically."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, SMOOTH, effective_number, errors_of_mean
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    quantile,
    tail_p,
    with_open_end,
)
from socialstats.results import Check, Row

NEAR_TOP = 1e-6  # a minimiser finds the top of a likelihood to the root of the rounding error
PROFILE = "score interval by numerical profile likelihood; ends agree to the optimiser's tolerance"
SHARES = (-1.0, 1.0)
SMALLEST = float(np.finfo(np.float64).tiny)  # no p is 0


def effective_pairs(d: FloatArray, groups: Any) -> tuple[FloatArray, float | None] | None:
    """Return the pairs of each kind, and df of t: of independent pairs, or the effective numbers in clusters.

    Parameters
    ----------
    d : (pairs,) array of -1, 0 and 1
    groups : (pairs, factors) array of labels, or None

    Returns
    -------
    tuple of (2, 2) array and float, or None
        Pairs of the first only at [1, 0], of the second only at [0, 1]; None for a single cluster.
    """
    n = len(d)
    part, df = 1.0, None
    if groups is not None:
        errors = errors_of_mean(d, groups)
        if not errors.known:
            return None
        # in clusters each pair counts as this part of an independent one
        part = effective_number(float(np.var(d)), errors, n) / n
        df = errors.df
    b, c = part * float(np.sum(d > 0)), part * float(np.sum(d < 0))
    return np.array([[part * n - b - c, c], [b, 0.0]]), df


def score_checks(
    row: Row,
    table: FloatArray,
    df: float | None,
    *,
    level: float,
    side: str,
    null: float = 0.0,
) -> list[Check]:
    """Tango's interval of a row of a difference; statistic, df and p of a row with a score test.

    Parameters
    ----------
    row : Row
    table : (2, 2) array
    df : float or None
        As `effective_pairs` returns them.
    level : float
    side : {"two_sided", "greater", "less"}
    null : float
        The difference under the hypothesis.
    """
    checks = []
    if row.interval == "score" and row.has_interval:
        low, high = with_open_end(*profile_interval(table, level, df), side, SHARES)
        half = (high - low) / 2
        checks = end_checks(row, low, high, "scipy", PROFILE, SMOOTH, least=half)
    if row.test != "score" or row.p_value is None:
        return checks
    value = limit_of_score(table, null) if abs(null) >= 1 else profile_score(table, null)
    checks += field_checks(row, "scipy", PROFILE, SMOOTH, 1e-3, statistic=value)
    if df is not None:
        checks += field_checks(row, "numpy", CR2, SMOOTH, df=df)
    p = max(tail_p(value, df, side), SMALLEST)
    return checks + field_checks(row, "scipy", PROFILE, 1e-5, p_value=p)


def limit_of_score(table: FloatArray, null: float) -> float:
    """Return the statistic against a difference of 1 or -1, which every other difference rejects."""
    gap = (table[1, 0] - table[0, 1]) / table.sum()
    return 0.0 if gap == null else math.copysign(math.inf, -null)


def profile_score(table: FloatArray, delta: float) -> float:
    """Tango's statistic against a difference of `delta`, the constrained likelihood maximised numerically."""
    from scipy.optimize import brentq, minimize_scalar
    from scipy.special import xlogy

    b, c, n = table[1, 0], table[0, 1], table.sum()
    least, most = max(0.0, -delta), (1 - delta) / 2  # limits of P(second only)

    def loss(q: float) -> float:
        return -float(xlogy(b, q + delta) + xlogy(c, q) + xlogy(n - b - c, 1 - 2 * q - delta))

    def slope(q: float) -> float:
        return float(b / (q + delta) + c / q - 2 * (n - b - c) / (1 - 2 * q - delta))

    with np.errstate(all="ignore"):
        fit = minimize_scalar(
            loss, bounds=(least, most), method="bounded", options={"xatol": 1e-13}
        )
        q = min((least, most, float(fit.x)), key=loss)
        low, high = max(least, q - NEAR_TOP), min(most, q + NEAR_TOP)
        inside = least < low and high < most
        # the likelihood is flat at its top, and its slope is not
        if inside and slope(low) > 0 > slope(high):
            q = float(brentq(slope, low, high, xtol=1e-16))
    # Tango (1998): the variance under the hypothesis
    variance = n * (2 * q + delta * (1 - delta))
    return float(b - c - n * delta) / math.sqrt(max(variance, 1e-300))


def profile_interval(
    table: FloatArray, level: float, df: float | None = None
) -> tuple[float, float]:
    """Tango's interval: invert the score test, the constrained likelihood maximised numerically."""
    from scipy.optimize import brentq

    difference = (table[1, 0] - table[0, 1]) / table.sum()
    z = quantile(level, df)

    def score(delta: float) -> float:
        return profile_score(table, delta)

    with np.errstate(all="ignore"):
        edge, step = 1 - 1e-12, 1e-9
        low, high = -1.0, 1.0
        if difference > -1:
            low = float(brentq(lambda x: score(x) - z, -edge, difference - step))
        if difference < 1:
            high = float(brentq(lambda x: score(x) + z, difference + step, edge))
    return low, high
