"""The command merge: one log of several runs that asked the same way."""

from __future__ import annotations

import argparse

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields
from socialstats_collect.command import merge

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the logs, and the log to write."""
    add = parser.add_argument
    add("logs", nargs="+", metavar="LOG.jsonl", help="logs of runs that asked the same way")
    add("-o", "--output", metavar="LOG.jsonl", type=Output, required=True, help="new log to write")


def run(options: argparse.Namespace) -> int:
    """Write the merged log."""
    return merge(options)
