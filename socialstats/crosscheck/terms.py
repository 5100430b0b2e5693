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

ONE_BY_ONE: Mapping[str, Callable[[float], float]] = {
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

    both = pd.DataFrame({name: np.concatenate([c.a, c.b]) for name, c in design.covariates.items()})
    rows, terms = np.tile(design.count, 2), right_terms(formula)
    if terms is None:
        every = both.loc[both.index.repeat(np.ceil(rows).astype(np.int64))]
        spec = model_matrix(formula.partition("~")[2], every, context={}).model_spec
        matrix = spec.get_model_matrix(both, context={})
    else:
        matrix = coded(terms, both, rows)
    return np.asarray(matrix.drop(columns="Intercept", errors="ignore"), dtype=np.float64)


def coded(terms: list[Term], both: pd.DataFrame, rows: FloatArray) -> pd.DataFrame:
    """Return the model matrix of terms; formulaic multiplies factors and codes categories, and runs nothing."""
    import pandas as pd
    from formulaic import Formula, model_matrix
    from formulaic.materializers.types import FactorValues
    from formulaic.parser.types import Factor
    from formulaic.parser.types import Term as Product

    values: dict[str, Any] = {}
    for factor in {factor.label: factor for term in terms for factor in term}.values():
        if factor.does == "C":
            values[factor.label] = both[factor.of[0].name].astype("category")
        elif factor.name:
            values[factor.label] = both[factor.name]
        else:
            columns = calculated(factor, both, rows)
            wide = np.ndim(columns) == 2
            values[factor.label] = (
                FactorValues(columns, column_names=range(columns.shape[1])) if wide else columns
            )
    products = [
        Product([Factor(one.label, eval_method="lookup") for one in term]) for term in terms if term
    ]
    ones = [Product([Factor("1", eval_method="literal")])] if () in terms else []
    return pd.DataFrame(
        model_matrix(Formula([*ones, *products]), pd.DataFrame(index=both.index), context=values)
    )


def calculated(one: Expression, both: pd.DataFrame, rows: FloatArray) -> Any:
    """Return the values of a calculation: a series, a number, or the columns of a basis."""
    if one.does == "column":
        return both[one.name].astype(float)
    if one.does == "number":
        return float(one.text)
    parts = [calculated(part, both, rows) for part in one.of]
    if one.does in OPERATORS:
        return OPERATORS[one.does](*(parts if len(parts) == 2 else [0.0, *parts]))
    if one.does in ONE_BY_ONE:
        compute = ONE_BY_ONE[one.does]
        return parts[0].map(compute) if hasattr(parts[0], "map") else compute(parts[0])
    return OF_ROWS[one.does](*parts, rows, **one.options)


def centred(x: Any, rows: FloatArray) -> Any:
    """Subtract the weighted mean."""
    return x - np.average(x, weights=rows)


def scaled(x: Any, rows: FloatArray) -> Any:
    """Divide by the weighted standard deviation, with the divisor of all rows less one."""
    z = centred(x, rows)
    return z / np.sqrt((rows * z**2).sum() / (rows.sum() - 1))


def polynomials(x: pd.Series, rows: FloatArray, degree: int = 1) -> FloatArray:
    """Return orthonormal polynomials: powers made orthogonal by a QR decomposition; their leading signs are plus."""
    powers = np.vander(x - x.mean(), degree + 1, increasing=True)
    r = np.linalg.qr(powers * np.sqrt(rows)[:, None], mode="r")
    return np.asarray(np.linalg.solve((r * np.sign(np.diag(r))[:, None]).T, powers.T).T[:, 1:])


def splines(x: pd.Series, rows: FloatArray, df: int | None = None, degree: int = 3) -> FloatArray:
    """Return formulaic's B-splines, with knots at the quantiles of a table that holds each row."""
    from formulaic.transforms import basis_spline

    every = x.repeat(np.ceil(rows).astype(np.int64).tolist())
    inner = every.quantile(np.linspace(0, 1, (degree if df is None else df) - degree + 2)[1:-1])
    return np.column_stack([*basis_spline(x.to_numpy(), knots=[*inner], degree=degree).values()])


OF_ROWS: Mapping[str, Callable[..., Any]] = {
    "I": lambda x, rows: x,
    "group": lambda x, rows: x,
    "center": centred,
    "scale": scaled,
    "poly": polynomials,
    "bs": splines,
}
