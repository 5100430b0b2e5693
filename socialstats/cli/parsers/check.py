"""What the command check takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import EVERYDAY, OTHERS, add_analysis, add_data
from socialstats.designs.aliases import Fields

PARSER: Fields = {
    "usage": "socialstats check [DATA ...] [options]",
    "description": "Read a table and say what is in it, or what is wrong with it. With --plan or --study the analysis "
    "is tried as well,\nwith few resamples, and says what the report would refuse. Nothing is written.",
    "epilog": """examples, with the tables in examples/data:
  socialstats check choices.csv
  socialstats check answers.csv --map unit=item --map value=correct --cluster scenario""",
    "allow_abbrev": False,
    "add_help": False,  # the help depends on the study
}


def add_options(parser: Parser) -> None:
    """Add how the table is read and analysed."""
    add_data(parser, several=True)
    add_analysis(parser)
    parser.set_defaults(example=None)
    parser.shorten(("data", *EVERYDAY, "plan"), OTHERS.format(command="check"))
