"""What the command run takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {
    "epilog": """example, with the tables in examples/data:
  socialstats run foundations.toml foundations.csv -o foundations""",
    "allow_abbrev": False,
}


def add_options(parser: Parser) -> None:
    """Add the study, its tables, and the folder to write."""
    add = parser.add_argument
    add("study", metavar="STUDY.toml", help="a study that 'socialstats new' wrote, or a plan")
    add(
        "data",
        metavar="TABLE",
        nargs="*",
        help="its tables, where the file does not say what is asked",
    )
    add("-o", "--output", metavar="FOLDER", type=Output, help="folder to write (default: STUDY)")
    add("--people", metavar="FILE", help="answers of people, to stand beside those of models")
    add(
        "--base-url",
        metavar="URL",
        help="send all requests here instead of to the endpoint of the file",
    )
    add("--dry-run", action="store_true", help="print what would be asked, and end")
