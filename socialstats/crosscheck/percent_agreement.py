"""Percent agreement recomputed: every pair of ratings of every unit by itself; statsmodels for Wilson's interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import codes_of
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Verification

ALL = "all pairs"
FEW = 12  # ratings of a unit whose pairs are gone through one by one
Rated = tuple[dict[int, int], float, str | None, tuple[int, ...]]


def verify(result: Result) -> Verification:
    """Recompute each row by going through the distinct rows of ratings, each with how many units have it."""
    units = ratings_by_unit(result, result.settings["stratum"])
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
        found = {
            u: (yes / n, weight, clusters)
            for u, ((yes, n), weight, clusters) in agreed.items()
            if n
        }
        checks += share_checks(
            result, row, found, sum(n * weight for (_, n), weight, _ in agreed.values())
        )
    return Verification(checks=tuple(checks))


def ratings_by_unit(result: Result, stratum: str | None) -> dict[int, Rated]:
    """Return for each distinct row of ratings the levels, how many units have it, stratum and clusters."""
    design, settings = result.design, result.settings
    groups, clusters = stratum_labels(design, stratum), cluster_codes(result)
    units: dict[int, Rated] = {
        u: ({}, float(design.unit_count[u]), groups[u], clusters[u])
        for u in range(len(design.units))
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
    codes = codes_of(
        result.design.factors(result.settings["cluster"]), np.arange(len(result.design.units))
    )
    return [tuple(line) for line in codes.tolist()]


def stratum_labels(design: Any, name: str | None) -> list[str | None]:
    """Stratum of each unit; None for all without strata."""
    if name is None:
        return [None] * len(design.units)
    factor = design.strata[name] if name in design.strata else design.factors(name)[0]
    return [factor.levels[code] for code in factor.codes]


def answers(codes: Mapping[int, int], pair: tuple[int, int] | None, near: Any) -> tuple[float, int]:
    """Count the pairs of ratings of a unit (or of the named raters) that agree, and all of them.

    Of more than FEW ratings the pairs of levels are counted in place of the pairs of ratings.
    """
    raters = sorted(codes) if pair is None else [r for r in pair if r in codes]
    m = len(raters)
    if m <= FEW:
        return float(sum(near[codes[a]][codes[b]] for a, b in combinations(raters, 2))), m * (
            m - 1
        ) // 2
    levels = Counter(codes[r] for r in raters)
    twice = sum(
        n * (k - (c == d)) * near[c][d] for c, n in levels.items() for d, k in levels.items()
    )
    return float(twice) / 2, m * (m - 1) // 2


__all__ = ["answers", "cluster_codes", "ratings_by_unit", "stratum_labels", "verify"]
