"""The plan of a command, and what its options say beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from socialstats.designs.aliases import Fields, Levels
from socialstats.designs.settings import LISTS, REASONS, SETTINGS
from socialstats.designs.vocabulary import UNNUMBERED
from socialstats.errors import InputError
from socialstats.proposals.deciding import split_list, words
from socialstats.studies.plan_files import Plan, load_plan
from socialstats.text import shorten


def plan_of(options: argparse.Namespace) -> Plan:
    """Read the plan of a command; ``--study FILE.toml`` names one as well.

    Raises
    ------
    InputError
        For two files.
    """
    named = options.study or ""
    if Path(named).suffix.lower() != ".toml":
        return load_plan(options.plan)
    if options.plan:
        raise InputError(
            f"--study {shorten(named)} and --plan {shorten(options.plan)}: the file of a study is a plan. Keep one of "
            "them"
        )
    options.plan, options.study = named, None
    return load_plan(named)


def settle(options: argparse.Namespace, plan: Plan) -> tuple[Fields, Levels]:
    """Merge plan and command line; the command line wins.

    Returns
    -------
    settings : dict
        Only what was said somewhere.
    deviations : tuple of str
        One sentence for each key that the command line overrode, or that the plan leaves open.
    """
    settings: Fields = {}
    deviations = []
    for key in SETTINGS:
        typed = getattr(options, key, None)
        planned = plan.values.get(key)
        if key == "map" and planned is not None:
            planned = [
                f"{part}={column}"
                for part, columns in planned.items()
                for column in (words(columns) if columns is not True else [UNNUMBERED])
            ]
        if key in LISTS:
            typed = None if typed is None else split_list(typed)
            planned = split_list([planned]) if isinstance(planned, str) else planned
        if typed not in (None, []):
            if planned is not None and planned not in (typed, [typed]) and [planned] != typed:
                deviations.append(f"{key}: the plan says {planned!r}, the command line {typed!r}")
            elif planned is None and plan.text:
                deviations.append(f"{key}: the plan says nothing, the command line {typed!r}")
            settings[key] = typed
        elif planned is not None:
            settings[key] = planned
    if plan.values.get(REASONS):
        settings[REASONS] = plan.values[REASONS]
    if "conditions" in settings and len(settings["conditions"]) != 2:
        raise InputError(
            f"--conditions {','.join(settings['conditions'])}: name two, the first minus the second: A,B"
        )
    return settings, tuple(deviations)
