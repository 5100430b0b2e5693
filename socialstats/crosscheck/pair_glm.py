"""Paired comparisons as a binomial regression in statsmodels, and its sandwich covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.crosscheck.pair_columns import PairColumns
from socialstats.crosscheck.pair_likelihood import PeerFit, log_likelihood, row_scores

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
SHARE_OF_A = np.array([1.0, 0.0, 0.5])


def glm(table: PairColumns) -> PeerFit:
    """Fit by statsmodels' iterated least squares; a tie is the response one half."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    y = SHARE_OF_A[table.outcome]
    model = GLM(y, table.x, family=Binomial(), freq_weights=table.weight, hasconst=False)
    fit = model.fit(maxiter=200, tol=1e-13, wls_method="qr")
    beta = np.asarray(fit.params)
    return PeerFit(
        estimate=beta, covariance=np.asarray(fit.normalized_cov_params), score=table.x * (y - fit.mu)[:, None],
        loglik=log_likelihood("half", table, beta), package="statsmodels", note=table.note,
    )  # fmt: skip


def firth(table: PairColumns, *, rounds: int = 200) -> PeerFit:
    """Fit Firth's penalised likelihood as maximum likelihood of augmented data, again and again.

    Half a pseudo-win and half a pseudo-loss times the leverage of every row, leverages updated after every
    fit (Firth 1993; the penalty of a logistic regression is half the leverage on either side).
    """
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    y, beta = SHARE_OF_A[table.outcome], np.zeros(table.x.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-table.x @ beta))
        root = table.x * np.sqrt(table.weight * p * (1 - p))[:, None]
        leverage = (np.linalg.qr(root)[0] ** 2).sum(axis=1)
        share = (table.weight * y + leverage / 2) / (table.weight + leverage)
        model = GLM(share, table.x, family=Binomial(), freq_weights=table.weight + leverage, hasconst=False)
        new = np.asarray(model.fit(start_params=beta, maxiter=100, tol=1e-14, wls_method="qr").params)
        moved, beta = float(np.abs(new - beta).max()), new
        if moved < 1e-11:
            break
    p = 1 / (1 + np.exp(-table.x @ beta))
    info = table.x.T @ (table.x * (table.weight * p * (1 - p))[:, None])
    return PeerFit(
        estimate=beta, covariance=np.asarray(np.linalg.inv(info), dtype=np.float64),
        score=row_scores("half", table, beta),
        loglik=log_likelihood("half", table, beta), package="statsmodels", note=table.note,
    )  # fmt: skip


def by_row(fit: PeerFit, table: PairColumns) -> FloatArray:
    """Return the sandwich covariance by row."""
    from statsmodels.stats.sandwich_covariance import S_white_simple

    meat = S_white_simple(fit.score * np.sqrt(table.weight_sq)[:, None])
    return np.asarray(fit.covariance @ meat @ fit.covariance)
