"""Normal quantile-quantile plot of paired differences, with a pointwise band and the largest outlier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.labels import literal
from socialstats.figures.plot import Areas, Plot, new_plot, places_of
from socialstats.figures.style import Stroke
from socialstats.figures.ticks import padded
from socialstats.text import count as counted
from socialstats.text import number, percent_of, visible_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from socialstats.arrays import FloatArray, IntArray

HEIGHT = 190.8  # points
LEAST = 3  # differences
MOST_POINTS = 300


@figure("Quantile-quantile plot")
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
) -> Plot:
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
    plot = new_plot(HEIGHT, left=46.8, right=14.4, top=18.0, xlabel="Normal quantile", ax=ax)
    mean, n = float(values.mean()) if len(values) else 0.0, len(values)
    spread = float(values.std(ddof=1)) if n >= LEAST else 0.0
    if spread == 0:
        few = f"{counted(n, unit)}: too few" if n < LEAST else "all differences are equal"
        return plot.message(f"no Q-Q plot: {few}")
    order = np.argsort(values, kind="stable")
    far = int(np.argmax(np.abs(values - mean)))
    drawn = _shown(n)
    z, low, high = quantiles(n, level, drawn + 1)
    lower, upper = mean + spread * low, mean + spread * high
    place = np.flatnonzero(order == far)
    at = (float(quantiles(n, level, place + 1)[0][0]), float(values[far]))
    ends = [float(z[0]), float(z[-1])]
    plot.scale(
        padded([*ends, at[0]]),
        padded([float(end) for end in (lower[0], upper[-1], values.min(), values.max())]),
    )
    plot.y.label, plot.grid = [literal(ylabel, 48)], "y"
    band = places_of([*z, *z[::-1]], [*lower, *upper[::-1]])
    plot.marks.append(Areas([band], "series-1", 0.15))
    plot.line([(end, mean + spread * end) for end in ends], Stroke("muted", 1.0))
    inside = drawn != place
    plot.points(places_of(z[inside], values[order[drawn[inside]]]), "series-1", "o", 3.6)
    plot.points([at], "series-2", "D", 6.0)
    name = "" if labels is None else f"{labels[cells[far]]}: "
    away = number(abs(at[1] - mean) / spread, 1)
    plot.write_beside(f"{name}{number(at[1], digits)} ({away} SD from the mean)", at)
    part = "" if len(drawn) == n else f"; {counted(len(drawn))} of {counted(n, unit)} drawn"
    least, most = (number(float(end), digits) for end in (values.min(), values.max()))
    plot.label = (
        f"Normal Q-Q plot of {visible_text(ylabel)}, {counted(n, unit)}, {least} to {most}; "
        f"{percent_of(level)} pointwise band{part}."
    )
    return plot


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
