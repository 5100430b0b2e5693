"""One number line: the estimate with its interval, beside what it should be compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from socialstats.figures import style
from socialstats.figures.notes import Note, place_note
from socialstats.text import Shown, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.25  # inches of height a line of labels takes
BEHIND: dict[str, Any] = {
    "facecolor": style.LIGHT["surface"],
    "edgecolor": "none",
    "pad": 1.5,
}  # lines end there
UNDER_TICKS = 17.0  # points from the axis to below its tick labels
GAP = 7.0  # points between two labels on one line


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One point (with an interval, or as a reference line) on a number line.

    Attributes
    ----------
    label : str
    value : float or None
        None where the number does not exist; `undefined` then says why.
    low, high : float or None
        Interval.
    kind : {"estimate", "reference", "claim"}
        Ours; a line to compare with; a number that somebody else published.
    undefined : str
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    kind: Literal["estimate", "reference", "claim"] = "estimate"
    undefined: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a label goes: line (0 is nearest to the axis) and left end in points."""

    level: int
    start: float


@style.figure("Number line")
def strip(
    marks: Sequence[Mark], *, ax: Axes | None = None, xlabel: str = "", digits: int = 2
) -> Axes:
    """Draw marks on a number line; labels are laid out so that no two overlap.

    Estimates (discs) and claims (diamonds) take one line each above the axis, in the order given. Numbers stand beside
    them, or above them where they would cross a reference line. References are dashed lines, labelled below the axis.

    Parameters
    ----------
    marks : sequence of Mark
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made, as high as its labels need.
    xlabel : str
        Name and unit of the quantity.
    digits : int
        Decimals of the numbers beside the marks.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = strip([Mark(label="S", value=29.6, low=27.9, high=31.2),
    ...             Mark(label="coin flips", value=50.0, kind="reference")])
    >>> sorted(t.get_text() for t in ax.texts)
    ['S  29.60 [27.90, 31.20]', 'coin flips 50.00']
    """
    lines = [mark for mark in marks if mark.kind == "reference" and is_known(mark)]
    others = [mark for mark in marks if mark.kind != "reference" or not is_known(mark)]
    values = [
        v for m in marks for v in (m.value, m.low, m.high) if v is not None and math.isfinite(v)
    ]
    limits = style.padded(values or [0.0], 0.05)
    own = [m.value for m in others if isinstance(m.value, Shown)]
    short, digits = (
        bool(own) and all(v.bounded for v in own),
        max((v.digits for v in own), default=digits),
    )
    width = (style.width() - 0.2) * style.POINTS if ax is None else _width_in_points(ax)
    labels = [
        style.literal(f"{m.label} {number(m.value, digits, bounded=short)}", 60) for m in lines
    ]
    anchors = [width * (float(m.value or 0.0) - limits[0]) / (limits[1] - limits[0]) for m in lines]
    places = lay_out(anchors, [style.text_width(label, style.SMALL) for label in labels], width)
    below = 1 + max((place.level for place in places), default=-1)
    notes = [_note(mark, digits, limits, anchors, width) for mark in others]
    rows = sum(note.lines for note in notes)
    if ax is None:
        height = LEVEL * (rows + below) + 0.75
        ax = style.new_axes(
            height, left=0.1, right=0.1, top=0.1, bottom=0.4 + LEVEL * below, xlabel=xlabel
        )
    if not marks:
        return style.message(ax, "nothing to show")
    style.dress(ax)
    if short:
        style.short_ticks(ax.xaxis)
    ax.set_yticks([])
    ax.set_xlim(*limits)
    ax.set_ylim(-0.35, rows + 0.1)
    _references(ax, lines, labels, places, width)
    for mark, note in zip(others, notes, strict=True):
        rows -= note.lines
        _own(ax, mark, note, rows + (0.5 if note.where == "above" else 0.5 * note.lines), width)
    if xlabel:
        ax.set_xlabel(
            "\n".join(style.label_lines(xlabel, 0.1, 0.1)),
            labelpad=4 + below * LEVEL * style.POINTS,
            **style.QUIET,
        )
    return ax


def is_known(mark: Mark) -> bool:
    """Return whether a mark has a place on the line."""
    return mark.value is not None and math.isfinite(mark.value)


def lay_out(anchors: Sequence[float], widths: Sequence[float], room: float) -> list[Placed]:
    """Place one label under each anchor so that labels never overlap, and leaders cross labels only if they must.

    Parameters
    ----------
    anchors : sequence of float
        Where the marks are, in points from the left.
    widths : sequence of float
        Widths of the labels, in points.
    room : float
        Width of the axis in points; labels stay inside it.

    Examples
    --------
    >>> [p.level for p in lay_out([150.0, 155.0, 160.0, 300.0], [90.0, 90.0, 90.0, 40.0], 400.0)]
    [0, 1, 0, 0]
    """
    done: dict[int, Placed] = {}
    for i in sorted(range(len(anchors)), key=lambda k: -anchors[k]):
        best: tuple[float, Placed] | None = None
        for level in range(len(anchors)):
            for preference, share in enumerate((0.5, 0.0, 1.0)):
                start = min(max(anchors[i] - share * widths[i], 0.0), max(room - widths[i], 0.0))
                place = Placed(level=level, start=start)
                if _overlaps(place, widths[i], done, widths):
                    continue
                cost = level + 0.1 * preference + 10.0 * _crossings(i, place, anchors, widths, done)
                if best is None or cost < best[0]:
                    best = cost, place
        done[i] = best[1] if best is not None else Placed(level=len(done), start=0.0)
    return [done[i] for i in range(len(anchors))]


def _overlaps(
    place: Placed, width: float, done: dict[int, Placed], widths: Sequence[float]
) -> bool:
    """Return whether a label would touch one already placed on its line."""
    return any(
        other.level == place.level
        and place.start < other.start + widths[j] + GAP
        and other.start < place.start + width + GAP
        for j, other in done.items()
    )


def _crossings(
    i: int,
    place: Placed,
    anchors: Sequence[float],
    widths: Sequence[float],
    done: dict[int, Placed],
) -> float:
    """Count labels that some leader would run through; leaders still to come count for little."""
    mine = sum(
        p.level < place.level and p.start - 2 < anchors[i] < p.start + widths[j] + 2
        for j, p in done.items()
    )
    theirs = sum(
        p.level > place.level and place.start - 2 < anchors[j] < place.start + widths[i] + 2
        for j, p in done.items()
    )
    waiting = [anchors[k] for k in range(len(anchors)) if k != i and k not in done]
    ahead = sum(place.start - 2 < anchor < place.start + widths[i] + 2 for anchor in waiting)
    return mine + theirs + 0.12 * ahead


def _width_in_points(ax: Axes) -> float:
    return float(ax.get_window_extent().width / ax.figure.dpi * style.POINTS)


def _references(
    ax: Axes, marks: Sequence[Mark], labels: Sequence[str], places: Sequence[Placed], width: float
) -> None:
    """Draw dashed lines with their labels below the tick labels."""
    from matplotlib.transforms import ScaledTranslation

    left, right = ax.get_xlim()
    for mark, label, place in zip(marks, labels, places, strict=True):
        value = float(mark.value or 0.0)
        drop = UNDER_TICKS + place.level * LEVEL * style.POINTS
        ax.axvline(value, color=style.LIGHT["muted"], linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        down = ax.get_xaxis_transform() + ScaledTranslation(
            0, -drop / style.POINTS, ax.figure.dpi_scale_trans
        )
        for_line = ax.get_xaxis_transform()
        bottom = -drop / (ax.get_window_extent().height / ax.figure.dpi * style.POINTS)
        leader = UNDER_TICKS / drop * bottom, bottom
        ax.plot(
            (value, value),
            leader,
            color=style.LIGHT["line"],
            linewidth=0.8,
            transform=for_line,
            clip_on=False,
            zorder=0.5,
        )
        middle = place.start + 0.5 * style.text_width(label, style.SMALL)
        ax.text(
            left + middle / width * (right - left),
            0,
            label,
            transform=down,
            ha="center",
            va="top",
            zorder=4,
            **style.SMALL_INK,
            bbox=BEHIND,
        )


def _note(
    mark: Mark, digits: int, limits: tuple[float, float], anchors: Sequence[float], width: float
) -> Note:
    """Decide where the numbers of an estimate or claim go."""
    if mark.value is None or not is_known(mark):
        return Note(
            text=style.literal(
                f"{mark.label}: undefined: {mark.undefined or 'no value was given'}", 100
            )
        )
    ends = ""
    if mark.low is not None and mark.high is not None:
        ends = f" [{number(mark.low, digits)}, {number(mark.high, digits)}]"
    scale = width / (limits[1] - limits[0])
    low, high = (scale * (end - limits[0]) for end in _ends(mark, limits))
    return place_note(
        style.literal(mark.label, 56),
        style.literal(number(mark.value, digits) + ends, 56),
        (low, high),
        lines=anchors,
        room=width,
    )


def _ends(mark: Mark, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the interval, inside the axis."""
    value = float(mark.value or 0.0)
    low = value if mark.low is None else max(mark.low, limits[0])
    return low, value if mark.high is None else min(mark.high, limits[1])


def _own(ax: Axes, mark: Mark, note: Note, y: float, width: float) -> None:
    """Draw an estimate or claim with its numbers."""
    left, right = ax.get_xlim()
    if note.where == "alone":
        ax.text(left, y, note.text, va="center", fontsize=style.FONT, color=style.LIGHT["muted"])
        return
    claim = mark.kind == "claim"
    color = style.LIGHT["series-2" if claim else "series-1"]
    low, high = _ends(mark, (left, right))
    ax.plot((low, high), (y, y), color=color, linewidth=2.2, solid_capstyle="butt", zorder=2)
    ax.plot(
        float(mark.value or 0.0),
        y,
        "D" if claim else "o",
        color=color,
        markersize=6.5 if claim else 7.5,
        zorder=3,
        markeredgewidth=0,
    )
    share, align = {"right": (0.0, "left"), "left": (1.0, "right"), "above": (0.5, "center")}[
        note.where
    ]
    x = left + (note.start + share * note.wide) / width * (right - left)
    up = 0.35 + 0.5 * (note.lines - 1) if note.where == "above" else 0.0
    lines = note.text.split("\n")
    for k, line in enumerate(lines):
        ax.annotate(
            line,
            xy=(x, y + up),
            xytext=(0, 11 * (0.5 * (len(lines) - 1) - k)),
            textcoords="offset points",
            ha=align,
            va="center",
            **style.INK,
            annotation_clip=False,
            fontweight="normal" if claim else "bold",
            zorder=4,
            bbox=BEHIND,
        )
