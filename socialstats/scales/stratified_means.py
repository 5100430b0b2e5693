"""Weighted means over strata, with CR2 errors and Satterthwaite's degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.rounding import gated, left_of_sums


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
        What each cluster adds. The covariance of the means is its cross product. The error of any combination of
        columns is the root of its sum of squares.
    parts : (k,) float64 array
        Standard errors that the means would have if nothing in what the clusters add cancelled.
    df : float
        Of t for every combination of columns.
    undefined : str
        Why there is no error; then `influence` is empty.
    """

    estimate: FloatArray
    influence: FloatArray
    parts: FloatArray
    df: float
    undefined: str = ""

    def std_error(self, size: float) -> FloatArray:
        """(k,) float64 array: standard errors, NaN where clusters are alike; `size` is that of the largest value."""
        return gated(np.sqrt((self.influence**2).sum(axis=0)), left_of_sums(self.parts, size))

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
    >>> means = stratified_means(np.array([[1.0], [3.0], [0.0], [4.0]]), strata)
    >>> means.estimate.tolist(), means.covariance.round(9).tolist(), means.df
    ([2.0], [[1.25]], 2.0)
    """
    n_t = np.bincount(strata.stratum, minlength=len(strata.weights)).astype(np.float64)
    estimate, residual = stratum_residuals(values, strata.stratum, n_t, strata.weights)
    none = np.zeros((0, values.shape[1]))
    cluster = np.unique(strata.cluster, return_inverse=True)[1]
    # cells: the combinations of cluster g and stratum t that occur, with n_gt units
    cell, in_cell = np.unique(cluster * len(n_t) + strata.stratum, return_inverse=True)
    g, t = np.divmod(cell, len(n_t))
    n_gt = np.bincount(in_cell).astype(np.float64)
    fills_stratum = n_gt >= n_t[t]
    if fills_stratum.any():
        why = singleton_text(strata, t[fills_stratum], n_t)
        return StratifiedMeans(
            estimate=estimate, influence=none, parts=none.sum(axis=0), df=math.nan, undefined=why
        )
    share = strata.weights[t] / n_t[t]
    root = np.sqrt(1 - n_gt / n_t[t])
    # the same sums of absolute residuals tell what rounding can leave of them
    influence, parts = np.zeros((2, int(g.max()) + 1, values.shape[1]))
    for table, residuals in ((influence, residual), (parts, np.abs(residual))):
        sums = np.stack([np.bincount(in_cell, weights=column) for column in residuals.T], axis=1)
        np.add.at(table, g, (share / root)[:, None] * sums)
    return StratifiedMeans(
        estimate=estimate,
        influence=influence,
        parts=np.sqrt((parts**2).sum(axis=0)),
        df=stratified_df(strata, n_t, (g, t, n_gt)),
    )


def stratum_residuals(
    values: FloatArray, stratum: IntArray, n_t: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted means and the residuals from the strata's means; equal values have residuals of exactly 0."""
    _, index, inverse = np.unique(stratum, return_index=True, return_inverse=True)
    first = values[index][inverse]
    deviation = values - first  # a stratum of one value is exactly constant
    means = np.zeros((len(n_t), values.shape[1]))
    np.add.at(means, stratum, deviation)
    means /= np.maximum(n_t, 1)[:, None]
    base = np.zeros_like(means)
    base[stratum] = first
    return weights @ (base + means), deviation - means[stratum]


def stratified_df(
    strata: Strata, n_t: FloatArray, cells: tuple[IntArray, IntArray, FloatArray]
) -> float:
    """Return Satterthwaite's degrees of freedom; formulas in `stratified_means`."""
    g, t, n_gt = cells
    share = strata.weights[t] / n_t[t]
    p_gg = np.bincount(g, weights=share**2 * n_gt)
    q = np.zeros((len(p_gg), len(n_t)))
    q[g, t] = share * n_gt / np.sqrt(n_t[t] * (1 - n_gt / n_t[t]))
    # tr(P^2) is the sum of squares of P_gg and of P_gh, g != h
    off_diagonal = float(((q.T @ q) ** 2).sum()) - float(((q**2).sum(axis=1) ** 2).sum())
    df = float((strata.weights**2 / n_t).sum()) ** 2 / (float(p_gg @ p_gg) + off_diagonal)
    return float(round(df)) if abs(df - round(df)) < 1e-9 * df else df


def singleton_text(strata: Strata, singletons: IntArray, n_t: FloatArray) -> str:
    """State which stratum has one unit, or one cluster, only."""
    code = int(singletons[0])
    noun = "one unit" if n_t[code] == 1 else "a single cluster"
    subject = f"task '{strata.names[code]}' has " if len(strata.names) > 1 else ""
    return f"{subject}{noun} only: no standard error"
