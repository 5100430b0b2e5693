"""What the command audit takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import PRINTED, add_output
from socialstats.designs.aliases import Fields

EXAMPLES = """examples, with the tables in examples/data:
  socialstats audit paper.pdf -o audit.html           # tables and test results of a paper: .pdf, .tex, .md, .html
  socialstats audit table2.csv                        # the checks that the columns' names allow
  socialstats audit table2.csv --rules rules.toml -o audit.html
  socialstats audit --example 002 -o audit.html       # published tables that come with socialstats
  socialstats audit --reconstruct 2.2 1.3 20 1 5      # samples with this mean and SD (n, lowest, highest score)

rules.toml, one [[rule]] per check:
  [tables]
  t3 = { file = "table3.csv", decimals = 3 }   # "table" is the first TABLE of the command line

  [[rule]]
  name = "percentages of each group add up to 100"
  check = "sum_to"
  by = "group"
  columns = ["percent"]
  total = 100

  [[rule]]
  check = "weighted_mean"
  value = "overall"
  parts = { table = "t3", column = "score", by = "model" }
  weights = "n"

  [[rule]]                                     # a claim needs its sentence
  check = "extreme"
  value = "ours"
  parts = ["theirs"]
  sentence = "our model is better on most tasks"
  holds = "most"

exit code: 0 done; 1 sources disagree and --fail-on was given; 2 bad input; 3 nothing to audit"""

PARSER: Fields = {"epilog": EXAMPLES, "allow_abbrev": False}


def add_options(parser: Parser) -> None:
    """Add what is audited, and what is written."""
    add = parser.add_argument
    add(
        "tables",
        nargs="*",
        metavar="TABLE",
        help="papers (.pdf, .tex, .md, .html, .txt) and published tables (csv, tsv, xlsx, ...); - for stdin",
    )
    add("--rules", metavar="FILE", help="which checks to make (TOML)")
    add(
        "--example",
        metavar="NAME",
        help="audit the bundled tables of a paper: 000, 001, 002, 003 or 004; TABLE: the paper, or files it uses",
    )
    add(
        "--reconstruct",
        nargs=5,
        metavar=("MEAN", "SD", "N", "LOW", "HIGH"),
        help="samples of N whole numbers from LOW to HIGH with this mean and SD (SPRITE)",
    )
    add_output(add, (*PRINTED, "junit"))
    add(
        "--fail-on",
        choices=["never", "disagree", "major"],
        default="never",
        help="exit with 1 when sources disagree (major: by more than one unit of the last digit)",
    )
