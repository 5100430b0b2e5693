"""How high ratings are: means of all units, of strata and of raters, and the difference of two groups of raters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.matching import match_keys
from socialstats.paired.paired_difference import paired_difference
from socialstats.results import Result, Row
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.scales.measures import has_rating, unit_shares
from socialstats.scales.ratings_difference import with_matched_groups
from socialstats.studies.asking import ask_rows, attempt_result
from socialstats.studies.estimates import single
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.row_sentences import span_sentence
from socialstats.text import as_words, quoted, shorten


def group_difference(design: Ratings, group: str, level: float) -> Result:
    """Return the mean difference of the two groups that a factor tells raters apart by, on the units that both rated.

    A unit's value is the mean rating of a group, so raters are fixed. Clusters are the declared ones.
    """
    means: dict[str, dict[str, float]] = {}
    factor, names = design.rater_groups[group], np.array(design.raters, dtype=object)
    for code, label in enumerate(factor.levels):
        raters = names[factor.codes == code].tolist()
        if raters:
            means[label] = unit_means(design.of_raters(raters))
    first, second = means
    match, quotes = match_keys(*means.values()), [quoted([label]) for label in means]
    columns = {label: f"{label} ({group})" for label in means}
    table: dict[str, Any] = {"unit": match.keys}
    for label, by_unit in means.items():
        table[columns[label]] = [by_unit[unit] for unit in match.keys]
    reading: dict[str, Any] = {}
    for k, cluster in enumerate(design.clusters):
        levels = {
            unit: cluster.levels[cluster.codes[place]] for place, unit in enumerate(design.units)
        }
        table[f"cluster {k}"] = [levels[unit] for unit in match.keys]
        reading.setdefault("cluster", []).append(f"cluster {k}")
    pairs = Paired.from_wide(
        table,
        unit="unit",
        first=columns[first],
        second=columns[second],
        scale="numeric",
        na=False,
        **reading,
    )
    result = single(paired_difference(pairs, level=level))
    lost = match.cautions("unit", quotes, "the difference of the two groups")
    extras = {**result.extras, "ratings": design, "groups": (group, first, second)}
    return with_matched_groups(replace(result, cautions=(*lost, *result.cautions), extras=extras))


def has_two_groups(design: Ratings, group: str) -> bool:
    """Return whether a factor tells raters apart as two groups of two or more."""
    sizes = np.bincount([code for code in design.rater_groups[group].codes if code >= 0])
    return np.count_nonzero(sizes) == 2 and int(sizes[sizes > 0].min()) > 1


def unit_means(design: Ratings) -> dict[str, float]:
    """Return the mean rating of each unit that has one."""
    means, rated = unit_shares(design) @ design.scores, has_rating(design)
    return {unit: float(means[k]) for k, unit in enumerate(design.units) if rated[k]}


def mean_ratings_question(design: Ratings, options: StudyOptions) -> Block | None:
    """Ask how high ratings are; None where levels are not numbers."""
    result = attempt_result(mean_ratings, design, level=options.level)
    if result is None:
        return None
    strata = {as_words(name): pick_rows(result.rows, None, stratum=name) for name in design.strata}
    strata["rater"] = pick_rows(result.rows, None, rater=True)
    groups = [name for name in design.rater_groups if has_two_groups(design, name)]
    attempts = [attempt_result(group_difference, design, name, options.level) for name in groups]
    differences = [difference for difference in attempts if difference is not None]
    return ask_rows(
        "means",
        "How high were the ratings?",
        [result, *differences],
        result.rows,
        quantity="mean rating",
        say=[
            result.sentence(),
            *(span_sentence(rows, f"means by {by}") for by, rows in strata.items() if rows[1:]),
            *map(groups_sentence, differences),
        ],
        names=label_of_mean,
        draw=interval_points(None),
        tables={
            "Mean rating of {1} minus {2}, on the units of both".format(
                *difference.extras["groups"]
            ): (difference.rows[:1])
            for difference in differences
        },
        note="Means over units of their mean rating. Other differences were not tested.",
    )


def groups_sentence(result: Result) -> str:
    """State the mean difference of two groups, and the units that only one of them rated."""
    _, first, second = (shorten(name, 40) for name in result.extras["groups"])
    units = [f" Of the units: {one.detail}." for one in result.cautions if one.code == "SS301"]
    return sentences.difference("the mean rating", first, second, result.rows[0]) + "".join(units)


def label_of_mean(row: Row) -> str:
    """Return whose ratings a mean is of: of all units, of a level of a stratum, or of a rater."""
    if row.label("rater"):
        return f"rater: {row.term}"
    stratum = row.label("stratum")
    return f"{as_words(stratum, 30)}: {row.term}" if stratum else row.term
