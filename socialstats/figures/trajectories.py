"""One line an item over ordered stages, each point with its interval, labelled at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row

HEIGHT = 4.2  # inches
MOST_ITEMS = 15
COLORS = ("series-1", "series-2", "series-3", "series-4", "series-5")
DASHES = ("-", (0, (5, 2)), (0, (1.2, 1.6)))  # a colour comes again with another line
SPREAD = 0.22  # how far the items of a stage lie apart, in stages
LABEL_WIDTH = 24  # characters of an item
GAP = 12.5  # points between two labels


@style.figure("Line chart")
def trajectories(
    rows: Sequence[Row],
    *,
    stages: Sequence[str],
    ax: Axes | None = None,
    lines: Mapping[str, float] | None = None,
    ylabel: str = "Estimate",
) -> Axes:
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
    reasons = [
        f"{r.term}, {r.group}: undefined ({r.undefined or 'no value was given'})"
        for r in rows
        if r.estimate is None
    ]
    marks = lines or {}
    below = (
        [f"dashed: {label} {number(value, 1)}" for label, value in marks.items()]
        if style.is_narrow()
        else []
    )
    left = 0.6 if style.is_narrow() else 0.75
    notes = style.noted([*below, *reasons[:6]], left)
    right = style.room_for([f"{name} \u221200.00" for name in _names(list(table)).values()]) + 0.15
    step = (style.width() - left - right) * style.POINTS / max(len(stages) - 0.2, 1.0)
    heads, turned = style.heads(stages, step, 16)
    if ax is None:
        bottom = 0.5 + style.LINE * len(notes) / style.POINTS + max(turned - 0.2, 0.0)
        ax = style.new_axes(HEIGHT + bottom - 0.5, left=left, right=right, top=0.2, bottom=bottom)
    if not table:
        return style.message(ax, "no rows to show")
    style.dress(ax)
    ax.grid(axis="y", color=style.LIGHT["hair"], linewidth=0.7)
    ax.set_xticks(range(len(stages)), heads, rotation=90 if turned else 0)
    ax.tick_params(axis="x", labelsize=style.FONT, labelcolor=style.LIGHT["ink"])
    ax.set_ylabel(style.literal(ylabel, 60), **style.QUIET)
    _scale(ax, rows, marks, len(stages))
    for k, cells in enumerate(table.values()):
        _course(ax, cells, stages, k, len(table))
    _labels(ax, table, stages)
    style.footnotes(ax, notes, 22 + style.POINTS * max(turned - 0.2, 0.0))
    return ax


def _names(items: Sequence[str]) -> dict[str, str]:
    """Return the name of each item as it stands beside its course."""
    return dict(
        zip(items, style.fitted(items, style.label_room(0.3), width=LABEL_WIDTH), strict=True)
    )


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
    known = [cells[s] for s in stages if s in cells and cells[s].estimate is not None]
    return known[-1] if known else next(iter(cells.values()))


def _look(k: int) -> tuple[str, object]:
    return style.LIGHT[COLORS[k % len(COLORS)]], DASHES[k // len(COLORS) % len(DASHES)]


def _scale(ax: Axes, rows: Sequence[Row], lines: Mapping[str, float], n: int) -> None:
    """Set the limits, and draw the reference lines with their labels."""
    if style.bounded(rows):
        style.short_ticks(ax.yaxis)
    ax.set_ylim(*style.padded(style.drawn(rows) + list(lines.values()) or [0.0]))
    size = ax.get_window_extent()
    width, height = (length * style.POINTS / ax.figure.dpi for length in (size.width, size.height))
    names = {
        label: style.literal(f"{label} {number(value, 1)}", 60) for label, value in lines.items()
    }
    room = min(
        max((style.text_width(name, style.SMALL) for name in names.values()), default=0.0) + 8,
        0.4 * width,
    )
    left = (
        -0.45 if not lines or style.is_narrow() else -0.35 - room / (width - room) * (n - 0.2)
    )  # room for the labels of the lines
    ax.set_xlim(left, n - 0.55)
    low, high = ax.get_ylim()
    ordered = sorted(lines.items(), key=lambda pair: pair[1])
    for k, (label, value) in enumerate(ordered):
        near = k + 1 < len(ordered) and (ordered[k + 1][1] - value) / (high - low) * height < GAP
        ax.axhline(value, **style.DASHED)
        if style.is_narrow():
            continue
        ax.annotate(
            names[label],
            xy=(left, value),
            xytext=(2, -2 if near else 2),
            textcoords="offset points",
            **style.QUIET,
            va="top" if near else "bottom",
        )


def _course(ax: Axes, cells: Mapping[str, Row], stages: Sequence[str], k: int, n: int) -> None:
    """Draw one item: its points with intervals, beside those of the others, and the line between them."""
    color, dash = _look(k)
    shift = SPREAD * (2 * (k + 0.5) / n - 1)
    xs: list[float] = []
    ys: list[float] = []
    for x, stage in enumerate(stages):
        row = cells.get(stage)
        xs.append(x + shift)
        ys.append(math.nan if row is None or row.estimate is None else row.estimate)
        if row is not None and (ends := style.ends_of(row)):
            ax.plot(
                (x + shift,) * 2,
                ends,
                color=color,
                linewidth=1.0,
                alpha=0.7,
                solid_capstyle="butt",
                zorder=2,
            )
    ax.plot(
        xs,
        ys,
        color=color,
        linestyle=dash,
        linewidth=1.3,
        marker="o",
        markersize=3.6,
        markeredgewidth=0,
        zorder=3,
    )


def _labels(ax: Axes, table: Mapping[str, Mapping[str, Row]], stages: Sequence[str]) -> None:
    """Write each item with its last value at the right, moved apart where they would overlap, and tied to its point."""
    low, high = ax.get_ylim()
    scale = (high - low) / max(ax.get_window_extent().height * style.POINTS / ax.figure.dpi, 1.0)
    ends = [
        (k, item, last)
        for k, (item, cells) in enumerate(table.items())
        if (last := _last(cells, stages)).estimate is not None
    ]
    names = _names(list(table))
    values = [float(last.estimate or 0.0) for _, _, last in ends]
    for (k, item, last), value, place in zip(
        ends, values, spread_out(values, GAP * scale), strict=True
    ):
        shift = SPREAD * (2 * (k + 0.5) / len(table) - 1)
        ax.annotate(
            f"{names[item]} {number(last.shown())}",
            xy=(list(stages).index(str(last.group)) + shift, value),
            xycoords="data",
            xytext=(len(stages) - 0.55, place),
            textcoords=_to_the_right(ax),
            va="center",
            fontsize=style.FONT,
            color=_look(k)[0],
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 0.6,
                "alpha": 0.6,
                "color": _look(k)[0],
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 2,
            },
        )


def _to_the_right(ax: Axes) -> Any:
    """Return the coordinates of the data, six points to the right."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transData + ScaledTranslation(6 / style.POINTS, 0, ax.figure.dpi_scale_trans)


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
