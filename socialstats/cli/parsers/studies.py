"""What the command studies takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add nothing: the list has no options."""
