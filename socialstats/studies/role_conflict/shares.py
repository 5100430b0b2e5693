"""Shares of preference of groups of roles."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.preference_shares import preference_shares
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import matched_rows
from socialstats.studies.comparisons import fit_model
from socialstats.studies.estimates import Column, design_effect, df_text, ends, p_text, table_of
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.text import (
    capital,
    count,
    listing,
    number,
    percent_of,
    shorten,
    significance_level_text,
)

FAMILY = "shares of groups"
FEW_ROLES = 4  # a group of so few roles is no sample of roles


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The shares of one grouping, and the tests of its arithmetic shares against an equal share.

    Attributes
    ----------
    name : str
        In words.
    shares : Result
    plain : Result or None
        Of the model of strengths alone.
    tested : tuple of Row
        Arithmetic shares with Holm-adjusted p over all groupings of the page.
    """

    name: str
    shares: Result
    plain: Result | None
    tested: tuple[Row, ...] = ()

    @property
    def groups(self) -> Mapping[str, str]:
        """Group of each role."""
        found: Mapping[str, str] = self.shares.settings["groups"]
        return found

    @property
    def equal(self) -> float:
        """The share of each group if all had the same."""
        return 1 / len(set(self.groups.values()))


def share_blocks(
    fit: BradleyTerryResult,
    design: Comparisons,
    groups: Mapping[str, Mapping[str, Any]],
    options: StudyOptions,
) -> list[Block]:
    """Return the preference shares of all groupings: one block, and its tables in the appendix."""
    if fit.fitted_state.penalised or not groups:
        return []
    loose = _attempt(design, options, options.formula, cluster=None)
    plain = _attempt(design, options, None, order=False)
    found = []
    for name, mapping in groups.items():
        by_item, kind = {item: str(v) for item, v in mapping.items()}, name.replace("_", " ")
        shares = preference_shares(fit, by_item, ungrouped="leave_out", level=options.level)
        alone = delta_shares(plain, shares.settings["groups"], options.level)
        title = f"Preference shares by {kind}"
        found.append(
            Grouping(
                name=kind,
                shares=replace(shares, title=title),
                plain=None if alone is None else replace(alone, title=f"{title}, plain fit"),
            )
        )
    found, adjusted = with_tests(found)
    effect = median_effect(found, fit, loose)
    return [share_block(found, adjusted, fit, options, effect), tables_block(found, fit, options)]


def _attempt(*given: Any, **choices: Any) -> BradleyTerryResult | None:
    """Fit a model beside the page's own, or go without where it has no estimate."""
    try:
        return fit_model(*given, **choices)
    except SocialStatsError:
        return None


def delta_shares(
    fit: BradleyTerryResult | None, groups: Mapping[str, str], level: float
) -> Result | None:
    """Return the shares of a fit with delta-method intervals, None without a fit."""
    if fit is None:
        return None
    return preference_shares(fit, groups, ci="delta", ungrouped="leave_out", level=level)


def with_tests(groupings: Sequence[Grouping]) -> tuple[list[Grouping], Result | None]:
    """Adjust the tests of an equal share over all groups; two groups of one grouping are one test."""
    own = [
        [
            replace(row, term=f"{one.name}: {row.term}", group=None)
            for row in sorted(one.shares.rows, key=lambda row: -(row.estimate or 0.0))
            if row.group == "arithmetic"
        ]
        for one in groupings
    ]
    family = [row for rows in own for row in (rows[:1] if len(rows) == 2 else rows)]
    done, adjusted = adjust_family_by_holm(family, FAMILY)
    by_term = {row.term: row for row in done}
    made = []
    for one, rows in zip(groupings, own, strict=True):
        firsts = [by_term.get(row.term, by_term[rows[0].term]) for row in rows]
        tested = tuple(
            replace(row, p_adjusted=first.p_adjusted, family=first.family)
            for row, first in zip(rows, firsts, strict=True)
        )
        made.append(replace(one, tested=tested))
    return made, adjusted


def share_block(
    groupings: Sequence[Grouping],
    adjusted: Result | None,
    fit: BradleyTerryResult,
    options: StudyOptions,
    effect: str,
) -> Block:
    """Return the shares of all groupings in one figure and one table."""
    rows = tuple(row for one in groupings for row in one.tested)
    return Block(
        id="shares",
        question="Which groups of roles were preferred?",
        sentences=verdict_sentences(groupings, len(fit.strengths), options),
        draw=partial(forest, rows, xlabel="preference share", reference=None, sort=False),
        figure_title="Preference shares of groups of roles",
        caption="Points: arithmetic mean worth (RPI) of a group over the sum of the group means of its grouping; "
        f"unadjusted {percent_of(options.level)} CIs ({groupings[0].shares.inference}); "
        f"n = {count(fit.design.n_rows)} comparisons{effect}.",
        tables=(share_table(groupings),),
        results=(*(one.shares for one in groupings), *([] if adjusted is None else [adjusted])),
    )


def verdict_sentences(
    groupings: Sequence[Grouping], roles: int, options: StudyOptions
) -> tuple[str, ...]:
    """Return which groups differed significantly from an equal share, conditional on the roles, and which did not."""
    held = f"At equal {options.covariate} and among these {count(roles)} roles"
    alpha = significance_level_text(options.level)
    tests = sum(1 if len(one.tested) == 2 else len(one.tested) for one in groupings)
    how = f"p_Holm < {alpha}, m = {count(tests)}" if tests > 1 else f"p < {alpha}"
    more, less, lost = (named(groupings, side) for side in ("more", "less", "undefined"))
    open_ = sum(side_of(row, one.equal) == "open" for one in groupings for row in one.tested)
    said = []
    if more:
        said.append(f"{held}, more than an equal share was held by {more} ({how}).")
    if less:
        said.append(f"Less than an equal share was held by {less}.")
    if not more and not less:
        none = sentences.no_significance_sentence(tests, "differences from an equal share")
        said.append(f"{held}, {none[:1].lower()}{none[1:]}")
    elif open_:
        said.append(f"{count(open_, 'other group')} did not differ significantly from it.")
    if lost:
        said.append(f"Tests are undefined for {lost}.")
    said += across(groupings)
    for one in groupings:
        first, other = (_largest(one.shares.rows, scale) for scale in ("arithmetic", "geometric"))
        if first.term != other.term:
            said.append(
                f"The leading {one.name} depended on the mean: {shorten(other.term, 30)} ranked first by the geometric "
                f"mean ({number(other.shown())})."
            )
    few = [
        row.n_units
        for one in groupings
        for row in one.tested
        if row.n_units and row.n_units <= FEW_ROLES
    ]
    if few:
        held = f"{min(few)} to {max(few)} roles" if min(few) < max(few) else count(few[0], "role")
        said.append(
            f"Shares of the {count(len(few), 'group')} with {held} describe these roles, not the group."
        )
    return tuple(said)


def across(groupings: Sequence[Grouping]) -> list[str]:
    """Return the groups whose geometric share lies on the other side of an equal share than their tested share."""
    found = []
    for one in groupings:
        geometric = {row.term: row.estimate for row in one.shares.rows if row.group == "geometric"}
        for row in one.tested:
            group = row.label("group") or row.term
            share, side = geometric[group], side_of(row, one.equal)
            if (
                share is not None
                and side in ("more", "less")
                and (share > one.equal) != (side == "more")
            ):
                found.append(f"{shorten(group, 30)} ({one.name}, {number(share, 3, bounded=True)})")
    if not found:
        return []
    where = "on the other side of an equal share"
    return [
        f"Of the groups that differed significantly, the geometric mean put {listing(found)} {where}."
    ]


def _largest(rows: Sequence[Row], scale: str) -> Row:
    return max((row for row in rows if row.group == scale), key=lambda row: row.estimate or 0.0)


def named(groupings: Sequence[Grouping], side: str) -> str:
    """Return the groups on one side of an equal share (more, less, undefined), by grouping."""
    found = []
    for one in groupings:
        names = [
            shorten(row.label("group") or row.term, 30)
            for row in one.tested
            if side_of(row, one.equal) == side
        ]
        if names:
            found.append(f"{listing(names)} ({one.name})")
    return "; ".join(found)


def side_of(row: Row, equal: float) -> str:
    """Return where a share lies by its test: ``more``, ``less``, ``open`` or ``undefined``."""
    if row.estimate is None or row.p_value is None:
        return "undefined"
    if not sentences.is_significant(row):
        return "open"
    return "more" if row.estimate > equal else "less"


def share_table(groupings: Sequence[Grouping]) -> PageTable:
    """Return one line per group: its arithmetic share with interval and test, and its geometric share."""
    cells = []
    for one in groupings:
        geometric = {row.term: row for row in one.shares.rows if row.group == "geometric"}
        for row in one.tested:
            group = row.label("group") or row.term
            cells.append(
                (
                    one.name,
                    group,
                    row.n_units,
                    *(_short(x) for x in (one.equal, *ends(row))),
                    number(row.statistic),
                    df_text(row.df),
                    p_text(row.p_value),
                    p_text(row.p_adjusted),
                    _short(geometric[group].estimate),
                )
            )
    header = (
        "Grouping",
        "Group",
        "Roles",
        "Equal share",
        "Share",
        "Low",
        "High",
        "t",
        "df",
        "p",
        "p (Holm)",
        "Geometric share",
    )
    return PageTable(
        "Preference shares of groups of roles, tested against an equal share",
        header,
        tuple(cells),
        rows=tuple(row for one in groupings for row in one.tested),
    )


def _short(value: float | None) -> str:
    return number(value, 3, bounded=True)


def tables_block(
    groupings: Sequence[Grouping], fit: BradleyTerryResult, options: StudyOptions
) -> Block:
    """Return the shares by both means, those of a plain fit, and the worth of every role with its groups."""
    held = f"{options.covariate} and order" if fit.design.order_known else options.covariate
    own = [(one.name, row) for one in groupings for row in one.shares.rows]
    plain = [
        (one.name, row) for one in groupings if one.plain is not None for row in one.plain.rows
    ]
    tables = [_rows_of(own, "Preference shares by both means")]
    if plain:
        tables.append(_rows_of(plain, f"Preference shares by a plain fit, without {held}"))
    return Block(
        id="shares-more",
        question="What were the shares by other means and models?",
        sentences=(
            "The arithmetic mean depends most on a group's strongest roles; the geometric mean weights roles equally.",
            f"The model of this page holds {held} equal; published shares are usually those of a plain fit.",
        ),
        tables=(*tables, worth_table(groupings, fit, options.level)),
        results=tuple(one.plain for one in groupings if one.plain is not None),
        part="appendix",
    )


def _rows_of(named_rows: Sequence[tuple[str, Row]], caption: str) -> PageTable:
    columns: dict[str, Column] = {
        "Group": lambda r: r.label("group") or r.term,
        "Mean": "group",
        "Share": "estimate",
        "SE": "std_error",
        "Low": "conf_low",
        "High": "conf_high",
        "Why no interval": "undefined",
    }
    return table_of(
        [row for _, row in named_rows],
        caption,
        ("Grouping", [name for name, _ in named_rows]),
        columns,
    )


def worth_table(groupings: Sequence[Grouping], fit: BradleyTerryResult, level: float) -> PageTable:
    """Return the worth of every role with its groups, largest first."""
    rows = sorted(fit.worth(level=level).rows, key=lambda row: -(row.estimate or 0))
    columns: dict[str, Column] = {"Worth (RPI)": "estimate", "Low": "conf_low", "High": "conf_high"}
    for one in groupings:
        columns[capital(one.name)] = partial(_group_of, one.groups)
    return table_of(
        rows, "Worth (RPI) of the roles (sum 1) and their groups", ("Role", "term"), columns
    )


def _group_of(groups: Mapping[str, str], row: Row) -> str | None:
    return groups.get(row.term)


def median_effect(
    groupings: Sequence[Grouping], fit: BradleyTerryResult, loose: BradleyTerryResult | None
) -> str:
    """Return the median design effect of the clusters on the shares, for a caption."""
    if loose is None or fit.fitted_state.robust is None:
        return ""
    known = []
    for one in groupings:
        independent = delta_shares(loose, one.groups, one.shares.settings["level"])
        pairs = matched_rows(one.shares.rows, independent.rows if independent else ())
        known += [
            effect for row, other in pairs if (effect := design_effect(row, other)) is not None
        ]
    return f"; median design effect {number(statistics.median(known), 1)}" if known else ""


def share_methods(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return the methods paragraph of the shares; none where there are none."""
    if not blocks:
        return ()
    return (
        "The preference share of a group is the mean worth of its roles over the sum of the group means. Arithmetic "
        "shares were tested against an equal share by t tests on the logit scale (delta method). p values were "
        "Holm-adjusted over all groups of the page; of two groups one was tested.",
    )
