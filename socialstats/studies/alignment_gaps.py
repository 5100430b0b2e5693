"""Do models agree among themselves more than people do? Differences of alphas on the same units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats.designs.ratings import Ratings
from socialstats.errors import SocialStatsError
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.compare_measures import ALPHA, ratings_difference
from socialstats.studies.estimates import numbers_text, rows_table
from socialstats.studies.outcome import Block
from socialstats.studies.verdicts import verdict
from socialstats.text import p_value, shorten

VERBS = {"above": "agree more among themselves than", "below": "agree less among themselves than"}


def alpha_gaps(
    design: Ratings, raters: Mapping[str, Sequence[str]], human: str, options: StudyOptions
) -> tuple[Result, ...]:
    """Return for each source alpha minus that of people, on the scale of the design and without order.

    Units are resampled in both together: what makes a unit hard to agree on is in both alphas.
    """
    found: list[Result] = []
    for who in (name for name in raters if name != human):
        parts = [replace(design.of_raters(raters[name]), by=None) for name in (who, human)]
        for scale in dict.fromkeys((design.scale, "nominal")):
            one, two = (replace(part, scale=scale) for part in parts)
            try:
                made = ratings_difference(one, two, (who, human), options)
            except SocialStatsError:
                continue
            rows = tuple(replace(row, group=ALPHA) for row in made.rows if row.group == ALPHA)
            if rows:
                title = f"Alpha ({scale}): {shorten(who, 40)} minus {shorten(human, 40)}"
                found.append(replace(made, rows=rows, title=title))
    return tuple(found)


def with_gaps(block: Block | None, gaps: Sequence[Result]) -> Block | None:
    """Add to the block of alphas who agrees more, with the table of the differences."""
    if block is None or not gaps:
        return block
    rows = [replace(r.rows[0], term=r.title, group=None) for r in gaps]
    return replace(
        block,
        sentences=(*block.sentences, *(_said(gap) for gap in gaps)),
        tables=(*block.tables, rows_table(rows, f"Differences of alpha on the same units; {gaps[0].inference}")),
        results=(*block.results, *gaps),
    )


def _said(gap: Result) -> str:
    """Say who agrees more by one alpha, or that the data do not settle it."""
    row = gap.rows[0]
    one, two = (f"'{shorten(name, 40)}' raters" for name in gap.settings["labels"])
    numbers = f"{row.term}, difference {numbers_text(row, digits=3)}, {p_value(row.p_value)}"
    verb = VERBS.get(verdict(row))
    if verb is None:
        return f"Whether {one} or {two} agree more among themselves the data do not settle ({numbers})."
    return f"On the same units {one} {verb} {two} ({numbers})."
