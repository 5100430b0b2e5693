"""Why a table that was read does not suit the study that was asked for, in words about this table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.ratings import Ratings
from socialstats.studies.sources import HUMANS, human_source, raters_of
from socialstats.tables import as_number
from socialstats.text import count, listing, quoted, shorten


def urgency(design: Comparisons) -> str:
    """Say what keeps urgency from being compared: no columns, words instead of numbers, the same on both sides."""
    found = design.covariates.get("urgency")
    if found is None:
        others = listing(list(design.covariates)) or "none"
        return (
            f"there are no columns urgency_a and urgency_b (covariates found: {others}). Name them with "
            "--map urgency_a=COLUMN --map urgency_b=COLUMN"
        )
    if not np.issubdtype(found.a.dtype, np.number):
        labels = dict.fromkeys(str(v) for v in np.concatenate([found.a, found.b]) if v is not None)
        words = [label for label in labels if as_number(label) is None]
        return f"urgency is words ({quoted(words)}), and its steps are counted: write numbers, such as 1, 2, 3"
    if len(design.items) < 3:
        return (
            f"all comparisons are between {quoted(design.items)}: S and the win rates vary over pairs of items, and "
            "one pair says nothing about others. Add items, or take --study comparisons"
        )
    rows = float(design.count.sum())
    where = "the one comparison" if rows == 1 else f"all {count(rows, 'comparison')}"
    return f"urgency is the same on both sides of {where}: nothing says whether it decides"


def people(design: Ratings) -> str:
    """Say that no group of raters is called human, or that nothing is beside it; empty where people are found."""
    if human_source(design) is not None:
        return ""
    known = f"called {listing(sorted(HUMANS), 10)}"
    if not design.rater_groups:
        return (
            f"nothing says which raters are people: name the column with --map rater_source=COLUMN (people are {known})"
        )
    said = design.columns.get("rater_source", "")
    name = said if said in design.rater_groups else next(iter(design.rater_groups))
    factor = design.rater_groups[name]
    used = [factor.levels[code] for code in np.unique(factor.codes).tolist() if code >= 0]
    if len(used) == 1:
        return (
            f"all raters are of one source, '{shorten(used[0])}' (column '{shorten(name)}'): nothing to compare it with"
        )
    return f"no source of raters is {known}; column '{shorten(name)}' says {quoted(used)}"


def actions(design: Ratings) -> str:
    """Say what keeps the actions of people and others from being compared."""
    if design.scale != "nominal":
        return f"its actions have no order, and the scale is {design.scale}: say --scale nominal"
    return people(design)


def alignment(design: Ratings) -> str:
    """Say what keeps the distance of others to people from being measured."""
    if design.scale == "nominal":
        return f"its levels have an order, and these have none: say --levels with {quoted(design.levels)} in order"
    source = human_source(design)
    if not design.raters_known or source is None:
        return (
            people(design) if design.raters_known else "nothing says who rated: name the column with --map rater=COLUMN"
        )
    n = len(raters_of(design, source, source.human))
    return f"a mode of people needs five of them or more; '{shorten(source.human)}' has {count(n, 'rater')}"


def stages(design: Ratings) -> str:
    """Say that there is a single stage; empty where something else is missing."""
    found = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(found) != 1:
        return ""
    return f"it is about changes over stages, and the only stage is '{shorten(found[0])}'"


def levels(design: Any) -> str:
    """Say that there is nothing to compare by."""
    if design.by is None:
        return "nothing says what is compared: name the column with --by COLUMN"
    return f"column '{shorten(design.by.name)}' has the single value '{shorten(design.by.levels[0])}'"


WHY: dict[str, Callable[[Any], str]] = {
    "role-conflict": urgency, "norm-goal": actions, "ordinal-alignment": alignment, "staged-values": stages,
    "compare": levels, "compare-ratings": levels,
}  # fmt: skip


def why(study: str, design: Any) -> str:
    """Return why this design does not suit a study; empty where nothing more than its needs can be said.

    Examples
    --------
    >>> from socialstats import Comparisons
    >>> same = {"urgency_a": [1, 2], "urgency_b": [1, 2]}
    >>> table = {"item_a": ["nun", "son"], "item_b": ["son", "judge"], "winner": ["nun", "judge"], **same}
    >>> why("role-conflict", Comparisons.from_frame(table))
    'urgency is the same on both sides of all 2 comparisons: nothing says whether it decides'
    """
    return WHY[study](design) if study in WHY else ""
