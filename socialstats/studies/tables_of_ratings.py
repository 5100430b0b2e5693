"""Which tables of ratings suit a study, and what keeps the study from other tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.designs.couples import COLUMNS
from socialstats.designs.instrument import published_instrument
from socialstats.designs.nouns import noun_of
from socialstats.designs.ratings import Ratings
from socialstats.designs.surveys import is_respondents_design, is_survey
from socialstats.figures.squares import MOST_LEVELS
from socialstats.shares.sources import MODEL_COLUMNS, human_source, raters_of
from socialstats.text import count, quoted, shorten

FEWEST_PEOPLE = 5  # fewer have no mode to speak of: their agreement with the models is the question


def has_couples(design: Ratings) -> bool:
    """Return whether the design has the parts of couples, under the names that `read` gives them."""
    parts = {*design.strata, *(factor.name for factor in design.clusters)}
    return set(COLUMNS) <= parts and set(design.levels) == {"-1", "1"}


def has_staged_traits(design: Ratings) -> bool:
    """Return whether the design holds trait scores of stages, under the names that `trait_ratings` gives them."""
    if not {"scenario", "stage", "trait"} <= set(design.strata):
        return False
    instrument = design.instrument or published_instrument("staged-values")
    has_traits = set(instrument.traits) <= set(design.strata["trait"].levels)
    return has_traits and len(design.strata["stage"].levels) > 1


def has_actions(design: Ratings) -> bool:
    """Return whether the ratings are nominal, by people and others."""
    return design.scale == "nominal" and human_source(design) is not None


def has_ordered_models(design: Ratings) -> bool:
    """Return whether levels have an order, and raters are models, or people (enough for a mode) and others."""
    if design.scale == "nominal" or not design.raters_known or len(design.raters) < 2:
        return False
    source = human_source(design)
    if source is not None:
        return len(raters_of(design, source, source.human)) >= FEWEST_PEOPLE
    return design.columns.get("rater", "").casefold() in MODEL_COLUMNS


def has_mean(design: Ratings) -> bool:
    """Return whether the values are numbers that can be averaged."""
    return design.numeric and design.scale != "nominal"


def has_one_source(design: Ratings) -> bool:
    """Return whether all values are of one source, and have a mean or few levels."""
    few = has_mean(design) or len(design.levels) <= MOST_LEVELS
    return len(design.raters) == 1 and design.raters_known and few


def has_respondents(design: Ratings) -> bool:
    """Return whether people answered a survey: by how the table was read, or by its structure."""
    return is_respondents_design(design) or is_survey(design)


def has_scores(design: Ratings) -> bool:
    """Return whether the design has numbers (or two levels) of two raters or more, whose names are known."""
    return (
        (design.numeric or len(design.levels) == 2)
        and design.raters_known
        and len(design.raters) > 1
    )


def lacks_people(design: Ratings) -> str:
    """State that no group of raters is called human, or that nothing is beside it; empty where people are found."""
    if human_source(design) is not None:
        return ""
    if not design.rater_groups:
        return (
            "which raters are people is undeclared: name the column with --map rater_source=COLUMN "
            "(people are called human, say)"
        )
    source = design.columns.get("rater_source", "")
    name = source if source in design.rater_groups else next(iter(design.rater_groups))
    factor = design.rater_groups[name]
    used = [factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0]
    if len(used) == 1:
        return (
            f"all raters are of one source, '{shorten(used[0])}' (column '{shorten(name)}'): "
            f"nothing to compare it with"
        )
    return f"no source of raters is called human or people; column '{shorten(name)}' says {quoted(used)}"


def lacks_actions(design: Ratings) -> str:
    """State what keeps the actions of people and others from being compared."""
    if design.scale != "nominal":
        return f"its actions have no order, and the scale is {design.scale}: say --scale nominal"
    return lacks_people(design)


def lacks_order(design: Ratings) -> str:
    """State what keeps the distance of others to people from being measured."""
    if design.scale == "nominal":
        return f"its levels have an order, and these have none: say --levels with {quoted(design.levels)} in order"
    source = human_source(design)
    if not design.raters_known or source is None:
        return (
            lacks_people(design)
            if design.raters_known
            else "there is no rater column: name the column with --map rater=COLUMN"
        )
    n = len(raters_of(design, source, source.human))
    return f"a mode of people needs five of them or more; '{shorten(source.human)}' has {count(n, 'rater')}"


def lacks_stages(design: Ratings) -> str:
    """State that there is a single stage; empty where something else is missing."""
    stages = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(stages) != 1:
        return ""
    return f"it is about changes over stages, and the only stage is '{shorten(stages[0])}'"


def lacks_models(design: Any) -> str:
    """Return that a leaderboard has a single model, or a single label of what it compares."""
    return (
        f"it has one {noun_of(design)}, {quoted(design.raters)}" if len(design.raters) == 1 else ""
    )
