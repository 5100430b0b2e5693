"""What the command explain takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the codes of cautions."""
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="such as SS202; all cautions by default"
    )
