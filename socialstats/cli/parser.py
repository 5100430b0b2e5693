"""What can be typed: commands, options, help. Imports nothing heavy."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from socialstats.cli.auditing import add_audit
from socialstats.cli.building import add_design
from socialstats.cli.gating import add_gate
from socialstats.cli.helping import Parser
from socialstats.cli.joining import add_join
from socialstats.cli.options import (
    EVERYDAY,
    FORMATS,
    KNOWN,
    Output,
    add_analysis,
    add_data,
    add_writing,
    day,
)
from socialstats.cli.powering import add_power
from socialstats.cli.run_study import add_run
from socialstats.cli.validating import add_validate

DESCRIPTION = "Statistics for the social behaviour of language models."
EXAMPLES = """examples, with the tables in examples/data:
  socialstats report --example role-conflict -o report.html
  socialstats report arena.csv --map item_a=left --map item_b=right --cluster worker
  socialstats report ratings.csv --levels low,medium,high --cluster story -o report.html"""
CHECKED = """examples, with the tables in examples/data:
  socialstats check choices.csv
  socialstats check answers.csv --map unit=item --map value=correct --cluster scenario"""
GUESSED = """example, with the tables in examples/data:
  socialstats init choices.csv > plan.toml && socialstats report choices.csv --plan plan.toml"""
DECLARED = """example, with the tables in examples/data:
  socialstats new ratings.csv -o study.toml && socialstats report ratings.csv --study study.toml"""
COLLECT = "query language models as a run file says, and log every attempt"
FORM = "write a page, or a table, for people to answer"
MERGE = "merge logs of 'collect' from the same questions"
TIDY = "convert a log of 'collect' to a table"
CONVERT = "convert the log of a harness to a table (Inspect, HELM, ...)"


JOBS = {
    "analyse a table": "report check init new run estimate gate show",
    "plan a study and collect its data": "power design collect form",
    "make a table of logs, or of tables": "tidy convert merge join",
    "check printed numbers": "validate audit",
    "look up": "studies datasets cite explain",
}  # what commands are for
MORE = """'socialstats COMMAND --help' has the options of one, with examples. To begin with:
  socialstats report --example role-conflict -o report.html"""
OTHERS = """more options, by study: socialstats {command} --study NAME --help ('socialstats studies' has the names)
every option: socialstats {command} --help-all"""


class Commands(Parser):
    """The parser of all commands, whose help has them by their job."""

    def sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield the commands of each job."""
        (several,) = (one for one in self._actions if isinstance(one, argparse._SubParsersAction))
        listed = {one.dest: one for one in several._choices_actions}
        for job, names in JOBS.items():
            yield job, [listed[name] for name in names.split()]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no command; ``help`` is told the option."""
        if value == "help":
            said = "'socialstats --help' lists the commands, 'socialstats COMMAND --help' the options of one"
            raise argparse.ArgumentError(action, said)
        super()._check_value(action, value)


def make_parser() -> Parser:
    """Build the parser of all commands."""
    from socialstats import __version__

    parser = Commands(
        prog="socialstats",
        usage="socialstats COMMAND ...",
        description=DESCRIPTION,
        epilog=MORE,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"socialstats {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser, prog="socialstats"
    )
    _report(commands)
    _check(commands)
    init = _command(
        commands,
        "init",
        "commands:init",
        about="guess a plan for a table and print it as TOML",
        epilog=GUESSED,
        usage="socialstats init DATA [options]",
    )
    add_data(init)
    init.shorten(("data", *EVERYDAY), "every option: socialstats init --help-all")
    new = _command(
        commands,
        "new",
        "new_study:run_new",
        about="write the first file of a study of your own, guessed from a table or a run",
        epilog=DECLARED,
    )
    new.add_argument(
        "data", metavar="TABLE", help=f"{KNOWN}; or a run file of collect (.toml), or its log"
    )
    new.add_argument("--input-format", choices=FORMATS, help="format of the file")
    new.add_argument("--encoding", metavar="NAME", help="of a text file that is not UTF-8")
    new.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help="file to write (default: study.toml; - for stdout); none is replaced",
    )
    new.set_defaults(overwrite=False)  # nothing is replaced
    add_run(commands)
    _command(commands, "studies", "commands:studies", help="list the studies and what they need")
    datasets = _command(
        commands, "datasets", "commands:datasets", help="list the bundled data, or describe one"
    )
    datasets.add_argument("name", nargs="?", help="data set to describe")
    datasets.add_argument("--csv", action="store_true", help="print the rows as csv")
    cite = _command(commands, "cite", "commands:cite", help="how to cite socialstats, or a method")
    cite.add_argument("metric", nargs="?", help="metric whose literature to print")
    cite.add_argument("--bibtex", action="store_true", help="as BibTeX")
    explain = _command(
        commands, "explain", "commands:explain", help="print cause, effect and remedy of a caution"
    )
    explain.add_argument(
        "codes", nargs="*", metavar="CODE", help="such as SS202; all cautions by default"
    )
    show = _command(
        commands,
        "show",
        "show:run_show",
        about="read a report back: numbers, tables, figures, quotation",
    )
    show.add_argument(
        "report",
        metavar="REPORT.html",
        help="a page that 'socialstats report' wrote; - for stdin; or the file of a study, as it is read",
    )
    part = show.add_mutually_exclusive_group()
    part.add_argument("--json", action="store_true", help="every number that the page carries")
    part.add_argument(
        "--table",
        metavar="NAME",
        help="a table by its name, its number (2, A3) or its title (csv, md, latex, docx)",
    )
    part.add_argument(
        "--figure", metavar="NAME", help="a figure by its name or its number (svg, pdf)"
    )
    part.add_argument(
        "--quote",
        action="store_true",
        help="result and methods as sentences to quote (text, latex)",
    )
    show.add_argument(
        "--format",
        choices=["text", "json", "csv", "md", "latex", "docx", "svg", "pdf"],
        help="default: by the name of -o, else the first that is listed",
    )
    show.add_argument(
        "-o", "--output", metavar="FILE", type=Output, help="file to write (default: stdout)"
    )
    estimate = _command(
        commands,
        "estimate",
        "estimate:run_estimate",
        help="compute one metric of a table",
        add_help=False,
    )
    estimate.add_argument(
        "-h", "--help", action="store_true", dest="list_metrics"
    )  # before the name of a metric
    estimate.add_argument("words", nargs=argparse.REMAINDER)  # each metric has a parser of its own
    add_power(commands)
    add_design(commands)
    _collecting(commands)
    add_join(commands)
    add_validate(commands)
    add_audit(commands)
    add_gate(commands)
    for one in commands.choices.values():
        add_writing(one)
    return parser


def _command(commands: Any, name: str, run: str, *, about: str = "", **how: Any) -> Parser:
    """Add a command, and the function that runs it; `about` is both its line in the list and its description."""
    how |= {"help": about, "description": about} if about else {}
    parser: Parser = commands.add_parser(name, **how)
    parser.set_defaults(run=run if "." in run else f"socialstats.cli.{run}")
    return parser


def _report(commands: Any) -> None:
    report = _command(
        commands,
        "report",
        "report:run_report",
        about="write one self-contained HTML page",
        epilog=EXAMPLES,
        usage="socialstats report [DATA ...] [options]",
        allow_abbrev=False,
        add_help=False,
    )
    add_data(report, several=True)
    add_analysis(report)
    add = report.add_argument_group("the page").add_argument
    add("--example", metavar="NAME", help="a bundled data set instead of a file")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help=".html or .md (default: report.html); - for stdout",
    )
    add(
        "--format",
        dest="as",
        choices=["html", "md"],
        help="the page, or its main part as Markdown with tables "
        "(default: by the name of -o, else html; Markdown goes to stdout)",
    )
    add("--json", metavar="FILE", type=Output, help="also write every number as JSON; - for stdout")
    add(
        "--files",
        metavar="FOLDER",
        type=Output,
        help="also write every table (csv) and figure (svg) of the page into a folder",
    )
    add(
        "--claims",
        metavar="FILE",
        help="numbers printed elsewhere (TOML), to be compared with this report's",
    )
    add(
        "--fail-on",
        choices=["never", "caution", "stop"],
        default="never",
        help="exit with 1 at a caution of this severity or higher",
    )
    add(
        "--date",
        type=day,
        metavar="YYYY-MM-DD",
        help="print this date (default: none, or SOURCE_DATE_EPOCH)",
    )
    add(
        "--methods-note",
        metavar="FILE",
        help="text on how the data were collected ('tidy --methods'), for the page",
    )
    add("--no-verify", action="store_true", help="skip the check by independent implementations")
    add("-q", "--quiet", action="store_true", help="no progress and no cautions on stderr")
    everyday = ("data", *EVERYDAY, "plan", "example", "output", "json")
    report.shorten(everyday, OTHERS.format(command="report"))


def _check(commands: Any) -> None:
    check = _command(
        commands,
        "check",
        "commands:check",
        help="read a table and say what is in it, or what is wrong with it",
        description="Read a table and say what is in it, or what is wrong with it. With --plan or --study the analysis "
        "is tried as well,\nwith few resamples, and says what the report would refuse. Nothing is written.",
        epilog=CHECKED,
        usage="socialstats check [DATA ...] [options]",
        allow_abbrev=False,
        add_help=False,
    )
    add_data(check, several=True)
    add_analysis(check)
    check.set_defaults(example=None)
    check.shorten(("data", *EVERYDAY, "plan"), OTHERS.format(command="check"))


def _collecting(commands: Any) -> None:
    """Add the commands whose work is done in the collect package."""
    run = _command(commands, "collect", "socialstats_collect.command:collect", about=COLLECT)
    run.add_argument(
        "runfile",
        nargs="?",
        metavar="RUN.toml",
        help="run file: items, protocol, texts, models, limits",
    )
    run.add_argument(
        "--new",
        nargs=2,
        metavar=("PROTOCOL", "FOLDER"),
        help="write a protocol's run file, items and every text into a folder, to start from",
    )
    run.add_argument(
        "-o",
        "--output",
        metavar="LOG.jsonl",
        type=Output,
        help="log to write or continue (default: RUN.log.jsonl)",
    )
    run.set_defaults(overwrite=False)  # a log is gone on with, nothing else is touched
    run.add_argument(
        "--base-url",
        metavar="URL",
        help="send all requests here instead of to the run file's endpoint",
    )
    run.add_argument(
        "--dry-run", action="store_true", help="print the number of calls without making any"
    )
    run.add_argument(
        "--again", action="store_true", help="ask anew what was asked in other words before"
    )
    table = _command(commands, "tidy", "socialstats_collect.tidying:tidy", about=TIDY)
    table.add_argument("log", metavar="LOG.jsonl", help="a log that 'socialstats collect' wrote")
    table.add_argument(
        "-o",
        "--output",
        metavar="TABLE",
        type=Output,
        help="csv, tsv, jsonl or parquet to write (default: csv to stdout)",
    )
    table.add_argument(
        "--people", metavar="FILE", help="people's answers to append: a file or a folder of them"
    )
    table.add_argument(
        "--controls",
        metavar="FILE",
        type=Output,
        help="write control texts to this table (default: TABLE.controls.csv)",
    )
    table.add_argument(
        "--methods",
        metavar="FILE",
        type=Output,
        help="also write a paragraph for a methods section; - for stdout",
    )
    table.add_argument(
        "--summary",
        action="store_true",
        help="print counts by cell, and shares refused with bounds",
    )
    table.add_argument(
        "--run",
        dest="compared",
        metavar="RUN.toml",
        help="run file to compare with (default: the log's own, beside it)",
    )
    paper = _command(commands, "form", "socialstats_collect.command:form", about=FORM)
    paper.add_argument("runfile", metavar="RUN.toml", help="run file, as for 'collect'")
    paper.add_argument(
        "-o",
        "--output",
        metavar="FORM.html",
        type=Output,
        help="page to write (default: RUN.form.html)",
    )
    paper.add_argument(
        "--csv", metavar="TABLE", type=Output, help="write a table to fill in: csv or tsv"
    )
    paper.add_argument(
        "--log",
        metavar="LOG.jsonl",
        help="log whose drawn orders are shown (default: RUN.log.jsonl)",
    )
    paper.add_argument(
        "--raters", type=int, default=0, metavar="N", help="divide the questions among N raters"
    )
    paper.add_argument(
        "--per-rater", type=int, default=0, metavar="K", help="questions for each of them"
    )
    both = _command(commands, "merge", "socialstats_collect.command:merge", about=MERGE)
    both.add_argument(
        "logs", nargs="+", metavar="LOG.jsonl", help="logs of runs that asked the same way"
    )
    both.add_argument(
        "-o", "--output", metavar="LOG.jsonl", type=Output, required=True, help="new log to write"
    )
    add = _command(
        commands,
        "convert",
        "socialstats.harness_logs.converting:convert",
        about=CONVERT,
        allow_abbrev=False,
    ).add_argument
    add("log", metavar="LOG", help="log file, or folder of a run or of several")
    add(
        "-o",
        "--output",
        metavar="TABLE",
        type=Output,
        help="csv, tsv, jsonl or parquet file to write; - for stdout (default)",
    )
    add(
        "--format",
        choices=["csv", "tsv", "jsonl", "parquet"],
        help="default: by the suffix of TABLE; csv for stdout",
    )
    add("--harness", metavar="NAME", help="who wrote the log (default: found by its content)")
    add(
        "--wide",
        metavar="COLUMN",
        nargs="?",
        const="scorer",
        help="one column for each value of COLUMN (default scorer; trait for staged-values)",
    )
    add("-q", "--quiet", action="store_true", help="no notes and no counts on stderr")
