"""Tango's score test and interval of the difference of two paired shares; with clusters, of effective pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from socialstats.arrays import FloatArray, IntArray
from socialstats.inference.intervals import not_zero
from socialstats.inference.means import MeanErrors, effective_size, mean_errors

# effective discordant pairs below which t intervals of the difference were too short
FEW = 10.0
# halvings of an interval of at most 2, to 3e-17: below the spacing of floats near 1
HALVINGS = 56


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedScore:
    """Counts that Tango's score statistic takes, for k tables, as (k,) arrays.

    Attributes
    ----------
    first, second : float64 arrays
        Pairs that have the level under the first condition only, and under the second only.
    n : float64 array
        Pairs.
    df : float64 array or None
        Of t; None for independent pairs, where the statistic is normal.
    errors : MeanErrors or None
        Of the mean difference under clusters, before the counts became effective ones.
    """

    first: FloatArray
    second: FloatArray
    n: FloatArray
    df: FloatArray | None = None
    errors: MeanErrors | None = None

    @property
    def leads(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """(k,) bool array: whether this interval takes the place of t: few effective discordant pairs, or no variance.

        With 5 to 50 clusters of pairs and 1 to 40% discordance, t intervals (CR2) held from .81 on below this limit.
        """
        if self.errors is None:
            return np.ones(len(self.n), dtype=bool)
        return np.asarray((self.first + self.second < FEW) | np.isnan(self.errors.std_error))

    def statistic(self, delta: float) -> FloatArray:
        """Score statistic of the hypothesis that the difference, first minus second, is `delta`.

        (b - c - n delta) / sqrt(n (2 q + delta (1 - delta))), q the constrained maximum-likelihood estimate of the
        share of pairs that are second only (Tango 1998). Infinite beyond -1 and 1, which no difference can be.
        """
        gap = self.first - self.second - self.n * delta
        if abs(delta) >= 1:
            return np.where(np.abs(gap) > 0, np.copysign(np.inf, gap), 0.0)
        variance = np.array([variance_under(delta, *table) for table in self._tables()])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gap == 0, 0.0, gap / np.sqrt(variance))

    def p_value(self, delta: float, alternative: str = "two_sided") -> FloatArray:
        """Return p against a difference of `delta`; ``"greater"`` and ``"less"`` are the alternatives."""
        value = self.statistic(delta)
        lower = {"two_sided": -np.abs(value), "greater": -value, "less": value}[alternative]
        tail = ndtr(lower) if self.df is None else stdtr(self.df, lower)
        return not_zero(tail * (2 if alternative == "two_sided" else 1))

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the differences whose score statistic is within the critical values of `level`."""
        tail = (1 + level) / 2
        quantile = ndtri(tail) if self.df is None else stdtrit(self.df, tail)
        squares = np.broadcast_to(np.square(quantile), self.n.shape).tolist()
        tables = [(*table, square) for table, square in zip(self._tables(), squares, strict=True)]
        lower = np.array([farthest(-1.0, *table) for table in tables])
        upper = np.array([farthest(1.0, *table) for table in tables])
        return lower, upper

    def _tables(self) -> list[tuple[float, float, float]]:
        """The counts of each table: first only, second only, all pairs."""
        return [*zip(self.first.tolist(), self.second.tolist(), self.n.tolist(), strict=True)]


def farthest(end: float, b: float, c: float, n: float, square: float) -> float:
    """Return the difference between the estimate and `end`, -1 or 1, beyond which the score test rejects.

    The span is halved in plain floats: arrays of one number cost ten times as much.
    """
    inside, outside = (b - c) / n, end
    if math.isnan(inside + square):
        return math.nan
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        gap = b - c - n * middle
        if gap * gap > square * variance_under(middle, b, c, n):
            outside = middle
        else:
            inside = middle
    return outside


def variance_under(delta: float, b: float, c: float, n: float) -> float:
    """Variance of b - c at its constrained maximum-likelihood estimate (Tango 1998)."""
    linear = -b - c + (2 * n - b + c) * delta
    root = math.sqrt(max(linear * linear + 8 * n * c * delta * (1 - delta), 0.0))
    q = (root - linear) / (4 * n)
    return n * max(2 * q + delta * (1 - delta), 0.0)


def paired_score(
    difference: FloatArray, count: FloatArray, factors: Sequence[IntArray] = ()
) -> PairedScore:
    """Count pairs for Tango's statistic; with clusters as many as would give the difference its variance.

    Parameters
    ----------
    difference : (cells,) or (cells, k) array of -1, 0 and 1
        First minus second, of k tables on the same pairs.
    count : (cells,) array
    factors : none, one or two (cells,) int64 arrays
        Clusters of pairs.

    Returns
    -------
    PairedScore
        Counts, df and interval are NaN where one cluster holds all pairs.

    Notes
    -----
    With V the CR2 variance of the mean difference (two factors: `mean_errors`) and v its variance of one pair, (b +
    c)/n - ((b - c)/n)^2, the counts are multiplied by n_eff / n. Here n_eff = v / V, between 1 and n, and the quantile
    is that of t with Satterthwaite's degrees of freedom. Where pairs or clusters show no variance, n_eff is 1 / sum of
    the clusters' squared shares of the pairs. Thus there is an interval even without discordant pairs.

    References
    ----------
    Tango, T. (1998). Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design. Statistics in Medicine, 17(8), 891-908.
    Rao, J. N. K., & Scott, A. J. (1992). A simple method for the analysis of clustered binary data. Biometrics, 48(2),
    577-585. doi:10.2307/2532311

    Examples
    --------
    >>> none = paired_score(np.zeros(2), np.array([30.0, 30.0]), [np.array([0, 1])])
    >>> [round(float(end[0]), 3) for end in none.interval(0.95)]
    [-0.988, 0.988]
    """
    d = np.asarray(difference, dtype=np.float64).reshape(len(count), -1)
    n = float(np.sum(count))
    b, c = (
        np.asarray(count @ np.where(d * sign > 0, 1.0, 0.0), dtype=np.float64) for sign in (1, -1)
    )
    if not factors:
        return PairedScore(first=b, second=c, n=np.full_like(b, n))
    mean = (b - c) / n
    scores = (d - mean) * np.asarray(count)[:, None] / n
    errors = mean_errors(
        scores, np.repeat(np.asarray(count)[:, None] / n, d.shape[1], axis=1), factors, size=1.0
    )
    part = effective_size((b + c) / n - mean**2, errors, n) / n
    return PairedScore(first=b * part, second=c * part, n=n * part, df=errors.df, errors=errors)
