"""The result of planning: a derived Result with a curve of power as its figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.figures import forest, power_curve
from socialstats.planning.curves import curve_of
from socialstats.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlanResult(Result):
    """What `adjust` and the power functions return: a `Result` of no single metric.

    Its `metric` is the name of the function that made it.

    Examples
    --------
    >>> import socialstats as ss
    >>> plan = ss.power_paired_t(effect=0.4, power=0.8)
    >>> plan.metric, plan.row("n").estimate
    ('power_paired_t', 52.0)
    """

    __slots__ = ()

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the power against the size of the study, or the adjusted tests with their intervals."""
        if self.metric != "adjust":
            return power_curve(curve_of(self), ax=ax, **options)
        rows = [row for row in self.rows if row.estimate is not None or row.undefined is not None]
        return forest(rows, ax=ax, **{"sort": False, **options})
