"""Item by item: how probable it is that the row's item beats the column's, from log-strengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.cells import fill_cell, lay_out_cells, write_in
from socialstats.figures.labels import fitted, label_room, room_for, text_width
from socialstats.figures.plot import Plot
from socialstats.figures.rows import sorted_rows
from socialstats.figures.ticks import is_known
from socialstats.text import count, number, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_ITEMS = 35
LABEL_WIDTH = 24  # characters
LABEL_SHARE = 0.3  # labels may take this share of a narrow figure
CELL, LEAST_HEIGHT, HEIGHT = 36.0, 14.4, 24.5  # points across, at most; and up
LEAST_HEAD = 11.0  # points of a column that has room for a turned label
STEPS = (0.05, 0.15, 0.25, 0.35, 0.45)  # distances from .5 at which the colour becomes stronger
STRENGTH = (0.0, 0.12, 0.24, 0.38, 0.54, 0.72)  # strengths of the colour
COLORS = (
    "Blue: the item of the line is expected to win more often; orange: less often. "
    "Colours change at .55, .65, .75, .85, .95."
)


@figure("Heat map")
def wins(strengths: Sequence[Row], *, ax: Axes | None = None, xlabel: str = "against") -> Plot:
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
    rows = [row for row in sorted_rows(strengths) if is_known(row)]
    if len({row.term for row in rows}) < len(rows):
        raise InputError("an item is given twice")
    half = MOST_ITEMS // 2
    drawn = rows if len(rows) <= MOST_ITEMS else [*rows[:half], *rows[-half:]]
    names = [row.term for row in drawn]
    n = max(len(drawn), 1)
    labels = fitted(names, label_room(LABEL_SHARE), width=LABEL_WIDTH)
    cell = min((style.width() - room_for(labels) - 18.0) / n, CELL)
    written = text_width(".00") + 5 <= cell
    headed = cell >= LEAST_HEAD
    heads = names if headed else [""] * len(names)
    notes = _notes(len(rows) - len(drawn), len(strengths) - len(rows), written, headed)
    plot = lay_out_cells(
        heads,
        names,
        cell=(CELL, min(max(cell, LEAST_HEIGHT), HEIGHT)),
        widths=(LABEL_WIDTH, LABEL_WIDTH),
        share=LABEL_SHARE,
        xlabel=xlabel,
        notes=notes,
        ax=ax,
    )
    if len(drawn) < 2:
        return plot.message("no two items with strengths to compare")
    table = [[expected(one, other) for other in drawn] for one in drawn]
    for y, line in enumerate(table):
        _fill_line(plot, y, line)
        for x, p in enumerate(line):
            if written and x != y:
                write_in(plot, x, y, [number(p, 2, bounded=True)])
    least, most = (number(p, 2, bounded=True) for p in (1 - table[0][-1], table[0][-1]))
    plot.label = (
        f"Heat map of expected win probabilities, {n} items, {visible_text(names[0])} strongest, "
        f"{least} to {most}; no colour at .50."
    )
    return plot


def _notes(between: int, without: int, written: bool, headed: bool) -> list[str]:
    """Return what stands below the cells: items left out, and what colours and columns are."""
    half = MOST_ITEMS // 2
    notes = []
    if between:
        items = count(between, "item")
        notes.append(f"{items} between the strongest and the weakest {half} not drawn")
    if without:
        notes.append(f"{count(without, 'item')} without a strength left out")
    if not written:
        notes.append(COLORS)
    if not headed:
        notes.append("Columns are in the order of the lines.")
    return notes


def expected(first: Row, second: Row) -> float:
    """Return the probability that one item beats another, of their log-strengths.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> round(expected(Row(term="a", estimate=1.0), Row(term="b", estimate=0.0)), 4)
    0.7311
    """
    gap = (first.estimate or 0.0) - (second.estimate or 0.0)
    return 1 / (1 + math.exp(-gap)) if gap > 0 else math.exp(gap) / (1 + math.exp(gap))


def _fill_line(plot: Plot, y: int, line: Sequence[float]) -> None:
    """Fill the cells of a line: neighbours of one colour together."""
    steps = [sum(abs(p - 0.5) > edge for edge in STEPS) * (1 if p >= 0.5 else -1) for p in line]
    for step, run in groupby(range(len(steps)), key=steps.__getitem__):
        places = list(run)
        if step:
            color = "series-1" if step > 0 else "series-2"
            fill_cell(plot, places[0], y, color, STRENGTH[abs(step)], len(places))
