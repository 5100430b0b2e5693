"""How high ratings are: means of all units, of strata and of raters, and the difference of two groups of raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.figures import forest
from socialstats.matching import match_keys
from socialstats.paired.paired_difference import paired_difference
from socialstats.results import Result, Row
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.scales.measures import has_rating, unit_shares
from socialstats.scales.ratings_difference import with_matched_groups
from socialstats.studies.estimates import (
    extremes,
    rows_table,
    single,
)
from socialstats.studies.page import (
    Block,
    StudyOptions,
)
from socialstats.text import (
    as_words,
    listing,
    percent_of,
    quoted,
    shorten,
)

MOST_MEANS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGap:
    """The difference of the mean ratings of two groups of raters, where they share two units; what it leaves out."""

    names: tuple[str, str]
    result: Result | None
    units: str

    @property
    def sentences(self) -> list[str]:
        """The difference in words, and the units that only one group rated."""
        first, second = (shorten(name, 40) for name in self.names)
        if self.result is None:
            return [f"The means of {first} and {second} were not compared: {self.units}."]
        row = self.result.rows[0]
        left = [f"These two groups were compared on {self.units}."] if self.units else []
        return [sentences.difference("the mean rating", first, second, row), *left]


def group_gaps(design: Ratings, level: float) -> list[GroupGap]:
    """Return the mean difference of the two groups that a factor tells raters apart by, on the units that both rated.

    A unit's value is the mean rating of a group, so raters are fixed. Clusters are the declared ones.
    """
    found = []
    for name, factor in design.rater_groups.items():
        names = np.array(design.raters, dtype=object)
        raters = {
            text: names[factor.codes == code].tolist() for code, text in enumerate(factor.levels)
        }
        raters = {text: own for text, own in raters.items() if own}
        if len(raters) != 2 or min(map(len, raters.values())) < 2:
            continue
        means = [unit_means(design.of_raters(own)) for own in raters.values()]
        match, labels = match_keys(*means), [quoted([text]) for text in raters]
        units = "" if match.complete else match.text("unit", labels)
        first, second = raters
        if len(match.keys) < 2:
            found.append(
                GroupGap(
                    names=(first, second), result=None, units=units or match.text("unit", labels)
                )
            )
            continue
        one, two = (f"{text} ({name})" for text in raters)
        values = match.values(*(np.array(list(own.values())) for own in means))
        table: dict[str, Any] = {"unit": match.keys, one: values[0], two: values[1]}
        at = match_keys(design.units, match.keys).places[0]
        clusters = {
            f"cluster {k}": [f.levels[c] for c in f.codes[at].tolist()]
            for k, f in enumerate(design.clusters)
        }
        columns: dict[str, Any] = {"cluster": list(clusters)} if clusters else {}
        pairs = Paired.from_wide(
            table | clusters,
            unit="unit",
            first=one,
            second=two,
            scale="numeric",
            na=False,
            **columns,
        )
        result = single(paired_difference(pairs, level=level))
        result = replace(
            result,
            cautions=(
                *match.cautions("unit", labels, "the difference of the two groups"),
                *result.cautions,
            ),
            extras={**result.extras, "ratings": design, "groups": (name, first, second)},
        )
        found.append(
            GroupGap(names=(first, second), result=with_matched_groups(result), units=units)
        )
    return found


def unit_means(design: Ratings) -> dict[str, float]:
    """Return the mean rating of each unit that has one."""
    means, known = unit_shares(design) @ design.scores, has_rating(design)
    return {unit: float(means[k]) for k, unit in enumerate(design.units) if known[k]}


def means_block(design: Ratings, options: StudyOptions) -> Block | None:
    """Show the mean ratings; None where levels are not numbers."""
    try:
        found = single(mean_ratings(design, level=options.level))
    except InputError:
        return None
    own = [row for row in found.rows if row.estimate is not None]
    groups = {
        as_words(name): [r for r in own if r.label("stratum") == name] for name in design.strata
    }
    said = [found.sentence()]
    for where, rows in (*groups.items(), ("rater", [r for r in own if r.label("rater")])):
        low, high = (
            f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})"
            for r in extremes(rows) or (Row(term=""),) * 2
        )
        said += [f"By {where}, means ranged from {low} to {high}."] if len(rows) > 1 else []
    gaps = group_gaps(design, options.level)
    said += [text for gap in gaps for text in gap.sentences]
    compared = {gap.names: gap.result for gap in gaps if gap.result is not None}
    labels = [
        f"rater: {r.term}"
        if r.label("rater")
        else f"{as_words(str(r.label('stratum')), 30)}: {r.term}"
        if r.label("stratum")
        else r.term
        for r in found.rows
    ]
    by = [*groups, *(["rater"] if any(r.label("rater") for r in own) else [])]
    drawn = [
        replace(r, term=label, group=None) for r, label in zip(found.rows, labels, strict=True)
    ][:MOST_MEANS]
    return Block(
        id="means",
        question="How high were the ratings?",
        sentences=tuple(said),
        draw=partial(forest, drawn, sort=False, reference=None, xlabel="mean rating"),
        figure_title=f"Mean rating of all units{f', by {listing(by)}' if by else ''}",
        caption=f"Points and bars: means over units of their mean rating and {percent_of(options.level)} CIs "
        f"({found.inference}). {'Other differences' if compared else 'Differences'} were not tested.",
        tables=(
            rows_table(found.rows, "Mean rating", term="Ratings of", labels=labels),
            *(
                rows_table(
                    result.rows[:1],
                    "Mean rating of {} minus {}, on the units of both".format(*names),
                )
                for names, result in compared.items()
            ),
        ),
        results=(found, *compared.values()),
    )
