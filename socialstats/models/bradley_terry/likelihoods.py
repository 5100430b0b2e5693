"""The three likelihoods of one comparison, as functions of the difference eta and a tie parameter tau.

Each model gives log-likelihood, gradient and negative Hessian in (eta, tau) for every cell of a
`PairData`; nothing here knows about items. Outcomes are ordered (a wins, b wins, tie).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, log_expit

from socialstats.arrays import FloatArray

LARGE = 1e300  # odds beyond are as good as infinite


@dataclass(frozen=True, slots=True)
class Curvature:
    """First and (negative) second derivatives of the log-likelihood of every cell.

    Attributes
    ----------
    g_eta : (m, ...) array
    g_tau : (...) array
        Derivative in the tie parameter, summed over cells (0 where the model has none).
    h_ee, h_et, h_tt : (m, ...) arrays
        Negative second derivatives.
    """

    g_eta: FloatArray
    g_tau: FloatArray
    h_ee: FloatArray
    h_et: FloatArray
    h_tt: FloatArray


class Likelihood(Protocol):
    """What the Newton and resampling code needs from a model of one comparison."""

    name: str
    tie_term: str | None
    canonical: bool

    def start_tau(self, wins: float, ties: float) -> float:
        """Return a starting value of tau from total wins and ties."""
        ...

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return what the derivatives need of the outcome weights `w` of shape (3, m, ...)."""
        ...

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives, given the `statistics` of the outcome weights."""
        ...

    def loglik(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> float:
        """Return the log-likelihood, summed over cells."""
        ...

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return P(a wins), P(b wins), P(tie) as an array of shape (3, m)."""
        ...

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray]:
        """Return d log P(outcome) / d eta and / d tau, each of shape (3, m)."""
        ...


class BradleyTerry:
    """P(a) = expit(eta). A tie, where one is passed, counts as half a win for each side (quasi-likelihood)."""

    name = "Bradley-Terry"
    tie_term: str | None = None
    canonical = True

    def start_tau(self, wins: float, ties: float) -> float:
        """Return 0: there is no tie parameter."""
        return 0.0

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return wins of a (ties as halves) and comparisons."""
        return w[0] + 0.5 * w[2], w[0] + w[1] + w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives of the binomial log-likelihood (Bradley & Terry 1952)."""
        wins, total = stats
        q = np.exp(-eta)  # in place from here on: this is the inner loop of every bootstrap
        np.minimum(q, LARGE, out=q)
        p = 1 + q
        np.reciprocal(p, out=p)
        q *= p  # 1 - p, without cancellation
        p *= total
        q *= p
        zero = np.zeros(())
        return Curvature(wins - p, zero, q, zero, zero)

    def loglik(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> float:
        """Return the Bernoulli log-likelihood; half wins enter with weight one half."""
        wins, total = stats
        return float(wins @ log_expit(eta) + (total - wins) @ log_expit(-eta))  # terms of one sign: nothing cancels

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the win probabilities; a tie has probability 0."""
        p = expit(eta)
        return np.stack([p, expit(-eta), np.zeros_like(p)])

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray]:
        """Return the score of each outcome; a half-win tie has the mean of the two scores."""
        p, q = expit(eta), expit(-eta)
        return np.stack([q, -p, (q - p) / 2]), np.zeros((3, *np.shape(eta)))


class Davidson:
    """P(a) : P(b) : P(tie) = exp(eta/2) : exp(-eta/2) : nu, with tau = log nu (Davidson 1970).

    In these coordinates the model is a canonical exponential family.
    """

    name = "Bradley-Terry-Davidson"
    tie_term: str | None = "log_nu"
    canonical = True

    def start_tau(self, wins: float, ties: float) -> float:
        """Return log(2 ties / wins): exact when all strengths are equal."""
        return float(np.log(2 * ties / wins))

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the three probabilities, stable for any size of eta."""
        top = np.maximum(np.abs(eta) / 2, tau)
        ea, eb, et = np.exp(eta / 2 - top), np.exp(-eta / 2 - top), np.exp(tau - top)
        total = ea + eb + et
        return np.stack([ea / total, eb / total, et / total])

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return half the difference of wins, ties, and comparisons."""
        return 0.5 * (w[0] - w[1]), w[2], w[0] + w[1] + w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives: first minus expected, second the covariance of (s, t), s = +-1/2, t = tie."""
        signed, ties, n = stats
        top = np.maximum(np.abs(eta) / 2, tau)
        ea, eb, et = np.exp(eta / 2 - top), np.exp(-eta / 2 - top), np.exp(tau - top)
        total = ea + eb + et
        pa, pb, pt = ea / total, eb / total, et / total
        half = 0.5 * (pa - pb)
        return Curvature(
            signed - n * half,
            (ties - n * pt).sum(axis=0),
            n * (pa * pb + 0.25 * pt * (pa + pb)),  # (1 - pt)/4 - half^2, without cancellation
            -n * half * pt,
            n * pt * (pa + pb),
        )

    def loglik(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> float:
        """Return the multinomial log-likelihood: a sum of terms of one sign, so that nothing cancels."""
        signed, ties, n = stats
        parts = np.stack(np.broadcast_arrays(eta / 2, -eta / 2, tau)) - np.maximum(np.abs(eta) / 2, tau)
        log_total = np.log1p(np.exp(np.sort(parts, axis=0)[:2]).sum(axis=0))  # the largest of the three is exp(0)
        decided = (n - ties) / 2
        weights = (decided + signed, decided - signed, ties)
        return float(sum(np.sum(w * (part - log_total)) for w, part in zip(weights, parts, strict=True)))

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray]:
        """Return the score of each outcome: its sufficient statistics minus their expectation."""
        pa, pb, pt = self.probabilities(eta, tau)
        eta_scores = np.stack([pb + pt / 2, -pa - pt / 2, (pb - pa) / 2])  # sums, so that nothing cancels
        return eta_scores, np.stack([-pt, -pt, pa + pb])


class RaoKupper:
    """P(a) = expit(eta - tau), P(b) = expit(-eta - tau), tau = log theta > 0 (Rao & Kupper 1967).

    P(tie) = (theta^2 - 1) P(a) P(b), so the log-likelihood is that of two logistic terms: this is the
    cumulative logit model with thresholds -tau and +tau.
    """

    name = "Bradley-Terry-Rao-Kupper"
    tie_term: str | None = "log_theta"
    canonical = False

    def start_tau(self, wins: float, ties: float) -> float:
        """Return log theta for equal strengths: P(tie) = (theta - 1) / (theta + 1)."""
        share = ties / (ties + wins)
        return float(np.log((1 + share) / (1 - share)))

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the three probabilities."""
        pa, pb = expit(eta - tau), expit(-eta - tau)
        return np.stack([pa, pb, np.expm1(2 * tau) * pa * pb])

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return rows not lost by a, rows not lost by b, and ties."""
        return w[0] + w[2], w[1] + w[2], w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives of the log-likelihood (see `loglik`)."""
        above, below, ties = stats
        not_a, not_b = expit(tau - eta), expit(tau + eta)
        ha, hb = above * not_a * (1 - not_a), below * not_b * (1 - not_b)
        shrink = -np.expm1(-2 * tau)
        return Curvature(
            above * not_a - below * not_b,
            (2 * ties / shrink - above * not_a - below * not_b).sum(axis=0),
            ha + hb,
            hb - ha,
            ha + hb + ties * 4 * np.exp(-2 * tau) / shrink**2,
        )

    def loglik(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> float:
        """Return (w_a + w_t) log P(a) + (w_b + w_t) log P(b) + w_t log(theta^2 - 1), summed."""
        above, below, ties = stats
        logistic = np.sum(above * log_expit(eta - tau)) + np.sum(below * log_expit(-eta - tau))
        return float(logistic + np.sum(ties * (2 * tau + np.log(-np.expm1(-2 * tau)))))

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray]:
        """Return the score of each outcome."""
        not_a, not_b = expit(tau - eta), expit(tau + eta)
        tie = 2 / -np.expm1(-2 * tau)
        eta_scores = np.stack([not_a, -not_b, not_a - not_b])
        return eta_scores, np.stack([-not_a, -not_b, tie - not_a - not_b])


LIKELIHOODS: dict[str, Likelihood] = {
    "none": BradleyTerry(),
    "half": BradleyTerry(),
    "davidson": Davidson(),
    "rao_kupper": RaoKupper(),
}
