"""From options and plan to a design."""

from __future__ import annotations

import argparse
from typing import Any

from socialstats.cli.plan import Plan
from socialstats.designs.aliases import Fields, Levels
from socialstats.designs.vocabulary import UNNUMBERED
from socialstats.errors import InputError
from socialstats.proposals.deciding import split_list, words
from socialstats.proposals.reading import read
from socialstats.proposals.settings import LISTS, REASONS, SETTINGS, Settings
from socialstats.studies.page import Design
from socialstats.tables import read_table


def settle(options: argparse.Namespace, plan: Plan) -> tuple[Fields, Levels]:
    """Merge plan and command line; the command line wins.

    Returns
    -------
    settings : dict
        Only what was given somewhere.
    deviations : tuple of str
        One sentence for each key that the command line overrode, or that the plan leaves open.
    """
    settings: Fields = {}
    deviations = []
    for key in SETTINGS:
        given = getattr(options, key, None)
        planned = plan.values.get(key)
        if key == "map" and planned is not None:
            planned = [
                f"{part}={column}"
                for part, columns in planned.items()
                for column in (words(columns) if columns is not True else [UNNUMBERED])
            ]
        if key in LISTS:
            given = None if given is None else split_list(given)
            planned = split_list([planned]) if isinstance(planned, str) else planned
        if given not in (None, []):
            if planned is not None and planned not in (given, [given]) and [planned] != given:
                deviations.append(f"{key}: the plan says {planned!r}, the command line {given!r}")
            elif planned is None and plan.text:
                deviations.append(f"{key}: the plan says nothing, the command line {given!r}")
            settings[key] = given
        elif planned is not None:
            settings[key] = planned
    if plan.values.get(REASONS):
        settings[REASONS] = plan.values[REASONS]
    if "conditions" in settings and len(settings["conditions"]) != 2:
        raise InputError(
            f"--conditions {','.join(settings['conditions'])}: name two, the first minus the second: A,B"
        )
    return settings, tuple(deviations)


def read_design(
    path: str, settings: Settings, input_format: Any = None, study: str | None = None
) -> Design:
    """Read a file as the settings say; `study` is the name of the study asked for, which decides the design."""
    return read(
        read_table(path, input_format, settings.get("encoding")), settings, design_of(study)
    )


def design_of(study: str | None) -> str | None:
    """Return the design of a study.

    Raises
    ------
    InputError
        For an unknown name.
    """
    if study is None:
        return None
    from socialstats.studies import STUDIES
    from socialstats.studies.page import named

    return named(STUDIES, study).design
