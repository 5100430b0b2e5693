"""Quasi-variances: one number an item, such that differences have (nearly) the right standard error."""

from __future__ import annotations

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import NonConvergence, UndefinedStatistic


def quasi_variances(cov: FloatArray, *, tolerance: float = 1e-12, max_iterations: int = 200) -> FloatArray:
    """Minimise sum over pairs of (log(q_i + q_j) - log Var(difference))^2 (Firth & de Menezes 2004).

    Fisher scoring for a Gaussian model of the log contrast variances with an exponential link, weights constant.

    Parameters
    ----------
    cov : (n, n) array
        Covariance of the strengths; only differences matter. n is at least 3.

    Returns
    -------
    (n,) array
        A quasi-variance may be negative in unusual designs; sums of two are positive.

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    UndefinedStatistic
        If some difference has no variance.
    """
    n = len(cov)
    i, j = np.triu_indices(n, 1)
    d = np.diagonal(cov)
    spread = d[i] + d[j] - 2 * cov[i, j]
    if not np.all(spread > 0):
        raise UndefinedStatistic("a difference between two items has no variance: no quasi-variances")
    target = np.log(spread)
    q = _start(cov)
    gap = np.inf
    for _ in range(1, max_iterations + 1):
        total = q[i] + q[j]
        weight = 1 / total  # derivative of log(q_i + q_j) in either
        residual = target - np.log(total)
        normal = np.bincount(i * n + j, weight**2, n * n).reshape(n, n)
        normal += normal.T
        normal[np.arange(n), np.arange(n)] = normal.sum(axis=1)
        score = np.bincount(i, weight * residual, n) + np.bincount(j, weight * residual, n)
        step = np.linalg.solve(normal, score)
        size = 1.0
        while np.any((q + size * step)[i] + (q + size * step)[j] <= 0) and size > 1e-10:
            size /= 2
        q = q + size * step
        gap = float(np.max(np.abs(step)) / np.max(np.abs(q)))
        if gap <= tolerance:
            return q
    raise NonConvergence("quasi-variances did not converge", iterations=max_iterations, gap=gap)


def worst_errors(cov: FloatArray, q: FloatArray) -> tuple[float, float]:
    """Return the smallest and largest relative error of the s.e. of a difference made from quasi-variances."""
    i, j = np.triu_indices(len(cov), 1)
    d = np.diagonal(cov)
    ratio = np.sqrt((q[i] + q[j]) / (d[i] + d[j] - 2 * cov[i, j]))
    return float(ratio.min() - 1), float(ratio.max() - 1)


def _start(cov: FloatArray) -> FloatArray:
    """Return the least-squares fit of q_i + q_j to the variances, kept positive."""
    n = len(cov)
    d = np.diagonal(cov)
    variance = d[:, None] + d[None, :] - 2 * cov
    row = variance.sum(axis=1)
    q = (row - row.sum() / (2 * (n - 1))) / (n - 2)
    return np.asarray(np.maximum(q, variance.sum() / (n * (n - 1)) / 20))
