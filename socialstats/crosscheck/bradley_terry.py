"""Bradley-Terry models recomputed: choix, statsmodels, and the bare likelihood under scipy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare, version, worst
from socialstats.crosscheck.pair_clusters import Errors, clustered, of_rows, whitened
from socialstats.crosscheck.pair_fits import (
    TIES,
    PairColumns,
    PeerFit,
    back_to_centred,
    by_row,
    expected_information,
    glm,
    gradient,
    log_likelihood,
    maximise,
    pair_columns,
    solve_all,
)
from socialstats.crosscheck.row_arithmetic import label, relative, wald_checks
from socialstats.results import Check, Result, Verification

ZERO = 1e-14  # a standard error below this is rounding
LARGEST_TABLE = 4_000_000  # cells of the regression table: beyond this the peers take minutes
SAME_MAXIMUM = "one maximum, both solvers stop far below this"
SAME_CURVATURE = "second derivatives at points closer than 1e-8; relative"


def verify(result: Result) -> Verification:
    """Recompute a Bradley-Terry fit with what fits it.

    Plain models: three solvers of choix. Binomial models (with order, covariates, weights, half ties): GLM of
    statsmodels. Clusters: CR2 and its degrees of freedom with dense matrices. Davidson and Rao-Kupper: the bare
    likelihood, maximised by scipy. Firth: statsmodels on augmented data (derivatives of
    the penalised likelihood with ties). Without statsmodels, scipy's fits stand for its own.
    """
    fit: Any = result
    if fit.fitted_state.streamed:
        if large := too_large(fit.design.n_rows * len(fit.names)):
            return Verification(checks=tuple(large))
        fit = fit.in_memory()
    return Verification(checks=(*whole_model(fit), *choix_checks(fit)))


def too_large(size: int, least: str = "") -> list[Check]:
    """Return what is said of a dense table of more numbers than peers take in seconds; nothing of others."""
    if size <= LARGEST_TABLE:
        return []
    note = f"a dense table of {least}{size:,} numbers: the peers would take minutes"
    return [
        compare("whole model", None, None, package="statsmodels", tolerance=0.0, why="", note=note)
    ]


def whole_model(fit: Any) -> list[Check]:
    """Compare the full model with its peer, and the likelihood's slope where the peer would take too long."""
    scan, size = fit.design.scan, len(fit.design.count) * len(fit.names)
    if (
        scan is not None and scan.clusters and size <= LARGEST_TABLE
    ):  # with the clusters there are more cells
        size = scan.cells() * len(fit.names)
    if size > LARGEST_TABLE:
        return too_large(size, "at least " if scan is not None else "")
    fit = fit.in_memory()
    state = fit.fitted_state
    if state.options.penalty and (state.ties in TIES or not version("statsmodels")):
        return [penalised_slope(fit)]
    found = fitted_again(fit)
    name = "quasi-log-likelihood" if state.probable else "log-likelihood"
    checks = [
        compare(
            name,
            state.fitted.loglik,
            found.loglik,
            package=found.package,
            tolerance=1e-9 * max(1.0, abs(found.loglik)),
            why="the same sum in another order, relative",
        )
    ]
    shift = np.eye(len(fit.names))
    if state.options.reference is not None:
        shift[: len(fit.items), fit.items.index(state.options.reference)] -= 1
    return checks + row_checks(fit, shift @ found.beta, *found.errors(shift), package=found.package)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Again:
    """A fit as its peer finds it, in the fit's centred coefficients.

    Attributes
    ----------
    beta : (p,) array
    covariance : (p, p) array
        Of the model, whatever the standard errors of the fit.
    used : (p, p) array
        The sandwich by row where the fit has it, else `covariance`.
    errors : callable
        From contrasts (k, p) to standard errors (NaN where there are none) and degrees of freedom.
    loglik : float
        Without the pseudo-wins of a prior.
    package : str
    """

    beta: FloatArray
    covariance: FloatArray
    used: FloatArray
    errors: Errors
    loglik: float
    package: str


@dataclass(frozen=True, slots=True)
class Known:
    """A fit, known by its state: a copy with other rows has the same peer."""

    state: Any
    fit: Any = field(compare=False)


def fitted_again(fit: Any) -> Again:
    """Fit the model of a fit with its peer."""
    return _fitted(Known(fit.fitted_state, fit))


@lru_cache(maxsize=4)
def _fitted(known: Known) -> Again:
    fit = known.fit.in_memory()
    state, design = fit.fitted_state, fit.design
    table = pair_columns(fit)
    peer = peer_of(fit, table)
    back, loglik = back_to_centred(fit, table.x.shape[1]), peer.loglik
    if state.options.prior:
        ghost = replace(table, weight=np.where(table.weight_sq > 0, 0.0, table.weight))
        loglik -= log_likelihood(state.ties, ghost, peer.estimate)
    used = (
        back
        @ (by_row(state.ties, peer, table) if state.kind == "sandwich" else peer.covariance)
        @ back.T
    )
    noise = 0.0 if state.probable else design.weight_sq.sum() / design.weight.sum()
    inner = clustered(state.ties, table, peer, noise) if table.groups else None

    def errors(c: FloatArray) -> tuple[FloatArray, FloatArray]:
        if inner is not None:
            return inner(c @ back)
        return np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", c, used, c), 0)), np.full(len(c), np.inf)

    return Again(
        beta=back @ peer.estimate,
        covariance=back @ peer.covariance @ back.T,
        used=used,
        errors=errors,
        loglik=loglik,
        package=peer.package,
    )


def peer_of(fit: Any, table: PairColumns) -> PeerFit:
    """Return the fit of a peer: the penalised likelihood with ties has none, and keeps the fit's own estimate."""
    state = fit.fitted_state
    if state.ties not in TIES and version("statsmodels"):
        return glm(table, penalised=bool(state.options.penalty))
    if not state.options.penalty:
        return maximise(state.ties, table)
    beta = own_estimate(fit)
    covariance = np.asarray(
        np.linalg.inv(expected_information(state.ties, table, beta)), dtype=np.float64
    )
    loglik = log_likelihood(state.ties, table, beta)
    return PeerFit(estimate=beta, covariance=covariance, loglik=loglik, package="scipy")


def own_estimate(fit: Any) -> FloatArray:
    """Return the estimate of a fit in the coefficients of a peer: the first item is the reference, and left out."""
    beta = np.array([row.estimate for row in fit.rows], dtype=float)
    n = len(fit.items)
    return beta[1:] - np.where(np.arange(1, len(beta)) < n, beta[0], 0.0) if n else beta


def errors_of(fit: Any) -> Errors:
    """Return a function from contrasts of a fit's centred coefficients to standard errors and df, found again here."""
    return fitted_again(fit).errors


def row_checks(
    fit: Any, estimate: FloatArray, errors: FloatArray, dfs: FloatArray, *, package: str
) -> list[Check]:
    """Compare estimate, s.e., df, interval, statistic and p of every row."""
    out: list[Check] = []
    for row, b, s, df in zip(
        fit.rows, estimate.tolist(), errors.tolist(), dfs.tolist(), strict=True
    ):
        out.append(
            compare(
                label(row, "estimate"),
                row.estimate,
                b,
                package=package,
                tolerance=1e-8,
                why=SAME_MAXIMUM,
            )
        )
        known = float(row.std_error is not None), float(s > ZERO)  # NaN where there is no interval
        if known[0] != known[1]:
            name = label(row, "whether there is an interval")
            out.append(compare(name, *known, package=package, tolerance=0.0, why=""))
        elif row.std_error is not None:
            law = None if math.isinf(df) else df
            out.append(
                relative(label(row, "s.e."), row.std_error, s, package, SAME_CURVATURE, 1e-6)
            )
            out += wald_checks(
                row,
                fit.fitted_state.options.level,
                b,
                s,
                law,
                package=package,
                why=SAME_CURVATURE,
                close=1e-5,
            )
    return out


def penalised_slope(fit: Any) -> Check:
    """Differentiate log-likelihood + log det(information) / 2 numerically at the fit's own estimate.

    A maximum has slope zero. The information is that of the definition, by central differences.
    """
    kind, table, rng, slopes = (
        fit.fitted_state.ties,
        pair_columns(fit),
        np.random.default_rng(1),
        [],
    )
    beta = own_estimate(fit)
    for _ in range(6):
        direction = rng.standard_normal(len(beta))
        direction *= 1e-4 / np.linalg.norm(direction)
        ends = [
            np.linalg.slogdet(expected_information(kind, table, beta + s * direction))[1] / 2
            for s in (1, -1)
        ]
        slopes.append(
            float(gradient(kind, table, beta) @ direction + (ends[0] - ends[1]) / 2) / 1e-4
        )
    return compare(
        "slope of the penalised likelihood (largest of 6 directions)",
        0.0,
        max(slopes, key=abs),
        package="scipy",
        tolerance=1e-4,
        why="central differences of a log-determinant carry an error of 1e-6 to 1e-5",
    )


def choix_checks(fit: Any) -> list[Check]:
    """Compare the strengths of a plain model without ties with choix: one check a solver, of the worst item."""
    state, design, checks = fit.fitted_state, fit.design, []
    other = (
        state.options.order
        or state.options.formula
        or design.weighted
        or state.penalised
        or state.probable
    )
    if design.n_ties or other:
        return []
    for solver, tolerance, why, strength, note in solve_all(design):
        made: dict[str, Any] = {"package": "choix", "tolerance": tolerance, "note": note}
        if strength is None:
            checks.append(compare(f"strength, {solver}", None, None, why="", **made))
            continue
        each = [
            compare(f"strength of '{item}', {solver}", fit.strengths[item], theirs, why=why, **made)
            for item, theirs in zip(design.items, strength.tolist(), strict=True)
        ]
        checks.append(worst(each, "items"))
    return checks


def difference_checks(result: Result) -> list[Check]:
    """Recompute differences of strengths and effects from both models fitted by peers, with dense errors of both."""
    fits = [fit.in_memory() for fit in result.extras["fits"]]
    peers = [fitted_again(fit) for fit in fits]
    rows = [row for row in result.rows if row.group != "share" and row.estimate is not None]
    at = [[fit.names.index(row.term) for row in rows] for fit in fits]
    gap = peers[0].beta[at[0]] - peers[1].beta[at[1]]
    checks = [
        compare(
            f"difference of {row.term}",
            row.estimate,
            value,
            package="statsmodels",
            tolerance=1e-6,
            why="two maxima, each found to 1e-8 or better",
        )
        for row, value in zip(rows, gap.tolist(), strict=True)
    ]
    if sum(len(fit.design.count) * len(fit.names) for fit in fits) > LARGEST_TABLE:
        return checks
    found = stacked_errors(fits)(
        *(np.eye(len(fit.names))[own] for fit, own in zip(fits, at, strict=True))
    )
    for row, value, error, df in zip(
        rows, gap.tolist(), *(each.tolist() for each in found), strict=True
    ):
        if row.std_error is not None:
            checks.append(
                relative(label(row, "s.e."), row.std_error, error, "scipy", SAME_CURVATURE, 1e-6)
            )
            checks += wald_checks(
                row,
                result.settings["level"],
                value,
                error,
                df,
                package="scipy",
                why=SAME_CURVATURE,
                close=1e-5,
            )
    return checks


def stacked_errors(fits: list[Any]) -> Any:
    """Return a function from contrasts of both fits to errors and df of their difference: both as one regression."""
    parts, known = [], []
    for fit in fits:
        state = fit.fitted_state
        factors = state.factors or (fit.design.pair,)
        table = pair_columns(replace(fit, state=replace(state, kind="cluster", factors=factors)))
        peer = peer_of(fit, table)
        rows, e, owner = whitened(state.ties, table, peer.estimate)
        names = [
            np.array(f.levels, dtype=object)[codes[owner]]
            for f, codes in zip(factors, table.groups, strict=True)
        ]
        parts.append((rows, e, names, peer.covariance))
        known.append(back_to_centred(fit, table.x.shape[1]))
    (f, e, own, one), (g, d, other, two) = parts
    groups = [
        np.unique(np.concatenate(pair).astype(str), return_inverse=True)[1]
        for pair in zip(own, other, strict=True)
    ]
    weight, square = (
        sum(getattr(fit.design, name).sum() for fit in fits) for name in ("weight", "weight_sq")
    )
    noise = 0.0 if fits[0].fitted_state.probable else square / weight
    inner = of_rows(block_diag(f, g), np.concatenate([e, d]), groups, block_diag(one, two), noise)
    return lambda a, b: inner(np.hstack([a @ known[0], -b @ known[1]]))
