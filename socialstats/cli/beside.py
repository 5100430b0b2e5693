"""Tables that stand beside the data: labels of the stories, groups of the items, control texts, weights."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import narwhals as nw

from socialstats.designs.aliases import Fields
from socialstats.designs.instrument import WEIGHT_NAMES
from socialstats.designs.schema import Finder
from socialstats.designs.settings import SETTINGS, Settings
from socialstats.designs.tables import groupings
from socialstats.designs.vocabulary import MODEL_NAMES, RATERS
from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.proposals.deciding import mapped_columns, words
from socialstats.studies import STUDIES, Study
from socialstats.tables import Table, as_table, read_table

# option, or key of a plan -> field of StudyOptions
OPTIONS = {
    "label_check": "labels",
    "item_groups": "item_groups",
    "controls": "controls",
    "weights": "weights",
    "name_check": "names",
    "stances": "stances",
    "models": "models",
}
NAMES: dict[str, tuple[str, ...]] = {"weights": WEIGHT_NAMES}  # what may stand for a table
BUNDLED = {
    "label_check": "_labels",
    "item_groups": "_roles",
    "controls": "_controls",
}  # ends of names of bundled data


def read_beside(
    options: argparse.Namespace, settings: Settings, study: Study
) -> tuple[Fields, dict[str, str]]:
    """Read the tables beside the data that the study takes.

    Returns
    -------
    fields : dict
        Of `StudyOptions`.
    facts : dict
        For the reproduce block.

    Raises
    ------
    InputError
        If the study does not take such a table, and whatever it finds in it.
    """
    fields: Fields = {}
    facts: dict[str, str] = {}
    for key, field in OPTIONS.items():
        path, spoken = settings.get(key), key.replace("_", " ")
        readers = {
            "models": models_of,
            **study.beside,
        }  # every study of several models takes their factors
        if path is not None and field not in readers:
            homes = " or ".join(name for name, other in STUDIES.items() if field in other.beside)
            raise InputError(
                f"--{key.replace('_', '-')} is for study {homes}; this page is study {study.name}"
            )
        if path in NAMES.get(key, ()):
            fields[field], facts[spoken] = readers[field](path), str(path)
        elif path is not None:
            table = read_side(key, path)
            fields[field] = readers[field](table)
            facts |= side_facts(spoken, table)
        elif options.example is not None and field in study.beside and key in BUNDLED:
            entry = bundled(options.example.replace("-", "_") + BUNDLED[key])
            if entry is not None:
                fields[field] = study.beside[field](as_table(entry.load(), entry.name))
                facts[spoken] = f"bundled data set {entry.name}"
    return fields, facts


def side_facts(name: str, table: Table) -> dict[str, str]:
    """Return what identifies a table beside the data."""
    digest = table.sha256() if table.sha256 is not None else ""
    return {name: table.source, f"sha256 of the {name}": digest}


def models_of(table: Table) -> Table:
    """Return a table of models, after a look at what it holds; the study says whether it has every model.

    Raises
    ------
    InputError
        For a table of another kind, and models with several rows.
    """
    groupings(table, MODEL_NAMES, "model")
    return table


def with_factors(table: Table, settings: Settings) -> Table:
    """Add the columns of ``--models`` that ``--rater-groups`` names and the table lacks; people have none of them."""
    factors = [name for name in words(settings.get("rater_groups")) if name not in table.columns]
    rater = mapped_columns(settings).get("rater") or Finder(table).free(RATERS.names)
    if not factors or settings.get("models") is None or rater not in table.columns or table.lazy:
        return table
    side = read_side("models", settings["models"])
    key = next((name for name in MODEL_NAMES if name in side.columns), None)
    if key is None or not {*factors} <= {*side.columns}:
        return table
    from socialstats.tables.joining import join

    frame: Any = table.frame
    backend = nw.get_native_namespace(frame)
    joined = join(table, side, {rater: key}, columns=factors).frame
    for name in factors:
        values = [None if value != value else value for value in joined[name].tolist()]
        frame = frame.with_columns(nw.new_series(name, values, backend=backend))
    return replace(table, data=frame, columns=(*table.columns, *factors))


def read_side(key: str, path: str) -> Table:
    """Read a table beside the data.

    Raises
    ------
    InputError
        For what is no table, and one without rows, with what the option takes.
    """
    try:
        return read_table(path)
    except (InputError, NothingToAnalyse) as error:
        problems = (
            error.problems if isinstance(error, InputError) else (Problem(message=str(error)),)
        )
        takes = Problem(source=SETTINGS[key].option, message=f"takes {SETTINGS[key].help}")
        raise InputError([*problems, takes]) from error


def bundled(name: str) -> Any:
    """Return the entry of a bundled data set, or None."""
    from socialstats import datasets

    return next((entry for entry in datasets.datasets() if entry.name == name), None)
