"""Cluster-robust errors of paired comparisons once more: the formulas with dense matrices, cluster by cluster.

Everything starts from the regression table and the definition of the probabilities. What a row tells of its log-odds
and of the tie parameter is a numerical second derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.pair_columns import PairColumns
from socialstats.crosscheck.pair_likelihood import STEP, WIDTH, PeerFit, log_probability, predictor
from socialstats.results import FloatArray

IntArray = np.ndarray[Any, np.dtype[np.int64]]

UNIT = 1 - 1e-6
ROUNDING = 1e-8  # of numerical second derivatives
KISH = 50.0
Answer = tuple[FloatArray, FloatArray, np.ndarray[Any, np.dtype[np.bool_]]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterTerms:
    """One cluster: its rows F in the directions of leverage 1 (`unseen`) and in the others.

    `adjusted` is (I - M)^-1/2 F, `influence` B F' (I - M)^-1/2 e; `squares` and `rank` are those of its residuals.
    """

    seen: FloatArray
    unseen: FloatArray
    adjusted: FloatArray
    influence: FloatArray
    squares: float
    rank: int


def whitened(kind: str, table: PairColumns, beta: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return rows, residuals, and the table's row of each: roots of numerical second derivatives, two by two."""
    eta, tau = predictor(kind, table, beta)
    real = np.flatnonzero(table.weight_sq > 0)  # pseudo-wins of a prior are no data
    weight, tied = table.weight, kind not in ("none", "half")

    def slopes(at: FloatArray, nu: float) -> FloatArray:
        by_eta = log_probability(kind, at + 1j * STEP, nu, table.outcome).imag / STEP
        by_tau = log_probability(kind, at + 0j, nu + 1j * STEP, table.outcome).imag / STEP if tied else 0 * by_eta
        return np.stack([by_eta, by_tau])

    by_eta = (slopes(eta - WIDTH, tau) - slopes(eta + WIDTH, tau)) / (2 * WIDTH)
    by_tau = (slopes(eta, tau - WIDTH) - slopes(eta, tau + WIDTH)) / (2 * WIDTH) if tied else 0 * by_eta
    h = np.stack([by_eta, by_tau]).transpose(2, 0, 1) * weight[:, None, None]
    values, vectors = np.linalg.eigh((h + h.transpose(0, 2, 1)) / 2)
    kept = values > ROUNDING * values[:, -1:]
    length = np.sqrt(np.where(kept, values, 1))
    score = np.einsum("nij,in->nj", vectors, slopes(eta, tau) * weight) / length
    x = np.zeros((len(eta), 2, len(beta)))
    x[:, 0, : table.x.shape[1]] = table.x
    if tied:
        x[:, 1, -1] = 1.0
    rows = vectors.transpose(0, 2, 1) @ x * length[:, :, None]
    kept[np.setdiff1d(np.arange(len(eta)), real)] = False
    owner = np.broadcast_to(np.arange(len(eta), dtype=np.int64)[:, None], kept.shape)
    return np.asarray(rows[kept], dtype=np.float64), np.asarray(score[kept]), owner[kept]


def one_factor(
    rows: FloatArray, e: FloatArray, codes: IntArray, bread: FloatArray, noise: float
) -> Callable[[FloatArray], Answer]:  # fmt: skip
    """Return a function from contrasts (k, p) to variances, degrees of freedom and what could not be seen.

    V = B [sum F_g' (I - M_g)^-1/2 e_g e_g' (I - M_g)^-1/2 F_g] B with M_g = F_g (F'F)^-1 F_g', in which directions of
    leverage 1 borrow the dispersion of the others (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018).
    """
    inverse = np.asarray(np.linalg.pinv(rows.T @ rows, rcond=1e-12, hermitian=True), dtype=np.float64)
    clusters = [cluster_terms(rows[codes == g], e[codes == g], bread, inverse) for g in np.unique(codes)]
    psi = np.array([c.influence for c in clusters])
    unseen = np.concatenate([c.unseen for c in clusters])
    rank = int(np.linalg.matrix_rank(rows.T @ rows, tol=ROUNDING * np.trace(rows.T @ rows), hermitian=True))
    spare = sum(c.rank for c in clusters) - rank
    lent = max(noise, sum(c.squares for c in clusters) / spare) if spare else noise

    def answer(contrasts: FloatArray) -> Answer:
        d = contrasts @ bread
        whole = ((rows @ d.T) ** 2).sum(axis=0)
        own = ((psi @ contrasts.T) ** 2).sum(axis=0)
        unit = ((unseen @ d.T) ** 2).sum(axis=0) / np.where(whole > 0, whole, 1)
        unit[unit < ROUNDING] = 0
        v = np.array([((c.seen @ d.T) ** 2).sum(axis=0) for c in clusters])
        df = v.sum(axis=0) ** 2 / np.maximum((v**2).sum(axis=0), np.finfo(float).tiny)
        for k in np.flatnonzero((df < KISH) & (v.sum(axis=0) > 0)):
            df[k] = v[:, k].sum() ** 2 / trace_of_squares(clusters, d[k], inverse)
        borrowed = lent * unit * whole
        total = own + borrowed
        some = (unit > 0) & (total > 0)
        df[some] = total[some] ** 2 / (own[some] ** 2 / df[some] + borrowed[some] ** 2 / max(spare, 1))
        refused = (unit > 0.5) | ((unit > 0) & (spare == 0))
        return total, np.maximum(df, 1.0), refused

    return answer


def cluster_terms(rows: FloatArray, e: FloatArray, bread: FloatArray, inverse: FloatArray) -> ClusterTerms:
    """Decompose the hat matrix of one cluster; more rows than parameters are rotated into as many first."""
    if len(rows) > rows.shape[1]:
        turn, rows = np.linalg.qr(rows)
        e = turn.T @ e
    values, vectors = np.linalg.eigh(rows @ inverse @ rows.T)
    rank = values > ROUNDING * values[-1]
    rows, e, values = (vectors.T @ rows)[rank], (vectors.T @ e)[rank], values[rank]
    unit = values > UNIT
    adjusted = rows[~unit] / np.sqrt(1 - values[~unit])[:, None]
    return ClusterTerms(
        seen=rows[~unit], unseen=rows[unit], adjusted=adjusted, influence=bread @ (adjusted.T @ e[~unit]),
        squares=float(e @ e), rank=len(e),
    )  # fmt: skip


def trace_of_squares(clusters: list[ClusterTerms], d: FloatArray, inverse: FloatArray) -> float:
    """Return the sum of P_gh^2, P_gh = w_g' (d_gh I - F_g (F'F)^-1 F_h') w_h with w_g = (I - M_g)^-1/2 F_g B c."""
    w = [c.adjusted @ d for c in clusters]
    z = np.array([c.seen.T @ one for c, one in zip(clusters, w, strict=True)])
    own = np.array([one @ one for one in w])
    across = z.T @ z @ inverse
    return float(np.sum(own**2 - 2 * own * np.einsum("gi,ij,gj->g", z, inverse, z)) + np.sum(across * across.T))


def clustered(
    kind: str, table: PairColumns, fit: PeerFit, contrasts: FloatArray, noise: float
) -> tuple[FloatArray, FloatArray]:
    """Return standard errors (NaN where none can be known) and df of contrasts of the table's coefficients.

    Two crossed factors: the largest of V1, V2 and V1 + V2 - V12, Cochran's (1964) df from scipy's t.
    """
    from scipy.optimize import brentq
    from scipy.stats import t

    rows, e, owner = whitened(kind, table, fit.estimate)
    groups = [np.unique(g, return_inverse=True)[1].reshape(-1)[owner] for g in table.groups]
    both = np.unique(np.column_stack(groups), axis=0, return_inverse=True)[1].reshape(-1)
    if len(groups) == 2 and both.max() == max(g.max() for g in groups):  # nested: only the coarser counts
        groups = [min(groups, key=lambda g: int(g.max()))]
    found = [one_factor(rows, e, codes, fit.covariance, noise)(contrasts) for codes in groups]
    if len(found) == 1:
        variance, df, refused = found[0]
        return np.where(refused, np.nan, np.sqrt(variance)), df
    (v1, df1, no1), (v2, df2, no2) = found
    u = np.array([rows[both == g].T @ e[both == g] for g in range(both.max() + 1)])
    overlap = ((u @ fit.covariance @ contrasts.T) ** 2).sum(axis=0)
    variance = np.max([v1, v2, v1 + v2 - overlap], axis=0)
    df = np.minimum(df1, df2)
    for k in np.flatnonzero(v1 + v2 > 0):
        wanted = (v1[k] * t.ppf(0.975, df1[k]) + v2[k] * t.ppf(0.975, df2[k])) / (v1[k] + v2[k])
        low, high = sorted((df1[k], df2[k]))
        if t.ppf(0.975, high) < wanted < t.ppf(0.975, low):
            df[k] = brentq(lambda x, wanted=wanted: t.ppf(0.975, x) - wanted, low, high, xtol=1e-12)
        else:
            df[k] = df1[k] if v1[k] > 0 else df2[k]
    return np.where(no1 | no2, np.nan, np.sqrt(variance)), df


def errors_of(fit: Any) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Return a function from contrasts of a fit's centred coefficients to standard errors and df, found again here."""
    from socialstats.crosscheck.bradley_terry import fitted_again, v_of

    peer, table, back = fitted_again(fit)
    state = fit.fitted_state
    if state.kind != "cluster":
        v = back @ v_of(fit, peer, table) @ back.T
        return lambda c: (np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", c, v, c), 0)), np.full(len(c), np.inf))
    noise = float(fit.design.weight_sq.sum() / fit.design.weight.sum())
    return lambda c: clustered(state.ties, table, peer, c @ back, noise)


def with_tie(back: FloatArray, *, tied: bool) -> FloatArray:
    """Return the matrix to centred coefficients with the tie parameter last."""
    if not tied:
        return back
    return np.block([[back, np.zeros((len(back), 1))], [np.zeros((1, back.shape[1])), np.ones((1, 1))]])
