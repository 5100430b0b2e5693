"""What the command show takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the page, the part of it to show, and the file to write."""
    parser.add_argument(
        "report",
        metavar="REPORT.html",
        help="a page that 'socialstats report' wrote; - for stdin; or the file of a study, as it is read",
    )
    part = parser.add_mutually_exclusive_group()
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
    parser.add_argument(
        "--format",
        choices=["text", "json", "csv", "md", "latex", "docx", "svg", "pdf"],
        help="default: by the name of -o, else the first that is listed",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Output, help="file to write (default: stdout)"
    )
