"""One self-contained HTML page from an `Outcome`: answer first, no script that runs, no request to anywhere."""

from __future__ import annotations

from socialstats_reports.audit import render_audit
from socialstats_reports.data import as_json, read_results
from socialstats_reports.exports import (
    as_pdf,
    columns_of,
    contents_of,
    figure_of,
    markdown_of,
    quote_of,
    table_of,
    word_of,
)
from socialstats_reports.page import render

__all__ = [
    "as_json",
    "as_pdf",
    "columns_of",
    "contents_of",
    "figure_of",
    "markdown_of",
    "quote_of",
    "read_results",
    "render",
    "render_audit",
    "table_of",
    "word_of",
]
