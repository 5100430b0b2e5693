"""The command datasets: the bundled data, listed, described or printed."""

from __future__ import annotations

import argparse
import sys

from socialstats import datasets as bundled
from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields
from socialstats.tables.writing import as_bytes
from socialstats.text import count

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the name of a data set, and how it is printed."""
    parser.add_argument("name", nargs="?", help="data set to describe")
    parser.add_argument("--csv", action="store_true", help="print the rows as csv")


def run(options: argparse.Namespace) -> int:
    """List the bundled data, describe one, or print it."""
    if options.name is None:
        for entry in bundled.datasets():
            kind = "simulated" if entry.simulated else "real"
            print(f"{entry.name}  {entry.title} ({count(entry.n_rows, 'row')}, {kind})")
        return 0
    entry = bundled.describe(options.name.replace("-", "_"))
    if options.csv:
        sys.stdout.write(as_bytes(entry.load(), "csv").decode())
    else:
        print(entry)
    return 0
