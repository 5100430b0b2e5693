"""Study of models or prompts that rate the same units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, SocialStatsError
from socialstats.results import Result, Row
from socialstats.scales.measures import ALPHA, DISTANCE, MEAN, SHARES
from socialstats.scales.ratings_difference import ratings_difference, rows_of_levels, values_of
from socialstats.studies.asking import page_of
from socialstats.studies.compare.differences import (
    Differences,
    ask_differences,
    compare_levels,
    difference_sentences,
    reference_of,
)
from socialstats.studies.estimates import halved
from socialstats.studies.models import verdict_on_levels
from socialstats.studies.page import Outcome, PageTable, StudyOptions, reason_of
from socialstats.studies.sources import replies_by
from socialstats.text import count, listing, percent_of, shorten
from socialstats.voice import option

USED = ("seed", "resamples", "level", "reference", "verify")
KINDS = {
    DISTANCE: ("ADA-Met", "Which were closer to the modal human answer?"),
    MEAN: ("mean rating", "Which rated higher?"),
    SHARES: ("shares of levels", "Which chose which category more often?"),
    ALPHA: ("alpha", "Which had raters that agreed more?"),
}


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: did the levels of the by factor rate the same units differently?"""
    if design.by is None or len(design.by.levels) < 2:
        raise InputError(
            f"study 'compare-ratings' needs {option('by')}: a column with the models (or prompts), two "
            "at least"
        )
    by, parts = shorten(design.by.name, 40), design.split()
    reference = reference_of(tuple(parts), options.reference)
    results: dict[str, Result] = {}
    problems: dict[str, str] = {}
    for level, part in parts.items():
        if level == reference:
            continue
        labels = (level, reference)
        try:
            results[level] = ratings_difference(
                part, parts[reference], labels=labels, **options.chosen()
            )
        except SocialStatsError as error:
            problems[level] = reason_of(error)
    if not results:
        why = next(iter(problems.values()))
        raise InputError(f"no level can be compared with '{shorten(reference)}': {why}")
    compared = compare_kinds(parts, reference, results)
    blocks = [
        ask_differences(differences, kind, KINDS[kind][1]) for kind, differences in compared.items()
    ]
    first, *_ = compared.values()
    row, planning = first.rows[0], tuple[str, ...]()
    if len(first.rows) == 1:
        between = f"{shorten(row.term, 60)} and {shorten(reference, 40)}"
        what = f"the difference in {first.name} between {between}"
        planning = halved(design.clusters, row, row.n_units, what)
    levels = f"{count(len(parts), 'level')} of {by}"
    sizes = f"{count(design.n_rows, 'rating')}, {count(len(design.units), 'unit')}"
    return page_of(
        "compare-ratings",
        f"How did {levels} differ on the same units?",
        design,
        replace(options, reference=reference),
        describe=f"{sizes}, {levels}; reference: '{shorten(reference)}'",
        verdict=verdict_on_levels([block for block in blocks if block is not None]),
        answer=answer(compared, problems),
        leading={f"{level} minus {reference}": result for level, result in results.items()},
        blocks=[*blocks, replies_by(design, options.level)],
        uses=USED,
        data=[levels_by_source_table(parts, results, problems, reference)],
        methods=methods(reference, options),
        planning=planning,
    )


def compare_kinds(
    parts: Mapping[str, Ratings], reference: str, results: Mapping[str, Result]
) -> dict[str, Differences]:
    """Return the differences of each kind of number that the levels have."""
    values = {level: values_of(part) for level, part in parts.items()}
    compared = {}
    for kind, (name, _) in KINDS.items():
        level_rows = rows_of_levels(values, kind)
        differences = compare_levels(name, reference, results, partial(rows_of, kind), level_rows)
        if differences is not None:
            compared[kind] = differences
    return compared


def rows_of(kind: str, result: Result) -> list[Row]:
    """Return the differences of a kind in a result."""
    return [row for row in result.rows if row.group == kind]


def answer(compared: Mapping[str, Differences], problems: Mapping[str, str]) -> list[str]:
    """Return the differences of the first kind, those of the clearest other, and what was not compared."""
    first, *tested = compared.values()
    p_values = {kind.name: smallest_p(kind.rows) for kind in tested}
    tested = [kind for kind in tested if p_values[kind.name] is not None]
    tested.sort(key=lambda kind: p_values[kind.name] or 0.0)
    texts = [text for kind in (first, *tested[:1]) for text in difference_sentences(kind)]
    named = [f"{shorten(level, 30)} ({why})" for level, why in problems.items()]
    return [*texts, *([f"Not compared: {listing(named, most=4)}."] if named else [])]


def smallest_p(rows: Sequence[Row]) -> float | None:
    """Return the smallest p of some differences times their number (Bonferroni); None without tests."""
    p = [row.p_value for row in rows if row.p_value is not None]
    return len(p) * min(p) if p else None


def levels_by_source_table(
    parts: Mapping[str, Ratings],
    results: Mapping[str, Result],
    problems: Mapping[str, str],
    reference: str,
) -> PageTable:
    """Count units and raters of every level."""
    notes = {reference: "reference", **problems}
    notes |= {
        level: f"with the reference: {result.extras['matched']}"
        for level, result in results.items()
    }
    cells = tuple(
        (level, part.n_rows, len(part.units), len(part.raters), notes[level])
        for level, part in parts.items()
    )
    return PageTable("What each level has", ("Level", "Ratings", "Units", "Raters", "Note"), cells)


def methods(reference: str, options: StudyOptions) -> tuple[str, str]:
    """Return the methods: first in brief, then in full."""
    level = percent_of(options.level)
    return (
        f"Each level was compared with {shorten(reference)} on shared units. {level} CIs and t tests used bootstrap "
        "standard errors over units or their clusters. p values were Holm-adjusted within each kind of difference.",
        "Units were joined by their labels. Units (or declared clusters of units) were resampled in both levels "
        f"together ({options.resamples:,} resamples, seed {options.seed}). Standard errors were multiplied by the root "
        "of G / (G - 1); t had G - 1 degrees of freedom, for G clusters.",
    )
