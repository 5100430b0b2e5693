"""Commands that collect responses: their options here, their work in the collect package, imported when needed."""

from __future__ import annotations

import argparse
from typing import Any

COLLECT = "ask language models what a run file says, and write every attempt to a log"
TIDY = "read a log of 'collect' as a table"


def add_collecting(commands: Any) -> None:
    """Add ``collect`` and ``tidy`` to the parser of commands."""
    run = commands.add_parser("collect", help=COLLECT, description=COLLECT)
    run.add_argument("runfile", metavar="RUN.toml", help="run file: items, prompt or protocol, models, limits")
    run.add_argument("-o", "--output", metavar="LOG.jsonl", help="log to write or go on with (default: RUN.log.jsonl)")
    run.add_argument("--base-url", metavar="URL", help="send all requests here instead of to the run file's endpoint")
    run.add_argument("--dry-run", action="store_true", help="say how many calls it would be, and make none")
    table = commands.add_parser("tidy", help=TIDY, description=TIDY)
    table.add_argument("log", metavar="LOG.jsonl", help="a log that 'socialstats collect' wrote")
    table.add_argument("-o", "--output", metavar="TABLE", help="csv, tsv or jsonl to write (default: csv to stdout)")
    table.add_argument("--methods", metavar="FILE", help="also write a paragraph for a methods section; - for stdout")


def collect(options: argparse.Namespace) -> int:
    """Collect responses."""
    from socialstats_collect import command

    return command.collect(options)


def tidy(options: argparse.Namespace) -> int:
    """Write the table of a log."""
    from socialstats_collect import command

    return command.tidy(options)
