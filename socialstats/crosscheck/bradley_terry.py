"""Bradley-Terry models once more: choix, statsmodels, and the bare likelihood under scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare, worst
from socialstats.crosscheck.pair_clusters import Errors, clustered, with_tie
from socialstats.crosscheck.pair_fits import (
    PairColumns,
    PeerFit,
    by_row,
    expected_information,
    firth,
    glm,
    gradient,
    log_likelihood,
    maximise,
    pair_columns,
    solve_all,
    with_pseudo_wins,
)
from socialstats.crosscheck.row_arithmetic import label, wald_checks
from socialstats.results import Check, FloatArray, Result, Verification

ZERO = 1e-14  # a standard error below this is rounding
LARGEST_TABLE = 4_000_000  # cells of the regression table: beyond this the peers take minutes
SAME_MAXIMUM = "one maximum, both solvers stop far below this"
SAME_CURVATURE = "second derivatives at points closer than 1e-8; relative"


def verify(result: Result) -> Verification:
    """Recompute a Bradley-Terry fit with what fits it.

    Plain models: three solvers of choix. Binomial models (with order, covariates, weights, half ties): GLM and sandwich
    of statsmodels. Clusters: CR2 and its degrees of freedom with dense matrices. Davidson and Rao-Kupper: the bare
    likelihood, maximised by scipy. Firth: statsmodels on augmented data (derivatives of
    the penalised likelihood with ties).
    """
    checks = [*whole_model(result), *choix_checks(result)]
    return Verification(checks=tuple(checks))


def whole_model(fit: Any) -> list[Check]:
    """Compare the full model with its peer, and the likelihood's slope where the peer would take too long."""
    state = fit.fitted_state
    size = len(fit.design.count) * len(fit.names)
    if size > LARGEST_TABLE:
        return [skipped(f"a dense table of {size:,} numbers: the peers would take minutes")]
    if state.options.penalty and state.ties not in ("none", "half"):
        return [penalised_slope(fit, table_of(fit))]
    peer, table, _ = fitted_again(fit)
    return [loglik_check(fit, peer, table), *row_checks(fit, *reported(fit), peer)]


def table_of(fit: Any) -> PairColumns:
    """Return the regression table, with the pseudo-wins of a prior."""
    table, state = pair_columns(fit), fit.fitted_state
    return with_pseudo_wins(table, state.data.n_items, state.options.prior) if state.options.prior else table


@dataclass(frozen=True, slots=True)
class Known:
    """A fit, known by its state: a copy with other rows has the same peer."""

    state: Any
    fit: Any = field(compare=False)


def fitted_again(fit: Any) -> tuple[PeerFit, PairColumns, FloatArray]:
    """Return the peer's fit, its table, and the matrix to centred coefficients with the tie parameter last."""
    return _fitted(Known(fit.fitted_state, fit))


@lru_cache(maxsize=4)
def _fitted(known: Known) -> tuple[PeerFit, PairColumns, FloatArray]:
    table, tie = table_of(known.fit), known.state.model.tie_term
    return peer_of(known.fit, table), table, with_tie(table.back, tied=tie is not None)


def errors_of(fit: Any) -> Errors:
    """Return a function from contrasts of a fit's centred coefficients to standard errors and df, found again here."""
    return _errors(Known(fit.fitted_state, fit))


@lru_cache(maxsize=4)
def _errors(known: Known) -> Errors:
    peer, table, back = fitted_again(known.fit)
    if known.state.kind != "cluster":
        v = back @ v_of(known.fit, peer, table) @ back.T
        return lambda c: (np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", c, v, c), 0)), np.full(len(c), np.inf))
    noise = float(known.fit.design.weight_sq.sum() / known.fit.design.weight.sum())
    errors = clustered(known.state.ties, table, peer, noise)
    return lambda c: errors(c @ back)


def v_of(fit: Any, peer: PeerFit, table: PairColumns) -> FloatArray:
    """Return the peer's covariance: of the model, or the sandwich by row."""
    return peer.covariance if fit.fitted_state.kind == "model" else by_row(peer, table)


def peer_of(fit: Any, table: PairColumns) -> PeerFit:
    """Fit the regression table with the peer of the model."""
    state = fit.fitted_state
    if state.ties not in ("none", "half"):
        return maximise(state.ties, table)
    return (firth if state.options.penalty else glm)(table)


def peer_estimates(fit: Any) -> dict[str, float]:
    """Return the coefficients of an unpenalised fit as its peer finds them, by name."""
    return dict(zip([row.term for row in fit.rows], reported(fit)[0].tolist(), strict=True))


def skipped(note: str) -> Check:
    """Say that nothing was compared, and why."""
    return Check(
        quantity="whole model", ours=None, theirs=None, package="statsmodels", version="", tolerance=0.0, ok=None,
        note=note,
    )  # fmt: skip


def reported(fit: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the peer's coefficients as the fit reports them, their standard errors (NaN: none) and df."""
    peer, _, back = fitted_again(fit)
    shift, reference = np.eye(len(back)), fit.fitted_state.options.reference
    if reference is not None:
        shift[: fit.fitted_state.data.n_items, fit.design.items.index(reference)] -= 1
    return np.asarray(shift @ back @ peer.estimate), *errors_of(fit)(shift)


def loglik_check(fit: Any, peer: PeerFit, table: PairColumns) -> Check:
    """Compare log-likelihoods (without the pseudo-wins of a prior)."""
    theirs, state = peer.loglik, fit.fitted_state
    if state.options.prior:
        real = np.arange(len(table.weight)) < len(table.weight) - 2 * state.data.n_items
        theirs -= log_likelihood_of(state.ties, table, peer.estimate, ~real)
    return compare(
        "log-likelihood", fit.log_likelihood, theirs, package=peer.package, note=peer.note,
        tolerance=1e-9 * max(1.0, abs(theirs)), why="the same sum in another order, relative",
    )  # fmt: skip


def log_likelihood_of(kind: str, table: PairColumns, beta: FloatArray, rows: Any) -> float:
    """Return the part of the log-likelihood that some rows give."""
    part = replace(table, x=table.x[rows], outcome=table.outcome[rows], weight=table.weight[rows])
    return log_likelihood(kind, part, beta)


def row_checks(fit: Any, estimate: FloatArray, errors: FloatArray, dfs: FloatArray, peer: PeerFit) -> list[Check]:
    """Compare estimate, s.e., df, interval, statistic and p of every row."""
    out: list[Check] = []
    for row, b, s, df in zip(fit.rows, estimate.tolist(), errors.tolist(), dfs.tolist(), strict=True):
        made: dict[str, Any] = {"package": peer.package, "note": peer.note}
        out.append(compare(label(row, "estimate"), row.estimate, b, tolerance=1e-8, why=SAME_MAXIMUM, **made))
        known = float(row.std_error is not None), float(s > ZERO)  # NaN where there is no interval
        if known[0] != known[1]:
            out.append(compare(label(row, "whether there is an interval"), *known, tolerance=0.0, why="", **made))
        elif row.std_error is not None:
            law = None if math.isinf(df) else df
            out.append(compare(label(row, "s.e."), row.std_error, s, tolerance=1e-6 * s, why=SAME_CURVATURE, **made))
            out += wald_checks(row, fit.fitted_state.options.level, b, s, law, package=peer.package,
                               why=SAME_CURVATURE, close=1e-5)  # fmt: skip
    return out


def penalised_slope(fit: Any, table: PairColumns) -> Check:
    """Differentiate log-likelihood + log det(information) / 2 numerically at the fit's own estimate.

    A maximum has slope zero. The information is that of the definition, by central differences.
    """
    kind, beta = fit.fitted_state.ties, own_coefficients(fit)
    rng, slopes = np.random.default_rng(1), []
    for _ in range(6):
        direction = rng.standard_normal(len(beta))
        direction *= 1e-4 / np.linalg.norm(direction)
        ends = [np.linalg.slogdet(expected_information(kind, table, beta + s * direction))[1] / 2 for s in (1, -1)]
        slopes.append(float(gradient(kind, table, beta) @ direction + (ends[0] - ends[1]) / 2) / 1e-4)
    return compare(
        "slope of the penalised likelihood (largest of 6 directions)", 0.0, max(slopes, key=abs), package="scipy",
        tolerance=1e-4, why="central differences of a log-determinant carry an error of 1e-6 to 1e-5",
    )  # fmt: skip


def own_coefficients(fit: Any) -> FloatArray:
    """Return the fit's estimates with the first item as reference and left out."""
    beta = np.array([row.estimate for row in fit.rows], dtype=float)
    n = len(fit.items)
    beta[:n] -= beta[0] if n else 0.0
    return beta[1:] if n else beta


def choix_checks(fit: Any) -> list[Check]:
    """Compare the strengths of a plain model without ties with choix."""
    state, design = fit.fitted_state, fit.design
    other = state.options.order or state.options.formula or design.weighted or state.penalised
    return [] if design.n_ties or other else compare_choix(fit, "strength")


def compare_choix(fit: Any, what: str) -> list[Check]:
    """One check a solver: the item with the largest difference."""
    checks = []
    for found in solve_all(fit.design):
        if found.strength is None:
            checks.append(compare(
                f"{what}, {found.solver}", None, None, package="choix", tolerance=found.tolerance, why="",
                note=found.note,
            ))  # fmt: skip
            continue
        each = [
            compare(f"{what} of '{item}', {found.solver}", fit.strengths[item], float(theirs), package="choix",
                    tolerance=found.tolerance, why=found.why, note=found.note)
            for item, theirs in zip(fit.design.items, found.strength, strict=True)
        ]  # fmt: skip
        checks.append(worst(each, "items"))
    return checks
