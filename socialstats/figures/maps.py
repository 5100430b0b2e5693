"""Maps of what is possible: means by n, standard deviations by means; and the samples that a mean and sd leave."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import literal, wrapped
from socialstats.figures.plot import Plot, new_plot, places_of
from socialstats.figures.style import INK, LINE, Stroke
from socialstats.figures.ticks import padded
from socialstats.text import count, listing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT, LEAST_HEIGHT, TALLEST = 4.0, 115.0, 374.4  # points of a row of cells, and of all rows
LINES_DRAWN, TICKS = 60, 15
POSSIBLE = 0.45  # strength of the colour of a cell
CAP = 3.5  # points at either side of the end of a range


@figure("Grid")
def possible(
    cells: Sequence[Sequence[bool]],
    across: tuple[float, float],
    up: tuple[float, float],
    *,
    marks: Sequence[tuple[float, float, str, bool]] = (),
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    ax: Axes | None = None,
) -> Plot:
    """Draw a grid of cells, filled where a pair of numbers is possible, with printed pairs marked.

    Shape tells possible (circle) from impossible (diamond), and a cell is filled or empty: nothing rests on colour.

    Parameters
    ----------
    cells : sequence of rows of bool
        Rows from the lowest up, cells from left to right.
    across, up : (first, step)
        The numbers of the first cell, and the steps between cells.
    marks : sequence of (x, y, label, possible)
    title, xlabel, ylabel : str
    ax : Axes, optional

    Returns
    -------
    Axes
        Its label (``ax.get_label()``) describes the map in words.

    Examples
    --------
    >>> marks = [(0.5, 1.0, "2.5", False)]
    >>> ax = possible([[True, False], [True, True]], (0.0, 0.5), (1.0, 1.0), marks=marks, title="T")
    >>> ax.get_label()
    'T: 3 of 4 cells are possible (75%). Marked as impossible: 2.5.'
    """
    import numpy as np

    is_possible = np.array(cells, dtype=bool)
    down, wide = is_possible.shape
    lines = wrapped(title, style.width() - 61.2)
    plot = new_plot(
        min(max(down * HEIGHT, LEAST_HEIGHT), TALLEST),
        left=46.8,
        right=14.4,
        top=28.8 + LINE * (len(lines) - 1),
        bottom=43.2,
        xlabel=xlabel,
        ax=ax,
    )
    plot.scale(_edges(*across, wide), _edges(*up, down))
    plot.y.label = [literal(ylabel, 60)]
    plot.bars(_possible_cells(is_possible, across, up), "series-1", POSSIBLE)
    for x, y, label, fits in marks:
        color, shape = ("ink", "o") if fits else ("series-2", "D")
        plot.points([(x, y)], color, shape, 8.0, not fits)
        plot.write_beside(literal(label, 30), (x, y), 8.0)
    if title:
        plot.text("\n".join(lines), (0, 1), (0, 8), of="box", look=INK, va="bottom")
    plot.label = described(title, is_possible, marks)
    return plot


def _edges(first: float, step: float, cells: int) -> tuple[float, float]:
    return first - step / 2, first + step * (cells - 0.5)


def _possible_cells(
    cells: Any, across: tuple[float, float], up: tuple[float, float]
) -> list[tuple[float, float, float, float]]:
    """Return boxes for the possible cells, neighbours of a row together."""
    boxes = []
    for y, line in enumerate(cells.tolist()):
        x = 0
        for is_possible, run in groupby(line):
            size = len(list(run))
            if is_possible:
                left, low = across[0] + across[1] * (x - 0.5), up[0] + up[1] * (y - 0.5)
                boxes.append((left, low, across[1] * size, up[1]))
            x += size
    return boxes


def described(title: str, cells: Any, marks: Sequence[tuple[float, float, str, bool]]) -> str:
    """Return a map in words, for readers who do not see it."""
    text = f"{title}: {int(cells.sum()):,} of {cells.size:,} cells are possible ({100 * cells.mean():.0f}%)."
    for fits, word in ((True, "possible"), (False, "impossible")):
        labels = [label for _, _, label, mark_fits in marks if mark_fits == fits]
        text += f" Marked as {word}: {listing(labels, most=10)}." if labels else ""
    return text


@figure("Line chart")
def reconstructed(
    values: Sequence[float],
    samples: Sequence[Sequence[int]],
    *,
    ax: Axes | None = None,
    xlabel: str = "Score",
) -> Plot:
    """Draw reconstructed samples: the share of each value in each, and the range over all of them.

    Parameters
    ----------
    values : sequence of float
    samples : sequence of sequence of int
        How often each value occurs; at most 60 are drawn as lines, evenly taken, the range is that of all.
    ax : Axes, optional
    xlabel : str

    Returns
    -------
    Axes

    Examples
    --------
    >>> reconstructed([1, 2, 3], [(1, 2, 1), (2, 0, 2)]).get_label()
    'Shares of 3 values in 2 samples. At 1: 25 to 50%; at 3: 25 to 50%.'
    """
    import numpy as np

    plot = new_plot(151.2, left=46.8, right=14.4, bottom=43.2, xlabel=xlabel, ax=ax)
    if not len(samples):
        return plot.message("no sample has this mean and standard deviation")
    counts = np.array(samples, dtype=np.float64)
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    least, most = shares.min(axis=0), shares.max(axis=0)
    plot.scale(padded([float(value) for value in values]), (0.0, 1.05 * float(most.max())))
    if len(values) <= TICKS:
        plot.x.ticks = [(float(value), f"{value:g}") for value in values]
    plot.y.label, plot.grid = ["Share in percent"], "y"
    for row in shares[:: max(1, len(shares) // LINES_DRAWN)]:
        plot.line(places_of(values, row), Stroke("series-1", 0.8, alpha=0.25))
    cap = CAP / plot.points_across
    for ends in (least, most):
        plot.segments(
            [(y, x - cap, x + cap) for x, y in places_of(values, ends)], Stroke("ink", 1.0)
        )
    for value, low, high in zip(values, least, most, strict=True):
        plot.line(places_of([value, value], [low, high]), Stroke("ink", 1.6))
    first, last = (f"{values[k]:g}: {least[k]:.0f} to {most[k]:.0f}%" for k in (0, -1))
    plot.label = (
        f"Shares of {count(len(values), 'value')} in {count(len(samples), 'sample')}. "
        f"At {first}; at {last}."
    )
    return plot
