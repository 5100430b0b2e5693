"""Bootstrap numbers recomputed: rows, clusters or two crossed factors drawn here, every statistic anew.

A seed gives the same rows as in `socialstats.resampling` where that draws row by row or by numpy's multinomial. Each
factor has one generator PCG64, spawned from the seed, read in order. Large tables are resampled there by tables of
Poisson counts; the draws here are then others, and a comparison has a Monte-Carlo error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.comparing import compare
from socialstats.crosscheck.row_arithmetic import label, relative
from socialstats.results import Check, Row

BLOCK = 64
# rows a cell, rows of all cells, and rows of one, from which the library draws otherwise
FEW_ROWS, MANY_ROWS, LARGEST_CELL = 1.5, 500, 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """What is resampled: cells of alike rows, each in a cluster of every factor; without factors single rows.

    Attributes
    ----------
    count : (cells,) float64 array
        Alike rows that each cell stands for.
    codes : tuple of (cells,) arrays
        None, one or two factors, numbered from 0 without gaps.
    """

    count: FloatArray
    codes: tuple[Any, ...] = ()

    @classmethod
    def of(cls, count: Any, codes: Any = ()) -> Cells:
        """Number the levels of each factor."""
        dense = tuple(np.unique(np.asarray(code), return_inverse=True)[1].ravel() for code in codes)
        return cls(count=np.asarray(count, dtype=np.float64), codes=dense)

    @property
    def seeded(self) -> bool:
        """Whether a seed gives the rows that the engine draws."""
        rows, many = self.count.sum(), self.count.sum() >= FEW_ROWS * len(self.count)
        return bool(self.codes or not many or rows < MANY_ROWS or self.count.max() > LARGEST_CELL)

    @property
    def units(self) -> int:
        """Clusters of one factor, or cells."""
        return int(self.codes[0].max()) + 1 if self.codes else len(self.count)

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield how many rows of each cell a resample holds, (cells,), for one resample after the other."""
        children = np.random.SeedSequence(seed).spawn(max(len(self.codes), 1))
        streams = [np.random.Generator(np.random.PCG64(child)) for child in children]
        for start in range(0, resamples, BLOCK):
            n = min(BLOCK, resamples - start)
            if not self.codes:
                yield from self._rows(streams[0], n)
                continue
            # a cell is drawn as often as its cluster of each factor, together (Owen 2007)
            times = np.tile(self.count, (n, 1))
            for rng, code in zip(streams, self.codes, strict=True):
                size = int(code.max()) + 1
                levels = rng.integers(0, size, size=(n, size))
                of_levels = np.array([np.bincount(drawn, minlength=size) for drawn in levels])
                times *= of_levels[:, code]
            yield from times

    def _rows(self, rng: np.random.Generator, n: int) -> Iterator[FloatArray]:
        total = int(self.count.sum())
        if total >= FEW_ROWS * len(self.count):
            yield from rng.multinomial(total, self.count / total, size=n).astype(np.float64)
            return
        cell = np.repeat(np.arange(len(self.count)), self.count.astype(np.int64))
        for rows in rng.integers(0, total, size=(n, total)):
            yield np.bincount(cell[rows], minlength=len(self.count)).astype(np.float64)

    def without_one(self) -> Iterator[FloatArray]:
        """Yield the rows left when one unit (cluster, or row of a cell) is left out."""
        for unit in range(self.units):
            if self.codes:
                yield np.where(self.codes[0] == unit, 0.0, self.count)
            else:
                yield self.count - (np.arange(len(self.count)) == unit)

    @property
    def copies(self) -> Any:
        """How many alike units each left-out one stands for."""
        return np.ones(self.units, dtype=np.int64) if self.codes else self.count.astype(np.int64)


def half_width(x: FloatArray, tail: float, errors: float = 5.0) -> float:
    """Monte-Carlo error of a difference of the `tail` quantiles of two sets of as many draws as x, `errors` times.

    The quantiles at tail -+ errors sqrt(2 tail (1 - tail)/B), half their distance.
    """
    reach = errors * np.sqrt(2 * tail * (1 - tail) / len(x))
    low, high = np.quantile(x, np.clip([tail - reach, tail + reach], 0, 1))
    return float(high - low) / 2


def spread_error(x: FloatArray, errors: float = 5.0) -> float:
    """Monte-Carlo error of a difference of standard deviations, relative: sqrt((kurtosis - 1)/(4 B)) for each."""
    z = (x - x.mean()) / x.std()
    return float(errors * np.sqrt((max(3.0, float((z**4).mean())) - 1) / 4 * 2 / len(x)))


RESAMPLED = ("percentile", "basic", "bca", "studentized")
WHY = "the rows that the seed draws, drawn by numpy; every resample computed anew"
TOO_MANY = "too many resamples of too many rows to compute one by one"
OTHERWISE = "other rows drawn by numpy: five Monte-Carlo errors"
MOST_NUMBERS = 300_000_000  # calls times cells: about two seconds
TIES = 1e-9
CLOSE = 1e-7
Statistic = Callable[[FloatArray], Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Redrawn:
    """Estimates of the sample, (m,), of its resamples, (B, m), and without each unit (None: not asked for).

    Attributes
    ----------
    estimate, replicates, left : arrays
    copies : (units,) int array
    seeded : bool
        Whether the resamples are those of the library.
    """

    estimate: FloatArray
    replicates: FloatArray
    left: FloatArray | None
    copies: Any
    seeded: bool = True

    def std_error(self, column: int) -> float | None:
        """Standard deviation of the replicates that exist, from the mean of their squares around the mean."""
        x = self.finite(column)
        return math.sqrt(math.fsum((x - x.mean()) ** 2) / (len(x) - 1)) if len(x) > 1 else None

    def finite(self, column: int) -> FloatArray:
        """Return the replicates that exist."""
        x = self.replicates[:, column]
        return np.asarray(x[np.isfinite(x)])

    def ends(self, ci: str, column: int, level: float) -> tuple[float, float]:
        """Both ends of an interval; NaN where the draws do not reach."""
        from scipy.stats import norm

        x, value = self.finite(column), float(self.estimate[column])
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if ci == "bca" and self.left is not None:
            # Efron (1987): corrected for the bias of the median and for acceleration
            z0 = norm.ppf(share_below(x, value))
            shifted = z0 + norm.ppf(tails)
            tails = norm.cdf(z0 + shifted / (1 - self.acceleration(column) * shifted))
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
    # tails beyond the first and last order statistic have no quantile
    inside = (tails >= places[0] - 1e-12) & (tails <= places[-1] + 1e-12)
    between = np.interp(norm.ppf(tails), norm.ppf(places), np.sort(x))
    low, high = np.where(inside, between, np.nan)
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
    # BCa of crossed factors has no acceleration
    leave_out = ci == "bca" and len(cells.codes) < 2
    if (resamples + leave_out * cells.units) * (len(cells.count) + 200) * cost > MOST_NUMBERS:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.atleast_1d(np.asarray(statistic(cells.count), dtype=np.float64))
        replicates = statistics_of(statistic, cells.draws(resamples, seed))
        left = statistics_of(statistic, cells.without_one()) if leave_out else None
    return Redrawn(
        estimate=estimate,
        replicates=replicates,
        left=left,
        copies=cells.copies,
        seeded=cells.seeded,
    )


def statistics_of(statistic: Statistic, counts: Iterator[FloatArray]) -> FloatArray:
    """Return the statistics of several counts of cells, (counts, m)."""
    return np.array([np.atleast_1d(statistic(times)) for times in counts], dtype=np.float64)


def resampled_checks(
    row: Row,
    drawn: Redrawn | None,
    ci: str,
    level: float,
    *,
    column: int = 0,
    error: bool = True,
    least: float = -math.inf,
    most: float = math.inf,
    shift: float = 0.0,
    hold: bool = False,
) -> list[Check]:
    """Compare standard error and ends of a row with those of the recomputed resamples.

    Parameters
    ----------
    row : Row
    drawn : Redrawn or None
        None: too many to compute, which the check then says.
    ci : {"percentile", "basic", "bca"}
    level : float
    column : int
        Of the statistic.
    error : bool
        The row's standard error is that of the resamples.
    least, most : float
        What an end can be.
    shift : float
        From the estimate to that which the resamples are drawn from.
    hold : bool
        The interval reaches to the row's estimate.
    """
    shows_error = error and row.std_error is not None
    if row.conf_low is None and row.conf_high is None and not shows_error:
        return []
    if drawn is None:
        name = label(row, "bootstrap")
        return [
            compare(name, row.conf_low, None, package="numpy", tolerance=0, why=WHY, note=TOO_MANY)
        ]
    value, x = float(drawn.estimate[column]), drawn.finite(column)
    name = label(row, "of the cells resampled")
    possible = min(max(value, least), most)
    checks = [relative(name, row.estimate, possible, "numpy", WHY, CLOSE, size=1e-3)]
    # a seed gives the rows of the library, or others that have a Monte-Carlo error
    why, wide = (WHY, CLOSE) if drawn.seeded else (OTHERWISE, spread_error(x))
    if shows_error:
        std_error = drawn.std_error(column)
        name = label(row, "s.e. of the resamples")
        checks.append(relative(name, row.std_error, std_error, "numpy", why, wide))
    low, high = (end + shift for end in drawn.ends(ci, column, level))
    if hold:
        low, high = min(low, value), max(high, value)
    for tail, ours, end in (
        ((1 - level) / 2, row.conf_low, low),
        ((1 + level) / 2, row.conf_high, high),
    ):
        if ours is None:
            continue
        theirs = None if math.isnan(end) else min(max(end, least), most)
        room = CLOSE * abs(high - low) if drawn.seeded else half_width(x, tail)
        is_beyond = theirs is None and not drawn.seeded
        check = compare(
            label(row, "end"),
            ours,
            theirs,
            package="scipy",
            tolerance=max(room, CLOSE * abs(ours)),
            why=why,
            note="the other rows drawn do not reach this end" if is_beyond else "",
        )
        checks.append(check)
    return checks
