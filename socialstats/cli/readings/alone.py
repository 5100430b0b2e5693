"""Values of one source: units, one column that may hold the values, and none that says who gave them."""

from __future__ import annotations

from socialstats.cli.readings.boards import scores_in
from socialstats.cli.readings.long import telling_apart
from socialstats.cli.readings.proposal import Columns, Parts, Proposal, Proposals
from socialstats.designs.profile import Column, Profile
from socialstats.designs.roles import FEWEST_UNNAMED, independent_groups
from socialstats.designs.vocabulary import (
    CALLS,
    CLUSTER_NAME,
    CONDITIONS,
    CONFIDENCE,
    COVARIATES,
    MODELS,
    NUMBERINGS,
    RATERS,
    REPEATS,
    RIGHT,
    TASKS,
    UNITS,
    VALUES,
)
from socialstats.text import shorten

SCORE = 4.5  # below every reading that compares something


def values_of_one_source(seen: Profile) -> Proposals:
    """Propose the mean or share of the only column of values, where nothing can be compared.

    Each row is a unit, or a unit has several rows, such as the answers to one question or the turns of a talk.
    """
    keys = [c for c in seen.every if c.unique and (c.text or c.identifies or c.numbers_rows)]
    value = only_value(seen, keys)
    if value is None or independent_groups(seen) is not None:
        return
    repeated = [c for c in seen.varying() if c.names_things and not c.unique and not c.prose and c is not value]
    repeated = [c for c in repeated if c.size >= FEWEST_UNNAMED and (c.id_named or c.called(UNITS.words))]
    owner = max(repeated, key=lambda c: c.size, default=None)
    if compared(seen, [*keys, value], owner):
        return
    if owner is not None:
        others = [c for c in seen.every if c not in (owner, value) and c.names_things and not c.prose]
        others.sort(key=lambda c: not c.called((*REPEATS.words, *CALLS)))
        repeat = telling_apart(seen, [owner], others)
        if not repeat:
            return
        parts: Parts = {"unit": [owner], "value": [value], "rater": [], "repeat": repeat}
        told = f"'{shorten(value.name, 40)}' of each '{shorten(owner.name, 40)}', with several rows averaged"
        yield Proposal("ratings", SCORE, f"{told}, all of one source", parts)
    elif keys:
        key = next((c for c in keys if c.identifies or c.called(UNITS.words)), keys[0])
        means = f"'{shorten(value.name, 40)}' of each '{shorten(key.name, 40)}', all of one source"
        yield Proposal("ratings", SCORE, means, {"unit": [key], "value": [value], "rater": []})


def only_value(seen: Profile, keys: Columns) -> Column | None:
    """Return the only column that may hold values: called so, or of two opposites, or the only one at all."""
    free = [c for c in scores_in(seen, keys) if not (c.called((*COVARIATES, *NUMBERINGS, *CALLS)) or c.describes)]
    for likely in (
        [c for c in free if c.called((*VALUES.words, *RIGHT))],
        [c for c in free if c.yes_no],
        [c for c in free if not c.called((*REPEATS.words, *CONFIDENCE))],
    ):
        if likely:
            return likely[0] if len(likely) == 1 else None
    return None


def compared(seen: Profile, used: Columns, owner: Column | None) -> bool:
    """Whether a column may name what is compared: models, raters or conditions, or labels of no other kind.

    What is the same in all rows of a unit, the `owner` of several, describes it.
    """
    rest = [c for c in seen.varying() if c not in used and c.filled == c.rows and c.size < seen.rows]
    rest = [c for c in rest if c is not owner and not (owner is not None and seen.constant(c, owner))]
    rest = [c for c in rest if not (c.prose or c.describes or c.numbering or c.id_named or groups_units(c))]
    rest = [c for c in rest if not c.called((*CALLS, *REPEATS.words, *UNITS.words, *COVARIATES))]
    return any(c.text or c.called((*RATERS.words, *CONDITIONS.words, *MODELS.words)) for c in rest)


def groups_units(column: Column) -> bool:
    """Whether the name says that units of one label are alike: a topic, a task, a cluster."""
    return column.called(TASKS.words) or bool(CLUSTER_NAME.search(column.name))
