"""Covariance of strengths, quasi-variances, and rank sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri, stdtrit

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.choices.bradley_terry.likelihoods import BradleyTerry, PairData, cross_products
from socialstats.errors import NonConvergence, UndefinedStatistic
from socialstats.inference.adjusted_p import holm
from socialstats.inference.intervals import SMALLEST
from socialstats.inference.one_way import difference_variances, positive
from socialstats.rounding import EPS, SPARE

ROOT_ROUNDING = 1e-7  # a root below this share of its parts is rounding
SPARSELY = 16  # possible keys for each key from which sorting takes less time than a list of all
SHORTEST = (
    1e-10  # share of a step; sums of two quasi-variances that become positive below it stay near 0
)


def row_sandwich(
    data: PairData, model: BradleyTerry, beta: FloatArray, bread: FloatArray
) -> FloatArray:
    """Return bread @ (sum of squared row scores) @ bread (White 1982; R's HC0)."""
    if data.rows is not None:
        return bread @ data.rows.squared_scores(model, beta) @ bread
    by_eta, by_tau = model.scores(*data.eta_tau(beta))
    squares = [by_eta**2] if by_tau is None else [by_eta**2, by_eta * by_tau, by_tau**2]
    meat = cross_products(data, *((data.w_sq * square).sum(axis=0) for square in squares))
    return bread @ meat @ bread


class WhitenedRows:
    """A fit as a linear regression: rows, residuals, and the cluster of each row by factor.

    Comparisons of one predictor in one cluster are taken together. L L' is their information in (eta, tau), the
    observed one, which is the expected one except in Rao and Kupper's model. s is their score. Rows are L' (x, 1) and
    residuals L^-1 s. rows' rows is the information of all parameters, and rows' residuals their score. Information and
    score are sums over outcomes of what one comparison of each predictor has.
    """

    def __init__(self, data: PairData, model: BradleyTerry, beta: FloatArray) -> None:
        eta, tau = data.eta_tau(beta)
        # derivatives of one comparison of each predictor with each outcome, tables of (3, m)
        single_outcomes = np.eye(3)[:, :, None] * np.ones(len(eta))
        curvature: list[Any] = [
            model.curvature(eta, tau, model.statistics(w)) for w in single_outcomes
        ]
        by_eta, by_tau = model.scores(eta, tau)
        tables: list[Any] = [by_eta, np.stack([outcome.h_ee for outcome in curvature])]
        if by_tau is not None:
            h_et, h_tt = zip(*((outcome.h_et, outcome.h_tt) for outcome in curvature), strict=True)
            tables += [by_tau, np.stack(h_et), np.stack(h_tt)]
        self._of_cell = [table[data.outcome, data.cell] for table in tables]
        self._predictor, self._tied, self._m = data.cell, by_tau is not None, len(eta)
        ones = sparse.csr_array(np.ones((len(eta), 1)))
        self._x = sparse.csr_array(sparse.hstack([data.x, ones])) if self._tied else data.x

    def __call__(
        self, cell: IntArray, weight: FloatArray, factors: Sequence[IntArray]
    ) -> tuple[sparse.csr_array, FloatArray, tuple[IntArray, ...]]:
        """Return them for cells of the design, which may occur several times, in several clusters.

        Parameters
        ----------
        cell : (k,) int64 array
        weight : (k,) float64 array
        factors : sequence of (k,) int64 arrays
            Clusters of each.
        """
        # clusters: the combinations of the factors' levels that occur
        cluster, m = np.zeros(len(cell), dtype=np.int64), 1
        for code in factors:
            cluster, m = gapless_codes((code - code.min()) * m + cluster)
        predictor = self._predictor[cell]
        # rows: a predictor in a cluster, with a cell that belongs to it
        key, size = gapless_codes(cluster * self._m + predictor)
        first = np.zeros(size, dtype=np.int64)
        first[key] = np.arange(len(key))
        score, h_ee, *tie_sums = (
            np.bincount(key, weight * table[cell], size) for table in self._of_cell
        )
        # L = [[root, 0], [shift, length]] is the Cholesky factor of [[h_ee, h_et], [h_et, h_tt]]
        root = np.sqrt(h_ee)
        residuals = np.where(root > 0, score / positive(root), 0.0)
        x, codes = self._x[predictor[first]], [factor[first] for factor in factors]
        x.data *= np.repeat(root, np.diff(x.indptr))
        if not self._tied:
            return x, residuals, tuple(codes)
        by_tau, h_et, h_tt = tie_sums
        shift = h_et / positive(root)
        x.data[x.indptr[1:] - 1] = shift
        length = np.sqrt(np.maximum(h_tt - shift**2, 0.0))
        length[length <= ROOT_ROUNDING * np.sqrt(h_tt)] = 0.0
        second = np.where(length > 0, by_tau - shift * residuals, 0.0)  # times length
        group = cluster[first]  # in a cluster, rows of the tie parameter alone are one row
        length = np.sqrt(np.bincount(group, length**2, m))
        second = np.bincount(group, second, m) / positive(length)
        member = np.zeros(m, dtype=np.int64)
        member[group] = np.arange(size)
        last, p = x.indptr[-1] + np.arange(1, m + 1), x.shape[1]
        parts = (
            np.append(x.data, length),
            np.append(x.indices, np.full(m, p - 1)),
            np.append(x.indptr, last),
        )
        rows = sparse.csr_array(parts, shape=(size + m, p))
        return (
            rows,
            np.append(residuals, second),
            tuple(np.append(code, code[member]) for code in codes),
        )


def gapless_codes(key: IntArray) -> tuple[IntArray, int]:
    """Return keys, at least 0, as numbers without gaps in the same order, and how many there are."""
    size = int(key.max(initial=0)) + 1
    if size > SPARSELY * len(key):
        distinct, codes = np.unique(key, return_inverse=True)
        return codes.astype(np.int64), len(distinct)
    occurs = np.zeros(size, dtype=bool)
    occurs[key] = True
    code_of_key = np.cumsum(occurs) - 1
    return code_of_key[key], int(code_of_key[-1]) + 1


def quasi_variances(
    cov: FloatArray, *, tolerance: float = 1e-12, max_iterations: int = 200
) -> FloatArray:
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
    spread = difference_variances(cov, i, j)
    if not np.all(spread > 0):
        raise UndefinedStatistic(
            "a difference between two items has no variance: no quasi-variances"
        )
    target = np.log(spread)
    # start at the least squares of q_i + q_j, kept positive
    row = np.bincount(i, spread, n) + np.bincount(j, spread, n)
    q = np.asarray((row - row.sum() / (2 * (n - 1))) / (n - 2)).clip(spread.mean() / 20)
    gap, iterations = np.inf, 0
    while iterations < max_iterations:
        iterations += 1
        total = q[i] + q[j]
        weight = 1 / total  # derivative of log(q_i + q_j) in either
        residual = target - np.log(total)
        normal = np.bincount(i * n + j, weight**2, n * n).reshape(n, n)
        normal += normal.T
        normal[np.arange(n), np.arange(n)] = normal.sum(axis=1)
        score = np.bincount(i, weight * residual, n) + np.bincount(j, weight * residual, n)
        try:
            step = np.linalg.solve(normal, score)
        except np.linalg.LinAlgError:
            break  # one sum of two quasi-variances is so small that its weight hides the others
        size = 1.0
        while size > SHORTEST and np.any((q + size * step)[i] + (q + size * step)[j] <= 0):
            size /= 2
        if size <= SHORTEST:
            break
        q = q + size * step
        gap = float(np.max(np.abs(step)) / np.max(np.abs(q)))
        if gap <= tolerance:
            return np.asarray(q)
    raise NonConvergence("quasi-variances did not converge", iterations=iterations, gap=gap)


def worst_errors(cov: FloatArray, q: FloatArray) -> tuple[float, float]:
    """Return the smallest and largest relative error of the s.e. of a difference made from quasi-variances."""
    i, j = np.triu_indices(len(cov), 1)
    ratio = np.sqrt((q[i] + q[j]) / difference_variances(cov, i, j))
    return float(ratio.min() - 1), float(ratio.max() - 1)


SAME = 1e-8  # strengths closer than this are equal: solvers agree to 1e-8, data can tie exactly
CLUSTERS_AN_ITEM = 10  # below, simultaneous rank sets are by Bonferroni and Holm


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


def ranks_of_strengths(strength: FloatArray) -> IntArray:
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

    An item's rank is at least one more than the number of items found stronger, and at most n minus the number found
    weaker. The findings control the probability of any false one. They do so among the item's own n - 1 differences
    (marginal) or among all differences (simultaneous). Critical values are quantiles of the largest standardised
    difference under the normal limit, refined by step-down (Romano & Wolf 2005).

    With fewer than ten clusters per item the correlations of the differences are too poorly known for that. With 13
    clusters, simultaneous 95% sets of 30 equal items covered in 74% of simulations. Simultaneous sets then use t
    quantiles by Bonferroni and step down by Holm, which needs no correlations.

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
        p-values of the differences, each with an error of its own; 1 where a difference cannot be tested. `cov` is that
        of the model then, whose correlations give the critical value. A difference is called where p is at most that of
        the critical value.
    """
    n = len(strength)
    difference = strength[:, None] - strength
    variance, std_error = difference_variances(cov, *np.indices((n, n))), np.sqrt(np.diagonal(cov))
    # a difference without variance can never be called
    rounding = SPARE * EPS * np.add.outer(std_error, std_error) ** 2
    scale = np.where(variance > rounding, np.sqrt(np.maximum(variance, rounding)), np.inf)
    size = np.abs(difference / scale) if p is None else -ndtri(np.maximum(p, SMALLEST) / 2)
    values, vectors = np.linalg.eigh(cov)
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((draws, n)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    if df is not None:
        noise /= np.sqrt(rng.chisquare(df, draws) / df)[:, None]
    few = df is not None and df + 1 < CLUSTERS_AN_ITEM * n

    def bonferroni(differences: int) -> float:
        """Return the critical value of several differences whose correlations are not used, exact for one."""
        tail = 1 - (1 - level) / (2 * differences)
        return float(ndtri(tail) if df is None else stdtrit(df, tail))

    def critical(mask: BoolArray) -> float:
        """Return the critical value of the largest difference in the mask."""
        differences = int(mask.sum())
        if differences == 1 or (simultaneous and few):
            return bonferroni(differences)
        largest = np.zeros(draws)
        for j in np.flatnonzero(mask.any(axis=1)):
            others = np.flatnonzero(mask[j])
            drawn = np.abs(noise[:, others] - noise[:, [j]]) / scale[j, others]
            np.maximum(largest, drawn.max(axis=1), out=largest)
        # draws may fall short of the critical value of one difference
        return max(float(np.quantile(largest, level, method="higher")), bonferroni(1))

    def step_down(mask: BoolArray) -> tuple[BoolArray, float]:
        """Return which differences of the mask are called, and the last critical value."""
        called, last = np.zeros_like(mask), 0.0
        while (remaining := mask & ~called).any():
            last = critical(remaining)
            new = remaining & (size > last)
            if not new.any():
                break
            called |= new
        return called, last

    sets = _sets(strength, difference, ~np.eye(n, dtype=bool), step_down, simultaneous=simultaneous)
    return replace(sets, bonferroni=simultaneous and few)


def _sets(
    strength: FloatArray,
    difference: FloatArray,
    testable: BoolArray,
    call: Callable[[BoolArray], tuple[BoolArray, float]],
    *,
    simultaneous: bool,
) -> RankSets:
    """Return rank sets from which differences of a family (all, or those of an item) are called, family by family."""
    n = len(strength)
    # rows of a family, of which a simultaneous one has each difference once
    families = [np.ones(n, dtype=bool)] if simultaneous else list(np.eye(n, dtype=bool))
    in_family = np.triu(testable, 1) if simultaneous else testable
    called, lasts = np.zeros((n, n), dtype=bool), []
    for rows in families:
        of_family, last = call(in_family & rows[:, None])
        called |= of_family
        lasts.append(last)
    if simultaneous:
        called |= called.T
    return RankSets(
        rank=ranks_of_strengths(strength),
        low=1 + (called & (difference < 0)).sum(axis=1),
        bonferroni=True,
        high=n - (called & (difference > 0)).sum(axis=1),
        critical=np.resize(lasts, n),
    )


def holm_rank_sets(
    strength: FloatArray, difference: FloatArray, p: FloatArray, *, level: float, simultaneous: bool
) -> RankSets:
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

    def call_by_holm(family: BoolArray) -> tuple[BoolArray, float]:
        called = np.zeros_like(family)
        called[family] = holm(p[family]) <= 1 - level
        return called, np.nan

    sets = _sets(strength, difference, ~np.isnan(p), call_by_holm, simultaneous=simultaneous)
    return replace(sets, low=np.minimum(sets.low, sets.rank), high=np.maximum(sets.high, sets.rank))
