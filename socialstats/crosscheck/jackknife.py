"""Intervals of statistics left out one by one, and of standardised differences, computed again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import cochran
from socialstats.crosscheck.row_arithmetic import label, relative
from socialstats.results import Check, Row
from socialstats.results.verification import as_published

CLOSE = 1e-6
TAIL = "P(T <= t) at this end of d_z, against its tail"
MOST_LEFT_OUT = 2000
MOST_COUNTS = 1_000_000  # counts of several levels that are left out at a time
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

    values = np.repeat(left, copies)
    n = len(values)
    if not np.ptp(values) > 0:
        return Jackknifed(std_error=math.nan, df=math.nan, low=math.nan, high=math.nan)
    error = math.sqrt((n - 1) * float(np.var(values)))
    # variance of the variance over its square
    spread = 2 / (n - 1) + float(kurtosis(values)) / n
    df = n - 1.0 if units_df else min(max(2 / spread, 1.0), n - 1.0)
    reach = float(distribution.ppf((1 + level) / 2, df)) * error
    return Jackknifed(std_error=error, df=df, low=estimate - reach, high=estimate + reach)


def values_left_out(
    statistic: Callable[[FloatArray], FloatArray], count: FloatArray, way: IntArray
) -> FloatArray:
    """Return a statistic of (..., cells) counts without each level of a factor, (levels,); of code -1 none is left out.

    Parameters
    ----------
    statistic : function of (k, cells) counts -> (k,) array
    count : (cells,) float64 array
    way : (cells,) int64 array
        The level of each cell.
    """
    codes = np.unique(way[way >= 0])
    # levels are left out in blocks, which bounds the memory
    step = max(1, MOST_COUNTS // len(count))
    blocks = [codes[start : start + step, None] for start in range(0, len(codes), step)]
    return np.concatenate([statistic(np.where(way == block, 0.0, count)) for block in blocks])


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

    low, high = jack
    rejects = abs(t) > distribution.ppf((1 + level) / 2, n - 1)
    if not (rejects and low <= 0 <= high):
        return jack
    size = t / math.sqrt(n)
    # on the log scale the reach is that of the size itself, over the size
    inner = size * math.exp(-(high - low) / 2 / abs(size))
    return (inner, high) if t > 0 else (low, inner)


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
    if row.conf_low is None or row.conf_high is None:
        return []
    tail = (1 - level) / 2
    width = (row.conf_high - row.conf_low) / factor
    checks = []
    # the probability of values up to t falls as the centre moves up
    for name, end, jackknifed, share, outward in (
        ("low", row.conf_low, jack[0], 1 - tail, -1.0),
        ("high", row.conf_high, jack[1], tail, 1.0),
    ):
        centre = end / factor
        below = noncentral_share(t, n, centre)
        is_further = outward * (jackknifed - centre) > CLOSE * width
        # where the end is the jackknife's, the noncentral t must not reach further
        is_alike = abs(centre - jackknifed) <= CLOSE * width
        if is_further or (is_alike and outward * (share - below) >= -CLOSE):
            theirs = jackknifed * factor
            checks.append(relative(label(row, name), end, theirs, "scipy", LEFT, CLOSE, 1.0))
        else:
            ours = as_published(share, end)
            quantity = label(row, f"{name}: tail")
            checks.append(relative(quantity, ours, below, "scipy", TAIL, CLOSE, 1.0))
    return checks


def noncentral_share(t: float, n: float, size: float) -> float:
    """Return P(T <= t) of the statistic of n values with a standardised mean, by scipy's noncentral t."""
    from scipy.stats import nct

    # P(T <= t | c) = 1 - P(T <= -t | -c): scipy is better for t >= 0
    sign = 1.0 if t >= 0 else -1.0
    centre = sign * size * math.sqrt(n)
    share = float(nct.cdf(abs(t), n - 1, centre))
    if math.isnan(share) and centre < 0:
        # scipy has none far out; it is no less than at 0
        share = float(nct.cdf(abs(t), n - 1, 0.0))
    return share if sign > 0 else 1 - share
