"""A leaderboard: the rank of each item with its marginal and its simultaneous rank interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.forest import column_offsets, row_labels, write_columns, write_heading
from socialstats.text import listing, number, percent_of, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_ROWS = 200
LABEL_WIDTH = 44  # characters


@style.figure("Ranks with intervals")
def ranks(
    marginal: Sequence[Row],
    simultaneous: Sequence[Row] = (),
    *,
    ax: Axes | None = None,
    label: str = "",
    xlabel: str = "Rank (1 = first)",
) -> Axes:
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
    unknown = [term for term in all_at_once if term not in {row.term for row in marginal}]
    if unknown:
        raise InputError(f"no marginal rank interval of {listing(unknown)}")
    known = sorted(
        (row for row in marginal if style.is_known(row)), key=lambda row: row.estimate or 0.0
    )
    rows = [*known, *(row for row in marginal if not style.is_known(row))]
    shown, ys = style.ends(rows)
    if len(shown) > MOST_ROWS:  # pages draw both ends only
        raise InputError(
            f"a leaderboard shows at most {MOST_ROWS} items, got {len(marginal)}; pass some of them"
        )
    labels = row_labels(shown, LABEL_WIDTH)
    columns = _columns(shown, all_at_once)
    wide = column_offsets(columns)[-1]
    place = style.slots(style.ROW_HEIGHT, max(map(style.text_width, labels), default=0.0), wide)
    legend = _legend([*marginal, *simultaneous], bool(all_at_once))
    lines = int(max(ys, default=0.0)) + 1
    if ax is None:
        left, right = style.margins([*labels, style.literal(label, LABEL_WIDTH)], wide)
        top = (
            style.legend_height(legend, style.SMALL, (style.width() - left - right) * style.POINTS)
            + 0.2
        )
        height = lines * place.height + top + 0.5
        ax = style.new_axes(height, left=left, right=right, top=top, xlabel=xlabel, kind=style.ROWS)
    if not shown:
        return style.message(ax, "no ranks to show")
    style.dress(ax, xlabel=xlabel)
    ax.set_xlim(0.4, max(len(known), 1) + 0.6)
    ax.xaxis.set_major_locator(style.few_whole())
    style.lines_of_rows(ax, lines, top=False)
    style.names(ax, ys, labels, place)
    at = [y + place.marks for y in ys]
    _bars(
        ax,
        [all_at_once.get(row.term) for row in shown],
        at,
        color=style.LIGHT["series-1"],
        linewidth=1.3,
    )
    _bars(ax, shown, at, color=style.LIGHT["series-1"], linewidth=5, alpha=0.4)
    style.points(ax, [(y, row) for y, row in zip(at, shown, strict=True)], intervals=False)
    style.left_out(ax, len(rows), ys)
    style.legend(ax, legend, style.SMALL, up=14.0)
    write_columns(ax, columns, ys, place)
    if label:
        write_heading(ax, style.literal(label, LABEL_WIDTH), wide)
    first = [row.term for row in known if row.conf_low == 1]
    ax.set_label(
        f"Rank intervals, {len(known)} items, from {visible_text(known[0].term)} to "
        f"{visible_text(known[-1].term)}; {len(first)} marginal intervals hold rank 1."
        if known
        else ""
    )
    return ax


def _legend(rows: Sequence[Row], both: bool) -> list[tuple[str, str]]:
    level = next((row.conf_level for row in rows if row.conf_level is not None), None)
    before = f"{percent_of(level)} " if level is not None else ""
    return [
        (f"\u25ac {before}marginal", "muted"),
        *([(f"\u2500 {before}simultaneous", "muted")] if both else []),
    ]


def _columns(rows: Sequence[Row], all_at_once: dict[str, Row]) -> list[tuple[str, list[str]]]:
    """Return the columns beside the marks: the rank, and each interval."""
    columns = [
        ("Rank", [number(row.estimate, 0) if style.is_known(row) else "undef." for row in rows]),
        ("Marginal", [_span(row) for row in rows]),
    ]
    if all_at_once:
        columns.append(("Simult.", [_span(all_at_once.get(row.term)) for row in rows]))
    return columns


def _span(row: Row | None) -> str:
    """Return a rank interval as ``[1, 4]``."""
    ends = style.ends_of(row) if row is not None else None
    return "\u2014" if ends is None else f"[{ends[0]:.0f}, {ends[1]:.0f}]"


def _bars(ax: Axes, rows: Sequence[Row | None], ys: Sequence[float], **look: object) -> None:
    """Draw the intervals of some rows, a third of a rank longer at each end, so that a single rank can be seen."""
    spans = [
        (y, ends[0] - 1 / 3, ends[1] + 1 / 3)
        for y, row in zip(ys, rows, strict=True)
        if row is not None and (ends := style.ends_of(row))
    ]
    style.segments(ax, spans, zorder=2, **look)
