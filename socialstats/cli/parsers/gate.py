"""What the command gate takes."""

from __future__ import annotations

import argparse

from socialstats.cli.commands import COMMANDS
from socialstats.cli.helping import Parser
from socialstats.cli.options import add_output, add_writing
from socialstats.designs.aliases import Fields

FORMATS = ("text", "md", "json", "junit")

EXAMPLES = """a requirement is QUANTITY[TERM].FIELD, a sign, and a number:
  mean[new - old].conf_low > -0.02    difference of means of two conditions or models on the same units
  mean[new].conf_low >= 0.6           mean of one of them
  krippendorff_alpha[alpha].estimate > 0.667
QUANTITY is mean or a metric ('socialstats estimate' lists them), TERM a term of it (GROUP: TERM where terms repeat).
FIELD is estimate, conf_low, conf_high, std_error, p_value, p_adjusted, df or n. Other options are those of 'socialstats
estimate METRIC', such as --unit, --condition, --value, --cluster, --level.

examples, with the tables in examples/data:
  socialstats gate answers.csv --require "mean[reminded - plain].conf_low > -0.02" -o gate.md
  socialstats gate answers.csv --unit item --cluster scenario --require "mean[reminded - plain].conf_low > 0"

exit code: 0 every requirement is met; 1 one is not, or its number is undefined; 2 bad input"""

PARSER: Fields = {
    "usage": "socialstats gate TABLE --require REQUIREMENT [options]",
    "description": COMMANDS["gate"],
    "epilog": EXAMPLES,
    "allow_abbrev": False,
}


def add_options(parser: Parser) -> None:
    """Add the requirements; the words from the table on are read by `run`."""
    add_own_options(parser)
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def add_own_options(parser: Parser) -> None:
    """Add the options that no metric has."""
    add = parser.add_argument
    add(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help="what must hold; repeatable",
    )
    add_output(add, FORMATS)
    add_writing(parser)
