"""Columns whose labels are met by different units: independent groups."""

from __future__ import annotations

import re
from dataclasses import dataclass

from socialstats.designs.answer_columns import outcome_columns
from socialstats.designs.boards import SEVERAL_MET, board_of_labels, fills_rows, owned_by
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import (
    FEWEST_CLUSTERS,
    FEWEST_UNNAMED,
    MET_BY,
    MOST_GROUPS,
    met_share,
    model_columns,
    names_answers,
    names_units,
    of_people_and_machines,
    words_among,
)
from socialstats.designs.vocabulary import (
    CALLS,
    CONTROLS,
    COVARIATES,
    CUES,
    EXPORTED,
    KINDS_OF,
    PERSONS,
    PROSE,
    REPEATS,
    STATES,
    TREATMENTS,
    UNITS,
    VALUES,
)

# what Qualtrics showed, in its order
RANDOMISER = re.compile(r"FL_\d+_DO|.+_DO", re.IGNORECASE)
# labels of a column that tells groups apart whatever it is called
MOST_UNNAMED = 3


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """Independent groups: a column whose labels are met by different units.

    Attributes
    ----------
    group : Column
    unit : Column or None
        What names the units; None where each row is one.
    several : bool
        Whether a unit has several rows.
    named : bool
        Whether names or labels tell the groups; else they are the only labels that persons, or classes of them, have.
    crossed : sequence of Column
        A second sample within the groups, such as the persons who rated the texts of a group. Its labels met several
        units, and units met several of them.
    """

    group: ColumnProfile
    unit: ColumnProfile | None
    several: bool
    named: bool = True
    crossed: Columns = ()


def independent_groups(profile: TableProfile) -> GroupColumn | None:
    """Return the groups of different units that a table compares; None where no column is called or labelled like that.

    Each row is a unit of its own, or people, stories, ... with several rows have one label of the group only. What lies
    within units that met several groups, such as a session of a person, tells no groups apart.
    """
    # these are compared, and groups are groups of items
    models = model_columns(profile)
    are_things = [c for c in profile.varying() if c.names_things and not c.describes]
    values = outcome_columns(profile)
    if any(
        owned_by(profile, model) and board_of_labels(profile, model, values) is None
        for model in models
    ):
        # each talk is of one model
        models = []
    likely = [
        c for c in are_things if c.size <= MOST_GROUPS and c not in models and is_group(profile, c)
    ]
    for group in sorted(likely, key=lambda c: not c.called(TREATMENTS)):
        board = board_of_labels(profile, group, [c for c in values if c is not group])
        if board is not None and any(c.name in profile.planned for c in board.unit):
            # units met both
            continue
        named = [c for c in are_things if c.size > group.size and names_units(c)]
        met = [
            c
            for c in named
            if (c.text or c.identifies or c.called(UNITS, PERSONS))
            and not c.prose
            and met_share(profile, group, c) > MET_BY
        ]
        inner = [c for c in named if lies_within(profile, c, group)]
        several = [c for c in inner if 3 * c.size <= 2 * profile.rows]
        repeated = [
            c for c in several if c.called(PERSONS) or not any(profile.constant(d, c) for d in met)
        ]
        if repeated and (not models or group.called(TREATMENTS)):
            unit = min(repeated, key=lambda c: c.size)
            second = (c for c in several if is_crossed(profile, unit, c))
            crossed = [c for c in (next(second, None),) if c is not None]
            return GroupColumn(group, unit, several=True, crossed=crossed)
        if models:
            continue
        planned = any(
            fills_rows(profile, group, c) and profile.distinct(c, group) for c in are_things
        )
        if not planned and not any(c.called(UNITS) or c.size >= FEWEST_UNNAMED for c in met):
            return GroupColumn(group, next((c for c in inner if c.unique), None), several=False)
    return unnamed_groups(profile) if not models else None


def lies_within(profile: TableProfile, unit: ColumnProfile, group: ColumnProfile) -> bool:
    """Whether a column names units, many of each group, of which each is in one group."""
    if unit.size <= 2 * group.size or not profile.constant(group, unit):
        return False
    answers = unit.called(VALUES) and not unit.called(PERSONS)
    repeats = unit.called(REPEATS) and not unit.id_named
    return not (unit.called(CALLS) or answers or repeats) and (unit.lists or unit.called(UNITS))


def is_crossed(profile: TableProfile, unit: ColumnProfile, column: ColumnProfile) -> bool:
    """Whether labels of a column met several units, and most units several labels: neither lies within the other."""
    pairs = profile.combinations(unit, column)
    return column is not unit and pairs >= SEVERAL_MET * max(unit.size, column.size)


def only_measure(profile: TableProfile, groups: GroupColumn | None) -> ColumnProfile | None:
    """Return the one column of numbers beside groups of different units, such as a time; None where there are several.

    It is what the groups are compared by, whatever it is called: nothing else was measured.
    """
    if groups is None:
        return None
    used = (groups.group, groups.unit)
    free = [c for c in profile.varying() if c not in used and not c.text]
    free = [c for c in free if not (c.numbers_rows or c.numbering or c.identifies or c.unique_key)]
    words = [c for c in profile.varying() if c not in used and c.text and not c.unique]
    return free[0] if len(free) == 1 and not words and free[0].size > 2 else None


def unnamed_groups(profile: TableProfile) -> GroupColumn | None:
    """Return the groups of persons, a row each, that the only column of two or three labels tells; None otherwise.

    Yes and no may be answers, unless all persons of a class, say, have one of them.
    """
    person = next((c for c in profile.every if c.unique and c.called(PERSONS)), None)
    if person is None:
        return None
    beside = (*COVARIATES, *CUES, *EXPORTED, *PROSE, *STATES, *REPEATS)
    few = [c for c in profile.varying() if c.text and c.size <= MOST_UNNAMED and c.filled == c.rows]
    few = [
        c for c in few if not (c.called(beside) or names_answers(c) or profile.nearly_constant(c))
    ]
    classes = [c for c in profile.repeating if c.size >= FEWEST_CLUSTERS and not c.prose]
    owners = {c.name: owner for c in few for owner in classes if profile.constant(c, owner)}
    few = [c for c in few if c.name in owners] or [c for c in few if not c.yes_no]
    if len(few) != 1:
        return None
    owner = owners.get(few[0].name)
    return GroupColumn(few[0], owner or person, several=owner is not None, named=False)


def is_group(profile: TableProfile, column: ColumnProfile) -> bool:
    """Whether a column may tell groups of units apart: models that no unit met together, or called or labelled so."""
    return tells_groups(column) or column in model_columns(profile)


def tells_groups(column: ColumnProfile) -> bool:
    """Whether a column is called like a treatment, or has a control group, or people and machines among its labels."""
    kind = column.ends(KINDS_OF) and column.text
    if column.called(TREATMENTS) or kind or RANDOMISER.fullmatch(column.name.strip()):
        return True
    return bool(words_among(column) & {*CONTROLS}) or of_people_and_machines(column)
