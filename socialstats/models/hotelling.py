"""Hotelling's test that the means of several paired differences are all 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray

SINGULAR = 1e-10  # smallest over largest eigenvalue of the covariance


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotelling:
    """T-squared with its number of means and p; NaN where there is none, and `undefined` says why."""

    statistic: float
    df: int
    p_value: float
    undefined: str = ""


def hotelling(values: FloatArray) -> Hotelling:
    """Test that all columns of (n, m) independent rows have mean 0.

    T^2 = n mean' S^-1 mean; (n - m) / (m (n - 1)) T^2 is F with m and n - m degrees of freedom for normal rows
    (Hotelling 1931).

    Examples
    --------
    >>> test = hotelling(np.array([[1.0, 0.0], [2.0, 1.0], [0.5, 2.0], [1.5, -1.0], [2.0, 0.5]]))
    >>> round(test.statistic, 3), test.df
    (31.0, 2)
    """
    n, m = values.shape
    if not m:
        return Hotelling(statistic=math.nan, df=0, p_value=math.nan, undefined="a single level: nothing can change")
    if n <= m + 1:
        return Hotelling(statistic=math.nan, df=m, p_value=math.nan, undefined=f"too few clusters ({n}) for {m} means")
    mean, cov = values.mean(axis=0), np.atleast_2d(np.cov(values, rowvar=False))
    sizes = np.linalg.eigvalsh(cov)
    if not sizes[-1] > 0 or sizes[0] < SINGULAR * sizes[-1]:
        why = "a level that never changes, or always with another: no joint test"
        return Hotelling(statistic=math.nan, df=m, p_value=math.nan, undefined=why)
    statistic = float(n * mean @ np.linalg.solve(cov, mean))
    return Hotelling(statistic=statistic, df=m, p_value=float(fdtrc(m, n - m, statistic * (n - m) / (m * (n - 1)))))
