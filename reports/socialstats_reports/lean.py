"""Shorter SVG that looks the same: no empty wrapping, a style once a run, lines of one look as one path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree import ElementTree

SHARED = ("style", "clip-path")  # attributes that a run of elements has once
DISC = re.compile(r"M 0 ([\d.]+) C")
STRAIGHT = re.compile(r"M (\S+) (\S+) L (\S+) (\S+)")


def flat(root: ElementTree.Element) -> tuple[list[ElementTree.Element], list[ElementTree.Element]]:
    """Return the definitions of a drawing, and its elements in painting order, each with its own clip path."""
    definitions: list[ElementTree.Element] = []

    def walk(parent: ElementTree.Element, clip: str | None) -> Iterator[ElementTree.Element]:
        for child in parent:
            if child.tag == "defs":
                definitions.extend(child)
            elif child.tag == "g":
                yield from walk(child, child.get("clip-path", clip))
            else:
                if clip is not None:
                    child.set("clip-path", clip)
                yield child

    return definitions, list(walk(root, None))


def assemble(
    root: ElementTree.Element,
    definitions: Sequence[ElementTree.Element],
    elements: Sequence[ElementTree.Element],
) -> ElementTree.Element:
    """Replace what a drawing holds by its definitions, its marks, and its texts, those of one look together."""
    for child in list(root):
        root.remove(child)
    for shape in definitions:
        _shorten(shape)
    if definitions:
        ElementTree.SubElement(root, "defs").extend(definitions)
    marks = [e for e in elements if e.tag != "text"]
    texts = sorted((e for e in elements if e.tag == "text"), key=lambda e: e.get("style", ""))
    root.extend([*_runs(marks), *_runs(texts)])
    return root


def _shorten(shape: ElementTree.Element) -> None:
    """Write the shape of a mark shorter: a disc of eight curves as a circle."""
    if shape.tag != "path":
        return
    d = shape.get("d", "")
    disc = DISC.match(d)
    if disc is None or d.count("C") != 8:
        shape.set("d", short_path(d))
        return
    shape.tag = "circle"
    del shape.attrib["d"]
    shape.set("r", disc.group(1))


def _runs(elements: Sequence[ElementTree.Element]) -> Iterator[ElementTree.Element]:
    """Merge neighbours of one look into a group that has it once, or into one path."""
    for _, group in groupby(elements, key=lambda e: (e.tag, *(e.get(name) for name in SHARED))):
        run = list(group)
        if run[0].tag == "path":
            run = _joined(run)
        shared = {name: value for name in SHARED if (value := run[0].get(name)) is not None}
        if not shared or (len(run) == 1 and (run[0].tag != "use" or "clip-path" not in shared)):
            yield from run
            continue
        wrap = ElementTree.Element("g", shared)
        for element in run:
            for name in shared:
                del element.attrib[name]
        wrap.extend(run)
        yield wrap


def _joined(run: list[ElementTree.Element]) -> list[ElementTree.Element]:
    """Join paths that are only strokes, and hide nothing of each other, into one."""
    for path in run:
        path.set("d", short_path(path.get("d", "")))
    style = run[0].get("style", "")
    if (
        len(run) == 1
        or "fill:none" not in style
        or "opacity" in style
        or any(p.get("transform") for p in run)
    ):
        return run
    run[0].set("d", "".join(path.get("d", "") for path in run))
    return run[:1]


def short_path(d: str) -> str:
    """Write a path with fewer characters.

    Examples
    --------
    >>> short_path("M 1.5 2 L 1.5 7"), short_path("M 1 2 L 5 2"), short_path("M 1 2 L 5 -2 L 5 8 z")
    ('M1.5 2V7', 'M1 2H5', 'M1 2L5-2L5 8z')
    """
    line = STRAIGHT.fullmatch(d)
    if line is not None:
        x, y, to_x, to_y = line.groups()
        if x == to_x:
            return f"M{x} {y}V{to_y}"
        if y == to_y:
            return f"M{x} {y}H{to_x}"
    return re.sub(r" ?([A-Za-z]) ?", r"\1", d).replace(" -", "-")
