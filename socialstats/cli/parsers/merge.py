"""What the command merge takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the logs, and the log to write."""
    add = parser.add_argument
    add("logs", nargs="+", metavar="LOG.jsonl", help="logs of runs that asked the same way")
    add("-o", "--output", metavar="LOG.jsonl", type=Output, required=True, help="new log to write")
