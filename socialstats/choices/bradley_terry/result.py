"""A fitted Bradley-Terry model: contrasts, predictions, resamples, tests."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse
from scipy.special import chdtrc, expit, logsumexp, xlogy

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.choices.bradley_terry.cautions import fit_cautions, sort_by_severity
from socialstats.choices.bradley_terry.cells import (
    SIDES,
    NewComparison,
    ResidualKind,
    augmented_table,
    ordered_cells,
    outcome_probabilities,
    read_new_comparisons,
)
from socialstats.choices.bradley_terry.covariance import (
    holm_rank_sets,
    quasi_variances,
    rank_sets,
    worst_errors,
)
from socialstats.choices.bradley_terry.fitting import Refitter
from socialstats.choices.bradley_terry.likelihoods import sums_by_code
from socialstats.choices.bradley_terry.model import (
    PROBABLE,
    FitState,
    add_zero_covariates,
    effect_columns,
    fill_errors,
    is_used,
    make_rows,
    reference_levels,
    std_error_text,
    undefined_reason,
    works_cited,
)
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import A_WON, B_WON, Comparisons, Factor
from socialstats.designs.formulas import take_apart
from socialstats.designs.habits import knows_habits
from socialstats.designs.scan import ClusterPart, one_number
from socialstats.designs.square_tables import matrix
from socialstats.designs.vectors import array_columns
from socialstats.errors import InputError, UndefinedStatistic, caution
from socialstats.halves import in_halves, processes
from socialstats.inference.adjusted_p import P_METHODS, AdjustMethod, adjust_p_values, method_named
from socialstats.inference.contrasts import (
    Spec,
    contrast_label,
    contrast_weights,
    contrasts_of,
    difference_weights,
)
from socialstats.inference.dependence import cluster_cautions, row_units, too_few_to_resample
from socialstats.inference.intervals import (
    checked_level,
    critical_values,
    not_zero,
)
from socialstats.inference.margins import MarginTest, against_margin
from socialstats.inference.rows import with_ends, with_t
from socialstats.inference.sides import one_sided, side_text, two_sided_level
from socialstats.resampling.engine import SCHEMES, PlanUnits, Scheme, lost_caution, weight_blocks
from socialstats.resampling.hashed import HashedWeights
from socialstats.resampling.intervals import check_resamples, resamples_needed
from socialstats.resampling.permutation import Alternative, checked_alternative, checked_seed
from socialstats.results import Check, Result, Row, Verification
from socialstats.rounding import FITTED, no_variation_reason
from socialstats.sentences import apa_interval
from socialstats.text import capital, count, listing, number, p_value, percent, quoted
from socialstats.voice import Word, check_allowed, option

if TYPE_CHECKING:
    import pandas as pd

FEWEST_DRAWS = 100
# expected counts below which chi-squared distributions are doubtful (Cochran, 1954)
SMALL_EXPECTED = 5.0
NOT_FITTING = 0.01  # p of Pearson's test below which a caution is given
# bytes of the weights of one block of refits: few enough to stay in the processor's cache
TABLE_BYTES = 1_600_000
# cautions on the fit's errors; a bootstrap has its own
ANALYTIC = ("SS201", "SS202", "SS203", "SS205", "SS206", "SS208")


MOST_MAX_T = 200  # items: max-t tests take time with the cube of their number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BradleyTerryResult(Result):
    """Log-strengths and effects of a Bradley-Terry model.

    Besides what every `Result` has: `strengths`, `worth()`, `ranks()`, `quasi_variances()`, `contrast()`,
    `pairwise()`, `predict()`, `bootstrap()`, `anova()`, `goodness_of_fit()`, `effect_in_sds()`; `nobs`,
    `log_likelihood`, `aic`, `bic`, `fitted()`, `residuals()`, `augment()` and `update()`.

    Examples
    --------
    >>> import socialstats as ss
    >>> fit = ss.bradley_terry(ss.datasets.journal_citations())
    >>> print(fit.sentence())
    Of 4 items, JRSS-B had the largest log-strength (1.06, approximate 95% CI [0.95, 1.16]) and Comm Statist the
    smallest (−2.16, approximate 95% CI [−2.30, −2.02]).
    >>> round(fit.worth().row("JASA").estimate, 3)
    0.208
    >>> print(fit.contrast("JASA - Biometrika").sentence())
    JASA - Biometrika = −0.48, 95% CI [−0.60, −0.36], p < .001 (log-odds).
    """

    state: FitState | None = field(default=None)

    @property
    def fitted_state(self) -> FitState:
        """The fit; raises for a lone item, which has none."""
        if self.state is None:
            raise UndefinedStatistic(self.words or "this result has no fit")
        return self.state

    @property
    def items(self) -> tuple[str, ...]:
        """Item labels, in the order of the strengths."""
        design: Comparisons = self.design
        return design.items[: self.fitted_state.data.n_items]

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

    def errors_of(
        self, items: Sequence[str], gradient: FloatArray
    ) -> tuple[FloatArray, FloatArray, str]:
        """Return standard errors (NaN where there are none), df, and why, of linear functions of the log-strengths.

        Parameters
        ----------
        items : sequence of str
        gradient : (k, items) array
        """
        state = self.fitted_state
        places = [self.items.index(item) for item in items]
        contrasts = np.zeros((len(gradient), len(state.fitted.beta)))
        contrasts[:, places] = gradient
        errors = state.errors(contrasts)
        undefined = np.flatnonzero(np.isnan(errors.std_error))
        return (
            errors.std_error,
            errors.df,
            undefined_reason(state, errors, int(undefined[0])) if len(undefined) else "",
        )

    @property
    def log_likelihood(self) -> float:
        """Maximised log-likelihood, one Bernoulli (or three-outcome) term a row.

        Raises
        ------
        UndefinedStatistic
            If the winners are probabilities.
        """
        if self.fitted_state.probable:
            raise UndefinedStatistic(f"{PROBABLE} log-likelihood")
        return self.fitted_state.fitted.loglik

    @property
    def nobs(self) -> int:
        """Comparisons that were analysed, one Bernoulli (or three-outcome) trial each."""
        design: Comparisons = self.design
        return design.n_rows

    @property
    def aic(self) -> float:
        """Akaike's criterion, 2 df - 2 log-likelihood.

        Raises
        ------
        UndefinedStatistic
            If the estimates are not those of maximum likelihood: with a penalty, pseudo-wins, ties as half wins, or
            winners that are probabilities.
        """
        return self._criterion("aic")

    @property
    def bic(self) -> float:
        """Schwarz's criterion, df log(nobs) - 2 log-likelihood; raises as `aic` does.

        R counts one observation a line of the table. Lines with counts of wins therefore have another BIC there.
        """
        return self._criterion("bic")

    def _criterion(self, name: str) -> float:
        self.log_likelihood  # noqa: B018  # raises where there is none
        if self.fit[name] is None:
            used = f"{option('penalty')}, {option('prior')} or {option('ties', 'half')} was used"
            raise UndefinedStatistic(
                f"{name.upper()} needs estimates of maximum likelihood, and {used}"
            )
        return float(self.fit[name])

    def augment(self) -> pd.DataFrame:
        """Return the comparisons by cell with fitted values, residuals and leverages.

        Returns
        -------
        data frame
            One row for each (item_a, item_b), order and covariates as tabulated, as `goodness_of_fit` counts them.
            ``item_a``, ``item_b``; effects of the model as differences a minus b; ``n``, ``wins_a``, ``wins_b``
            (and ``ties``), sums of weights. ``fitted`` is the probability that item_a wins, ``fitted_tie`` that of a
            tie. ``resid_response``, ``resid_pearson`` and ``resid_deviance`` are those of the share of wins of
            item_a, a tie as half a win; squares of the last sum to the deviance. ``hat`` is the leverage; leverages
            sum to the number of parameters, but for penalised fits.

        Examples
        --------
        >>> from socialstats.datasets import journal_citations
        >>> from socialstats import bradley_terry
        >>> fit = bradley_terry(journal_citations())
        >>> round(float((fit.augment()["resid_deviance"] ** 2).sum()), 4)
        4.2934
        """
        in_memory = self.in_memory() if self.fitted_state.streamed else self
        return augmented_table(in_memory.design, in_memory.fitted_state)

    def fitted(self) -> FloatArray:
        """Return the probabilities that item_a wins, one for each row of `augment`."""
        return np.asarray(self.augment()["fitted"], dtype=np.float64)

    def residuals(self, kind: ResidualKind = "deviance") -> FloatArray:
        """Return the residuals of a kind, one for each row of `augment`.

        Parameters
        ----------
        kind : {"deviance", "pearson", "response"}
            As of R's `residuals(type = )`, whose default is the same.
        """
        check_allowed("kind", kind, get_args(ResidualKind))
        return np.asarray(self.augment()[f"resid_{kind}"], dtype=np.float64)

    def update(self, formula: str | None = None, **options: Any) -> BradleyTerryResult:
        """Fit the same comparisons again with other options.

        Parameters
        ----------
        formula : str, optional
            The new formula. A dot stands for the terms of the old one: ``"~ . + length"``, ``"~ . - urgency"``.
            Clusters follow ``|``.
        **options
            Options of `bradley_terry`, which replace the old ones; all others stay.

        Raises
        ------
        InputError
            For a formula with a left side, and as `bradley_terry`.

        Examples
        --------
        >>> from socialstats.datasets import role_conflict
        >>> from socialstats import bradley_terry
        >>> fit = bradley_terry(role_conflict())
        >>> fit.update("~ . + urgency", cluster="pair").names[-1]
        'urgency'
        """
        from socialstats.choices.bradley_terry.fit import bradley_terry

        if formula is not None:
            # a dot that is no part of a name or a number stands for the terms of the old formula
            old = (self.fitted_state.options.formula or "~ 0").partition("~")[2]
            parts = take_apart(re.sub(r"(?<![\w.)`])\.(?![\w.])", f"({old})", formula))
            if parts.left or parts.named:
                raise InputError(
                    f"formula {formula!r}: the comparisons stay the same. Write '~ . + term' or "
                    "'~ . - term', clusters after |"
                )
            options["formula"] = f"~ {' + '.join(parts.terms)}" if parts.terms else None
            options |= {"cluster": list(parts.clusters)} if parts.clusters else {}
        # this result is of one level of a `by` factor, if there was one
        refitted: Any = bradley_terry(
            self.design, **{**asdict(self.fitted_state.options), **options}, by=None
        )
        return refitted  # type: ignore[no-any-return]

    def rows_at(self, level: float) -> tuple[Row, ...]:
        """Return the rows with Wald intervals at another level."""
        if self.state is None:
            return self.rows
        return tuple(make_rows(self.design, self.state, checked_level(level)))

    def _level(self, level: float | None) -> float:
        """Return a level that was asked for, or else the fit's."""
        return self.fitted_state.options.level if level is None else checked_level(level)

    def _require_strengths(self) -> FloatArray:
        """Return the centred strengths, or say that the model has none."""
        if not self.items:
            raise UndefinedStatistic(
                f"this model has no item strengths ({option('strengths', 'none')})"
            )
        return self.fitted_state.fitted.beta[: len(self.items)]

    def _derived(
        self, title: str, rows: Sequence[Row], words: str, *, extras: Any = None, **more: Any
    ) -> Result:
        """Return a Result that belongs to this fit: same design, counts, cautions and inference unless given."""
        defaults: dict[str, Any] = {
            "inference": self.inference,
            "counts": self.counts,
            "settings": self.settings,
            "cautions": self.cautions,
            "references": self.references,
            "design": self.design,
            "extras": {"fit": self, **(extras or {})},
        }
        return DerivedResult(
            metric="bradley_terry", title=title, rows=tuple(rows), words=words, **(defaults | more)
        )

    def _wald(self, row: Row, contrast: FloatArray, level: float) -> Row:
        """Return a row of one linear function of the parameters, with its error, interval and test."""
        state = self.fitted_state
        return fill_errors(
            [replace(row, method="Wald")], state, state.errors(contrast[None, :]), level
        )[0]

    def _delta(
        self,
        rows: Sequence[Row],
        transformed: FloatArray,
        gradient: FloatArray,
        scale: str,
        level: float,
        **fields: Any,
    ) -> list[Row]:
        """Return rows with errors by the delta method, and intervals made on the scale of a logarithm or logit.

        Parameters
        ----------
        rows : sequence of Row
            With their estimates.
        transformed : (k,) array
            Logarithms (logits) of the estimates.
        gradient : (k, p) array
            Derivatives of `transformed` in the parameters.
        scale : {"log", "logit"}
        **fields
            As for `with_ends`.
        """
        state = self.fitted_state
        errors = state.errors(gradient)
        reach = critical_values(level, errors.df) * errors.std_error
        inverse: Any = np.exp if scale == "log" else expit
        # derivative of the inverse at the estimate
        slope = np.exp(transformed) if scale == "log" else expit(transformed) * expit(-transformed)
        filled = []
        method = f"delta method on the {scale} scale"
        for k, row in enumerate(rows):
            if not errors.std_error[k] > 0:
                filled.append(replace(row, undefined=undefined_reason(state, errors, k)))
                continue
            # an infinite end is beyond the range of floats, which the row says
            with np.errstate(over="ignore"):
                low, high = (float(inverse(transformed[k] + side * reach[k])) for side in (-1, 1))
            row = replace(row, std_error=float(slope[k] * errors.std_error[k]))
            filled.append(with_ends(row, low, high, level, method=method, **fields))
        return filled

    def worth(self, *, level: float | None = None) -> Result:
        """Return the worths exp(strength), scaled to sum one, with intervals made on the logit scale.

        This is the relative preference index (RPI) of the role-conflict study. The delta method gives the standard
        error of logit w_i from the gradient (e_i - w) / (1 - w_i).
        """
        strength = self._require_strengths()
        level = self._level(level)
        n = len(strength)
        log_worth = strength - logsumexp(strength)
        # w_i = exp(strength_i) / sum of exp(strength_j)
        w = np.exp(log_worth)
        # log(1 - w), exact near w = 1
        log_complement = np.array([logsumexp(np.delete(log_worth, k)) for k in range(n)])
        gradient = np.eye(n, len(self.names))
        gradient[:, :n] -= w  # d log w_i / d strength_j = [i = j] - w_j
        # d logit w_i = d log w_i / (1 - w_i)
        gradient /= np.exp(log_complement)[:, None]
        shares = [
            Row(term=item, group="worth", key=(("item", item),), role="estimate", estimate=value)
            for item, value in zip(self.items, w.tolist(), strict=True)
        ]
        rows = self._delta(
            shares, log_worth - log_complement, gradient, "logit", level, within=(0.0, 1.0)
        )
        top = max(rows, key=lambda r: r.estimate or 0)
        words = (
            f"{top.term} had the largest worth, {number(top.shown())}, "
            f"{interval_or_reason(top)}, of a total of one over {count(len(rows), 'item')}."
        )
        return self._derived(
            "Bradley-Terry worths (sum one)", rows, words, references=("bradley1952",)
        )

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
        With clusters a difference is significant if its own p-value is at most that of the critical value. The
        correlations behind that value are those of the model, as robust ones are too poorly known. A difference without
        a standard error is never significant.

        Of more than 200 items the differences are too many for max-t tests. Holm's method is then used, with the
        smaller degrees of freedom of the two strengths; the sets are wider.
        """
        if kind not in ("marginal", "simultaneous"):
            raise InputError(f"{option('kind', kind)} is not one of 'marginal', 'simultaneous'")
        if isinstance(seed, bool) or seed < 0 or draws < FEWEST_DRAWS:
            raise InputError(
                f"{option('seed', seed)}, {option('draws', draws)}: a seed is 0 or more, and draws at "
                f"least {FEWEST_DRAWS}"
            )
        strength = self._require_strengths()
        level = self._level(level)
        state = self.fitted_state
        n = len(strength)
        simultaneous = kind == "simultaneous"
        drawn = ""
        if n > MOST_MAX_T:
            test = f"Holm (more than {MOST_MAX_T} items)"
            source = "holm1979"
            differences = strength[:, None] - strength
            p = state.conservative_p(strength)
            sets = holm_rank_sets(strength, differences, p, level=level, simultaneous=simultaneous)
        else:
            test = "max-t"
            source = "romanowolf2005"
            drawn = f", {draws} normal draws, seed {seed}"
            cov = state.covariance
            p = None
            if state.robust is not None:
                test = "max-t (model correlations, own errors and df)"
                cov = state.fitted.covariance
                p = state.difference_p(strength)
            sets = rank_sets(
                strength,
                cov[:n, :n],
                level=level,
                simultaneous=simultaneous,
                draws=draws,
                seed=seed,
                p=p,
            )
        rows = []
        method = f"{kind} {test} rank set, step-down"
        for k, item in enumerate(self.items):
            row = Row(term=item, group="rank", key=(("item", item),), role="rank", method=method)
            row = replace(row, estimate=float(sets.rank[k]))
            rows.append(with_ends(row, float(sets.low[k]), float(sets.high[k]), level))
        width = float(np.mean(sets.high - sets.low + 1))
        covers = "they cover all ranks together" if simultaneous else "each covers its own rank"
        first = [r.term for r in rows if r.conf_low == 1]
        words = (
            f"{capital(kind)} {100 * level:g}% rank intervals contained {number(width, 1)} of {n} ranks on average "
            f"({covers}). {count(len(first), 'item')} had intervals that include rank 1 ({quoted(first)})."
        )
        return self._derived(
            f"Ranks with {kind} confidence sets",
            rows,
            words,
            references=("mogstad2024", source),
            inference=f"{kind} sets from the {test} test{drawn}; {self.inference}",
            settings={**self.settings, "kind": kind, "draws": draws, "seed": seed},
        )

    def quasi_variances(self) -> Result:
        """Return quasi-variances: comparison intervals that allow any two items to be compared by eye.

        Raises
        ------
        UndefinedStatistic
            For fewer than three items.
        """
        strength = self._require_strengths()
        state = self.fitted_state
        level = self._level(None)
        if len(strength) < 3:
            raise UndefinedStatistic(
                "quasi-variances need at least three items; two have one difference only"
            )
        errors = state.errors(np.eye(len(strength), len(self.names)))
        estimable = np.flatnonzero(~np.isnan(errors.std_error))
        if len(estimable) < 3:
            raise UndefinedStatistic(
                "quasi-variances need at least three items whose strengths have standard errors"
            )
        first, second = np.triu_indices(len(strength), 1)
        # a difference on single clusters is refused where one of its strengths is; others lack variation
        constant = np.isnan(state.differences.std_error) & ~state.differences.refused
        if constant[np.isin(first, estimable) & np.isin(second, estimable)].any():
            raise UndefinedStatistic(
                "a difference between two items has no standard error: no quasi-variances"
            )
        cov = self.strength_covariance[np.ix_(estimable, estimable)]
        # Firth & De Menezes (2004): q_i + q_j nears the variance of the difference of i and j
        q = np.full(len(strength), np.nan)
        q[estimable] = quasi_variances(cov)
        low_error, high_error = worst_errors(cov, q[estimable])
        rows = []
        for i, item in enumerate(self.items):
            row = Row(
                term=item,
                group="quasi-variance",
                key=(("item", item),),
                role="estimate",
                estimate=float(strength[i]),
            )
            if q[i] >= 0:
                df = None if np.isinf(errors.df[i]) else float(errors.df[i])
                row = replace(row, method="quasi standard error")
                rows.append(with_t(row, float(np.sqrt(q[i])), df, level, test=False))
                continue
            why = "negative quasi-variance: this item has no comparison interval"
            rows.append(
                replace(
                    row, undefined=why if i in estimable else undefined_reason(state, errors, i)
                )
            )
        words = (
            "Standard errors of differences made from quasi-variances are wrong by "
            f"{number(100 * low_error, 1)}% to {number(100 * high_error, 1)}%."
        )
        by_item = {self.items[k]: float(q[k]) for k in estimable}
        return self._derived(
            "Strengths with quasi-variances",
            rows,
            words,
            references=("firth2004",),
            extras={"quasi_variance": by_item, "worst_errors": (low_error, high_error)},
        )

    @knows_habits
    def contrast(
        self,
        spec: Spec | Sequence[Spec] | Mapping[str, Spec],
        minus: str | None = None,
        *,
        level: float | None = None,
        alternative: Alternative = "two_sided",
        test: MarginTest | None = None,
        margin: float | None = None,
        adjust: AdjustMethod | Literal["none"] = "holm",
    ) -> Result:
        """Return linear combinations of coefficients, such as ``"nurse - judge"`` or ``"nurse - (judge + clerk)/2"``.

        Parameters
        ----------
        spec : str, mapping of str to float, sequence of float, or several of these
            An expression, weights by name, or one weight for each of `names`, as in the columns of R's ``glht``.
            Several: a sequence or (contrasts, names) array of them, or a mapping of their labels to them.
        minus : str, optional
            The name of a coefficient that is taken from `spec`, which is another name then.
        level : float, optional
        alternative : {"two_sided", "greater", "less"}
            Of the contrast against 0. One-sided: the interval has one end, and the other is infinite.
        test : {"equivalence", "noninferiority"}, optional
            By default a contrast is tested against 0. Else one contrast is tested against `margin` as
            `socialstats.equivalence` does it: one-sided at 1 - `level`, with the interval at 2 `level` - 1.
        margin : float, optional
            Log-odds above 0: the largest difference (of noninferiority: loss) that does not matter.
        adjust : {"holm", "bonferroni", "hochberg", "hommel", "sidak", "holm_sidak", "bh", "by", "none"}
            How `p_adjusted` of several contrasts is made. Intervals stay those of one contrast.

        Raises
        ------
        InputError
            For what is no linear combination of the coefficients, and `minus` beside what is no other name. For two
            contrasts of one label, a `test` without its `margin` or of several contrasts, and an unknown `adjust`.

        Examples
        --------
        >>> from socialstats.datasets import journal_citations
        >>> from socialstats import bradley_terry
        >>> fit = bradley_terry(journal_citations())
        >>> print(fit.contrast("JRSS-B - Biometrika", test="noninferiority", margin=0.2).sentence())
        JRSS-B - Biometrika = 0.27, approximate 90% CI [0.15, 0.39]. Noninferiority with a margin of 0.2 was shown
        (one-sided p < .001).
        >>> print(fit.contrast("JRSS-B - Biometrika", alternative="greater").sentence())
        JRSS-B - Biometrika = 0.27, 95% CI [0.15, ∞), p < .001 (one-sided: greater) (log-odds).
        >>> two = fit.contrast(["JRSS-B - Biometrika", "JASA - Biometrika"])
        >>> [(row.term, round(row.estimate, 3)) for row in two.rows]
        [('JRSS-B - Biometrika', 0.269), ('JASA - Biometrika', -0.48)]
        """
        if (test is None) != (margin is None):
            raise InputError(
                f"{option('test')} and {option('margin')} go together: the claim, and the largest "
                "difference that does not matter"
            )
        alternative = checked_alternative(alternative)
        level = self._level(level)
        method = method_named(adjust, "none", key="adjust")
        if test is not None and alternative != "two_sided":
            raise InputError(
                f"{option('test', test)} is one-sided already: leave {option('alternative')} out"
            )
        settings = {**self.settings, "alternative": alternative}
        several = contrasts_of(spec, self.names) if minus is None else None
        if several is None:
            if minus is None:
                weights = contrast_weights(spec, self.names)
                label = contrast_label(spec, weights)
            else:
                label, weights = difference_weights(spec, minus, self.names)
            row = self._contrast(label, weights, level, alternative)
            words = f"{row.term} = {number(row.estimate)} (log-odds); no interval: {row.undefined}."
            if row.undefined is None:
                side = side_text(alternative)
                words = f"{row.term} = {number(row.shown())}, {interval_or_reason(row)}"
                words += f", {p_value(row.p_value)}{side} (log-odds)."
            title = "Contrast of Bradley-Terry coefficients"
            extras = {row.term: dict(weights)}
            result = self._derived(
                title, [row], words, settings=settings, extras={"weights": extras}
            )
            if test is None:
                return result
            return against_margin(result, margin=margin, test=test, level=level)
        if test is not None:
            raise InputError(
                f"{option('test', test)} takes one contrast, and these are {len(several)}"
            )
        rows = {
            label: self._contrast(label, weights, level, alternative)
            for label, weights in several.items()
        }
        return self._family(
            [*rows.values()],
            method,
            level,
            "Contrasts of Bradley-Terry coefficients",
            "contrast",
            settings=settings,
            weights=several,
        )

    def _contrast(
        self, label: str, weights: Mapping[str, float], level: float, alternative: Alternative
    ) -> Row:
        """Return the row of one linear combination of the coefficients."""
        state = self.fitted_state
        unknown = [name for name in weights if name not in self.names]
        if unknown:
            raise InputError(
                f"no coefficient {quoted(unknown)} in this model; coefficients: {', '.join(self.names[:20])}"
            )
        c = np.zeros(len(self.names))
        for name, weight in weights.items():
            c[self.names.index(name)] = weight
        if not np.isfinite(c).all() or not c.any():
            raise InputError(
                f"a contrast needs finite weights, not all zero; got {dict(weights)!r}"
            )
        # weights of coefficients as they are reported -> weights of centred parameters
        c = c @ state.transform
        value = float(c @ state.fitted.beta)
        row = Row(
            term=label,
            group="contrast",
            key=(("contrast", label),),
            role="difference",
            estimate=value,
        )
        return one_sided(
            self._wald(row, c, two_sided_level(level, alternative)), alternative, level
        )

    def _family(
        self,
        rows: list[Row],
        method: str,
        level: float,
        title: str,
        noun: str,
        *,
        settings: Any = None,
        **extras: Any,
    ) -> Result:
        """Return tests of one family, with p-values adjusted over those that can be tested."""
        tested = [k for k, row in enumerate(rows) if row.p_value is not None]
        family = f"{method} over {count(len(tested), noun)}"
        p = np.array([rows[k].p_value for k in tested], dtype=np.float64)
        adjusted = p if method == "none" else adjust_p_values(p, method)
        rows = [replace(row, method=f"{row.method}; {family}") for row in rows]
        for k, p_of_row in zip(tested, adjusted.tolist(), strict=True):
            rows[k] = replace(rows[k], p_adjusted=p_of_row, family=family)
        significant = int((adjusted < 1 - level).sum())
        untested = len(rows) - len(tested)
        settings = settings or self.settings
        words = (
            f"{count(significant)} of {count(len(rows), noun)} were significant at α = "
            f"{number(1 - level, 3, bounded=True)} ({method} over the family)"
            f"{side_text(settings.get('alternative', 'two_sided'))}."
        )
        words += f" {count(untested)} could not be tested." if untested else ""
        return self._derived(
            title,
            rows,
            words,
            settings=settings,
            extras={"adjust": method, **extras},
            references=P_METHODS[method][2] if method in P_METHODS else (),
        )

    @knows_habits
    def pairwise(
        self, *, adjust: AdjustMethod | Literal["none"] = "holm", level: float | None = None
    ) -> Result:
        """Return all differences between two strengths, with p-values adjusted over those that can be tested."""
        method = method_named(adjust, "none", key="adjust")
        strength = self._require_strengths()
        level = self._level(level)
        state = self.fitted_state
        pairs = combinations(zip(self.items, strength.tolist(), strict=True), 2)
        gaps = [
            Row(
                term=f"{a} - {b}",
                group="difference",
                key=(("item", a), ("other", b)),
                role="difference",
                estimate=of_a - of_b,
                method="Wald",
            )
            for (a, of_a), (b, of_b) in pairs
        ]
        rows = fill_errors(gaps, state, state.differences, level)
        return self._family(list(rows), method, level, "All differences of strengths", "difference")

    @knows_habits
    def predict(
        self,
        item_a: str | TableLike,
        item_b: str | None = None,
        *,
        first: Literal["a", "b", "neither"] = "neither",
        covariates: Mapping[str, tuple[Any, Any]] | None = None,
        level: float | None = None,
    ) -> Result:
        """Return the probabilities that a wins, b wins, and of a tie, with intervals made on the logit scale.

        Parameters
        ----------
        item_a, item_b : str
            Two items, or one table of comparisons, or a list of couples. A table has the columns of items and
            covariates that the fit's own table had, or their standard names. `group` names the two items,
            and where several rows have the same two, the row counted from 0.
        first : {"a", "b", "neither"}
            Who is shown first, where the model has an order effect and a table does not say.
        covariates : mapping of str to (value of a, value of b)
            Every variable of the formula, beside two items.

        Examples
        --------
        >>> from socialstats.datasets import journal_citations
        >>> from socialstats import bradley_terry
        >>> fit = bradley_terry(journal_citations())
        >>> new = {"item_a": ["JASA", "JRSS-B"], "item_b": ["Biometrika", "JASA"]}
        >>> [round(row.estimate, 3) for row in fit.predict(new).rows]
        [0.382, 0.618, 0.679, 0.321]
        """
        if first not in SIDES:
            raise InputError(
                f"{option('first', first)} is not one of {', '.join(map(repr, SIDES))}"
            )
        level = self._level(level)
        if isinstance(item_a, str) and item_b is not None:
            values = dict(covariates or {})
            new = [NewComparison(items=(item_a, item_b), first=SIDES[first], covariates=values)]
        elif item_b is not None or covariates is not None:
            raise InputError(
                "predict() takes two items, or one table that holds the covariates as well"
            )
        else:
            new = self._read_comparisons(item_a, SIDES[first])
        x = self._predictors(new)
        beta = self.fitted_state.fitted.beta
        model = self.fitted_state.model
        eta = x @ beta[: x.shape[1]]
        tau = beta[-1] if model.tie_term else 0.0
        p = model.probabilities(eta, tau)
        by_eta, by_tau = model.scores(eta, tau)
        rows: list[Row] = []
        # rows of two items that are compared more than once are told apart by their place
        pairs = Counter(comparison.items for comparison in new)
        for j, comparison in enumerate(new):
            a, b = comparison.items
            outcomes = [f"{a} wins", f"{b} wins"]
            gradient = by_eta[:, [j]] * x[j]  # slopes of log p of each outcome, (outcomes, p)
            if by_tau is not None:
                outcomes.append("tie")
                gradient = np.column_stack([gradient, by_tau[:, j]])
            for k, term in enumerate(outcomes):
                row = Row(term=term, group="probability", key=(("outcome", term),), role="estimate")
                if not isinstance(item_a, str):
                    pair = f"{a} against {b}" + f", row {j}" * (pairs[a, b] > 1)
                    row = replace(row, group=pair, key=(("row", str(j)), ("outcome", term)))
                complement = float(np.delete(p[:, j], k).sum())  # 1 - p without cancellation
                if p[k, j] == 0 or complement == 0:
                    why = "the probability is closer to 0 or 1 than a floating-point number can be"
                    rows.append(replace(row, undefined=why))
                    continue
                row = replace(row, estimate=float(p[k, j]))
                logit = np.array([np.log(p[k, j]) - np.log(complement)])
                slope = gradient[[k]] / complement  # d logit p = d log p / (1 - p)
                rows += self._delta([row], logit, slope, "logit", level, within=(0.0, 1.0))
        a, b = new[0].items
        words = f"{a} had win probability {number(rows[0].shown())} against {b}, "
        if len(new) == 1:
            words += f"{interval_or_reason(rows[0])}."
        else:
            words += f"the first of {len(new)} comparisons."
        return self._derived("Predicted outcome", rows, words, extras={"new": new})

    def _read_comparisons(self, table: TableLike, first: float) -> list[NewComparison]:
        """Return the comparisons of a table, or of a list of couples, with the covariates that the fit needs."""
        if (cells := matrix(table)) is not None:
            table = dict(zip(("item_a", "item_b"), array_columns(cells), strict=False))
        options = self.fitted_state.options
        text = options.formula
        names = self.design.covariate_names
        needed = [] if text is None else [name for name in names if is_used(name, text)]
        return read_new_comparisons(
            self.design, table, needed, order=bool(options.order), first=first
        )

    def win_probability(self, one: str, other: str, *, level: float | None = None) -> Result:
        """Return the probability that one item beats another among decided comparisons (ties and order left out).

        Parameters
        ----------
        one, other : str
        level : float, optional

        Returns
        -------
        Result
            expit of the difference of strengths; its interval is made on the logit scale.
        """
        # Davidson's tie parameter cancels among decided comparisons
        contrast = np.zeros(len(self.names))
        contrast[[self.names.index(name) for name in (one, other)]] = 1.0, -1.0
        gap = np.array([self.strengths[one] - self.strengths[other]])
        row = Row(
            term=f"{one} beats {other}",
            group="win_probability",
            key=(("item", one), ("other", other)),
            role="estimate",
            estimate=float(expit(gap[0])),
            limits=(0.0, 1.0),
        )
        rows = self._delta(
            [row], gap, contrast[None, :], "logit", self._level(level), within=(0.0, 1.0)
        )
        words = (
            f"{one} had win probability {number(rows[0].shown())} against {other}, "
            f"{interval_or_reason(rows[0])} (decided comparisons)."
        )
        return self._derived("Probability of winning a decided comparison", rows, words)

    def _predictors(self, new: Sequence[NewComparison]) -> FloatArray:
        """Return the rows of the design (without tau) for new comparisons, (k, p)."""
        items = self.design.items
        options = self.fitted_state.options
        for item in dict.fromkeys(item for comparison in new for item in comparison.items):
            if item not in items:
                raise InputError(
                    f"'{item}' is not an item of this fit; items: {', '.join(items[:20])}"
                )
        repeated = next((a for a, b in (comparison.items for comparison in new) if a == b), None)
        if repeated is not None:
            raise InputError(f"'{repeated}' cannot be compared with itself; name two items")
        column = {item: k for k, item in enumerate(self.items)}
        x = np.zeros((len(new), len(self.items)))
        for comparison, row in zip(new, x, strict=True):
            if column:  # a model without strengths has no columns of items
                row[[column[item] for item in comparison.items]] = 1.0, -1.0
        order = np.zeros((len(new), 0))
        if options.order:
            order = np.array([[comparison.first] for comparison in new])
        z = np.zeros((len(new), 0))
        if options.formula is not None:
            design = add_zero_covariates(self.design, self.fitted_state.streamed)
            z, terms = _new_effects(
                design, options.formula, [comparison.covariates for comparison in new]
            )
            unknown = [term for term in terms if term not in self.names]
            if unknown:
                raise InputError(
                    f"the new values need the effect '{unknown[0]}', and the fit has no such level"
                )
        return np.hstack([x, order, z])

    def effect_in_sds(self, term: str, *, level: float | None = None) -> Result:
        """Return a covariate's effect in standard deviations of the strengths.

        The SD is that of the true strengths: its square is the variance of the estimates minus their mean sampling
        variance.
        """
        strength = self._require_strengths()
        level = self._level(level)
        state = self.fitted_state
        n = len(strength)
        if term not in self.names[n:]:
            raise InputError(
                f"no effect '{term}' in this model; effects: {', '.join(self.names[n:]) or 'none'}"
            )
        column = self.names.index(term)
        effect = state.fitted.beta[column]
        errors = state.strength_errors
        undefined = np.flatnonzero(np.isnan(errors.std_error[:n]) & ~errors.refused[:n])
        if len(undefined):
            why = undefined_reason(state, errors, int(undefined[0]))
            raise UndefinedStatistic(
                f"the sampling error of the strengths is unknown, and with it their SD: {why}"
            )
        # E[variance of the estimates] = variance of the strengths + trace / (n - 1)
        sampling = float(np.trace(self.strength_covariance)) / (n - 1)
        variance = float(np.var(strength, ddof=1)) - sampling
        if variance <= 0:
            raise UndefinedStatistic(
                "the strengths vary no more than their sampling error: they have no SD to compare with"
            )
        sd = float(np.sqrt(variance))
        # derivatives
        by_sd = np.zeros(len(self.names))
        by_effect = np.zeros(len(self.names))
        by_sd[:n] = (strength - strength.mean()) / ((n - 1) * sd)
        by_effect[column] = 1.0
        ratio = float(effect / sd)
        gap = float(effect - sd)
        key = (("effect", term),)
        row = Row(term=f"{term} / SD of strengths", group="ratio", key=key, role="estimate")
        row = replace(row, estimate=ratio)
        row = self._wald(row, by_effect / sd - by_sd * effect / sd**2, level)
        spread = Row(term="SD of strengths", group="spread", role="spread", estimate=sd)
        chance = Row(
            term=f"wins one SD below, one step of {term} above",
            group="chance",
            key=key,
            role="component",
            estimate=float(expit(gap)),
        )
        # derivatives of log sd, and of the logit of the chance, which is effect - sd
        by_log_sd = by_sd[None, :] / sd
        by_gap = (by_effect - by_sd)[None, :]
        spreads = self._delta([spread], np.log([sd]), by_log_sd, "log", level, n_units=n)
        chances = self._delta(
            [chance], np.array([gap]), by_gap, "logit", level, n_units=n, within=(0.0, 1.0)
        )
        rows = [row, *spreads, *chances]
        words = (
            f"One step of {term} equalled {number(ratio)} SD of the strengths, {interval_or_reason(row)} "
            f"(SD = {number(sd)} log-odds)."
        )
        title = f"Effect of {term} in SD of the strengths"
        return self._derived(title, rows, words, extras={"sd": sd, "effect": term})

    def in_memory(self) -> BradleyTerryResult:
        """Return the same numbers with a design that holds all its clusters, where they stayed with the table."""
        if self.design.scan is None:
            return self
        from socialstats.choices.bradley_terry.fit import bradley_terry

        # covariates that the fit does not use stay with the table
        used = {name: self.design.scan.covariates[name] for name in self.fitted_state.streamed}
        design = replace(self.design, scan=replace(self.design.scan, covariates=used)).whole()
        refitted: Any = bradley_terry(design, **asdict(self.fitted_state.options), by=None)
        return replace(self, design=design, state=refitted.state)

    def bootstrap(
        self,
        *,
        by: Literal["auto", "row", "pair", "cluster"] = "auto",
        resamples: int = 1000,
        seed: int = 0,
        ci: Literal["percentile", "basic"] = "percentile",
        level: float | None = None,
        scheme: Scheme = "multinomial",
    ) -> BradleyTerryBootstrap:
        """Refit the model to resampled rows, pairs of items, or the clusters of the fit.

        ``"auto"`` resamples the clusters where the fit has them, else rows. ``scheme="multinomial"`` draws as many
        clusters as there are, and reads clusters that stay with a lazy table into memory. ``"poisson"`` draws each
        cluster by itself, a Poisson(1) number of times that depends on its name and the seed alone. Every engine gives
        the same draws, and a lazy table is read in parts (`socialstats.resampling.hashed`).

        Rows are drawn by the distinct rows of the design. Those of a lazy table lack covariates and clusters that the
        fit does not use, so that a seed draws other rows there.

        Replicates without a finite estimate are counted and left out; above 1% they are a caution. Intervals from
        fewer than 20 clusters are too short, which caution SS202 says with how often they held; of two or three
        clusters there are none. The intervals of the fit itself hold there.
        """

        state = self.fitted_state
        level = self._level(level)
        scanned = self.design.scan is not None
        if by == "auto":
            by = "cluster" if state.factors else "row"
        check_allowed("scheme", scheme, SCHEMES)
        if scheme == "poisson" and by != "cluster":
            raise InputError(
                f"{option('scheme', scheme)} draws clusters; leave {option('by', 'cluster')}"
            )
        # multinomial draws need the number of clusters, and streamed rows are refitted in memory
        if scanned and (scheme != "poisson" or state.streamed):
            in_memory = self.in_memory()
            return in_memory.bootstrap(
                by=by, resamples=resamples, seed=seed, ci=ci, level=level, scheme=scheme
            )
        if ci not in ("percentile", "basic"):
            raise InputError(f"{option('ci', ci)} is not one of 'percentile', 'basic'")
        check_resamples(resamples, level)
        if state.penalised:
            raise InputError(
                "the bootstrap refits by maximum likelihood; fit without penalty or prior first"
            )
        factors = _resampled_factors(self.design, state, by)
        if scheme == "poisson":
            parts, levels = _cells_in_parts(self.design, factors)
            labelled = list(zip(factors, levels, strict=True))
            weights = [HashedWeights(f.name, labels, checked_seed(seed)) for f, labels in labelled]
            replicates = refit_hashed(state, parts, weights, resamples)
            if scanned:  # the number of clusters is all that is needed of them below
                factors = [replace(f, codes=np.arange(len(labels))) for f, labels in labelled]
        else:
            codes = [factor.codes for factor in factors]
            units = PlanUnits.clusters(*codes) if codes else row_units(self.design)
            replicates = refit_all(self.design, state, units, resamples, seed)
        # resamples can separate items that the data do not
        ok = np.asarray(np.isfinite(replicates).all(axis=1))
        how = " (Poisson weights from the names of clusters)" if scheme == "poisson" else ""
        finite = replicates[ok]
        refused = too_few_to_resample(factors)
        if len(finite) < resamples_needed(level):
            raise UndefinedStatistic(
                f"{len(finite)} of {resamples} resamples have a finite estimate, too few for a {100 * level:g}% "
                f"interval; use {option('penalty')} or {option('prior')}"
            )
        lost = int(resamples - len(finite))
        fix = f"use {option('penalty', 'firth')} or {option('prior')}, and the model's intervals"
        many_lost = lost_caution(lost, resamples, "every bootstrap interval", fix=fix)
        cautions = [
            *cluster_cautions(self.design, factors, df=[None]),
            *(c for c in self.cautions if c.code not in ANALYTIC),
        ]
        settings = {
            **self.settings,
            "by": by,
            "resamples": resamples,
            "seed": seed,
            "ci": ci,
            "scheme": scheme,
        }
        n_items = len(self.items)
        return BradleyTerryBootstrap(
            metric="bradley_terry",
            title=f"{self.title}, bootstrap by {by}",
            rows=tuple(_resampled_rows(self, finite, ci, level, by, refused)),
            inference=f"{ci} bootstrap by {by}{how}, {resamples:,} resamples, seed {seed}",
            counts=self.counts,
            fit={**self.fit, "seed": seed, "resamples": resamples},
            settings=settings,
            cautions=(*([many_lost] if many_lost else []), *sort_by_severity(cautions)),
            references=("davisonhinkley1997",),
            design=self.design,
            extras={"fit": self},
            strengths=finite[:, :n_items],
            effects=finite[:, n_items:],
            n_degenerate=lost,
            ok=ok,
            refused=refused,
            words=f"{count(len(finite))} of {count(resamples, 'resample')} by {by} have a finite estimate.",
        )

    def anova(self, other: BradleyTerryResult) -> Result:
        """Return the likelihood-ratio test of two nested fits to the same rows (in either order).

        With clusters the likelihood ratio has no chi-squared distribution. The first row is then the cluster-robust
        Wald test of the added terms (HTZ, Pustejovsky & Tipton 2018).
        """
        small, large = sorted((self, other), key=lambda fit: int(fit.fit["df"]))
        _require_comparable(small, large)
        added = [name for name in large.names if name not in small.names]
        label = listing(added)
        # strengths are added together, and need no list
        if len(added) > 5 and set(large.items) & set(added):
            label = "item strengths"
        df = int(large.fit["df"]) - int(small.fit["df"])
        clustered = large.fitted_state.robust is not None
        row = Row(
            term=label,
            group="likelihood ratio",
            role="test",
            test="chi2",
            df=df,
            method=f"likelihood ratio{'; treats rows as independent' if clustered else ''}",
        )
        if large.fitted_state.probable:
            statistic = 0.0
            row = replace(row, undefined=f"{PROBABLE} likelihood ratio")
        else:
            # below 0 by rounding where the added terms change nothing
            statistic = max(2 * (large.log_likelihood - small.log_likelihood), 0.0)
            row = replace(row, statistic=statistic, p_value=float(not_zero(chdtrc(df, statistic))))
        rows = [row]
        statistic_text = f"\u03c7\u00b2({count(df)}) = {number(statistic)}"
        if clustered:
            robust, statistic_text = _robust_wald(large, added, label)
            rows = [robust, *rows]
        leading = rows[0]
        words = f"Adding {label}: no test ({leading.undefined})."
        if leading.p_value is not None:
            test = f"{statistic_text}, {p_value(leading.p_value)} ({leading.group})"
            words = f"Adding {label}: {test}."
        title = "Comparison of nested models"
        inference = str(leading.group)
        return large._derived(title, rows, words, extras={"small": small}, inference=inference)

    def goodness_of_fit(self, *, cells: Literal["ordered", "pair", "total"] = "ordered") -> Result:
        """Return deviance and Pearson's chi-squared against the saturated model of the cells.

        Parameters
        ----------
        cells : {"ordered", "pair", "total"}
            ``ordered``: one cell for each distinct (item_a, item_b, order, covariates) as tabulated, as R's
            BradleyTerry2 counts. ``pair``: sides exchanged where the model does not distinguish them. ``total``:
            Pearson's chi-squared of each pair's total wins over orders and covariates, without deviance. It detects
            effects of pairs where each cell holds a row or two.
        """
        if self.fitted_state.streamed:
            return self.in_memory().goodness_of_fit(cells=cells)
        if cells not in ("ordered", "pair", "total"):
            raise InputError(f"{option('cells', cells)} is not one of 'ordered', 'pair', 'total'")
        if self.fitted_state.ties == "half":
            raise UndefinedStatistic(
                f"{option('ties', 'half')} has no likelihood and no goodness of fit; use "
                f"{option('ties', 'davidson')}"
            )
        if self.fitted_state.probable:
            raise UndefinedStatistic(f"{PROBABLE} goodness of fit")
        total = cells == "total"
        test = _against_pair_totals(self) if total else _against_saturated(self, cells)
        df = test.df
        size = test.n_cells
        if df <= 0:
            raise UndefinedStatistic(
                f"the model has as many parameters as the {size} cells: the fit is perfect"
            )
        against = "total wins of each pair" if total else "against the saturated model"
        rows = [
            Row(
                term=name,
                group=f"{cells} cells",
                role="test",
                test="chi2",
                statistic=value,
                df=df,
                n_units=size,
                p_value=float(not_zero(chdtrc(df, value))),
                method=f"{name}, {against}",
            )
            for name, value in test.statistics.items()
        ]
        pearson = rows[-1].statistic
        p = rows[-1].p_value
        # the fit's caution on weights is about its likelihood, the others about its errors
        cautions = [c for c in self.cautions if c.code == "SS207"]
        if p is not None and p < NOT_FITTING:
            cautions.append(
                caution(
                    "SS104",
                    f"Pearson's \u03c7\u00b2({df}) = {number(pearson, 1)}, {p_value(p)}",
                    affects="model-based standard errors",
                    fix=f"use {option('cluster', 'pair')} or {option('vcov', 'sandwich')}",
                )
            )
        words = (
            f"Pearson's \u03c7\u00b2({df}) = {number(pearson)}, {p_value(p)}, over "
            f"{count(size, 'pair' if total else 'cell')}; {test.fullness}."
        )
        inference = "chi-squared approximation"
        return self._derived(
            "Goodness of fit", rows, words, cautions=tuple(cautions), inference=inference
        )


def make_result(design: Comparisons, state: FitState) -> BradleyTerryResult:
    """Assemble the result of a fit."""
    fitted = state.fitted
    options = state.options
    free = len(fitted.beta) - (1 if state.data.n_items else 0)  # strengths sum to 0
    if state.robust is None:
        cov = state.transform @ state.covariance @ state.transform.T
    else:
        cov = state.robust.covariance(state.transform)[0]
    # a parameter that rests on single clusters has no variance, and no covariance with others
    refused = state.reported_errors.refused
    if refused.any():
        cov = np.where(refused[:, None] | refused, np.nan, cov)
    rows = tuple(make_rows(design, state, options.level))
    counts = {"rows": design.n_rows, "items": len(design.items)}
    counts["pairs"] = int(state.data.pair.max()) + 1
    counts |= {f"{name} clusters": size for name, size in state.sizes.items()}
    # Akaike's and Schwarz's criteria need estimates of maximum likelihood
    has_criteria = not (state.penalised or state.ties == "half" or state.probable)
    factors = {"aic": 2.0, "bic": float(np.log(design.n_rows))}
    criteria = {
        name: factor * free - 2 * fitted.loglik if has_criteria else None
        for name, factor in factors.items()
    }
    fit = {
        "nobs": design.n_rows,
        "n_clusters": min(state.sizes.values(), default=None),
        "loglik": None if state.probable else fitted.loglik,
        **criteria,
        "df": free,
        "converged": True,
        "iterations": fitted.iterations,
        "method": options.solver,
        "effective_df": min((row.df for row in rows if row.df is not None), default=None),
        "largest_leverage": state.robust.largest_leverage if state.robust else None,
    }
    settings = asdict(options) | {
        "ties": state.ties,
        "vcov": state.kind,
        "cluster": [factor.name for factor in state.factors],
        "reference_levels": reference_levels(design, options.formula),
    }
    kind = " of probabilities" if state.probable else ""
    return BradleyTerryResult(
        metric="bradley_terry",
        title=f"{state.model.name} model"
        + (", Firth's penalised likelihood" if options.penalty else kind),
        inference=std_error_text(state),
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=fit_cautions(design, state, rows),
        references=works_cited(state),
        names=tuple(row.term for row in rows),
        covariance=cov,
        design=design,
        state=state,
    )


class DerivedResult(Result):
    """Numbers that follow from a fit by a formula; ``extras["fit"]`` is that fit."""

    __slots__ = ()

    def crosscheck(self) -> Verification:
        """Recompute the numbers by their definitions, with derivatives taken numerically."""
        verification: Verification = importlib.import_module(
            "socialstats.crosscheck.pair_derived"
        ).verify(self)
        return verification


def interval_or_reason(row: Row) -> str:
    """Return the interval of a row in words, or why there is none."""
    if row.conf_level is None:
        return f"no interval ({row.undefined})"
    return apa_interval(row)


def _new_effects(
    design: Any, formula: str, new: Sequence[Mapping[str, tuple[Any, Any]]]
) -> tuple[FloatArray, tuple[str, ...]]:
    """Evaluate the formula for new values, beside the fitted ones so that categories are coded alike.

    Returns
    -------
    (k, effects) array
    tuple of str
        Names of the effects.
    """
    used = {name: c for name, c in design.covariates.items() if is_used(name, formula)}
    missing = [name for name in used if any(name not in covariates for covariates in new)]
    if missing:
        new_values = {missing[0]: (Word("value of a"), Word("value of b"))}
        raise InputError(f"the formula needs {option('covariates', new_values)}")
    longer = {}
    for name, c in used.items():
        levels = set(c.a) | set(c.b) if c.a.dtype == object else set()
        sides = []
        for side, old in enumerate((c.a, c.b)):
            values = [covariates[name][side] for covariates in new]
            if c.a.dtype == object and (unknown := [v for v in values if str(v) not in levels]):
                raise InputError(f"covariate '{name}': {unknown[0]!r} does not occur in the data")
            added = [str(v) if c.a.dtype == object else float(v) for v in values]
            sides.append(np.append(old, np.array(added, dtype=old.dtype)))
        longer[name] = replace(c, a=sides[0], b=sides[1])
    item_a = np.append(design.item_a, np.zeros(len(new), dtype=design.item_a.dtype))
    # new values stand for no row: they move no mean or knot
    rows = np.append(design.count, np.zeros(len(new)))
    longer_design = replace(design, covariates=longer, item_a=item_a, count=rows)
    matrix, names = effect_columns(longer_design, formula, order=False)
    return np.asarray(matrix[len(design.item_a) :]), names


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
    ok: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    refused: str = ""

    def crosscheck(self) -> Sequence[Check]:
        """Fit every resample again from the bare likelihood, where that does not take too long."""
        checks: Sequence[Check] = importlib.import_module(
            "socialstats.crosscheck.pair_refits"
        ).verify_bootstrap(self)
        return checks


def _cells_in_parts(
    design: Comparisons, factors: Sequence[Factor]
) -> tuple[Callable[[], Iterable[ClusterPart]], list[Sequence[str]]]:
    """Return the rows by cell and cluster, in parts, and the names of the clusters of each factor."""
    if design.scan is not None and design.scan.named([f.name for f in factors]):
        rows = design.scan.rows([f.name for f in factors])
        return rows.pairs, [rows.texts(k) for k in range(len(factors))]
    all_cells = ClusterPart(
        cell=np.arange(len(design.weight)),
        count=design.count,
        weight=design.weight,
        weight_sq=design.weight_sq,
        codes=tuple(f.codes for f in factors),
    )
    return lambda: [all_cells], [f.levels for f in factors]


def _resampled_factors(design: Comparisons, state: FitState, by: str) -> Sequence[Factor]:
    """Return what is resampled; nothing for single rows."""
    if by == "row":
        return () if design.replies is None else (design.replies.factor,)
    if by == "pair":
        return (design.pair,)
    if by == "cluster":
        if not state.factors:
            raise InputError(
                f"{option('by', 'cluster')} needs a fit with clusters; this one has none"
            )
        return state.factors
    raise InputError(f"{option('by', by)} is not one of 'auto', 'row', 'pair', 'cluster'")


READ_FOR = 64  # resamples for which the rows are gone through once
# (start, n) -> blocks start, start + n, ... of resamples, and their tables of weights
Tables = Callable[[int, int], Iterator[tuple[slice, FloatArray]]]


def refit_all(
    design: Comparisons, state: FitState, units: PlanUnits, resamples: int, seed: int
) -> FloatArray:
    """Return the (resamples, p) estimates from multinomial weights, NaN where a resample has no finite one."""
    data = state.data
    m = len(state.data.a)
    # (outcome and cell, unit): the weights of three outcomes of m cells, one below the other
    place = (data.outcome * m + data.cell, units.unit)
    counts = sparse.csr_array(
        sparse.coo_array((design.weight, place), shape=(3 * m, units.n_units))
    )
    used = np.flatnonzero(np.diff(counts.indptr))
    table = sparse.csr_array(counts[used])

    def tables(start: int, n: int) -> Iterator[tuple[slice, FloatArray]]:
        block = _resamples_at_once(m)
        drawn = weight_blocks(units, resamples=resamples, seed=seed, block=block)
        for k, weights in enumerate(drawn):
            # every process draws all weights, so that they do not depend on the number of processes
            if k % n == start:
                w = np.zeros((3 * m, len(weights)))
                w[used] = table @ weights.T
                yield slice(k * block, k * block + len(weights)), w

    return _refit_in_processes(state, resamples, tables, processes())


def refit_hashed(
    state: FitState,
    parts: Callable[[], Iterable[ClusterPart]],
    weights: Sequence[HashedWeights],
    resamples: int,
) -> FloatArray:
    """Return what `refit_all` does, from weights that depend on the names of the clusters alone.

    Parameters
    ----------
    parts : callable
        Returns all rows by cell and cluster, in parts.
    weights : sequence of HashedWeights
        One for each factor.
    """
    data = state.data
    m = len(state.data.a)

    def tables(start: int, n: int) -> Iterator[tuple[slice, FloatArray]]:
        few = _resamples_at_once(m)
        for first in range(start * READ_FOR, resamples, n * READ_FOR):
            last = min(first + READ_FOR, resamples)
            w = np.zeros((3 * m, last - first))
            for part in parts():
                outcome = data.outcome[part.cell] * m + data.cell[part.cell]
                used, at = np.unique(outcome, return_inverse=True)
                unit, times = _draws_of_units(part, weights, first, last)
                shape = len(used), len(times)
                w[used] += sparse.csr_array((part.weight, (at, unit)), shape=shape) @ times
            for k in range(first, last, few):
                yield slice(k, min(k + few, last)), w[:, k - first : k - first + few]

    return _refit_in_processes(state, resamples, tables, 1)


def _draws_of_units(
    part: ClusterPart, weights: Sequence[HashedWeights], first: int, last: int
) -> tuple[IntArray, FloatArray]:
    """Return the unit of each row of a part, its cluster or combination of two, and how often each unit is drawn."""
    # one number a combination, whose digits to the base size + 1 are the levels plus 1
    sizes = [int(code.max()) + 1 for code in part.codes]
    units, unit = np.unique(one_number(part.codes, sizes), return_inverse=True)
    times = np.ones((len(units), last - first))
    for factor_weights, size in zip(reversed(weights), reversed(sizes), strict=True):
        units, level = np.divmod(units, size + 1)
        times *= factor_weights.weights(level - 1, first, last)
    return unit, times


def _resamples_at_once(m: int) -> int:
    # 24 bytes: the weights of three outcomes of a cell
    return max(8, min(64, TABLE_BYTES // (24 * m)))


def _refit_in_processes(state: FitState, resamples: int, tables: Tables, n: int) -> FloatArray:
    """Return estimates from tables of weights of outcomes, (3 m, b), by n processes."""
    m = len(state.data.a)

    def refit_part(start: int) -> list[tuple[slice, FloatArray]]:
        refitter = Refitter(state.data, state.model, state.fitted.beta)
        return [(rows, refitter.refit(w.reshape(3, m, -1))) for rows, w in tables(start, n)]

    estimates = np.empty((resamples, len(state.fitted.beta)))
    for rows, beta in (block for part in in_halves(refit_part, n, least=2) for block in part):
        estimates[rows] = beta.T
    return estimates


def _resampled_rows(
    fit: BradleyTerryResult, replicates: FloatArray, ci: str, level: float, by: str, refused: str
) -> list[Row]:
    """Return the rows of a fit with intervals from its resamples: (B + 1) alpha order statistics, interpolated.

    Davison & Hinkley (1997, section 5.2.1).
    """
    state = fit.fitted_state
    estimate = state.transform @ state.fitted.beta
    replicates = replicates @ state.transform.T
    # method "weibull" of numpy interpolates between the order statistics (B + 1) alpha
    low, high = np.quantile(
        replicates, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull"
    )
    if ci == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    errors = replicates.std(axis=0, ddof=1)
    rows = []
    for k, row_of_fit in enumerate(fit.rows):
        why = ""
        if row_of_fit.role == "reference":
            why = row_of_fit.undefined or ""
        elif refused:
            why = f"{refused}; the fit's own t interval allows for them"
        # resamples of the clusters know no more than the fit
        elif by == "cluster" and row_of_fit.undefined:
            why = row_of_fit.undefined
        # solvers agree to this: smaller differences between resamples are no variation
        elif errors[k] <= FITTED:
            why = no_variation_reason("resamples")
        row = Row(
            term=row_of_fit.term,
            group=row_of_fit.group,
            key=row_of_fit.key,
            role=row_of_fit.role,
            estimate=row_of_fit.estimate,
            n=row_of_fit.n,
            std_error=None if why else float(errors[k]),
            method=f"{ci} bootstrap by {by}",
        )
        rows.append(with_ends(row, float(low[k]), float(high[k]), level, why=why, interval=ci))
    return rows


def _require_comparable(small: BradleyTerryResult, large: BradleyTerryResult) -> None:
    a = small.fitted_state
    b = large.fitted_state
    if a.penalised or b.penalised:
        raise InputError(
            "a likelihood-ratio test needs maximum-likelihood fits, without penalty or prior"
        )
    if a.ties == "half" or b.ties == "half":
        raise InputError(
            f"{option('ties', 'half')} is a quasi-likelihood and has no likelihood-ratio test; use "
            f"{option('ties', 'davidson')}"
        )
    totals_small, totals_large = (_item_totals(fit.design) for fit in (small, large))
    if small.design.items != large.design.items or not np.allclose(totals_small, totals_large):
        raise InputError(
            f"the fits use different rows ({small.design.n_rows:,} and {large.design.n_rows:,})"
        )
    if a.ties != b.ties:
        raise InputError(
            f"{option('ties', a.ties)} and {option('ties', b.ties)} are not nested in each other"
        )
    if small.fit["df"] == large.fit["df"]:
        raise InputError("the two fits have the same number of parameters: nothing to test")
    effects = set(small.names) - set(small.items)
    if not effects <= set(large.names) or (small.items and not large.items):
        raise InputError(
            f"the models are not nested: {listing(sorted(effects - set(large.names)))} is only in the smaller"
        )


def _item_totals(design: Comparisons) -> FloatArray:
    """Return rows, and wins and losses of every item."""
    # (1 + 2 items,): tables that agree in these are taken as the same comparisons
    n = len(design.items)
    items = (design.item_a, design.item_b)
    a_won, b_won = (design.weight * (design.outcome == won) for won in (A_WON, B_WON))
    wins, losses = (
        sums_by_code(items[0], x, n) + sums_by_code(items[1], y, n)
        for x, y in ((a_won, b_won), (b_won, a_won))
    )
    return np.concatenate([[design.n_rows], wins, losses])


def _robust_wald(large: BradleyTerryResult, added: list[str], label: str) -> tuple[Row, str]:
    """Return the cluster-robust Wald test that all added terms are zero (HTZ), and its F in words."""
    state = large.fitted_state
    at = [large.names.index(name) for name in added]
    assert state.robust is not None
    row = Row(term=label, group="robust Wald", role="test")
    # strengths sum to 0: their contrasts, and not they, are tested
    if min(at) < state.data.n_items:
        return replace(row, undefined="strengths are compared by ranks() and pairwise()"), ""
    test = state.robust.joint(np.eye(len(large.names))[at], state.fitted.beta[at])
    if isinstance(test, str):
        return replace(row, undefined=test), ""
    law = f"F({test.df}, {number(test.df_denominator, 1)})"
    method = f"cluster-robust Wald, HTZ; p from {law} = {number(test.f, 4)}"
    row = replace(
        row, test="f", statistic=test.statistic, df=test.df, p_value=test.p, method=method
    )
    return row, f"{law} = {number(test.f)}"


class GoodnessOfFit(NamedTuple):
    """Test statistics (Pearson's last), their degrees of freedom, and the cells with how full they are, in words."""

    statistics: dict[str, float]
    df: int
    n_cells: int
    fullness: str


def _against_saturated(fit: BradleyTerryResult, cells: str) -> GoodnessOfFit:
    """Compare outcome counts with their expectation, cell by cell (deviance and Pearson)."""
    state = fit.fitted_state
    design = fit.design
    data = fit.fitted_state.data
    observed = data.w  # (3, predictors): wins of a, of b, and ties
    predictor = np.arange(len(data.a))
    if cells == "ordered":
        tabulated = ordered_cells(design, state)
        observed = tabulated.observed
        predictor = tabulated.predictor
    outcomes = 3 if state.model.tie_term else 2
    expected = outcome_probabilities(state)[:outcomes, predictor] * observed.sum(axis=0)
    observed = observed[:outcomes]
    statistics = {
        "deviance": 2 * float(np.sum(xlogy(observed, observed) - xlogy(observed, expected))),
        "Pearson": float(np.sum((observed - expected) ** 2 / expected)),
    }
    small = percent(np.mean(expected < SMALL_EXPECTED))
    fullness = f"{small} of the expected counts are below {SMALL_EXPECTED:g}"
    # the outcomes of a cell sum to its size
    df = len(predictor) * (outcomes - 1) - int(fit.fit["df"])
    return GoodnessOfFit(statistics, df, len(predictor), fullness)


def _against_pair_totals(fit: BradleyTerryResult) -> GoodnessOfFit:
    """Compare each pair's total wins (ties as halves), over orders and covariates, with expectation and variance.

    Sees effects that belong to pairs, which cells of one or two rows each cannot show.
    """
    state = fit.fitted_state
    pairs = fit.counts["pairs"]
    data = state.data
    p = outcome_probabilities(state)
    # the score of a comparison is 1, 1/2 or 0, with this mean and variance
    n = data.w.sum(axis=0)
    mean = p[0] + 0.5 * p[2]
    parts = data.w[0] + 0.5 * data.w[2], n * mean, n * (p[0] + 0.25 * p[2] - mean**2), n
    won, expected, variance, rows = (sums_by_code(data.pair, x, pairs) for x in parts)
    # totals of halves do not tell how often there are ties: its parameter costs no df
    df = pairs - int(fit.fit["df"]) + (state.model.tie_term is not None)
    fullness = f"{number(float(np.median(rows)), 0)} comparisons per pair (median)"
    pearson = float(np.sum((won - expected) ** 2 / variance))
    return GoodnessOfFit({"Pearson": pearson}, df, pairs, fullness)
