"""Spreads over wordings in a sentence and in a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.results import Result, Row
from socialstats.text import count, interval, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sentence(result: Result) -> str:
    """Say the mean spread at the two stages compared (or the first), the change, and its tests."""
    ends = result.settings["change"]
    spreads = [r for r in result.rows if r.group == "spread"]
    shown = [r for r in spreads if ends is None or r.term in ends]
    if ends is not None:
        shown = sorted(shown, key=lambda r: ends.index(r.term))
    at = " and ".join(f"{level_text(r)} at '{shorten(r.term)}'" for r in shown)
    unit = result.settings["unit_of_analysis"]
    n = count(shown[0].n_units or 0, {"answer": "model-by-scenario cell"}.get(unit, unit))
    text = f"The mean standard deviation over wordings was {at}, over {n}"
    if ends is None:
        return f"{text}."
    change = result.rows[[r.group for r in result.rows].index("change")]
    return f"{text}; {change_text(change, result)}."


def level_text(row: Row) -> str:
    """Estimate and interval of a row, or why there is none."""
    if row.estimate is None:
        return f"undefined ({row.undefined})"
    text = number(row.estimate)
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)},"
    return text


def change_text(row: Row, result: Result) -> str:
    """Change with its tests."""
    if row.estimate is None:
        return f"the change is undefined ({row.undefined})"
    text = f"the change ({shorten(row.term, 80)}) was {number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.df is not None:
        df = number(row.df, 0 if row.df == round(row.df) else 2)
        text += f", t({df}) = {number(row.statistic)}, {p_value(row.p_value)}"
    size, ranks = result.row("d_z", group="change"), result.row("wilcoxon", group="change")
    if size.estimate is not None:
        text += f", d_z = {number(size.estimate)}"
    if ranks.statistic is not None:
        side = {"two_sided": "two-sided ", "greater": "one-sided ", "less": "one-sided "}[
            result.settings["alternative"]
        ]
        digits = 0 if ranks.statistic == round(ranks.statistic) else 1
        text += f", Wilcoxon's V = {number(ranks.statistic, digits)}, {side}{p_value(ranks.p_value)}"
    return text + (f" ({row.undefined})" if row.undefined else "")


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the mean spread by stage, and by model where there are several, with the intervals."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = []
    for row in result.rows:
        if row.group == "spread":
            rows.append(row)
        elif (row.group or "").startswith("spread: "):
            rows.append(replace(row, term=f"{row.term} ({(row.group or '').removeprefix('spread: ')})"))
    settings = {"xlabel": "Standard deviation over wordings", "sort": False}
    return forest(rows[:200], ax=ax, **{**settings, **options})
