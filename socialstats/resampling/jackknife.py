"""The jackknife: leave one unit out; standard error, bias and BCa's acceleration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.resampling.engine import Finish, finite, unit_sums
from socialstats.resampling.units import Units

BLOCK = 2048
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Jackknife:
    """Estimates with one unit left out.

    Attributes
    ----------
    estimate : (m,) float64 array
        From the whole sample.
    values : (units, m) float64 array
        With one unit (for rows: one row of the cell) left out; NaN where there is no estimate then.
    copies : (units,) float64 array
        How many left-out samples each row of `values` stands for (1 for clusters).
    """

    estimate: FloatArray
    values: FloatArray
    copies: FloatArray

    @property
    def deviations(self) -> FloatArray:
        """Mean of the leave-one-out estimates minus each of them."""
        mean: FloatArray = self.copies @ self.values / self.copies.sum()
        return mean - self.values

    @property
    def influence(self) -> FloatArray:
        """(n-1) (estimate - leave-one-out estimate): R's ``empinf(type="jack")``, not centred on their mean.

        For a statistic that is not linear, `acceleration` of these differs from that of the deviations.
        """
        values: FloatArray = (self.copies.sum() - 1) * (self.estimate - self.values)
        return values

    @property
    def std_error(self) -> FloatArray:
        """Jackknife standard error: sqrt((n-1)/n * sum of squared deviations) (Efron & Tibshirani 1993, 11.5)."""
        n = self.copies.sum()
        error: FloatArray = np.sqrt((n - 1) / n * (self.copies @ self.deviations**2))
        return error

    @property
    def bias(self) -> FloatArray:
        """Jackknife estimate of bias: (n-1) (mean of the leave-one-out estimates - estimate)."""
        n = self.copies.sum()
        bias: FloatArray = (n - 1) * (self.copies @ self.values / n - self.estimate)
        return bias

    @property
    def acceleration(self) -> FloatArray:
        """Acceleration of the BCa interval: sum d^3 / (6 (sum d^2)^1.5) (Efron & Tibshirani 1993, eq. 14.15)."""
        return acceleration(self.deviations, self.copies)


def acceleration(influence: FloatArray, copies: FloatArray | None = None) -> FloatArray:
    """Acceleration of the BCa interval from influence values: sum l^3 / (6 (sum l^2)^1.5).

    Parameters
    ----------
    influence : (units, m) array
        What each unit adds to each statistic: jackknife deviations, a closed form, or the slopes of a regression of
        replicates on how often each unit was drawn. Centred on 0; only proportions matter.
    copies : (units,) array, optional
        How many alike units each row stands for.

    Returns
    -------
    (m,) float64 array
        NaN where no unit has any influence, or one is unknown.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, eq. 14.15.
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, eq. 5.23.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> x = np.array([[1.0], [4.0], [2.0], [8.0]])
    >>> round(float(acceleration(x - x.mean())[0]), 4)
    0.0547
    """
    x = np.asarray(influence, dtype=np.float64)
    c = np.ones(len(x)) if copies is None else np.asarray(copies, dtype=np.float64)
    squares = c @ x**2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(squares > 0, (c @ x**3) / (6 * squares**1.5), np.nan)


def jackknife(statistics: Any, finish: Finish, units: Units) -> Jackknife:
    """Recompute an estimate with one unit left out at a time, from leave-one-out sums.

    Parameters
    ----------
    statistics : (cells, k) array, dense or sparse
    finish : callable
        As in `bootstrap`.
    units : Units
        Rows or one cluster factor.

    Returns
    -------
    Jackknife

    Raises
    ------
    InputError
        For two crossed factors: there is no single unit to leave out.

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> table = np.column_stack([x, np.ones(4)])
    >>> j = jackknife(table, lambda s: s[:, :1] / s[:, 1:], Units.rows(np.ones(4)))
    >>> bool(np.isclose(j.std_error[0], x.std(ddof=1) / 2))
    True
    """
    if len(units.sizes) == 2:
        raise InputError("the jackknife needs rows or one cluster factor, not two crossed ones")
    table = units.total(statistics)
    whole = unit_sums(np.ones((1, units.n_units)), table)
    copies = np.ones(units.n_units) if units.copies is None else units.copies
    values = []
    for start in range(0, units.n_units, BLOCK):
        some = slice(start, min(start + BLOCK, units.n_units))
        left = whole - table[some].toarray() / copies[some, None]
        left[np.abs(left) <= ROUNDING * np.abs(whole)] = 0.0
        values.append(finite(finish(left)))
    return Jackknife(estimate=finite(finish(whole))[0], values=np.concatenate(values), copies=copies)
