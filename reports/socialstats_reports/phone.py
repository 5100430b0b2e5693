"""A second arrangement of the same drawing for narrow screens: custom properties that a media query puts to use.

A figure of rows gets its names and numbers above the marks of each row, and marks as wide as the screen; bars, cells
and courses keep their names and become narrower; two panels stand below each other. Nothing is drawn twice: each part
of a drawing carries the transform that a phone applies to it (``--t``), and texts and the shapes of marks (class
``k``) one that undoes its stretching (``--u``).
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from socialstats.figures import style
from socialstats_reports.lean import Part
from socialstats_reports.parts import Frame, Move, anchor
from socialstats_reports.phone_layouts import bars, cells, course, panels, rows

LAYOUTS = {style.ROWS: rows, style.LINES: rows, style.BARS: bars, style.CELLS: cells, style.COURSE: course,
           style.PANELS: panels}  # fmt: skip
ORIGIN = {"start": "0 50%", "middle": "50% 50%", "end": "100% 50%"}


def arranged(root: Element, definitions: Sequence[Element], elements: Sequence[Element], frame: Frame) -> list[Part]:
    """Return the parts of a drawing, with a second arrangement where its kind has one.

    Parameters
    ----------
    root : Element
        The drawing; gets the class ``narrow`` and the shape that it has on a phone (``--r``).
    definitions, elements : sequence of Element
        Shapes of marks, which get a class; what is drawn, in painting order.
    frame : Frame
    """
    marks = [e for e in elements if e.tag != "text"]
    texts = sorted((e for e in elements if e.tag == "text"), key=lambda e: e.get("style", ""))
    layout = LAYOUTS[frame.kind](marks, texts, frame) if frame.kind in LAYOUTS else None
    if layout is None:
        return [Part(marks), Part(texts)]
    root.set("class", f"{root.get('class', '')} narrow")
    root.set("style", f"--r:{_short(layout.width)}/{_short(layout.height)}")
    root.set("preserveAspectRatio", "xMinYMin")
    for shape in definitions:
        if shape.tag == "path":
            shape.set("class", "k")
    scale = max(frame.width / layout.width, frame.height / layout.height)
    return [part for move in layout.moves for part in _parts(*move, scale)]


def _parts(elements: list[Element], move: Move, name: str, scale: float) -> list[Part]:
    """Return the group of a part, one for each anchor where its texts must not be stretched."""
    place = f"--t:scale({_short(scale)}) translate({_short(move.x)}px,{_short(move.y)}px)"
    if (move.across, move.down, move.text) == (1.0, 1.0, 1.0):
        return [Part(elements, {"class": name, "style": place} if name else {"style": place})]
    place += f" scale({_short(move.across)},{_short(move.down)})"
    place += f";--u:scale({_short(move.text / move.across)},{_short(move.text / move.down)})"
    found = []
    for side, origin in ORIGIN.items():
        own = [e for e in elements if anchor(e) == side]
        turned = "" if side == "middle" else f";--o:{origin}"
        found.append(Part(own, {"class": f"u {name}".strip(), "style": place + turned}))
    return found


def _short(value: float) -> str:
    """Write a number with as many decimals as can be seen."""
    return f"{value:.3f}".rstrip("0").rstrip(".") or "0"
