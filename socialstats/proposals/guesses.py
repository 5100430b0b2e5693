"""What the columns that nobody spoke of may mean in a design, as settings: clusters, strata, kinds of raters, levels.

`designs` decides what columns are; here it becomes settings, and what was typed stays.
"""

from __future__ import annotations

import numpy as np

from socialstats.designs.aliases import Fields, Texts
from socialstats.designs.cluster_columns import clusters_of_comparisons, clusters_of_units
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.people import is_people
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import (
    MOST_APART,
    MOST_KINDS,
    answered_apart,
    is_designed,
    is_kind_of_units,
    is_setting,
    who_answered,
)
from socialstats.designs.settings import ROWS, Settings
from socialstats.designs.undeclared import is_tried
from socialstats.designs.vocabulary import REFUSED, REPEATS, SOURCES
from socialstats.errors import InputError
from socialstats.proposals.deciding import mapped_columns, parts_of, words
from socialstats.proposals.readings.proposal import level_settings
from socialstats.tables import Table

NAMED_BY = ("by", "cluster", "strata", "rater_groups", "raters")  # settings that name columns


class Remaining:
    """The columns of a table that play a part in a design, and those that remain.

    Parameters
    ----------
    table : Table
    settings : mapping of str to value
        What was said.
    design : str

    Attributes
    ----------
    parts : dict of str to ColumnProfile
        The column of each part of the design.
    taken : set of str
        Names of columns that play a part or were named.

    Raises
    ------
    InputError
        If a column of the design is missing.
    """

    def __init__(self, table: Table, settings: Settings, design: str) -> None:
        self.settings, self.design = settings, design
        self.profile = TableProfile(table)
        self.mapped = mapped_columns(settings)
        names = parts_of(design, table, settings)
        rows = [entry.partition("=")[0] for key in ROWS for entry in words(settings.get(key))]
        named = [name for key in NAMED_BY for name in words(settings.get(key))]
        self.taken = {*names.values(), *self.mapped.values(), *rows, *named}
        columns = {part: self.profile.column(name) for part, name in names.items()}
        self.parts = {part: c for part, c in columns.items() if c is not None}

    def free(self) -> list[ColumnProfile]:
        """Return the columns that vary and play no part."""
        return [c for c in self.profile.varying() if c.name not in self.taken]

    def source(self) -> ColumnProfile | None:
        """Return the column that tells people from models; of very long tables one that is called so."""
        rater = self.parts.get("rater")
        if rater is None:
            return None
        if is_tried(self.profile.table):
            return who_answered(self.profile, rater, self.free())
        names = [name for name in self.profile.table.columns if name.casefold() in SOURCES]
        columns = (self.profile.column(name) for name in names if name not in self.taken)
        return who_answered(self.profile, rater, [c for c in columns if c is not None])

    @property
    def sides(self) -> list[ColumnProfile]:
        """The two columns of items of comparisons."""
        return [self.parts[part] for part in ("item_a", "item_b") if part in self.parts]

    def clusters(self) -> list[str]:
        """Return the clusters of comparisons (judges and prompts), or the one of units."""
        free, sides = self.free(), self.sides
        if len(sides) == 2:
            used = {*self.profile.table.columns} - {c.name for c in free}
            return clusters_of_comparisons(self.profile, sides[0], sides[1], [*used])
        return [c.name for c in clusters_of_units(self.profile, self.parts.get("unit"), free)][:1]

    def apart(self) -> str | None:
        """Return what is analysed apart: models, or few prompts or personas."""
        names = [c.name for c in answered_apart(self.profile, self.free(), self.sides)]
        return next(iter(names), None)


def settings_of_rest(remaining: Remaining) -> Fields:
    """Return the settings that the remaining columns of a design suggest."""
    if remaining.design == "ratings":
        return ratings_settings(remaining)
    return {"cluster": remaining.clusters(), "by": remaining.apart()}


def ratings_settings(remaining: Remaining) -> Fields:
    """Return source, strata, clusters, groups of raters, by, levels and refusals of ratings."""
    profile, parts = remaining.profile, remaining.parts
    declared = remaining.mapped.get("rater_source")
    source = profile.column(declared) if declared else remaining.source()
    free = [c for c in remaining.free() if c is not source]
    unit, rater = parts.get("unit"), parts.get("rater")
    of_units = [c for c in free if unit is not None and profile.constant(c, unit)]
    of_answers = [c for c in free if c not in of_units]
    of_raters = [c for c in of_answers if rater is not None and profile.constant(c, rater)]
    loose = [c for c in of_answers if c not in of_raters and is_analysed_by(profile, c)]
    clusters = remaining.clusters()
    kinds = [c for c in of_units if c.names_things and c.size <= MOST_KINDS]
    guess: Fields = {
        "strata": [c.name for c in kinds if is_kind_of_units(c) or c.name not in clusters],
        "rater_groups": [c.name for c in of_raters if c.size <= MOST_KINDS],
        "cluster": clusters,
        "by": loose[0].name if loose else None,
        "map": [f"rater_source={source.name}"] if source is not None and not declared else [],
    }
    return guess | levels_guess(remaining, source)


def is_analysed_by(profile: TableProfile, column: ColumnProfile) -> bool:
    """Return whether a column holds a condition of the answers that was planned, with few labels."""
    few = column.size <= MOST_APART and not column.called(REPEATS)
    return few and (is_setting(profile, column) or (column.text and is_designed(profile, column)))


def people_and_models(table: Table, settings: Settings) -> str | None:
    """Return the column of ratings that says who is a person; None where one was named, or none does."""
    try:
        remaining = Remaining(table, settings, "ratings")
    except InputError:
        return None
    source = None if "rater_source" in remaining.mapped else remaining.source()
    return source.name if source is not None else None


def levels_guess(remaining: Remaining, source: ColumnProfile | None) -> Fields:
    """Return refusals, and the order of levels that are texts, letters too; nothing where levels were said."""
    settings, value = remaining.settings, remaining.parts.get("value")
    if value is None or settings.get("levels") or settings.get("scale"):
        return {}
    out = {*words(settings.get("refusal")), *words(settings.get("na"))}
    labels = [label for label in value.levels if label not in out]
    refusals = [label for label in labels if label.strip().casefold() in REFUSED]
    if not refusals and source is not None:
        refusals = letters_of_models(remaining.profile, value, source, labels)
    levels = [label for label in labels if label not in refusals]
    return {"refusal": refusals} | level_settings(levels, "ratings", letters=True)


def letters_of_models(
    profile: TableProfile, value: ColumnProfile, source: ColumnProfile, labels: Texts
) -> list[str]:
    """Return the last letters of a scale that people never chose: what models answer who refuse."""
    if not conventional_order(labels) or any(len(label) > 1 for label in labels):
        return []
    _, (who, what) = profile.combined(source, value)
    people = [code for code, name in enumerate(who.levels) if is_people(name)]
    chosen = {
        what.levels[code] for code in what.codes[np.isin(who.codes, people)].tolist() if code >= 0
    }
    return [label for label in labels if chosen and label not in chosen and label > max(chosen)]
