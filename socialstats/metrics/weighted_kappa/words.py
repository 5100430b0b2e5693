"""Weighted kappa in a sentence and in a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.metrics.weighted_kappa.rows import MEAN, POOLED
from socialstats.models.raters import quoted_pair
from socialstats.results import Result, Row
from socialstats.text import count, interval, number, p_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INTERVALS = {
    "closed": "Fisher z intervals, Fleiss-Cohen-Everitt standard errors",
    "wald": "Wald intervals, Fleiss-Cohen-Everitt standard errors",
    "percentile": "percentile bootstrap intervals", "basic": "basic bootstrap intervals",
    "bca": "BCa bootstrap intervals",
}  # fmt: skip
NAMES = {"unweighted": "Cohen's kappa", "custom": "Weighted kappa (custom weights)", "ratio": "Ratio-weighted kappa"}


def sentence(result: Result) -> str:
    """Say kappa of the two raters, the mean of all pairs with their range, or (``pairs="pooled"``) the pooled one."""
    name = NAMES.get(result.settings["weights"], f"{result.settings['weights'].capitalize()}-weighted kappa")
    pooled = result.settings["pairs"] == POOLED
    first = result.rows[1] if pooled else result.rows[0]
    if first.term not in (MEAN, POOLED):
        who = f"{name} of {quoted_pair(first.term)}"
        return f"{who} {numbers(first)}, over {count(first.n or 0, 'unit')} that both rated{because(first)}."
    raters = count(result.counts["raters"], "rater")
    pairs = [r for r in result.rows if r.term not in (MEAN, POOLED) and r.group is None]
    inside = name if name.startswith("Cohen") else name[0].lower() + name[1:]
    if pooled:
        start = f"{name}, pooled over all pairs of {raters},"
        return f"{start} {numbers(first)}, over {count(first.n_units or 0, 'unit')}{because(first)}."
    text = f"The mean over all pairs of {raters} of {inside} {numbers(first)}"
    known = [r.estimate for r in pairs if r.estimate is not None]
    if known and first.estimate is not None:
        ends = [number(x, 2, bounded=True) for x in (min(known), max(known))]
        text += f", pairs from {ends[0]} to {ends[1]}"
    return f"{text}, over {count(first.n_units or 0, 'unit')}{because(first)}."


def numbers(row: Row) -> str:
    """Estimate, interval and test of a row."""
    if row.estimate is None:
        return "is undefined"
    text = f"was {number(row.estimate, 2, bounded=True)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95, bounded=True)}"
    if row.statistic is None:
        return text
    name = "z" if row.df is None else f"t({number(row.df, 0)})"
    return f"{text}, {name} = {number(row.statistic)}, {p_value(row.p_value)}"


def because(row: Row) -> str:
    """Reason of what is missing."""
    return f" ({row.undefined})" if row.undefined else ""


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the kappas with their intervals, all pairs together first."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = [r if r.group is None else replace(r, term=f"{r.term} ({r.group})") for r in result.rows]
    settings = {"xlabel": "Kappa", "sort": False}
    return forest(rows, ax=ax, **{**settings, **options})
