"""Paired comparisons fitted again: the regression table, the bare likelihood, statsmodels' GLM and choix.

The table is built from the design alone, one dense column a coefficient, the first item as reference. Of the bare
likelihood nothing is derived by hand: first derivatives are complex steps of the definition, second derivatives are
central differences of the first, and scipy looks for the maximum.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.comparisons import TIED, Comparisons

SUM_OF_NAMES = re.compile(r"\s*~\s*[A-Za-z_]\w*(\s*\+\s*[A-Za-z_]\w*)*\s*$")


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
    back : (k + 1 or k, k) array
        From these coefficients to strengths with mean zero, followed by the effects.
    note : str
        What was taken over from the fit instead of being built again.
    """

    x: FloatArray
    outcome: IntArray
    weight: FloatArray
    weight_sq: FloatArray
    groups: tuple[IntArray, ...]
    back: FloatArray
    note: str


def pair_columns(fit: Any) -> PairColumns:
    """Return the regression table of a fit's design, rows that are alike counted together."""
    design, state = fit.design, fit.fitted_state
    z, note = effects(fit)
    n = state.data.n_items
    parts = [item_columns(design)] if n else []
    x = np.hstack([*parts, z])
    codes = [factor.codes for factor in state.factors] if state.kind == "cluster" else []
    keys = np.column_stack([design.item_a, design.item_b, design.outcome, *codes, z])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    weight, weight_sq = (np.bincount(group, w).astype(np.float64) for w in (design.weight, design.weight_sq))
    return PairColumns(
        x=x[first], outcome=design.outcome[first].astype(np.int64), weight=weight,
        weight_sq=weight_sq, groups=tuple(code[first] for code in codes),
        back=back_to_centred(n, x.shape[1]), note=note,
    )  # fmt: skip


def item_columns(design: Comparisons) -> FloatArray:
    """Return +1 for item a and -1 for item b, without the first item's column."""
    items = np.arange(1, len(design.items))
    is_a, is_b = (side[:, None] == items for side in (design.item_a, design.item_b))
    return np.asarray(is_a.astype(np.float64) - is_b)


def effects(fit: Any) -> tuple[FloatArray, str]:
    """Return the columns of order effect and covariates; formulas beyond a sum of numbers are the fit's own."""
    design, options = fit.design, fit.fitted_state.options
    order = [design.first.astype(np.float64)] if options.order else []
    if options.formula is None:
        return np.column_stack([*order, np.zeros((len(design.first), 0))]), ""
    names = [name.strip() for name in options.formula.replace("~", "").split("+")]
    sides = [design.covariates.get(name) for name in names]
    if SUM_OF_NAMES.match(options.formula) and all(c and np.issubdtype(c.a.dtype, np.number) for c in sides):
        return np.column_stack([*order, *(c.a.astype(float) - c.b.astype(float) for c in sides if c)]), ""
    columns = formula_columns(design, options.formula)
    return np.column_stack([*order, columns]), ""


def formula_columns(design: Comparisons, formula: str) -> FloatArray:
    """Return the columns of a formula by formulaic: of item a minus those of item b, the intercept left out."""
    import pandas as pd
    from formulaic import model_matrix

    sides = [pd.DataFrame({name: getattr(c, side) for name, c in design.covariates.items()}) for side in "ab"]
    both = pd.concat(sides, ignore_index=True)
    matrix = model_matrix(formula.partition("~")[2], both)
    names = [name for name in matrix.columns if name != "Intercept"]
    values = matrix[names].to_numpy(dtype=float)
    return np.asarray(values[: len(sides[0])] - values[len(sides[0]) :])


def back_to_centred(n_items: int, k: int) -> FloatArray:
    """Return the matrix that puts the first item back in and centres the strengths."""
    if not n_items:
        return np.eye(k)
    out = np.zeros((k + 1, k))
    out[1:] = np.eye(k)
    out[:n_items, : n_items - 1] -= 1 / n_items
    return out


def with_pseudo_wins(table: PairColumns, n_items: int, prior: float) -> PairColumns:
    """Add a ghost (last column) that every item beats and loses to `prior` times."""
    rows, k = 2 * n_items, table.x.shape[1]
    extra = np.zeros((rows, k + 1))
    extra[np.arange(2, rows), np.arange(2, rows) // 2 - 1] = 1.0
    extra[:, -1] = -1.0
    none = np.zeros(rows, dtype=np.int64)
    back = np.hstack([table.back, np.zeros((len(table.back), 1))])
    return PairColumns(
        x=np.vstack([np.hstack([table.x, np.zeros((len(table.x), 1))]), extra]),
        outcome=np.concatenate([table.outcome, np.tile(np.array([0, 1]), n_items)]),
        weight=np.concatenate([table.weight, np.full(rows, prior)]),
        weight_sq=np.concatenate([table.weight_sq, np.zeros(rows)]),
        groups=tuple(np.concatenate([g, none]) for g in table.groups), back=back, note=table.note,
    )  # fmt: skip


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


COLD = 3_000  # rows up to which its row-by-row solvers start from equal strengths
WARM = 30_000  # rows up to which they start from choix's own spectral answer; above, they would take minutes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """Strengths with mean zero by one solver, or a note why there are none."""

    solver: str
    tolerance: float
    why: str
    strength: FloatArray | None
    note: str = ""


def solve_all(design: Comparisons) -> list[Solved]:
    """Run `ilsr_pairwise_dense`, `ilsr_pairwise`, `opt_pairwise` and `mm_pairwise` on counts without ties."""
    import choix

    n, wins = len(design.items), win_matrix(design)
    dense = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-11)
    out = [solved("ilsr_pairwise_dense", 1e-8, "iterated to 1e-11 in the strengths", dense)]
    rows = design.n_rows
    if rows > WARM:
        note = f"not run: choix handles {rows:,} rows one by one"
        slow = {"ilsr_pairwise": 1e-8, "opt_pairwise": 1e-5, "mm_pairwise": 5e-5}
        return [*out, *(Solved(solver=s, tolerance=t, why="", strength=None, note=note) for s, t in slow.items())]
    pairs = winner_first(wins)
    start, note = (None, "") if rows <= COLD else (dense.copy(), "started from choix's spectral answer")
    found = choix.ilsr_pairwise(n, pairs, initial_params=start, max_iter=10_000, tol=1e-11)
    out.append(solved("ilsr_pairwise", 1e-8, "iterated to 1e-11 in the strengths", found, note))
    found = choix.opt_pairwise(n, pairs, alpha=1e-9, initial_params=start, tol=1e-9)
    out.append(solved("opt_pairwise", 1e-5, "it stops at a relative step; ridge of 1e-9", found, note))
    try:
        found = choix.mm_pairwise(n, pairs, initial_params=start, tol=1e-8)
    except RuntimeError as error:
        failed = Solved(solver="mm_pairwise", tolerance=5e-5, why="", strength=None, note=f"choix gave up: {error}")
        return [*out, failed]
    return [
        *out,
        solved("mm_pairwise", 5e-5, "MM creeps: it stops about 1e-5 from the maximum", found, note),
    ]


def solved(solver: str, tolerance: float, why: str, strength: FloatArray, note: str = "") -> Solved:
    """Centre the strengths."""
    return Solved(solver=solver, tolerance=tolerance, why=why, strength=strength - strength.mean(), note=note)


def win_matrix(design: Comparisons) -> FloatArray:
    """Return how often i beat j (weights are counts here)."""
    a_won = design.outcome == 0
    winner = np.where(a_won, design.item_a, design.item_b)
    loser = np.where(a_won, design.item_b, design.item_a)
    keep = design.outcome != TIED
    wins = np.zeros((len(design.items), len(design.items)))
    np.add.at(wins, (winner[keep], loser[keep]), design.count[keep])
    return wins


def winner_first(wins: FloatArray) -> list[tuple[int, int]]:
    """Return one (winner, loser) for every win."""
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(wins), strict=True) for _ in range(int(wins[i, j]))]
