"""What the commands audit and validate print: the options that say how, and the file or stdout that it goes to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from socialstats.cli.options import Output
from socialstats.errors import InputError
from socialstats.text import listing

FORMATS = ("text", "html", "md", "json")
SUFFIXES = {
    ".txt": "text", ".json": "json", ".md": "md", ".html": "html", ".htm": "html", ".csv": "csv", ".tex": "latex",
}  # fmt: skip


def add_output(add: Callable[..., Any]) -> None:
    """Add the options that name format and file."""
    add("--format", choices=FORMATS, help="default: text, or by the name of -o")
    add("-o", "--output", metavar="FILE", type=Output, help="file to write (default: stdout)")


def format_of(target: str | None, given: str | None, known: Sequence[str]) -> str:
    """Return the format of an output: the one given, or that of the suffix of its file, or text.

    Parameters
    ----------
    target, given : str or None
        Of ``-o`` and ``--format``.
    known : sequence of str
        Formats that the command writes.

    Raises
    ------
    InputError
        For a suffix of a format that the command does not write.

    Examples
    --------
    >>> format_of("out.tex", None, ["text", "latex"]), format_of("out.tex", "text", ["text", "latex"])
    ('latex', 'text')
    """
    kind = given or SUFFIXES.get(Path(target or "-").suffix.lower(), "text")
    if kind in known:
        return kind
    ends = listing([end for end, name in SUFFIXES.items() if name in known], 9)
    raise InputError(f"-o {target}: this command writes no {kind}. Name a file that ends in {ends}, or say --format")


def write(options: argparse.Namespace, rendered: Callable[[str, bool], str]) -> None:
    """Write an outcome to the file or stdout.

    Parameters
    ----------
    options : argparse.Namespace
        With those of `add_output`.
    rendered : callable
        Makes the text: one of `FORMATS`, and whether headings are in colour.
    """
    from socialstats.tables.writing import NUMBERS, PAGE, text_like, write_whole

    target = options.output or "-"
    kind = format_of(target, options.format, FORMATS)
    if target == "-":
        if kind == "html" and sys.stdout.isatty():
            raise InputError("not printing HTML to a terminal; name a file with -o")
        sys.stdout.write(rendered(kind, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
        return
    content = rendered(kind, False)
    write_whole(target, content, {"html": PAGE, "json": NUMBERS}.get(kind) or text_like(content))
    print(f"wrote {Path(target).resolve()}", file=sys.stderr)
