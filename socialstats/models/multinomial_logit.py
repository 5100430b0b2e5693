"""Multinomial logit with errors by clusters."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import not_zero
from socialstats.inference.robust import OF_MODEL
from socialstats.rounding import EPS, NOTHING, SPARE, full_rank, gated

NONE = 1e-7  # a smaller chance is a level that is ruled out, its coefficient on the way to infinity
NO_MAXIMUM = "the multinomial logit has no finite maximum: some columns rule a level out"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logit:
    """A fit.

    Attributes
    ----------
    coef : (levels - 1, terms) float64 array
        Log-odds of each level against the first, a column for each column of the design matrix.
    covariance : (k, k) float64 array
        Of the coefficients, level by level, k = (levels - 1) terms.
    model : (k, k) float64 array
        Their covariance if all ratings were independent.
    groups : int
        Independent clusters.
    """

    coef: FloatArray
    covariance: FloatArray
    model: FloatArray
    groups: int

    @property
    def rounding(self) -> FloatArray:
        """Largest covariance that rounding can leave, (k, k)."""
        size = np.diagonal(self.covariance)
        return np.asarray(OF_MODEL * self.model + np.diag(SPARE * EPS * size))

    @property
    def std_error(self) -> FloatArray:
        """Standard errors of the coefficients; NaN where clusters are alike."""
        return gated(np.sqrt(np.diagonal(self.covariance)), np.sqrt(OF_MODEL * np.diagonal(self.model)))


def multinomial_logit(x: FloatArray, counts: FloatArray, codes: IntArray) -> Logit:
    """Fit log(p_k / p_0) = x b_k by statsmodels' MNLogit; sandwich covariance over clusters, times G/(G - 1).

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
    from statsmodels.discrete.discrete_model import MNLogit

    cluster = np.unique(codes, return_inverse=True)[1].ravel()
    groups = int(cluster.max()) + 1
    if groups < 2:
        raise UndefinedStatistic("a single cluster: no standard errors")
    if not counts.any(axis=0).all():
        raise UndefinedStatistic(NO_MAXIMUM)
    row, level = np.nonzero(counts)
    times = counts[row, level].astype(np.int64)
    row, answer = np.repeat(row, times), np.repeat(level, times)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow on the way to an infinite maximum
        try:
            fit = MNLogit(answer, x[row]).fit(
                method="newton", maxiter=50, tol=1e-10, disp=0, cov_type="cluster",
                cov_kwds={"groups": cluster[row], "use_correction": False},
            )  # fmt: skip
        except np.linalg.LinAlgError as error:
            raise UndefinedStatistic(NO_MAXIMUM) from error
        if not fit.mle_retvals["converged"] or not fit.predict(np.unique(x, axis=0)).min() > NONE:
            raise UndefinedStatistic(NO_MAXIMUM)
        coef = np.asarray(fit.params)
        model = np.linalg.inv(-np.asarray(fit.model.hessian(coef)))
    covariance = np.asarray(fit.cov_params()) * groups / (groups - 1)
    return Logit(coef=coef.T, covariance=covariance, model=model, groups=groups)


def joint_test(fit: Logit, columns: IntArray) -> tuple[float, float, float, float] | str:
    """Test that the coefficients of some columns are 0 for every level: F, both degrees of freedom, p.

    W = b' V^-1 b with q coefficients; F = (G - q)/((G - 1) q) W on q and G - q degrees of freedom (Hotelling's T^2 with
    G - 1 degrees of freedom).

    Returns
    -------
    tuple, or str
        The reason why there is no test.
    """
    levels, terms = fit.coef.shape
    places = np.concatenate([level * terms + columns for level in range(levels)])
    b, v, q, g = fit.coef.ravel()[places], fit.covariance[np.ix_(places, places)], len(places), fit.groups
    if g <= q:
        return "as many coefficients as clusters"
    if not full_rank(v, fit.rounding[np.ix_(places, places)]):
        return f"the clusters are alike in a combination of the {q} coefficients: {NOTHING}"
    statistic = float((g - q) / ((g - 1) * q) * (b @ np.linalg.solve(v, b)))
    return statistic, float(q), float(g - q), float(not_zero(fdtrc(q, g - q, statistic)))
