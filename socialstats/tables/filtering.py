"""Rows of a table with one value in one column; the places of errors stay those of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats import text
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables.table import Table
from socialstats.tables.values import as_text

SHOWN = 20


def rows_where(table: Table, column: str, value: str) -> tuple[Table, int]:
    """Keep the rows whose value, written as text, is `value`.

    Parameters
    ----------
    table : Table
        Of an engine that holds its rows in memory, as every file's is.
    column, value : str

    Returns
    -------
    table : Table
    left_out : int
        Rows that have another value.

    Raises
    ------
    InputError
        If there is no such column.
    NothingToAnalyse
        If no row has the value; the message lists those there are.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> kept, left_out = rows_where(as_table({"model": ["m1", "m2", "m1"], "y": [1, 2, 3]}), "model", "m1")
    >>> kept.frame.shape, left_out
    ((2, 2), 1)
    """
    if column not in table.columns:
        listed = text.listing([text.shorten(name) for name in table.columns], most=SHOWN)
        raise InputError(f"{table.source}: no column '{text.shorten(column)}'. Columns: {listed}")
    coded = table.counts([column]).columns[column]
    wanted = [v for v in coded.values if as_text(v) == value]
    frame: Any = table.frame
    frame = frame.collect() if hasattr(frame, "collect") else frame
    mask = np.array(frame.get_column(column).is_in(wanted).to_numpy(), dtype=object) == True  # noqa: E712
    if not mask.any():
        known = text.listing([text.shorten(str(as_text(v))) for v in coded.values], most=SHOWN)
        raise NothingToAnalyse(f"{table.source}: no row has {column} = '{text.shorten(value)}'; values: {known}")
    kept = np.flatnonzero(mask)

    def locate(positions: Sequence[int]) -> list[int]:
        before = [int(kept[position]) for position in positions]
        places = table.places(before)
        return [places[position] for position in before]

    done = replace(table, frame=frame.filter(mask.tolist()), locate=locate)
    return done, len(mask) - len(kept)
