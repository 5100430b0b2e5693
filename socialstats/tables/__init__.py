"""Files and data frames in: the only room that knows formats and engines."""

from __future__ import annotations

from socialstats.tables.files import read_table
from socialstats.tables.formats import Format
from socialstats.tables.table import (
    EPSILON,
    MISSING,
    Coded,
    Counts,
    Labels,
    Table,
    as_number,
    as_table,
    as_text,
    counts,
    missing_labels,
    missing_names,
    rows_unlike,
    rows_where,
    rows_without,
    rows_without_whole,
    with_joint,
)

__all__ = [
    "Coded",
    "Counts",
    "EPSILON",
    "Format",
    "Labels",
    "MISSING",
    "Table",
    "as_number",
    "as_table",
    "as_text",
    "counts",
    "missing_labels",
    "missing_names",
    "read_table",
    "rows_unlike",
    "rows_where",
    "rows_without",
    "rows_without_whole",
    "with_joint",
]
