"""Lines of a rules file: TOML readers do not tell them, so they are found again in its text."""

from __future__ import annotations

import re

HEADER = re.compile(r"\s*\[(?P<many>\[)?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
WORD = re.compile(r"[\w-]+")


def line_of_rule(text: str, number: int, rules: int, message: str) -> int:
    """Return the line of the key that a message about a rule names first, or of its ``[[rule]]``.

    Parameters
    ----------
    text : str
        The rules file.
    number, rules : int
        Which rule (from 1) of how many.
    message : str

    Returns
    -------
    int
        From 1; 0 where the rule cannot be found for certain.

    Examples
    --------
    >>> line_of_rule('[[rule]]\\ncheck = "grim"\\nmeen = "m"\\n', 1, 1, "rule 1: unknown key 'meen'")
    3
    """
    lines = text.splitlines()
    heads = [(i, found) for i, line in enumerate(lines) if (found := HEADER.fullmatch(line))]
    starts = [i for i, found in heads if found["many"] and found["name"] == "rule"]
    if len(starts) != rules or not 1 <= number <= rules:
        return 0
    first = starts[number - 1]
    last = next((i for i, found in heads if i > first and not found["name"].startswith("rule.")), len(lines))
    return _named(lines, first, last, message) or first + 1


def line_of_table(text: str, name: str, message: str) -> int:
    """Return the line where a table is named, or of the key of it that a message names first; 0 if not found.

    Examples
    --------
    >>> line_of_table('[tables]\\nt3 = { file = 3 }\\n', "t3", "file must be a file name")
    2
    """
    lines = text.splitlines()
    for i, line in enumerate(lines):
        found = HEADER.fullmatch(line)
        if found and found["name"].replace('"', "") == f"tables.{name}":
            last = next((j for j in range(i + 1, len(lines)) if HEADER.fullmatch(lines[j])), len(lines))
            return _named(lines, i, last, message) or i + 1
    start = next((i for i, line in enumerate(lines) if (h := HEADER.fullmatch(line)) and h["name"] == "tables"), None)
    return 0 if start is None else _named(lines, start, len(lines), name)


def _named(lines: list[str], first: int, last: int, message: str) -> int:
    """Return the line, between two, of the first word of a message that is a key there; 0 where none is."""
    for word in WORD.findall(message):
        key = re.compile(rf"\s*[\"']?{re.escape(word)}[\"']?\s*[.=]")
        for i in range(first, last):
            if key.match(lines[i]):
                return i + 1
    return 0
