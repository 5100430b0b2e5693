"""Names, marks and numbers of rows: beside each other, or above each other where a screen is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from socialstats.figures import style
from socialstats.figures.labels import fitted, label_room, room_for, text_width, widest
from socialstats.figures.plot import Plot, Span, new_plot, noted
from socialstats.figures.style import (
    EDGE,
    HAIR,
    INK,
    INTERVAL,
    LINE,
    NARROW,
    QUIET,
    SMALL,
    Look,
    Stroke,
)
from socialstats.figures.ticks import are_bounded, ends_of, is_known, spaced_ticks
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

T = TypeVar("T")
MOST_ROWS = 200
LABEL_WIDTH = 52  # characters; the marks still have two inches
ROW_HEIGHT = 14.76
BAND = 14.0  # points that the marks of a row take below its name
BETWEEN = 12.0  # points between two columns of numbers
BESIDE_FROM = 100.0  # points of marks from which numbers stand beside them on narrow screens
TICKS_ON_TOP_FROM = 30  # rows from which the scale is repeated at the top
GROUP = 5  # rows between hair lines
MOST_ON_PAGE = 35  # rows of a figure on a page; of more rows, both ends are drawn
AT_EITHER_END = 8  # rows that are drawn where there are more


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """Texts beside the marks, with their heading of some lines."""

    heading: Sequence[str]
    texts: Sequence[str]
    look: Look = INK
    heading_look: Look = QUIET
    width: float = 0.0

    @property
    def room(self) -> float:
        """Return the points that the column takes."""
        widths = [text_width(text) for text in self.texts]
        widths += [text_width(line, SMALL) for line in self.heading]
        return max(max(widths, default=0.0) + BETWEEN, self.width)


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """A plot with a line for each row, and where the parts of the rows stand on its vertical scale.

    Attributes
    ----------
    plot : Plot
    labels, columns, heading
        Of the rows.
    names, marks, numbers : list of float
        The middle of each.
    band : float
        Points of a row that its marks may take.
    """

    plot: Plot
    labels: Sequence[str]
    columns: Sequence[NumberColumn]
    heading: str
    names: list[float]
    marks: list[float]
    numbers: list[float]
    band: float


def chosen_rows(rows: Sequence[T]) -> list[T]:
    """Return the rows to draw: on a page, 8 at either end of more than 35.

    So the figure and what stands before it share a printed page.
    """
    if not style.is_on_page() or len(rows) <= MOST_ON_PAGE:
        return list(rows)
    return [*rows[:AT_EITHER_END], *rows[-AT_EITHER_END:]]


def row_lines(drawn: int, total: int) -> list[float]:
    """Return the line of each row that is drawn, the first highest; one is free in the middle where some are not.

    Examples
    --------
    >>> row_lines(3, 3), row_lines(2, 9)
    ([2.0, 1.0, 0.0], [2.0, 0.0])
    """
    lines = list(range(drawn + (total > drawn)))
    if total > drawn:
        lines.remove(drawn // 2)
    return [float(line) for line in reversed(lines)]


def lay_out_rows(
    labels: Sequence[str],
    columns: Sequence[NumberColumn],
    total: int,
    *,
    heading: str = "",
    top: float = 0.0,
    notes: Sequence[str] = (),
    band: float = BAND,
    height: float = ROW_HEIGHT,
    right: float = 0.0,
    xlabel: str = "",
    ax: Axes | None = None,
) -> RowPlaces:
    """Return the places of rows with `labels` in a new plot, with `top` points more than usual above them.

    Notes stand below the axis. On narrow screens, names stand above the marks of their row. Numbers stand beside the
    marks where these keep 100 points, else at the end of the line of the name, else on a line between.
    """
    numbers = sum((column.room for column in columns), 8.0)
    left, after = room_for([*labels, heading]) + EDGE, max(numbers, right)
    # lines of texts above the marks
    above, beside = 0, True
    if style.is_narrow():
        left, beside = EDGE, NARROW - EDGE - after >= BESIDE_FROM
        after = max(after, EDGE) if beside else EDGE
        fits = beside or widest(labels) + numbers <= NARROW - 2 * EDGE
        above = 1 if fits else 2
        height = LINE * above + band
    below = noted(notes, left)
    ys = row_lines(len(labels), total)
    lines = max(ys, default=0.0) + 1
    plot = new_plot(
        lines * height,
        left=left,
        right=after,
        top=21.6 + top,
        bottom=36.0 + (4 + LINE * len(below) if below else 0.0),
        xlabel=xlabel,
        kind="rows",
        ax=ax,
    )
    plot.footnotes(below, 34 + LINE * max(len(plot.x.label) - 1, 0))
    space = 0.5 if above else 0.6
    plot.y.limits = (-space, lines - 1 + space)
    up, marks = 0.0, 0.0
    if above:
        up, marks = 0.5 - 0.5 * LINE / height, 0.5 * band / height - 0.5
    at = marks if beside else up - (above - 1) * LINE / height
    names, middles, numbered = ([y + shift for y in ys] for shift in (up, marks, at))
    band = band if above else height
    return RowPlaces(plot, labels, columns, heading, names, middles, numbered, band)


def draw_rows(rows: RowPlaces, of: Sequence[Row], *, total: int, whole: bool = False) -> None:
    """Draw the scale, whose limits are set, hair lines that lead the eye, names, numbers and their headings."""
    plot, labels = rows.plot, rows.labels
    plot.grid = "x"
    bounded = are_bounded(of) and not whole
    plot.x.ticks = spaced_ticks(plot.x.limits, plot.box.width, bounded=bounded, whole=whole)
    narrow = style.is_narrow()
    if narrow:
        _write_row_names(rows)
    else:
        plot.y.ticks = list(zip(rows.names, labels, strict=True))
        plot.y.look = INK
        draw_hairs(plot)
        plot.x.repeated = len(labels) > TICKS_ON_TOP_FROM and not whole
    room = sum(column.room for column in rows.columns)
    beside = rows.numbers == rows.marks
    edge = 2.0 if beside else -room
    for column in rows.columns:
        edge += column.room
        _write_column(rows, column, edge)
    options: dict[str, Any] = {"of": "row", "look": QUIET, "va": "baseline"}
    top = (0.0, plot.y.limits[1])
    if not narrow:
        plot.text(rows.heading, top, (-12.0, 8.0), ha="right", **options)
    elif text_width(rows.heading, SMALL) + room < NARROW - 2 * EDGE:
        plot.text(rows.heading, top, (0.0, 8.0), **options)
    count_left_out(plot, len(labels), total)


def draw_hairs(plot: Plot) -> None:
    """Draw a hair line after each five rows."""
    for line in range(round(plot.y.limits[1]) - GROUP - 1, -1, -GROUP):
        plot.level(line + 0.5, HAIR)


def _write_row_names(rows: RowPlaces) -> None:
    """Write the names above the marks of their rows; no line of the axes is drawn where names and numbers stand."""
    plot = rows.plot
    above = Stroke("surface", plot.points_up - rows.band)
    plot.segments([(y + 0.5, *plot.x.limits) for y in rows.marks], above)
    for y, label in zip(rows.names, rows.labels, strict=True):
        plot.text(label, (0.0, y), of="row")


def _write_column(rows: RowPlaces, column: NumberColumn, edge: float) -> None:
    """Write numbers and their heading, which end some points right of the box."""
    plot = rows.plot
    options: dict[str, Any] = {"of": "row", "ha": "right"}
    heading, place = column.heading_look, (1.0, plot.y.limits[1])
    for k, line in enumerate(reversed(column.heading)):
        plot.text(line, place, (edge, 8.0 + 10.0 * k), look=heading, va="baseline", **options)
    for y, text in zip(rows.numbers, column.texts, strict=True):
        plot.text(text, (1.0, y), (edge, 0.0), look=column.look, **options)


def count_left_out(plot: Plot, drawn: int, total: int) -> None:
    """Write on the free line between both ends how many rows are left out."""
    if total > drawn:
        y = drawn / 2
        plot.segments([(y, *plot.x.limits)], Stroke("surface", LINE))
        text = f"\u2026 {count(total - drawn, 'row')} not drawn (see the table) \u2026"
        plot.text(text, (0.5, y), of="row", look=QUIET, ha="center")


def draw_estimates(
    plot: Plot,
    rows: Sequence[tuple[float, Row]],
    *,
    intervals: bool = True,
    size: float = 4.5,
    reasons: bool = False,
) -> None:
    """Draw rows as points with intervals at their y; write out what is undefined, with its reason where asked."""
    limits = plot.x.limits
    spans: list[Span] = []
    places = []
    room = plot.size[0] - plot.box.left - 5
    for y, row in rows:
        if row.estimate is not None and is_known(row):
            ends = ends_of(row, limits)
            spans += [(y, *ends)] if ends and intervals else []
            places.append((row.estimate, y))
            continue
        text = "undefined"
        if reasons:
            reason = f"undefined: {row.undefined or 'no value was given'}"
            [text] = fitted([reason], room, SMALL, 90)
        plot.text(text, (0.0, y), (2.0, 0.0), of="row", look=QUIET)
    plot.segments(spans, INTERVAL)
    plot.points(places, "series-1", "o", size)


def row_labels(rows: Sequence[Row], width: int = LABEL_WIDTH) -> list[str]:
    """Return labels of rows: the term, with its `by` level where there are several."""
    several = len({row.by for row in rows}) > 1
    texts = [f"{row.term} ({row.by})" if several and row.by else row.term for row in rows]
    return fitted(texts, label_room(1.0), width=width)


def sorted_rows(rows: Sequence[Row]) -> list[Row]:
    """Sort rows by estimate, largest first; rows without one last, in the order given."""
    estimated = [row for row in rows if row.estimate is not None]
    unknown = [row for row in rows if row.estimate is None]
    return sorted(estimated, key=lambda row: -(row.estimate or 0.0)) + unknown


def undefined_reasons(rows: Sequence[Row]) -> list[str]:
    """Return one line for each condition and reason: how many values do not exist, and why."""
    undefined = [row for row in rows if not is_known(row)]
    reasons = [(row.group or "", row.undefined or "no value was given") for row in undefined]
    counts = {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}
    return [
        f"{count(n, 'value is', 'values are')} undefined ({group}: {reason})"
        for (group, reason), n in counts.items()
    ]


def shown_number(row: Row | None, missing: str = "undef.") -> str:
    """Return an estimate as it is written, or what stands where there is none."""
    return number(row.shown()) if row is not None and is_known(row) else missing
