"""Labels that readers take for one: equal but for case, spaces, invisible characters, Unicode form or a final .0."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable

from socialstats.tables.aliases import Levels
from socialstats.text import shorten

# they choose the form of the character before, in no category
SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
MOST_POINTS = 5
INTEGER = re.compile(r"-?\d+\.0")


def spelling_key(label: str) -> str:
    r"""Return a label without what readers overlook: case, white space, invisible characters, Unicode form, a final .0.

    The Unicode form is that of compatibility (NFKC: Unicode Standard Annex 15). Invisible are the format characters
    (category Cf: zero-width spaces and joiners, marks of direction) and variation selectors. A whole number ends in .0
    where a program wrote a column with missing values.

    Examples
    --------
    >>> spelling_key(" The  Nurse"), spelling_key("A\u200b"), spelling_key("3.0")
    ('the nurse', 'a', '3')
    >>> spelling_key("cafe\u0301") == spelling_key("caf\u00e9")
    True
    """
    if label.isascii():
        key = " ".join(label.split()).casefold()
    else:
        label = unicodedata.normalize("NFKC", _without_invisible(label))
        key = unicodedata.normalize("NFKC", " ".join(label.split()).casefold())
    return key[:-2] if key.endswith(".0") and INTEGER.fullmatch(key) else key


def _without_invisible(label: str) -> str:
    return "".join(ch for ch in label if not _invisible(ch))


def _invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or character in SELECTORS


def twins(labels: Iterable[str]) -> list[Levels]:
    """Return groups of labels that are equal but for what `spelling_key` takes away.

    Examples
    --------
    >>> twins(["Nurse", "nurse ", "judge"])
    [('Nurse', 'nurse ')]
    """
    labels = list(labels)
    forms = list(map(spelling_key, labels))
    # as in nearly all tables
    if len(set(forms)) == len(forms):
        return []
    groups: dict[str, list[str]] = {}
    for form, label in zip(forms, labels, strict=True):
        groups.setdefault(form, []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def spelled_alike(labels: Iterable[str]) -> list[str]:
    """Return each group of `twins`, its labels in quotes.

    Examples
    --------
    >>> spelled_alike(["yes", "Yes", "no"])
    ["'yes' = 'Yes'"]
    """
    return [
        " = ".join(told_apart(label, group[label == group[0]]) for label in group)
        for group in twins(labels)
    ]


def told_apart(label: str, other: str) -> str:
    r"""Return a label in quotes, with the code points that make it differ from another one of the same looks.

    Examples
    --------
    >>> told_apart("A\u200b", "A"), told_apart("nurse ", "Nurse")
    ("'A' (U+200B at the end)", "'nurse '")
    """
    points = []
    for _, start, end, begin, stop in difflib.SequenceMatcher(
        None, label, other, autojunk=False
    ).get_opcodes():
        mine, theirs = label[start:end], other[begin:stop]
        characters = mine + theirs
        if mine != theirs and mine and not (characters.isascii() and characters.isprintable()):
            place = " at the end" if end == len(label) and all(map(_invisible, mine)) else ""
            points.append(" ".join(f"U+{ord(ch):04X}" for ch in mine[:MOST_POINTS]) + place)
    return f"'{shorten(_without_invisible(label))}'" + (
        f" ({', '.join(points[:MOST_POINTS])})" if points else ""
    )
