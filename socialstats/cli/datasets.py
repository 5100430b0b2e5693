"""The command datasets: the bundled data, listed, described or printed."""

from __future__ import annotations

import argparse
import sys

from socialstats import datasets as bundled
from socialstats.tables.writing import as_bytes
from socialstats.text import count


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
