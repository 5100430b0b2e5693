"""Do the judges agree, stage by stage: about composites, about trait scores, about commitment?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.metrics.weighted_kappa import weighted_kappa
from socialstats.models.traits import Names, answers_of, checked_weights, composites, declared_wording
from socialstats.results import Result, Row
from socialstats.studies.estimates import numbers_text, rows_table
from socialstats.studies.outcome import Block
from socialstats.text import count, level_text, listing, shorten

LEVELS_AS_THEY_OCCUR = "SS310"  # scores and composites are on an interval scale by what they are
PAIRS = {"mean": "mean of the pairs", "pooled": "all pairs pooled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of the judges, in all and by stage.

    Attributes
    ----------
    composite : Result
        Alpha (interval) of the composites.
    kappa : Result
        Quadratic weighted kappa of the composites, to whole points.
    traits : Result
        Alpha of the trait scores.
    commitment : Result or None
        Alpha of commitment.
    """

    composite: Result
    kappa: Result
    traits: Result
    commitment: Result | None

    def all(self) -> dict[str, Result]:
        """Return every result by a name of its own."""
        found = {"Agreement (alpha of composites)": self.composite, "Agreement (kappa of composites)": self.kappa,
                 "Agreement (alpha of traits)": self.traits, "Agreement about commitment": self.commitment}  # fmt: skip
        return {name: result for name, result in found.items() if result is not None}


def agreement_of(
    traits: Ratings, commitment: Ratings | None, stages: Sequence[str], weights: Any, options: dict[str, Any]
) -> Agreement | None:
    """Return the agreement of the judges; None of a single one."""
    if len(traits.raters) < 2:
        return None
    values = composite_ratings(traits, stages, weights)
    whole = composite_ratings(traits, stages, weights, rounded=True)
    return Agreement(
        composite=by_strata(krippendorff_alpha, values, options),
        kappa=by_strata(weighted_kappa, whole, options | {"weights": "quadratic"}),
        traits=by_strata(krippendorff_alpha, traits, options),
        commitment=None if commitment is None else by_strata(krippendorff_alpha, commitment, options),
    )


def by_strata(metric: Any, design: Ratings, options: dict[str, Any]) -> Result:
    """Return agreement in all and by stage."""
    found: Result = metric(design, stratum="stage", **options)
    return replace(found, cautions=tuple(c for c in found.cautions if c.code != LEVELS_AS_THEY_OCCUR))


def composite_ratings(design: Ratings, stages: Sequence[str], weights: Any, *, rounded: bool = False) -> Ratings:
    """Return one rating an answer and judge: the composite, or the nearest whole number; scenarios are clusters."""
    used = checked_weights(weights)
    model = "model" if "model" in design.strata else None
    names = Names(model=model, wording=declared_wording(design, None))
    answers = answers_of(design, names, tuple(used), stages, missing="drop_unit")
    values = composites(answers.scores, used, 10.0)
    n, k = values.shape
    unit, judge = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    table = {
        "unit": unit, "judge": np.array(answers.judges)[judge],
        "value": np.round(values.ravel()) if rounded else values.ravel(),
        "stage": np.array(answers.stages)[answers.codes[unit, 2]],
        "scenario": np.array(answers.scenarios)[answers.codes[unit, 1]],
    }  # fmt: skip
    return Ratings.from_frame(table, strata=["stage"], cluster="scenario", source=design.source)


def agreement_block(found: Agreement | None, stages: Sequence[str]) -> Block | None:
    """Return agreement of the judges by stage: about composites, trait scores and commitment."""
    if found is None:
        return None
    rows, traits = by_stage(found.composite, stages), by_stage(found.traits, stages)
    both = [numbers_text(r, bounded=True) for r in (rows[0], traits[0])]
    said = [f"Krippendorff's alpha (interval) of the composites is {both[0]}, of the single trait scores {both[1]}."
            + stages_text(rows, "That of the composites")]  # fmt: skip
    pairs = [r for r in found.kappa.rows if r.group is None]
    named = [f"{PAIRS.get(r.term, shorten(r.term, 60))} {numbers_text(r, bounded=True)}" for r in pairs]
    said.append(f"Quadratic weighted kappa of the composites, to whole points: {listing(named, most=6)}.")
    tables = [
        rows_table(rows, "Krippendorff's alpha (interval) of the composites", term="Stage"),
        rows_table(*kappa_rows(found.kappa, stages)),
        rows_table(traits, "Krippendorff's alpha (interval) of the trait scores", term="Stage"),
    ]
    if found.commitment is not None:
        own = by_stage(found.commitment, stages)
        said.append(f"Alpha of commitment is {numbers_text(own[0], bounded=True)}.{stages_text(own, 'It')}")
        tables.append(rows_table(own, "Krippendorff's alpha (interval) of commitment", term="Stage"))
    shown = [*rows, *(replace(r, term=f"kappa {PAIRS.get(r.term, r.term)}") for r in pairs)]
    return Block(
        id="agreement",
        question="Do the judges agree, stage by stage?",
        sentences=tuple(said),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, digits=3, reference=None, xlabel="1 = perfect agreement"),
        figure_title="Agreement of the judges about composites: alpha by stage, and kappa of each pair",
        caption=f"{level_text(rows[0].conf_level or 0.95)} intervals, clusters: {clusters_text(found.composite)}. "
        "Models that differ raise agreement about composites, traits that differ raise it over all traits; an offset "
        "of a judge lowers it, and does not touch a comparison of models.",
        tables=tuple(tables),
        results=tuple(found.all().values()),
    )  # fmt: skip


def clusters_text(result: Result) -> str:
    """Count the scenarios that are clusters."""
    return count(len(result.design.clusters[0].levels), "scenario") if result.design.clusters else "none"


def stages_text(rows: Sequence[Row], what: str) -> str:
    """Say how low and high it is by stage, after a blank; nothing where there is one."""
    parts = [r for r in rows[1:] if r.estimate is not None]
    if len(parts) < 2:
        return ""
    high, low = max(parts, key=lambda r: r.estimate or 0.0), min(parts, key=lambda r: r.estimate or 0.0)
    ends = [f"{numbers_text(r, bounded=True)} ({shorten(r.term, 40)})" for r in (low, high)]
    return f" {what} runs from {ends[0]} to {ends[1]} within single stages."


def by_stage(result: Result, stages: Sequence[str]) -> list[Row]:
    """Return the rows in all and by stage, in their order, named by the stage, without tests of 0."""
    rows = sorted(result.rows, key=lambda r: -1 if r.group is None else stages.index(r.group))
    return [bare(replace(r, term="all stages" if r.group is None else r.group, group=None)) for r in rows]


def kappa_rows(kappa: Result, stages: Sequence[str]) -> tuple[list[Row], str]:
    """Return kappa of each pair, in all and by stage in their order, and what they are."""
    rows = sorted(kappa.rows, key=lambda r: -1 if r.group is None else stages.index(r.group))
    named = [(r, PAIRS.get(r.term, r.term)) for r in rows]
    shown = [bare(replace(r, term=name if r.group is None else f"{name}, {r.group}", group=None)) for r, name in named]
    return shown, "Quadratic weighted kappa of the judges about composites, to whole points"


def bare(row: Row) -> Row:
    """Return a row without its test: nobody doubts that judges agree better than chance."""
    return replace(row, statistic=None, df=None, p_value=None)
