"""Maps of what is possible: means by n, standard deviations by means; and the samples that a mean and sd leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from socialstats.figures import style
from socialstats.text import count, listing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT, TALLEST = 0.055, 5.2  # inches of a row of cells, and of all rows
LINES_DRAWN, TICKS = 60, 15


@style.figure("Grid")
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
) -> Axes:
    """Draw a grid of cells, filled where a pair of numbers is possible, with printed pairs marked.

    Shape tells possible (circle) from impossible (cross), and a cell is filled or empty: nothing rests on colour.

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
    from matplotlib.colors import to_rgba

    known = np.array(cells, dtype=bool)
    down, wide = known.shape
    lines = style.wrapped(title, (style.width() - 0.85) * style.POINTS)
    if ax is None:
        ax = style.new_axes(
            min(max(down * HEIGHT, 2.0), TALLEST) + 0.82 + 0.18 * len(lines),
            left=0.65,
            right=0.2,
            top=0.4 + 0.18 * (len(lines) - 1),
            bottom=0.6,
            xlabel=xlabel,
        )
    style.dress(ax, xlabel=xlabel)
    colors = np.where(
        known[..., None],
        to_rgba(style.LIGHT["series-1"], 0.45),
        to_rgba(style.LIGHT["surface"], 1.0),
    )
    ends = [
        (first - step / 2, first + step * (size - 0.5))
        for (first, step), size in ((across, wide), (up, down))
    ]
    ax.imshow(
        colors, origin="lower", aspect="auto", extent=(*ends[0], *ends[1]), interpolation="nearest"
    )
    ax.set_ylabel(style.literal(ylabel, 60), labelpad=5, **style.QUIET)
    for x, y, label, fits in marks:
        look: dict[str, Any] = {
            "marker": "o" if fits else "X",
            "markersize": 8,
            "linestyle": "none",
        }
        color = style.LIGHT["ink" if fits else "series-2"]
        ax.plot([x], [y], markerfacecolor="none" if fits else color, markeredgecolor=color, **look)
        left = x > (ends[0][0] + ends[0][1]) / 2
        ax.annotate(
            style.literal(label, 30),
            (x, y),
            (-7 if left else 7, 4),
            textcoords="offset points",
            ha="right" if left else "left",
            **style.SMALL_INK,
            bbox={"facecolor": style.LIGHT["surface"], "edgecolor": "none", "alpha": 0.85},
        )
    if title:
        style.outside(ax, "\n".join(lines), (0, 1), (0, 8), **style.INK)
    ax.set_label(described(title, known, marks))
    return ax


def described(title: str, known: Any, marks: Sequence[tuple[float, float, str, bool]]) -> str:
    """Return a map in words, for readers who do not see it."""
    said = f"{title}: {int(known.sum()):,} of {known.size:,} cells are possible ({100 * known.mean():.0f}%)."
    for fits, word in ((True, "possible"), (False, "impossible")):
        labels = [label for _, _, label, one in marks if one == fits]
        said += f" Marked as {word}: {listing(labels, most=10)}." if labels else ""
    return said


@style.figure("Line chart")
def reconstructed(
    values: Sequence[float],
    samples: Sequence[Sequence[int]],
    *,
    ax: Axes | None = None,
    xlabel: str = "Score",
) -> Axes:
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

    ax = (
        style.new_axes(3.0, left=0.65, right=0.2, top=0.3, bottom=0.6, xlabel=xlabel)
        if ax is None
        else ax
    )
    if not len(samples):
        return style.message(ax, "no sample has this mean and standard deviation")
    style.dress(ax, xlabel=xlabel)
    counts = np.array(samples, dtype=np.float64)
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    least, most = shares.min(axis=0), shares.max(axis=0)
    for row in shares[:: max(1, len(shares) // LINES_DRAWN)]:
        ax.plot(values, row, color=style.LIGHT["series-1"], alpha=0.25, linewidth=0.8, zorder=2)
    ax.vlines(values, least, most, color=style.LIGHT["ink"], linewidth=1.6, zorder=3)
    ax.plot(values, least, "_", values, most, "_", color=style.LIGHT["ink"], markersize=7, zorder=3)
    ax.set_ylim(bottom=0)
    if len(values) <= TICKS:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    ax.grid(axis="y", color=style.LIGHT["hair"], linewidth=0.7)
    ax.set_ylabel("Share in percent", labelpad=5, **style.QUIET)
    ends = [f"at {values[k]:g}: {least[k]:.0f} to {most[k]:.0f}%" for k in (0, -1)]
    ax.set_label(
        f"Shares of {count(len(values), 'value')} in {count(len(samples), 'sample')}. "
        f"{ends[0].replace('at', 'At', 1)}; {ends[1]}."
    )
    return ax
