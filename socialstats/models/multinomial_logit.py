"""Multinomial logit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, logsumexp

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import not_zero

MOST_STEPS, CLOSE = 50, 1e-10
NONE = 1e-7  # a smaller chance is a level that is ruled out, its coefficient on the way to infinity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logit:
    """A fit.

    Attributes
    ----------
    coef : (levels - 1, terms) float64 array
        Log-odds of each level against the first, a column for each column of the design matrix.
    covariance : (k, k) float64 array
        Of the coefficients, level by level, k = (levels - 1) terms.
    groups : int
        Independent clusters.
    """

    coef: FloatArray
    covariance: FloatArray
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTest:
    """F test that some coefficients are all 0."""

    statistic: float
    df: float
    df_denominator: float
    p: float


def multinomial_logit(x: FloatArray, counts: FloatArray, codes: IntArray) -> Logit:
    """Fit log(p_k / p_0) = x b_k by Newton's method; sandwich covariance over clusters, times G/(G - 1).

    Parameters
    ----------
    x : (rows, terms) float64 array
    counts : (rows, levels) float64 array
        How often each level was chosen; the first is the one that the others are set against.
    codes : (rows,) int64 array
        Clusters.

    Raises
    ------
    UndefinedStatistic
        If there is a single cluster, or no finite maximum (a level that some columns rule out).

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In Frontiers in econometrics.
    Liang, K.-Y., & Zeger, S. L. (1986). Biometrika, 73(1), 13-22. doi:10.1093/biomet/73.1.13

    Examples
    --------
    >>> counts = np.array([[10.0, 30.0], [20.0, 20.0]])
    >>> fit = multinomial_logit(np.ones((2, 1)), counts, np.arange(2))
    >>> round(float(fit.coef[0, 0]), 4), round(float(np.log(50 / 30)), 4)
    (0.5108, 0.5108)
    """
    used, place = np.unique(x, axis=0, return_inverse=True)
    pooled = np.zeros((len(used), counts.shape[1]))
    np.add.at(pooled, place.ravel(), counts)
    coef = np.zeros((counts.shape[1] - 1, x.shape[1]))
    for _ in range(MOST_STEPS):
        gradient, information = derivatives(used, pooled, coef)
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            break
        coef = coef + step.reshape(coef.shape)
        if not np.all(np.isfinite(coef)):
            break
        if float(gradient @ step) < CLOSE**2 * pooled.sum():
            if chances(used, coef).min() < NONE:
                break
            return with_clusters(x, counts, codes, coef)
    raise UndefinedStatistic("the multinomial logit has no finite maximum: some columns rule a level out")


def chances(x: FloatArray, coef: FloatArray) -> FloatArray:
    """(rows, levels) probabilities."""
    odds = np.concatenate([np.zeros((len(x), 1)), x @ coef.T], axis=1)
    return np.asarray(np.exp(odds - logsumexp(odds, axis=1, keepdims=True)))


def derivatives(x: FloatArray, counts: FloatArray, coef: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient and information of the log-likelihood (McFadden 1974), level by level."""
    p, n = chances(x, coef), counts.sum(axis=1)
    gradient = ((counts - n[:, None] * p)[:, 1:].T @ x).ravel()
    q = p[:, 1:]
    spread = n[:, None, None] * (q[:, :, None] * np.eye(q.shape[1]) - q[:, :, None] * q[:, None, :])
    information = np.einsum("rjk,ra,rb->jakb", spread, x, x, optimize=True)
    return gradient, information.reshape(len(gradient), len(gradient))


def with_clusters(x: FloatArray, counts: FloatArray, codes: IntArray, coef: FloatArray) -> Logit:
    """Add the sandwich covariance A^-1 B A^-1 of clusters, B the squares of their scores (Liang & Zeger 1986)."""
    dense = np.unique(codes, return_inverse=True)[1].ravel()
    groups = int(dense.max()) + 1
    if groups < 2:
        raise UndefinedStatistic("a single cluster: no standard errors")
    residual = (counts - counts.sum(axis=1, keepdims=True) * chances(x, coef))[:, 1:]
    scores = np.zeros((groups, coef.size))
    np.add.at(scores, dense, (residual[:, :, None] * x[:, None, :]).reshape(len(x), -1))
    bread = np.linalg.inv(derivatives(x, counts, coef)[1])
    covariance = groups / (groups - 1) * bread @ (scores.T @ scores) @ bread
    return Logit(coef=coef, covariance=covariance, groups=groups)


def joint_test(fit: Logit, columns: IntArray) -> JointTest | None:
    """Test that the coefficients of some columns are 0 for every level; None with too few clusters.

    W = b' V^-1 b with q coefficients; F = (G - q)/((G - 1) q) W on q and G - q degrees of freedom (Hotelling's T^2 with
    G - 1 degrees of freedom).
    """
    terms = fit.coef.shape[1]
    places = np.concatenate([level * terms + columns for level in range(len(fit.coef))])
    b, v, q, g = fit.coef.ravel()[places], fit.covariance[np.ix_(places, places)], len(places), fit.groups
    if g <= q or np.linalg.matrix_rank(v) < q:
        return None
    statistic = float((g - q) / ((g - 1) * q) * (b @ np.linalg.solve(v, b)))
    return JointTest(statistic=statistic, df=float(q), df_denominator=float(g - q),
                     p=float(not_zero(fdtrc(q, g - q, statistic))))  # fmt: skip
