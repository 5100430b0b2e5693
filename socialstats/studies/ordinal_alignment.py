"""Answers on an ordered scale: how far are models from people, from which people least, and do they agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import InputError
from socialstats.metrics.ada_met import ada_met, by_attribute
from socialstats.results import Result, Row, Verification, joined
from socialstats.studies.alignment_alphas import Alphas, alphas_block, alphas_of
from socialstats.studies.alignment_blocks import (
    RULES,
    distance_block,
    model_rows,
    near_block,
    rules_block,
    stratum_block,
)
from socialstats.studies.alignment_gaps import alpha_gaps, with_gaps
from socialstats.studies.alignment_groups import closest_block, group_block
from socialstats.studies.alignment_models import describe, without_people
from socialstats.studies.alignment_multiverse import variants_block
from socialstats.studies.alignment_words import answer, diagnostics, methods, strip
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import settings_of, verify_all, verify_named, with_holm
from socialstats.studies.grouped import merge
from socialstats.studies.outcome import Block, Outcome
from socialstats.studies.ratings_blocks import united
from socialstats.studies.sources import Source, human_source, raters_of
from socialstats.text import shorten

USED = ("seed", "resamples", "level", "verify")
MOST_GROUPS, MOST_STRATA = 8, 4
FEWEST_PEOPLE = 5  # fewer have no mode to speak of: their agreement with the models is the question
MODEL_COLUMNS = ("model", "llm", "language_model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes where there are people.

    Attributes
    ----------
    source : Source
    distances : mapping of stratum (None where there is none) to Result
        Each has the rows of all units too.
    groups : mapping of attribute to Result
    families : mapping of model to (rows with adjusted p, what adjusted them)
        The differences between groups of all attributes are one family a model.
    rules : mapping of str to Result
        By what a refusal counts as; empty where nobody refused.
    alphas : tuple of Alphas
    gaps : tuple of Result
        Alphas of models minus that of people.
    """

    source: Source
    distances: dict[str | None, Result]
    groups: dict[str, Result]
    families: dict[str, tuple[tuple[Row, ...], Result | None]]
    rules: dict[str, Result]
    alphas: tuple[Alphas, ...]
    gaps: tuple[Result, ...]

    @property
    def main(self) -> Result:
        """Distances of all units."""
        return next(iter(self.distances.values()))


def suits(design: Ratings) -> bool:
    """Tell whether levels have an order, and raters are models, or people (enough for a mode) and others."""
    if design.scale == "nominal" or not design.raters_known or len(design.raters) < 2:
        return False
    source = human_source(design)
    if source is not None:
        return len(raters_of(design, source, source.human)) >= FEWEST_PEOPLE
    return design.columns.get("rater", "").casefold() in MODEL_COLUMNS


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer one table: distances to people where there are people, else how far the models agree."""
    if human_source(design) is None:
        return without_people({"all answers": design}, design, options)
    return with_people(design, options)


def levels(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table with a by factor, such as prompts."""
    if human_source(design) is None:
        return without_people(design.split(), design, options)
    return merge(
        {level: with_people(replace(part, by=None), options) for level, part in design.split().items()}, design
    )


def with_people(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: which model is nearest to people, nearer than what, and to which people?"""
    source = human_source(design)
    if source is None:
        raise InputError("no rater group has a level called human beside others; say which: --map rater_source=COLUMN")
    numbers = compute(design, source, options)
    shown = blocks(design, numbers, options)
    results = (*numbers.distances.values(), *numbers.groups.values())
    return Outcome(
        study="ordinal-alignment",
        title=f"How far are the models from the {shorten(source.human, 30)} answers?",
        design=describe(design),
        answer=answer(numbers.main, source),
        strip=strip(numbers.main),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(
            replace(
                united(design.of_raters(raters_of(design, source, source.human))),
                caption=f"How united the {shorten(source.human, 30)} raters are about a unit",
            ),
        ),
        diagnostics=diagnostics(numbers.main),
        methods=methods(numbers.main, source, groups=bool(numbers.groups)),
        references=tuple(dict.fromkeys(key for r in results for key in r.references)),
        verifications=verified(numbers, shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def compute(design: Ratings, source: Source, options: StudyOptions) -> Numbers:
    """Compute every number of the page."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    both: dict[str, Any] = {"reference": source.human, "source": source.name, **common}
    strata = [n for n, factor in design.strata.items() if len(factor.levels) > 1][:MOST_STRATA]
    keys: list[str | None] = [*strata] or [None]
    distances: dict[str | None, Any] = {name: ada_met(design, stratum=name, **both) for name in keys}
    groups = by_attribute(design, attributes(design, source), **both)
    refused = bool(np.any(design.status == REFUSAL))
    rules: dict[str, Any] = {}
    if refused:
        rules = {rule: ada_met(design, refusal=rule, **both) for rule in ("item_max", "exclude")}
        rules = {"max": next(iter(distances.values())), **rules}
    found = {who: raters_of(design, source, who) for who in (source.human, *source.others)}
    return Numbers(
        source=source, distances=distances, groups=groups, families=families(groups), rules=rules,
        alphas=tuple(a for who, raters in found.items() if (a := alphas_of(who, design, raters, common)) is not None),
        gaps=alpha_gaps(design, found, source.human, options),
    )  # fmt: skip


def attributes(design: Ratings, source: Source) -> list[str]:
    """Return the rater groups that divide the people into two groups or more, and not too many."""
    factor = design.rater_groups[source.name]
    people = factor.codes == factor.levels.index(source.human)
    found = []
    for name, other in design.rater_groups.items():
        used = {code for code in other.codes[people].tolist() if code >= 0}
        if name != source.name and 2 <= len(used) <= MOST_GROUPS:
            found.append(name)
    return found


def families(groups: Mapping[str, Result]) -> dict[str, tuple[tuple[Row, ...], Result | None]]:
    """Adjust the differences between groups: all attributes are one family a model."""
    tests: dict[str, list[Row]] = {}
    for name, result in groups.items():
        for row in result.rows:
            if row.group is not None and row.group.startswith(f"{name}: "):
                how = "t of people and units, less what sizes give"
                tests.setdefault(row.term, []).append(
                    replace(row, p_adjusted=None, method=how, statistic=None, df=None)
                )
    return {model: with_holm(rows, f"pairs of groups, {model}") for model, rows in tests.items()}


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    found: list[Block | None] = [distance_block(numbers.main, numbers.source), near_block(numbers.main)]
    for k, (name, result) in enumerate(numbers.distances.items()):
        found.append(stratum_block(name, result, k) if name is not None else None)
    found.append(closest_block(numbers.groups, numbers.families))
    several = len(numbers.groups)
    found += [
        group_block(name, result, numbers.families, k, several)
        for k, (name, result) in enumerate(numbers.groups.items())
    ]
    found.append(rules_block(numbers.rules, numbers.source))
    found.append(with_gaps(alphas_block(numbers.alphas, "source"), numbers.gaps))
    found.append(variants_block(design, numbers.main, numbers.source, options))
    return tuple(block for block in found if block is not None)


def verified(numbers: Numbers, shown: tuple[Block, ...]) -> Mapping[str, Verification]:
    """Recompute all results; of those by group what is about the groups, as what is about all people is the same."""
    found = verify_all(named(numbers), [b for b in shown if not b.id.startswith("group-") and b.id != "refusals"])
    groups = {f"Distances by {shorten(k, 40)} of people": of_groups(k, one) for k, one in numbers.groups.items()}
    return joined(found, verify_named(groups))


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found: dict[str, Result] = {
        "Distances" if name is None else f"Distances by {shorten(name, 40)}": r for name, r in numbers.distances.items()
    }
    found |= {
        f"Distances, refusals: {RULES[rule]}": replace(r, rows=tuple(model_rows(r)))
        for rule, r in numbers.rules.items() if rule != "max"
    }  # fmt: skip
    return found | {f"{a.label}, {kind}": r for a in numbers.alphas for kind, r in a.results.items()}


def of_groups(name: str, result: Result) -> Result:
    """Keep the rows about groups of people, with their differences as they were computed."""
    starts = (f"{name} = ", f"closest {name} = ", f"{name}: ")
    return replace(result, rows=tuple(r for r in result.rows if (r.group or "").startswith(starts)))


STUDY = Study(
    name="ordinal-alignment",
    title="How far are models from people on an ordered scale, and from whom least?",
    design="ratings",
    needs="unit, rater (a column called model, or with a source that says human of five or more), value with ordered "
    "levels",
    suits=suits,
    run=run,
    levels=levels,
)
