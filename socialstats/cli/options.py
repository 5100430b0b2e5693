"""The options that commands share: how a table is read, and what is computed. Imports nothing heavy."""

from __future__ import annotations

import argparse
from datetime import date
from typing import Any


class Files(argparse.Action):
    """The files of a command: the first as ``data``, the others as ``more``."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:  # fmt: skip
        """Store the files."""
        namespace.data, namespace.more = (values[0] if values else None), tuple(values[1:])


def add_data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the table, and how its rows and columns are read."""
    known = (
        "csv, tsv, jsonl, json, parquet, feather, Stata (.dta), SPSS (.sav), .xlsx or .ods (of several sheets "
        "FILE.xlsx:SHEET), gzipped or not; - for stdin"
    )
    if required:
        parser.add_argument("data", metavar="DATA", help=known)
    else:
        several = f"{known}; several tables of the same columns, or logs of harnesses (see convert), are read together"
        parser.add_argument("data", nargs="*", metavar="DATA", action=Files, help=several)
    add = parser.add_argument
    add("--map", action="append", default=[], metavar="PART=COLUMN",
        help="parts of comparisons: item_a, item_b, winner, order, weight, wins_a, wins_b, ties, X_a / X_b of a "
        "covariate X, values (labels that a row cites); of pairs: unit, condition, value (or first, second: one row a "
        "unit); of ratings: unit, rater, value, status, rater_source")  # fmt: skip
    add("--order", metavar="COLUMN|item_a|item_b",
        help="who was shown first in comparisons: a column that says it (default: one called order, first, ...), or "
        "item_a (item_b) if the first (second) item always was; without it there is no order effect")  # fmt: skip
    add("--design", choices=["comparisons", "paired", "ratings"], help="what the rows are (default: by the columns)")
    add("--cluster", action="append", metavar="COLUMN",
        help="dependence between rows; give it twice for two crossed ones")  # fmt: skip
    add("--by", metavar="COLUMN", help="a separate analysis for each value of this column")
    add("--where", action="append", default=[], metavar="COLUMN=VALUE", help="use only these rows; repeat")
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="leave out these rows, or with COLUMN==COLUMN those where two columns are the same; repeat",
    )
    add("--exclude-raters", action="append", default=[], metavar="COLUMN=VALUE",
        help="leave out all rows of raters who have such a row, as a failed attention check; repeat")  # fmt: skip
    add("--na", action="append", metavar="LABEL",
        help="label that means missing, beside NA, N/A, NaN, null and '.'; repeat; '' if those are labels")  # fmt: skip
    add("--crosstab", action="store_const", const=True,
        help="the table is square, counts of two raters, two conditions, or wins of the row over the column "
        "(with --design)")  # fmt: skip
    add("--count", metavar="COLUMN",
        help="frequencies: how many alike rows (or units) a row stands for; '' if no column is that")  # fmt: skip
    add("--missing", choices=["error", "drop"],
        help="rows that miss a value, pairs that miss a partner (default: error for comparisons and pairs, drop for "
        "ratings)")  # fmt: skip
    add("--input-format", help="default: by name, then content",
        choices=["csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"])  # fmt: skip
    _add_values(parser)


def _add_values(parser: argparse.ArgumentParser) -> None:
    """Add what the values of one design mean."""
    add = parser.add_argument
    add("--tie", action="append", metavar="LABEL",
        help="further label that means a tie, beside 'tie'; repeat")  # fmt: skip
    add("--winner-coding", choices=["auto", "label", "side", "score"], help="what the winner column holds")
    add("--conditions", action="append", metavar="A,B", help="the two conditions of pairs: first minus second")
    add("--levels", action="append", metavar="LOW,...,HIGH", help="the values in order; for pairs of answers ZERO,ONE")
    add("--scale", choices=["binary", "numeric", "nominal", "ordinal", "interval", "ratio"],
        help="of pairs: binary, nominal, numeric; of ratings: nominal, ordinal, interval, ratio")  # fmt: skip
    add("--unmatched", choices=["error", "drop"], help=argparse.SUPPRESS)  # --missing says it for both
    add("--refusal", action="append", metavar="LABEL", help="rating or winner that means a refusal; repeat")
    add("--strata", action="append", metavar="COLUMN", help="groups of units to report ratings by; repeat")
    add("--rater-group", action="append", dest="rater_groups", metavar="COLUMN",
        help="groups of raters to report ratings by, such as people and judges; repeat")  # fmt: skip
    add("--reread", metavar="COLUMN", help="another column of values, of the same replies: what does it change?")
    add("--raters", action="append", metavar="A,B,C",
        help="columns of ratings, one a rater, of a table with one row a unit")  # fmt: skip
    add("--units", action="append", metavar="A,B,C",
        help="columns of ratings, one a unit, of a table with one row a rater")  # fmt: skip
    add("--level-columns", action="append", metavar="A,B,C",
        help="columns that count how many raters gave the unit each level (Fleiss' table)")  # fmt: skip


def add_analysis(parser: argparse.ArgumentParser) -> None:
    """Add what is computed: study, plan, and the choices of the metrics."""
    add = parser.add_argument
    add("--study", metavar="NAME", help="see 'socialstats studies'; by default the first that fits the columns")
    add("--plan", metavar="FILE",
        help="plan file (TOML); options given here override it and are listed as deviations")  # fmt: skip
    add("--seed", type=int, metavar="N", help="seed of every resample (default 20260101; in Python it is 0)")
    add("--resamples", type=int, metavar="N", help="bootstrap resamples (default 2000)")
    add("--level", type=float, metavar="P", help="confidence level (default 0.95)")
    add("--ties", choices=["auto", "davidson", "rao_kupper", "half", "none"], help="tie model (default auto)")
    add("--penalty", choices=["firth"], help="keep strengths finite by Firth's penalised likelihood")
    add("--prior", type=float, metavar="N", help="keep strengths finite by N pseudo-wins an item")
    add("--covariate", metavar="NAME", help="what should decide in role-conflict (default urgency)")
    add("--adjust", action="append", metavar="NAME", help="covariate to hold equal in the comparisons study; repeat")
    add("--group", metavar="NAME", help="covariate that groups the items, such as domain")
    add("--reference", metavar="LEVEL",
        help="level of --by that the others are compared with (default: one called default, or the first)")  # fmt: skip
    add("--controls", metavar="FILE", help="scores of neutral control texts: the judges' own zero in staged-values")
    add(
        "--weights",
        metavar="NAME|FILE",
        help="weights of the traits in staged-values: paper, equal, or a table with columns trait and weight",
    )
    add("--name-check", metavar="FILE", help="what a model takes each name for, for relationship-bias")
    add("--label-check", metavar="FILE", help="labels of stories by people and judges, for role-conflict")
    add("--item-groups", metavar="FILE", help="groups of the items, one row an item, for role-conflict")
    add("--smallest-effect", type=float, metavar="X", help="differences between -X and X are practically nothing")
    add("--pooling", choices=["tasks", "units"],
        help="what weighs the same in the mean of a leaderboard over tasks (default tasks)")  # fmt: skip
    add("--effect-scale", choices=["raw", "d_z"], help="unit of --smallest-effect (default raw)")


def day(word: str) -> str:
    """Return a date as it was typed.

    Raises
    ------
    argparse.ArgumentTypeError
        For anything but a day of the calendar as YYYY-MM-DD.

    Examples
    --------
    >>> day("2026-02-28")
    '2026-02-28'
    >>> day("2026-02-30")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: '2026-02-30' is no day written YYYY-MM-DD, such as 2026-01-31
    """
    try:
        if date.fromisoformat(word).isoformat() == word:
            return word
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{word[:40]!r} is no day written YYYY-MM-DD, such as 2026-01-31")
