"""What the command report takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import EVERYDAY, OTHERS, Output, add_analysis, add_data, day
from socialstats.designs.aliases import Fields

PARSER: Fields = {
    "usage": "socialstats report [DATA ...] [options]",
    "epilog": """examples, with the tables in examples/data:
  socialstats report --example role-conflict -o report.html
  socialstats report arena.csv --map item_a=left --map item_b=right --cluster worker
  socialstats report ratings.csv --levels low,medium,high --cluster story -o report.html""",
    "allow_abbrev": False,
    "add_help": False,  # the help depends on the study
}


def add_options(parser: Parser) -> None:
    """Add how the table is read and analysed, and what is written."""
    add_data(parser, several=True)
    add_analysis(parser)
    add = parser.add_argument_group("the page").add_argument
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
    parser.shorten(everyday, OTHERS.format(command="report"))
