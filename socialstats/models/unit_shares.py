"""A mean over units of values between 0 and 1, with an interval that stays between 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.proportions import clustered_share, wilson
from socialstats.inference.rows import with_ends, with_share
from socialstats.resampling import Units, bootstrap, choose, jackknife
from socialstats.results import Row
from socialstats.text import interval, number

RESAMPLED = ("percentile", "basic", "bca")
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

    Wilson's interval of independent yes-or-no values takes n units, with s.e. sqrt(p (1 - p) / n). Else s.e. and
    interval are those of `clustered_share`, which counts at most `trials` answers (where this cap binds, `method` says
    so, and the s.e. stays that of the values).

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
    found = clustered_share(data.values, data.count, data.clusters, trials=data.trials, level=how.level)
    n, p, clustered = float(data.count.sum()), found.estimate, bool(data.clusters)
    row = replace(
        row, estimate=p, n=n, n_units=int(n), n_clusters=found.clusters if clustered else None, method=METHODS[how.ci],
        leverage=found.largest if clustered else None,
    )  # fmt: skip
    if found.undefined:
        return replace(row, undefined=found.undefined)
    plain = is_plain(data)
    error = math.sqrt(p * (1 - p) / n) or None if plain else found.std_error
    row = replace(row, std_error=error)
    if how.ci in RESAMPLED:
        low, high, why = resampled(data, how)
        return with_ends(row, low, high, how.level, why=why)
    if plain:
        low, high = (float(end[0]) for end in wilson(np.array([p]), np.array([n]), level=how.level))
        return with_ends(row, low, high, how.level)
    if error is not None and p * (1 - p) / error**2 > data.trials * (1 + 1e-9):
        capped = f"n at most {number(data.trials, 0)} answers (s.e. without this cap)"
        row = replace(row, method=f"{METHODS[how.ci]}, {capped}")
    return with_share(row, found, how.level, clustered=clustered)


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
