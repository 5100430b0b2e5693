"""The page of models alone: how far they agree, with and without the order of the levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.shares.sources import raters_by_kind
from socialstats.studies.alphas import (
    BANDS,
    agreement_question,
    alphas_by_part,
    band_of,
    kinds_sentences,
    strata_questions,
)
from socialstats.studies.asking import page_of
from socialstats.studies.estimates import halved
from socialstats.studies.page import Outcome, StudyOptions
from socialstats.studies.ratings import about_ratings, describe
from socialstats.studies.verdicts import verdict_of
from socialstats.text import count, listing, shorten

USED = ("seed", "resamples", "level", "verify")
MOST_LISTED = 30  # models by name


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
    units = None if lowest.df is None else round(lowest.df) + 1
    by_level = "of each level " * several
    return page_of(
        "ordinal-alignment",
        f"Do the {count(len(design.raters))} models agree, and does the order of the levels matter?",
        design,
        options,
        describe=describe(design),
        verdict=verdict_of(
            f"models {by_level}agree with each other to some degree; {BANDS[band_of(lowest)][0]}",
            certainty="interval",
        ),
        answer=kinds_sentences(alphas) if several else [ordered[0].sentence()],
        planning=() if several else halved(design.clusters, lowest, units, "alpha"),
        leading={f"{part}, {kind}": result for (part, kind), result in alphas.items()},
        blocks=[
            agreement_question(alphas, () if several else kinds_sentences(alphas)[1:]),
            *strata_questions(parts, design.strata, options),
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
