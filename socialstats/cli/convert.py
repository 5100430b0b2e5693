"""The command that makes tables of other harnesses' logs: its options here, its work in the collect package."""

from __future__ import annotations

import argparse
from typing import Any

CONVERT = "make a table of the log of another harness (Inspect, lm-eval, HELM, promptfoo, ...)"


def add_convert(commands: Any) -> None:
    """Add ``convert`` to the parser of commands."""
    command = commands.add_parser("convert", help=CONVERT, description=CONVERT, allow_abbrev=False)
    add = command.add_argument
    add("log", metavar="LOG", help="log file, or folder of a run or of several")
    add("-o", "--output", metavar="TABLE", help="csv, tsv, jsonl or parquet file to write; - for stdout (default)")
    add("--format", choices=["csv", "tsv", "jsonl", "parquet"], help="default: by the suffix of TABLE; csv for stdout")
    add("--harness", metavar="NAME", help="who wrote the log (default: found by its content)")
    add("--wide", metavar="COLUMN", nargs="?", const="scorer",
        help="one column for each value of COLUMN (default scorer; trait for staged-values)")  # fmt: skip
    add("-q", "--quiet", action="store_true", help="no notes and no counts on stderr")


def convert(options: argparse.Namespace) -> int:
    """Write the table of a log."""
    from socialstats_collect import converting

    return converting.convert(options)
