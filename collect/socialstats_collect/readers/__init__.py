"""Logs of other harnesses as tidy tables: one module a harness, each with ``recognises`` and ``read``.

``recognises(source)`` looks at the content (and only then at the name) and answers whether this module reads it;
``read(source)`` returns a `socialstats.claims.Log`. Neither imports the harness. A reader never drops a row: errors,
unscored and unparsed rows come along with their status. `read_log` finds the module for a file or folder.
"""

from __future__ import annotations

from socialstats_collect.readers.find import harnesses, holds_log, read_log, read_logs

__all__ = ["harnesses", "holds_log", "read_log", "read_logs"]
