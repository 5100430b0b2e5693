"""Goodness of fit of a Bradley-Terry model, against its cells or the totals of pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import chdtrc, xlogy

from socialstats.choices.bradley_terry.cells import ordered_cells, outcome_probabilities
from socialstats.choices.bradley_terry.likelihoods import sums_by_code
from socialstats.choices.bradley_terry.model import PROBABLE
from socialstats.errors import InputError, UndefinedStatistic, caution
from socialstats.inference.intervals import not_zero
from socialstats.results import Result, Row
from socialstats.text import count, number, p_value, percent
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.result import BradleyTerryResult


# expected counts below which chi-squared distributions are doubtful (Cochran, 1954)
SMALL_EXPECTED = 5.0
NOT_FITTING = 0.01  # p of Pearson's test below which a caution is given


class GoodnessOfFit(NamedTuple):
    """Test statistics (Pearson's last), their degrees of freedom, and the cells with how full they are, in words."""

    statistics: dict[str, float]
    df: int
    n_cells: int
    fullness: str


def fit_of_cells(fit: BradleyTerryResult, cells: str) -> GoodnessOfFit:
    """Compare outcome counts with their expectation, cell by cell (deviance and Pearson)."""
    state = fit.fitted_state
    design = fit.design
    data = fit.fitted_state.data
    observed = data.w  # (3, predictors): wins of a, of b, and ties
    predictor = np.arange(len(data.a))
    if cells == "ordered":
        tabulated = ordered_cells(design, state)
        observed = tabulated.observed
        predictor = tabulated.predictor
    outcomes = 3 if state.model.tie_term else 2
    expected = outcome_probabilities(state)[:outcomes, predictor] * observed.sum(axis=0)
    observed = observed[:outcomes]
    statistics = {
        "deviance": 2 * float(np.sum(xlogy(observed, observed) - xlogy(observed, expected))),
        "Pearson": float(np.sum((observed - expected) ** 2 / expected)),
    }
    small = percent(np.mean(expected < SMALL_EXPECTED))
    fullness = f"{small} of the expected counts are below {SMALL_EXPECTED:g}"
    # the outcomes of a cell sum to its size
    df = len(predictor) * (outcomes - 1) - int(fit.fit["df"])
    return GoodnessOfFit(statistics, df, len(predictor), fullness)


def fit_of_pair_totals(fit: BradleyTerryResult) -> GoodnessOfFit:
    """Compare each pair's total wins (ties as halves), over orders and covariates, with expectation and variance.

    Sees effects that belong to pairs, which cells of one or two rows each cannot show.
    """
    state = fit.fitted_state
    pairs = fit.counts["pairs"]
    data = state.data
    p = outcome_probabilities(state)
    # the score of a comparison is 1, 1/2 or 0, with this mean and variance
    n = data.w.sum(axis=0)
    mean = p[0] + 0.5 * p[2]
    parts = data.w[0] + 0.5 * data.w[2], n * mean, n * (p[0] + 0.25 * p[2] - mean**2), n
    won, expected, variance, rows = (sums_by_code(data.pair, x, pairs) for x in parts)
    # totals of halves do not tell how often there are ties: its parameter costs no df
    df = pairs - int(fit.fit["df"]) + (state.model.tie_term is not None)
    fullness = f"{number(float(np.median(rows)), 0)} comparisons per pair (median)"
    pearson = float(np.sum((won - expected) ** 2 / variance))
    return GoodnessOfFit({"Pearson": pearson}, df, pairs, fullness)


def test_goodness_of_fit(
    fit: BradleyTerryResult, *, cells: Literal["ordered", "pair", "total"]
) -> Result:
    """Return deviance and Pearson's chi-squared against the saturated model of the cells."""
    if fit.fitted_state.streamed:
        return fit.in_memory().goodness_of_fit(cells=cells)
    if cells not in ("ordered", "pair", "total"):
        raise InputError(f"{option('cells', cells)} is not one of 'ordered', 'pair', 'total'")
    if fit.fitted_state.ties == "half":
        raise UndefinedStatistic(
            f"{option('ties', 'half')} has no likelihood and no goodness of fit; use "
            f"{option('ties', 'davidson')}"
        )
    if fit.fitted_state.probable:
        raise UndefinedStatistic(f"{PROBABLE} goodness of fit")
    total = cells == "total"
    test = fit_of_pair_totals(fit) if total else fit_of_cells(fit, cells)
    df = test.df
    size = test.n_cells
    if df <= 0:
        raise UndefinedStatistic(
            f"the model has as many parameters as the {size} cells: the fit is perfect"
        )
    against = "total wins of each pair" if total else "against the saturated model"
    rows = []
    for name, value in test.statistics.items():
        row = Row(term=name, group=f"{cells} cells", role="test", method=f"{name}, {against}")
        tail = float(not_zero(chdtrc(df, value)))
        rows.append(replace(row, test="chi2", statistic=value, df=df, n_units=size, p_value=tail))
    pearson = rows[-1].statistic
    p = rows[-1].p_value
    # the fit's caution on weights is about its likelihood, the others about its errors
    cautions = [c for c in fit.cautions if c.code == "SS207"]
    if p is not None and p < NOT_FITTING:
        cautions.append(
            caution(
                "SS104",
                f"Pearson's \u03c7\u00b2({df}) = {number(pearson, 1)}, {p_value(p)}",
                affects="model-based standard errors",
                fix=f"use {option('cluster', 'pair')} or {option('vcov', 'sandwich')}",
            )
        )
    words = (
        f"Pearson's \u03c7\u00b2({df}) = {number(pearson)}, {p_value(p)}, over "
        f"{count(size, 'pair' if total else 'cell')}; {test.fullness}."
    )
    inference = "chi-squared approximation"
    return fit._derived(
        "Goodness of fit", rows, words, cautions=tuple(cautions), inference=inference
    )
