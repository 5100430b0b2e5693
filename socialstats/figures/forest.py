"""Points with intervals, one line a row, the numbers beside the marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import brackets, number, percent_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

MOST_ROWS = 200
LABEL_WIDTH = 52  # characters; the marks still have two inches
LAST_TICK = 16.0  # points: half of the widest usual label of a tick at the right end
Z_95 = 1.959963984540054


@style.figure("Estimates with intervals")
def forest(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    ranks: Mapping[str, tuple[int, int]] | None = None,
    quasi: Mapping[str, float] | None = None,
    label: str = "",
    xlabel: str = "Estimate",
    reference: float | None = 0.0,
    numbers: bool = True,
    sort: bool = True,
) -> Axes:
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
    shown = ordered(rows) if sort else list(rows)
    total = len(shown)
    shown, ys = style.ends(shown)
    if len(shown) > MOST_ROWS:  # pages draw both ends only
        raise InputError(
            f"a forest shows at most {MOST_ROWS} rows, got {len(rows)}; pass some of them"
        )
    columns = number_columns(shown, ranks) if numbers else []
    wide = column_offsets(columns)[-1] if columns else 0.0
    labels = row_labels(shown)
    place = style.slots(style.ROW_HEIGHT, max(map(style.text_width, labels), default=0.0), wide)
    if ax is None:
        lines = int(max(ys, default=0.0)) + 1
        ax = _new(
            lines, place, [*labels, style.literal(label, LABEL_WIDTH)], wide or LAST_TICK, xlabel
        )
    if not shown:
        return style.message(ax, "no rows to show")
    style.dress(ax, xlabel=xlabel)
    _scale(ax, rows, int(ys[0]) + 1, reference)
    style.names(ax, ys, labels, place)
    _marks(ax, shown, [y + place.marks for y in ys], quasi)
    style.left_out(ax, total, ys)
    write_columns(ax, columns, ys, place)
    if label:
        write_heading(ax, style.literal(label, LABEL_WIDTH), wide)
    return ax


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Sort rows by estimate, largest first; rows without one last, in the order given."""
    known = [row for row in rows if row.estimate is not None]
    unknown = [row for row in rows if row.estimate is None]
    return sorted(known, key=lambda row: -(row.estimate or 0.0)) + unknown


def row_labels(rows: Sequence[Row], width: int = LABEL_WIDTH) -> list[str]:
    """Return literal labels: the term, with its `by` level where there are several."""
    several = len({row.by for row in rows}) > 1
    texts = [f"{row.term} ({row.by})" if several and row.by else row.term for row in rows]
    return style.fitted(texts, style.label_room(), width=width)


def number_columns(
    rows: Sequence[Row], ranks: Mapping[str, tuple[int, int]] | None
) -> list[tuple[str, list[str]]]:
    """Return the columns beside the marks: header and one right-aligned text a row."""
    level = next((row.conf_level for row in rows if row.conf_level is not None), None)
    header = f"{percent_of(level)} CI" if level is not None else "CI"
    columns = [
        ("Estimate", ["" if row.estimate is None else number(row.shown()) for row in rows]),
        (header, [interval_text(row) for row in rows]),
    ]
    if ranks is not None:
        columns.append(("Ranks", [rank_text(ranks.get(row.term)) for row in rows]))
    return [column for column in columns if any(column[1])]


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


def _new(n: int, place: style.Slots, labels: Sequence[str], columns: float, xlabel: str) -> Axes:
    """Make the figure: room for the labels at the left and the columns at the right."""
    left, right = style.margins(labels, columns)
    top = 0.42 if n > style.TICKS_ON_TOP_FROM else 0.3
    height = n * place.height + top + 0.5
    return style.new_axes(height, left=left, right=right, top=top, xlabel=xlabel, kind=style.ROWS)


def column_offsets(columns: Sequence[tuple[str, list[str]]]) -> list[float]:
    """Return the right edge of each column, in points from the Axes."""
    edges: list[float] = []
    edge = 2.0
    for header, texts in columns:
        edge += 12.0 + max(
            [style.text_width(text) for text in texts] + [style.text_width(header, style.SMALL)]
        )
        edges.append(edge)
    return edges


def write_columns(
    ax: Axes, columns: Sequence[tuple[str, list[str]]], ys: Sequence[float], place: style.Slots
) -> None:
    """Write the number columns and their headers."""
    offsets = column_offsets(columns)
    inside = offsets[-1] if style.is_narrow() and offsets else 0.0
    for (header, texts), offset in zip(columns, offsets, strict=True):
        style.beside(ax, ax.get_ylim()[1], header, offset - inside, up=8.0, **style.QUIET)
        for y, text in zip(ys, texts, strict=True):
            if text:
                style.beside(ax, y + place.numbers, text, offset - inside)


def write_heading(ax: Axes, label: str, columns: float) -> None:
    """Write the heading of the labels; if narrow, where the headers of the numbers leave room."""
    if not style.is_narrow():
        style.beside(ax, ax.get_ylim()[1], label, -12.0, side=0.0, up=8.0, **style.QUIET)
    elif style.text_width(label, style.SMALL) + columns < style.POINTS * (
        style.NARROW - 2 * style.EDGE
    ):
        style.beside(ax, ax.get_ylim()[1], label, 0.0, side=0.0, up=8.0, ha="left", **style.QUIET)


def _scale(ax: Axes, rows: Sequence[Row], lines: int, reference: float | None) -> None:
    """Set the limits, the reference line, and hair lines that lead the eye."""
    ax.set_xlim(
        *style.padded(style.drawn(rows) + ([] if reference is None else [reference]) or [0.0])
    )
    style.lines_of_rows(ax, lines)
    if style.bounded(rows):
        style.short_ticks(ax.xaxis)
    if reference is not None:
        ax.axvline(reference, **style.DASHED)


def _marks(
    ax: Axes, rows: Sequence[Row], ys: Sequence[float], quasi: Mapping[str, float] | None
) -> None:
    """Draw intervals, comparison intervals and points; write out what is undefined."""
    left, right = ax.get_xlim()
    known = [(y, row) for row, y in zip(rows, ys, strict=True) if style.is_known(row)]
    room = (ax.figure.bbox.width - ax.get_window_extent().x0) * style.POINTS / ax.figure.dpi - 5
    for row, y in zip(rows, ys, strict=True):
        if not style.is_known(row):
            reason = f"undefined: {row.undefined or 'no value was given'}"
            [reason] = style.fitted([reason], room, style.SMALL, 90)
            ax.text(left + 0.01 * (right - left), y, reason, va="center", **style.QUIET)
    # each in the middle of its comparison interval
    halves = [(y, row.estimate or 0.0, Z_95 * (quasi or {}).get(row.term, 0.0)) for y, row in known]
    style.segments(
        ax,
        [(y, x - half, x + half) for y, x, half in halves if half],
        color=style.LIGHT["series-1"],
        linewidth=5,
        alpha=0.35,
        zorder=1.9,
    )
    style.points(ax, known, size=4.5 if len(rows) > style.TICKS_ON_TOP_FROM else 5.5)
