"""The gate of every standard error: a variance that rounding can leave of nothing is no variance.

What a cluster (a unit, a resample) adds to an estimate is a sum whose parts mostly cancel. Where the clusters are alike
their variance is 0, and floating-point arithmetic leaves some 1e-32 of the squares of the parts. An interval of that
has no width, and its test depends on the order of the rows. Each estimator therefore returns, beside its standard
errors, the largest ones that rounding alone can leave, from the sizes of what it added and subtracted.
`socialstats.inference.rows` gives a smaller error no interval and no test.

All limits are shares of such sizes. Values in another unit, or real variances however small, pass as before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray

EPS = float(np.finfo(np.float64).eps)
# sums of n numbers lose about sqrt(n) eps of their sizes; a row of 10^10 that differs moves them by
# more
SHARE = 1e-11
# rounding errors of a number before it is added up: of a mean of ratings, or of a difference of two
SPARE = 64
# times as much is lost of a number that is computed again from other weights
AGAIN = 8
# the same of one from a resample, whose sums are added up in blocks
RESAMPLED = 1e-12
# solvers agree on log-odds to this
FITTED = 1e-8
NOTHING = (
    "their contributions do not differ beyond rounding, so no standard error, interval or test"
)


def no_variation_reason(what: str) -> str:
    """Return why there is no standard error where clusters, units or resamples are alike.

    Examples
    --------
    >>> no_variation_reason("clusters")
    'the clusters are alike: their contributions do not differ beyond rounding, so no standard error, interval or test'
    """
    return f"the {what} are alike: {NOTHING}"


def left_of_sums(parts: Any, size: Any = 0.0) -> Any:
    """Return the largest standard error that rounding can leave of sums.

    Parameters
    ----------
    parts : float or array
        Standard error that the sums would have if none of their parts cancelled another.
    size : float or array
        The same of the numbers whose differences the parts are, such as values of which a mean was subtracted.

    Examples
    --------
    >>> left_of_sums(1.0, 1e6) < 2e-8
    True
    """
    return SHARE * parts + SPARE * EPS * size


def left_of_recomputed(values: FloatArray, copies: FloatArray, size: float = 1.0) -> FloatArray:
    """Return the largest jackknife standard errors that rounding can leave of statistics without each unit.

    Parameters
    ----------
    values : (units, m) float64 array
    copies : (units,) float64 array
        Alike units that each row stands for.
    size : float
        Of the numbers that the statistics are made from, in their unit: 1 for numbers without a unit.
    """
    # statistics that lack a unit may not exist
    top = np.nanmax(np.abs(values), axis=0, initial=0.0)
    return np.asarray(AGAIN * SPARE * EPS * np.sqrt(copies.sum()) * np.maximum(top, size))


def left_of_resamples(estimate: float, size: float = 1.0) -> float:
    """Return how far resamples can lie apart by rounding alone.

    Parameters
    ----------
    estimate, size : float
        Size of the estimate, and of the numbers that it is made from: 1 for numbers without a unit.
    """
    return RESAMPLED * max(estimate, size)


def full_rank(covariance: FloatArray, rounding: FloatArray) -> bool:
    """Return whether every combination of estimates has a variance that is more than rounding.

    Parameters
    ----------
    covariance : (k, k) array
    rounding : (k, k) array
        Positive definite: the largest variance that rounding can leave of each combination.

    Examples
    --------
    >>> full_rank(np.diag([1.0, 1e-20]), 1e-22 * np.eye(2)), full_rank(np.ones((2, 2)), 1e-22 * np.eye(2))
    (False, False)
    """
    # rounding that is not positive definite cannot be told from any variance
    try:
        root = np.linalg.cholesky(rounding)
    except np.linalg.LinAlgError:
        return False
    # eigenvalues of R^-1 V R^-T: variances in units of what rounding leaves
    half = np.linalg.solve(root, covariance)
    values = np.linalg.eigvalsh(np.linalg.solve(root, half.T))
    return bool(values[0] > max(1.0, SPARE * len(values) * EPS * values[-1]))


def gated(error: FloatArray, rounding: Any) -> FloatArray:
    """Return standard errors, NaN where they are rounding."""
    return np.where(error > rounding, error, np.nan)
