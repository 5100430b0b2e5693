"""The command convert: the log of a harness as a table."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.harness_logs.converting import table_of, wide
from socialstats.harness_logs.find import read_logs
from socialstats.harness_logs.log import Log
from socialstats.tables.writing import format_by_name, is_read, put
from socialstats.text import count

if TYPE_CHECKING:
    import pandas as pd


def run(options: argparse.Namespace) -> int:
    """Read the logs that the options name, write one table, and say on stderr what is in it."""
    target = options.output or "-"
    format = options.format or format_by_name(target)
    if format == "parquet" and target == "-" and sys.stdout.isatty():
        raise InputError("not printing parquet to a terminal; name a file with -o")
    logs = read_logs(options.log, options.harness)
    table = table_of(logs)
    is_read(*Path(options.log).rglob("*"))
    put(target, table if options.wide is None else wide(table, options.wide), format)
    if not options.quiet:
        say_contents(logs, table)
    return 0


def say_contents(logs: Sequence[Log], table: pd.DataFrame) -> None:
    """Print what was read on stderr: harness, rows, notes and statuses."""
    for log in logs:
        version = f" {log.version}" if log.version else ""
        print(
            f"{log.files[0]}: {log.harness}{version}, {count(len(log.rows), 'row')}",
            file=sys.stderr,
        )
        for note in log.notes:
            print(
                f"note: {''.join(ch if ch.isprintable() else ' ' for ch in note)}", file=sys.stderr
            )
    if "status" not in table.columns:  # questions without answers
        return
    statuses = Counter(table["status"])
    counts = ", ".join(f"{status} {count(n)}" for status, n in statuses.most_common())
    print(f"rows by status: {counts}", file=sys.stderr)
