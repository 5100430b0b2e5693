"""A square table of pairs: what both conditions (or raters) said, with counts, shares and margins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.cells import fill_cell, lay_out_cells, write_in
from socialstats.figures.plot import Plot
from socialstats.text import count as counted
from socialstats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

MOST_LEVELS = 12
CELL = (82.8, 36.0)  # points
LABEL_WIDTH = 20  # characters
HEADINGS = 64  # characters of all headings
FAINT, STRONG = 0.05, 0.4  # strengths of colour for a share of 0, and of 1
SAME, ABOVE, BELOW = "muted", "series-2", "series-1"


@figure("Table of counts")
def square(
    table: ArrayLike,
    *,
    levels: Sequence[str],
    conditions: tuple[str, str],
    ax: Axes | None = None,
) -> Plot:
    """Draw a square table: rows are the first condition's values, columns the second's.

    Every cell has its count and its share of all pairs; the colour's strength is the share. Cells on the diagonal
    (the same value twice) are grey, above it (the second has the later level) orange, below it blue.

    Parameters
    ----------
    table : (levels, levels) array of counts
    levels : sequence of str
        Labels of the values, in the order of rows and columns.
    conditions : pair of str
        Labels of the first (rows) and second (columns) condition, or of two raters.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        If the table is not square, has other numbers of levels, negative counts, or more than 12 levels.

    Examples
    --------
    >>> ax = square([[20, 5], [12, 63]], levels=("0", "1"), conditions=("before", "after"))
    >>> [t.get_text() for t in ax.texts][:4]
    ['20', '20.0%', '5', '5.0%']
    """
    return _lay_out(table, levels, conditions, ax)


@figure("Table of counts")
def two_by_two(
    *,
    a: float,
    b: float,
    c: float,
    d: float,
    conditions: tuple[str, str],
    levels: tuple[str, str] = ("0", "1"),
    ax: Axes | None = None,
) -> Plot:
    """Draw McNemar's table from its four cells.

    Parameters
    ----------
    a, b, c, d : float
        Pairs with the second level (one) under both conditions, the first only, the second only, neither.
    conditions : pair of str
    levels : pair of str
        Labels of zero and one.
    ax : Axes, optional

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For counts that are negative or not finite.

    Examples
    --------
    >>> ax = two_by_two(a=63, b=12, c=5, d=20, conditions=("before", "after"))
    >>> [t.get_text() for t in ax.texts][::2][:4]
    ['20', '5', '25', '12']
    """
    return _lay_out([[d, c], [b, a]], levels, conditions, ax)


def _lay_out(
    table: ArrayLike, levels: Sequence[str], conditions: tuple[str, str], ax: Axes | None
) -> Plot:
    cells = _checked(table, levels)
    k, total = len(levels), float(cells.sum())
    plot = lay_out_cells(
        [*levels, "all"],
        [*levels, "all"],
        cell=CELL,
        widths=(max(4, HEADINGS // max(k, 4)), LABEL_WIDTH),
        share=0.3,
        xlabel=conditions[1],
        ylabel=conditions[0],
        ax=ax,
    )
    if total == 0:
        return plot.message("no pairs to show")
    with_margins = np.zeros((k + 1, k + 1))
    with_margins[:k, :k] = cells
    with_margins[k, :k], with_margins[:k, k] = cells.sum(axis=0), cells.sum(axis=1)
    with_margins[k, k] = total
    for (y, x), n in np.ndenumerate(with_margins):
        inside = x < k and y < k
        if inside:
            color = SAME if x == y else ABOVE if x > y else BELOW
            fill_cell(plot, x, y, color, FAINT + (STRONG - FAINT) * math.sqrt(n / total))
        texts = [counted(float(n)), percent(float(n) / total)]
        write_in(plot, x, y, texts, "ink" if inside else "muted")
    return plot


def _checked(table: Any, levels: Sequence[str]) -> Any:
    cells = np.asarray(table, dtype=np.float64)
    if cells.shape != (len(levels), len(levels)):
        raise InputError(
            f"a square table of {len(levels)} levels is {len(levels)} x {len(levels)}, not {cells.shape}"
        )
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise InputError("counts of a square table must be finite and at least 0")
    if len(levels) > MOST_LEVELS:
        raise InputError(f"a square table shows at most {MOST_LEVELS} levels, got {len(levels)}")
    return cells
