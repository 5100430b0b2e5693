"""Which groups of roles are preferred? Shares of worth of the groups, tested against an equal share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult
from socialstats.choices.preference_shares import preference_shares
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.studies.asking import ask_rows
from socialstats.studies.page import Block, PageTable
from socialstats.studies.role_conflict.declaration import ITEM
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import add_labels, pick_rows, rows_by, untested_rows
from socialstats.studies.row_sentences import tally_sentence
from socialstats.studies.row_tables import grid_table
from socialstats.studies.second import turned
from socialstats.text import as_words, capital, count, listing, number, shorten

FAMILY = "shares of groups"
SHARE_METHODS = (
    f"The preference share of a group is the mean worth of its {ITEM}s over the sum of the group means. Arithmetic "
    "shares were tested against an equal share by t tests on the logit scale (delta method). p values were "
    "Holm-adjusted over all groups of the page; of two groups one was tested."
)

Groupings = Mapping[str, Mapping[str, Any]]


def shares_by_grouping(
    fit: BradleyTerryResult, groupings: Groupings, model: str = ""
) -> dict[str, Result]:
    """Return the shares of each grouping by a fit, by their titles; rows have the grouping in their keys."""
    results = {}
    for name, groups in groupings.items():
        words = as_words(name)
        title = f"Preference shares by {words}{model}"
        by_item = {item: str(group) for item, group in groups.items()}
        level = fit.settings["level"]
        shares = preference_shares(fit, by_item, ungrouped="leave_out", level=level)
        rows = tuple(add_labels(shares.rows, grouping=words))
        results[title] = replace(shares, title=title, rows=rows)
    return results


def all_rows(results: Mapping[str, Result]) -> list[Row]:
    """Return the rows of some results."""
    return [row for result in results.values() for row in result.rows]


def adjust_shares(results: Mapping[str, Result]) -> tuple[Sequence[Row], Result | None]:
    """Return arithmetic shares by grouping, the largest first, with p adjusted over all groups, and what holds it.

    Shares of two groups sum to 1, so that the second has the test of the first, and stands without.
    """
    rows: list[Row] = []
    for shares in rows_by(pick_rows(all_rows(results), scale="arithmetic"), "grouping").values():
        shares.sort(key=lambda row: -(row.estimate or 0.0))
        rows += [*shares[:1], *untested_rows(shares[1:])] if len(shares) == 2 else shares
    named = [
        replace(row, term=f"{row.label('grouping')}: {row.label('group')}", group=None)
        for row in rows
    ]
    return adjust_family_by_holm(named, FAMILY)


def share_questions(
    results: Mapping[str, Result],
    plain: Mapping[str, Result],
    worths: Mapping[str, Result],
    groupings: Groupings,
    equal_terms: str,
) -> Iterator[Block | None]:
    """Yield the shares of all groupings, and the worth of every item.

    Parameters
    ----------
    results, plain : mapping of title to Result
        Shares by the fit of the page, and by a fit of strengths alone.
    worths : mapping of fit to Result
        Worth of every item by both fits.
    groupings : mapping of grouping to mapping of item to group
    equal_terms : str
        What the fit of the page holds equal.
    """
    if results:
        yield from group_questions(results, plain, equal_terms)
    fitted, *further = worths.values()
    yield ask_rows(
        "worth",
        f"How much worth (RPI) does each {ITEM} have?",
        fitted,
        fitted.rows,
        quantity=f"worth (RPI) of each {ITEM}",
        table=worth_table(worths, groupings),
        results=further,
        note=f"The model of this page holds {equal_terms} equal; published worths are usually those of a plain fit.",
        part="appendix",
    )


def group_questions(
    results: Mapping[str, Result], plain: Mapping[str, Result], equal_terms: str
) -> Iterator[Block | None]:
    """Yield the shares of all groupings, then those by other means and models."""
    first, *more = results.values()
    rows, adjusted = adjust_shares(results)
    every = all_rows(results)
    equal = {name: 1 / len(shares) for name, shares in rows_by(rows, "grouping").items()}
    shares = [f"{number(share, 3, bounded=True)} by {name}" for name, share in equal.items()]
    yield ask_rows(
        "shares",
        f"Which groups of {ITEM}s were preferred?",
        first,
        rows,
        quantity=f"preference shares of groups of {ITEM}s, tested against an equal share",
        names=[f"{row.term} ({count(row.n_units or 0, ITEM)})" for row in rows],
        say=[*share_sentences(rows), *by_other_mean(rows, every, equal)],
        draw=interval_points(None),
        results=[*more, adjusted],
        note=f"A share is the mean worth (RPI) of a group over the sum of these means. Equal shares: "
        f"{listing(shares, most=12)}. Shares are of these {ITEM}s at equal {equal_terms}.",
    )
    yield ask_rows(
        "shares-more",
        "What were the shares by other means and models?",
        first,
        every,
        quantity="preference shares by both means",
        say=[
            f"The arithmetic mean depends most on a group's strongest {ITEM}s; the geometric mean weights "
            f"{ITEM}s equally.",
            f"The model of this page holds {equal_terms} equal; published shares are usually those of a plain fit.",
        ],
        tables={f"Preference shares by a plain fit, without {equal_terms}": all_rows(plain)},
        results=[*more, *plain.values()],
        part="appendix",
    )


def share_sentences(rows: Sequence[Row]) -> list[str]:
    """Return how many groups differed significantly from an equal share, and which had more and less."""
    # the second of two groups has no test of its own
    tested = [row for row in rows if row.p_value is not None or row.undefined]
    texts = [tally_sentence(tested, "difference", " from an equal share")]
    significant = [row for row in tested if sentences.is_significant(row)]
    for side, sign in (("More", 1), ("Less", -1)):
        groups = [shorten(row.term, 40) for row in significant if sign * (row.statistic or 0.0) > 0]
        if groups:
            texts.append(f"{side} than an equal share was held by {listing(groups)}.")
    return texts


def by_other_mean(
    rows: Sequence[Row], every: Sequence[Row], equal: Mapping[str, float]
) -> list[str]:
    """State the significant shares that are on another side of an equal share by the geometric mean."""
    texts: list[str] = []
    for row in filter(sentences.is_significant, rows):
        grouping, group = row.label("grouping") or "", row.label("group") or ""
        shares = pick_rows(every, scale="geometric", grouping=grouping, group=group)
        analyses = [("By the geometric mean", share) for share in untested_rows(shares)]
        name = f"the share of {shorten(group, 30)} ({grouping})"
        texts += [analysis.text for analysis in turned(row, analyses, name, equal[grouping])]
    return texts


def worth_table(worths: Mapping[str, Result], groupings: Groupings) -> PageTable:
    """Return the worth of every item by each fit, the largest of the first fit first, with the groups of the item."""
    first = next(iter(worths.values()))
    size = {row.term: row.estimate or 0.0 for row in first.rows}
    names = {as_words(name): groups for name, groups in groupings.items()}
    rows: list[Row] = []
    for fit, result in worths.items():
        for row in sorted(result.rows, key=lambda row: -size[row.term]):
            groups = {
                name: str(by_item[row.term])
                for name, by_item in names.items()
                if row.term in by_item
            }
            rows += add_labels([row], **groups, fit=fit)
    return grid_table(
        rows,
        f"Worth (RPI) of each {ITEM}, sum 1",
        ("item", *names),
        "fit",
        name="rpi",
        cell="interval",
        none="",
        headings={"item": capital(ITEM)},
    )
