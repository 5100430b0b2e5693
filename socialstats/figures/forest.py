"""Points with intervals, one line a row, the numbers beside the marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.labels import literal
from socialstats.figures.plot import Plot
from socialstats.figures.rows import (
    LABEL_WIDTH,
    MOST_ROWS,
    TICKS_ON_TOP_FROM,
    NumberColumn,
    chosen_rows,
    draw_estimates,
    draw_rows,
    lay_out_rows,
    row_labels,
    sorted_rows,
)
from socialstats.figures.style import DASHED, Stroke
from socialstats.figures.ticks import is_known, padded, values_of
from socialstats.text import brackets, number, percent_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

LAST_TICK = 16.0  # points: half of the widest usual label of a tick at the right end
COMPARED = Stroke("series-1", 5.0, alpha=0.35)
Z_95 = 1.959963984540054


@figure("Estimates with intervals")
def forest(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    ranks: Mapping[str, tuple[int, int]] | None = None,
    quasi: Mapping[str, float] | None = None,
    label: str = "",
    xlabel: str = "Estimate",
    reference: float | None = 0.0,
    bounds: Sequence[float] = (),
    numbers: bool = True,
    sort: bool = True,
) -> Plot:
    """Draw estimates with their intervals, one line a row, largest first.

    Parameters
    ----------
    rows : sequence of Row
        At most 200. A row without an estimate is written out as ``undefined: reason``.
    ax : Axes, optional
        Draw into this Axes; its size is left alone. By default a new figure is made.
    ranks : mapping of term to (best, worst), optional
        Adds a column with the rank set of each term.
    quasi : mapping of term to float, optional
        Quasi standard errors: adds a broad bar, the 95% comparison interval of each term.
    label, xlabel : str
        Heading of the labels; name and unit of the estimate.
    reference : float or None
        Value of the vertical reference line.
    bounds : sequence of float
        Values of further dashed lines, such as bounds of equivalence.
    numbers : bool
        Write estimate and interval at the right.
    sort : bool
        False keeps the order given.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For more than 200 rows.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = forest([Row(term="father", estimate=0.4, conf_low=0.1, conf_high=0.7, conf_level=0.95)])
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['father']
    """
    in_order = sorted_rows(rows) if sort else list(rows)
    drawn = chosen_rows(in_order)
    if len(drawn) > MOST_ROWS:  # pages draw both ends only
        raise InputError(
            f"a forest shows at most {MOST_ROWS} rows, got {len(rows)}; pass some of them"
        )
    columns = number_columns(drawn, ranks) if numbers else []
    labels, heading = row_labels(drawn), literal(label, LABEL_WIDTH)
    many = len(drawn) > TICKS_ON_TOP_FROM
    places = lay_out_rows(
        labels,
        columns,
        len(rows),
        heading=heading,
        top=8.6 if many else 0.0,
        right=LAST_TICK,
        xlabel=xlabel,
        ax=ax,
    )
    plot = places.plot
    if not drawn:
        return plot.message("no rows to show")
    lines = [*bounds] if reference is None else [reference, *bounds]
    plot.x.limits = padded([*values_of(rows), *lines] or [0.0])
    for value in lines:
        plot.upright(value, DASHED)
    draw_rows(places, rows, total=len(rows))
    lined = list(zip(places.marks, drawn, strict=True))
    halves = [
        (y, row.estimate or 0.0, Z_95 * quasi[row.term])
        for y, row in lined
        if quasi and row.term in quasi and is_known(row)
    ]
    # each in the middle of its comparison interval
    plot.segments([(y, x - half, x + half) for y, x, half in halves], COMPARED)
    draw_estimates(plot, lined, size=4.5 if many else 5.5, reasons=True)
    return plot


def number_columns(
    rows: Sequence[Row], ranks: Mapping[str, tuple[int, int]] | None
) -> list[NumberColumn]:
    """Return the columns beside the marks: estimate, interval and rank set, each where a row has it."""
    level = next((row.conf_level for row in rows if row.conf_level is not None), None)
    header = "CI" if level is None else f"{percent_of(level)} CI"
    estimates = ["" if row.estimate is None else number(row.shown()) for row in rows]
    columns = [
        NumberColumn(["Estimate"], estimates),
        NumberColumn([header], [interval_text(row) for row in rows]),
    ]
    if ranks is not None:
        columns.append(NumberColumn(["Ranks"], [rank_text(ranks.get(row.term)) for row in rows]))
    return [column for column in columns if any(column.texts)]


def interval_text(row: Row) -> str:
    """Return ``[low, high]``, or a note that the interval is missing."""
    if row.estimate is None:
        return ""
    ends = row.ends()
    return "no CI" if ends is None else brackets(*ends)


def rank_text(ranks: tuple[int, int] | None) -> str:
    """Return a rank set as ``3-8``, or one rank where both ends agree."""
    if ranks is None:
        return "\u2014"
    low, high = ranks
    return f"{low}" if low == high else f"{low}\u2013{high}"
