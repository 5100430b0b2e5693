"""Logs of other harnesses as tidy tables: one module per harness, with what is specific to it.

A module is called as its harness. It has ``NEEDS`` (what is looked for, in words) and ``read(source)``. It also has
``FORMS`` (a kind of file, with patterns of its members, files or columns) or, where values decide,
``recognises(source)``. Common to all are `files` (opening, first looks), `streaming` (parts of a large JSON that are
kept) and `tables` (columns of plain tables). `tabular` reads members at a path (`at`, `items`, `text`). It has
`scored`, `row`, `claim`, and `log_of` with the notes on statuses. No harness is imported. A reader never drops a row:
errors, unscored and unparsed rows come along with their status. `read_log` finds the module for a file or folder, and
returns a `socialstats.claims.Log`.
"""

from __future__ import annotations

from socialstats.harness_logs.find import harnesses, holds_log, read_log, read_logs

__all__ = ["harnesses", "holds_log", "read_log", "read_logs"]
