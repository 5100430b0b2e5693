"""How high ratings are: means of all units, of strata and of raters, and the difference of two groups of raters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.matching import match_keys
from socialstats.paired.paired_difference import paired_difference
from socialstats.results import Result, Row
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.scales.measures import has_rating, unit_shares
from socialstats.scales.ratings_difference import with_matched_groups
from socialstats.studies.asking import ask_rows, interval_points, pick_rows
from socialstats.studies.estimates import (
    extremes,
    single,
)
from socialstats.studies.page import (
    Block,
    StudyOptions,
)
from socialstats.text import (
    as_words,
    quoted,
    shorten,
)


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
        result = single(mean_ratings(design, level=options.level))
    except InputError:
        return None
    estimated = [row for row in result.rows if row.estimate is not None]
    groups = {as_words(name): pick_rows(estimated, None, stratum=name) for name in design.strata}
    groups["rater"] = pick_rows(estimated, None, rater=True)
    lines = [result.sentence()]
    for where, rows in groups.items():
        if len(rows) > 1:
            low, high = (
                f"{sentences.estimate_text(row)} ({shorten(row.term, 40)})"
                for row in extremes(rows) or (Row(term=""),) * 2
            )
            lines.append(f"By {where}, means ranged from {low} to {high}.")
    differences = group_gaps(design, options.level)
    lines += [text for difference in differences for text in difference.sentences]
    compared = {
        "Mean rating of {} minus {}, on the units of both".format(*gap.names): gap.result
        for gap in differences
        if gap.result is not None
    }
    others = "Other differences" if compared else "Differences"
    return ask_rows(
        "means",
        "How high were the ratings?",
        result,
        result.rows,
        quantity="mean rating",
        say=lines,
        names=[label_of_mean(row) for row in result.rows],
        draw=interval_points(None),
        tables={title: difference.rows[:1] for title, difference in compared.items()},
        results=list(compared.values()),
        note=f"Means over units of their mean rating. {others} were not tested.",
    )


def label_of_mean(row: Row) -> str:
    """Return whose ratings a mean is of: of all units, of a level of a stratum, or of a rater."""
    if row.label("rater"):
        return f"rater: {row.term}"
    stratum = row.label("stratum")
    return f"{as_words(stratum, 30)}: {row.term}" if stratum else row.term
