"""Comparisons as an ordinary regression table, one dense column a coefficient: what the peers fit.

Built from the design alone, with the first item as reference, so that nothing of the library's own arrays enters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
SUM_OF_NAMES = re.compile(r"\s*~\s*[A-Za-z_]\w*(\s*\+\s*[A-Za-z_]\w*)*\s*$")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairColumns:
    """A regression table.

    Attributes
    ----------
    x : (rows, k) array
        Without the first item's column.
    outcome : (rows,) int64 array
        0 where a won, 1 where b won, 2 for a tie.
    weight, weight_sq : (rows,) arrays
    groups : tuple of (rows,) int64 arrays
        Cluster of each row, one array a factor.
    back : (k + 1 or k, k) array
        From these coefficients to strengths with mean zero, followed by the effects.
    note : str
        What was taken over from the fit instead of being built again.
    """

    x: FloatArray
    outcome: IntArray
    weight: FloatArray
    weight_sq: FloatArray
    groups: tuple[IntArray, ...]
    back: FloatArray
    note: str


def pair_columns(fit: Any) -> PairColumns:
    """Return the regression table of a fit's design, rows that are alike counted together."""
    design, state = fit.design, fit.fitted_state
    z, note = effects(fit)
    n = len(design.items) if state.data.free else 0
    parts = [item_columns(design)] if n else []
    x = np.hstack([*parts, z])
    codes = [factor.codes for factor in state.factors] if state.kind == "cluster" else []
    keys = np.column_stack([design.item_a, design.item_b, design.outcome, *codes, z])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    weight, weight_sq = (np.bincount(group, w).astype(np.float64) for w in (design.weight, design.weight_sq))
    return PairColumns(
        x=x[first], outcome=design.outcome[first].astype(np.int64), weight=weight,
        weight_sq=weight_sq, groups=tuple(code[first] for code in codes),
        back=back_to_centred(n, x.shape[1]), note=note,
    )  # fmt: skip


def item_columns(design: Comparisons) -> FloatArray:
    """Return +1 for item a and -1 for item b, without the first item's column."""
    items = np.arange(1, len(design.items))
    is_a, is_b = (side[:, None] == items for side in (design.item_a, design.item_b))
    return np.asarray(is_a.astype(np.float64) - is_b)


def effects(fit: Any) -> tuple[FloatArray, str]:
    """Return the columns of order effect and covariates; formulas beyond a sum of numbers are the fit's own."""
    design, options = fit.design, fit.fitted_state.options
    order = [design.first.astype(np.float64)] if options.order else []
    if options.formula is None:
        return np.column_stack([*order, np.zeros((len(design.first), 0))]), ""
    names = [name.strip() for name in options.formula.replace("~", "").split("+")]
    sides = [design.covariates.get(name) for name in names]
    if SUM_OF_NAMES.match(options.formula) and all(c and np.issubdtype(c.a.dtype, np.number) for c in sides):
        return np.column_stack([*order, *(c.a.astype(float) - c.b.astype(float) for c in sides if c)]), ""
    columns = formula_columns(design, options.formula)
    return np.column_stack([*order, columns]), ""


def formula_columns(design: Comparisons, formula: str) -> FloatArray:
    """Return the columns of a formula by formulaic: of item a minus those of item b, the intercept left out."""
    import pandas as pd
    from formulaic import model_matrix

    sides = [pd.DataFrame({name: getattr(c, side) for name, c in design.covariates.items()}) for side in "ab"]
    both = pd.concat(sides, ignore_index=True)
    matrix = model_matrix(formula.partition("~")[2], both)
    names = [name for name in matrix.columns if name != "Intercept"]
    values = matrix[names].to_numpy(dtype=float)
    return np.asarray(values[: len(sides[0])] - values[len(sides[0]) :])


def back_to_centred(n_items: int, k: int) -> FloatArray:
    """Return the matrix that puts the first item back in and centres the strengths."""
    if not n_items:
        return np.eye(k)
    out = np.zeros((k + 1, k))
    out[1:] = np.eye(k)
    out[:n_items, : n_items - 1] -= 1 / n_items
    return out


def with_pseudo_wins(table: PairColumns, n_items: int, prior: float) -> PairColumns:
    """Add a ghost (last column) that every item beats and loses to `prior` times."""
    rows, k = 2 * n_items, table.x.shape[1]
    extra = np.zeros((rows, k + 1))
    extra[np.arange(2, rows), np.arange(2, rows) // 2 - 1] = 1.0
    extra[:, -1] = -1.0
    none = np.zeros(rows, dtype=np.int64)
    back = np.hstack([table.back, np.zeros((len(table.back), 1))])
    return PairColumns(
        x=np.vstack([np.hstack([table.x, np.zeros((len(table.x), 1))]), extra]),
        outcome=np.concatenate([table.outcome, np.tile(np.array([0, 1]), n_items)]),
        weight=np.concatenate([table.weight, np.full(rows, prior)]),
        weight_sq=np.concatenate([table.weight_sq, np.zeros(rows)]),
        groups=tuple(np.concatenate([g, none]) for g in table.groups), back=back, note=table.note,
    )  # fmt: skip
