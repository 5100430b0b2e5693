"""A fitted Bradley-Terry model: contrasts, predictions, resamples, tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.special import expit, logsumexp

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.cautions import fit_cautions
from socialstats.choices.bradley_terry.cells import (
    ResidualKind,
    augmented_table,
)
from socialstats.choices.bradley_terry.definition import DERIVED
from socialstats.choices.bradley_terry.goodness import (
    test_goodness_of_fit,
)
from socialstats.choices.bradley_terry.model import (
    PROBABLE,
    FitState,
    fill_errors,
    interval_or_reason,
    make_rows,
    reference_levels,
    std_error_text,
    undefined_reason,
    works_cited,
)
from socialstats.choices.bradley_terry.nested_models import (
    compare_nested_models,
)
from socialstats.choices.bradley_terry.predictions import (
    compute_effect_in_sds,
    predict_comparisons,
    predict_win,
)
from socialstats.choices.bradley_terry.ranks import compute_quasi_variances, rank_items
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.formulas import take_apart
from socialstats.designs.habits import knows_habits
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.adjusted_p import P_METHODS, AdjustMethod, adjust_p_values, method_named
from socialstats.inference.contrasts import (
    Spec,
    contrast_label,
    contrast_weights,
    contrasts_of,
    difference_weights,
)
from socialstats.inference.intervals import (
    checked_level,
    critical_values,
)
from socialstats.inference.margins import MarginTest, against_margin
from socialstats.inference.rows import with_ends
from socialstats.inference.sides import one_sided, side_text, two_sided_level
from socialstats.resampling.options import Alternative, checked_alternative
from socialstats.results import Result, Row
from socialstats.text import count, number, p_value, quoted
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    import pandas as pd

    from socialstats.choices.bradley_terry.bootstrap import BradleyTerryBootstrap
    from socialstats.resampling.engine import Scheme


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
        chosen = {**asdict(self.fitted_state.options), **options}
        refitted: BradleyTerryResult = self.entry().function(self.design, **chosen, by=None)
        return refitted

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
        return Result(
            metric="bradley_terry",
            title=title,
            rows=tuple(rows),
            words=words,
            check=DERIVED,
            **(defaults | more),
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
        return rank_items(self, kind=kind, level=level, draws=draws, seed=seed)

    def quasi_variances(self) -> Result:
        """Return quasi-variances: comparison intervals that allow any two items to be compared by eye.

        Raises
        ------
        UndefinedStatistic
            For fewer than three items.
        """
        return compute_quasi_variances(self)

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
        return predict_comparisons(
            self, item_a, item_b, first=first, covariates=covariates, level=level
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
        return predict_win(self, one, other, level=level)

    def effect_in_sds(self, term: str, *, level: float | None = None) -> Result:
        """Return a covariate's effect in standard deviations of the strengths.

        The SD is that of the true strengths: its square is the variance of the estimates minus their mean sampling
        variance.
        """
        return compute_effect_in_sds(self, term, level=level)

    def in_memory(self) -> BradleyTerryResult:
        """Return the same numbers with a design that holds all its clusters, where they stayed with the table."""
        if self.design.scan is None:
            return self
        # covariates that the fit does not use stay with the table
        used = {name: self.design.scan.covariates[name] for name in self.fitted_state.streamed}
        design = replace(self.design, scan=replace(self.design.scan, covariates=used)).whole()
        options = asdict(self.fitted_state.options)
        refitted: BradleyTerryResult = self.entry().function(design, **options, by=None)
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

        from socialstats.choices.bradley_terry.bootstrap import bootstrap_fit

        return bootstrap_fit(
            self, by=by, resamples=resamples, seed=seed, ci=ci, level=level, scheme=scheme
        )

    def anova(self, other: BradleyTerryResult) -> Result:
        """Return the likelihood-ratio test of two nested fits to the same rows (in either order).

        With clusters the likelihood ratio has no chi-squared distribution. The first row is then the cluster-robust
        Wald test of the added terms (HTZ, Pustejovsky & Tipton 2018).
        """
        return compare_nested_models(self, other)

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
        return test_goodness_of_fit(self, cells=cells)


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
    dfs = [row.df for row in rows if row.df is not None]
    fit = {
        "nobs": design.n_rows,
        "n_clusters": min(state.sizes.values(), default=None),
        "loglik": None if state.probable else fitted.loglik,
        **criteria,
        "df": free,
        "converged": True,
        "iterations": fitted.iterations,
        "method": options.solver,
        "effective_df": min(dfs, default=None),
        "largest_leverage": state.robust.largest_leverage if state.robust else None,
    }
    settings = asdict(options) | {
        "ties": state.ties,
        "vcov": state.kind,
        "cluster": [factor.name for factor in state.factors],
        "reference_levels": reference_levels(design, options.formula),
    }
    title = f"{state.model.name} model"
    if options.penalty:
        title += ", Firth's penalised likelihood"
    elif state.probable:
        title += " of probabilities"
    names = tuple(row.term for row in rows)
    return BradleyTerryResult(
        metric="bradley_terry",
        title=title,
        inference=std_error_text(state),
        rows=rows,
        counts=counts,
        fit=fit,
        settings=settings,
        cautions=fit_cautions(design, state, rows),
        references=works_cited(state),
        names=names,
        covariance=cov,
        design=design,
        state=state,
    )
