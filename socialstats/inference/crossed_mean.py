"""The mean of a complete table of two crossed random factors, by mean squares."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.clustered_mean import (
    ClusteredMean,
    centre,
    no_spread_reason,
    single_level_reason,
)
from socialstats.inference.intervals import cochran_df
from socialstats.rounding import left_of_sums, no_variation_reason


def crossed_mean(values: FloatArray, *, magnitude: float) -> ClusteredMean:
    """Estimate the mean of a table whose rows and columns are both drawn: one value for each of both.

    Parameters
    ----------
    values : (n, k) array
        Complete: rows are units of analysis, columns judges.
    magnitude : float
        Largest size that a value can have.

    Returns
    -------
    ClusteredMean

    Notes
    -----
    With the mean squares R of rows, C of columns and E of the rest, all of single values, the variance of the mean is
    (R + C - E) / nk (Cornfield & Tukey 1956). It is unbiased for var(rows)/n + var(columns)/k + var(rest)/nk, and not
    below R or C alone. Its degrees of freedom are Cochran's (`cochran_df`) for the parts R and C with n - 1 and k - 1.
    Those of Satterthwaite (1946) hold .92 of the intervals with three columns and .89 with two. A small C makes the
    error small and its degrees of freedom many. Cochran's hold .94 to .98 (.93 to .99 with two columns). min(n, k)
    - 1, as for V1 + V2 - V12 of `clustered_mean`, makes intervals twice as long as they need to be where columns hardly
    differ.

    References
    ----------
    Cochran, W. G. (1964). Approximate significance levels of the Behrens-Fisher test. Biometrics, 20(1), 191-195.
    doi:10.2307/2528069
    Cornfield, J., & Tukey, J. W. (1956). Average values of mean squares in factorials. The Annals of Mathematical
    Statistics, 27(4), 907-949. doi:10.1214/aoms/1177728067

    Examples
    --------
    >>> mean = crossed_mean(np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 5.0]]), magnitude=10.0)
    >>> round(mean.mean, 3), round(mean.std_error, 3), round(mean.df, 2)
    (3.333, 1.13, 1.34)
    """
    x = np.asarray(values, dtype=np.float64)
    n, k = x.shape
    flat = x.ravel()
    size = float(n * k)
    mean = centre(flat, np.ones(n * k), size)
    variance = float(((flat - mean) ** 2).sum()) / (size - 1) if size > 1 else math.nan
    base = ClusteredMean(
        mean=mean,
        sd=math.sqrt(variance),
        std_error=math.nan,
        df=math.nan,
        n=size,
        clusters=(n, k),
        kind="crossed",
    )
    why = no_spread_reason(flat, size, magnitude) or single_level_reason(base)
    if why:
        return replace(base, undefined=why)
    parts = mean_squares(x, mean)
    # R + C - E (Cornfield & Tukey 1956), not below the larger of R and C
    plain, least = float(parts[0] + parts[1] - parts[2]), float(parts[:2].max())
    error = math.sqrt(max(plain, least) / size)
    if error <= left_of_sums(float(np.abs(flat - mean).mean()), magnitude):
        return replace(base, undefined=no_variation_reason("units and the judges"))
    df = cochran_df(parts[:2].tolist(), (n - 1.0, k - 1.0))
    raw = math.sqrt(plain / size) if plain > 0 else None
    return replace(base, std_error=error, df=df, floored=plain < least, unfloored_std_error=raw)


def mean_squares(x: FloatArray, mean: float) -> FloatArray:
    """Mean squares of rows, of columns and of the rest, (3,)."""
    n, k = x.shape
    rows, columns = x.mean(axis=1) - mean, x.mean(axis=0) - mean
    # what neither rows nor columns explain
    rest = x - mean - rows[:, None] - columns
    return np.array(
        [
            k * float(rows @ rows) / (n - 1),
            n * float(columns @ columns) / (k - 1),
            float((rest**2).sum()) / ((n - 1) * (k - 1)),
        ]
    )
