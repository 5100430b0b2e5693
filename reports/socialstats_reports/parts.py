"""What the layouts of a drawing are made of: its frame, its texts by their place, and where parts go on a phone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from socialstats.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ANCHOR = re.compile(r"text-anchor:(\w+)")
MEASURED = 8  # texts whose width is looked up (a slow step): the longest
SIZE = re.compile(r"font-size:([\d.]+)px")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """The frame of an Axes, in points from the upper left."""

    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What kind of figure it is (the id of its Axes), its size, its Axes, and the Axes inside these."""

    kind: str
    width: float
    height: float
    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, ax: Axes) -> Frame:
        """Measure an Axes that was drawn."""
        scale = style.POINTS / ax.figure.dpi
        width, height = (float(length) * scale for length in ax.figure.bbox.size)
        found = []
        for one in (ax, *ax.child_axes):
            x0, y0, x1, y1 = (float(edge) * scale for edge in one.get_window_extent().extents)
            found.append(Box(left=x0, right=x1, top=height - y1, bottom=height - y0))
        return cls(kind=str(ax.get_gid() or ""), width=width, height=height, boxes=tuple(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Where a phone puts a part: at (x + across * its x, y + down * its y); `text` is the size of its letters."""

    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0
    text: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The size of the drawing on a phone, and its parts: elements, place, class of the group."""

    width: float
    height: float
    moves: tuple[tuple[list[Element], Move, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts of a figure, by their place around its Axes."""

    names: list[Element]
    heading: list[Element]
    columns: list[Element]
    headings: list[Element]
    ticks: list[Element]
    ends: list[Element]
    turned: list[Element]
    inside: list[Element]
    below: list[Element]

    @classmethod
    def of(cls, texts: Sequence[Element], box: Box) -> Texts:
        """Tell the texts apart.

        Names end at the left of the Axes and columns at their right, both with headings above; ticks stand in the
        middle of something above, what begins at the right are the ends of lines.
        """
        found = cls(names=[], heading=[], columns=[], headings=[], ticks=[], ends=[], turned=[], inside=[], below=[])
        for text in texts:
            x, y = at(text)
            getattr(found, _place(text, x, y, box)).append(text)
        return found


def _place(text: Element, x: float, y: float, box: Box) -> str:
    side, above = anchor(text), y < box.top
    if text.get("transform"):
        return "turned"
    if y > box.bottom:
        return "below"
    if side == "end" and x < box.left:
        return "heading" if above else "names"
    if above:
        return "ticks" if side == "middle" else "headings"
    if x > box.right:
        return "columns" if side == "end" else "ends"
    return "inside"


def anchor(element: Element) -> str:
    """Return the side that a text is anchored at; marks are anchored at their middle."""
    found = ANCHOR.search(element.get("style", ""))
    return found.group(1) if found else "start" if element.tag == "text" else "middle"


def at(text: Element) -> tuple[float, float]:
    """Return where a text is anchored."""
    return float(text.get("x", 0)), float(text.get("y", 0))


def start_of(element: Element) -> float:
    """Return where an element is, or where a path starts, from the left."""
    if element.get("x") is not None:
        return float(element.get("x", 0))
    found = re.search(r"-?[\d.]+", element.get("d", ""))
    return float(found.group()) if found else 0.0


def width_of(text: Element) -> float:
    """Return the width of a text in points."""
    size = SIZE.search(text.get("style", ""))
    return style.text_width(text.text or "", float(size.group(1)) if size else style.FONT)


def longest(texts: Sequence[Element]) -> list[Element]:
    """Return the texts with the most characters: the widest is one of them."""
    return sorted(texts, key=lambda text: -len(text.text or ""))[:MEASURED]


def widest(texts: Sequence[Element]) -> float:
    """Return the width of the widest text; 0 for none."""
    return max((width_of(text) for text in longest(texts)), default=0.0)


def first(texts: Sequence[Element]) -> tuple[float, float]:
    """Return where the first text is; the origin for none."""
    return at(texts[0]) if texts else (0.0, 0.0)
