"""What the command form takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the run file, the files to write, and the raters."""
    add = parser.add_argument
    add("runfile", metavar="RUN.toml", help="run file, as for 'collect'")
    add(
        "-o",
        "--output",
        metavar="FORM.html",
        type=Output,
        help="page to write (default: RUN.form.html)",
    )
    add("--csv", metavar="TABLE", type=Output, help="write a table to fill in: csv or tsv")
    add(
        "--log",
        metavar="LOG.jsonl",
        help="log whose drawn orders are shown (default: RUN.log.jsonl)",
    )
    add("--raters", type=int, default=0, metavar="N", help="divide the questions among N raters")
    add("--per-rater", type=int, default=0, metavar="K", help="questions for each of them")
