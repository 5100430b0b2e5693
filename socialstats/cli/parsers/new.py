"""What the command new takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import FORMATS, KNOWN, Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {
    "epilog": """example, with the tables in examples/data:
  socialstats new ratings.csv -o study.toml && socialstats report ratings.csv --study study.toml"""
}


def add_options(parser: Parser) -> None:
    """Add the table or run, how it is read, and the file to write."""
    add = parser.add_argument
    add("data", metavar="TABLE", help=f"{KNOWN}; or a run file of collect (.toml), or its log")
    add("--input-format", choices=FORMATS, help="format of the file")
    add("--encoding", metavar="NAME", help="of a text file that is not UTF-8")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help="file to write (default: study.toml; - for stdout); none is replaced",
    )
    parser.set_defaults(overwrite=False)  # nothing is replaced
