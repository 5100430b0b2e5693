"""Power against the size of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from socialstats.figures.axes import figure
from socialstats.figures.plot import Plot, new_plot, places_of
from socialstats.figures.style import Stroke
from socialstats.figures.ticks import padded
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 158.4  # points


@figure("Line chart")
def power_curve(
    curve: Mapping[str, Any], *, ax: Axes | None = None, reference: float | None = 0.8
) -> Plot:
    """Draw power against the number of pairs or clusters, the planned size marked.

    Parameters
    ----------
    curve : mapping
        ``x`` and ``power``: arrays of one length; ``at`` and ``reached``: the plan; ``xlabel``.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    reference : float or None
        Power at which a line is drawn.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> curve = {"x": np.array([2.0, 20.0]), "power": np.array([0.1, 0.9]), "at": 20, "reached": 0.9}
    >>> [t.get_text() for t in power_curve({**curve, "xlabel": "Pairs"}).texts]
    ['20: .90']
    """
    plot = new_plot(HEIGHT, left=43.2, right=21.6, xlabel=curve["xlabel"], ax=ax)
    places = places_of(curve["x"], curve["power"])
    at = (float(curve["at"]), float(curve["reached"]))
    plot.scale(padded([x for x, _ in [*places, at]]), (0.0, 1.02))
    plot.y.label = ["Power"]
    if reference is not None:
        plot.level(reference, Stroke("line", 0.8))
    plot.line(places, Stroke("series-1", 1.6))
    plot.points([at], "series-1", "o", 6.0)
    plot.write_beside(f"{count(curve['at'])}: {number(at[1], 2, bounded=True)}", at, -8)
    return plot
