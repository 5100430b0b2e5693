"""Intervals of statistics left out one by one, and of standardised differences, computed again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import cochran
from socialstats.crosscheck.paired_tables import near
from socialstats.crosscheck.row_arithmetic import label
from socialstats.results import Check, Row
from socialstats.results.verification import as_published

ROUNDING = 1e-12
MOST_LEFT_OUT = 2000
MANY = "too many units to leave each out in turn"
LEFT = "the statistic without each unit (cluster), computed from its values again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackknifed:
    """Standard error, df and t interval of a statistic by the jackknife."""

    std_error: float
    df: float
    low: float
    high: float


def jackknife_t(
    estimate: float, left: FloatArray, copies: IntArray, level: float, *, units_df: bool = False
) -> Jackknifed:
    """Return the jackknife's t interval; its df are by scipy's kurtosis.

    The variance of a variance is V^2 (2/(n - 1) + g/n) with excess kurtosis g; that of chi-square, 2 V^2 / df.

    Parameters
    ----------
    estimate : float
    left : (units,) float64 array
        The statistic without each unit.
    copies : (units,) int64 array
        Alike units that each one stands for.
    level : float
    units_df : bool
        Whether the df are the units less 1.
    """
    from scipy.stats import kurtosis
    from scipy.stats import t as distribution

    written = np.repeat(left, copies)
    n = len(written)
    if not np.ptp(written) > 0:
        return Jackknifed(std_error=math.nan, df=math.nan, low=math.nan, high=math.nan)
    error = math.sqrt((n - 1) * float(np.var(written)))
    spread = 2 / (n - 1) + float(kurtosis(written)) / n
    df = n - 1.0 if units_df else min(max(2 / spread, 1.0), n - 1.0)
    reach = float(distribution.ppf((1 + level) / 2, df)) * error
    return Jackknifed(std_error=error, df=df, low=estimate - reach, high=estimate + reach)


def crossed_jackknife(ways: Sequence[FloatArray]) -> tuple[float, float]:
    """Return standard error and df from the values without each level of one factor, or of two and their intersections.

    Of two factors it is the largest of V1, V2 and V1 + V2 - V12, with Cochran's df of those of V1 and V2 that vary.
    """
    parts = [jackknife_t(0.0, left, np.ones(len(left), dtype=np.int64), 0.5) for left in ways]
    variances = [0.0 if math.isnan(part.std_error) else part.std_error**2 for part in parts]
    varying = [k for k, variance in enumerate(variances[:2]) if variance > 0]
    df = math.nan
    if varying:
        df = cochran([variances[k] for k in varying], [parts[k].df for k in varying])
    variance = max(variances[:2])
    if len(ways) > 1:
        variance = max(variance, variances[0] + variances[1] - variances[2])
    return math.sqrt(variance), df


def short_of_zero(
    jack: tuple[float, float], t: float, n: float, level: float
) -> tuple[float, float]:
    """Return the jackknife's ends; one beyond 0 on the log scale, if the long tail is on the side of a t that rejects.

    Parameters
    ----------
    jack : pair of float
    t : float
    n : float
        Pairs.
    level : float
    """
    from scipy.stats import t as distribution

    rejects = abs(t) > distribution.ppf((1 + level) / 2, n - 1)
    if not (rejects and jack[0] <= 0 <= jack[1]):
        return jack
    size = t / math.sqrt(n)
    inner = size * math.exp(-(jack[1] - jack[0]) / 2 / abs(size))
    return (inner, jack[1]) if t > 0 else (jack[0], inner)


def hull_checks(
    row: Row, t: float, n: float, jack: tuple[float, float], level: float, *, factor: float = 1.0
) -> list[Check]:
    """Compare each end with the jackknife's, or (where the noncentral t reaches further) put it into scipy's.

    Parameters
    ----------
    row : Row
    t, n : float
        mean / (sd / sqrt(n)), and values.
    jack : pair of float
        Ends of the jackknife t interval of d_z; not a number where there is none.
    level : float
    factor : float
        The row's number over d_z (Hedges' J).
    """
    from scipy.stats import nct

    if row.conf_low is None or row.conf_high is None:
        return []
    tail, out = (1 - level) / 2, []
    wide = (row.conf_high - row.conf_low) / factor
    for which, shown, other, want in (
        ("low", row.conf_low, jack[0], 1 - tail),
        ("high", row.conf_high, jack[1], tail),
    ):
        # P(T <= t | c) = 1 - P(T <= -t | -c): scipy is better for t >= 0
        sign, end, outward = (
            1.0 if t >= 0 else -1.0,
            shown / factor,
            -1.0 if which == "low" else 1.0,
        )
        share = float(nct.cdf(abs(t), n - 1, sign * end * math.sqrt(n)))
        if math.isnan(share) and sign * end < 0:  # scipy has none far out; it is no less than at 0
            share = float(nct.cdf(abs(t), n - 1, 0.0))
        share = share if sign > 0 else 1 - share
        further = outward * (other - end) > 1e-6 * wide
        close = abs(end - other) <= 1e-6 * wide and outward * (want - share) >= -1e-6
        if (
            further or close
        ):  # the jackknife's end; where it is that, the noncentral t must not reach further
            out.append(near(label(row, which), shown, other * factor, "scipy", LEFT, close=1e-6))
            continue
        why = "P(T <= t) at this end of d_z, against its tail"
        out.append(
            near(
                label(row, f"{which}: tail"),
                as_published(want, shown),
                share,
                "scipy",
                why,
                close=1e-6,
            )
        )
    return out
