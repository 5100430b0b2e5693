"""Figures of a page from rows of results: which figure holds them, and their names in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

from socialstats.figures import Bar, dumbbell, forest, heat, multiples, shares, trajectories
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.figures.style import STEPS
from socialstats.figures.trajectories import MOST_ITEMS
from socialstats.results import Row
from socialstats.studies.row_picking import LABEL, name_rows, renamed_rows, rows_by
from socialstats.text import shorten

# what can be read on a page of 1000 pixels; drawings leave out the rest, or take another form
MOST_DRAWN = 60  # rows
MOST_PANELS = 4
MOST_MARKS = 5  # conditions on a line
Drawing = Callable[[], Any]
Draw = Callable[[Sequence[Row], Sequence[str], str], Drawing | None]
"""Returns what draws some rows under their names, with the label of the axis; None where no figure holds them."""


def interval_points(
    reference: float | None = 0.0,
    *,
    panels: str = "",
    sort: bool = False,
    label: str = "",
    ranks: Sequence[Row] = (),
) -> Draw:
    """Return the drawing of points with intervals.

    Parameters
    ----------
    reference : float or None
        Value of the vertical line.
    panels : str
        Dimension with a panel for each of at most four labels; else all rows stand in one.
    sort : bool
        Order rows by their estimates.
    label : str
        Heading of the names.
    ranks : sequence of Row
        Ranks with intervals, by the terms of the rows, which the figure prints.
    """
    intervals = {row.term: row.ends(0) for row in ranks}

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing:
        groups = rows_by(rows, panels) if panels else {}
        small = max(map(len, groups.values()), default=0) <= MOST_DRAWN
        if 1 < len(groups) <= MOST_PANELS and small:
            inner = {
                shorten(name, LABEL): renamed_rows(group, name_rows(group, without=[panels]))
                for name, group in groups.items()
            }
            columns = len(inner)
            return partial(
                multiples,
                inner,
                label=label,
                xlabel=xlabel,
                reference=reference,
                sort=sort,
                columns=columns,
            )
        lines = renamed_rows(rows, names)
        if len(lines) > MOST_DRAWN and reference is not None:
            # the farthest from the line
            lines = sorted(lines, key=lambda row: -abs((row.estimate or 0.0) - reference))
        lines = lines[:MOST_DRAWN]
        ends = {name: intervals.get(row.term) for row, name in zip(rows, names, strict=True)}
        sets = {name: (int(pair[0]), int(pair[1])) for name, pair in ends.items() if pair}
        return partial(
            forest,
            lines,
            ranks=sets if ranks else None,
            sort=sort,
            label=label,
            xlabel=xlabel,
            reference=reference,
        )

    return draw


def share_bars(bar: str, section: str = "", *, ordered: bool = False, none: str = "all") -> Draw:
    """Return the drawing of stacked bars of levels (the terms of the rows).

    Where there are more bars than can be read, those of the first section are drawn. More levels than have colours
    are drawn as points.

    Parameters
    ----------
    bar : str
        Dimension with a bar for each label.
    section : str
        Dimension with a section for each label; `none` heads rows without a label.
    ordered : bool
        The levels are ordered.
    none : str
    """

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing | None:
        bars = [
            Bar(label=label, rows=tuple(levels), section=(part or none) if section else "")
            for part, group in rows_by(rows, section).items()
            for label, levels in rows_by(group, bar).items()
        ]
        if max(len(one.rows) for one in bars) > (STEPS if ordered else MOST_LEVELS):
            return interval_points(None)(rows, names, xlabel)
        if len(bars) > MOST_BARS:
            bars = [one for one in bars if one.section == bars[0].section][:MOST_BARS]
        return partial(shares, bars, xlabel=xlabel, ordered=ordered)

    return draw


def dot_lines(line: str, mark: str) -> Draw:
    """Return the drawing of a line for each label of a dimension, with a mark for each label of another.

    More marks than a line holds have lines of their own.
    """

    def draw(rows: Sequence[Row], names: Sequence[str], xlabel: str) -> Drawing | None:
        marks = rows_by(rows, mark)
        if len(marks) > MOST_MARKS or len(rows_by(rows, line)) > MOST_DRAWN:
            return interval_points(None)(rows, names, xlabel)
        placed = [
            replace(row, term=row.label(line) or row.term, group=row.label(mark)) for row in rows
        ]
        return partial(dumbbell, placed, targets=dict.fromkeys(marks), xlabel=xlabel)

    return draw


def cell_map(
    down: str, *across: str, neutral: float | None = 0.5, extreme: float | None = 0.5
) -> Draw:
    """Return the drawing of a heat map; None where it has more rows or columns than can be read.

    Parameters
    ----------
    down : str
        Dimension whose labels are the rows.
    *across : str
        Dimensions whose labels are the columns.
    neutral, extreme : float or None
        As of `heat`; None takes the median, and the largest distance from it.
    """

    def draw(rows: Sequence[Row], _names: Sequence[str], xlabel: str) -> Drawing | None:
        columns = [": ".join(row.label(name) or "" for name in across) for row in rows]
        down_labels = [row.label(down) or row.term for row in rows]
        if max(len(set(columns)), len(set(down_labels))) > MOST_GROUPS:
            return None
        values = [row.estimate for row in rows if row.estimate is not None] or [0.0]
        middle = median(values) if neutral is None else neutral
        far = max(abs(value - middle) for value in values) if extreme is None else extreme
        places = [
            replace(row, term=label, group=column)
            for row, label, column in zip(rows, down_labels, columns, strict=True)
        ]
        return partial(heat, places, neutral=middle, extreme=far or 1.0, xlabel=xlabel)

    return draw


def course_lines(
    item: str, place: str, order: Sequence[str], *, lines: Mapping[str, float] | None = None
) -> Draw:
    """Return the drawing of lines over ordered places, such as stages; no figure where there are too many lines.

    Parameters
    ----------
    item : str
        Dimension with a line for each label.
    place : str
        Dimension along the axis.
    order : sequence of str
        Labels of the places in their order.
    lines : mapping of label to value, optional
        Horizontal lines.
    """

    def draw(rows: Sequence[Row], _names: Sequence[str], ylabel: str) -> Drawing | None:
        if len(rows_by(rows, item)) > MOST_ITEMS:
            return None
        placed = [
            replace(row, term=row.label(item) or "all", group=row.label(place)) for row in rows
        ]
        return partial(trajectories, placed, stages=tuple(order), lines=lines, ylabel=ylabel)

    return draw
