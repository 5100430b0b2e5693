"""One self-contained HTML page from an `Outcome`: answer first, no script that runs, no request to anywhere.

Names are loaded at first use: a page needs no checks of printed numbers, and those need no page.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socialstats_reports.audit import render_audit as render_audit
    from socialstats_reports.data import as_json as as_json
    from socialstats_reports.data import read_results as read_results
    from socialstats_reports.exports import as_pdf as as_pdf
    from socialstats_reports.exports import columns_of as columns_of
    from socialstats_reports.exports import contents_of as contents_of
    from socialstats_reports.exports import figure_of as figure_of
    from socialstats_reports.exports import figures_in as figures_in
    from socialstats_reports.exports import markdown_of as markdown_of
    from socialstats_reports.exports import quote_of as quote_of
    from socialstats_reports.exports import table_of as table_of
    from socialstats_reports.exports import tables_in as tables_in
    from socialstats_reports.exports import word_of as word_of
    from socialstats_reports.page import render as render

MODULES = {
    "audit": "render_audit",
    "data": "as_json read_results",
    "exports": "as_pdf columns_of contents_of figure_of figures_in markdown_of quote_of table_of tables_in "
    "word_of",
    "page": "render",
}
HOMES = {name: module for module, names in MODULES.items() for name in names.split()}

__all__ = list(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'socialstats_reports' has no attribute '{name}'")
    return getattr(importlib.import_module(f"socialstats_reports.{HOMES[name]}"), name)
