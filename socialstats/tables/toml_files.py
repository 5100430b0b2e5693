"""TOML files of rules, claims and runs: read, and checked by one walk against what each key may hold."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

from socialstats.errors import InputError, Problem
from socialstats.tables.aliases import Texts
from socialstats.tables.sources import small_file
from socialstats.text import meant, shorten

Fixes = Mapping[str, str] | None
Allowed = Mapping[str, Any]
"""What a table may hold by name (``*``: any other name). It is a type or a union of them, a tuple of values, a table or
a `Column`. ``[kind]`` allows one or a list of a kind, ``[kind, kind, ...]`` any of several kinds, `object` anything. A
text says why a key cannot be set."""
PLAIN = {
    str: "text",
    int: "a whole number",
    float: "a number",
    dict: "a table",
    list: "a list",
    bool: "true or false",
}


MOST_NAMED = 20
# selects rows by column: a label, labels, or others
FILTER: Any = [
    str | int | float | bool | list,
    {"not": object},
]
HEADER = re.compile(r"\s*\[(?P<many>\[)?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A name of one of a table's columns."""

    table: str
    known: Texts


def read_toml(
    path: str | os.PathLike[str], parse_float: Callable[[str], Any] = float
) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of a TOML file and what it holds.

    Raises
    ------
    InputError
        For text that is not TOML in UTF-8.
    """
    raw = small_file(Path(path))
    return raw, toml_of(raw, str(path), parse_float)


def toml_of(raw: bytes, source: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return what the bytes of a TOML file hold.

    Raises
    ------
    InputError
        For text that is not TOML in UTF-8, or is nested too deep.
    """
    try:
        return tomllib.loads(raw.decode("utf-8-sig"), parse_float=parse_float)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise InputError(Problem(source=source, message=f"not a TOML file: {why}")) from error


def line_of_key(text: str, section: str, message: str, nth: int = 0, of: int = 1) -> int:
    """Return the line of the key of a section that a message names first, or of the section's head.

    Parameters
    ----------
    text : str
        The file.
    section : str
        As in its head: ``rule``, ``tables.t3``; the keys of the latter may stand in ``[tables]``.
    message : str
    nth, of : int
        Which section of that name (from 0), of how many.

    Returns
    -------
    int
        From 1; 0 where the section cannot be found for certain.

    Examples
    --------
    >>> line_of_key('[[rule]]\\ncheck = "grim"\\nmeen = "m"\\n', "rule", "rule 1: unknown key 'meen'")
    3
    >>> line_of_key("[tables]\\nt3 = { file = 3 }\\n", "tables.t3", "file must be a file name")
    2
    """
    lines = text.splitlines()
    heads = [
        (i, found["name"].replace('"', ""))
        for i, line in enumerate(lines)
        if (found := HEADER.fullmatch(line))
    ]
    starts = [i for i, name in heads if name == section]
    outer, _, inner = section.partition(".")
    if inner and not starts:
        starts, message, section = [i for i, name in heads if name == outer], inner, outer
    if len(starts) != of or not 0 <= nth < of:
        return 0
    first = starts[nth]
    last = next(
        (i for i, name in heads if i > first and not name.startswith(f"{section}.")), len(lines)
    )
    for word in WORD.findall(message):
        key = re.compile(rf"\s*[\"']?{re.escape(word)}[\"']?\s*[.=]")
        for i in range(first, last):
            if key.match(lines[i]):
                return i + 1
    return 0 if section != "rule" and message == inner else first + 1


def problem_in(
    source: str, text: str, section: str, message: str, fix: str = "", nth: int = 0, of: int = 1
) -> Problem:
    """Return a problem of a section of a file, with the line of the key that the message names first."""
    line = line_of_key(text, section, message, nth, of)
    return Problem(source=source, lines=(line,) if line else (), message=message, fix=fix)


def wrong_keys(
    values: Mapping[str, Any], allowed: Allowed, where: str = "", needed: Fixes = None
) -> Iterator[Problem]:
    """Yield what is wrong with a table, and with the tables in it.

    Parameters
    ----------
    values, allowed : mapping
    where : str
        What stands before the keys in messages: ``limits.``
    needed : mapping of key to fix
        Keys that must be there wherever they are allowed.

    Examples
    --------
    >>> [str(problem) for problem in wrong_keys({"a": 1, "b": {"c": "x"}}, {"a": str, "b": {"c": ("y", "z")}})]
    ['a = 1 is not text', "b.c = 'x' is not one of y, z"]
    """
    for name in [t for t in needed or () if t in allowed and t not in values]:
        yield Problem(message=f"no {where}{name}", fix=(needed or {})[name])
    for name, value in values.items():
        kind = allowed.get(name, allowed.get("*"))
        if kind is None:
            names = f"{meant(name, allowed)}Known: {', '.join(allowed)}"
            yield Problem(message=f"unknown key '{shorten(where + name)}'", fix=names)
        else:
            yield from wrong_value(f"{where}{name}", value, kind, needed)


def wrong_value(key: str, value: Any, kind: Any, needed: Fixes = None) -> Iterator[Problem]:
    """Yield what is wrong with one value; see `Allowed`."""
    match kind:
        case [t] if isinstance(kind, list):
            for item in value if isinstance(value, list) else [value]:
                yield from wrong_value(key, item, t, needed)
        case list():
            if all(any(wrong_value(key, value, t, needed)) for t in kind):
                fitting = [t for t in kind if isinstance(t, str) or _speaks_to(t, value)]
                expected = " or ".join(str(_unlike(value, t)) for t in kind)
                plain = [Problem(message=f"{key} = {_plain_text(value)} is not {expected}")]
                yield from wrong_value(key, value, fitting[-1], needed) if fitting else plain
        case str():
            yield Problem(message=f"'{key}' is not yours to set", fix=kind)
        case Mapping() if isinstance(value, dict):
            yield from wrong_keys(value, kind, f"{key}.", needed)
        case ColumnName() if isinstance(value, str):
            if value not in kind.known:
                fix = f"{meant(value, kind.known)}Columns: {', '.join(kind.known)}"
                yield Problem(
                    message=f"{key}: table {kind.table} has no column '{shorten(value)}'", fix=fix
                )
        case _ if (like := _unlike(value, kind)) is not None:
            yield Problem(message=f"{key} = {_plain_text(value)} is not {like}")


def _speaks_to(kind: Any, value: Any) -> bool:
    """Whether a kind is a table or a column, and one value per table or a text."""
    match kind:
        case list():
            return _speaks_to(kind[0], value)
        case Mapping():
            return isinstance(value, dict)
    return isinstance(kind, ColumnName) and isinstance(value, str)


def _unlike(value: Any, kind: Any) -> str | None:
    """Return what is wanted in place of a value; None where it fits."""
    match kind:
        case list():
            return _unlike(value, kind[0])
        case tuple():
            names = [_plain_word(t) for t in kind]
            listed = names if len(names) <= MOST_NAMED else [*names[:4], "...", names[-1]]
            fits = any(value == t and isinstance(value, bool) == isinstance(t, bool) for t in kind)
            return None if fits else f"one of {', '.join(listed)}"
        case ColumnName():
            return "a column"
    types = {dict} if isinstance(kind, Mapping) else {*get_args(kind)} or {kind}
    fits = (
        kind is object or type(value) in types or (float in types and type(value) in (int, Decimal))
    )
    return None if fits else " or ".join(PLAIN[t] for t in PLAIN if t in types)


def _plain_word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plain_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else shorten(repr(value))


def toml_value(value: Any) -> str:
    """Write a value as TOML: text, number, list or inline table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    return repr(value)
