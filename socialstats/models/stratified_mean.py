"""Means over fixed strata (tasks) of several columns (models), with cluster-robust errors that columns share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strata:
    """The units that some columns share, and what each stratum counts in the mean.

    Attributes
    ----------
    stratum, cluster : (n,) int64 arrays
        Stratum of each unit (codes of `weights`); its cluster, a cluster of its own where units are independent.
    weights : (strata,) float64 array
        Add up to 1.
    names : tuple of str
        Of the strata; a single one without a name for units that have none.
    """

    stratum: IntArray
    cluster: IntArray
    weights: FloatArray
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StratifiedMeans:
    """Means of k columns.

    Attributes
    ----------
    estimate : (k,) float64 array
    influence : (clusters, k) float64 array
        What each cluster adds: the covariance of the means is its cross product, the error of any combination of
        columns the root of its sum of squares.
    df : float
        Of t for every combination of columns.
    undefined : str
        Why there is no error; then `influence` is empty.
    """

    estimate: FloatArray
    influence: FloatArray
    df: float
    undefined: str = ""

    @property
    def covariance(self) -> FloatArray:
        """(k, k) float64 array: covariance of the means."""
        return np.asarray(self.influence.T @ self.influence)


def stratified_means(values: FloatArray, strata: Strata) -> StratifiedMeans:
    """Estimate weighted means of strata, CR2 errors and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    values : (n, k) float64 array
        Without gaps.
    strata : Strata
        Of the n units.

    Returns
    -------
    StratifiedMeans

    Notes
    -----
    Least squares with one mean per stratum, and the contrast with the weights w_t. The strata are fixed: only units
    vary. With n_t units in stratum t, n_gt of them in cluster g, f_gt = n_gt / n_t and S_gt their summed residuals, the
    matrices A_g = (I - H_gg)^(-1/2) of Bell & McCaffrey (2002) give

        V = sum_g (sum_t (w_t/n_t) S_gt / sqrt(1 - f_gt))^2.

    The degrees of freedom are (tr P)^2 / tr(P^2) with P of independent errors of one variance: tr P = sum_t w_t^2/n_t,
    P_gg = sum_t (w_t/n_t)^2 n_gt, P_gh = -sum_t q_gt q_ht with q_gt = (w_t/n_t) n_gt / sqrt(n_t (1 - f_gt)). With one
    stratum this is `clustered_mean`; clusters of one unit give sum_t w_t^2 s_t^2 / n_t.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> codes, half = np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    >>> strata = Strata(stratum=codes, cluster=np.arange(4), weights=half, names=("a", "b"))
    >>> found = stratified_means(np.array([[1.0], [3.0], [0.0], [4.0]]), strata)
    >>> found.estimate.tolist(), found.covariance.round(9).tolist(), found.df
    ([2.0], [[1.25]], 2.0)
    """
    n_t = np.bincount(strata.stratum, minlength=len(strata.weights)).astype(np.float64)
    estimate, residual = centred(values, strata.stratum, n_t, strata.weights)
    empty = StratifiedMeans(estimate=estimate, influence=np.zeros((0, values.shape[1])), df=math.nan)
    cluster = np.unique(strata.cluster, return_inverse=True)[1]
    cell, in_cell = np.unique(cluster * len(n_t) + strata.stratum, return_inverse=True)
    g, t = np.divmod(cell, len(n_t))
    n_gt = np.bincount(in_cell).astype(np.float64)
    alone = n_gt >= n_t[t]
    if alone.any():
        why = lone(strata, t[alone], n_t)
        return StratifiedMeans(estimate=estimate, influence=empty.influence, df=math.nan, undefined=why)
    share = strata.weights[t] / n_t[t]
    root = np.sqrt(1 - n_gt / n_t[t])
    sums = np.stack([np.bincount(in_cell, weights=column) for column in residual.T], axis=1)
    influence = np.zeros((int(g.max()) + 1, values.shape[1]))
    np.add.at(influence, g, (share / root)[:, None] * sums)
    return StratifiedMeans(estimate=estimate, influence=influence, df=degrees(strata, n_t, (g, t, n_gt)))


def centred(
    values: FloatArray, stratum: IntArray, n_t: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted means and the residuals from the strata's means; equal values have residuals of exactly 0."""
    first = values[np.unique(stratum, return_index=True)[1]][np.unique(stratum, return_inverse=True)[1]]
    off = values - first  # a stratum of one value is exactly constant
    means = np.zeros((len(n_t), values.shape[1]))
    np.add.at(means, stratum, off)
    means /= np.maximum(n_t, 1)[:, None]
    base = np.zeros_like(means)
    base[stratum] = first
    return weights @ (base + means), off - means[stratum]


def degrees(strata: Strata, n_t: FloatArray, cells: tuple[IntArray, IntArray, FloatArray]) -> float:
    """Return Satterthwaite's degrees of freedom; formulas in `stratified_means`."""
    g, t, n_gt = cells
    share = strata.weights[t] / n_t[t]
    own = np.bincount(g, weights=share**2 * n_gt)
    q = np.zeros((len(own), len(n_t)))
    q[g, t] = share * n_gt / np.sqrt(n_t[t] * (1 - n_gt / n_t[t]))
    cross = float(((q.T @ q) ** 2).sum()) - float(((q**2).sum(axis=1) ** 2).sum())
    df = float((strata.weights**2 / n_t).sum()) ** 2 / (float(own @ own) + cross)
    return float(round(df)) if abs(df - round(df)) < 1e-9 * df else df


def lone(strata: Strata, alone: IntArray, n_t: FloatArray) -> str:
    """Say which stratum has one unit, or one cluster, only."""
    code = int(alone[0])
    what = "one unit" if n_t[code] == 1 else "a single cluster"
    named = f"task '{strata.names[code]}' has " if len(strata.names) > 1 else ""
    return f"{named}{what} only: no standard error"


def flat(influence: FloatArray, magnitude: float) -> BoolArray:
    """Tell which combinations, one a column, show no variation but rounding."""
    size: FloatArray = np.sqrt((influence**2).sum(axis=0))
    return np.asarray(size <= EPS * max(len(influence), 1) * magnitude)
