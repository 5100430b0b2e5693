"""Agreement of every pair of raters, as a symmetric heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.figures.axes import figure
from socialstats.figures.heat import lay_out_pairs
from socialstats.figures.plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.results import Row


@figure("Heat map")
def rater_heat(
    pairs: Sequence[tuple[str, str, Row]],
    *,
    ax: Axes | None = None,
    neutral: float = 0.0,
    extreme: float = 1.0,
) -> Plot:
    """Draw the agreement of each pair of raters twice, at both sides of an empty diagonal.

    Parameters
    ----------
    pairs : sequence of (rater, rater, Row)
        Each pair once. A row without an estimate is written out as undefined, with its reason below.
    ax : Axes, optional
        Draw into this Axes. By default a new figure is made.
    neutral, extreme : float
        Agreement without colour (0: as by chance), and the distance from it with full colour.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        For a rater paired with itself, a pair given twice (in either order), or more than 20 raters.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> ax = rater_heat([("ann", "bob", Row(term="kappa", estimate=0.7, n=40))])
    >>> [t.get_text() for t in ax.texts]
    ['0.70', 'n 40', '0.70', 'n 40']
    """
    couples = {frozenset((first, second)) for first, second, _ in pairs}
    if len(couples) < len(pairs):
        raise InputError("a pair of raters is given twice; pass each pair once")
    alone = next((first for first, second, _ in pairs if first == second), None)
    if alone is not None:
        raise InputError(f"rater '{alone}' is paired with itself")
    names = list(dict.fromkeys(name for first, second, _ in pairs for name in (first, second)))
    cells = {(first, second): row for first, second, row in pairs}
    cells |= {(second, first): row for first, second, row in pairs if row.estimate is not None}
    rows = [
        replace(cells[first, second], term=first, group=second)
        for first in names
        for second in names
        if (first, second) in cells
    ]
    return lay_out_pairs(rows, neutral=neutral, extreme=extreme, xlabel="agreement with", ax=ax)
