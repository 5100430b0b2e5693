"""A mean over units of values between 0 and 1, with an interval that stays between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.proportions import effective_trials, wilson
from socialstats.resampling import Units, bootstrap, choose, jackknife
from socialstats.results import Row
from socialstats.text import interval, number

RESAMPLED = ("percentile", "basic", "bca")
ONE_CLUSTER = "a single cluster: no standard error and no interval"
CAPPED = "Wilson, n at most {trials} answers (s.e. without this cap)"
SAME = "all resamples give the same value, so there is no interval"
METHODS = {"wilson": "Wilson", "percentile": "bootstrap, percentile", "basic": "bootstrap, basic",
           "bca": "bootstrap, BCa"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shares:
    """Values of units, as cells.

    Attributes
    ----------
    values : (cells,) float64 array
        Between 0 and 1.
    count : (cells,) float64 array
        Units in the cell.
    clusters : tuple of (cells,) int64 arrays
        None, one or two cluster factors.
    trials : float
        Yes-or-no answers behind the values; an interval never counts more.
    """

    values: FloatArray
    count: FloatArray
    clusters: tuple[IntArray, ...] = ()
    trials: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How the interval is made: ``"wilson"`` or a bootstrap of `RESAMPLED`."""

    ci: str
    level: float
    resamples: int
    seed: int


def share_row(row: Row, data: Shares, how: How) -> Row:
    """Fill a row with the mean of the values, its standard error and interval.

    Wilson's interval of independent yes-or-no values takes n units. Else n is p(1 - p)/s.e.^2, at most `trials` (Korn
    & Graubard 1998; where this cap binds, `method` says so, and the s.e. stays that of the values), with a t quantile;
    s.e. of independent units sd/sqrt(n), CR2 by one cluster factor, and V1 + V2 - V12 by two.

    Parameters
    ----------
    row : Row
        With term and group.
    data : Shares
        At least one unit.
    how : How

    Returns
    -------
    Row
    """
    n, p = float(data.count.sum()), float(data.values @ data.count / data.count.sum())
    groups = min((len(np.unique(codes)) for codes in data.clusters), default=int(n))
    row = replace(
        row, estimate=p, n=n, n_units=int(n), n_clusters=groups if data.clusters else None, method=METHODS[how.ci]
    )
    if groups < 2:
        return replace(row, undefined=ONE_CLUSTER if data.clusters else "one unit: no interval")
    error, df = error_of(data, p, n)
    row = replace(row, std_error=error if error > 0 else None)
    if how.ci == "wilson" and capped(data, p, error):
        row = replace(
            row, method=f"{METHODS[how.ci]}, n at most {number(data.trials, 0)} answers (s.e. without this cap)"
        )
    low, high, why = resampled(data, how) if how.ci in RESAMPLED else wilson_ends(data, p, error, df, groups, how.level)
    if why:
        return replace(row, undefined=why)
    return replace(row, conf_low=low, conf_high=high, conf_level=how.level)


def share_text(row: Row) -> str:
    """Write a share with its interval.

    Examples
    --------
    >>> share_text(Row(term="tied", estimate=0.25, conf_low=0.1, conf_high=0.5, conf_level=0.95))
    '.250, 95% CI [.100, .500]'
    """
    text = number(row.estimate, 3, bounded=True)
    if row.conf_low is None:
        return text
    return f"{text}, {interval(row.conf_low, row.conf_high, 3, level=row.conf_level or 0.95, bounded=True)}"


def is_plain(data: Shares) -> bool:
    """Tell whether the values are independent and all yes or no."""
    return not data.clusters and bool(np.all((data.values == 0) | (data.values == 1)))


def error_of(data: Shares, p: float, n: float) -> tuple[float, float | None]:
    """Return standard error and degrees of freedom (None: normal)."""
    if is_plain(data):
        return math.sqrt(p * (1 - p) / n), None
    found = clustered_mean(data.values, data.count, data.clusters)
    flat = bool(found.undefined) or math.isnan(found.std_error)
    return (0.0, None) if flat else (found.std_error, found.df)


def capped(data: Shares, p: float, error: float) -> bool:
    """Tell whether the interval counts fewer answers than the standard error by itself speaks for."""
    return not is_plain(data) and error > 0 and 0 < p < 1 and p * (1 - p) / error**2 > data.trials * (1 + 1e-9)


def wilson_ends(
    data: Shares, p: float, error: float, df: float | None, groups: int, level: float
) -> tuple[float, float, str]:
    """Wilson's interval with the number of trials that the standard error speaks for."""
    n = float(data.count.sum())
    trials = np.array([n if is_plain(data) else min(max(data.trials, 1.0), 1e300)])
    if not is_plain(data):
        variance = np.array([error**2])
        trials = effective_trials(np.array([p]), variance, np.array([float(groups)]), trials)
    quantile = None if is_plain(data) else np.array([groups - 1.0 if df is None else df])
    low, high = wilson(np.array([p]), trials, level=level, df=quantile)
    return float(min(low[0], p)), float(max(high[0], p)), ""


def resampled(data: Shares, how: How) -> tuple[float, float, str]:
    """Bootstrap interval over units or clusters, or why there is none."""
    table = np.column_stack([data.values * data.count, data.count])
    units = Units.clusters(*data.clusters) if data.clusters else Units.rows(data.count)
    boot = bootstrap(table, mean_of_sums, units, resamples=how.resamples, seed=how.seed)
    if boot.is_constant[0]:
        return math.nan, math.nan, SAME
    jack = jackknife(table, mean_of_sums, units) if how.ci == "bca" and len(data.clusters) < 2 else None
    found = choose(how.ci, boot, level=how.level, jack=jack)
    return float(found.low[0]), float(found.high[0]), found.undefined[0]


def mean_of_sums(sums: FloatArray) -> FloatArray:
    """(resamples, 2) sums of values and of units -> (resamples, 1) means."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, :1] / sums[:, 1:]


def merged(values: FloatArray, count: FloatArray, clusters: Sequence[IntArray], trials: float) -> Shares:
    """Merge cells of one value in one cluster."""
    keys = np.column_stack([*clusters, values])
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    totals = np.bincount(inverse.ravel(), weights=count, minlength=len(distinct)).astype(np.float64)
    codes = tuple(distinct[:, j].astype(np.int64) for j in range(len(clusters)))
    return Shares(values=distinct[:, -1].astype(np.float64), count=totals, clusters=codes, trials=trials)
