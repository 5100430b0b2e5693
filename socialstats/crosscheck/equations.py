"""Estimates that solve an estimating equation, computed again from the log-likelihood of an answer alone.

First derivatives are complex steps, second derivatives central differences of these. Newton's method finds the maximum.
Errors are those of the model, of scores by answer, or of scores by cluster (CR2). Functions of the parameters have
errors by the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.clusters import cochran, crossing, intersections
from socialstats.crosscheck.comparing import compare, set_aside
from socialstats.crosscheck.resamples import RESAMPLED
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    label,
    quantile,
    wald_checks,
    with_open_end,
)
from socialstats.results import Check, Result, Row
from socialstats.results.definitions import key_of_row
from socialstats.results.equations import (
    EquationModel,
    EquationSample,
    Function,
    ParameterFunction,
)

COMPLEX_STEP = 1e-30  # nothing is subtracted, so that the smallest step is the best one
STEP = 1e-4  # central differences of slopes, whose error is of the order of its square
SMALL_STEP = 1e-5  # central differences of functions of the parameters
LONGEST_STEP = 2.0  # log-odds: Newton's method may start far from the maximum
ARRIVED = 1e-9  # largest change of a linear predictor
MOST_STEPS, MOST_HALVINGS = 100, 30
SINGULAR = 1e-11  # eigenvalues that are no more than rounding of the largest
ROUNDING = 1e-8  # error of numerical second derivatives
ALONE = 1 - 1e-6  # leverage of what rests on one cluster
MANY_EFFECTIVE = 50.0  # degrees of freedom from which Kish's formula stands for Satterthwaite's
MOST_ROWS = 300  # rows of a result whose errors are computed again

MAXIMUM = "the maximum of the log-likelihood, by Newton's method with numerical derivatives"
SANDWICH = "numerical derivatives of the log-likelihood; CR2 where there are clusters"


def logarithm(x: float) -> float:
    """Return log(x), also of 0."""
    return math.log(x) if x else -math.inf


@dataclass(frozen=True, slots=True)
class Link:
    """The scale on which an interval is made: the function, its inverse, its derivative, and the ends of the scale."""

    to: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]
    limits: tuple[float, float]


IDENTITY = Link(lambda x: x, lambda z: z, lambda x: 1.0, (-math.inf, math.inf))
LOG = Link(logarithm, math.exp, lambda x: 1 / x, (0.0, math.inf))
LOGIT = Link(
    lambda x: logarithm(x / (1 - x)),
    lambda z: 1 / (1 + math.exp(-z)),
    lambda x: 1 / (x * (1 - x)),
    (0.0, 1.0),
)
LINKS = {"identity": IDENTITY, "log": LOG, "logit": LOGIT}


def equation_checks(result: Result, sample: EquationSample | str) -> Iterator[Check]:
    """Compare the rows of a result with functions of the parameters that solve the equation of a sample."""
    if isinstance(sample, str):
        yield set_aside("whole model", None, None, "numpy", sample)
        return
    solution = solution_of(sample.model)
    for k, row in enumerate(result.rows):
        estimand = sample.estimates.get(key_of_row(row))
        if estimand is None or row.estimate is None:
            continue
        value = solution.value(estimand)(solution.parameters)
        size = solution.loss(estimand)
        yield from field_checks(row, "numpy", MAXIMUM, 1e-7, size=size, estimate=value)
        if sample.errors and k < MOST_ROWS:
            yield from error_checks(result, row, estimand, solution)


def error_checks(
    result: Result, row: Row, estimand: ParameterFunction, solution: Solution
) -> Iterator[Check]:
    """Compare error, degrees of freedom, test and interval of a row with those of the delta method."""
    if row.std_error is None:
        return
    function = solution.value(estimand)
    errors = solution.errors(gradient(function, solution.parameters))
    if errors.alone > 0.5:
        # an effect of one cluster alone has no error
        yield compare(
            label(row, "whether there is an error"),
            row.std_error,
            None,
            package="numpy",
            tolerance=0.0,
            why=SANDWICH,
        )
        return
    error = math.sqrt(errors.variance)
    df = None if math.isinf(errors.df) else errors.df
    value = function(solution.parameters)
    link = LINKS[estimand.scale]
    reach_of_error = link.slope(value) * error
    lost = 1e-6 * solution.loss(estimand)
    yield from field_checks(row, "numpy", SANDWICH, lost, std_error=error)
    level, side = row.conf_level or 0.95, result.settings.get("alternative", "two_sided")
    yield from wald_checks(
        row,
        level,
        link.to(value),
        reach_of_error,
        df,
        null=link.to(estimand.null),
        alternative=side,
        ends=False,
        why=SANDWICH,
        close=10 * lost,
    )
    # resamples have ends of their own, which no error gives
    if result.settings.get("ci") in RESAMPLED:
        return
    reach = quantile(level if side == "two_sided" else 2 * level - 1, df) * reach_of_error
    low, high = link.back(link.to(value) - reach), link.back(link.to(value) + reach)
    ends = with_open_end(low, high, side, link.limits)
    yield from end_checks(row, *ends, "numpy", SANDWICH, 10 * lost, least=(high - low) / 2)


def gradient(function: Function, at: FloatArray) -> FloatArray:
    """Return the derivatives of a function by central differences."""
    steps = SMALL_STEP * np.eye(len(at))
    differences = [function(at + step) - function(at - step) for step in steps]
    return np.array(differences) / (2 * SMALL_STEP)


@dataclass(frozen=True, slots=True)
class LinearErrors:
    """Variance and degrees of freedom of a linear function, and the share of it that rests on one cluster alone."""

    variance: float
    df: float = math.inf
    alone: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The parameters at which a log-likelihood is largest, and their errors.

    Attributes
    ----------
    model : EquationModel
    parameters : (parameters,) float64 array
    by_gradient, variances : dict
        Errors by the gradient, and variances by the functions, that rows and results share.
    """

    model: EquationModel
    parameters: FloatArray
    by_gradient: dict[bytes, LinearErrors] = field(default_factory=dict, init=False, repr=False)
    variances: dict[tuple[Function, ...], FloatArray] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def predictors(self) -> FloatArray:
        """Linear predictors of the cells, (predictors, cells)."""
        return np.array([column @ self.parameters for column in self.model.columns])

    @cached_property
    def slopes(self) -> FloatArray:
        """Derivatives of the log-likelihood of an answer of each cell, (predictors, cells)."""
        return slopes(self.model, self.predictors)

    @cached_property
    def curvatures(self) -> FloatArray:
        """Negative second derivatives of the log-likelihood of each cell, (predictors, predictors, cells)."""
        return curvatures(self.model, self.predictors) * self.model.weight

    @cached_property
    def bread(self) -> FloatArray:
        """Inverse of the information: the covariance under the model."""
        columns = self.model.columns
        information = sum(
            first.T @ multiply_rows(second, curvature)
            for first, of_first in zip(columns, self.curvatures, strict=True)
            for second, curvature in zip(columns, of_first, strict=True)
        )
        return inverse(information.toarray())

    @property
    def score(self) -> FloatArray:
        """Derivative of the log-likelihood, penalised where the sample says so."""
        model = self.model
        by_predictor = self.slopes * model.weight
        if model.firth:
            by_predictor = by_predictor + self.slope_of_penalty()
        parts = zip(model.columns, by_predictor, strict=True)
        return np.asarray(sum(column.T @ slope for column, slope in parts))

    def slope_of_penalty(self) -> FloatArray:
        """Return the derivatives of log det(information) / 2 by the predictors of each cell (Firth 1993)."""
        columns = self.model.columns
        # each cell has few columns that are not 0
        moved = [column @ self.bread for column in columns]
        covariances = np.array([[(b * column).sum(axis=1) for b in moved] for column in columns])
        by_predictor = []
        for step in STEP * np.eye(len(covariances))[:, :, None]:
            above, below = (
                curvatures(self.model, self.predictors + side * step) for side in (1, -1)
            )
            by_predictor.append(((above - below) * covariances).sum(axis=(0, 1)))
        return np.array(by_predictor) * self.model.weight / (4 * STEP)

    def value(self, estimand: ParameterFunction) -> Function:
        """Return an estimand as a function of the parameters alone: the variances that it uses are held fixed."""
        if not estimand.variances_of:
            return estimand.value
        if estimand.variances_of not in self.variances:
            gradients = [gradient(function, self.parameters) for function in estimand.variances_of]
            variances = np.array([self.errors(slope).variance for slope in gradients])
            self.variances[estimand.variances_of] = variances
        return partial(estimand.value, variances=self.variances[estimand.variances_of])

    def loss(self, estimand: ParameterFunction) -> float:
        """Return by how many times a penalised likelihood that is flat loses digits of an estimand; else 1.

        The slope of the penalty has third derivatives by differences, with some 1e-6 of noise. What it moves an
        estimand by is this noise times the variance.
        """
        if not self.model.firth:
            return 1.0
        function = self.value(estimand)
        slope = gradient(function, self.parameters)
        # chances and worths lose digits on the scale of their intervals
        slope = slope * LINKS[estimand.scale].slope(function(self.parameters))
        return max(1.0, 10 * float(slope @ self.bread @ slope))

    def errors(self, gradient: FloatArray) -> LinearErrors:
        """Return the errors of a function of the parameters with this gradient; rows may share it."""
        # gradients of worths and win probabilities return in several results of a fit
        name = gradient.tobytes()
        if name not in self.by_gradient:
            self.by_gradient[name] = self.linear_errors(gradient)
        return self.by_gradient[name]

    def linear_errors(self, gradient: FloatArray) -> LinearErrors:
        """Return the errors of a function of the parameters with this gradient, of the kind of the model."""
        if self.model.errors == "clusters":
            return self.clustered_errors(gradient)
        moved = self.bread @ gradient
        if self.model.errors == "model":
            return LinearErrors(float(gradient @ moved))
        along = sum(
            (column @ moved) * slope
            for column, slope in zip(self.model.columns, self.slopes, strict=True)
        )
        return LinearErrors(float(self.model.squares @ along**2))

    def clustered_errors(self, gradient: FloatArray) -> LinearErrors:
        """Return the errors by clusters; of two crossed factors the largest of V1, V2 and V1 + V2 - V12."""
        parts = [factor.errors(gradient) for factor in self.factors]
        if len(parts) == 1:
            return parts[0]
        variances = [part.variance for part in parts]
        # the intersections are in both factors
        overlap = float(np.sum((self.intersections @ (self.bread @ gradient)) ** 2))
        return LinearErrors(
            variance=max(*variances, sum(variances) - overlap),
            df=cochran(variances, [part.df for part in parts]),
            alone=max(part.alone for part in parts),
        )

    @cached_property
    def codes(self) -> FloatArray:
        """Clusters of each whitened row, (rows, factors); of nested factors the coarser alone."""
        clusters = np.column_stack(self.model.clusters)
        return np.asarray(crossing(clusters[self.whitened.cell]))

    @cached_property
    def factors(self) -> list[OneFactor]:
        """The clusters of each factor."""
        return [OneFactor(self.whitened, code, self.bread, self.noise) for code in self.codes.T]

    @property
    def noise(self) -> float:
        """Least variance of a whitened residual: that of drawn answers with these weights."""
        data = self.model.squares > 0
        mean_square = self.model.squares.sum() / self.model.weight[data].sum()
        return float(mean_square) if self.model.drawn else 0.0

    @cached_property
    def intersections(self) -> Any:
        """Scores of the intersections of two factors, (intersections, parameters)."""
        scores = multiply_rows(self.whitened.rows, self.whitened.residuals)
        return indicators(intersections(*self.codes.T)) @ scores

    @cached_property
    def whitened(self) -> RegressionRows:
        """Rows made of the eigenvectors of the second derivatives of each cell. Pseudo-answers are no data."""
        from scipy import sparse

        model = self.model
        values, vectors = np.linalg.eigh(self.curvatures.transpose(2, 0, 1))
        informative = (values > ROUNDING * values[:, -1:]) & (model.squares > 0)[:, None]
        length = np.sqrt(np.where(informative, values, 1.0))
        score = np.einsum("nij,in->nj", vectors, self.slopes * model.weight)
        # (predictors, cells, directions)
        turns = (vectors * length[:, None, :]).transpose(1, 0, 2)
        by_direction = [
            sum(
                multiply_rows(column, turn[:, k])
                for column, turn in zip(model.columns, turns, strict=True)
            )
            for k in range(len(turns))
        ]
        direction, cell = np.nonzero(informative.T)
        rows = sparse.csr_array(sparse.vstack(by_direction))
        return RegressionRows(
            rows=rows[direction * len(informative) + cell],
            residuals=(score / length)[cell, direction],
            cell=cell,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegressionRows:
    """Rows F, sparse, and residuals e of a regression with the information F'F and the score F'e; the cell of each."""

    rows: Any
    residuals: FloatArray
    cell: IntArray


def solution_of(model: EquationModel) -> Solution:
    """Return the maximum of a model, which is found once for all results that share the model."""
    if not model.solution:
        model.solution.append(solve_equation(model))
    solution: Solution = model.solution[0]
    return solution


def solve_equation(model: EquationModel) -> Solution:
    """Find the largest log-likelihood by Newton's method.

    Where parameters are not identified, as strengths without a reference are, functions of them that are do not
    depend on which solution it is.
    """
    parameters = np.zeros(model.parameters) if model.start is None else model.start
    solution = Solution(model=model, parameters=parameters)
    for _ in range(MOST_STEPS):
        step = solution.bread @ solution.score
        change = float(max(np.abs(column @ step).max() for column in model.columns))
        if change < ARRIVED:
            break
        # a step from far away is cut: predictors change by at most `LONGEST_STEP`
        solution = uphill(solution, step * min(1.0, LONGEST_STEP / change))
    return solution


def uphill(solution: Solution, step: FloatArray) -> Solution:
    """Return the solution after a step, which is halved until it does not lead far beyond the maximum."""
    rise = float(solution.score @ step)
    after = replace(solution, parameters=solution.parameters + step)
    for _ in range(MOST_HALVINGS):
        # beyond the maximum the likelihood falls: at most half as steeply as it rose before the step
        if after.score @ step >= -rise / 2:
            break
        step, rise = step / 2, rise / 2
        after = replace(solution, parameters=solution.parameters + step)
    return after


def slopes(model: EquationModel, predictors: FloatArray) -> FloatArray:
    """Return derivatives of the log-likelihood of an answer by complex steps, (predictors, cells)."""
    steps = 1j * COMPLEX_STEP * np.eye(len(predictors))[:, :, None]
    ahead = [model.log_likelihood(predictors + step) for step in steps]
    return np.array([values.imag / COMPLEX_STEP for values in ahead])


def curvatures(model: EquationModel, predictors: FloatArray) -> FloatArray:
    """Return negative second derivatives by central differences, (predictors, predictors, cells)."""
    steps = STEP * np.eye(len(predictors))[:, :, None]
    falls = [slopes(model, predictors - step) - slopes(model, predictors + step) for step in steps]
    second = np.array(falls) / (2 * STEP)
    return np.asarray((second + second.swapaxes(0, 1)) / 2)


def inverse(matrix: FloatArray) -> FloatArray:
    """Return the inverse of an information matrix, whatever the units of its parameters; 0 where nothing is known."""
    size = np.sqrt(np.diagonal(matrix))
    size = np.where(size > 0, size, 1.0)
    scale = np.outer(size, size)
    return np.asarray(np.linalg.pinv(matrix / scale, rcond=SINGULAR, hermitian=True) / scale)


def multiply_rows(matrix: Any, factors: FloatArray) -> Any:
    """Return a sparse matrix whose rows are multiplied by factors, (rows,)."""
    from scipy import sparse

    values = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
    return sparse.csr_array((values, matrix.indices, matrix.indptr), matrix.shape)


def indicators(codes: IntArray) -> Any:
    """Return the matrix that adds up what belongs to each code, (codes, rows)."""
    from scipy import sparse

    size = int(codes.max(initial=-1)) + 1
    matrix: Any = sparse.csr_array
    return matrix((np.ones(len(codes)), (codes, np.arange(len(codes)))), (size, len(codes)))


class OneFactor:
    """Errors by the clusters of one factor: CR2 and Satterthwaite's degrees of freedom.

    V = B [sum F_g' (I - M_g)^-1/2 e_g e_g' (I - M_g)^-1/2 F_g] B with M_g = F_g (F'F)^-1 F_g' (Bell & McCaffrey 2002;
    Pustejovsky & Tipton 2018). The rows of each cluster are turned into the eigenvectors of its M_g. Residuals along
    an eigenvector with leverage 1 are 0. The variance there is borrowed from the other residuals.

    Parameters
    ----------
    whitened : RegressionRows
    codes : (rows,) int64 array
    bread : (parameters, parameters) float64 array
    noise : float
        Least variance of a residual.
    """

    def __init__(
        self, whitened: RegressionRows, codes: IntArray, bread: FloatArray, noise: float
    ) -> None:
        self.rows, self.bread = whitened.rows, bread
        information = (self.rows.T @ self.rows).toarray()
        self.inverse = inverse(information)
        turned = turn_rows(whitened, codes, self.inverse)
        shared = turned.leverage <= ALONE
        self.hidden, self.turned = turned.rows[~shared], turned.rows[shared]
        # (I - M_g)^-1/2 of an eigenvector
        self.scale = 1 / np.sqrt(1 - turned.leverage[shared])
        self.by_cluster = indicators(turned.code[shared])
        scores = multiply_rows(self.turned, self.scale * turned.residuals[shared])
        self.sums = self.by_cluster @ scores @ bread
        # directions less the rank of the information
        self.spare = len(turned.code) - round(float(np.trace(self.inverse @ information)))
        squares = float(turned.residuals @ turned.residuals)
        self.lent = max(noise, squares / self.spare) if self.spare else noise

    def errors(self, gradient: FloatArray) -> LinearErrors:
        """Return the errors of a function of the parameters with this gradient."""
        along = self.bread @ gradient
        borrowed = float(np.sum((self.hidden @ along) ** 2))
        alone = borrowed / float(np.sum((self.rows @ along) ** 2))
        moved = self.turned @ along
        # expected squares of clusters under the model
        expected = self.by_cluster @ moved**2
        # Kish's effective number of clusters
        df = float(expected.sum() ** 2 / (expected @ expected))
        if df < MANY_EFFECTIVE:
            df = max(self.satterthwaite_df(moved * self.scale), 1.0)
        variance = float(np.sum((self.sums @ gradient) ** 2))
        if alone < ROUNDING:
            return LinearErrors(variance, df)
        borrowed *= self.lent
        total = variance + borrowed
        df = total**2 / (variance**2 / df + borrowed**2 / max(self.spare, 1))
        return LinearErrors(total, max(df, 1.0), alone if self.spare else 1.0)

    def satterthwaite_df(self, scaled: FloatArray) -> float:
        """Return (tr P)^2 / tr(P^2) with P_gh = w_g' (d_gh I - F_g (F'F)^-1 F_h') w_h, w_g = (I - M_g)^-1/2 F_g B c."""
        z = self.by_cluster @ multiply_rows(self.turned, scaled)
        diagonal = self.by_cluster @ scaled**2
        # P = diag(diagonal) - Z (F'F)^-1 Z', its squares added up without the matrix
        across = z.T @ z @ self.inverse
        fitted = (z * (z @ self.inverse)).sum(axis=1)
        squares = diagonal @ (diagonal - 2 * fitted) + np.sum(across * across.T)
        return float(np.sum(diagonal - fitted) ** 2 / squares)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnedRows:
    """Sparse rows and residuals of clusters along the eigenvectors of their hat matrices; eigenvalues and clusters."""

    rows: Any
    residuals: FloatArray
    leverage: FloatArray
    code: IntArray


def turn_rows(whitened: RegressionRows, codes: IntArray, inverse: FloatArray) -> TurnedRows:
    """Turn the rows of each cluster into the eigenvectors of its hat matrix that it has.

    Clusters of one size are turned together.
    """
    from scipy import sparse

    sizes = np.bincount(codes)
    first = np.cumsum(sizes) - sizes
    order = np.argsort(codes, kind="stable")
    parts = []
    for size in np.unique(sizes[sizes > 0]).tolist():
        clusters = np.flatnonzero(sizes == size)
        at = order[first[clusters][:, None] + np.arange(size)]
        rows = whitened.rows[at.ravel()].toarray().reshape(*at.shape, -1)
        leverage, vectors = hat_eigenvectors(rows, inverse)
        has = leverage > ROUNDING * leverage.max(axis=1, keepdims=True)
        turned = vectors.transpose(0, 2, 1)
        residuals = (turned @ whitened.residuals[at][:, :, None])[:, :, 0]
        code = np.broadcast_to(clusters[:, None], leverage.shape)
        # what no row of a cluster has stays 0
        along = sparse.csr_array((turned @ rows)[has])
        parts.append((along, residuals[has], leverage[has], code[has]))
    of_rows, *columns = zip(*parts, strict=True)
    residuals, leverage, code = (np.concatenate(column) for column in columns)
    all_rows = sparse.csr_array(sparse.vstack(of_rows))
    return TurnedRows(rows=all_rows, residuals=residuals, leverage=leverage, code=code)


def hat_eigenvectors(rows: FloatArray, inverse: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues, (clusters, k), and eigenvectors, (clusters, rows, k), of the hat matrices of clusters.

    Parameters
    ----------
    rows : (clusters, rows, parameters) float64 array
    inverse : (parameters, parameters) float64 array
        That of the information.
    """
    if rows.shape[1] <= rows.shape[2]:
        values, vectors = np.linalg.eigh(rows @ inverse @ rows.transpose(0, 2, 1))
        return values, vectors
    # with L L' the inverse and U S V' = F_g L, M_g = U S^2 U': the matrix itself is larger
    scales, axes = np.linalg.eigh(inverse)
    root = axes * np.sqrt(np.maximum(scales, 0.0))
    left, singular, _ = np.linalg.svd(rows @ root, full_matrices=False)
    return singular**2, left
