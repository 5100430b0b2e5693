"""The options that commands share: how a table is read, and what is computed. Imports nothing heavy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from socialstats.cli.helping import Parser, StudyHelp
from socialstats.designs.aliases import Fields
from socialstats.designs.settings import (
    COMPUTED_BY_JOB,
    HOLDS,
    READ_BY_JOB,
    REPEATED,
    SETTINGS,
    Setting,
)

KNOWN = "csv, tsv, jsonl, json, parquet, feather, dta, sav, ods, xlsx or FILE.xlsx:SHEET, gzipped or not; - for stdin"
OTHERS = """more options, by study: socialstats {command} --study NAME --help ('socialstats studies' has the names)
every option: socialstats {command} --help-all"""
SEVERAL = f"{KNOWN}; or several alike, or logs of harnesses"
EVERYDAY = tuple(key for key, one in SETTINGS.items() if one.everyday)
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods")
PRINTED = ("text", "html", "md", "json")  # forms of what a command prints

# kinds of settings that argparse converts, so that its error names the option
TYPED = ("whole", "number")


class Output(str):
    """The name of a file that a command writes, as it was typed; its other words may name what it reads."""

    __slots__ = ()


def words_of(options: Mapping[str, object]) -> list[str]:
    """Return every word of the options that may name a file that is read."""
    several = [value if isinstance(value, list | tuple) else [value] for value in options.values()]
    return [
        word
        for words in several
        for word in words
        if isinstance(word, str) and not isinstance(word, Output)
    ]


class Files(argparse.Action):
    """The files of a command: the first as ``data``, the others as ``more``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        """Store the files."""
        namespace.data, namespace.more = (values[0] if values else None), tuple(values[1:])


def add_setting(add: Callable[..., Any], setting: Setting) -> None:
    """Add the option of a setting of a table."""
    how: Fields = {"metavar": setting.metavar}
    if setting.choices:
        how = {"choices": setting.choices.split()}
    if setting.kind in TYPED:
        how["type"] = HOLDS[setting.kind]
    if setting.kind in REPEATED:
        how["action"] = "append"
    if setting.kind == "switch":
        how = {"action": "store_const", "const": True}
    about = setting.help or argparse.SUPPRESS
    add(setting.option, dest=setting.key, help=about, **how)


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Add the options of how files are written, where a command writes files; no option replaces a log."""
    if (
        any(action.type is Output for action in parser._actions)
        and parser.get_default("overwrite") is None
    ):
        parser.add_argument(
            "--overwrite", action="store_true", help="replace files of other kinds, but never a log"
        )
        parser.add_argument(
            "--keep-formulas",
            action="store_true",
            help="in csv, no apostrophe before texts that begin with = + - @",
        )


def add_output(add: Callable[..., Any], formats: Sequence[str] = PRINTED) -> None:
    """Add the options that name format and file."""
    add("--format", choices=formats, help="default: text, or by the name of -o")
    add("-o", "--output", metavar="FILE", type=Output, help="file to write (default: stdout)")


def add_data(parser: Parser, *, several: bool = False) -> None:
    """Add the table (or several), and how its rows and columns are read."""
    for title, settings in READ_BY_JOB.items():
        add = parser.add_argument_group(title).add_argument
        if "data" not in {action.dest for action in parser._actions}:
            several_or_one = (
                {"nargs": "*", "action": Files, "help": SEVERAL} if several else {"help": KNOWN}
            )
            add("data", metavar="DATA", **several_or_one)
            add(
                "--input-format",
                help="format of the file (default: by name, then content)",
                choices=FORMATS,
            )
        for setting in settings:
            add_setting(add, setting)


def add_analysis(parser: Parser) -> None:
    """Add what is computed: study, plan, and the choices of the metrics; and help by study."""
    for title, settings in COMPUTED_BY_JOB.items():
        add = parser.add_argument_group(title).add_argument
        if "plan" not in {action.dest for action in parser._actions}:
            add(
                "--plan",
                metavar="FILE",
                help="plan file (TOML); options override it, and are listed as deviations",
            )
        for setting in settings:
            add_setting(add, setting)
    parser.add_argument(
        "-h", "--help", action=StudyHelp, nargs=0, help="after --study NAME: what else it takes"
    )


def day(word: str) -> str:
    """Return a date as it was typed.

    Raises
    ------
    argparse.ArgumentTypeError
        For anything but a day of the calendar as YYYY-MM-DD.

    Examples
    --------
    >>> day("2026-02-28")
    '2026-02-28'
    >>> day("2026-02-30")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: '2026-02-30' is no day written YYYY-MM-DD, such as 2026-01-31
    """
    try:
        if date.fromisoformat(word).isoformat() == word:
            return word
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(
        f"{word[:40]!r} is no day written YYYY-MM-DD, such as 2026-01-31"
    )
