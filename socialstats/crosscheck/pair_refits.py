"""Bootstraps of paired comparisons recomputed: rows drawn by numpy, each resample fitted from the bare likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_fits import (
    PairColumns,
    back_to_centred,
    columns_of,
    curvature,
    gradient,
    maximise,
)
from socialstats.crosscheck.resamples import Cells, poisson_times
from socialstats.crosscheck.row_arithmetic import label
from socialstats.results import Check

WHY = "the rows that the seed draws, drawn by numpy; every resample fitted anew"
LARGEST = 10_000_000  # resamples x rows x coefficients^2: a few seconds
LONG = "refits of every resample would take too long"
LOST = "no resample has a finite estimate"
CLOSE = 1e-6
NUMERICAL = 1e9  # a condition number above which a numerical curvature is singular


def refits(
    fit: Any, by: str, resamples: int, seed: int, scheme: str = "multinomial"
) -> tuple[FloatArray, FloatArray] | str:
    """Return the centred coefficients of the sample, (k,), and of every resample, (B, k); or why there are none."""
    design, state = fit.design, fit.fitted_state
    if (
        resamples * len(design.pair.levels) * len(fit.names) ** 2 > LARGEST
    ):  # at least one row per pair
        return LONG
    if scheme == "poisson":
        fit = fit.in_memory()
        design, state = fit.design, fit.fitted_state
    x = columns_of(fit)
    keys, place = np.unique(np.column_stack([x, design.outcome]), axis=0, return_inverse=True)
    if resamples * keys.size * keys.shape[1] > LARGEST:
        return LONG
    factors = {"row": design.factors(None), "pair": (design.pair,)}.get(by, state.factors)
    codes = tuple(factor.codes for factor in factors)
    cells = Cells.of(design.count, codes)
    if scheme != "poisson" and not cells.seeded:
        return "rows of the library come from tables of counts: other draws"
    back = back_to_centred(fit, x.shape[1])

    def table(times: FloatArray) -> PairColumns:
        weight = np.bincount(place.ravel(), design.weight * times / design.count, len(keys)).astype(
            np.float64
        )
        return PairColumns(
            x=keys[:, :-1], outcome=keys[:, -1].astype(np.int64), weight=weight, weight_sq=weight
        )

    def fitted(own: PairColumns, beta: FloatArray) -> FloatArray | None:
        h, tangent = curvature(state.ties, own, beta), False
        for k in range(60):
            tangent |= k > 9
            try:  # the first curvature serves ten steps: a chord is quicker than as many tangents
                h = curvature(state.ties, own, beta) if tangent else h
                step = np.linalg.solve(h, gradient(state.ties, own, beta))
            except np.linalg.LinAlgError:
                return None
            beta = beta + np.clip(step, -2, 2)
            if not np.abs(beta).max() < 30:
                return None
            if np.abs(step).max() < 1e-9:
                if tangent:  # an item that was not drawn leaves its strength where it was
                    return beta if np.linalg.cond(h) < NUMERICAL else None
                tangent = True  # chords also shrink where an estimate runs away
        return None

    drawn = poisson_times(factors, resamples, seed) if scheme == "poisson" else None
    draws = (
        cells.draws(resamples, seed) if drawn is None else (design.count * times for times in drawn)
    )
    start = maximise(state.ties, table(design.count)).estimate
    found = [fitted(table(times), start) for times in draws]
    known = [one for one in found if one is not None]
    return (back @ start, np.array(known) @ back.T) if known else LOST


def verify_bootstrap(result: Any) -> list[Check]:
    """Recompute estimates, standard errors and ends of a bootstrapped fit."""
    fit, settings = result.extras["fit"], result.settings
    found = refits(fit, settings["by"], settings["resamples"], settings["seed"], settings["scheme"])
    if isinstance(found, str):
        return [
            compare(label(row, name), value, None, package="scipy", tolerance=0, why="", note=found)
            for row in result.rows
            for name in ("estimate", "std_error", "conf_low", "conf_high")
            if (value := getattr(row, name)) is not None
        ]
    beta, drawn = found
    lost = settings["resamples"] - len(drawn)
    made: dict[str, Any] = {"package": "scipy", "why": WHY}
    checks = [
        compare(
            "resamples without an estimate", result.n_degenerate, float(lost), tolerance=0, **made
        )
    ]
    if (reference := fit.fitted_state.options.reference) is not None:
        shift, n = np.eye(len(beta)), len(fit.items)
        shift[:n, fit.items.index(reference)] -= 1
        beta, drawn = shift @ beta, drawn @ shift.T
    for k, row in enumerate(result.rows):
        value, x = float(beta[k]), drawn[:, k]
        checks.append(compare(label(row), row.estimate, value, tolerance=CLOSE, **made))
        if row.std_error is None or row.conf_level is None:
            continue
        low, high = np.quantile(
            x, [(1 - row.conf_level) / 2, (1 + row.conf_level) / 2], method="weibull"
        )
        if settings["ci"] == "basic":
            low, high = 2 * value - high, 2 * value - low
        error = float(x.std(ddof=1))
        wanted = ((row.std_error, error), (row.conf_low, low), (row.conf_high, high))
        checks += [
            compare(label(row, "s.e. or end"), ours, float(theirs), tolerance=CLOSE, **made)
            for ours, theirs in wanted
        ]
    return checks
