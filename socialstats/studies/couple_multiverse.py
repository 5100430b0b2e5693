"""The bias of couples under every choice of analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.metrics.relationship_bias import relationship_bias
from socialstats.results import Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.couple_parts import AS_WRITTEN, rung_of
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.outcome import Block
from socialstats.text import shorten

OWN = "as on this page"
FEW_RESAMPLES = 100
SIDES = ("missing answers for the first group of each B", "missing answers for the second group of each B")
Compute = Callable[[], Result]


def filled(design: Ratings, side: int) -> Ratings:
    """Return the design with every missing answer counted for the first (0) or second (1) group of each B.

    Groups are in the order of `relationship_bias`, sorted. Couples of one group keep their missing answers.
    """
    first, second = (
        np.array(design.strata[name].levels)[design.strata[name].codes[design.unit]]
        for name in ("group_first", "group_second")
    )
    lost = (design.status != OK) & (first != second)
    place = {label: design.levels.index(label) for label in ("-1", "1")}
    chosen = (first < second) == (side == 0)  # the name that is favoured stands first
    value = np.where(lost, np.where(chosen, place["-1"], place["1"]), design.value)
    status = np.where(lost, OK, design.status).astype(design.status.dtype)
    return replace(design, value=value, status=status)


def without(design: Ratings, factor: Factor, code: int, *, only: bool = False) -> Ratings:
    """Return the answers outside a level of a factor of the units; with `only`, those inside."""
    inside = factor.codes[design.unit] == code
    return design.take(inside if only else ~inside)


def bias_multiverses(design: Ratings, options: StudyOptions, biases: Sequence[Row]) -> tuple[Block, ...]:
    """Return one multiverse a pair of groups; every analysis is computed once."""
    made = variants(design, options)
    blocks = []
    for k, row in enumerate(biases):
        lead = partial(bias_row, row.term)
        quantity = f"bias B of {shorten(row.term, 40)}"
        listed = distinct([replace(v, lead=lead) for v in made])
        found = multiverse("relationship_bias", quantity, listed, reference=0.0, words="0")
        blocks.append(
            multiverse_block(
                found, id=f"multiverse-{k + 1}", question=f"Does B of {shorten(row.term, 40)} hang on the analysis?",
                quantity=quantity,
            )
        )  # fmt: skip
    return tuple(blocks)


def of_bias(result: Result) -> str:
    """Say how the interval of B was obtained: of a sentence about all intervals, what is about B's."""
    kind = "t" if result.settings["ci"] == "closed" else f"{result.settings['ci']} bootstrap"
    return f"{kind}; {result.inference.rpartition('; ')[2]}"


def bias_row(term: str, result: Result) -> Row:
    """Return the row of a bias, or one that says that it is not there."""
    found = [row for row in result.rows if row.group == "bias" and row.term == term]
    return found[0] if found else Row(term=term, group="bias", undefined="no couples of these groups are left")


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any) -> Variant:
        given = {"level": options.level, "seed": options.seed, "resamples": FEW_RESAMPLES} | choices

        @cache
        def compute() -> Result:
            found: Any = relationship_bias(data(), **given)
            result: Result = found
            return replace(result, inference=of_bias(result))

        return Variant(label=label, choice=choice, compute=compute)

    made = [way("all answers, scenario x pair crossed", OWN)]
    made += [way(f"clustered by {shorten(f.name, 30)} alone", "clusters", cluster=f.name) for f in design.clusters]
    made += [
        way("answers independent", "clusters", cluster=None),
        way("bootstrap of the clusters, percentile", "interval", ci="percentile", resamples=options.resamples),
        way("scenarios weigh alike", "weights", aggregate="scenario"),
        way("couples answered in both orders only", "missing answers", couples="complete"),
    ]
    if np.any(design.status != OK):
        made += [way(label, "missing answers", partial(filled, design, side)) for side, label in enumerate(SIDES)]
    rung = rung_of(design)
    written = None if rung is None else next((k for k, level in enumerate(rung.levels) if level in AS_WRITTEN), None)
    if rung is not None and written is not None:
        story = partial(without, design, rung, written, only=True)
        made.append(way("story as written only", "rewordings", story))
    for name in ("kind", "topic"):
        factor = design.strata.get(name)
        if factor is not None and 2 < len(factor.levels) <= MOST_LEFT_OUT:
            made += [
                way(without_label(name, level), f"{name} left out", partial(without, design, factor, code))
                for code, level in enumerate(factor.levels)
            ]
    return made
