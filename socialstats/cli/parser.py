"""What can be typed: commands, options, help. Imports nothing heavy."""

from __future__ import annotations

import argparse
import difflib
from typing import Any, NoReturn

from socialstats.cli.collecting import add_collecting
from socialstats.cli.convert import add_convert
from socialstats.cli.validating import add_validate

DESCRIPTION = "Statistics for the social behaviour of language models."
EPILOG = """examples:
  socialstats report --example role-conflict -o report.html
  socialstats report choices.csv --map item_a=left --map item_b=right --cluster worker -o report.html
  socialstats report answers.csv --map unit=question --map condition=prompt --cluster story -o report.html
  socialstats report ratings.csv --levels low,medium,high --cluster story -o report.html
  socialstats check choices.csv
  socialstats validate inspect.eval
  socialstats init choices.csv > plan.toml && socialstats report choices.csv --plan plan.toml -o report.html"""


class Parser(argparse.ArgumentParser):
    """An argument parser that suggests what may have been meant."""

    def error(self, message: str) -> NoReturn:
        """Print usage, the error and a suggestion; exit 2."""
        hint = _suggest(message, self)
        self.print_usage()
        self.exit(2, f"error: {message}{hint}\n")

    def print_usage(self, file: Any = None) -> None:
        """Print the usage line to stderr: stdout carries results only."""
        import sys

        super().print_usage(file or sys.stderr)


def _suggest(message: str, parser: argparse.ArgumentParser) -> str:
    words = message.replace("'", " ").replace("=", " ").split()
    known = [option for action in parser._actions for option in action.option_strings]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            known += list(action.choices)
            known += [o for sub in action.choices.values() for a in sub._actions for o in a.option_strings]
    for word in words:
        close = difflib.get_close_matches(word, known, n=1, cutoff=0.7)
        if close and close[0] != word:
            return f". Did you mean {close[0]}?"
    return ""


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands."""
    from socialstats import __version__

    parser = Parser(
        prog="socialstats", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"socialstats {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    _report(commands)
    check = commands.add_parser("check", help="read a table and say what is in it, or what is wrong with it")
    _data(check)
    init = commands.add_parser("init", help="guess a plan for a table and print it as TOML")
    _data(init)
    commands.add_parser("studies", help="list the studies and what they need")
    datasets = commands.add_parser("datasets", help="list the bundled data, or describe one")
    datasets.add_argument("name", nargs="?", help="data set to describe")
    datasets.add_argument("--csv", action="store_true", help="print the rows as csv")
    cite = commands.add_parser("cite", help="how to cite socialstats, or a method")
    cite.add_argument("metric", nargs="?", help="metric whose literature to print")
    cite.add_argument("--bibtex", action="store_true", help="as BibTeX")
    show = commands.add_parser("show", help="read a report back: its summary, or every number as JSON")
    show.add_argument("report", metavar="REPORT.html", help="a page that 'socialstats report' wrote; - for stdin")
    show.add_argument("--json", action="store_true", help="print the JSON that the page carries")
    add_collecting(commands)
    add_convert(commands)
    add_validate(commands)
    return parser


def _report(commands: Any) -> None:
    report = commands.add_parser(
        "report", help="write one self-contained HTML page", epilog=EPILOG, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    _data(report, required=False)
    add = report.add_argument
    add("--example", metavar="NAME", help="report on a bundled data set instead of a file")
    add("--study", metavar="NAME", help="see 'socialstats studies'; by default the first that fits the columns")
    add(
        "--plan",
        metavar="FILE",
        help="plan file (TOML); options given here override it and are listed as deviations",
    )
    add("-o", "--output", metavar="FILE", help="HTML file to write; - for stdout (default: report.html)")
    add("--json", metavar="FILE", help="also write every number as JSON; - for stdout")
    add("--seed", type=int, metavar="N", help="seed of every resample (default 20260101)")
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
    add("--label-check", metavar="FILE", help="labels of stories by people and judges, for role-conflict")
    add("--item-groups", metavar="FILE", help="groups of the items, one row an item, for role-conflict")
    add("--smallest-effect", type=float, metavar="X", help="differences between -X and X are practically nothing")
    add("--effect-scale", choices=["raw", "d_z"], help="unit of --smallest-effect (default raw)")
    add("--fail-on", choices=["never", "caution", "stop"], default="never",
        help="exit with 1 when a caution of this severity is on the page")  # fmt: skip
    add("--date", metavar="YYYY-MM-DD", help="print this date (default: none, or SOURCE_DATE_EPOCH)")
    add("--no-verify", action="store_true", help="skip the check by independent implementations")
    add("-q", "--quiet", action="store_true", help="no progress and no cautions on stderr")


def _data(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument(
        "data", nargs=None if required else "?", metavar="DATA",
        help="csv, tsv, jsonl, json or parquet, gzipped or not; - for stdin",
    )  # fmt: skip
    add = parser.add_argument
    add("--map", action="append", default=[], metavar="PART=COLUMN",
        help="parts of comparisons: item_a, item_b, winner, order, weight, wins_a, wins_b, ties, X_a / X_b of a "
        "covariate X, values (labels that a row cites); of pairs: unit, condition, value (or first, second: one row a "
        "unit); of ratings: unit, rater, value, status, rater_source")  # fmt: skip
    add("--design", choices=["comparisons", "paired", "ratings"], help="what the rows are (default: by the columns)")
    add(
        "--cluster",
        action="append",
        metavar="COLUMN",
        help="dependence between rows; give it twice for two crossed ones",
    )
    add("--by", metavar="COLUMN", help="a separate analysis for each value of this column")
    add("--where", action="append", default=[], metavar="COLUMN=VALUE", help="use only these rows; repeat")
    add("--exclude", action="append", default=[], metavar="COLUMN=VALUE", help="leave out these rows; repeat")
    add("--tie", action="append", metavar="LABEL", help="label that means a tie (default: tie); repeat")
    add("--na", action="append", metavar="LABEL", help="label that means missing; repeat")
    add(
        "--missing",
        choices=["error", "drop"],
        help="rows that miss a value (default: error for comparisons and pairs, drop for ratings)",
    )
    add("--winner-coding", choices=["auto", "label", "side", "score"], help="what the winner column holds")
    add("--conditions", action="append", metavar="A,B", help="the two conditions of pairs: first minus second")
    add("--levels", action="append", metavar="LOW,...,HIGH", help="the values in order; for pairs of answers ZERO,ONE")
    add("--scale", choices=["binary", "numeric", "nominal", "ordinal", "interval", "ratio"],
        help="of pairs: binary, nominal, numeric; of ratings: nominal, ordinal, interval, ratio")  # fmt: skip
    add("--unmatched", choices=["error", "drop"], help="pairs that miss a condition (default error)")
    add("--refusal", action="append", metavar="LABEL", help="rating or winner that means a refusal; repeat")
    add("--strata", action="append", metavar="COLUMN", help="groups of units to report ratings by; repeat")
    add("--rater-group", action="append", dest="rater_groups", metavar="COLUMN",
        help="groups of raters to report ratings by; repeat")  # fmt: skip
    add(
        "--raters",
        action="append",
        metavar="A,B,C",
        help="columns of ratings, one a rater, of a table with one row a unit",
    )
    add("--input-format", choices=["csv", "tsv", "jsonl", "json", "parquet"], help="default: by name, then content")
