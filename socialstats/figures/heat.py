"""A group-by-group matrix: how often the row's group won against the column's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.dumbbell import undefined_reasons
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_GROUPS = 20
CELL_HEIGHT = 0.46  # inches
LABEL_WIDTH = 22  # characters


@style.figure
def heat(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    neutral: float = 0.5,
    extreme: float = 0.5,
    xlabel: str = "against",
    digits: int = 2,
) -> Axes:
    """Draw one cell for each pair of groups, with its value and n.

    Parameters
    ----------
    rows : sequence of Row
        `term` names the row's group, `group` the column's. Pairs that are not given stay blank; a row without an
        estimate is written out as undefined, with its reason below.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    neutral, extreme : float
        Value without colour, and the distance from it that has full colour. Values above `neutral` are blue, below
        are orange; the number is always written.
    xlabel : str
    digits : int

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For more than 20 groups, or a pair given twice.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = heat([Row(term="family", group="work", estimate=0.62, n=240)])
    >>> [t.get_text() for t in ax.texts]
    ['0.62', 'n 240']
    """
    across = list(dict.fromkeys(row.group or "" for row in rows))
    down = list(dict.fromkeys(row.term for row in rows))
    if set(across) == set(down):
        across = down
    if max(len(across), len(down)) > MOST_GROUPS:
        raise InputError(f"a heat map shows at most {MOST_GROUPS} groups, got {max(len(across), len(down))}")
    if len({(row.term, row.group) for row in rows}) < len(rows):
        raise InputError("a pair of groups is given twice; aggregate the rows first")
    reasons = undefined_reasons(rows)
    if ax is None:
        ax = _new(across, down, len(reasons))
    if not rows:
        return style.message(ax, "no rows to show")
    style.dress(ax, xlabel=xlabel)
    style.tiled(ax, style.literals(across, 14), style.literals(down, LABEL_WIDTH))
    for row in rows:
        _cell(ax, row, across.index(row.group or ""), down.index(row.term), neutral, extreme, digits)
    style.footnotes(ax, reasons, 6)
    return ax


def _new(across: Sequence[str], down: Sequence[str], footnotes: int) -> Axes:
    left = style.room_for(style.literals(down, LABEL_WIDTH)) + 0.15
    room = style.WIDTH - left - 0.1
    right = style.WIDTH - left - min(room, 1.2 * max(len(across), 1))
    bottom = 0.15 + 12 * footnotes / style.POINTS
    height = max(len(down), 1) * CELL_HEIGHT + 0.55 + bottom
    return style.new_axes(height, left=left, right=right, top=0.55, bottom=bottom, kind=style.CELLS)


def _cell(ax: Axes, row: Row, x: int, y: int, neutral: float, extreme: float, digits: int) -> None:
    """Draw one cell: the colour's strength is the distance from the neutral value."""
    known = style.is_known(row)
    value = row.estimate if row.estimate is not None and known else neutral
    strength = min(abs(value - neutral) / extreme, 1.0)
    style.tile(ax, x, y, "series-1" if value >= neutral else "series-2", 0.04 + 0.4 * strength)
    text, look = (number(value, digits), style.INK) if known else ("undefined", style.QUIET)
    ax.text(x + 0.5, y + 0.4, text, ha="center", va="center", **look)
    if row.n is not None:
        look = {**style.INK, "fontsize": 7}
        ax.text(x + 0.5, y + 0.77, f"n {count(row.n)}", ha="center", va="center", **look)
