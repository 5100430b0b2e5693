"""Logs of other harnesses as tidy tables: one module a harness, which says only what is its own.

A module is called as its harness. It has ``NEEDS`` (what is looked for, in words), ``read(source)``, and ``FORMS`` (a
kind of file, and patterns of the members, files or columns that a first look finds) or, where values decide,
``recognises(source)``. Common to all are `files` (opening, first looks), `streaming` (shapes: what of a large JSON is
kept), `tables` (columns of plain tables) and `tabular` (`scored`, `row`, `claim`, and `log_of` with the notes on
statuses). No harness is imported. A reader never drops a row: errors, unscored and unparsed rows come along with their
status. `read_log` finds the module for a file or folder, and returns a `socialstats.claims.Log`.
"""

from __future__ import annotations

from socialstats_collect.readers.find import harnesses, holds_log, read_log, read_logs

__all__ = ["harnesses", "holds_log", "read_log", "read_logs"]
