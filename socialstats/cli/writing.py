"""What the commands audit and validate print: the options that say how, and the file or stdout that it goes to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from socialstats.errors import InputError

FORMATS = ("text", "html", "md", "json")
SUFFIXES = {".json": "json", ".md": "md", ".html": "html", ".htm": "html"}


def add_output(add: Callable[..., Any]) -> None:
    """Add the options that name format and file."""
    add("--format", choices=FORMATS, help="default: text, or by the name of -o")
    add("-o", "--output", metavar="FILE", help="file to write (default: stdout)")


def write(options: argparse.Namespace, inputs: Sequence[str | None], rendered: Callable[[str, bool], str]) -> None:
    """Write an outcome to the file or stdout.

    Parameters
    ----------
    options : argparse.Namespace
        With those of `add_output`.
    inputs : sequence of str or None
        Files that were read: none of them is overwritten.
    rendered : callable
        Makes the text: one of `FORMATS`, and whether headings are in colour.
    """
    target = options.output or "-"
    kind = options.format or SUFFIXES.get(Path(target).suffix.lower(), "text")
    if target == "-":
        if kind == "html" and sys.stdout.isatty():
            raise InputError("not printing HTML to a terminal; name a file with -o")
        sys.stdout.write(rendered(kind, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
        return
    if Path(target).is_dir() or Path(target).resolve() in [Path(n).resolve() for n in inputs if n and n != "-"]:
        raise InputError(f"{target} is an input, or a folder: name another file with -o")
    Path(target).write_text(rendered(kind, False), encoding="utf-8")
    print(f"wrote {Path(target).resolve()}", file=sys.stderr)
