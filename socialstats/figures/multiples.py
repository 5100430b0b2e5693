"""Small multiples: the same rows in several panels, on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_PANELS, MOST_ROWS = 12, 100
BESIDE = 4  # panels side by side
LABEL_WIDTH = 52  # characters of a row
LABEL_SHARE = 0.42  # labels may take this share of a narrow figure
LEAST_PANEL = 0.65  # inches across
APART, ABOVE, BELOW = (
    0.16,
    0.3,
    0.5,
)  # inches between panels, for their titles, and for ticks and axis label


@style.figure("Small multiples")
def multiples(
    panels: Mapping[str, Sequence[Row]],
    *,
    ax: Axes | None = None,
    label: str = "",
    xlabel: str = "Estimate",
    reference: float | None = 0.0,
    sort: bool = True,
    columns: int | None = None,
) -> Axes:
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
    >>> [panel.get_title(loc="left") for panel in ax.child_axes]
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
    total = len(terms)
    terms, ys = style.ends(terms)
    lines = int(max(ys, default=0.0)) + 1
    labels = style.fitted(terms, style.label_room(LABEL_SHARE), width=LABEL_WIDTH)
    left = (
        style.room_for(
            [*labels, *style.fitted([label], style.label_room(LABEL_SHARE), width=LABEL_WIDTH)]
        )
        + 0.2
    )
    room = style.width() - left - style.EDGE
    beside = 1 if style.is_narrow() else columns or BESIDE  # ticks of neighbours would meet
    wide = min(beside, max(len(table), 1), max(1, int((room + APART) / (LEAST_PANEL + APART))))
    deep = -(-len(table) // wide) or 1
    own = (room - APART * (wide - 1)) / wide * style.POINTS
    titles = [style.wrapped(title, own, style.SMALL, 3) for title in table]
    above = ABOVE + style.LINE / style.POINTS * (max(map(len, titles), default=1) - 1)
    if ax is None:
        ax = style.new_axes(
            deep * (lines * style.ROW_HEIGHT + above + BELOW),
            left=left,
            right=style.EDGE,
            top=0.0,
            bottom=0.0,
        )
    if not terms:
        return style.message(ax, "no rows to show")
    ax.set_axis_off()
    limits = style.padded(
        style.drawn([row for rows in panels.values() for row in rows])
        + ([] if reference is None else [reference])
        or [0.0]
    )
    size = ax.get_window_extent()
    width, height = size.width / ax.figure.dpi, size.height / ax.figure.dpi
    own = (width - APART * (wide - 1)) / wide
    for k, cells in enumerate(table.values()):
        across, down = k % wide, k // wide
        top = height * (1 - down / deep)
        place = (
            across * (own + APART),
            top - height / deep + BELOW,
            own,
            height / deep - above - BELOW,
        )
        panel = ax.inset_axes(
            (place[0] / width, place[1] / height, place[2] / width, place[3] / height)
        )
        style.dress(panel)
        panel.set_title("\n".join(titles[k]), loc="left", pad=5, **style.SMALL_INK)
        panel.set_xlim(*limits)
        panel.locator_params(axis="x", nbins=4)
        style.lines_of_rows(panel, lines, top=False)
        if style.bounded(row for rows in panels.values() for row in rows):
            style.short_ticks(panel.xaxis)
        if reference is not None:
            panel.axvline(reference, **style.DASHED)
        panel.set_yticks(ys, labels if across == 0 else [""] * len(ys), **style.INK)
        style.points(
            panel, [(y, row) for y, term in zip(ys, terms, strict=True) if (row := cells.get(term))]
        )
        style.left_out(panel, total, ys)
    text = style.literal(xlabel, 90)
    # a long label begins left of the panels, where their own labels leave room
    beyond = style.text_width(text, style.SMALL) * style.HINTED / 2 - style.POINTS * width / 2
    shift = -max(0.0, beyond - style.POINTS * style.EDGE)
    style.outside(ax, text, (0.5, 0), (shift, 4), ha="center", va="bottom", **style.QUIET)
    return ax


def _terms(table: Mapping[str, Mapping[str, Row]], sort: bool) -> list[str]:
    """Return all terms, by their mean over the panels that have an estimate, largest first."""
    terms = list(dict.fromkeys(term for cells in table.values() for term in cells))
    if not sort:
        return terms
    values = {
        term: [
            row.estimate
            for cells in table.values()
            if (row := cells.get(term)) and style.is_known(row)
        ]
        for term in terms
    }
    known = [term for term in terms if values[term]]
    means = {term: sum(v or 0.0 for v in values[term]) / len(values[term]) for term in known}
    return [
        *sorted(known, key=lambda term: -means[term]),
        *(term for term in terms if term not in means),
    ]
