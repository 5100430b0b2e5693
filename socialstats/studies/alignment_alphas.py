"""Krippendorff's alpha of some raters with and without the order of the levels, and with refusals as a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import NothingToAnalyse, SocialStatsError, UndefinedStatistic
from socialstats.figures import forest
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.results import Result, Row
from socialstats.studies.estimates import clusters_caption, numbers_text, rows_table
from socialstats.studies.outcome import Block
from socialstats.text import count, level_text, listing, number, shorten

REFUSED_AS_LEVEL, NOMINAL = "nominal, refusals as a level", "nominal"
SHORT = {REFUSED_AS_LEVEL: "with refusals"}  # in figures
MOST_ALPHAS, MOST_SIZES = 200, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphas:
    """Alphas of one set of ratings: `results` by kind, the one that uses the order last."""

    label: str
    results: dict[str, Result]

    @property
    def ordered(self) -> Result:
        """Alpha on the scale of the design."""
        return list(self.results.values())[-1]

    def sentence(self) -> str:
        """Say all kinds, and what the order adds.

        A nominal alpha of an ordered scale counts neighbours as strangers.
        """
        rows = {kind: result.rows[0] for kind, result in self.results.items()}
        said = [f"{kind} {numbers_text(row, digits=3, bounded=True)}" for kind, row in rows.items()]
        return f"alpha {'; '.join(said)}."


def range_text(alphas: Sequence[Alphas], by: str) -> tuple[str, ...]:
    """Say alpha with the order of the levels and without it, over several tables.

    Parameters
    ----------
    alphas : sequence of Alphas
    by : str
        What tells the tables apart.
    """
    if len(alphas) == 1:
        return (f"Krippendorff's {alphas[0].sentence()}",)
    said = []
    for kind in (list(alphas[0].results)[-1], NOMINAL, REFUSED_AS_LEVEL):
        known = [(one.label, one.results[kind].rows[0]) for one in alphas if kind in one.results]
        known = [(label, row) for label, row in known if row.estimate is not None]
        if not known:
            continue
        low, high = (pick(known, key=lambda pair: pair[1].estimate or 0.0) for pick in (min, max))
        ends = " to ".join(
            f"{numbers_text(row, digits=3, bounded=True)} ({shorten(label, 40)})" for label, row in (low, high)
        )
        said.append(f"{kind}: {ends}")
    return (
        f"Over {number(len(alphas), 0)} levels of {shorten(by, 40)}, Krippendorff's alpha runs: {'; '.join(said)}.",
    )


def alphas_of(label: str, design: Ratings, raters: Sequence[str] | None, common: dict[str, Any]) -> Alphas | None:
    """Compute the alphas; None where no unit has two ratings."""
    own = design if raters is None else design.of_raters(raters)
    kinds: dict[str, dict[str, Any]] = {}
    if np.any(own.status == REFUSAL):
        kinds[REFUSED_AS_LEVEL] = {"scale": "nominal", "refusal": "level"}
    kinds[NOMINAL] = {"scale": "nominal"}
    if design.scale != "nominal":
        kinds[design.scale] = {}
    found: dict[str, Any] = {}
    for kind, options in kinds.items():
        try:
            found[kind] = krippendorff_alpha(replace(own, by=None), **options, **common)
        except (UndefinedStatistic, NothingToAnalyse):
            return None
    return Alphas(label=label, results=found)


def alphas_block(alphas: Sequence[Alphas], by: str) -> Block | None:
    """Show every alpha, those of one table or source beneath each other."""
    if not alphas:
        return None
    rows = [replace(result.rows[0], term=f"{one.label}: {kind}", group=None)
            for one in alphas for kind, result in one.results.items()]  # fmt: skip
    drawn = [replace(result.rows[0], term=f"{one.label}: {SHORT.get(kind, kind)}", group=None)
             for one in alphas for kind, result in one.results.items()]  # fmt: skip
    gaps = [(one, (one.ordered.rows[0].estimate or 0.0) - (one.results[NOMINAL].rows[0].estimate or 0.0))
            for one in alphas]  # fmt: skip
    higher = sum(gap > 0 for _, gap in gaps)
    kind = list(alphas[0].results)[-1]
    return Block(
        id="agreement",
        question="Do they agree, and does the order of the levels matter?",
        sentences=(
            *(f"{shorten(one.label, 40)}: {one.sentence()}" for one in alphas),
            f"With the order of the levels ({kind}) alpha is higher than the nominal one in "
            f"{number(higher, 0)} of {number(len(alphas), 0)} {'tables' if by != 'source' else 'sources'}; a nominal "
            "alpha counts neighbouring levels as strangers.",
        ),
        draw=partial(forest, drawn[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha; 0 = as by chance"),
        figure_title="Krippendorff's alpha without and with the order of the levels",
        caption="Same ratings, other ideas of disagreement (with refusals: nominal, refusals as one more level). 1 is "
        f"perfect agreement, 0 what chance gives. {alpha_design(alphas)}",
        tables=(rows_table(rows, "Krippendorff's alpha", term=f"{shorten(by, 40)} and kind"),),
        results=tuple(result for one in alphas for result in one.results.values()),
    )


def alpha_design(alphas: Sequence[Alphas]) -> str:
    """Return what a caption says of units, raters, clusters and intervals."""
    first = alphas[0].ordered
    held = clusters_caption(getattr(first.design, "clusters", ()), None)
    sizes = [f"{shorten(one.label, 30)}: {count(int(one.ordered.rows[0].n or 0), 'answer')} of "
             f"{count(len(one.ordered.design.raters), 'rater')}" for one in alphas]  # fmt: skip
    common = dict.fromkeys(text.partition(": ")[2] for text in sizes)
    said = f"Each: {next(iter(common))}" if len(common) == 1 else listing(sizes, most=MOST_SIZES)
    return f"{said}{f'; {held}' if held else ''}; {level_text(first.settings['level'])} intervals over units."


def strata_block(parts: Mapping[str, Ratings], stratum: str, k: int, common: dict[str, Any]) -> Block | None:
    """Show alpha on the scale of the design in each level of a stratum, for each part of the table."""
    found: dict[str, Any] = {}
    for label, part in parts.items():
        try:
            found[label] = krippendorff_alpha(replace(part, by=None), stratum=stratum, **common)
        except SocialStatsError:
            continue
    several = len(parts) > 1
    rows = [replace(r, term=f"{f'{label}, ' if several else ''}{r.group}", group=None)
            for label, result in found.items() for r in result.rows if r.group is not None]  # fmt: skip
    known = [r for r in rows if r.estimate is not None]
    if not known:
        return None
    low, high = min(known, key=lambda r: r.estimate or 0.0), max(known, key=lambda r: r.estimate or 0.0)
    name = shorten(stratum, 40)
    return Block(
        id=f"stratum-{k + 1}",
        question=f"Does agreement differ by {name}?",
        sentences=(
            f"Alpha runs from {numbers_text(low, digits=3, bounded=True)} ({shorten(low.term, 60)}) to "
            f"{numbers_text(high, digits=3, bounded=True)} ({shorten(high.term, 60)}).",
        ),
        draw=partial(forest, rows[:MOST_ALPHAS], sort=False, digits=3, xlabel="alpha", label=name),
        figure_title=f"Krippendorff's alpha by {name}",
        caption="Where values vary little alpha is low even if raters mostly agree. "
        f"{counted(known)}; {level_text(common['level'])} intervals over units.",
        tables=(rows_table(rows, f"Krippendorff's alpha by {name}", term=name),),
        results=tuple(found.values()),
    )


def counted(rows: Sequence[Row]) -> str:
    """Say how many answers are behind rows, from the fewest to the most."""
    sizes = [int(row.n or 0) for row in rows]
    if min(sizes) == max(sizes):
        return f"{count(sizes[0], 'answer')} each"
    return f"{count(min(sizes))} to {count(max(sizes), 'answer')} each"
