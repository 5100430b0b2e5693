"""Bradley-Terry models by their definition: the likelihood of a comparison, and functions of its parameters.

The parameters are strengths of the items, effects, the tie parameter, and the strength of a prior's ghost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.choices.terms import columns_of_python
from socialstats.crosscheck.definition import Definition
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, Factor
from socialstats.errors import InputError
from socialstats.results import Result, Row
from socialstats.results.definitions import PeerNumbers, RowKey, key_of_row
from socialstats.results.equations import (
    EquationModel,
    EquationSample,
    ErrorKind,
    Function,
    ParameterFunction,
    sparse_columns,
)
from socialstats.results.peers import load_peer

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.model import FitState
    from socialstats.choices.bradley_terry.result import BradleyTerryResult

TIE_MODELS = ("davidson", "rao_kupper")  # those with a parameter for ties
MOST_NUMBERS = 4_000_000  # a larger regression table takes minutes
START_OF_TIES = 0.5  # Rao and Kupper's log theta is above 0
EQUAL = 1e-7  # strengths that differ by less are one rank
CLOSE = 1e-5  # agreement with the solvers of other packages

# results that derive from one fit share its model, and the maximum of it, while the fit lives
MODELS: WeakKeyDictionary[FitState, EquationModel | str] = WeakKeyDictionary()


def log_probability(ties: str, outcome: IntArray, predictors: Any) -> Any:
    """Return the log-probability of each outcome: 0 where a won, 1 where b won, 2 for a tie.

    none: p_a / (p_a + p_b). half: the mean of both logarithms for a tie. davidson: p_a : p_b : nu sqrt(p_a p_b)
    (Davidson 1970). rao_kupper: p_a / (p_a + theta p_b), and what is left for a tie (Rao & Kupper 1967).

    Parameters
    ----------
    ties : str
    outcome : (cells,) int64 array
    predictors : (1 or 2, cells) array
        log(p_a / p_b), and log nu or log theta.
    """
    a, b = np.exp(predictors[0] / 2), np.exp(-predictors[0] / 2)
    if ties not in TIE_MODELS:
        win, loss = np.log(a / (a + b)), np.log(b / (a + b))
        return np.choose(outcome, [win, loss, (win + loss) / 2])
    theta = np.exp(predictors[1])
    if ties == "davidson":
        total = a + b + theta
        return np.log(np.choose(outcome, [a, b, theta]) / total)
    win, loss = a / (a + theta * b), b / (b + theta * a)
    return np.log(np.choose(outcome, [win, loss, 1 - win - loss]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparedCells:
    """Cells of comparisons: columns of the parameters, outcomes, weights with their squares, codes of clusters."""

    columns: FloatArray
    outcome: IntArray
    weight: FloatArray
    squares: FloatArray
    clusters: tuple[IntArray, ...]


def sample_fit(
    fit: BradleyTerryResult,
    estimates: Mapping[RowKey, ParameterFunction],
    factors: Sequence[Factor] | None = None,
) -> EquationSample | str:
    """Return the comparisons of a fit, its likelihood, and functions of its parameters; or why not.

    Parameters
    ----------
    fit : BradleyTerryResult
    estimates : mapping of RowKey to ParameterFunction
    factors : sequence of Factor, optional
        Clusters of the errors; by default those of the fit.
    """
    model = model_of_fit(fit) if factors is None else model_with_clusters(fit, factors)
    return model if isinstance(model, str) else EquationSample(model=model, estimates=estimates)


def model_of_fit(fit: BradleyTerryResult) -> EquationModel | str:
    """Return the comparisons of a fit and its likelihood, with its clusters; or why not."""
    state = fit.fitted_state
    if state not in MODELS:
        MODELS[state] = model_with_clusters(fit)
    return MODELS[state]


def model_with_clusters(
    fit: BradleyTerryResult, factors: Sequence[Factor] | None = None
) -> EquationModel | str:
    """Return the comparisons of a fit and its likelihood; or why not.

    Parameters
    ----------
    fit : BradleyTerryResult
    factors : sequence of Factor, optional
        Clusters of the errors; by default those of the fit.
    """
    if (reason := reason_against(fit)) is not None:
        return reason
    fit = fit.in_memory()
    state = fit.fitted_state
    clustered = state.kind == "cluster" or factors is not None
    if factors is None:
        factors = state.factors if clustered else ()
    try:
        cells = compared_cells(fit.design, state, factors)
    except InputError as error:
        return f"formulaic alone does not evaluate the formula: {error}"
    # all strengths and effects start at 0
    start = np.zeros(cells.columns.shape[2])
    if state.ties in TIE_MODELS:
        start[fit.names.index(str(state.model.tie_term))] = START_OF_TIES
    errors: ErrorKind = "rows" if state.kind == "sandwich" else "model"
    if clustered:
        errors = "clusters"
    log_likelihood = partial(log_probability, state.ties, cells.outcome)
    return EquationModel(
        columns=sparse_columns(cells.columns),
        log_likelihood=log_likelihood,
        weight=cells.weight,
        squares=cells.squares,
        clusters=cells.clusters,
        errors=errors,
        drawn=fit.design.replies is None,
        firth=state.options.penalty == "firth",
        start=start,
    )


def reason_against(fit: BradleyTerryResult) -> str | None:
    """Return why a fit is not recomputed; None where it is."""
    state, scan = fit.fitted_state, fit.design.scan
    cells = len(fit.design.count)
    if state.streamed:
        cells = fit.design.n_rows
    elif scan is not None and scan.clusters and cells * len(fit.names) <= MOST_NUMBERS:
        # with the clusters there are more cells
        cells = scan.cells()
    size = cells * len(fit.names)
    if size <= MOST_NUMBERS:
        return None
    return f"a dense table of {size:,} numbers: its maximum would take minutes"


def compared_cells(
    design: Comparisons, state: FitState, factors: Sequence[Factor]
) -> ComparedCells:
    """Return the cells of a design, with the pseudo-comparisons of a prior."""
    n = state.data.n_items
    items = np.zeros((len(design.outcome), n))
    # strengths are known up to a constant, which cancels in all that is estimated
    if n:
        places = np.arange(len(items))
        items[places, design.item_a], items[places, design.item_b] = 1.0, -1.0
    columns = np.hstack([items, effects_of_cells(design, state)])[:, None, :]
    cells = ComparedCells(
        columns=with_tie_parameter(columns) if state.ties in TIE_MODELS else columns,
        outcome=design.outcome.astype(np.int64),
        weight=design.weight,
        squares=design.weight_sq,
        clusters=tuple(factor.codes for factor in factors),
    )
    return add_ghost(cells, n, state.options.prior) if state.options.prior else cells


def effects_of_cells(design: Comparisons, state: FitState) -> FloatArray:
    """Return who was shown first, and the columns of the formula for item a less those for item b."""
    import pandas as pd

    columns = [np.zeros((len(design.outcome), 0))]
    if state.options.order:
        columns.append(design.first.astype(np.float64)[:, None])
    if state.options.formula is not None:
        sides = pd.DataFrame(
            {name: np.concatenate([side.a, side.b]) for name, side in design.covariates.items()}
        )
        for name, side in design.covariates.items():
            if side.levels:
                sides[name] = pd.Categorical(sides[name], categories=list(side.levels))
        text = state.options.formula.partition("~")[2]
        values, _ = columns_of_python(text, sides, np.tile(design.count, 2))
        of_a, of_b = np.split(values, 2)
        columns.append(of_a - of_b)
    return np.hstack(columns)


def with_tie_parameter(columns: FloatArray) -> FloatArray:
    """Return the columns with a second predictor, which is one more parameter."""
    cells, _, parameters = columns.shape
    longer = np.zeros((cells, 2, parameters + 1))
    longer[:, :1, :-1] = columns
    longer[:, 1, -1] = 1.0
    return longer


def add_ghost(cells: ComparedCells, n: int, prior: float) -> ComparedCells:
    """Return the cells with a ghost, the last parameter, that each of n items beats and loses to `prior` times."""
    size, predictors, parameters = cells.columns.shape
    columns = np.zeros((size + 2 * n, predictors, parameters + 1))
    columns[:size, :, :parameters] = cells.columns
    columns[size:, 0, :n] = np.tile(np.eye(n), (2, 1))
    # the ghost stands second in each
    columns[size:, 0, -1] = -1.0
    # the parameter of ties is that of the comparisons
    columns[size:, 1:, parameters - 1] = 1.0
    none = np.zeros(2 * n)
    weight = np.append(cells.weight, none + prior)
    clusters = [np.append(codes, none.astype(np.int64)) for codes in cells.clusters]
    return ComparedCells(
        columns=columns,
        outcome=np.append(cells.outcome, np.repeat([0, 1], n)),
        weight=weight,
        squares=np.append(cells.squares, none),
        clusters=tuple(clusters),
    )


def coefficient(fit: BradleyTerryResult, name: str, *, centred: bool = False) -> Function:
    """Return a coefficient as a function of the parameters: a strength less the reference, or an effect."""
    n, k = len(fit.items), fit.names.index(name)
    if k >= n:
        return lambda b: float(b[k])
    reference = fit.fitted_state.options.reference
    if reference is None or centred:
        return lambda b: float(b[k] - b[:n].mean())
    zero = fit.names.index(reference)
    return lambda b: float(b[k] - b[zero])


def sample_model(result: Result) -> Iterator[EquationSample | str]:
    """Yield the model of a fit, with its coefficients."""
    fit: Any = result
    estimates = {key_of_row(row): ParameterFunction(coefficient(fit, row.term)) for row in fit.rows}
    yield sample_fit(fit, estimates)


def sample_refitted_model(result: Result) -> Iterator[EquationSample | str]:
    """Yield the model that resamples were fitted to, with its coefficients; their errors are of resamples."""
    fit = result.extras["fit"]
    estimates = {
        key_of_row(row): ParameterFunction(coefficient(fit, row.term)) for row in result.rows
    }
    yield without_errors(sample_fit(fit, estimates))


def without_errors(sample: EquationSample | str) -> EquationSample | str:
    """Return a sample of estimates alone."""
    return sample if isinstance(sample, str) else replace(sample, errors=False)


def sample_derived(result: Result) -> Iterator[EquationSample | str]:
    """Yield the model of a fit, with what follows from its parameters by a formula."""
    fit = result.extras["fit"]
    effect = result.extras.get("effect")
    spreads = {} if effect is None else in_spreads(fit, effect)
    estimates = {}
    for row in result.rows:
        estimand = spreads.get(row.group) or estimand_of(result, fit, row)
        if row.estimate is not None and estimand is not None:
            estimates[key_of_row(row)] = estimand
    if not estimates:
        return
    sample = sample_fit(fit, estimates)
    has_errors = result.rows[0].group not in ("rank", "quasi-variance")
    yield sample if has_errors else without_errors(sample)


def estimand_of(result: Result, fit: BradleyTerryResult, row: Row) -> ParameterFunction | None:
    """Return a row of a derived result as a function of the parameters; None where there is no plain one."""
    n, names, group = len(fit.items), fit.names, row.group
    if row.label("outcome"):
        return probability(result, fit, row)
    if group == "contrast":
        weights = result.extras["weights"][row.term]
        parts = [(weight, coefficient(fit, name)) for name, weight in weights.items()]
        return ParameterFunction(lambda b: math.fsum(weight * part(b) for weight, part in parts))
    if group in ("difference", "win_probability"):
        i, j = (names.index(str(row.label(side))) for side in ("item", "other"))
        if group == "difference":
            return ParameterFunction(lambda b: float(b[i] - b[j]))
        return ParameterFunction(lambda b: 1 / (1 + math.exp(float(b[j] - b[i]))), "logit")
    if row.term not in fit.items:
        return None
    k = names.index(row.term)
    if group == "worth":
        return ParameterFunction(lambda b: 1 / float(np.exp(b[:n] - b[k]).sum()), "logit")
    if group == "rank":
        return ParameterFunction(lambda b: 1.0 + float((b[:n] - b[k] > EQUAL).sum()))
    return (
        ParameterFunction(coefficient(fit, row.term, centred=True))
        if group == "quasi-variance"
        else None
    )


def in_spreads(fit: BradleyTerryResult, effect: str) -> dict[str | None, ParameterFunction]:
    """Return the SD of the strengths, an effect over it, and the chance of an item one SD below that has the effect.

    The variance of the estimates is that of the strengths and their mean sampling variance.
    """
    n, at = len(fit.items), fit.names.index(effect)

    def spread(b: FloatArray, variances: FloatArray) -> float:
        return math.sqrt(float(np.var(b[:n], ddof=1)) - float(variances.sum()) / (n - 1))

    def ratio(b: FloatArray, variances: FloatArray) -> float:
        return float(b[at]) / spread(b, variances)

    def chance(b: FloatArray, variances: FloatArray) -> float:
        return 1 / (1 + math.exp(spread(b, variances) - float(b[at])))

    strengths = tuple(coefficient(fit, item, centred=True) for item in fit.items)
    return {
        "ratio": ParameterFunction(ratio, variances_of=strengths),
        "spread": ParameterFunction(spread, "log", variances_of=strengths),
        "chance": ParameterFunction(chance, "logit", variances_of=strengths),
    }


def probability(result: Result, fit: BradleyTerryResult, row: Row) -> ParameterFunction | None:
    """Return the probability of an outcome; None where the formula is more than a sum of numbers."""
    state, new = fit.fitted_state, result.extras["new"][int(row.label("row") or 0)]
    x = dict.fromkeys(fit.names, 0.0)
    if fit.items:
        x[new.items[0]], x[new.items[1]] = 1.0, -1.0
    if state.options.order:
        x["order"] = new.first
    formula = state.options.formula
    for name in [] if formula is None else formula.replace("~", "").split("+"):
        if name.strip() not in new.covariates or name.strip() not in x:
            return None
        a, b = new.covariates[name.strip()]
        x[name.strip()] = float(a) - float(b)
    tied = state.ties in TIE_MODELS
    columns = np.array([[*x.values()]])
    if tied:
        columns = with_tie_parameter(columns[:, None, :-1])[0]
    outcome = np.array([result.rows.index(row) % (3 if tied else 2)])

    def chance(b: FloatArray) -> float:
        predictors = columns @ b[: columns.shape[1]]
        return math.exp(log_probability(state.ties, outcome, predictors[:, None])[0])

    return ParameterFunction(chance, "logit")


def sample_two_models(result: Result) -> Iterator[EquationSample | str]:
    """Yield the comparisons of two fits with parameters of their own, and clusters matched by their labels."""
    fits = [fit.in_memory() for fit in result.extras["fits"]]
    factors = [fit.fitted_state.factors or (fit.design.pair,) for fit in fits]
    first, second = (
        model_with_clusters(fit, of_fit) for fit, of_fit in zip(fits, factors, strict=True)
    )
    if isinstance(first, str) or isinstance(second, str):
        yield first if isinstance(first, str) else str(second)
        return
    cut = first.parameters
    estimates = {}
    for row in result.rows:
        if row.group != "share":
            parts = [coefficient(fit, row.term, centred=True) for fit in fits]
            estimates[key_of_row(row)] = ParameterFunction(partial(gap, parts, cut))
    # a cluster of both fits has one label
    labels = [np.concatenate([a.labels(), b.labels()]) for a, b in zip(*factors, strict=True)]
    codes = [np.unique(names.astype(str), return_inverse=True)[1] for names in labels]
    yield EquationSample(model=stack_models(first, second, tuple(codes)), estimates=estimates)


def gap(parts: Sequence[Function], cut: int, parameters: FloatArray) -> float:
    """Return the difference of a coefficient of two models, the first of which has `cut` parameters."""
    first, second = parts
    return first(parameters[:cut]) - second(parameters[cut:])


def stack_models(
    first: EquationModel, second: EquationModel, clusters: tuple[IntArray, ...]
) -> EquationModel:
    """Return two models as one, whose parameters are those of both."""
    from scipy import sparse

    cells = len(first.weight)
    # the model with fewer predictors has others that are 0
    columns = []
    for pair in zip_longest(first.columns, second.columns):
        blocks = [
            sparse.csr_array(model.columns[0].shape) if column is None else column
            for column, model in zip(pair, (first, second), strict=True)
        ]
        columns.append(sparse.csr_array(sparse.block_diag(blocks)))

    def log_likelihood(at: Any) -> Any:
        return np.concatenate(
            [first.log_likelihood(at[:, :cells]), second.log_likelihood(at[:, cells:])]
        )

    start = np.concatenate([np.asarray(first.start), np.asarray(second.start)])
    squares = np.concatenate([first.squares, second.squares])
    return EquationModel(
        columns=tuple(columns),
        log_likelihood=log_likelihood,
        weight=np.concatenate([first.weight, second.weight]),
        squares=squares,
        clusters=clusters,
        errors="clusters",
        drawn=first.drawn,
        start=start,
    )


def ask_peers(result: Result) -> Iterator[PeerNumbers]:
    """Yield choix' strengths of plain models, and statsmodels' logistic regression of models without ties."""
    fit: Any = result
    coefficients = {key_of_row(row): coefficient(fit, row.term) for row in fit.rows}
    strengths = strengths_by_choix(fit)
    if strengths is not None:
        for key, function in coefficients.items():
            numbers = {"estimate": function(strengths)}
            yield PeerNumbers(package="choix", row=key, numbers=numbers, close=CLOSE)
    regression = logistic_regression(fit)
    if regression is None:
        return
    size = len(fit.names)
    # the first item is the reference, and has no column
    free = slice(1 if fit.items else 0, None)
    parameters, cov = np.zeros(size), np.zeros((size, size))
    parameters[free] = np.asarray(regression.params, dtype=np.float64)
    cov[free, free] = np.asarray(regression.cov_params(), dtype=np.float64)
    for key, function in coefficients.items():
        numbers = {"estimate": function(parameters)}
        if fit.fitted_state.kind == "model":
            # coefficients are linear in the parameters
            contrast = np.array([function(unit) for unit in np.eye(size)])
            numbers["std_error"] = math.sqrt(contrast @ cov @ contrast)
        yield PeerNumbers(package="statsmodels", row=key, numbers=numbers, close=CLOSE)


def strengths_by_choix(fit: BradleyTerryResult) -> FloatArray | None:
    """Return the strengths of a plain model, by counts of wins; None of other models, which choix does not have."""
    design, state = fit.design, fit.fitted_state
    plain = fit.names == design.items and not (design.weighted or state.penalised or state.probable)
    if not plain or design.n_ties:
        return None
    wins = np.zeros((len(design.items),) * 2)
    a_won = design.outcome == A_WON
    winner = np.where(a_won, design.item_a, design.item_b)
    loser = np.where(a_won, design.item_b, design.item_a)
    np.add.at(wins, (winner, loser), design.count)
    fit_by_spectra = load_peer("choix", "ilsr_pairwise_dense")
    return np.asarray(fit_by_spectra(wins, max_iter=10_000, tol=1e-11), dtype=np.float64)


def logistic_regression(fit: BradleyTerryResult) -> Any:
    """Return statsmodels' regression of wins on the columns, the first item left out; None where it has no such."""
    if fit.fitted_state.ties in TIE_MODELS or fit.fitted_state.penalised or reason_against(fit):
        return None
    fit = fit.in_memory()
    try:
        cells = compared_cells(fit.design, fit.fitted_state, ())
    except InputError:
        return None
    GLM = load_peer("statsmodels.genmod.generalized_linear_model", "GLM")
    Binomial = load_peer("statsmodels.genmod.families", "Binomial")
    wins = np.array([1.0, 0.0, 0.5])[cells.outcome]
    columns = cells.columns[:, 0, 1 if fit.items else 0 :]
    model = GLM(wins, columns, family=Binomial(), freq_weights=cells.weight, hasconst=False)
    # Newton's method from 0: least squares of all cells take five times as long
    return model.fit(method="newton", max_start_irls=0, maxiter=200, tol=1e-10, disp=0)


def ask_for_chi_squares(result: Result) -> Iterator[PeerNumbers]:
    """Yield scipy's p of chi-square tests, and twice the difference of statsmodels' log-likelihoods."""
    from scipy.stats import chi2

    for row in result.rows:
        if row.test != "chi2" or row.statistic is None or row.df is None:
            continue
        p = float(chi2.sf(row.statistic, row.df))
        yield PeerNumbers(package="scipy", row=key_of_row(row), numbers={"p_value": p})
        if row.group != "likelihood ratio":
            continue
        fits = [logistic_regression(result.extras[name]) for name in ("fit", "small")]
        if None not in fits:
            large, small = (float(fit.llf) for fit in fits)
            statistic = max(2 * (large - small), 0.0)
            yield PeerNumbers(
                package="statsmodels",
                row=key_of_row(row),
                numbers={"statistic": statistic},
                close=CLOSE,
            )


MODEL = Definition(equations=sample_model, peers=ask_peers)
REFITTED_MODEL = Definition(equations=sample_refitted_model)
DERIVED = Definition(equations=sample_derived, peers=ask_for_chi_squares)
TWO_MODELS = Definition(equations=sample_two_models)
