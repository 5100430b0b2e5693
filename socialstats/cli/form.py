"""The command form: a page, or a table, for people to answer."""

from __future__ import annotations

import argparse

from socialstats_collect.command import form


def run(options: argparse.Namespace) -> int:
    """Write the page or the table."""
    return form(options)
