"""Several conditions of each item on one line, with the value each condition should have."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.forest import MOST_ROWS
from socialstats.text import count, number, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

TARGETS: dict[str, float] = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
LOOKS = (
    ("^", "\u25b2", "series-1"),
    ("o", "\u25cf", "series-3"),
    ("v", "\u25bc", "series-2"),
    ("D", "\u25c6", "series-4"),
    ("s", "\u25a0", "series-5"),
)
LABEL_WIDTH = 36  # characters of an item
COLUMN = 46.0  # points a number column takes, at least
HEADINGS = 64  # characters that the headings of all columns share
HEADING_LINE, HEADING_LINES = (
    14,
    3,
)  # characters from which a heading takes another line, and lines at most
SPREAD = 0.36  # how far the conditions of an item lie apart, in lines
ROW, ROW_OF_MARK = (
    1.2,
    0.4,
)  # height of a line relative to a forest's, at least, and for each of its marks


@style.figure("Dot plot")
def dumbbell(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    targets: Mapping[str, float | None] | None = None,
    order: Sequence[str] | None = None,
    xlabel: str = "Win rate",
    numbers: bool = True,
) -> Axes:
    """Draw one line an item and one mark a condition, with intervals and targets.

    Parameters
    ----------
    rows : sequence of Row
        `term` names the item and `group` the condition. Rows without an estimate are written out as
        ``undefined``, with their reasons below the axis.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    targets : mapping of condition to float or None, optional
        Conditions in order, with the value each should have (drawn as a dotted line in its colour). By default
        higher 1, equal 0.5, lower 0.
    order : sequence of str, optional
        Items from top to bottom. By default by mean estimate, largest first.
    xlabel : str
    numbers : bool
        Write the estimates at the right.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For a condition that `targets` does not name, more than five conditions or more than 200 items.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = dumbbell([Row(term="father", group="higher", estimate=0.9),
    ...                Row(term="father", group="lower", undefined="no comparison")])
    >>> ax.texts[-1].get_text()
    '1 value is undefined (lower: no comparison)'
    """
    wanted = TARGETS if targets is None else dict(targets)
    table = _table(rows, wanted)
    items = list(order) if order is not None else _by_mean(table)
    items += [item for item in table if item not in set(items)]
    items = [item for item in items if item in table]
    total = len(items)
    items, ys = style.ends(items)
    labels = style.fitted(items, style.label_room(), width=LABEL_WIDTH)
    band = max(14.0, 7.0 * len(wanted))
    columns = _column(wanted) * len(wanted) if numbers else 0.0
    place = style.slots(
        style.ROW_HEIGHT * max(ROW, ROW_OF_MARK * len(wanted)),
        max(map(style.text_width, labels), default=0.0),
        columns,
        band,
    )
    reasons = undefined_reasons(rows)
    legend = _legend(wanted) if style.is_narrow() else []
    if ax is None:
        ax = _new(
            int(max(ys, default=0.0)) + 1,
            place,
            labels,
            wanted if numbers else {},
            legend,
            reasons,
            xlabel,
        )
    if not items:
        return style.message(ax, "no rows to show")
    style.dress(ax, xlabel=xlabel)
    _scale(ax, rows, wanted, int(ys[0]) + 1)
    style.names(ax, ys, labels, place)
    half = SPREAD if not style.is_narrow() else 0.4 * band / (place.height * style.POINTS)
    _marks(ax, [table[item] for item in items], wanted, [y + place.marks for y in ys], half)
    style.left_out(ax, total, ys)
    if style.is_narrow() or not numbers:
        style.legend(ax, legend or [(text, "muted") for text, _ in _legend(wanted)], style.SMALL)
    if numbers:
        _numbers(ax, wanted, [table[item] for item in items], [y + place.numbers for y in ys])
    style.footnotes(ax, style.noted(reasons, style.left_of(ax)), 34)
    return ax


def undefined_reasons(rows: Sequence[Row]) -> list[str]:
    """Return one line for each condition and reason: how many values do not exist, and why."""
    gone = [
        (row.group or "", row.undefined or "no value was given")
        for row in rows
        if not style.is_known(row)
    ]
    return [
        f"{count(n, 'value is', 'values are')} undefined ({group}: {reason})"
        for (group, reason), n in Counter(gone).items()
    ]


def _table(rows: Sequence[Row], wanted: Mapping[str, float | None]) -> dict[str, dict[str, Row]]:
    """Return item -> condition -> row."""
    if len(wanted) > len(LOOKS):
        raise InputError(f"a dumbbell shows at most {len(LOOKS)} conditions, got {len(wanted)}")
    table: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.group is None or row.group not in wanted:
            raise InputError(
                f"no target for condition {row.group!r}; targets name {', '.join(map(repr, wanted))}"
            )
        table.setdefault(row.term, {})[row.group] = row
    if len(table) > MOST_ROWS:
        raise InputError(
            f"a dumbbell shows at most {MOST_ROWS} items, got {len(table)}; pass some of them"
        )
    return table


def _by_mean(table: Mapping[str, Mapping[str, Row]]) -> list[str]:
    def mean(item: str) -> float:
        known = [row.estimate for row in table[item].values() if row.estimate is not None]
        return sum(known) / len(known) if known else -math.inf

    return sorted(table, key=lambda item: -mean(item))


def _heading(group: str, glyph: str, columns: int) -> list[str]:
    """Return what stands above a condition's numbers, on some lines where it is long: the fewer columns, the longer."""
    width = max(12, min(HEADINGS // columns, 30))
    lines = textwrap.wrap(
        f"{glyph} {visible_text(group)}", min(HEADING_LINE, width), break_long_words=False
    )
    if 0 < len(lines) <= HEADING_LINES and max(map(len, lines)) <= width:
        return [style.literal(line, width) for line in lines]
    return [style.literal(f"{glyph} {group}", width)]


def _column(wanted: Mapping[str, float | None]) -> float:
    """Return the width of a column of numbers, in points: as wide as the widest heading."""
    if style.is_narrow():
        return min(COLUMN, (style.NARROW - 2 * style.EDGE) * style.POINTS / len(wanted))
    headings = [
        _heading(group, glyph, len(wanted))
        for group, (_, glyph, _) in zip(wanted, LOOKS, strict=False)
    ]
    return max([style.text_width(line) + 6.0 for lines in headings for line in lines] + [COLUMN])


def _legend(wanted: Mapping[str, float | None]) -> list[tuple[str, str]]:
    """Return the mark and name of each condition with its colour."""
    return [
        (style.literal(f"{glyph} {group}", 36), color)
        for group, (_, glyph, color) in zip(wanted, LOOKS, strict=False)
    ]


def _new(
    lines: int,
    place: style.Slots,
    labels: Sequence[str],
    wanted: Mapping[str, float | None],
    legend: Sequence[tuple[str, str]],
    reasons: Sequence[str],
    xlabel: str,
) -> Axes:
    """Make the figure: labels at the left, number columns at the right, undefined values below."""
    left, right = style.margins(labels, _column(wanted) * len(wanted) if wanted else 4.0)
    heading = max((len(_heading(group, "x", len(wanted))) for group in wanted), default=1) - 1
    top = (0.42 if lines > style.TICKS_ON_TOP_FROM else 0.34) + 0.14 * heading
    if legend:
        top = style.legend_height(legend, style.SMALL)
    notes = len(style.noted(reasons, left))
    bottom = 0.5 + (style.LINE * notes + 4) / style.POINTS
    height = max(lines, 1) * place.height + top + bottom
    return style.new_axes(
        height, left=left, right=right, top=top, bottom=bottom, xlabel=xlabel, kind=style.ROWS
    )


def _scale(ax: Axes, rows: Sequence[Row], wanted: Mapping[str, float | None], n: int) -> None:
    """Set limits and draw the targets."""
    aims = [aim for aim in wanted.values() if aim is not None]
    ax.set_xlim(*style.padded(style.drawn(rows) + aims or [0.0], 0.02))
    style.lines_of_rows(ax, n)
    if style.bounded(rows):
        style.short_ticks(ax.xaxis)
    for (_, _, color), aim in zip(LOOKS, wanted.values(), strict=False):
        if aim is not None:
            ax.axvline(
                aim, color=style.LIGHT[color], linewidth=1.2, linestyle=(0, (1.2, 2.2)), zorder=1
            )


def _marks(
    ax: Axes,
    table: Sequence[Mapping[str, Row]],
    wanted: Mapping[str, float | None],
    ys: Sequence[float],
    half: float,
) -> None:
    """Draw the span of each item's estimates, then the intervals and marks of each condition."""
    left, right = ax.get_xlim()
    spans = []
    for cells, y in zip(table, ys, strict=True):
        known = [row.estimate or 0.0 for row in cells.values() if style.is_known(row)]
        if known:
            spans.append((y, min(known), max(known)))
        else:
            ax.text(left + 0.02 * (right - left), y, "undefined", va="center", **style.QUIET)
    style.segments(ax, spans, color=style.LIGHT["line"], linewidth=1.2, zorder=1.5)
    for i, (group, (marker, _, name)) in enumerate(zip(wanted, LOOKS, strict=False)):
        shift = half * (1 - 2 * (i + 0.5) / len(wanted))
        found = [
            (y + shift, row)
            for cells, y in zip(table, ys, strict=True)
            if (row := cells.get(group)) is not None
        ]
        bars = [
            (y, *ends)
            for y, row in found
            if row.estimate is not None and (ends := style.ends_of(row))
        ]
        style.segments(ax, bars, color=style.LIGHT[name], linewidth=1.3, zorder=2)
        points = [(row.estimate or 0.0, y) for y, row in found if style.is_known(row)]
        ax.plot(
            [x for x, _ in points],
            [y for _, y in points],
            marker,
            color=style.LIGHT[name],
            markersize=4.4,
            zorder=3,
            markeredgewidth=0,
        )


def _numbers(
    ax: Axes,
    wanted: Mapping[str, float | None],
    table: Sequence[Mapping[str, Row]],
    ys: Sequence[float],
) -> None:
    """Write the numbers of each condition in a column, under its mark and name or, if narrow, in its colour."""
    width = _column(wanted)
    top = ax.get_ylim()[1]
    for i, (group, (_, glyph, color)) in enumerate(zip(wanted, LOOKS, strict=False)):
        edge = (i + 1 - (len(wanted) if style.is_narrow() else 0)) * width
        ink = style.LIGHT[color]
        for k, line in enumerate(
            reversed([] if style.is_narrow() else _heading(group, glyph, len(wanted)))
        ):
            style.beside(
                ax, top, line, edge, up=10.0 * k + 6, va="baseline", fontsize=style.SMALL, color=ink
            )
        for cells, y in zip(table, ys, strict=True):
            row = cells.get(group)
            if row is not None and style.is_known(row):
                dark = ink if style.is_narrow() else style.LIGHT["ink"]
                style.beside(ax, y, number(row.shown()), edge, color=dark)
            else:
                style.beside(ax, y, "undef.", edge, color=style.LIGHT["muted"])
