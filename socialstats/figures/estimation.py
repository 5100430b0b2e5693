"""Estimation plot: every pair, the distribution of the differences, and their mean with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import count as counted
from socialstats.text import interval, number, percent, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from socialstats.results import Row

HEIGHT = 3.2  # inches
PANELS = (
    (0.0, 0.0, 0.47, 1.0),
    (0.6, 0.0, 0.4, 1.0),
)  # left, bottom, width, height: shares of the Axes
STACKED = ((0.0, 0.59, 1.0, 0.41), (0.0, 0.0, 1.0, 0.41))  # the same on narrow screens
MOST_LINES = 150
MOST_BINS = 24
LABEL_WIDTH = 18  # characters of a condition
UP, DOWN, SAME = "series-1", "series-2", "muted"


@style.figure("Estimation plot")
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
) -> Axes:
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
    if ax is None:
        height = 2 * HEIGHT if style.is_narrow() else HEIGHT + 0.17
        ax = style.new_axes(height, left=0.62, right=0.12, top=0.67, bottom=0.55)
    ax.set_axis_off()
    if not len(n):
        return style.message(ax, f"no {unit}s to show")
    ones = (
        bool(np.isin(one, (0, 1)).all() and np.isin(two, (0, 1)).all())
        if binary is None
        else binary
    )
    left, right = (ax.inset_axes(place) for place in (STACKED if style.is_narrow() else PANELS))
    for panel in (left, right):
        style.dress(panel)
        panel.grid(axis="y", color=style.LIGHT["hair"], linewidth=0.7)
    names = style.literals(conditions, LABEL_WIDTH)
    if ones:
        _shares(left, one, two, n, ylabel, unit)
        _discordant(right, one, two, n, conditions)
    else:
        names = names[
            ::-1
        ]  # lines go from the second to the first: they rise where the difference is positive
        _lines(left, two, one, n, most, ylabel, digits)
        _key(left, two, one, n, most, unit)
        _histogram(right, one - two, n, unit)
    _conditions(left, names)
    _ylabel(right, " minus ".join(shortened(conditions, LABEL_WIDTH)))
    _mean(right, row, reference)
    return ax


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


def _conditions(ax: Axes, names: list[str]) -> None:
    """Write the conditions below the two columns of the left panel."""
    ax.set_xlim(-0.45, 1.45)
    ax.set_xticks([0, 1], names)
    ax.tick_params(axis="x", labelsize=style.FONT, labelcolor=style.LIGHT["ink"])


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


def _lines(ax: Axes, one: Any, two: Any, n: Any, most: int, ylabel: str, digits: int) -> None:
    """Draw one line a pair, and both means."""
    shown = chosen(one - two, one, n, most)
    alpha = float(np.clip(8 / math.sqrt(len(shown)), 0.25, 0.8))
    widest = n[shown].max()
    for i in shown.tolist():
        color = style.LIGHT[SAME if one[i] == two[i] else DOWN if one[i] > two[i] else UP]
        width = 0.8 + 1.8 * (n[i] - 1) / max(widest - 1, 1)
        ax.plot((0, 1), (one[i], two[i]), color=color, linewidth=width, alpha=alpha, zorder=2)
    total = n.sum()
    means = float((n * one).sum() / total), float((n * two).sum() / total)
    ax.plot((0, 1), means, "o", color=style.LIGHT["ink"], markersize=6, zorder=4, markeredgewidth=0)
    for x, mean, align in ((-0.06, means[0], "right"), (1.06, means[1], "left")):
        ax.text(x, mean, number(mean, digits), ha=align, va="center", zorder=5, **style.SMALL_INK)
    _ylabel(ax, ylabel)


def _ylabel(ax: Axes, text: str) -> None:
    """Write what the vertical axis of a panel shows, no longer than the axis."""
    room = ax.get_window_extent().height * style.POINTS / ax.figure.dpi
    ax.set_ylabel(style.fitted([text], room, style.SMALL, 44)[0], **style.QUIET)


def _key(ax: Axes, one: Any, two: Any, n: Any, most: int, unit: str) -> None:
    """State above the lines how many there are, and how many of them fall, rise and stay, in their colours."""
    total = n.sum()
    drawn = total if len(n) <= most else len(chosen(one - two, one, n, most))
    what = (
        f"{counted(total, unit)}:"
        if drawn == total
        else f"{counted(drawn)} of {counted(total, unit)}; of all,"
    )
    parts = [(f"means and {what}", SAME)]
    for word, chosen_ones, color in (
        ("fall", one > two, DOWN),
        ("rise", one < two, UP),
        ("stay", one == two, SAME),
    ):
        if chosen_ones.any():
            parts.append((f"{counted(float(n[chosen_ones].sum()))} {word}", color))
    style.legend(ax, parts, style.SMALL, gap=6.0)


def _histogram(ax: Axes, difference: Any, n: Any, unit: str) -> None:
    """Draw the distribution of the differences as bars that grow to the right."""
    values = np.unique(difference)
    low, high = float(values[0]), float(values[-1])
    if high > low:
        gap = float(np.diff(values).min()) if len(values) <= MOST_BINS else 0.0
        steps = (high - low) / gap if gap > 0 else MOST_BINS + 1
        one_each = steps <= MOST_BINS and np.allclose(
            (values - low) / gap, np.round((values - low) / gap), atol=1e-6
        )
        edges = (
            low + gap * (np.arange(round(steps) + 2) - 0.5)
            if one_each
            else np.linspace(low, high, int(np.clip(2 * math.sqrt(n.sum()), 5, MOST_BINS)) + 1)
        )
    else:
        edges = np.array([low - 0.5, low + 0.5])
    height, _ = np.histogram(difference, bins=edges, weights=n)
    peak = height.max()
    ax.barh(
        edges[:-1],
        height / peak,
        np.diff(edges) * 0.92,
        align="edge",
        color=style.LIGHT["muted"],
        alpha=0.3,
        zorder=1.5,
    )
    ax.set_xlim(-0.42, 1.04)
    ax.set_xticks([])
    ax.set_xlabel(
        style.literal(f"{unit}s (longest bar: {counted(peak)})", 60), labelpad=7, **style.QUIET
    )


def _shares(ax: Axes, one: Any, two: Any, n: Any, ylabel: str, unit: str) -> None:
    """Draw the share of ones under each condition."""
    total = n.sum()
    sums = float((n * one).sum()), float((n * two).sum())
    shares = sums[0] / total, sums[1] / total
    ax.plot((0, 1), shares, color=style.LIGHT["line"], linewidth=1.6, zorder=2)
    ax.plot(
        (0, 1), shares, "o", color=style.LIGHT["ink"], markersize=7, zorder=4, markeredgewidth=0
    )
    for x, share, ones in zip((0, 1), shares, sums, strict=True):
        below = share > 0.5
        _at(
            ax,
            f"{percent(share)}\n{counted(ones)} of {counted(total)}",
            x,
            share,
            -8 if below else 8,
            zorder=5,
        )
    ax.set_ylim(-0.03, 1.03)
    _ylabel(ax, f"share of {'ones' if ylabel == 'value' else ylabel}")
    _above(ax, counted(total, unit))


def _at(ax: Axes, text: str, x: float, y: float, up: float, **options: Any) -> None:
    """Write a text some points above (or, with a minus, below) a point of the data."""
    ax.annotate(
        text,
        (x, y),
        (0, up),
        textcoords="offset points",
        ha="center",
        va="bottom" if up > 0 else "top",
        **style.SMALL_INK,
        **options,
    )


def _discordant(ax: Axes, one: Any, two: Any, n: Any, conditions: tuple[str, str]) -> None:
    """Draw the shares of pairs with a one under one condition only: their difference is the estimate."""
    total = n.sum()
    cells = float(n[(one == 1) & (two == 0)].sum()), float(n[(one == 0) & (two == 1)].sum())
    for x, cell, sign, color in zip((0.35, 0.8), cells, (1, -1), (UP, DOWN), strict=True):
        height = sign * cell / total
        ax.bar(x, height, 0.3, color=style.LIGHT[color], alpha=0.35, zorder=1.5)
        _at(ax, counted(cell), x, height, 4 * sign)
    ax.set_xlim(-0.42, 1.04)
    most = max(*cells, 0.02 * total) / total
    ax.set_ylim(-1.35 * most, 1.35 * most)
    ax.set_xticks(
        [-0.2, 0.35, 0.8], ["difference", *(style.literal(f"only {c}", 13) for c in conditions)]
    )


def _mean(ax: Axes, row: Row, reference: float | None) -> None:
    """Draw the mean difference with its interval at the left of the panel, its numbers above."""
    low, high = ax.get_ylim()
    ends = [
        v
        for v in (row.estimate, row.conf_low, row.conf_high, reference)
        if v is not None and math.isfinite(v)
    ]
    gap = 0.04 * (high - low)
    if ends:
        ax.set_ylim(min(low, min(ends) - gap), max(high, max(ends) + gap))
    if reference is not None:
        ax.axhline(reference, **style.DASHED)
    if row.estimate is None or not style.is_known(row):
        _above(ax, f"undefined: {row.undefined or 'no value was given'}")
        return
    text = number(row.shown())
    if both := row.ends():
        edges = ax.get_ylim()
        low, high = style.ends_of(row, edges) or edges
        inside = max(low, edges[0]), min(high, edges[1])
        ax.plot(
            (-0.2, -0.2),
            inside,
            color=style.LIGHT["series-1"],
            linewidth=2.2,
            solid_capstyle="butt",
            zorder=3,
        )
        level = row.conf_level or 0.95
        text += f", {interval(*both, level=level)}"
    ax.plot(
        -0.2,
        row.estimate,
        "o",
        color=style.LIGHT["series-1"],
        markersize=7,
        zorder=4,
        markeredgewidth=0,
    )
    _above(ax, text, ink="ink")


def _above(ax: Axes, text: str, ink: str = "muted") -> None:
    """Write above a panel, on as many lines as it is too narrow for."""
    look = {"fontsize": style.FONT if ink == "ink" else style.SMALL, "color": style.LIGHT[ink]}
    room = ax.get_window_extent().width * style.POINTS / ax.figure.dpi
    lines = style.wrapped(text, room, float(style.FONT if ink == "ink" else style.SMALL), 2)
    for i, line in enumerate(reversed(lines)):
        style.outside(ax, line, (0, 1), (0, 8 + style.LINE * i), ha="left", va="bottom", **look)
