"""Tables of cells: labels above the columns and at the left of the rows, cells filled by strength, texts inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.figures import style
from socialstats.figures.labels import fitted, label_room, literals, room_for, text_width, widest
from socialstats.figures.plot import Axis, Plot, new_plot, noted
from socialstats.figures.style import FONT, INK, LINE, SMALL, Look
from socialstats.figures.ticks import Ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAD_WIDTH = 14  # characters of a heading, by default
ABOVE = 39.6  # points above the cells, for headings and the label of the columns


def lay_out_cells(
    across: Sequence[str],
    down: Sequence[str],
    *,
    cell: tuple[float, float],
    widths: tuple[int, int],
    share: float,
    xlabel: str = "",
    ylabel: str = "",
    notes: Sequence[str] = (),
    ax: Axes | None = None,
) -> Plot:
    """Return a table with cells of at most `cell` points.

    Headings and labels have at most `widths` characters; labels take at most a `share` of a narrow screen. Headings are
    turned where columns are narrow.
    """
    labels = fitted(down, label_room(share), width=widths[1])
    heads = literals(across, widths[0])
    columns = max(len(across), 1)
    left = room_for(labels) + (28.8 if ylabel else 10.8)
    inner = min(style.width() - left - 7.2, cell[0] * columns)
    turned = widest(heads) > inner / columns - 4
    lines = noted(notes, left)
    height = max(len(down), 1) * cell[1]
    top = ABOVE + max(widest(heads) - FONT, 0.0) * turned
    right = style.width() - left - inner
    bottom = 7.2 + LINE * len(lines)
    plot = new_plot(height, left=left, right=right, top=top, bottom=bottom, ax=ax)
    if not across or not down:
        return plot
    plot.framed = False
    plot.x = Axis(limits=(0.0, columns), ticks=middles(heads), look=INK)
    plot.y = Axis(limits=(len(down), 0.0), ticks=middles(labels), look=INK)
    plot.x.turned, plot.x.other_side = turned, True
    plot.x.label = fitted([xlabel], plot.box.width, SMALL, 90) if xlabel else ()
    plot.y.label = fitted([ylabel], plot.box.height, SMALL) if ylabel else ()
    plot.footnotes(lines, 6)
    return plot


def middles(labels: Sequence[str]) -> Ticks:
    """Return labels at the middles of cells."""
    return [(i + 0.5, label) for i, label in enumerate(labels)]


def fill_cell(plot: Plot, x: int, y: int, color: str, alpha: float, cells: int = 1) -> None:
    """Fill a cell (column, row), or some beside each other."""
    plot.bars([(x, y, cells, 1)], color, round(alpha, 2), edge=True)


def write_in(plot: Plot, x: int, y: int, texts: Sequence[str], color: str = "ink") -> None:
    """Write the lines that fit into a cell, the first in larger letters."""
    sizes = [FONT, *[SMALL] * (len(texts) - 1)]
    room, step = plot.points_across - 2, LINE - 1.5
    fits = [text_width(text, size) <= room for text, size in zip(texts, sizes, strict=True)]
    if not fits[0]:
        return
    lines = [line for line, has_room in zip(texts, fits, strict=True) if has_room]
    lines = lines[: max(1, int(plot.points_up / step))]
    for i, (text, size) in enumerate(zip(lines, sizes, strict=False)):
        up = ((len(lines) - 1) / 2 - i) * step
        plot.text(text, (x + 0.5, y + 0.5), (0.0, up), look=Look(size, color), ha="center")
