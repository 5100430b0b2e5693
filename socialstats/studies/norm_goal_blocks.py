"""Questions that the study of norms and goals answers, one block each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.designs.ratings import Ratings
from socialstats.figures import Bar, forest, heat, shares
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.shares import MOST_BARS, MOST_LEVELS
from socialstats.models.shares import cells_of
from socialstats.results import Result, Row
from socialstats.studies.estimates import clear_text, numbers_text, p_text, rows_table, with_holm
from socialstats.studies.outcome import Block, Table
from socialstats.studies.part_gaps import Part
from socialstats.studies.sources import Shares, Source
from socialstats.text import count, number, p_value, shorten

MOST_ROWS = 200


def widest(rows: Sequence[Row]) -> Row:
    """Return the row of the largest difference in size."""
    return max(rows, key=lambda row: abs(row.estimate or 0.0))


def shares_block(
    rows: Shares, result: Result, source: Source, stratum: str | None, labels: Sequence[str], k: int
) -> Block:
    """Show the shares of each source: in all units, and in each stratum."""
    everyone = (source.human, *source.others)
    among: tuple[str | None, ...] = (None, *labels) if k == 0 else tuple(labels)
    bars = [
        Bar(label=who, rows=rows.shares[who, g], section="all units" if g is None and labels else g or "")
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
        caption=f"Numbers in the bars are shares (those below 5 % are not written); n and intervals (Wilson's"
        f"{by_clusters(result)}) are in the table.",
        tables=(rows_table([r for _, r in listed], f"Shares of the actions{name}", term="Source and action",
                           labels=[text for text, _ in listed]),),
        results=(result,),
    )  # fmt: skip


def share_parts(rows: Shares, source: Source, labels: Sequence[str]) -> list[Part]:
    """Return the shares of each action by source, and the differences to people, level by level of a stratum."""
    found = []
    for who in (source.human, *source.others):
        for k, first in enumerate(rows.shares[who, None]):
            own = {g: rows.shares[who, g][k] for g in labels}
            found.append(Part(what=f"the share of '{shorten(first.term, 30)}'", whose=shorten(who, 30), rows=own))
    for other in source.others:
        for k, first in enumerate(rows.gaps[other, None]):
            own = {g: rows.gaps[other, g][k] for g in labels}
            whose = f"{shorten(other, 30)} minus {shorten(source.human, 30)}"
            found.append(Part(what=f"the difference in '{shorten(first.term, 30)}'", whose=whose, rows=own))
    return found


def similarity_parts(similar: Result, source: Source, labels: Sequence[str]) -> list[Part]:
    """Return the similarity of each source to people, level by level of a stratum."""
    return [
        Part(what="similarity", whose=shorten(other, 30), rows={
            g: next(r for r in similar.rows if r.term == other and r.group == g) for g in labels})
        for other in source.others
    ]  # fmt: skip


def differences_block(
    rows: Shares, result: Result, source: Source, stratum: str, labels: Sequence[str], k: int
) -> Block:
    """Show the differences to people in each level of a stratum, with the tests of any difference."""
    keys = [(other, g) for other in source.others for g in labels]
    several = len(source.others) > 1
    lines = [
        replace(r, term=f"{f'{other}, ' if several else ''}{g}: {r.term}", group=None)
        for other, g in keys for r in rows.gaps[other, g]
    ]  # fmt: skip
    tests = [(f"{f'{shorten(other, 30)}, ' if several else ''}{shorten(g, 40)}", rows.tests[other, g],
              rows.naive[other, g]) for other, g in keys]  # fmt: skip
    name = shorten(stratum, 40)
    return Block(
        id=f"differences-{k + 1}",
        question=f"Where do sources differ from {shorten(source.human, 30)} raters, by {name}?",
        sentences=tuple(gap_sentence(rows, source, other, labels) for other in source.others[:3]),
        draw=partial(forest, lines[:MOST_ROWS], sort=False, digits=3, label=name,
                     xlabel=f"difference of shares, minus {shorten(source.human, 30)}"),
        figure_title=f"Differences of shares to {shorten(source.human, 30)} raters by {name}",
        caption=f"t intervals of paired units{by_clusters(result)}; p adjusted by Holm over {count(len(labels))} "
        f"levels of {name} and all actions, source by source. {count(draws(result))} swaps cannot give a p below "
        f"{number(1 / (draws(result) + 1), 4, bounded=True)} before Holm.",
        tables=(
            rows_table(lines, f"Differences of shares by {name}", term="Action"),
            Table(
                caption=f"Any difference of shares by {name}: sources swapped in whole clusters, and what a chi-square "
                "of ratings taken as independent would have claimed",
                header=(name, "Statistic", "df", "p", "p (Holm)", "p (ratings independent)", "Why not"),
                cells=tuple(
                    (label, t.statistic, None if t.df is None else f"{t.df:.0f}", p_text(t.p_value),
                     p_text(t.p_adjusted), p_text(u.p_value), t.undefined) for label, t, u in tests),
            ),
        ),
    )  # fmt: skip


def by_clusters(result: Result) -> str:
    """Say how many clusters the errors of a result count: ``, 160 clusters``; nothing without."""
    n = next((row.n_clusters for row in result.rows if row.n_clusters is not None), None)
    return "" if n is None else f", {count(n, 'cluster')}"


def draws(result: Result) -> int:
    """Return how often the sources were swapped."""
    return int(result.settings["permutations"])


def gap_sentence(rows: Shares, source: Source, other: str, labels: Sequence[str]) -> str:
    """Say the widest difference of a source over the levels of a stratum."""
    known = [(g, r) for g in labels for r in rows.gaps[other, g] if r.estimate is not None]
    if not known:
        return f"No unit of any level was rated by both {shorten(other, 30)} and {shorten(source.human, 30)}."
    g, gap = max(known, key=lambda pair: abs(pair[1].estimate or 0.0))
    own, theirs = (next(r for r in rows.shares[who, g] if r.term == gap.term) for who in (other, source.human))
    p = gap.p_adjusted if gap.p_adjusted is not None else gap.p_value
    told = "" if p is None else f", {p_value(p, name='adjusted p' if gap.p_adjusted is not None else 'p')}"
    clear = sum(r.p_adjusted is not None and r.p_adjusted < 0.05 for _, r in known)
    apart = (own.estimate or 0.0) - (theirs.estimate or 0.0) - (gap.estimate or 0.0)
    where = "difference" if abs(apart) < 1e-9 else "difference on the units that both rated"
    return (
        f"Under '{shorten(g, 40)}', {shorten(other, 30)} chose '{shorten(gap.term, 30)}' in a share of "
        f"{number(own.estimate, 3, bounded=True)}, {shorten(source.human, 30)} raters in "
        f"{number(theirs.estimate, 3, bounded=True)}: {where} {numbers_text(gap, digits=3, bounded=True)}{told}, "
        f"the widest of {count(len(known), 'difference')}; {clear_text(clear, len(known))}."
    )


def similarity_block(similar: Mapping[str | None, Result], source: Source) -> Block:
    """Show the similarity of all units and of each cell beside its ceiling."""
    first = next(iter(similar.values()))
    lines: list[Row] = [replace(r, group=None) for r in first.rows if r.group is None and r.method != "plug-in"]
    extra: list[Result] = []
    table = [r for r in first.rows if r.group is None]
    for name, result in similar.items():
        if name is None:
            continue
        cells = [r for r in result.rows if r.group is not None]
        tested, adjusted = with_holm([r for r in cells if r.p_value is not None], f"cells of {name}")
        extra += [adjusted] if adjusted is not None else []
        by_key = {(r.term, r.group): r for r in tested}
        cells = [by_key.get((r.term, r.group), r) for r in cells]
        table += cells
        lines += [replace(r, term=f"{r.group}: {r.term}", group=None) for r in cells if r.method != "plug-in"]
    return Block(
        id="similarity",
        question="How alike are the shares of all actions?",
        sentences=(first.sentence(),),
        draw=partial(forest, lines[:MOST_ROWS], sort=False, digits=3, xlabel=first.title, reference=1.0),
        figure_title=f"Jensen-Shannon similarity to {shorten(source.human, 30)} raters, with its ceiling",
        caption="Corrected for bias, so that equal sources have 1 on average; (split-half) is how alike two random "
        f"halves of the {shorten(source.human, 30)} ratings are, their noise not taken off. A cell above 1 is noise. "
        f"Intervals: {first.inference}.",
        tables=(rows_table(table, "Jensen-Shannon similarity", term="Source and cell"),),
        results=(*similar.values(), *extra),
    )  # fmt: skip


def cells_block(design: Ratings, cells: Result | None, source: Source, names: Sequence[str]) -> Block | None:
    """Show the similarity in every combination of two strata as a heat map of the first source."""
    if cells is None:
        return None
    found = cells_of(design, tuple(names), "cell")
    one, two = (design.strata[name] for name in names)
    place: dict[str, tuple[str, str]] = {}
    for unit, code in enumerate(found.codes.tolist()):
        place.setdefault(found.labels[code], (one.levels[one.codes[unit]], two.levels[two.codes[unit]]))
    rows = [r for r in cells.rows if r.group in place and r.term in source.others]
    first = [replace(r, term=place[r.group][1], group=place[r.group][0])
             for r in rows if r.term == source.others[0] and r.group is not None]  # fmt: skip
    known = [r for r in rows if r.estimate is not None]
    said = "No cell has a similarity."
    if known:
        low, high = min(known, key=lambda r: r.estimate or 0.0), max(known, key=lambda r: r.estimate or 0.0)
        said = (
            f"Over {count(len(known), 'cell')}, similarity runs from {numbers_text(low, digits=3, bounded=True)} "
            f"({shorten(low.group or '', 50)}) to {numbers_text(high, digits=3, bounded=True)} "
            f"({shorten(high.group or '', 50)})."
        )
    small = max(len(one.levels), len(two.levels)) <= MOST_GROUPS
    labels = [f"{shorten(r.group or '', 50)}: {shorten(r.term, 30)}" for r in rows]
    return Block(
        id="cells",
        question=f"In which {shorten(names[1], 30)} and {shorten(names[0], 30)} are they least alike?",
        sentences=(said,),
        draw=partial(heat, first, neutral=1.0, extreme=0.2, xlabel=shorten(names[0], 30), digits=3) if small else None,
        figure_title=f"Similarity of {shorten(source.others[0], 30)} in each cell",
        caption="Each cell: similarity corrected for bias, and ratings of both sources. Full colour: .8 and below. "
        f"Intervals are in the table: {cells.inference}.",
        tables=(rows_table(rows, "Jensen-Shannon similarity in each cell", term="Cell and source", labels=labels),),
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
