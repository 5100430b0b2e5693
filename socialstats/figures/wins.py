"""Item by item: how probable it is that the row's item beats the column's, from log-strengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.forest import ordered
from socialstats.text import count, number, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_ITEMS = 35
LABEL_WIDTH = 24  # characters
LEAST_CELL, HIGHEST = 0.2, 0.34  # inches
LEAST_HEAD = 11.0  # points of a column that has room for a turned label
STEPS = (0.05, 0.15, 0.25, 0.35, 0.45)  # distances from .5 at which the colour becomes stronger
STRENGTH = (0.0, 0.12, 0.24, 0.38, 0.54, 0.72)  # strengths of the colour


@style.figure("Heat map")
def wins(strengths: Sequence[Row], *, ax: Axes | None = None, xlabel: str = "against") -> Axes:
    """Draw expected win probabilities of every item against every other, the strongest first.

    The probability is 1 / (1 + exp(-d)) with d the difference of two log-strengths: ties and order effects are left
    out. Blue cells are above .5, orange ones below; probabilities are written where cells have room.

    Parameters
    ----------
    strengths : sequence of Row
        `term` names the item, `estimate` is its log-strength. Items without one are left out, as a note says. Of more
        than 35 items, the strongest and the weakest 17 are drawn.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    xlabel : str

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        If an item is given twice.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = wins([Row(term="b", estimate=-0.5), Row(term="a", estimate=0.5)])
    >>> [t.get_text() for t in ax.get_yticklabels()], [t.get_text() for t in ax.texts][:2]
    (['a', 'b'], ['.73', '.27'])
    """
    rows = [row for row in ordered(strengths) if style.is_known(row)]
    if len({row.term for row in rows}) < len(rows):
        raise InputError("an item is given twice")
    half = MOST_ITEMS // 2
    shown = rows if len(rows) <= MOST_ITEMS else [*rows[:half], *rows[-half:]]
    n = len(shown)
    lost = (
        [f"{count(len(rows) - n, 'item')} between the strongest and the weakest {half} not drawn"]
        if len(rows) > n
        else []
    )
    lost += (
        [f"{count(len(strengths) - len(rows), 'item')} without a strength left out"]
        if len(strengths) > len(rows)
        else []
    )
    names = [row.term for row in shown]
    labels = style.fitted(names, style.label_room(0.3), width=LABEL_WIDTH)
    left = style.room_for(labels) + 0.15
    inner = min(style.width() - left - 0.1, 0.5 * max(n, 1))
    cell = inner * style.POINTS / max(n, 1)
    written = style.text_width(".00") + 5 <= cell
    if not written:
        lost.append(
            "Blue: the item of the line is expected to win more often; orange: less often. "
            "Colours change at .55, .65, .75, .85, .95."
        )
    if cell < LEAST_HEAD:
        lost.append("Columns are in the order of the lines.")
    heads, turned = style.heads(names if cell >= LEAST_HEAD else [""] * n, cell, LABEL_WIDTH)
    notes = style.noted(lost, left)
    if ax is None:
        high = min(max(inner / max(n, 1), LEAST_CELL), HIGHEST)
        top = 0.55 + max(turned - 0.2, 0.0)
        bottom = 0.15 + style.LINE * len(notes) / style.POINTS
        ax = style.new_axes(
            max(n, 2) * high + top + bottom,
            left=left,
            right=style.width() - left - inner,
            top=top,
            bottom=bottom,
        )
    if n < 2:
        return style.message(ax, "no two items with strengths to compare")
    style.dress(ax, xlabel=xlabel)
    style.tiled(ax, heads, labels, turned=turned > 0)
    room = style.cell_size(ax)
    table = [[expected(one, other) for other in shown] for one in shown]
    _cells(ax, table, room[1])
    if written:
        for y, line in enumerate(table):
            for x, p in enumerate(line):
                if x != y:
                    style.in_cell(ax, x, y, [number(p, 2, bounded=True)], room)
    style.footnotes(ax, notes, 6)
    ax.set_label(
        f"Heat map of expected win probabilities, {n} items, {visible_text(names[0])} strongest, "
        f"{number(1 - table[0][-1], 2, bounded=True)} to {number(table[0][-1], 2, bounded=True)}; "
        "no colour at .50."
    )
    return ax


def expected(one: Row, other: Row) -> float:
    """Return the probability that one item beats another, of their log-strengths.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> round(expected(Row(term="a", estimate=1.0), Row(term="b", estimate=0.0)), 4)
    0.7311
    """
    gap = (one.estimate or 0.0) - (other.estimate or 0.0)
    return 1 / (1 + math.exp(-gap)) if gap > 0 else math.exp(gap) / (1 + math.exp(gap))


def _cells(ax: Axes, table: Sequence[Sequence[float]], high: float) -> None:
    """Fill the cells: neighbours of one colour in a row are one thick line."""
    spans: dict[int, list[tuple[float, float, float]]] = {}
    for y, line in enumerate(table):
        steps = [sum(abs(p - 0.5) > edge for edge in STEPS) * (1 if p >= 0.5 else -1) for p in line]
        for step, run in groupby(range(len(steps)), key=steps.__getitem__):
            places = list(run)
            spans.setdefault(step, []).append((y + 0.5, float(places[0]), places[-1] + 1.0))
    for step, lines in sorted(spans.items()):
        if step:
            color = style.LIGHT["series-1" if step > 0 else "series-2"]
            style.segments(
                ax, lines, color=color, alpha=STRENGTH[abs(step)], linewidth=high - 0.8, zorder=1
            )
