"""A leaderboard in a sentence and in a figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.metrics.leaderboard.rows import DIFFERENCE, MEAN, WEIGHED
from socialstats.models.bradley_terry.ranks import SAME
from socialstats.results import Result, Row
from socialstats.text import count, digits_of, interval, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ordered(rows: list[Row]) -> list[Row]:
    """Return the rows that have an estimate, the highest first; equal ones in the order given."""
    return sorted((r for r in rows if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))


def difference_of(result: Result, one: str, other: str) -> Row:
    """Return the difference of two models, the first minus the second, whichever way the table has it."""
    models = result.design.raters
    if models.index(one) < models.index(other):
        return result.row(f"{one} - {other}", group=DIFFERENCE)
    row = result.row(f"{other} - {one}", group=DIFFERENCE)
    return replace(row, term=f"{one} - {other}", estimate=turned(row.estimate), statistic=turned(row.statistic),
                   conf_low=turned(row.conf_high), conf_high=turned(row.conf_low))  # fmt: skip


def turned(value: float | None) -> float | None:
    """Return a number with its sign changed."""
    return None if value is None else -value


def over(result: Result) -> str:
    """Say over what the means are."""
    n = result.counts
    tasks = f" of {count(n['tasks'], 'task')} ({WEIGHED[result.settings['pooling']]})" if "tasks" in n else ""
    return f"Over {count(n['units'], 'unit')}{tasks}"


def sentence(result: Result) -> str:
    """Say which model has the highest mean, how far it is above the next, and from how many it differs."""
    means = [row for row in result.rows if row.group == MEAN]
    known = ordered(means)
    start = f"{over(result)}, "
    if not known:
        return f"{start}no model has a mean ({means[0].undefined})."
    best, bounded = known[0], bool(result.extras["shares"])
    text = f"{start}'{shorten(best.term)}' had the highest mean of {count(len(means), 'model')}"
    text += f" ({value_text(best, bounded=bounded)})"
    tied = [row.term for row in known if (best.estimate or 0.0) - (row.estimate or 0.0) <= SAME]
    if len(tied) > 1:
        who = f"{count(len(tied))} of {count(len(means), 'model')}"
        return f"{start}{who} had the highest mean ({value_text(best, bounded=bounded)}): {quoted(tied)}."
    if len(known) == 1:
        return f"{text}; no other model has a mean."
    gap = difference_of(result, best.term, known[1].term)
    text += f", {gap_text(gap, known[1].term, bounded=bounded)}"
    others = [difference_of(result, best.term, row.term) for row in known[1:]]
    tested = [row for row in others if row.p_adjusted is not None]
    if len(others) < 2 or not tested:
        return f"{text}."
    alpha = 1 - result.settings["level"]
    clear = sum((row.p_adjusted or 0.0) <= alpha for row in tested)
    who = "none" if not clear else "all" if clear == len(others) else count(clear)
    return f"{text}; it differed significantly from {who} of the {count(len(others))} others (Holm)."


def value_text(row: Row, *, bounded: bool) -> str:
    """Write a mean with its interval; `bounded`: without a leading zero, as it cannot exceed 1."""
    digits = digits_of(row.std_error)
    text = number(row.estimate, digits, bounded=bounded)
    if row.conf_low is None:
        return f"{text}, no interval: {row.undefined}" if row.undefined else text
    level = row.conf_level or 0.95
    return f"{text}, {interval(row.conf_low, row.conf_high, digits, level=level, bounded=bounded)}"


def gap_text(row: Row, other: str, *, bounded: bool) -> str:
    """Write a difference with its interval and test."""
    if row.estimate is None:
        return f"and its difference from '{shorten(other)}' is undefined: {row.undefined}"
    digits = digits_of(row.std_error)
    size = number(row.estimate, digits, bounded=bounded)
    text = f"{size} above '{shorten(other)}'"
    if row.estimate < 0:
        text = f"and on shared units its difference from '{shorten(other)}' was {size}"
    if row.statistic is None:
        return f"{text} ({row.undefined})"
    df = number(row.df, 0 if (row.df or 0.0) % 1 == 0 else 1)
    test = f"t({df}) = {number(row.statistic)}, {p_value(row.p_adjusted, name='Holm-adjusted p')}"
    ends = interval(row.conf_low, row.conf_high, digits, level=row.conf_level or 0.95, bounded=bounded)
    return f"{text} ({ends}, {test})"


def plot(result: Result, ax: Axes | None = None, *, group: str = MEAN, **options: Any) -> Axes:
    """Draw the means of one group (``"mean"``, ``"task: NAME"``, ...) with their intervals, highest first."""
    from socialstats.figures import forest

    groups = list(dict.fromkeys(row.group for row in result.rows if row.group))
    if group not in groups:
        raise InputError(f"no group '{shorten(group)}'; groups: {quoted(groups, 12)}")
    rows = [row for row in result.rows if row.group == group]
    settings: dict[str, Any] = {"xlabel": shorten(group) if group != MEAN else "mean score", "reference": None}
    settings["digits"] = max((digits_of(row.std_error) for row in rows), default=2)
    return forest(rows[:200], ax=ax, **{**settings, **options})
