"""What each level (model, prompt) says by itself, with intervals: effects, strengths, worths, shares of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats.errors import SocialStatsError
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.preference_shares import preference_shares
from socialstats.results import Result, Row
from socialstats.studies.comparisons import sizes_text
from socialstats.studies.estimates import numbers_text
from socialstats.studies.outcome import Block, Table
from socialstats.text import number, shorten

Fits = Mapping[str, BradleyTerryResult]


def effects_table(
    fits: Fits, terms: Sequence[str], ratios: Mapping[str, Result | None], rates: Mapping[str, Result | None], by: str
) -> Table:
    """Return the effects of every level, the leading one in sds of the strengths, and how often the higher side won."""
    cells: list[tuple[str | float | None, ...]] = []
    for name, fit in fits.items():
        rows = [row for row in fit.rows if row.term in terms and row.group in ("covariate", "order")]
        ratio, rate = ratios[name], rates[name]
        rows += [] if ratio is None else list(ratio.rows[:1])
        if rate is not None:
            covariate = rate.settings["covariate"]
            rows.append(replace(rate.row("all", group="higher"), term=f"the side with more {covariate} wins"))
        cells += [(name, row.term, row.estimate, row.std_error, row.conf_low, row.conf_high) for row in rows]
    return Table(
        caption=f"Effects in log-odds by {by}, in sds of the strengths, and win rates", cells=tuple(cells),
        header=(by, "Effect", "Estimate", "SE", "Low", "High"),
    )  # fmt: skip


def strength_tables(fits: Fits, items: Sequence[str], noun: str = "Item") -> list[Table]:
    """Return log-strengths and worths of the items with a column a level, each number with its interval."""
    worths = {name: {row.term: row for row in fit.worth().rows} for name, fit in fits.items()}
    strengths = {name: {row.term: row for row in fit.rows if row.group == "strength"} for name, fit in fits.items()}
    return [
        _by_item(strengths, items, "Log-strengths (0 = average item), with intervals", noun, 2),
        _by_item(worths, items, "RPI: worths that sum to 1 (tested as log-strengths), with intervals", noun, 4),
    ]


def _by_item(
    found: Mapping[str, Mapping[str, Row]], items: Sequence[str], caption: str, noun: str, digits: int
) -> Table:
    cells = tuple((item, *(_inside(rows.get(item), digits) for rows in found.values())) for item in items)
    return Table(caption=caption, header=(noun, *found), cells=cells)


def _inside(row: Row | None, digits: int, *, bounded: bool = False) -> str | None:
    """Return ``2.21 [1.88, 2.55]``, without brackets where there is no interval."""
    if row is None or row.estimate is None:
        return None
    low, high = (number(end, digits, bounded=bounded) for end in (row.conf_low, row.conf_high))
    text = number(row.estimate, digits, bounded=bounded)
    return text if row.conf_low is None else f"{text} [{low}, {high}]"


def level_shares(fits: Fits, groups: Mapping[str, object], level: float) -> dict[str, Result]:
    """Return each level's shares of the groups with delta-method intervals; a level without them is left out."""
    found = {}
    by_item = {item: str(group) for item, group in groups.items()}
    for name, fit in fits.items():
        known = {item: group for item, group in by_item.items() if item in fit.strengths}
        try:
            found[name] = preference_shares(fit, known, ci="delta", ungrouped="leave_out", level=level)
        except SocialStatsError:
            continue
    return found


def share_levels_block(
    fits: Fits, groupings: Mapping[str, Mapping[str, object]], by: str, level: float
) -> Block | None:
    """Return the shares of groups of items by level (P_d, P_g); its results are those of the first grouping."""
    by_name = {name: level_shares(fits, groups, level) for name, groups in groupings.items()}
    by_name = {name: found for name, found in by_name.items() if found}
    if not by_name:
        return None
    name, found = next(iter(by_name.items()))
    results = tuple(replace(result, title=f"{shorten(label, 40)}: shares by {name}") for label, result in found.items())
    return Block(
        id="levels-shares",
        question="Which groups does each prefer?",
        sentences=tuple(_lead(label, result) for label, result in found.items()),
        tables=tuple(_shares_table(name, found, by) for name, found in by_name.items()),
        caption=f"Mean worth of a group over the sum of the group means, each {by} by its own model. Intervals: "
        f"{results[0].inference}, {next(iter(fits.values())).inference}. {name}: {sizes_text(groupings[name])}.",
        results=results,
    )  # fmt: skip


def _lead(label: str, result: Result) -> str:
    """Say which group a level prefers most and least."""
    rows = [row for row in result.rows if row.group == "arithmetic" and row.estimate is not None]
    ends = [pick(rows, key=lambda row: row.estimate or 0.0) for pick in (max, min)]
    most, least = (f"{shorten(row.term, 30)} ({numbers_text(row, digits=3, bounded=True)})" for row in ends)
    return f"{shorten(label, 40)}: most {most}, least {least}, by the arithmetic mean."


def _shares_table(name: str, found: Mapping[str, Result], by: str) -> Table:
    """Return the shares of one grouping with a column a level."""
    keys = list(dict.fromkeys((row.term, row.group) for result in found.values() for row in result.rows))
    rows = {label: {(row.term, row.group): row for row in result.rows} for label, result in found.items()}
    kind = name.replace("_", " ")
    return Table(
        caption=f"Preference shares by {kind} and {by}, with intervals",
        header=(kind.capitalize(), "Mean", *found),
        cells=tuple((term, group, *(_inside(part.get((term, group)), 3, bounded=True) for part in rows.values()))
                    for term, group in keys),
    )  # fmt: skip
