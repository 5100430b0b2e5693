"""Columns of a formula computed again: by pandas, statsmodels, a QR decomposition and formulaic's splines."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.terms import Expression, Term, right_terms

if TYPE_CHECKING:
    import pandas as pd

FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "log": math.log,
    "exp": math.exp,
    "sqrt": math.sqrt,
}
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}


def effects_of(design: Comparisons, formula: str) -> FloatArray:
    """Return the columns of a formula for item a of each cell, and below them for item b; without the intercept."""
    import pandas as pd
    from formulaic import model_matrix

    sides = {
        name: np.concatenate([values.a, values.b]) for name, values in design.covariates.items()
    }
    items = pd.DataFrame(sides)
    rows, terms = np.tile(design.count, 2), right_terms(formula)
    if terms is None:
        # what formulaic learns of a column depends on how many rows have each value
        repeated = items.loc[items.index.repeat(np.ceil(rows).astype(np.int64))]
        spec = model_matrix(formula.partition("~")[2], repeated, context={}).model_spec
        matrix = spec.get_model_matrix(items, context={})
    else:
        matrix = coded(terms, items, rows)
    return np.asarray(matrix.drop(columns="Intercept", errors="ignore"), dtype=np.float64)


def coded(terms: list[Term], items: pd.DataFrame, rows: FloatArray) -> pd.DataFrame:
    """Return the model matrix of terms; formulaic multiplies factors and codes categories, and runs nothing."""
    import pandas as pd
    from formulaic import Formula, model_matrix
    from formulaic.materializers.types import FactorValues
    from formulaic.parser.types import Factor
    from formulaic.parser.types import Term as Product

    values: dict[str, Any] = {}
    for factor in {factor.label: factor for term in terms for factor in term}.values():
        if factor.does == "C":
            values[factor.label] = items[factor.of[0].name].astype("category")
        elif factor.name:
            values[factor.label] = items[factor.name]
        else:
            columns = calculated(factor, items, rows)
            if np.ndim(columns) == 2:
                columns = FactorValues(columns, column_names=range(columns.shape[1]))
            values[factor.label] = columns
    products = []
    if () in terms:
        products.append(Product([Factor("1", eval_method="literal")]))
    for term in filter(None, terms):
        # a value that is looked up is no code that runs
        factors = [Factor(factor.label, eval_method="lookup") for factor in term]
        products.append(Product(factors))
    matrix = model_matrix(Formula(products), pd.DataFrame(index=items.index), context=values)
    return pd.DataFrame(matrix)


def calculated(expression: Expression, items: pd.DataFrame, rows: FloatArray) -> Any:
    """Return the values of a calculation: a series, a number, or the columns of a basis."""
    name = expression.does
    if name == "column":
        return items[expression.name].astype(float)
    if name == "number":
        return float(expression.text)
    parts = [calculated(part, items, rows) for part in expression.of]
    if name in OPERATORS:
        # a sign before a value: 0 - x
        operands = parts if len(parts) == 2 else [0.0, *parts]
        return OPERATORS[name](*operands)
    if name in FUNCTIONS:
        compute = FUNCTIONS[name]
        return parts[0].map(compute) if hasattr(parts[0], "map") else compute(parts[0])
    return OF_ROWS[name](*parts, rows, **expression.options)


def centred(x: Any, rows: FloatArray) -> Any:
    """Subtract the weighted mean."""
    return x - np.average(x, weights=rows)


def scaled(x: Any, rows: FloatArray) -> Any:
    """Divide by the weighted standard deviation, with the divisor of all rows less one."""
    # as R's scale() of a table that holds each row
    z = centred(x, rows)
    return z / np.sqrt((rows * z**2).sum() / (rows.sum() - 1))


def polynomials(x: pd.Series, rows: FloatArray, degree: int = 1) -> FloatArray:
    """Return orthonormal polynomials: powers made orthogonal by a QR decomposition; their leading signs are plus."""
    powers = np.vander(x - x.mean(), degree + 1, increasing=True)
    r = np.linalg.qr(powers * np.sqrt(rows)[:, None], mode="r")
    # the signs of a QR decomposition are free
    r = r * np.sign(np.diag(r))[:, None]
    return np.asarray(np.linalg.solve(r.T, powers.T).T[:, 1:])


def splines(x: pd.Series, rows: FloatArray, df: int | None = None, degree: int = 3) -> FloatArray:
    """Return formulaic's B-splines, with knots at the quantiles of a table that holds each row."""
    from formulaic.transforms import basis_spline

    repeated = x.repeat(np.ceil(rows).astype(np.int64).tolist())
    n_knots = (degree if df is None else df) - degree
    knots = repeated.quantile(np.linspace(0, 1, n_knots + 2)[1:-1])
    columns = basis_spline(x.to_numpy(), knots=[*knots], degree=degree)
    return np.column_stack([*columns.values()])


OF_ROWS: Mapping[str, Callable[..., Any]] = {
    "I": lambda x, rows: x,
    "group": lambda x, rows: x,
    "center": centred,
    "scale": scaled,
    "poly": polynomials,
    "bs": splines,
}
