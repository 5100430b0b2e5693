"""What follows from a fit: worths, ranks, quasi-variances, contrasts, effects in standard deviations."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logsumexp

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.models.bradley_terry.quasi import quasi_variances, worst_errors
from socialstats.models.bradley_terry.ranks import rank_sets
from socialstats.models.intervals import benjamini_hochberg, critical_value, holm, wald
from socialstats.results import Result, Row, Verification
from socialstats.text import count, interval, number, p_value, quoted

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.result import BradleyTerryResult

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
FEWEST_DRAWS = 100


class FromFit(Result):
    """Numbers that follow from a fit by a formula; ``extras["fit"]`` is that fit."""

    __slots__ = ()

    def verify(self) -> Verification:
        """Recompute the numbers by their definitions, with derivatives taken numerically."""
        found: Verification = importlib.import_module("socialstats.crosscheck.pair_derived").verify(self)
        return found


def derived(
    fit: BradleyTerryResult, title: str, rows: list[Row], words: str, kind: type[Result] = Result, **more: Any
) -> Result:
    """Make a Result that belongs to a fit: same design, counts, cautions and inference unless given."""
    defaults: dict[str, Any] = {
        "inference": fit.inference, "counts": fit.counts, "settings": fit.settings, "cautions": fit.cautions,
        "references": fit.references, "design": fit.design,
    }  # fmt: skip
    return kind(metric="bradley_terry", title=title, rows=tuple(rows), words=words, **(defaults | more))


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
    se_log = np.sqrt(fit.fitted_state.variances(gradient))
    reach = critical_value(level, fit.fitted_state.df) * se_log
    rows = [
        Row(term=item, group="worth", estimate=float(w[i]), std_error=float(w[i] * se_log[i]),
            conf_low=float(w[i] * np.exp(-reach[i])), conf_high=float(min(w[i] * np.exp(reach[i]), 1.0)),
            conf_level=level, method="delta method on the log scale")
        for i, item in enumerate(fit.items)
    ]  # fmt: skip
    top = max(rows, key=lambda r: r.estimate or 0)
    words = (
        f"{top.term} has the largest worth, {number(top.estimate, 3, bounded=True)}, "
        f"{interval(top.conf_low, top.conf_high, 3, level=level, bounded=True)}, of a total of one "
        f"over {count(len(rows), 'item')}."
    )
    return derived(
        fit, "Bradley-Terry worths (sum one)", rows, words, kind=FromFit, references=("bradley1952",),
        extras={"fit": fit},
    )  # fmt: skip


def rank_table(fit: BradleyTerryResult, kind: str, level: float, draws: int, seed: int) -> Result:
    """See `BradleyTerryResult.ranks`."""
    if kind not in ("marginal", "simultaneous"):
        raise InputError(f"kind={kind!r} is not one of 'marginal', 'simultaneous'")
    if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
        raise InputError(f"seed={seed}, draws={draws}: a seed is 0 or more, and draws at least {FEWEST_DRAWS}")
    strength, cov = require_strengths(fit)
    sets = rank_sets(strength, cov, level=level, simultaneous=kind == "simultaneous", draws=draws, seed=seed,
        df=fit.fitted_state.df,
    )  # fmt: skip
    test = "Bonferroni t" if sets.bonferroni else "max-t"
    rows = [
        Row(term=item, group="rank", estimate=float(sets.rank[i]), conf_low=float(sets.low[i]),
            conf_high=float(sets.high[i]), conf_level=level, method=f"{kind} {test} rank set, step-down")
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
        inference=f"{kind} sets from the {test} test"
        + ("" if sets.bonferroni else f", {draws} normal draws, seed {seed}") + f"; {fit.inference}",
        settings={**fit.settings, "kind": kind, "draws": draws, "seed": seed},
    )  # fmt: skip


def quasi_table(fit: BradleyTerryResult) -> Result:
    """See `BradleyTerryResult.quasi_variances`."""
    strength, cov = require_strengths(fit)
    if len(strength) < 3:
        raise UndefinedStatistic("quasi-variances need at least three items; two have one difference only")
    level = fit.fitted_state.options.level
    q = quasi_variances(cov)
    low_error, high_error = worst_errors(cov, q)
    reach = critical_value(level, fit.fitted_state.df) * np.sqrt(np.maximum(q, 0))
    rows = []
    for i, item in enumerate(fit.items):
        shared: dict[str, Any] = {"term": item, "group": "quasi-variance", "estimate": float(strength[i])}
        if q[i] < 0:
            rows.append(Row(**shared, undefined="negative quasi-variance: this item has no comparison interval"))
            continue
        rows.append(Row(
            **shared, std_error=float(np.sqrt(q[i])), conf_low=float(strength[i] - reach[i]),
            conf_high=float(strength[i] + reach[i]), conf_level=level, method="quasi standard error",
        ))  # fmt: skip
    words = (
        "Standard errors of differences made from quasi-variances are wrong by "
        f"{number(100 * low_error, 1)} % to {number(100 * high_error, 1)} %."
    )
    return derived(
        fit, "Strengths with quasi-variances", rows, words, references=("firth2004",),
        extras={
            "quasi_variance": dict(zip(fit.items, q.tolist(), strict=True)), "worst_errors": (low_error, high_error),
        },
    )  # fmt: skip


def contrast(fit: BradleyTerryResult, spec: str | Mapping[str, float], level: float) -> Result:
    """See `BradleyTerryResult.contrast`."""
    from socialstats.metrics.bradley_terry.state import reference_transform

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
    c = c @ reference_transform(fit.design, state)  # coefficients as they are reported
    estimate = float(c @ state.fitted.beta)
    se = float(state.variances(c[None, :])[0]) ** 0.5
    label = spec if isinstance(spec, str) else " + ".join(f"{w:g} {name}" for name, w in weights.items())
    row = _wald_row(label, "contrast", estimate, se, state.df, level)
    words = (
        f"{label} = {number(estimate)}, {interval(row.conf_low, row.conf_high, level=level)}, "
        f"{p_value(row.p_value)} (log-odds)."
    )
    return derived(fit, "Contrast of Bradley-Terry coefficients", [row], words)


def pairwise(fit: BradleyTerryResult, adjust: str, level: float) -> Result:
    """See `BradleyTerryResult.pairwise`."""
    methods: dict[str, Callable[[FloatArray], FloatArray]] = {
        "holm": holm, "bh": benjamini_hochberg, "none": np.asarray,
    }  # fmt: skip
    if adjust not in methods:
        raise InputError(f"adjust={adjust!r} is not one of {', '.join(map(repr, methods))}")
    strength, _ = require_strengths(fit)
    i, j = np.triu_indices(len(strength), 1)
    difference = strength[i] - strength[j]
    se = np.sqrt(fit.fitted_state.difference_variances(i, j))
    if np.any(se == 0):
        from socialstats.metrics.bradley_terry.state import no_error

        raise UndefinedStatistic(f"some differences cannot be tested: {no_error(fit.fitted_state)}")
    df = fit.fitted_state.df
    low, high, z, p = wald(difference, se, df=df, level=level)
    adjusted = methods[adjust](p)
    rows = [
        Row(term=f"{fit.items[a]} - {fit.items[b]}", group="difference", estimate=float(difference[k]),
            std_error=float(se[k]), conf_low=float(low[k]), conf_high=float(high[k]), conf_level=level,
            statistic=float(z[k]), df=df, p_value=float(p[k]), p_adjusted=float(adjusted[k]),
            method=f"Wald; {adjust} over {len(i)} differences")
        for k, (a, b) in enumerate(zip(i, j, strict=True))
    ]  # fmt: skip
    called = int((adjusted < 1 - level).sum())
    words = (
        f"{count(called)} of {count(len(rows), 'difference')} are settled at {100 * level:g}% "
        f"({adjust} over the family)."
    )
    return derived(fit, "All differences of strengths", rows, words, references=("holm1979",))


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
    row = _wald_row(
        f"{term} / sd of strengths",
        "ratio",
        ratio,
        float(np.sqrt(state.variances(gradient[None, :])[0])),
        state.df,
        level,
    )
    slope = (strength - strength.mean()) / ((n - 1) * sd)
    spread = _sd_row(float(sd), slope, fit, level)
    chance = _chance_row(float(effect - sd), slope, term, fit, level)
    words = (
        f"One step of {term} weighs as much as {number(ratio)} standard deviations of the strengths, "
        f"{interval(row.conf_low, row.conf_high, level=level)} (sd = {number(sd)} log-odds)."
    )
    return derived(
        fit, f"Effect of {term} in sds of the strengths", [row, spread, chance], words, kind=FromFit,
        extras={"sd": float(sd), "fit": fit, "effect": term},
    )  # fmt: skip


def _sd_row(sd: float, slope: FloatArray, fit: BradleyTerryResult, level: float) -> Row:
    """Return the sd of the strengths, its interval made on the log scale; `slope` = d sd / d strengths."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = slope
    se = float(np.sqrt(state.variances(gradient)[0]))
    if se == 0:
        return Row(term="sd of strengths", group="spread", estimate=sd, undefined="standard error is zero")
    reach = float(np.exp(critical_value(level, state.df) * se / sd))
    return Row(
        term="sd of strengths", group="spread", estimate=sd, std_error=se, conf_low=sd / reach, conf_high=sd * reach,
        conf_level=level, n_units=len(slope), method="delta method on the log scale",
    )  # fmt: skip


def _chance_row(gap: float, slope: FloatArray, term: str, fit: BradleyTerryResult, level: float) -> Row:
    """Return how often an item one sd below another wins with one step more of `term`: expit(effect - sd)."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = -slope
    gradient[0, fit.names.index(term)] = 1.0
    se = float(np.sqrt(state.variances(gradient)[0]))
    reach = critical_value(level, state.df) * se
    p = float(expit(gap))
    return Row(
        term=f"wins one sd below, one step of {term} above", group="chance", estimate=p, std_error=p * (1 - p) * se,
        conf_low=float(expit(gap - reach)), conf_high=float(expit(gap + reach)), conf_level=level,
        n_units=len(slope), method="delta method on the logit scale",
    )  # fmt: skip


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


def _wald_row(term: str, group: str, estimate: float, se: float, df: float | None, level: float) -> Row:
    if se == 0:
        return Row(term=term, group=group, estimate=estimate, undefined="standard error is zero")
    low, high, z, p = wald(np.array([estimate]), np.array([se]), df=df, level=level)
    return Row(
        term=term, group=group, estimate=estimate, std_error=se, conf_low=float(low[0]), conf_high=float(high[0]),
        conf_level=level, statistic=float(z[0]), df=df, p_value=float(p[0]), method="Wald",
    )  # fmt: skip
