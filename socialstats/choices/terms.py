"""Columns of the terms of a formula; formulaic codes categories, and is given computed values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.terms import Expression, Term, runs_python
from socialstats.errors import InputError
from socialstats.text import count, shorten

if TYPE_CHECKING:
    import pandas as pd

Function = Callable[..., FloatArray]
"""Takes values and the rows that each of them stands for, and returns values or columns of values."""
MOST_COLUMNS = 2_000  # where formulas come from files


def center(x: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the deviations from the mean of all rows."""
    return np.asarray(x - np.average(x, weights=rows))


def scale(x: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the deviations from the mean in standard deviations of all rows (divisor n - 1)."""
    deviation = center(x, rows)
    return np.asarray(deviation / np.sqrt(rows @ deviation**2 / (rows.sum() - 1)))


def poly(x: FloatArray, rows: FloatArray, degree: int = 1) -> FloatArray:
    """Return orthonormal polynomials over all rows, without the constant, by their three-term recurrence."""
    require_distinct(x, rows, degree + 1, f"poly() of degree {degree}")
    columns = [np.ones(len(x))]
    # p_(k+1) = (x - a_k) p_k - b_k p_(k-1), with a_k and b_k from sums over the rows
    for k in range(degree):
        last, size = columns[-1], rows @ columns[-1] ** 2
        step = (x - (rows * x) @ last**2 / size) * last
        if k:
            step -= size / (rows @ columns[-2] ** 2) * columns[-2]
        columns.append(step)
    return np.column_stack([column / np.sqrt(rows @ column**2) for column in columns[1:]])


def bs(x: FloatArray, rows: FloatArray, df: int | None = None, degree: int = 3) -> FloatArray:
    """Return B-splines without the first; the inner knots are quantiles of all rows."""
    from scipy.interpolate import BSpline

    inner = knots(x, rows, df, degree)
    low, high = x[rows > 0].min(), x[rows > 0].max()
    if ((x < low) | (x > high)).any():
        raise InputError(f"bs(): a value lies outside the range of the data, {low:g} to {high:g}")
    ends = np.repeat([low, high], degree + 1)
    splines = BSpline.design_matrix(x, np.sort(np.append(ends, inner)), degree)
    return np.asarray(splines.toarray()[:, 1:], dtype=np.float64)


def knots(x: FloatArray, rows: FloatArray, df: int | None, degree: int) -> FloatArray:
    """Return the inner knots of B-splines with `df` columns.

    Raises
    ------
    InputError
        For fewer columns than the degree, and values too few or too often repeated for the knots.
    """
    inner = 0 if df is None else df - degree
    if inner < 0:
        raise InputError(
            f"bs(): {df} degrees of freedom are fewer than the degree, {degree}. Raise df, or lower the degree"
        )
    require_distinct(x, rows, inner + degree + 1, f"bs() with {count(inner + degree, 'column')}")
    all_values = np.repeat(x, np.ceil(rows).astype(np.int64))
    quantiles = np.quantile(all_values, np.linspace(0, 1, inner + 2))
    if len(np.unique(quantiles)) < len(quantiles):
        raise InputError(
            f"bs(): {inner:,} inner knots fall on values that are repeated too often. Lower df"
        )
    return np.asarray(quantiles[1:-1])


def require_distinct(x: FloatArray, rows: FloatArray, least: int, basis: str) -> None:
    """Refuse a basis of more columns than there are different values."""
    values = len(np.unique(x[rows > 0]))
    if values < least:
        raise InputError(f"{basis} needs {least:,} different values, and there are {values:,}")


FUNCTIONS: Mapping[str, Function] = {
    "I": lambda x, rows: x,
    "group": lambda x, rows: x,
    "log": lambda x, rows: np.log(x),
    "exp": lambda x, rows: np.exp(x),
    "sqrt": lambda x, rows: np.sqrt(x),
    "center": center,
    "scale": scale,
    "poly": poly,
    "bs": bs,
}
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
}


def is_numeric(values: Any) -> bool:
    """Return whether values are numbers or truth values, not texts or categories."""
    return values.dtype.kind in "biuf"


def computed_values(
    expression: Expression, values: Mapping[str, Any], rows: FloatArray
) -> FloatArray:
    """Return the values of an expression, or the columns of a basis."""
    if expression.does == "column":
        column = values[expression.name]
        if not is_numeric(column):
            raise InputError(
                f"'{shorten(expression.name)}' holds text, such as '{shorten(str(column[0]))}', and no number is "
                "computed of text. Name the column alone, which makes categories of it"
            )
        return np.asarray(column, dtype=np.float64)
    if expression.does == "number":
        return np.full(len(rows), float(expression.text))
    parts = [computed_values(part, values, rows) for part in expression.of]
    if expression.does in FUNCTIONS:
        return FUNCTIONS[expression.does](*parts, rows, **expression.options)
    return np.asarray(OPERATORS[expression.does](*(parts if len(parts) == 2 else [0.0, *parts])))


def factor_values(
    expression: Expression, values: Mapping[str, Any], rows: FloatArray
) -> FloatArray:
    """Return the values of a factor that is a calculation, all of them finite.

    Raises
    ------
    InputError
        For text, and a value that is not a finite number: the message names it.
    """
    with np.errstate(all="ignore"):
        computed = computed_values(expression, values, rows)
    finite = np.isfinite(computed).reshape(len(rows), -1).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        cells = ", ".join(
            f"{shorten(name)} = {values[name][row]}" for name in dict.fromkeys(expression.columns())
        )
        raise InputError(
            f"{expression.text} is not a finite number{f' where {cells}' if cells else ''}"
        )
    return computed


def columns_of_terms(
    terms: list[Term], values: Mapping[str, Any], rows: FloatArray
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the columns of some terms, and their names; the intercept only decides how categories are coded.

    Parameters
    ----------
    terms : list of Term
    values : mapping of str to (k,) array
        Numbers, or text for categories; a pandas Categorical orders them, and its first category is the reference.
    rows : (k,) array
        How many rows of the data each value stands for: means, standard deviations, bases and knots are those of all
        rows. Values for 0 rows are computed, and change no other.
    functions : mapping of str to Function

    Raises
    ------
    InputError
        For text in a calculation, values that are not finite, and too many columns.
    """
    import pandas as pd
    from formulaic import Formula, model_matrix
    from formulaic.materializers.types import FactorValues
    from formulaic.parser.types import Factor
    from formulaic.parser.types import Term as Product
    from formulaic.transforms import C

    context: dict[str, Any] = {}
    widths: dict[str, int] = {}
    for factor in (factor for term in terms for factor in term):
        name = factor.of[0].name if factor.does == "C" else factor.name
        if factor.does == "C" or (name and not is_numeric(values[name])):
            coded = pd.Series(values[name])
            context[factor.label] = C(coded) if factor.does == "C" else coded
            widths[factor.label] = coded.nunique()
            continue
        computed = factor_values(factor, values, rows)
        numbered = (
            tuple(str(k + 1) for k in range(computed.shape[1])) if computed.ndim == 2 else None
        )
        context[factor.label] = (
            FactorValues(computed, column_names=numbered) if numbered else computed
        )
        widths[factor.label] = len(numbered or (1,))
    width = sum(int(np.prod([widths[factor.label] for factor in term])) for term in terms if term)
    if width > MOST_COLUMNS and not runs_python():
        raise InputError(f"its terms make {width:,} columns, and {MOST_COLUMNS:,} are the most")
    lookups = [
        Product([Factor(factor.label, eval_method="lookup") for factor in term])
        for term in terms
        if term
    ]
    intercept = [Product([Factor("1", eval_method="literal")])] if () in terms else []
    empty = pd.DataFrame(index=range(len(rows)))
    return without_intercept(
        model_matrix(Formula([*intercept, *lookups]), empty, context=context, na_action="raise")
    )


def columns_of_python(
    text: str, values: pd.DataFrame, rows: FloatArray
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the columns of a formula that formulaic runs as Python, trained on all rows.

    Raises
    ------
    InputError
        Where formulaic, or the code in the formula, fails.
    """
    from formulaic import model_matrix

    try:
        all_rows = values.loc[values.index.repeat(np.ceil(rows).astype(np.int64))]
        spec = model_matrix(text, all_rows, context={}, na_action="raise").model_spec
        return without_intercept(spec.get_model_matrix(values, context={}))
    except Exception as error:  # whatever the code in a formula may raise
        why = str(error).partition("\n")[0]
        raise InputError(
            f"formula '~{text}' cannot be evaluated: {why}. Columns: {', '.join(values.columns)}"
        ) from error


def without_intercept(matrix: Any) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the columns of a model matrix, and their names."""
    keep = [k for k, name in enumerate(matrix.columns) if name != "Intercept"]
    return np.asarray(matrix, dtype=np.float64)[:, keep], tuple(
        str(matrix.columns[k]) for k in keep
    )
