"""The result of `bradley_terry`: a Result that knows its fit, with everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.designs.comparisons import Comparisons, Factor
from socialstats.errors import Caution
from socialstats.models.bradley_terry.covariance import Robust, quadratic
from socialstats.models.bradley_terry.data import PairData
from socialstats.models.bradley_terry.likelihoods import Likelihood
from socialstats.models.bradley_terry.newton import Fitted
from socialstats.models.intervals import checked_level, wald
from socialstats.results import Result, Row

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.options import Options
    from socialstats.metrics.bradley_terry.refits import BradleyTerryBootstrap

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
KINDS = {
    "model": "model-based standard errors",
    "sandwich": "sandwich standard errors by row",
    "cluster": "cluster-robust standard errors",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """The fit behind a result, as arrays.

    Attributes
    ----------
    data : PairData
    model : Likelihood
    fitted : Fitted
        Centred estimates with their model covariance.
    covariance : (p, p) array
        Covariance that the intervals use, in the same parameters.
    kind : {"model", "sandwich", "cluster"}
    factors : tuple of Factor
    robust : Robust or None
    options : Options
    ties : str
        Tie model in use.
    penalised : bool
    """

    data: PairData
    model: Likelihood
    fitted: Fitted
    covariance: FloatArray
    kind: str
    factors: tuple[Factor, ...]
    robust: Robust | None
    options: Options
    ties: str
    penalised: bool

    @property
    def df(self) -> int | None:
        """Degrees of freedom of t intervals: clusters minus one; None for the normal limit."""
        return self.robust.df if self.robust else None

    def covariance_of(self, transform: FloatArray) -> FloatArray:
        """Return the covariance of transformed parameters."""
        if self.robust is not None:
            return self.robust.transformed(transform)
        return np.asarray(transform @ self.covariance @ transform.T)

    def variances(self, contrasts: FloatArray) -> FloatArray:
        """Return the variance of every row of `contrasts` (k, p), from 0 upwards."""
        return self._variances(lambda v: quadratic(v, contrasts))

    def difference_variances(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the variances of the differences between parameters i and j."""
        return self._variances(lambda v: np.diagonal(v)[i] + np.diagonal(v)[j] - 2 * v[i, j])

    def _variances(self, form: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return np.maximum(self.robust.variances(form) if self.robust else form(self.covariance), 0.0)

    @property
    def design_effects(self) -> FloatArray | None:
        """Ratio of the s.e. in use to the model's, for every strength; None without clusters."""
        n = self.data.n_items
        if self.robust is None or not n:
            return None
        d = np.diagonal(self.covariance)[:n] / np.diagonal(self.fitted.covariance)[:n]
        return np.asarray(np.sqrt(np.maximum(d, 0)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BradleyTerryResult(Result):
    """Log-strengths and effects of a Bradley-Terry model.

    Besides what every `Result` has: `strengths`, `worth()`, `ranks()`, `quasi_variances()`, `contrast()`,
    `pairwise()`, `predict()`, `bootstrap()`, `anova()`, `goodness_of_fit()`, `effect_in_sds()`.
    """

    state: State | None = field(default=None)

    @property
    def fitted_state(self) -> State:
        """The fit; raises for a lone item, which has none."""
        from socialstats.errors import UndefinedStatistic

        if self.state is None:
            raise UndefinedStatistic(self.words or "this result has no fit")
        return self.state

    @property
    def items(self) -> tuple[str, ...]:
        """Item labels, in the order of the strengths."""
        design: Comparisons = self.design
        return design.items if self.fitted_state.data.free else ()

    @property
    def strengths(self) -> dict[str, float]:
        """Log-strengths by item, sum zero (whatever the reference)."""
        beta = self.fitted_state.fitted.beta
        return {item: float(beta[i]) for i, item in enumerate(self.items)}

    @property
    def strength_covariance(self) -> FloatArray:
        """Covariance of the centred log-strengths, (items, items)."""
        n = len(self.items)
        return self.fitted_state.covariance[:n, :n]

    @property
    def log_likelihood(self) -> float:
        """Maximised log-likelihood, one Bernoulli (or three-outcome) term a row."""
        return self.fitted_state.fitted.loglik

    def rows_at(self, level: float) -> tuple[Row, ...]:
        """Return the rows with Wald intervals at another level."""
        if self.state is None:
            return self.rows
        return tuple(make_rows(self.design, self.state, checked_level(level)))

    def _level(self, level: float | None) -> float:
        """Return a level that was asked for, or else the fit's."""
        return self.fitted_state.options.level if level is None else checked_level(level)

    def worth(self, *, level: float | None = None) -> Result:
        """Return the worths exp(strength), scaled to sum one, with intervals made on the log scale.

        This is the relative preference index (RPI) of the role-conflict study. The delta method gives
        s.e.(log w_i) from the gradient e_i - w; the interval is w_i exp(+- z s.e.).
        """
        from socialstats.metrics.bradley_terry.derived import worth

        return worth(self, self._level(level))

    def ranks(
        self,
        *,
        kind: Literal["marginal", "simultaneous"] = "marginal",
        level: float | None = None,
        draws: int = 4000,
        seed: int = 0,
    ) -> Result:
        """Return ranks (1 = strongest) with confidence sets.

        Parameters
        ----------
        kind : {"marginal", "simultaneous"}
            A marginal set covers one item's rank; simultaneous sets cover all ranks at once.
        draws, seed : int
            Normal draws behind the critical value of the max-t test.
        """
        from socialstats.metrics.bradley_terry.derived import rank_table

        return rank_table(self, kind, self._level(level), draws, seed)

    def quasi_variances(self) -> Result:
        """Return quasi-variances: comparison intervals that allow any two items to be compared by eye.

        Raises
        ------
        UndefinedStatistic
            For fewer than three items.
        """
        from socialstats.metrics.bradley_terry.derived import quasi_table

        return quasi_table(self)

    def contrast(self, spec: str | Mapping[str, float], *, level: float | None = None) -> Result:
        """Return a linear combination of coefficients, such as ``"nurse - judge"`` or a mapping to weights."""
        from socialstats.metrics.bradley_terry.derived import contrast

        return contrast(self, spec, self._level(level))

    def pairwise(self, *, adjust: Literal["holm", "bh", "none"] = "holm", level: float | None = None) -> Result:
        """Return all differences between two strengths, with p-values adjusted over that family."""
        from socialstats.metrics.bradley_terry.derived import pairwise

        return pairwise(self, adjust, self._level(level))

    def predict(
        self,
        item_a: str,
        item_b: str,
        *,
        first: Literal["a", "b", "neither"] = "neither",
        covariates: Mapping[str, tuple[Any, Any]] | None = None,
        level: float | None = None,
    ) -> Result:
        """Return the probabilities that a wins, b wins, and of a tie, with intervals made on the logit scale.

        Parameters
        ----------
        item_a, item_b : str
        first : {"a", "b", "neither"}
            Who is shown first, where the model has an order effect.
        covariates : mapping of str to (value of a, value of b)
            Every variable of the formula.
        """
        from socialstats.metrics.bradley_terry.predict import predict

        return predict(self, item_a, item_b, first, covariates or {}, self._level(level))

    def effect_in_sds(self, term: str, *, level: float | None = None) -> Result:
        """Return a covariate's effect in standard deviations of the strengths.

        The sd is that of the true strengths: the variance of the estimates minus their mean sampling variance.
        """
        from socialstats.metrics.bradley_terry.derived import effect_in_sds

        return effect_in_sds(self, term, self._level(level))

    def bootstrap(
        self,
        *,
        by: Literal["row", "pair", "cluster"] = "row",
        resamples: int = 1000,
        seed: int = 0,
        ci: Literal["percentile", "basic"] = "percentile",
        level: float | None = None,
    ) -> BradleyTerryBootstrap:
        """Refit the model to resampled rows, pairs of items, or the clusters of the fit.

        Replicates without a finite estimate are counted and left out; above 1 % they are a caution.
        """
        from socialstats.metrics.bradley_terry.refits import bootstrap

        return bootstrap(self, by, resamples, seed, ci, self._level(level))

    def anova(self, other: BradleyTerryResult) -> Result:
        """Return the likelihood-ratio test of two nested fits to the same rows (in either order).

        With clusters the likelihood ratio has no chi-squared distribution: the cluster-robust Wald test of the
        added terms is the first row then, and the likelihood ratio is shown as what it is.
        """
        from socialstats.metrics.bradley_terry.model_tests import anova

        return anova(self, other)

    def goodness_of_fit(self, *, cells: Literal["ordered", "pair", "total"] = "ordered") -> Result:
        """Return deviance and Pearson's chi-squared against the saturated model of the cells.

        Parameters
        ----------
        cells : {"ordered", "pair", "total"}
            ``ordered``: one cell for each distinct (item_a, item_b, order, covariates) as tabulated, as R's
            BradleyTerry2 counts. ``pair``: sides exchanged where the model does not distinguish them. ``total``:
            Pearson's chi-squared of each pair's total wins over orders and covariates (no deviance), which sees
            effects that belong to pairs where the cells hold a row or two each.
        """
        from socialstats.metrics.bradley_terry.model_tests import goodness_of_fit

        return goodness_of_fit(self, cells)


def make_result(design: Comparisons, state: State, *, cautions: tuple[Caution, ...]) -> BradleyTerryResult:
    """Assemble the result of a fit."""
    fitted, options = state.fitted, state.options
    n = state.data.n_items
    free = len(fitted.beta) - (1 if n else 0)
    counts = {"rows": design.n_rows, "items": len(design.items), "pairs": n_pairs(state.data)}
    if state.robust is not None:
        sizes = zip(state.factors, state.robust.n_clusters, strict=True)
        counts |= {f"{factor.name} clusters": size for factor, size in sizes}
    cov = state.covariance_of(reference_transform(design, state))
    names = coefficient_names(design, state)
    return BradleyTerryResult(
        metric="bradley_terry",
        title=f"{state.model.name} model" + (", Firth's penalised likelihood" if options.penalty else ""),
        inference=describe(state),
        rows=tuple(make_rows(design, state, options.level)),
        counts=counts,
        fit={
            "nobs": design.n_rows,
            "n_clusters": min(state.robust.n_clusters) if state.robust else None,
            "loglik": fitted.loglik,
            "aic": None if state.penalised or state.ties == "half" else 2 * free - 2 * fitted.loglik,
            "df": free, "converged": True, "iterations": fitted.iterations, "method": options.solver,
        },
        settings=options.echo(
            ties=state.ties, order=options.order, vcov=state.kind, cluster=[f.name for f in state.factors]
        ),
        cautions=cautions,
        references=references(state),
        names=names,
        covariance=cov,
        design=design,
        state=state,
    )  # fmt: skip


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
    keys += {"sandwich": ["white1982"], "cluster": ["liangzeger1986", "cattelan2012"]}.get(state.kind, [])
    return tuple(keys + (["cameron2011"] if len(state.factors) == 2 else []))


def describe(state: State) -> str:
    """Return in words how the standard errors were obtained."""
    if state.robust is None:
        return KINDS[state.kind]
    sizes = zip(state.factors, state.robust.n_clusters, strict=True)
    names = " x ".join(f"{size:,} {factor.name} clusters" for factor, size in sizes)
    crossed = ", crossed" if len(state.factors) == 2 else ""
    return f"{KINDS['cluster']} ({names}{crossed}; t with {state.robust.df} df)"


def coefficient_names(design: Comparisons, state: State) -> tuple[str, ...]:
    """Return the names of all parameters in order."""
    tie = (state.model.tie_term,) if state.model.tie_term else ()
    return (design.items if state.data.free else ()) + state.data.z_names + tie


def reference_transform(design: Comparisons, state: State) -> FloatArray:
    """Return the matrix from centred parameters to the reported ones (reference item, if any, at zero)."""
    p = len(state.fitted.beta)
    out = np.eye(p)
    if state.options.reference is not None:
        out[: state.data.n_items, design.items.index(state.options.reference)] -= 1
    return out


def make_rows(design: Comparisons, state: State, level: float) -> list[Row]:
    """Return one row a parameter, with Wald intervals and tests against zero."""
    transform = reference_transform(design, state)
    beta = transform @ state.fitted.beta
    se = np.sqrt(np.maximum(np.diagonal(state.covariance_of(transform)), 0))
    n_items, names = state.data.n_items, coefficient_names(design, state)
    compared = np.bincount(design.item_a, design.count, len(design.items))
    compared += np.bincount(design.item_b, design.count, len(design.items))
    low, high, z, p = wald(beta, se, df=state.df, level=level)
    clusters = min(state.robust.n_clusters) if state.robust else None
    rows = []
    for j, name in enumerate(names):
        group = "strength" if j < n_items else term_group(name, state)
        shared: dict[str, Any] = {
            "term": name, "group": group, "estimate": float(beta[j]), "conf_level": level, "n_clusters": clusters,
            "n": float(compared[j]) if j < n_items else float(design.n_rows), "method": KINDS[state.kind],
        }  # fmt: skip
        if j < n_items and name == state.options.reference:
            rows.append(Row(**(shared | {"conf_level": None}), undefined="reference item, fixed at zero"))
        elif se[j] == 0:
            rows.append(Row(**(shared | {"conf_level": None}), undefined=no_error(state)))
        else:
            rows.append(Row(
                **shared, std_error=float(se[j]), conf_low=float(low[j]), conf_high=float(high[j]),
                statistic=float(z[j]), df=state.df, p_value=float(p[j]),
            ))  # fmt: skip
    return rows


def no_error(state: State) -> str:
    """Return why a standard error is zero."""
    return "the standard error is zero: " + ("too few clusters" if state.robust else "every row is a tie")


def term_group(name: str, state: State) -> str:
    """Return the family of a parameter that is not a strength."""
    if name == state.model.tie_term:
        return "tie"
    return "order" if name == "order" and state.options.order else "covariate"
