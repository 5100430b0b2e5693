"""What can be typed: commands, options, help. Imports nothing heavy."""

from __future__ import annotations

import argparse
import difflib
from typing import Any, NoReturn

from socialstats.cli.auditing import add_audit
from socialstats.cli.collecting import add_collecting
from socialstats.cli.convert import add_convert
from socialstats.cli.options import add_analysis, add_data, day
from socialstats.cli.validating import add_validate

DESCRIPTION = "Statistics for the social behaviour of language models."
EPILOG = """examples:
  socialstats report --example role-conflict -o report.html
  socialstats report choices.csv --map item_a=left --map item_b=right --cluster worker -o report.html
  socialstats report answers.csv --map unit=question --map condition=prompt --cluster story -o report.html
  socialstats report ratings.csv --levels low,medium,high --cluster story -o report.html
  socialstats check choices.csv
  socialstats estimate weighted_kappa ratings.csv --levels low,medium,high --format csv
  socialstats validate inspect.eval
  socialstats audit table2.csv --rules rules.toml
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
    _check(commands)
    init = commands.add_parser("init", help="guess a plan for a table and print it as TOML")
    add_data(init)
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
    estimate = commands.add_parser("estimate", help="compute one metric of a table", add_help=False)
    estimate.add_argument("words", nargs=argparse.REMAINDER)  # each metric has a parser of its own
    add_collecting(commands)
    add_convert(commands)
    add_validate(commands)
    add_audit(commands)
    return parser


def _report(commands: Any) -> None:
    report = commands.add_parser(
        "report", help="write one self-contained HTML page", epilog=EPILOG, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_data(report, required=False)
    add = report.add_argument
    add("--example", metavar="NAME", help="report on a bundled data set instead of a file")
    add_analysis(report)
    add("-o", "--output", metavar="FILE", help="HTML file to write; - for stdout (default: report.html)")
    add("--json", metavar="FILE", help="also write every number as JSON; - for stdout")
    add("--claims", metavar="FILE", help="numbers printed elsewhere (TOML), to be compared with this report's")
    add("--fail-on", choices=["never", "caution", "stop"], default="never",
        help="exit with 1 when a caution of this severity is on the page")  # fmt: skip
    add("--date", type=day, metavar="YYYY-MM-DD", help="print this date (default: none, or SOURCE_DATE_EPOCH)")
    add("--methods-note", metavar="FILE", help="text on how the data were collected ('tidy --methods'), for the page")
    add("--no-verify", action="store_true", help="skip the check by independent implementations")
    add("-q", "--quiet", action="store_true", help="no progress and no cautions on stderr")


def _check(commands: Any) -> None:
    check = commands.add_parser(
        "check", help="read a table and say what is in it, or what is wrong with it", allow_abbrev=False,
        description="Read a table and say what is in it, or what is wrong with it. With --plan or --study the analysis "
        "is tried as well, with few resamples, and says what the report would refuse. Nothing is written.",
    )  # fmt: skip
    add_data(check, required=False)
    add_analysis(check)
    check.set_defaults(example=None)
