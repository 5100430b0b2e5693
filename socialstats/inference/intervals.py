"""Closed-form intervals and tests that several metrics share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtridf, stdtrit

from socialstats.arrays import FloatArray
from socialstats.results.rows import checked_level as checked_level

# smaller floats have fewer digits
SMALLEST = float(np.finfo(np.float64).tiny)


def critical_value(level: float, df: float | None = None) -> float:
    """Return the two-sided critical value of the normal (df None) or t distribution.

    Examples
    --------
    >>> round(critical_value(0.95), 4), round(critical_value(0.95, df=10), 4)
    (1.96, 2.2281)
    """
    upper = (1 + level) / 2
    return float(ndtri(upper) if df is None else stdtrit(df, upper))


def cochran_df(variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Return degrees of freedom for a variance that is a sum of estimated parts.

    Cochran's (1964) critical value is the mean of the parts' own, weighted by the parts. The degrees of freedom are
    those whose 95% two-sided critical value it is. They lie between those of the parts.

    Parameters
    ----------
    variances, dfs : sequence of float
        The parts, at least 0 and not all 0, and their degrees of freedom.

    Notes
    -----
    t(df; .975) = sum V_i t(df_i; .975) / sum V_i. Satterthwaite's (1946) degrees of freedom are larger, most where a
    part with few of its own is small by chance, and intervals then too short.

    References
    ----------
    Cochran, W. G. (1964). Approximate significance levels of the Behrens-Fisher test. Biometrics, 20(1), 191-195.
    doi:10.2307/2528069

    Examples
    --------
    >>> round(cochran_df([3.0, 1.0], [19.0, 2.0]), 2), round(cochran_df([3.0, 0.0], [19.0, 2.0]), 2)
    (4.57, 19.0)
    """
    parts = [(v, df) for v, df in zip(variances, dfs, strict=True) if v > 0]
    critical = sum(v * critical_value(0.95, df) for v, df in parts) / sum(v for v, _ in parts)
    return float(
        min(max(stdtridf(0.975, critical), min(df for _, df in parts)), max(df for _, df in parts))
    )


def not_zero(p: Any) -> FloatArray:
    """Return p-values within (0, 1]: one too small for a float of full precision is the smallest such, none is above 1.

    Examples
    --------
    >>> float(not_zero(0.0)), float(not_zero(0.03)), float(not_zero(1 + 4e-14))
    (2.2250738585072014e-308, 0.03, 1.0)
    """
    return np.asarray(np.clip(p, SMALLEST, 1.0))


def two_sided_p(statistic: FloatArray, df: FloatArray | float | None = None) -> FloatArray:
    """Return two-sided p-values of normal (df None or infinite) or t statistics; never 0 (see `not_zero`)."""
    # lower tails keep their digits, upper ones are 1 less something
    lower = -np.abs(statistic)
    if df is None:
        return not_zero(2 * ndtr(lower))
    return not_zero(
        2 * np.where(np.isinf(df), ndtr(lower), stdtr(np.where(np.isinf(df), 1.0, df), lower))
    )


def critical_values(level: float, df: FloatArray) -> FloatArray:
    """Return two-sided critical values of t distributions, normal where df is infinite."""
    upper = (1 + level) / 2
    return np.where(np.isinf(df), ndtri(upper), stdtrit(np.where(np.isinf(df), 1.0, df), upper))


def wald_interval(
    estimate: FloatArray, std_error: FloatArray, *, df: FloatArray | float | None, level: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return low, high, statistic (estimate over s.e.) and two-sided p-value, elementwise.

    Where the standard error is zero, statistic and p are NaN: the caller must say why.

    Parameters
    ----------
    estimate, std_error : (k,) arrays
    df : (k,) array, float or None
        None or infinite for the normal limit.
    level : float
    """
    critical = (
        critical_value(level)
        if df is None
        else critical_values(level, np.asarray(df, dtype=np.float64))
    )
    reach = critical * std_error
    statistic = np.divide(
        estimate, std_error, out=np.full_like(estimate, np.nan), where=std_error > 0
    )
    return estimate - reach, estimate + reach, statistic, two_sided_p(statistic, df)
