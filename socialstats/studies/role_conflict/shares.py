"""Which groups of roles are preferred? Shares of worth of the groups, tested against an equal share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.preference_shares import preference_shares
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.asking import (
    add_labels,
    ask_rows,
    interval_points,
    pick_rows,
    rows_by,
    tally_sentence,
)
from socialstats.studies.grids import TableLayout, cells_caption, layout_table
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.studies.role_conflict.declaration import ITEM
from socialstats.text import (
    as_words,
    capital,
    count,
    listing,
    number,
    shorten,
)

FAMILY = "shares of groups"
FEW_ITEMS = 4  # a group of so few items is no sample of items

Side = Literal["more", "less", "open", "undefined"]
Groupings = Mapping[str, Mapping[str, Any]]


def shares_by_grouping(
    fit: BradleyTerryResult, groupings: Groupings, level: float, model: str = ""
) -> dict[str, Result]:
    """Return the shares of each grouping by a fit, by their titles; rows have the grouping in their keys."""
    results = {}
    for name, groups in groupings.items():
        words = as_words(name)
        title = f"Preference shares by {words}{model}"
        by_item = {item: str(group) for item, group in groups.items()}
        shares = preference_shares(fit, by_item, ungrouped="leave_out", level=level)
        rows = tuple(add_labels(shares.rows, grouping=words))
        results[title] = replace(shares, title=title, rows=rows)
    return results


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedShares:
    """Arithmetic shares of groups with their tests against an equal share.

    Attributes
    ----------
    rows : tuple of Row
        By grouping, the largest first. p is adjusted by Holm over all groups; of two groups one is a test.
    adjusted : Result or None
        What holds the adjusted p; None where there is one test.
    tests : tuple of Row
        The tests of the family.
    """

    rows: tuple[Row, ...]
    adjusted: Result | None
    tests: tuple[Row, ...]


def shares_with_tests(results: Mapping[str, Result]) -> TestedShares:
    """Adjust the tests of an equal share over all groups of the page."""
    groups = [
        sorted(
            pick_rows(result.rows, scale="arithmetic"),
            key=lambda row: row.estimate or 0.0,
            reverse=True,
        )
        for result in results.values()
    ]
    named = [
        [replace(row, term=f"{row.label('grouping')}: {row.term}", group=None) for row in rows]
        for rows in groups
    ]
    # shares of two groups sum to 1, so both have the same test
    tests = [row for rows in named for row in (rows[:1] if len(rows) == 2 else rows)]
    adjusted_rows, adjusted = adjust_family_by_holm(tests, FAMILY)
    by_term = {row.term: row for row in adjusted_rows}
    rows = []
    for group in named:
        for row in group:
            test = by_term.get(row.term, by_term[group[0].term])
            rows.append(replace(row, p_adjusted=test.p_adjusted, family=test.family))
    return TestedShares(rows=tuple(rows), adjusted=adjusted, tests=adjusted_rows)


def side_of(row: Row, equal: float) -> Side:
    """Return where a share lies by its test."""
    if row.estimate is None or row.p_value is None:
        return "undefined"
    if not sentences.is_significant(row):
        return "open"
    return "more" if row.estimate > equal else "less"


def share_questions(
    fit: BradleyTerryResult,
    results: Mapping[str, Result],
    plain: Mapping[str, Result],
    worths: Mapping[str, Result],
    options: StudyOptions,
) -> Iterator[Block | None]:
    """Yield the shares of all groupings, then other means and models and the worth of every item.

    Parameters
    ----------
    fit : BradleyTerryResult
    results, plain : mapping of title to Result
        Shares by the fit, and by a fit of strengths alone.
    worths : mapping of fit to Result
        Worth of every item by the plain fit, and by that of the page.
    options : StudyOptions
    """
    if not results:
        if worths:
            fitted, *further = worths.values()
            yield ask_rows(
                "worth",
                f"How much worth (RPI) does each {ITEM} have?",
                fitted,
                fitted.rows,
                quantity=f"worth (RPI) of each {ITEM}",
                say=[f"A plain fit and the model of this page differ: {worth_words(worths)}."],
                table=worth_table(worths, results),
                results=further,
                part="appendix",
            )
        return
    tested = shares_with_tests(results)
    first, *more = results.values()
    adjusted = [] if tested.adjusted is None else [tested.adjusted]
    equal = {name: 1 / len(rows) for name, rows in rows_by(tested.rows, "grouping").items()}
    shares = [f"{number(share, 3, bounded=True)} by {name}" for name, share in equal.items()]
    every = [row for result in results.values() for row in result.rows]
    condition = f"At equal {options.covariate} and among these {count(len(fit.strengths), ITEM)}"
    yield ask_rows(
        "shares",
        f"Which groups of {ITEM}s were preferred?",
        first,
        tested.rows,
        quantity=f"preference shares of groups of {ITEM}s, tested against an equal share",
        names=[f"{row.term} ({count(row.n_units or 0, ITEM)})" for row in tested.rows],
        say=share_sentences(tested, every, equal, condition),
        draw=interval_points(None),
        results=[*more, *adjusted],
        note=f"A share is the mean worth (RPI) of a group over the sum of these means. Equal shares: "
        f"{listing(shares, most=12)}.",
    )
    terms = " and ".join([options.covariate, *(["order"] if fit.design.order_known else [])])
    by_plain = [row for result in plain.values() for row in result.rows]
    yield ask_rows(
        "shares-more",
        "What were the shares by other means and models?",
        first,
        every,
        quantity="preference shares by both means",
        say=[
            f"The arithmetic mean depends most on a group's strongest {ITEM}s; the geometric mean weights "
            f"{ITEM}s equally.",
            f"The model of this page holds {terms} equal; published shares are usually those of a plain fit.",
            f"The worths (RPI) of a plain fit and of this model are different numbers: {worth_words(worths)}.",
        ],
        tables={f"Preference shares by a plain fit, without {terms}": by_plain},
        more=[worth_table(worths, results)],
        results=[*more, *plain.values(), *worths.values()],
        part="appendix",
    )


def share_sentences(
    tested: TestedShares, every: Sequence[Row], equal: Mapping[str, float], condition: str
) -> list[str]:
    """Return which groups differed significantly from an equal share, and what this depends on.

    Parameters
    ----------
    tested : TestedShares
    every : sequence of Row
        Shares by both means.
    equal : mapping of grouping to float
        The share of each group if all had the same.
    condition : str
        What the shares are conditional on.
    """
    sides: dict[Side, list[Row]] = {"more": [], "less": [], "open": [], "undefined": []}
    for row in tested.rows:
        sides[side_of(row, equal[row.label("grouping") or ""])].append(row)
    starts: dict[Side, str] = {
        "more": "More than an equal share was held by",
        "less": "Less than an equal share was held by",
        "undefined": "Tests are undefined for",
    }
    tally = tally_sentence(tested.tests, "difference", " from an equal share")
    texts = [f"{condition}, {tally[:1].lower()}{tally[1:]}"]
    texts += [
        f"{start} {groups_text(sides[side])}." for side, start in starts.items() if sides[side]
    ]
    crossed = other_side(sides["more"], every, equal) + other_side(sides["less"], every, equal)
    if crossed:
        texts.append(
            f"By the geometric mean, {groups_text(crossed)} lay on the other side of an equal share."
        )
    few = [row for row in tested.rows if (row.n_units or 0) <= FEW_ITEMS]
    if few:
        texts.append(
            f"Shares of the {count(len(few), 'group')} with at most {count(FEW_ITEMS, ITEM)} describe "
            f"these {ITEM}s, not the group."
        )
    return texts


def other_side(rows: Sequence[Row], every: Sequence[Row], equal: Mapping[str, float]) -> list[Row]:
    """Return the geometric shares that lie on the other side of an equal share than the arithmetic ones."""
    crossed = []
    for row in rows:
        grouping, group = row.label("grouping") or "", row.label("group") or ""
        (geometric,) = pick_rows(every, scale="geometric", grouping=grouping, group=group)
        distances = [(share.estimate or 0.0) - equal[grouping] for share in (row, geometric)]
        if distances[0] * distances[1] < 0:
            crossed.append(geometric)
    return crossed


def groups_text(rows: Sequence[Row]) -> str:
    """Return the names of groups by grouping: ``kin and friends (kinship); work (domain)``."""
    parts = [
        f"{listing([shorten(row.label('group') or row.term, 30) for row in part])} ({grouping})"
        for grouping, part in rows_by(rows, "grouping").items()
    ]
    return "; ".join(parts)


def worth_words(worths: Mapping[str, Result]) -> str:
    """Return the worth of the first item by each fit."""
    first = next(iter(worths.values()))
    top = max(first.rows, key=lambda row: row.estimate or 0.0).term
    values = [
        f"{number(next(row for row in result.rows if row.term == top).shown())} ({fit})"
        for fit, result in worths.items()
    ]
    return f"{shorten(top, 40)} has {listing(values)}"


def worth_table(worths: Mapping[str, Result], results: Mapping[str, Result]) -> PageTable:
    """Return the worth of every item by each fit, the largest of the first fit first, with the groups of the item.

    Parameters
    ----------
    worths : mapping of fit to Result
    results : mapping of title to Result
        Shares of groups, which hold the group of each item.
    """
    first = next(iter(worths.values()))
    order = sorted(first.rows, key=lambda row: -(row.estimate or 0.0))
    place = {row.term: k for k, row in enumerate(order)}
    groups = {
        capital(result.rows[0].label("grouping") or ""): result.settings["groups"]
        for result in results.values()
    }
    cells = []
    for fit, result in worths.items():
        for row in sorted(result.rows, key=lambda row: place[row.term]):
            labels = {name: by_item.get(row.term, "") for name, by_item in groups.items()}
            cells.append(({"item": row.term, **labels, "fit": fit}, row))
    rows = [row for _, row in cells]
    layout = TableLayout(
        name="rpi",
        caption=cells_caption(f"Worth (RPI) of each {ITEM}, sum 1", rows),
        rows=("item", *groups),
        columns="fit",
        headings={"item": capital(ITEM)},
        none="",
    )
    return layout_table(layout, cells)


SHARE_METHODS = (
    f"The preference share of a group is the mean worth of its {ITEM}s over the sum of the group means. Arithmetic "
    "shares were tested against an equal share by t tests on the logit scale (delta method). p values were "
    "Holm-adjusted over all groups of the page; of two groups one was tested."
)
