"""What the command cite takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the name of a metric, and the format."""
    parser.add_argument("metric", nargs="?", help="metric whose literature to print")
    parser.add_argument("--bibtex", action="store_true", help="as BibTeX")
