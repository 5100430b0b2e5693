"""Answers on an ordered scale: how far are models from people, from which people least, and do they agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import InputError
from socialstats.metrics.ada_met import ada_met
from socialstats.results import Result, Row, Verification
from socialstats.studies.alignment_alphas import Alphas, alphas_block, alphas_of, range_text, strata_block
from socialstats.studies.alignment_blocks import (
    closest_block,
    distance_block,
    group_block,
    line_rows,
    model_rows,
    rules_block,
    stratum_block,
    variants_block,
)
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import cluster_words, numbers_text, settings_of, verify_all, with_holm
from socialstats.studies.grouped import merge
from socialstats.studies.outcome import Block, Diagnostic, Mark, Outcome, Strip
from socialstats.studies.ratings_blocks import about_ratings, level_words, united
from socialstats.studies.sources import Source, human_source, raters_of
from socialstats.text import count, level_text, listing, number, shorten

USED = ("seed", "resamples", "level", "verify")
MOST_GROUPS, MOST_STRATA, MOST_RATERS_SHOWN = 8, 4, 30
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
    """

    source: Source
    distances: dict[str | None, Result]
    groups: dict[str, Result]
    families: dict[str, tuple[tuple[Row, ...], Result | None]]
    rules: dict[str, Result]
    alphas: tuple[Alphas, ...]

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
        answer=answer(numbers),
        strip=strip(numbers),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(united(design),),
        diagnostics=diagnostics(numbers),
        methods=methods(design, numbers, options),
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
    groups: dict[str, Any] = {name: ada_met(design, group=name, **both) for name in attributes(design, source)}
    refused = bool(np.any(design.status == REFUSAL))
    rules: dict[str, Any] = {}
    if refused:
        rules = {rule: ada_met(design, refusal=rule, **both) for rule in ("item_max", "exclude")}
        rules = {"max": next(iter(distances.values())), **rules}
    found = {who: raters_of(design, source, who) for who in (source.human, *source.others)}
    return Numbers(
        source=source, distances=distances, groups=groups, families=families(groups), rules=rules,
        alphas=tuple(a for who, raters in found.items() if (a := alphas_of(who, design, raters, common)) is not None),
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
                how = "two-way bootstrap; p by permuting people"
                tests.setdefault(row.term, []).append(replace(row, p_adjusted=None, method=how))
    return {model: with_holm(rows, f"pairs of groups, {model}") for model, rows in tests.items()}


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    found: list[Block | None] = [distance_block(numbers.main, numbers.source)]
    for k, (name, result) in enumerate(numbers.distances.items()):
        found.append(stratum_block(name, result, k) if name is not None else None)
    found.append(closest_block(numbers.groups, numbers.families))
    found += [group_block(name, result, numbers.families, k) for k, (name, result) in enumerate(numbers.groups.items())]
    found.append(rules_block(numbers.rules, numbers.source))
    found.append(alphas_block(numbers.alphas, "source"))
    found.append(variants_block(design, numbers.main, numbers.source, options))
    return tuple(block for block in found if block is not None)


def answer(numbers: Numbers) -> tuple[str, ...]:
    """Return the nearest model beside the reference lines, and how many models beat the best constant answer."""
    known = sorted(
        (r for r in model_rows(numbers.main) if r.estimate is not None), key=lambda r: r.estimate or 0.0
    )  # fmt: skip
    if not known:
        return (f"No verdict: {model_rows(numbers.main)[0].undefined}.",)
    lines = line_rows(numbers.main)
    top, best = lines["ceiling"], lines["constant"]
    human = shorten(numbers.source.human, 30)
    beside = [f"'{best.term}' {number(best.estimate, 2)}"]
    if top.estimate is not None:
        beside.insert(0, f"a random {human} rater {number(top.estimate, 2)}")
    first = (
        f"Nearest to the mode of the {human} answers is {shorten(known[0].term, 40)}: on average "
        f"{numbers_text(known[0])} levels away (ADA-Met); {', '.join(beside)}."
    )
    line = best.estimate or 0.0
    inside = [r for r in known if r.conf_low is not None and r.conf_high is not None]
    near = sum((r.conf_high or 0.0) < line for r in inside)
    far = sum((r.conf_low or 0.0) > line for r in inside)
    second = (
        f"Of {count(len(inside), 'model')}, {count(near)} lie nearer than always giving one answer ('{best.term}'), "
        f"{count(far)} farther, and for {count(len(inside) - near - far)} the data do not settle it."
    )
    return (first, second)


def strip(numbers: Numbers) -> Strip:
    """Return the nearest and the farthest model beside the reference lines."""
    lines = line_rows(numbers.main)
    marks = [Mark(label=row.term, value=row.estimate, kind="reference", undefined=row.undefined or "")
             for row in lines.values()]  # fmt: skip
    rows = sorted(model_rows(numbers.main), key=lambda r: (r.estimate is None, r.estimate or 0.0))
    known = [r for r in rows if r.estimate is not None] or rows[:1]
    for row in dict.fromkeys((known[0], known[-1])):
        marks.append(Mark(label=shorten(row.term, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                          undefined=row.undefined or ""))  # fmt: skip
    return Strip(title="Nearest and farthest model, beside what needs no model", axis="mean distance in levels",
                 marks=tuple(marks))  # fmt: skip


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "answer"), count(design.unit_count.sum(), "unit"), count(len(design.raters), "rater"),
        f"{design.scale} scale ({level_words(design)})", *cluster_words(design),
    ]  # fmt: skip
    return "Ordered answers: " + ", ".join(parts)


def diagnostics(numbers: Numbers) -> tuple[Diagnostic, ...]:
    """Say how many modes are tied, and what resampling adds to the distances."""
    ties = float(numbers.main.extras["share_tied"])
    bias = max(numbers.main.extras["bootstrap_bias"].values(), default=0.0)
    return (
        Diagnostic(
            check="How often do several levels have most answers?",
            found=f"In a share of {number(ties, 3, bounded=True)} of the units.",
            so_what="Their mean is taken; the last question shows the other rules.",
        ),
        Diagnostic(
            check="Are the modes noisy?",
            found=f"Resampling the people adds up to {number(bias, 2)} to a distance.",
            so_what="Distances are those to the mode of as many people as these, somewhat too large.",
        ),
    )


def methods(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    text = (
        f"{numbers.main.title}: distance between a model's answer and the mode of the "
        f"{shorten(numbers.source.human, 30)} answers to the same unit, joined by the unit's label, averaged over "
        f"units; tied modes count with their mean, refusals with the largest distance ({numbers.main.inference}). "
        f"{level_text(options.level)} intervals."
    )
    if numbers.groups:
        text += (
            " Differences between groups of people are tested by permuting people between the groups, so that the "
            "noisier modes of small groups do not count, and adjusted by Holm over the pairs of all attributes, model "
            "by model."
        )
    return (text,)


def verified(numbers: Numbers, shown: tuple[Block, ...]) -> dict[str, Verification]:
    """Recompute all results; those by group as they were computed, not as shortened for the page."""
    return verify_all(named(numbers), [block for block in shown if not block.id.startswith("group-")])


def named(numbers: Numbers) -> dict[str, Result]:
    """Return the results that lead the page, by name."""
    found: dict[str, Result] = {
        "Distances" if name is None else f"Distances by {shorten(name, 40)}": r for name, r in numbers.distances.items()
    }
    found |= {f"Distances by {shorten(name, 40)} of people": r for name, r in numbers.groups.items()}
    return found | {f"{a.label}, {kind}": r for a in numbers.alphas for kind, r in a.results.items()}


def without_people(parts: Mapping[str, Ratings], design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table of models alone: how far do they agree, with and without the order of the levels?"""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    found = [alphas_of(level, part, None, common) for level, part in parts.items()]
    alphas = tuple(one for one in found if one is not None)
    if not alphas:
        raise InputError(f"{design.source}: no unit has two answers, so that nothing can be said about agreement")
    by = design.by.name if design.by is not None else "answers"
    first = alphas_block(alphas, by)
    shown = tuple(b for b in (first, *(strata_block(parts, name, k, common) for k, name in enumerate(design.strata)))
                  if b is not None)  # fmt: skip
    results = [r for a in alphas for r in a.results.values()]
    several = len(parts) > 1
    return Outcome(
        study="ordinal-alignment",
        title=f"Do the {count(len(design.raters))} models agree, and does the order of the levels matter?",
        design=describe(design),
        answer=range_text(alphas, by),
        strip=alpha_strip(alphas),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=tuple(replace(t, caption=f"{shorten(level, 40)}: {t.caption}" if several else t.caption)
                   for level, part in parts.items() for t in about_ratings(part)),
        methods=(
            f"Krippendorff's alpha of {listing([shorten(r, 30) for r in design.raters], most=MOST_RATERS_SHOWN)}: "
            "nominal (any two levels are equally different; refusals left out, or as one more level) and ordinal "
            f"(levels differ by how many answers lie between them). {results[0].inference}; "
            f"{level_text(options.level)} intervals. No people are in the table, so that nothing is said about "
            "distances to people.",
        ),
        references=tuple(dict.fromkeys(key for r in results for key in r.references)),
        verifications=verify_all(
            {f"{a.label}, {kind}": r for a in alphas for kind, r in a.results.items()}, shown
        ) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )  # fmt: skip


def alpha_strip(alphas: tuple[Alphas, ...]) -> Strip:
    """Return ordinal alpha of each level beside chance and the customary lines."""
    marks = [Mark(label=name, value=value, kind="reference")
             for name, value in (("chance", 0.0), ("tentative", 0.667), ("firm", 0.8))]  # fmt: skip
    for one in alphas:
        row = one.ordered.rows[0]
        marks.append(Mark(label=shorten(one.label, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                          undefined=row.undefined or ""))  # fmt: skip
    return Strip(title="Krippendorff's alpha with the order of the levels", axis="1 = perfect agreement",
                 marks=tuple(marks), digits=3)  # fmt: skip


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
