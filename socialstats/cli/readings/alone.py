"""Values of one source: a row for each unit, one column that may hold the values, and none that says who gave them."""

from __future__ import annotations

from socialstats.cli.readings.boards import scores_in
from socialstats.cli.readings.proposal import Proposal, Proposals
from socialstats.designs.profile import Column, Profile
from socialstats.designs.roles import independent_groups
from socialstats.designs.vocabulary import CLUSTER_NAME, COVARIATES, NUMBERINGS, RIGHT, TASKS, UNITS, VALUES
from socialstats.text import shorten

SCORE = 4.5  # below every reading that compares something


def values_of_one_source(seen: Profile) -> Proposals:
    """Propose the mean or share of the only column of values, where each row is a unit and nothing can be compared."""
    keys = [c for c in seen.every if c.unique and (c.text or c.identifies or c.numbers_rows)]
    free = [c for c in scores_in(seen, keys) if not c.called((*COVARIATES, *NUMBERINGS)) and not c.timing]
    told = [c for c in free if c.called((*VALUES.words, *RIGHT))]
    values = told or free
    others = [c for c in seen.varying() if c not in (*keys, *values) and not groups_units(c)]
    if (
        independent_groups(seen) is not None
        or not keys
        or len(values) != 1
        or any(2 <= c.size < seen.rows for c in others)
    ):
        return
    key = next((c for c in keys if c.identifies or c.called(UNITS.words)), keys[0])
    means = f"'{shorten(values[0].name, 40)}' of each '{shorten(key.name, 40)}', all of one source"
    yield Proposal("ratings", SCORE, means, {"unit": [key], "value": values, "rater": []})


def groups_units(column: Column) -> bool:
    """Whether the name says that units of one label are alike: a topic, a task, a cluster."""
    return column.called(TASKS.words) or bool(CLUSTER_NAME.search(column.name))
