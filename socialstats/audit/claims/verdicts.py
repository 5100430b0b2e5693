"""Verdicts on printed numbers, and how they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from socialstats.text import count, listing

if TYPE_CHECKING:
    from socialstats.audit.claims.judged import Judged


@dataclass(frozen=True, slots=True)
class Words:
    """How a verdict is said: of one number, of several, as a heading, in a cell of a table, in a terminal's colour."""

    one: str
    many: str
    heading: str
    cell: str
    color: str


Verdict = Literal["reproduced", "explained", "not_reproduced", "not_computable", "inconsistent"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SAID: dict[Verdict, Words] = {
    "reproduced": Words("stands", "stand", "Stand", "stands", "32"),
    "explained": Words(
        "rests on another definition",
        "rest on another definition",
        "Rest on another definition",
        "another definition",
        "33",
    ),
    "not_reproduced": Words(
        "is not reproduced", "are not reproduced", "Not reproduced", "not reproduced", "31"
    ),
    "inconsistent": Words(
        "is inconsistent with the log itself",
        "are inconsistent with the log itself",
        "Inconsistent with the log itself",
        "inconsistent",
        "31",
    ),
    "not_computable": Words(
        "cannot be recomputed",
        "cannot be recomputed",
        "Cannot be recomputed",
        "cannot be recomputed",
        "2",
    ),
}
SHOWN: tuple[Verdict, ...] = (
    "inconsistent",
    "not_reproduced",
    "explained",
    "reproduced",
    "not_computable",
)
"""In the order of the output: what needs attention first."""
WRONG = ("not_reproduced", "inconsistent")
SHOWN_DIGITS = 6


def headline(judged: Sequence[Judged]) -> str:
    """State how many numbers stand.

    Examples
    --------
    >>> headline([])
    'No numbers to check.'
    """
    if not judged:
        return "No numbers to check."
    total = len(judged)
    counts = Counter(one.verdict for one in judged)
    if counts["reproduced"] == total:
        return {1: "The one number stands.", 2: "Both numbers stand."}.get(
            total, f"All {total:,} numbers stand."
        )
    said = [
        f"{counts[verdict]:,} {words.one if counts[verdict] == 1 else words.many}"
        for verdict, words in SAID.items()
        if counts[verdict] and verdict != "reproduced"
    ]
    return f"{counts['reproduced']:,} of {count(total, 'number')} stand{'s' if total == 1 else ''}; {listing(said)}."


def digits(value: float | None) -> str:
    """Write a number with six significant digits.

    Examples
    --------
    >>> digits(0.11063265039459795), digits(0.75), digits(None)
    ('0.110633', '0.75', '—')
    """
    return "\u2014" if value is None else f"{value:.{SHOWN_DIGITS}g}".replace("-", "\u2212")
