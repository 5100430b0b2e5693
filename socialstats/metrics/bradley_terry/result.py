"""The result of `bradley_terry`: a Result that knows its fit, with everything that can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.inference.intervals import checked_level
from socialstats.metrics.bradley_terry.cautions import fit_cautions
from socialstats.metrics.bradley_terry.state import (
    State,
    coefficient_names,
    describe,
    make_rows,
    n_pairs,
    references,
    why_not,
)
from socialstats.results import Result, Row

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.refits import BradleyTerryBootstrap

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]


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
        """Covariance of the centred log-strengths, (items, items).

        Where a strength has no standard error its variance is borrowed from other clusters.
        """
        n = len(self.items)
        return self.fitted_state.covariance[:n, :n]

    def errors_of(self, items: Sequence[str], gradient: FloatArray) -> tuple[FloatArray, FloatArray, str]:
        """Return standard errors (NaN where there are none), df, and why, of linear functions of the log-strengths.

        Parameters
        ----------
        items : sequence of str
        gradient : (k, items) array
        """
        state, at = self.fitted_state, [self.items.index(item) for item in items]
        contrasts = np.zeros((len(gradient), len(state.fitted.beta)))
        contrasts[:, at] = gradient
        found = state.errors(contrasts)
        why = why_not(state, found, int(np.argmax(found.refused))) if found.refused.any() else ""
        return found.std_error, found.df, why

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

        Notes
        -----
        With clusters a difference is called where its own p-value is at most that of the critical value, whose
        correlations are those of the model: robust ones are too poorly known. A difference without a standard error is
        never called.
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
        """Return all differences between two strengths, with p-values adjusted over those that can be tested."""
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
        by: Literal["auto", "row", "pair", "cluster"] = "auto",
        resamples: int = 1000,
        seed: int = 0,
        ci: Literal["percentile", "basic"] = "percentile",
        level: float | None = None,
    ) -> BradleyTerryBootstrap:
        """Refit the model to resampled rows, pairs of items, or the clusters of the fit.

        ``"auto"`` resamples the clusters where the fit has them, else rows.

        Replicates without a finite estimate are counted and left out; above 1 % they are a caution. Intervals from
        fewer than 20 clusters are too short, which caution SS202 says with how often they held; of two or three
        clusters there are none. The intervals of the fit itself hold there.
        """
        from socialstats.metrics.bradley_terry.refits import bootstrap

        if by == "auto":
            by = "cluster" if self.fitted_state.factors else "row"
        return bootstrap(self, by, resamples, seed, ci, self._level(level))

    def anova(self, other: BradleyTerryResult) -> Result:
        """Return the likelihood-ratio test of two nested fits to the same rows (in either order).

        With clusters the likelihood ratio has no chi-squared distribution: the cluster-robust Wald test of the added
        terms (HTZ, Pustejovsky & Tipton 2018) is the first row then, and the likelihood ratio is shown as what it is.
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


def make_result(design: Comparisons, state: State) -> BradleyTerryResult:
    """Assemble the result of a fit."""
    fitted, options = state.fitted, state.options
    n = state.data.n_items
    free = len(fitted.beta) - (1 if n else 0)
    counts = {"rows": design.n_rows, "items": len(design.items), "pairs": n_pairs(state.data)}
    if state.robust is not None:
        sizes = zip(state.factors, state.robust.n_clusters, strict=True)
        counts |= {f"{factor.name} clusters": size for factor, size in sizes}
    cov = state.covariance_of(state.transform)
    refused = state.reported.refused
    if refused.any():
        cov = np.where(refused[:, None] | refused, np.nan, cov)
    rows = tuple(make_rows(design, state, options.level))
    quoted = [row.df for row in rows if row.df is not None]
    return BradleyTerryResult(
        metric="bradley_terry",
        title=f"{state.model.name} model" + (", Firth's penalised likelihood" if options.penalty else ""),
        inference=describe(state),
        rows=rows,
        counts=counts,
        fit={
            "nobs": design.n_rows,
            "n_clusters": min(state.robust.n_clusters) if state.robust else None,
            "loglik": fitted.loglik,
            "aic": None if state.penalised or state.ties == "half" else 2 * free - 2 * fitted.loglik,
            "df": free, "converged": True, "iterations": fitted.iterations, "method": options.solver,
            "effective_df": min(quoted, default=None),
            "largest_leverage": state.robust.largest_leverage if state.robust else None,
        },
        settings=options.echo(
            ties=state.ties, order=options.order, vcov=state.kind, cluster=[f.name for f in state.factors]
        ),
        cautions=fit_cautions(design, state, rows),
        references=references(state),
        names=coefficient_names(design, state),
        covariance=cov,
        design=design,
        state=state,
    )  # fmt: skip
