"""Study ordinal-alignment: how far are models' answers from the people's most frequent one?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.parts import MISSING, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, SocialStatsError, UndefinedStatistic
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row, Verification, combine_verifications
from socialstats.scales.ada_met import ada_met, results_by_attribute
from socialstats.scales.measures import ALPHA
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.shares.reply_shares import reply_shares
from socialstats.shares.sources import MODEL_COLUMNS, RaterSource, human_source, raters_of
from socialstats.studies.estimates import (
    probability_methods,
    rows_table,
    settings_of,
    verify_all,
    verify_named,
)
from socialstats.studies.grouped import merge
from socialstats.studies.models import comparison
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.ordinal_alignment.blocks import (
    RULES,
    Families,
    alphas_block,
    alphas_of,
    annotators_table,
    closest_answer,
    closest_block,
    describe,
    distance_block,
    ends,
    group_blocks,
    groups_of_models,
    known_rows,
    line_rows,
    matches_block,
    matches_of,
    model_rows,
    near_block,
    rows_about,
    rules_block,
    stratum_block,
    without_people,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    order_cautions,
)
from socialstats.studies.ratings import united
from socialstats.studies.repeats import repeats_block
from socialstats.studies.sources import model_by_model, replies_block
from socialstats.studies.verdicts import LABEL, Conclusion, verdict_of
from socialstats.text import as_words, count, listing, number, percent, percent_of, quoted, shorten


def answer(
    main: Result, groups: Mapping[str, Result], tests: Families, level: float
) -> tuple[str, ...]:
    """Return the nearest and the farthest model, who was closer than what, and the groups of people."""
    return (
        main.sentence(),
        *nearest_words(main),
        *constant_words(main),
        *closest_answer(groups, tests, level),
    )


def verdict_on_distance(main: Result, human: str) -> Conclusion:
    """Return which model is nearest to people, how far it is, and from how many others the data do not tell it."""
    known = sorted(known_rows(model_rows(main)), key=lambda row: row.estimate or 0.0)
    if not known:
        return verdict_of(
            f"No distance between a model and {shorten(human, LABEL)} raters is known",
            certainty="open",
        )
    first, people = known[0], f"the usual answer of {shorten(human, LABEL)} raters"
    name, far = shorten(first.term, LABEL), f"about {first.estimate:.1f} levels"
    if len(known) == 1:
        return verdict_of(f"{name} is {far} away from {people} on average", certainty="interval")
    rows = [row for row in rows_about(main, "nearest") if row.p_adjusted is not None]
    alike = [
        row.term for row in rows if not sentences.is_significant(row, 1 - main.settings["level"])
    ]
    if not alike:
        return verdict_of(
            f"The data show that {name} is nearest to {people}", f", {far} away", certainty="shown"
        )
    names = [name, *(shorten(other, LABEL) for other in alike)]
    which = listing(names) if len(alike) <= MOST_ALIKE else f"{count(len(names))} models"
    open_ = f"The data do not show which of {which} is nearest to {people}"
    return verdict_of(open_, f", {far} away", certainty="open")


MOST_ALIKE = 2  # other models that may be nearest, by name


def nearest_words(main: Result) -> tuple[str, ...]:
    """State from how many of the others the nearest model differs, paired on the units."""
    rows = [r for r in rows_about(main, "nearest") if r.p_adjusted is not None]
    if not rows:
        return ()
    alpha, first = 1 - main.settings["level"], shorten(rows[0].label("nearest") or "", 40)
    alike = [r.term for r in rows if not sentences.is_significant(r, alpha)]
    if len(alike) == len(rows):
        others = (
            f"any of the {count(len(rows))} other models (Holm)"
            if len(rows) > 1
            else "the other model"
        )
        return (f"'{first}' was not significantly closer than {others}.",)
    n = f"{count(len(rows) - len(alike))} of the {count(len(rows), 'other model')}"
    rest = f"; {quoted(alike)} did not differ from it significantly" if alike else ""
    return (f"'{first}' was significantly closer than {n}{rest} (Holm).",)


def constant_words(main: Result) -> tuple[str, ...]:
    """State which models were closer than the best constant answer, paired on the units."""
    rows = [r for r in rows_about(main, "constant") if r.p_adjusted is not None]
    if not rows:
        return ()
    clear = [r for r in rows if sentences.is_significant(r, 1 - main.settings["level"])]
    near = sum((r.estimate or 0.0) < 0 for r in clear)
    if len(rows) == 1:
        verdict = (
            "significantly closer"
            if near
            else "significantly farther"
            if clear
            else "not significantly closer"
        )
        return (
            f"'{rows[0].term}' was {verdict} than always answering '{rows[0].label('constant')}'.",
        )
    return (
        f"Compared with always answering '{rows[0].label('constant')}', {count(near)} of {count(len(rows), 'model')} "
        f"{'was' if near == 1 else 'were'} significantly closer and {count(len(clear) - near)} farther (Holm).",
    )


def planned(main: Result) -> tuple[str, ...]:
    """Return how many more units and raters would halve the interval of the nearest model's distance."""
    known = known_rows(model_rows(main))
    if not known:
        return ()
    low, n = ends(known)[0], main.counts
    units = low.n_clusters or n["units"]
    more = clusters_to_halve(low, units)
    clusters = getattr(main.design, "clusters", ())
    unit = sentences.more_of(clusters[0].name if clusters else None)
    if more is None or not unit:
        return ()
    people = count(math.ceil(more * n["reference raters"] / units))
    return (
        sentences.more_clusters_sentence(
            more, f"{unit} and {people} more human raters", f"the distance of '{low.term}'"
        ),
    )


def diagnostics(main: Result) -> tuple[Diagnostic, ...]:
    """Report tied modes, and how far the sampling error of modes inflates distances."""
    ties = float(main.extras["share_tied"])
    bias = max(main.extras["bootstrap_bias"].values(), default=0.0)
    return (
        Diagnostic(
            check="How often did several levels have most answers?",
            found=f"In {percent(ties)} of the units.",
            so_what="The mean of tied modes was used; the analysis variants show the other rules.",
        ),
        Diagnostic(
            check="Did the sampling error of modes inflate distances?",
            found=f"By up to {number(bias, 2)} levels.",
            so_what="Distances hold for modes of as many raters as these.",
        ),
    )


READ = (
    "Distances of models, their shares by distance and mean ratings are means over these {shares}; matches, "
    "alphas and refusals use the {drawn}"
)


def methods(main: Result, source: RaterSource, *, groups: bool) -> tuple[str, ...]:
    """Return the methods: a brief paragraph, then the rules, and the differences between groups."""
    human = shorten(source.human, 30)
    text = [
        f"ADA-Met is the mean distance, in levels, between a model's answers and the mode of the {human} answers to "
        f"the same units. {percent_of(main.settings['level'])} CIs used t with the variance over units and over "
        f"{human} raters. p values were Holm-adjusted over the models.",
        "Units were matched by their labels. Tied modes counted with their mean, refusals with the largest distance. "
        f"Inference: {main.inference}.",
    ]
    if groups:
        text.append(
            "Differences between groups of people were computed on the units of both groups. They were corrected for "
            "group size by the mean difference when people were assigned at random to groups of the same sizes. p "
            "values were Holm-adjusted within each model over the pairs of groups of all attributes."
        )
    return tuple(text)


FEW_RESAMPLES = 500
Compute = Callable[..., Any]


def variants_block(
    design: Ratings, main: Result, source: RaterSource, options: StudyOptions
) -> Block | None:
    """Show the distance of the nearest model under each analysis variant."""
    known = known_rows(model_rows(main))
    if not known:
        return None
    model = ends(known)[0].term
    top = line_rows(main)["ceiling"]
    base: dict[str, Any] = {
        "reference": source.human,
        "source": source.name,
        "level": options.level,
        "seed": options.seed,
        "resamples": min(options.resamples, FEW_RESAMPLES),
    }

    def of(table: Ratings = design, **more: Any) -> Any:
        return ada_met(table, **{**base, **more})

    line = f"that of one {shorten(source.human, 30)} rater ({number(top.estimate)}, taken as fixed)"
    made = multiverse(
        "ada_met",
        f"the distance of {shorten(model, 30)}",
        distinct(variants(design, main, of, model)),
        reference=top.estimate if top.estimate is not None else 0.0,
        words=line,
    )
    return multiverse_block(
        made,
        id="multiverse",
        question=other_analyses("the distance of the nearest model"),
        quantity=f"distance of {shorten(model, 30)}",
        note=f"Other variants used {count(base['resamples'], 'resample')}.",
    )


def variants(design: Ratings, main: Result, of: Compute, model: str) -> list[Variant]:
    """Return the analyses: ties, refusals, missing answers, clusters, a level of a stratum left out."""

    own = design.status[design.rater == design.raters.index(model)]
    others: list[tuple[str, str, dict[str, Any]]] = [
        (f"tied modes: {rule}", "ties", {"ties": rule})
        for rule in ("low", "high", "nearest", "drop")
    ]
    if (own == REFUSAL).any():
        others += [
            (f"refusals: {RULES[rule]}", "refusals", {"refusal": rule})
            for rule in ("item_max", "exclude")
        ]
    if (own == MISSING).any():
        others.append(("missing answers of models as refusals", "missing", {"unparsed": "refusal"}))
    if design.clusters:
        others.append(("units independent", "clusters", {"cluster": None}))
    found: list[tuple[str, str, Compute]] = [
        ("mean of tied modes, refusals the width of the scale", "as on this page", lambda: main),
        *((label, choice, partial(of, **more)) for label, choice, more in others),
    ]
    for name, factor in design.strata.items():
        if 1 < len(factor.levels) <= MOST_LEFT_OUT:
            choice = f"leave one {as_words(name)} out"
            found += [
                (without_label(name, level), choice, partial(without, of, design, name, code))
                for code, level in enumerate(factor.levels)
            ]
    return [
        Variant(
            label=label, choice=choice, compute=compute, lead=partial(row_of_model, model=model)
        )
        for label, choice, compute in found
    ]


def row_of_model(result: Result, model: str) -> Row:
    """Return the row of a model over all units.

    Raises
    ------
    UndefinedStatistic
        If none of the units has an answer of it.
    """
    row = next((row for row in model_rows(result) if row.term == model), None)
    if row is None:
        raise UndefinedStatistic(f"no unit has an answer of '{shorten(model, 40)}'")
    return row


def without(compute: Compute, design: Ratings, stratum: str, code: int) -> Any:
    """Compute a result without the units of one level of a stratum."""
    return compute(
        design.take(
            np.asarray(design.strata[stratum].codes[design.unit] != code), note="one level left out"
        )
    )


def alpha_gaps(
    design: Ratings, raters: Mapping[str, Sequence[str]], human: str, options: StudyOptions
) -> tuple[Result, ...]:
    """Return for each source alpha minus that of people, on the scale of the design and without order.

    Units are resampled in both together, so the difficulty of units cancels.
    """
    found: list[Result] = []
    for who in (name for name in raters if name != human):
        parts = [replace(design.of_raters(raters[name]), by=None) for name in (who, human)]
        for scale in dict.fromkeys((design.scale, "nominal")):
            one, two = (replace(part, scale=scale) for part in parts)
            try:
                made = ratings_difference(one, two, labels=(who, human), **options.chosen())
            except SocialStatsError:
                continue
            rows = tuple(replace(row, group=ALPHA) for row in made.rows if row.group == ALPHA)
            if rows:
                title = f"Alpha ({scale}): {shorten(who, 40)} minus {shorten(human, 40)}"
                found.append(replace(made, rows=rows, title=title))
    return tuple(found)


def with_gaps(block: Block | None, gaps: Sequence[Result]) -> Block | None:
    """Add the differences of alpha between sources to the block of alphas."""
    if block is None or not gaps:
        return block
    rows = [replace(r.rows[0], term=r.title, group=None) for r in gaps]
    return replace(
        block,
        sentences=(*block.sentences, _said(gaps[0])),
        tables=(
            *block.tables,
            rows_table(rows, f"Differences of alpha on the same units; {gaps[0].inference}"),
        ),
        results=(*block.results, *gaps),
    )


def _said(gap: Result) -> str:
    """Compare the agreement among two sources by one alpha."""
    one, two = (f"'{shorten(name, 40)}' raters" for name in gap.settings["labels"])
    return sentences.difference("agreement on the same units", one, two, gap.rows[0])


USED = ("seed", "resamples", "level", "verify")
MOST_GROUPS, MOST_STRATA = 8, 4
FEWEST_PEOPLE = 5  # fewer have no mode to speak of: their agreement with the models is the question


def suits(design: Ratings) -> bool:
    """Return whether levels have an order, and raters are models, or people (enough for a mode) and others."""
    if design.scale == "nominal" or not design.raters_known or len(design.raters) < 2:
        return False
    source = human_source(design)
    if source is not None:
        return len(raters_of(design, source, source.human)) >= FEWEST_PEOPLE
    return design.columns.get("rater", "").casefold() in MODEL_COLUMNS


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer one table: distances to people where there are people, else agreement among the models."""
    if human_source(design) is None:
        return without_people({"all answers": design}, design, options)
    return with_people(design.of_answers(), options)


def levels(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table with a by factor, such as prompts."""
    if human_source(design) is None:
        return without_people(design.split(), design, options)
    design = design.of_answers()
    return merge(
        {
            level: with_people(replace(part, by=None), options)
            for level, part in design.split().items()
        },
        design,
        options,
    )


def with_people(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: which model is nearest to people, nearer than what, and to which people?"""
    source = human_source(design)
    if source is None:
        raise InputError(
            "no rater group has a level called human beside others; name it with --map rater_source=COLUMN"
        )
    common: dict[str, Any] = {
        "level": options.level,
        "seed": options.seed,
        "resamples": options.resamples,
    }
    both: dict[str, Any] = {"reference": source.human, "source": source.name, **common}
    strata = [n for n, factor in design.strata.items() if len(factor.levels) > 1][:MOST_STRATA]
    distances: dict[str, Any] = {name: ada_met(design, stratum=name, **both) for name in strata}
    main: Any = next(iter(distances.values())) if strata else ada_met(design, **both)
    groups = results_by_attribute(design, attributes(design, source), **both)
    rules: dict[str, Any] = {}  # by what a refusal counts as
    if np.any(design.status == REFUSAL):
        rules = {"max": main} | {
            rule: ada_met(design, refusal=rule, **both) for rule in ("item_max", "exclude")
        }
    raters = {who: raters_of(design, source, who) for who in (source.human, *source.others)}
    models = [rater for who in source.others for rater in raters[who]]
    among = raters | groups_of_models(design, models, source.name)
    alphas = {who: own for who, some in among.items() if (own := alphas_of(design, some, common))}
    matches = matches_of(design, raters[source.human], models, common)
    replies = model_by_model(replace(design, by=None), source)
    lost = reply_shares(
        replies, source=source.name, stratum=next(iter(strata), None), level=options.level
    )
    tests = families(groups)
    shown = [
        block
        for block in (
            distance_block(main, source),
            near_block(main),
            closest_block(groups, tests, options.level),
            *group_blocks(groups, tests, options.level),
            rules_block(rules, source),
            with_gaps(
                alphas_block(alphas, "source"), alpha_gaps(design, raters, source.human, options)
            ),
            *(conditional(block, len(raters[source.human])) for block in comparison(main, options)),
            *(stratum_block(name, result, k) for k, (name, result) in enumerate(distances.items())),
            matches_block(matches, source.human),
            replies_block(design, lost),
            variants_block(design, main, source, options),
            repeats_block(design.shared),
        )
        if block is not None
    ]
    named = {f"Distances by {shorten(name, 40)}": r for name, r in distances.items()} or {
        "Distances": main
    }
    named |= {
        f"Distances, refusals: {RULES[rule]}": replace(r, rows=tuple(model_rows(r)))
        for rule, r in rules.items()
        if rule != "max"
    }
    named |= {f"{label}, {kind}": r for label, own in alphas.items() for kind, r in own.items()}
    small = sorted(groups.values(), key=lambda one: min(one.extras["group_answers"].values()))
    results = (*(distances.values() or [main]), *small)
    people = united(design.of_raters(raters[source.human]))
    return Outcome(
        study="ordinal-alignment",
        title=f"How far were the models from the {shorten(source.human, 30)} answers?",
        design=describe(design),
        verdict=verdict_on_distance(main, source.human),
        answer=answer(main, groups, tests, options.level),
        planning=planned(main),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=tuple(shown),
        flow=design.flow,
        data=(
            replace(
                people, caption=f"Agreement of {shorten(source.human, 30)} raters within units"
            ),
            annotators_table(design, raters[source.human], attributes(design, source)),
        ),
        diagnostics=diagnostics(main),
        methods=(*methods(main, source, groups=bool(groups)), *probability_methods(design, READ)),
        references=tuple(dict.fromkeys(key for r in results for key in r.references)),
        verifications=verified(named, groups, shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def conditional(block: Block, people: int) -> Block:
    """Return a comparison of models for the appendix, saying that its tests take the people as fixed."""
    said = f"Ranks and tests here are conditional on these {count(people)} human raters."
    return replace(block, sentences=(said, *block.sentences), part="appendix")


def attributes(design: Ratings, source: RaterSource) -> list[str]:
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
    for result in groups.values():
        for row in result.rows:
            if row.label("versus") is not None:
                how = "t over raters and units, corrected for group size"
                tests.setdefault(row.term, []).append(
                    replace(row, p_adjusted=None, method=how, statistic=None, df=None)
                )
    return {
        model: adjust_family_by_holm(rows, f"pairs of groups, {model}")
        for model, rows in tests.items()
    }


def verified(
    named: Mapping[str, Result], groups: Mapping[str, Result], shown: Sequence[Block]
) -> Mapping[str, Verification]:
    """Recompute all results; of those by group only the rows about groups, as the others are the same."""
    found = verify_all(
        named, [b for b in shown if not b.id.startswith("group") and b.id != "refusals"]
    )
    return combine_verifications(
        found,
        verify_named(
            {
                f"Distances by {as_words(name, 40)} of people": replace(
                    one, rows=tuple(r for r in one.rows if r.label("attribute"))
                )
                for name, one in groups.items()
            }
        ),
    )


STUDY = Study(
    name="ordinal-alignment",
    title="How far are models from people on an ordered scale, and from whom least?",
    design="ratings",
    needs="unit, rater (a column called model, or with a source that says human of five or more), value with ordered "
    "levels",
    suits=suits,
    uses=("rater_groups",),
    run=run,
    levels=levels,
)
