"""Predicted outcome probabilities of one comparison, with intervals on the logit scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Covariate
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_values
from socialstats.inference.rows import with_ends
from socialstats.metrics.bradley_terry.derived import derived, ends_of
from socialstats.metrics.bradley_terry.state import why_not
from socialstats.metrics.bradley_terry.terms import effect_columns, is_used
from socialstats.results import Result, Row
from socialstats.text import number

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.result import BradleyTerryResult

FIRST = {"a": 1.0, "b": -1.0, "neither": 0.0}


def predict(
    fit: BradleyTerryResult,
    item_a: str,
    item_b: str,
    first: str,
    covariates: Mapping[str, tuple[Any, Any]],
    level: float,
) -> Result:
    """See `BradleyTerryResult.predict`."""
    state = fit.fitted_state
    if first not in FIRST:
        raise InputError(f"first={first!r} is not one of {', '.join(map(repr, FIRST))}")
    x = _predictor(fit, item_a, item_b, FIRST[first], covariates)
    model, beta = state.model, state.fitted.beta
    eta = np.array([x @ beta[: len(x)]])
    tau = beta[-1] if model.tie_term else 0.0
    p = model.probabilities(eta, tau)[:, 0]
    by_eta, by_tau = (s[:, 0] for s in model.scores(eta, tau))
    rows = []
    for k, term in enumerate((f"{item_a} wins", f"{item_b} wins", "tie")[: 3 if model.tie_term else 2]):
        rest = float(np.delete(p, k).sum())  # 1 - p without cancellation
        if p[k] == 0 or rest == 0:
            why = "the probability is closer to 0 or 1 than a floating-point number can be"
            rows.append(Row(term=term, group="probability", undefined=why))
            continue
        gradient = np.append(by_eta[k] * x, by_tau[k]) if model.tie_term else by_eta[k] * x
        gradient = gradient / rest  # d logit p = d log p / (1 - p)
        errors = state.errors(gradient[None, :])
        if errors.refused[0]:
            why = why_not(state, errors, 0)
            rows.append(Row(term=term, group="probability", estimate=float(p[k]), undefined=why))
            continue
        se = float(errors.std_error[0])
        at, reach = np.log(p[k]) - np.log(rest), critical_values(level, errors.df)[0] * se
        row = Row(term=term, group="probability", estimate=float(p[k]), std_error=float(se * p[k] * rest),
                  method="delta method on the logit scale")  # fmt: skip
        rows.append(with_ends(row, float(expit(at - reach)), float(expit(at + reach)), level))
    win = rows[0]
    words = (
        f"{item_a} is expected to win against {item_b} with probability {number(win.estimate, bounded=True)}, "
        f"{ends_of(win)}."
    )
    compared = {"items": (item_a, item_b), "first": FIRST[first], "covariates": dict(covariates)}
    return derived(fit, "Predicted outcome", rows, words, compared)


def _predictor(
    fit: BradleyTerryResult, item_a: str, item_b: str, first: float, covariates: Mapping[str, tuple[Any, Any]]
) -> FloatArray:
    """Return the row of the design (without tau) for one comparison."""
    state, design = fit.fitted_state, fit.design
    for item in (item_a, item_b):
        if item not in design.items:
            raise InputError(f"'{item}' is not an item of this fit; items: {', '.join(design.items[:20])}")
    if item_a == item_b:
        raise InputError(f"'{item_a}' cannot be compared with itself; name two items")
    x = np.zeros(state.data.n_items)
    if state.data.free:
        x[design.items.index(item_a)] += 1
        x[design.items.index(item_b)] -= 1
    order = np.array([first]) if state.options.order else np.zeros(0)
    if state.options.formula is None:
        return np.concatenate([x, order])
    z = _effects(design, state.options.formula, covariates)
    return np.concatenate([x, order, z])


def _effects(design: Any, formula: str, covariates: Mapping[str, tuple[Any, Any]]) -> FloatArray:
    """Evaluate the formula for new values, beside the fitted ones so that categories are coded alike."""
    used = {name: c for name, c in design.covariates.items() if is_used(name, formula)}
    missing = [name for name in used if name not in covariates]
    if missing:
        raise InputError(f"the formula needs covariates={{'{missing[0]}': (value of a, value of b)}}")
    new = {}
    for name, c in used.items():
        a, b = covariates[name]
        if c.a.dtype == object and not {str(a), str(b)} <= set(c.a) | set(c.b):
            raise InputError(f"covariate '{name}': {a!r} or {b!r} does not occur in the data")
        values = [np.append(side, str(v) if c.a.dtype == object else float(v)) for side, v in ((c.a, a), (c.b, b))]
        new[name] = Covariate(name=name, a=values[0].astype(c.a.dtype), b=values[1].astype(c.a.dtype))
    longer = replace(design, covariates=new, item_a=np.append(design.item_a, 0))
    matrix, _ = effect_columns(longer, formula, order=False)
    return np.asarray(matrix[-1])
