"""How far raters of one kind agree, with and without the order of the levels; the page of models alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from socialstats import sentences
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.designs.level_orders import Scale
from socialstats.designs.parts import REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.results import Result, Row
from socialstats.scales.measures import ALPHA
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.shares.sources import raters_by_kind
from socialstats.studies.asking import (
    add_labels,
    ask_rows,
    attempt_result,
    compact_table,
    grid_table,
    interval_points,
    page_of,
    pick_rows,
    rows_by,
    span_sentence,
)
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Block, Outcome, StudyOptions
from socialstats.studies.ratings import RELIABLE, about_ratings, describe, enough_of, planned
from socialstats.studies.verdicts import verdict_of
from socialstats.text import as_words, count, listing, shorten

NOMINAL = "nominal"
REFUSALS_AS_LEVEL = "nominal, refusals as a level"
USED = ("seed", "resamples", "level", "verify")
MOST_LISTED = 30  # models by name
MOST_MAIN = 2  # strata among the main results

Alphas = dict[tuple[str, str], Result]
"""Alphas by the raters that agree (or the level of the by factor) and the kind of alpha."""


def alphas_of(design: Ratings, options: StudyOptions) -> dict[str, Result]:
    """Return alpha of each kind, that on the scale of the design last; empty where no unit has two ratings."""
    kinds: dict[str, dict[str, str]] = {}
    if np.any(design.status == REFUSAL):
        kinds[REFUSALS_AS_LEVEL] = {"scale": "nominal", "refusal": "level"}
    kinds |= {scale: {"scale": scale} for scale in (NOMINAL, design.scale)}
    whole = replace(design, by=None)
    alphas = {
        kind: attempt_result(krippendorff_alpha, whole, **choices, **options.chosen())
        for kind, choices in kinds.items()
    }
    return {} if None in alphas.values() else alphas


def alphas_by_part(parts: Mapping[str, Ratings], options: StudyOptions) -> Alphas:
    """Return the alphas of each part of a table, such as a source or a level, and of families of raters."""
    return {
        (name, kind): result
        for name, part in parts.items()
        for kind, result in alphas_of(part, options).items()
    }


def alpha_differences(
    parts: Mapping[str, Ratings], reference: str, options: StudyOptions
) -> list[Result]:
    """Return alpha of each part minus that of the reference, with the order of the levels and without.

    Units are resampled in both together, so the difficulty of units cancels.
    """
    scales: dict[Scale, None] = dict.fromkeys((parts[reference].scale, "nominal"))
    differences = []
    for name, scale in product([name for name in parts if name != reference], scales):
        labels = (name, reference)
        pair = [replace(parts[label], by=None, scale=scale) for label in labels]
        result = attempt_result(ratings_difference, *pair, labels=labels, **options.chosen())
        rows = () if result is None else tuple(row for row in result.rows if row.group == ALPHA)
        if rows:
            title = f"Alpha ({scale}): {' minus '.join(labels)}"
            differences.append(replace(result, rows=rows, title=title))
    return differences


def alpha_rows(alphas: Alphas) -> list[Row]:
    """Return the alphas as rows of one table."""
    return [
        row
        for (part, kind), result in alphas.items()
        for row in add_labels(result.rows[:1], part=part, kind=kind)
    ]


def agreement_question(
    alphas: Alphas, say: Iterable[str], differences: Sequence[Result] = ()
) -> Block | None:
    """Ask whether raters agree, and whether the order of the levels matters."""
    if not alphas:
        return None
    first, *others = alphas.values()
    rows = alpha_rows(alphas)
    title = "Krippendorff's alpha (1: perfect, 0: chance)"
    names = [f"{row.label('part')}: {row.label('kind')}" for row in rows]
    gaps = [row for result in differences for row in add_labels(result.rows, of=result.title)]
    return ask_rows(
        "agreement",
        "Did raters agree, and did the order of the levels matter?",
        first,
        rows,
        quantity=title,
        say=say,
        names=names,
        table=grid_table(
            rows, title, "part", "kind", name="alphas", cell="interval", headings={"part": "Raters"}
        ),
        more=[compact_table(rows_table(rows, title, labels=names))],
        draw=interval_points(),
        tables={"Differences of alpha on the same units": gaps},
        results=[*others, *differences],
        note="The nominal alpha ignores the order of the levels. Refusals are excluded, or one more level.",
    )


def kinds_sentences(alphas: Alphas) -> list[str]:
    """State the range of each kind of alpha, that on the scale of the design first."""
    kinds = rows_by(alpha_rows(alphas), "kind")
    order = sorted(kinds, key=lambda kind: kind in (NOMINAL, REFUSALS_AS_LEVEL))
    return [span_sentence(kinds[kind], f"Krippendorff's α ({kind})") for kind in order]


def difference_sentence(difference: Result) -> str:
    """Compare the agreement among the raters of two parts."""
    first, second = (f"'{shorten(name, 40)}' raters" for name in difference.settings["labels"])
    return sentences.difference("agreement on the same units", first, second, difference.rows[0])


def stratum_question(
    parts: Mapping[str, Ratings], stratum: str, k: int, options: StudyOptions
) -> Block | None:
    """Ask how well raters agree at each level of a stratum, for each part of the table."""
    rows: list[Row] = []
    results: list[Result] = []
    for name, part in parts.items():
        whole = replace(part, by=None)
        result = attempt_result(krippendorff_alpha, whole, stratum=stratum, **options.chosen())
        if result is not None:
            results.append(result)
            rows += add_labels(pick_rows(result.rows, stratum=True), part=name)
    if all(row.estimate is None for row in rows):
        return None
    return ask_rows(
        f"stratum-{k + 1}",
        f"How well did raters agree at each level of {as_words(stratum)}?",
        results[0],
        rows,
        quantity=f"Krippendorff's alpha by {as_words(stratum)}",
        say=[span_sentence(rows, "alpha")],
        draw=interval_points(),
        results=results[1:],
        note="Where answers vary little, alpha is low even if raters mostly agree.",
        part="main" if k < MOST_MAIN else "appendix",
    )


def page_without_people(
    design: Ratings, parts: Mapping[str, Ratings], options: StudyOptions
) -> Outcome:
    """Answer a table of models alone: their agreement, with and without the order of the levels."""
    families = {
        f"{level}, {name}": part.of_raters(raters)
        for level, part in parts.items()
        for name, raters in raters_by_kind(part, part.raters).items()
    }
    alphas = alphas_by_part({**parts, **families}, options)
    if not alphas:
        raise InputError(f"{design.source}: no unit has two answers, so agreement is undefined")
    ordered = [result for (_, kind), result in alphas.items() if kind == design.scale]
    several = len(ordered) > 1
    models = listing([shorten(rater, 30) for rater in design.raters], most=MOST_LISTED)
    lowest = min((result.rows[0] for result in ordered), key=lambda row: row.estimate or 0.0)
    of_each = "of each level " * several
    return page_of(
        "ordinal-alignment",
        f"Do the {count(len(design.raters))} models agree, and does the order of the levels matter?",
        design,
        options,
        describe=describe(design),
        verdict=verdict_of(
            f"models {of_each}agree with each other to some degree; {RELIABLE[enough_of(lowest)]}",
            certainty="interval",
        ),
        answer=kinds_sentences(alphas) if several else [ordered[0].sentence()],
        planning=() if several else planned(ordered[0], None),
        leading={f"{part}, {kind}": result for (part, kind), result in alphas.items()},
        blocks=[
            agreement_question(alphas, () if several else kinds_sentences(alphas)[1:]),
            *(stratum_question(parts, name, k, options) for k, name in enumerate(design.strata)),
        ],
        uses=USED,
        data=[
            replace(table, caption=f"{shorten(level, 40)}: {table.caption}")
            for level, part in parts.items()
            for table in about_ratings(part)
        ],
        methods=[
            f"Agreement was estimated by Krippendorff's alpha ({design.scale} and nominal). CIs used "
            f"{ordered[0].inference}.",
            "Nominal alpha treats any two levels as equally different; refusals were excluded, or counted as one more "
            "level. Ordinal alpha weights disagreements by the answers between two levels. The table has no human "
            "raters, so distances to people are undefined.",
            f"Models: {models}.",
        ],
    )
