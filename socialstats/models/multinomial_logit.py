"""Multinomial logit, and its whitened rows, from which errors by clusters are computed.

Take a row with n ratings, y of which gave each level but the first. x are its columns, p the chances of these levels,
and W = diag(p) - p p'. Its score is (y - n p) (x) x and its information n W (x) x x', where (x) is Kronecker's product.
With Cholesky's L L' = W, the rows sqrt(n) L' (x) x' have this information as their cross product, and the residuals
e = L^-1 (y - n p) / sqrt(n), of variance 1 under the model, give this score:

    (sqrt(n) L (x) x) (sqrt(n) L' (x) x') = n W (x) x x',        (sqrt(n) L (x) x) e = (y - n p) (x) x.

The fit is thus a whitened linear regression, and `socialstats.inference.robust` has its errors and tests. Another root
of W turns the rows of a cluster among themselves and changes nothing. The expected information is the observed one, as
the logit is the canonical link.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import log_softmax

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.errors import UndefinedStatistic
from socialstats.inference.robust import Joint, Robust, cluster_robust
from socialstats.text import count

# a smaller chance is a level that is ruled out, its coefficient on the way to infinity
RULED_OUT = 1e-7
STEP_TOLERANCE = 1e-9  # Newton's error after the last step is of the order of its square
MOST_STEPS = 100
ROUNDING = 1e-6  # error of degrees of freedom
NO_MAXIMUM = "the multinomial logit has no finite maximum: some columns rule a level out"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logit:
    """A fit.

    Attributes
    ----------
    coef : (levels - 1, terms) float64 array
        Log-odds of each level against the first, a column for each column of the design matrix.
    bread : (k, k) float64 array
        Inverse information, level by level, k = (levels - 1) terms: the covariance if all ratings were independent.
    robust : Robust
        Cluster-robust covariance of the same coefficients.
    """

    coef: FloatArray
    bread: FloatArray
    robust: Robust

    @property
    def groups(self) -> int:
        """Return the number of clusters."""
        return self.robust.n_clusters[0]

    def joint_test(self, columns: IntArray) -> Joint | str:
        """Test that the coefficients of some columns are 0 for every level (HTZ), or say why there is no test.

        With fewer denominator degrees of freedom than coefficients the size of HTZ falls far below its level. At .05
        it was .003 for 6 coefficients of 12 clusters (1.2 df), .008 for 7 of 24 (3.1 df) and .008 to .025 for 6 of 16
        (4.3 df). With more it was .016 to .06 (400 or 500 simulations each). A test that cannot reject is not given.
        """
        levels, terms = self.coef.shape
        places = np.concatenate([level * terms + columns for level in range(levels)])
        test = self.robust.joint(np.eye(self.coef.size)[places], self.coef.ravel()[places])
        if isinstance(test, str) or test.df_denominator >= test.df - ROUNDING:
            return test
        return f"too few clusters for {count(test.df, 'coefficient')} at once: the test would hardly ever reject"


def multinomial_logit(x: FloatArray, counts: FloatArray, codes: IntArray) -> Logit:
    """Fit log(p_k / p_0) = x b_k by maximum likelihood, with cluster-robust errors.

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
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> counts = np.array([[10.0, 30.0], [20.0, 20.0]])
    >>> fit = multinomial_logit(np.ones((2, 1)), counts, np.arange(2))
    >>> round(float(fit.coef[0, 0]), 4), round(float(np.log(50 / 30)), 4)
    (0.5108, 0.5108)
    """
    cluster = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    if cluster.max() < 1:
        raise UndefinedStatistic("a single cluster: no standard errors")
    cluster, x, counts = sum_alike_rows(cluster, x, counts)
    coef, bread = fit_maximum(x, counts)
    rows, residuals = whitened_rows(x, counts, probabilities(x, coef))
    robust = cluster_robust(rows, residuals, [np.tile(cluster, len(coef))], bread)
    return Logit(coef=coef, bread=bread, robust=robust)


def sum_alike_rows(
    cluster: IntArray, x: FloatArray, counts: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Sum the counts of rows of one cluster with the same columns."""
    distinct, _, row_index = unique_rows(np.column_stack([cluster, x]))
    membership = sparse.csr_array(
        (np.ones(len(row_index)), (row_index, np.arange(len(row_index)))),
        (len(distinct), len(row_index)),
    )
    return distinct[:, 0].astype(np.int64), distinct[:, 1:], np.asarray(membership @ counts)


def probabilities(x: FloatArray, coef: FloatArray) -> FloatArray:
    """Return the chances of all levels, (rows, levels)."""
    return np.exp(log_probabilities(x, coef))


def log_probabilities(x: FloatArray, coef: FloatArray) -> FloatArray:
    """Return their logarithms."""
    return np.asarray(log_softmax(np.column_stack([np.zeros(len(x)), x @ coef.T]), axis=1))


def fit_maximum(x: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of the largest likelihood and the inverse information, by Newton with step halving.

    The log-likelihood is concave. Where columns rule a level out it grows without end, and the chance of that level
    falls below `RULED_OUT`.
    """
    coef = np.zeros((counts.shape[1] - 1, x.shape[1]))
    loglik = float(np.sum(counts * log_probabilities(x, coef)))
    for _ in range(MOST_STEPS):
        p = probabilities(x, coef)
        slope = ((counts - counts.sum(axis=1, keepdims=True) * p)[:, 1:].T @ x).ravel()
        try:
            step = np.linalg.solve(information(x, counts, p), slope).reshape(coef.shape)
        except np.linalg.LinAlgError as error:
            raise UndefinedStatistic(NO_MAXIMUM) from error
        coef, loglik = halved_step(x, counts, coef, step, loglik)
        if np.abs(step).max() <= STEP_TOLERANCE * (1 + np.abs(coef).max()):
            break
    else:
        raise UndefinedStatistic(NO_MAXIMUM)
    p = probabilities(x, coef)
    if p.min() <= RULED_OUT:
        raise UndefinedStatistic(NO_MAXIMUM)
    return coef, np.asarray(np.linalg.inv(information(x, counts, p)), dtype=np.float64)


def halved_step(
    x: FloatArray, counts: FloatArray, coef: FloatArray, step: FloatArray, loglik: float
) -> tuple[FloatArray, float]:
    """Take a step, halved until the log-likelihood does not fall."""
    tolerance = 1e-12 * (1 + abs(loglik))
    for size in 0.5 ** np.arange(40):
        new_loglik = float(np.sum(counts * log_probabilities(x, coef + size * step)))
        if new_loglik >= loglik - tolerance:
            return coef + size * step, new_loglik
    return coef, loglik


def information(x: FloatArray, counts: FloatArray, p: FloatArray) -> FloatArray:
    """Return the sum of n W (x) x x' over rows, a block for each two levels."""
    n, terms, levels = counts.sum(axis=1), x.shape[1], range(1, p.shape[1])

    def block(j: int, k: int) -> FloatArray:
        return np.asarray(x.T @ ((n * p[:, j] * ((j == k) - p[:, k]))[:, None] * x))

    blocks = [[block(j, k) for k in levels] for j in levels]
    return np.block(blocks).reshape(len(levels) * terms, -1)


def whitened_rows(
    x: FloatArray, counts: FloatArray, p: FloatArray
) -> tuple[sparse.csr_array, FloatArray]:
    """Return the whitened rows and residuals, those of the first level of all rows first (see the module)."""
    n, chances = counts.sum(axis=1), p[:, 1:]
    # L of each row, (rows, levels - 1, levels - 1)
    diagonal = chances[:, :, None] * np.eye(chances.shape[1])
    root = np.linalg.cholesky(diagonal - chances[:, :, None] * chances[:, None])
    deviation = (counts[:, 1:] - n[:, None] * chances) / np.sqrt(n)[:, None]
    residuals = np.linalg.solve(root, deviation[:, :, None])[:, :, 0]
    scale, columns = root * np.sqrt(n)[:, None, None], sparse.csr_array(x)
    levels = range(chances.shape[1])
    # block (j, k) of sqrt(n) L' (x) x' has the entry (k, j) of L
    rows = sparse.block_array(
        [[sparse.diags_array(scale[:, k, j]) @ columns for k in levels] for j in levels]
    )
    return sparse.csr_array(rows), residuals.T.ravel()
