"""What the command init takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import EVERYDAY, add_data
from socialstats.designs.aliases import Fields

PARSER: Fields = {
    "usage": "socialstats init DATA [options]",
    "epilog": """example, with the tables in examples/data:
  socialstats init choices.csv > plan.toml && socialstats report choices.csv --plan plan.toml""",
}


def add_options(parser: Parser) -> None:
    """Add how the table is read."""
    add_data(parser)
    parser.shorten(("data", *EVERYDAY), "every option: socialstats init --help-all")
