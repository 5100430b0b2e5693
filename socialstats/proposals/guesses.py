"""What columns without a part may mean: clusters, strata, sources of ratings, refusals, the order of levels."""

from __future__ import annotations

import numpy as np

from socialstats.designs.aliases import Fields, Texts
from socialstats.designs.column_profile import ColumnProfile
from socialstats.designs.level_orders import conventional_order
from socialstats.designs.people import is_people
from socialstats.designs.profile import TableProfile
from socialstats.designs.roles import cluster_columns, people_among
from socialstats.designs.settings import ROWS, Settings
from socialstats.designs.undeclared import is_tried
from socialstats.designs.vocabulary import ANALYSED_BY, CLUSTER_NAME, KINDS, REFUSED, SOURCES
from socialstats.errors import InputError
from socialstats.proposals.deciding import mapped_columns, parts_of, words
from socialstats.tables import Table, as_number

MOST_GROUPS, MOST_BY, FEWEST_CLUSTERS = 12, 50, 5


class Columns:
    """The columns that play a part in a design, and those that are free.

    Parameters
    ----------
    table : Table
    settings : mapping of str to value
        What was said.
    design : str

    Raises
    ------
    InputError
        If a column of the design is missing.
    """

    def __init__(self, table: Table, settings: Settings, design: str) -> None:
        self.table, self.settings, self.design, self.profile = (
            table,
            settings,
            design,
            TableProfile(table),
        )
        self.parts = parts_of(design, table, settings)
        self.mapped = mapped_columns(settings)
        rows = [entry for key in ROWS for entry in words(settings.get(key))]
        keys = ("by", "cluster", "strata", "rater_groups", "raters")
        self.taken = {column for key in keys for column in words(settings.get(key))}
        self.taken |= {
            *self.parts.values(),
            *self.mapped.values(),
            *(entry.partition("=")[0] for entry in rows),
        }

    def free(self, names: Texts = ()) -> list[ColumnProfile]:
        """Return the columns that play no part and were named nowhere, and that hold two labels or more.

        With `names` only columns that are called so, in any case: the labels of the others are not counted.
        """
        wanted = [name for name in self.table.columns if not names or name.casefold() in names]
        columns = (self.profile.column(name) for name in wanted if name not in self.taken)
        return [c for c in columns if c is not None and c.size > 1]

    def first(self, names: Texts) -> ColumnProfile | None:
        """Return the first free column of these names, in any case."""
        return min(self.free(names), key=lambda c: names.index(c.name.casefold()), default=None)

    def constant(self, column: ColumnProfile, part: str) -> bool:
        """Return whether a column has one value (or always none) for each label of a part."""
        name = self.parts.get(part)  # none where no column plays it
        outer = self.profile.column(name) if name else None
        return outer is not None and self.profile.constant(column, outer)

    def clusters(self) -> list[str]:
        """Return the clusters of comparisons (judges and prompts), or the one of pairs."""
        free = self.free()
        named = [name for part, name in self.parts.items() if part in ("item_a", "item_b")]
        items = [c for c in map(self.profile.column, named) if c is not None]
        if self.design == "comparisons" and len(items) == 2:
            used = {*self.table.columns} - {c.name for c in free}
            return cluster_columns(self.profile, items[0], items[1], [*used])
        return [
            c.name
            for c in free
            if is_cluster(c) and (self.design != "paired" or self.constant(c, "unit"))
        ][:1]

    def model(self) -> str | None:
        """Return the column that tells models or prompts apart."""
        named = [c for c in self.free(ANALYSED_BY) if not is_cluster(c)]
        found = min(named, key=lambda c: ANALYSED_BY.index(c.name.casefold()), default=None)
        return found.name if found is not None and found.size <= MOST_BY else None

    def source(self) -> ColumnProfile | None:
        """Return the column that tells people's ratings from those of models, by its name or by its labels."""
        found = self.first(SOURCES)
        if found is None and is_tried(self.table):
            found = next((c for c in self.free() if people_among(c)), None)
        return found if found is not None and self.constant(found, "rater") else None


def is_cluster(column: ColumnProfile) -> bool:
    """Return whether a column is called like a cluster, and has several rows for each of at least 5 labels.

    Prompts are clusters where they are too many to report one by one.
    """
    several = FEWEST_CLUSTERS <= column.size < column.rows / 1.5
    prompts = column.name.casefold() == "prompt" and column.size > MOST_GROUPS
    return several and (prompts or bool(CLUSTER_NAME.search(column.name)))


def ratings_guess(columns: Columns) -> Fields:
    """Guess source, strata, clusters, groups of raters, by, levels and refusals of ratings."""
    declared = columns.mapped.get("rater_source")
    source = columns.profile.column(declared) if declared else columns.source()
    free = [c for c in columns.free() if c is not source]
    of_units = [c for c in free if columns.constant(c, "unit")]
    of_raters = [c for c in free if c not in of_units and columns.constant(c, "rater")]
    kinds = [
        c for c in of_units if c.size <= MOST_GROUPS and any(k in c.name.casefold() for k in KINDS)
    ]
    clusters = [c for c in of_units if is_cluster(c) and c not in kinds][:1]
    loose = [c.name for c in free if c not in (*of_units, *of_raters) and c.size <= MOST_BY]
    guess: Fields = {
        "strata": [c.name for c in of_units if c.size <= MOST_GROUPS and c not in clusters],
        "rater_groups": [c.name for c in of_raters if c.size <= MOST_GROUPS],
        "cluster": [c.name for c in clusters],
        "by": loose[0] if loose else None,
        "map": [f"rater_source={source.name}"] if source is not None and not declared else [],
    }
    return guess | levels_guess(columns, source)


def people_and_models(table: Table, settings: Settings) -> str | None:
    """Return the column of ratings that is called like a source and says human of some raters, not of others.

    None where a source was named, the column plays another part, or a rater has two sources.
    """
    try:
        columns = Columns(table, settings, "ratings")
    except InputError:
        return None
    source = None if "rater_source" in columns.mapped else columns.source()
    return source.name if source is not None and people_among(source) else None


def levels_guess(columns: Columns, source: ColumnProfile | None) -> Fields:
    """Guess refusals, and the order of levels that are texts: letters, words of a known order, or none."""
    value = columns.profile.column(columns.parts.get("value") or "")
    if value is None or columns.settings.get("levels") or columns.settings.get("scale"):
        return {}
    out = {*words(columns.settings.get("refusal")), *words(columns.settings.get("na"))}
    labels = [label for label in value.levels if label not in out]
    refusals = [label for label in labels if label.strip().casefold() in REFUSED]
    if not refusals and source is not None:
        refusals = letters_of_models(columns.table, value, source, labels)
    levels = [label for label in labels if label not in refusals]
    if not levels or all(as_number(label) is not None for label in levels):
        return {"refusal": refusals}
    order = conventional_order(levels)
    return {"refusal": refusals} | ({"levels": order} if order else {"scale": "nominal"})


def letters_of_models(
    table: Table, value: ColumnProfile, source: ColumnProfile, labels: Texts
) -> list[str]:
    """Return the last letters of a scale that people never chose: what models answer who refuse."""
    if not conventional_order(labels) or any(len(label) > 1 for label in labels):
        return []
    pairs = table.counts([source.name, value.name])
    who, what = (pairs.columns[c.name].labels() for c in (source, value))
    people = [code for code, name in enumerate(who.levels) if is_people(name)]
    chosen = {
        what.levels[code] for code in what.codes[np.isin(who.codes, people)].tolist() if code >= 0
    }
    return [label for label in labels if chosen and label not in chosen and label > max(chosen)]
