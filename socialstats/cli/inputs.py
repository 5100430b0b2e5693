"""From options and plan to a design."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from socialstats.cli.plan import Plan
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.options import map_options
from socialstats.designs.reading import read_comparisons
from socialstats.errors import InputError, NothingToAnalyse

PASSED_ON = ("cluster", "by", "tie", "na", "missing", "winner_coding")
DATA_KEYS = ("map", "cluster", "by", "where", "tie", "na", "missing", "winner_coding")
ANALYSIS_KEYS = ("study", "level", "seed", "resamples", "ties", "penalty", "prior", "covariate", "group", "adjust")


def settle(options: argparse.Namespace, plan: Plan) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Merge plan and command line; the command line wins.

    Returns
    -------
    settings : dict
        Only what was given somewhere.
    deviations : tuple of str
        One sentence for each plan key that the command line overrode.
    """
    settings: dict[str, Any] = {}
    deviations = []
    for key in (*DATA_KEYS, *ANALYSIS_KEYS):
        given = getattr(options, key, None)
        planned = plan.values.get(key)
        if key == "map" and planned is not None:
            planned = [f"{part}={column}" for part, column in planned.items()]
        if given not in (None, []):
            if planned is not None and planned not in (given, [given]) and [planned] != given:
                deviations.append(f"{key}: the plan says {planned!r}, the command line {given!r}")
            settings[key] = given
        elif planned is not None:
            settings[key] = planned
    return settings, tuple(deviations)


def read_design(path: str, settings: Mapping[str, Any], input_format: Any = None) -> Comparisons:
    """Read a file as the settings say."""
    design = read_comparisons(path, format=input_format, **design_options(settings))
    return filtered(design, settings)


def design_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword options of `Comparisons.from_frame` and `from_file`."""
    options = map_options(settings.get("map", []))
    options |= {key: settings[key] for key in PASSED_ON if key in settings}
    if "where" in settings:
        if "by" in settings:
            raise InputError("--where and --by cannot be used together")
        options["by"] = _where(settings["where"])[0]
    return options


def filtered(design: Comparisons, settings: Mapping[str, Any]) -> Comparisons:
    """Keep the rows that ``where`` asks for."""
    from dataclasses import replace

    if "where" not in settings:
        return design
    column, value = _where(settings["where"])
    parts = design.split()
    if value not in parts:
        raise NothingToAnalyse(f"no row has {column} = '{value}'; values: {', '.join(list(parts)[:20])}")
    return replace(parts[value], by=None)


def _where(where: Any) -> tuple[str, str]:
    words = [where] if isinstance(where, str) else list(where)
    if len(words) != 1:
        raise InputError("--where takes one COLUMN=VALUE; filter the table first for more")
    column, equals, value = words[0].partition("=")
    if not equals or not column:
        raise InputError(f"--where {words[0]}: write it as COLUMN=VALUE, such as --where model=gpt-4")
    return column, value
