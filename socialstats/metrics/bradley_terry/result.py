"""A fitted Bradley-Terry model: contrasts, predictions, resamples, tests."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from scipy.special import chdtrc, expit, logsumexp, xlogy

from socialstats.arrays import FloatArray
from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons, Covariate, Factor
from socialstats.errors import InputError, UndefinedStatistic, caution
from socialstats.halves import in_halves, processes
from socialstats.inference.dependence import cluster_cautions, row_units, too_few_to_resample
from socialstats.inference.intervals import (
    benjamini_hochberg,
    checked_level,
    critical_values,
    holm,
    not_zero,
    two_sided_p,
)
from socialstats.inference.rows import with_ends, with_t
from socialstats.metrics.bradley_terry.cautions import fit_cautions
from socialstats.metrics.bradley_terry.model import (
    State,
    coefficient_names,
    describe,
    effect_columns,
    is_used,
    make_rows,
    n_pairs,
    references,
    term_group,
    why_not,
    with_errors,
)
from socialstats.models.bradley_terry.covariance import quasi_variances, rank_sets, worst_errors
from socialstats.models.bradley_terry.fitting import Refits, Refitter
from socialstats.models.bradley_terry.likelihoods import PairData, sums
from socialstats.resampling.engine import Units, check_resamples, lost_caution, resamples_needed, weight_blocks
from socialstats.results import Check, Result, Row, Verification
from socialstats.text import count, interval, listing, number, p_value, percent, quoted

if TYPE_CHECKING:
    from socialstats.metrics.bradley_terry.model import State


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

        return rank_table(self, kind, self._level(level), draws, seed)

    def quasi_variances(self) -> Result:
        """Return quasi-variances: comparison intervals that allow any two items to be compared by eye.

        Raises
        ------
        UndefinedStatistic
            For fewer than three items.
        """

        return quasi_table(self)

    def contrast(self, spec: str | Mapping[str, float], *, level: float | None = None) -> Result:
        """Return a linear combination of coefficients, such as ``"nurse - judge"`` or a mapping to weights."""

        return contrast(self, spec, self._level(level))

    def pairwise(self, *, adjust: Literal["holm", "bh", "none"] = "holm", level: float | None = None) -> Result:
        """Return all differences between two strengths, with p-values adjusted over those that can be tested."""

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

        return predict(self, item_a, item_b, first, covariates or {}, self._level(level))

    def effect_in_sds(self, term: str, *, level: float | None = None) -> Result:
        """Return a covariate's effect in standard deviations of the strengths.

        The sd is that of the true strengths: the variance of the estimates minus their mean sampling variance.
        """

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

        if by == "auto":
            by = "cluster" if self.fitted_state.factors else "row"
        return bootstrap(self, by, resamples, seed, ci, self._level(level))

    def anova(self, other: BradleyTerryResult) -> Result:
        """Return the likelihood-ratio test of two nested fits to the same rows (in either order).

        With clusters the likelihood ratio has no chi-squared distribution: the cluster-robust Wald test of the added
        terms (HTZ, Pustejovsky & Tipton 2018) is the first row then, and the likelihood ratio is shown as what it is.
        """

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


FEWEST_DRAWS = 100


class FromFit(Result):
    """Numbers that follow from a fit by a formula; ``extras["fit"]`` is that fit."""

    __slots__ = ()

    def crosscheck(self) -> Verification:
        """Recompute the numbers by their definitions, with derivatives taken numerically."""
        found: Verification = importlib.import_module("socialstats.crosscheck.pair_derived").verify(self)
        return found


def derived(
    fit: BradleyTerryResult, title: str, rows: list[Row], words: str, extras: Mapping[str, Any] | None = None,
    **more: Any,
) -> Result:  # fmt: skip
    """Make a Result that belongs to a fit: same design, counts, cautions and inference unless given."""
    defaults: dict[str, Any] = {
        "inference": fit.inference, "counts": fit.counts, "settings": fit.settings, "cautions": fit.cautions,
        "references": fit.references, "design": fit.design, "extras": {"fit": fit, **(extras or {})},
    }  # fmt: skip
    return FromFit(metric="bradley_terry", title=title, rows=tuple(rows), words=words, **(defaults | more))


def require_strengths(fit: BradleyTerryResult) -> tuple[FloatArray, FloatArray]:
    """Return centred strengths and their covariance, or say that the model has none."""
    if not fit.items:
        raise UndefinedStatistic("this model has no item strengths (strengths='none')")
    n = len(fit.items)
    return fit.fitted_state.fitted.beta[:n], fit.strength_covariance


def worth(fit: BradleyTerryResult, level: float) -> Result:
    """See `BradleyTerryResult.worth`."""
    strength, _ = require_strengths(fit)
    log_worth = strength - logsumexp(strength)
    w = np.exp(log_worth)
    gradient = np.zeros((len(w), len(fit.fitted_state.covariance)))
    gradient[:, : len(w)] = np.eye(len(w)) - w[None, :]  # d log w_i / d strength_j = [i = j] - w_j
    errors = fit.fitted_state.errors(gradient)
    se_log, reach = errors.std_error, critical_values(level, errors.df) * errors.std_error
    rows = []
    for i, item in enumerate(fit.items):
        shared: dict[str, Any] = {"term": item, "group": "worth", "estimate": float(w[i])}
        if errors.refused[i]:
            rows.append(Row(**shared, undefined=why_not(fit.fitted_state, errors, i)))
            continue
        rows.append(with_ends(
            Row(**shared), float(w[i] * np.exp(-reach[i])), float(w[i] * np.exp(reach[i])), level, within=(0.0, 1.0),
            std_error=float(w[i] * se_log[i]), method="delta method on the log scale",
        ))  # fmt: skip
    top = max(rows, key=lambda r: r.estimate or 0)
    words = (
        f"{top.term} has the largest worth, {number(top.estimate, 3, bounded=True)}, "
        f"{ends_of(top, 3)}, of a total of one "
        f"over {count(len(rows), 'item')}."
    )
    return derived(
        fit, "Bradley-Terry worths (sum one)", rows, words, references=("bradley1952",),
    )  # fmt: skip


def rank_table(fit: BradleyTerryResult, kind: str, level: float, draws: int, seed: int) -> Result:
    """See `BradleyTerryResult.ranks`."""
    if kind not in ("marginal", "simultaneous"):
        raise InputError(f"kind={kind!r} is not one of 'marginal', 'simultaneous'")
    if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
        raise InputError(f"seed={seed}, draws={draws}: a seed is 0 or more, and draws at least {FEWEST_DRAWS}")
    strength, cov = require_strengths(fit)
    clustered = fit.fitted_state.robust is not None
    sets = rank_sets(
        strength, fit.fitted_state.fitted.covariance[: len(strength), : len(strength)] if clustered else cov,
        level=level, simultaneous=kind == "simultaneous", draws=draws, seed=seed,
        p=difference_p(fit) if clustered else None,
    )  # fmt: skip
    test = "max-t (model correlations, own errors and df)" if clustered else "max-t"
    rows = [
        with_ends(
            Row(term=item, group="rank", estimate=float(sets.rank[i]), method=f"{kind} {test} rank set, step-down"),
            float(sets.low[i]), float(sets.high[i]), level,
        )
        for i, item in enumerate(fit.items)
    ]  # fmt: skip
    width = float(np.mean(sets.high - sets.low + 1))
    covers = "each set covers its own rank" if kind == "marginal" else "the sets cover all ranks at once"
    first = [r.term for r in rows if r.conf_low == 1]
    words = (
        f"{count(len(first), 'item')} cannot be excluded from rank 1 ({quoted(first)}); the {kind} {100 * level:g}% "
        f"rank sets hold {number(width, 1)} ranks on average ({covers})."
    )
    return derived(
        fit, f"Ranks with {kind} confidence sets", rows, words, references=("mogstad2024", "romanowolf2005"),
        inference=f"{kind} sets from the {test} test, {draws} normal draws, seed {seed}; {fit.inference}",
        settings={**fit.settings, "kind": kind, "draws": draws, "seed": seed},
    )  # fmt: skip


def difference_p(fit: BradleyTerryResult) -> FloatArray:
    """Return the (items, items) p-values of all differences; 1 where one cannot be tested."""
    strength, _ = require_strengths(fit)
    i, j = np.triu_indices(len(strength), 1)
    errors = fit.fitted_state.differences
    tested = errors.std_error > 0
    p = np.ones((len(strength), len(strength)))
    t = np.where(tested, strength[i] - strength[j], 0) / np.where(tested, errors.std_error, 1)
    p[i, j] = p[j, i] = two_sided_p(t, errors.df)
    return p


def quasi_table(fit: BradleyTerryResult) -> Result:
    """See `BradleyTerryResult.quasi_variances`."""
    strength, cov = require_strengths(fit)
    if len(strength) < 3:
        raise UndefinedStatistic("quasi-variances need at least three items; two have one difference only")
    state, level = fit.fitted_state, fit.fitted_state.options.level
    errors = state.errors(np.eye(len(strength), len(state.fitted.beta)))
    seen = np.flatnonzero(~errors.refused)
    if len(seen) < 3:
        raise UndefinedStatistic("quasi-variances need at least three items whose strengths have standard errors")
    cov = cov[np.ix_(seen, seen)]
    q = np.full(len(strength), np.nan)
    q[seen] = quasi_variances(cov)
    low_error, high_error = worst_errors(cov, q[seen])
    rows = []
    for i, item in enumerate(fit.items):
        shared: dict[str, Any] = {"term": item, "group": "quasi-variance", "estimate": float(strength[i])}
        if not q[i] >= 0:
            why = "negative quasi-variance: this item has no comparison interval"
            rows.append(Row(**shared, undefined=why_not(state, errors, i) if errors.refused[i] else why))
            continue
        row, df = Row(**shared, method="quasi standard error"), None if np.isinf(errors.df[i]) else float(errors.df[i])
        rows.append(with_t(row, float(np.sqrt(q[i])), df, level, test=False))
    words = (
        "Standard errors of differences made from quasi-variances are wrong by "
        f"{number(100 * low_error, 1)} % to {number(100 * high_error, 1)} %."
    )
    return derived(
        fit, "Strengths with quasi-variances", rows, words, references=("firth2004",),
        extras={
            "quasi_variance": {fit.items[k]: float(q[k]) for k in seen}, "worst_errors": (low_error, high_error),
        },
    )  # fmt: skip


def contrast(fit: BradleyTerryResult, spec: str | Mapping[str, float], level: float) -> Result:
    """See `BradleyTerryResult.contrast`."""
    weights = _weights(fit, spec)
    known = {name: j for j, name in enumerate(fit.names)}
    unknown = [name for name in weights if name not in known]
    if unknown:
        raise InputError(f"no coefficient {quoted(unknown)} in this model; coefficients: {', '.join(fit.names[:20])}")
    state = fit.fitted_state
    c = np.zeros(len(fit.names))
    for name, weight in weights.items():
        c[known[name]] = weight
    if not np.isfinite(c).all() or not c.any():
        raise InputError(f"a contrast needs finite weights, not all zero; got {dict(weights)!r}")
    c = c @ state.transform  # coefficients as they are reported
    estimate = np.array([float(c @ state.fitted.beta)])
    label = spec if isinstance(spec, str) else " + ".join(f"{w:g} {name}" for name, w in weights.items())
    row = _wald_row(label, "contrast", estimate, c, state, level)
    words = (
        f"{label} = {number(row.estimate)}, {interval(row.conf_low, row.conf_high, level=level)}, "
        f"{p_value(row.p_value)} (log-odds)."
        if row.undefined is None
        else f"{label} = {number(row.estimate)} (log-odds); no interval: {row.undefined}."
    )
    return derived(fit, "Contrast of Bradley-Terry coefficients", [row], words, {"weights": dict(weights)})


def pairwise(fit: BradleyTerryResult, adjust: str, level: float) -> Result:
    """See `BradleyTerryResult.pairwise`."""
    methods: dict[str, Callable[[FloatArray], FloatArray]] = {
        "holm": holm, "bh": benjamini_hochberg, "none": np.asarray,
    }  # fmt: skip
    if adjust not in methods:
        raise InputError(f"adjust={adjust!r} is not one of {', '.join(map(repr, methods))}")
    strength, _ = require_strengths(fit)
    i, j = np.triu_indices(len(strength), 1)
    state, errors = fit.fitted_state, fit.fitted_state.differences
    difference = strength[i] - strength[j]
    tested = np.flatnonzero(errors.std_error > 0)
    rows = with_errors([
        Row(term=f"{fit.items[a]} - {fit.items[b]}", group="difference", estimate=float(difference[k]),
            method=f"Wald; {adjust} over {len(tested)} differences")
        for k, (a, b) in enumerate(zip(i, j, strict=True))
    ], state, errors, level)  # fmt: skip
    adjusted = np.full(len(i), np.nan)
    adjusted[tested] = methods[adjust](np.array([rows[k].p_value for k in tested], dtype=np.float64))
    for k in tested.tolist():
        rows[k] = replace(rows[k], p_adjusted=float(adjusted[k]))
    called = int((adjusted[tested] < 1 - level).sum())
    words = (
        f"{count(called)} of {count(len(rows), 'difference')} are settled at {100 * level:g}% "
        f"({adjust} over the family)."
        + (f" {count(len(rows) - len(tested))} cannot be tested." if len(tested) < len(rows) else "")
    )
    return derived(fit, "All differences of strengths", rows, words, {"adjust": adjust}, references=("holm1979",))


def effect_in_sds(fit: BradleyTerryResult, term: str, level: float) -> Result:
    """See `BradleyTerryResult.effect_in_sds`."""
    strength, _ = require_strengths(fit)
    if term not in fit.names or term in fit.items:
        raise InputError(
            f"no effect '{term}' in this model; effects: {', '.join(fit.names[len(fit.items) :]) or 'none'}"
        )
    state, n = fit.fitted_state, len(strength)
    cov = state.covariance
    effect = state.fitted.beta[fit.names.index(term)]
    sampling = float(np.trace(cov[:n, :n])) / (n - 1)  # E[var of estimates] = var of strengths + trace / (n - 1)
    variance = float(np.var(strength, ddof=1)) - sampling
    if variance <= 0:
        raise UndefinedStatistic(
            "the strengths vary no more than their sampling error: they have no sd to compare with"
        )
    sd = np.sqrt(variance)
    gradient = np.zeros(len(fit.names))
    gradient[fit.names.index(term)] = 1 / sd
    gradient[:n] = -effect * (strength - strength.mean()) / ((n - 1) * sd**3)
    ratio = float(effect / sd)
    row = _wald_row(f"{term} / sd of strengths", "ratio", np.array([ratio]), gradient, state, level)
    slope = (strength - strength.mean()) / ((n - 1) * sd)
    spread = _sd_row(float(sd), slope, fit, level)
    chance = _chance_row(float(effect - sd), slope, term, fit, level)
    words = (
        f"One step of {term} weighs as much as {number(ratio)} standard deviations of the strengths, "
        f"{ends_of(row)} (sd = {number(sd)} log-odds)."
    )
    return derived(
        fit, f"Effect of {term} in sds of the strengths", [row, spread, chance], words,
        extras={"sd": float(sd), "effect": term},
    )  # fmt: skip


def _sd_row(sd: float, slope: FloatArray, fit: BradleyTerryResult, level: float) -> Row:
    """Return the sd of the strengths, its interval made on the log scale; `slope` = d sd / d strengths."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = slope
    errors = state.errors(gradient)
    se = float(errors.std_error[0])
    if not se > 0:
        return Row(term="sd of strengths", group="spread", estimate=sd, undefined=why_not(state, errors, 0))
    reach = float(np.exp(critical_values(level, errors.df)[0] * se / sd))
    row = Row(term="sd of strengths", group="spread", estimate=sd, std_error=se, n_units=len(slope),
              method="delta method on the log scale")  # fmt: skip
    return with_ends(row, sd / reach, sd * reach, level)


def _chance_row(gap: float, slope: FloatArray, term: str, fit: BradleyTerryResult, level: float) -> Row:
    """Return how often an item one sd below another wins with one step more of `term`: expit(effect - sd)."""
    state = fit.fitted_state
    gradient = np.zeros((1, len(fit.names)))
    gradient[0, : len(slope)] = -slope
    gradient[0, fit.names.index(term)] = 1.0
    errors = state.errors(gradient)
    se, p, label = float(errors.std_error[0]), float(expit(gap)), f"wins one sd below, one step of {term} above"
    if not se > 0:
        return Row(term=label, group="chance", estimate=p, undefined=why_not(state, errors, 0))
    reach = float(critical_values(level, errors.df)[0]) * se
    row = Row(term=label, group="chance", estimate=p, std_error=p * (1 - p) * se, n_units=len(slope),
              method="delta method on the logit scale")  # fmt: skip
    return with_ends(row, float(expit(gap - reach)), float(expit(gap + reach)), level)


def ends_of(row: Row, digits: int = 2) -> str:
    """Return the interval of a row in words, or why there is none; worths and probabilities without leading zero."""
    if row.conf_level is None:
        return f"no interval ({row.undefined})"
    bounded = row.group in ("worth", "probability")
    return interval(row.conf_low, row.conf_high, digits, level=row.conf_level, bounded=bounded)


def _weights(fit: BradleyTerryResult, spec: str | Mapping[str, float]) -> Mapping[str, float]:
    if not isinstance(spec, str):
        return spec
    for at in range(len(spec)):
        if spec.startswith(" - ", at):
            left, right = spec[:at].strip(), spec[at + 3 :].strip()
            if left in fit.names and right in fit.names and left != right:
                return {left: 1.0, right: -1.0}
    if spec in fit.names:
        return {spec: 1.0}
    raise InputError(
        f"contrast {spec!r} is not 'X - Y' with X and Y among the coefficients ({', '.join(fit.names[:20])}); "
        "or pass a mapping of names to weights"
    )


def _wald_row(term: str, group: str, estimate: FloatArray, contrast: FloatArray, state: State, level: float) -> Row:
    """Return the row of one linear function of the parameters."""
    row = Row(term=term, group=group, estimate=float(estimate[0]), method="Wald")
    return with_errors([row], state, state.errors(contrast[None, :]), level)[0]


FIRST = {"a": 1.0, "b": -1.0, "neither": 0.0}


def predict(
    fit: BradleyTerryResult,
    item_a: str,
    item_b: str,
    first: str,
    covariates: Mapping[str, tuple[Any, Any]],
    level: float,
) -> Result:
    """See `BradleyTerryResult.predict`."""
    state = fit.fitted_state
    if first not in FIRST:
        raise InputError(f"first={first!r} is not one of {', '.join(map(repr, FIRST))}")
    x = _predictor(fit, item_a, item_b, FIRST[first], covariates)
    model, beta = state.model, state.fitted.beta
    eta = np.array([x @ beta[: len(x)]])
    tau = beta[-1] if model.tie_term else 0.0
    p = model.probabilities(eta, tau)[:, 0]
    by_eta, by_tau = (s[:, 0] for s in model.scores(eta, tau))
    rows = []
    for k, term in enumerate((f"{item_a} wins", f"{item_b} wins", "tie")[: 3 if model.tie_term else 2]):
        rest = float(np.delete(p, k).sum())  # 1 - p without cancellation
        if p[k] == 0 or rest == 0:
            why = "the probability is closer to 0 or 1 than a floating-point number can be"
            rows.append(Row(term=term, group="probability", undefined=why))
            continue
        gradient = np.append(by_eta[k] * x, by_tau[k]) if model.tie_term else by_eta[k] * x
        gradient = gradient / rest  # d logit p = d log p / (1 - p)
        errors = state.errors(gradient[None, :])
        if errors.refused[0]:
            why = why_not(state, errors, 0)
            rows.append(Row(term=term, group="probability", estimate=float(p[k]), undefined=why))
            continue
        se = float(errors.std_error[0])
        at, reach = np.log(p[k]) - np.log(rest), critical_values(level, errors.df)[0] * se
        row = Row(term=term, group="probability", estimate=float(p[k]), std_error=float(se * p[k] * rest),
                  method="delta method on the logit scale")  # fmt: skip
        rows.append(with_ends(row, float(expit(at - reach)), float(expit(at + reach)), level))
    win = rows[0]
    words = (
        f"{item_a} is expected to win against {item_b} with probability {number(win.estimate, bounded=True)}, "
        f"{ends_of(win)}."
    )
    compared = {"items": (item_a, item_b), "first": FIRST[first], "covariates": dict(covariates)}
    return derived(fit, "Predicted outcome", rows, words, compared)


def _predictor(
    fit: BradleyTerryResult, item_a: str, item_b: str, first: float, covariates: Mapping[str, tuple[Any, Any]]
) -> FloatArray:
    """Return the row of the design (without tau) for one comparison."""
    state, design = fit.fitted_state, fit.design
    for item in (item_a, item_b):
        if item not in design.items:
            raise InputError(f"'{item}' is not an item of this fit; items: {', '.join(design.items[:20])}")
    if item_a == item_b:
        raise InputError(f"'{item_a}' cannot be compared with itself; name two items")
    x = np.zeros(state.data.n_items)
    if state.data.free:
        x[design.items.index(item_a)] += 1
        x[design.items.index(item_b)] -= 1
    order = np.array([first]) if state.options.order else np.zeros(0)
    if state.options.formula is None:
        return np.concatenate([x, order])
    z = _effects(design, state.options.formula, covariates)
    return np.concatenate([x, order, z])


def _effects(design: Any, formula: str, covariates: Mapping[str, tuple[Any, Any]]) -> FloatArray:
    """Evaluate the formula for new values, beside the fitted ones so that categories are coded alike."""
    used = {name: c for name, c in design.covariates.items() if is_used(name, formula)}
    missing = [name for name in used if name not in covariates]
    if missing:
        raise InputError(f"the formula needs covariates={{'{missing[0]}': (value of a, value of b)}}")
    new = {}
    for name, c in used.items():
        a, b = covariates[name]
        if c.a.dtype == object and not {str(a), str(b)} <= set(c.a) | set(c.b):
            raise InputError(f"covariate '{name}': {a!r} or {b!r} does not occur in the data")
        values = [np.append(side, str(v) if c.a.dtype == object else float(v)) for side, v in ((c.a, a), (c.b, b))]
        new[name] = Covariate(name=name, a=values[0].astype(c.a.dtype), b=values[1].astype(c.a.dtype))
    longer = replace(design, covariates=new, item_a=np.append(design.item_a, 0))
    matrix, _ = effect_columns(longer, formula, order=False)
    return np.asarray(matrix[-1])


TABLE_BYTES = 1_600_000  # weights of one block of refits: small enough to stay in the processor's cache
ANALYTIC = ("SS201", "SS202", "SS203", "SS205", "SS206", "SS208")  # of the fit's own errors; a bootstrap says its own


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BradleyTerryBootstrap(Result):
    """Bootstrap distribution of a Bradley-Terry fit.

    Attributes
    ----------
    strengths : (B, items) array
        Centred log-strengths of the replicates that have a finite estimate.
    effects : (B, k) array
        Order effect, covariates and tie parameter.
    n_degenerate : int
        Replicates without a finite estimate, left out.
    ok : (resamples,) bool array
        Which of the resamples drawn have a finite estimate, in the order of the seed.
    refused : str
        Why there are no intervals: too few clusters. Empty where there are.
    """

    strengths: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    effects: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    n_degenerate: int = 0
    ok: np.ndarray[Any, np.dtype[np.bool_]] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    refused: str = ""

    def crosscheck(self) -> Sequence[Check]:
        """Fit every resample again from the bare likelihood, where that does not take too long."""
        checks: Sequence[Check] = importlib.import_module("socialstats.crosscheck.pair_refits").verify_bootstrap(self)
        return checks


def bootstrap(
    fit: BradleyTerryResult, by: str, resamples: int, seed: int, ci: str, level: float
) -> BradleyTerryBootstrap:
    """See `BradleyTerryResult.bootstrap`."""
    state = fit.fitted_state
    if ci not in ("percentile", "basic"):
        raise InputError(f"ci={ci!r} is not one of 'percentile', 'basic'")
    check_resamples(resamples, level)
    if state.penalised:
        raise InputError("the bootstrap refits by maximum likelihood; fit without penalty or prior first")
    factors = _factors(fit.design, state, by)
    units = Units.clusters(*[f.codes for f in factors]) if factors else row_units(fit.design)
    refused = too_few_to_resample(factors)
    replicates, ok = refit_all(fit.design, state, units, resamples, seed)
    kept = replicates[ok]
    if len(kept) < resamples_needed(level):
        raise UndefinedStatistic(
            f"{len(kept)} of {resamples} resamples have a finite estimate, too few for a {100 * level:g}% interval; "
            "use penalty= or prior="
        )
    n = state.data.n_items
    lost = int(resamples - len(kept))
    used = [*cluster_cautions(fit.design, factors, df=[None]), *(c for c in fit.cautions if c.code not in ANALYTIC)]
    cautions = sorted(used, key=lambda c: ("stop", "caution", "info").index(c.severity))
    said = lost_caution(
        lost, resamples, "every bootstrap interval", fix="use penalty='firth' or prior=, and the model's intervals"
    )
    cautions = [said, *cautions] if said else cautions
    return BradleyTerryBootstrap(
        metric="bradley_terry", title=f"{fit.title}, bootstrap by {by}",
        rows=tuple(_rows(fit, kept, ci, level, by, refused)),
        inference=f"{ci} bootstrap by {by}, {resamples:,} resamples, seed {seed}",
        counts=fit.counts, fit={**fit.fit, "seed": seed, "resamples": resamples},
        settings={**fit.settings, "by": by, "resamples": resamples, "seed": seed, "ci": ci},
        cautions=tuple(cautions), references=("davisonhinkley1997",), design=fit.design,
        extras={"fit": fit}, strengths=kept[:, :n], effects=kept[:, n:], n_degenerate=lost, ok=ok, refused=refused,
        words=f"{count(len(kept))} of {count(resamples, 'resample')} by {by} have a finite estimate.",
    )  # fmt: skip


def _factors(design: Comparisons, state: State, by: str) -> Sequence[Factor]:
    """Return what is resampled; nothing for single rows."""
    if by == "row":
        return ()
    if by == "pair":
        return (design.pair,)
    if by == "cluster":
        if not state.factors:
            raise InputError("by='cluster' needs a fit with clusters; this one has none")
        return state.factors
    raise InputError(f"by={by!r} is not one of 'auto', 'row', 'pair', 'cluster'")


def refit_all(
    design: Comparisons, state: State, units: Units, resamples: int, seed: int
) -> tuple[FloatArray, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the (resamples, p) estimates and which of them exist."""
    n = processes()
    parts = in_halves(lambda part: _every(n, part, design, state, units, resamples, seed), n, least=2)
    out = np.empty((resamples, len(state.fitted.beta)))
    ok = np.empty(resamples, dtype=bool)
    for rows, refits in (found for part in parts for found in part):
        out[rows], ok[rows] = refits.beta.T, refits.ok
    return out, ok


def _every(
    step: int, start: int, design: Comparisons, state: State, units: Units, resamples: int, seed: int
) -> list[tuple[slice, Refits]]:
    """Refit every `step`-th block of resamples from block number `start`; the weights are those of the whole."""
    data = state.data
    m = len(data.a)
    table = slot_table(design, data, units)
    used = np.flatnonzero(np.diff(table.indptr))
    table = sparse.csr_array(table[used])
    refitter = Refitter(data, state.model, state.fitted.beta)
    block = max(8, min(64, TABLE_BYTES // (24 * m)))
    found = []
    for k, weights in enumerate(weight_blocks(units, resamples=resamples, seed=seed, block=block)):
        if k % step == start:
            w = np.zeros((3 * m, len(weights)))
            w[used] = table @ weights.T
            found.append((slice(k * block, k * block + len(weights)), refitter.refit(w.reshape(3, m, -1))))
    return found


def slot_table(design: Comparisons, data: PairData, units: Units) -> sparse.csr_array:
    """Return the (3 m, units) matrix that sums weighted units to outcome weights of the predictors."""
    m = len(data.a)
    outcome = design.outcome.astype(np.int64)
    outcome = np.where(data.flipped & (outcome != TIED), 1 - outcome, outcome)
    place = (outcome * m + data.cell, units.unit)
    return sparse.csr_array(sparse.coo_array((design.weight, place), shape=(3 * m, units.n_units)))


def _rows(fit: BradleyTerryResult, kept: FloatArray, ci: str, level: float, by: str, refused: str) -> list[Row]:
    state = fit.fitted_state
    transform = state.transform
    estimate, kept = transform @ state.fitted.beta, kept @ transform.T
    ordered = np.sort(kept, axis=0)
    low, high = (_quantile(ordered, a) for a in ((1 - level) / 2, (1 + level) / 2))
    if ci == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    se = kept.std(axis=0, ddof=1)
    names, n = coefficient_names(fit.design, state), state.data.n_items
    rows = []
    for j, name in enumerate(names):
        shared: dict[str, Any] = {
            "term": name, "group": "strength" if j < n else term_group(name, state), "estimate": float(estimate[j]),
            "n": fit.rows[j].n, "method": f"{ci} bootstrap by {by}",
        }  # fmt: skip
        if name == state.options.reference:
            rows.append(Row(**shared, undefined=fit.rows[j].undefined))
        elif refused:
            rows.append(Row(**shared, undefined=f"{refused}; the fit's own t interval allows for them"))
        elif by == "cluster" and fit.rows[j].undefined:  # resamples of the clusters know no more than the fit
            rows.append(Row(**shared, undefined=fit.rows[j].undefined))
        elif se[j] == 0:
            rows.append(Row(**shared, undefined="every resample gives the same estimate: no interval"))
        else:
            rows.append(with_ends(Row(**shared, std_error=float(se[j])), float(low[j]), float(high[j]), level))
    return rows


def _quantile(ordered: FloatArray, alpha: float) -> FloatArray:
    """Return the (B + 1) alpha order statistic, interpolated (Davison & Hinkley 1997, section 5.2.1)."""
    return np.asarray(np.quantile(ordered, alpha, axis=0, method="weibull"))


SMALL_EXPECTED = 5.0
NOT_FITTING = 0.01


def anova(one: BradleyTerryResult, other: BradleyTerryResult) -> Result:
    """See `BradleyTerryResult.anova`."""
    small, large = sorted((one, other), key=lambda fit: int(fit.fit["df"]))
    _require_comparable(small, large)
    added = [name for name in large.names if name not in small.names]
    df = int(large.fit["df"]) - int(small.fit["df"])
    statistic = max(2 * (large.log_likelihood - small.log_likelihood), 0.0)
    p = float(not_zero(chdtrc(df, statistic)))
    label = _added_label(added, large)
    note = "; treats rows as independent" if large.fitted_state.robust else ""
    lrt = Row(
        term=label, group="likelihood ratio", statistic=statistic, df=df, p_value=p, method=f"likelihood ratio{note}"
    )
    rows, cautions = [lrt], large.cautions
    said = f"\u03c7\u00b2({count(df)}) = {number(statistic)}"
    if large.fitted_state.robust is not None:
        robust, said = _wald(large, added, label)
        rows = [robust, lrt]
    lead = rows[0]
    words = f"Adding {label}: " + (
        f"no test ({lead.undefined})." if lead.p_value is None else f"{said}, {p_value(lead.p_value)} ({lead.group})."
    )
    return derived(large, "Comparison of nested models", rows, words, {"small": small}, cautions=cautions,
                   inference=str(rows[0].group))  # fmt: skip


def _require_comparable(small: BradleyTerryResult, large: BradleyTerryResult) -> None:
    a, b = small.fitted_state, large.fitted_state
    if a.penalised or b.penalised:
        raise InputError("a likelihood-ratio test needs maximum-likelihood fits, without penalty or prior")
    if a.ties == "half" or b.ties == "half":
        raise InputError("ties='half' is a quasi-likelihood and has no likelihood-ratio test; use ties='davidson'")
    if not _same_rows(small.design, large.design):
        raise InputError(f"the fits use different rows ({small.design.n_rows:,} and {large.design.n_rows:,})")
    if a.ties != b.ties:
        raise InputError(f"ties='{a.ties}' and ties='{b.ties}' are not nested in each other")
    if small.fit["df"] == large.fit["df"]:
        raise InputError("the two fits have the same number of parameters: nothing to test")
    effects = set(small.names) - set(small.items)
    if not effects <= set(large.names) or (small.items and not large.items):
        raise InputError(
            f"the models are not nested: {listing(sorted(effects - set(large.names)))} is only in the smaller"
        )


def _same_rows(one: Comparisons, other: Comparisons) -> bool:
    """Return whether two designs count the same wins and losses of the same items."""
    if one.n_rows != other.n_rows or one.items != other.items:
        return False
    return bool(np.allclose(_record(one), _record(other)))


def _record(design: Comparisons) -> FloatArray:
    """Return wins and losses of every item."""
    n, a_won, b_won = (
        len(design.items),
        design.weight * (design.outcome == A_WON),
        design.weight * (design.outcome == B_WON),
    )
    wins = np.bincount(design.item_a, a_won, n) + np.bincount(design.item_b, b_won, n)
    return np.stack([wins, np.bincount(design.item_a, b_won, n) + np.bincount(design.item_b, a_won, n)])


def _added_label(added: list[str], large: BradleyTerryResult) -> str:
    if len(added) > 5 and set(large.items) & set(added):
        return "item strengths"
    return listing(added)


def _wald(large: BradleyTerryResult, added: list[str], label: str) -> tuple[Row, str]:
    """Return the cluster-robust Wald test that all added terms are zero (HTZ), and its F in words."""
    state = large.fitted_state
    at = [large.names.index(name) for name in added]
    assert state.robust is not None
    if any(j < state.data.n_items for j in at):
        reason = "strengths are compared by ranks() and pairwise()"
        return Row(term=label, group="robust Wald", undefined=reason), ""
    test = state.robust.joint(np.eye(len(large.names))[at], state.fitted.beta[at])
    if isinstance(test, str):
        return Row(term=label, group="robust Wald", undefined=test), ""
    denominator = number(test.df_denominator, 1)
    return Row(
        term=label, group="robust Wald", statistic=test.statistic, df=test.df, p_value=test.p,
        method=f"cluster-robust Wald, HTZ; p from F({test.df}, {denominator}) = {number(test.f, 4)}",
    ), f"F({test.df}, {denominator}) = {number(test.f)}"  # fmt: skip


def goodness_of_fit(fit: BradleyTerryResult, cells: str) -> Result:
    """See `BradleyTerryResult.goodness_of_fit`."""
    if cells not in ("ordered", "pair", "total"):
        raise InputError(f"cells={cells!r} is not one of 'ordered', 'pair', 'total'")
    if fit.fitted_state.ties == "half":
        raise UndefinedStatistic("ties='half' has no likelihood and no goodness of fit; use ties='davidson'")
    table = _pair_totals(fit) if cells == "total" else _saturated(fit, cells)
    if table.df <= 0:
        raise UndefinedStatistic(f"the model has as many parameters as the {table.n_cells} cells: the fit is perfect")
    rows = [
        Row(term=name, group=f"{cells} cells", statistic=value, df=table.df,
            p_value=float(not_zero(chdtrc(table.df, value))), n_units=table.n_cells,
            method=f"{name}, {table.against}")
        for name, value in table.statistics.items()
    ]  # fmt: skip
    pearson = rows[-1]
    cautions = [c for c in fit.cautions if c.code == "SS207"]
    if pearson.p_value is not None and pearson.p_value < NOT_FITTING:
        cautions.append(caution(
            "SS104", f"Pearson's \u03c7\u00b2({table.df}) = {number(pearson.statistic, 1)}, {p_value(pearson.p_value)}",
            affects="model-based standard errors", fix="use cluster='pair' or vcov='sandwich'",
        ))  # fmt: skip
    words = (
        f"Pearson's \u03c7\u00b2({table.df}) = {number(pearson.statistic)}, {p_value(pearson.p_value)}, over "
        f"{count(table.n_cells, table.unit)}; {table.size}."
    )
    return derived(
        fit, "Goodness of fit", rows, words, cautions=tuple(cautions), inference="chi-squared approximation",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FitTable:
    """Statistics of fit over cells: names and values (Pearson last), df, cells, and in words how full they are."""

    statistics: dict[str, float]
    df: int
    n_cells: int
    size: str
    unit: str
    against: str


def _saturated(fit: BradleyTerryResult, cells: str) -> FitTable:
    """Compare outcome counts with their expectation, cell by cell (deviance and Pearson)."""
    state = fit.fitted_state
    observed, predictor, flipped = _tabulate(fit, cells)
    p = _probabilities(fit)[:, predictor]
    p[:2] = np.where(flipped, p[1::-1], p[:2])
    outcomes = 3 if state.model.tie_term else 2
    expected, observed = p[:outcomes] * observed.sum(axis=0), observed[:outcomes]
    return FitTable(
        statistics={
            "deviance": 2 * float(np.sum(xlogy(observed, observed) - xlogy(observed, expected))),
            "Pearson": float(np.sum((observed - expected) ** 2 / expected)),
        },
        df=observed.shape[1] * (outcomes - 1) - int(fit.fit["df"]), n_cells=observed.shape[1],
        size=f"{percent(np.mean(expected < SMALL_EXPECTED))} of the expected counts are below {SMALL_EXPECTED:g}",
        unit="cell", against="against the saturated model",
    )  # fmt: skip


def _pair_totals(fit: BradleyTerryResult) -> FitTable:
    """Compare each pair's total wins (ties as halves), over orders and covariates, with expectation and variance.

    Sees effects that belong to pairs, which cells of one or two rows each cannot show.
    """
    state = fit.fitted_state
    data, p = state.data, _probabilities(fit)
    n = data.w.sum(axis=0)
    mean = p[0] + 0.5 * p[2]
    _, pair = np.unique(data.a * (int(data.b.max()) + 1) + data.b, return_inverse=True)
    k = int(pair.max()) + 1
    won, expected, variance, rows = (
        sums(pair, x, k) for x in (data.w[0] + 0.5 * data.w[2], n * mean, n * (p[0] + 0.25 * p[2] - mean**2), n)
    )
    df = k - int(fit.fit["df"]) + (state.model.tie_term is not None)
    statistic = float(np.sum((won - expected) ** 2 / variance))
    return FitTable(
        statistics={"Pearson": statistic}, df=df, n_cells=k, unit="pair",
        size=f"{number(float(np.median(rows)), 0)} comparisons a pair (median)", against="total wins of each pair",
    )  # fmt: skip


def _probabilities(fit: BradleyTerryResult) -> FloatArray:
    state = fit.fitted_state
    tau = state.fitted.beta[-1] if state.model.tie_term else 0.0
    return state.model.probabilities(state.data.eta(state.fitted.beta), tau)


def _tabulate(fit: BradleyTerryResult, cells: str) -> tuple[FloatArray, Any, Any]:
    """Return outcome weights (3, cells) with the predictor of each cell and whether its sides are exchanged."""
    state, design = fit.fitted_state, fit.design
    data = state.data
    if cells == "pair":
        return data.w, np.arange(len(data.a)), np.zeros(len(data.a), dtype=bool)
    key = data.cell * 4 + data.flipped * 2 + (design.first > 0)
    distinct, example, code = np.unique(key, return_index=True, return_inverse=True)
    k = len(distinct)
    slot = design.outcome.astype(np.int64) * k + code.reshape(-1)
    observed = sums(slot, design.weight, 3 * k).reshape(3, k)
    return observed, data.cell[example], data.flipped[example]
