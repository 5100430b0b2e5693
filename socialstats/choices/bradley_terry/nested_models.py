"""Comparison of nested Bradley-Terry models: likelihood ratio, and the robust Wald test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.likelihoods import sums_by_code
from socialstats.choices.bradley_terry.model import PROBABLE
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, B_WON
from socialstats.errors import InputError
from socialstats.inference.intervals import not_zero
from socialstats.results import Result, Row
from socialstats.text import count, listing, number, p_value
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.result import BradleyTerryResult


def require_comparable(small: BradleyTerryResult, large: BradleyTerryResult) -> None:
    """Refuse fits of different rows or likelihoods, and those of which neither holds the other."""
    a = small.fitted_state
    b = large.fitted_state
    if a.penalised or b.penalised:
        raise InputError(
            "a likelihood-ratio test needs maximum-likelihood fits, without penalty or prior"
        )
    if a.ties == "half" or b.ties == "half":
        raise InputError(
            f"{option('ties', 'half')} is a quasi-likelihood and has no likelihood-ratio test; use "
            f"{option('ties', 'davidson')}"
        )
    totals_small, totals_large = (item_totals(fit.design) for fit in (small, large))
    if small.design.items != large.design.items or not np.allclose(totals_small, totals_large):
        raise InputError(
            f"the fits use different rows ({small.design.n_rows:,} and {large.design.n_rows:,})"
        )
    if a.ties != b.ties:
        raise InputError(
            f"{option('ties', a.ties)} and {option('ties', b.ties)} are not nested in each other"
        )
    if small.fit["df"] == large.fit["df"]:
        raise InputError("the two fits have the same number of parameters: nothing to test")
    effects = set(small.names) - set(small.items)
    if not effects <= set(large.names) or (small.items and not large.items):
        raise InputError(
            f"the models are not nested: {listing(sorted(effects - set(large.names)))} is only in the smaller"
        )


def item_totals(design: Comparisons) -> FloatArray:
    """Return rows, and wins and losses of every item."""
    # (1 + 2 items,): tables that agree in these are taken as the same comparisons
    n = len(design.items)
    items = (design.item_a, design.item_b)
    a_won, b_won = (design.weight * (design.outcome == won) for won in (A_WON, B_WON))
    wins, losses = (
        sums_by_code(items[0], x, n) + sums_by_code(items[1], y, n)
        for x, y in ((a_won, b_won), (b_won, a_won))
    )
    return np.concatenate([[design.n_rows], wins, losses])


def robust_wald_row(large: BradleyTerryResult, added: list[str], label: str) -> tuple[Row, str]:
    """Return the cluster-robust Wald test that all added terms are zero (HTZ), and its F in words."""
    state = large.fitted_state
    at = [large.names.index(name) for name in added]
    assert state.robust is not None
    row = Row(term=label, group="robust Wald", role="test")
    # strengths sum to 0: their contrasts, and not they, are tested
    if min(at) < state.data.n_items:
        return replace(row, undefined="strengths are compared by ranks() and pairwise()"), ""
    test = state.robust.joint(np.eye(len(large.names))[at], state.fitted.beta[at])
    if isinstance(test, str):
        return replace(row, undefined=test), ""
    law = f"F({test.df}, {number(test.df_denominator, 1)})"
    method = f"cluster-robust Wald, HTZ; p from {law} = {number(test.f, 4)}"
    row = replace(
        row, test="f", statistic=test.statistic, df=test.df, p_value=test.p, method=method
    )
    return row, f"{law} = {number(test.f)}"


def compare_nested_models(fit: BradleyTerryResult, other: BradleyTerryResult) -> Result:
    """Compare nested models by the likelihood ratio, with clusters by the robust Wald test."""
    small, large = sorted((fit, other), key=lambda fit: int(fit.fit["df"]))
    require_comparable(small, large)
    added = [name for name in large.names if name not in small.names]
    label = listing(added)
    # strengths are added together, and need no list
    if len(added) > 5 and set(large.items) & set(added):
        label = "item strengths"
    df = int(large.fit["df"]) - int(small.fit["df"])
    clustered = large.fitted_state.robust is not None
    row = Row(
        term=label,
        group="likelihood ratio",
        role="test",
        test="chi2",
        df=df,
        method=f"likelihood ratio{'; treats rows as independent' if clustered else ''}",
    )
    if large.fitted_state.probable:
        statistic = 0.0
        row = replace(row, undefined=f"{PROBABLE} likelihood ratio")
    else:
        # below 0 by rounding where the added terms change nothing
        statistic = max(2 * (large.log_likelihood - small.log_likelihood), 0.0)
        row = replace(row, statistic=statistic, p_value=float(not_zero(chdtrc(df, statistic))))
    rows = [row]
    statistic_text = f"\u03c7\u00b2({count(df)}) = {number(statistic)}"
    if clustered:
        robust, statistic_text = robust_wald_row(large, added, label)
        rows = [robust, *rows]
    leading = rows[0]
    words = f"Adding {label}: no test ({leading.undefined})."
    if leading.p_value is not None:
        test = f"{statistic_text}, {p_value(leading.p_value)} ({leading.group})"
        words = f"Adding {label}: {test}."
    title = "Comparison of nested models"
    inference = str(leading.group)
    return large._derived(title, rows, words, extras={"small": small}, inference=inference)
