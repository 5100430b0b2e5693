"""Study of models or prompts that rate the same units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, SocialStatsError
from socialstats.figures import forest
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.results.rows import share_decimals
from socialstats.scales.measures import ALPHA, DISTANCE, MEAN, SHARES
from socialstats.scales.ratings_difference import ratings_difference, rows_of_levels, values_of
from socialstats.sentences import difference, more_clusters_sentence
from socialstats.studies.compare.blocks import some_words
from socialstats.studies.compare.numbers import reference_of
from socialstats.studies.estimates import rows_table, settings_of, verify_all
from socialstats.studies.models import verdict_on_levels
from socialstats.studies.page import (
    Block,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    order_cautions,
    shared,
)
from socialstats.studies.sources import replies_by
from socialstats.text import count, listing, number, percent_of, shorten
from socialstats.voice import option

USED = ("seed", "resamples", "level", "reference", "verify")
QUESTIONS = {
    DISTANCE: "Which were closer to the modal human answer?",
    MEAN: "Which rated higher?",
    SHARES: "Which chose which category more often?",
    ALPHA: "Which had raters that agreed more?",
}
NAMES = {DISTANCE: "ADA-Met", MEAN: "mean rating", SHARES: "shares of levels", ALPHA: "alpha"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Every number of every level, and the differences from the reference by level; `problems`: those that are not."""

    reference: str
    parts: Mapping[str, Ratings]
    values: Mapping[str, Mapping[str, Mapping[str, float]]]
    found: Mapping[str, Result]
    problems: Mapping[str, str]


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: did the levels of the by factor rate the same units differently?"""
    if design.by is None or len(design.by.levels) < 2:
        raise InputError(
            f"study 'compare-ratings' needs {option('by')}: a column with the models (or prompts), two "
            "at least"
        )
    by = shorten(design.by.name, 40)
    numbers = compute(design, options)
    shown = blocks(design, numbers, by, options)
    results = tuple(numbers.found.values())
    return Outcome(
        study="compare-ratings",
        title=f"How did {count(len(numbers.parts), 'level')} of {by} differ on the same units?",
        design=f"{count(design.n_rows, 'rating')}, {count(len(design.units), 'unit')}, "
        f"{count(len(numbers.parts), 'level')} of {by}; reference: '{shorten(numbers.reference)}'",
        verdict=verdict_on_levels(shown),
        answer=answer(shown, numbers),
        cautions=order_cautions(design.cautions, *(r.cautions for r in results)),
        blocks=shown,
        data=(level_table(numbers, by),),
        methods=methods(numbers, options),
        references=tuple(
            dict.fromkeys(key for block in shown for r in block.results for key in r.references)
        ),
        verifications=verify_all({}, shown) if options.verify else {},
        settings=settings_of(options, USED) | {"reference": numbers.reference},
        **shared(design, options),
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute every level by itself and every difference from the reference."""
    parts = design.split()
    reference = reference_of(tuple(parts), options.reference)
    found: dict[str, Result] = {}
    problems: dict[str, str] = {}
    for name in (name for name in parts if name != reference):
        try:
            found[name] = ratings_difference(
                parts[name], parts[reference], labels=(name, reference), **options.chosen()
            )
        except SocialStatsError as error:
            problems[name] = str(error).split("\n")[0]
    if not found:
        raise InputError(
            f"no level can be compared with '{shorten(reference)}': {next(iter(problems.values()))}"
        )
    values = {name: values_of(part) for name, part in parts.items()}
    return Numbers(reference=reference, parts=parts, values=values, found=found, problems=problems)


def blocks(design: Ratings, numbers: Numbers, by: str, options: StudyOptions) -> tuple[Block, ...]:
    """Return one block per kind of number, its differences adjusted as one family, and replies without a rating."""
    kinds = dict.fromkeys(
        str(row.group) for result in numbers.found.values() for row in result.rows
    )
    replies = replies_by(design, options.level)
    clustered = bool(design.clusters)
    done = [
        kind_block(kind, numbers, by, options, clustered) for kind in QUESTIONS if kind in kinds
    ]
    results = tuple(numbers.found.values())
    more = () if replies is None else (replies,)
    return (replace(done[0], results=(*results, *done[0].results)), *done[1:], *more)


def kind_block(
    kind: str, numbers: Numbers, by: str, options: StudyOptions, clustered: bool
) -> Block:
    """Return the block of one kind of number."""
    own = rows_of_levels(numbers.values, kind)
    gaps = [
        replace(
            row,
            term=name if kind != SHARES else f"{name}: {row.term}",
            group=None,
            key=(("level", name), ("minus", numbers.reference), ("number", row.term)),
        )
        for name, result in numbers.found.items()
        for row in result.rows
        if row.group == kind
    ]
    rows = share_decimals((*own, *gaps))
    known = {(row.label("level"), row.term): row for row in rows[: len(own)]}
    tested, adjusted = adjust_family_by_holm(rows[len(own) :], f"differences of {NAMES[kind]}")
    terms = [row.term for row in next(iter(numbers.found.values())).rows if row.group == kind]
    cells = tuple(
        (name, *(known[name, term].shown() if (name, term) in known else None for term in terms))
        for name in numbers.values
    )
    ref = shorten(numbers.reference, 40)
    title = f"Differences in {NAMES[kind]} from {ref}"
    return Block(
        id=f"differences-{kind}",
        question=QUESTIONS[kind],
        sentences=(kind_words(tested, kind, ref), *halving_words(tested, kind, ref, clustered)),
        draw=partial(
            forest,
            tested[:60],
            xlabel=f"{NAMES[kind]} minus that of {shorten(ref, 30)}",
            label=by,
            sort=False,
        ),
        figure_title=title,
        caption=f"Points: differences on shared units; unadjusted {percent_of(options.level)} CIs "
        f"({next(iter(numbers.found.values())).inference}).",
        tables=(
            rows_table(tested, f"Differences in {NAMES[kind]}", term=by),
            PageTable(caption=f"Each {by} on all its units", header=(by, *terms), cells=cells),
        ),
        results=() if adjusted is None else (adjusted,),
    )


def kind_words(rows: tuple[Row, ...], kind: str, reference: str) -> str:
    """Return how many differences were significant, the largest one, and those that are the same in every resample."""
    flat = [r for r in rows if r.reason == "no_variation" and r.estimate]
    if all(row.p_value is None for row in rows) and flat:
        text = f"No difference in {NAMES[kind]} from {reference} could be tested."
    else:
        text = some_words(rows, f"differences in {NAMES[kind]}", reference)
    if len(rows) == 1 and rows[0].p_value is not None:
        text = difference(f"the {NAMES[kind]}", shorten(rows[0].term, 60), reference, rows[0])
    if not flat:
        return text
    same = [f"{shorten(r.term, 60)} ({number(r.shown())})" for r in flat]
    return f"{text} Constant in all resamples, without a standard error: {listing(same, most=3)}."


def halving_words(
    rows: tuple[Row, ...], kind: str, reference: str, clustered: bool
) -> tuple[str, ...]:
    """Return how many more units halve the interval of the only difference; nothing where there are several."""
    more = (
        clusters_to_halve(rows[0], rows[0].n_clusters or rows[0].n_units)
        if len(rows) == 1
        else None
    )
    if more is None:
        return ()
    quantity = (
        f"the difference in {NAMES[kind]} between {shorten(rows[0].term, 60)} and {reference}"
    )
    return (more_clusters_sentence(more, "clusters" if clustered else "units", quantity),)


def answer(shown: tuple[Block, ...], numbers: Numbers) -> tuple[str, ...]:
    """Return the first sentence of the leading block, that of the clearest other kind, and what was not compared."""
    tests: dict[str, list[float]] = {}
    for row in (
        row for result in numbers.found.values() for row in result.rows if row.p_value is not None
    ):
        tests.setdefault(f"differences-{row.group}", []).append(row.p_value or 0.0)
    others = [block for block in shown[1:] if block.id in tests]
    clearest = min(
        others, key=lambda block: len(tests[block.id]) * min(tests[block.id]), default=None
    )
    said = [block.sentences[0] for block in (shown[0], clearest) if block is not None]
    if numbers.problems:
        said.append(
            f"Not compared: {listing([f'{shorten(k, 30)} ({v})' for k, v in numbers.problems.items()], most=4)}."
        )
    return tuple(said)


def level_table(numbers: Numbers, by: str) -> PageTable:
    """Count units and raters of every level."""
    cells = tuple(
        (
            name,
            part.n_rows,
            len(part.units),
            len(part.raters),
            "reference"
            if name == numbers.reference
            else numbers.problems.get(name)
            or f"with the reference: {numbers.found[name].extras['matched']}",
        )
        for name, part in numbers.parts.items()
    )
    return PageTable(
        caption=f"What each level of {by} has",
        header=(by, "Ratings", "Units", "Raters", "Note"),
        cells=cells,
    )


def methods(numbers: Numbers, options: StudyOptions) -> tuple[str, str]:
    """Return the methods: first in brief, then in full."""
    reference, level = shorten(numbers.reference), percent_of(options.level)
    return (
        f"Each level was compared with {reference} on shared units. {level} CIs and t tests used bootstrap standard "
        "errors over units or their clusters. p values were Holm-adjusted within each kind of difference.",
        "Units were joined by their labels. Units (or declared clusters of units) were resampled in both levels "
        f"together ({options.resamples:,} resamples, seed {options.seed}). Standard errors were multiplied by the root "
        "of G / (G - 1); t had G - 1 degrees of freedom, for G clusters.",
    )


STUDY = Study(
    name="compare-ratings",
    title="How do models (or prompts) rate the same units?",
    design="ratings",
    needs="unit, rater, value, and by, a column with two models or prompts at least",
    suits=lambda design: design.by is not None and len(design.by.levels) > 1,
    uses=("reference",),
    run=run,
    levels=run,
)
