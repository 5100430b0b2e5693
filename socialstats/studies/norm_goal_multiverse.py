"""The similarity of the first source under every reasonable choice of analysis, and bounds from what it refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.metrics.choice_shares import choice_shares
from socialstats.metrics.js_similarity import js_similarity
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.outcome import Block
from socialstats.studies.refusals import Rule, refusal_block
from socialstats.studies.sources import Source, unpacked
from socialstats.text import shorten

Compute = Callable[..., Any]


def variants_block(
    design: Ratings, similar: Result, source: Source, strata: Sequence[str], options: StudyOptions
) -> Block | None:
    """Show the similarity of the first source under every choice of analysis."""
    first = source.others[0]
    base: dict[str, Any] = {
        "source": source.name, "reference": source.human, "level": options.level, "seed": options.seed,
        "resamples": options.resamples, "permutations": min(options.resamples, 199), "splits": 99,
    }  # fmt: skip

    def of(table: Ratings = design, **more: Any) -> Any:
        return js_similarity(table, **{**base, **more})

    found = variants(design, similar, first, strata, of)
    made = multiverse("js_similarity", f"the similarity of {shorten(first, 30)}", distinct(found), reference=1.0,
                      digits=3, words="1 (equal shares)")  # fmt: skip
    return multiverse_block(
        made, id="multiverse", question="Does the similarity hang on a choice of analysis?",
        quantity=f"similarity of {shorten(first, 30)}",
        note="Within units a source is compared with people unit by unit, which asks for more than equal shares of "
        "all; two groups of the same people would have about 1 there too.",
    )  # fmt: skip


def variants(design: Ratings, similar: Result, first: str, strata: Sequence[str], of: Compute) -> list[Variant]:
    """Return the analyses: bias, aggregation, interval, clusters, macro or micro, refusals, a level left out."""

    def corrected(result: Result) -> Row:
        return next(r for r in result.rows if r.term == first and r.group is None)

    def after(result: Result) -> Row:
        return result.rows[list(result.rows).index(corrected(result)) + 1]  # plug-in

    def macro(result: Result) -> Row:
        return [r for r in result.rows if r.term == first][-1]

    def variant(label: str, choice: str, compute: Any, lead: Callable[[Result], Row] = corrected) -> Variant:
        return Variant(label=label, choice=choice, compute=compute, lead=lead)

    found = [
        variant("pooled, corrected for bias", "as on this page", lambda: similar),
        variant("plug-in, without correction", "bias", of, after),
        variant("within units, then averaged", "aggregation", partial(of, aggregate="unit")),
        variant("bootstrap of units (percentile)", "interval", partial(of, ci="percentile")),
    ]
    if design.clusters:
        found.append(variant("units independent", "clusters", partial(of, cluster=None)))
    found += [variant(f"mean of the cells of {name}", "macro or micro", partial(of, cell=name), macro)
              for name in strata]  # fmt: skip
    if (design.status == REFUSAL).any():
        found.append(variant("refusals as an action", "refusals", partial(of, refusal="level")))
    for name in strata:
        factor = design.strata[name]
        if len(factor.levels) <= MOST_LEFT_OUT:
            found += [
                variant(without_label(name, level), f"leave one {name} out", partial(without, of, design, name, code))
                for code, level in enumerate(factor.levels)
            ]
    return found


def without(compute: Compute, design: Ratings, stratum: str, code: int) -> Any:
    """Compute a result without the units of one level of a stratum."""
    return compute(design.take(design.strata[stratum].codes[design.unit] != code, note="one level left out"))


def bounds_block(design: Ratings, source: Source, place: int, options: StudyOptions) -> Block | None:
    """Show how far refusals of the first source could move its difference to people in one action; None without any."""
    first = source.others[0]
    factor = design.rater_groups[source.name]
    mine = (factor.codes[design.rater] == factor.levels.index(first)) & (design.status == REFUSAL)
    action = shorten(design.levels[place], 30)

    def compute(rule: Rule) -> Any:
        return choice_shares(
            design if rule == "drop" else answered(design, mine, place, rule == "for"), source=source.name,
            reference=source.human, level=options.level, seed=options.seed, permutations=99,
        )  # fmt: skip

    return refusal_block(
        compute, int(mine.sum()), bounded=True, lead=lambda result: unpacked(result).gaps[first, None][place],
        quantity=f"difference of shares of '{action}', {shorten(first, 30)} minus {shorten(source.human, 30)} raters",
    )  # fmt: skip


def answered(design: Ratings, refused: Any, place: int, hit: bool) -> Ratings:
    """Return the design with some refusals as answers: this level, or (for it does not matter which) another."""
    other = place if hit else (place + 1) % len(design.levels)
    return replace(
        design,
        value=np.where(refused, other, design.value),
        status=np.where(refused, OK, design.status).astype(np.int8),
    )
