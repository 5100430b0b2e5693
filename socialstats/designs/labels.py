"""Labels that are probably the same thing, spelled twice."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from socialstats import text
from socialstats.designs.parts import Factor
from socialstats.errors import Caution, caution

SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))  # they choose the form of the character before, in no category
MOST_POINTS = 5


def plain(label: str) -> str:
    r"""Return a label without what readers overlook: case, white space, invisible characters and Unicode form.

    Unicode form is that of compatibility (NFKC: Unicode Standard Annex 15), invisible are the format characters
    (category Cf: zero-width spaces and joiners, marks of direction) and variation selectors.

    Examples
    --------
    >>> plain(" The  Nurse"), plain("cafe\u0301") == plain("caf\u00e9"), plain("A\u200b")
    ('the nurse', True, 'a')
    """
    if not label.isascii():
        label = unicodedata.normalize("NFKC", "".join(ch for ch in label if not _invisible(ch)))
    return unicodedata.normalize("NFKC", " ".join(label.split()).casefold())


def _invisible(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or character in SELECTORS


def twins(labels: Iterable[str]) -> list[tuple[str, ...]]:
    """Return groups of labels that are equal but for what `plain` takes away.

    Examples
    --------
    >>> twins(["Nurse", "nurse ", "judge"])
    [('Nurse', 'nurse ')]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(plain(label), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def told_apart(label: str, other: str) -> str:
    r"""Return a label in quotes, with the code points that make it differ from another one of the same looks.

    Examples
    --------
    >>> told_apart("A\u200b", "A"), told_apart("nurse ", "Nurse")
    ("'A' (U+200B at the end)", "'nurse '")
    """
    found = []
    for _, start, end, begin, stop in difflib.SequenceMatcher(None, label, other, autojunk=False).get_opcodes():
        mine, theirs = label[start:end], other[begin:stop]
        both = mine + theirs
        if mine != theirs and mine and not (both.isascii() and both.isprintable()):
            place = " at the end" if end == len(label) and all(map(_invisible, mine)) else ""
            found.append(" ".join(f"U+{ord(ch):04X}" for ch in mine[:MOST_POINTS]) + place)
    shown = "".join(ch for ch in label if not _invisible(ch))
    return f"'{text.shorten(shown)}'" + (f" ({', '.join(found[:MOST_POINTS])})" if found else "")


def label_cautions(columns: Mapping[str, Sequence[str]], factors: Iterable[Factor | None] = ()) -> list[Caution]:
    """Return caution SS306 for each kind of label, and each column, with labels that are nearly identical.

    Parameters
    ----------
    columns : mapping of str to sequence of str
        What the labels are -> the labels.
    factors : iterable of Factor or None
        Columns of labels that a design keeps beside them (by, clusters, strata).
    """
    found = []
    known = [factor for factor in factors if factor is not None]
    for factor in known:
        if factor.mixed:
            found.append(caution(
                "SS306", f"column '{text.shorten(factor.name)}': {text.quoted(factor.mixed)}",
                fix="Write them in one way", affects="every number of these labels",
                short="a number and a text of the same looks are one label",
            ))  # fmt: skip
    named = {f"column '{text.shorten(factor.name)}'": factor.levels for factor in known}
    for name, labels in {**columns, **named}.items():
        groups = [" = ".join(told_apart(label, group[label == group[0]]) for label in group) for group in twins(labels)]
        if groups:
            fix = "Give one thing one spelling; labels are used exactly as they are written"
            detail = f"{name}: {text.listing(groups, most=5)}"
            found.append(caution("SS306", detail, affects="every number of these labels", fix=fix))
    return found
