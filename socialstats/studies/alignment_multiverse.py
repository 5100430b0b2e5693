"""The distance of the nearest model under every reasonable choice of analysis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import MISSING, REFUSAL, Ratings
from socialstats.metrics.ada_met import ada_met
from socialstats.results import Result, Row
from socialstats.studies.alignment_blocks import POPULATION, RULES, line_rows, model_rows
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
from socialstats.studies.sources import Source
from socialstats.text import count, number, shorten

FEW_RESAMPLES = 500
Compute = Callable[..., Any]


def variants_block(design: Ratings, main: Result, source: Source, options: StudyOptions) -> Block | None:
    """Show the distance of the nearest model under every choice of analysis."""
    known = [r for r in model_rows(main) if r.estimate is not None]
    if not known:
        return None
    model = min(known, key=lambda r: r.estimate or 0.0).term
    top = line_rows(main)["ceiling"]
    base: dict[str, Any] = {
        "reference": source.human, "source": source.name, "level": options.level, "seed": options.seed,
        "resamples": min(options.resamples, FEW_RESAMPLES),
    }  # fmt: skip

    def of(table: Ratings = design, **more: Any) -> Any:
        return ada_met(table, **{**base, **more})

    line = f"that of one {shorten(source.human, 30)} rater ({number(top.estimate)}, taken as known)"
    made = multiverse("ada_met", f"the distance of {shorten(model, 30)}", distinct(variants(design, main, of, model)),
                      reference=top.estimate if top.estimate is not None else 0.0,
                      words=line)  # fmt: skip
    return multiverse_block(
        made, id="multiverse", question="Does the distance of the nearest model hang on a choice of analysis?",
        quantity=f"distance of {shorten(model, 30)}",
        note=f"Analyses other than that of the page: {count(base['resamples'], 'resample')}.",
    )  # fmt: skip


def variants(design: Ratings, main: Result, of: Compute, model: str) -> list[Variant]:
    """Return the analyses: ties, refusals, missing answers, noise of modes, clusters, a level of a stratum left out."""

    def variant(label: str, choice: str, compute: Any, group: str | None = None) -> Variant:
        def lead(result: Result) -> Row:
            return next(r for r in result.rows if r.term == model and r.group == group)

        return Variant(label=label, choice=choice, compute=compute, lead=lead)

    found = [variant("mean of tied modes, refusals the width of the scale", "as on this page", lambda: main)]
    found += [
        variant(f"tied modes: {rule}", "ties", partial(of, ties=rule)) for rule in ("low", "high", "nearest", "drop")
    ]
    own = design.status[design.rater == design.raters.index(model)]
    if (own == REFUSAL).any():
        found += [
            variant(f"refusals: {RULES[rule]}", "refusals", partial(of, refusal=rule))
            for rule in ("item_max", "exclude")
        ]
    if (own == MISSING).any():
        found.append(variant("missing answers of models as refusals", "missing", partial(of, unparsed="refusal")))
    if any(r.group == POPULATION for r in main.rows):
        found.append(variant("from the mode of the whole population", "noise of modes", lambda: main, POPULATION))
    if design.clusters:
        found.append(variant("units independent", "clusters", partial(of, cluster=None)))
    for name, factor in design.strata.items():
        if 1 < len(factor.levels) <= MOST_LEFT_OUT:
            found += [
                variant(without_label(name, level), f"leave one {name} out", partial(without, of, design, name, code))
                for code, level in enumerate(factor.levels)
            ]
    return found


def without(compute: Compute, design: Ratings, stratum: str, code: int) -> Any:
    """Compute a result without the units of one level of a stratum."""
    return compute(
        design.take(np.asarray(design.strata[stratum].codes[design.unit] != code), note="one level left out")
    )
