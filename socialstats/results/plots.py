"""The figure of a metric whose rows are drawn below each other, with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.results.result import Result
from socialstats.results.rows import Row
from socialstats.text import quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# rows that a forest draws; more of them overlap
MOST_ROWS = 200


def every_row(result: Result) -> Sequence[Row]:
    """Return the rows of a result."""
    return result.rows


def rows_with_groups(result: Result) -> Sequence[Row]:
    """Return the rows of a result, whose terms have their group in brackets: ``ann | bob (law)``."""
    return [
        row if row.group is None else replace(row, term=f"{row.term} ({row.group})")
        for row in result.rows
    ]


def rows_of_group(result: Result, group: str) -> list[Row]:
    """Return the rows of one group; at most 200, as a figure holds.

    Raises
    ------
    InputError
        For a group that no row has.
    """
    groups = list(dict.fromkeys(row.group for row in result.rows if row.group))
    if group not in groups:
        raise InputError(f"no group '{shorten(group)}'; groups: {quoted(groups, 12)}")
    return [row for row in result.rows if row.group == group][:MOST_ROWS]


def forest_plot(
    rows: Callable[[Result], Sequence[Row]] = every_row, *, xlabel: str = "", **settings: Any
) -> Callable[..., Axes]:
    """Return the ``plot`` of a metric that draws rows in their order, with their intervals.

    Parameters
    ----------
    rows : callable
        Returns the rows of a result that are drawn.
    xlabel : str
        Name and unit of the estimate; by default the title of the result.
    **settings
        Options of `socialstats.figures.forest`. Those of a call stand above them.
    """

    # matplotlib is imported when a figure is drawn
    def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
        from socialstats.figures import forest

        drawn = {"xlabel": xlabel or result.title, "sort": False, **settings, **options}
        return forest(rows(result), ax=ax, **drawn)

    return plot
