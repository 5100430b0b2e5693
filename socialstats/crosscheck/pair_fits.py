"""Paired comparisons fitted again: the regression table, the bare likelihood, statsmodels' GLM and choix.

The table is built from the design alone, one dense column a coefficient, the first item as reference. Nothing is
derived by hand from the bare likelihood. First derivatives are complex steps of the definition, second derivatives are
central differences of the first, and scipy looks for the maximum.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.terms import effects_of
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, B_WON
from socialstats.results.peers import load_peer

STEP, WIDTH = 1e-30, 1e-4  # complex steps, central differences
TIES = ("davidson", "rao_kupper")  # models with a tie parameter


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairColumns:
    """A regression table.

    Attributes
    ----------
    x : (rows, k) array
        Without the first item's column.
    outcome : (rows,) int64 array
        0 where a won, 1 where b won, 2 for a tie.
    weight, weight_sq : (rows,) arrays
    groups : tuple of (rows,) int64 arrays
        Cluster of each row, one array a factor.
    """

    x: FloatArray
    outcome: IntArray
    weight: FloatArray
    weight_sq: FloatArray
    groups: tuple[IntArray, ...] = ()


def pair_columns(fit: Any) -> PairColumns:
    """Return the regression table of a fit's design, rows that are alike counted together.

    With a prior a ghost (last column) follows, which every item beats and loses to that many times.
    """
    design, state = fit.design, fit.fitted_state
    x, codes = columns_of(fit), [f.codes for f in state.factors] if state.kind == "cluster" else []
    keys = np.column_stack(
        [design.item_a, design.item_b, design.outcome, *codes, x[:, max(len(fit.items) - 1, 0) :]]
    )
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weight, weight_sq = (
        np.bincount(group.ravel(), w).astype(np.float64) for w in (design.weight, design.weight_sq)
    )
    table = PairColumns(
        x=x[first],
        outcome=design.outcome[first].astype(np.int64),
        weight=weight,
        weight_sq=weight_sq,
        groups=tuple(code[first] for code in codes),
    )
    if not state.options.prior:
        return table
    n, k = len(fit.items), x.shape[1]
    ghost = np.column_stack([np.eye(n, k + 1, -1)[:, :k], np.full(n, -1.0)]).repeat(2, axis=0)
    return PairColumns(
        x=np.vstack([np.column_stack([table.x, np.zeros(len(table.x))]), ghost]),
        outcome=np.append(table.outcome, np.tile([0, 1], n)),
        weight=np.append(weight, np.full(2 * n, state.options.prior)),
        weight_sq=np.append(weight_sq, np.zeros(2 * n)),
        groups=tuple(np.append(g, np.zeros(2 * n, dtype=np.int64)) for g in table.groups),
    )


def columns_of(fit: Any) -> FloatArray:
    """Return +1 for item a and -1 for item b (the first item left out), order effect, and covariates, a minus b."""
    design, options = fit.design, fit.fitted_state.options
    items = np.arange(1, len(fit.items))
    columns = [
        (design.item_a[:, None] == items).astype(np.float64) - (design.item_b[:, None] == items)
    ]
    if options.order:
        columns.append(design.first.astype(np.float64)[:, None])
    if options.formula is not None:
        values = effects_of(design, options.formula)
        columns.append(values[: len(design.item_a)] - values[len(design.item_a) :])
    return np.hstack(columns)


def back_to_centred(fit: Any, k: int) -> FloatArray:
    """Return the matrix from k coefficients of the table (and a tie parameter) to the fit's, strengths with mean 0.

    The first item comes back in, and the ghost of a prior leaves.
    """
    n = len(fit.items)
    tied = fit.fitted_state.model.tie_term is not None
    out = np.eye(len(fit.names), k + tied, -1 if n else 0)
    if tied:
        out[-1] = np.eye(k + tied)[-1]
    if n:
        out[:n, : n - 1] -= 1 / n
    return out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeerFit:
    """What a peer found, in its own coefficients (first item as reference, tie parameter last).

    Attributes
    ----------
    estimate : (k,) array
    covariance : (k, k) array
        Inverse of the negative second derivatives.
    loglik : float
    package : str
    """

    estimate: FloatArray
    covariance: FloatArray
    loglik: float
    package: str


def log_probability(kind: str, eta: Any, tau: Any, outcome: Any) -> Any:
    """Return the log-probability of each row's outcome by the definition of the model.

    none: p_a / (p_a + p_b). half: the mean of both logarithms for a tie. davidson: p_a : p_b : nu sqrt(p_a p_b)
    (Davidson 1970). rao_kupper: p_a / (p_a + theta p_b), and what is left for a tie (Rao & Kupper 1967).
    """
    a, b = np.exp(eta / 2), np.exp(-eta / 2)
    if kind not in TIES:
        win, loss = a / (a + b), b / (a + b)
        return np.choose(outcome, [np.log(win), np.log(loss), (np.log(win) + np.log(loss)) / 2])
    if kind == "davidson":
        total = a + b + np.exp(tau)
        return np.log(np.choose(outcome, [a / total, b / total, np.exp(tau) / total]))
    win, loss = a / (a + np.exp(tau) * b), b / (b + np.exp(tau) * a)
    return np.log(np.choose(outcome, [win, loss, 1 - win - loss]))


def slopes(kind: str, eta: FloatArray, tau: float, outcome: Any) -> FloatArray:
    """Return the derivatives of the log-probabilities in eta, and in tau where the model has it, by complex steps."""
    points = [(eta + 1j * STEP, tau + 0j), (eta + 0j, tau + 1j * STEP)][: 2 if kind in TIES else 1]
    return np.array([log_probability(kind, *point, outcome).imag / STEP for point in points])


def predictor(table: PairColumns, beta: FloatArray) -> tuple[FloatArray, float]:
    """Return the log-odds of each row and the tie parameter (0 without)."""
    k = table.x.shape[1]
    return table.x @ beta[:k], float(beta[k:].sum())


def row_scores(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the derivative of each row's log-probability in all coefficients."""
    by_eta, *by_tau = slopes(kind, *predictor(table, beta), table.outcome)
    return np.column_stack([table.x * by_eta[:, None], *by_tau])


def log_likelihood(kind: str, table: PairColumns, beta: FloatArray) -> float:
    """Return the log-likelihood."""
    return float(table.weight @ log_probability(kind, *predictor(table, beta), table.outcome))


def gradient(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the gradient of the log-likelihood."""
    weighted = slopes(kind, *predictor(table, beta), table.outcome) * table.weight
    return np.concatenate([table.x.T @ weighted[0], weighted[1:].sum(axis=1)])


def curvature(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the negative second derivatives, by central differences of the gradient."""
    steps = WIDTH * np.eye(len(beta))
    h = np.array(
        [gradient(kind, table, beta - s) - gradient(kind, table, beta + s) for s in steps]
    ) / (2 * WIDTH)
    return np.asarray((h + h.T) / 2)


def expected_information(kind: str, table: PairColumns, beta: FloatArray) -> FloatArray:
    """Return the sum over rows of weight times the expected product of scores, from the definition."""
    eta, tau = predictor(table, beta)
    out = np.zeros((len(beta), len(beta)))
    for outcome in (0, 1, 2) if kind in TIES else (0, 1):
        as_if = replace(table, outcome=np.full(len(eta), outcome))
        s, p = row_scores(kind, as_if, beta), np.exp(log_probability(kind, eta, tau, as_if.outcome))
        out += s.T @ (s * (table.weight * p)[:, None])
    return out


def maximise(kind: str, table: PairColumns) -> PeerFit:
    """Find the maximum: L-BFGS-B from equal strengths, then Newton steps with the numerical curvature."""
    from scipy.optimize import minimize

    k, size = table.x.shape[1], table.weight.sum()
    bounds = [(-50.0, 50.0)] * k + [(1e-6 if kind == "rao_kupper" else -50.0, 50.0)] * (
        kind in TIES
    )
    search: Any = minimize  # its stubs do not know functions that return Any
    beta = search(
        lambda v: -log_likelihood(kind, table, v) / size,
        np.append(np.zeros(k), [0.5] * (kind in TIES)),
        jac=lambda v: -gradient(kind, table, v) / size,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
    ).x
    h = curvature(kind, table, beta)
    for _ in range(5):
        beta = beta + np.linalg.solve(h, gradient(kind, table, beta))
    covariance = np.asarray(np.linalg.inv(curvature(kind, table, beta)), dtype=np.float64)
    loglik = log_likelihood(kind, table, beta)
    return PeerFit(estimate=beta, covariance=covariance, loglik=loglik, package="scipy")


def glm(table: PairColumns, *, penalised: bool = False, rounds: int = 5_000) -> PeerFit:
    """Fit by statsmodels' iterated least squares; a tie is the response one half.

    Firth's penalised likelihood is iterated maximum likelihood of augmented data. Every row gets half a pseudo-win and
    half a pseudo-loss times its leverage, which each fit updates (Firth 1993).
    """
    Binomial = load_peer("statsmodels.genmod.families", "Binomial")
    GLM = load_peer("statsmodels.genmod.generalized_linear_model", "GLM")
    PerfectSeparationWarning = load_peer(
        "statsmodels.tools.sm_exceptions", "PerfectSeparationWarning"
    )

    y, beta = np.array([1.0, 0.0, 0.5])[table.outcome], np.zeros(table.x.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-table.x @ beta))
        root = table.x * np.sqrt(table.weight * p * (1 - p))[:, None]
        more = (np.linalg.qr(root)[0] ** 2).sum(axis=1) if penalised else np.zeros(len(y))
        weight, share = table.weight + more, (table.weight * y + more / 2) / (table.weight + more)
        model = GLM(share, table.x, family=Binomial(), freq_weights=weight, hasconst=False)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", PerfectSeparationWarning
            )  # halves that fit exactly are no separation
            found = model.fit(
                start_params=beta if penalised else None, maxiter=200, tol=1e-14, wls_method="qr"
            )
        moved, beta = float(np.abs(found.params - beta).max()), np.asarray(found.params)
        if not penalised or moved < 1e-11:
            break
    p = 1 / (1 + np.exp(-table.x @ beta))
    info = table.x.T @ (table.x * (table.weight * p * (1 - p))[:, None])
    return PeerFit(
        estimate=beta,
        covariance=np.asarray(np.linalg.inv(info), dtype=np.float64),
        loglik=log_likelihood("half", table, beta),
        package="statsmodels",
    )


def by_row(kind: str, fit: PeerFit, table: PairColumns) -> FloatArray:
    """Return the sandwich covariance by row."""
    scores = row_scores(kind, table, fit.estimate) * np.sqrt(table.weight_sq)[:, None]
    return np.asarray(fit.covariance @ (scores.T @ scores) @ fit.covariance)


COLD = 3_000  # rows up to which its row-by-row solvers start from equal strengths
WARM = 30_000  # rows up to which they start from choix's own spectral answer; above, they would take minutes
SLOW: dict[str, tuple[float, str, dict[str, float]]] = {
    "ilsr_pairwise": (
        1e-8,
        "iterated to 1e-11 in the strengths",
        {"max_iter": 10_000, "tol": 1e-11},
    ),
    "opt_pairwise": (
        1e-5,
        "it stops at a relative step; ridge of 1e-9",
        {"alpha": 1e-9, "tol": 1e-9},
    ),
    "mm_pairwise": (5e-5, "MM creeps: it stops about 1e-5 from the maximum", {"tol": 1e-8}),
}


def solve_all(design: Comparisons) -> Iterator[tuple[str, float, str, FloatArray | None, str]]:
    """Run `ilsr_pairwise_dense`, `ilsr_pairwise`, `opt_pairwise` and `mm_pairwise` on counts without ties.

    Yields the solver's name, its tolerance and the reason of that, strengths with mean zero (or None), and a note.
    """
    import choix

    wins, rows = win_matrix(design), design.n_rows
    dense = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-11)
    yield "ilsr_pairwise_dense", *SLOW["ilsr_pairwise"][:2], dense - dense.mean(), ""
    start, note = (
        (None, "") if rows <= COLD else (dense.copy(), "started from choix's spectral answer")
    )
    winner, loser = (at.repeat(wins[np.nonzero(wins)].astype(np.int64)) for at in np.nonzero(wins))
    for solver, (tolerance, why, options) in SLOW.items():
        if rows > WARM:
            yield solver, tolerance, why, None, f"not run: choix handles {rows:,} rows one by one"
            continue
        pairs = list(zip(winner.tolist(), loser.tolist(), strict=True))
        try:
            found = getattr(choix, solver)(len(wins), pairs, initial_params=start, **options)
            yield solver, tolerance, why, found - found.mean(), note
        except RuntimeError as error:
            yield solver, tolerance, why, None, f"choix gave up: {error}"


def win_matrix(design: Comparisons) -> FloatArray:
    """Return how often i beat j (weights are counts here)."""
    wins = np.zeros((len(design.items), len(design.items)))
    for outcome, winner, loser in (
        (A_WON, design.item_a, design.item_b),
        (B_WON, design.item_b, design.item_a),
    ):
        won = design.outcome == outcome
        np.add.at(wins, (winner[won], loser[won]), design.count[won])
    return wins
