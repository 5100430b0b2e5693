"""A Bradley-Terry model as it is fitted: options, terms of the formula, and the state of a fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.fitting import Fitted
from socialstats.choices.bradley_terry.likelihoods import BradleyTerry, PairData
from socialstats.choices.terms import columns_of_python, columns_of_terms
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import REPLY, Covariate, Factor
from socialstats.designs.terms import Term, column_term, right_terms, term_text
from socialstats.errors import InputError, MleDoesNotExist
from socialstats.inference.dependence import settled_cluster
from socialstats.inference.intervals import two_sided_p
from socialstats.inference.one_way import ContrastErrors, difference_variances, normal_errors
from socialstats.inference.robust import Robust
from socialstats.inference.rows import with_each_t
from socialstats.results import Row
from socialstats.rounding import no_variation_reason
from socialstats.sentences import apa_interval
from socialstats.text import count, listing, meant, shorten
from socialstats.voice import option

Ties = Literal["auto", "davidson", "rao_kupper", "half", "none"]
Strengths = Literal["free", "none"]
Vcov = Literal["auto", "model", "sandwich", "cluster"]
Penalty = Literal["firth"]
Components = Literal["error", "separate"]
Solver = Literal["newton", "mm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerryOptions:
    """All options of a call. See `bradley_terry` for the meaning of each."""

    formula: str | None = None
    ties: Ties = "auto"
    order: bool | None = None
    strengths: Strengths = "free"
    cluster: str | Sequence[str] | None = "auto"
    vcov: Vcov = "auto"
    penalty: Penalty | None = None
    prior: float = 0.0
    components: Components = "error"
    solver: Solver = "newton"
    reference: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, allowed in (
            ("ties", get_args(Ties)),
            ("strengths", get_args(Strengths)),
            ("vcov", get_args(Vcov)),
            ("penalty", (*get_args(Penalty), None)),
            ("components", get_args(Components)),
            ("solver", get_args(Solver)),
        ):
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(
                    f"{option(name, value)} is not one of {', '.join(map(repr, allowed))}"
                )
        if not 0 < self.level < 1:
            raise InputError(f"{option('level', self.level)} is not between 0 and 1")
        if not 0 <= self.prior < float("inf"):
            raise InputError(
                f"{option('prior', self.prior)} is not a number of pseudo-wins (0 or more)"
            )
        if self.penalty and self.prior:
            raise InputError(
                f"{option('penalty', 'firth')} and {option('prior')} are two ways out of the same "
                "problem: choose one"
            )
        if self.strengths == "none" and (self.formula is None or self.prior or self.reference):
            raise InputError(
                f"{option('strengths', 'none')} needs a formula, and takes neither {option('prior')} nor "
                f"{option('reference')}"
            )
        if self.solver == "mm" and (self.formula or self.order or self.penalty or self.prior):
            raise InputError(
                f"{option('solver', 'mm')} fits strengths only: no formula, order, penalty or prior"
            )

    def settle(self, design: Comparisons) -> BradleyTerryOptions:
        """Return options that say what is dependent, and whether an order effect is estimated.

        Errors of the model, or of rows, have no pairs as clusters.
        """
        # whoever asks for errors of the model has decided that rows are independent
        pairs = self.cluster != "auto" or self.vcov not in ("model", "sandwich")
        cluster = (
            settled_cluster(design, self.cluster, parameters=len(design.items) - 1)
            if pairs
            else "declared"
        )
        declared = design.order_known and self.solver != "mm"
        return replace(self, cluster=cluster, order=declared if self.order is None else self.order)

    def tie_model(self, design: Comparisons) -> str:
        """Return the tie model for these data: Davidson's when ties exist and nothing else was asked for."""
        ties = design.n_ties
        # the likelihood grows with the tie parameter without end
        if ties == design.n_rows and self.ties not in ("half", "none"):
            raise MleDoesNotExist(
                f"no finite tie parameter exists: every row is a tie. Use {option('ties', 'half')}, which makes "
                "all strengths equal",
                terms=("log_theta" if self.ties == "rao_kupper" else "log_nu",),
                penalty=False,
            )
        if self.ties == "auto" and not (self.solver == "mm" and ties):
            if ties and design.replies is not None:
                return "half"  # no model of ties knows probabilities
            return "davidson" if ties else "none"
        if self.ties == "none" and ties:
            raise InputError(
                f"{option('ties', 'none')}, but {ties:,} rows are ties. Use {option('ties', 'davidson')}, "
                "'rao_kupper' or 'half', or leave them out with design.drop_ties()"
            )
        if self.ties in ("davidson", "rao_kupper") and not ties:
            raise InputError(
                f"{option('ties', self.ties)} needs ties, and there are none; leave "
                f"{option('ties', 'auto')}"
            )
        if self.penalty and self.ties == "rao_kupper":
            raise InputError(
                f"{option('penalty', 'firth')} is available for {option('ties', 'davidson')}, not for "
                f"'rao_kupper'; or use {option('prior')}"
            )
        if self.solver == "mm" and self.ties not in ("none", "half"):
            raise InputError(
                f"{option('solver', 'mm')} has no tie model; use {option('ties', 'half')} or the default "
                "solver"
            )
        return self.ties

    def covariance_kind(self, n_factors: int, ties: str, weighted: bool, probable: bool) -> str:
        """Return which covariance is meant by ``vcov="auto"`` and check the others."""
        if probable and (self.vcov in ("model", "sandwich") or self.penalty):
            name, value = ("penalty", self.penalty) if self.penalty else ("vcov", self.vcov)
            raise InputError(
                f"{option(name, value)} takes winners as drawn, and here they are probabilities; leave "
                f"{option('vcov', 'auto')}{' and no penalty' if self.penalty else ''}"
            )
        if self.vcov == "auto":
            if n_factors:
                return "cluster"
            # the information of halves of wins, or of weights, is not that of the rows
            return "sandwich" if ties == "half" or weighted else "model"
        if self.vcov == "cluster" and not n_factors:
            raise InputError(
                f"{option('vcov', 'cluster')} needs a cluster: declare one in the design, or pass "
                f"{option('cluster', 'pair')}"
            )
        return self.vcov


ORDER = "order"
# differences beyond these make the information singular to working precision
SMALLEST = 1e-7
LARGEST = 1e7


def effect_columns(
    design: Comparisons, formula: str | None, *, order: bool
) -> tuple[FloatArray, tuple[str, ...]]:
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
        matrix, formula_names = _formula_columns(design, formula)
        refuse_sizes(matrix, formula_names)
        columns.append(matrix)
        names += formula_names
    n = len(design.item_a)
    return (np.hstack(columns) if columns else np.zeros((n, 0))), names


def streamed_terms(design: Comparisons, options: BradleyTerryOptions) -> tuple[str, ...] | None:
    """Return the covariates of the formula that stay with the table; None where the fit needs them in cells.

    Their terms are names, as in ``~ length + C(domain)``. Other terms of them, and penalties, need cells.
    """
    formula = options.formula
    if design.scan is None or formula is None:
        return ()
    terms = right_terms(formula)
    written = formula.partition("~")[2].split("+") if terms is None else map(term_text, terms)
    # a term with a streamed covariate must be that covariate alone: products need the values of each row
    used = tuple(name for name in design.scan.covariates if is_used(name, formula))
    plain_columns = {column_term(name) for name in used}
    separable = all(
        term.strip() in plain_columns or not any(is_used(name, term) for name in used)
        for term in written
    )
    return used if not used or (separable and not options.penalty and not options.prior) else None


def add_zero_covariates(design: Comparisons, names: Sequence[str]) -> Comparisons:
    """Return a design in which covariates that stay with the table are 0 on both sides of each cell."""
    zeros = {
        name: Covariate(name=name, a=np.zeros(len(design.item_a)), b=np.zeros(len(design.item_a)))
        for name in names
    }
    return replace(design, covariates={**design.covariates, **zeros}) if names else design


def refuse_sizes(matrix: FloatArray, names: tuple[str, ...]) -> None:
    """Refuse columns whose differences are so large or small that their slope is lost in rounding."""
    for name, size in zip(names, np.abs(matrix).max(axis=0, initial=0.0).tolist(), strict=True):
        if size > LARGEST or 0 < size < SMALLEST:
            way = "divide" if size > 1 else "multiply"
            factor = count(10.0 ** abs(round(np.log10(size))))  # a round one, that is easy to name
            raise InputError(
                f"'{shorten(name)}' differs by up to {size:g} between the sides: its effect a unit would be "
                f"lost in rounding. Give it in a larger or smaller unit: {way} both columns by {factor}"
            )


def _formula_columns(design: Comparisons, formula: str) -> tuple[FloatArray, tuple[str, ...]]:
    left, tilde, text = formula.partition("~")
    if not tilde or left.strip() or not text.strip():
        raise InputError(f"formula {formula!r} is not one-sided; write it like '~ urgency'")
    terms = right_terms(formula)
    if terms is None:
        names = [name for name in design.covariates if is_used(name, formula)]
    else:
        factors = [factor for term in terms for factor in term]
        names = list(dict.fromkeys(name for factor in factors for name in factor.columns()))
    missing = [name for name in names if name not in design.covariates]
    if missing or not names:
        _raise_unknown(missing[0] if missing else text.strip(), design)
    covariates = [design.covariates[name] for name in names]
    plain_names = terms is not None and all(
        len(term) < 2 and all(factor.name for factor in term) for term in terms
    )
    # names of numbers alone: each column is the difference of its sides
    if plain_names and all(np.issubdtype(covariate.a.dtype, np.number) for covariate in covariates):
        matrix = np.stack([covariate.a - covariate.b for covariate in covariates], axis=1)
        return matrix, tuple(names)
    return _columns_of_both_sides(design, text, terms, names)


def _columns_of_both_sides(
    design: Comparisons, text: str, terms: list[Term] | None, names: Sequence[str]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Compute the terms once on the distinct values of both sides, stacked; side a minus side b."""
    import pandas as pd

    stacked = {
        name: np.concatenate([design.covariates[name].a, design.covariates[name].b])
        for name in names
    }
    sides = pd.DataFrame(stacked)
    codes = sides.groupby([*names], sort=True, dropna=False).ngroup().to_numpy()
    # one row per distinct combination of values, and how many rows of both sides have it
    frame = sides.iloc[np.unique(codes, return_index=True)[1]].reset_index(drop=True)
    rows = np.bincount(codes, np.tile(design.count, 2)).astype(np.float64)
    for name in names:
        if levels := design.covariates[name].levels:
            frame[name] = pd.Categorical(frame[name], categories=list(levels))
    if terms is None:
        matrix, names_of_columns = columns_of_python(text, frame, rows)
    else:
        matrix, names_of_columns = columns_of_terms(
            terms, {name: frame[name].array for name in names}, rows
        )
    half = len(design.item_a)
    return matrix[codes[:half]] - matrix[codes[half:]], names_of_columns


def reference_levels(design: Comparisons, formula: str | None) -> dict[str, str]:
    """Return the level of each category of a formula that its other levels are set against, by covariate."""
    terms = right_terms(formula) if formula is not None else []
    if terms is None:  # code of formulaic: its texts are categories
        names = {name for name in design.covariates if is_used(name, formula or "")}
        numbers = names
    else:
        factors = [factor for term in terms for factor in term]
        names = {name for factor in factors for name in factor.columns()}
        numbers = names - {factor.of[0].name for factor in factors if factor.does == "C"}
    levels = {}
    for name in sorted(
        names & {*design.covariates}
    ):  # a lazy table keeps columns of numbers that are added up
        covariate = design.covariates[name]
        if name in numbers and np.issubdtype(covariate.a.dtype, np.number):
            continue
        present = np.unique(np.concatenate([covariate.a, covariate.b])).tolist()
        levels[name] = str(
            next((level for level in covariate.levels or () if level in present), present[0])
        )
    return levels


def is_used(name: str, formula: str) -> bool:
    """Return whether the formula names this covariate (not just a longer name that holds it)."""
    terms = right_terms(formula)
    if terms is None:  # code of formulaic, such as "np.log(length)"
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula) is not None
    return any(name in factor.columns() for term in terms for factor in term)


def _raise_unknown(name: str, design: Comparisons) -> None:
    declared = ", ".join(design.covariate_names) or "none"
    suggestion = meant(name, design.covariate_names)
    raise InputError(
        f"no covariate '{name}' in this design (covariates: {declared}). {suggestion}"
        "A covariate X needs the columns X_a and X_b, or "
        f"{option('covariates', {'X': ('left column', 'right column')})}"
    )


PROBABLE = "the winners are probabilities: a quasi-likelihood, which has no"
ERROR_TEXTS = {
    "model": "model-based standard errors",
    "sandwich": "sandwich standard errors by row",
    "cluster": "cluster-robust standard errors",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class FitState:
    """The fit behind a result, as arrays.

    Attributes
    ----------
    data : PairData
    model : BradleyTerry
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
    options : BradleyTerryOptions
    ties : str
        Tie model in use.
    reference : int or None
        Parameter that is 0 as reported.
    probable : bool
        Whether the winners are probabilities: the fit maximises a quasi-likelihood, and no variance is assumed.
    streamed : tuple of str
        Covariates that stay with the table, whose rows passed by.
    """

    data: PairData
    model: BradleyTerry
    fitted: Fitted
    covariance: FloatArray
    adjusted: bool
    kind: str
    factors: tuple[Factor, ...]
    robust: Robust | None
    options: BradleyTerryOptions
    ties: str
    reference: int | None
    probable: bool
    streamed: tuple[str, ...] = ()

    @property
    def penalised(self) -> bool:
        """Whether the estimates are not those of maximum likelihood."""
        return bool(self.options.penalty or self.options.prior)

    @property
    def noise(self) -> float:
        """Variance of a whitened residual under the model: 1 without weights."""
        return float(self.data.w_sq.sum() / self.data.w.sum())

    @property
    def sizes(self) -> dict[str, int]:
        """Clusters of each factor that the standard errors use, by its name."""
        if self.robust is None:
            return {}
        return dict(
            zip([factor.name for factor in self.factors], self.robust.n_clusters, strict=True)
        )

    @property
    def transform(self) -> FloatArray:
        """Matrix from centred parameters to the reported ones (reference item, if any, at zero)."""
        matrix = np.eye(len(self.fitted.beta))
        # each strength less that of the reference
        if self.reference is not None:
            matrix[: self.data.n_items, self.reference] -= 1
        return matrix

    @cached_property
    def reported_errors(self) -> ContrastErrors:
        """Standard errors of the parameters as they are reported."""
        return self.errors(self.transform)

    @cached_property
    def strength_errors(self) -> ContrastErrors:
        """Standard errors of the strengths, their mean at zero; other parameters may follow."""
        if self.reference is None:
            return self.reported_errors
        return self.errors(np.eye(self.data.n_items, len(self.covariance)))

    @cached_property
    def differences(self) -> ContrastErrors:
        """Standard errors of the differences between strengths i and j, i < j."""
        n = self.data.n_items
        if self.robust is not None:
            return self.robust.differences(n)
        i, j = np.triu_indices(n, 1)
        std_error = np.sqrt(np.diagonal(self.covariance))
        variance = difference_variances(self.covariance, i, j)
        model_variance = self.noise * difference_variances(self.fitted.covariance, i, j)
        # the size of the terms that cancel in the variance, to which rounding is relative
        terms = (std_error[i] + std_error[j]) ** 2
        return normal_errors(variance, model_variance, terms, len(self.covariance))

    def difference_p(self, strength: FloatArray) -> FloatArray:
        """Return the (n, n) two-sided p-values of all differences; 1 where one cannot be tested."""
        n = self.data.n_items
        errors = self.differences
        i, j = np.triu_indices(n, 1)
        tested = errors.std_error > 0
        p = np.ones((n, n))
        t = np.where(tested, strength[i] - strength[j], 0) / np.where(tested, errors.std_error, 1)
        p[i, j] = p[j, i] = two_sided_p(t, errors.df)
        return p

    def conservative_p(self, strength: FloatArray) -> FloatArray:
        """Return what `difference_p` does, with the smaller df of the two strengths for that of their difference."""
        n = self.data.n_items
        strength_errors = self.strength_errors
        p = np.ones((n, n))
        i, j = np.triu_indices(n, 1)
        # an exact df for each of very many differences takes too long
        error = np.sqrt(np.maximum(difference_variances(self.covariance, i, j), 0))
        rounding = np.hypot(strength_errors.rounding[i], strength_errors.rounding[j])
        tested = (error > rounding) & ~(strength_errors.refused[i] | strength_errors.refused[j])
        t = np.where(tested, strength[i] - strength[j], 0) / np.where(tested, error, 1)
        p[i, j] = p[j, i] = two_sided_p(t, np.minimum(strength_errors.df[i], strength_errors.df[j]))
        return p

    def errors(self, contrasts: FloatArray) -> ContrastErrors:
        """Return standard errors and degrees of freedom of the rows of `contrasts` (k, p)."""
        if self.robust is not None:
            return self.robust.errors(contrasts)
        size = np.abs(contrasts)
        v = self.covariance
        # quadratic forms c' V c of each row; the last is the size of the terms that cancel in it
        forms = (contrasts, v), (contrasts, self.fitted.covariance), (size, np.abs(v))
        variance, model, parts = (np.einsum("ki,ki->k", c @ m, c) for c, m in forms)
        return normal_errors(variance, self.noise * model, parts, len(self.covariance))

    @property
    def design_effects(self) -> FloatArray | None:
        """Ratio of the s.e. in use to the model's, for every strength that has one; None without clusters."""
        n = self.data.n_items
        if self.robust is None or not n:
            return None
        errors = self.strength_errors
        ratio = errors.std_error[:n] / np.sqrt(np.diagonal(self.fitted.covariance)[:n])
        has_error = ~errors.refused[:n]
        return ratio[has_error] if has_error.any() else None


def works_cited(state: FitState) -> tuple[str, ...]:
    """Return the keys of the literature behind this fit."""
    options = state.options
    keys = ["bradley1952", "ford1957"]
    keys += {"davidson": ["davidson1970"], "rao_kupper": ["raokupper1967"]}.get(state.ties, [])
    keys += ["davidsonbeaver1977"] * bool(options.order)
    keys += ["firth1993"] * (options.penalty is not None)
    keys += ["hunter2004"] * (options.solver == "mm")
    keys += ["wedderburn1974", "papkewooldridge1996"] * state.probable
    robust = ["liangzeger1986", "bellmccaffrey2002", "pustejovskytipton2018", "cattelan2012"]
    keys += {"sandwich": ["white1982"], "cluster": robust}.get(state.kind, [])
    return tuple(keys + ["cameron2011", "cochran1964"] * (len(state.factors) == 2))


def std_error_text(state: FitState) -> str:
    """Return in words how the standard errors were obtained, and that every row of streamed covariates counted."""
    if state.streamed:
        streamed = f"; every row's {listing(list(state.streamed))} entered as it is, from parts of the table"
        return std_error_text(replace(state, streamed=())) + streamed
    if state.robust is None:
        return ERROR_TEXTS[state.kind]
    if [factor.name for factor in state.factors] == [REPLY]:
        return f"robust standard errors by reply ({state.sizes[REPLY]:,} replies; HC2, t with Satterthwaite's df)"
    names = " x ".join(f"{size:,} {name} clusters" for name, size in state.sizes.items())
    crossed = ", crossed" if len(state.factors) == 2 else ""
    return f"{ERROR_TEXTS['cluster']} ({names}{crossed}; CR2, t with Satterthwaite's df)"


def times_compared(design: Comparisons) -> FloatArray:
    """Return how many comparisons each item is in."""
    n = len(design.items)
    return np.asarray(
        np.bincount(design.item_a, design.count, n) + np.bincount(design.item_b, design.count, n)
    )


def make_rows(design: Comparisons, state: FitState, level: float) -> list[Row]:
    """Return one row a parameter, with Wald intervals and tests against zero."""
    beta = (state.transform @ state.fitted.beta).tolist()
    n_items = state.data.n_items
    names = [("item", name, "strength") for name in design.items[:n_items]]
    order = ORDER if state.options.order else None
    names += [
        ("effect", name, "order" if name == order else "covariate") for name in state.data.z_names
    ]
    names += [("effect", name, "tie") for name in (state.model.tie_term,) if name is not None]
    # an item's row counts its own comparisons, that of an effect all
    n = times_compared(design).tolist()[:n_items]
    n += [float(design.n_rows)] * (len(names) - n_items)
    clusters = min(state.sizes.values(), default=None)
    method = ERROR_TEXTS[state.kind]
    rows = [
        Row(
            term=name,
            group=group,
            key=((dimension, name),),
            role="estimate",
            estimate=value,
            n=times,
            n_clusters=clusters,
            method=method,
        )
        for (dimension, name, group), value, times in zip(names, beta, n, strict=True)
    ]
    # strengths have reasons of their own, which name what the item was compared in
    why = {
        j: single_cluster_reason(design, state, j)
        for j in np.flatnonzero(state.reported_errors.refused[:n_items]).tolist()
    }
    if state.reference is not None:
        why[state.reference] = "reference item, fixed at zero"
        rows[state.reference] = replace(rows[state.reference], role="reference")
    return fill_errors(rows, state, state.reported_errors, level, why)


def fill_errors(
    rows: Sequence[Row],
    state: FitState,
    errors: ContrastErrors,
    level: float,
    why: Mapping[int, str] | None = None,
) -> list[Row]:
    """Return rows of estimates with error, Wald interval and test, or why they have none (`why` by place)."""
    has_error = (errors.std_error > 0).tolist()
    reasons = ["" if has else undefined_reason(state, errors, k) for k, has in enumerate(has_error)]
    for k, reason in (why or {}).items():
        reasons[k] = reason
    return with_each_t(rows, errors.std_error, errors.df, level, reasons)


def undefined_reason(state: FitState, errors: ContrastErrors, k: int) -> str:
    """Return why contrast k has no standard error."""
    if not errors.refused[k]:
        return no_variation_reason("clusters" if state.robust else "comparisons")
    return f"rests on single clusters ({' and '.join(state.sizes)}), whose own effects cannot be told from it"


def single_cluster_reason(design: Comparisons, state: FitState, item: int) -> str:
    """Return why the strength of an item has no standard error."""
    rows_of_item = (design.item_a == item) | (design.item_b == item)
    for factor in state.factors:
        if len(factor.codes) and len(np.unique(np.asarray(factor.codes)[rows_of_item])) == 1:
            if factor.name == "pair":
                return "met in one pair only: a lean of that pair cannot be told from its strength"
            return f"met in one cluster only ({factor.name}): a lean of that cluster cannot be told from its strength"
    return undefined_reason(state, state.reported_errors, item)


def interval_or_reason(row: Row) -> str:
    """Return the interval of a row in words, or why there is none."""
    if row.conf_level is None:
        return f"no interval ({row.undefined})"
    return apa_interval(row)
