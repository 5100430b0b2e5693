"""Estimation plot: every pair, the distribution of the differences, and their mean with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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

    from socialstats.arrays import FloatArray
    from socialstats.results import Row

HEIGHT = 154.8  # points of a panel
BETWEEN = 78.0  # points between panels
# left, bottom, width and height of the panels, as shares of the figure
BESIDE = ((0.0, 0.0, 0.47, 1.0), (0.6, 0.0, 0.4, 1.0))
STACKED = ((0.0, 0.6, 1.0, 0.4), (0.0, 0.0, 1.0, 0.4))
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
    pairs = pairs_of_values(first, second, count)
    narrow = style.is_narrow()
    high = 2 * HEIGHT + BETWEEN if narrow else HEIGHT
    plot = new_plot(high, left=44.6, right=8.6, top=48.2, bottom=39.6, ax=ax)
    if not len(pairs.count):
        return plot.message(f"no {unit}s to show")
    plot.framed = False
    width, height = plot.box.width, plot.box.height
    shares = STACKED if narrow else BESIDE
    left, right = (
        plot.panel(a * width, b * height, c * width, d * height) for a, b, c, d in shares
    )
    left.x.limits, right.x.limits = (-0.45, 1.45), SIDE
    names = literals(conditions, LABEL_WIDTH)
    if binary is None:
        binary = bool(np.isin([pairs.first, pairs.second], (0, 1)).all())
    if binary:
        _draw_shares(left, pairs, unit)
        _draw_discordant(right, pairs, conditions)
        ylabel = f"share of {'ones' if ylabel == 'value' else ylabel}"
    else:
        # lines go from the second to the first: they rise where the difference is positive
        names = names[::-1]
        _draw_lines(left, pairs, most, digits, unit)
        _draw_histogram(right, pairs, unit)
    left.x.ticks, left.x.look = [(0.0, names[0]), (1.0, names[1])], INK
    _draw_mean(right, row, reference)
    difference = " minus ".join(shortened(conditions, LABEL_WIDTH))
    for panel, text in ((left, ylabel), (right, difference)):
        panel.grid = "y"
        panel.y.ticks = stacked_ticks(panel.y.limits, panel.box.height)
        panel.y.label = fitted([text], panel.box.height, SMALL, 44)
    return plot


@dataclass(frozen=True, slots=True)
class Pairs:
    """Values of pairs under two conditions, and how many pairs have them."""

    first: FloatArray
    second: FloatArray
    count: FloatArray

    @property
    def total(self) -> float:
        """Return the number of pairs."""
        return float(self.count.sum())

    @property
    def sums(self) -> list[float]:
        """Return the sum under each condition."""
        return [float(self.count @ values) for values in (self.first, self.second)]

    def number_of(self, cells: Any) -> float:
        """Return how many pairs some cells have."""
        return float(self.count[cells].sum())


def pairs_of_values(first: Any, second: Any, count: Any) -> Pairs:
    """Return the cells that stand for pairs."""
    cells = (first, second, np.ones_like(first, dtype=np.float64) if count is None else count)
    firsts, seconds, n = (np.asarray(values, dtype=np.float64).ravel() for values in cells)
    if not len(firsts) == len(seconds) == len(n):
        raise InputError(
            f"first has {len(firsts)} values, second {len(seconds)}, count {len(n)}; pairs need one of each"
        )
    if not all(np.isfinite(values).all() for values in (firsts, seconds, n)):
        raise InputError(
            "an estimation plot needs finite numbers; leave out pairs that miss a value"
        )
    return Pairs(firsts[n > 0], seconds[n > 0], n[n > 0])


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


def _draw_lines(plot: Plot, pairs: Pairs, most: int, digits: int, unit: str) -> None:
    """Draw one line a pair, both means, and above them how many lines fall, rise and stay."""
    first, second, n = pairs.first, pairs.second, pairs.count
    plot.y.limits = padded([float(value) for value in np.concatenate([first, second])])
    kinds = {
        "fall": (first < second, DOWN),
        "rise": (first > second, UP),
        "stay": (first == second, SAME),
    }
    color = {i: ink for cells, ink in kinds.values() for i in np.flatnonzero(cells).tolist()}
    drawn = chosen(first - second, second, n, most)
    alpha = float(np.clip(8 / math.sqrt(len(drawn)), 0.25, 0.8))
    thickest = max(float(n[drawn].max()) - 1, 1)
    for i in drawn.tolist():
        stroke = Stroke(color[i], 0.8 + 1.8 * float(n[i] - 1) / thickest, alpha=alpha)
        plot.line([(0.0, float(second[i])), (1.0, float(first[i]))], stroke)
    mean, mean_second = (total / pairs.total for total in pairs.sums)
    plot.points([(0.0, mean_second), (1.0, mean)], "ink", "o", 6.0)
    plot.text(number(mean_second, digits), (-0.06, mean_second), look=SMALL_INK, ha="right")
    plot.text(number(mean, digits), (1.06, mean), look=SMALL_INK)
    pairs_drawn = f"{counted(pairs.total, unit)}:"
    if len(n) > most:
        pairs_drawn = f"{counted(len(drawn))} of {counted(pairs.total, unit)}; of all,"
    parts = [(f"means and {pairs_drawn}", SAME)]
    parts += [
        (f"{counted(pairs.number_of(cells))} {word}", ink)
        for word, (cells, ink) in kinds.items()
        if cells.any()
    ]
    write_legend(plot, parts, SMALL, gap=6.0)


def _bin_edges(difference: FloatArray, total: float) -> FloatArray:
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
    bins = int(np.clip(2 * math.sqrt(total), 5, MOST_BINS))
    return np.linspace(low, high, bins + 1)


def _draw_histogram(plot: Plot, pairs: Pairs, unit: str) -> None:
    """Draw the distribution of the differences as bars that grow to the right."""
    difference = pairs.first - pairs.second
    edges = _bin_edges(difference, pairs.total)
    heights, _ = np.histogram(difference, bins=edges, weights=pairs.count)
    peak = float(heights.max())
    plot.y.limits = padded([float(edges[0]), float(edges[-1])])
    sizes = zip(edges, heights / peak, 0.92 * np.diff(edges), strict=False)
    plot.bars(
        [(0.0, float(low), float(length), float(gap)) for low, length, gap in sizes], SAME, 0.3
    )
    plot.x.label = [literal(f"{unit}s (longest bar: {counted(peak)})", 60)]


def _draw_shares(plot: Plot, pairs: Pairs, unit: str) -> None:
    """Draw the share of ones under each condition."""
    places = [(float(x), ones / pairs.total) for x, ones in enumerate(pairs.sums)]
    plot.y.limits = (-0.03, 1.03)
    plot.line(places, Stroke("line", 1.6))
    plot.points(places, "ink", "o", 7.0)
    total = counted(pairs.total)
    for place, ones in zip(places, pairs.sums, strict=True):
        text = f"{percent(place[1])}\n{counted(ones)} of {total}"
        _write_near(plot, text, place, -8 if place[1] > 0.5 else 8)
    _write_above(plot, counted(pairs.total, unit), QUIET)


def _write_near(plot: Plot, text: str, place: tuple[float, float], up: float) -> None:
    """Write a text some points above (or, with a minus, below) a place."""
    va = "bottom" if up > 0 else "top"
    plot.text(text, place, (0.0, up), look=SMALL_INK, ha="center", va=va)


def _draw_discordant(plot: Plot, pairs: Pairs, conditions: Sequence[str]) -> None:
    """Draw the shares of pairs with a one under one condition only: their difference is the estimate."""
    first_only = pairs.number_of(pairs.first > pairs.second)
    second_only = pairs.number_of(pairs.first < pairs.second)
    most = max(first_only, second_only, 0.02 * pairs.total) / pairs.total
    plot.y.limits = (-1.35 * most, 1.35 * most)
    for x, cell, sign, color in ((0.35, first_only, 1, UP), (0.8, second_only, -1, DOWN)):
        height = sign * cell / pairs.total
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
    limits = row.ends()
    if limits:
        edges = plot.y.limits
        low, high = ends_of(row, edges) or edges
        inside = [(AT_MEAN, max(low, edges[0])), (AT_MEAN, min(high, edges[1]))]
        plot.line(inside, Stroke("series-1", 2.2))
        text += f", {interval(*limits, level=row.conf_level or 0.95)}"
    plot.points([(AT_MEAN, row.estimate)], "series-1", "o", 7.0)
    _write_above(plot, text, INK)


def _write_above(plot: Plot, text: str, look: Look) -> None:
    """Write above a panel, on as many lines as it is too narrow for."""
    lines = wrapped(text, plot.box.width, look.size, 2)
    for i, line in enumerate(reversed(lines)):
        plot.text(line, (0, 1), (0, 8 + LINE * i), of="box", look=look, va="bottom")
