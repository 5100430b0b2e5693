"""The checks that rules can name: their parameters, settings and literature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from typing import Any, Literal, get_args, get_origin, get_type_hints

from socialstats.audit.checks.arithmetic import (
    alpha_bound,
    count_percent,
    extreme,
    hull,
    linear_composite,
    mean_abs,
    mean_of,
    sd_of,
    sensitivity_reference,
    subset_mean,
    sum_to,
    text_against_table,
    weighted_mean,
    within,
)
from socialstats.audit.checks.confusion_tables import confusion
from socialstats.audit.checks.counts import (
    chi2_from_counts,
    count_ci,
    duplicate_rows,
    rating_win_rate,
    ratio_from_counts,
    shared_denominator,
)
from socialstats.audit.checks.p_values import mcnemar_bounds, paired_t_feasible, statistic_p
from socialstats.audit.checks.summaries import (
    anova_f,
    cohens_d,
    correlation,
    kappa_from_agreement,
    mean_ci,
    paired_t_bounds,
    std_error_from_sd,
    t_from_estimate,
    t_from_summary,
    two_sample_t,
)
from socialstats.audit.checks.whole_numbers import (
    debit,
    granularity,
    grim,
    grimmer,
    std_error_possible,
)
from socialstats.audit.numbers import Finding


class CheckSignature:
    """One check as a rules file sees it: its signature and the first line of its docstring say all.

    Literals, truth values and floats are settings, all else are numbers.

    Parameters
    ----------
    function : callable

    Attributes
    ----------
    asks : str
        One line: what it checks.
    one, many, along : tuple of str
        Parameters that are one number; several numbers; one number for each of the first of `many`.
    options : mapping of str to allowed values
        Settings; an empty tuple allows any number.
    optional, required : tuple of str
        Parameters that may be left out, and those that must be given.
    references : tuple of str
        Keys of its literature.
    grid : bool
        Whether the first of `many` is a sequence of rows, not of numbers.
    whole : bool
        Whether it stands on all rows of a table where a rule says nothing else.
    claims : tuple of str, or None
        Settings that make it the test of a claim, which needs a sentence; an empty tuple: it always is one.
    """

    def __init__(self, function: Callable[..., Finding]) -> None:
        name = function.__name__
        parameters, kinds = signature(function).parameters, get_type_hints(function)
        options = {key: _allowed(key, kinds[key]) for key in parameters}
        inner = {key: [get_origin(kind) for kind in get_args(kinds[key])] for key in parameters}
        several = [key for key in parameters if Sequence in (get_origin(kinds[key]), *inner[key])]
        self.function = function
        self.asks = (function.__doc__ or name).strip().partition("\n")[0]
        self.references = LITERATURE.get(name, ())
        self.whole = name in OF_ALL_ROWS
        self.claims = CLAIMS.get(name)
        self.options = {key: values for key, values in options.items() if values is not None}
        self.many, self.along = tuple(several[:1]), tuple(several[1:])
        rows = [key for key in self.many if Sequence in inner[key]]
        self.grid = any(get_origin(kinds[key]) is Sequence for key in rows)
        self.one = tuple(key for key in parameters if key not in (*several, *self.options))
        self.names = (*self.one, *self.many, *self.along)
        empty = Parameter.empty
        self.required = tuple(key for key in self.names if parameters[key].default is empty)
        self.optional = tuple(
            key for key in parameters if key in self.names and key not in self.required
        )


def _allowed(name: str, kind: Any) -> tuple[Any, ...] | None:
    """Return the allowed values of a setting, none where any number is; None for what is no setting."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind in (bool, bool | None):
        return True, False
    return {float: (), int: WHOLE.get(name)}.get(kind)


WHOLE = {"scale": (1, 100), "ddof": (0, 1)}
OF_ALL_ROWS = ("anova_f", "duplicate_rows")
CLAIMS: dict[str, tuple[str, ...]] = {"extreme": (), "mcnemar_bounds": ("significant",)}
LITERATURE = {
    "grim": ("brownheathers2017",),
    "grimmer": ("anaya2016", "allard2018", "bhatiadavis2000"),
    "debit": ("heathersbrown2019",),
    "two_sample_t": ("welch1947",),
    "cohens_d": ("hedges1981",),
    "count_ci": ("browncaidasgupta2001",),
}
CHECKS = {
    function.__name__: CheckSignature(function)
    for function in (
        sum_to,
        count_percent,
        weighted_mean,
        hull,
        mean_of,
        mean_abs,
        sd_of,
        subset_mean,
        grim,
        grimmer,
        debit,
        granularity,
        std_error_possible,
        statistic_p,
        t_from_summary,
        paired_t_feasible,
        mcnemar_bounds,
        two_sample_t,
        cohens_d,
        anova_f,
        paired_t_bounds,
        correlation,
        t_from_estimate,
        std_error_from_sd,
        kappa_from_agreement,
        mean_ci,
        count_ci,
        confusion,
        ratio_from_counts,
        chi2_from_counts,
        rating_win_rate,
        shared_denominator,
        duplicate_rows,
        linear_composite,
        text_against_table,
        within,
        alpha_bound,
        extreme,
        sensitivity_reference,
    )
}
TABLE_CHECKS = {
    "alignment": "Check that sums of distances can belong to these answers in this order."
}
