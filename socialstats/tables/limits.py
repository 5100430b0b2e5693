"""Limits of what is read, all in one place; a setting in the environment changes them.

A file or stream beyond a limit is an error that names the limit. Honest tables stay far below all of them.
The limits are there for files that unpack to a thousand times their size, and for streams that never end.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from socialstats.errors import InputError, Problem
from socialstats.text import count, listing, meant, shorten

VARIABLE = "SOCIALSTATS_LIMITS"
# bytes after unpacking up to which no ratio is too high: small files of one value pack well
RATIO_FROM = 1 << 26


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit.

    Attributes
    ----------
    default : float
    beyond : str
        What is wrong with an input beyond it; ``{}`` stands for the number.
    """

    default: float
    beyond: str


LIMITS: Mapping[str, Limit] = {
    "bytes": Limit(2**35, "it holds more than {} bytes, counted after unpacking"),
    "ratio": Limit(
        400,
        "it unpacks to more than {} times its size, as files do that are made to fill the memory",
    ),
    "stream": Limit(4e9, "more than {} bytes came, and no end"),
    "seconds": Limit(3600, "it did not end within {} seconds"),
    "writer": Limit(30, "no program wrote to this pipe within {} seconds"),
    "length": Limit(2**29, "a line, or a single value, has more than {} bytes"),
    "rows": Limit(1e10, "it has more than {} rows"),
    "columns": Limit(50_000, "it has more than {} columns"),
    "name": Limit(10_000, "a column has a name of more than {} characters"),
    "cells": Limit(1e7, "its rows and columns make more than {} cells"),
    "depth": Limit(200, "lists or objects are nested more than {} deep"),
    "files": Limit(1e6, "there are more than {} files"),
    "document": Limit(50e6, "a document of more than {} bytes"),
    "characters": Limit(5e6, "it has more than {} characters"),
    "pages": Limit(400, "it has more than {} pages"),
}


def limit(name: str) -> float:
    """Return a limit: the one set in the environment, else the default.

    Raises
    ------
    InputError
        If the setting names no limit, or holds no number above 0.

    Examples
    --------
    >>> limit("columns"), limit("depth")
    (50000, 200)
    """
    return _settings(os.environ.get(VARIABLE, ""))[name]


@cache
def _settings(text: str) -> dict[str, float]:
    """Return every limit under a setting such as ``bytes=1e12,rows=1e11``."""
    limits = {name: allowed.default for name, allowed in LIMITS.items()}
    for entry in filter(None, map(str.strip, text.split(","))):
        name, _, value = map(str.strip, entry.partition("="))
        if name not in limits:
            fix = f"{meant(name, LIMITS)}Limits: {listing([*LIMITS], len(LIMITS))}"
            raise InputError(
                Problem(message=f"{VARIABLE}: there is no limit '{shorten(name)}'", fix=fix)
            )
        try:
            limits[name] = float(value)
        except ValueError:
            limits[name] = 0.0
        if not limits[name] > 0:
            fix = f"Write a number above 0, such as {name}={2 * LIMITS[name].default:g}"
            raise InputError(
                Problem(message=f"{VARIABLE}: '{shorten(entry)}' sets no limit", fix=fix)
            )
    return limits


def exceeded(
    name: str, source: str, *, size: float = 0, line: int = 0, fix: str = ""
) -> InputError:
    """Return the error of an input beyond a limit, which says how to raise the limit.

    Parameters
    ----------
    name : str
        Of the limit.
    source : str
        Name of the file.
    size : float
        Size of the input, where it is known.
    line : int
        Where it happens; 0 where no line is meant.
    fix : str
        What may be done in place of raising the limit.

    Examples
    --------
    >>> print(exceeded("columns", "wide.csv"))
    wide.csv: it has more than 50,000 columns (limit 'columns'). If that is meant, set SOCIALSTATS_LIMITS=columns=500000
    in the environment
    """
    number = limit(name)
    raised = (
        f"If that is meant, set {VARIABLE}={name}={max(10 * number, size):.15g} in the environment"
    )
    message = f"{LIMITS[name].beyond.format(count(number))} (limit '{name}')"
    lines = (line,) if line else ()
    return InputError(
        Problem(
            message=message, source=source, lines=lines, fix=f"{fix}. {raised}" if fix else raised
        )
    )


def check_limit(name: str, size: float, source: str, *, fix: str = "") -> None:
    """Refuse a size beyond a limit.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_limit("rows", 1_000_000, "votes.csv")
    """
    if size > limit(name):
        raise exceeded(name, source, size=size, fix=fix)


def depth_of(value: object) -> int:
    """Return how deep lists and objects are nested in each other; 0 for a plain value.

    Examples
    --------
    >>> depth_of(1), depth_of([1]), depth_of({"a": [{"b": 2}]})
    (0, 1, 3)
    """
    level, depth = [value], 0
    while nested := [value for value in level if isinstance(value, list | dict)]:
        level = [
            child
            for value in nested
            for child in (value.values() if isinstance(value, dict) else value)
        ]
        depth += 1
    return depth
