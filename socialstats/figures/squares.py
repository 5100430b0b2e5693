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


@style.figure("Table of counts")
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
        ax = _new(levels, k)
    total = float(cells.sum())
    if total == 0:
        return style.message(ax, "no pairs to show")
    style.dress(ax)
    across, turned = _across(
        levels, ax.get_window_extent().width * style.POINTS / ax.figure.dpi / (k + 1)
    )
    style.tiled(ax, across, _down(levels), turned=turned > 0)
    room = style.cell_size(ax)
    ax.set_xlabel(
        style.fitted([conditions[1]], room[0] * (k + 1), style.SMALL)[0], **style.QUIET, labelpad=5
    )
    ax.set_ylabel(
        style.fitted([conditions[0]], room[1] * (k + 1), style.SMALL)[0], **style.QUIET, labelpad=5
    )
    for i in range(k):
        for j in range(k):
            _cell(
                ax,
                j,
                i,
                float(cells[i, j]),
                total,
                room,
                SAME if i == j else ABOVE if j > i else BELOW,
            )
        _cell(ax, k, i, float(cells[i].sum()), total, room, None)
        _cell(ax, i, k, float(cells[:, i].sum()), total, room, None)
    _cell(ax, k, k, total, total, room, None)
    return ax


@style.figure("Table of counts")
def two_by_two(
    *,
    a: float,
    b: float,
    c: float,
    d: float,
    conditions: tuple[str, str],
    levels: tuple[str, str] = ("0", "1"),
    ax: Axes | None = None,
) -> Axes:
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
        raise InputError(
            f"a square table of {len(levels)} levels is {len(levels)} x {len(levels)}, not {cells.shape}"
        )
    if not np.isfinite(cells).all() or (cells < 0).any():
        raise InputError("counts of a square table must be finite and at least 0")
    if len(levels) > MOST_LEVELS:
        raise InputError(f"a square table shows at most {MOST_LEVELS} levels, got {len(levels)}")
    return cells


def _across(levels: Sequence[str], cell: float) -> tuple[list[str], float]:
    return style.heads([*levels, "all"], cell, max(4, int(16 * 4 / max(len(levels), 4))))


def _down(levels: Sequence[str]) -> list[str]:
    return [*style.fitted(levels, style.label_room(0.3), width=LABEL_WIDTH), "all"]


def _new(levels: Sequence[str], k: int) -> Axes:
    left = style.room_for(_down(levels)) + 0.4
    inner = min(style.width() - left - 0.1, CELL[0] * (k + 1))
    top = 0.55 + max(_across(levels, inner * style.POINTS / (k + 1))[1] - 0.2, 0.0)
    right = style.width() - left - inner
    return style.new_axes(
        (k + 1) * CELL[1] + top + 0.1, left=left, right=right, top=top, bottom=0.1
    )


def _cell(
    ax: Axes, x: int, y: int, n: float, total: float, room: tuple[float, float], color: str | None
) -> None:
    """Draw one cell, or (without a colour) a margin."""
    share = n / total
    if color is not None:
        style.tiles(ax, [(x, y, color, 0.05 + 0.35 * math.sqrt(share))])
    style.in_cell(ax, x, y, [counted(n), percent(share)], room, "muted" if color is None else "ink")
