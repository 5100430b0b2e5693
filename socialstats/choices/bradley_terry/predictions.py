"""Predictions of a Bradley-Terry model for comparisons that were or were not made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.cells import SIDES, NewComparison, read_new_comparisons
from socialstats.choices.bradley_terry.model import (
    add_zero_covariates,
    effect_columns,
    interval_or_reason,
    is_used,
    undefined_reason,
)
from socialstats.designs.calls import TableLike
from socialstats.designs.square_tables import matrix
from socialstats.designs.vectors import array_columns
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results import Result, Row
from socialstats.text import number
from socialstats.voice import Word, option

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.result import BradleyTerryResult


def effects_of_new_values(
    design: Any, formula: str, new: Sequence[Mapping[str, tuple[Any, Any]]]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Evaluate the formula for new values, beside the fitted ones so that categories are coded alike.

    Returns
    -------
    (k, effects) array
    tuple of str
        Names of the effects.
    """
    used = {name: c for name, c in design.covariates.items() if is_used(name, formula)}
    missing = [name for name in used if any(name not in covariates for covariates in new)]
    if missing:
        new_values = {missing[0]: (Word("value of a"), Word("value of b"))}
        raise InputError(f"the formula needs {option('covariates', new_values)}")
    longer = {}
    for name, c in used.items():
        levels = set(c.a) | set(c.b) if c.a.dtype == object else set()
        sides = []
        for side, old in enumerate((c.a, c.b)):
            values = [covariates[name][side] for covariates in new]
            if c.a.dtype == object and (unknown := [v for v in values if str(v) not in levels]):
                raise InputError(f"covariate '{name}': {unknown[0]!r} does not occur in the data")
            added = [str(v) if c.a.dtype == object else float(v) for v in values]
            sides.append(np.append(old, np.array(added, dtype=old.dtype)))
        longer[name] = replace(c, a=sides[0], b=sides[1])
    item_a = np.append(design.item_a, np.zeros(len(new), dtype=design.item_a.dtype))
    # new values stand for no row: they move no mean or knot
    rows = np.append(design.count, np.zeros(len(new)))
    longer_design = replace(design, covariates=longer, item_a=item_a, count=rows)
    matrix, names = effect_columns(longer_design, formula, order=False)
    return np.asarray(matrix[len(design.item_a) :]), names


def predict_comparisons(
    fit: BradleyTerryResult,
    item_a: str | TableLike,
    item_b: str | None,
    *,
    first: Literal["a", "b", "neither"],
    covariates: Mapping[str, tuple[Any, Any]] | None,
    level: float | None,
) -> Result:
    """Return probabilities of the outcomes of comparisons."""
    if first not in SIDES:
        raise InputError(f"{option('first', first)} is not one of {', '.join(map(repr, SIDES))}")
    level = fit._level(level)
    if isinstance(item_a, str) and item_b is not None:
        values = dict(covariates or {})
        new = [NewComparison(items=(item_a, item_b), first=SIDES[first], covariates=values)]
    elif item_b is not None or covariates is not None:
        raise InputError(
            "predict() takes two items, or one table that holds the covariates as well"
        )
    else:
        new = comparisons_to_predict(fit, item_a, SIDES[first])
    x = linear_predictors(fit, new)
    beta = fit.fitted_state.fitted.beta
    model = fit.fitted_state.model
    eta = x @ beta[: x.shape[1]]
    tau = beta[-1] if model.tie_term else 0.0
    p = model.probabilities(eta, tau)
    by_eta, by_tau = model.scores(eta, tau)
    rows: list[Row] = []
    # rows of two items that are compared more than once are told apart by their place
    pairs = Counter(comparison.items for comparison in new)
    for j, comparison in enumerate(new):
        a, b = comparison.items
        outcomes = [f"{a} wins", f"{b} wins"]
        gradient = by_eta[:, [j]] * x[j]  # slopes of log p of each outcome, (outcomes, p)
        if by_tau is not None:
            outcomes.append("tie")
            gradient = np.column_stack([gradient, by_tau[:, j]])
        for k, term in enumerate(outcomes):
            row = Row(term=term, group="probability", key=(("outcome", term),), role="estimate")
            if not isinstance(item_a, str):
                pair = f"{a} against {b}" + f", row {j}" * (pairs[a, b] > 1)
                row = replace(row, group=pair, key=(("row", str(j)), ("outcome", term)))
            complement = float(np.delete(p[:, j], k).sum())  # 1 - p without cancellation
            if p[k, j] == 0 or complement == 0:
                why = "the probability is closer to 0 or 1 than a floating-point number can be"
                rows.append(replace(row, undefined=why))
                continue
            row = replace(row, estimate=float(p[k, j]))
            logit = np.array([np.log(p[k, j]) - np.log(complement)])
            slope = gradient[[k]] / complement  # d logit p = d log p / (1 - p)
            rows += fit._delta([row], logit, slope, "logit", level, within=(0.0, 1.0))
    a, b = new[0].items
    words = f"{a} had win probability {number(rows[0].shown())} against {b}, "
    if len(new) == 1:
        words += f"{interval_or_reason(rows[0])}."
    else:
        words += f"the first of {len(new)} comparisons."
    return fit._derived("Predicted outcome", rows, words, extras={"new": new})


def predict_win(fit: BradleyTerryResult, winner: str, loser: str, *, level: float | None) -> Result:
    """Return the probability that one item wins against another."""
    # Davidson's tie parameter cancels among decided comparisons
    contrast = np.zeros(len(fit.names))
    contrast[[fit.names.index(name) for name in (winner, loser)]] = 1.0, -1.0
    gap = np.array([fit.strengths[winner] - fit.strengths[loser]])
    row = Row(
        term=f"{winner} beats {loser}",
        group="win_probability",
        key=(("item", winner), ("other", loser)),
        role="estimate",
        estimate=float(expit(gap[0])),
        limits=(0.0, 1.0),
    )
    rows = fit._delta([row], gap, contrast[None, :], "logit", fit._level(level), within=(0.0, 1.0))
    words = (
        f"{winner} had win probability {number(rows[0].shown())} against {loser}, "
        f"{interval_or_reason(rows[0])} (decided comparisons)."
    )
    return fit._derived("Probability of winning a decided comparison", rows, words)


def linear_predictors(fit: BradleyTerryResult, new: Sequence[NewComparison]) -> FloatArray:
    """Return what the fit adds up for each comparison."""
    items = fit.design.items
    options = fit.fitted_state.options
    for item in dict.fromkeys(item for comparison in new for item in comparison.items):
        if item not in items:
            raise InputError(f"'{item}' is not an item of this fit; items: {', '.join(items[:20])}")
    repeated = next((a for a, b in (comparison.items for comparison in new) if a == b), None)
    if repeated is not None:
        raise InputError(f"'{repeated}' cannot be compared with itself; name two items")
    column = {item: k for k, item in enumerate(fit.items)}
    x = np.zeros((len(new), len(fit.items)))
    for comparison, row in zip(new, x, strict=True):
        if column:  # a model without strengths has no columns of items
            row[[column[item] for item in comparison.items]] = 1.0, -1.0
    order = np.zeros((len(new), 0))
    if options.order:
        order = np.array([[comparison.first] for comparison in new])
    z = np.zeros((len(new), 0))
    if options.formula is not None:
        design = add_zero_covariates(fit.design, fit.fitted_state.streamed)
        z, terms = effects_of_new_values(
            design, options.formula, [comparison.covariates for comparison in new]
        )
        unknown = [term for term in terms if term not in fit.names]
        if unknown:
            raise InputError(
                f"the new values need the effect '{unknown[0]}', and the fit has no such level"
            )
    return np.hstack([x, order, z])


def compute_effect_in_sds(fit: BradleyTerryResult, term: str, *, level: float | None) -> Result:
    """Return an effect in standard deviations of the strengths."""
    strength = fit._require_strengths()
    level = fit._level(level)
    state = fit.fitted_state
    n = len(strength)
    if term not in fit.names[n:]:
        raise InputError(
            f"no effect '{term}' in this model; effects: {', '.join(fit.names[n:]) or 'none'}"
        )
    column = fit.names.index(term)
    effect = state.fitted.beta[column]
    errors = state.strength_errors
    undefined = np.flatnonzero(np.isnan(errors.std_error[:n]) & ~errors.refused[:n])
    if len(undefined):
        why = undefined_reason(state, errors, int(undefined[0]))
        raise UndefinedStatistic(
            f"the sampling error of the strengths is unknown, and with it their SD: {why}"
        )
    # E[variance of the estimates] = variance of the strengths + trace / (n - 1)
    sampling = float(np.trace(fit.strength_covariance)) / (n - 1)
    variance = float(np.var(strength, ddof=1)) - sampling
    if variance <= 0:
        raise UndefinedStatistic(
            "the strengths vary no more than their sampling error: they have no SD to compare with"
        )
    sd = float(np.sqrt(variance))
    # derivatives
    by_sd = np.zeros(len(fit.names))
    by_effect = np.zeros(len(fit.names))
    by_sd[:n] = (strength - strength.mean()) / ((n - 1) * sd)
    by_effect[column] = 1.0
    ratio = float(effect / sd)
    gap = float(effect - sd)
    key = (("effect", term),)
    row = Row(term=f"{term} / SD of strengths", group="ratio", key=key, role="estimate")
    row = replace(row, estimate=ratio)
    row = fit._wald(row, by_effect / sd - by_sd * effect / sd**2, level)
    spread = Row(term="SD of strengths", group="spread", role="spread", estimate=sd)
    chance = Row(
        term=f"wins one SD below, one step of {term} above",
        group="chance",
        key=key,
        role="component",
        estimate=float(expit(gap)),
    )
    # derivatives of log sd, and of the logit of the chance, which is effect - sd
    by_log_sd = by_sd[None, :] / sd
    by_gap = (by_effect - by_sd)[None, :]
    spreads = fit._delta([spread], np.log([sd]), by_log_sd, "log", level, n_units=n)
    chances = fit._delta(
        [chance], np.array([gap]), by_gap, "logit", level, n_units=n, within=(0.0, 1.0)
    )
    rows = [row, *spreads, *chances]
    words = (
        f"One step of {term} equalled {number(ratio)} SD of the strengths, {interval_or_reason(row)} "
        f"(SD = {number(sd)} log-odds). An item 1 SD weaker but one step higher in {term} had win probability "
        f"{number(rows[2].shown())}, {interval_or_reason(rows[2])}."
    )
    title = f"Effect of {term} in SD of the strengths"
    return fit._derived(title, rows, words, extras={"sd": sd, "effect": term})


def comparisons_to_predict(
    fit: BradleyTerryResult, table: TableLike, first: float
) -> list[NewComparison]:
    """Return new comparisons of the fit's items."""
    if (cells := matrix(table)) is not None:
        table = dict(zip(("item_a", "item_b"), array_columns(cells), strict=False))
    options = fit.fitted_state.options
    text = options.formula
    names = fit.design.covariate_names
    needed = [] if text is None else [name for name in names if is_used(name, text)]
    return read_new_comparisons(fit.design, table, needed, order=bool(options.order), first=first)
