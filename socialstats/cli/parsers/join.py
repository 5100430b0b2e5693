"""What the command join takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

EXAMPLES = """examples, with the tables in examples/data:
  socialstats join people.csv ages.csv --on rater -o joined.csv
  socialstats join model_answers.csv joined.csv --rows --on model=rater --fill-table source=model --fill source=human \\
      -o everybody.csv"""

PARSER: Fields = {"epilog": EXAMPLES, "allow_abbrev": False}


def add_options(parser: Parser) -> None:
    """Add the tables, how their rows belong together, and the file to write."""
    add = parser.add_argument
    add("table", metavar="TABLE", help="its rows stay what they are")
    add("other", metavar="OTHER", help="one row per key; with --rows any table")
    add(
        "--on",
        action="append",
        metavar="COLUMN",
        help="column of the key, or OURS=THEIRS; with --rows what OTHER calls otherwise; repeat",
    )
    add("--columns", action="append", metavar="A,B", help="columns of OTHER to add (default: all)")
    add(
        "--unmatched",
        choices=["keep", "drop", "error"],
        help="rows of TABLE whose key OTHER lacks: kept with empty cells (default), left out, or an error",
    )
    add("--rows", action="store_true", help="put the rows of OTHER below those of TABLE")
    add(
        "--fill",
        action="append",
        metavar="COLUMN=VALUE",
        help="with --rows: a column that OTHER lacks; repeat",
    )
    add(
        "--fill-table",
        action="append",
        metavar="COLUMN=VALUE",
        help="with --rows: a column that TABLE lacks; repeat",
    )
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help="csv, tsv, jsonl or parquet to write (default: csv to stdout)",
    )
    add("-q", "--quiet", action="store_true", help="say nothing on stderr")
