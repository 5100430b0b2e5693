"""The sentence and the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from socialstats.metrics.relationship_bias.overall import CORRECTED, NULL, OVERALL, PLAIN
from socialstats.metrics.relationship_bias.rows import BIAS, MCNEMAR, POSITION
from socialstats.results import Result, Row
from socialstats.text import count, interval, listing, number, p_value, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SAID = 6


def sentence(result: Result) -> str:
    """Say the biases with the clustered test, B_all with what chance gives, and McNemar's test as what it is."""
    n = result.counts
    size = f"{count(n['scenarios'], 'scenario')} and {count(n['pairs of names'], 'pair')} of names"
    biases = [one_bias(row) for row in result.rows if row.group == BIAS]
    start = (
        f"Over {size} ({count(n['answers'], 'answer')}), the bias B, positive where the group named first is favoured"
    )
    parts = [f"{start}, was {'; '.join(biases[:MOST_SAID])}"]
    if len(biases) > MOST_SAID:
        parts.append(f"{count(len(biases) - MOST_SAID, 'more pair')} of groups in the table")
    parts.append(overall(result))
    plain = [row for row in result.rows if row.group == MCNEMAR and row.statistic is not None]
    if plain:
        shown = listing([f"{shorten(r.term)} {p_value(r.p_value)}" for r in plain], MOST_SAID)
        parts.append(f"McNemar's test, which takes {count(n['complete couples'], 'couple')} as independent: {shown}")
    return "; ".join(parts) + "."


def one_bias(row: Row) -> str:
    """Say one B."""
    name = shorten(row.term)
    if row.estimate is None:
        return f"{name} undefined ({row.undefined})"
    value = f"{name} {number(row.estimate)}"
    if row.conf_low is None:
        return f"{value} without an interval ({row.undefined})"
    ends = interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)
    test = (
        f", t({number(row.df, 0 if (row.df or 0) % 1 == 0 else 1)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    )
    return f"{value}, {ends}{test if row.statistic is not None else ''}"


def overall(result: Result) -> str:
    """Say B_all."""
    plain, better = (result.row(term, group=OVERALL) for term in (PLAIN, CORRECTED))
    if plain.estimate is None:
        return f"B_all undefined ({plain.undefined})"
    text = f"B_all was {number(plain.estimate)}"
    null = result.row(PLAIN, group=NULL)
    if null.estimate is not None:
        text += f" ({number(null.estimate)} on average without any bias, {p_value(null.p_value)})"
    if better.estimate is None:
        return f"{text}, without a correction ({better.undefined})"
    text += f", corrected {number(better.estimate)}"
    if better.conf_low is None:
        return f"{text}, without an interval ({better.undefined})"
    return f"{text}, {interval(better.conf_low, better.conf_high, level=better.conf_level or 0.95)}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the biases, and below them the effects of the position, with their intervals."""
    from dataclasses import replace

    from socialstats.figures import forest

    rows = [row for row in result.rows if row.group == BIAS]
    rows += [replace(row, term=f"place: {row.term}") for row in result.rows if row.group == POSITION]
    settings = {"xlabel": "B (first group favoured > 0); place: S of one group", "sort": False}
    return forest(rows, ax=ax, **{**settings, **options})
