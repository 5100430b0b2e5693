"""Questions on the distances of models from people's most frequent answers: by model, group of people and stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.majority_vote_accuracy import majority_vote_accuracy
from socialstats.designs.parts import REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.inference.rows import share_ci
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import Role
from socialstats.scales.ada_met import ada_met, results_by_attribute
from socialstats.scales.alignment_groups import closest_differences
from socialstats.shares.sources import RaterSource, attributes_of_people, raters_of
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Block, SecondAnalysis, StudyOptions
from socialstats.studies.row_figures import Draw, cell_map, dot_lines, interval_points, share_bars
from socialstats.studies.row_picking import (
    add_labels,
    name_rows,
    part_of,
    pick_rows,
    row_term,
    rows_by,
)
from socialstats.studies.row_sentences import largest_sentence, span_sentence, tally_sentence
from socialstats.studies.row_tables import compact_table, grid_table
from socialstats.studies.second import other_first
from socialstats.text import as_words, capital, count, listing, number, percent, shorten

# what a refusal counts as, by the option of the metric; the first is that of the page
REFUSALS = {
    "max": "the width of the scale",
    "item_max": "the farthest possible answer",
    "exclude": "no answer",
}
DISTANCE = "mean distance from the mode (levels)"
CORRECTED = "t over raters and units, corrected for group size"
HOLM = "p (Holm): within each model, over the pairs of groups of all attributes."
KINDS: Sequence[tuple[Role, str]] = (("estimate", "people"), ("rank", "closest"))
MOST_LEVELS, MOST_STRATA, MOST_MODELS = 8, 4, 200


@dataclass(frozen=True, kw_only=True)
class AlignmentPage:
    """What the page of one table rests on.

    Attributes
    ----------
    design : Ratings
    source : RaterSource
        Who are people, and who are models.
    options : StudyOptions
    human : str
        What people are called.
    people, models : tuple of str
        The raters.
    main : Result
        Distances over all units (with the first stratum).
    strata, attributes, refusals : mapping of name to Result
        By stratum of the units, by attribute of people, and by what a refusal counts as.
    gaps : list of Row
        Differences between groups of people, adjusted within each model over all attributes.
    families : list of Result
        The adjusted tests of each model.
    """

    design: Ratings
    source: RaterSource
    options: StudyOptions
    human: str
    people: tuple[str, ...]
    models: tuple[str, ...]
    main: Result
    strata: dict[str, Result]
    attributes: dict[str, Result]
    refusals: dict[str, Result]
    gaps: list[Row]
    families: list[Result]

    @cached_property
    def ranked(self) -> list[Row]:
        """Distances of the models over all units, the nearest first."""
        return nearest_first(distances_of(self.main))

    @cached_property
    def lines(self) -> list[Row]:
        """Distances of a random person, of the best constant answer and of an answer at random."""
        ceiling, *answers, uniform = pick_rows(self.main.rows, "reference")
        return [ceiling, *nearest_first(answers)[:1], uniform]


def distances_of(result: Result) -> list[Row]:
    """Return the distances of the models over all units."""
    return pick_rows(result.rows, stratum=False, people=False)


def nearest_first(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that have an estimate, the smallest first."""
    estimated = [row for row in rows if row.estimate is not None]
    return sorted(estimated, key=lambda row: row.estimate or 0.0)


def compute(design: Ratings, source: RaterSource, options: StudyOptions) -> AlignmentPage:
    """Compute the leading numbers of the page."""
    how = {"reference": source.human, "source": source.name, **options.chosen()}
    measure: Callable[..., Any] = partial(ada_met, design, **how)
    several = [name for name, factor in design.strata.items() if len(factor.levels) > 1]
    strata = {name: measure(stratum=name) for name in several[:MOST_STRATA]}
    main = next(iter(strata.values())) if strata else measure()
    refusals = {"max": main}
    if np.any(design.status == REFUSAL):
        refusals |= {rule: measure(refusal=rule) for rule in ("item_max", "exclude")}
    names = attributes_of_people(design, source, MOST_LEVELS)
    attributes = results_by_attribute(design, names, **how)
    people = raters_of(design, source, source.human)
    gaps = [
        replace(row, p_adjusted=None, statistic=None, df=None, method=CORRECTED)
        for result in attributes.values()
        for row in pick_rows(result.rows, "difference", versus=True)
    ]
    adjusted = [
        adjust_family_by_holm(rows, f"pairs of groups, {model}")
        for model, rows in rows_by(gaps, "model").items()
    ]
    return AlignmentPage(
        design=design,
        source=source,
        options=options,
        human=shorten(source.human, 30),
        people=people,
        models=tuple(rater for rater in design.raters if rater not in people),
        main=main,
        strata=strata,
        attributes=attributes,
        refusals=refusals,
        gaps=[without_family(row) for rows, _ in adjusted for row in rows],
        families=[result for _, result in adjusted if result is not None],
    )


def without_family(row: Row) -> Row:
    """Return a difference without what every row says: its family, and the names of its groups once more."""
    key = tuple(pair for pair in row.key if pair[0] not in ("family", "contrast"))
    return replace(row, key=key)


def distance_question(a: AlignmentPage) -> Block | None:
    """Ask how far each model is from people, beside a random person and answers that need no model."""
    undefined = [row for row in distances_of(a.main) if row.estimate is None]
    rows = [a.lines[0], *[*a.ranked, *undefined][:MOST_MODELS], *a.lines[1:]]
    effects = list(a.main.extras["design_effect"].values())
    effect = f"{number(np.median(effects), 1)} (median over models)" if effects else "unknown"
    return ask_rows(
        "distance",
        f"How far was each model from the {a.human} answers?",
        a.main,
        rows,
        quantity=DISTANCE,
        names=row_term,
        draw=interval_points(None, label="Model"),
        tables={
            "Difference from the nearest model": pick_rows(a.main.rows, "difference", nearest=True),
            "Difference from the best constant answer": pick_rows(
                a.main.rows, "difference", constant=True
            ),
            "Answers that need no model": pick_rows(a.main.rows, "reference", answer=True),
        },
        clusters=a.design.clusters,
        note=f"First row: one {a.human} rater against the mode of the others. The design effect of sampling "
        f"{count(len(a.people))} {a.human} raters was {effect}.",
    )


def near_question(a: AlignmentPage) -> Block | None:
    """Ask how often answers are the mode itself; nothing where the scale has too many steps."""
    rows = [
        replace(row, term=row.label("distance") or "")
        for row in pick_rows(a.main.rows, "component", distance=True)
        if row.estimate is not None
    ]
    hits = pick_rows(rows, "component", distance="0")
    return ask_rows(
        "near",
        "How often was the answer the mode itself?",
        replace(a.main, inference=share_ci(rows)),
        rows,
        quantity="share of units, by levels from the mode",
        say=[span_sentence(hits, "the share of units at distance 0")],
        draw=share_bars("model", ordered=True),
        note="Distances are rounded up to whole levels (0: the mode itself); the largest includes refusals.",
    )


def closest_question(a: AlignmentPage) -> Block | None:
    """Ask which group of people each model is closest to, how sure that is, and how stable."""
    rows, repeated = closest_differences(a.attributes.values(), a.gaps)
    gaps = part_of(a.main, a.gaps, f"{count(len(a.gaps), 'difference')} between groups.")
    families = [replace(family, inference=CORRECTED) for family in a.families]
    title = "closest minus farthest group of people, corrected for group size"
    stable = sum((row.estimate or 0.0) >= a.options.level for row in repeated)
    return ask_rows(
        "closest",
        "Which groups of people was each model closest to?",
        families or gaps,
        rows,
        quantity=title,
        table=grid_table(rows, title, ("model", "attribute", "closest", "farthest")),
        say=[
            f"{count(stable)} of {count(len(repeated))} groups stayed the closest in at least "
            f"{percent(a.options.level, 0)} of resamples; by chance, too, some group is the closest."
        ],
        tables={"Stability: share of resamples with the same closest group": repeated},
        note=HOLM,
    )


def closest_sentence(a: AlignmentPage) -> str:
    """State how often the closest group differs significantly from the farthest; nothing without tests."""
    differences, _ = closest_differences(a.attributes.values(), a.gaps)
    what = " between the closest and the farthest group of people"
    if not differences:
        return ""
    return tally_sentence(differences, "difference", what, within="Holm within each model")


def group_questions(a: AlignmentPage) -> Iterator[Block | None]:
    """Ask of each attribute with a significant difference to which people models are closer, then of all others."""
    gaps = rows_by(a.gaps, "attribute")
    significant = {name: sum(map(sentences.is_significant, rows)) for name, rows in gaps.items()}
    for name in sorted(gaps, key=lambda name: -significant[name]):
        if significant[name]:
            question = f"Were models closer to some people by {as_words(name)}?"
            number_of = list(a.attributes).index(name) + 1
            draw = dot_lines("model", "people")
            yield groups_question(a, gaps[name], f"group-{number_of}", question, draw)
    yield groups_question(
        a,
        [row for name, rows in gaps.items() if not significant[name] for row in rows],
        "groups-alike",
        "Which attributes of people made no significant difference?",
        cell_map("model", "attribute", "people", neutral=None, extreme=None),
    )


def groups_question(
    a: AlignmentPage, gaps: Sequence[Row], id: str, question: str, draw: Draw
) -> Block | None:
    """Ask how far models are from each group of people, by the attributes whose differences are given."""
    names = list(rows_by(gaps, "attribute"))
    words = listing([as_words(name) for name in names], MOST_LEVELS)
    # rows of one kind have the same columns
    parts = [
        part_of(
            a.attributes[name],
            pick_rows(a.attributes[name].rows, role, **{dimension: True}),
            f"{as_words(name)}: distances to each group of people.",
        )
        for name in names
        for role, dimension in KINDS
    ]
    rows = [row for part in parts for row in pick_rows(part.rows, people=True)]
    return ask_rows(
        id,
        question,
        parts,
        rows,
        quantity="mean distance from the mode of each group of people (levels)",
        say=[
            tally_sentence(gaps, "difference", f" between groups by {words}"),
            largest_sentence(gaps, ()) if any(map(sentences.is_significant, gaps)) else "",
        ],
        draw=draw,
        tables={"Differences on the same units, corrected for group size": gaps},
        note=f"Small groups have noisier modes and larger distances; differences are corrected. {HOLM}",
    )


def refusal_question(a: AlignmentPage) -> Block | None:
    """Ask who refused, and how far models that refused are under each rule; nothing where nobody refused."""
    every = pick_rows(a.main.rows, "component", share="refused")
    refused = {row.term for row in every if row.estimate}
    shares = [row for row in every if row.term in refused]
    if not shares:
        return None
    parts, rows = [], list[Row]()
    for rule, result in a.refusals.items():
        distances, words = distances_of(result), REFUSALS[rule]
        parts.append(part_of(result, distances, f"Refusals count as {words}."))
        rows += add_labels([row for row in distances if row.term in refused], rule=words)
    overall = pick_rows(shares, "component", stratum=False)
    worst = max(overall, key=lambda row: row.estimate or 0.0)
    block = ask_rows(
        "refusals",
        "Who refused, and how did the treatment of refusals matter?",
        parts[1:],
        rows,
        quantity=f"{DISTANCE} by what a refusal counts as",
        say=[
            f"{shorten(worst.term, 40)} had the highest refusal rate, {sentences.estimate_text(worst)}.",
        ],
        draw=dot_lines("model", "rule"),
        tables={"Share of refusals": shares},
        note="The width of the scale may exceed the distance of any possible answer.",
    )
    return block and replace(block, turned=turned_by_refusals(a))


def turned_by_refusals(a: AlignmentPage) -> tuple[SecondAnalysis, ...]:
    """Return who is nearest and farthest without refusals, where these are not those of the answer."""
    complete = nearest_first(distances_of(a.refusals["exclude"]))
    if not any(other_first(a.ranked[::step], complete[::step]) for step in (1, -1)):
        return ()
    ends = complete[0], complete[-1]
    near, far = (f"'{shorten(row.term, 40)}' ({number(row.shown())})" for row in ends)
    width = number(float(np.ptp(a.design.scores)), 0)
    text = (
        f"Without refusals, {near} was nearest and {far} farthest. Here a refusal counted as {width}, the width of the "
        "scale of distances."
    )
    nearest, farthest = (f"'{shorten(row.term, 40)}'" for row in ends)
    short = f"Without refusals, {nearest} would be nearest and {farthest} farthest."
    return (SecondAnalysis(text, short, here="with refusals counted as they are here"),)


def stratum_questions(a: AlignmentPage) -> Iterator[Block | None]:
    """Ask of each stratum of the units how far each model is at each level."""
    for k, (name, result) in enumerate(a.strata.items()):
        rows = pick_rows(result.rows, stratum=True)
        title = f"{DISTANCE} by {as_words(name)}"
        short = "by-" + "-".join(as_words(name).split())
        yield ask_rows(
            f"stratum-{k + 1}",
            f"How far was each model at each level of {as_words(name)}?",
            result,
            rows,
            quantity=title,
            table=grid_table(rows, title, "model", "stratum", name=short, cell="interval"),
            more=[compact_table(rows_table(rows, capital(title), labels=name_rows(rows)))],
            say=[span_sentence(rows, "the distance")],
            draw=dot_lines("model", "stratum"),
            clusters=a.design.clusters,
            note="Differences between levels were not tested.",
            part="appendix",
        )


def match_question(a: AlignmentPage) -> Block | None:
    """Ask how often each model gives the answer that most people gave; tied modes count in part."""
    together = replace(a.design, by=None)
    results, rows = list[Result](), list[Row]()
    for model in a.models[:MOST_MODELS]:
        votes = together.of_raters([*a.people, model])
        result = attempt_result(majority_vote_accuracy, votes, truth=model, **a.options.chosen())
        if result is not None:
            results.append(result)
            rows.append(replace(result.row("accuracy"), term=model, key=(("model", model),)))
    if all(row.estimate is None for row in rows):
        return None
    tied = sentences.estimate_text(results[0].row("tied"))
    return ask_rows(
        "matches",
        f"How often did a model give exactly the most frequent {a.human} answer?",
        results,
        rows,
        quantity=f"share of units with the most frequent {a.human} answer",
        say=[span_sentence(rows, "the share of exact matches")],
        draw=interval_points(None, sort=True),
        note=f"Share of units with tied modes: {tied}; of m tied modes each counts 1/m. Refusals and missing answers "
        "are excluded.",
        part="appendix",
    )
