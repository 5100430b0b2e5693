"""Covariances of the estimates: the sandwich by row, and the whitened rows that clustered ones are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import TIED, Comparisons, Factor
from socialstats.models.bradley_terry.assembly import information
from socialstats.models.bradley_terry.data import PairData, sums
from socialstats.models.bradley_terry.likelihoods import Likelihood

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
