"""A trait profile in a sentence and in a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.metrics.trait_profile.rows import ALL
from socialstats.results import Result, Row
from socialstats.text import count, interval, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sentence(result: Result) -> str:
    """Say the highest and lowest composite, and the largest change from the baseline."""
    counts = result.counts
    place = [count(counts[what], what[:-1]) for what in ("scenarios", "stages", "judges")]
    unit = result.settings["unit_of_analysis"]
    start = f"Over {listing(place)}, "
    ends = [number(x, 0 if x == round(x) else 2) for x in result.extras["range"]]
    scale = "the composite" if result.settings["free_weights"] else f"the composite ({ends[0]} to {ends[1]})"
    return f"{start}{levels_text(result, scale, unit)}{change_text(result)}."


def levels_text(result: Result, scale: str, unit: str) -> str:
    """Name the composite: of all models where they are the units of analysis, else the highest and the lowest."""
    if unit == "model":
        row = result.row("composite", group=f"composite {ALL}")
        return f"{scale} of {count(result.counts['models'], 'model')} (the units of analysis) {numbers(row)}"
    known = [r for r in result.rows if r.group == "composite"]
    there = sorted((r for r in known if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    if not there:
        return f"{scale} is undefined ({known[0].undefined})"
    if len(known) == 1:
        return f"{scale} of '{shorten(known[0].term)}' {numbers(known[0])}"
    high, low = there[0], there[-1]
    if number(high.estimate or 0.0) == number(low.estimate or 0.0):
        return f"{scale} of all {count(len(known), 'model')} {numbers(high)}"
    return (
        f"{scale} of {count(len(known), 'model')} was highest for '{shorten(high.term)}' ({numbers(high, '')}) and "
        f"lowest for '{shorten(low.term)}' ({numbers(low, '')})"
    )


def change_text(result: Result) -> str:
    """Say the largest change of all models (of the only model) from the baseline."""
    joint = [r for r in result.rows if r.group == f"composite change by stage {ALL}" and r.estimate is not None]
    own = [r for r in result.rows if (r.group or "").startswith("composite change: ") and r.estimate is not None]
    if not joint and result.counts["models"] > 1:
        return ""
    found = joint or own
    if not found:
        return ""
    row = max(found, key=lambda r: abs(r.estimate or 0.0))
    what = row.term if joint else (row.group or "").removeprefix("composite change: ")
    size = next((r for r in result.rows if r.estimate is not None and r.term == row.term and r.group == (
        f"composite d_z by stage {ALL}" if joint else f"composite d_z: {what}")), None)  # fmt: skip
    models = "of all models " if joint and result.counts["models"] > 1 else ""
    text = f"; the largest change {models}was {shorten(what)}: {numbers(row, '', adjusted=True)}"
    return text + (f", d_z = {number(size.estimate)}" if size is not None else "")


def numbers(row: Row, verb: str = "was ", *, adjusted: bool = False) -> str:
    """Estimate, interval and test of a row, or why there is none."""
    if row.estimate is None:
        return f"is undefined ({row.undefined})"
    text = f"{verb}{number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, 2, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.df is not None:
        p = row.p_adjusted if adjusted else row.p_value
        name = "Holm-adjusted p" if adjusted else "p"
        text += f", t({number(row.df, 0 if row.df == round(row.df) else 2)}) = {number(row.statistic)}, "
        text += p_value(p, name=name)
    return text + (f" ({row.undefined})" if row.undefined else "")


def plot(result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any) -> Axes:
    """Draw one group of rows with their intervals: by default the composites of the models, or of the stages."""
    from socialstats.figures import forest

    groups = list(dict.fromkeys(r.group for r in result.rows if r.group is not None))
    default = "composite" if "composite" in groups else f"composite by stage {ALL}"
    chosen = group or (default if default in groups else groups[0])
    if chosen not in groups:
        raise InputError(f"no group '{shorten(chosen)}'; groups: {quoted(groups, 12)}")
    rows = [r for r in result.rows if r.group == chosen]
    settings = {"xlabel": shorten(chosen), "sort": False}
    return forest(rows[:200], ax=ax, **{**settings, **options})
