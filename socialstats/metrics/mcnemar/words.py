"""The sentence and the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.metrics.mcnemar.options import TEST_NAMES
from socialstats.metrics.mcnemar.rows import IGNORING
from socialstats.results import Result, Row
from socialstats.text import count, interval, listing, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE = 1e-6  # degrees of freedom nearer than this to a whole number are printed as one


def sentence(result: Result) -> str:
    """Say the difference with its interval and leading test, the odds ratio, and what ignores the clusters."""
    design, cells, level = result.design, result.extras["cells"], result.settings["level"]
    first, second = (shorten(c) for c in design.conditions)
    row, odds = result.rows[0], result.rows[1]
    had = (
        f"Of {said_of_sizes(result)}, {count(cells['b'])} had '{shorten(design.levels[1])}' under {first} only and "
        f"{count(cells['c'])} under {second} only: the proportions differed by "
        f"{number(row.estimate, 3, bounded=True)} ({first} minus {second})"
    )
    ends = f", {interval(row.conf_low, row.conf_high, 3, level=level, bounded=True)} ({interval_name(row)})"
    size = f"; matched odds ratio {number(odds.estimate)}"
    size += f", {interval(odds.conf_low, odds.conf_high, level=level)}" if odds.conf_low is not None else ""
    if odds.estimate is None:
        size = "; the matched odds ratio is " + ("infinite" if cells["b"] else "undefined")
    tail = ignoring_text(result) if said_of_clusters(result) else ""
    return f"{had}{ends if row.conf_low is not None else ', without an interval'}, {said_test(result)}{size}{tail}."


def said_of_clusters(result: Result) -> bool:
    """Tell whether clusters lead."""
    return any(r.group == IGNORING for r in result.rows)


def said_of_sizes(result: Result) -> str:
    """Count the pairs, and the clusters they are in."""
    clusters = [cluster_count(n, what) for what, n in result.counts.items() if "of '" in what]
    return count(result.counts["pairs"], "pair") + (f" in {listing(clusters)}" if clusters else "")


def cluster_count(n: int, what: str) -> str:
    """Count clusters: ``1 cluster of 'story'``."""
    return count(n, what.replace("clusters", "cluster", 1), what)


def interval_name(row: Row) -> str:
    """Name the interval, from the row's method."""
    return (row.method or "").split(";")[0]


def said_test(result: Result) -> str:
    """Say the leading test with its statistic, df and p."""
    name = result.extras["lead"]
    row = result.row(name, group="test")
    if row.undefined:
        return f"{TEST_NAMES[name]} undefined ({row.undefined})"
    value = number(row.statistic)
    if name in ("robust_t", "score", "cluster_means_t") and row.df is not None:
        df = number(row.df, 0 if abs(row.df - round(row.df)) < WHOLE else 1)
        return f"{TEST_NAMES[name]} t({df}) = {value}, {p_value(row.p_value)}"
    if row.df is not None:
        return f"{TEST_NAMES[name]} chi-square({number(row.df, 0)}) = {value}, {p_value(row.p_value)}"
    return f"{TEST_NAMES[name]} {p_value(row.p_value)}"


def ignoring_text(result: Result) -> str:
    """Say what the mid-p test gives when the clusters are ignored."""
    row = result.row("mid_p", group=IGNORING)
    return f"; ignoring the clusters, {TEST_NAMES['mid_p']} would give {p_value(row.p_value)}"


def plot(result: Result, ax: Axes | None = None, *, kind: str = "difference", **options: Any) -> Axes:
    """Draw the difference with its interval (``kind="difference"``), or the four cells (``kind="cells"``)."""
    from socialstats.figures import forest, two_by_two

    if kind == "cells":
        design = result.design
        return two_by_two(
            **result.extras["cells"], conditions=design.conditions, levels=design.levels, ax=ax, **options
        )
    if kind != "difference":
        raise InputError(f"kind={kind!r} is not one of difference, cells")
    import dataclasses

    shown = [r for r in result.rows if r.term == "difference"]
    names = ["difference"] if len(shown) == 1 else ["with clusters", IGNORING]
    shown = [dataclasses.replace(r, term=name) for r, name in zip(shown, names, strict=True)]
    first, second = (shorten(c, 20) for c in result.design.conditions)
    settings = {"xlabel": f"Difference of proportions ({first} minus {second})", "sort": False, "digits": 3}
    return forest(shown, ax=ax, **{**settings, **options})
