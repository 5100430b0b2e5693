"""A leaderboard: the rank of each item with its marginal and its simultaneous rank interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.labels import literal
from socialstats.figures.plot import Plot, Span, legend_height, write_legend
from socialstats.figures.rows import (
    MOST_ROWS,
    NumberColumn,
    chosen_rows,
    draw_estimates,
    draw_rows,
    lay_out_rows,
    row_labels,
)
from socialstats.figures.style import EDGE, INTERVAL, NARROW, SMALL, Stroke
from socialstats.figures.ticks import ends_of, is_known
from socialstats.text import listing, number, percent_of, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

LABEL_WIDTH = 44  # characters
MARGINAL = Stroke("series-1", 5.0, alpha=0.4)


@figure("Ranks with intervals")
def ranks(
    marginal: Sequence[Row],
    simultaneous: Sequence[Row] = (),
    *,
    ax: Axes | None = None,
    label: str = "",
    xlabel: str = "Rank (1 = first)",
) -> Plot:
    """Draw ranks with their intervals, the first item at the top.

    The broad bar is the marginal rank interval, the thin line the simultaneous one, the disc the rank.

    Parameters
    ----------
    marginal : sequence of Row
        `estimate` is the rank, `conf_low` and `conf_high` are its marginal interval. A row without an estimate is
        written out as undefined.
    simultaneous : sequence of Row, optional
        The same terms with intervals that cover all ranks at once.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    label, xlabel : str
        Heading of the items; name of the axis.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For more than 200 items, or a simultaneous interval of a term that has no marginal one.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> one = [Row(term="a", estimate=1, conf_low=1, conf_high=2), Row(term="b", estimate=2, conf_low=1, conf_high=2)]
    >>> [text.get_text() for text in ranks(one).get_yticklabels()]
    ['a', 'b']
    """
    all_at_once = {row.term: row for row in simultaneous}
    terms = {row.term for row in marginal}
    unknown = [term for term in all_at_once if term not in terms]
    if unknown:
        raise InputError(f"no marginal rank interval of {listing(unknown)}")
    ranked = [row for row in marginal if is_known(row)]
    ranked.sort(key=lambda row: row.estimate or 0.0)
    rows = [*ranked, *(row for row in marginal if not is_known(row))]
    drawn = chosen_rows(rows)
    if len(drawn) > MOST_ROWS:  # pages draw both ends only
        raise InputError(
            f"a leaderboard shows at most {MOST_ROWS} items, got {len(marginal)}; pass some of them"
        )
    labels, heading = row_labels(drawn, LABEL_WIDTH), literal(label, LABEL_WIDTH)
    columns = _columns(drawn, all_at_once)
    legend = _legend([*marginal, *simultaneous], bool(all_at_once))
    places = lay_out_rows(
        labels,
        columns,
        len(rows),
        heading=heading,
        top=legend_height(legend, SMALL, NARROW - 2 * EDGE) - 7.2,
        xlabel=xlabel,
        ax=ax,
    )
    plot = places.plot
    if not drawn:
        return plot.message("no ranks to show")
    plot.x.limits = (0.4, max(len(ranked), 1) + 0.6)
    draw_rows(places, rows, total=len(rows), whole=True)
    at_once = [all_at_once.get(row.term) for row in drawn]
    plot.segments(_spans(at_once, places.marks), INTERVAL)
    plot.segments(_spans(drawn, places.marks), MARGINAL)
    draw_estimates(plot, list(zip(places.marks, drawn, strict=True)), intervals=False)
    write_legend(plot, legend, SMALL, room=NARROW - 2 * EDGE, up=14.0)
    plot.label = _description(ranked)
    return plot


def _description(ranked: Sequence[Row]) -> str:
    """Return the ranks in words, for readers who do not see them."""
    if not ranked:
        return ""
    first, last = visible_text(ranked[0].term), visible_text(ranked[-1].term)
    at_first = sum(row.conf_low == 1 for row in ranked)
    return (
        f"Rank intervals, {len(ranked)} items, from {first} to {last}; "
        f"{at_first} marginal intervals hold rank 1."
    )


def _legend(rows: Sequence[Row], with_simultaneous: bool) -> list[tuple[str, str]]:
    level = next((row.conf_level for row in rows if row.conf_level is not None), None)
    before = "" if level is None else f"{percent_of(level)} "
    parts = [(f"\u25ac {before}marginal", "muted")]
    return [*parts, (f"\u2500 {before}simultaneous", "muted")] if with_simultaneous else parts


def _columns(rows: Sequence[Row], all_at_once: Mapping[str, Row]) -> list[NumberColumn]:
    """Return the columns beside the marks: the rank, and each interval."""
    places = [number(row.estimate, 0) if is_known(row) else "undef." for row in rows]
    columns = [
        NumberColumn(["Rank"], places),
        NumberColumn(["Marginal"], [_span(row) for row in rows]),
    ]
    if all_at_once:
        columns.append(
            NumberColumn(["Simult."], [_span(all_at_once.get(row.term)) for row in rows])
        )
    return columns


def _span(row: Row | None) -> str:
    """Return a rank interval as ``[1, 4]``."""
    ends = ends_of(row) if row is not None else None
    return "\u2014" if ends is None else f"[{ends[0]:.0f}, {ends[1]:.0f}]"


def _spans(rows: Sequence[Row | None], ys: Sequence[float]) -> list[Span]:
    """Return the intervals of rows, a third of a rank longer at each end, so that a single rank can be seen."""
    intervals = [(y, ends_of(row)) for y, row in zip(ys, rows, strict=True) if row is not None]
    return [(y, ends[0] - 1 / 3, ends[1] + 1 / 3) for y, ends in intervals if ends]
