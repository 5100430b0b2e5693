"""Small multiples: the same rows in several panels, on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import (
    fitted,
    label_room,
    literal,
    room_for,
    text_width,
    wrapped,
)
from socialstats.figures.plot import Plot, new_plot
from socialstats.figures.rows import (
    ROW_HEIGHT,
    chosen_rows,
    count_left_out,
    draw_estimates,
    draw_hairs,
    row_lines,
)
from socialstats.figures.style import DASHED, EDGE, INK, LINE, QUIET, SMALL, SMALL_INK
from socialstats.figures.ticks import (
    are_bounded,
    is_known,
    padded,
    spaced_ticks,
    values_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_PANELS, MOST_ROWS = 12, 100
BESIDE = 4  # panels side by side
LABEL_WIDTH = 52  # characters of a row
LABEL_SHARE = 0.42  # labels may take this share of a narrow figure
LEAST_PANEL = 46.8  # points across
APART, ABOVE, BELOW = 11.5, 21.6, 36.0  # points between panels, for their titles, and below them
MOST_TICKS = 4


@figure("Small multiples")
def multiples(
    panels: Mapping[str, Sequence[Row]],
    *,
    ax: Axes | None = None,
    label: str = "",
    xlabel: str = "Estimate",
    reference: float | None = 0.0,
    sort: bool = True,
    columns: int | None = None,
) -> Plot:
    """Draw one panel per group of rows: points with intervals, the same terms on the same lines.

    Parameters
    ----------
    panels : mapping of title to rows
        For instance one panel per pair of groups. Terms that a panel lacks stay blank there; a row without an
        estimate is written out as undefined.
    ax : Axes, optional
        Draw into this Axes, which becomes the frame of the panels. By default a new figure is made.
    label, xlabel : str
        Heading of the terms; name and unit of the estimate.
    reference : float or None
        Value of the vertical reference line of each panel.
    sort : bool
        Order the terms by their mean over the panels, largest first. False keeps the order given.
    columns : int, optional
        Panels side by side; at most four by default.

    Returns
    -------
    Axes
        The frame; its ``child_axes`` are the panels.

    Raises
    ------
    InputError
        For more than 12 panels or 100 terms, or a term given twice in a panel.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = multiples({"man - woman": [Row(term="bus", estimate=0.4), Row(term="park", estimate=0.6)],
    ...                 "man - neutral": [Row(term="bus", estimate=0.1)]})
    >>> [panel.texts[0].get_text() for panel in ax.child_axes]
    ['man - woman', 'man - neutral']
    >>> [text.get_text() for text in ax.child_axes[0].get_yticklabels()]
    ['park', 'bus']
    """
    table = {title: {row.term: row for row in rows} for title, rows in panels.items()}
    for title, rows in panels.items():
        if len(table[title]) < len(rows):
            raise InputError(f"panel '{title}' has a term twice; aggregate its rows first")
    terms = _terms(table, sort)
    if len(table) > MOST_PANELS or len(terms) > MOST_ROWS:
        raise InputError(
            f"small multiples show at most {MOST_PANELS} panels and {MOST_ROWS} terms, "
            f"got {len(table)} and {len(terms)}"
        )
    drawn = chosen_rows(terms)
    every_row = [row for rows in panels.values() for row in rows]
    labels = fitted(drawn, label_room(LABEL_SHARE), width=LABEL_WIDTH)
    heading = fitted([label], label_room(LABEL_SHARE), width=LABEL_WIDTH)
    left = room_for([*labels, *heading]) + EDGE
    room = style.width() - left - EDGE
    # on narrow screens, ticks of neighbours would meet
    beside = 1 if style.is_narrow() else columns or BESIDE
    fit = max(1, int((room + APART) / (LEAST_PANEL + APART)))
    beside = min(beside, max(len(table), 1), fit)
    deep = -(-len(table) // beside) or 1
    titles = [wrapped(title, room / beside - APART, SMALL, 3) for title in table]
    above = ABOVE + LINE * (max(map(len, titles), default=1) - 1)
    ys = row_lines(len(drawn), len(terms))
    height = (max(ys, default=0.0) + 1) * ROW_HEIGHT
    plot = new_plot(
        deep * (height + above + BELOW), left=left, right=EDGE, top=0.0, bottom=0.0, ax=ax
    )
    if not terms:
        return plot.message("no rows to show")
    plot.framed = False
    references = [] if reference is None else [reference]
    limits = padded([*values_of(every_row), *references] or [0.0])
    width = (plot.box.width - APART * (beside - 1)) / beside
    row_height = plot.box.height / deep
    bounded = are_bounded(every_row)
    for k, cells in enumerate(table.values()):
        down, across = divmod(k, beside)
        low = plot.box.height - (down + 1) * row_height + BELOW
        panel = plot.panel(across * (width + APART), low, width, row_height - above - BELOW)
        panel.text("\n".join(titles[k]), (0, 1), (0, 5), of="box", look=SMALL_INK, va="bottom")
        panel.x.limits, panel.y.limits = limits, (-0.6, max(ys) + 0.6)
        lined = [(y, cells[term]) for y, term in zip(ys, drawn, strict=True) if term in cells]
        _draw_panel(panel, lined, reference, bounded)
        count_left_out(panel, len(drawn), len(terms))
        panel.y.ticks = list(zip(ys, labels if across == 0 else [""] * len(ys), strict=True))
    text = literal(xlabel, 90)
    # a long label begins left of the panels, where their own labels leave room
    beyond = text_width(text, SMALL) / 2 - plot.box.width / 2 - EDGE
    shift = (-max(0.0, beyond), 4.0)
    plot.text(text, (0.5, 0), shift, of="box", look=QUIET, ha="center", va="bottom")
    return plot


def _draw_panel(
    panel: Plot, rows: Sequence[tuple[float, Row]], reference: float | None, bounded: bool
) -> None:
    """Draw the scale of a panel and its rows."""
    width = panel.box.width
    panel.x.ticks = spaced_ticks(panel.x.limits, width, bounded=bounded, most=MOST_TICKS)
    panel.y.look, panel.grid = INK, "x"
    draw_hairs(panel)
    if reference is not None:
        panel.upright(reference, DASHED)
    draw_estimates(panel, rows)


def _terms(table: Mapping[str, Mapping[str, Row]], sort: bool) -> list[str]:
    """Return all terms, by their mean over the panels that have an estimate, largest first."""
    terms = list(dict.fromkeys(term for cells in table.values() for term in cells))
    if not sort:
        return terms
    values = {
        term: [
            row.estimate for cells in table.values() if (row := cells.get(term)) and is_known(row)
        ]
        for term in terms
    }
    estimated = [term for term in terms if values[term]]
    means = {term: sum(v or 0.0 for v in values[term]) / len(values[term]) for term in estimated}
    return [
        *sorted(estimated, key=lambda term: -means[term]),
        *(term for term in terms if term not in means),
    ]
