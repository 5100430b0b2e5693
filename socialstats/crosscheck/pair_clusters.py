"""Cluster-robust errors of paired comparisons recomputed: the formulas with dense matrices, cluster by cluster.

Everything starts from the regression table and the definition of the probabilities. What a row tells of its log-odds
and of the tie parameter is a numerical second derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import cochran
from socialstats.crosscheck.pair_fits import TIES, WIDTH, PairColumns, PeerFit, predictor, slopes

UNIT = 1 - 1e-6
ROUNDING = 1e-8  # error of numerical second derivatives
PRECISION = 1e-6  # errors beside those of the model; peers find maxima to 1e-8
KISH = 50.0
CONTRASTS = 100  # at once: each needs a number for every row of the table
Answer = tuple[FloatArray, FloatArray, np.ndarray[Any, np.dtype[np.bool_]]]


def whitened(
    kind: str, table: PairColumns, beta: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return rows, residuals, and the table's row of each: roots of numerical second derivatives, two by two."""
    table = replace(
        table, weight=np.where(table.weight_sq > 0, table.weight, 0)
    )  # pseudo-wins of a prior are no data
    eta, tau = predictor(table, beta)
    steps = WIDTH * np.eye(2)[: 2 if kind in TIES else 1]
    h = (
        np.stack(
            [
                slopes(kind, eta - s[0], tau - s[1], table.outcome)
                - slopes(kind, eta + s[0], tau + s[1], table.outcome)
                for s in steps
            ]
        ).transpose(2, 0, 1)
        * (table.weight / (2 * WIDTH))[:, None, None]
    )
    values, vectors = np.linalg.eigh((h + h.transpose(0, 2, 1)) / 2)
    kept = (values > ROUNDING * values[:, -1:]) & (table.weight > 0)[:, None]
    length = np.sqrt(np.where(kept, values, 1))
    score = (
        np.einsum("nij,in->nj", vectors, slopes(kind, eta, tau, table.outcome) * table.weight)
        / length
    )
    x = np.zeros((len(eta), len(steps), len(beta)))
    x[:, 0, : table.x.shape[1]] = table.x
    x[:, 1:, -1] = 1.0
    rows = vectors.transpose(0, 2, 1) @ x * length[:, :, None]
    owner = np.broadcast_to(np.arange(len(eta), dtype=np.int64)[:, None], kept.shape)
    return np.asarray(rows[kept], dtype=np.float64), np.asarray(score[kept]), owner[kept]


def one_factor(
    rows: FloatArray, e: FloatArray, codes: IntArray, bread: FloatArray, noise: float
) -> Callable[[FloatArray], Answer]:
    """Return a function from contrasts (k, p) to variances, degrees of freedom and what could not be seen.

    V = B [sum F_g' (I - M_g)^-1/2 e_g e_g' (I - M_g)^-1/2 F_g] B with M_g = F_g (F'F)^-1 F_g', in which directions of
    leverage 1 borrow the dispersion of the others (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018). The rows of all
    clusters are turned into the eigen-directions of their M_g; `owner` is the cluster of each direction.
    """
    from scipy import sparse

    csr: Any = sparse.csr_array
    inverse = np.asarray(
        np.linalg.pinv(rows.T @ rows, rcond=1e-12, hermitian=True), dtype=np.float64
    )
    turned, residual, values, owner = eigen_directions(rows, e, codes, inverse)
    hidden = values > UNIT
    scale, place = 1 / np.sqrt(1 - values[~hidden]), owner[~hidden]
    # rows of a pair know its two items only
    rows_of, seen, unseen = (csr(part) for part in (rows, turned[~hidden], turned[hidden]))
    by_cluster = csr(
        (np.ones(len(place)), (place, np.arange(len(place)))), (owner.max() + 1, len(place))
    )
    psi = (by_cluster @ (seen * (scale * residual[~hidden])[:, None])) @ bread
    apart = psi - psi.mean(axis=0)  # clusters that are alike add the same, 0 without a penalty
    size = PRECISION**2 * (noise or float(e @ e) / len(e))
    rank = int(
        np.linalg.matrix_rank(rows.T @ rows, tol=ROUNDING * np.trace(rows.T @ rows), hermitian=True)
    )
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
        still = ((apart @ contrasts.T) ** 2).sum(axis=0) + borrowed <= size * whole
        total = np.where(still, 0.0, own + borrowed)
        some = (unit > 0) & (total > 0)
        df[some] = total[some] ** 2 / (
            own[some] ** 2 / df[some] + borrowed[some] ** 2 / max(spare, 1)
        )
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

    Returns rows, residuals, eigenvalues and clusters, in order of clusters. With L L' the inverse and U S V' = F_g L,
    M_g = U S^2 U'. Clusters of one size are decomposed together.
    """
    values, vectors = np.linalg.eigh(inverse)
    root = vectors * np.sqrt(np.maximum(values, 0))
    order = np.argsort(codes, kind="stable")
    _, first, size = np.unique(codes[order], return_index=True, return_counts=True)
    parts = []
    for n in np.unique(size):
        which = np.flatnonzero(size == n)
        at = order[first[which][:, None] + np.arange(n)]
        u, s, _ = np.linalg.svd(rows[at] @ root, full_matrices=False)
        turned, moved = u.transpose(0, 2, 1) @ rows[at], np.einsum("gni,gn->gi", u, e[at])
        kept = s**2 > ROUNDING * s[:, :1] ** 2
        parts.append(
            (
                turned[kept],
                moved[kept],
                s[kept] ** 2,
                np.broadcast_to(which[:, None], kept.shape)[kept],
            )
        )
    turned, moved, values, owner = (np.concatenate(found) for found in zip(*parts, strict=True))
    order = np.argsort(owner, kind="stable")
    return turned[order], moved[order], values[order], owner[order]


Errors = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def clustered(kind: str, table: PairColumns, fit: PeerFit, noise: float) -> Errors:
    """Return a function from contrasts of the table's coefficients to standard errors (NaN: unknown) and df."""
    rows, e, owner = whitened(kind, table, fit.estimate)
    groups = [np.unique(g, return_inverse=True)[1].reshape(-1)[owner] for g in table.groups]
    return of_rows(rows, e, groups, fit.covariance, noise)


def of_rows(
    rows: FloatArray, e: FloatArray, groups: list[IntArray], bread: FloatArray, noise: float
) -> Errors:
    """Return the same from whitened rows with their residuals, and the codes of each factor without gaps.

    Two crossed factors: the largest of V1, V2 and V1 + V2 - V12, Cochran's (1964) df from scipy's t.
    """
    both = np.unique(np.column_stack(groups), axis=0, return_inverse=True)[1].reshape(-1)
    if len(groups) == 2 and both.max() == max(
        g.max() for g in groups
    ):  # nested: only the coarser counts
        groups = [min(groups, key=lambda g: int(g.max()))]
    parts = [one_factor(rows, e, codes, bread, noise) for codes in groups]
    crossing = (
        np.array([rows[both == g].T @ e[both == g] for g in range(both.max() + 1)])
        if len(parts) == 2
        else None
    )

    def errors(contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        blocks = [block(contrasts[k : k + CONTRASTS]) for k in range(0, len(contrasts), CONTRASTS)]
        std_error, df = (np.concatenate(found) for found in zip(*blocks, strict=True))
        return std_error, df

    def block(contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = [part(contrasts) for part in parts]
        if crossing is None:
            variance, df, refused = found[0]
            return np.where(refused, np.nan, np.sqrt(variance)), df
        (v1, df1, no1), (v2, df2, no2) = found
        overlap = ((crossing @ bread @ contrasts.T) ** 2).sum(axis=0)
        df = np.array([cochran(each[:2], each[2:]) for each in zip(v1, v2, df1, df2, strict=True)])
        return np.where(no1 | no2, np.nan, np.sqrt(np.max([v1, v2, v1 + v2 - overlap], axis=0))), df

    return errors
