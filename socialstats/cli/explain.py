"""The command explain: cause, effect and remedy of cautions."""

from __future__ import annotations

import argparse

from socialstats.cautions import explained
from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields
from socialstats.errors import CAUTIONS

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the codes of cautions."""
    parser.add_argument(
        "codes", nargs="*", metavar="CODE", help="such as SS202; all cautions by default"
    )


def run(options: argparse.Namespace) -> int:
    """Print cause, effect and remedy of cautions."""
    print("\n\n".join(explained(code) for code in options.codes or CAUTIONS))
    return 0
