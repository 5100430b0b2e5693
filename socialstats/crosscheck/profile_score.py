"""Tango's score recomputed: the constrained likelihood of paired shares, maximised numerically."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2
from socialstats.crosscheck.paired_tables import ends
from socialstats.crosscheck.row_arithmetic import (
    label,
    quantile,
    relative,
    same_p,
    tail_p,
    with_open_end,
)
from socialstats.crosscheck.shares import effective_pairs
from socialstats.results import Check, Row

NEAR_TOP = 1e-6  # a minimiser finds the top of a likelihood to the root of the rounding error
PROFILE = "score interval by numerical profile likelihood; ends agree to the optimiser's tolerance"
SHARES = (-1.0, 1.0)


def score_checks(
    row: Row, test: Row, d: FloatArray, groups: Any, level: float, side: str
) -> list[Check]:
    """Tango's interval of a row, and statistic, df and p of a test row, for the effective number of pairs."""
    found = effective_pairs(d, groups)
    if found is None:
        return []
    table, df = found
    out = []
    if row.conf_low is not None:
        out = ends(
            row,
            *with_open_end(*profile_interval(table, level, df), side, SHARES),
            "scipy",
            PROFILE,
            1e-6,
        )
    if test.statistic is None or not d.any():
        return out
    value = profile_score(table, 0.0)
    return [
        *out,
        relative(label(test, "statistic"), test.statistic, value, "scipy", PROFILE, 1e-6, 1e-3),
        relative(label(test, "df"), test.df, df, "numpy", CR2, 1e-7),
        same_p(label(test, "p"), test.p_value, tail_p(value, df, side), "scipy", PROFILE, 1e-5),
    ]


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
        if (
            least < low and high < most and slope(low) > 0 > slope(high)
        ):  # the likelihood is flat at its top
            q = float(brentq(slope, low, high, xtol=1e-16))
    return float(b - c - n * delta) / math.sqrt(max(n * (2 * q + delta * (1 - delta)), 1e-300))


def profile_interval(
    table: FloatArray, level: float, df: float | None = None
) -> tuple[float, float]:
    """Tango's interval: invert the score test, the constrained likelihood maximised numerically."""
    from scipy.optimize import brentq

    found = (table[1, 0] - table[0, 1]) / table.sum()
    z = quantile(level, df)

    def score(delta: float) -> float:
        return profile_score(table, delta)

    with np.errstate(all="ignore"):
        edge, step = 1 - 1e-12, 1e-9
        low = -1.0 if found == -1 else brentq(lambda x: score(x) - z, -edge, found - step)
        high = 1.0 if found == 1 else brentq(lambda x: score(x) + z, found + step, edge)
    return float(low), float(high)
