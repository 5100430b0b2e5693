"""Cochran's Q from a table of zeros and ones."""

from __future__ import annotations

from scipy.special import chdtrc

from socialstats.arrays import FloatArray
from socialstats.inference.intervals import not_zero
from socialstats.models.mcnemar import McNemarTest


def cochran_q(values: FloatArray, count: FloatArray) -> McNemarTest:
    """Cochran's (1950) Q: (k - 1) (k sum C_j^2 - T^2) / (k T - sum R_i^2), chi-square with k - 1 df.

    C_j are the column sums, R_i the row sums, T the total; both parts are added up from whole numbers that are 0 for
    rows of one value: sum (k C_j - T)^2 / k and sum R_i (k - R_i). With two columns Q is McNemar's chi-square. Without
    a row that differs within itself: 0, p = 1.

    Parameters
    ----------
    values : (units, k) array of 0 and 1
    count : (units,) float64 array
        How many alike units each row stands for.

    Examples
    --------
    >>> import numpy as np
    >>> test = cochran_q(np.array([[1.0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.ones(4))
    >>> round(test.statistic, 4), test.df
    (4.5, 2.0)
    """
    k = values.shape[1]
    rows = values.sum(axis=1)
    off = count @ (k * values - rows[:, None])
    inside = float(count @ (rows * (k - rows)))
    if inside <= 0:
        return McNemarTest(statistic=0.0, df=float(k - 1), p=1.0)
    statistic = (k - 1) * float(off @ off) / k / inside
    return McNemarTest(statistic=statistic, df=float(k - 1), p=float(not_zero(chdtrc(k - 1.0, statistic))))
