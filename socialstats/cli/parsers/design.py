"""What the command design takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

EXAMPLES = """examples:
  socialstats design norm-goal examples/design/norm_goal.toml -o norms.csv
  socialstats collect --new norm-goal goals
  socialstats collect goals/run.toml --dry-run

exit code: 0 all items are written; 1 a model has to write texts first (the commands are printed); 2 bad input"""

PARSER: Fields = {"epilog": EXAMPLES, "allow_abbrev": False}


def add_options(parser: Parser) -> None:
    """Add the protocol, the lists of parts, and the file to write."""
    add = parser.add_argument
    add(
        "protocol",
        metavar="PROTOCOL",
        help="pairwise-roles, norm-goal, who-is-right, ordinal or staged-values",
    )
    add("design", metavar="DESIGN.toml", help="the lists of parts (docs/design.md)")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help="csv, tsv or jsonl to write (default: csv to stdout)",
    )
    add("-q", "--quiet", action="store_true", help="no counts on stderr")
