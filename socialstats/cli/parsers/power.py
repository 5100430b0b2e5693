"""What the command power takes."""

from __future__ import annotations

import argparse

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields

EXAMPLES = """designs (DESIGN --help lists the options of one):
  paired-t        a mean difference of pairs, in standard deviations of the differences
  mcnemar         a difference of two proportions on the same units
  clustered-mean  a mean of values in clusters, such as differences by scenario
Leave out one of the size (--n, --clusters), --effect and --power: it is computed from the other two.

examples:
  socialstats power paired-t --effect 0.5 --power 0.8
  socialstats power mcnemar --n 300 --discordant 0.3 --effect 0.1 -o power.svg
  socialstats power clustered-mean --size 50 --icc 0.1 --effect 0.2 --power 0.8 --format md"""
PARSER: Fields = {"usage": "socialstats power DESIGN [options]", "epilog": EXAMPLES}


def add_options(parser: Parser) -> None:
    """Take the words from the design on as they are: each design has a parser of its own."""
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
