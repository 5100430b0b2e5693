"""Bradley-Terry models of paired comparisons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.calls import TableLike, reads
from socialstats.designs.comparisons import Comparisons, Covariate, Factor
from socialstats.errors import Caution, InputError, MleDoesNotExist, NonConvergence, NothingToAnalyse, caution
from socialstats.inference.dependence import few_clusters, ignored_clusters
from socialstats.inference.robust import Errors, Robust, between, cluster_robust
from socialstats.inference.rows import with_each_t
from socialstats.metrics.bradley_terry.result import BradleyTerryResult, make_result
from socialstats.models.bradley_terry.covariance import row_sandwich, whitened_rows
from socialstats.models.bradley_terry.fitting import (
    Fitted,
    fit_firth,
    fit_mm,
    fit_newton,
    require_connected,
    require_identified,
    require_not_separated,
    win_graph,
)
from socialstats.models.bradley_terry.likelihoods import LIKELIHOODS, Likelihood, PairData, pair_data, with_ghost
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, by_levels
from socialstats.text import count, interval, listing, number, p_value, percent, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row


Ties = Literal["auto", "davidson", "rao_kupper", "half", "none"]
Strengths = Literal["free", "none"]
Vcov = Literal["auto", "model", "sandwich", "cluster"]
Penalty = Literal["firth"]
Components = Literal["error", "separate"]
Solver = Literal["newton", "mm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything the caller chose. See `bradley_terry` for the meaning of each."""

    formula: str | None = None
    ties: Ties = "auto"
    order: bool = False
    strengths: Strengths = "free"
    cluster: str | Sequence[str] | None = "declared"
    vcov: Vcov = "auto"
    penalty: Penalty | None = None
    prior: float = 0.0
    components: Components = "error"
    solver: Solver = "newton"
    reference: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, allowed in (
            ("ties", get_args(Ties)), ("strengths", get_args(Strengths)), ("vcov", get_args(Vcov)),
            ("penalty", (*get_args(Penalty), None)), ("components", get_args(Components)),
            ("solver", get_args(Solver)),
        ):  # fmt: skip
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name}={value!r} is not one of {', '.join(map(repr, allowed))}")
        if not 0 < self.level < 1:
            raise InputError(f"level={self.level!r} is not between 0 and 1")
        if not 0 <= self.prior < float("inf"):
            raise InputError(f"prior={self.prior!r} is not a number of pseudo-wins (0 or more)")
        if self.penalty and self.prior:
            raise InputError("penalty='firth' and prior= are two ways out of the same problem: choose one")
        if self.strengths == "none" and (self.formula is None or self.prior or self.reference):
            raise InputError("strengths='none' needs a formula, and takes neither prior= nor reference=")
        if self.solver == "mm" and (self.formula or self.order or self.penalty or self.prior):
            raise InputError("solver='mm' fits strengths only: no formula, order, penalty or prior")

    def tie_model(self, design: Comparisons) -> str:
        """Return the tie model for these data: Davidson's when ties exist and nothing else was asked for."""
        ties = design.n_ties
        if ties == design.n_rows and self.ties not in ("half", "none"):
            raise MleDoesNotExist(
                "no finite tie parameter exists: every row is a tie. Use ties='half', which makes all strengths equal",
                terms=("log_theta" if self.ties == "rao_kupper" else "log_nu",),
            )
        if self.ties == "auto" and not (self.solver == "mm" and ties):
            return "davidson" if ties else "none"
        if self.ties == "none" and ties:
            raise InputError(
                f"ties='none', but {ties:,} rows are ties. Use ties='davidson', 'rao_kupper' or 'half', "
                "or leave them out with design.drop_ties()"
            )
        if self.ties in ("davidson", "rao_kupper") and not ties:
            raise InputError(f"ties='{self.ties}' needs ties, and there are none; leave ties='auto'")
        if self.penalty and self.ties == "rao_kupper":
            raise InputError("penalty='firth' is available for ties='davidson', not for 'rao_kupper'; or use prior=")
        if self.solver == "mm" and self.ties not in ("none", "half"):
            raise InputError("solver='mm' has no tie model; use ties='half' or the default solver")
        return self.ties

    def covariance_kind(self, n_factors: int, ties: str, weighted: bool) -> str:
        """Return which covariance is meant by ``vcov="auto"`` and check the others."""
        if self.vcov == "auto":
            if n_factors:
                return "cluster"
            return "sandwich" if ties == "half" or weighted else "model"
        if self.vcov == "cluster" and not n_factors:
            raise InputError("vcov='cluster' needs a cluster: declare one in the design, or pass cluster='pair'")
        return self.vcov

    def echo(self, **chosen: Any) -> dict[str, Any]:
        """Return all settings as a mapping, with what 'auto' became."""
        names = (
            "formula", "order", "strengths", "penalty", "prior", "components", "solver", "reference", "level",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | chosen


FEW_DF = 5.0  # with fewer degrees of freedom a t interval is more than 1.3 times as wide as the normal one
BORROWED = 0.01  # share of a variance
DECISIVE = 0.5  # leverage of one cluster
FEW_COMPARISONS = 10
NOTABLE_RATIO = 0.1


def fit_cautions(design: Comparisons, state: State, rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Return the cautions of a fit, most serious first."""
    found = [*_clusters(design, state, rows), *_ties(design, state), *_items(design, state)]
    if state.options.order and not design.order_known:
        first = design.columns.get("item_a", "item_a")
        found.append(caution(
            "SS106", f"order=True took the item in column '{first}' as shown first",
            affects="the order effect and every strength",
            fix="declare it in the design (order='item_a', or the column that says it), or leave out the order effect",
        ))  # fmt: skip
    if design.weighted:
        found.append(caution("SS207", "log-likelihood and tests treat weights as given", affects="standard errors"))
    return tuple(sorted(found, key=lambda c: ("stop", "caution", "info").index(c.severity)))


def _clusters(design: Comparisons, state: State, rows: Sequence[Row]) -> list[Caution]:
    found: list[Caution] = []
    names = listing([f"{c.name} ({len(c.levels):,})" for c in design.clusters])
    if design.clusters and state.robust is None:
        fix = "leave cluster='declared'"
        found.append(ignored_clusters(names, "single rows", affects="every interval and p-value", fix=fix))
    if state.robust is None:
        return found
    sizes = dict(zip([f.name for f in state.factors], state.robust.n_clusters, strict=True))
    found += _thin(state, rows, " and ".join(sizes))
    p = len(state.fitted.beta)
    if min(sizes.values()) < p:
        found.append(caution(
            "SS203", f"{count(min(sizes.values()), 'cluster')} for {count(p, 'parameter')}: the covariance matrix "
            "is singular, single standard errors stand, joint tests do not", affects="joint tests",
        ))  # fmt: skip
    if state.adjusted:
        found.append(
            caution(
                "SS206",
                "V1 + V2 - V12 was not positive: its correlations were adjusted; every variance is at least that of "
                "one factor alone",
                affects="joint tests and quasi-variances",
                fix="compare with one factor alone: cluster=",
            )
        )
    ratio = state.design_effects
    if ratio is not None and abs(np.median(ratio) - 1) > NOTABLE_RATIO:
        found.append(caution(
            "SS205", f"clustering by {listing(list(sizes))} makes the standard errors of the strengths "
            f"{number(float(np.median(ratio)))} times as large as with independent rows (median)",
        ))  # fmt: skip
    return found


def _thin(state: State, rows: Sequence[Row], names: str) -> list[Caution]:
    """Return what clusters that hold much, or all, of what is known do to intervals."""
    found: list[Caution] = []
    assert state.robust is not None
    errors = state.reported
    none = [row.term for row, refused in zip(rows, errors.refused, strict=True) if refused]
    if none:
        found.append(caution(
            "SS209", f"{quoted(none)}: no interval, as each rests on single clusters ({names}), whose leans cannot be "
            "told from it", affects="their intervals, tests and ranks",
            fix="collect comparisons in more clusters, leave these items out, or use vcov='model' where clusters have "
            "no leans of their own",
        ))  # fmt: skip
    lent = {
        row.term: float(unit)
        for row, unit, refused in zip(rows, errors.unit, errors.refused, strict=True)
        if unit > BORROWED and not refused
    }
    if lent:
        most = max(lent, key=lambda term: lent[term])
        found.append(caution(
            "SS208", f"up to {percent(lent[most])} of the variance of {count(len(lent), 'coefficient')} (most: "
            f"{quoted([most])}) cannot be seen between clusters ({names}) and was taken from the others",
            affects="these intervals, which assume that clusters are alike",
            fix="quote differences (pairwise(), contrast()), or collect comparisons in more clusters",
        ))  # fmt: skip
    known = {row.term: row.df for row in rows if row.df is not None and row.df < FEW_DF}
    if known:
        least = min(known, key=lambda term: known[term])
        others = f" ({count(len(known), 'coefficient')} on fewer than {FEW_DF:g})" if len(known) > 1 else ""
        rests = f"{quoted([least])} rests on about {number(known[least], 1)} effective clusters{others}"
        found.append(few_clusters(f"{rests}; intervals with few degrees of freedom are longer"))
    largest = state.robust.largest_leverage
    if largest > DECISIVE and not none:
        found.append(caution(
            "SS210", f"one cluster ({names}) decides {percent(largest)} of what is known about something",
            affects="coefficients that rest on it", fix="see which coefficients have few degrees of freedom (df)",
        ))  # fmt: skip
    return found


def _ties(design: Comparisons, state: State) -> list[Caution]:
    if not design.n_ties:
        return []
    share = percent(design.n_ties / design.n_rows)
    if state.ties == "half":
        return [caution(
            "SS105", f"{share} of the comparisons are ties, each counted as half a win for both sides: strengths "
            "are shrunken towards each other", affects="every strength", fix="use ties='davidson'",
        )]  # fmt: skip
    name = {"davidson": "Davidson's", "rao_kupper": "Rao and Kupper's"}[state.ties]
    return [caution("SS109", f"{share} of the comparisons are ties, in {name} model")]


def _items(design: Comparisons, state: State) -> list[Caution]:
    found: list[Caution] = []
    if state.penalised:
        way = "Firth's penalty" if state.options.penalty else f"{state.options.prior:g} pseudo-wins an item"
        found.append(caution("SS102", f"{way} pulls the strengths together", affects="every strength"))
    n = np.bincount(design.item_a, design.count, len(design.items))
    n += np.bincount(design.item_b, design.count, len(design.items))
    few = [item for item, k in zip(design.items, n, strict=True) if k < FEW_COMPARISONS]
    if few and state.data.free:
        found.append(caution(
            "SS103", f"{quoted(few)}: fewer than {FEW_COMPARISONS} comparisons each",
            affects="their strengths and intervals",
        ))  # fmt: skip
    return found


ORDER = "order"
SMALLEST, LARGEST = 1e-7, 1e7  # differences beyond these make the information singular to working precision
PLAIN = re.compile(r"^[A-Za-z_]\w*(\s*\+\s*[A-Za-z_]\w*)*$")


def effect_columns(design: Comparisons, formula: str | None, *, order: bool) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the (cells, k) matrix of differences and the names of its columns.

    Parameters
    ----------
    design : Comparisons
    formula : str or None
        One-sided formula in the names of the covariates without their side, such as ``"~ urgency + C(domain)"``.
    order : bool
        Adds a column that is +1 where item_a was shown first and -1 where item_b was.

    Raises
    ------
    InputError
        For a formula that cannot be evaluated, and covariates in a unit that no computer's numbers hold beside 1.
    """
    columns = [design.first.astype(np.float64)[:, None]] if order else []
    names: tuple[str, ...] = (ORDER,) if order else ()
    if formula is not None:
        matrix, found = _formula(design, formula)
        _refuse_sizes(matrix, found)
        columns.append(matrix)
        names += found
    n = len(design.item_a)
    return (np.hstack(columns) if columns else np.zeros((n, 0))), names


def _refuse_sizes(matrix: FloatArray, names: tuple[str, ...]) -> None:
    """Refuse columns whose differences are so large or small that their slope is lost in rounding."""
    for name, size in zip(names, np.abs(matrix).max(axis=0, initial=0.0).tolist(), strict=True):
        if size > LARGEST or 0 < size < SMALLEST:
            way = "divide" if size > 1 else "multiply"
            factor = count(10.0 ** abs(round(np.log10(size))))
            raise InputError(
                f"'{shorten(name)}' differs by up to {size:g} between the sides: its effect a unit would be "
                f"lost in rounding. Give it in a larger or smaller unit: {way} both columns by {factor}"
            )


def _formula(design: Comparisons, formula: str) -> tuple[FloatArray, tuple[str, ...]]:
    left, tilde, text = formula.partition("~")
    if not tilde or left.strip() or not text.strip():
        raise InputError(f"formula {formula!r} is not one-sided; write it like '~ urgency'")
    known = design.covariates
    if PLAIN.match(text.strip()):
        names = [name.strip() for name in text.split("+")]
        missing = [name for name in names if name not in known]
        if missing:
            _unknown(missing[0], design)
        if all(np.issubdtype(known[name].a.dtype, np.number) for name in names):
            return np.stack([known[name].a - known[name].b for name in names], axis=1), tuple(names)
    return _by_formulaic(design, text)


def _by_formulaic(design: Comparisons, text: str) -> tuple[FloatArray, tuple[str, ...]]:
    """Evaluate the formula once on the distinct values of both sides, stacked."""
    import pandas as pd
    from formulaic import model_matrix
    from formulaic.errors import FormulaicError

    used = [c for c in design.covariates.values() if is_used(c.name, text)]
    if not used:
        _unknown(text.strip(), design)
    codes, rows = _distinct(used)
    frame = pd.DataFrame({c.name: np.concatenate([c.a, c.b])[rows] for c in used})
    try:
        matrix = model_matrix(text, frame, na_action="raise")
    except (FormulaicError, NameError, ValueError) as error:
        raise InputError(
            f"formula '~{text}' cannot be evaluated: {error}. Covariates: {', '.join(design.covariates)}"
        ) from error
    keep = [j for j, name in enumerate(matrix.columns) if name != "Intercept"]
    values = np.asarray(matrix, dtype=np.float64)[:, keep]
    half = len(design.item_a)
    return values[codes[:half]] - values[codes[half:]], tuple(str(matrix.columns[j]) for j in keep)


def is_used(name: str, formula: str) -> bool:
    """Return whether the formula names this covariate (not just a longer name that holds it)."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula) is not None


def _distinct(used: list[Covariate]) -> tuple[Any, Any]:
    """Return for each of the 2 x cells sides the code of its combination of values, and one example of each."""
    key = np.zeros(2 * len(used[0].a), dtype=np.int64)
    for c in used:
        _, code = np.unique(np.concatenate([c.a, c.b]), return_inverse=True)
        key = key * (int(code.max()) + 1) + code.reshape(-1)
    _, example, codes = np.unique(key, return_index=True, return_inverse=True)
    return codes.reshape(-1), example


def _unknown(name: str, design: Comparisons) -> None:
    known = ", ".join(design.covariates) or "none"
    raise InputError(
        f"no covariate '{name}' in this design (covariates: {known}). "
        "A covariate X needs the columns X_a and X_b, or covariates={'X': ('left column', 'right column')}"
    )


KINDS = {
    "model": "model-based standard errors",
    "sandwich": "sandwich standard errors by row",
    "cluster": "cluster-robust standard errors",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The fit behind a result, as arrays.

    Attributes
    ----------
    data : PairData
    model : Likelihood
    fitted : Fitted
        Centred estimates with their model covariance.
    covariance : (p, p) array
        Covariance that the intervals use, in the same parameters. With clusters it has borrowed variances where
        `errors` refuses a contrast.
    adjusted : bool
        True when V1 + V2 - V12 of two crossed clusters was not positive and its correlations were adjusted.
    kind : {"model", "sandwich", "cluster"}
    factors : tuple of Factor
    robust : Robust or None
    options : Options
    ties : str
        Tie model in use.
    penalised : bool
    reference : int or None
        Parameter that is 0 as reported.
    """

    data: PairData
    model: Likelihood
    fitted: Fitted
    covariance: FloatArray
    adjusted: bool
    kind: str
    factors: tuple[Factor, ...]
    robust: Robust | None
    options: Options
    ties: str
    penalised: bool
    reference: int | None

    @property
    def transform(self) -> FloatArray:
        """Matrix from centred parameters to the reported ones (reference item, if any, at zero)."""
        out = np.eye(len(self.fitted.beta))
        if self.reference is not None:
            out[: self.data.n_items, self.reference] -= 1
        return out

    @cached_property
    def reported(self) -> Errors:
        """Standard errors of the parameters as they are reported."""
        return self.errors(self.transform)

    @cached_property
    def differences(self) -> Errors:
        """Standard errors of the differences between strengths i and j, i < j."""
        n = self.data.n_items
        if self.robust is not None:
            return self.robust.differences(n)
        return normal(between(self.covariance, *np.triu_indices(n, 1)))

    def errors(self, contrasts: FloatArray) -> Errors:
        """Return standard errors and degrees of freedom of the rows of `contrasts` (k, p)."""
        if self.robust is not None:
            return self.robust.errors(contrasts)
        return normal(np.einsum("ki,ki->k", contrasts @ self.covariance, contrasts))

    def covariance_of(self, transform: FloatArray) -> FloatArray:
        """Return the covariance of transformed parameters."""
        if self.robust is not None:
            return self.robust.covariance(transform)[0]
        return np.asarray(transform @ self.covariance @ transform.T)

    @property
    def design_effects(self) -> FloatArray | None:
        """Ratio of the s.e. in use to the model's, for every strength that has one; None without clusters."""
        n = self.data.n_items
        if self.robust is None or not n:
            return None
        found = self.reported if self.reference is None else self.errors(np.eye(n, len(self.fitted.beta)))
        ratio = found.std_error[:n] / np.sqrt(np.diagonal(self.fitted.covariance)[:n])
        known = ~found.refused[:n]
        return ratio[known] if known.any() else None


def normal(variance: FloatArray) -> Errors:
    """Return errors that rest on the normal limit."""
    k = len(variance)
    return Errors(variance=variance, df=np.full(k, np.inf), unit=np.zeros(k), refused=np.zeros(k, dtype=bool))


def n_pairs(data: PairData) -> int:
    """Return how many pairs of items met."""
    return len(np.unique(data.a * (int(data.b.max(initial=0)) + 1) + data.b))


def references(state: State) -> tuple[str, ...]:
    """Return the keys of the literature behind this fit."""
    keys = ["bradley1952", "ford1957"]
    keys += {"davidson": ["davidson1970"], "rao_kupper": ["raokupper1967"]}.get(state.ties, [])
    keys += ["davidsonbeaver1977"] if state.options.order else []
    keys += ["firth1993"] if state.options.penalty else []
    keys += ["hunter2004"] if state.options.solver == "mm" else []
    robust = ["liangzeger1986", "bellmccaffrey2002", "pustejovskytipton2018", "cattelan2012"]
    keys += {"sandwich": ["white1982"], "cluster": robust}.get(state.kind, [])
    return tuple(keys + (["cameron2011", "cochran1964"] if len(state.factors) == 2 else []))


def describe(state: State) -> str:
    """Return in words how the standard errors were obtained."""
    if state.robust is None:
        return KINDS[state.kind]
    sizes = zip(state.factors, state.robust.n_clusters, strict=True)
    names = " x ".join(f"{size:,} {factor.name} clusters" for factor, size in sizes)
    crossed = ", crossed" if len(state.factors) == 2 else ""
    return f"{KINDS['cluster']} ({names}{crossed}; CR2, t with Satterthwaite's df)"


def coefficient_names(design: Comparisons, state: State) -> tuple[str, ...]:
    """Return the names of all parameters in order."""
    tie = (state.model.tie_term,) if state.model.tie_term else ()
    return (design.items if state.data.free else ()) + state.data.z_names + tie


def make_rows(design: Comparisons, state: State, level: float) -> list[Row]:
    """Return one row a parameter, with Wald intervals and tests against zero."""
    beta, errors = state.transform @ state.fitted.beta, state.reported
    n_items, names = state.data.n_items, coefficient_names(design, state)
    compared = np.bincount(design.item_a, design.count, len(design.items))
    compared += np.bincount(design.item_b, design.count, len(design.items))
    clusters = min(state.robust.n_clusters) if state.robust else None
    rows = [
        Row(
            term=name, group="strength" if j < n_items else term_group(name, state), estimate=float(beta[j]),
            n_clusters=clusters, n=float(compared[j]) if j < n_items else float(design.n_rows),
            method=KINDS[state.kind],
        )
        for j, name in enumerate(names)
    ]  # fmt: skip
    why = {j: unseen_item(design, state, j) for j in range(n_items) if errors.refused[j]}
    if state.reference is not None:
        why[state.reference] = "reference item, fixed at zero"
    return with_errors(rows, state, errors, level, why)


def with_errors(
    rows: Sequence[Row], state: State, errors: Errors, level: float, why: Mapping[int, str] | None = None
) -> list[Row]:
    """Return rows of estimates with error, Wald interval and test, or why they have none (`why` by place)."""
    known = errors.std_error > 0
    reasons = ["" if there else why_not(state, errors, k) for k, there in enumerate(known.tolist())]
    for k, reason in (why or {}).items():
        reasons[k] = reason
    return with_each_t(rows, errors.std_error, errors.df, level, reasons)


def why_not(state: State, errors: Errors, k: int) -> str:
    """Return why contrast k has no standard error."""
    if not errors.refused[k]:
        return "the standard error is zero: " + ("too few clusters" if state.robust else "every row is a tie")
    names = " and ".join(factor.name for factor in state.factors)
    return f"rests on single clusters ({names}), whose own effects cannot be told from it"


def unseen_item(design: Comparisons, state: State, item: int) -> str:
    """Return why the strength of an item has no standard error."""
    met = (design.item_a == item) | (design.item_b == item)
    for factor in state.factors:
        if len(np.unique(np.asarray(factor.codes)[met])) == 1:
            if factor.name == "pair":
                return "met in one pair only: a lean of that pair cannot be told from its strength"
            return f"met in one cluster only ({factor.name}): a lean of that cluster cannot be told from its strength"
    return why_not(state, state.reported, item)


def term_group(name: str, state: State) -> str:
    """Return the family of a parameter that is not a strength."""
    if name == state.model.tie_term:
        return "tie"
    return "order" if name == "order" and state.options.order else "covariate"


SUSPICIOUS_ETA = 20.0  # a linear predictor this large means odds of 5e8: look for separation


@reads(Comparisons)
def bradley_terry(
    comparisons: Comparisons | TableLike,
    formula: str | None = None,
    *,
    ties: Ties = "auto",
    order: bool = False,
    strengths: Strengths = "free",
    cluster: str | Sequence[str] | None = "declared",
    vcov: Vcov = "auto",
    penalty: Penalty | None = None,
    prior: float = 0.0,
    components: Components = "error",
    solver: Solver = "newton",
    reference: str | None = None,
    level: float = 0.95,
    by: str | None = "declared",
    **columns: Any,
) -> BradleyTerryResult | ResultGroup:
    """Estimate the strengths of items from paired comparisons, with the uncertainty the design really has.

    The probability that i beats j is p_i / (p_i + p_j) (Bradley & Terry 1952); the estimates are the log-strengths
    log p_i, with sum zero unless `reference` is given, so that a difference of two is a log-odds.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        A data frame is passed to `Comparisons.from_frame` with its standard column names.
    formula : str, optional
        One-sided formula in covariates of the sides, such as ``"~ urgency"``: each side is evaluated alone and
        side b subtracted from side a. Covariates that belong to the items need ``strengths="none"``.
    ties : {"auto", "davidson", "rao_kupper", "half", "none"}
        ``auto`` is Davidson's model when there are ties. ``half`` counts a tie as half a win for each side: it
        shrinks the strengths (to about 68 % at 30 % ties) and is there for comparison with other tools.
    order : bool
        Adds the effect of being shown first (log-odds), as the design declares it (``order=`` of
        `Comparisons.from_frame`). Where it declares nothing item_a counts as first, which caution SS106 says.
    strengths : {"free", "none"}
        ``none`` explains the outcomes by the formula alone.
    cluster : str, sequence of two str, or None
        ``"declared"`` uses the design's clusters, ``"pair"`` the pairs of items, None ignores clusters (and says
        so in caution SS201). Standard errors are CR2 with Satterthwaite's degrees of freedom, which each number has
        of its own; of two crossed clusters the largest of V1, V2 and V1 + V2 - V12 counts, with Cochran's degrees of
        freedom. What rests on one cluster alone, such as an item met in one pair, has no interval (caution SS209).
    vcov : {"auto", "model", "sandwich", "cluster"}
        ``auto``: cluster-robust where there are clusters; sandwich by row for half-ties or weights; else model.
    penalty : {"firth"}, optional
        Jeffreys-prior penalised likelihood (Firth 1993): finite whatever the wins.
    prior : float
        Pseudo-wins and pseudo-losses of every item against a ghost item.
    components : {"error", "separate"}
        What to do when no finite estimate exists because the win graph is not strongly connected.
    solver : {"newton", "mm"}
        ``mm`` is the iteration of the role-conflict paper; same estimates.
    reference : str, optional
        Item whose log-strength is set to zero.
    level : float
        Confidence level.
    by : {"declared"} or None
        Fits one model for each level of the design's `by` factor, if it has one.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    BradleyTerryResult, or ResultGroup
        Rows of group ``strength`` (log-strengths), ``order``, ``covariate`` (log-odds per unit of difference) and
        ``tie`` (``log_nu`` of Davidson, ``log_theta`` of Rao and Kupper). Tests are against zero.

    Raises
    ------
    MleDoesNotExist
        Unbeaten or winless items, separate groups, or separated covariates: names them and the ways out.
    NotIdentified
        Covariates that the data cannot tell from strengths or from each other.
    NonConvergence
        If an iteration stops early.

    References
    ----------
    Bradley & Terry (1952) doi:10.2307/2334029; Ford (1957) doi:10.2307/2308513; Davidson (1970)
    doi:10.1080/01621459.1970.10481082; Rao & Kupper (1967) doi:10.1080/01621459.1967.10482901; Bell & McCaffrey
    (2002), Survey Methodology 28; Pustejovsky & Tipton (2018) doi:10.1080/07350015.2016.1247004; Cameron, Gelbach &
    Miller (2011) doi:10.1198/jbes.2010.07136; Cochran (1964) doi:10.2307/2528069.

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats import Comparisons
    >>> games = pd.DataFrame({
    ...     "item_a": ["nurse", "nurse", "judge", "judge", "pilot", "pilot"],
    ...     "item_b": ["judge", "pilot", "pilot", "nurse", "nurse", "judge"],
    ...     "winner": ["nurse", "pilot", "judge", "nurse", "nurse", "pilot"]})
    >>> fit = bradley_terry(Comparisons.from_frame(games))
    >>> {item: round(value, 4) for item, value in fit.coef().items()}
    {'judge': -0.7563, 'nurse': 0.7563, 'pilot': 0.0}
    """
    options = Options(
        formula=formula, ties=ties, order=order, strengths=strengths, cluster=cluster, vcov=vcov, penalty=penalty,
        prior=prior, components=components, solver=solver, reference=reference, level=level,
    )  # fmt: skip
    return by_levels(comparisons, by, lambda part: _fit(part, options))


def _fit(design: Comparisons, options: Options) -> BradleyTerryResult | ResultGroup:
    if design.n_rows == 0:
        raise NothingToAnalyse("no comparisons to analyse")
    try:
        return _fit_whole(design, options)
    except MleDoesNotExist as error:
        if options.components == "separate" and error.components:
            return _fit_separately(design, options, error)
        raise


def _fit_whole(design: Comparisons, options: Options) -> BradleyTerryResult:
    ties = options.tie_model(design)
    model = LIKELIHOODS[ties]
    z, names = effect_columns(design, options.formula, order=options.order)
    data = pair_data(design, z, names, free=options.strengths == "free")
    _require_own_names(design, data, model)
    if options.reference is not None and options.reference not in design.items:
        raise InputError(f"reference='{options.reference}' is not an item; items: {', '.join(design.items[:20])}")
    _require_connected(data, design, options)
    require_identified(data)
    fitted = _estimate(data, model, options)
    factors = design.factors(options.cluster)
    kind = options.covariance_kind(len(factors), ties, design.weighted)
    robust = _clustered(design, data, model, fitted, factors) if kind == "cluster" else None
    adjusted = False
    if robust is not None:
        covariance, adjusted = robust.covariance()
    elif kind == "sandwich":
        covariance = row_sandwich(data, model, fitted.beta, fitted.covariance)
    else:
        covariance = fitted.covariance
    state = State(
        data=data, model=model, fitted=fitted, covariance=covariance, adjusted=adjusted, kind=kind, factors=factors,
        robust=robust, options=options, ties=ties, penalised=bool(options.penalty or options.prior),
        reference=None if options.reference is None else design.items.index(options.reference),
    )  # fmt: skip
    return make_result(design, state)


def _require_connected(data: PairData, design: Comparisons, options: Options) -> None:
    """Check Ford's condition; a penalty needs only that all items hang together, pseudo-wins need nothing."""
    if not data.free or options.prior:
        return
    if options.penalty is None or len(win_graph(data).groups) > 1:
        require_connected(data, design.items)


def _estimate(data: PairData, model: Likelihood, options: Options) -> Fitted:
    if options.prior:
        return _drop_ghost(_newton(with_ghost(data, options.prior), model), data, model)
    if options.penalty == "firth":
        return fit_firth(data, model)
    if options.solver == "mm":
        worth, sweeps = fit_mm(data)
        at = fit_newton(data, model, beta=np.log(worth) - np.log(worth).mean())
        return Fitted(beta=_log_centred(worth), covariance=at.covariance, loglik=at.loglik, iterations=sweeps)
    return _newton(data, model)


def _require_own_names(design: Comparisons, data: PairData, model: Likelihood) -> None:
    """Raise when an item has the name of a term: every row of the result has a name of its own."""
    terms = [*data.z_names, *([model.tie_term] if model.tie_term else [])]
    same = [name for name in terms if data.free and name in design.items]
    if same:
        raise InputError(
            f"item {quoted(same)} has the name of a term of this model; "
            f"relabel it first: comparisons.relabel({{{same[0]!r}: ...}})"
        )


def _newton(data: PairData, model: Likelihood) -> Fitted:
    """Maximise the likelihood; where that fails or looks suspicious, say which terms separate the outcomes."""
    try:
        with np.errstate(over="ignore"):
            fitted = fit_newton(data, model)
    except (NonConvergence, np.linalg.LinAlgError) as error:
        require_not_separated(data, model.tie_term)
        if isinstance(error, NonConvergence):
            raise
        raise NonConvergence("the information matrix is singular", iterations=0, gap=np.inf) from error
    if np.abs(data.eta(fitted.beta)).max(initial=0.0) > SUSPICIOUS_ETA:
        require_not_separated(data, model.tie_term)
    return fitted


def _log_centred(worth: Any) -> Any:
    return np.log(worth) - np.log(worth).mean()


def _drop_ghost(fitted: Fitted, data: PairData, model: Likelihood) -> Fitted:
    """Remove the ghost item and centre the others; the log-likelihood is that of the data alone."""
    n = data.n_items
    keep = np.delete(np.arange(len(fitted.beta)), n)
    centre = np.eye(len(keep))
    centre[:n, :n] -= 1 / n
    beta = centre @ fitted.beta[keep]
    cov = centre @ fitted.covariance[np.ix_(keep, keep)] @ centre.T
    tau = beta[-1] if model.tie_term is not None else 0.0
    loglik = model.loglik(data.eta(beta), tau, model.statistics(data.w))
    return Fitted(beta=beta, covariance=cov, loglik=loglik, iterations=fitted.iterations)


def _clustered(
    design: Comparisons, data: PairData, model: Likelihood, fitted: Fitted, factors: tuple[Factor, ...]
) -> Robust:
    if len(factors) > 2:
        named = ", ".join(f"'{factor.name}'" for factor in factors)
        raise InputError(f"at most two crossed clusters, got {named}; name one or two with cluster=")
    for factor in factors:
        if len(np.unique(factor.codes)) < 2:
            raise InputError(f"cluster '{factor.name}' has a single level: its dependence cannot be estimated")
    rows, residuals, codes = whitened_rows(design, data, model, fitted.beta, factors)
    noise = float(design.weight_sq.sum() / design.weight.sum())
    return cluster_robust(rows, residuals, codes, fitted.covariance, noise=noise)


def _fit_separately(design: Comparisons, options: Options, error: MleDoesNotExist) -> ResultGroup:
    """Fit every strongly connected component on its own comparisons; lone items get an undefined row."""
    results: dict[str, Any] = {}
    for k, members in enumerate(error.components, start=1):
        codes = [design.items.index(m) for m in members]
        inside = np.isin(design.item_a, codes) & np.isin(design.item_b, codes)
        name = f"component {k}"
        if len(members) > 1:
            results[name] = _fit_whole(design.take(inside), options)
        else:
            why = _lone(members[0], error)
            row = Row(term=members[0], group="strength", undefined=why)
            results[name] = BradleyTerryResult(
                metric="bradley_terry", title="Bradley-Terry model", rows=(row,), inference="none",
                counts={"rows": 0}, words=f"The strength of {members[0]} is undefined: {why}.",
            )  # fmt: skip
    return ResultGroup(by="component", results=results)


def _lone(item: str, error: MleDoesNotExist) -> str:
    if item in error.unbeaten:
        return "it never lost"
    if item in error.winless:
        return "it never won"
    return "its wins and losses against the others go in one direction each"


def sentence(result: Result) -> str:
    """Return strongest and weakest item with intervals, and the effects, from the rows."""
    rows = [r for r in result.rows if r.group == "strength" and r.estimate is not None]
    parts = []
    if rows:
        top, bottom = max(rows, key=_value), min(rows, key=_value)
        parts.append(
            f"Of {count(len(rows), 'item')}, {top.term} is strongest (log-strength {_estimate_of_metric(top)}) "
            f"and {bottom.term} weakest ({_estimate_of_metric(bottom)})"
        )
    for row in result.rows:
        if row.group in ("order", "covariate") and row.estimate is not None:
            name = "being shown first" if row.group == "order" else f"one unit of {row.term}"
            parts.append(f"{name} adds {_estimate_of_metric(row)}, {p_value(row.p_value)}, to the log-odds")
    return "; ".join(parts) + "." if parts else f"{result.title}: no estimates."


def _value(row: Row) -> float:
    return row.estimate if row.estimate is not None else 0.0


def _estimate_of_metric(row: Row) -> str:
    level = row.conf_level if row.conf_level is not None else 0.95
    if row.conf_low is None:
        return f"{number(row.estimate)} ({row.undefined})"
    return f"{number(row.estimate)}, {interval(row.conf_low, row.conf_high, level=level)}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the strengths (or whatever terms the result has) as a forest."""
    from socialstats.figures import forest

    rows = tuple(r for r in result.rows if r.group == "strength") or result.rows
    return forest(rows, ax=ax, **options)


METRIC = Metric(
    name="bradley_terry",
    title="Strengths from paired comparisons",
    design="comparisons",
    function=bradley_terry,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.bradley_terry:verify",
    estimand="Log-strengths whose difference is the log-odds that one item is chosen over the other.",
    assumptions=(
        "the odds of two items do not depend on which others were compared (no cycles)",
        "rows are independent within and between the declared clusters only",
    ),
    references=("bradley1952", "ford1957", "davidson1970"),
    swap="invariant",
)
