"""Where the numbers of an interval stand on a number line: over no reference line where there is a free place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from socialstats.figures import style

APART = 9.0  # points between an interval and its numbers
AROUND = 3.0  # points that a text keeps free of a line
BOLD = 1.14  # how much wider bold text is


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The numbers of an estimate or claim: left end and width in points, and where they stand at the interval."""

    text: str
    start: float = 0.0
    wide: float = 0.0
    where: Literal["right", "left", "above", "alone"] = "alone"

    @property
    def lines(self) -> int:
        """How many lines the mark takes with its numbers."""
        own = self.text.count("\n") + 1
        return own + 1 if self.where == "above" else own


def place_note(
    label: str,
    numbers: str,
    interval: tuple[float, float],
    *,
    lines: Sequence[float] = (),
    room: float,
) -> Note:
    """Place a label and its numbers beside an interval where they fit and cross no line, else above it.

    Parameters
    ----------
    label, numbers : str
        Literal texts; they take a line each where both do not fit on one.
    interval : (low, high)
        Ends of the interval, in points from the left.
    lines : sequence of float
        Where the reference lines are, in points.
    room : float
        Width of the axis in points.

    Examples
    --------
    >>> place_note("S", "41.6", (180.0, 190.0), lines=[200.0], room=500.0).where
    'left'
    >>> place_note("S", "41.6", (20.0, 190.0), lines=[200.0], room=500.0).where
    'above'
    """
    found = []
    for text in (f"{label}  {numbers}", f"{label}\n{numbers}"):
        wide = BOLD * max(style.text_width(line) for line in text.split("\n"))
        found += [
            Note(text=text, start=start, wide=wide, where=where)
            for where, start in _spots(interval, wide, lines, room)
        ]
    free = [note for note in found if not _crossed(note.start, note.wide, lines)]
    inside = [note for note in found if note.wide <= room]
    return next(iter(free or inside or found))


def _spots(
    interval: tuple[float, float], wide: float, lines: Sequence[float], room: float
) -> list[tuple[Literal["right", "left", "above"], float]]:
    """Return the places inside the axis for a text: at the right and at the left of an interval, and above it."""
    low, high = interval
    above = free_start(0.5 * (low + high - wide), wide, lines, room)
    beside: list[tuple[Literal["right", "left", "above"], float]] = [
        ("right", high + APART),
        ("left", low - APART - wide),
    ]
    return [(where, start) for where, start in beside if start >= 0 and start + wide <= room] + [
        ("above", above)
    ]


def free_start(wanted: float, wide: float, lines: Sequence[float], room: float) -> float:
    """Return the place nearest to the wanted one where a text crosses no line; the wanted one where none is free.

    Examples
    --------
    >>> free_start(90.0, 40.0, [100.0], 300.0), free_start(90.0, 250.0, [100.0], 300.0)
    (103.0, 50.0)
    """
    inside = min(max(wanted, 0.0), max(room - wide, 0.0))
    edges = [-AROUND, *sorted(lines), room + AROUND]
    gaps = [(a + AROUND, b - AROUND - wide) for a, b in pairwise(edges)]
    free = [min(max(inside, first), last) for first, last in gaps if first <= last]
    return min(free, key=lambda start: (abs(start - inside), start), default=inside)


def _crossed(start: float, wide: float, lines: Sequence[float]) -> bool:
    """Return whether a line runs through a text, or touches it."""
    return any(start - AROUND < line < start + wide + AROUND for line in lines)
