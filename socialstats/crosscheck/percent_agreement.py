"""Percent agreement once more: every pair of ratings of every unit by itself; statsmodels for Wilson's interval."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.unit_share_rows import share_checks
from socialstats.results import Check, Result, Verification

ALL = "all pairs"
Rated = tuple[dict[int, int], float, str | None, tuple[int, ...]]


def verify(result: Result) -> Verification:
    """Recompute each row by going through the distinct rows of ratings, each with how many units have it."""
    units = ratings_by_unit(result)
    near = np.asarray(result.extras["agrees"], dtype=float).tolist()
    names = [row.term for row in result.rows if row.group is None and row.term != ALL]
    columns = dict(zip(names, combinations(range(len(result.design.raters)), 2), strict=False))
    checks: list[Check] = []
    for row in result.rows:
        pair = columns.get(row.term)
        agreed = {
            unit: (answers(codes, pair, near), weight, clusters)
            for unit, (codes, weight, group, clusters) in units.items()
            if row.group is None or group == row.group
        }
        found = {u: (sum(yes) / len(yes), weight, clusters) for u, (yes, weight, clusters) in agreed.items() if yes}
        checks += share_checks(result, row, found, sum(len(yes) * weight for yes, weight, _ in agreed.values()))
    return Verification(checks=tuple(checks))


def ratings_by_unit(result: Result) -> dict[int, Rated]:
    """Return for each distinct row of ratings the levels, how many units have it, stratum and clusters."""
    design, settings = result.design, result.settings
    groups, clusters = stratum_labels(design, settings["stratum"]), cluster_codes(result)
    units: dict[int, Rated] = {
        u: ({}, float(design.unit_count[u]), groups[u], clusters[u]) for u in range(len(design.units))
    }
    columns = (design.unit, design.rater, design.value, design.status)
    for unit, rater, value, status in zip(*(column.tolist() for column in columns), strict=True):
        if status == 0:
            units[unit][0][rater] = value
        elif status == 2 and settings["refusal"] == "level":
            units[unit][0][rater] = len(design.levels)
    alike: dict[Any, Rated] = {}
    for codes, weight, group, own in units.values():
        key = (tuple(sorted(codes.items())), group, own)
        alike[key] = (codes, weight + (alike[key][1] if key in alike else 0.0), group, own)
    return dict(enumerate(alike.values()))


def cluster_codes(result: Result) -> list[tuple[int, ...]]:
    """Cluster of each unit, by each factor."""
    columns = [factor.codes.tolist() for factor in result.design.factors(result.settings["cluster"])]
    return [tuple(column[u] for column in columns) for u in range(len(result.design.units))]


def stratum_labels(design: Any, name: str | None) -> list[str | None]:
    """Stratum of each unit; None for all without strata."""
    if name is None:
        return [None] * len(design.units)
    factor = design.strata[name] if name in design.strata else design.factors(name)[0]
    return [factor.levels[code] for code in factor.codes]


def answers(codes: Mapping[int, int], pair: tuple[int, int] | None, near: Any) -> list[float]:
    """Return for each pair of ratings of a unit (or the named pair of raters) 1 where they agree, else 0."""
    raters = sorted(codes) if pair is None else [r for r in pair if r in codes]
    return [near[codes[a]][codes[b]] for a, b in combinations(raters, 2)]


__all__ = ["cluster_codes", "ratings_by_unit", "stratum_labels", "verify"]
