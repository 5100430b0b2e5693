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
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

TARGETS: dict[str, float] = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
LOOKS = (("^", "\u25b2", "series-1"), ("o", "\u25cf", "series-3"), ("v", "\u25bc", "series-2"),
         ("D", "\u25c6", "series-4"), ("s", "\u25a0", "series-5"))  # fmt: skip
LABEL_WIDTH = 36  # characters of an item
COLUMN = 46.0  # points a number column takes, at least
HEADINGS = 64  # characters that the headings of all columns share
HEADING_LINE, HEADING_LINES = 14, 3  # characters from which a heading takes another line, and lines at most
SPREAD = 0.36  # how far the conditions of an item lie apart, in lines
ROW, ROW_OF_MARK = 1.2, 0.4  # height of a line relative to a forest's, at least, and for each of its marks


@style.figure
def dumbbell(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    targets: Mapping[str, float | None] | None = None,
    order: Sequence[str] | None = None,
    xlabel: str = "Win rate",
    numbers: bool = True,
    digits: int = 2,
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
    digits : int

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
    labels = style.literals(items, LABEL_WIDTH)
    reasons = undefined_reasons(rows)
    if ax is None:
        ax = _new(labels, wanted if numbers else {}, len(wanted), len(reasons))
    if not items:
        return style.message(ax, "no rows to show")
    style.dress(ax, xlabel=xlabel)
    _scale(ax, rows, wanted, len(items))
    ys = [float(len(items) - 1 - i) for i in range(len(items))]
    ax.set_yticks(ys, labels, **style.INK)
    _marks(ax, [table[item] for item in items], wanted, ys)
    _headings(ax, wanted, [table[i] for i in items], ys if numbers else [], digits)
    style.footnotes(ax, reasons, 34)
    return ax


def undefined_reasons(rows: Sequence[Row]) -> list[str]:
    """Return one line for each condition and reason: how many values do not exist, and why."""
    gone = [(row.group or "", row.undefined or "no value was given") for row in rows if not style.is_known(row)]
    return [f"{count(n, 'value is', 'values are')} undefined ({group}: {reason})"
            for (group, reason), n in Counter(gone).items()]  # fmt: skip


def _table(rows: Sequence[Row], wanted: Mapping[str, float | None]) -> dict[str, dict[str, Row]]:
    """Return item -> condition -> row."""
    if len(wanted) > len(LOOKS):
        raise InputError(f"a dumbbell shows at most {len(LOOKS)} conditions, got {len(wanted)}")
    table: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.group is None or row.group not in wanted:
            raise InputError(f"no target for condition {row.group!r}; targets name {', '.join(map(repr, wanted))}")
        table.setdefault(row.term, {})[row.group] = row
    if len(table) > MOST_ROWS:
        raise InputError(f"a dumbbell shows at most {MOST_ROWS} items, got {len(table)}; pass some of them")
    return table


def _by_mean(table: Mapping[str, Mapping[str, Row]]) -> list[str]:
    def mean(item: str) -> float:
        known = [row.estimate for row in table[item].values() if row.estimate is not None]
        return sum(known) / len(known) if known else -math.inf

    return sorted(table, key=lambda item: -mean(item))


def _heading(group: str, glyph: str, columns: int) -> list[str]:
    """Return what stands above a condition's numbers, on some lines where it is long: the fewer columns, the longer."""
    width = max(12, min(HEADINGS // columns, 30))
    lines = textwrap.wrap(f"{glyph} {style.clean(group)}", min(HEADING_LINE, width), break_long_words=False)
    if 0 < len(lines) <= HEADING_LINES and max(map(len, lines)) <= width:
        return [style.literal(line, width) for line in lines]
    return [style.literal(f"{glyph} {group}", width)]


def _column(wanted: Mapping[str, float | None]) -> float:
    """Return the width of a column of numbers, in points: as wide as the widest heading."""
    headings = [_heading(group, glyph, len(wanted)) for group, (_, glyph, _) in zip(wanted, LOOKS, strict=False)]
    return max([style.text_width(line) + 6.0 for lines in headings for line in lines] + [COLUMN])


def _new(labels: Sequence[str], wanted: Mapping[str, float | None], conditions: int, footnotes: int) -> Axes:
    """Make the figure: labels at the left, number columns at the right, undefined values below."""
    left = style.room_for(labels) + 0.2
    columns = _column(wanted) * len(wanted)
    lines = max((len(_heading(group, "x", len(wanted))) for group in wanted), default=1) - 1
    top = (0.42 if len(labels) > style.TICKS_ON_TOP_FROM else 0.34) + 0.14 * lines
    bottom = 0.5 + (12 * footnotes + 4) / style.POINTS
    row = style.ROW_HEIGHT * max(ROW, ROW_OF_MARK * conditions)
    height = max(len(labels), 1) * row + top + bottom
    right = (columns + 6) / style.POINTS if columns else 0.12
    return style.new_axes(height, left=left, right=right, top=top, bottom=bottom, kind=style.LINES)


def _scale(ax: Axes, rows: Sequence[Row], wanted: Mapping[str, float | None], n: int) -> None:
    """Set limits and draw the targets."""
    aims = [aim for aim in wanted.values() if aim is not None]
    ax.set_xlim(*style.padded(style.drawn(rows) + aims or [0.0], 0.02))
    style.lines_of_rows(ax, n)
    for (_, _, color), aim in zip(LOOKS, wanted.values(), strict=False):
        if aim is not None:
            ax.axvline(aim, color=style.LIGHT[color], linewidth=1.2, linestyle=(0, (1.2, 2.2)), zorder=1)


def _marks(
    ax: Axes, table: Sequence[Mapping[str, Row]], wanted: Mapping[str, float | None], ys: Sequence[float]
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
        shift = SPREAD * (1 - 2 * (i + 0.5) / len(wanted))
        found = [(y + shift, row) for cells, y in zip(table, ys, strict=True) if (row := cells.get(group)) is not None]
        bars = [(y, *ends) for y, row in found if row.estimate is not None and (ends := style.ends_of(row))]
        style.segments(ax, bars, color=style.LIGHT[name], linewidth=1.3, zorder=2)
        points = [(row.estimate or 0.0, y) for y, row in found if style.is_known(row)]
        ax.plot([x for x, _ in points], [y for _, y in points], marker, color=style.LIGHT[name], markersize=4.4,
                zorder=3, markeredgewidth=0)  # fmt: skip


def _headings(
    ax: Axes,
    wanted: Mapping[str, float | None],
    table: Sequence[Mapping[str, Row]],
    ys: Sequence[float],
    digits: int,
) -> None:
    """Write what each mark means, and the numbers where they are asked for."""
    top = len(table) + (0.0 if len(table) > style.TICKS_ON_TOP_FROM else 0.1) - 0.2
    if not ys:
        words = "   ".join(f"{glyph} {group}" for group, (_, glyph, _) in zip(wanted, LOOKS, strict=False))
        style.beside(ax, top, style.literal(words, 90), 0.0, va="baseline", **style.QUIET)
        return
    width = _column(wanted)
    for i, (group, (_, glyph, color)) in enumerate(zip(wanted, LOOKS, strict=False)):
        edge = (i + 1) * width
        for k, line in enumerate(reversed(_heading(group, glyph, len(wanted)))):
            style.beside(ax, top, line, edge, up=10.0 * k, va="baseline", fontsize=style.SMALL,
                         color=style.LIGHT[color])  # fmt: skip
        for cells, y in zip(table, ys, strict=True):
            row = cells.get(group)
            if row is not None and style.is_known(row):
                style.beside(ax, y, number(row.estimate, digits), edge)
            else:
                style.beside(ax, y, "undef.", edge, color=style.LIGHT["muted"])
