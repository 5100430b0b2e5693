"""The result of planning: a derived Result that can check itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from socialstats.results import Result, Verification

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

    def crosscheck(self) -> Verification:
        """Recompute the numbers with independent implementations and compare."""
        module = importlib.import_module("socialstats.crosscheck.planning")
        check: Callable[[Result], Verification] = getattr(module, f"verify_{self.metric}")
        return check(self)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the power against the size of the study, or the adjusted tests with their intervals."""
        figures = importlib.import_module("socialstats.figures")
        if self.metric != "adjust":
            curve = importlib.import_module("socialstats.planning.power").curve_of(self)
            axes: Axes = figures.power_curve(curve, ax=ax, **options)
        else:
            shown = [
                row for row in self.rows if row.estimate is not None or row.undefined is not None
            ]
            axes = figures.forest(shown, ax=ax, **{"sort": False, **options})
        return axes
