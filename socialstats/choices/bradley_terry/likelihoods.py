"""Bradley-Terry models: data, likelihoods with ties, and what Newton's method needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, sparse
from scipy.special import expit, log_expit

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import TIED
from socialstats.tables import EPSILON

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.streamed import StreamedRows


def sums_by_code(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
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
    x : (m, n_items + k) sparse array
        Rows of the design: +1 for a, -1 for b, then z.
    z_names : tuple of str
    w : (3, m) float64 array
        Weight of a wins, b wins and ties.
    w_sq : (3, m) float64 array
        Sum of squared row weights, for the row sandwich.
    cell, outcome : (cells,) int64 arrays
        Predictor of each cell of the design, and its outcome from the side of the predictor's a.
    rows : StreamedRows or None
        Rows with covariates that pass by; the predictors have 0 in place of these.
    """

    n_items: int
    a: IntArray
    b: IntArray
    z: FloatArray
    x: sparse.csr_array
    z_names: tuple[str, ...]
    w: FloatArray
    w_sq: FloatArray
    cell: IntArray
    outcome: IntArray
    rows: StreamedRows | None = None

    @property
    def pair(self) -> IntArray:
        """Number of the pair of items that each predictor compares, from 0 without gaps."""
        key = self.a * (int(self.b.max(initial=0)) + 1) + self.b
        return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64)

    def eta_tau(self, beta: FloatArray) -> tuple[FloatArray, Any]:
        """Return the linear predictors and the tie parameter (0 without) for parameters of shape (p, ...)."""
        p = self.x.shape[1]
        return self.x @ beta[:p], beta[p] if len(beta) > p else 0.0


def pair_data(
    design: Comparisons, z: FloatArray, z_names: tuple[str, ...], *, free: bool = True
) -> PairData:
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
    # pairs are unordered: the item with the lower code is side a, and outcomes and z turn with it
    flipped = design.item_a > design.item_b
    a = np.where(flipped, design.item_b, design.item_a)
    b = np.where(flipped, design.item_a, design.item_b)
    outcome = np.where(
        flipped & (design.outcome != TIED), 1 - design.outcome, design.outcome
    ).astype(np.int64)
    z = np.where(flipped[:, None], -z, z)
    n = len(design.items)
    key = a * n + b
    if z.shape[1]:
        _, _, z_code = unique_rows(z)
        key = key * (int(z_code.max()) + 1) + z_code.reshape(-1)
    # a predictor: a pair of items with one value of z
    _, first, cell = np.unique(key, return_index=True, return_inverse=True)
    a, b, z, n = a[first], b[first], z[first], n if free else 0
    w = w_sq = weight_table(outcome, cell, design.weight, len(first))
    if design.weight_sq is not design.weight:
        w_sq = weight_table(outcome, cell, design.weight_sq, len(first))
    return PairData(
        n_items=n,
        a=a,
        b=b,
        z=z,
        x=design_rows(n, a, b, z),
        z_names=z_names,
        w=w,
        w_sq=w_sq,
        cell=cell,
        outcome=outcome,
    )


def weight_table(outcome: IntArray, cell: IntArray, weight: FloatArray, size: int) -> FloatArray:
    """Return the sum of the weights by outcome and cell, shape (3, size)."""
    return sums_by_code(outcome * size + cell, weight, 3 * size).reshape(3, size)


def design_rows(n_items: int, a: IntArray, b: IntArray, z: FloatArray) -> sparse.csr_array:
    """Return the rows of the design: +1 in column a and -1 in column b (with free strengths), then z."""
    m = len(a)
    if not n_items:
        return sparse.csr_array(z)
    signs, columns = np.tile([1.0, -1.0], m), np.stack([a, b], axis=1).ravel()
    items = sparse.csr_array((signs, columns, np.arange(0, 2 * m + 1, 2)), shape=(m, n_items))
    return sparse.csr_array(sparse.hstack([items, sparse.csr_array(z)])) if z.shape[1] else items


def with_ghost(data: PairData, pseudo: float) -> PairData:
    """Add a ghost item that every item beats and loses to `pseudo` times (the last item of the result).

    The pseudo-wins tie all items together, so that a finite estimate exists for any table.
    """
    n = data.n_items
    a, b = np.append(data.a, np.arange(n)), np.append(data.b, np.full(n, n))
    z = np.concatenate([data.z, np.zeros((n, data.z.shape[1]))])
    wins = np.array([[pseudo], [pseudo], [0.0]]).repeat(n, axis=1)
    w_sq = np.hstack([data.w_sq, np.zeros((3, n))])
    return replace(
        data,
        n_items=n + 1,
        a=a,
        b=b,
        z=z,
        x=design_rows(n + 1, a, b, z),
        w=np.hstack([data.w, wins]),
        w_sq=w_sq,
    )


LARGE = 1e300  # odds beyond are as good as infinite


@dataclass(frozen=True, slots=True)
class Curvature:
    """First and (negative) second derivatives of the log-likelihood of every cell.

    Attributes
    ----------
    g_eta : (m, ...) array
    h_ee : (m, ...) array
        Negative second derivative.
    g_tau, h_et, h_tt : (m, ...) arrays, or None
        Derivatives in the tie parameter; None where the model has none.
    """

    g_eta: FloatArray
    h_ee: FloatArray
    g_tau: FloatArray | None = None
    h_et: FloatArray | None = None
    h_tt: FloatArray | None = None


class BradleyTerry:
    """P(a) = expit(eta). A tie, where one is passed, counts as half a win for each side (quasi-likelihood).

    Models with ties have the same methods and a tie parameter tau.
    """

    name = "Bradley-Terry"
    tie_term: str | None = None

    def start_tau(self, wins: float, ties: float) -> float:
        """Return a starting value of tau from total wins and ties."""
        raise NotImplementedError("this model has no tie parameter")

    def log_probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the logarithms of P(a wins), P(b wins), P(tie) as an array of shape (3, m).

        Without a tie parameter a tie has the mean of the other two.
        """
        a, b = log_expit(eta), log_expit(-eta)
        return np.stack([a, b, (a + b) / 2])

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return P(a wins), P(b wins), P(tie), shape (3, m); a tie has probability 0 without a tie parameter."""
        p = expit(eta)
        return np.stack([p, expit(-eta), np.zeros_like(p)])

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray | None]:
        """Return d log P(outcome) / d eta and / d tau (None without tau), each of shape (3, m)."""
        p, q = expit(eta), expit(-eta)
        return np.stack([q, -p, (q - p) / 2]), None

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return what the derivatives need of the outcome weights `w` of shape (3, m, ...).

        Here wins of a (ties as halves) and comparisons.
        """
        return w[0] + 0.5 * w[2], w[0] + w[1] + w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives of the log-likelihood (here Bradley & Terry 1952), given the `statistics`."""
        wins, total = stats
        q = np.exp(-eta)  # in place from here on: this is the inner loop of every bootstrap
        np.minimum(q, LARGE, out=q)
        p = 1 + q
        np.reciprocal(p, out=p)
        q *= p  # 1 - p, without cancellation
        p *= total
        q *= p
        return Curvature(wins - p, q)


class Davidson(BradleyTerry):
    """P(a) : P(b) : P(tie) = exp(eta/2) : exp(-eta/2) : nu, with tau = log nu (Davidson 1970).

    In these coordinates the model is a canonical exponential family.
    """

    name = "Bradley-Terry-Davidson"
    tie_term = "log_nu"

    def start_tau(self, wins: float, ties: float) -> float:
        """Return log(2 ties / wins): exact when all strengths are equal."""
        return float(np.log(2 * ties / wins))

    def log_probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the three logarithms, stable for any size of eta."""
        logs = np.stack(np.broadcast_arrays(eta / 2, -eta / 2, tau))
        logs = logs - np.maximum(np.abs(eta) / 2, tau)
        # the largest of the three is exp(0): log(1 + the two others) loses no digits
        others = np.exp(np.sort(logs, axis=0)[:2]).sum(axis=0)
        return np.asarray(logs - np.log1p(others))

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the three probabilities, stable for any size of eta."""
        top = np.maximum(np.abs(eta) / 2, tau)
        worth = np.stack([np.exp(eta / 2 - top), np.exp(-eta / 2 - top), np.exp(tau - top)])
        return np.asarray(worth / worth.sum(axis=0))

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray | None]:
        """Return the score of each outcome: its sufficient statistics minus their expectation."""
        pa, pb, pt = self.probabilities(eta, tau)
        # sums, so that nothing cancels
        eta_scores = np.stack([pb + pt / 2, -pa - pt / 2, (pb - pa) / 2])
        return eta_scores, np.stack([-pt, -pt, pa + pb])

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return half the difference of wins, ties, and comparisons."""
        return 0.5 * (w[0] - w[1]), w[2], w[0] + w[1] + w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives: first minus expected, second the covariance of (s, t), s = +-1/2, t = tie."""
        signed, ties, n = stats
        pa, pb, pt = self.probabilities(eta, tau)
        # expectation of s, the sufficient statistic of eta
        half = 0.5 * (pa - pb)
        # the variance of s is (1 - pt)/4 - half^2, here without cancellation
        variance = pa * pb + 0.25 * pt * (pa + pb)
        return Curvature(
            g_eta=signed - n * half,
            g_tau=ties - n * pt,
            h_ee=n * variance,
            h_et=-n * half * pt,
            h_tt=n * pt * (pa + pb),
        )


class RaoKupper(BradleyTerry):
    """P(a) = expit(eta - tau), P(b) = expit(-eta - tau), tau = log theta > 0 (Rao & Kupper 1967).

    P(tie) = (theta^2 - 1) P(a) P(b), so the log-likelihood is that of two logistic terms: this is the
    cumulative logit model with thresholds -tau and +tau.
    """

    name = "Bradley-Terry-Rao-Kupper"
    tie_term = "log_theta"

    def start_tau(self, wins: float, ties: float) -> float:
        """Return log theta for equal strengths: P(tie) = (theta - 1) / (theta + 1)."""
        share = ties / (ties + wins)
        return float(np.log((1 + share) / (1 - share)))

    def log_probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return log P(a), log P(b) and log(theta^2 - 1) + log P(a) + log P(b)."""
        a, b = log_expit(eta - tau), log_expit(-eta - tau)
        return np.stack([a, b, a + b + 2 * tau + np.log(-np.expm1(-2 * tau))])

    def probabilities(self, eta: FloatArray, tau: Any) -> FloatArray:
        """Return the three probabilities."""
        pa, pb = expit(eta - tau), expit(-eta - tau)
        return np.stack([pa, pb, np.expm1(2 * tau) * pa * pb])

    def scores(self, eta: FloatArray, tau: Any) -> tuple[FloatArray, FloatArray | None]:
        """Return the score of each outcome."""
        not_a, not_b = expit(tau - eta), expit(tau + eta)
        tie = 2 / -np.expm1(-2 * tau)
        eta_scores = np.stack([not_a, -not_b, not_a - not_b])
        return eta_scores, np.stack([-not_a, -not_b, tie - not_a - not_b])

    def statistics(self, w: FloatArray) -> tuple[FloatArray, ...]:
        """Return rows not lost by a, rows not lost by b, and ties."""
        return w[0] + w[2], w[1] + w[2], w[2]

    def curvature(self, eta: FloatArray, tau: Any, stats: Sequence[FloatArray]) -> Curvature:
        """Return the derivatives of above log P(a) + below log P(b) + ties log(theta^2 - 1)."""
        above, below, ties = stats
        not_a, not_b = expit(tau - eta), expit(tau + eta)
        # scores of the two logistic terms, and their negative second derivatives
        ga, gb = above * not_a, below * not_b
        ha, hb = ga * (1 - not_a), gb * (1 - not_b)
        shrink = -np.expm1(-2 * tau)  # 1 - 1 / theta^2
        of_ties = ties * 4 * np.exp(-2 * tau) / shrink**2
        return Curvature(
            g_eta=ga - gb,
            g_tau=2 * ties / shrink - ga - gb,
            h_ee=ha + hb,
            h_et=hb - ha,
            h_tt=ha + hb + of_ties,
        )


LIKELIHOODS: dict[str, BradleyTerry] = {
    "none": BradleyTerry(),
    "half": BradleyTerry(),
    "davidson": Davidson(),
    "rao_kupper": RaoKupper(),
}


def log_likelihood(data: PairData, model: BradleyTerry, beta: FloatArray) -> float:
    """Return the log-likelihood: a sum of terms of one sign, so that nothing cancels."""
    if data.rows is not None:
        return data.rows.at(model, beta).loglik
    return float(np.sum(data.w * model.log_probabilities(*data.eta_tau(beta))))


def score(data: PairData, model: BradleyTerry, beta: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the sum of the scores of all outcomes times their `weight`, (3, m), in all parameters.

    Rows that pass by have their own weights. By outcome, as wins less expected wins lose all digits where odds are
    large.
    """
    if data.rows is not None:
        return data.rows.at(model, beta).score
    by_eta, by_tau = model.scores(*data.eta_tau(beta))
    slope = data.x.T @ (weight * by_eta).sum(axis=0)
    return slope if by_tau is None else np.append(slope, (weight * by_tau).sum())


def information(data: PairData, model: BradleyTerry, beta: FloatArray) -> FloatArray:
    """Return the negative second derivatives of the log-likelihood, (p, p)."""
    if data.rows is not None:
        return data.rows.at(model, beta).information.copy()
    at = model.curvature(*data.eta_tau(beta), model.statistics(data.w))
    return cross_products(data, at.h_ee, at.h_et, at.h_tt)


def cross_products(
    data: PairData, h_ee: FloatArray, h_et: FloatArray | None = None, h_tt: FloatArray | None = None
) -> FloatArray:
    """Return the symmetric matrix sum over cells of m' [[h_ee, h_et], [h_et, h_tt]] m, m = (x, tau).

    Used for the information, and with squared scores in place of h for the row sandwich.

    Parameters
    ----------
    data : PairData
    h_ee, h_et, h_tt : (m,) arrays
        The last two are None where the model has no tie parameter.
    """
    n, p = data.n_items, data.x.shape[1]
    products = np.zeros((p, p))
    if n:  # ten times faster than the product of sparse rows
        n_pairs = sums_by_code(data.a * n + data.b, h_ee, n * n).reshape(n, n)
        n_pairs += n_pairs.T
        products[:n, :n] = -n_pairs
        products[np.arange(n), np.arange(n)] = n_pairs.sum(axis=1)
    if p > n:
        products[:, n:] = data.x.T @ (data.z * h_ee[:, None])
        products[n:, :n] = products[:n, n:].T
    if h_et is None or h_tt is None:
        return products
    # the last row and column are those of the tie parameter
    column = (data.x.T @ h_et)[:, None]
    return np.block([[products, column], [column.T, h_tt.sum()]])


def solve_centred(info: FloatArray, rhs: FloatArray, n_items: int) -> FloatArray:
    """Solve info @ x = rhs for x whose strengths sum to zero.

    The likelihood does not change when all strengths move together. Adding a constant to the strength block therefore
    makes the system regular without changing the centred solution. A matrix that is singular to working precision is an
    error.
    """
    # x = (info + c 11')^-1 rhs has strengths that sum to zero where those of rhs do
    factor = _factor(info, n_items)
    return np.asarray(linalg.cho_solve(factor, rhs, check_finite=False))


def _factor(info: FloatArray, n_items: int) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of the regular system, and whether it is the lower triangle."""
    regular = info.T.copy(order="F")  # symmetric; LAPACK copies any other order
    regular[:n_items, :n_items] += _scale(info, n_items)
    size = float(linalg.norm(regular, 1, check_finite=False)) if len(regular) else 0.0
    factor: tuple[FloatArray, bool] = linalg.cho_factor(
        regular, overwrite_a=True, check_finite=False
    )
    condition, _ = linalg.lapack.dpocon(factor[0], size, uplo="L" if factor[1] else "U")
    if not condition > EPSILON:
        raise linalg.LinAlgError("the matrix is singular to working precision")
    return factor


def centred_inverse(info: FloatArray, n_items: int) -> FloatArray:
    """Return the covariance under the sum-zero constraint: the inverse on the space it leaves."""
    identity = np.eye(len(info), order="F")
    inverse: FloatArray = linalg.cho_solve(
        _factor(info, n_items), identity, overwrite_b=True, check_finite=False
    )
    for k in range(1, len(inverse)):  # by rows, as a second matrix of 2,000 items takes 32 MB
        inverse[k, :k] = inverse[:k, k] = (inverse[k, :k] + inverse[:k, k]) / 2
    if n_items:
        inverse[:n_items, :n_items] -= 1 / (_scale(info, n_items) * n_items**2)
    return inverse


def _scale(info: FloatArray, n_items: int) -> float:
    return float(np.trace(info[:n_items, :n_items])) / max(n_items, 1) ** 2 or 1.0
