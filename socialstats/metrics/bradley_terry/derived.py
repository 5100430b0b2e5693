"""What follows from a fit: worths, ranks, quasi-variances, contrasts, effects in standard deviations."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logsumexp

from socialstats.arrays import FloatArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.intervals import benjamini_hochberg, critical_values, holm, two_sided_p
from socialstats.inference.rows import with_ends, with_t
from socialstats.metrics.bradley_terry.state import why_not, with_errors
from socialstats.models.bradley_terry.quasi import quasi_variances, worst_errors
from socialstats.models.bradley_terry.ranks import rank_sets
from socialstats.results import Result, Row, Verification
from socialstats.text import count, interval, number, p_value, quoted

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.result import BradleyTerryResult
    from socialstats.metrics.bradley_terry.state import State

FEWEST_DRAWS = 100


class FromFit(Result):
    """Numbers that follow from a fit by a formula; ``extras["fit"]`` is that fit."""

    __slots__ = ()

    def crosscheck(self) -> Verification:
        """Recompute the numbers by their definitions, with derivatives taken numerically."""
        found: Verification = importlib.import_module("socialstats.crosscheck.pair_derived").verify(self)
        return found


def derived(
    fit: BradleyTerryResult, title: str, rows: list[Row], words: str, extras: Mapping[str, Any] | None = None,
    **more: Any,
) -> Result:  # fmt: skip
    """Make a Result that belongs to a fit: same design, counts, cautions and inference unless given."""
    defaults: dict[str, Any] = {
        "inference": fit.inference, "counts": fit.counts, "settings": fit.settings, "cautions": fit.cautions,
        "references": fit.references, "design": fit.design, "extras": {"fit": fit, **(extras or {})},
    }  # fmt: skip
    return FromFit(metric="bradley_terry", title=title, rows=tuple(rows), words=words, **(defaults | more))


def require_strengths(fit: BradleyTerryResult) -> tuple[FloatArray, FloatArray]:
    """Return centred strengths and their covariance, or say that the model has none."""
    if not fit.items:
        raise UndefinedStatistic("this model has no item strengths (strengths='none')")
    n = len(fit.items)
    return fit.fitted_state.fitted.beta[:n], fit.strength_covariance


def worth(fit: BradleyTerryResult, level: float) -> Result:
    """See `BradleyTerryResult.worth`."""
    strength, _ = require_strengths(fit)
    log_worth = strength - logsumexp(strength)
    w = np.exp(log_worth)
    gradient = np.zeros((len(w), len(fit.fitted_state.covariance)))
    gradient[:, : len(w)] = np.eye(len(w)) - w[None, :]  # d log w_i / d strength_j = [i = j] - w_j
    errors = fit.fitted_state.errors(gradient)
    se_log, reach = errors.std_error, critical_values(level, errors.df) * errors.std_error
    rows = []
    for i, item in enumerate(fit.items):
        shared: dict[str, Any] = {"term": item, "group": "worth", "estimate": float(w[i])}
        if errors.refused[i]:
            rows.append(Row(**shared, undefined=why_not(fit.fitted_state, errors, i)))
            continue
        rows.append(with_ends(
            Row(**shared), float(w[i] * np.exp(-reach[i])), float(w[i] * np.exp(reach[i])), level, within=(0.0, 1.0),
            std_error=float(w[i] * se_log[i]), method="delta method on the log scale",
        ))  # fmt: skip
    top = max(rows, key=lambda r: r.estimate or 0)
    words = (
        f"{top.term} has the largest worth, {number(top.estimate, 3, bounded=True)}, "
        f"{ends_of(top, 3)}, of a total of one "
        f"over {count(len(rows), 'item')}."
    )
    return derived(
        fit, "Bradley-Terry worths (sum one)", rows, words, references=("bradley1952",),
    )  # fmt: skip


def rank_table(fit: BradleyTerryResult, kind: str, level: float, draws: int, seed: int) -> Result:
    """See `BradleyTerryResult.ranks`."""
    if kind not in ("marginal", "simultaneous"):
        raise InputError(f"kind={kind!r} is not one of 'marginal', 'simultaneous'")
    if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
        raise InputError(f"seed={seed}, draws={draws}: a seed is 0 or more, and draws at least {FEWEST_DRAWS}")
    strength, cov = require_strengths(fit)
    clustered = fit.fitted_state.robust is not None
    sets = rank_sets(
        strength, fit.fitted_state.fitted.covariance[: len(strength), : len(strength)] if clustered else cov,
        level=level, simultaneous=kind == "simultaneous", draws=draws, seed=seed,
        p=difference_p(fit) if clustered else None,
    )  # fmt: skip
    test = "max-t (model correlations, own errors and df)" if clustered else "max-t"
    rows = [
        with_ends(
            Row(term=item, group="rank", estimate=float(sets.rank[i]), method=f"{kind} {test} rank set, step-down"),
            float(sets.low[i]), float(sets.high[i]), level,
        )
        for i, item in enumerate(fit.items)
    ]  # fmt: skip
    width = float(np.mean(sets.high - sets.low + 1))
    covers = "each set covers its own rank" if kind == "marginal" else "the sets cover all ranks at once"
    first = [r.term for r in rows if r.conf_low == 1]
    words = (
        f"{count(len(first), 'item')} cannot be excluded from rank 1 ({quoted(first)}); the {kind} {100 * level:g}% "
        f"rank sets hold {number(width, 1)} ranks on average ({covers})."
    )
    return derived(
        fit, f"Ranks with {kind} confidence sets", rows, words, references=("mogstad2024", "romanowolf2005"),
        inference=f"{kind} sets from the {test} test, {draws} normal draws, seed {seed}; {fit.inference}",
        settings={**fit.settings, "kind": kind, "draws": draws, "seed": seed},
    )  # fmt: skip


def difference_p(fit: BradleyTerryResult) -> FloatArray:
    """Return the (items, items) p-values of all differences; 1 where one cannot be tested."""
    strength, _ = require_strengths(fit)
    i, j = np.triu_indices(len(strength), 1)
    errors = fit.fitted_state.differences
    tested = errors.std_error > 0
    p = np.ones((len(strength), len(strength)))
    t = np.where(tested, strength[i] - strength[j], 0) / np.where(tested, errors.std_error, 1)
    p[i, j] = p[j, i] = two_sided_p(t, errors.df)
    return p


def quasi_table(fit: BradleyTerryResult) -> Result:
    """See `BradleyTerryResult.quasi_variances`."""
    strength, cov = require_strengths(fit)
    if len(strength) < 3:
        raise UndefinedStatistic("quasi-variances need at least three items; two have one difference only")
    state, level = fit.fitted_state, fit.fitted_state.options.level
    errors = state.errors(np.eye(len(strength), len(state.fitted.beta)))
    seen = np.flatnonzero(~errors.refused)
    if len(seen) < 3:
        raise UndefinedStatistic("quasi-variances need at least three items whose strengths have standard errors")
    cov = cov[np.ix_(seen, seen)]
    q = np.full(len(strength), np.nan)
    q[seen] = quasi_variances(cov)
    low_error, high_error = worst_errors(cov, q[seen])
    rows = []
    for i, item in enumerate(fit.items):
        shared: dict[str, Any] = {"term": item, "group": "quasi-variance", "estimate": float(strength[i])}
        if not q[i] >= 0:
            why = "negative quasi-variance: this item has no comparison interval"
            rows.append(Row(**shared, undefined=why_not(state, errors, i) if errors.refused[i] else why))
            continue
        row, df = Row(**shared, method="quasi standard error"), None if np.isinf(errors.df[i]) else float(errors.df[i])
        rows.append(with_t(row, float(np.sqrt(q[i])), df, level, test=False))
    words = (
        "Standard errors of differences made from quasi-variances are wrong by "
        f"{number(100 * low_error, 1)} % to {number(100 * high_error, 1)} %."
    )
    return derived(
        fit, "Strengths with quasi-variances", rows, words, references=("firth2004",),
        extras={
            "quasi_variance": {fit.items[k]: float(q[k]) for k in seen}, "worst_errors": (low_error, high_error),
        },
    )  # fmt: skip


def contrast(fit: BradleyTerryResult, spec: str | Mapping[str, float], level: float) -> Result:
    """See `BradleyTerryResult.contrast`."""
    weights = _weights(fit, spec)
    known = {name: j for j, name in enumerate(fit.names)}
    unknown = [name for name in weights if name not in known]
    if unknown:
        raise InputError(f"no coefficient {quoted(unknown)} in this model; coefficients: {', '.join(fit.names[:20])}")
    state = fit.fitted_state
    c = np.zeros(len(fit.names))
    for name, weight in weights.items():
        c[known[name]] = weight
    if not np.isfinite(c).all() or not c.any():
        raise InputError(f"a contrast needs finite weights, not all zero; got {dict(weights)!r}")
    c = c @ state.transform  # coefficients as they are reported
    estimate = np.array([float(c @ state.fitted.beta)])
    label = spec if isinstance(spec, str) else " + ".join(f"{w:g} {name}" for name, w in weights.items())
    row = _wald_row(label, "contrast", estimate, c, state, level)
    words = (
        f"{label} = {number(row.estimate)}, {interval(row.conf_low, row.conf_high, level=level)}, "
        f"{p_value(row.p_value)} (log-odds)."
        if row.undefined is None
        else f"{label} = {number(row.estimate)} (log-odds); no interval: {row.undefined}."
    )
    return derived(fit, "Contrast of Bradley-Terry coefficients", [row], words, {"weights": dict(weights)})


def pairwise(fit: BradleyTerryResult, adjust: str, level: float) -> Result:
    """See `BradleyTerryResult.pairwise`."""
    methods: dict[str, Callable[[FloatArray], FloatArray]] = {
        "holm": holm, "bh": benjamini_hochberg, "none": np.asarray,
    }  # fmt: skip
    if adjust not in methods:
        raise InputError(f"adjust={adjust!r} is not one of {', '.join(map(repr, methods))}")
    strength, _ = require_strengths(fit)
    i, j = np.triu_indices(len(strength), 1)
    state, errors = fit.fitted_state, fit.fitted_state.differences
    difference = strength[i] - strength[j]
    tested = np.flatnonzero(errors.std_error > 0)
    rows = with_errors([
        Row(term=f"{fit.items[a]} - {fit.items[b]}", group="difference", estimate=float(difference[k]),
            method=f"Wald; {adjust} over {len(tested)} differences")
        for k, (a, b) in enumerate(zip(i, j, strict=True))
    ], state, errors, level)  # fmt: skip
    adjusted = np.full(len(i), np.nan)
    adjusted[tested] = methods[adjust](np.array([rows[k].p_value for k in tested], dtype=np.float64))
    for k in tested.tolist():
        rows[k] = replace(rows[k], p_adjusted=float(adjusted[k]))
    called = int((adjusted[tested] < 1 - level).sum())
    words = (
        f"{count(called)} of {count(len(rows), 'difference')} are settled at {100 * level:g}% "
        f"({adjust} over the family)."
        + (f" {count(len(rows) - len(tested))} cannot be tested." if len(tested) < len(rows) else "")
    )
    return derived(fit, "All differences of strengths", rows, words, {"adjust": adjust}, references=("holm1979",))


def effect_in_sds(fit: BradleyTerryResult, term: str, level: float) -> Result:
    """See `BradleyTerryResult.effect_in_sds`."""
    strength, _ = require_strengths(fit)
    if term not in fit.names or term in fit.items:
        raise InputError(
            f"no effect '{term}' in this model; effects: {', '.join(fit.names[len(fit.items) :]) or 'none'}"
        )
    state, n = fit.fitted_state, len(strength)
    cov = state.covariance
    effect = state.fitted.beta[fit.names.index(term)]
    sampling = float(np.trace(cov[:n, :n])) / (n - 1)  # E[var of estimates] = var of strengths + trace / (n - 1)
    variance = float(np.var(strength, ddof=1)) - sampling
    if variance <= 0:
        raise UndefinedStatistic(
            "the strengths vary no more than their sampling error: they have no sd to compare with"
        )
    sd = np.sqrt(variance)
    gradient = np.zeros(len(fit.names))
    gradient[fit.names.index(term)] = 1 / sd
    gradient[:n] = -effect * (strength - strength.mean()) / ((n - 1) * sd**3)
    ratio = float(effect / sd)
    row = _wald_row(f"{term} / sd of strengths", "ratio", np.array([ratio]), gradient, state, level)
    slope = (strength - strength.mean()) / ((n - 1) * sd)
    spread = _sd_row(float(sd), slope, fit, level)
    chance = _chance_row(float(effect - sd), slope, term, fit, level)
    words = (
        f"One step of {term} weighs as much as {number(ratio)} standard deviations of the strengths, "
        f"{ends_of(row)} (sd = {number(sd)} log-odds)."
    )
    return derived(
        fit, f"Effect of {term} in sds of the strengths", [row, spread, chance], words,
        extras={"sd": float(sd), "effect": term},
    )  # fmt: skip


def _sd_row(sd: float, slope: FloatArray, fit: BradleyTerryResult, level: float) -> Row:
    """Return the sd of the strengths, its interval made on the log scale; `slope` = d sd / d strengths."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = slope
    errors = state.errors(gradient)
    se = float(errors.std_error[0])
    if not se > 0:
        return Row(term="sd of strengths", group="spread", estimate=sd, undefined=why_not(state, errors, 0))
    reach = float(np.exp(critical_values(level, errors.df)[0] * se / sd))
    row = Row(term="sd of strengths", group="spread", estimate=sd, std_error=se, n_units=len(slope),
              method="delta method on the log scale")  # fmt: skip
    return with_ends(row, sd / reach, sd * reach, level)


def _chance_row(gap: float, slope: FloatArray, term: str, fit: BradleyTerryResult, level: float) -> Row:
    """Return how often an item one sd below another wins with one step more of `term`: expit(effect - sd)."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = -slope
    gradient[0, fit.names.index(term)] = 1.0
    errors = state.errors(gradient)
    se, p, label = float(errors.std_error[0]), float(expit(gap)), f"wins one sd below, one step of {term} above"
    if not se > 0:
        return Row(term=label, group="chance", estimate=p, undefined=why_not(state, errors, 0))
    reach = float(critical_values(level, errors.df)[0]) * se
    row = Row(term=label, group="chance", estimate=p, std_error=p * (1 - p) * se, n_units=len(slope),
              method="delta method on the logit scale")  # fmt: skip
    return with_ends(row, float(expit(gap - reach)), float(expit(gap + reach)), level)


def ends_of(row: Row, digits: int = 2) -> str:
    """Return the interval of a row in words, or why there is none; worths and probabilities without leading zero."""
    if row.conf_level is None:
        return f"no interval ({row.undefined})"
    bounded = row.group in ("worth", "probability")
    return interval(row.conf_low, row.conf_high, digits, level=row.conf_level, bounded=bounded)


def _weights(fit: BradleyTerryResult, spec: str | Mapping[str, float]) -> Mapping[str, float]:
    if not isinstance(spec, str):
        return spec
    for at in range(len(spec)):
        if spec.startswith(" - ", at):
            left, right = spec[:at].strip(), spec[at + 3 :].strip()
            if left in fit.names and right in fit.names and left != right:
                return {left: 1.0, right: -1.0}
    if spec in fit.names:
        return {spec: 1.0}
    raise InputError(
        f"contrast {spec!r} is not 'X - Y' with X and Y among the coefficients ({', '.join(fit.names[:20])}); "
        "or pass a mapping of names to weights"
    )


def _wald_row(term: str, group: str, estimate: FloatArray, contrast: FloatArray, state: State, level: float) -> Row:
    """Return the row of one linear function of the parameters."""
    row = Row(term=term, group=group, estimate=float(estimate[0]), method="Wald")
    return with_errors([row], state, state.errors(contrast[None, :]), level)[0]
