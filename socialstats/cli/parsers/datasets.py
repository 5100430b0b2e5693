"""What the command datasets takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the name of a data set, and how it is printed."""
    parser.add_argument("name", nargs="?", help="data set to describe")
    parser.add_argument("--csv", action="store_true", help="print the rows as csv")
