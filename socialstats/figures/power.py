"""Power against the size of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from socialstats.figures import style
from socialstats.text import count, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.0


@style.figure("Line chart")
def power_curve(
    curve: Mapping[str, Any], *, ax: Axes | None = None, reference: float | None = 0.8
) -> Axes:
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
    if ax is None:
        ax = style.new_axes(HEIGHT, left=0.6, right=0.3, xlabel=curve["xlabel"])
    style.dress(ax, xlabel=curve["xlabel"])
    ax.set_ylabel("Power", **style.QUIET)
    if reference is not None:
        ax.axhline(reference, color=style.LIGHT["line"], linewidth=0.8)
    ax.plot(curve["x"], curve["power"], color=style.LIGHT["series-1"], linewidth=1.6)
    ax.plot(
        [curve["at"]], [curve["reached"]], marker="o", markersize=6, color=style.LIGHT["series-1"]
    )
    text = f"{count(curve['at'])}: {number(curve['reached'], 2, bounded=True)}"
    ax.annotate(
        text, (curve["at"], curve["reached"]), (8, -10), textcoords="offset points", **style.INK
    )
    ax.set_ylim(0, 1.02)
    return ax
