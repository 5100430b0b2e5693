"""The command collect: query language models as a run file says, and log every attempt."""

from __future__ import annotations

import argparse

from socialstats_collect.command import collect


def run(options: argparse.Namespace) -> int:
    """Ask the models."""
    return collect(options)
