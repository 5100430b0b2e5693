"""A group-by-group matrix: how often the row's group won against the column's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.cells import fill_cell, lay_out_cells, write_in
from socialstats.figures.labels import text_width
from socialstats.figures.plot import Plot
from socialstats.figures.rows import shown_number, undefined_reasons
from socialstats.figures.ticks import is_known
from socialstats.text import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_GROUPS = 20
CELL = (86.4, 33.1)  # points
LABEL_WIDTH = 22  # characters
HEAD_WIDTH = 14
FAINT, STRONG = 0.04, 0.44  # strengths of colour at the neutral value, and at the extreme


@figure("Heat map")
def heat(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    neutral: float = 0.5,
    extreme: float = 0.5,
    xlabel: str = "against",
) -> Plot:
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
    return lay_out_pairs(rows, neutral=neutral, extreme=extreme, xlabel=xlabel, ax=ax)


def lay_out_pairs(
    rows: Sequence[Row], *, neutral: float, extreme: float, xlabel: str, ax: Axes | None
) -> Plot:
    """Return the plot of `heat`."""
    across = list(dict.fromkeys(row.group or "" for row in rows))
    down = list(dict.fromkeys(row.term for row in rows))
    if set(across) == set(down):
        across = down
    most = max(len(across), len(down))
    if most > MOST_GROUPS:
        raise InputError(f"a heat map shows at most {MOST_GROUPS} groups, got {most}")
    if len({(row.term, row.group) for row in rows}) < len(rows):
        raise InputError("a pair of groups is given twice; aggregate the rows first")
    plot = lay_out_cells(
        across,
        down,
        cell=CELL,
        widths=(HEAD_WIDTH, LABEL_WIDTH),
        share=0.35,
        xlabel=xlabel,
        notes=undefined_reasons(rows),
        ax=ax,
    )
    if not rows:
        return plot.message("no rows to show")
    for row in rows:
        x, y = across.index(row.group or ""), down.index(row.term)
        value = neutral if row.estimate is None or not is_known(row) else row.estimate
        strength = min(abs(value - neutral) / extreme, 1.0)
        color = "series-1" if value >= neutral else "series-2"
        fill_cell(plot, x, y, color, FAINT + (STRONG - FAINT) * strength)
        _write_number(plot, row, x, y)
    return plot


def _write_number(plot: Plot, row: Row, x: int, y: int) -> None:
    """Write the value of a cell and its n, where they fit."""
    if is_known(row):
        texts = [shown_number(row)]
        if row.n is not None:
            texts.append(f"n {count(row.n)}")
        write_in(plot, x, y, texts)
        return
    wide = text_width("undefined") <= plot.points_across - 2
    write_in(plot, x, y, ["undefined" if wide else "\u2014"], "muted")
