"""Standard errors of means of linearised values: independent units, clusters, two crossed clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from socialstats.designs.parts import FloatArray, IntArray


def linearised_error(values: FloatArray, copies: FloatArray, codes: Sequence[IntArray] = ()) -> tuple[float, float]:
    """Standard error of the mean of linearised values, and the degrees of freedom of its t.

    Independent units: sqrt(sum (z - mean)^2 / (n (n - 1))), n - 1 degrees. Clusters: G/(G-1) times the sum over
    clusters of squared sums of (z - mean), over n^2, G - 1 degrees. Two crossed factors: V1 + V2 - V12 of these,
    at least the larger of V1 and V2, and the smaller G - 1 (Cameron, Gelbach & Miller 2011).

    Parameters
    ----------
    values : (units,) array
    copies : (units,) array
        Alike units each stands for.
    codes : none, one or two (units,) int64 arrays
        Cluster of each unit.

    Returns
    -------
    tuple of float
        Not a number where there is one unit (or cluster) only.

    Examples
    --------
    >>> linearised_error(np.array([1.0, 2.0, 4.0, 5.0]), np.ones(4))
    (0.9128709291752769, 3.0)
    """
    n = copies.sum()
    centred = values - copies @ values / n
    if not codes:
        if n < 2:
            return math.nan, math.nan
        return math.sqrt(float(copies @ centred**2) / (n * (n - 1))), float(n - 1)
    parts = [clustered(centred * copies / n, code) for code in codes]
    df = min(groups for _, groups in parts) - 1
    if df < 1:
        return math.nan, math.nan
    variance = parts[0][0]
    if len(codes) == 2:
        both = codes[0] * (int(codes[1].max(initial=0)) + 1) + codes[1]
        variance = max(parts[0][0], parts[1][0], parts[0][0] + parts[1][0] - clustered(centred * copies / n, both)[0])
    return math.sqrt(variance), float(df)


def clustered(values: FloatArray, code: IntArray) -> tuple[float, int]:
    """G/(G-1) times the sum of squared cluster sums, and the number of clusters G."""
    groups, dense = np.unique(code, return_inverse=True)
    sums = np.bincount(dense, weights=values)
    count = len(groups)
    return (float(sums @ sums) * count / (count - 1) if count > 1 else math.nan), count
