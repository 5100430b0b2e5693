"""Tests of whole models: nested comparisons and goodness of fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, xlogy

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import A_WON, B_WON, Comparisons
from socialstats.errors import InputError, UndefinedStatistic, caution
from socialstats.inference.intervals import not_zero
from socialstats.metrics.bradley_terry.derived import derived
from socialstats.models.bradley_terry.data import sums
from socialstats.results import Result, Row
from socialstats.text import count, listing, number, p_value, percent

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.result import BradleyTerryResult

SMALL_EXPECTED = 5.0
NOT_FITTING = 0.01


def anova(one: BradleyTerryResult, other: BradleyTerryResult) -> Result:
    """See `BradleyTerryResult.anova`."""
    small, large = sorted((one, other), key=lambda fit: int(fit.fit["df"]))
    _require_comparable(small, large)
    added = [name for name in large.names if name not in small.names]
    df = int(large.fit["df"]) - int(small.fit["df"])
    statistic = max(2 * (large.log_likelihood - small.log_likelihood), 0.0)
    p = float(not_zero(chdtrc(df, statistic)))
    label = _added_label(added, large)
    note = "; treats rows as independent" if large.fitted_state.robust else ""
    lrt = Row(
        term=label, group="likelihood ratio", statistic=statistic, df=df, p_value=p, method=f"likelihood ratio{note}"
    )
    rows, cautions = [lrt], large.cautions
    said = f"\u03c7\u00b2({count(df)}) = {number(statistic)}"
    if large.fitted_state.robust is not None:
        robust, said = _wald(large, added, label)
        rows = [robust, lrt]
    lead = rows[0]
    words = f"Adding {label}: " + (
        f"no test ({lead.undefined})." if lead.p_value is None else f"{said}, {p_value(lead.p_value)} ({lead.group})."
    )
    return derived(large, "Comparison of nested models", rows, words, {"small": small}, cautions=cautions,
                   inference=str(rows[0].group))  # fmt: skip


def _require_comparable(small: BradleyTerryResult, large: BradleyTerryResult) -> None:
    a, b = small.fitted_state, large.fitted_state
    if a.penalised or b.penalised:
        raise InputError("a likelihood-ratio test needs maximum-likelihood fits, without penalty or prior")
    if a.ties == "half" or b.ties == "half":
        raise InputError("ties='half' is a quasi-likelihood and has no likelihood-ratio test; use ties='davidson'")
    if not _same_rows(small.design, large.design):
        raise InputError(f"the fits use different rows ({small.design.n_rows:,} and {large.design.n_rows:,})")
    if a.ties != b.ties:
        raise InputError(f"ties='{a.ties}' and ties='{b.ties}' are not nested in each other")
    if small.fit["df"] == large.fit["df"]:
        raise InputError("the two fits have the same number of parameters: nothing to test")
    effects = set(small.names) - set(small.items)
    if not effects <= set(large.names) or (small.items and not large.items):
        raise InputError(
            f"the models are not nested: {listing(sorted(effects - set(large.names)))} is only in the smaller"
        )


def _same_rows(one: Comparisons, other: Comparisons) -> bool:
    """Return whether two designs count the same wins and losses of the same items."""
    if one.n_rows != other.n_rows or one.items != other.items:
        return False
    return bool(np.allclose(_record(one), _record(other)))


def _record(design: Comparisons) -> FloatArray:
    """Return wins and losses of every item."""
    n, a_won, b_won = (
        len(design.items),
        design.weight * (design.outcome == A_WON),
        design.weight * (design.outcome == B_WON),
    )
    wins = np.bincount(design.item_a, a_won, n) + np.bincount(design.item_b, b_won, n)
    return np.stack([wins, np.bincount(design.item_a, b_won, n) + np.bincount(design.item_b, a_won, n)])


def _added_label(added: list[str], large: BradleyTerryResult) -> str:
    if len(added) > 5 and set(large.items) & set(added):
        return "item strengths"
    return listing(added)


def _wald(large: BradleyTerryResult, added: list[str], label: str) -> tuple[Row, str]:
    """Return the cluster-robust Wald test that all added terms are zero (HTZ), and its F in words."""
    state = large.fitted_state
    at = [large.names.index(name) for name in added]
    assert state.robust is not None
    if any(j < state.data.n_items for j in at):
        reason = "strengths are compared by ranks() and pairwise()"
        return Row(term=label, group="robust Wald", undefined=reason), ""
    test = state.robust.joint(np.eye(len(large.names))[at], state.fitted.beta[at])
    if isinstance(test, str):
        return Row(term=label, group="robust Wald", undefined=test), ""
    denominator = number(test.df_denominator, 1)
    return Row(
        term=label, group="robust Wald", statistic=test.statistic, df=test.df, p_value=test.p,
        method=f"cluster-robust Wald, HTZ; p from F({test.df}, {denominator}) = {number(test.f, 4)}",
    ), f"F({test.df}, {denominator}) = {number(test.f)}"  # fmt: skip


def goodness_of_fit(fit: BradleyTerryResult, cells: str) -> Result:
    """See `BradleyTerryResult.goodness_of_fit`."""
    if cells not in ("ordered", "pair", "total"):
        raise InputError(f"cells={cells!r} is not one of 'ordered', 'pair', 'total'")
    if fit.fitted_state.ties == "half":
        raise UndefinedStatistic("ties='half' has no likelihood and no goodness of fit; use ties='davidson'")
    table = _pair_totals(fit) if cells == "total" else _saturated(fit, cells)
    if table.df <= 0:
        raise UndefinedStatistic(f"the model has as many parameters as the {table.n_cells} cells: the fit is perfect")
    rows = [
        Row(term=name, group=f"{cells} cells", statistic=value, df=table.df,
            p_value=float(not_zero(chdtrc(table.df, value))), n_units=table.n_cells,
            method=f"{name}, {table.against}")
        for name, value in table.statistics.items()
    ]  # fmt: skip
    pearson = rows[-1]
    cautions = [c for c in fit.cautions if c.code == "SS207"]
    if pearson.p_value is not None and pearson.p_value < NOT_FITTING:
        cautions.append(caution(
            "SS104", f"Pearson's \u03c7\u00b2({table.df}) = {number(pearson.statistic, 1)}, {p_value(pearson.p_value)}",
            affects="model-based standard errors", fix="use cluster='pair' or vcov='sandwich'",
        ))  # fmt: skip
    words = (
        f"Pearson's \u03c7\u00b2({table.df}) = {number(pearson.statistic)}, {p_value(pearson.p_value)}, over "
        f"{count(table.n_cells, table.unit)}; {table.size}."
    )
    return derived(
        fit, "Goodness of fit", rows, words, cautions=tuple(cautions), inference="chi-squared approximation",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FitTable:
    """Statistics of fit over cells: names and values (Pearson last), df, cells, and in words how full they are."""

    statistics: dict[str, float]
    df: int
    n_cells: int
    size: str
    unit: str
    against: str


def _saturated(fit: BradleyTerryResult, cells: str) -> FitTable:
    """Compare outcome counts with their expectation, cell by cell (deviance and Pearson)."""
    state = fit.fitted_state
    observed, predictor, flipped = _tabulate(fit, cells)
    p = _probabilities(fit)[:, predictor]
    p[:2] = np.where(flipped, p[1::-1], p[:2])
    outcomes = 3 if state.model.tie_term else 2
    expected, observed = p[:outcomes] * observed.sum(axis=0), observed[:outcomes]
    return FitTable(
        statistics={
            "deviance": 2 * float(np.sum(xlogy(observed, observed) - xlogy(observed, expected))),
            "Pearson": float(np.sum((observed - expected) ** 2 / expected)),
        },
        df=observed.shape[1] * (outcomes - 1) - int(fit.fit["df"]), n_cells=observed.shape[1],
        size=f"{percent(np.mean(expected < SMALL_EXPECTED))} of the expected counts are below {SMALL_EXPECTED:g}",
        unit="cell", against="against the saturated model",
    )  # fmt: skip


def _pair_totals(fit: BradleyTerryResult) -> FitTable:
    """Compare each pair's total wins (ties as halves), over orders and covariates, with expectation and variance.

    Sees effects that belong to pairs, which cells of one or two rows each cannot show.
    """
    state = fit.fitted_state
    data, p = state.data, _probabilities(fit)
    n = data.w.sum(axis=0)
    mean = p[0] + 0.5 * p[2]
    _, pair = np.unique(data.a * (int(data.b.max()) + 1) + data.b, return_inverse=True)
    k = int(pair.max()) + 1
    won, expected, variance, rows = (
        sums(pair, x, k) for x in (data.w[0] + 0.5 * data.w[2], n * mean, n * (p[0] + 0.25 * p[2] - mean**2), n)
    )
    df = k - int(fit.fit["df"]) + (state.model.tie_term is not None)
    statistic = float(np.sum((won - expected) ** 2 / variance))
    return FitTable(
        statistics={"Pearson": statistic}, df=df, n_cells=k, unit="pair",
        size=f"{number(float(np.median(rows)), 0)} comparisons a pair (median)", against="total wins of each pair",
    )  # fmt: skip


def _probabilities(fit: BradleyTerryResult) -> FloatArray:
    state = fit.fitted_state
    tau = state.fitted.beta[-1] if state.model.tie_term else 0.0
    return state.model.probabilities(state.data.eta(state.fitted.beta), tau)


def _tabulate(fit: BradleyTerryResult, cells: str) -> tuple[FloatArray, Any, Any]:
    """Return outcome weights (3, cells) with the predictor of each cell and whether its sides are exchanged."""
    state, design = fit.fitted_state, fit.design
    data = state.data
    if cells == "pair":
        return data.w, np.arange(len(data.a)), np.zeros(len(data.a), dtype=bool)
    key = data.cell * 4 + data.flipped * 2 + (design.first > 0)
    distinct, example, code = np.unique(key, return_index=True, return_inverse=True)
    k = len(distinct)
    slot = design.outcome.astype(np.int64) * k + code.reshape(-1)
    observed = sums(slot, design.weight, 3 * k).reshape(3, k)
    return observed, data.cell[example], data.flipped[example]
