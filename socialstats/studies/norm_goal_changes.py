"""From no pressure to pressure: how far does each source move, and does one move farther than people?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.results import Result, Row
from socialstats.studies.estimates import clear_text, numbers_text, p_text
from socialstats.studies.outcome import Block, Table
from socialstats.studies.sources import Source
from socialstats.text import count, number, p_value, shorten

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
    return replace(design, strata={name: first_level(factor, base_of(factor.levels, reference))
                                   for name, factor in design.strata.items()})  # fmt: skip


def first_level(factor: Factor, level: str | None) -> Factor:
    """Return a factor with one level moved to the front."""
    if level is None:
        return factor
    levels = (level, *(other for other in factor.levels if other != level))
    place = np.array([levels.index(name) for name in factor.levels], dtype=np.int64)
    return Factor(name=factor.name, codes=np.where(factor.codes < 0, -1, place[factor.codes]), levels=levels)


def base_in(design: Ratings, stratum: str | None, reference: str | None) -> str | None:
    """Return the base of a stratum; None without one, or without the one cluster that the stratum varies."""
    if stratum is None or len(design.clusters) != 1:
        return None
    return base_of(design.strata[stratum].levels, reference)


def changes_blocks(shares: Mapping[str | None, Result], source: Source, asked: str | None = None) -> tuple[Block, ...]:
    """Show the changes in each stratum whose shares were computed with a base."""
    based = [(name, result) for name, result in shares.items() if name is not None and result.settings["base"]]
    made = [changes_block(result, source, name, k, asked) for k, (name, result) in enumerate(based)]
    return tuple(block for block in made if block is not None)


def changes_block(result: Result, source: Source, name: str, k: int, asked: str | None = None) -> Block | None:
    """Show by how much each source moves from the base, and each other source more than people."""
    base = str(result.settings["base"])
    by_whom = changes_of(result, source)
    own = {who: rows for who, (rows, _) in by_whom.items()}
    gaps = {who: own[f"{who} - {source.human}"] for who in source.others}
    shown = [r for rows in own.values() for r in rows]
    tests = [r for _, joint in by_whom.values() for r in joint]
    if not any(r.conf_low is not None for r in shown):
        return None
    several = len(gaps) > 1
    lines = [
        replace(r, term=f"{f'{other}, ' if several else ''}{moved_to(r, f'{other} - {source.human}', base)}: {r.term}",
                group=None)
        for other, rows in gaps.items() for r in rows if r.estimate is not None
    ]  # fmt: skip
    stem, most = shorten(name, 40), shorten(base, 30)
    said = tuple(change_sentence(own, gaps, source, other, base) for other in source.others[:3])
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
        tables=(change_table(shown, f"Changes from '{most}'"), joint_table(tests, f"Any change from '{most}'")),
    )  # fmt: skip


def changes_of(result: Result, source: Source) -> dict[str, tuple[tuple[Row, ...], tuple[Row, ...]]]:
    """Sort the rows of changes, the last of the result in a fixed order: rows of the actions, and joint tests."""
    counts = result.extras["counts"]
    whom = [*counts, *(f"{other} - {source.human}" for other in counts if other != source.human)]
    m, n = len(counts[source.human]), result.counts["strata"] - 1
    each = n * (m + 1)
    rows = result.rows[len(result.rows) - each * len(whom) :]
    return {who: (rows[k * each : k * each + n * m], rows[k * each + n * m : (k + 1) * each])
            for k, who in enumerate(whom)}  # fmt: skip


def change_sentence(
    own: Mapping[str, Sequence[Row]], gaps: Mapping[str, Sequence[Row]], source: Source, other: str, base: str
) -> str:
    """Say the widest difference of differences, and both changes behind it."""
    known = [r for r in gaps[other] if r.estimate is not None]
    tested = [r for r in known if r.p_value is not None]
    if not known:
        return (
            f"No cluster lets the changes of {shorten(other, 30)} and {shorten(source.human, 30)} raters be compared."
        )
    top = max(known, key=lambda r: abs(r.estimate or 0.0))
    place = list(gaps[other]).index(top)  # the rows of every source come in the same order
    both = [own[who][place] for who in (other, source.human)]
    where = moved_to(top, f"{other} - {source.human}", base)
    p = top.p_adjusted if top.p_adjusted is not None else top.p_value
    told = "" if p is None else f", {p_value(p, name='adjusted p' if top.p_adjusted is not None else 'p')}"
    clear = sum((r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 0.05 for r in tested)
    return (
        f"From '{shorten(base, 30)}' to '{shorten(where, 30)}' the share of '{shorten(top.term, 30)}' of "
        f"{shorten(other, 30)} changed by {number(both[0].estimate, 3, bounded=True)}, that of "
        f"{shorten(source.human, 30)} raters by {number(both[1].estimate, 3, bounded=True)}: difference of differences "
        f"{numbers_text(top, digits=3, bounded=True)}{told}, the widest of {count(len(known))}; "
        f"{clear_text(clear, len(tested))}."
    )


def moved_to(row: Row, who: str, base: str) -> str:
    """Return the stratum that a row of changes leads to."""
    return (row.group or "").rstrip("'").removeprefix(f"{who}: ").removesuffix(f" - {base}")


def change_table(rows: Sequence[Row], caption: str) -> Table:
    """Return the changes as a table."""
    header = ("Source, change and action", "Estimate", "SE", "Low", "High", "p", "p (Holm)", "Clusters", "Why not")
    return Table(
        caption=caption, header=header,
        cells=tuple(
            (f"{r.group}: {r.term}", r.estimate, r.std_error, r.conf_low, r.conf_high, p_text(r.p_value),
             p_text(r.p_adjusted), r.n_clusters, r.undefined) for r in rows
        ),
    )  # fmt: skip


def joint_table(rows: Sequence[Row], caption: str) -> Table:
    """Return the joint tests as a table."""
    header = ("Source and change", "T-squared", "Changes tested at once", "p", "p (Holm)", "Clusters", "Why not")
    return Table(
        caption=f"{caption}, all actions at once", header=header,
        cells=tuple(
            (r.group, r.statistic, None if r.df is None else f"{r.df:.0f}", p_text(r.p_value), p_text(r.p_adjusted),
             r.n_clusters, r.undefined) for r in rows
        ),
    )  # fmt: skip
