"""Covariances of the estimates: model, row sandwich, clusters in one factor or two crossed factors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from socialstats.designs.comparisons import TIED, Comparisons, Factor
from socialstats.models.bradley_terry.assembly import information
from socialstats.models.bradley_terry.data import PairData, sums
from socialstats.models.bradley_terry.likelihoods import Likelihood

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
ROUNDING = 1e-10
ROOT_ROUNDING = 1e-7  # a root below this share of its parts is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Robust:
    """A cluster-robust covariance.

    Attributes
    ----------
    covariance : (p, p) array
    df : int
        Smallest number of clusters minus one.
    n_clusters : tuple of int
        One for each factor.
    floored : bool
        True when V1 + V2 - V12 had a negative eigenvalue and its correlations were adjusted.
    unadjusted : (p, p) array
        V1 + V2 - V12 as it is; the same as `covariance` unless floored.
    one_way : tuple of (p, p) arrays
        V1 and V2.
    """

    covariance: FloatArray
    df: int
    n_clusters: tuple[int, ...]
    floored: bool
    unadjusted: FloatArray
    one_way: tuple[FloatArray, ...]

    def variances(self, form: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return variances of contrasts, `form` of the unadjusted matrix.

        Where that is not positive it is the larger one-way variance, as on the diagonal of `covariance`.

        Parameters
        ----------
        form : callable
            (p, p) covariance -> (k,) variances, such as `quadratic` of some contrasts.
        """
        found = form(self.unadjusted)
        if not self.floored:
            return found
        largest = np.max([form(v) for v in self.one_way], axis=0)
        return np.where(found > ROUNDING * largest, found, largest)

    def transformed(self, transform: FloatArray) -> FloatArray:
        """Return the covariance of transformed parameters, adjusted (where it has to be) in their coordinates."""
        if not self.floored:
            return np.asarray(transform @ self.covariance @ transform.T)
        unadjusted, *parts = (transform @ v @ transform.T for v in (self.unadjusted, *self.one_way))
        return _repair(unadjusted, parts)[0]


def quadratic(v: FloatArray, contrasts: FloatArray) -> FloatArray:
    """Return c' V c for every row c of `contrasts`."""
    return np.asarray(np.einsum("ki,ki->k", contrasts @ v, contrasts))


def row_sandwich(data: PairData, model: Likelihood, beta: FloatArray, bread: FloatArray) -> FloatArray:
    """Return bread @ (sum of squared row scores) @ bread (White 1982; R's HC0)."""
    has_tau = model.tie_term is not None
    s_eta, s_tau = model.scores(data.eta(beta), beta[-1] if has_tau else 0.0)
    meat_ee = (data.w_sq * s_eta**2).sum(axis=0)
    if not has_tau:
        return bread @ information(data, meat_ee, None, 0.0) @ bread
    meat_et = (data.w_sq * s_eta * s_tau).sum(axis=0)
    return bread @ information(data, meat_ee, meat_et, float((data.w_sq * s_tau**2).sum())) @ bread


def cluster_covariance(
    design: Comparisons,
    data: PairData,
    model: Likelihood,
    beta: FloatArray,
    bread: FloatArray,
    factors: Sequence[Factor],
) -> Robust:
    """Return the cluster-robust covariance.

    One factor: bread (sum over clusters of u u') bread * G / (G - 1), u the summed scores (Liang & Zeger 1986).
    Two crossed factors: V1 + V2 - V12, each with its own G / (G - 1) (Cameron, Gelbach & Miller 2011);
    where that is not positive semi-definite its correlations are adjusted and its variances kept. Up to that the
    same as R's ``sandwich::vcovCL(type = "HC0")``.
    """
    rows = _cell_scores(design, data, model, beta)
    parts = [_one_way(rows, f.codes, bread) for f in factors]
    total = sum(v for v, _ in parts)
    sizes = tuple(g for _, g in parts)
    floored = False
    if len(factors) == 2:
        both = factors[0].codes * (int(factors[1].codes.max()) + 1) + factors[1].codes
        overlap, n_cells = _one_way(rows, both, bread)
        nested = n_cells == max(sizes)  # the intersection is the finer factor then, and V is that of the coarser
        total = parts[int(np.argmin(sizes))][0] if nested else total - overlap
    unadjusted = covariance = np.asarray(total)
    if len(factors) == 2:
        covariance, floored = _repair(unadjusted, [v for v, _ in parts])
    return Robust(
        covariance=covariance, df=min(sizes) - 1, n_clusters=sizes, floored=floored, unadjusted=unadjusted,
        one_way=tuple(v for v, _ in parts),
    )  # fmt: skip


def _cell_scores(design: Comparisons, data: PairData, model: Likelihood, beta: FloatArray) -> sparse.csr_array:
    """Return the weighted score of every cell of the design in all parameters, as a sparse matrix."""
    n, k = data.n_items, data.n_z
    has_tau = model.tie_term is not None
    s_eta, s_tau = model.scores(data.eta(beta), beta[-1] if has_tau else 0.0)
    outcome = design.outcome.astype(np.int64)
    outcome = np.where(data.flipped & (outcome != TIED), 1 - outcome, outcome)
    s = s_eta[outcome, data.cell] * design.weight
    cells = np.arange(len(s))
    blocks = []
    if n:
        pair = (np.r_[cells, cells], np.r_[data.a[data.cell], data.b[data.cell]])
        blocks.append(sparse.csr_array((np.r_[s, -s], pair), shape=(len(s), n)))
    if k:
        blocks.append(sparse.csr_array(data.z[data.cell] * s[:, None]))
    if has_tau:
        blocks.append(sparse.csr_array((s_tau[outcome, data.cell] * design.weight)[:, None]))
    return sparse.csr_array(sparse.hstack(blocks))


def _one_way(rows: sparse.csr_array, codes: Any, bread: FloatArray) -> tuple[FloatArray, int]:
    _, codes = np.unique(codes, return_inverse=True)
    groups = int(codes.max()) + 1
    member = sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=(groups, len(codes)))
    u = member @ rows
    meat = np.asarray((u.T @ u).todense())
    return bread @ meat @ bread * (groups / max(groups - 1, 1)), groups


def _repair(v: FloatArray, parts: Sequence[FloatArray]) -> tuple[FloatArray, bool]:
    """Make V1 + V2 - V12 positive semi-definite without touching the variances on its diagonal.

    Plain flooring of eigenvalues inflates every variance and depends on the parametrisation. Here the correlation
    matrix is floored and scaled back to unit diagonal (Rebonato & Jaeckel 1999), so that single standard errors
    stay those of the estimator. A variance that is itself negative becomes the larger one-way variance.
    """
    v = (v + v.T) / 2
    values = np.linalg.eigvalsh(v)
    if values.min() >= -1e-10 * values.max():
        return v, False
    one_way = np.max([np.diagonal(part) for part in parts], axis=0)
    d = np.where(np.diagonal(v) > ROUNDING * one_way, np.diagonal(v), one_way)
    fixed = d <= ROUNDING * d.max()  # a reference item
    v = np.where(fixed[:, None] | fixed[None, :], 0.0, v)
    scale = np.sqrt(np.maximum(d, np.finfo(float).tiny))
    corr = v / np.outer(scale, scale)
    np.fill_diagonal(corr, 1.0)
    values, vectors = np.linalg.eigh(corr)
    floored = (vectors * np.maximum(values, 0)) @ vectors.T
    unit = np.where(fixed, 0.0, scale / np.sqrt(np.diagonal(floored)))
    return floored * np.outer(unit, unit), True


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
