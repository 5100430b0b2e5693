"""Bootstrap numbers once more: the engine's weights, every statistic anew, one resample after the other.

Only the draws themselves (how often each cell of alike rows is taken) come from the engine. What they give, the
standard error, the jackknife and the ends of the intervals are computed here by other formulas.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.row_arithmetic import label, relative
from socialstats.resampling import Units, weight_blocks
from socialstats.results import Check, FloatArray, Row

RESAMPLED = ("percentile", "basic", "bca", "studentized")
WHY = "the same draws, every resample computed anew"
SAMPLE = 64
MOST_NUMBERS = 300_000_000  # calls times cells: about two seconds
TIES = 1e-9
CLOSE = 1e-7
Statistic = Callable[[FloatArray], Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """What is resampled.

    Attributes
    ----------
    units : Units
    count : (cells,) float64 array
        Alike rows that each cell stands for.
    """

    units: Units
    count: FloatArray

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield how many rows of each cell a resample holds, (cells,), for one resample after the other."""
        for block in weight_blocks(self.units, resamples=resamples, seed=seed, block=SAMPLE):
            for weights in block:
                yield np.rint(weights[self.units.unit] * self.count)

    def without_one(self) -> Iterator[FloatArray]:
        """Yield the rows left when one unit (cluster, or row of a cell) is left out."""
        for unit in range(self.units.n_units):
            own = self.units.unit == unit
            yield np.where(own, 0.0 if self.units.copies is None else self.count - 1, self.count)

    @property
    def copies(self) -> Any:
        """How many alike units each left-out one stands for."""
        copies = self.units.copies
        return np.ones(self.units.n_units, dtype=np.int64) if copies is None else copies.astype(np.int64)

    def too_many(self, calls: int, cost: float = 1.0) -> bool:
        """Tell whether that many statistics, each over all cells (times `cost`), are too many for a check."""
        return calls * (len(self.count) + 200) * cost > MOST_NUMBERS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Redrawn:
    """Estimates of the sample, (m,), of its resamples, (B, m), and without each unit (None: not asked for).

    Attributes
    ----------
    estimate, replicates, left : arrays
    copies : (units,) int array
    """

    estimate: FloatArray
    replicates: FloatArray
    left: FloatArray | None
    copies: Any

    def std_error(self, column: int) -> float | None:
        """Standard deviation of the replicates that exist, from the mean of their squares around the mean."""
        x = self.replicates[:, column]
        x = x[np.isfinite(x)]
        return math.sqrt(math.fsum((x - x.mean()) ** 2) / (len(x) - 1)) if len(x) > 1 else None

    def ends(self, ci: str, column: int, level: float) -> tuple[float, float]:
        """Both ends of an interval; NaN where the draws do not reach."""
        from scipy.stats import norm

        x, value = self.replicates[:, column], float(self.estimate[column])
        x = x[np.isfinite(x)]
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if ci == "studentized":
            error = self.replicates[:, column + 1]
            t = ((self.replicates[:, column] - value) / np.where(error > 0, error, np.nan))[:, None]
            low, high = quantiles(t[np.isfinite(t)], tails)
            own = float(self.estimate[column + 1])
            return value - high * own, value - low * own
        if ci == "bca" and self.left is not None:
            z0 = norm.ppf(share_below(x, value))
            at = z0 + norm.ppf(tails)
            tails = norm.cdf(z0 + at / (1 - self.acceleration(column) * at))
        low, high = quantiles(x, tails)
        return (2 * value - high, 2 * value - low) if ci == "basic" else (low, high)

    def acceleration(self, column: int) -> float:
        """Return the skewness of the jackknife values, over 6 sqrt(n) (Efron 1987, eq. 7.3, by the jackknife)."""
        from scipy.stats import skew

        assert self.left is not None
        x = -np.repeat(self.left[:, column], self.copies)
        return float(skew(x)) / (6 * math.sqrt(len(x)))


def share_below(x: FloatArray, value: float) -> float:
    """Share of the replicates below the estimate, those equal to it up to rounding counted half."""
    from scipy.stats import iqr

    near = np.isclose(x, value, rtol=1e-12, atol=TIES * float(iqr(x)))
    return float(np.mean(np.where(near, 0.5, x < value)))


def quantiles(x: FloatArray, tails: Any) -> tuple[float, float]:
    """Order statistics at (B + 1) tail, between them on the normal scale (Davison & Hinkley 1997, eq. 5.8)."""
    from scipy.stats import norm

    places = np.arange(1, len(x) + 1) / (len(x) + 1)
    inside = (tails >= places[0] - 1e-12) & (tails <= places[-1] + 1e-12)
    found = np.interp(norm.ppf(tails), norm.ppf(places), np.sort(x))
    low, high = np.where(inside, found, np.nan)
    return float(low), float(high)


def redrawn(
    cells: Cells, statistic: Statistic, *, ci: str, resamples: int, seed: int, cost: float = 1.0
) -> Redrawn | None:
    """Compute a statistic of all resamples and, for BCa, without each unit; None where that takes too long.

    Parameters
    ----------
    cells : Cells
    statistic : callable
        How many rows of each cell there are, (cells,) -> estimates, (m,); NaN for one that does not exist.
    ci : str
    resamples, seed : int
    cost : float
        How much longer than a mean the statistic takes.
    """
    leave_out = ci == "bca" and len(cells.units.sizes) == 1
    if cells.too_many(resamples + leave_out * cells.units.n_units, cost):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.atleast_1d(np.asarray(statistic(cells.count), dtype=np.float64))
        replicates = np.array([np.atleast_1d(statistic(times)) for times in cells.draws(resamples, seed)], dtype=float)
        left = np.array([np.atleast_1d(statistic(t)) for t in cells.without_one()], dtype=float) if leave_out else None
    return Redrawn(estimate=estimate, replicates=replicates, left=left, copies=cells.copies)


def resampled_checks(
    row: Row, drawn: Redrawn | None, ci: str, level: float, *, column: int = 0, factor: float = 1.0,
    error: bool = True, most: float = math.inf, close: float = CLOSE,
) -> list[Check]:  # fmt: skip
    """Compare standard error and ends of a row with those of the recomputed resamples.

    Parameters
    ----------
    row : Row
    drawn : Redrawn or None
        None: too many to compute, which the check then says.
    ci : {"percentile", "basic", "bca", "studentized"}
    level : float
    column : int
        Of the statistic.
    factor : float
        The row's number over the statistic's (Hedges' J).
    error : bool
        The row's standard error is that of the resamples.
    most : float
        Limit of the upper end.
    close : float
        Relative tolerance.
    """
    if row.conf_low is None and row.conf_high is None and (row.std_error is None or not error):
        return []
    if drawn is None:
        note = "too many resamples of too many rows to compute one by one"
        return [compare(label(row, "bootstrap"), row.conf_low, None, package="numpy", tolerance=0, why=WHY, note=note)]
    value = float(drawn.estimate[column]) * factor
    out = [relative(label(row, "of the cells resampled"), row.estimate, value, "numpy", WHY, close, size=1e-3)]
    if error and row.std_error is not None:
        found = drawn.std_error(column)
        theirs = None if found is None else found * abs(factor)
        out.append(relative(label(row, "s.e. of the resamples"), row.std_error, theirs, "numpy", WHY, close))
    low, high = (end * factor for end in drawn.ends(ci, column, level))
    for name, ours, end in (("low", row.conf_low, low), ("high", row.conf_high, high)):
        theirs = None if math.isnan(end) else min(end, most)
        if ours is not None:
            out.append(relative(label(row, name), ours, theirs, "scipy", WHY, close, size=abs(high - low)))
    return out


def sampled_check(
    name: str, cells: Cells, ours: FloatArray, theirs: Statistic, *, seed: int, package: str, calls: int = SAMPLE
) -> list[Check]:
    """Compare the first recomputed resamples with another package on their rows; the largest difference.

    Parameters
    ----------
    name : str
    cells : Cells
    ours : (B,) float64 array
        Recomputed replicates.
    theirs : callable
        Rows of each cell, (cells,) -> estimate; NaN where the package has none.
    seed : int
    package : str
    calls : int
        How many resamples at most.
    """
    checks = []
    many = min(calls, len(ours))
    for place, times in enumerate(cells.draws(many, seed) if many else ()):
        mine, other = float(ours[place]), float(theirs(times)) if np.isfinite(ours[place]) else math.nan
        if math.isfinite(mine) and math.isfinite(other):
            made = {"package": package, "tolerance": 1e-9 * max(1.0, abs(other)), "why": WHY}
            checks.append(compare(f"{name} in a resample", mine, other, **made))  # type: ignore[arg-type]
    return [worst(checks, "resamples")] if checks else []


def mean_with_error(cells: Cells, values: FloatArray, groups: Any = None) -> Statistic:
    """Return the function from the rows of each cell to their mean and its standard error.

    Independent rows: sd/sqrt(n). With `groups` (cells,), the clusters that are drawn: the root of
    G/(G - 1) sum (sum of the deviations of a cluster from the mean)^2 / n^2, a cluster drawn twice being two.
    """
    alone = groups is None
    _, first, codes = np.unique(np.arange(len(values)) if alone else groups, return_index=True, return_inverse=True)

    def statistic(times: FloatArray) -> tuple[float, float]:
        n = float(times.sum())
        if not n:
            return math.nan, math.nan
        mean = float(np.dot(values, times)) / n
        off = values - mean
        if alone:
            squares, g = float(np.dot(off**2, times)), n
        else:
            drawn = (times / cells.count)[first]
            own = np.bincount(codes, off * cells.count)
            squares, g = float(np.dot(own**2, drawn)), float(drawn.sum())
        error = math.sqrt(g / (g - 1) * squares) / n if g > 1 else math.nan
        return mean, error if error > 1e-9 * float(np.ptp(values)) / n else math.nan

    return statistic
