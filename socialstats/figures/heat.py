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


@style.figure("Heat map")
def heat(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    neutral: float = 0.5,
    extreme: float = 0.5,
    xlabel: str = "against",
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
        raise InputError(
            f"a heat map shows at most {MOST_GROUPS} groups, got {max(len(across), len(down))}"
        )
    if len({(row.term, row.group) for row in rows}) < len(rows):
        raise InputError("a pair of groups is given twice; aggregate the rows first")
    reasons = undefined_reasons(rows)
    labels = style.fitted(down, style.label_room(0.35), width=LABEL_WIDTH)
    left = style.room_for(labels) + 0.15
    notes = style.noted(reasons, left)
    if ax is None:
        ax = _new(across, len(down), left, len(notes))
    if not rows:
        return style.message(ax, "no rows to show")
    style.dress(ax, xlabel=xlabel)
    names, turned = style.heads(
        across, ax.get_window_extent().width * style.POINTS / ax.figure.dpi / len(across)
    )
    style.tiled(ax, names, labels, turned=turned > 0)
    room = style.cell_size(ax)
    colors: list[tuple[int, int, str, float]] = []
    for row in rows:
        x, y = across.index(row.group or ""), down.index(row.term)
        value = row.estimate if row.estimate is not None and style.is_known(row) else neutral
        strength = min(abs(value - neutral) / extreme, 1.0)
        colors.append((x, y, "series-1" if value >= neutral else "series-2", 0.04 + 0.4 * strength))
        _numbers(ax, row, x, y, room)
    style.tiles(ax, colors)
    style.footnotes(ax, notes, 6)
    return ax


def _new(across: Sequence[str], down: int, left: float, notes: int) -> Axes:
    room = style.width() - left - 0.1
    inner = min(room, 1.2 * max(len(across), 1))
    top = 0.55 + max(style.heads(across, inner * style.POINTS / max(len(across), 1))[1] - 0.2, 0.0)
    bottom = 0.15 + style.LINE * notes / style.POINTS
    height = max(down, 1) * CELL_HEIGHT + top + bottom
    return style.new_axes(
        height, left=left, right=style.width() - left - inner, top=top, bottom=bottom
    )


def _numbers(ax: Axes, row: Row, x: int, y: int, room: tuple[float, float]) -> None:
    """Write the value of a cell and its n, where they fit."""
    if not style.is_known(row):
        wide = style.text_width("undefined") <= room[0] - 2
        style.in_cell(ax, x, y, ["undefined" if wide else "\u2014"], room, "muted")
        return
    texts = [number(row.shown()), *([] if row.n is None else [f"n {count(row.n)}"])]
    style.in_cell(ax, x, y, texts, room)
