"""From options and plan to a design."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from socialstats.cli.plan import Plan
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.reading import read_comparisons
from socialstats.errors import InputError, NothingToAnalyse

PARTS = ("item_a", "item_b", "winner", "order", "weight", "wins_a", "wins_b", "ties")
DATA_KEYS = ("map", "cluster", "by", "where", "tie", "na", "missing", "winner_coding")
ANALYSIS_KEYS = ("study", "level", "seed", "resamples", "ties", "penalty", "prior", "covariate", "group")


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
        given = parse_map(given) if key == "map" and given else given
        planned = plan.values.get(key)
        if given not in (None, []):
            if planned is not None and planned not in (given, [given]) and [planned] != given:
                deviations.append(f"{key}: the plan says {planned!r}, the command line {given!r}")
            settings[key] = given
        elif planned is not None:
            settings[key] = planned
    return settings, tuple(deviations)


def parse_map(pairs: list[str]) -> dict[str, str]:
    """Turn ``PART=COLUMN`` words into a mapping."""
    found: dict[str, str] = {}
    for pair in pairs:
        part, equals, column = pair.partition("=")
        if not equals or not part or not column:
            raise InputError(f"--map {pair}: write it as PART=COLUMN, such as --map item_a=left")
        if part in found:
            raise InputError(f"--map names '{part}' twice: {found[part]} and {column}")
        found[part] = column
    return found


def read_design(path: str, settings: Mapping[str, Any], input_format: Any = None) -> Comparisons:
    """Read a file as the settings say."""
    design = read_comparisons(path, format=input_format, **design_options(settings))
    return filtered(design, settings)


def design_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword options of `Comparisons.from_frame` and `from_file`."""
    mapping = dict(settings.get("map", {}))
    options: dict[str, Any] = {part: mapping.pop(part) for part in PARTS if part in mapping}
    covariates = _covariates(mapping)
    if covariates:
        options["covariates"] = covariates
    for key in ("cluster", "by", "tie", "na", "missing", "winner_coding"):
        if key in settings:
            options[key] = settings[key]
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


def _covariates(rest: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return the covariates among the mapped parts: X_a and X_b, both needed."""
    found: dict[str, tuple[str, str]] = {}
    for part in rest:
        name, _, side = part.rpartition("_")
        if not name or side not in ("a", "b"):
            known = ", ".join(PARTS)
            raise InputError(f"--map {part}=...: no part '{part}'. Parts: {known}, or X_a and X_b for a covariate X")
        if f"{name}_a" not in rest or f"{name}_b" not in rest:
            raise InputError(f"--map {part}=...: a covariate needs both sides, {name}_a and {name}_b")
        found[name] = (rest[f"{name}_a"], rest[f"{name}_b"])
    return found
