"""Normal quantile-quantile plot of paired differences, with a pointwise band and the largest outlier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures import style
from socialstats.text import count as counted
from socialstats.text import number, percent_of, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from socialstats.arrays import FloatArray, IntArray

HEIGHT = 3.4  # inches
LEAST = 3  # differences
MOST_POINTS = 300


@style.figure("Quantile-quantile plot")
def qq(
    differences: ArrayLike,
    count: ArrayLike | None = None,
    *,
    labels: Sequence[str] | None = None,
    ax: Axes | None = None,
    level: float = 0.95,
    ylabel: str = "Difference",
    unit: str = "pair",
    digits: int = 2,
) -> Axes:
    """Draw differences against normal quantiles, with the line of mean and SD and a pointwise band around it.

    The band holds each ordered value of a normal sample of this size, mean and SD with probability `level`. It takes
    mean and SD as known. The largest outlier is the difference farthest from the mean.

    Parameters
    ----------
    differences : (cells,) array of numbers
    count : (cells,) array or None
        Pairs that a cell stands for; None is one each.
    labels : sequence of str, optional
        Names of the cells; the largest outlier is written with its name.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    level : float
        Coverage of the band at each point.
    ylabel : str
        Name and unit of the differences.
    unit : str
        What a point is, in the singular.
    digits : int
        Decimals of the outlier.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For values that are not finite, counts that are not whole, or other numbers of labels or counts.

    Examples
    --------
    >>> ax = qq([0.1, -0.4, 0.3, 5.0, 0.0, -0.2], labels=list("abcdef"))
    >>> [t.get_text() for t in ax.texts]
    ['d: 5.00 (2.0 SD from the mean)']
    """
    values, cells = _checked(differences, count, labels)
    if ax is None:
        ax = style.new_axes(HEIGHT, left=0.65, right=0.2, top=0.25)
    spread = float(values.std(ddof=1)) if len(values) >= LEAST else 0.0
    if spread == 0:
        reason = (
            f"{counted(len(values), unit)}: too few"
            if len(values) < LEAST
            else "all differences are equal"
        )
        return style.message(ax, f"no Q-Q plot: {reason}")
    style.dress(ax, xlabel="Normal quantile")
    ax.grid(axis="y", color=style.LIGHT["hair"], linewidth=0.7)
    ax.set_ylabel(style.literal(ylabel, 48), **style.QUIET)
    mean, n = float(values.mean()), len(values)
    order = np.argsort(values, kind="stable")
    far = int(np.argmax(np.abs(values - mean)))
    place = int(np.flatnonzero(order == far)[0])
    shown = _shown(n)
    z, low, high = quantiles(n, level, shown + 1)
    ax.fill_between(
        z,
        mean + spread * low,
        mean + spread * high,
        color=style.LIGHT["series-1"],
        alpha=0.15,
        linewidth=0,
        zorder=1,
    )
    ends = z[[0, -1]]
    ax.plot(ends, mean + spread * ends, color=style.LIGHT["muted"], linewidth=1.0, zorder=2)
    rest = shown != place
    ax.plot(
        z[rest],
        values[order[shown[rest]]],
        "o",
        color=style.LIGHT["series-1"],
        markersize=3.6,
        markeredgewidth=0,
        zorder=3,
    )
    z_far = float(quantiles(n, level, np.array([place + 1]))[0][0])
    ax.plot(
        [z_far],
        [values[far]],
        "D",
        color=style.LIGHT["series-2"],
        markersize=6,
        markeredgewidth=0,
        zorder=4,
    )
    name = f"{labels[cells[far]]}: " if labels is not None else ""
    text = (
        f"{name}{number(float(values[far]), digits)} "
        f"({number(abs(values[far] - mean) / spread, 1)} SD from the mean)"
    )
    right = z_far > 0
    left_end, right_end = ax.get_xlim()
    beside = (z_far - left_end if right else right_end - z_far) / (right_end - left_end)
    room = float(beside * ax.get_window_extent().width * style.POINTS / ax.figure.dpi) - 8
    ax.annotate(
        "\n".join(style.wrapped(text, room, style.SMALL)),
        (z_far, values[far]),
        (-8 if right else 8, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="center",
        **style.SMALL_INK,
    )
    part = "" if len(shown) == n else f"; {counted(len(shown))} of {counted(n, unit)} drawn"
    ends_text = " to ".join(number(float(end), digits) for end in (values.min(), values.max()))
    ax.set_label(
        f"Normal Q-Q plot of {visible_text(ylabel)}, {counted(n, unit)}, {ends_text}; "
        f"{percent_of(level)} pointwise band{part}."
    )
    return ax


def quantiles(
    n: int, level: float, ranks: IntArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the normal quantiles of n ordered values, and the ends of their pointwise bands, in SDs.

    Parameters
    ----------
    n : int
    level : float
        Coverage of each band.
    ranks : (k,) int64 array, optional
        Only of the values at these places of their order, from 1.

    Examples
    --------
    >>> [round(float(part[0]), 3) for part in quantiles(5, 0.95)]
    [-1.18, -2.572, 0.055]
    """
    from scipy.special import betaincinv, ndtri

    offset = 3 / 8 if n <= 10 else 1 / 2  # as R's ppoints
    places = np.arange(1.0, n + 1) if ranks is None else ranks.astype(np.float64)
    ends = [
        np.asarray(ndtri(betaincinv(places, n + 1 - places, tail)), dtype=np.float64)
        for tail in ((1 - level) / 2, (1 + level) / 2)
    ]
    expected = np.asarray(ndtri((places - offset) / (n + 1 - 2 * offset)), dtype=np.float64)
    return expected, ends[0], ends[1]


def _shown(n: int) -> Any:
    """Return which ordered values to draw: all, or an even selection with both ends."""
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.unique(np.round(np.linspace(0, n - 1, MOST_POINTS)).astype(np.int64))


def _checked(differences: Any, count: Any, labels: Sequence[str] | None) -> tuple[FloatArray, Any]:
    """Return one value per pair, and the cell that each belongs to."""
    values = np.asarray(differences, dtype=np.float64).ravel()
    times = np.ones(len(values)) if count is None else np.asarray(count, dtype=np.float64).ravel()
    if len(times) != len(values) or (labels is not None and len(labels) != len(values)):
        raise InputError(f"{len(values)} differences need as many counts and labels")
    if not np.isfinite(values).all() or not np.isfinite(times).all():
        raise InputError("a Q-Q plot needs finite numbers; leave out pairs that miss a value")
    if (times < 0).any() or (times != np.round(times)).any():
        raise InputError("a Q-Q plot needs whole counts of pairs; leave out weights")
    cells = np.repeat(np.arange(len(values)), times.astype(np.int64))
    return values[cells], cells
