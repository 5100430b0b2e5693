"""The options that commands share: how a table is read, and what is computed. Imports nothing heavy."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from socialstats.cli.settings import BESIDE, COMPUTED, READ

KNOWN = (
    "csv, tsv, jsonl, json, parquet, feather, Stata (.dta), SPSS (.sav), .xlsx or .ods (of several sheets "
    "FILE.xlsx:SHEET), gzipped or not; - for stdin"
)
SEVERAL = f"{KNOWN}; several tables of the same columns, or logs of harnesses (see convert), are read together"
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods")


class Output(str):
    """The name of a file that a command writes, as it was typed; its other words may name what it reads."""

    __slots__ = ()


def words_of(options: Mapping[str, object]) -> list[str]:
    """Return every word of the options that may name a file that is read."""
    several = [value if isinstance(value, list | tuple) else [value] for value in options.values()]
    return [word for words in several for word in words if isinstance(word, str) and not isinstance(word, Output)]


def add_command(commands: Any, name: str, run: str, about: str, epilog: str) -> Callable[..., Any]:
    """Add a command with its examples, and the function that runs it; return what adds its options."""
    parser = commands.add_parser(
        name,
        help=about,
        description=about,
        epilog=epilog,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=f"socialstats.cli.{run}")
    add: Callable[..., Any] = parser.add_argument
    return add


class Files(argparse.Action):
    """The files of a command: the first as ``data``, the others as ``more``."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:  # fmt: skip
        """Store the files."""
        namespace.data, namespace.more = (values[0] if values else None), tuple(values[1:])


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Add the options of how files are written, where a command writes files; no option replaces a log."""
    if any(action.type is Output for action in parser._actions) and parser.get_default("overwrite") is None:
        parser.add_argument("--overwrite", action="store_true", help="replace files of other kinds, but never a log")
        parser.add_argument("--keep-formulas", action="store_true",
                            help="in csv, no apostrophe before texts that begin with = + - @")  # fmt: skip


def add_data(add: Callable[..., Any], *, several: bool = False) -> None:
    """Add the table (or several), and how its rows and columns are read."""
    if several:
        add("data", nargs="*", metavar="DATA", action=Files, help=SEVERAL)
    else:
        add("data", metavar="DATA", help=KNOWN)
    for one in READ:
        one.add(add)
    add("--input-format", help="default: by name, then content", choices=FORMATS)


def add_analysis(add: Callable[..., Any]) -> None:
    """Add what is computed: study, plan, and the choices of the metrics."""
    add("--plan", metavar="FILE",
        help="plan file (TOML); options given here override it and are listed as deviations")  # fmt: skip
    for one in (*COMPUTED, *BESIDE):
        one.add(add)


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
    raise argparse.ArgumentTypeError(f"{word[:40]!r} is no day written YYYY-MM-DD, such as 2026-01-31")
