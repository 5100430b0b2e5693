"""Answers on an ordered scale: how far are models from people, from which people least, and do they agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import InputError
from socialstats.metrics.ada_met import ada_met, by_attribute
from socialstats.results import Result, Row, Verification, Verifications, joined
from socialstats.studies.alignment_alphas import Alphas, alphas_block, alphas_of
from socialstats.studies.alignment_blocks import (
    CONSTANT,
    NEAREST,
    RULES,
    distance_block,
    line_rows,
    model_rows,
    near_block,
    rules_block,
    stratum_block,
)
from socialstats.studies.alignment_gaps import alpha_gaps, with_gaps
from socialstats.studies.alignment_groups import closest_block, group_block
from socialstats.studies.alignment_models import describe, without_people
from socialstats.studies.alignment_multiverse import variants_block
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import numbers_text, settings_of, verify_all, with_holm
from socialstats.studies.grouped import merge
from socialstats.studies.outcome import Block, Diagnostic, Mark, Outcome, Strip
from socialstats.studies.ratings_blocks import united
from socialstats.studies.sources import Source, human_source, raters_of
from socialstats.text import count, level_text, number, shorten

USED = ("seed", "resamples", "level", "verify")
MOST_GROUPS, MOST_STRATA, MOST_RATERS_SHOWN, MOST_NAMED = 8, 4, 30, 4
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
        answer=answer(numbers),
        strip=strip(numbers),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(
            replace(
                united(design.of_raters(raters_of(design, source, source.human))),
                caption=f"How united the {shorten(source.human, 30)} raters are about a unit",
            ),
        ),
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


def answer(numbers: Numbers) -> tuple[str, ...]:
    """Return the nearest model beside the reference lines, which others may be it, and which beat a constant answer."""
    known = sorted(
        (r for r in model_rows(numbers.main) if r.estimate is not None), key=lambda r: r.estimate or 0.0
    )  # fmt: skip
    if not known:
        return (f"No verdict: {model_rows(numbers.main)[0].undefined}.",)
    lines, human = line_rows(numbers.main), shorten(numbers.source.human, 30)
    top, best = lines["ceiling"], lines["constant"]
    beside = [f"'{best.term}' {number(best.estimate, 2)}"]
    if top.estimate is not None:
        beside.insert(0, f"one {human} rater from the mode of the others {number(top.estimate, 2)}")
    away, ends = f"the mode of the {human} answers", numbers_text(known[0])
    if len(known) > 1 and known[0].estimate == known[-1].estimate:
        first = f"All {count(len(known), 'model')} are as far from {away}: on average {ends} levels (ADA-Met)"
    elif len(known) == 1:
        first = f"{shorten(known[0].term, 40)} is on average {ends} levels from {away} (ADA-Met)"
    else:
        first = f"Nearest to {away} is {shorten(known[0].term, 40)}: on average {ends} levels away (ADA-Met)"
    return (f"{first}; {', '.join(beside)}.", *nearest_words(numbers), *constant_words(numbers))


def nearest_words(numbers: Numbers) -> tuple[str, ...]:
    """Say which models cannot be told apart from the nearest one."""
    rows = [r for r in numbers.main.rows if (r.group or "").startswith(NEAREST) and r.p_adjusted is not None]
    if not rows:
        return ()
    open_ = [r for r in rows if (r.p_adjusted or 0.0) >= 1 - numbers.main.settings["level"]]
    name = shorten((rows[0].group or "").removeprefix(NEAREST), 40)
    if not open_:
        return (f"All {count(len(rows))} others are farther than {name} on the same units (Holm).",)
    named = "; ".join(f"{shorten(r.term, 40)}: farther by {numbers_text(r)}" for r in open_[:MOST_NAMED])
    more = f"; and {count(len(open_) - MOST_NAMED)} more" if len(open_) > MOST_NAMED else ""
    return (
        f"Whether {name} is nearer than {count(len(open_))} of the {count(len(rows))} others is not settled on "
        f"the same units, by Holm's adjusted p ({named}{more}).",
    )


def constant_words(numbers: Numbers) -> tuple[str, ...]:
    """Say which models are nearer than the best constant answer, paired on the units."""
    rows = [r for r in numbers.main.rows if (r.group or "").startswith(CONSTANT) and r.p_adjusted is not None]
    if not rows:
        return ()
    clear = [r for r in rows if (r.p_adjusted or 0.0) < 1 - numbers.main.settings["level"]]
    near = sum((r.estimate or 0.0) < 0 for r in clear)
    name = (rows[0].group or "").removeprefix(CONSTANT)
    return (
        f"On the same units, of {count(len(rows), 'model')} {count(near)} {'lies' if near == 1 else 'lie'} nearer than "
        f"always giving one answer ('{name}', the best of them), {count(len(clear) - near)} farther, and for "
        f"{count(len(rows) - len(clear))} the data do not settle it (Holm).",
    )


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
        *narrow(numbers.main),
        Diagnostic(
            check="Are the modes noisy?",
            found=f"Resampling the people adds up to {number(bias, 2)} to a distance.",
            so_what="Distances are those to the mode of as many people as these, somewhat too large.",
        ),
    )


def narrow(result: Result) -> tuple[Diagnostic, ...]:
    """Say how many modes hang on one answer, which decides what can be said about the population's mode."""
    share = result.extras.get("share_narrow")
    if share is None:
        return ()
    so = "Halves of the answers tell how fast the noise of modes falls." if share <= 0.25 else (
        "The interval for the mode of the whole population is widened." if share <= 0.5 else
        "Nothing can be said about the mode of the whole population."
    )  # fmt: skip
    found = f"In a share of {number(share, 3, bounded=True)} of the units."
    return (Diagnostic(check="How often is the leading level at most one answer ahead?", found=found, so_what=so),)


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
            " Differences between groups of people are those on the units of both, less what the sizes of the groups "
            "alone give (their mean when the people are dealt anew to groups of these sizes), as modes of few people "
            "lie farther off; interval and p come from one t, adjusted by Holm over the pairs of all attributes, model "
            "by model."
        )
    return (text,)


def verified(numbers: Numbers, shown: tuple[Block, ...]) -> Mapping[str, Verification]:
    """Recompute all results; of those by group what is about the groups, together: the worst check of each kind."""
    found = verify_all(named(numbers), [b for b in shown if not b.id.startswith("group-") and b.id != "refusals"])
    if not numbers.groups:
        return found
    return joined(found, Verifications({"Distances by groups of people": partial(worst_of_groups, numbers.groups)}))


def worst_of_groups(groups: Mapping[str, Result]) -> Verification:
    """Recompute what is about groups of people; of each kind of check, return the worst."""
    each = [tuple(of_groups(name, result).verify()) for name, result in groups.items()]
    alike = len({len(checks) for checks in each}) == 1
    kinds = list(zip(*each, strict=True)) if alike else [(check,) for checks in each for check in checks]
    worst = tuple(max(kind, key=lambda one: (one.ok is not True, one.difference or 0.0)) for kind in kinds)
    return Verification(checks=worst)


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
