"""What follows from a Bradley-Terry fit recomputed: plain definitions of the peer's coefficients, numerical slopes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.bradley_terry import fitted_again
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_fits import TIES, log_probability
from socialstats.crosscheck.row_arithmetic import (
    MULTIPLETESTS,
    adjusted_checks,
    end_checks,
    label,
    quantile,
    relative,
    same_p,
    tail_p,
    wald_checks,
)
from socialstats.results import Check, Result, Row, Verification

STEP = 1e-5  # central differences: the error is of order step squared
WHY = "the definition, of coefficients that another package fitted"
WHY_ERROR = "delta method with central differences; relative to the standard error"
CLOSE = 1e-5
DRAWS, WIDTH = 20_000, 5.0
LEAST = 1e-100  # in place of a sum that is not positive, whose logarithm is far from that of any variance
MOST = 300  # differences whose clustered errors are made again
MOST_DRAWN = 19_900  # differences that are drawn again: those of 200 items
Estimand = Callable[[FloatArray], float]
Scale = tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]
LOG: Scale = (math.log, math.exp, lambda x: 1 / x)
LOGIT: Scale = (
    lambda x: math.log(x / (1 - x)),
    lambda z: 1 / (1 + math.exp(-z)),
    lambda x: 1 / (x * (1 - x)),
)
# other groups have symmetric intervals
SCALES = {
    "worth": LOGIT,
    "spread": LOG,
    "chance": LOGIT,
    "probability": LOGIT,
    "win_probability": LOGIT,
}


def verify(result: Result) -> Verification:
    """Recompute estimates by their definitions, standard errors with numerical derivatives, intervals and tests."""
    row = result.rows[0]
    own = {"rank": rank_checks, "quasi-variance": quasi_checks}.get(str(row.group))
    if own is None:
        own = chi_square_checks if row.role == "test" else formula_checks
    return Verification(checks=tuple(own(result)))


def formula_checks(result: Result) -> list[Check]:
    """Compare functions of the coefficients, their errors by the delta method, ends, tests and adjusted p-values."""
    again, checks = fitted_again(result.extras["fit"]), []
    shown = [
        (row, estimand)
        for row in result.rows[:MOST]
        if row.estimate is not None and (estimand := definition(result, row)) is not None
    ]
    with_error = [
        slopes(estimand, again.beta) for row, estimand in shown if row.std_error is not None
    ]
    found_again = zip(*again.errors(np.array(with_error)), strict=True) if with_error else iter(())
    for row, estimand in shown:
        value = estimand(again.beta)
        checks.append(relative(label(row), row.estimate, value, again.package, WHY, 1e-6, size=1.0))
        if row.std_error is None:
            continue
        found, df = map(float, next(found_again))
        checks.append(relative(label(row, "s.e."), row.std_error, found, "numpy", WHY_ERROR, CLOSE))
        level = row.conf_level or 0.95
        scale = "probability" if row.label("outcome") else str(row.group)
        if scale not in SCALES:
            side, known = (
                result.settings.get("alternative", "two_sided"),
                None if math.isinf(df) else df,
            )
            checks += wald_checks(
                row, level, value, found, known, alternative=side, why=WHY_ERROR, close=CLOSE
            )
            continue
        to, back_again, slope = SCALES[scale]
        reach = quantile(level, df) * found * slope(value)
        low, high = back_again(to(value) - reach), back_again(to(value) + reach)
        checks += end_checks(row, low, high, "scipy", WHY_ERROR, CLOSE)
    adjusted = [row for row in result.rows if row.p_adjusted is not None]
    if adjusted and result.extras["adjust"] == "none":
        return checks + [
            same_p(label(r, "p (not adjusted)"), r.p_adjusted, r.p_value or 0.0) for r in adjusted
        ]
    return checks + (
        adjusted_checks(adjusted, MULTIPLETESTS[result.extras["adjust"]]) if adjusted else []
    )


def definition(result: Result, row: Row) -> Estimand | None:
    """Return the estimand of a row as a function of the centred coefficients: strengths, then effects."""
    fit, group = result.extras["fit"], str(row.group)
    n, names, state = len(fit.items), list(fit.names), fit.fitted_state
    if row.label("outcome"):
        return probability(result, row)
    if group == "worth":
        k = names.index(row.term)
        return lambda beta: math.exp(beta[k]) / math.fsum(math.exp(b) for b in beta[:n])
    if group == "win_probability":
        i, j = (names.index(str(row.label(side))) for side in ("item", "other"))
        return lambda beta: 1 / (1 + math.exp(float(beta[j] - beta[i])))
    if group == "difference":
        i, j = (names.index(str(row.label(side))) for side in ("item", "other"))
        return lambda beta: float(beta[i] - beta[j])
    if group == "contrast":
        weights = {
            names.index(name): weight for name, weight in result.extras["weights"][row.term].items()
        }
        shift = (
            0.0
            if state.options.reference is None
            else math.fsum(w for j, w in weights.items() if j < n)
        )
        zero = 0 if state.options.reference is None else names.index(state.options.reference)
        return lambda beta: (
            math.fsum(w * float(beta[j]) for j, w in weights.items()) - shift * float(beta[zero])
        )
    at, again = names.index(result.extras["effect"]), fitted_again(fit)
    if state.kind == "cluster":
        noise = float(np.sum(again.errors(np.eye(n, len(names)))[0] ** 2)) / (n - 1)
    else:
        noise = float(np.trace(again.used[:n, :n])) / (n - 1)

    def sd(beta: FloatArray) -> float:
        return math.sqrt(statistics.variance([float(b) for b in beta[:n]]) - noise)

    found: dict[str, Estimand] = {
        "ratio": lambda beta: float(beta[at]) / sd(beta),
        "spread": sd,
        "chance": lambda beta: 1 / (1 + math.exp(sd(beta) - float(beta[at]))),
    }
    return found[group]


def probability(result: Result, row: Row) -> Estimand | None:
    """Return the probability of an outcome; None where the model has a formula that is not a sum of numbers."""
    fit, new = result.extras["fit"], result.extras["new"][int(row.label("row") or 0)]
    state, n, names = fit.fitted_state, len(fit.items), list(fit.names)
    options, tied = state.options, state.ties in TIES
    x = np.zeros(len(names) - tied)
    for item, sign in zip(new.items, (1.0, -1.0), strict=True):
        x[:n] += sign * np.array([name == item for name in fit.items], dtype=np.float64)
    if options.order:
        x[n] = new.first
    for name in [] if options.formula is None else options.formula.replace("~", "").split("+"):
        if name.strip() not in new.covariates or name.strip() not in names:
            return None
        a, b = new.covariates[name.strip()]
        x[names.index(name.strip())] = float(a) - float(b)
    outcome = np.array([result.rows.index(row) % (3 if tied else 2)])

    def chance(beta: FloatArray) -> float:
        tau = float(beta[-1]) if tied else 0.0
        return math.exp(
            log_probability(state.ties, np.array([x @ beta[: len(x)]]), tau, outcome)[0]
        )

    return chance


def rank_checks(result: Result) -> list[Check]:
    """Count the ranks by scipy, and invert max-t tests of all differences with normal draws of numpy.

    The sets at both ends of the critical value's Monte-Carlo error hold between them what the sets can be.
    """
    from scipy.stats import norm, rankdata

    fit, settings, n = result.extras["fit"], result.settings, len(result.rows)
    again, clustered = fitted_again(fit), fit.fitted_state.kind == "cluster"
    strength, v = again.beta[:n], (again.covariance if clustered else again.used)[:n, :n]
    theirs = rankdata(-np.round(strength, 7), method="min")
    checks = [
        compare(label(row), row.estimate, float(rank), package="scipy", tolerance=0, why="rankdata")
        for row, rank in zip(result.rows, theirs.tolist(), strict=True)
    ]
    if n * (n - 1) // 2 > (MOST if clustered else MOST_DRAWN):
        note = f"errors of {n * (n - 1) // 2:,} differences would take too long"
        return [
            *checks,
            *(
                compare(
                    label(row, "end"), end, None, package="numpy", tolerance=0, why="", note=note
                )
                for row in result.rows
                for end in (row.conf_low, row.conf_high)
            ),
        ]
    pairs, contrasts = all_pairs(range(n), len(again.beta))
    found, df = again.errors(contrasts)
    gap = strength[pairs[:, 0]] - strength[pairs[:, 1]]
    size = np.array(
        [
            -norm.ppf(max(tail_p(g / e, d), 1e-300) / 2) if e > 0 else 0.0
            for g, e, d in zip(gap, found, df, strict=True)
        ]
    )
    scale = np.sqrt(
        np.maximum(np.einsum("ki,ij,kj->k", contrasts[:, :n], v, contrasts[:, :n]), 1e-300)
    )
    values, vectors = np.linalg.eigh(v)
    normal = (
        np.random.default_rng(11).standard_normal((DRAWS, n))
        @ (vectors * np.sqrt(np.maximum(values, 0))).T
    )
    noise = np.abs(normal[:, pairs[:, 0]] - normal[:, pairs[:, 1]]) / scale
    level = float(result.rows[0].conf_level or 0.95)
    reach = WIDTH * math.sqrt(level * (1 - level) * (1 / DRAWS + 1 / settings["draws"]))
    why = f"{DRAWS:,} normal draws of numpy: sets within {WIDTH:g} Monte-Carlo errors of the critical value"
    ends = (level - reach, min(level + reach, 1.0))
    sets = [sets_at(pairs, gap, size, noise, at, settings["kind"], n) for at in ends]
    for row, narrow, wide in zip(result.rows, *sets, strict=True):
        for end, ours in ((0, row.conf_low), (1, row.conf_high)):
            middle, room = (narrow[end] + wide[end]) / 2, abs(narrow[end] - wide[end]) / 2
            checks.append(
                compare(label(row, "end"), ours, middle, package="numpy", tolerance=room, why=why)
            )
    return checks


def all_pairs(items: Iterable[int], p: int) -> tuple[Any, FloatArray]:
    """Return all pairs of coefficients, (k, 2), and their differences as contrasts, (k, p)."""
    pairs = np.array(list(combinations(items, 2)))
    return pairs, np.eye(p)[pairs[:, 0]] - np.eye(p)[pairs[:, 1]]


def sets_at(
    pairs: Any,
    gap: FloatArray,
    size: FloatArray,
    noise: FloatArray,
    level: float,
    kind: str,
    n: int,
) -> list[tuple[float, float]]:
    """Return both ends of the rank set of each item, differences called by step-down at a level."""
    every = [np.ones(len(pairs), dtype=bool)]
    called = []
    for family in every if kind == "simultaneous" else [(pairs == k).any(axis=1) for k in range(n)]:
        left = family
        while left.any():
            new = left & (size > np.quantile(noise[:, left].max(axis=1), level, method="higher"))
            left = left & ~new
            if not new.any():
                break
        called.append(family & ~left)
    out = []
    for k in range(n):
        mine = called[k % len(called)] & (pairs == k).any(axis=1)
        ahead = np.where(pairs[:, 0] == k, gap, -gap) > 0
        out.append((1.0 + float((mine & ~ahead).sum()), n - float((mine & ahead).sum())))
    return out


def quasi_checks(result: Result) -> list[Check]:
    """Fit quasi-variances again by scipy's least squares of the logarithms (Firth & de Menezes 2004)."""
    from scipy.optimize import least_squares

    fit, n = result.extras["fit"], len(result.rows)
    again = fitted_again(fit)
    strength = again.beta[:n]
    checks = [
        compare(
            label(row), row.estimate, float(value), package=again.package, tolerance=1e-6, why=WHY
        )
        for row, value in zip(result.rows, strength, strict=True)
    ]
    kept = [k for k, row in enumerate(result.rows) if row.term in result.extras["quasi_variance"]]
    pairs, contrasts = all_pairs(kept, len(again.beta))
    if len(pairs) > MOST and fit.fitted_state.kind == "cluster":
        return checks
    variance = again.errors(contrasts)[0] ** 2
    place = np.searchsorted(kept, pairs)

    def off(q: FloatArray) -> FloatArray:  # one of them may be negative, but no sum of two
        total = q[place[:, 0]] + q[place[:, 1]]
        return np.asarray(np.log(np.maximum(total, LEAST)) - np.log(variance / variance.mean()))

    start = np.full(len(kept), 0.5)
    q = least_squares(off, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).x * variance.mean()
    df = again.errors(np.eye(n, len(again.beta)))[1]
    why = "scipy's least squares of the logarithms of the variances of all differences"
    for k, root in zip(kept, np.sqrt(np.where(q > 0, q, np.nan)).tolist(), strict=True):
        row, value = result.rows[k], float(strength[k])
        if row.std_error is None:
            continue
        checks.append(relative(label(row, "s.e."), row.std_error, root, "scipy", why, CLOSE))
        reach = quantile(row.conf_level or 0.95, float(df[k])) * root
        checks += end_checks(row, value - reach, value + reach, "scipy", why, CLOSE, least=reach)
    return checks


def chi_square_checks(result: Result) -> list[Check]:
    """Compare p of a chi-square with scipy's; a likelihood ratio also with the peers' log-likelihoods."""
    from scipy.stats import chi2

    checks = []
    for row in result.rows:
        if row.statistic is None or row.df is None or row.group == "robust Wald":
            continue
        value, df = float(row.statistic), float(row.df)
        if row.group == "likelihood ratio":
            fits = [result.extras[which] for which in ("fit", "small")]
            one, two = (fitted_again(fit) for fit in fits)
            free = [len(fit.names) - bool(fit.items) for fit in fits]
            value, df = 2 * (one.loglik - two.loglik), float(free[0] - free[1])
            checks += [
                relative(
                    label(row, "statistic"), row.statistic, value, one.package, WHY, 1e-6, size=1.0
                ),
                relative(label(row, "df"), row.df, df, one.package, WHY),
            ]
        checks.append(
            same_p(
                label(row, "p"),
                row.p_value,
                float(chi2.sf(max(value, 0.0), df)),
                "scipy",
                WHY,
                1e-5,
            )
        )
    return checks


def slopes(estimand: Callable[[FloatArray], Any], beta: FloatArray) -> FloatArray:
    """Return the derivatives of one estimand, (p,), or of several, (k, p), by central differences."""
    steps = STEP * np.eye(len(beta))
    return np.array([(estimand(beta + s) - estimand(beta - s)) / (2 * STEP) for s in steps]).T
