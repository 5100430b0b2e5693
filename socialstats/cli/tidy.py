"""The command tidy: a table of a log of 'collect'."""

from __future__ import annotations

import argparse

from socialstats_collect.tidying import tidy


def run(options: argparse.Namespace) -> int:
    """Write the table."""
    return tidy(options)
