"""Answers on an ordered scale of models alone: how far do they agree, with and without the order of the levels?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.studies.alignment_alphas import Alphas, alphas_block, alphas_of, range_text, strata_block
from socialstats.studies.base import StudyOptions, order_cautions
from socialstats.studies.estimates import cluster_words, settings_of, verify_all
from socialstats.studies.outcome import Mark, Outcome, Strip
from socialstats.studies.ratings_blocks import about_ratings, level_words
from socialstats.text import count, level_text, listing, shorten

USED = ("seed", "resamples", "level", "verify")
MOST_RATERS_SHOWN = 30


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "answer"), count(design.unit_count.sum(), "unit"), count(len(design.raters), "rater"),
        f"{design.scale} scale ({level_words(design)})", *cluster_words(design),
    ]  # fmt: skip
    return "Ordered answers: " + ", ".join(parts)


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
