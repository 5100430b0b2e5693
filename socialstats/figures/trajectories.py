"""One line an item over ordered stages, each point with its interval, labelled at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import (
    fitted,
    label_room,
    literal,
    literals,
    room_for,
    widest,
)
from socialstats.figures.plot import Place, Plot, new_plot, noted
from socialstats.figures.style import DASHED, FONT, INK, LINE, QUIET, SMALL, Look, Stroke
from socialstats.figures.ticks import (
    are_bounded,
    ends_of,
    padded,
    stacked_ticks,
    values_of,
)
from socialstats.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

HEIGHT = 252.0  # points
MOST_ITEMS = 15
COLORS = ("series-1", "series-2", "series-3", "series-4", "series-5")
DASHES = ((), (6.5, 2.6), (1.6, 2.1))  # a colour comes again with another line
SPREAD = 0.22  # how far the items of a stage lie apart, in stages
LABEL_WIDTH = 24  # characters of an item
STAGE_WIDTH = 16
MOST_NOTES = 6
GAP = 12.5  # points between two labels


@figure("Line chart")
def trajectories(
    rows: Sequence[Row],
    *,
    stages: Sequence[str],
    ax: Axes | None = None,
    lines: Mapping[str, float] | None = None,
    ylabel: str = "Estimate",
) -> Plot:
    """Draw the course of each item over the stages.

    Parameters
    ----------
    rows : sequence of Row
        `term` names the item, `group` the stage. A row without an estimate leaves a gap, and its reason stands below.
    stages : sequence of str
        In their order.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    lines : mapping of str to float, optional
        Horizontal reference lines: label -> value.
    ylabel : str

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For more than 15 items, or a stage that `stages` does not name.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = trajectories([Row(term="m", group="start", estimate=1.0), Row(term="m", group="end", estimate=3.0)],
    ...                   stages=["start", "end"])
    >>> [t.get_text() for t in ax.get_xticklabels()], ax.texts[-1].get_text()
    (['start', 'end'], 'm 3.00')
    """
    table = by_item(rows, stages)
    references = dict(lines or {})
    names = fitted(list(table), label_room(0.3), width=LABEL_WIDTH)
    left = 43.2 if style.is_narrow() else 54.0
    right = room_for([f"{name} \u22120.00" for name in names]) + 10.8
    step = (style.width() - left - right) / max(len(stages) - 0.2, 1.0)
    heads = literals(stages, STAGE_WIDTH)
    turned = widest(heads) > step - 4
    more = max(widest(heads) - 9, 0.0) if turned else 0.0
    notes = noted(_notes(rows, references), left)
    plot = new_plot(
        HEIGHT,
        left=left,
        right=right,
        top=14.4,
        bottom=36.0 + LINE * len(notes) + more,
        ax=ax,
    )
    if not table:
        return plot.message("no rows to show")
    plot.grid = "y"
    plot.x.ticks = [(float(i), head) for i, head in enumerate(heads)]
    plot.x.look, plot.x.turned = INK, turned
    plot.y.label = fitted([ylabel], plot.box.height, SMALL)
    plot.y.limits = padded([*values_of(rows), *references.values()] or [0.0])
    plot.y.ticks = stacked_ticks(plot.y.limits, plot.box.height, bounded=are_bounded(rows))
    _draw_references(plot, references, len(stages))
    courses = [
        Course(name, cells, stages, k, len(table))
        for k, (name, cells) in enumerate(zip(names, table.values(), strict=True))
    ]
    for course in courses:
        course.draw(plot)
    _write_names(plot, [course for course in courses if course.places], len(stages))
    plot.footnotes(notes, 22 + more)
    return plot


def _notes(rows: Sequence[Row], references: Mapping[str, float]) -> list[str]:
    """Return what stands below: on narrow screens what dashed lines are, and why values do not exist."""
    reasons = [
        f"{row.term}, {row.group}: undefined ({row.undefined or 'no value was given'})"
        for row in rows
        if row.estimate is None
    ]
    lines = [f"dashed: {label} {number(value, 1)}" for label, value in references.items()]
    return [*(lines if style.is_narrow() else []), *reasons[:MOST_NOTES]]


def by_item(rows: Sequence[Row], stages: Sequence[str]) -> dict[str, dict[str, Row]]:
    """Return item -> stage -> row, items by their last value, largest first."""
    table: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.group not in stages:
            raise InputError(
                f"row '{row.term}' has the stage {row.group!r}; stages are {', '.join(stages)}"
            )
        table.setdefault(row.term, {})[str(row.group)] = row
    if len(table) > MOST_ITEMS:
        raise InputError(
            f"trajectories show at most {MOST_ITEMS} items, got {len(table)}; pass some of them"
        )
    return dict(sorted(table.items(), key=lambda pair: -(_last(pair[1], stages).estimate or 0.0)))


def _last(cells: Mapping[str, Row], stages: Sequence[str]) -> Row:
    """Return the row of the last stage that has an estimate (or any, where none has)."""
    estimated = [cells[s] for s in stages if s in cells and cells[s].estimate is not None]
    return estimated[-1] if estimated else next(iter(cells.values()))


class Course:
    """One item over the stages: its look, and its places beside those of the others."""

    def __init__(
        self, name: str, cells: Mapping[str, Row], stages: Sequence[str], k: int, items: int
    ) -> None:
        self.name = name
        self.color = COLORS[k % len(COLORS)]
        self.dash = DASHES[k // len(COLORS) % len(DASHES)]
        shift = SPREAD * (2 * (k + 0.5) / items - 1)
        self.rows = {x + shift: cells[s] for x, s in enumerate(stages) if s in cells}
        self.last = _last(cells, stages)
        estimates = [(x, cells[s].estimate if s in cells else None) for x, s in enumerate(stages)]
        # the stages without a gap between them
        self.runs = [
            [(x + shift, value or 0.0) for x, value in run]
            for is_gap, run in groupby(estimates, key=lambda place: place[1] is None)
            if not is_gap
        ]

    @property
    def places(self) -> list[Place]:
        """Return the places of all estimates."""
        return [place for run in self.runs for place in run]

    def draw(self, plot: Plot) -> None:
        """Draw intervals, the line between the points, and the points."""
        for x, row in self.rows.items():
            ends = ends_of(row)
            if ends:
                plot.line([(x, ends[0]), (x, ends[1])], Stroke(self.color, 1.0, alpha=0.7))
        for run in self.runs:
            if len(run) > 1:
                plot.line(run, Stroke(self.color, 1.3, dash=self.dash))
        plot.points(self.places, self.color, "o", 3.6)


def _draw_references(plot: Plot, references: Mapping[str, float], stages: int) -> None:
    """Set the horizontal limits, and draw the reference lines, with their labels at the left of wide figures."""
    width = plot.box.width
    ordered = sorted(references.items(), key=lambda pair: pair[1])
    texts = [literal(f"{label} {number(value, 1)}", 60) for label, value in ordered]
    plot.x.limits = (-0.45, stages - 0.55)
    if style.is_narrow():
        texts = [""] * len(texts)
    elif texts:
        room = min(widest(texts, SMALL) + 8, 0.4 * width)
        plot.x.limits = (-0.35 - room / (width - room) * (stages - 0.2), stages - 0.55)
    following = [*(value for _, value in ordered[1:]), math.inf]
    for text, (_, value), after in zip(texts, ordered, following, strict=False):
        plot.level(value, DASHED)
        near = (after - value) * plot.points_up < GAP
        shift, va = (-2.0, "top") if near else (2.0, "bottom")
        plot.text(text, (plot.x.limits[0], value), (2.0, shift), look=QUIET, va=va)


def _write_names(plot: Plot, courses: Sequence[Course], stages: int) -> None:
    """Write each item with its last value at the right, moved apart where they would overlap, and tied to its point."""
    values = [course.places[-1][1] for course in courses]
    edge = stages - 0.55
    beside = edge + 5 / plot.points_across
    for course, y in zip(courses, spread_out(values, GAP / plot.points_up), strict=True):
        plot.line([course.places[-1], (beside, y)], Stroke(course.color, 0.6, alpha=0.6))
        text = f"{course.name} {number(course.last.shown())}"
        plot.text(text, (edge, y), (6.0, 0.0), look=Look(FONT, course.color))


def spread_out(values: Sequence[float], gap: float) -> list[float]:
    """Move values that fall apart by at least a gap, as little as that takes; they come largest first.

    Where neighbours are too near, they are centred on their mean (pooling of adjacent violators).

    Examples
    --------
    >>> spread_out([10.0, 5.0, 5.0, 1.0], 2.0)
    [10.0, 6.0, 4.0, 1.0]
    """
    blocks: list[
        list[float]
    ] = []  # [sum, count] of what each member would have as the first of its block
    for i, value in enumerate(values):
        blocks.append([value + i * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] < blocks[-1][0] / blocks[-1][1]:
            total, n = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + n]
    level = [total / n for total, n in blocks for _ in range(int(n))]
    return [height - i * gap for i, height in enumerate(level)]
