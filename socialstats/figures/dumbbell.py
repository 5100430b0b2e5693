"""Several conditions of each item on one line, with the value each condition should have."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import fitted, label_room, literal, text_width
from socialstats.figures.plot import Plot, legend_height, write_legend
from socialstats.figures.rows import (
    BAND,
    MOST_ROWS,
    ROW_HEIGHT,
    TICKS_ON_TOP_FROM,
    NumberColumn,
    chosen_rows,
    draw_rows,
    lay_out_rows,
    shown_number,
    undefined_reasons,
)
from socialstats.figures.style import EDGE, FONT, NARROW, QUIET, SMALL, Look, Stroke
from socialstats.figures.ticks import ends_of, is_known, padded, values_of
from socialstats.text import visible_text

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
HEADING_LINE = 14  # characters from which a heading takes another line
HEADING_LINES = 3
SPREAD = 0.36  # how far the conditions of an item lie from its middle, as a share of their band
BAND_OF_MARK = 7.0  # points of a row on narrow screens, for each of its marks
ROW, ROW_OF_MARK = 1.2, 0.4  # height of a line relative to a forest's, at least, and for each mark


@dataclass(frozen=True, slots=True)
class Condition:
    """What is drawn of a condition: its name, the value that it should have, its mark, glyph and colour."""

    name: str
    target: float | None
    shape: str
    glyph: str
    color: str


@figure("Dot plot")
def dumbbell(
    rows: Sequence[Row],
    *,
    ax: Axes | None = None,
    targets: Mapping[str, float | None] | None = None,
    order: Sequence[str] | None = None,
    xlabel: str = "Win rate",
    numbers: bool = True,
) -> Plot:
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
    >>> "1 value is undefined (lower: no comparison)" in [text.get_text() for text in ax.texts]
    True
    """
    aims_wanted = TARGETS if targets is None else dict(targets)
    table = _table(rows, aims_wanted)
    conditions = [
        Condition(name, target, *look)
        for (name, target), look in zip(aims_wanted.items(), LOOKS, strict=False)
    ]
    items = _by_mean(table) if order is None else list(order)
    items = [item for item in dict.fromkeys([*items, *table]) if item in table]
    drawn = chosen_rows(items)
    labels = fitted(drawn, label_room(1.0), width=LABEL_WIDTH)
    columns = [_column(condition, table, drawn, len(aims_wanted)) for condition in conditions]
    legend = [
        (literal(f"{condition_mark.glyph} {condition_mark.name}", 36), condition_mark.color)
        for condition_mark in conditions
    ]
    lines = max((len(column.heading) for column in columns), default=1)
    top = legend_height(legend, SMALL, NARROW - 2 * EDGE) - 21.6
    if not style.is_narrow():
        top = 2.9 + 10.0 * (lines - 1) + (5.8 if len(drawn) > TICKS_ON_TOP_FROM else 0.0)
    height = ROW_HEIGHT * max(ROW, ROW_OF_MARK * len(aims_wanted))
    places = lay_out_rows(
        labels,
        columns if numbers else [],
        len(items),
        top=top,
        notes=undefined_reasons(rows),
        band=max(BAND, BAND_OF_MARK * len(aims_wanted)),
        height=height,
        xlabel=xlabel,
        ax=ax,
    )
    plot = places.plot
    if not items:
        return plot.message("no rows to show")
    aims = [
        condition_mark.target for condition_mark in conditions if condition_mark.target is not None
    ]
    plot.x.limits = padded(values_of(rows) + aims or [0.0], 0.02)
    for condition_mark in conditions:
        if condition_mark.target is not None:
            plot.upright(condition_mark.target, Stroke(condition_mark.color, 1.2, dash=(1.4, 2.6)))
    draw_rows(places, rows, total=len(items))
    half = SPREAD * places.band / plot.points_up
    _draw_marks(plot, [table[item] for item in drawn], conditions, places.marks, half)
    if style.is_narrow() or not numbers:
        write_legend(plot, legend, SMALL, room=NARROW - 2 * EDGE)
    return plot


def _table(rows: Sequence[Row], targets: Mapping[str, float | None]) -> dict[str, dict[str, Row]]:
    """Return item -> condition -> row."""
    if len(targets) > len(LOOKS):
        raise InputError(f"a dumbbell shows at most {len(LOOKS)} conditions, got {len(targets)}")
    table: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.group is None or row.group not in targets:
            raise InputError(
                f"no target for condition {row.group!r}; targets name {', '.join(map(repr, targets))}"
            )
        table.setdefault(row.term, {})[row.group] = row
    if len(table) > MOST_ROWS:
        raise InputError(
            f"a dumbbell shows at most {MOST_ROWS} items, got {len(table)}; pass some of them"
        )
    return table


def _by_mean(table: Mapping[str, Mapping[str, Row]]) -> list[str]:
    def mean(item: str) -> float:
        estimates = [row.estimate for row in table[item].values() if row.estimate is not None]
        return sum(estimates) / len(estimates) if estimates else -math.inf

    return sorted(table, key=lambda item: -mean(item))


def _heading(condition: Condition, columns: int) -> list[str]:
    """Return what stands above a condition's numbers, on some lines where it is long: the fewer columns, the longer."""
    width = max(12, min(HEADINGS // columns, 30))
    text = f"{condition.glyph} {visible_text(condition.name)}"
    lines = textwrap.wrap(text, min(HEADING_LINE, width), break_long_words=False)
    if 0 < len(lines) <= HEADING_LINES and max(map(len, lines)) <= width:
        return [literal(line, width) for line in lines]
    return [literal(text, width)]


def _column(
    condition: Condition,
    table: Mapping[str, Mapping[str, Row]],
    items: Sequence[str],
    columns: int,
) -> NumberColumn:
    """Return the numbers of a condition, under its mark and name; on narrow screens, in its colour alone."""
    texts = [shown_number(table[item].get(condition.name)) for item in items]
    if style.is_narrow():
        room = min(COLUMN, (NARROW - 2 * EDGE) / columns)
        return NumberColumn([], texts, Look(FONT, condition.color), QUIET, room)
    heading = _heading(condition, columns)
    room = max([COLUMN, *(text_width(line) + 6.0 for line in heading)])
    return NumberColumn(heading, texts, heading_look=Look(SMALL, condition.color), width=room)


def _draw_marks(
    plot: Plot,
    table: Sequence[Mapping[str, Row]],
    conditions: Sequence[Condition],
    ys: Sequence[float],
    half: float,
) -> None:
    """Draw the span of each item's estimates, then the intervals and marks of each condition."""
    spans = []
    for cells, y in zip(table, ys, strict=True):
        estimates = [row.estimate or 0.0 for row in cells.values() if is_known(row)]
        if estimates:
            spans.append((y, min(estimates), max(estimates)))
        else:
            plot.text("undefined", (0.0, y), (2.0, 0.0), of="row", look=QUIET)
    plot.segments(spans, Stroke("line", 1.2))
    for i, condition in enumerate(conditions):
        shift = half * (1 - 2 * (i + 0.5) / len(conditions))
        rows = [
            (y + shift, cells[condition.name])
            for cells, y in zip(table, ys, strict=True)
            if condition.name in cells and is_known(cells[condition.name])
        ]
        intervals = [(y, ends_of(row)) for y, row in rows]
        bars = [(y, *ends) for y, ends in intervals if ends]
        plot.segments(bars, Stroke(condition.color, 1.3))
        places = [(row.estimate or 0.0, y) for y, row in rows]
        plot.points(places, condition.color, condition.shape, 4.4)
