"""Cluster-robust errors of paired comparisons once more: the formulas with dense matrices, cluster by cluster.

Everything starts from the regression table and the definition of the probabilities. What a row tells of its log-odds
and of the tie parameter is a numerical second derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import cochran
from socialstats.crosscheck.pair_fits import STEP, WIDTH, PairColumns, PeerFit, log_probability, predictor
from socialstats.results import FloatArray

IntArray = np.ndarray[Any, np.dtype[np.int64]]

UNIT = 1 - 1e-6
ROUNDING = 1e-8  # of numerical second derivatives
KISH = 50.0
Answer = tuple[FloatArray, FloatArray, np.ndarray[Any, np.dtype[np.bool_]]]


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
    leverage 1 borrow the dispersion of the others (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018). The rows of all
    clusters are turned into the eigen-directions of their M_g; `owner` is the cluster of each direction.
    """
    from scipy import sparse

    csr: Any = sparse.csr_array
    inverse = np.asarray(np.linalg.pinv(rows.T @ rows, rcond=1e-12, hermitian=True), dtype=np.float64)
    turned, residual, values, owner = eigen_directions(rows, e, codes, inverse)
    hidden = values > UNIT
    scale, place = 1 / np.sqrt(1 - values[~hidden]), owner[~hidden]
    # rows of a pair know its two items only
    rows_of, seen, unseen = (csr(part) for part in (rows, turned[~hidden], turned[hidden]))
    by_cluster = csr((np.ones(len(place)), (place, np.arange(len(place)))), (owner.max() + 1, len(place)))
    psi = (by_cluster @ (seen * (scale * residual[~hidden])[:, None])) @ bread
    rank = int(np.linalg.matrix_rank(rows.T @ rows, tol=ROUNDING * np.trace(rows.T @ rows), hermitian=True))
    spare = len(owner) - rank
    lent = max(noise, float(residual @ residual) / spare) if spare else noise

    def answer(contrasts: FloatArray) -> Answer:
        d = contrasts @ bread
        whole = ((rows_of @ d.T) ** 2).sum(axis=0)
        own = ((psi @ contrasts.T) ** 2).sum(axis=0)
        unit = ((unseen @ d.T) ** 2).sum(axis=0) / np.where(whole > 0, whole, 1)
        unit[unit < ROUNDING] = 0
        moved = seen @ d.T
        v = by_cluster @ moved**2
        df = v.sum(axis=0) ** 2 / np.maximum((v**2).sum(axis=0), np.finfo(float).tiny)
        for k in np.flatnonzero((df < KISH) & (v.sum(axis=0) > 0)):
            df[k] = v[:, k].sum() ** 2 / trace_of_squares(moved[:, k] * scale)
        borrowed = lent * unit * whole
        total = own + borrowed
        some = (unit > 0) & (total > 0)
        df[some] = total[some] ** 2 / (own[some] ** 2 / df[some] + borrowed[some] ** 2 / max(spare, 1))
        refused = (unit > 0.5) | ((unit > 0) & (spare == 0))
        return total, np.maximum(df, 1.0), refused

    def trace_of_squares(w: FloatArray) -> float:
        """Return the sum of P_gh^2, P_gh = w_g' (d_gh I - F_g (F'F)^-1 F_h') w_h with w_g = (I - M_g)^-1/2 F_g B c."""
        z = by_cluster @ (seen * w[:, None])
        own, across = by_cluster @ w**2, (z.T @ z) @ inverse
        lever = np.asarray(z.multiply(z @ inverse).sum(axis=1)).ravel()
        return float(np.sum(own**2 - 2 * own * lever) + np.sum(across * across.T))

    return answer


def eigen_directions(
    rows: FloatArray, e: FloatArray, codes: IntArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    """Turn rows and residuals of each cluster into the eigen-directions of its hat matrix that it has.

    Returns rows, residuals, eigenvalues and clusters, in order of clusters. More rows than parameters are rotated into
    as many first; clusters of one size are decomposed together.
    """
    order = np.argsort(codes, kind="stable")
    rows, e, codes = rows[order], e[order], codes[order]
    _, first, size = np.unique(codes, return_index=True, return_counts=True)
    parts: list[tuple[FloatArray, FloatArray, FloatArray, IntArray]] = []
    p = rows.shape[1]
    for n in np.unique(size):
        which = np.flatnonzero(size == n)
        at = first[which][:, None] + np.arange(n)
        own, off = rows[at], e[at]
        if n > p:
            turn, own = np.linalg.qr(own)
            off = np.einsum("gni,gn->gi", turn, off)
        values, vectors = np.linalg.eigh(own @ inverse @ own.transpose(0, 2, 1))
        turned, moved = vectors.transpose(0, 2, 1) @ own, np.einsum("gni,gn->gi", vectors, off)
        kept = values > ROUNDING * values[:, -1:]
        parts.append((turned[kept], moved[kept], values[kept], np.broadcast_to(which[:, None], kept.shape)[kept]))
    found = [np.concatenate([part[k] for part in parts]) for k in range(4)]
    order = np.argsort(found[3], kind="stable")
    turned, moved, values, owner = (one[order] for one in found)
    return turned, moved, values, owner


Errors = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def clustered(kind: str, table: PairColumns, fit: PeerFit, noise: float) -> Errors:
    """Return a function from contrasts of the table's coefficients to standard errors (NaN: unknown) and df.

    Two crossed factors: the largest of V1, V2 and V1 + V2 - V12, Cochran's (1964) df from scipy's t.
    """
    rows, e, owner = whitened(kind, table, fit.estimate)
    groups = [np.unique(g, return_inverse=True)[1].reshape(-1)[owner] for g in table.groups]
    both = np.unique(np.column_stack(groups), axis=0, return_inverse=True)[1].reshape(-1)
    if len(groups) == 2 and both.max() == max(g.max() for g in groups):  # nested: only the coarser counts
        groups = [min(groups, key=lambda g: int(g.max()))]
    parts = [one_factor(rows, e, codes, fit.covariance, noise) for codes in groups]
    crossing = np.array([rows[both == g].T @ e[both == g] for g in range(both.max() + 1)]) if len(parts) == 2 else None

    def errors(contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = [part(contrasts) for part in parts]
        if crossing is None:
            variance, df, refused = found[0]
            return np.where(refused, np.nan, np.sqrt(variance)), df
        (v1, df1, no1), (v2, df2, no2) = found
        overlap = ((crossing @ fit.covariance @ contrasts.T) ** 2).sum(axis=0)
        df = np.array([cochran(each[:2], each[2:]) for each in zip(v1, v2, df1, df2, strict=True)])
        return np.where(no1 | no2, np.nan, np.sqrt(np.max([v1, v2, v1 + v2 - overlap], axis=0))), df

    return errors


def with_tie(back: FloatArray, *, tied: bool) -> FloatArray:
    """Return the matrix to centred coefficients with the tie parameter last."""
    if not tied:
        return back
    return np.block([[back, np.zeros((len(back), 1))], [np.zeros((1, back.shape[1])), np.ones((1, 1))]])
