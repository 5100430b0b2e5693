"""Ranks of items with confidence sets, and quasi-variances."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from socialstats.choices.bradley_terry.covariance import (
    holm_rank_sets,
    quasi_variances,
    rank_sets,
    worst_errors,
)
from socialstats.choices.bradley_terry.model import undefined_reason
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.rows import with_ends, with_t
from socialstats.results import Result, Row
from socialstats.text import capital, count, number, quoted
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.result import BradleyTerryResult


FEWEST_DRAWS = 100
MOST_MAX_T = 200  # items: max-t tests take time with the cube of their number


def rank_items(
    fit: BradleyTerryResult,
    *,
    kind: Literal["marginal", "simultaneous"],
    level: float | None,
    draws: int,
    seed: int,
) -> Result:
    """Return ranks with confidence sets."""
    if kind not in ("marginal", "simultaneous"):
        raise InputError(f"{option('kind', kind)} is not one of 'marginal', 'simultaneous'")
    if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
        raise InputError(
            f"{option('seed', seed)}, {option('draws', draws)}: a seed is 0 or more, and draws at "
            f"least {FEWEST_DRAWS}"
        )
    strength = fit._require_strengths()
    level = fit._level(level)
    state = fit.fitted_state
    n = len(strength)
    simultaneous = kind == "simultaneous"
    drawn = ""
    if n > MOST_MAX_T:
        test = f"Holm (more than {MOST_MAX_T} items)"
        source = "holm1979"
        differences = strength[:, None] - strength
        p = state.conservative_p(strength)
        sets = holm_rank_sets(strength, differences, p, level=level, simultaneous=simultaneous)
    else:
        test = "max-t"
        source = "romanowolf2005"
        drawn = f", {draws} normal draws, seed {seed}"
        cov = state.covariance
        p = None
        if state.robust is not None:
            test = "max-t (model correlations, own errors and df)"
            cov = state.fitted.covariance
            p = state.difference_p(strength)
        sets = rank_sets(
            strength,
            cov[:n, :n],
            level=level,
            simultaneous=simultaneous,
            draws=draws,
            seed=seed,
            p=p,
        )
    rows = []
    method = f"{kind} {test} rank set, step-down"
    for k, item in enumerate(fit.items):
        row = Row(term=item, group="rank", key=(("item", item),), role="rank", method=method)
        row = replace(row, estimate=float(sets.rank[k]))
        rows.append(with_ends(row, float(sets.low[k]), float(sets.high[k]), level))
    width = float(np.mean(sets.high - sets.low + 1))
    covers = "they cover all ranks together" if simultaneous else "each covers its own rank"
    first = [r.term for r in rows if r.conf_low == 1]
    words = (
        f"{capital(kind)} {100 * level:g}% rank intervals contained {number(width, 1)} of {n} ranks on average "
        f"({covers}). {count(len(first), 'item')} had intervals that include rank 1 ({quoted(first)})."
    )
    return fit._derived(
        f"Ranks with {kind} confidence sets",
        rows,
        words,
        references=("mogstad2024", source),
        inference=f"{kind} sets from the {test} test{drawn}; {fit.inference}",
        settings={**fit.settings, "kind": kind, "draws": draws, "seed": seed},
    )


def compute_quasi_variances(fit: BradleyTerryResult) -> Result:
    """Return quasi-variances of the strengths."""
    strength = fit._require_strengths()
    state = fit.fitted_state
    level = fit._level(None)
    if len(strength) < 3:
        raise UndefinedStatistic(
            "quasi-variances need at least three items; two have one difference only"
        )
    errors = state.errors(np.eye(len(strength), len(fit.names)))
    estimable = np.flatnonzero(~np.isnan(errors.std_error))
    if len(estimable) < 3:
        raise UndefinedStatistic(
            "quasi-variances need at least three items whose strengths have standard errors"
        )
    first, second = np.triu_indices(len(strength), 1)
    # a difference on single clusters is refused where one of its strengths is; others lack variation
    constant = np.isnan(state.differences.std_error) & ~state.differences.refused
    if constant[np.isin(first, estimable) & np.isin(second, estimable)].any():
        raise UndefinedStatistic(
            "a difference between two items has no standard error: no quasi-variances"
        )
    cov = fit.strength_covariance[np.ix_(estimable, estimable)]
    # Firth & De Menezes (2004): q_i + q_j nears the variance of the difference of i and j
    q = np.full(len(strength), np.nan)
    q[estimable] = quasi_variances(cov)
    low_error, high_error = worst_errors(cov, q[estimable])
    rows = []
    for i, item in enumerate(fit.items):
        row = Row(
            term=item,
            group="quasi-variance",
            key=(("item", item),),
            role="estimate",
            estimate=float(strength[i]),
        )
        if q[i] >= 0:
            df = None if np.isinf(errors.df[i]) else float(errors.df[i])
            row = replace(row, method="quasi standard error")
            rows.append(with_t(row, float(np.sqrt(q[i])), df, level, test=False))
            continue
        why = "negative quasi-variance: this item has no comparison interval"
        rows.append(
            replace(row, undefined=why if i in estimable else undefined_reason(state, errors, i))
        )
    words = (
        "Standard errors of differences made from quasi-variances are wrong by "
        f"{number(100 * low_error, 1)}% to {number(100 * high_error, 1)}%."
    )
    by_item = {fit.items[k]: float(q[k]) for k in estimable}
    return fit._derived(
        "Strengths with quasi-variances",
        rows,
        words,
        references=("firth2004",),
        extras={"quasi_variance": by_item, "worst_errors": (low_error, high_error)},
    )
