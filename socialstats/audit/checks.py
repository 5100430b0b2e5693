"""The checks that a rules file can name, and what each of them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats.audit.agreement import linear_composite, sensitivity_reference, text_against_table, within
from socialstats.audit.errors_of_means import std_error_possible
from socialstats.audit.feasible import mcnemar_bounds, paired_t_feasible, subset_mean
from socialstats.audit.finding import Finding
from socialstats.audit.grids import granularity, grim
from socialstats.audit.means import hull, mean_abs, mean_of, sd_of, weighted_mean
from socialstats.audit.p_values import statistic_p, t_from_summary
from socialstats.audit.spreads import debit, grimmer
from socialstats.audit.sums import count_percent, sum_to

TAILS = ("two", "one")
DDOF = (0, 1, "either")
ROUNDINGS = ("half", "truncate", "floor", "ceil", "any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check as a rules file sees it.

    Attributes
    ----------
    function : callable
    asks : str
        One line: what it asks.
    one : tuple of str
        Parameters that are one number: a column, a constant, or a reference to a cell.
    many : tuple of str
        Parameters that are several numbers.
    along : tuple of str
        Parameters with one number for each of the first of `many`.
    optional : tuple of str
        Those of the above that may be left out.
    options : mapping of str to allowed values
        Settings; an empty tuple allows any number.
    references : tuple of str
        Keys of its literature.
    """

    function: Callable[..., Finding]
    asks: str
    one: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    references: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        """Parameters that must be given, in the order in which ``columns`` fills them."""
        return tuple(name for name in (*self.one, *self.many, *self.along) if name not in self.optional)


CHECKS: dict[str, Check] = {
    "sum_to": Check(
        function=sum_to, asks="do the parts add up to their total?", one=("total",), many=("parts",),
        optional=("total",), options={"counts": (True, False)},
    ),
    "count_percent": Check(
        function=count_percent, asks="is the percentage that of the count in its total?",
        one=("percent", "count"), many=("total",), options={"scale": (1, 100)},
    ),
    "weighted_mean": Check(
        function=weighted_mean, asks="is it the weighted mean of its parts, and inside their range?", one=("value",),
        many=("parts",), along=("weights",),
    ),
    "hull": Check(function=hull, asks="is it within the range of its parts?", one=("value",), many=("parts",)),
    "mean_of": Check(function=mean_of, asks="is it the mean of its parts?", one=("value",), many=("parts",)),
    "mean_abs": Check(
        function=mean_abs, asks="is it the mean of the sizes of its parts?", one=("value",), many=("parts",)
    ),
    "sd_of": Check(
        function=sd_of, asks="is it the standard deviation of its parts?", one=("value",), many=("parts",),
        options={"ddof": (0, 1)},
    ),
    "subset_mean": Check(
        function=subset_mean, asks="can it be the mean of some of the units?", one=("value", "n", "low", "high"),
        many=("means",), along=("sizes", "taken"), optional=("taken",),
    ),
    "grim": Check(
        function=grim, asks="can n whole numbers have this mean?", one=("mean", "n", "items", "scale"),
        optional=("items", "scale"), options={"rounding": ROUNDINGS}, references=("brownheathers2017",),
    ),
    "grimmer": Check(
        function=grimmer, asks="can n whole numbers have this mean and standard deviation?",
        one=("mean", "sd", "n", "low", "high", "items"), optional=("low", "high", "items"),
        options={"ddof": DDOF, "rounding": ROUNDINGS}, references=("anaya2016", "allard2018", "bhatiadavis2000"),
    ),
    "debit": Check(
        function=debit, asks="can n answers of 0 or 1 have this mean and standard deviation?",
        one=("mean", "sd", "n"), options={"ddof": DDOF, "rounding": ROUNDINGS}, references=("heathersbrown2019",),
    ),
    "granularity": Check(
        function=granularity, asks="can n scores of -1 and +1 have this mean?", one=("value", "n", "step"),
        optional=("step",), options={"of": ("either", "mean", "difference")},
    ),
    "std_error_possible": Check(
        function=std_error_possible, asks="can a share of n answers have this standard error?",
        one=("mean", "std_error", "n"), optional=("n",), options={"ddof": DDOF, "scale": (1, 100)},
    ),
    "statistic_p": Check(
        function=statistic_p, asks="is p that of the statistic?", one=("statistic", "p", "df", "df1"),
        optional=("df", "df1"), options={"kind": ("t", "F", "z", "chi2", "r"), "tails": TAILS, "level": ()},
    ),
    "t_from_summary": Check(
        function=t_from_summary, asks="do mean, sd and n give this t or p?", one=("mean", "sd", "n", "t", "p", "mu"),
        optional=("t", "p", "mu"), options={"tails": TAILS, "level": ()},
    ),
    "paired_t_feasible": Check(
        function=paired_t_feasible, asks="can bounded differences have this t and mean?",
        one=("t", "mean", "bound", "n"), optional=("n",),
    ),
    "mcnemar_bounds": Check(
        function=mcnemar_bounds, asks="can McNemar's test of this bias be (in)significant?",
        one=("bias", "n", "statistic"), optional=("statistic",),
        options={"significant": (True, False), "exact_test": (True, False), "level": ()},
    ),
    "linear_composite": Check(
        function=linear_composite, asks="is it the weighted composite of the scores?",
        one=("value", "center", "divisor", "shift"), many=("scores",), along=("weights",),
        optional=("center", "divisor", "shift"),
    ),
    "text_against_table": Check(
        function=text_against_table, asks="do two places print the same number?",
        one=("value", "source", "scale", "shift"), optional=("scale", "shift"),
    ),
    "within": Check(
        function=within, asks="is it within its possible range?", one=("value", "low", "high"),
        optional=("low", "high"),
    ),
    "sensitivity_reference": Check(
        function=sensitivity_reference, asks="is the reference line of S right?", one=("value", "n"),
        many=("opponents",), optional=("n", "opponents"),
        options={"chooser": ("rule", "coin", "ranking", "all_or_nothing", "largest")},
    ),
}  # fmt: skip
TABLE_CHECKS = {"alignment": "can the sums of distances belong to these answers in this order?"}
