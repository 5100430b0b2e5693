"""Estimates that solve an estimating equation, stated by the likelihood whose derivative the equation is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from socialstats.arrays import FloatArray, IntArray
from socialstats.results.definitions import RowKey

Function = Callable[[FloatArray], float]
"""Of the parameters, (parameters,)."""
Scale = Literal["identity", "log", "logit"]
ErrorKind = Literal["model", "rows", "clusters", "none"]


@dataclass(frozen=True, slots=True)
class ParameterFunction:
    """A function of the parameters.

    Attributes
    ----------
    value : function of (parameters,) -> float
        If there are `variances_of`, these are its argument `variances`.
    scale : {"identity", "log", "logit"}
        On which its interval and its test are made.
    null : float
        With which its test compares it.
    variances_of : tuple of functions of (parameters,) -> float
        Functions whose variances the value uses. They are held fixed where it is differentiated.
    """

    value: Callable[..., float]
    scale: Scale = "identity"
    null: float = 0.0
    variances_of: tuple[Function, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EquationSample:
    """Cells of alike answers, the log-likelihood of an answer, and what is estimated from its maximum.

    Attributes
    ----------
    columns : (cells, predictors, parameters) float64 array
        The linear predictors of a cell are ``columns[cell] @ parameters``.
    log_likelihood : function of (predictors, cells) array -> (cells,) array
        Of an answer of each cell, at real and at complex predictors.
    weight : (cells,) float64 array
        Answers of each cell.
    squares : (cells,) float64 array
        Sums of the squared weights of these answers; 0 where a cell holds pseudo-answers.
    estimates : mapping of RowKey to ParameterFunction
    clusters : tuple of (cells,) int64 arrays
        Codes of the clusters, one array a factor.
    errors : {"model", "rows", "clusters", "none"}
        Whether errors are those of the model, of independent answers, or of clusters.
    drawn : bool
        Whether answers are drawn, so that their variance is at least that of the model. Probabilities may vary less.
    firth : bool
        Whether the likelihood is penalised by Jeffreys' prior; second derivatives then do not depend on the answers.
    start : (parameters,) float64 array, optional
        Where the search for the maximum starts; by default at 0.
    """

    columns: FloatArray
    log_likelihood: Callable[[Any], Any]
    weight: FloatArray
    squares: FloatArray
    estimates: Mapping[RowKey, ParameterFunction]
    clusters: tuple[IntArray, ...] = ()
    errors: ErrorKind = "model"
    drawn: bool = True
    firth: bool = False
    start: FloatArray | None = None
