"""Maps of what is possible: means by n, standard deviations by means; and the samples that a mean and sd leave."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import literal, text_width, wrapped
from socialstats.figures.plot import Plot, new_plot
from socialstats.figures.style import INK, LINE, SMALL, SMALL_INK, Stroke
from socialstats.figures.ticks import padded, spaced_ticks, stacked_ticks
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

    known = np.array(cells, dtype=bool)
    down, wide = known.shape
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
    plot.x.limits = _edges(*across, wide)
    plot.y.limits = _edges(*up, down)
    plot.x.ticks = spaced_ticks(plot.x.limits, plot.box.width)
    plot.y.ticks = stacked_ticks(plot.y.limits, plot.box.height)
    plot.y.label = [literal(ylabel, 60)]
    plot.bars(_possible_cells(known, across, up), "series-1", POSSIBLE)
    for x, y, label, fits in marks:
        color, shape = ("ink", "o") if fits else ("series-2", "D")
        plot.points([(x, y)], color, shape, 8.0, not fits)
        _label_mark(plot, literal(label, 30), x, y)
    if title:
        plot.text("\n".join(lines), (0, 1), (0, 8), of="box", look=INK, va="bottom")
    plot.label = described(title, known, marks)
    return plot


def _edges(first: float, step: float, cells: int) -> tuple[float, float]:
    return first - step / 2, first + step * (cells - 0.5)


def _possible_cells(
    known: Any, across: tuple[float, float], up: tuple[float, float]
) -> list[tuple[float, float, float, float]]:
    """Return boxes for the possible cells, neighbours of a row together."""
    boxes = []
    for y, line in enumerate(known.tolist()):
        for is_possible, run in groupby(range(len(line)), key=line.__getitem__):
            places = list(run)
            if is_possible:
                left, low = across[0] + across[1] * (places[0] - 0.5), up[0] + up[1] * (y - 0.5)
                boxes.append((left, low, across[1] * len(places), up[1]))
    return boxes


def _label_mark(plot: Plot, label: str, x: float, y: float) -> None:
    """Write the label of a mark at the side that has more room, on a plate that hides the cells."""
    left_end, right_end = plot.x.limits
    at_left = x > (left_end + right_end) / 2
    side = -1 if at_left else 1
    near = x + side * 6 / plot.points_across
    far = near + side * (text_width(label, SMALL) + 4) / plot.points_across
    middle = y + 8 / plot.points_up
    plate = Stroke("surface", LINE, alpha=0.85)
    plot.segments([(middle, min(near, far), max(near, far))], plate)
    plot.text(label, (x, y), (8.0 * side, 8.0), look=SMALL_INK, ha="right" if at_left else "left")


def described(title: str, known: Any, marks: Sequence[tuple[float, float, str, bool]]) -> str:
    """Return a map in words, for readers who do not see it."""
    said = f"{title}: {int(known.sum()):,} of {known.size:,} cells are possible ({100 * known.mean():.0f}%)."
    for fits, word in ((True, "possible"), (False, "impossible")):
        labels = [label for _, _, label, one in marks if one == fits]
        said += f" Marked as {word}: {listing(labels, most=10)}." if labels else ""
    return said


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
    plot.x.limits = padded([float(value) for value in values])
    plot.y.limits = (0.0, 1.05 * max(float(most.max()), 1.0))
    plot.x.ticks = [(float(value), f"{value:g}") for value in values]
    if len(values) > TICKS:
        plot.x.ticks = spaced_ticks(plot.x.limits, plot.box.width)
    plot.y.ticks = stacked_ticks(plot.y.limits, plot.box.height)
    plot.y.label, plot.grid = ["Share in percent"], "y"
    for row in shares[:: max(1, len(shares) // LINES_DRAWN)].tolist():
        plot.line(list(zip(values, row, strict=True)), Stroke("series-1", 0.8, alpha=0.25))
    cap = CAP / plot.points_across
    for value, low, high in zip(values, least.tolist(), most.tolist(), strict=True):
        plot.line([(value, low), (value, high)], Stroke("ink", 1.6))
        caps = [(end, value - cap, value + cap) for end in (low, high)]
        plot.segments(caps, Stroke("ink", 1.0))
    first, last = (f"{values[k]:g}: {least[k]:.0f} to {most[k]:.0f}%" for k in (0, -1))
    plot.label = (
        f"Shares of {count(len(values), 'value')} in {count(len(samples), 'sample')}. "
        f"At {first}; at {last}."
    )
    return plot
