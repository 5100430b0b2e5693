"""A figure as inline SVG: themed by CSS variables, named, and the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from socialstats.errors import InputError
from socialstats.figures.labels import widest
from socialstats.figures.plot import SQUARE, Areas, Lines, Mark, Place, Plot, Text
from socialstats.figures.style import FONT, HAIR, LINE, QUIET, Stroke, on_screen
from socialstats_reports.text import harmless

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INDEX = re.compile(r"\b([dgpB])_(z|av|rm|Holm|all)\b")
LOWERED = r'\1<tspan dy="2" font-size="72%">\2</tspan><tspan dy="-2">'
TALL = 2.4  # height / width from which print may cut a figure over pages instead of shrinking it
PAD = 4.0  # points between a box and the labels of its ticks
LABEL_PAD = 5.0  # and from these to the label of the axis
# how far below its middle, top or bottom a line of text has its baseline, as a share of its size
BASELINE = {"center": 0.35, "top": 0.76, "bottom": -0.24, "baseline": 0.0}
LINE_HEIGHT = 1.2
LINES_ABOVE = {"center": 0.5, "bottom": 1.0}  # shares of the further lines that stand higher
ANCHOR = {"left": "", "center": "text-anchor:middle", "right": "text-anchor:end"}
# corners of marks, in halves of their size, counted from their middle to the right and up
SHAPES: dict[str, Sequence[Place]] = {
    "^": ((0, 1), (-1, -1), (1, -1)),
    "v": ((0, -1), (-1, 1), (1, 1)),
    "D": ((0, 1.41), (1.41, 0), (0, -1.41), (-1.41, 0)),
    "s": ((-1, -1), (-1, 1), (1, 1), (1, -1)),
}
Element = tuple[str, str]  # style, and the element without it


def inline(draw: Callable[[], Axes], *, title: str, description: str, prefix: str) -> Markup:
    """Lay out a figure for wide and for narrow screens and return both as ``<svg role="img">`` elements for the page.

    The page shows one of them. Both have the name and the description of the wide one.

    Parameters
    ----------
    draw : callable
        A function of `socialstats.figures` with its rows.
    title, description : str
        Read out by screen readers. The label of the figure is the description where it has one.
    prefix : str
        Makes the ids unique on the page.
    """
    wide, narrow = _laid_out(draw, "wide"), _laid_out(draw, "narrow")
    words = {"title": title, "desc": wide.label or description}
    names = "".join(
        f'<{tag} id="{prefix}-{tag}">{_escaped(text) or "figure"}</{tag}>'
        for tag, text in words.items()
    )
    return Markup(_drawing(wide, "wide", prefix, names) + _drawing(narrow, "narrow", prefix, ""))


def _laid_out(draw: Callable[[], object], screen: str) -> Plot:
    with on_screen(screen):
        plot = draw()
    if not isinstance(plot, Plot):
        raise InputError(
            f"a page shows figures of socialstats.figures, not {type(plot).__name__}; "
            "draw with forest, shares, heat, ..."
        )
    return plot


def _drawing(plot: Plot, screen: str, prefix: str, names: str) -> str:
    """Return a drawing with the class of the page, which sets its size."""
    width, height = plot.size
    tall = "tall" if height / width > TALL else ""
    classes = " ".join(f"drawing {screen} {plot.kind} {tall}".split())
    panels = [plot, *plot.panels]
    marks = [element for panel in panels for element in _marks(panel)]
    texts = [
        element
        for panel in panels
        for text in (*_axis_labels(panel), *panel.texts)
        for element in _text_lines(panel, text)
    ]
    texts.sort(key=lambda element: element[0])
    return (
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" class="{classes}" role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">{names}{_grouped(marks)}{_grouped(texts)}'
        "</svg>"
    )


def _grouped(elements: Sequence[Element]) -> str:
    """Return elements; neighbours of one style are a group that has it once."""
    parts = []
    for style, run in groupby(elements, key=lambda element: element[0]):
        inside = "".join(element for _, element in run)
        parts.append(f'<g style="{style}">{inside}</g>' if style else inside)
    return "".join(parts)


def _n(value: float) -> str:
    """Return a number of points, rounded to tenths.

    Examples
    --------
    >>> _n(10.0), _n(-0.04), _n(2.46)
    ('10', '0', '2.5')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _escaped(text: str) -> str:
    return escape(harmless(text), quote=False)


def _at(plot: Plot, place: Place, of: str = "data") -> Place:
    """Return a place in points from the upper left corner of the drawing."""
    box, (across, up) = plot.box, place
    (left, right), (low, high) = plot.x.limits, plot.y.limits
    if of in ("data", "column"):
        across = (across - left) / (right - left)
    if of in ("data", "row"):
        up = (up - low) / (high - low)
    return box.left + across * box.width, plot.size[1] - box.bottom - up * box.height


def _stroke(stroke: Stroke) -> str:
    dash = f";stroke-dasharray:{' '.join(map(_n, stroke.dash))}" if stroke.dash else ""
    alpha = f";stroke-opacity:{stroke.alpha:.2g}" if stroke.alpha < 1 else ""
    return f"fill:none;stroke:var(--{stroke.color});stroke-width:{_n(stroke.width)}{dash}{alpha}"


def _through(places: Sequence[Place]) -> str:
    """Return a path through places, horizontal and vertical lines shorter.

    Examples
    --------
    >>> _through([(1.5, 2.0), (5.0, 2.0), (7.0, 3.0)])
    'M1.5 2H5L7 3'
    """
    corners = [(_n(x), _n(y)) for x, y in places]
    path = f"M{corners[0][0]} {corners[0][1]}"
    for (before_x, before_y), (x, y) in pairwise(corners):
        path += f"V{y}" if x == before_x else f"H{x}" if y == before_y else f"L{x} {y}"
    return path


def _marks(plot: Plot) -> Iterator[Element]:
    """Yield the marks of a panel: hair lines first, then its marks, then the line of its axis."""
    if plot.grid == "x":
        hairs = [[(tick, end) for end in plot.y.limits] for tick, _ in plot.x.ticks]
        yield from _mark(plot, Lines(hairs, HAIR))
    if plot.grid == "y":
        hairs = [[(end, tick) for end in plot.x.limits] for tick, _ in plot.y.ticks]
        yield from _mark(plot, Lines(hairs, HAIR))
    for mark in plot.marks:
        yield from _mark(plot, mark)
    if plot.framed:
        frame = [(end, plot.y.limits[0]) for end in plot.x.limits]
        yield from _mark(plot, Lines([frame], Stroke("line", 0.8)))


def _mark(plot: Plot, mark: Mark) -> Iterator[Element]:
    if isinstance(mark, Lines):
        paths = [_through([_at(plot, place) for place in path]) for path in mark.paths]
        yield _stroke(mark.stroke), f'<path d="{"".join(paths)}"/>'
        return
    look = f"fill:var(--{mark.color})"
    if isinstance(mark, Areas):
        look += f";fill-opacity:{mark.alpha:.2g}" if mark.alpha < 1 else ""
        look += ";stroke:var(--surface);stroke-width:.8" if mark.edge else ""
        shapes = [_through([_at(plot, place) for place in shape]) for shape in mark.shapes]
        yield look, f'<path d="{"z".join(shapes)}z"/>'
        return
    if not mark.filled:
        look = _stroke(Stroke(mark.color, 1.0))
    half = mark.size / 2
    for x, y in (_at(plot, place) for place in mark.places):
        corners = [(x + half * right, y - half * up) for right, up in SHAPES.get(mark.shape, ())]
        path = f'<path d="{_through(corners)}z"/>' if corners else ""
        yield look, path or f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{half:.3g}"/>'


def _axis_labels(plot: Plot) -> Iterator[Text]:
    """Yield the labels of ticks, and of axes."""
    x, y = plot.x, plot.y
    sides = [0.0, 1.0] if x.repeated else [float(x.other_side)]
    for place, label in x.ticks:
        for end in sides:
            va = "center" if x.turned else "bottom" if end else "top"
            ha = ("left" if end else "right") if x.turned else "center"
            shift = (0.0, PAD if end else -PAD)
            yield Text(label, (place, end), shift, "column", x.look, ha, va, x.turned)
    texts = [label for _, label in x.ticks]
    deep = widest(texts, x.look.size) if x.turned else x.look.size * bool(texts)
    for k, line in enumerate(x.label):
        away = PAD + LABEL_PAD + deep + LINE * k
        va = "bottom" if x.other_side else "top"
        shift = (0.0, away if x.other_side else -away)
        yield Text(line, (0.5, float(x.other_side)), shift, "box", QUIET, "center", va)
    for place, label in y.ticks:
        yield Text(label, (0.0, place), (-PAD, 0.0), "row", y.look, "right")
    away = PAD + LABEL_PAD + widest([label for _, label in y.ticks], y.look.size)
    for line in y.label:
        yield Text(line, (0.0, 0.5), (-away, 0.0), "box", QUIET, "center", "baseline", True)


def _text_lines(plot: Plot, text: Text) -> Iterator[Element]:
    """Yield the lines of a text; an index stands lower, as in the text of the page."""
    lines, look = text.text.split("\n"), text.look
    step = LINE_HEIGHT * look.size
    down = BASELINE[text.va] * look.size
    down -= LINES_ABOVE.get(text.va, 0.0) * (len(lines) - 1) * step
    style = [f"font-size:{_n(look.size)}px"] if look.size != FONT else []
    style += [f"fill:var(--{look.color})"] if look.color != "ink" else []
    style += [ANCHOR[text.ha]] if ANCHOR[text.ha] else []
    x, y = _at(plot, text.place, text.of)
    x, y = x + text.shift[0], y - text.shift[1]
    x, y = (x + down, y) if text.turned else (x, y + down)
    # the page outlines a key of colours: a light colour alone could not be seen
    swatch = ' class="swatch"' if text.text == SQUARE else ""
    for k, line in enumerate(lines):
        at = (_n(x), _n(y + k * step))
        turn = f' transform="rotate(-90 {at[0]} {at[1]})"' if text.turned else ""
        words, indices = INDEX.subn(LOWERED, _escaped(line))
        words += "</tspan>" * indices
        yield ";".join(style), f'<text{swatch} x="{at[0]}" y="{at[1]}"{turn}>{words}</text>'
