"""Shares of actions: by source, by condition, and their changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from socialstats import sentences
from socialstats.designs.ratings import Ratings
from socialstats.figures import Bar, forest, heat, multiples, shares
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.inference.dependence import is_nested_in
from socialstats.inference.rows import share_ci
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.planning.part_gaps import PartEstimates
from socialstats.results import Result, Row
from socialstats.shares.counts import cells_of
from socialstats.shares.sources import RaterSource
from socialstats.studies.estimates import df_text, ends, p_text, rows_table
from socialstats.studies.page import Block, PageTable, check_named
from socialstats.studies.sources import Shares
from socialstats.text import count, listing, number, percent_of, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BASES = (
    "none",
    "no",
    "no pressure",
    "base",
    "baseline",
    "default",
    "control",
    "neutral",
    "original",
)
MOST_PANELS = 4
DIGITS = 3
MOST_NAMED = 3  # sources that the sentences of a block name


def base_of(levels: Sequence[str], reference: str | None) -> str | None:
    """Return the level that the others are compared with: the one asked for, or one that is called base or none.

    Examples
    --------
    >>> base_of(["goal", "None", "risk"], None), base_of(["a", "b"], "b"), base_of(["a", "b"], None)
    ('None', 'b', None)
    """
    if reference in levels:
        return reference
    return next((level for level in levels if level.strip().casefold() in BASES), None)


def base_first(design: Ratings, reference: str | None) -> Ratings:
    """Return the design with the base of each stratum as its first level, the order of the others kept."""
    strata = dict(design.strata)
    known = list(dict.fromkeys(level for factor in strata.values() for level in factor.levels))
    check_named("reference", reference, known, f"level of {listing(list(strata)) or 'the units'}")
    for name, factor in strata.items():
        base = base_of(factor.levels, reference)
        levels = tuple(sorted(factor.levels, key=lambda level: level != base))
        place = np.array([levels.index(level) for level in factor.levels], dtype=np.int64)
        strata[name] = replace(
            factor, codes=np.where(factor.codes < 0, -1, place[factor.codes]), levels=levels
        )
    return replace(design, strata=strata)


def base_in(design: Ratings, stratum: str | None, reference: str | None) -> str | None:
    """Return the base of a stratum; None without one, or without the one cluster that the stratum varies."""
    if stratum is None or len(design.clusters) != 1:
        return None
    return base_of(design.strata[stratum].levels, reference)


def words(name: str) -> str:
    """Write the name of a column as words, cut where it is long."""
    return shorten(name.replace("_", " "), 40)


def widest(rows: Sequence[Row]) -> Row:
    """Return the row of the largest significant difference in size, or of the largest where none is significant."""
    return max(rows, key=lambda row: (sentences.is_significant(row), abs(row.estimate or 0.0)))


def largest(gap: Row, rows: Sequence[Row]) -> str:
    """Return what the widest of some differences is called: ``largest`` or ``largest significant``."""
    return "largest" + " significant" * any(
        abs(r.estimate or 0.0) > abs(gap.estimate or 0.0) for r in rows
    )


def foremost(found: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the sources that sentences name, at most three: significant differences first, then the largest.

    Examples
    --------
    >>> rows = [Row(term="comply", estimate=x, p_adjusted=p) for x, p in ((0.1, 0.2), (-0.3, 0.1), (0.2, 0.01))]
    >>> foremost({name: [row] for name, row in zip("abc", rows, strict=True)})
    ['c', 'b', 'a']
    """

    def size(name: str) -> tuple[bool, float]:
        return max(
            (
                (sentences.is_significant(row), abs(row.estimate))
                for row in found[name]
                if row.estimate is not None
            ),
            default=(False, -1.0),
        )

    return sorted(found, key=size, reverse=True)[:MOST_NAMED]


def over_sources(found: Mapping[str, Sequence[Row]], where: str = "") -> tuple[str, ...]:
    """Return how many differences of more sources than sentences name were significant, and of which sources."""
    if len(found) <= MOST_NAMED:
        return ()
    clear = {name: n for name in found if (n := sum(map(sentences.is_significant, found[name])))}
    named = [
        f"{shorten(name, 30)} {count(n)}"
        for name, n in sorted(clear.items(), key=lambda each: -each[1])
    ]
    every = [row for rows in found.values() for row in rows]
    total = counted_text(every, "difference", where, within="Holm within each source")
    return (total, *([f"Significant differences by source: {listing(named)}."] if named else []))


def share(row: Row) -> str:
    """Write the estimate of a row."""
    return number(row.shown())


def counted_text(rows: Sequence[Row], what: str, where: str = "", *, within: str = "Holm") -> str:
    """Return how many of some differences were significant after Holm's correction, and how many have no test.

    Examples
    --------
    >>> rows = [Row(term="a", p_adjusted=0.01), Row(term="b", p_adjusted=0.2), Row(term="c")]
    >>> counted_text(rows, "difference"), counted_text(rows[1:2], "difference", " by domain")
    ('1 of 2 differences was significant (Holm). 1 has no test.', 'The difference by domain was not significant.')
    """
    tested = [row for row in rows if row.p_value is not None or row.p_adjusted is not None]
    clear, lost = sum(sentences.is_significant(row) for row in tested), len(rows) - len(tested)
    gone = f" {count(lost)} {'has' if lost == 1 else 'have'} no test." if lost else ""
    if not tested:
        return gone.strip()
    if len(tested) == 1:
        return f"The {what}{where} was {'' if clear else 'not '}significant.{gone}"
    if not clear:
        return f"None of {count(len(tested), what)}{where} was significant ({within}).{gone}"
    verb = "was" if clear == 1 else "were"
    return (
        f"{count(clear)} of {count(len(tested), what)}{where} {verb} significant ({within}).{gone}"
    )


def gap_numbers(row: Row) -> str:
    """Write a difference with its interval and its p: ``.212, 95% CI [.187, .237], p_Holm < .001``."""
    return sentences.stat(replace(row, statistic=None))


def both_shares(
    rows: Shares, gap: Row, source: RaterSource, other: str, stratum: str | None
) -> str:
    """Write both shares behind a difference, and the difference, naming the units that both rated where they are fewer.

    Parameters
    ----------
    rows : Shares
    gap : Row
    source : Source
    other : str
    stratum : str or None
    kind : str
        Word before the interval.
    """
    own, theirs = (
        next(r for r in rows.shares[who, stratum] if r.term == gap.term)
        for who in (other, source.human)
    )
    apart = (own.estimate or 0.0) - (theirs.estimate or 0.0) - (gap.estimate or 0.0)
    where = "difference" if abs(apart) < 1e-9 else "difference on the units that both rated"
    return (
        f"{shorten(other, 30)} {share(own)} versus {shorten(source.human, 30)} {share(theirs)} "
        f"({where} = {gap_numbers(gap)})"
    )


def changes_blocks(
    shares: Mapping[str | None, Result], source: RaterSource, asked: str | None = None
) -> tuple[Block, ...]:
    """Return the changes in each stratum whose shares were computed with a base."""
    based = [
        (name, result)
        for name, result in shares.items()
        if name is not None and result.settings["base"]
    ]
    made = [changes_block(result, source, name, k, asked) for k, (name, result) in enumerate(based)]
    return tuple(block for block in made if block is not None)


def changes_block(
    result: Result, source: RaterSource, name: str, k: int, asked: str | None = None
) -> Block | None:
    """Return the change of each source from the base, and how much more each other source changed than people."""
    base = str(result.settings["base"])
    rows = [r for r in result.rows if r.label("base") is not None]
    shown, tests = (
        [r for r in rows if r.role == "difference"],
        [r for r in rows if r.role == "test"],
    )
    if not any(r.conf_low is not None for r in shown):
        return None
    beyond = [
        (whose(r.label("source"), source, None) + str(r.label("stratum")), r)
        for r in shown
        if r.label("reference") is not None and r.estimate is not None
    ]
    stem, most, people = words(name), shorten(base, 30), shorten(source.human, 30)
    by_source = {
        other: [r for r in shown if r.label("source") == other and r.label("reference") is not None]
        for other in source.others
    }
    said = tuple(
        text
        for other in foremost(by_source)
        for text in change_sentences(shown, source, other, base)
    )
    drawn = result.settings["people"] == "random"
    how = (
        "p values by t over clusters and human raters"
        if drawn
        else "p values by sign flips of clusters"
    )
    joint = "F test over clusters and human raters" if drawn else "Hotelling's T-squared"
    found = "" if base == asked else f" '{most}' was recognised as the base by its name."
    return Block(
        id="changes" if k == 0 else f"changes-{k + 1}",
        question=f"How much did each source change from '{most}'?",
        sentences=(*over_sources(by_source, f" from the changes of {people} raters"), *said),
        draw=by_action(beyond, stem, f"change from {most}, minus that of {people}"),
        figure_title=f"Changes from '{most}' beyond those of {people} raters",
        caption=f"Points with {percent_of(result.settings['level'])} CIs (t over clusters, equally weighted); "
        f"{count(int(max(r.n_clusters or 0 for r in shown)), 'cluster')}. {how}, "
        f"Holm-adjusted over {stem} and actions.{found}",
        tables=(
            PageTable(
                caption=f"Changes from '{most}'",
                header=(
                    "Source, change and action",
                    "Estimate",
                    "SE",
                    "Low",
                    "High",
                    "p",
                    "p (Holm)",
                    "Clusters",
                    "Why not",
                ),
                cells=tuple(
                    (
                        f"{r.group}: {r.term}",
                        r.shown(),
                        r.shown("std_error"),
                        *ends(r)[1:],
                        p_text(r.p_value),
                        p_text(r.p_adjusted),
                        r.n_clusters,
                        r.undefined,
                    )
                    for r in shown
                ),
            ),
            PageTable(
                caption=f"Any change from '{most}', all actions at once ({joint})",
                header=(
                    "Source and change",
                    "F" if drawn else "T-squared",
                    "Changes tested at once",
                    "p",
                    "p (Holm)",
                    "Clusters",
                    "Why not",
                ),
                cells=tuple(
                    (
                        r.group,
                        r.statistic,
                        df_text(r.df),
                        p_text(r.p_value),
                        p_text(r.p_adjusted),
                        r.n_clusters,
                        r.undefined,
                    )
                    for r in tests
                ),
                rows=tuple(tests),
            ),
        ),
    )


def by_action(found: Sequence[tuple[str, Row]], label: str, xlabel: str) -> Callable[[], Axes]:
    """Return what draws rows of actions: one panel per action where these are few, else all in one, largest first."""
    panels: dict[str, list[Row]] = {}
    for name, row in found:
        panels.setdefault(shorten(row.term, 40), []).append(replace(row, term=name, group=None))
    if 1 < len(panels) <= MOST_PANELS and max(map(len, panels.values())) <= MOST_DRAWN:
        return partial(
            multiples, panels, label=label, xlabel=xlabel, sort=False, columns=len(panels)
        )
    lines = [replace(row, term=f"{name}: {row.term}", group=None) for name, row in found]
    drawn = (
        lines
        if len(lines) <= MOST_DRAWN
        else sorted(lines, key=lambda r: -abs(r.estimate or 0.0))[:MOST_DRAWN]
    )
    return partial(forest, drawn, sort=False, label=label, xlabel=xlabel)


def whose(other: str | None, source: RaterSource, width: int | None = 30) -> str:
    """Return whose a line is, where there are several sources beside people: ``model a, ``."""
    if len(source.others) == 1 or other is None:
        return ""
    return f"{other if width is None else shorten(other, width)}, "


def of_source(source: RaterSource, other: str) -> str:
    """Return whose differences are counted, where there are several sources beside people: `` of model a``."""
    return f" of {whose(other, source).removesuffix(', ')}" if len(source.others) > 1 else ""


def change_sentences(
    rows: Sequence[Row], source: RaterSource, other: str, base: str
) -> tuple[str, ...]:
    """Return the largest difference between the changes of two sources, and how many were significant."""
    own = [r for r in rows if r.label("source") == other and r.label("reference") is not None]
    known = [r for r in own if r.estimate is not None]
    one, two = shorten(other, 30), shorten(source.human, 30)
    if not known:
        return (
            sentences.no_number(
                f"the difference between the changes of {one} and {two} raters",
                own[0].undefined or "no estimate" if own else "no cluster has both",
            ),
        )
    top = widest(known)
    where = top.label("stratum") or ""
    mine, theirs = (
        next(
            r
            for r in rows
            if r.label("reference") is None
            and r.label("source") == who
            and r.label("stratum") == where
            and r.term == top.term
        )
        for who in (other, source.human)
    )
    return (
        f"From '{shorten(base, 30)}' to '{shorten(where, 30)}', the share of '{shorten(top.term, 30)}' changed by "
        f"{share(mine)} ({one}) and {share(theirs)} ({two}); difference = {gap_numbers(top)}.",
        counted_text(own, "such difference", of_source(source, other)),
    )


def apart(design: Ratings, stratum: str) -> bool:
    """Return whether every declared cluster lies in one level of a stratum, so that its levels are independent."""
    return all(is_nested_in(factor, design.strata[stratum]) for factor in design.clusters)


def gap_sentences(gaps: Result, name: str) -> tuple[str, ...]:
    """Return the largest difference of each of those whose parts these are, and how many were significant."""
    by_whom: dict[str, list[tuple[Row, tuple[Row, Row]]]] = {}
    for row, pair in zip(gaps.rows, gaps.extras["pairs"], strict=True):
        by_whom.setdefault(row.label("whose") or "", []).append((row, pair))
    said = [widest_part(who, found) for who, found in by_whom.items()]
    return (*said, counted_text(gaps.rows, "difference", f" between levels of {name}"))


def widest_part(who: str, found: Sequence[tuple[Row, tuple[Row, Row]]]) -> str:
    """Return the largest of some differences between two parts, with both values."""
    known = [(row, pair) for row, pair in found if row.estimate is not None]
    if not known:
        return f"{shorten(who, 40)}: no difference between two levels has a standard error."
    row, (one, two) = max(known, key=lambda each: abs(each[0].estimate or 0.0))
    first, second = (
        f"{shorten(row.label(side) or '', 40)} ({share(part)})"
        for side, part in (("one", one), ("two", two))
    )
    return f"{who}: {row.label('what')} differed most between {first} and {second}, difference = {gap_numbers(row)}."


def gaps_table_block(block: Block, gaps: Result | None, name: str) -> Block:
    """Add the differences between the parts to a block: sentences, table, result."""
    if gaps is None:
        return block
    labels = [f"{shorten(r.group or '', 60)}: {shorten(r.term, 60)}" for r in gaps.rows]
    table = rows_table(
        gaps.rows, f"Differences between levels of {name}", term="Whose and what", labels=labels
    )
    return replace(
        block,
        sentences=(*block.sentences, *gap_sentences(gaps, name)),
        tables=(*block.tables, table),
        results=(*block.results, gaps),
    )


MOST_DRAWN = 60  # rows of a figure that can be read


def shares_block(
    rows: Shares, result: Result, source: RaterSource, stratum: str | None, k: int
) -> Block:
    """Return the shares of each source: in all units, and in each stratum."""
    everyone = (source.human, *source.others)
    among: tuple[str | None, ...] = (None, *rows.strata) if k == 0 else rows.strata
    bars = [
        Bar(
            label=who,
            rows=rows.shares[who, g],
            section="all units" if g is None and rows.strata else g or "",
        )
        for g in among
        for who in everyone
    ]
    fits = len(bars) <= MOST_BARS and len(bars[0].rows) <= MOST_LEVELS
    listed = [
        (f"{shorten(g or 'all units', 40)}: {shorten(who, 30)}: {shorten(r.term, 40)}", r)
        for g in among
        for who in everyone
        for r in rows.shares[who, g]
    ]
    name = "" if stratum is None else f" by {words(stratum)}"
    return Block(
        id="shares" if k == 0 else f"shares-{k + 1}",
        question=f"How often was each action chosen{name}?",
        part="main" if k == 0 else "appendix",
        sentences=side_sentences(rows, source) if k == 0 else (),
        draw=partial(shares, bars, xlabel="Share of choices") if fits else None,
        figure_title=f"Shares of the actions{name} and source",
        caption=f"Numbers in the bars are shares (below .05: not printed); n = {count(result.counts['ratings'])} "
        f"choices{by_clusters(result) if k else ''}. CIs in the table: {share_ci(r for _, r in listed)}.",
        tables=(
            rows_table(
                [r for _, r in listed],
                f"Shares of the actions{name}",
                term="Source and action",
                labels=[text for text, _ in listed],
            ),
            *([] if k else whole_tables(rows, source)),
        ),
        results=(
            result,
            *([] if k or (adjusted := any_tests(rows, source)[1]) is None else [adjusted]),
        ),
    )


def any_tests(rows: Shares, source: RaterSource) -> tuple[dict[str, Row], Result | None]:
    """Return the test of any difference of each source to people in all units, adjusted over sources, with the result.

    A single test is not adjusted, and has no further result.
    """
    named = [replace(rows.tests[other, None], group=other) for other in source.others]
    tested, adjusted = adjust_family_by_holm(named, "any difference of shares")
    return dict(zip(source.others, tested, strict=True)), adjusted


SWAPPED = "cluster permutation test"


def tested_by(tests: Iterable[Row]) -> str:
    """Name the test of any difference: sources swapped in whole clusters, or F where raters are a sample too.

    Examples
    --------
    >>> tested_by([Row(term="any level", test="permutation")]), tested_by([Row(term="any level", test="f")])
    ('cluster permutation test', 'F test over units (clusters) and human raters')
    """
    return (
        "F test over units (clusters) and human raters"
        if any(row.test == "f" for row in tests)
        else SWAPPED
    )


def whole_tables(rows: Shares, source: RaterSource) -> list[PageTable]:
    """Return the differences to people in all units and their tests, which the sentences of block and answer go by."""
    found = [(other, row) for other in source.others for row in rows.gaps[other, None]]
    each = f" of each {words(source.name)}" * (len(source.others) > 1)
    tests = list(any_tests(rows, source)[0].values())
    return [
        rows_table(
            [row for _, row in found],
            f"Differences of shares to {shorten(source.human, 30)} raters, all units; p (Holm): over the actions{each}",
            term="Source and action",
            labels=[f"{shorten(other, 30)}: {shorten(row.term, 40)}" for other, row in found],
        ),
        rows_table(
            tests,
            f"Any difference of shares, all units: {tested_by(tests)}",
            term="Source",
            labels=[row.group or "" for row in tests],
        ),
    ]


def side_sentences(rows: Shares, source: RaterSource) -> tuple[str, ...]:
    """Return how many differences in all units were significant, and which actions the foremost sources chose more."""
    found = {other: rows.gaps[other, None] for other in source.others}
    total = over_sources(found, f" in shares from {shorten(source.human, 30)} raters")
    clear = [
        other
        for other in foremost(found)
        if not total or any(map(sentences.is_significant, found[other]))
    ]
    return (*total[:1], *(side_sentence(rows, source, other) for other in clear))


def side_sentence(rows: Shares, source: RaterSource, other: str) -> str:
    """Return which actions a source chose significantly more, and less, often than people in all units."""
    gaps, human = rows.gaps[other, None], shorten(source.human, 30)
    known = [gap for gap in gaps if gap.p_value is not None]
    if not known:
        return sentences.no_number(
            f"the difference between {shorten(other, 30)} and {human} raters",
            gaps[0].undefined or "no test",
        )
    clear = [gap for gap in known if sentences.is_significant(gap)]
    more, less = (
        listing([f"'{shorten(gap.term, 30)}'" for gap in clear if sign * (gap.estimate or 0.0) > 0])
        for sign in (1, -1)
    )
    if not clear:
        return sentences.no_significance_sentence(
            len(known), f"differences between {shorten(other, 30)} and {human} raters"
        )
    said = " and ".join(
        f"{names} {how} often" for names, how in ((more, "more"), (less, "less")) if names
    )
    return f"{shorten(other, 30)} chose {said} than {human} raters (Holm)."


def share_parts(rows: Shares, source: RaterSource) -> list[PartEstimates]:
    """Return the shares of each action by source, and the differences to people, level by level of a stratum."""
    found = []
    for who in (source.human, *source.others):
        for k, first in enumerate(rows.shares[who, None]):
            own = {g: rows.shares[who, g][k] for g in rows.strata}
            found.append(
                PartEstimates(
                    what=f"the share of '{shorten(first.term, 30)}'",
                    whose=shorten(who, 30),
                    rows=own,
                )
            )
    for other in source.others:
        for k, first in enumerate(rows.gaps[other, None]):
            own = {g: rows.gaps[other, g][k] for g in rows.strata}
            whose = f"{shorten(other, 30)} minus {shorten(source.human, 30)}"
            found.append(
                PartEstimates(
                    what=f"the difference in '{shorten(first.term, 30)}'", whose=whose, rows=own
                )
            )
    return found


def similarity_parts(similar: Result, source: RaterSource) -> list[PartEstimates]:
    """Return the similarity of each source to people, level by level of a stratum."""
    *labels, _ = dict.fromkeys(
        cell for row in similar.rows if (cell := row.label("cell")) is not None
    )  # _: the mean
    return [
        PartEstimates(
            what="similarity",
            whose=shorten(other, 30),
            rows={g: similar_row(similar, other, g) for g in labels},
        )
        for other in source.others
    ]


def similar_row(similar: Result, other: str, cell: str | None = None) -> Row:
    """Return the corrected similarity of a source in a cell (None: in all units)."""
    return next(
        r
        for r in similar.rows
        if r.role == "estimate" and r.label("source") == other and r.label("cell") == cell
    )


def halves(similar: Result) -> Row:
    """Return the split-half ceiling of all units."""
    return next(r for r in similar.rows if r.role == "reference" and r.label("cell") is None)


def differences_block(
    rows: Shares, result: Result, source: RaterSource, stratum: str, k: int
) -> Block:
    """Return the differences to people in each level of a stratum, with the tests of any difference."""
    keys = [(other, g) for other in source.others for g in rows.strata]
    found = [
        (f"{whose(other, source, None)}{g}", r) for other, g in keys for r in rows.gaps[other, g]
    ]
    lines = [replace(r, term=f"{at}: {r.term}", group=None) for at, r in found]
    tests = [
        (f"{whose(other, source)}{shorten(g, 40)}", rows.tests[other, g], rows.naive[other, g])
        for other, g in keys
    ]
    by_source = {
        other: [r for g in rows.strata for r in rows.gaps[other, g]] for other in source.others
    }
    swaps = int(result.settings["permutations"])
    name, how = words(stratum), tested_by(test for _, test, _ in tests)
    if how == SWAPPED:
        how = f"{how} ({count(swaps)} permutations; least p {number(1 / (swaps + 1), 4, bounded=True)})"
    return Block(
        id=f"differences-{k + 1}",
        question=f"Where did sources differ from {shorten(source.human, 30)} raters, by {name}?",
        sentences=(
            *over_sources(by_source),
            *(
                text
                for other in foremost(by_source)
                for text in where_sentences(rows, source, other)
            ),
        ),
        draw=by_action(found, name, f"share minus that of {shorten(source.human, 30)} raters"),
        figure_title=f"Differences of shares to {shorten(source.human, 30)} raters by {name}",
        caption=f"Points with {percent_of(result.settings['level'])} CIs (t of paired units{by_clusters(result)}). "
        f"p values Holm-adjusted over {count(len(rows.strata))} levels of {name} and all actions.",
        tables=(
            rows_table(lines, f"Differences of shares by {name}", term="Action"),
            PageTable(
                caption=f"Any difference of shares by {name}: {how}, and chi-square treating ratings as independent"
                + f"; p (Holm): within each source, over levels of {name}"
                * (len(source.others) > 1),
                header=(
                    name,
                    "Statistic",
                    "df",
                    "p",
                    "p (Holm)",
                    "p (ratings independent)",
                    "Why not",
                ),
                cells=tuple(
                    (
                        label,
                        t.statistic,
                        df_text(t.df),
                        p_text(t.p_value),
                        p_text(t.p_adjusted),
                        p_text(u.p_value),
                        t.undefined,
                    )
                    for label, t, u in tests
                ),
            ),
        ),
    )


def by_clusters(result: Result) -> str:
    """Return how many clusters the errors of a result count: ``, 160 clusters``; nothing without."""
    n = next((row.n_clusters for row in result.rows if row.n_clusters is not None), None)
    return "" if n is None else f", {count(n, 'cluster')}"


def where_sentences(rows: Shares, source: RaterSource, other: str) -> tuple[str, ...]:
    """Return the largest difference of a source over the levels of a stratum, and how many were significant."""
    all_gaps = [r for g in rows.strata for r in rows.gaps[other, g]]
    known = [r for r in all_gaps if r.estimate is not None]
    if not known:
        return (
            f"No unit of any level was rated by both {shorten(other, 30)} and {shorten(source.human, 30)} raters.",
        )
    gap = widest(known)
    where = gap.label("stratum")
    which = f"The {largest(gap, known)} difference{of_source(source, other)}"
    return (
        f"{which} was for '{shorten(gap.term, 30)}' under '{shorten(where or '', 40)}': "
        f"{both_shares(rows, gap, source, other, where)}.",
        counted_text(all_gaps, "difference", of_source(source, other)),
    )


def near_one(row: Row) -> str:
    """Write a similarity with its interval; one that rounds to 1 but is less as ``> .999``.

    Examples
    --------
    >>> near_one(Row(term="halves", estimate=0.9998)), near_one(Row(term="halves", estimate=0.5, limits=(0.0, 1.0)))
    ('> .999', '.500')
    >>> near_one(Row(term="halves", estimate=1.0, conf_low=1.0, conf_high=1.0, limits=(0.0, 1.0)))
    '1.000'
    """
    if row.estimate is not None and 1 - 0.5 * 10.0**-DIGITS <= row.estimate < 1:
        return "> .999"
    if row.conf_low is not None and row.conf_low == row.conf_high:  # cut at 1, as are both limits
        return share(row)
    return sentences.estimate_text(row)


def similarity_block(similar: Mapping[str | None, Result], source: RaterSource) -> Block:
    """Return the similarity of all units and of each cell beside its ceiling."""
    first = next(iter(similar.values()))
    table = [r for r in first.rows if r.group is None]
    lines = [replace(r, group=None) for r in table if r.role != "component"]
    extra: list[Result] = []
    cell_lines: list[Row] = []
    for name, result in similar.items():
        cells, adjusted = adjust_family_by_holm(
            [r for r in result.rows if r.group is not None], f"cells of {name}"
        )
        extra += [adjusted] if adjusted is not None else []
        table += cells
        cell_lines += [
            replace(r, term=f"{r.group}: {r.term}", group=None)
            for r in cells
            if r.role == "estimate"
        ]
    fits = len(lines) + len(cell_lines) <= MOST_DRAWN
    return Block(
        id="similarity",
        question="How similar were the shares of all actions?",
        sentences=(
            *(
                f"The similarity of {shorten(other, 30)} was {sentences.estimate_text(similar_row(first, other))}."
                for other in ends_of(first, source)
            ),
            f"Two random halves of the {shorten(source.human, 30)} ratings had a similarity of "
            f"{near_one(halves(first))}, as halves of one sample do.",
        ),
        draw=partial(
            forest,
            [*lines, *cell_lines] if fits else lines[:MOST_DRAWN],
            sort=False,
            xlabel=first.title,
            reference=1.0,
        ),
        figure_title=f"Jensen-Shannon similarity to {shorten(source.human, 30)} raters, with its ceiling"
        + ("" if fits else " (cells are in the table)"),
        caption=f"Points (bias-corrected; 1: equal shares) with {percent_of(first.settings['level'])} CIs "
        f"({first.inference.split('; ')[0].replace(' intervals', '')}). "
        f"Split-half: two random halves of the {shorten(source.human, 30)} ratings. Plug-in values are in the table.",
        tables=(rows_table(table, "Jensen-Shannon similarity", term="Source and cell"),),
        results=(*similar.values(), *extra),
    )


def ends_of(similar: Result, source: RaterSource) -> Sequence[str]:
    """Return the sources whose similarity sentences state: all of three, else the least and the most similar."""
    known = sorted(
        (r.estimate, other)
        for other in source.others
        if (r := similar_row(similar, other)).estimate is not None
    )
    return (
        source.others
        if len(source.others) <= MOST_NAMED or not known
        else [known[0][1], known[-1][1]]
    )


def cells_block(
    design: Ratings, cells: Result | None, source: RaterSource, names: Sequence[str], lead: str
) -> Block | None:
    """Return the similarity in every combination of two strata as a heat map of the leading source."""
    if cells is None:
        return None
    found = cells_of(design, tuple(names), "cell")
    place = dict(zip(found.labels, found.parts, strict=True))
    rows = [
        r
        for r in cells.rows
        if r.group in place and r.role == "estimate" and r.label("source") in source.others
    ]
    first = [
        replace(r, term=place[r.group][1], group=place[r.group][0])
        for r in rows
        if r.label("source") == lead and r.group is not None
    ]
    known = [r for r in rows if r.estimate is not None]
    said = "The similarity is undefined in every cell."
    if known:
        low, high = (
            min(known, key=lambda r: r.estimate or 0.0),
            max(known, key=lambda r: r.estimate or 0.0),
        )
        said = (
            f"Similarity ranged over {count(len(known), 'cell')} from {sentences.estimate_text(low)} "
            f"({shorten(low.group or '', 50)}) to {sentences.estimate_text(high)} "
            f"({shorten(high.group or '', 50)}; unadjusted CIs)."
        )
    small = max(len(design.strata[name].levels) for name in names) <= MOST_GROUPS
    plain = [
        r
        for r in cells.rows
        if r.group in place and r.role == "component" and r.label("source") in source.others
    ]
    labels, others = (
        [f"{shorten(r.group or '', 50)}: {shorten(r.term, 30)}" for r in some]
        for some in (rows, plain)
    )
    above = any((r.estimate or 0.0) > 1 for r in rows)
    return Block(
        id="cells",
        question=f"In which {words(names[1])} and {words(names[0])} were they least similar?",
        sentences=(said, "No difference between cells was tested."),
        draw=partial(heat, first, neutral=1.0, extreme=0.2, xlabel=words(names[0]))
        if small
        else None,
        figure_title=f"Similarity of {shorten(lead, 30)} in each cell",
        caption="Cells: bias-corrected similarity and number of choices of both sources; darkest colour: .80 and "
        f"below. {'Values above 1 reflect sampling error. ' * above}CIs are in the table.",
        tables=(
            rows_table(
                rows,
                "Jensen-Shannon similarity in each cell",
                term="Cell and source",
                labels=labels,
            ),
            rows_table(
                plain,
                "Plug-in similarity in each cell (not bias-corrected)",
                term="Cell and source",
                labels=others,
            ),
        ),
        results=(cells,),
    )


def agreement_block(alphas: Mapping[str, Result], source: RaterSource) -> Block | None:
    """Return the agreement within each source, which a similarity of shares does not measure."""
    if not alphas:
        return None
    rows = [
        replace(result.rows[0], term=f"within {name}", group=None)
        for name, result in alphas.items()
    ]
    said = "; ".join(
        f"{sentences.estimate_text(r.rows[0])} ({shorten(n, 30)})" for n, r in alphas.items()
    )
    return Block(
        id="agreement",
        question="Did raters of one source choose the same action in the same unit?",
        sentences=(
            f"Krippendorff's α within sources was {said}.",
            "Equal shares do not imply agreement within units. Repeated runs do not add units.",
        ),
        draw=partial(forest, rows, sort=False, xlabel="α (0: chance agreement)"),
        figure_title="Krippendorff's alpha within each source",
        caption=f"Points with {percent_of(rows[0].conf_level or 0.95)} CIs; nominal α: 1 is perfect, 0 chance "
        "agreement.",
        tables=(
            rows_table(rows, "Krippendorff's alpha (nominal) within each source", term="Source"),
        ),
        results=tuple(alphas.values()),
    )
