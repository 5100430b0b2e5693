"""What the command convert takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {"allow_abbrev": False}


def add_options(parser: Parser) -> None:
    """Add the log, and the table to write."""
    add = parser.add_argument
    add("log", metavar="LOG", help="log file, or folder of a run or of several")
    add(
        "-o",
        "--output",
        metavar="TABLE",
        type=Output,
        help="csv, tsv, jsonl or parquet file to write; - for stdout (default)",
    )
    add(
        "--format",
        choices=["csv", "tsv", "jsonl", "parquet"],
        help="default: by the suffix of TABLE; csv for stdout",
    )
    add("--harness", metavar="NAME", help="who wrote the log (default: found by its content)")
    add(
        "--wide",
        metavar="COLUMN",
        nargs="?",
        const="scorer",
        help="one column for each value of COLUMN (default scorer; trait for staged-values)",
    )
    add("-q", "--quiet", action="store_true", help="no notes and no counts on stderr")
