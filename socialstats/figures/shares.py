"""Stacked bars: how the answers of each source divide over the levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_LEVELS, MOST_BARS = 5, 60
LABEL_WIDTH = 24  # characters
BAR, GAP = 0.23, 0.13  # inches: a bar, and the space before a new section
HEADING = 0.2  # inches


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its label, the rows of its levels in order, and the section that it belongs to (empty: none)."""

    label: str
    rows: tuple[Row, ...]
    section: str = ""


@style.figure("Stacked bars")
def shares(
    bars: Sequence[Bar],
    *,
    ax: Axes | None = None,
    xlabel: str = "Share of answers",
    ordered: bool = False,
) -> Axes:
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
    levels = _levels(bars, style.STEPS if ordered else MOST_LEVELS)
    colors = style.fills(len(levels), ordered=ordered)
    places, height = _places(bars)
    labels = style.fitted([bar.label for bar in bars], style.label_room(0.4), width=LABEL_WIDTH)
    legend = _legend(levels, colors)
    if ax is None:
        left = style.room_for(labels) + 0.15
        room = (style.width() - left - 0.3) * style.POINTS
        top = style.legend_height(legend, style.FONT, room) if legend else 0.35
        ax = style.new_axes(height + top + 0.5, left=left, right=0.3, top=top, xlabel=xlabel)
    if not bars:
        return style.message(ax, "no shares to show")
    style.dress(ax, xlabel=xlabel)
    ax.set_xlim(0, 1)
    ax.set_ylim(height, 0)
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    ax.set_xticks(ticks, [f"{round(100 * t)}%" for t in ticks])
    ax.set_yticks(places, labels, **style.INK)
    style.legend(ax, legend, style.FONT)
    room = ax.get_window_extent().width * style.POINTS / ax.figure.dpi
    for bar, y, opens in zip(bars, places, _opens(bars), strict=True):
        if opens:
            [section] = style.fitted([bar.section], room, style.SMALL)
            ax.text(0.0, y - BAR / 2 - 0.05, section, va="bottom", **style.QUIET)
        _bar(ax, bar, y, room, colors)
    return ax


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
    """Middle of each bar, in inches from the top, and the height of all."""
    places: list[float] = []
    y = 0.05
    for opens in _opens(bars):
        if opens:
            y += HEADING + (GAP if places else 0.0)
        places.append(y + BAR / 2)
        y += BAR + 0.04
    return places, y + 0.05


def _opens(bars: Sequence[Bar]) -> list[bool]:
    """Return for each bar whether a new section starts with it."""
    return [
        bar.section != before
        for bar, before in zip(bars, ["", *(bar.section for bar in bars)], strict=False)
    ]


def _legend(levels: Sequence[str], colors: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the name of each level after a square, with its colour."""
    names = style.literals(levels, 18)
    return [(f"{style.SQUARE}{name}", fill) for name, (fill, _) in zip(names, colors, strict=True)]


def _bar(ax: Axes, bar: Bar, y: float, room: float, colors: Sequence[tuple[str, str]]) -> None:
    """Draw a bar that may be `room` points long, and write the shares that fit into their part."""
    start = 0.0
    for (fill, ink), row in zip(colors, bar.rows, strict=True):
        if row.estimate is None:
            continue
        ax.barh(
            y,
            row.estimate,
            left=start,
            height=BAR,
            color=style.LIGHT[fill],
            edgecolor=style.LIGHT["surface"],
            linewidth=0.8,
        )
        text = percent(row.estimate)
        if style.text_width(text, style.SMALL) + 2 <= row.estimate * room:
            ax.text(
                start + row.estimate / 2,
                y,
                text,
                ha="center",
                va="center_baseline",
                fontsize=style.SMALL,
                color=style.LIGHT[ink],
            )
        start += row.estimate
