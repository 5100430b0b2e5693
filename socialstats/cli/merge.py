"""The command merge: one log of several runs that asked the same way."""

from __future__ import annotations

import argparse

from socialstats_collect.command import merge


def run(options: argparse.Namespace) -> int:
    """Write the merged log."""
    return merge(options)
