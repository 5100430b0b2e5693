"""Where the numbers of an interval stand on a number line: over no reference line where there is a free place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    label: str, numbers: str, interval: tuple[float, float], *, lines: Sequence[float] = (), room: float
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
    text = f"{label}  {numbers}"
    wide = BOLD * style.text_width(text)
    if wide > room - 4 and label:
        text = f"{label}\n{numbers}"
        wide = BOLD * max(style.text_width(label), style.text_width(numbers))
    low, high = interval
    beside = {"right": high + APART, "left": low - APART - wide}
    fits = {side: start for side, start in beside.items() if 0 <= start and start + wide <= room}
    for side, start in fits.items():
        if not _crossed(start, wide, lines):
            return Note(text=text, start=start, wide=wide, where="right" if side == "right" else "left")
    start = free_start(0.5 * (low + high - wide), wide, lines, room)
    if _crossed(start, wide, lines) and fits:
        side, start = next(iter(fits.items()))
        return Note(text=text, start=start, wide=wide, where="right" if side == "right" else "left")
    return Note(text=text, start=start, wide=wide, where="above")


def free_start(wanted: float, wide: float, lines: Sequence[float], room: float) -> float:
    """Return the place nearest to the wanted one where a text crosses no line; the wanted one where none is free.

    Examples
    --------
    >>> free_start(90.0, 40.0, [100.0], 300.0), free_start(90.0, 250.0, [100.0], 300.0)
    (103.0, 50.0)
    """
    inside = min(max(wanted, 0.0), max(room - wide, 0.0))
    edges = [-AROUND, *sorted(lines), room + AROUND]
    gaps = [(a + AROUND, b - AROUND - wide) for a, b in zip(edges, edges[1:], strict=False)]
    free = [min(max(inside, first), last) for first, last in gaps if first <= last]
    return min(free, key=lambda start: (abs(start - inside), start), default=inside)


def _crossed(start: float, wide: float, lines: Sequence[float]) -> bool:
    """Tell whether a line runs through a text, or touches it."""
    return any(start - AROUND < line < start + wide + AROUND for line in lines)
