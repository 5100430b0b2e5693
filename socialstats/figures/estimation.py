"""Estimation plot: every pair, the distribution of the differences, and their mean with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.figures.axes import figure
from socialstats.figures.labels import fitted, literal, literals, wrapped
from socialstats.figures.plot import Plot, new_plot, write_legend
from socialstats.figures.style import (
    DASHED,
    INK,
    LINE,
    QUIET,
    SMALL,
    SMALL_INK,
    Look,
    Stroke,
)
from socialstats.figures.ticks import ends_of, is_known, padded, stacked_ticks
from socialstats.text import count as counted
from socialstats.text import interval, number, percent, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from socialstats.results import Row

HEIGHT = 154.8  # points of a panel
BETWEEN = 78.0  # points between panels
MOST_LINES = 150
MOST_BINS = 24
LABEL_WIDTH = 18  # characters of a condition
UP, DOWN, SAME = "series-1", "series-2", "muted"
AT_MEAN = -0.2  # where the mean difference stands across its panel
SIDE = (-0.42, 1.04)  # horizontal limits of the panel of differences


@figure("Estimation plot")
def estimation(
    first: ArrayLike,
    second: ArrayLike,
    count: ArrayLike | None,
    row: Row,
    *,
    conditions: tuple[str, str],
    ax: Axes | None = None,
    binary: bool | None = None,
    ylabel: str = "value",
    reference: float | None = 0.0,
    digits: int = 2,
    most: int = MOST_LINES,
    unit: str = "pair",
) -> Plot:
    """Draw pairs at the left and differences, with their mean and interval, on an axis of their own at the right.

    Numbers: one line per pair (an even selection of them, sorted by difference, where there are more than `most`; the
    figure says so). Lines go from the second to the first condition; those that fall and rise have two colours. Also
    the means, and a histogram of first minus second.
    0/1 answers: the share of ones under each condition, and the shares of pairs that only the first, or only the
    second, answered with one. Their difference is the estimate. After Gardner and Altman (1986) and Ho et al. (2019).

    Parameters
    ----------
    first, second : (cells,) array of numbers
        Values under the two conditions.
    count : (cells,) array or None
        Pairs that a cell stands for; None is one each.
    row : Row
        The mean difference (first minus second) with its interval; drawn as it is. Without an estimate its reason
        is written out.
    conditions : pair of str
        Labels of the first and second condition.
    ax : Axes, optional
        Draw into this Axes, which becomes the frame of two panels. By default a new figure is made.
    binary : bool or None
        Draw as 0/1 answers; None looks at the values.
    ylabel : str
        Name and unit of the values.
    reference : float or None
        Difference to draw a dashed line at.
    digits : int
        Decimals of the means.
    most : int
        Lines drawn at most.
    unit : str
        What a line is, in the singular ("scenario"); its plural has an s.

    Returns
    -------
    Axes
        The frame; its ``child_axes`` are the two panels.

    Raises
    ------
    InputError
        If the arrays have different lengths or hold values that are not finite.

    References
    ----------
    Gardner, M. J., & Altman, D. G. (1986). Confidence intervals rather than P values: estimation rather than
    hypothesis testing. BMJ, 292, 746-750.
    Ho, J., Tumkaya, T., Aryal, S., Choi, H., & Claridge-Chang, A. (2019). Moving beyond P values. Nature Methods,
    16, 565-566.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> row = Row(term="difference", estimate=-1.0, conf_low=-2.0, conf_high=0.0, conf_level=0.95)
    >>> ax = estimation([1, 2, 3], [3, 2, 4], None, row, conditions=("before", "after"))
    >>> [panel.get_ylabel() for panel in ax.child_axes]
    ['value', 'before minus after']
    """
    one, two, n = _checked(first, second, count)
    narrow = style.is_narrow()
    height = 2 * HEIGHT + BETWEEN if narrow else HEIGHT
    plot = new_plot(height, left=44.6, right=8.6, top=48.2, bottom=39.6, ax=ax)
    if not len(n):
        return plot.message(f"no {unit}s to show")
    plot.framed = False
    width, height = plot.box.width, plot.box.height
    if narrow:
        high = (height - BETWEEN) / 2
        left, right = plot.panel(0, high + BETWEEN, width, high), plot.panel(0, 0, width, high)
    else:
        left = plot.panel(0, 0, 0.47 * width, height)
        right = plot.panel(0.6 * width, 0, 0.4 * width, height)
    is_binary = bool(np.isin(one, (0, 1)).all() and np.isin(two, (0, 1)).all())
    names = literals(conditions, LABEL_WIDTH)
    left.x.limits, right.x.limits = (-0.45, 1.45), SIDE
    if is_binary if binary is None else binary:
        _draw_shares(left, one, two, n, unit)
        what = f"share of {'ones' if ylabel == 'value' else ylabel}"
        _draw_discordant(right, one, two, n, conditions)
    else:
        # lines go from the second to the first: they rise where the difference is positive
        names = names[::-1]
        _draw_lines(left, two, one, n, most, digits)
        what = ylabel
        _write_key(left, two, one, n, most, unit)
        _draw_histogram(right, one - two, n, unit)
    left.x.ticks, left.x.look = [(0.0, names[0]), (1.0, names[1])], INK
    _draw_mean(right, row, reference)
    for panel, text in ((left, what), (right, " minus ".join(shortened(conditions, LABEL_WIDTH)))):
        panel.grid = "y"
        panel.y.ticks = stacked_ticks(panel.y.limits, panel.box.height)
        panel.y.label = fitted([text], panel.box.height, SMALL, 44)
    return plot


def _checked(first: Any, second: Any, count: Any) -> tuple[Any, Any, Any]:
    """Return the cells that stand for pairs, as float arrays."""
    cells = (first, second, np.ones_like(first, dtype=np.float64) if count is None else count)
    one, two, n = (np.asarray(values, dtype=np.float64).ravel() for values in cells)
    if not len(one) == len(two) == len(n):
        raise InputError(
            f"first has {len(one)} values, second {len(two)}, count {len(n)}; pairs need one of each"
        )
    if not all(np.isfinite(values).all() for values in (one, two, n)):
        raise InputError(
            "an estimation plot needs finite numbers; leave out pairs that miss a value"
        )
    kept = n > 0
    return one[kept], two[kept], n[kept]


def chosen(difference: Any, value: Any, count: Any, most: int) -> Any:
    """Return which cells to draw: all, or `most` pairs evenly spaced in the order of their differences.

    Examples
    --------
    >>> chosen(np.array([3.0, 1.0, 2.0]), np.zeros(3), np.array([1.0, 98.0, 1.0]), 2).tolist()
    [1]
    """
    if len(difference) <= most:
        return np.arange(len(difference))
    order = np.lexsort((value, difference))
    reached = np.cumsum(count[order])
    places = (np.arange(most) + 0.5) * reached[-1] / most
    return np.unique(order[np.searchsorted(reached, places)])


def _draw_lines(plot: Plot, one: Any, two: Any, n: Any, most: int, digits: int) -> None:
    """Draw one line a pair, and both means."""
    plot.y.limits = padded([float(f(values)) for f in (np.min, np.max) for values in (one, two)])
    shown = chosen(one - two, one, n, most)
    alpha = float(np.clip(8 / math.sqrt(len(shown)), 0.25, 0.8))
    thickest = n[shown].max()
    for i in shown.tolist():
        color = SAME if one[i] == two[i] else DOWN if one[i] > two[i] else UP
        width = 0.8 + 1.8 * float((n[i] - 1) / max(thickest - 1, 1))
        places = [(0.0, float(one[i])), (1.0, float(two[i]))]
        plot.line(places, Stroke(color, width, alpha=alpha))
    total = n.sum()
    means = [float((n * values).sum() / total) for values in (one, two)]
    plot.points([(0.0, means[0]), (1.0, means[1])], "ink", "o", 6.0)
    plot.text(number(means[0], digits), (-0.06, means[0]), look=SMALL_INK, ha="right")
    plot.text(number(means[1], digits), (1.06, means[1]), look=SMALL_INK)


def _write_key(plot: Plot, one: Any, two: Any, n: Any, most: int, unit: str) -> None:
    """State above the lines how many there are, and how many of them fall, rise and stay, in their colours."""
    total = n.sum()
    drawn = total if len(n) <= most else len(chosen(one - two, one, n, most))
    what = f"{counted(total, unit)}:"
    if drawn != total:
        what = f"{counted(drawn)} of {counted(total, unit)}; of all,"
    parts = [(f"means and {what}", SAME)]
    kinds = (("fall", one > two, DOWN), ("rise", one < two, UP), ("stay", one == two, SAME))
    for word, cells, color in kinds:
        if cells.any():
            parts.append((f"{counted(float(n[cells].sum()))} {word}", color))
    write_legend(plot, parts, SMALL, gap=6.0)


def _bin_edges(difference: Any, n: Any) -> Any:
    """Return bins of the differences: one for each value where these are few and evenly apart."""
    values = np.unique(difference)
    low, high = float(values[0]), float(values[-1])
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    if len(values) <= MOST_BINS:
        gap = float(np.diff(values).min())
        steps = (values - low) / gap
        if steps[-1] <= MOST_BINS and np.allclose(steps, np.round(steps), atol=1e-6):
            return low + gap * (np.arange(round(steps[-1]) + 2) - 0.5)
    bins = int(np.clip(2 * math.sqrt(n.sum()), 5, MOST_BINS))
    return np.linspace(low, high, bins + 1)


def _draw_histogram(plot: Plot, difference: Any, n: Any, unit: str) -> None:
    """Draw the distribution of the differences as bars that grow to the right."""
    edges = _bin_edges(difference, n)
    heights, _ = np.histogram(difference, bins=edges, weights=n)
    peak = heights.max()
    plot.y.limits = padded([float(edges[0]), float(edges[-1])])
    bars = zip(edges[:-1].tolist(), np.diff(edges).tolist(), heights.tolist(), strict=True)
    boxes = [(0.0, low, length / peak, 0.92 * gap) for low, gap, length in bars]
    plot.bars(boxes, "muted", 0.3)
    plot.x.label = [literal(f"{unit}s (longest bar: {counted(peak)})", 60)]


def _draw_shares(plot: Plot, one: Any, two: Any, n: Any, unit: str) -> None:
    """Draw the share of ones under each condition."""
    total = n.sum()
    sums = [float((n * values).sum()) for values in (one, two)]
    places = [(float(x), ones / total) for x, ones in enumerate(sums)]
    plot.y.limits = (-0.03, 1.03)
    plot.line(places, Stroke("line", 1.6))
    plot.points(places, "ink", "o", 7.0)
    for place, ones in zip(places, sums, strict=True):
        text = f"{percent(place[1])}\n{counted(ones)} of {counted(total)}"
        _write_near(plot, text, place, -8 if place[1] > 0.5 else 8)
    _write_above(plot, counted(total, unit), QUIET)


def _write_near(plot: Plot, text: str, place: tuple[float, float], up: float) -> None:
    """Write a text some points above (or, with a minus, below) a place."""
    va = "bottom" if up > 0 else "top"
    plot.text(text, place, (0.0, up), look=SMALL_INK, ha="center", va=va)


def _draw_discordant(plot: Plot, one: Any, two: Any, n: Any, conditions: Sequence[str]) -> None:
    """Draw the shares of pairs with a one under one condition only: their difference is the estimate."""
    total = n.sum()
    counts = [float(n[(one == k) & (two == 1 - k)].sum()) for k in (1, 0)]
    most = max(*counts, 0.02 * total) / total
    plot.y.limits = (-1.35 * most, 1.35 * most)
    for x, cell, sign, color in zip((0.35, 0.8), counts, (1, -1), (UP, DOWN), strict=True):
        height = sign * cell / total
        plot.bars([(x - 0.15, 0.0, 0.3, height)], color, 0.35)
        _write_near(plot, counted(cell), (x, height), 4 * sign)
    only = [literal(f"only {condition}", 13) for condition in conditions]
    plot.x.ticks = [(AT_MEAN, "difference"), (0.35, only[0]), (0.8, only[1])]


def _draw_mean(plot: Plot, row: Row, reference: float | None) -> None:
    """Draw the mean difference with its interval at the left of the panel, its numbers above."""
    low, high = plot.y.limits
    gap = 0.04 * (high - low)
    values = (row.estimate, row.conf_low, row.conf_high, reference)
    ends = [value for value in values if value is not None and math.isfinite(value)]
    if ends:
        plot.y.limits = (min(low, min(ends) - gap), max(high, max(ends) + gap))
    if reference is not None:
        plot.level(reference, DASHED)
    if row.estimate is None or not is_known(row):
        _write_above(plot, f"undefined: {row.undefined or 'no value was given'}", QUIET)
        return
    text = number(row.shown())
    both = row.ends()
    if both:
        edges = plot.y.limits
        low, high = ends_of(row, edges) or edges
        inside = [(AT_MEAN, max(low, edges[0])), (AT_MEAN, min(high, edges[1]))]
        plot.line(inside, Stroke("series-1", 2.2))
        text += f", {interval(*both, level=row.conf_level or 0.95)}"
    plot.points([(AT_MEAN, row.estimate)], "series-1", "o", 7.0)
    _write_above(plot, text, INK)


def _write_above(plot: Plot, text: str, look: Look) -> None:
    """Write above a panel, on as many lines as it is too narrow for."""
    lines = wrapped(text, plot.box.width, look.size, 2)
    for i, line in enumerate(reversed(lines)):
        plot.text(line, (0, 1), (0, 8 + LINE * i), of="box", look=look, va="bottom")
