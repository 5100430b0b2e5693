"""Shares of actions: by source, by condition, and their changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.figures import Bar, forest, heat, shares
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.inference.dependence import is_inside
from socialstats.models.shares import cells_of
from socialstats.models.sources import Source
from socialstats.planning.adjusting import with_holm
from socialstats.planning.part_gaps import Part
from socialstats.results import Result, Row
from socialstats.studies.estimates import clear_text, df_text, numbers_text, p_text, rows_table
from socialstats.studies.page import Block, Table, check_named
from socialstats.studies.sources import Shares
from socialstats.text import count, listing, number, p_value, shorten

BASES = ("none", "no", "no pressure", "base", "baseline", "default", "control", "neutral", "original")
MOST_CHANGES = 200


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
        strata[name] = replace(factor, codes=np.where(factor.codes < 0, -1, place[factor.codes]), levels=levels)
    return replace(design, strata=strata)


def base_in(design: Ratings, stratum: str | None, reference: str | None) -> str | None:
    """Return the base of a stratum; None without one, or without the one cluster that the stratum varies."""
    if stratum is None or len(design.clusters) != 1:
        return None
    return base_of(design.strata[stratum].levels, reference)


def p_of(row: Row) -> float | None:
    """Return the adjusted p of a row, or its p."""
    return row.p_value if row.p_adjusted is None else row.p_adjusted


def told_p(row: Row) -> str:
    """Say the adjusted p of a row, or its p: ``, adjusted p = .031``."""
    p = p_of(row)
    return "" if p is None else f", {p_value(p, name='p' if row.p_adjusted is None else 'adjusted p')}"


def widest(rows: Sequence[Row]) -> Row:
    """Return the row of the largest difference in size."""
    return max(rows, key=lambda row: abs(row.estimate or 0.0))


def share(row: Row) -> str:
    """Write the estimate of a row."""
    return number(row.estimate, 3, bounded=True)


def both_shares(rows: Shares, gap: Row, source: Source, other: str, stratum: str | None) -> tuple[str, str, str]:
    """Write both shares behind a difference, and the difference: of the units that both rated, where these are fewer.

    Parameters
    ----------
    rows : Shares
    gap : Row
    source : Source
    other : str
    stratum : str or None
    """
    own, theirs = (next(r for r in rows.shares[who, stratum] if r.term == gap.term) for who in (other, source.human))
    apart = (own.estimate or 0.0) - (theirs.estimate or 0.0) - (gap.estimate or 0.0)
    where = "difference" if abs(apart) < 1e-9 else "difference on the units that both rated"
    return share(own), share(theirs), f"{where} {numbers_text(gap, digits=3, bounded=True)}"


def changes_blocks(shares: Mapping[str | None, Result], source: Source, asked: str | None = None) -> tuple[Block, ...]:
    """Show the changes in each stratum whose shares were computed with a base."""
    based = [(name, result) for name, result in shares.items() if name is not None and result.settings["base"]]
    made = [changes_block(result, source, name, k, asked) for k, (name, result) in enumerate(based)]
    return tuple(block for block in made if block is not None)


def changes_block(result: Result, source: Source, name: str, k: int, asked: str | None = None) -> Block | None:
    """Show by how much each source moves from the base, and each other source more than people."""
    base = str(result.settings["base"])
    rows = [r for r in result.rows if r.label("base") is not None]
    shown, tests = [r for r in rows if r.role == "difference"], [r for r in rows if r.role == "test"]
    if not any(r.conf_low is not None for r in shown):
        return None
    lines = [
        replace(r, term=f"{whose(r.label('source'), source, None)}{r.label('stratum')}: {r.term}", group=None)
        for r in shown if r.label("reference") is not None and r.estimate is not None
    ]  # fmt: skip
    stem, most = shorten(name, 40), shorten(base, 30)
    said = tuple(change_sentence(shown, source, other, base) for other in source.others[:3])
    found = "" if base == asked else f" '{most}' is taken as the base by its name."
    return Block(
        id="changes" if k == 0 else f"changes-{k + 1}",
        question=f"How far does each source move from '{most}', and does one move farther than "
        f"{shorten(source.human, 30)} raters?",
        sentences=said,
        draw=partial(forest, lines[:MOST_CHANGES], sort=False, digits=3, label=stem,
                     xlabel=f"change from {most}, minus that of {shorten(source.human, 30)}"),
        figure_title=f"Changes from '{most}' beyond those of {shorten(source.human, 30)} raters",
        caption=f"How much more the share of a source changed than that of {shorten(source.human, 30)} raters, within "
        "clusters, each cluster counting once; t intervals. p: signs of whole clusters flipped, adjusted by Holm over "
        f"{stem} and actions, source by source; the table of any change tests all actions at once (Hotelling's "
        f"T-squared).{found}",
        tables=(
            Table(caption=f"Changes from '{most}'",
                  header=("Source, change and action", "Estimate", "SE", "Low", "High", "p", "p (Holm)", "Clusters",
                          "Why not"),
                  cells=tuple((f"{r.group}: {r.term}", r.estimate, r.std_error, r.conf_low, r.conf_high,
                               p_text(r.p_value), p_text(r.p_adjusted), r.n_clusters, r.undefined) for r in shown)),
            Table(caption=f"Any change from '{most}', all actions at once",
                  header=("Source and change", "T-squared", "Changes tested at once", "p", "p (Holm)", "Clusters",
                          "Why not"),
                  cells=tuple((r.group, r.statistic, df_text(r.df), p_text(r.p_value), p_text(r.p_adjusted),
                               r.n_clusters, r.undefined) for r in tests)),
        ),
    )  # fmt: skip


def whose(other: str | None, source: Source, width: int | None = 30) -> str:
    """Say whose a line is, where there are several sources beside people: ``model a, ``."""
    if len(source.others) == 1 or other is None:
        return ""
    return f"{other if width is None else shorten(other, width)}, "


def change_sentence(rows: Sequence[Row], source: Source, other: str, base: str) -> str:
    """Say the widest difference of differences, and both changes behind it."""
    own = [r for r in rows if r.label("source") == other and r.label("reference") is not None]
    known = [r for r in own if r.estimate is not None]
    if not known:
        return (
            f"No cluster lets the changes of {shorten(other, 30)} and {shorten(source.human, 30)} raters be compared."
        )
    tested = [r for r in known if r.p_value is not None]
    top = widest(known)
    where = top.label("stratum") or ""
    one, two = (
        next(share(r) for r in rows if r.label("reference") is None and r.label("source") == who
             and r.label("stratum") == where and r.term == top.term) for who in (other, source.human)
    )  # fmt: skip
    clear = sum((p_of(r) or 1.0) < 0.05 for r in tested)
    return (
        f"From '{shorten(base, 30)}' to '{shorten(where, 30)}' the share of '{shorten(top.term, 30)}' of "
        f"{shorten(other, 30)} changed by {one}, that of {shorten(source.human, 30)} raters by {two}: difference of "
        f"differences {numbers_text(top, digits=3, bounded=True)}{told_p(top)}, the widest of {count(len(known))}; "
        f"{clear_text(clear, len(tested))}."
    )


def apart(design: Ratings, stratum: str) -> bool:
    """Tell whether every declared cluster lies in one level of a stratum, so that its levels are independent."""
    return all(is_inside(factor, design.strata[stratum]) for factor in design.clusters)


def gap_sentences(gaps: Result, name: str, digits: int = 3) -> tuple[str, ...]:
    """Say for each of those whose parts these are the widest difference, and how many are significant."""
    by_whom: dict[str, list[tuple[Row, tuple[Row, Row]]]] = {}
    for row, pair in zip(gaps.rows, gaps.extras["pairs"], strict=True):
        by_whom.setdefault(row.label("whose") or "", []).append((row, pair))
    said = [widest_part(who, found, digits) for who, found in by_whom.items()]
    tested = [r for r in gaps.rows if r.p_value is not None]
    clear = sum((p_of(r) or 1.0) < 1 - (r.conf_level or 0.95) for r in tested)
    end = "" if clear == len(tested) else f"; neither sign is excluded in {'the others' if clear else 'any of them'}"
    what = count(len(tested), "difference")
    are = "was" if clear == 1 else "were"
    return (*said, f"{count(clear)} of {what} between two levels of {name} {are} significant (Holm over all){end}.")


def widest_part(who: str, found: Sequence[tuple[Row, tuple[Row, Row]]], digits: int) -> str:
    """Say the widest of some differences between two parts, with both values."""
    known = [(row, pair) for row, pair in found if row.estimate is not None]
    if not known:
        return f"{shorten(who, 40)}: no difference between two parts has an error."
    row, pair = max(known, key=lambda one: abs(one[0].estimate or 0.0))
    named = zip((row.label("one"), row.label("two")), pair, strict=True)
    low, high = (
        f"{shorten(name or '', 40)} ({number(part.estimate, digits, bounded=True)})"
        for name, part in sorted(named, key=lambda one: one[1].estimate or 0.0)
    )
    return (
        f"{who}: {row.label('what')} differs most between {low} and {high}: {shorten(row.term, 80)} "
        f"{numbers_text(row, digits=digits, bounded=True)}{told_p(row)}."
    )


def gaps_table_block(block: Block, gaps: Result | None, name: str) -> Block:
    """Add the differences between the parts to a block: sentences, table, result."""
    if gaps is None:
        return block
    labels = [f"{shorten(r.group or '', 60)}: {shorten(r.term, 60)}" for r in gaps.rows]
    table = rows_table(gaps.rows, f"Differences between levels of {name}", term="Whose and what", labels=labels)
    return replace(
        block, sentences=(*block.sentences, *gap_sentences(gaps, name)), tables=(*block.tables, table),
        results=(*block.results, gaps),
    )  # fmt: skip


MOST_DRAWN = 60  # rows of a figure that can be read


def shares_block(rows: Shares, result: Result, source: Source, stratum: str | None, k: int) -> Block:
    """Show the shares of each source: in all units, and in each stratum."""
    everyone = (source.human, *source.others)
    among: tuple[str | None, ...] = (None, *rows.strata) if k == 0 else rows.strata
    bars = [
        Bar(label=who, rows=rows.shares[who, g], section="all units" if g is None and rows.strata else g or "")
        for g in among for who in everyone
    ]  # fmt: skip
    fits = len(bars) <= MOST_BARS and len(bars[0].rows) <= MOST_LEVELS
    listed = [(f"{shorten(g or 'all units', 40)}: {shorten(who, 30)}: {shorten(r.term, 40)}", r)
              for g in among for who in everyone for r in rows.shares[who, g]]  # fmt: skip
    name = "" if stratum is None else f" by {shorten(stratum, 40)}"
    return Block(
        id="shares" if k == 0 else f"shares-{k + 1}",
        question=f"How often is each action chosen{name}?",
        sentences=(result.sentence(),) if k == 0 else (),
        draw=partial(shares, bars, xlabel="Share of choices") if fits else None,
        figure_title=f"Shares of the actions{name}, source by source",
        caption=f"Numbers in the bars are shares (those below 5% are not written); n and intervals (Wilson's"
        f"{by_clusters(result)}) are in the table.",
        tables=(rows_table([r for _, r in listed], f"Shares of the actions{name}", term="Source and action",
                           labels=[text for text, _ in listed]),),
        results=(result,),
    )  # fmt: skip


def share_parts(rows: Shares, source: Source) -> list[Part]:
    """Return the shares of each action by source, and the differences to people, level by level of a stratum."""
    found = []
    for who in (source.human, *source.others):
        for k, first in enumerate(rows.shares[who, None]):
            own = {g: rows.shares[who, g][k] for g in rows.strata}
            found.append(Part(what=f"the share of '{shorten(first.term, 30)}'", whose=shorten(who, 30), rows=own))
    for other in source.others:
        for k, first in enumerate(rows.gaps[other, None]):
            own = {g: rows.gaps[other, g][k] for g in rows.strata}
            whose = f"{shorten(other, 30)} minus {shorten(source.human, 30)}"
            found.append(Part(what=f"the difference in '{shorten(first.term, 30)}'", whose=whose, rows=own))
    return found


def similarity_parts(similar: Result, source: Source) -> list[Part]:
    """Return the similarity of each source to people, level by level of a stratum."""
    *labels, _ = dict.fromkeys(cell for row in similar.rows if (cell := row.label("cell")) is not None)  # _: the mean
    return [
        Part(what="similarity", whose=shorten(other, 30), rows={g: similar_row(similar, other, g) for g in labels})
        for other in source.others
    ]


def similar_row(similar: Result, other: str, cell: str | None = None) -> Row:
    """Return the corrected similarity of a source in a cell (None: in all units)."""
    return next(
        r for r in similar.rows if r.role == "estimate" and r.label("source") == other and r.label("cell") == cell
    )


def halves(similar: Result) -> Row:
    """Return the split-half ceiling of all units."""
    return next(r for r in similar.rows if r.role == "reference" and r.label("cell") is None)


def differences_block(rows: Shares, result: Result, source: Source, stratum: str, k: int) -> Block:
    """Show the differences to people in each level of a stratum, with the tests of any difference."""
    keys = [(other, g) for other in source.others for g in rows.strata]
    lines = [replace(r, term=f"{whose(other, source, None)}{g}: {r.term}", group=None)
             for other, g in keys for r in rows.gaps[other, g]]  # fmt: skip
    tests = [(f"{whose(other, source)}{shorten(g, 40)}", rows.tests[other, g], rows.naive[other, g])
             for other, g in keys]  # fmt: skip
    widest_first = sorted(lines, key=lambda r: -abs(r.estimate or 0.0))
    drawn = lines if len(lines) <= MOST_DRAWN else widest_first[:MOST_DRAWN]
    swaps = int(result.settings["permutations"])
    name = shorten(stratum, 40)
    return Block(
        id=f"differences-{k + 1}",
        question=f"Where do sources differ from {shorten(source.human, 30)} raters, by {name}?",
        sentences=tuple(gap_sentence(rows, source, other) for other in source.others[:3]),
        draw=partial(forest, drawn, sort=False, digits=3, label=name,
                     xlabel=f"difference of shares, minus {shorten(source.human, 30)}"),
        figure_title=f"Differences of shares to {shorten(source.human, 30)} raters by {name}"
        + ("" if drawn is lines else f" (the {count(len(drawn))} widest of {count(len(lines))})"),
        caption=f"t intervals of paired units{by_clusters(result)}; p adjusted by Holm over {count(len(rows.strata))} "
        f"levels of {name} and all actions, source by source. {count(swaps)} swaps cannot give a p below "
        f"{number(1 / (swaps + 1), 4, bounded=True)} before Holm.",
        tables=(
            rows_table(lines, f"Differences of shares by {name}", term="Action"),
            Table(
                caption=f"Any difference of shares by {name}: sources swapped in whole clusters, and what a chi-square "
                "of ratings taken as independent would have claimed",
                header=(name, "Statistic", "df", "p", "p (Holm)", "p (ratings independent)", "Why not"),
                cells=tuple(
                    (label, t.statistic, df_text(t.df), p_text(t.p_value),
                     p_text(t.p_adjusted), p_text(u.p_value), t.undefined) for label, t, u in tests),
            ),
        ),
    )  # fmt: skip


def by_clusters(result: Result) -> str:
    """Say how many clusters the errors of a result count: ``, 160 clusters``; nothing without."""
    n = next((row.n_clusters for row in result.rows if row.n_clusters is not None), None)
    return "" if n is None else f", {count(n, 'cluster')}"


def gap_sentence(rows: Shares, source: Source, other: str) -> str:
    """Say the widest difference of a source over the levels of a stratum."""
    known = [r for g in rows.strata for r in rows.gaps[other, g] if r.estimate is not None]
    if not known:
        return f"No unit of any level was rated by both {shorten(other, 30)} and {shorten(source.human, 30)}."
    gap = widest(known)
    own, theirs, difference = both_shares(rows, gap, source, other, gap.label("stratum"))
    clear = sum(r.p_adjusted is not None and r.p_adjusted < 0.05 for r in known)
    return (
        f"Under '{shorten(gap.label('stratum') or '', 40)}', {shorten(other, 30)} chose '{shorten(gap.term, 30)}' in a "
        f"share of {own}, {shorten(source.human, 30)} raters in {theirs}: {difference}{told_p(gap)}, the widest of "
        f"{count(len(known), 'difference')}; {clear_text(clear, len(known))}."
    )


def similarity_block(similar: Mapping[str | None, Result], source: Source) -> Block:
    """Show the similarity of all units and of each cell beside its ceiling."""
    first = next(iter(similar.values()))
    table = [r for r in first.rows if r.group is None]
    lines = [replace(r, group=None) for r in table if r.role != "component"]
    extra: list[Result] = []
    cell_lines: list[Row] = []
    for name, result in similar.items():
        cells, adjusted = with_holm([r for r in result.rows if r.group is not None], f"cells of {name}")
        extra += [adjusted] if adjusted is not None else []
        table += cells
        cell_lines += [replace(r, term=f"{r.group}: {r.term}", group=None) for r in cells if r.role != "component"]
    fits = len(lines) + len(cell_lines) <= MOST_DRAWN
    return Block(
        id="similarity",
        question="How alike are the shares of all actions?",
        sentences=(first.sentence(),),
        draw=partial(forest, [*lines, *cell_lines] if fits else lines[:MOST_DRAWN], sort=False, digits=3,
                     xlabel=first.title, reference=1.0),
        figure_title=f"Jensen-Shannon similarity to {shorten(source.human, 30)} raters, with its ceiling"
        + ("" if fits else " (cells are in the table)"),
        caption="Corrected for bias, so that equal sources have 1 on average; (split-half) is how alike two random "
        f"halves of the {shorten(source.human, 30)} ratings are, corrected alike. Plug-in values, which publications "
        f"print, are in the table, to be held beside the plug-in halves. Intervals: {first.inference}.",
        tables=(rows_table(table, "Jensen-Shannon similarity", term="Source and cell"),),
        results=(*similar.values(), *extra),
    )  # fmt: skip


def cells_block(design: Ratings, cells: Result | None, source: Source, names: Sequence[str]) -> Block | None:
    """Show the similarity in every combination of two strata as a heat map of the first source."""
    if cells is None:
        return None
    found = cells_of(design, tuple(names), "cell")
    place = dict(zip(found.labels, found.parts, strict=True))
    rows = [r for r in cells.rows if r.group in place and r.role == "estimate" and r.label("source") in source.others]
    first = [replace(r, term=place[r.group][1], group=place[r.group][0])
             for r in rows if r.label("source") == source.others[0] and r.group is not None]  # fmt: skip
    known = [r for r in rows if r.estimate is not None]
    said = "No cell has a similarity."
    if known:
        low, high = min(known, key=lambda r: r.estimate or 0.0), max(known, key=lambda r: r.estimate or 0.0)
        said = (
            f"Over {count(len(known), 'cell')}, similarity runs from {numbers_text(low, digits=3, bounded=True)} "
            f"({shorten(low.group or '', 50)}) to {numbers_text(high, digits=3, bounded=True)} "
            f"({shorten(high.group or '', 50)})."
        )
    small = max(len(design.strata[name].levels) for name in names) <= MOST_GROUPS
    plain = [r for r in cells.rows if r.group in place and r.role == "component" and r.label("source") in source.others]
    labels, others = ([f"{shorten(r.group or '', 50)}: {shorten(r.term, 30)}" for r in some] for some in (rows, plain))
    return Block(
        id="cells",
        question=f"In which {shorten(names[1], 30)} and {shorten(names[0], 30)} are they least alike?",
        sentences=(said,),
        draw=partial(heat, first, neutral=1.0, extreme=0.2, xlabel=shorten(names[0], 30), digits=3) if small else None,
        figure_title=f"Similarity of {shorten(source.others[0], 30)} in each cell",
        caption="Each cell: similarity corrected for bias, and ratings of both sources. Full colour: .8 and below. "
        f"Intervals are in the table: {cells.inference}.",
        tables=(
            rows_table(rows, "Jensen-Shannon similarity in each cell", term="Cell and source", labels=labels),
            rows_table(
                plain,
                "The same, plug-in: not corrected, as publications print it",
                term="Cell and source",
                labels=others,
            ),
        ),
        results=(cells,),
    )


def agreement_block(alphas: Mapping[str, Result], source: Source) -> Block | None:
    """Show how far each source agrees with itself: what a similarity of shares says nothing about."""
    if not alphas:
        return None
    rows = [replace(result.rows[0], term=f"within {name}", group=None) for name, result in alphas.items()]
    said = "; ".join(f"{shorten(n, 30)} {numbers_text(r.rows[0], digits=3, bounded=True)}" for n, r in alphas.items())
    return Block(
        id="agreement",
        question="Do raters of one source choose the same action in the same unit?",
        sentences=(
            f"Krippendorff's alpha (nominal) within each source: {said}.",
            "Equal shares do not mean equal choices: alpha says how far single units decide the action, and where runs "
            "agree more than people, more runs are not more evidence.",
        ),
        draw=partial(forest, rows, sort=False, digits=3, xlabel="alpha; 0 = as by chance"),
        figure_title="Krippendorff's alpha within each source",
        caption="1 is perfect agreement, 0 what chance gives.",
        tables=(rows_table(rows, "Krippendorff's alpha (nominal) within each source", term="Source"),),
        results=tuple(alphas.values()),
    )
