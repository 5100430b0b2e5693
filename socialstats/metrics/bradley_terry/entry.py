"""How a Bradley-Terry fit is said and drawn, and its registry entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.metrics.bradley_terry.fit import bradley_terry
from socialstats.registry import Metric
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sentence(result: Result) -> str:
    """Return strongest and weakest item with intervals, and the effects, from the rows."""
    rows = [r for r in result.rows if r.group == "strength" and r.estimate is not None]
    parts = []
    if rows:
        top, bottom = max(rows, key=_value), min(rows, key=_value)
        parts.append(
            f"Of {count(len(rows), 'item')}, {top.term} is strongest (log-strength {_estimate_of_metric(top)}) "
            f"and {bottom.term} weakest ({_estimate_of_metric(bottom)})"
        )
    for row in result.rows:
        if row.group in ("order", "covariate") and row.estimate is not None:
            name = "being shown first" if row.group == "order" else f"one unit of {row.term}"
            parts.append(f"{name} adds {_estimate_of_metric(row)}, {p_value(row.p_value)}, to the log-odds")
    return "; ".join(parts) + "." if parts else f"{result.title}: no estimates."


def _value(row: Row) -> float:
    return row.estimate if row.estimate is not None else 0.0


def _estimate_of_metric(row: Row) -> str:
    level = row.conf_level if row.conf_level is not None else 0.95
    if row.conf_low is None:
        return f"{number(row.estimate)} ({row.undefined})"
    return f"{number(row.estimate)}, {interval(row.conf_low, row.conf_high, level=level)}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the strengths (or whatever terms the result has) as a forest."""
    from socialstats.figures import forest

    rows = tuple(r for r in result.rows if r.group == "strength") or result.rows
    return forest(rows, ax=ax, **options)


METRIC = Metric(
    name="bradley_terry",
    title="Strengths from paired comparisons",
    design="comparisons",
    function=bradley_terry,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.bradley_terry:verify",
    estimand="Log-strengths whose difference is the log-odds that one item is chosen over the other.",
    assumptions=(
        "the odds of two items do not depend on which others were compared (no cycles)",
        "rows are independent within and between the declared clusters only",
    ),
    references=("bradley1952", "ford1957", "davidson1970"),
    swap="invariant",
)
