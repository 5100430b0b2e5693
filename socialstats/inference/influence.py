"""Intervals of smooth statistics from what every independent unit adds: the jackknife with its degrees of freedom.

The variance of a statistic is estimated from the squares of few influences, and is itself uncertain where some of them
are large. The degrees of freedom of the t account for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.intervals import critical_value, critical_values
from socialstats.rounding import gated, left_of_recomputed

# values from which Bonett's interval exists
FEWEST_SPREAD = 5
# share of a variance that is rounding
ALIKE = 1e-12


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
    V^2 (2/(n - 1) + g/n). That of a scaled chi-square with df degrees of freedom is 2 V^2 / df. Both are equal for

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


def jackknife_errors(
    left_out: FloatArray, copies: FloatArray, size: float = 1.0
) -> JackknifeErrors:
    """Jackknife standard errors with `influence_df`; NaN where all statistics of a column are alike.

    Parameters
    ----------
    left_out : (units, m) float64 array
        Statistics without each unit; NaN where one does not exist, and then the standard error does not either.
    copies : (units,) float64 array
        Alike units that each row stands for.
    size : float
        Largest size of the numbers that the statistics are made from, in their unit.

    Notes
    -----
    V = (n - 1)/n sum of squared deviations from their mean (Efron & Tibshirani 1993, eq. 11.5).

    Examples
    --------
    >>> x = np.array([1.0, 4.0, 2.0, 8.0])
    >>> errors = jackknife_errors(((x.sum() - x) / 3)[:, None], np.ones(4))
    >>> bool(np.isclose(errors.std_error[0], x.std(ddof=1) / 2)), round(float(errors.df[0]), 3)
    (True, 3.0)
    """
    n = float(copies.sum())
    d = left_out - copies @ left_out / n
    error = gated(
        np.sqrt((n - 1) / n * (copies @ d**2)), left_of_recomputed(left_out, copies, size)
    )
    return JackknifeErrors(std_error=error, df=influence_df(d, copies))


def kurtosis_of(values: FloatArray) -> float:
    """Return n sum (x - m)^4 / (sum (x - mean)^2)^2 around the trimmed mean m (Bonett 2006): 3 of many normal values.

    1 / (2 sqrt(n - 4)) of the values is cut on either side.
    """
    n = len(values)
    cut = int(n / (2 * np.sqrt(n - 4)))
    middle = np.sort(values)[cut : n - cut].mean()
    return float(n * ((values - middle) ** 4).sum() / ((values - values.mean()) ** 2).sum() ** 2)


def spread_ends(values: FloatArray, level: float) -> tuple[float, float]:
    """Return an interval of the standard deviation of a population whose shape is not known.

    The interval has the outer limits of two others. Bonett's (2006) is exp{[ln(c s^2) -+ z c sqrt((g - (n - 3)/n) / (n
    - 1))] / 2} with c = n / (n - z) and the kurtosis g of `kurtosis_of`. The other is the jackknife's t interval of ln
    s^2, with the degrees of freedom of `influence_df`; it shows long tails with fewer values.

    Parameters
    ----------
    values : (n,) float64 array
        At least five, not all alike.
    level : float

    Notes
    -----
    Nominal 95% intervals of 12, 30, 60, 100 and 200 values held .963, .962, .960, .957, .956 (normal), .90, .92, .93,
    .94, .95 (exponential), .91, .90, .92, .935, .94 (lognormal, sd of logs .5) and .80, .82, .85, .87, .875 (lognormal)
    of 4,000 simulations. Bonett's alone held .88, .88, .90, .915, .93 of exponential ones. They are 1.02 to 1.08 times
    as long as Bonett's for normal values.

    References
    ----------
    Bonett, D. G. (2006). Approximate confidence interval for standard deviation of nonnormal distributions.
    doi:10.1016/j.csda.2004.10.003
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap, chapter 11. Chapman & Hall.

    Examples
    --------
    >>> [round(end, 3) for end in spread_ends(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 0.95)]
    [2.113, 5.146]
    """
    n, z = len(values), critical_value(level)
    variance, c = float(values.var(ddof=1)), n / (n - z)
    reach = z * c * np.sqrt((kurtosis_of(values) - (n - 3) / n) / (n - 1))
    centre = np.log(c * variance)
    left = variance * (n - 1) - n / (n - 1) * (values - values.mean()) ** 2
    # limits of ln s^2
    ends = np.array([centre - reach, centre + reach])
    # else all values but one are alike
    if left.min() > ALIKE * variance:
        logs = np.log(left / (n - 2))[:, None]
        # the mean of the jackknife's pseudovalues (Efron & Tibshirani 1993, chapter 11)
        middle = n * np.log(variance) - (n - 1) * logs.mean(axis=0)
        low, high = jackknife_errors(logs, np.ones(n)).interval(middle, level)
        ends = np.array([np.fmin(ends[0], low[0]), np.fmax(ends[1], high[0])])
    return float(np.exp(ends[0] / 2)), float(np.exp(ends[1] / 2))
