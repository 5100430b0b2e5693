"""What follows from a Bradley-Terry fit once more: plain definitions of the peer's coefficients, numerical slopes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.bradley_terry import errors_of, fitted_again, v_of
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_fits import log_probability
from socialstats.crosscheck.row_arithmetic import (
    adjusted_checks,
    end_checks,
    label,
    quantile,
    relative,
    same_p,
    tail_p,
    wald_checks,
)
from socialstats.results import Check, FloatArray, Result, Row, Verification

STEP = 1e-5  # central differences: the error is of order step squared
WHY = "the definition, of coefficients that another package fitted"
WHY_ERROR = "delta method with central differences; relative to the standard error"
CLOSE = 1e-5
DRAWS, WIDTH = 20_000, 5.0
MOST = 300  # differences whose clustered errors are made again
Estimand = Callable[[FloatArray], float]
SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]] = {
    "log": (math.log, math.exp, lambda x: 1 / x),
    "logit": (lambda x: math.log(x / (1 - x)), lambda z: 1 / (1 + math.exp(-z)), lambda x: 1 / (x * (1 - x))),
    "plain": (float, float, lambda x: 1.0),
}
KINDS = {"worth": "log", "spread": "log", "chance": "logit", "probability": "logit"}


def verify(result: Result) -> Verification:
    """Recompute estimates by their definitions, standard errors with numerical derivatives, intervals and tests."""
    fit, groups = result.extras["fit"], {row.group for row in result.rows}
    if groups == {"rank"}:
        return Verification(checks=tuple(rank_checks(result)))
    if groups == {"quasi-variance"}:
        return Verification(checks=tuple(quasi_checks(result)))
    if "small" in result.extras or any(str(group).endswith(" cells") for group in groups):
        return Verification(checks=tuple(chi_square_checks(result)))
    peer, _, back = fitted_again(fit)
    beta, errors, checks = back @ peer.estimate, errors_of(fit), []
    level = next((row.conf_level for row in result.rows if row.conf_level is not None), 0.95)
    shown = [(row, estimand) for row in result.rows[:MOST]
             if row.estimate is not None and (estimand := definition(result, row)) is not None]  # fmt: skip
    with_error = [slopes(estimand, beta) for row, estimand in shown if row.std_error is not None]
    found_again = zip(*errors(np.array(with_error)), strict=True) if with_error else iter(())
    for row, estimand in shown:
        value = estimand(beta)
        checks.append(compare(label(row), row.estimate, value, package=peer.package,
                              tolerance=1e-6 * max(1.0, abs(value)), why=WHY))  # fmt: skip
        if row.std_error is None:
            continue
        to, back_again, slope = SCALES[KINDS.get(str(row.group), "plain")]
        found, df = map(float, next(found_again))
        checks.append(compare(label(row, "s.e."), row.std_error, found, package="numpy", tolerance=CLOSE * found,
                              why=WHY_ERROR))  # fmt: skip
        if KINDS.get(str(row.group)) is None:
            checks += wald_checks(row, level, value, found, None if math.isinf(df) else df, why=WHY_ERROR, close=CLOSE)
            continue
        reach = quantile(level, df) * found * slope(value)
        low, high = back_again(to(value) - reach), back_again(to(value) + reach)
        checks += end_checks(row, low, min(high, 1.0) if row.group == "worth" else high, "scipy", WHY_ERROR, CLOSE)
    adjusted = [row for row in result.rows if row.p_adjusted is not None]
    if adjusted and result.extras["adjust"] != "none":
        checks += adjusted_checks(adjusted, {"holm": "holm", "bh": "fdr_bh"}[result.extras["adjust"]])
    elif adjusted:
        checks += [same_p(label(r, "p (not adjusted)"), r.p_adjusted, float(r.p_value or 0.0)) for r in adjusted]
    return Verification(checks=tuple(checks))


def definition(result: Result, row: Row) -> Estimand | None:
    """Return the estimand of a row as a function of the centred coefficients: strengths, then effects."""
    fit, group, term = result.extras["fit"], str(row.group), row.term
    n, names = len(fit.items), list(fit.names)
    if group == "worth":
        k = fit.items.index(term)
        return lambda beta: math.exp(beta[k]) / math.fsum(math.exp(b) for b in beta[:n])
    if group == "difference":
        pairs = {f"{a} - {b}": (i, j) for (i, a), (j, b) in combinations(enumerate(fit.items), 2)}
        i, j = pairs[term]
        return lambda beta: float(beta[i] - beta[j])
    if group == "contrast":
        weights = {names.index(name): weight for name, weight in result.extras["weights"].items()}
        reference = fit.fitted_state.options.reference
        zero = None if reference is None else fit.items.index(reference)

        def contrast(beta: FloatArray) -> float:
            shift = 0.0 if zero is None else float(beta[zero])
            return math.fsum(w * (float(beta[j]) - (shift if j < n else 0.0)) for j, w in weights.items())

        return contrast
    if group == "probability":
        return probability(result, term)
    at = names.index(result.extras["effect"])
    peer, table, back = fitted_again(fit)
    if fit.fitted_state.kind == "cluster":
        errors = errors_of(fit)(np.eye(n, len(names)))[0]
        noise = float(errors @ errors) / (n - 1)
    else:
        noise = float(np.trace((back @ v_of(fit, peer, table) @ back.T)[:n, :n])) / (n - 1)

    def sd(beta: FloatArray) -> float:
        return math.sqrt(statistics.variance([float(b) for b in beta[:n]]) - noise)

    found: dict[str, Estimand] = {
        "ratio": lambda beta: float(beta[at]) / sd(beta),
        "spread": sd,
        "chance": lambda beta: 1 / (1 + math.exp(sd(beta) - float(beta[at]))),
    }
    return found[group]


def probability(result: Result, term: str) -> Estimand | None:
    """Return the probability of an outcome; None where the model has a formula that is not a sum of numbers."""
    fit, extras = result.extras["fit"], result.extras
    options, state, n = fit.fitted_state.options, fit.fitted_state, len(fit.items)
    one, two = extras["items"]
    names = [] if options.formula is None else [x.strip() for x in options.formula.partition("~")[2].split("+")]
    if not set(names) <= set(extras["covariates"]) or not set(names) <= set(fit.names):
        return None
    x = np.zeros(len(fit.names))
    if n:
        x[fit.items.index(one)], x[fit.items.index(two)] = 1.0, -1.0
    if options.order:
        x[n] = extras["first"]
    for name in names:
        a, b = extras["covariates"][name]
        x[list(fit.names).index(name)] = float(a) - float(b)
    outcome = {f"{one} wins": 0, f"{two} wins": 1, "tie": 2}[term]
    tied = state.model.tie_term is not None

    def chance(beta: FloatArray) -> float:
        eta, tau = (float(x[:-1] @ beta[:-1]), float(beta[-1])) if tied else (float(x @ beta), 0.0)
        kind = state.ties if tied else "none"
        return float(np.exp(log_probability(kind, np.array([eta]), tau, np.array([outcome]))[0]))

    return chance


def rank_checks(result: Result) -> list[Check]:
    """Count the ranks by scipy, and invert max-t tests of all differences with normal draws of numpy.

    The sets at both ends of the critical value's Monte-Carlo error hold between them what the sets can be.
    """
    from scipy.stats import norm, rankdata

    fit, settings, n = result.extras["fit"], result.settings, len(result.rows)
    peer, _, back = fitted_again(fit)
    strength = (back @ peer.estimate)[:n]
    theirs = rankdata(-np.round(strength, 7), method="min")
    checks = [compare(label(row), row.estimate, float(rank), package="scipy", tolerance=0, why="rankdata")
              for row, rank in zip(result.rows, theirs.tolist(), strict=True)]  # fmt: skip
    clustered, v = fit.fitted_state.kind == "cluster", (back @ peer.covariance @ back.T)[:n, :n]
    if not clustered:
        v = (back @ v_of(fit, peer, fitted_again(fit)[1]) @ back.T)[:n, :n]
    pairs = np.array(list(combinations(range(n), 2)))
    if clustered and len(pairs) > MOST:
        note = f"clustered errors of {len(pairs):,} differences would take too long"
        return [*checks, *(compare(label(row, "end"), end, None, package="numpy", tolerance=0, why="", note=note)
                           for row in result.rows for end in (row.conf_low, row.conf_high))]  # fmt: skip
    contrasts = np.zeros((len(pairs), len(back)))
    contrasts[np.arange(len(pairs)), pairs[:, 0]], contrasts[np.arange(len(pairs)), pairs[:, 1]] = 1.0, -1.0
    found, df = errors_of(fit)(contrasts)
    gap = strength[pairs[:, 0]] - strength[pairs[:, 1]]
    size = np.array([-norm.ppf(max(tail_p(g / e, d), 1e-300) / 2) if e > 0 else 0.0
                     for g, e, d in zip(gap, found, df, strict=True)])  # fmt: skip
    scale = np.sqrt(np.maximum(v[pairs[:, 0], pairs[:, 0]] + v[pairs[:, 1], pairs[:, 1]]
                               - 2 * v[pairs[:, 0], pairs[:, 1]], 1e-300))  # fmt: skip
    values, vectors = np.linalg.eigh(v)
    normal = np.random.default_rng(11).standard_normal((DRAWS, n)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    noise = np.abs(normal[:, pairs[:, 0]] - normal[:, pairs[:, 1]]) / scale
    level = float(result.rows[0].conf_level or 0.95)
    reach = WIDTH * math.sqrt(level * (1 - level) * (1 / DRAWS + 1 / settings["draws"]))
    why = f"{DRAWS:,} normal draws of numpy: sets within {WIDTH:g} Monte-Carlo errors of the critical value"
    ends = (level - reach, min(level + reach, 1.0))
    sets = [sets_at(pairs, gap, size, noise, at, settings["kind"], n) for at in ends]
    for row, narrow, wide in zip(result.rows, *sets, strict=True):
        for end, ours in ((0, row.conf_low), (1, row.conf_high)):
            middle, room = (narrow[end] + wide[end]) / 2, abs(narrow[end] - wide[end]) / 2
            checks.append(compare(label(row, "end"), ours, middle, package="numpy", tolerance=room, why=why))
    return checks


def sets_at(
    pairs: Any, gap: FloatArray, size: FloatArray, noise: FloatArray, level: float, kind: str, n: int
) -> list[tuple[float, float]]:
    """Return both ends of the rank set of each item, differences called by step-down at a level."""
    families = [(pairs == k).any(axis=1) for k in range(n)] if kind == "marginal" else [np.ones(len(pairs), bool)] * n
    out, known = [], {}
    for k, family in enumerate(families):
        key = k if kind == "marginal" else 0
        if key not in known:
            called = np.zeros(len(pairs), dtype=bool)
            while (left := family & ~called).any():
                new = left & (size > np.quantile(noise[:, left].max(axis=1), level, method="higher"))
                if not new.any():
                    break
                called |= new
            known[key] = called
        mine = known[key] & (pairs == k).any(axis=1)
        ahead = np.where(pairs[:, 0] == k, gap, -gap) > 0
        out.append((1.0 + float((mine & ~ahead).sum()), n - float((mine & ahead).sum())))
    return out


def quasi_checks(result: Result) -> list[Check]:
    """Fit quasi-variances again by scipy's least squares of the logarithms (Firth & de Menezes 2004)."""
    from scipy.optimize import least_squares

    fit, n = result.extras["fit"], len(result.rows)
    peer, _, back = fitted_again(fit)
    strength, errors = (back @ peer.estimate)[:n], errors_of(fit)
    checks = [compare(label(row), row.estimate, float(value), package=peer.package, tolerance=1e-6, why=WHY)
              for row, value in zip(result.rows, strength, strict=True)]  # fmt: skip
    kept = [k for k, row in enumerate(result.rows) if row.std_error is not None]
    pairs = np.array(list(combinations(kept, 2)))
    if len(pairs) > MOST and fit.fitted_state.kind == "cluster":
        return checks
    contrasts = np.zeros((len(pairs), len(back)))
    contrasts[np.arange(len(pairs)), pairs[:, 0]], contrasts[np.arange(len(pairs)), pairs[:, 1]] = 1.0, -1.0
    variance = errors(contrasts)[0] ** 2
    place = np.searchsorted(kept, pairs)

    def off(logs: FloatArray) -> FloatArray:
        q = np.exp(logs)
        return np.asarray(np.log(q[place[:, 0]] + q[place[:, 1]]) - np.log(variance))

    start = np.full(len(kept), math.log(variance.mean() / 2))
    q = np.exp(least_squares(off, start, xtol=1e-14, ftol=1e-14, gtol=1e-14).x)
    df = errors(np.eye(n, len(back)))[1]
    why = "scipy's least squares of the logarithms of the variances of all differences"
    for k, root in zip(kept, np.sqrt(q).tolist(), strict=True):
        row, value = result.rows[k], float(strength[k])
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
            fits = [fitted_again(fit)[0] for fit in (result.extras["fit"], result.extras["small"])]
            value, df = 2 * (fits[0].loglik - fits[1].loglik), float(len(fits[0].estimate) - len(fits[1].estimate))
            checks += [relative(label(row, "statistic"), row.statistic, value, fits[0].package, WHY, 1e-6, size=1.0),
                       relative(label(row, "df"), row.df, df, fits[0].package, WHY)]  # fmt: skip
        checks.append(same_p(label(row, "p"), row.p_value, float(chi2.sf(max(value, 0.0), df)), "scipy", WHY, 1e-5))
    return checks


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
