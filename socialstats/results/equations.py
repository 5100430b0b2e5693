"""Estimates that solve an estimating equation, stated by the likelihood whose derivative the equation is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from socialstats.arrays import FloatArray, IntArray
from socialstats.results.definitions import RowKey

Function = Callable[[FloatArray], float]
"""Of the parameters, (parameters,)."""
Scale = Literal["identity", "log", "logit"]
ErrorKind = Literal["model", "rows", "clusters"]


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


@dataclass(frozen=True, kw_only=True, eq=False)
class EquationModel:
    """Cells of alike answers, and the log-likelihood of an answer.

    Attributes
    ----------
    columns : tuple of (cells, parameters) sparse arrays
        One for each linear predictor, which is ``columns[k] @ parameters``.
    log_likelihood : function of (predictors, cells) array -> (cells,) array
        Of an answer of each cell, at real and at complex predictors.
    weight : (cells,) float64 array
        Answers of each cell.
    squares : (cells,) float64 array
        Sums of the squared weights of these answers; 0 where a cell holds pseudo-answers.
    clusters : tuple of (cells,) int64 arrays
        Codes of the clusters, one array a factor.
    errors : {"model", "rows", "clusters"}
        Whether errors are those of the model, of independent answers, or of clusters.
    drawn : bool
        Whether answers are drawn, so that their variance is at least that of the model. Probabilities may vary less.
    firth : bool
        Whether the likelihood is penalised by Jeffreys' prior; second derivatives then do not depend on the answers.
    start : (parameters,) float64 array, optional
        Where the search for the maximum starts; by default at 0.
    solution : list
        The maximum, once the engine has found it: results that share a model need it once.
    """

    columns: tuple[Any, ...]
    log_likelihood: Callable[[Any], Any]
    weight: FloatArray
    squares: FloatArray
    clusters: tuple[IntArray, ...] = ()
    errors: ErrorKind = "model"
    drawn: bool = True
    firth: bool = False
    start: FloatArray | None = None
    solution: list[Any] = field(default_factory=list, init=False, repr=False)

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return int(self.columns[0].shape[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EquationSample:
    """A model, and what is estimated from its maximum.

    Attributes
    ----------
    model : EquationModel
    estimates : mapping of RowKey to ParameterFunction
    errors : bool
        Whether errors, tests and intervals are recomputed.
    """

    model: EquationModel
    estimates: Mapping[RowKey, ParameterFunction]
    errors: bool = True


def sparse_columns(columns: FloatArray) -> tuple[Any, ...]:
    """Return the columns of each predictor as sparse arrays, (cells, parameters) each.

    Parameters
    ----------
    columns : (cells, predictors, parameters) float64 array
    """
    from scipy.sparse import csr_array

    # a comparison has the columns of its two items and of the effects
    return tuple(csr_array(columns[:, k]) for k in range(columns.shape[1]))
