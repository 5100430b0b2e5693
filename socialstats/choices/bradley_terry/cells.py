"""A Bradley-Terry fit cell by cell: fitted values, residuals and leverages, as of grouped binomial data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import xlogy

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.choices.bradley_terry.likelihoods import weight_table
from socialstats.designs.calls import TableLike, open_table
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.tables.lazy import collected
from socialstats.text import meant

if TYPE_CHECKING:
    import pandas as pd

    from socialstats.choices.bradley_terry.model import FitState

ResidualKind = Literal["response", "pearson", "deviance"]
SIDES = {"a": 1.0, "b": -1.0, "neither": 0.0}
BLOCK = 4096  # rows of the design that are multiplied by the covariance at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TabulatedCells:
    """Comparisons of the same two items, in the same order, with the same values of order effect and covariates.

    Attributes
    ----------
    predictor : (k,) int64 array
        Predictor of each cell, index into the columns of `PairData.w`.
    flipped : (k,) bool array
        Where item_a of the table is b of the predictor.
    observed : (3, k) array
        Weight of wins of the predictor's a, of its b, and of ties.
    """

    predictor: IntArray
    flipped: BoolArray
    observed: FloatArray


def ordered_cells(design: Comparisons, state: FitState) -> TabulatedCells:
    """Return the cells of a fit as tabulated: (item_a, item_b) and (item_b, item_a) are two."""
    data = state.data
    flipped = design.item_a > design.item_b
    # one number for predictor, side of the table and who is shown first
    key = data.cell * 4 + flipped * 2 + (design.first > 0)
    distinct, example, code = np.unique(key, return_index=True, return_inverse=True)
    return TabulatedCells(
        predictor=data.cell[example],
        flipped=flipped[example],
        observed=weight_table(data.outcome, code, design.weight, len(distinct)),
    )


def augmented_table(design: Comparisons, state: FitState) -> pd.DataFrame:
    """Return the cells of a fit with fitted values, residuals and leverages; see `BradleyTerryResult.augment`."""
    import pandas as pd

    cells = ordered_cells(design, state)
    data = state.data
    at = cells.predictor
    side = np.where(cells.flipped, -1.0, 1.0)
    tied = state.model.tie_term is not None
    w = cells.observed
    if not tied:  # a tie is two halves
        w = w[:2] + w[2] / 2
    # p is (outcomes, cells)
    n = w.sum(axis=0)
    p = outcome_probabilities(state)[: len(w), at]
    # a win of item_a is 1, a loss -1
    score = side * (w[0] - w[1])
    mean = side * n * (p[0] - p[1])
    # variance of a comparison's score: without ties p[0] + p[1] is 1, and nothing cancels
    variance = p[0] + p[1] - (p[0] - p[1]) ** 2 if tied else 4 * p[0] * p[1]
    # twice the sum of w log(w / fitted), and 0 log 0 = 0 (McCullagh & Nelder, 1989)
    deviance = 2 * (xlogy(w, w) - xlogy(w, n * p)).sum(axis=0)
    wins = np.where(cells.flipped, w[[1, 0]], w[:2])
    items = np.array(design.items, dtype=object)
    a = np.where(cells.flipped, data.b[at], data.a[at])
    b = np.where(cells.flipped, data.a[at], data.b[at])
    columns: dict[str, Any] = {"item_a": items[a], "item_b": items[b]}
    columns |= {name: side * data.z[at, j] for j, name in enumerate(data.z_names)}
    columns |= {"n": n, "wins_a": wins[0], "wins_b": wins[1]}
    columns |= {"ties": w[2]} if tied else {}
    columns["fitted"] = np.where(cells.flipped, p[1], p[0])
    columns |= {"fitted_tie": p[2]} if tied else {}
    columns["resid_response"] = (score - mean) / (2 * n)
    columns["resid_pearson"] = (score - mean) / np.sqrt(n * variance)
    columns["resid_deviance"] = np.sign(score - mean) * np.sqrt(np.maximum(deviance, 0.0))
    columns["hat"] = leverages(state, at, n)
    return pd.DataFrame(columns)


def outcome_probabilities(state: FitState) -> FloatArray:
    """Return the probabilities of the outcomes of every predictor, (3, m)."""
    return state.model.probabilities(*state.data.eta_tau(state.fitted.beta))


def leverages(state: FitState, predictor: IntArray, n: FloatArray) -> FloatArray:
    """Return the diagonal of the hat matrix: trace of each cell's expected information times the covariance.

    Parameters
    ----------
    state : FitState
    predictor : (k,) int64 array
        Predictor of each cell.
    n : (k,) array
        Its weight.
    """
    data = state.data
    model = state.model
    v = state.fitted.covariance
    k = data.x.shape[1]
    eta, tau = data.eta_tau(state.fitted.beta)
    expected = n * model.probabilities(eta, tau)[:, predictor]
    h = model.curvature(eta[predictor], tau, model.statistics(expected))
    forms = []  # x' V x of each predictor
    for start in range(0, len(data.a), BLOCK):
        rows = data.x[start : start + BLOCK]
        forms.append(np.asarray(rows.multiply(rows @ v[:k, :k]).sum(axis=1)).ravel())
    square = np.concatenate(forms)
    leverage = h.h_ee * square[predictor]
    if h.h_et is not None and h.h_tt is not None:
        leverage += 2 * h.h_et * (data.x @ v[:k, k])[predictor] + h.h_tt * v[k, k]
    return np.asarray(leverage)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewComparison:
    """A comparison to predict: two items, who is shown first (1: a, -1: b, 0: neither), and the covariates' values."""

    items: tuple[str, str]
    first: float
    covariates: Mapping[str, tuple[Any, Any]]


def read_new_comparisons(
    design: Comparisons, newdata: TableLike, covariates: list[str], *, order: bool, first: float
) -> list[NewComparison]:
    """Read comparisons to predict from a table with the columns of the fit's own, or with their standard names.

    Parameters
    ----------
    design : Comparisons
    newdata : data frame, mapping of columns, or path of a file
    covariates : list of str
        Those that the fit needs.
    order : bool
        Whether it needs who was shown first.
    first : float
        Who is, where the table does not say.

    Raises
    ------
    InputError
        For columns that the table lacks, and values of the order that name neither side.
    """
    table = open_table(newdata)

    def column(part: str, needed: bool = True) -> list[Any] | None:
        name = next((n for n in (design.columns.get(part, part), part) if table.has(n)), None)
        if name is None and needed:
            raise InputError(
                f"{table.source}: no column '{design.columns.get(part, part)}', which the fit needs. "
                f"{meant(part, table.columns)}Columns: {', '.join(table.columns)}"
            )
        if name is None:
            return None
        return list(collected(table.frame.select(name)).get_column(name).to_list())

    a, b = (list(map(str, column(part) or [])) for part in ("item_a", "item_b"))
    values = {
        name: list(zip(column(f"{name}_a") or [], column(f"{name}_b") or [], strict=True))
        for name in covariates
    }
    order_values = column("order", needed=False) if order else None
    firsts = [first] * len(a)
    for k, value in enumerate(order_values or ()):
        firsts[k] = _shown_first(value, a[k], b[k], f"{table.source}, row {k}")
    return [
        NewComparison(
            items=pair, first=firsts[k], covariates={name: values[name][k] for name in covariates}
        )
        for k, pair in enumerate(zip(a, b, strict=True))
    ]


def _shown_first(value: Any, a: str, b: str, place: str) -> float:
    codes: dict[Any, float] = {
        **SIDES,
        "1": 1.0,
        "-1": -1.0,
        "0": 0.0,
        "1.0": 1.0,
        "-1.0": -1.0,
        "0.0": 0.0,
        b: -1.0,
        a: 1.0,
    }
    if str(value) not in codes:
        raise InputError(
            f"{place}: the order {value!r} is neither '{a}' nor '{b}', nor one of a, b, neither, 1, -1, 0"
        )
    return codes[str(value)]
