"""What the command tidy takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the log, and the files to write."""
    add = parser.add_argument
    add("log", metavar="LOG.jsonl", help="a log that 'socialstats collect' wrote")
    add(
        "-o",
        "--output",
        metavar="TABLE",
        type=Output,
        help="csv, tsv, jsonl or parquet to write (default: csv to stdout)",
    )
    add("--people", metavar="FILE", help="people's answers to append: a file or a folder of them")
    add(
        "--controls",
        metavar="FILE",
        type=Output,
        help="write control texts to this table (default: TABLE.controls.csv)",
    )
    add(
        "--methods",
        metavar="FILE",
        type=Output,
        help="also write a paragraph for a methods section; - for stdout",
    )
    add(
        "--summary",
        action="store_true",
        help="print counts by cell, and shares refused with bounds",
    )
    add(
        "--run",
        dest="compared",
        metavar="RUN.toml",
        help="run file to compare with (default: the log's own, beside it)",
    )
