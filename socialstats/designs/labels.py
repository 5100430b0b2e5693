"""Labels that are probably the same thing, spelled twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats import text
from socialstats.errors import Caution, caution


def twins(labels: Sequence[str]) -> list[tuple[str, ...]]:
    """Return groups of labels that differ in nothing but case and white space.

    Examples
    --------
    >>> twins(["Nurse", "nurse ", "judge"])
    [('Nurse', 'nurse ')]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(" ".join(label.split()).casefold(), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def label_cautions(columns: Mapping[str, Sequence[str]]) -> list[Caution]:
    """Return a caution for each kind of label with near-identical spellings."""
    found = []
    for name, labels in columns.items():
        groups = twins(labels)
        if groups:
            shown = text.listing([" = ".join(f"'{text.shorten(label)}'" for label in g) for g in groups], most=5)
            fix = "Give one thing one spelling; labels are used exactly as they are written"
            found.append(caution("SS306", f"{name}: {shown}", affects="every number of these items", fix=fix))
    return found
