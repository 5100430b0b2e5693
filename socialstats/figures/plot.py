"""What a figure shows: panels with axes, marks and texts, before anybody draws it.

A figure lays out a `Plot`. `socialstats.figures.axes` draws it with matplotlib, and the report writes it as SVG. Marks
have places on the scales of their panel. Boxes, widths and shifts are points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from socialstats.figures import style
from socialstats.figures.labels import HINTED, text_width, wrapped
from socialstats.figures.style import INK, LINE, QUIET, SMALL, SMALL_INK, Look, Stroke
from socialstats.figures.ticks import Limits, Ticks, spaced_ticks, stacked_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = tuple[float, float]
Span = tuple[float, float, float]  # y, from, to
Bar = tuple[float, float, float, float]  # left, lower end, width, height
LEAST_PLOT = 86.4  # between the margins
SQUARE = "\u25a0"  # before the name of a colour


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines through places, all of one look."""

    paths: Sequence[Sequence[Place]]
    stroke: Stroke


@dataclass(frozen=True, slots=True)
class Areas:
    """Filled shapes, by their corners; an edge in the colour of the page parts neighbours."""

    shapes: Sequence[Sequence[Place]]
    color: str
    alpha: float = 1.0
    edge: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Marks of one shape, by the letters of matplotlib."""

    places: Sequence[Place]
    color: str
    shape: str = "o"
    size: float = 4.5
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """Words, which may have several lines, moved right and up by some points from a place.

    The place is in ``data``. In a ``row``, x is a share of the width of the box. In a ``column``, y is one of its
    height. In the ``box``, both are.
    """

    text: str
    place: Place
    shift: Place = (0.0, 0.0)
    of: str = "data"
    look: Look = INK
    ha: str = "left"
    va: str = "center"
    turned: bool = False


Mark = Lines | Areas | Points


@dataclass(frozen=True, slots=True)
class Box:
    """Where a panel stands in a figure, from its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(slots=True, kw_only=True)
class Axis:
    """Limits, ticks and label of one side of a panel; ticks may be `turned`, and repeated at the other side."""

    limits: Limits = (0.0, 1.0)
    ticks: Ticks = field(default_factory=list)
    label: Sequence[str] = ()
    look: Look = QUIET
    turned: bool = False
    other_side: bool = False
    repeated: bool = False


@dataclass(slots=True, kw_only=True)
class Plot:
    """A figure, or a panel of one.

    Attributes
    ----------
    size : (width, height)
        Of the whole figure.
    box : Box
        Of this panel.
    x, y : Axis
    grid : str
        The axes whose ticks have hair lines: ``x``, ``y`` or none.
    framed : bool
        The lower axis has a line.
    marks, texts : list
        In the order in which they are drawn; texts are above marks.
    panels : list of Plot
    kind, label : str
        Class of the drawing on a page; what it shows, in words.
    ax : Axes or None
        Axes to draw into.
    """

    size: Place
    box: Box
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    grid: str = ""
    framed: bool = True
    marks: list[Mark] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    panels: list[Plot] = field(default_factory=list)
    kind: str = ""
    label: str = ""
    ax: Axes | None = None

    @property
    def points_across(self) -> float:
        """Return the points that a unit of the horizontal scale takes."""
        low, high = self.x.limits
        return self.box.width / (high - low)

    @property
    def points_up(self) -> float:
        """Return the points that a unit of the vertical scale takes."""
        low, high = self.y.limits
        return self.box.height / abs(high - low)

    def scale(self, x: Limits, y: Limits, *, bounded: bool = False) -> None:
        """Set the limits of both axes, with round ticks; values up the plot may be `bounded` by 1."""
        self.x.limits, self.y.limits = x, y
        self.x.ticks = spaced_ticks(x, self.box.width)
        self.y.ticks = stacked_ticks(y, self.box.height, bounded=bounded)

    def line(self, places: Sequence[Place], stroke: Stroke) -> None:
        """Draw a line through places."""
        self.marks.append(Lines([places], stroke))

    def segments(self, spans: Sequence[Span], stroke: Stroke) -> None:
        """Draw horizontal lines, inside the axis."""
        left, right = self.x.limits
        paths = [[(max(low, left), y), (min(high, right), y)] for y, low, high in spans]
        if paths:
            self.marks.append(Lines(paths, stroke))

    def upright(self, x: float, stroke: Stroke) -> None:
        """Draw a vertical line from end to end."""
        self.line([(x, y) for y in self.y.limits], stroke)

    def level(self, y: float, stroke: Stroke) -> None:
        """Draw a horizontal line from end to end."""
        self.line([(x, y) for x in self.x.limits], stroke)

    def bars(self, bars: Sequence[Bar], color: str, alpha: float = 1.0, edge: bool = False) -> None:
        """Draw rectangles: left, lower end, width, height."""
        shapes = [
            [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
            for x, y, width, height in bars
        ]
        self.marks.append(Areas(shapes, color, alpha, edge))

    def points(self, places: Sequence[Place], color: str, *look: Any) -> None:
        """Draw marks of one shape, size and filling (see `Points`)."""
        if places:
            self.marks.append(Points(places, color, *look))

    def text(self, text: str, place: Place, shift: Place = (0.0, 0.0), **options: Any) -> None:
        """Write a text that is not empty, with options of `Text`."""
        if text:
            self.texts.append(Text(text, place, shift, **options))

    def write_beside(self, text: str, place: Place, up: float = 0.0) -> None:
        """Write a text beside a place, at the side that has more room."""
        left, right = self.x.limits
        at_left = place[0] - left > right - place[0]
        room = max(place[0] - left, right - place[0]) * self.points_across - 8
        words = "\n".join(wrapped(text, room, SMALL))
        side, ha = (-8.0, "right") if at_left else (8.0, "left")
        self.text(words, place, (side, up), look=SMALL_INK, ha=ha)

    def footnotes(self, lines: Sequence[str], drop: float) -> None:
        """Write lines of `noted` below the box, the first one `drop` points down."""
        for i, line in enumerate(lines):
            self.text(line, (0, 0), (0, -drop - LINE * i), of="box", look=QUIET, va="top")

    def message(self, text: str) -> Plot:
        """Show a sentence instead of axes and marks."""
        lines = wrapped(text, self.box.width)
        self.x, self.y, self.framed = Axis(), Axis(), False
        look = replace(INK, color="muted")
        self.text("\n".join(lines), (0.5, 0.5), of="box", look=look, ha="center")
        return self

    def panel(self, left: float, bottom: float, width: float, height: float) -> Plot:
        """Add a panel at a place of the box, in points from its lower left corner."""
        box = Box(self.box.left + left, self.box.bottom + bottom, width, height)
        panel = Plot(size=self.size, box=box)
        self.panels.append(panel)
        return panel


def places_of(xs: Iterable[Any], ys: Iterable[Any]) -> list[Place]:
    """Return places of numbers, or of arrays of them."""
    return [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]


def new_plot(
    height: float,
    *,
    left: float,
    right: float,
    top: float = 21.6,
    bottom: float = 36.0,
    xlabel: str = "",
    kind: str = "",
    ax: Axes | None = None,
) -> Plot:
    """Return an empty figure with a box of some `height` between margins, or one that has the size of an Axes.

    It is wider than `width` where the margins need it. A long `xlabel` gets more room for its lines.
    """
    wide = max(style.width(), left + right + LEAST_PLOT)
    if ax is None:
        box = Box(left, bottom, wide - left - right, height)
        size = (wide, height + top + bottom)
    else:
        at, figure_box = ax.get_window_extent(), ax.figure.bbox
        point = ax.figure.dpi / 72
        box = Box(at.x0 / point, at.y0 / point, at.width / point, at.height / point)
        size = (figure_box.width / point, figure_box.height / point)
    lines = _label_lines(xlabel, box, size[0]) if xlabel else []
    if ax is None and lines:
        more = LINE * (len(lines) - 1)
        box = replace(box, bottom=box.bottom + more)
        size = (size[0], size[1] + more)
    return Plot(size=size, box=box, x=Axis(label=lines), kind=kind, ax=ax)


def _label_lines(text: str, box: Box, wide: float) -> list[str]:
    """Return the lines of a label that is centred below a box."""
    centre = box.left + box.width / 2
    return wrapped(text, 2 * min(centre, wide - centre), SMALL)


def noted(lines: Sequence[str], left: float) -> list[str]:
    """Return footnotes as lines that fit between `left` points and the right end of a figure."""
    room = style.width() - left - 3.6
    return [part for line in lines for part in wrapped(line, room, SMALL)]


def legend_places(texts: Sequence[str], room: float, size: float, gap: float = 12.0) -> list[Place]:
    """Return where texts go above a box that is `room` points wide, as points right of its left and above its top.

    Examples
    --------
    >>> [y for x, y in legend_places(["one", "two", "a longer text"], 60.0, 9.0)]
    [20.5, 20.5, 8.0]
    """
    x, line = 0.0, 0
    places = []
    for text in texts:
        length = text_width(text, size) * HINTED
        if x and x + length > room:
            x, line = 0.0, line + 1
        places.append((x, line))
        x += length + gap
    return [(x, 8.0 + LINE * (line - k)) for x, k in places]


def write_legend(
    plot: Plot,
    parts: Sequence[tuple[str, str]],
    size: float,
    *,
    room: float | None = None,
    gap: float = 12.0,
    up: float = 0.0,
) -> None:
    """Write texts with their colours above the box, one after another, on as many lines as they need.

    Lines are as long as the box, or as the `room`. A square at the start of a text has the colour, the words after it
    are black.
    """
    places = legend_places([text for text, _ in parts], room or plot.box.width, size, gap)
    for (text, color), (x, y) in zip(parts, places, strict=True):
        words = text.removeprefix(SQUARE)
        drawn = [(words, color, x)]
        if words != text:
            drawn = [(SQUARE, color, x), (words, "ink", x + text_width(SQUARE, size) + 3)]
        for part, ink, left in drawn:
            plot.text(part, (0, 1), (left, y + up), of="box", look=Look(size, ink), va="bottom")


def legend_height(parts: Sequence[tuple[str, str]], size: float, room: float) -> float:
    """Return the points that a legend takes above a box that is `room` points wide."""
    places = legend_places([text for text, _ in parts], room, size)
    return max(y for _, y in places) + LINE + 2
