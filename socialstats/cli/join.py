"""The command join: the columns of another table by a checked key, or its rows below."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from socialstats.cli.voices import of_metric
from socialstats.errors import InputError
from socialstats.proposals.deciding import split_list
from socialstats.tables.joining import Unmatched, as_read, outcome, stack
from socialstats.tables.joining import join as join_tables
from socialstats.tables.writing import format_by_name, put
from socialstats.text import count, quoted
from socialstats.voice import speaking

VOICE = of_metric(
    {"on": [str], "columns": [str], "unmatched": [str], "fill": [str], "fill_table": [str]}
)


@speaking(VOICE)
def run(options: argparse.Namespace) -> int:
    """Join two tables and write the result."""
    format = format_by_name(options.output or "-")
    if not (options.on or options.rows):
        raise InputError(
            "say how the tables belong together: --on COLUMN for a key, or --rows for rows below rows"
        )
    below = options.fill or options.fill_table
    beside = options.columns or options.unmatched
    if (beside and options.rows) or (below and not options.rows):
        raise InputError(
            "--columns and --unmatched belong to --on, --fill and --fill-table to --rows"
        )
    frame, notes = rows_below(options) if options.rows else columns_beside(options)
    put(options.output or "-", frame, format)
    if not options.quiet:
        print("\n".join(notes), file=sys.stderr)
    return 0


def columns_beside(options: argparse.Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows with the columns of the other table, and what happened."""
    unmatched: Unmatched = options.unmatched or "keep"
    columns = None if options.columns is None else split_list(options.columns)
    join = join_tables(
        options.table, options.other, key_columns(options.on), columns=columns, unmatched=unmatched
    )
    notes = outcome(join, Path(options.table).name, Path(options.other).name, unmatched)
    return join.frame, notes


def key_columns(entries: list[str] | None) -> dict[str, str]:
    """Return columns of the table, and what the other one calls them."""
    split = (entry.partition("=") for entry in split_list(entries or ()))
    return {ours: theirs or ours for ours, _, theirs in split}


def constant_columns(option: str, entries: list[str] | None) -> dict[str, str]:
    """Return columns and the value that all rows of a table have there."""
    if bad := [entry for entry in entries or () if "=" not in entry]:
        raise InputError(f"{option} {bad[0]}: write COLUMN=VALUE")
    return dict(entry.split("=", 1) for entry in entries or ())


def rows_below(options: argparse.Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of both tables, and what each lacks."""
    on, fill, above = (
        key_columns(options.on),
        constant_columns("--fill", options.fill),
        constant_columns("--fill-table", options.fill_table),
    )
    first, second = as_read(options.table), as_read(options.other)
    frame = stack(first, second, on=on, fill=fill, fill_table=above)
    notes = [count(len(frame), "row")]
    ours = {theirs: our_column for our_column, theirs in on.items()}
    for table, has in (
        (first, {*first.columns, *above}),
        (second, {*(ours.get(c, c) for c in second.columns), *fill}),
    ):
        lacks = [str(name) for name in frame.columns if name not in has]
        notes += [f"{table.source} has no {quoted(lacks, 12)}: empty there"] if lacks else []
    return frame, notes
