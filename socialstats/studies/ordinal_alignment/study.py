"""Study ordinal-alignment: how far are models' answers from the people's most frequent one?

Units, sources, attributes of people and strata are those of the table. A table of models alone is asked how far they
agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats import sentences
from socialstats.custom.multiverse import Variant
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, Row
from socialstats.scales.ada_met import ada_met
from socialstats.shares.reply_shares import reply_shares
from socialstats.shares.sources import human_source, raters_by_kind, raters_of
from socialstats.studies.alphas import (
    agreement_question,
    alpha_differences,
    alphas_by_part,
    kinds_sentences,
)
from socialstats.studies.asking import page_of
from socialstats.studies.estimates import probability_methods
from socialstats.studies.grouped import merge
from socialstats.studies.models import comparison
from socialstats.studies.multiverse import analysis_variants, multiverse_question
from socialstats.studies.ordinal_alignment.agreement import USED, page_without_people
from socialstats.studies.ordinal_alignment.questions import (
    REFUSALS,
    AlignmentPage,
    closest_question,
    closest_sentence,
    compute,
    distance_question,
    distances_of,
    group_questions,
    match_question,
    near_question,
    refusal_question,
    stratum_questions,
)
from socialstats.studies.page import Block, Diagnostic, Outcome, PageTable, StudyOptions
from socialstats.studies.ratings import describe, united
from socialstats.studies.repeats import repeats_block
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.sources import model_by_model, replies_block
from socialstats.studies.verdicts import LABEL, Conclusion, verdict_of
from socialstats.text import as_words, count, listing, number, percent, shorten

MOST_ALIKE = 2  # other models that may be nearest, by name
FEW_RESAMPLES = 500  # resamples of an analysis variant
# analysis variants, by the status of answers that they are about: choice, label, and options of the metric
ANALYSES: Mapping[int | None, Sequence[tuple[str, str, Mapping[str, str]]]] = {
    None: [
        ("ties", f"tied modes: {rule}", {"ties": rule})
        for rule in ("low", "high", "nearest", "drop")
    ],
    REFUSAL: [
        ("refusals", f"refusals count as {REFUSALS[rule]}", {"refusal": rule})
        for rule in ("item_max", "exclude")
    ],
    MISSING: [("missing", "missing answers of models as refusals", {"unparsed": "refusal"})],
}
READ = (
    "Distances of models, their shares by distance and mean ratings are means over these {shares}; matches, "
    "alphas and refusals use the {drawn}"
)


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer one table: distances to people where there are people, else agreement among the models."""
    if human_source(design) is None:
        return page_without_people(design, {"all answers": design}, options)
    return page_with_people(design.of_answers(), options)


def levels(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer a table with a by factor, such as prompts."""
    if human_source(design) is None:
        return page_without_people(design, design.split(), options)
    answers = design.of_answers()
    pages = {
        level: page_with_people(replace(part, by=None), options)
        for level, part in answers.split().items()
    }
    return merge(pages, answers, options)


def page_with_people(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer which model is nearest to people, nearer than what, and to which people."""
    source = human_source(design)
    if source is None:
        raise InputError(
            "no rater group has a level called human beside others; name it with --map rater_source=COLUMN"
        )
    a = compute(design, source, options)
    people = replace(
        united(design.of_raters(a.people)), caption=f"Agreement of {a.human} raters within units"
    )
    return page_of(
        "ordinal-alignment",
        f"How far were the models from the {a.human} answers?",
        design,
        options,
        describe=describe(design),
        verdict=verdict(a),
        answer=answer(a),
        planning=planning(a),
        leading=leading(a),
        blocks=questions(a),
        uses=USED,
        data=[people, people_table(design, a.people, list(a.attributes))],
        diagnostics=diagnostics(a),
        methods=list(methods(a)),
    )


def leading(a: AlignmentPage) -> dict[str, Result]:
    """Return the results that the page rests on, under the names of their checks."""
    results = {f"Distances by {name}": result for name, result in a.strata.items()}
    results = results or {"Distances": a.main}
    # the smallest groups have the most serious caution
    smallest = {
        name: min(result.extras["group_answers"].values()) for name, result in a.attributes.items()
    }
    for name in sorted(smallest, key=lambda name: smallest[name]):
        rows = pick_rows(a.attributes[name].rows, None, attribute=True)
        results[f"Distances by {name} of people"] = replace(a.attributes[name], rows=tuple(rows))
    for rule, result in list(a.refusals.items())[1:]:
        # the parts of these that the question shows have no check of their own
        rows = distances_of(result)
        title = f"Distances, refusals count as {REFUSALS[rule]}"
        results[title] = replace(result, rows=tuple(rows), cautions=())
    return results


def questions(a: AlignmentPage) -> Iterator[Block | None]:
    """Yield the questions in the order of a reader's interest."""
    yield distance_question(a)
    yield refusal_question(a)
    yield closest_question(a)
    yield agreement_of_sources(a)
    yield near_question(a)
    yield from group_questions(a)
    for block in comparison(a.main, a.options):
        fixed = f"Ranks and tests here are conditional on these {count(len(a.people))} {a.human} raters."
        yield replace(block, sentences=(fixed, *block.sentences), part="appendix")
    yield from stratum_questions(a)
    yield match_question(a)
    yield replies_question(a)
    yield variants_question(a)
    yield repeats_block(a.design.shared)


def agreement_of_sources(a: AlignmentPage) -> Block | None:
    """Ask whether people, models and families of models agree among themselves."""
    sources = {
        name: a.design.of_raters(raters_of(a.design, a.source, name))
        for name in (a.source.human, *a.source.others)
    }
    kinds = raters_by_kind(a.design, a.models, a.source.name)
    families = {name: a.design.of_raters(raters) for name, raters in kinds.items()}
    alphas = alphas_by_part({**sources, **families}, a.options)
    differences = alpha_differences(sources, a.source.human, a.options)
    sentences = [gap_sentence(result) for result in differences[:1]]
    return agreement_question(alphas, [*kinds_sentences(alphas), *sentences], differences)


def gap_sentence(difference: Result) -> str:
    """Compare the agreement among the raters of two parts."""
    first, second = (f"'{shorten(name, 40)}' raters" for name in difference.settings["labels"])
    return sentences.difference("agreement on the same units", first, second, difference.rows[0])


def replies_question(a: AlignmentPage) -> Block | None:
    """Ask which replies of each model could not be used."""
    replies = model_by_model(replace(a.design, by=None), a.source)
    stratum = next(iter(a.strata), None)
    shares = reply_shares(replies, source=a.source.name, stratum=stratum, level=a.options.level)
    return replies_block(a.design, shares)


def variants_question(a: AlignmentPage) -> Block | None:
    """Ask whether the distance of the nearest model depends on the analysis variant."""
    if not a.ranked:
        return None
    model, ceiling = a.ranked[0].term, a.lines[0].estimate
    how = {"reference": a.source.human, "source": a.source.name, **a.options.chosen()}
    how["resamples"] = min(a.options.resamples, FEW_RESAMPLES)
    status = a.design.status[a.design.rater == a.design.raters.index(model)]
    page = Variant(
        label="mean of tied modes, refusals the width of the scale",
        choice="as on this page",
        compute=lambda: a.main,
        lead=partial(row_of_model, model=model),
    )
    analyses = [
        analysis
        for needed, several in ANALYSES.items()
        if needed is None or needed in status
        for analysis in several
    ]
    return multiverse_question(
        "ada_met",
        f"distance of {shorten(model, 30)}",
        analysis_variants(page, partial(ada_met, **how), a.design, analyses),
        reference=ceiling or 0.0,
        words=f"that of one {a.human} rater ({number(ceiling)}, taken as fixed)",
        what="distance of the nearest model",
        note=f"Other variants used {count(how['resamples'], 'resample')}.",
    )


def row_of_model(result: Result, model: str) -> Row:
    """Return the distance of a model over all units.

    Raises
    ------
    UndefinedStatistic
        If none of the units has an answer of it.
    """
    rows = pick_rows(distances_of(result), model=model)
    if not rows:
        raise UndefinedStatistic(f"no unit has an answer of '{shorten(model, 40)}'")
    return rows[0]


# the answer


def verdict(a: AlignmentPage) -> Conclusion:
    """Return which model is nearest to people, how far it is, and from how many others the data do not tell it."""
    people = f"the usual {a.human} answer"
    if not a.ranked:
        return verdict_of(f"No distance of a model from {people} is known", certainty="open")
    name, far = shorten(a.ranked[0].term, LABEL), f"about {a.ranked[0].estimate:.1f} levels"
    if len(a.ranked) == 1:
        text, ends = f"{name} is {far} away from {people} on average", a.ranked[0].ends()
        within = "" if ends is None else f"about {ends[0]:.1f} to {ends[1]:.1f} levels"
        return verdict_of(text, certainty="interval", within=within)
    differences = pick_rows(a.main.rows, "difference", nearest=True)
    alike = [
        row.term
        for row in differences
        if row.p_adjusted is not None and not sentences.is_significant(row)
    ]
    size = f", {far} away"
    if not alike:
        return verdict_of(
            f"The data show that {name} is nearest to {people}", size, certainty="shown"
        )
    which = listing([name, *(shorten(model, LABEL) for model in alike)])
    if len(alike) > MOST_ALIKE:
        which = f"{count(len(alike) + 1)} models"
    unclear = f"The data do not show which of {which} is nearest to {people}"
    farther = sum(sentences.is_significant(row) for row in differences)
    if farther < len(differences) - len(alike) or not farther:
        # models without a test may be nearest, too
        return verdict_of(unclear, size, certainty="open")
    behind: tuple[str, ...] = ("; the other is farther",)
    if farther > 1:
        behind = (
            f"; the other {count(farther)} are farther",
            f"; {count(farther)} others are farther",
        )
    settled = verdict_of(unclear, behind, certainty="open")
    return replace(settled, partly_ranked=True, superlative="is nearest")


def answer(a: AlignmentPage) -> list[str]:
    """Return the nearest and the farthest model, who was closer than what, and the groups of people."""
    closest = closest_sentence(a)
    return [a.main.sentence(), *([closest] if closest else [])]


def planning(a: AlignmentPage) -> list[str]:
    """Return how many more units and raters would halve the interval of the nearest model's distance."""
    nearest = a.ranked[0] if a.ranked else Row(term="")
    units = nearest.n_clusters or a.main.counts["units"]
    more = clusters_to_halve(nearest, units)
    clusters = [factor.name for factor in a.design.clusters]
    unit = sentences.more_of(clusters[0] if clusters else None)
    if more is None or not unit:
        return []
    raters = f"{count(math.ceil(more * len(a.people) / units))} more {a.human} raters"
    distance = f"the distance of '{nearest.term}'"
    return [sentences.more_clusters_sentence(more, f"{unit} and {raters}", distance)]


def diagnostics(a: AlignmentPage) -> tuple[Diagnostic, ...]:
    """Report tied modes, and how far the sampling error of modes inflates distances."""
    bias = max(a.main.extras["bootstrap_bias"].values(), default=0.0)
    return (
        Diagnostic(
            check="How often did several levels have most answers?",
            found=f"In {percent(a.main.extras['share_tied'])} of the units.",
            so_what="The mean of tied modes was used; the analysis variants show the other rules.",
        ),
        Diagnostic(
            check="Did the sampling error of modes inflate distances?",
            found=f"By up to {number(bias, 2)} levels.",
            so_what="Distances hold for modes of as many raters as these.",
        ),
    )


def methods(a: AlignmentPage) -> Iterator[str]:
    """Yield the methods: a brief paragraph, then the rules, and the differences between groups."""
    yield (
        f"ADA-Met is the mean distance, in levels, between a model's answers and the mode of the {a.human} answers to "
        f"the same units. CIs used t with the variance over units and over {a.human} raters. p values were "
        "Holm-adjusted over the models."
    )
    yield (
        "Units were matched by their labels. Tied modes counted with their mean, refusals with the largest distance. "
        f"Inference: {a.main.inference}."
    )
    if a.attributes:
        yield (
            "Differences between groups of people were computed on the units of both groups. They were corrected for "
            "group size by the mean difference when people were assigned at random to groups of the same sizes. p "
            "values were Holm-adjusted within each model over the pairs of groups of all attributes."
        )
    yield from probability_methods(a.design, READ)


def people_table(design: Ratings, people: Sequence[str], attributes: Sequence[str]) -> PageTable:
    """Return who the people are: how many of each group there are, and how many answers they gave."""
    place = np.array([design.raters.index(name) for name in people], dtype=np.int64)
    answers = np.bincount(design.rater[design.status == OK], minlength=len(design.raters))[place]
    groups = [("all", "", answers)]
    for name in attributes:
        factor = design.rater_groups[name]
        labels = [*enumerate(factor.levels), (-1, "missing")]
        groups += [(name, label, answers[factor.codes[place] == code]) for code, label in labels]
    cells = tuple(
        (
            as_words(name),
            label,
            len(n),
            percent(len(n) / len(people)),
            int(n.sum()),
            float(np.median(n)),
            int(n.min()),
            int(n.max()),
        )
        for name, label, n in groups
        if len(n)
    )
    return PageTable("Human raters and their answers", PEOPLE, cells)


PEOPLE = (
    "Attribute",
    "Level",
    "People",
    "Share of people",
    "Answers",
    "Median per person",
    "Fewest",
    "Most",
)
