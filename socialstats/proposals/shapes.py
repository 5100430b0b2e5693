"""Tables that have the shape of one study: known by their columns, and read by the study itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.designs.aliases import Fields, Levels, Pair
from socialstats.designs.design_kinds import DESIGN_KINDS
from socialstats.designs.settings import OWN, SETTINGS, Settings
from socialstats.designs.vocabulary import UNNUMBERED
from socialstats.errors import InputError
from socialstats.proposals.deciding import fit_both, mapped_columns, words
from socialstats.tables import Table
from socialstats.text import listing, meant, quoted, shorten

if TYPE_CHECKING:
    from socialstats.studies import Study

PASSED = ("by", "na", "refusal", "cluster", "missing")
ELSEWHERE = (
    "count",
    "crosstab",
    "units",
    "level_columns",
)  # no study with columns of its own knows them
SHARED = {
    "unit",
    "value",
    "repeat",
}  # parts of pairs and of ratings: they decide between no studies
DECIDING = (
    *dict.fromkeys(key for keys in OWN.values() for key in keys if key != "refusal"),
    "design",
    *ELSEWHERE,
)


def shaped(table: Table, settings: Settings) -> Study | None:
    """Return the study that reads this table by its own columns: the one asked for, or whose columns are all there.

    None where another study is asked for, or where options say how the columns of a general design are to be read.
    """
    from socialstats.studies import STUDIES

    by_columns = {name: study for name, study in STUDIES.items() if study.read is not None}
    chosen_study = by_columns.get(str(settings.get("study")))
    for key in ELSEWHERE:
        if chosen_study is not None and settings.get(key) and key not in chosen_study.takes:
            option, name = SETTINGS[key].option, chosen_study.name
            raise InputError(
                f"{option} has no effect on study {name}, which reads one row per answer. Leave it out"
            )
    if any(
        settings.get(key)
        for key in DECIDING
        if chosen_study is None or key not in chosen_study.takes
    ):
        return None
    if chosen_study is not None or settings.get("study") is not None:
        return chosen_study
    mapped = {*mapped_columns(settings)}
    if not mapped <= SHARED:
        return None
    named = (
        s
        for s in by_columns.values()
        if not mapped
        and any(
            columns and set(columns) <= set(table.columns) for columns in (s.columns, s.declared)
        )
    )
    return next(named, None) or known_by_rows(table, settings, by_columns.values())


def known_by_rows(table: Table, settings: Settings, studies: Iterable[Study]) -> Study | None:
    """Return the study that knows a table whose columns fit pairs and ratings alike, by what its rows hold."""
    parts = fit_both(table, settings)
    if parts is None:
        return None
    return next(
        (study for study in studies if study.knows is not None and study.knows(table, parts)), None
    )


def read_shape(study: Study, table: Table, settings: Settings) -> Any:
    """Read a table of the study's own shape; ``--map part=column`` names columns that are called otherwise.

    Raises
    ------
    InputError
        For a part that the study does not have, and whatever the study finds.
    """
    assert study.read is not None
    entries, known = words(settings.get("map")), parts_of_study(study)
    options = {key: settings[key] for key in (*PASSED, *study.takes) if settings.get(key)}
    options |= (
        {"na": False} if options.get("na") in ("", [""]) else {}
    )  # '' says: empty fields alone are missing
    if study.parts:
        parts: Fields = {}
        entries = [
            entry for entry in entries if entry != f"repeat={UNNUMBERED}"
        ]  # a board averages them
        for part, column in (map_part(entry, study, known) for entry in entries):
            parts[part] = (*parts.get(part, ()), column) if part == "repeat" else column
        return study.read(table, **options, **parts)
    return study.read(renamed(table, entries, study), **options)


def parts_of_study(study: Study) -> Levels:
    """Return the parts that ``--map`` may name for a study."""
    if study.read is None:
        return DESIGN_KINDS[study.design].parts
    return study.parts or (*study.columns, *study.also)


def map_part(entry: str, study: Study, known: Levels) -> Pair:
    """Split ``part=column``.

    Raises
    ------
    InputError
        For an entry that names no part of the study.
    """
    part, equals, column = entry.partition("=")
    if not equals or not column or part not in known:
        parts = listing(list(known), most=20)
        near = meant(part, known) if equals else ""
        raise InputError(
            f"--map {shorten(entry)}: write part=column. {near}Parts of study {study.name}: {parts}"
        )
    return part, column


def renamed(table: Table, entries: list[str], study: Study) -> Table:
    """Give columns the names that the study knows.

    Raises
    ------
    InputError
        For an entry that names no part, or a column that is not there.
    """
    frame: Any = table.frame
    new: dict[str, str] = {}
    for entry in entries:
        part, column = map_part(entry, study, parts_of_study(study))
        part = study.also.get(part, part)
        if column not in table.columns:
            listed, near = quoted(list(table.columns), 20), meant(column, table.columns)
            raise InputError(
                f"--map {shorten(entry)}: no column '{shorten(column)}'. {near}Columns: {listed}"
            )
        if part != column:
            new[column] = part
    if not new:
        return table
    unnamed = [name for name in table.columns if name not in new.values()]
    columns = tuple(new.get(name, name) for name in unnamed)
    remaining = frame.drop([name for name in table.columns if name not in unnamed])
    return replace(table, data=remaining.rename(new), columns=columns)
