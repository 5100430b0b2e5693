"""Bradley-Terry models: data, likelihoods with ties, and what Newton's method needs of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import TIED, Comparisons


def sums(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values with each code, shape (size,)."""
    return np.asarray(np.bincount(codes, values, size), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairData:
    """Distinct linear predictors eta = strength[a] - strength[b] + z @ theta, each with its outcome weights.

    Attributes
    ----------
    n_items : int
        Length of the strength block; 0 when strengths are not free.
    a, b : (m,) int64 arrays
        Items, oriented so that a < b.
    z : (m, k) float64 array
        Order effect and covariate differences, a minus b.
    z_names : tuple of str
    w : (3, m) float64 array
        Weight of a wins, b wins and ties.
    w_sq : (3, m) float64 array
        Sum of squared row weights, for the row sandwich.
    cell : (cells,) int64 array
        Predictor of each cell of the design.
    flipped : (cells,) bool array
        True where the cell was turned round to make a < b.
    """

    n_items: int
    a: IntArray
    b: IntArray
    z: FloatArray
    z_names: tuple[str, ...]
    w: FloatArray
    w_sq: FloatArray
    cell: IntArray
    flipped: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def free(self) -> bool:
        """True when every item has a strength of its own."""
        return self.n_items > 0

    @property
    def n_z(self) -> int:
        """Number of order and covariate columns."""
        return int(self.z.shape[1])

    def eta(self, beta: FloatArray) -> FloatArray:
        """Return the linear predictor for parameters of shape (p, ...)."""
        n = self.n_items
        eta = beta[self.a] - beta[self.b] if self.free else np.zeros((len(self.a), *beta.shape[1:]))
        return eta + self.z @ beta[n : n + self.n_z] if self.n_z else eta


def pair_data(design: Comparisons, z: FloatArray, z_names: tuple[str, ...], *, free: bool = True) -> PairData:
    """Collapse the cells of a design to distinct predictors.

    Parameters
    ----------
    design : Comparisons
    z : (cells, k) array
        Order effect and covariate differences (side a minus side b) of each cell.
    z_names : tuple of str
    free : bool
        False when items have no strength of their own.
    """
    flipped = design.item_a > design.item_b
    a = np.where(flipped, design.item_b, design.item_a)
    b = np.where(flipped, design.item_a, design.item_b)
    outcome = np.where(flipped & (design.outcome != TIED), 1 - design.outcome, design.outcome).astype(np.int64)
    z = np.where(flipped[:, None], -z, z)
    n = len(design.items)
    key = a * n + b
    if z.shape[1]:
        _, z_code = np.unique(z, axis=0, return_inverse=True)
        key = key * (int(z_code.max()) + 1) + z_code.reshape(-1)
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    m = len(first)
    slot = outcome * m + cell
    w = sums(slot, design.weight, 3 * m).reshape(3, m)
    w_sq = sums(slot, design.weight_sq, 3 * m).reshape(3, m) if design.weighted else w
    return PairData(
        n_items=n if free else 0, a=a[first], b=b[first], z=z[first], z_names=z_names, w=w, w_sq=w_sq,
        cell=cell.reshape(-1), flipped=flipped,
    )  # fmt: skip


def with_ghost(data: PairData, pseudo: float) -> PairData:
    """Add a ghost item that every item beats and loses to `pseudo` times (the last item of the result).

    The pseudo-wins tie all items together, so that a finite estimate exists for any table.
    """
    n = data.n_items
    rows = np.arange(n)
    extra = np.zeros((3, n))
    extra[:2] = pseudo
    return replace(
        data,
        n_items=n + 1,
        a=np.concatenate([data.a, rows]),
        b=np.concatenate([data.b, np.full(n, n)]),
        z=np.concatenate([data.z, np.zeros((n, data.n_z))]),
        w=np.concatenate([data.w, extra], axis=1),
        w_sq=np.concatenate([data.w_sq, np.zeros((3, n))], axis=1),
    )


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


def item_sums(data: PairData, g: FloatArray) -> FloatArray:
    """Return sum of g over cells where the item is a, minus where it is b; shape (n_items,)."""
    n = data.n_items
    return sums(data.a, g, n) - sums(data.b, g, n)


def gradient(data: PairData, g_eta: FloatArray, g_tau: Any = None) -> FloatArray:
    """Return the gradient in all parameters; `g_tau` is None where the model has no tie parameter."""
    parts = [item_sums(data, g_eta)] if data.free else []
    parts.append(data.z.T @ g_eta)
    if g_tau is not None:
        parts.append(np.atleast_1d(np.asarray(g_tau, dtype=float)))
    return np.concatenate(parts)


def information(data: PairData, h_ee: FloatArray, h_et: FloatArray | None, h_tt: float) -> FloatArray:
    """Return the symmetric matrix sum over cells of m' [[h_ee, h_et], [h_et, h_tt]] m, m = (x, tau).

    Used for the information, and with squared scores in place of h for the row sandwich.

    Parameters
    ----------
    data : PairData
    h_ee, h_et : (m,) arrays
        `h_et` is None where the model has no tie parameter.
    h_tt : float
        Sum over cells.
    """
    n, k = data.n_items, data.n_z
    p = n + k + (h_et is not None)
    out = np.zeros((p, p))
    if n:
        off = sums(data.a * n + data.b, h_ee, n * n).reshape(n, n)
        off += off.T
        out[:n, :n] = -off
        out[np.arange(n), np.arange(n)] = off.sum(axis=1)
    if k:
        zh = data.z * h_ee[:, None]
        out[n : n + k, n : n + k] = data.z.T @ zh
        for j in range(k if n else 0):
            out[:n, n + j] = out[n + j, :n] = item_sums(data, zh[:, j])
    if h_et is not None:
        column = np.concatenate([item_sums(data, h_et) if n else np.zeros(0), data.z.T @ h_et])
        out[: p - 1, p - 1] = out[p - 1, : p - 1] = column
        out[p - 1, p - 1] = h_tt
    return out


def solve_centred(info: FloatArray, rhs: FloatArray, n_items: int) -> FloatArray:
    """Solve info @ x = rhs for x whose strengths sum to zero.

    The likelihood does not change when all strengths move together, so adding a constant to the strength block
    makes the system regular without changing the centred solution.
    """
    with _singular_is_an_error():
        return np.asarray(linalg.solve(_regular(info, n_items), rhs, assume_a="sym", check_finite=False))


def centred_inverse(info: FloatArray, n_items: int) -> FloatArray:
    """Return the covariance under the sum-zero constraint: the inverse on the space it leaves."""
    with _singular_is_an_error():
        inverse = np.asarray(linalg.inv(_regular(info, n_items), check_finite=False))
    inverse = (inverse + inverse.T) / 2
    if n_items:
        inverse[:n_items, :n_items] -= 1 / (_scale(info, n_items) * n_items**2)
    return inverse


@contextmanager
def _singular_is_an_error() -> Iterator[None]:
    """Turn scipy's warning about a matrix that is singular to working precision into its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.LinAlgWarning)
        try:
            yield
        except linalg.LinAlgWarning as warning:
            raise linalg.LinAlgError(str(warning)) from warning


def _scale(info: FloatArray, n_items: int) -> float:
    return float(np.trace(info[:n_items, :n_items])) / n_items**2 or 1.0


def _regular(info: FloatArray, n_items: int) -> FloatArray:
    out = info.copy()
    if n_items:
        out[:n_items, :n_items] += _scale(info, n_items)
    return out


def predictor_variance(data: PairData, cov: FloatArray) -> FloatArray:
    """Return x' cov x for every predictor, x its row of the design; shape (m,)."""
    n, k = data.n_items, data.n_z
    out = np.zeros(len(data.a))
    if n:
        d = np.diagonal(cov)
        out += d[data.a] + d[data.b] - 2 * cov[data.a, data.b]
    if k:
        theta = slice(n, n + k)
        if n:
            cross = cov[data.a, theta] - cov[data.b, theta]
            out += 2 * np.einsum("ij,ij->i", data.z, cross)
        out += np.einsum("ij,jk,ik->i", data.z, cov[theta, theta], data.z)
    return out


def predictor_tau_covariance(data: PairData, cov: FloatArray) -> FloatArray:
    """Return the covariance of every predictor with tau (the last parameter); shape (m,)."""
    n, k = data.n_items, data.n_z
    tau = cov[:, -1]
    out = tau[data.a] - tau[data.b] if n else np.zeros(len(data.a))
    return out + data.z @ tau[n : n + k]
