"""Covariance of strengths, quasi-variances, and rank sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import ndtri, stdtrit

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.comparisons import TIED, Comparisons, Factor
from socialstats.errors import NonConvergence, UndefinedStatistic
from socialstats.inference.intervals import SMALLEST, holm
from socialstats.models.bradley_terry.likelihoods import Likelihood, PairData, information, sums

ROOT_ROUNDING = 1e-7  # a root below this share of its parts is rounding


def row_sandwich(data: PairData, model: Likelihood, beta: FloatArray, bread: FloatArray) -> FloatArray:
    """Return bread @ (sum of squared row scores) @ bread (White 1982; R's HC0)."""
    has_tau = model.tie_term is not None
    s_eta, s_tau = model.scores(data.eta(beta), beta[-1] if has_tau else 0.0)
    meat_ee = (data.w_sq * s_eta**2).sum(axis=0)
    if not has_tau:
        return bread @ information(data, meat_ee, None, 0.0) @ bread
    meat_et = (data.w_sq * s_eta * s_tau).sum(axis=0)
    return bread @ information(data, meat_ee, meat_et, float((data.w_sq * s_tau**2).sum())) @ bread


def whitened_rows(
    design: Comparisons, data: PairData, model: Likelihood, beta: FloatArray, factors: Sequence[Factor]
) -> tuple[sparse.csr_array, FloatArray, tuple[IntArray, ...]]:
    """Return the fit as a linear regression: rows, residuals, and the cluster of each row by factor.

    Comparisons of one predictor in one cluster are taken together. With L L' their information in (eta, tau) (observed,
    which is the expected one except in Rao and Kupper's model) and s their score, rows are L' (x, 1) and residuals
    L^-1 s: rows' rows is the information of all parameters, and rows' residuals their score.
    """
    key = data.cell
    for factor in factors:
        key = factor.codes * (int(key.max(initial=0)) + 1) + key
        key = np.unique(key, return_inverse=True)[1].reshape(-1)
    m = int(key.max()) + 1
    first = np.zeros(m, dtype=np.int64)
    first[key] = np.arange(len(key))
    at = data.cell[first]
    outcome = design.outcome.astype(np.int64)
    outcome = np.where(data.flipped & (outcome != TIED), 1 - outcome, outcome)
    w = sums(outcome * m + key, design.weight, 3 * m).reshape(3, m)
    has_tau = model.tie_term is not None
    eta, tau = data.eta(beta)[at], beta[-1] if has_tau else 0.0
    curve = model.curvature(eta, tau, model.statistics(w))
    root = np.sqrt(curve.h_ee)
    shift = curve.h_et / positive(root)
    e = np.where(root > 0, curve.g_eta / positive(root), 0.0)
    rows, residuals = sparse.csr_array(_predictor_rows(data, at).multiply(root[:, None])), e
    if has_tau:
        g_tau = (model.scores(eta, tau)[1] * w).sum(axis=0)
        rest = np.sqrt(np.maximum(curve.h_tt - shift**2, 0.0))
        rest[rest <= ROOT_ROUNDING * np.sqrt(curve.h_tt)] = 0.0
        both = sparse.csr_array(sparse.vstack([rows, sparse.csr_array(rows.shape)]))
        by_tau = sparse.csr_array(np.concatenate([shift, rest])[:, None])
        rows = sparse.csr_array(sparse.hstack([both, by_tau]))
        residuals = np.append(e, np.where(rest > 0, (g_tau - shift * e) / positive(rest), 0.0))
    copies = 1 + has_tau
    return rows, residuals, tuple(np.tile(np.asarray(factor.codes)[first], copies) for factor in factors)


def positive(values: FloatArray) -> FloatArray:
    """Return the values, 1 where they are 0: for divisions whose result is not used there."""
    return np.where(values > 0, values, 1.0)


def _predictor_rows(data: PairData, at: IntArray) -> sparse.csr_array:
    """Return the rows of the design for some predictors, without the tie parameter."""
    z = sparse.csr_array(data.z[at])
    if not data.free:
        return z
    rows = np.arange(len(at))
    signs = np.repeat([1.0, -1.0], len(at))
    place = (np.r_[rows, rows], np.r_[data.a[at], data.b[at]])
    strengths = sparse.csr_array((signs, place), shape=(len(at), data.n_items))
    return sparse.csr_array(sparse.hstack([strengths, z])) if data.n_z else strengths


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


SAME = 1e-8  # strengths closer than this are equal: solvers agree to 1e-8, data can tie exactly
CLUSTERS_AN_ITEM = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankSets:
    """Ranks (1 = strongest) with their confidence sets.

    Attributes
    ----------
    rank, low, high : (n,) int64 arrays
        Equal strengths share the better rank.
    critical : (n,) float64 array
        Last critical value of the step-down (the same for all items in a simultaneous set).
    bonferroni : bool
        True where clusters are too few for max-t sets, and t quantiles were taken by Bonferroni.
    """

    rank: IntArray
    low: IntArray
    high: IntArray
    critical: FloatArray
    bonferroni: bool


def ranks(strength: FloatArray) -> IntArray:
    """Return ranks, 1 for the strongest; strengths within 1e-8 share the better rank."""
    better = strength[None, :] > strength[:, None] + SAME
    return np.asarray(1 + better.sum(axis=1), dtype=np.int64)


def rank_sets(
    strength: FloatArray,
    cov: FloatArray,
    *,
    level: float,
    simultaneous: bool,
    draws: int,
    seed: int,
    df: int | None = None,
    p: FloatArray | None = None,
) -> RankSets:
    """Return confidence sets for the ranks (Mogstad, Romano, Shaikh & Wilhelm 2024, sections 3.1 and 3.2).

    An item's rank is at least one more than the number of items found stronger, and at most n minus the number
    found weaker, where the findings control the probability of any false one: among the item's own n - 1
    differences (marginal) or among all differences (simultaneous). Critical values are quantiles of the largest
    standardised difference under the normal limit, refined by step-down (Romano & Wolf 2005).

    With fewer than ten clusters an item the correlations of the differences are too poorly known for that (with 13
    clusters, simultaneous 95 % sets of 30 equal items covered in 74 % of simulations): simultaneous sets then use
    t quantiles by Bonferroni and step down by Holm, which needs no correlations.

    Parameters
    ----------
    strength : (n,) array
    cov : (n, n) array
    level : float
    simultaneous : bool
    draws : int
        Normal draws behind each critical value.
    seed : int
    df : int or None
        Clusters minus one: the noise is multivariate t then, normal otherwise.
    p : (n, n) array, optional
        p-values of the differences, each with an error of its own; 1 where a difference cannot be tested. `cov` is
        that of the model then, whose correlations give the critical value: a difference is called where p is at most
        that of the critical value.
    """
    n = len(strength)
    t, noise = _standardised(strength, cov, draws, df, np.random.default_rng(seed))
    if p is not None:
        t = np.sign(t) * -ndtri(np.maximum(p, SMALLEST) / 2)
    bonferroni = simultaneous and df is not None and df + 1 < CLUSTERS_AN_ITEM * n
    if bonferroni:
        noise.bonferroni_df = df
    critical = np.empty(n)
    if simultaneous:
        found, last = _step_down(t, noise, np.ones((n, n), dtype=bool) & ~np.eye(n, dtype=bool), level)
        critical[:] = last
    else:
        found = np.zeros((n, n), dtype=bool)
        for j in range(n):
            mask = np.zeros((n, n), dtype=bool)
            mask[j] = np.arange(n) != j
            one, critical[j] = _step_down(t, noise, mask, level)
            found[j] = one[j]
    stronger = (found & (t < 0)).sum(axis=1)
    weaker = (found & (t > 0)).sum(axis=1)
    return RankSets(rank=ranks(strength), low=1 + stronger, high=n - weaker, critical=critical, bonferroni=bonferroni)


def holm_rank_sets(strength: FloatArray, difference: FloatArray, p: FloatArray, *, level: float,
                   simultaneous: bool) -> RankSets:  # fmt: skip
    """Return confidence sets for the ranks from the p-values of all differences, by Holm's method.

    It needs no correlations of the differences, so that each may rest on units and degrees of freedom of its own. Sets
    are widened to hold the rank, which differences on fewer units may contradict.

    Parameters
    ----------
    strength : (n,) array
    difference, p : (n, n) arrays
        Row minus column, and its two-sided p-value; NaN where a difference has none.
    level : float
    simultaneous : bool
        As in `rank_sets`.
    """
    known = ~np.isnan(p)
    found = np.zeros(p.shape, dtype=bool)
    families = (
        [np.triu(known, 1)] if simultaneous else [known & (np.arange(len(p)) == j)[:, None] for j in range(len(p))]
    )
    for family in families:
        found[family] = holm(p[family]) <= 1 - level
    if simultaneous:
        found |= found.T
    rank = ranks(strength)
    low = 1 + (found & (difference < 0)).sum(axis=1)
    high = len(p) - (found & (difference > 0)).sum(axis=1)
    return RankSets(rank=rank, low=np.minimum(low, rank), high=np.maximum(high, rank),
                    critical=np.full(len(p), np.nan), bonferroni=True)  # fmt: skip


class _Noise:
    """Standardised differences of normal draws with the covariance of the strengths, made row by row."""

    def __init__(
        self, cov: FloatArray, scale: FloatArray, draws: int, df: int | None, rng: np.random.Generator
    ) -> None:
        values, vectors = np.linalg.eigh(cov)
        root = vectors * np.sqrt(np.maximum(values, 0))
        self.z = rng.standard_normal((draws, len(cov))) @ root.T
        if df is not None:
            self.z /= np.sqrt(rng.chisquare(df, draws) / df)[:, None]
        self.scale = scale
        self.bonferroni_df: int | None = None

    def critical(self, mask: BoolArray, level: float) -> float:
        """Return the critical value of the largest difference in the mask."""
        if self.bonferroni_df is None:
            return float(np.quantile(self.largest(mask), level, method="higher"))
        return float(stdtrit(self.bonferroni_df, 1 - (1 - level) / (2 * mask.sum())))

    def largest(self, mask: BoolArray) -> FloatArray:
        """Return, for each draw, the largest absolute standardised difference among the pairs in the mask."""
        top = np.zeros(len(self.z))
        for j in np.flatnonzero(mask.any(axis=1)):
            others = np.flatnonzero(mask[j])
            differences = np.abs(self.z[:, others] - self.z[:, [j]])
            np.maximum(top, (differences / self.scale[j, others]).max(axis=1), out=top)
        return top


def _standardised(
    strength: FloatArray, cov: FloatArray, draws: int, df: int | None, rng: np.random.Generator
) -> tuple[FloatArray, _Noise]:
    d = np.diagonal(cov)
    scale = np.sqrt(np.maximum(d[:, None] + d[None, :] - 2 * cov, 0))
    scale[scale <= 1e-12 * scale.max()] = np.inf  # a difference without variance can never be called
    difference = strength[:, None] - strength[None, :]
    return difference / scale, _Noise(cov, scale, draws, df, rng)


def _step_down(t: FloatArray, noise: _Noise, mask: BoolArray, level: float) -> tuple[BoolArray, float]:
    """Return which differences of the mask are called, and the last critical value."""
    found, critical = np.zeros_like(mask), 0.0
    while True:
        remaining = mask & ~found
        upper = np.triu(remaining | remaining.T) if mask.any(axis=1).sum() > 1 else remaining
        if not remaining.any():
            return found, critical
        critical = noise.critical(upper, level)
        new = remaining & (np.abs(t) > critical)
        if not new.any():
            return found, critical
        found |= new
