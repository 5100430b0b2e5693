"""What follows from a Bradley-Terry fit once more: plain definitions, derivatives taken numerically."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_clusters import errors_of
from socialstats.results import Check, FloatArray, Result, Verification

STEP = 1e-5  # central differences: the error is of order step squared
WHY = "the definition, from the fit's own coefficients (which the fit's verification recomputes)"
WHY_ERROR = "delta method with central differences; relative to the standard error"
Estimand = Callable[[FloatArray], float]


def verify(result: Result) -> Verification:
    """Recompute the estimates by their definitions, and the standard errors with numerical derivatives."""
    fit = result.extras["fit"]
    beta = np.asarray(fit.fitted_state.fitted.beta, dtype=np.float64)
    errors = errors_of(fit)
    checks: list[Check] = []
    for row in result.rows:
        estimand = definition(result, row.term, str(row.group))
        name = row.term
        checks.append(compare(f"{name}: estimate", row.estimate, estimand(beta), package="numpy", tolerance=1e-10,
                              why=WHY))  # fmt: skip
        if row.std_error is not None:
            slope = slopes(estimand, beta)
            error = float(errors(slope[None, :])[0][0])
            checks.append(compare(f"{name}: std_error", row.std_error, error, package="numpy",
                                  tolerance=1e-6 * error, why=WHY_ERROR))  # fmt: skip
    return Verification(checks=tuple(checks))


def definition(result: Result, term: str, group: str) -> Estimand:
    """Return the estimand of a row as a function of the coefficients: strengths, then effects."""
    fit = result.extras["fit"]
    n = len(fit.items)
    if group == "worth":
        k = fit.items.index(term)
        return lambda beta: math.exp(beta[k]) / math.fsum(math.exp(b) for b in beta[:n])
    at = fit.names.index(result.extras["effect"])
    noise = float(np.trace(np.asarray(fit.strength_covariance, dtype=np.float64))) / (n - 1)

    def sd(beta: FloatArray) -> float:
        return math.sqrt(statistics.variance([float(b) for b in beta[:n]]) - noise)

    found: dict[str, Estimand] = {
        "ratio": lambda beta: float(beta[at]) / sd(beta),
        "spread": sd,
        "chance": lambda beta: 1 / (1 + math.exp(sd(beta) - float(beta[at]))),
    }
    return found[group]


def slopes(estimand: Estimand, beta: Sequence[float] | FloatArray) -> FloatArray:
    """Return the derivatives of an estimand by central differences."""
    return slopes_of_all(lambda point: {"": estimand(point)}, beta)[""]


def slopes_of_all(
    estimands: Callable[[FloatArray], dict[str, float]], beta: Sequence[float] | FloatArray
) -> dict[str, FloatArray]:
    """Return the derivatives of several estimands, computed together, by central differences."""
    point = np.asarray(beta, dtype=np.float64)
    columns: list[dict[str, float]] = []
    for j in range(len(point)):
        ends = []
        for sign in (1.0, -1.0):
            moved = point.copy()
            moved[j] += sign * STEP
            ends.append(estimands(moved))
        columns.append({name: (ends[0][name] - ends[1][name]) / (2 * STEP) for name in ends[0]})
    return {name: np.array([column[name] for column in columns]) for name in columns[0]}
