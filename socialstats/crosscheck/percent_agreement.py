"""Percent agreement once more: every pair of ratings of every unit by itself; statsmodels for Wilson's interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.results import Check, Result, Row, Verification

SAME = "the same sums in another order"
ALL = "all pairs"


def verify(result: Result) -> Verification:
    """Recompute each row by going through the distinct rows of ratings, each with how many units have it."""
    units = ratings_by_unit(result)
    near = np.asarray(result.extras["agrees"], dtype=float).tolist()
    names = [row.term for row in result.rows if row.group is None and row.term != ALL]
    columns = dict(zip(names, combinations(range(len(result.design.raters)), 2), strict=False))
    checks = []
    for row in result.rows:
        pair = columns.get(row.term)
        found = {
            unit: (sum(agreed) / len(agreed), weight)
            for unit, (codes, weight, group) in units.items()
            if (row.group is None or group == row.group) and (agreed := answers(codes, pair, near))
        }
        checks += row_checks(result, row, found)
    return Verification(checks=tuple(checks))


def ratings_by_unit(result: Result) -> dict[int, tuple[dict[int, int], float, str | None]]:
    """Return for each distinct row of ratings (of a stratum) the levels, how many units have it, and the stratum."""
    design, settings = result.design, result.settings
    groups = stratum_labels(design, settings["stratum"])
    units: dict[int, tuple[dict[int, int], float, str | None]] = {
        u: ({}, float(design.unit_count[u]), groups[u]) for u in range(len(design.units))
    }
    columns = (design.unit, design.rater, design.value, design.status)
    for unit, rater, value, status in zip(*(column.tolist() for column in columns), strict=True):
        if status == 0:
            units[unit][0][rater] = value
        elif status == 2 and settings["refusal"] == "level":
            units[unit][0][rater] = len(design.levels)
    alike: dict[Any, tuple[dict[int, int], float, str | None]] = {}
    for codes, weight, group in units.values():
        key = (tuple(sorted(codes.items())), group)
        alike[key] = (codes, weight + (alike[key][1] if key in alike else 0.0), group)
    return dict(enumerate(alike.values()))


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


def row_checks(result: Result, row: Row, found: Mapping[int, tuple[float, float]]) -> list[Check]:
    """Compare a mean over units and, for independent yes-or-no values, Wilson's interval."""
    return share_checks(result, row, found, compare)


def share_checks(
    result: Result, row: Row, found: Mapping[int, tuple[float, float]], make: Callable[..., Check]
) -> list[Check]:
    """Compare one row with the (value, weight) of its units."""
    from statsmodels.stats.proportion import proportion_confint
    from statsmodels.stats.weightstats import DescrStatsW

    name = row.term if row.group is None else f"{row.term} ({row.group})"
    if not found or row.estimate is None:
        return []
    values = np.array([value for value, _ in found.values()])
    weights = np.array([weight for _, weight in found.values()])
    stats = DescrStatsW(values, weights=weights, ddof=1)
    made: dict[str, Any] = {"package": "statsmodels", "tolerance": 1e-10, "why": SAME}
    out = [make(name, row.estimate, float(stats.mean), **made)]
    independent = not result.design.factors(result.settings["cluster"])
    plain = bool(np.all((values == 0) | (values == 1)))
    if not independent or row.std_error is None:
        return out
    if plain and result.settings["ci"] == "wilson" and row.conf_low is not None:
        level, n = result.settings["level"], float(weights.sum())
        ends = proportion_confint(float(values @ weights), n, alpha=1 - level, method="wilson")
        out.append(make(f"{name}, low", row.conf_low, float(ends[0]), **made))
        out.append(make(f"{name}, high", row.conf_high, float(ends[1]), **made))
    elif not plain:
        out.append(make(f"{name}, s.e.", row.std_error, float(stats.std_mean), **made))
    return out


__all__ = ["ratings_by_unit", "share_checks", "stratum_labels", "verify"]
