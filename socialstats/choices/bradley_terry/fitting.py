"""Fitting Bradley-Terry models: existence, Newton, MM, many resamples at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from socialstats.arrays import BoolArray, FloatArray
from socialstats.choices.bradley_terry.likelihoods import (
    BradleyTerry,
    PairData,
    centred_inverse,
    cross_products,
    information,
    log_likelihood,
    score,
    solve_centred,
    sums_by_code,
)
from socialstats.errors import MleDoesNotExist, NonConvergence, NotIdentified
from socialstats.inference.robust import contrast_variances
from socialstats.text import capital, count, quoted
from socialstats.voice import option

STEP_TOLERANCE = 1e-9  # Newton's error after the last step is of the order of its square
MAX_ITERATIONS = 100
# squared step in standard errors: what huge counts leave of it is rounding
ROUNDING_DECREMENT = 1e-10


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


def starting_values(data: PairData, model: BradleyTerry) -> FloatArray:
    """Return starting values: equal strengths, no effects, tau for equal strengths."""
    beta = np.zeros(data.x.shape[1])
    if model.tie_term is None:
        return beta
    wins, ties = float(data.w[:2].sum()), float(data.w[2].sum())
    if not min(wins, ties) > 0:
        raise NonConvergence(
            "only ties, or none: no finite estimate of their parameter", iterations=0, gap=np.inf
        )
    return np.append(beta, model.start_tau(wins, ties))


def fit_newton(
    data: PairData,
    model: BradleyTerry,
    *,
    beta: FloatArray | None = None,
    max_iterations: int = MAX_ITERATIONS,
) -> Fitted:
    """Maximise the log-likelihood.

    Newton with step halving; stops when the largest step is below 1e-9 of the largest parameter (or 1), having
    taken that step.

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    beta = starting_values(data, model) if beta is None else beta.copy()
    loglik = log_likelihood(data, model, beta)
    gap = decrement = np.inf
    for iteration in range(1, max_iterations + 1):
        slope = score(data, model, beta, data.w)
        try:
            step = solve_centred(information(data, model, beta), slope, data.n_items)
        except np.linalg.LinAlgError:  # the likelihood is flat to working precision
            break
        gap = float(np.max(np.abs(step), initial=0.0))
        decrement = float(step @ slope)
        beta, loglik = _move(data, model, beta, step, loglik)
        if gap <= STEP_TOLERANCE * (1 + np.max(np.abs(beta), initial=0.0)):
            return _fitted(data, model, beta, iteration)
        if not np.isfinite(gap):
            break
    # a separated fit has steps of about 1 for ever
    if abs(decrement) <= ROUNDING_DECREMENT and gap <= 1e-5:
        return _fitted(data, model, beta, max_iterations)
    raise NonConvergence("Newton's method did not converge", iterations=max_iterations, gap=gap)


def fit_firth(data: PairData, model: BradleyTerry, *, max_iterations: int = 500) -> Fitted:
    """Maximise the log-likelihood plus half the log determinant of the information (Firth 1993).

    The estimate is finite for every table whose terms are identified. Only for canonical models.

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    beta = starting_values(data, model)
    gap, damping, last = np.inf, 1.0, np.zeros_like(beta)
    # log-odds that a step of 1 moves at most; slopes of tiny covariates take long steps
    reach = np.ones_like(beta)
    reach[data.n_items : data.x.shape[1]] = np.minimum(1.0, np.abs(data.z).max(axis=0, initial=0.0))

    def penalised(beta: FloatArray) -> float:
        """Return the log-likelihood plus half the log determinant of the information, up to a constant."""
        info = information(data, model, beta)
        # the direction that the likelihood does not see
        info[: data.n_items, : data.n_items] += 1.0
        return log_likelihood(data, model, beta) + 0.5 * float(np.linalg.slogdet(info)[1])

    for iteration in range(1, max_iterations + 1):
        cov = centred_inverse(information(data, model, beta), data.n_items)
        step = cov @ score(data, model, beta, data.w + _jeffreys_weight(data, model, beta, cov))
        gap = float(np.max(np.abs(step), initial=0.0))
        if gap <= 1e-11 * (1 + np.max(np.abs(beta), initial=0.0)):
            return _fitted(data, model, beta + step, iteration)
        # scoring overshoots where cells hold few rows (by 1/n in a cell of its own)
        if step @ last < 0:
            damping /= 1 + float(np.sqrt(step @ step / (last @ last)))
        last = step
        move = damping * step * min(1.0, 2.0 / float(np.max(np.abs(step) * reach)))
        before = penalised(beta)
        tolerated = before - 1e-9 * (1 + abs(before))
        while penalised(beta + move) < tolerated and np.abs(move).max() > 1e-8:
            move = move / 2
        beta = beta + move
    raise NonConvergence(
        "Firth's penalised likelihood did not converge", iterations=max_iterations, gap=gap
    )


def _jeffreys_weight(
    data: PairData, model: BradleyTerry, beta: FloatArray, cov: FloatArray
) -> FloatArray:
    """Return weights of the scores, (3, m), that add half the trace of cov times the derivative of the information.

    In a canonical family that derivative is the third cumulant of the sufficient statistics, whose deviations from
    their expectations are the scores (Firth 1993, section 3).
    """
    p, (eta, tau) = data.x.shape[1], data.eta_tau(beta)
    by_eta, by_tau = model.scores(eta, tau)
    spread = contrast_variances(cov[:p, :p], data.x) * by_eta**2
    if by_tau is not None:
        spread += 2 * (data.x @ cov[:p, p]) * by_eta * by_tau + cov[p, p] * by_tau**2
    return np.asarray(0.5 * data.w.sum(axis=0) * model.probabilities(eta, tau) * spread)


def _move(
    data: PairData, model: BradleyTerry, beta: FloatArray, step: FloatArray, loglik: float
) -> tuple[FloatArray, float]:
    """Take the step, halved until the log-likelihood does not fall (and log theta stays positive)."""
    tolerance = 1e-12 * (1 + abs(loglik))
    for size in 0.5 ** np.arange(60):
        trial = beta + size * step
        if model.tie_term != "log_theta" or trial[-1] > 0:
            trial_loglik = log_likelihood(data, model, trial)
            if trial_loglik >= loglik - tolerance:
                return trial, trial_loglik
    return beta, loglik


def _fitted(data: PairData, model: BradleyTerry, beta: FloatArray, iterations: int) -> Fitted:
    if data.n_items:
        beta = np.append(beta[: data.n_items] - beta[: data.n_items].mean(), beta[data.n_items :])
    cov = centred_inverse(information(data, model, beta), data.n_items)
    return Fitted(
        beta=beta, covariance=cov, loglik=log_likelihood(data, model, beta), iterations=iterations
    )


def fit_mm(
    data: PairData, *, tolerance: float = 1e-12, max_iterations: int = 100_000
) -> tuple[FloatArray, int]:
    """Iterate p_i <- W_i / sum_j n_ij / (p_i + p_j), normalised to sum one (Hunter 2004, section 2).

    Parameters
    ----------
    data : PairData
        Without order effect, covariates or ties.
    tolerance : float
        Largest relative change of a worth in one sweep at which to stop.
    max_iterations : int

    Returns
    -------
    worth : (n,) array, sum one
    iterations : int

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    n = data.n_items
    games = sums_by_code(data.a * n + data.b, data.w.sum(axis=0), n * n).reshape(n, n)
    games += games.T
    # a tie counts as half a win of each side
    half_ties = data.w[2] / 2
    wins = sums_by_code(data.a, data.w[0] + half_ties, n)
    wins = wins + sums_by_code(data.b, data.w[1] + half_ties, n)
    worth = np.full(n, 1 / n)
    change = np.inf
    for iteration in range(1, max_iterations + 1):
        new = wins / (games / (worth[:, None] + worth[None, :])).sum(axis=1)
        new /= new.sum()
        change = float(np.max(np.abs(new - worth) / worth))
        worth = new
        if change <= tolerance:
            return worth, iteration
    raise NonConvergence("the MM iteration did not converge", iterations=max_iterations, gap=change)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinGraph:
    """Which items are connected by wins.

    Attributes
    ----------
    components : tuple of tuple of int
        Strongly connected components, largest first (then by lowest item).
    unbeaten, winless : tuple of int
        Items without a loss (or tie), and items without a win (or tie).
    groups : tuple of tuple of int
        Weakly connected components: groups that were never compared with each other.
    """

    components: tuple[tuple[int, ...], ...]
    unbeaten: tuple[int, ...]
    winless: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def connected(self) -> bool:
        """True when a finite estimate exists."""
        return len(self.components) == 1


def win_graph(data: PairData) -> WinGraph:
    """Describe the win graph; costs a fraction of a millisecond for 65 items."""
    n = data.n_items
    a_won = data.w[0] + data.w[2] > 0
    b_won = data.w[1] + data.w[2] > 0
    winner = np.concatenate([data.a[a_won], data.b[b_won]])
    loser = np.concatenate([data.b[a_won], data.a[b_won]])
    graph = sparse.csr_array((np.ones(len(winner)), (winner, loser)), shape=(n, n))
    n_strong, strong = connected_components(graph, directed=True, connection="strong")
    if n_strong == 1:
        everything = (tuple(range(n)),)
        return WinGraph(components=everything, unbeaten=(), winless=(), groups=everything)
    _, weak = connected_components(graph, directed=False)
    wins, losses = np.bincount(winner, minlength=n), np.bincount(loser, minlength=n)
    unbeaten, winless = (np.flatnonzero(x == 0).tolist() for x in (losses, wins))
    return WinGraph(
        components=_by_size(strong),
        unbeaten=tuple(unbeaten),
        winless=tuple(winless),
        groups=_by_size(weak),
    )


def _by_size(labels: np.ndarray[Any, np.dtype[Any]]) -> tuple[tuple[int, ...], ...]:
    """Return the members of each component: largest first, then by lowest member."""
    order = np.argsort(labels, kind="stable").tolist()
    ends = np.cumsum(np.bincount(labels)).tolist()
    members = [tuple(order[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    return tuple(sorted(members, key=lambda m: (-len(m), m)))


def require_connected(data: PairData, items: tuple[str, ...]) -> None:
    """Raise `MleDoesNotExist`, naming components, unbeaten and winless items, unless the estimate is finite."""
    graph = win_graph(data)
    if graph.connected:
        return

    def labels(members: Sequence[int]) -> tuple[str, ...]:
        return tuple(items[i] for i in members)

    separate = len(graph.groups) > 1
    prior, by_component = option("prior", 0.5), option("components", "separate")
    advice = f"Use {option('penalty', 'firth')}, {prior} (pseudo-wins) or {by_component}, or exclude these items"
    if separate:
        advice = (
            f"Use {by_component}, or {prior} (pseudo-wins, which connect the groups by assumption)"
        )
    raise MleDoesNotExist(
        f"no finite strengths exist: {_why(graph, items)}",
        advice=advice,
        components=tuple(labels(members) for members in graph.components),
        unbeaten=labels(graph.unbeaten),
        winless=labels(graph.winless),
        separate=separate,
    )


def _why(graph: WinGraph, items: tuple[str, ...]) -> str:
    reasons = []
    # items that were never compared: that they never lost or won is no news
    isolated: set[int] = set()
    for group in graph.groups:
        if len(group) == 1:
            isolated.update(group)
    if len(graph.groups) > 1:
        groups = "; ".join(f"{{{quoted([items[i] for i in g])}}}" for g in graph.groups[:4])
        more = f" and {len(graph.groups) - 4} more" if len(graph.groups) > 4 else ""
        reasons.append(
            f"{len(graph.groups)} groups of items were never compared with each other: {groups}{more}"
        )
    for part, text in ((graph.unbeaten, "never lost"), (graph.winless, "never won")):
        names = [items[i] for i in part if i not in isolated]
        if names:
            reasons.append(f"{quoted(names)} {text}")
    if not reasons:
        size = count(len(graph.components[-1]), "item")
        names = [items[i] for i in graph.components[-1]]
        reasons.append(
            f"the items fall into {len(graph.components)} groups with wins in one direction only "
            f"(the smallest has {size}: {quoted(names)})"
        )
    return "; ".join(reasons)


def require_identified(data: PairData) -> None:
    """Raise `NotIdentified`, naming terms, when effects are linear combinations of each other or of strengths."""
    n = data.n_items
    if not data.z_names:
        return
    # x'Wx with the comparisons as weights: the rank does not depend on the parameters
    info = cross_products(data, data.w.sum(axis=0)) if data.rows is None else data.rows.weights()
    of_terms = info[n:, n:]
    size = np.sqrt(np.diagonal(of_terms))
    scale = np.outer(size, size)
    involved, why, exclude, way = size == 0, "never differ between the sides", "Exclude them", ""
    if not involved.any():
        involved, why = _null(of_terms / scale), "are combinations of each other"
        exclude = "Exclude one of them"
    if n and not involved.any():
        # what the strengths leave of the information of the terms
        strengths = info[:n, :n] + np.trace(info[:n, :n]) / n**2
        left = of_terms - info[n:, :n] @ np.linalg.lstsq(strengths, info[:n, n:])[0]
        involved, why = _null(left / scale), "are a combination of the item strengths"
        exclude = "Exclude them"
        way = f", or use {option('strengths', 'none')} to explain the strengths by covariates"
    terms = tuple(
        name for name, is_in in zip(data.z_names, involved.tolist(), strict=True) if is_in
    )
    if terms:
        order = f" ({option('order', False)} excludes the order effect)" if "order" in terms else ""
        raise NotIdentified(
            f"these data cannot tell {quoted(terms)} apart: they {why}",
            terms=terms,
            advice=f"{exclude}{order}{way}",
        )


def _null(information: FloatArray) -> BoolArray:
    """Return which terms play a part in directions without information, given that of standardised terms."""
    values, vectors = np.linalg.eigh(information)
    return np.asarray(np.abs(vectors[:, values < 1e-9]).max(axis=1, initial=0.0) > 1e-5)


def require_not_separated(data: PairData, tie_term: str | None = None) -> None:
    """Raise `MleDoesNotExist`, naming terms, when they predict outcomes perfectly.

    Look for a direction (d, t), t the tie parameter's, along which the likelihood rises for ever. This means s x'd >= t
    >= 0 for every decided comparison (s = +1 where a won) and abs(x'd) <= t for every tie, not all zero (Konis 2007;
    without tie parameter t = 0). The terms named are few: each is left out if the others do.

    Parameters
    ----------
    data : PairData
    tie_term : str or None
        Name of the tie parameter; None treats ties as half wins.
    """
    slack, names = _slack(data if data.rows is None else data.rows.in_memory(), tie_term)
    columns = range(data.n_items, data.n_items + len(names))
    if not names or not _rises(slack, []):
        return
    dropped: list[int] = []
    for j in reversed(columns):
        if _rises(slack, [*dropped, j]):
            dropped.append(j)
    involved = tuple(name for j, name in zip(columns, names, strict=True) if j not in dropped)
    with_items = " with the item strengths" if involved == (tie_term,) else ""
    ways = [] if tie_term == "log_theta" else [f"use {option('penalty', 'firth')}"]
    them = "it" if len(involved) == 1 else "them"
    ways.append(f"use {option('prior', 0.5)} (pseudo-wins)" if with_items else f"exclude {them}")
    predict = "predicts" if len(involved) == 1 else "predict"
    raise MleDoesNotExist(
        f"no finite estimate exists: {quoted(involved)} {predict} the outcomes perfectly{with_items} (separation)",
        advice=capital(", or ".join(ways)),
        terms=involved,
    )


def _slack(data: PairData, tie_term: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return the rows that must not be negative along (d, t), and the names of the columns after the items."""
    # columns in units of their largest value, so that bounds of 1 mean the same for all
    largest = np.maximum(abs(data.x).max(axis=0).toarray().ravel(), 1e-300)
    x: Any = sparse.csr_array(data.x @ sparse.diags_array(1 / largest))
    a_won, b_won, tied = data.w > 0
    if tie_term is None:
        return sparse.vstack([x[a_won | tied], -x[b_won | tied]]), data.z_names
    signed = sparse.vstack([x[a_won], -x[b_won], x[tied], -x[tied]])
    by_tie = np.r_[np.full(a_won.sum() + b_won.sum(), -1.0), np.ones(2 * tied.sum())]
    return sparse.hstack([signed, by_tie[:, None]]), (*data.z_names, tie_term)


def _rises(slack: Any, without: Sequence[int]) -> bool:
    """Return whether some direction, zero in the columns `without`, keeps every row from 0 up and one above."""
    from scipy.optimize import linprog

    bounds = [(0.0, 0.0) if j in without else (-1.0, 1.0) for j in range(slack.shape[1])]
    # the sum of all rows is to be as large as possible: above 0 where some direction exists
    total = np.asarray(slack.sum(axis=0), dtype=np.float64)
    search: Any = linprog  # its stubs know dense matrices only
    solved = search(
        -total, A_ub=-slack, b_ub=np.zeros(slack.shape[0]), bounds=bounds, method="highs"
    )
    return bool(solved.status == 0 and -solved.fun > 1e-7)


# largest last step; what remains is a tenth of it, and the standard errors are 1e-2 and more
TOLERANCE = 2e-7
SWEEPS = 60  # chord steps before Newton's method takes over
LONGEST_STEP = 3.0  # log-odds
LITTLE_LEFT = 0.25  # share of an effect's variation below which a replicate is looked at
SMALL_TABLE = 100  # predictors up to which every replicate is looked at


class Refitter:
    """Refits one model to many reweightings of the same cells.

    Parameters
    ----------
    data : PairData
    model : BradleyTerry
    beta : (p,) array
        Estimate from the original weights.
    """

    def __init__(self, data: PairData, model: BradleyTerry, beta: FloatArray) -> None:
        self.data, self.model, self.beta = data, model, beta
        info = information(data, model, beta)
        self.inverse = centred_inverse(info, data.n_items)
        self.diagonal = np.diagonal(info)[:, None].copy()
        self.columns = sparse.csr_array(data.x.T)
        self.squares = self.columns.power(2)

    def refit(self, w: FloatArray) -> FloatArray:
        """Refit to the outcome weights `w` of shape (3, m, B).

        Returns
        -------
        (p, B) array
            NaN where the replicate has no finite estimate.
        """
        total = w.shape[2]
        beta = np.repeat(self.beta[:, None], total, axis=1)
        active = np.arange(total)
        stats = self.model.statistics(w)
        moving = np.ones(total, dtype=bool)
        for _ in range(SWEEPS):
            step = self._step(beta if len(active) == total else beta[:, active], stats)
            beta[:, active] += step
            still_moving = np.abs(step).max(axis=0) > TOLERANCE
            moving[active] = still_moving
            if not still_moving.any():
                break
            # copying the statistics of those that move pays where many are done
            if still_moving.mean() < 0.75:
                active, stats = active[still_moving], tuple(s[:, still_moving] for s in stats)
        return self._settle(beta, w, ~moving)

    def _step(self, beta: FloatArray, stats: Sequence[FloatArray]) -> FloatArray:
        """Return the scaled chord step: D C D gradient, D^2 = original over own diagonal information."""
        n = self.data.n_items
        at = self.model.curvature(*self.data.eta_tau(beta), stats)
        slope, diagonal = self.columns @ at.g_eta, self.squares @ at.h_ee
        if at.g_tau is not None and at.h_tt is not None:
            slope = np.vstack([slope, at.g_tau.sum(axis=0)])
            diagonal = np.vstack([diagonal, at.h_tt.sum(axis=0)])
        scale = np.sqrt(self.diagonal / np.maximum(diagonal, 1e-3 * self.diagonal))
        step = scale * (self.inverse @ (scale * slope))
        if n:
            step[:n] -= step[:n].mean(axis=0)
        return np.asarray(step / np.maximum(1.0, np.abs(step).max(axis=0) / LONGEST_STEP))

    def _settle(self, beta: FloatArray, w: FloatArray, converged: BoolArray) -> FloatArray:
        """Finish slow replicates with Newton's method; mark those without a finite estimate."""
        ok = (
            strongly_connected(self.data, w)
            if self.data.n_items
            else np.ones(len(converged), dtype=bool)
        )
        if self.data.z_names:
            ok &= self._identified(w, ok)
        for r in np.flatnonzero(ok & ~converged):
            replicate = replace(self.data, w=np.ascontiguousarray(w[:, :, r]))
            try:
                with np.errstate(all="ignore"):
                    beta[:, r] = fit_newton(replicate, self.model).beta
            except (NonConvergence, np.linalg.LinAlgError, ValueError):
                ok[r] = False
        beta[:, ~(ok & np.isfinite(beta).all(axis=0))] = np.nan
        return beta

    def _identified(self, w: FloatArray, ok: BoolArray) -> BoolArray:
        """Return for each replicate whether its data tell the effects apart; steps would leave them where they were.

        Looked at one by one where an effect lost much of its variation, and everywhere in small tables.
        """
        data, squares = self.data, self.data.z.T**2
        # share of each effect's variation that a replicate keeps, (terms, B)
        left = squares @ w.sum(axis=0) / (squares @ data.w.sum(axis=0))[:, None]
        suspect = (left.min(axis=0) < LITTLE_LEFT) | (len(data.a) <= SMALL_TABLE)
        identified = np.ones(w.shape[2], dtype=bool)
        for r in np.flatnonzero(ok & suspect):
            try:
                require_identified(replace(data, w=w[:, :, r]))
            except NotIdentified:
                identified[r] = False
        return identified


def strongly_connected(data: PairData, w: FloatArray) -> BoolArray:
    """Return, for each replicate, whether the win graph is strongly connected (ties are edges both ways).

    Breadth-first from the item with most opponents, along wins and against them. Replicates are bits, so that one
    operation moves eight of them.
    """
    n, reps = data.n_items, w.shape[2]
    up, down = (np.packbits((side > 0) | (w[2] > 0), axis=1) for side in (w[0], w[1]))
    # few steps lead from the item with most opponents to all others
    hub = int(np.argmax(np.bincount(data.a, minlength=n) + np.bincount(data.b, minlength=n)))
    source, target = np.concatenate([data.a, data.b]), np.concatenate([data.b, data.a])
    order = np.argsort(target, kind="stable")
    source, (targets, starts) = source[order], np.unique(target[order], return_index=True)
    connected = np.full(up.shape[1], 255, dtype=np.uint8)
    for edges in (np.concatenate([up, down]), np.concatenate([down, up])):
        edges = edges[order]
        reached = np.zeros((n, up.shape[1]), dtype=np.uint8)
        reached[hub] = 255
        while True:
            arrived = (
                np.bitwise_or.reduceat(edges & reached[source], starts, axis=0) | reached[targets]
            )
            if np.array_equal(arrived, reached[targets]):
                break
            reached[targets] = arrived
        connected &= np.bitwise_and.reduce(reached, axis=0)
    return np.unpackbits(connected, count=reps).astype(bool)
