"""Shares of preference of groups of roles."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import SocialStatsError, UndefinedStatistic
from socialstats.figures import forest
from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.metrics.multiverse import Side, side
from socialstats.metrics.preference_shares import preference_shares, resampled
from socialstats.results import Result, Row
from socialstats.studies.comparisons import default_cluster, fit_model, row_table, sizes_text
from socialstats.studies.estimates import Column, design_effect, table_of
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.text import count, inconclusive, listing, number, shorten

MOST_REFITS = 1000
SAID: dict[Side, str] = {"above": "more", "below": "less"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """The page's fit, the same without clusters, and the plain model that the paper fits: strengths alone."""

    own: BradleyTerryResult
    loose: BradleyTerryResult | None
    plain: BradleyTerryResult | None


def share_blocks(
    fit: BradleyTerryResult, design: Comparisons, groups: Mapping[str, Mapping[str, Any]], options: StudyOptions
) -> list[Block]:
    """Return the preference shares P of each grouping."""
    if fit.fitted_state.penalised or not groups:
        return []
    fits = Fits(
        own=fit,
        loose=_attempt(design, options, f"~ {options.covariate}", cluster=None),
        plain=_attempt(design, options, None, cluster=default_cluster(design), order=False),
    )
    resamples = min(options.resamples, MOST_REFITS)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": options.seed, "level": options.level}
    try:
        drawn["refits"] = fit.bootstrap(by=resampled(fit, "auto"), resamples=resamples, seed=options.seed)
    except UndefinedStatistic:  # a pilot: strengths of hardly any resample are finite
        drawn["ci"] = "delta"
    found = []
    for name, mapping in groups.items():
        by_item = {item: str(v) for item, v in mapping.items()}
        shares = preference_shares(fit, by_item, ungrouped="leave_out", **drawn)
        found.append(share_block(shares, name, fits, options.covariate))
    return found


def _attempt(*given: Any, **choices: Any) -> BradleyTerryResult | None:
    """Fit a model beside the page's own, or go without where it has no estimate."""
    try:
        return fit_model(*given, **choices)
    except SocialStatsError:
        return None


def share_block(shares: Result, name: str, fits: Fits, covariate: str) -> Block:
    """Return the shares of one grouping, and those of the model of strengths alone."""
    groups, kind = shares.settings["groups"], name.replace("_", " ")
    equal, left = 1 / len(set(groups.values())), len(fits.own.strengths) - len(groups)
    rows = tuple(replace(r, term=f"{r.term} ({r.group})", group=None) for r in shares.rows)
    held = f"{covariate} and order" if fits.own.design.order_known else covariate
    outside = f"; {count(left, 'role')} without a group" if left else ""
    plain = delta_shares(fits.plain, groups, shares.settings["level"])
    published = "" if plain is None else "; published ones are those of a plain fit (second table)"
    tables = [row_table(shares.rows, f"Preference shares by {kind}")]
    if plain is not None:
        tables.append(row_table(plain.rows, f"The same from a plain Bradley-Terry fit, without {held}"))
    tables.append(worth_table(fits.own, groups, kind, shares.settings["level"]))
    return Block(
        id=f"shares-{name}",
        question=f"Which {kind} is preferred?",
        sentences=(shares.sentence(), *verdict_sentences(shares.rows, equal)),
        draw=partial(forest, rows, xlabel="share of preference", reference=equal, sort=False),
        figure_title=f"Preference shares by {kind}",
        caption=f"{'P_d' if name == 'domain' else 'P_g'}: mean worth (RPI) of a group over the sum of the group means; "
        f"the line is an equal share. Groups: {sizes_text(groups, 'role')}{outside}. The arithmetic mean follows "
        "a group's few strongest roles, the geometric mean treats all alike. The worths are those at equal "
        f"{held}{published}. Intervals: {shares.inference}, {refits_text(shares)}, "
        f"{count(fits.own.design.n_rows, 'comparison')}{_effect(shares, fits)}.",
        tables=tuple(tables),
        results=(shares,) if plain is None else (shares, plain),
    )


def refits_text(shares: Result) -> str:
    """Say how many refits stand behind the intervals, or why there are none."""
    if shares.settings["ci"] == "delta":
        return "as strengths of too few resamples are finite"
    return f"{count(shares.fit['resamples'])} refits"


def worth_table(fit: BradleyTerryResult, groups: Mapping[str, str], kind: str, level: float) -> Table:
    """Return the worth of every role by its group, largest first."""
    worths = [row for row in fit.worth(level=level).rows if row.term in groups]
    rows = sorted(worths, key=lambda row: (groups[row.term], -(row.estimate or 0)))
    caption = f"Worth (RPI) of the roles by {kind}; the worths of all roles sum to one"
    columns: dict[str, Column] = {"Role": "term", "Worth (RPI)": "estimate", "Low": "conf_low", "High": "conf_high"}
    return table_of(rows, caption, (kind.capitalize(), lambda row: groups[row.term]), columns, 4)


def delta_shares(fit: BradleyTerryResult | None, groups: Mapping[str, str], level: float) -> Result | None:
    """Return the shares of a fit with delta-method intervals, None without a fit."""
    if fit is None:
        return None
    return preference_shares(fit, groups, ci="delta", ungrouped="leave_out", level=level)


def verdict_sentences(rows: Sequence[Row], equal: float) -> tuple[str, ...]:
    """Say which groups differ from an equal share by the arithmetic mean, and for which that is open.

    Examples
    --------
    >>> rows = [Row(term=name, group="arithmetic", estimate=p, conf_low=p - 0.1, conf_high=p + 0.1)
    ...         for name, p in (("a", 0.5), ("b", 0.3), ("c", 0.2))]
    >>> for text in verdict_sentences(rows, 1 / 3):
    ...     print(text)
    By the arithmetic mean and each interval by itself, a has more and c has less than an equal share (.333); it is
    inconclusive whether b has more or less than that.
    """
    named: dict[Side, list[str]] = {}
    for row in rows:
        if row.group == "arithmetic":
            named.setdefault(side(row, equal), []).append(shorten(row.term))
    fair = f"an equal share ({number(equal, 3, bounded=True)})"
    parts = [f"{listing(named[where])} {'have' if len(named[where]) > 1 else 'has'} {said}"
             for where, said in SAID.items() if where in named]  # fmt: skip
    left = [*named.get("holds", ()), *named.get("unknown", ())]
    found = [f"{' and '.join(parts)} than {fair}"] if parts else []
    if left:
        has, than = "have" if len(left) > 1 else "has", "that" if parts else fair
        found.append(inconclusive(f"{listing(left)} {has} more or less than {than}"))
    return (f"By the arithmetic mean and each interval by itself, {'; '.join(found)}.",) if found else ()


def _effect(shares: Result, fits: Fits) -> str:
    """Return the design effect of the clusters on the shares (median over the groups), in words."""
    loose = delta_shares(fits.loose, shares.settings["groups"], shares.settings["level"])
    if loose is None or fits.own.fitted_state.robust is None:
        return ""
    found = [design_effect(row, other) for row, other in zip(shares.rows, loose.rows, strict=True)]
    known = [effect for effect in found if effect is not None]
    return f"; design effect of the clusters {number(statistics.median(known), 1)}" if known else ""
