"""Maximum likelihood by Newton's method, and Firth's penalised likelihood by Fisher scoring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import NonConvergence
from socialstats.models.bradley_terry.assembly import (
    centred_inverse,
    gradient,
    information,
    predictor_tau_covariance,
    predictor_variance,
    solve_centred,
)
from socialstats.models.bradley_terry.data import PairData
from socialstats.models.bradley_terry.likelihoods import Curvature, Likelihood

STEP_TOLERANCE = 1e-9  # Newton's error after the last step is of the order of its square
MAX_ITERATIONS = 100
ROUNDING_DECREMENT = 1e-10  # squared step in standard errors: what huge counts leave of it is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """A maximum of the (penalised) likelihood.

    Attributes
    ----------
    beta : (p,) array
        Strengths (sum zero), order and covariate effects, tau where the model has it.
    covariance : (p, p) array
        Inverse information under the sum-zero constraint.
    loglik : float
        Log-likelihood without penalty.
    iterations : int
    """

    beta: FloatArray
    covariance: FloatArray
    loglik: float
    iterations: int


def start(data: PairData, model: Likelihood) -> FloatArray:
    """Return starting values: equal strengths, no effects, tau for equal strengths."""
    beta = np.zeros(data.n_items + data.n_z + (model.tie_term is not None))
    if model.tie_term is not None:
        beta[-1] = model.start_tau(float(data.w[:2].sum()), float(data.w[2].sum()))
    return beta


def fit_newton(
    data: PairData, model: Likelihood, *, beta: FloatArray | None = None, max_iterations: int = MAX_ITERATIONS
) -> Fitted:
    """Maximise the log-likelihood.

    Newton with step halving; stops when the largest step is below 1e-9 of the largest parameter (or 1), having
    taken that step.

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    beta = start(data, model) if beta is None else beta.copy()
    loglik = _loglik(data, model, beta)
    gap = decrement = np.inf
    for iteration in range(1, max_iterations + 1):
        at = _curvature(data, model, beta)
        try:
            slope = _gradient(data, model, beta)
            step = solve_centred(_information(data, model, at), slope, data.n_items)
        except np.linalg.LinAlgError:  # the likelihood is flat to working precision
            break
        gap = float(np.max(np.abs(step), initial=0.0))
        decrement = float(step @ slope)
        beta, loglik = _move(data, model, beta, step, loglik)
        if gap <= STEP_TOLERANCE * (1 + np.max(np.abs(beta), initial=0.0)):
            return _fitted(data, model, beta, iteration)
        if not np.isfinite(gap):
            break
    if abs(decrement) <= ROUNDING_DECREMENT and gap <= 1e-5:  # a separated fit has steps of about 1 for ever
        return _fitted(data, model, beta, max_iterations)
    raise NonConvergence("Newton's method did not converge", iterations=max_iterations, gap=gap)


def fit_firth(data: PairData, model: Likelihood, *, max_iterations: int = 500) -> Fitted:
    """Maximise the log-likelihood plus half the log determinant of the information (Firth 1993).

    The estimate is finite for every table whose terms are identified. Only for canonical models.

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    beta = start(data, model)
    gap, damping, last = np.inf, 1.0, np.zeros_like(beta)
    reach = np.ones_like(beta)  # log-odds that a step of 1 moves at most; slopes of tiny covariates take long steps
    reach[data.n_items : data.n_items + data.n_z] = np.minimum(1.0, np.abs(data.z).max(axis=0, initial=0.0))
    for iteration in range(1, max_iterations + 1):
        step = _firth_step(data, model, beta)
        gap = float(np.max(np.abs(step), initial=0.0))
        if gap <= 1e-11 * (1 + np.max(np.abs(beta), initial=0.0)):
            return _fitted(data, model, beta + step, iteration)
        if step @ last < 0:  # scoring overshoots where cells hold few rows (by 1/n in a cell of its own)
            damping /= 1 + float(np.sqrt(step @ step / (last @ last)))
        last = step
        move = damping * step * min(1.0, 2.0 / float(np.max(np.abs(step) * reach)))
        before = _penalised(data, model, beta)
        while _penalised(data, model, beta + move) < before - 1e-9 * (1 + abs(before)) and np.abs(move).max() > 1e-8:
            move = move / 2
        beta = beta + move
    raise NonConvergence("Firth's penalised likelihood did not converge", iterations=max_iterations, gap=gap)


def _firth_step(data: PairData, model: Likelihood, beta: FloatArray) -> FloatArray:
    """Return the Fisher scoring step of the penalised likelihood."""
    at = _curvature(data, model, beta)
    cov = centred_inverse(_information(data, model, at), data.n_items)
    adjust_eta, adjust_tau = _jeffreys_score(data, model, beta, cov)
    tau_part = None if model.tie_term is None else at.g_tau + adjust_tau
    return cov @ gradient(data, at.g_eta + adjust_eta, tau_part)


def _penalised(data: PairData, model: Likelihood, beta: FloatArray) -> float:
    """Return the log-likelihood plus half the log determinant of the information, up to a constant."""
    info = _information(data, model, _curvature(data, model, beta))
    info[: data.n_items, : data.n_items] += 1.0  # the direction that the likelihood does not see
    return _loglik(data, model, beta) + 0.5 * float(np.linalg.slogdet(info)[1])


def _jeffreys_score(data: PairData, model: Likelihood, beta: FloatArray, cov: FloatArray) -> tuple[FloatArray, float]:
    """Return half the trace of cov times the derivative of the information, by cell and for tau.

    In a canonical family that derivative is the third cumulant of the sufficient statistics
    s (half the signed win) and t (tie): Firth 1993, section 3.
    """
    n = data.w.sum(axis=0)
    tau = beta[-1] if model.tie_term is not None else 0.0
    p = model.probabilities(data.eta(beta), tau)
    q_ee = predictor_variance(data, cov)
    unit = 1.0 if model.tie_term is None else 0.5
    mean_s = unit * (p[0] - p[1]) if model.tie_term is not None else p[0]
    s = np.array([0.5, -0.5, 0.0]) if model.tie_term is not None else np.array([1.0, 0.0, 0.5])
    ds = s[:, None] - mean_s
    if model.tie_term is None:
        return 0.5 * n * q_ee * np.sum(p * ds**3, axis=0), 0.0
    dt = np.array([0.0, 0.0, 1.0])[:, None] - p[2]
    q_et, q_tt = predictor_tau_covariance(data, cov), float(cov[-1, -1])
    spread = q_ee * ds**2 + 2 * q_et * ds * dt + q_tt * dt**2
    return 0.5 * n * np.sum(p * spread * ds, axis=0), float(np.sum(0.5 * n * np.sum(p * spread * dt, axis=0)))


def _curvature(data: PairData, model: Likelihood, beta: FloatArray) -> Curvature:
    tau = beta[-1] if model.tie_term is not None else 0.0
    return model.curvature(data.eta(beta), tau, model.statistics(data.w))


def _gradient(data: PairData, model: Likelihood, beta: FloatArray) -> FloatArray:
    """Return the score: by outcome, as wins less expected wins lose all digits where odds are large."""
    has_tau = model.tie_term is not None
    of_eta, of_tau = model.scores(data.eta(beta), beta[-1] if has_tau else 0.0)
    return gradient(data, (data.w * of_eta).sum(axis=0), float((data.w * of_tau).sum()) if has_tau else None)


def _information(data: PairData, model: Likelihood, at: Curvature) -> FloatArray:
    if model.tie_term is None:
        return information(data, at.h_ee, None, 0.0)
    return information(data, at.h_ee, at.h_et, float(np.sum(at.h_tt)))


def _loglik(data: PairData, model: Likelihood, beta: FloatArray) -> float:
    tau = beta[-1] if model.tie_term is not None else 0.0
    return model.loglik(data.eta(beta), tau, model.statistics(data.w))


def _move(
    data: PairData, model: Likelihood, beta: FloatArray, step: FloatArray, loglik: float
) -> tuple[FloatArray, float]:
    """Take the step, halved until the log-likelihood does not fall (and log theta stays positive)."""
    positive_tau = model.tie_term == "log_theta"
    slack = 1e-12 * (1 + abs(loglik))
    size = 1.0
    for _ in range(60):
        trial = beta + size * step
        if not positive_tau or trial[-1] > 0:
            there = _loglik(data, model, trial)
            if there >= loglik - slack:
                return trial, there
        size /= 2
    return beta, loglik


def _fitted(data: PairData, model: Likelihood, beta: FloatArray, iterations: int) -> Fitted:
    if data.free:
        beta = beta.copy()
        beta[: data.n_items] -= beta[: data.n_items].mean()
    cov = centred_inverse(_information(data, model, _curvature(data, model, beta)), data.n_items)
    return Fitted(beta=beta, covariance=cov, loglik=_loglik(data, model, beta), iterations=iterations)
