"""Means of values between 0 and 1 recomputed: statsmodels, errors by clusters, Wilson's ends as roots."""

from __future__ import annotations

import math

from socialstats.crosscheck.clusters import Errors, effective_number
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    label,
    quantile,
    relative,
    with_open_end,
)
from socialstats.results import Check, Row

LINEAR = "CR2 of the linearised share; df as (tr P)^2 / tr(P^2), P entry by entry; crossed factors by sums"
ROOTS = "Wilson's ends are the roots of (p - x)^2 = q^2 x (1 - x)/n"


def wilson_roots(p: float, trials: float, level: float, df: float | None) -> tuple[float, float]:
    """Wilson's ends as the roots of a polynomial; with `df` for a t quantile."""
    share = quantile(level, df) ** 2 / trials
    # (1 + share) x^2 - (2 p + share) x + p^2 = 0
    middle, scale = 2 * p + share, 2 * (1 + share)
    reach = math.sqrt(max(middle * middle - 2 * scale * p * p, 0.0))
    high = (middle + reach) / scale
    # the product of both roots is p^2 / (1 + share)
    low = 2 * p * p / (middle + reach)
    # rounding must not leave an end beside 0 or 1
    return (0.0 if p == 0 else low), (1.0 if p == 1 else high)


def clustered_share_checks(
    row: Row,
    p: float,
    errors: Errors,
    *,
    answers: float,
    level: float,
    side: str = "two_sided",
) -> list[Check]:
    """Compare df and Wilson's ends of a row of a share in clusters.

    Parameters
    ----------
    row : Row
    p : float
    errors : Errors
    answers : float
        Most answers that the interval may count.
    level : float
    side : {"two_sided", "greater", "less"}
        One-sided: the other end is 0 or 1; `level` is that of the two-sided interval with the same end.
    """
    if not errors.known:
        return []
    if row.conf_low is None:
        return []
    checks = []
    trials = effective_number(p * (1 - p), errors, answers)
    df = None
    if row.df is not None or row.n_clusters is not None:
        df = errors.df
        checks.append(relative(label(row, "df"), row.df, df, "scipy", LINEAR, 1e-7))
    low, high = with_open_end(*wilson_roots(p, trials, level, df), side, (0.0, 1.0))
    return [*checks, *end_checks(row, low, high, "numpy", ROOTS, 1e-7)]
