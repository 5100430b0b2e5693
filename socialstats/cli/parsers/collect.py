"""What the command collect takes."""

from __future__ import annotations

from socialstats.cli.helping import Parser
from socialstats.cli.options import Output
from socialstats.designs.aliases import Fields

PARSER: Fields = {}


def add_options(parser: Parser) -> None:
    """Add the run file, and how it is run."""
    add = parser.add_argument
    add(
        "runfile",
        nargs="?",
        metavar="RUN.toml",
        help="run file: items, protocol, texts, models, limits",
    )
    add(
        "--new",
        nargs=2,
        metavar=("PROTOCOL", "FOLDER"),
        help="write a protocol's run file, items and every text into a folder, to start from",
    )
    add(
        "-o",
        "--output",
        metavar="LOG.jsonl",
        type=Output,
        help="log to write or continue (default: RUN.log.jsonl)",
    )
    parser.set_defaults(overwrite=False)  # a log is gone on with, nothing else is touched
    add(
        "--base-url",
        metavar="URL",
        help="send all requests here instead of to the run file's endpoint",
    )
    add("--dry-run", action="store_true", help="print the number of calls without making any")
    add("--again", action="store_true", help="ask anew what was asked in other words before")
