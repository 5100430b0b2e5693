"""A square table of pairs: what both conditions (or raters) said, with counts, shares and margins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import count as counted
from socialstats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

MOST_LEVELS = 12
CELL = (1.15, 0.5)  # inches
LABEL_WIDTH = 20  # characters
SAME, ABOVE, BELOW = "muted", "series-2", "series-1"


@style.figure
def square(
    table: ArrayLike,
    *,
    levels: Sequence[str],
    conditions: tuple[str, str],
    ax: Axes | None = None,
) -> Axes:
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
    cells = _checked(table, levels)
    k = len(levels)
    if ax is None:
        ax = _new(style.literals(levels, LABEL_WIDTH), k)
    total = float(cells.sum())
    if total == 0:
        return style.message(ax, "no pairs to show")
    style.dress(ax)
    wide = max(4, int(16 * 4 / max(k, 4)))
    across, down = ([*style.literals(levels, width), "all"] for width in (wide, LABEL_WIDTH))
    style.tiled(ax, across, down)
    ax.set_xlabel(style.literal(conditions[1], 60), **style.QUIET, labelpad=5)
    ax.set_ylabel(style.literal(conditions[0], 30), **style.QUIET, labelpad=5)
    for i in range(k):
        for j in range(k):
            _cell(ax, j, i, float(cells[i, j]), total, SAME if i == j else ABOVE if j > i else BELOW)
        _cell(ax, k, i, float(cells[i].sum()), total, None)
        _cell(ax, i, k, float(cells[:, i].sum()), total, None)
    _cell(ax, k, k, total, total, None)
    return ax


@style.figure
def two_by_two(
    *, a: float, b: float, c: float, d: float, conditions: tuple[str, str], levels: tuple[str, str] = ("0", "1"),
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
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
    ['20', '5', '25', '32']
    """
    return square([[d, c], [b, a]], levels=levels, conditions=conditions, ax=ax)


def _checked(table: Any, levels: Sequence[str]) -> Any:
    cells = np.asarray(table, dtype=np.float64)
    if cells.shape != (len(levels), len(levels)):
        raise InputError(f"a square table of {len(levels)} levels is {len(levels)} x {len(levels)}, not {cells.shape}")
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise InputError("counts of a square table must be finite and at least 0")
    if len(levels) > MOST_LEVELS:
        raise InputError(f"a square table shows at most {MOST_LEVELS} levels, got {len(levels)}")
    return cells


def _new(labels: Sequence[str], k: int) -> Axes:
    left = style.room_for(labels) + 0.4
    room = style.WIDTH - left - 0.1
    right = style.WIDTH - left - min(room, CELL[0] * (k + 1))
    return style.new_axes((k + 1) * CELL[1] + 0.65, left=left, right=right, top=0.55, bottom=0.1, kind=style.CELLS)


def _cell(ax: Axes, x: int, y: int, n: float, total: float, color: str | None) -> None:
    """Draw one cell, or (without a colour) a margin."""
    share = n / total
    if color is not None:
        style.tile(ax, x, y, color, 0.05 + 0.35 * math.sqrt(share))
    ink = style.LIGHT["muted" if color is None else "ink"]
    ax.text(x + 0.5, y + 0.38, counted(n), ha="center", va="center", fontsize=style.FONT, color=ink)
    ax.text(x + 0.5, y + 0.74, percent(share), ha="center", va="center", fontsize=7, color=ink)
