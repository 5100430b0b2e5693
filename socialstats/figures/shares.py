"""Stacked bars: how the answers of each source divide over the levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import (
    fitted,
    label_room,
    literals,
    room_for,
    text_width,
)
from socialstats.figures.plot import SQUARE, Plot, legend_height, new_plot, write_legend
from socialstats.figures.style import FONT, INK, QUIET, SMALL, STEPS, Look, fills
from socialstats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_LEVELS, MOST_BARS = 5, 60
LABEL_WIDTH = 24  # characters
LEVEL_WIDTH = 18
RIGHT = 21.6  # points at the right, for half of the last tick
BAR, GAP = 16.6, 9.4  # points: a bar, and the space before a new section
HEADING = 14.4  # points
BETWEEN = 2.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its label, the rows of its levels in order, and the section that it belongs to (empty: none)."""

    label: str
    rows: tuple[Row, ...]
    section: str = ""


@figure("Stacked bars")
def shares(
    bars: Sequence[Bar],
    *,
    ax: Axes | None = None,
    xlabel: str = "Share of answers",
    ordered: bool = False,
) -> Plot:
    """Draw one stacked bar a source, under a heading where a new section starts.

    Parameters
    ----------
    bars : sequence of Bar
        All with the same levels (`term` of the rows) in the same order; shares that do not exist are left out.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    xlabel : str
    ordered : bool
        The levels are ordered: up to seven, in steps of one colour.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For more than five levels (seven if ordered) or 60 bars, or bars of other levels.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> rows = (Row(term="comply", estimate=0.7), Row(term="deviate", estimate=0.3))
    >>> [t.get_text() for t in shares([Bar(label="human", rows=rows)]).texts][-2:]
    ['70.0%', '30.0%']
    """
    levels = _levels(bars, STEPS if ordered else MOST_LEVELS)
    colors = fills(len(levels), ordered=ordered)
    places, height = _places(bars)
    labels = fitted([bar.label for bar in bars], label_room(0.4), width=LABEL_WIDTH)
    names = literals(levels, LEVEL_WIDTH)
    legend = [(f"{SQUARE}{name}", color) for name, (color, _) in zip(names, colors, strict=True)]
    left = room_for(labels) + 10.8
    room = style.width() - left - RIGHT
    plot = new_plot(
        height,
        left=left,
        right=RIGHT,
        top=legend_height(legend, FONT, room) if legend else 25.2,
        xlabel=xlabel,
        ax=ax,
    )
    if not bars:
        return plot.message("no shares to show")
    plot.y.limits = (height, 0.0)
    plot.x.ticks = [(k / 4, f"{25 * k}%") for k in range(5)]
    plot.y.ticks = list(zip(places, labels, strict=True))
    plot.y.look = INK
    write_legend(plot, legend, FONT)
    for bar, y, opens in zip(bars, places, _opens(bars), strict=True):
        if opens:
            [section] = fitted([bar.section], plot.box.width, SMALL)
            plot.text(section, (0.0, y - BAR / 2), (0.0, 3.0), look=QUIET, va="bottom")
        _draw_bar(plot, bar, y, colors)
    return plot


def _levels(bars: Sequence[Bar], most: int) -> tuple[str, ...]:
    levels = tuple(row.term for row in bars[0].rows) if bars else ()
    if len(levels) > most or len(bars) > MOST_BARS:
        raise InputError(
            f"stacked bars show at most {most} levels and {MOST_BARS} bars, got {len(levels)} and {len(bars)}"
        )
    if any(tuple(row.term for row in bar.rows) != levels for bar in bars):
        raise InputError("the bars do not have the same levels in the same order")
    return levels


def _places(bars: Sequence[Bar]) -> tuple[list[float], float]:
    """Return the middle of each bar, in points from the top, and the height of all."""
    places: list[float] = []
    y = 3.6
    for opens in _opens(bars):
        if opens:
            y += HEADING + (GAP if places else 0.0)
        places.append(y + BAR / 2)
        y += BAR + BETWEEN
    return places, y + 3.6


def _opens(bars: Sequence[Bar]) -> list[bool]:
    """Return for each bar whether a new section starts with it."""
    return [
        bar.section != before
        for bar, before in zip(bars, ["", *(bar.section for bar in bars)], strict=False)
    ]


def _draw_bar(plot: Plot, bar: Bar, y: float, colors: Sequence[tuple[str, str]]) -> None:
    """Draw a bar, and write the shares that fit into their part."""
    start = 0.0
    for (color, ink), row in zip(colors, bar.rows, strict=True):
        if row.estimate is None:
            continue
        box = (start, y - BAR / 2, row.estimate, BAR)
        plot.bars([box], color, edge=True)
        text = percent(row.estimate)
        if text_width(text, SMALL) + 2 <= row.estimate * plot.points_across:
            middle = (start + row.estimate / 2, y)
            plot.text(text, middle, look=Look(SMALL, ink), ha="center")
        start += row.estimate
