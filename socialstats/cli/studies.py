"""The command studies: the list of the studies."""

from __future__ import annotations

import argparse

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields
from socialstats.studies import STUDIES

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add nothing: the list has no options."""


def run(options: argparse.Namespace) -> int:
    """List the studies."""
    for study in STUDIES.values():
        print(f"{study.name}  {study.title}\n    design {study.design}; needs {study.needs}")
    return 0
