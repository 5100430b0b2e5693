"""Files and data frames in: the only room that knows formats and engines.

A name (`paths`) -> bytes within limits (`sources`, `limits`) -> a format (`formats`) -> texts (`delimited`,
`json_files`, `nested`, `sheets`) or typed columns (`typed_files`) -> `Table`. Rows of large files stay there
(`scanning`).
"""

from __future__ import annotations

from socialstats.tables.counting import DistinctRows, counts
from socialstats.tables.files import read_table
from socialstats.tables.filtering import (
    rows_unlike,
    rows_where,
    rows_without,
    rows_without_whole,
    with_joint,
)
from socialstats.tables.formats import Format
from socialstats.tables.labels import (
    EPSILON,
    MISSING,
    Coded,
    Labels,
    as_number,
    label_text,
    missing_labels,
    missing_names,
)
from socialstats.tables.table import Table, as_table

__all__ = [
    "Coded",
    "DistinctRows",
    "EPSILON",
    "Format",
    "Labels",
    "MISSING",
    "Table",
    "as_number",
    "as_table",
    "label_text",
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
