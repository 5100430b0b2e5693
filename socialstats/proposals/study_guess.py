"""What the columns of a table may be in a study of a user's own, with the reason of each guess."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from socialstats.designs.answer_columns import outcome_columns
from socialstats.designs.boards import board_of_labels
from socialstats.designs.calls import keywords
from socialstats.designs.cluster_columns import clusters_of_units
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.group_columns import independent_groups
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.levels import later_and_earlier
from socialstats.designs.paired_reading import wide_pair
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import (
    contrasts,
    model_columns,
    names_answers,
    names_raters,
    people_among,
    who_answered,
)
from socialstats.designs.settings import Settings
from socialstats.designs.vocabulary import KINDS_OF, REPEATS, UNITS, VALUES
from socialstats.errors import InputError, Problem
from socialstats.proposals.deciding import mapped_columns, words
from socialstats.proposals.guesses import Remaining
from socialstats.proposals.guessing import fitting
from socialstats.studies.declared.declaration import texts_in
from socialstats.tables import Table
from socialstats.text import as_given, count

Profiles = list[ColumnProfile]
MOST_GRADES = 12  # labels of an item
MOST_LABELS = 6  # labels of a condition that is not called so
MOST_ITEMS = 60
WITHIN = 1.5  # labels of a condition that a unit has on average
UNNAMED = ("unnamed", "lettered")  # contrasts that only their labels tell
FEWEST_ITEMS = 2
FEWEST_LABELS = 3  # labels of grades whose order is not known
STEM = re.compile(r"[\W_]*\d+[a-zA-Z]?$")


@dataclass
class Guess:
    """What the columns of a table may be.

    Attributes
    ----------
    profile : TableProfile
    parts : dict of part to columns
    scales : dict of name to items
    why : dict of str to str
        The reason of each part.
    pair : tuple of str
        Two columns of values that are compared row by row, the first minus the second.
    duel : dict
        Part -> column of a table of comparisons: ``item_a``, ``item_b``, ``winner`` and what else its reader takes.
    options : dict
        Further keywords of the reader of duels and pairs.
    """

    profile: TableProfile
    parts: dict[str, Profiles] = field(default_factory=dict)
    scales: dict[str, list[str]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    pair: tuple[str, ...] = ()
    duel: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def used(self) -> set[str]:
        """The columns that play a part."""
        items = {item for names in self.scales.values() for item in names}
        parts = {column.name for columns in self.parts.values() for column in columns}
        return (
            items | parts | {*self.pair, *texts_in([*self.duel.values(), *self.options.values()])}
        )

    def free(self) -> Profiles:
        """Return the columns that vary and play no part."""
        used = self.used
        return [c for c in self.profile.varying() if c.name not in used]

    def take(self, part: str, columns: Sequence[ColumnProfile], why: str) -> None:
        """Let columns play a part, for a reason."""
        if columns:
            self.parts[part] = [*columns]
            self.why[part] = why

    def take_named(self, part: str, names: Sequence[str], why: str) -> None:
        """Let columns of some names play a part, for a reason."""
        columns = map(self.profile.column, names)
        self.take(part, [c for c in columns if c is not None], why)

    def first(self, part: str) -> ColumnProfile | None:
        """Return the first column of a part."""
        return next(iter(self.parts.get(part, ())), None)


def guess_of(table: Table) -> Guess:
    """Return what the columns of a table may be: names and labels first, then how they are crossed.

    Raises
    ------
    InputError
        Where no column holds values.
    """
    guess = Guess(TableProfile(table))
    design, settings = fitting(table, {}, None)
    if design == "comparisons":
        take_duel(guess, table, settings)
        return guess
    take_sources(guess)
    take_items(guess)
    if not guess.scales and take_pair(guess, design, settings):
        return guess
    if not guess.scales:
        take_values(guess)
    take_rest(guess)
    return guess


def guess_with(
    table: Table, parts: Mapping[str, Sequence[str]], items: Sequence[str], why: str
) -> Guess:
    """Return what the columns of a table may be, beside those whose parts are certain.

    Parameters
    ----------
    table : Table
    parts : mapping of part to columns
    items : sequence of str
        Columns of scores.
    why : str
        The reason of these parts.
    """
    guess = Guess(TableProfile(table), scales=scales_of_labels(items))
    for part, names in parts.items():
        guess.take_named(part, names, why)
    design, settings = fitting(table, {}, None)
    if design == "comparisons":
        guess.parts = {}
        take_duel(guess, table, settings)
        return guess
    if "item" in guess.parts:
        guess.scales = scales_of_labels(guess.parts["item"][0].levels)
    elif "condition" not in parts:
        take_conditions(guess, compared_columns(guess))
    take_clusters(guess)
    return guess


def compared_columns(guess: Guess) -> Profiles:
    """Return the columns whose labels may be compared, without those of models and of many labels by these alone."""
    likely = [c for c in contrasts(guess.profile) if c.kind != "source"]
    return [c.column for c in likely if c.kind not in UNNAMED or c.column.size <= MOST_LABELS]


def take_rest(guess: Guess) -> None:
    """Take the columns of kinds, units, repeats, items, conditions and clusters, once values are known."""
    compared = compared_columns(guess)
    if "kind" not in guess.parts:
        rater = guess.first("rater")
        kind = rater and who_answered(guess.profile, rater, guess.free())
        guess.take("kind", [kind] if kind else [], "tells people from models")
    take_units(guess, compared)
    if "repeat" not in guess.parts:
        repeats = [c for c in guess.free() if c.called(REPEATS) and c.numbers is not None]
        guess.take("repeat", repeats[:1], "called like repeated answers, whose mean counts")
    if "value" in guess.parts:
        unnamed = [
            contrast.column
            for contrast in contrasts(guess.profile)
            if contrast.kind in UNNAMED and contrast.column.size > 2
        ]
        numbered = [c for c in guess.free() if c.text and is_numbered(c)]
        take_item_column(guess, [*numbered, *(c for c in guess.free() if c in unnamed)])
    take_conditions(guess, compared)
    if "value" in guess.parts and not guess.scales:
        take_item_column(guess, guess.free())
    take_clusters(guess)


def take_pair(guess: Guess, design: str | None, settings: Settings) -> bool:
    """Take two columns of values of each row; return whether the table holds such."""
    named = mapped_columns(settings)
    times = columns_of_times(guess)
    pair = wide_pair(guess.profile.table.columns) or times
    if {"first", "second"} <= named.keys():
        pair = (named["first"], named["second"])
    if pair is None or not (design == "paired" or pair == times):
        return False
    guess.pair = pair
    take_units(guess, ())
    take_clusters(guess)
    take_counts(guess)
    return True


def take_counts(guess: Guess) -> None:
    """Take the column of frequencies, which the reader of duels and pairs has an option for."""
    for name in guess.profile.frequencies[:1]:
        guess.options["count"] = name


def columns_of_times(guess: Guess) -> tuple[str, str] | None:
    """Return two columns of numbers whose names say which was measured later, the later one first."""
    return later_and_earlier([c.name for c in guess.free() if c.numbers is not None])


def take_duel(guess: Guess, table: Table, settings: Settings) -> None:
    """Take the columns of comparisons of two items, and the settings that their reader needs.

    Raises
    ------
    InputError
        For a square of counts.
    """
    if "crosstab" in settings:
        fix = f"'socialstats report {table.source} --crosstab' reads it as it is"
        message = (
            "counts of wins in a square, and a study of your own has a row for each comparison"
        )
        raise InputError(Problem(source=table.source, message=message, fix=fix))
    remaining = Remaining(table, settings, "comparisons")
    readable = {*keywords(Comparisons)} - {"cluster", "by"}
    parts = {part: column.name for part, column in remaining.parts.items()}
    options = {**remaining.mapped, **parts, **settings}
    guess.duel = {key: value for key, value in options.items() if key in readable}
    model = options.get("by") or remaining.apart()
    guess.take_named("source", [model] if model else [], "called like models")
    clusters = words(settings.get("cluster")) or remaining.clusters()
    guess.take_named("cluster", clusters, "rows of one label depend on each other")
    take_counts(guess)


def take_sources(guess: Guess) -> None:
    """Take the columns of models and raters; a column of people and models tells the kinds of what lies within it."""
    profile = guess.profile
    models = model_columns(profile)[:1]
    mixed = [c for c in models or guess.free() if c.size <= MOST_LABELS and people_among(c)][:1]
    texts = [c for c in guess.free() if c.text and not c.prose]
    within = [
        c for c in texts if mixed and c.size > mixed[0].size and profile.constant(mixed[0], c)
    ]
    if within:
        guess.take("kind", mixed, "holds people and models")
        guess.take("rater", within[:1], "each of its labels is of one kind")
        return
    guess.take("source", models, "called like models, or holding names of models")
    raters = [c for c in guess.free() if names_raters(profile, c)]
    guess.take("rater", raters[:1], "called like raters or judges")


def take_conditions(guess: Guess, compared: Profiles) -> None:
    """Take columns that are compared by their names, or else texts of few labels that differ within units."""
    named = [c for c in compared if c in guess.free() and not c.called(KINDS_OF)]
    guess.take("condition", named[:2], "labels that each unit or answer has one of")
    unit = guess.first("unit")
    if not named and unit is not None:
        few = [c for c in guess.free() if c.text and c.size <= MOST_LABELS and not c.prose]
        within = [c for c in few if met_by_units(guess, unit, c)]
        guess.take("condition", within[:1], "a few labels, of which each unit has several")


def met_by_units(guess: Guess, unit: ColumnProfile, condition: ColumnProfile) -> bool:
    """Return whether most units occur with several labels of a condition."""
    return guess.profile.combinations(unit, condition) > WITHIN * unit.size


def take_clusters(guess: Guess) -> None:
    """Take a column that is called like clusters and has one label for each unit."""
    unit = guess.first("unit")
    if unit is not None and "cluster" not in guess.parts:
        clusters = clusters_of_units(guess.profile, unit, guess.free())
        guess.take("cluster", clusters[:1], "units with one label depend on each other")


def take_items(guess: Guess) -> None:
    """Take columns of grades whose names differ in a number as the items of a scale."""
    stems: dict[str, Profiles] = {}
    for column in guess.free():
        few = column.text and FEWEST_LABELS <= column.size <= MOST_GRADES and not column.prose
        if (is_item(column) or few) and STEM.search(column.name):
            stems.setdefault(STEM.sub("", column.name), []).append(column)
    for stem, columns in stems.items():
        labels = {label for c in columns for label in c.levels}
        # labels without a known order are grades where the items share them
        shared = len(labels) <= max(c.size for c in columns) + 1
        if len(columns) >= FEWEST_ITEMS and (shared or all(map(is_item, columns))):
            guess.scales[stem or "scale"] = [c.name for c in columns]


def is_item(column: ColumnProfile) -> bool:
    """Return whether a column holds grades: few whole or half numbers, or labels of a known order."""
    if not column.discrete or column.size > MOST_GRADES or column.describes or column.numbering:
        return False
    return column.numbers is not None or bool(conventional_order([*column.levels]))


def take_units(guess: Guess, compared: Sequence[ColumnProfile]) -> None:
    """Take the units that most labels of a source met, and what tells the answers of a source to a unit apart.

    Else the column that is called like units and has most labels, or has most labels at all.
    """
    groups = independent_groups(guess.profile)
    apart = [groups.group] if groups is not None else []
    within = [c for c in compared if c not in apart]
    sources = [guess.first("source"), guess.first("rater"), *within]
    items = [name for names in guess.scales.values() for name in names]
    answers = [c for c in map(guess.profile.column, items) if c is not None]
    answers = [*guess.parts.get("value", ()), *answers]
    boards = (board_of_labels(guess.profile, c, answers) for c in sources if c is not None)
    board = next((board for board in boards if board is not None), None)
    free = guess.free()
    if board is not None and all(c in free for c in board.unit):
        # conditions are compared within units
        unit = [c for c in board.unit if c not in compared] or board.unit
        guess.take("unit", unit, f"met most labels of {board.model}")
        # labels in words are conditions
        repeats = [c for c in board.repeat if c in free and not c.text]
        guess.take("repeat", repeats, "tells answers to a unit apart, whose mean counts")
        return
    free = [c for c in guess.free() if c.names_things and not c.prose]
    called = [
        c for c in free if c.called(UNITS) and not (c.called(VALUES) and c.numbers is not None)
    ]
    chosen = sorted(called or [c for c in free if c.text], key=lambda c: -c.size)[:1]
    named = "called like units" if called else "the text with most labels"
    for column in chosen:
        rows = as_given(round(column.rows / column.size, 1))
        guess.take("unit", [column], f"{named}; {count(column.size, 'label')}, {rows} rows each")
    if not chosen and (rater := guess.first("rater")) is not None and rater.unique:
        # persons who answer themselves
        guess.parts["unit"] = guess.parts.pop("rater")
        guess.why["unit"] = "one row each"
        del guess.why["rater"]


def take_values(guess: Guess) -> None:
    """Take the column of values: numbers, or labels of a column that is called like answers.

    Raises
    ------
    InputError
        Where there is none.
    """
    used = [column for columns in guess.parts.values() for column in columns]
    values = [c for c in outcome_columns(guess.profile, used) if may_be_value(c)]
    # what was planned by structure, or is called like raters, holds the answers where nothing else does
    values = values or [c for c in guess.free() if names_answers(c) and may_be_value(c)]
    values = values or [c for c in guess.free() if is_item(c)]
    # numbers of a reply, such as its words, are answers where there are no others
    values = values or [c for c in guess.free() if c.numbers is not None and may_be_value(c)]
    if not values:
        raise InputError(
            f"{guess.profile.table.source}: no column holds numbers or labels that are called like values. "
            "'socialstats check' says what else the table may hold"
        )
    called = names_answers(values[0])
    grades = [c for c in values if is_item(c)]
    if len(grades) >= FEWEST_ITEMS and not called:
        guess.scales = {c.name: [c.name] for c in grades}
        return
    why = "called like answers" if called else "the likeliest answers by what they hold"
    guess.take("value", values[:1], why)


def may_be_value(column: ColumnProfile) -> bool:
    """Return whether a column holds numbers, or few labels and is called like answers."""
    return column.numbers is not None or (names_answers(column) and column.size <= MOST_GRADES)


def take_item_column(guess: Guess, columns: Profiles) -> None:
    """Take the column that tells the rows of an answer apart: each of its labels is an item."""
    parts = [c for part, names in guess.parts.items() if part != "value" for c in names]
    value = guess.first("value")
    if value is None or kind_of_values(guess) == "labels" or not parts:
        return
    rows = guess.profile.combinations(*parts)
    for column in columns:
        names_items = (
            column.text and not column.prose and column.names_things and column.size <= MOST_ITEMS
        )
        if names_items and guess.profile.combinations(*parts, column) > rows:
            guess.take("item", [column], "each answer has a row for each of its labels")
            guess.scales = scales_of_labels(column.levels)
            return


def is_numbered(column: ColumnProfile) -> bool:
    """Return whether some labels differ in a number alone, as those of items of a scale do."""
    return len(scales_of_labels(column.levels)) < column.size


def scales_of_labels(labels: Sequence[str]) -> dict[str, list[str]]:
    """Return scales of labels: those that differ in a number belong together, each other label is one of its own.

    Examples
    --------
    >>> scales_of_labels(["care1", "care2", "loyalty"])
    {'care': ['care1', 'care2'], 'loyalty': ['loyalty']}
    """
    scales: dict[str, list[str]] = {}
    for label in labels:
        scales.setdefault(STEM.sub("", label) or label, []).append(label)
    return scales


def kind_of_values(guess: Guess) -> str:
    """Return whether values are numbers, labels with a known order, or other labels; scores are numbers."""
    column = guess.first("value")
    if guess.pair:
        column = guess.profile.column(guess.pair[0])
    if column is None or not column.text:
        return "numbers"
    return "ordered" if conventional_order([*column.levels]) else "labels"
