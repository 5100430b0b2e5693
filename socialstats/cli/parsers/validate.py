"""What the command validate takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import PRINTED, add_output
from socialstats.designs.aliases import Fields

EXAMPLES = """examples, with the logs in examples/data:
  socialstats validate run.eval
  socialstats validate results/ --cluster story
  socialstats validate run.eval --claims claims.toml -o checked.html

claims.toml, one table a number:
  [[claim]]
  name = "Table 2, accuracy"
  quantity = "mean"
  value = "0.725"                  # in quotes: its digits are kept
  select = { scorer = "choice" }   # which rows
  settings = { cluster = "story" }

exit code: 0 every number stands or rests on a definition that is named; 1 a number is wrong; 2 bad input"""

PARSER: Fields = {"epilog": EXAMPLES, "allow_abbrev": False}


def add_options(parser: Parser) -> None:
    """Add the logs, the claims, and what is written."""
    add = parser.add_argument
    add(
        "logs",
        nargs="+",
        metavar="LOG",
        help="log file or folder of a run: Inspect, lm-eval, HELM, openai/evals, ...",
    )
    add("--claims", metavar="FILE", help="further numbers to check (TOML)")
    add(
        "--only-claims",
        action="store_true",
        help="check the numbers of --claims alone, not the log's own",
    )
    add(
        "--cluster",
        metavar="COLUMN",
        help="column whose values are independent of each other; none for units "
        "(default: as the log says, or a column called scenario, group, ...)",
    )
    add("--harness", metavar="NAME", help="harness that wrote the log (default: by its content)")
    add_output(add, (*PRINTED, "junit"))
