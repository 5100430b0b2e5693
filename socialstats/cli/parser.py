"""What can be typed: the commands, and what they are for. `parsers` has the options of each.

Nothing that computes is imported for help: a command is loaded when its words are parsed.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from socialstats.cli.commands import COMMANDS, JOBS
from socialstats.cli.helping import Parser
from socialstats.cli.options import add_writing

DESCRIPTION = "Statistics for the social behaviour of language models."
MORE = """'socialstats COMMAND --help' has the options of one, with examples. To begin with:
  socialstats report --example role-conflict -o report.html"""


class Commands(Parser):
    """The parser of all commands, whose help has them by their job."""

    def sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield the commands of each job."""
        (several,) = (
            action for action in self._actions if isinstance(action, argparse._SubParsersAction)
        )
        listed = {choice.dest: choice for choice in several._choices_actions}
        for job, names in JOBS.items():
            yield job, [listed[name] for name in names]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no command; ``help`` is told the option."""
        if value == "help":
            message = "'socialstats --help' lists the commands, 'socialstats COMMAND --help' the options of one"
            raise argparse.ArgumentError(action, message)
        super()._check_value(action, value)


def make_parser(words: Sequence[str] | None = None) -> Parser:
    """Build the parser of all commands.

    Parameters
    ----------
    words : sequence of str, optional
        Words that will be parsed. Only the command that they name is loaded, and has its options; without words all
        commands are.
    """
    from socialstats import __version__

    parser = Commands(
        prog="socialstats",
        usage="socialstats COMMAND ...",
        description=DESCRIPTION,
        epilog=MORE,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"socialstats {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser, prog="socialstats"
    )
    # options before the command take no value, so the first other word names it
    typed = [word for word in words or () if not word.startswith("-")][:1]
    for name, about in COMMANDS.items():
        if words is None or name in typed:
            add_command(commands, name, about)
        else:
            commands.add_parser(name, help=about)
    return parser


def add_command(commands: Any, name: str, about: str) -> None:
    """Add a command with its options."""
    file = importlib.import_module(f"socialstats.cli.parsers.{name}")
    parser = commands.add_parser(name, **{"help": about, "description": about, **file.PARSER})
    file.add_options(parser)
    add_writing(parser)
