"""Verdicts in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.text import count, listing

if TYPE_CHECKING:
    from socialstats.claims.judged import Judged

HEADINGS = {
    "inconsistent": "Inconsistent with the log itself",
    "not_reproduced": "Not reproduced",
    "explained": "Rest on another definition",
    "reproduced": "Stand",
    "not_computable": "Cannot be recomputed",
}
"""In the order of the output: what needs attention first."""
PHRASES = (
    ("reproduced", "stands", "stand"),
    ("explained", "rests on another definition", "rest on another definition"),
    ("not_reproduced", "is not reproduced", "are not reproduced"),
    ("inconsistent", "is inconsistent with the log itself", "are inconsistent with the log itself"),
    ("not_computable", "cannot be recomputed", "cannot be recomputed"),
)


def headline(judged: Sequence[Judged]) -> str:
    """Say how many numbers stand.

    Examples
    --------
    >>> headline([])
    'No numbers to check.'
    """
    if not judged:
        return "No numbers to check."
    total = len(judged)
    counts = {verdict: sum(one.verdict == verdict for one in judged) for verdict, _, _ in PHRASES}
    if counts["reproduced"] == total:
        return {1: "The one number stands.", 2: "Both numbers stand."}.get(total, f"All {total:,} numbers stand.")
    said = [f"{counts[v]:,} {one if counts[v] == 1 else many}" for v, one, many in PHRASES[1:] if counts[v]]
    return f"{counts['reproduced']:,} of {count(total, 'number')} stand{'s' if total == 1 else ''}; {listing(said)}."
