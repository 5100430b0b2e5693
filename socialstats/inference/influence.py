"""Intervals of smooth statistics from what every independent unit adds: the jackknife with its degrees of freedom.

The variance of a statistic is estimated from the squares of few influences, and is itself uncertain where some of them
are large: the degrees of freedom of the t say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.intervals import critical_values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JackknifeErrors:
    """Standard errors of m statistics and their degrees of freedom, (m,) arrays; NaN where there is none.

    Attributes
    ----------
    std_error, df : (m,) float64 array
    """

    std_error: FloatArray
    df: FloatArray

    def interval(self, centre: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """Return t intervals around `centre`."""
        reach = critical_values(level, self.df) * self.std_error
        return centre - reach, centre + reach


def influence_df(influence: FloatArray, copies: FloatArray) -> FloatArray:
    """Degrees of freedom of a variance estimated by a sum of squares of n influences.

    With g the excess kurtosis of the influences, n sum d^4 / (sum d^2)^2 - 3, the variance of the estimated variance is
    V^2 (2/(n - 1) + g/n), and that of a scaled chi-square with df degrees of freedom 2 V^2 / df. Both are equal for

        df = 1 / (1/(n - 1) + g / (2 n)),

    kept within [1, n - 1] (Box 1953; O'Neill 2014). The kurtosis is that of the sample, which in small ones
    is below that of the population.

    Parameters
    ----------
    influence : (units, m) float64 array
        Around their mean 0; only proportions matter.
    copies : (units,) or (units, m) float64 array
        Alike units that each row stands for (in each statistic).

    Returns
    -------
    (m,) float64 array
        NaN with fewer than two units, or where no unit has any influence.

    References
    ----------
    Box, G. E. P. (1953). Non-normality and tests on variances. Biometrika, 40(3/4), 318-335.
    doi:10.1093/biomet/40.3-4.318
    O'Neill, B. (2014). Some useful moment results in sampling problems. The American Statistician, 68(4), 282-296.
    doi:10.1080/00031305.2014.966589

    Examples
    --------
    >>> influence_df(np.array([[-1.0], [1.0], [-1.0], [1.0]]), np.ones(4)).tolist()
    [3.0]
    >>> influence_df(np.array([[-3.0], [1.0], [1.0], [1.0]]), np.ones(4)).round(3).tolist()
    [3.0]
    """
    c = copies if copies.ndim == 2 else copies[:, None]
    n = np.broadcast_to(c, influence.shape).sum(axis=0)
    top: FloatArray = np.abs(influence).max(axis=0, initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        d = influence / np.where(top > 0, top, np.nan)
        excess = n * (c * d**4).sum(axis=0) / (c * d**2).sum(axis=0) ** 2 - 3
        df = 1 / (1 / (n - 1) + excess / (2 * n))
    return np.where(n >= 2, np.clip(df, 1.0, np.maximum(n - 1, 1.0)), np.nan)


def jackknife_errors(left_out: FloatArray, copies: FloatArray) -> JackknifeErrors:
    """Jackknife standard errors with `influence_df`.

    Parameters
    ----------
    left_out : (units, m) float64 array
        Statistics without each unit; NaN where one does not exist, and then the standard error does not either.
    copies : (units,) float64 array
        Alike units that each row stands for.

    Notes
    -----
    V = (n - 1)/n sum of squared deviations from their mean (Efron & Tibshirani 1993, eq. 11.5).

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> found = jackknife_errors(((x.sum() - x) / 3)[:, None], np.ones(4))
    >>> bool(np.isclose(found.std_error[0], x.std(ddof=1) / 2)), round(float(found.df[0]), 3)
    (True, 3.0)
    """
    n = float(copies.sum())
    d = left_out - copies @ left_out / n
    variance = (n - 1) / n * (copies @ d**2)
    return JackknifeErrors(std_error=np.sqrt(np.where(variance > 0, variance, np.nan)), df=influence_df(d, copies))
