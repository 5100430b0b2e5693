"""Paired comparisons fitted from the bare definition of the probabilities.

Nothing is derived by hand here: first derivatives are complex steps of the definition, second derivatives are
central differences of the first, and scipy looks for the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.pair_columns import PairColumns

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
STEP = 1e-30
WIDTH = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeerFit:
    """What a peer found, in its own coefficients (first item as reference, tie parameter last).

    Attributes
    ----------
    estimate : (k,) array
    covariance : (k, k) array
        Inverse of the negative second derivatives.
    score : (rows, k) array
        Derivative of the log-probability of each row, not weighted.
    loglik : float
    package, note : str
    """

    estimate: FloatArray
    covariance: FloatArray
    score: FloatArray
    loglik: float
    package: str
    note: str = ""


def log_probability(kind: str, eta: Any, tau: Any, outcome: Any) -> Any:
    """Return the log-probability of each row's outcome by the definition of the model.

    none: p_a / (p_a + p_b). half: the mean of both logarithms for a tie. davidson: p_a : p_b : nu sqrt(p_a p_b)
    (Davidson 1970). rao_kupper: p_a / (p_a + theta p_b), and what is left for a tie (Rao & Kupper 1967).
    """
    a, b = np.exp(eta / 2), np.exp(-eta / 2)
    if kind in ("none", "half"):
        win, loss = a / (a + b), b / (a + b)
        return np.choose(outcome, [np.log(win), np.log(loss), (np.log(win) + np.log(loss)) / 2])
    if kind == "davidson":
        total = a + b + np.exp(tau)
        return np.log(np.choose(outcome, [a / total, b / total, np.exp(tau) / total]))
    win, loss = a / (a + np.exp(tau) * b), b / (b + np.exp(tau) * a)
    return np.log(np.choose(outcome, [win, loss, 1 - win - loss]))


def row_scores(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the derivative of each row's log-probability in all coefficients, by complex steps."""
    eta, tau = predictor(kind, table, beta)
    by_eta = log_probability(kind, eta + 1j * STEP, tau, table.outcome).imag / STEP
    if kind in ("none", "half"):
        return np.asarray(table.x * by_eta[:, None])
    by_tau = log_probability(kind, eta + 0j, tau + 1j * STEP, table.outcome).imag / STEP
    return np.column_stack([table.x * by_eta[:, None], by_tau])


def predictor(kind: str, table: PairColumns, beta: FloatArray) -> tuple[FloatArray, float]:
    """Return the log-odds of each row and the tie parameter."""
    k = table.x.shape[1]
    return table.x @ beta[:k], 0.0 if kind in ("none", "half") else float(beta[k])


def log_likelihood(kind: str, table: PairColumns, beta: FloatArray) -> float:
    """Return the log-likelihood."""
    eta, tau = predictor(kind, table, beta)
    return float(table.weight @ log_probability(kind, eta, tau, table.outcome))


def gradient(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the gradient of the log-likelihood, by complex steps of the row's log-odds and tie parameter."""
    eta, tau = predictor(kind, table, beta)
    by_eta = log_probability(kind, eta + 1j * STEP, tau, table.outcome).imag / STEP
    out = table.x.T @ (table.weight * by_eta)
    if kind in ("none", "half"):
        return np.asarray(out)
    by_tau = log_probability(kind, eta + 0j, tau + 1j * STEP, table.outcome).imag / STEP
    return np.append(out, table.weight @ by_tau)


def curvature(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the negative second derivatives, by central differences of the gradient."""
    columns = []
    for j in range(len(beta)):
        step = np.zeros(len(beta))
        step[j] = WIDTH
        columns.append((gradient(kind, table, beta - step) - gradient(kind, table, beta + step)) / (2 * WIDTH))
    h = np.array(columns)
    return np.asarray((h + h.T) / 2)


def expected_information(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the sum over rows of weight times the expected product of scores, from the definition."""
    from dataclasses import replace

    eta, tau = predictor(kind, table, beta)
    out = np.zeros((len(beta), len(beta)))
    for outcome in (0, 1, 2) if kind not in ("none", "half") else (0, 1):
        as_if = replace(table, outcome=np.full(len(eta), outcome))
        s = row_scores(kind, as_if, beta)
        p = np.exp(log_probability(kind, eta, tau, as_if.outcome))
        out += s.T @ (s * (table.weight * p)[:, None])
    return out


def maximise(kind: str, table: PairColumns) -> PeerFit:
    """Find the maximum: L-BFGS-B from equal strengths, then Newton steps with the numerical curvature."""
    from scipy.optimize import minimize

    k, tied = table.x.shape[1], kind not in ("none", "half")
    bounds = [(-50.0, 50.0)] * k + [(1e-6, 50.0) if kind == "rao_kupper" else (-50.0, 50.0)] * tied
    size = table.weight.sum()
    start = np.append(np.zeros(k), [0.5] * tied)
    stop = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9}
    search: Any = minimize  # its stubs do not know functions that return Any
    found = search(
        lambda v: -log_likelihood(kind, table, v) / size, start,
        jac=lambda v: -gradient(kind, table, v) / size, method="L-BFGS-B", bounds=bounds,
        options=stop,
    )  # fmt: skip
    beta = found.x
    h = curvature(kind, table, beta)
    for _ in range(5):
        step = np.linalg.solve(h, gradient(kind, table, beta))
        beta = beta + step
        if np.abs(step).max() < 1e-11:
            break
    h = curvature(kind, table, beta)
    return PeerFit(
        estimate=beta, covariance=np.asarray(np.linalg.inv(h), dtype=np.float64), score=row_scores(kind, table, beta),
        loglik=log_likelihood(kind, table, beta), package="scipy", note=table.note,
    )  # fmt: skip
