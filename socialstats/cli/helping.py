"""What a parser says of itself: short help, the whole of it, and the name that a mistyped one is nearest to."""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from socialstats.designs.settings import SETTINGS
from socialstats.errors import InputError
from socialstats.text import meant

NAMES = 26  # columns for the names of options, of a screen of 80


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Most options and what they do stand on one line."""

    def __init__(self, prog: str, **how: Any) -> None:
        super().__init__(prog, max_help_position=NAMES, **how)


class Parser(argparse.ArgumentParser):
    """An argument parser whose help may be short, and which suggests what may have been meant.

    Attributes
    ----------
    everyday : collection of str
        What the short help has, by its key; empty where all help is short.
    more : str
        The last line of the short help: where the rest is.
    brief : dict of str to str
        What the short help says of an option, where it says less.
    """

    everyday: Collection[str] = ()
    more = ""

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **{"formatter_class": Formatter, **how})
        self.brief: dict[str, str] = {}

    def shorten(self, everyday: Collection[str], more: str) -> None:
        """Make the help short: `everyday` options only; ``--help-all`` describes all of them."""
        self.everyday, self.more = everyday, more
        self.add_argument("--help-all", action=HelpAll, nargs=0, help="describe every option")

    def format_help(self) -> str:
        """Return the help, which is short where there is more of it."""
        return self.help_of(self.everyday, more=self.more, brief=self.brief)

    def help_of(
        self,
        shown: Collection[str] = (),
        about: str = "",
        more: str = "",
        brief: Mapping[str, str] | None = None,
    ) -> str:
        """Return help with some options (all by default), other words at its head, a last line, and brief words."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(about or self.description)
        for title, actions in self.sections():
            formatter.start_section(title)
            formatter.add_arguments(
                [
                    said(action, brief or {})
                    for action in actions
                    if not shown or action.dest in shown
                ]
            )
            formatter.end_section()
        formatter.add_text("" if about else self.epilog)
        formatter.add_text(more)
        return formatter.format_help()

    def sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield the options, group by group."""
        for group in self._action_groups:
            yield group.title, group._group_actions

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; an unknown one is an error of the command that it was typed for, with the nearest option."""
        options, strange = self.parse_known_args(args, namespace)
        if strange:
            home = self.commands().get(getattr(options, "command", ""), self)
            home.error(
                f"unrecognized arguments: {' '.join(strange)}. {home.nearest(strange)}".rstrip(". ")
            )
        return options

    def nearest(self, strange: Sequence[str]) -> str:
        """Return what an unknown option may have meant: one of this command, or a part of the table."""
        from socialstats.cli.voices import PARTS

        spellings = [spelling for action in self._actions for spelling in action.option_strings]
        for word in strange:
            part = word.partition("=")[0].lstrip("-").replace("-", "_")
            if part in PARTS and "--map" in spellings and word.startswith("--"):
                return f"Name the column with --map {part}=COLUMN"
            if word.startswith("--") and (near := meant(word.partition("=")[0], spellings)):
                return near.strip()
        return ""

    def commands(self) -> dict[str, Parser]:
        """Return the parsers of commands, by name."""
        subparsers = (
            action.choices
            for action in self._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        return {name: parser for choices in subparsers for name, parser in choices.items()}

    def error(self, message: str) -> NoReturn:
        """Print usage and the error; exit 2."""
        self.print_usage()
        self.exit(2, f"error: {message}\n")

    def print_usage(self, file: Any = None) -> None:
        """Print the usage line to stderr: stdout carries results only."""
        super().print_usage(file or sys.stderr)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is no choice of an option, or no command, with the nearest that is."""
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            near = meant(str(value), choices)
            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}. {near}Choose from {', '.join(choices)}"
            )

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an option, also ``--``: ``--na=--`` names a label. Python before 3.13 drops it."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)


def said(action: argparse.Action, brief: Mapping[str, str]) -> argparse.Action:
    """Return an option with the words of short help, where it has them."""
    copied = copy.copy(action)
    copied.help = brief.get(action.dest, action.help)
    return copied


class HelpAll(argparse.Action):
    """``--help-all``: every option."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the whole help and leave."""
        assert isinstance(parser, Parser)
        sys.stdout.write(parser.help_of())
        parser.exit()


class StudyHelp(argparse.Action):
    """``--help`` of a command that runs studies: the short one, or after ``--study NAME`` what else the study takes."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *_: Any
    ) -> None:
        """Print help and leave."""
        assert isinstance(parser, Parser)
        if namespace.study is None:
            sys.stdout.write(parser.format_help())
        else:
            from socialstats.cli.idle import about, takes
            from socialstats.studies import STUDIES
            from socialstats.studies.page import named

            try:
                study = named(STUDIES, namespace.study)
            except InputError as error:
                parser.error(str(error))
            idle = {key for key in SETTINGS if not takes(study, key)}
            shown = {action.dest for action in parser._actions} - idle - {*parser.everyday}
            sys.stdout.write(parser.help_of(shown, about(study)))
        parser.exit()
