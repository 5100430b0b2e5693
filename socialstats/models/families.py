"""p-values of a family of tests, adjusted: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.inference.intervals import benjamini_hochberg, holm, not_zero


def bonferroni(p: FloatArray) -> FloatArray:
    """Return p-values times their number, at most 1.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.4, 0.03])).tolist()
    [0.03, 1.0, 0.09]
    """
    return np.asarray(np.minimum(len(p) * p, 1))


def hochberg(p: FloatArray) -> FloatArray:
    """Return Hochberg's (1988) step-up adjusted p-values: those of Holm read from the largest p down.

    Examples
    --------
    >>> hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(-p, kind="stable")
    out = np.empty(len(p))
    out[order] = np.minimum(np.minimum.accumulate((1 + np.arange(len(p))) * p[order]), 1)
    return out


def benjamini_yekutieli(p: FloatArray) -> FloatArray:
    """Return Benjamini and Yekutieli's (2001, theorem 1.3) adjusted p-values: valid under any dependence.

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04])).round(4).tolist()
    [0.03, 0.06]
    """
    m = len(p)
    order = np.argsort(-p, kind="stable")
    penalty = float((1 / np.arange(1, m + 1)).sum())
    out = np.empty(m)
    out[order] = np.minimum(np.minimum.accumulate(penalty * m / (m - np.arange(m)) * p[order]), 1)
    return out


P_METHODS: dict[str, tuple[str, Callable[[FloatArray], FloatArray], tuple[str, ...]]] = {
    "holm": ("Holm", holm, ("holm1979",)),
    "bonferroni": ("Bonferroni", bonferroni, ("holm1979",)),
    "hochberg": ("Hochberg", hochberg, ("hochberg1988",)),
    "bh": ("Benjamini-Hochberg", benjamini_hochberg, ("benjamini1995",)),
    "by": ("Benjamini-Yekutieli", benjamini_yekutieli, ("benjaminiyekutieli2001",)),
}


def adjusted_p(p: FloatArray, method: str) -> FloatArray:
    """Return the adjusted p-values of one family; never 0 (see `not_zero`).

    Parameters
    ----------
    p : (m,) float64 array
        All in [0, 1]; tests that do not exist are left out before.
    method : str
        Key of `P_METHODS`.
    """
    return not_zero(P_METHODS[method][1](p))


def correlation_of(covariance: FloatArray) -> FloatArray:
    """Return the correlation matrix of a covariance matrix; negative eigenvalues (two-way clustering) are set to 0.

    Raises
    ------
    InputError
        If the matrix is not square, symmetric and finite with positive variances.
    """
    v = np.asarray(covariance, dtype=np.float64)
    if v.ndim != 2 or v.shape[0] != v.shape[1] or not np.all(np.isfinite(v)) or not np.allclose(v, v.T):
        raise InputError(f"covariance must be a square symmetric matrix of finite numbers (its shape is {v.shape})")
    variance = np.diagonal(v)
    if np.any(variance <= 0):
        raise InputError(f"covariance has a variance of {variance.min():g}; every test needs one above 0")
    values, vectors = np.linalg.eigh(v / np.sqrt(np.outer(variance, variance)))
    root = vectors * np.sqrt(np.maximum(values, 0))
    root /= np.sqrt((root**2).sum(axis=1))[:, None]
    return np.asarray(root @ root.T)


def replicate_draws(replicates: FloatArray) -> FloatArray:
    """Turn bootstrap replicates of estimates into draws of statistics under the hypothesis of no effect.

    Each column is centred at its mean and divided by its standard deviation; resamples in which an estimate does not
    exist are left out whole, so that the draws stay joint.

    Parameters
    ----------
    replicates : (B, m) float64 array
        NaN where a resample had no estimate.

    Returns
    -------
    (at most B, m) float64 array

    Raises
    ------
    InputError
        If fewer than two resamples are whole, or an estimate never varies.
    """
    whole = replicates[np.all(np.isfinite(replicates), axis=1)]
    if len(whole) < 2:
        raise InputError(f"{len(whole)} of {len(replicates)} resamples have every estimate; max_t needs many")
    sd = whole.std(axis=0, ddof=1)
    if np.any(sd <= 1e-12 * np.maximum(1, np.abs(whole).max(axis=0))):
        raise InputError(f"column {int(np.argmin(sd)) + 1} of the replicates never varies")
    return np.asarray((whole - whole.mean(axis=0)) / sd)
