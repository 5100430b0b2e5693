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
    known = {frozenset((one, other)) for one, other, _ in pairs}
    if len(known) < len(pairs):
        raise InputError("a pair of raters is given twice; pass each pair once")
    alone = next((one for one, other, _ in pairs if one == other), None)
    if alone is not None:
        raise InputError(f"rater '{alone}' is paired with itself")
    names = list(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    both = {(one, other): row for one, other, row in pairs}
    both |= {(other, one): row for one, other, row in pairs if row.estimate is not None}
    rows = [
        replace(both[one, other], term=one, group=other)
        for one in names
        for other in names
        if (one, other) in both
    ]
    return lay_out_pairs(rows, neutral=neutral, extreme=extreme, xlabel="agreement with", ax=ax)
