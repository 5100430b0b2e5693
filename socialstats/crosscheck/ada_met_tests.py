"""Tests of ADA-Met differences: t by scipy, Holm by statsmodels, and people dealt anew to groups of like sizes."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.ada_met import Told, from_modes, people_of
from socialstats.crosscheck.agreement_direct import direct
from socialstats.crosscheck.long import compare, worst
from socialstats.results import Check, FloatArray, Result, Row

DEALT = 60  # ways to deal the people of a pair of groups
NOISE = "people dealt anew: six Monte-Carlo errors"
T = "t of the (checked) difference and its error"


def difference_checks(result: Result) -> list[Check]:
    """Compare interval, t and p of each tested difference with scipy's, and adjusted p with statsmodels'."""
    from scipy import stats
    from statsmodels.stats.multitest import multipletests

    checks: list[Check] = []
    families: dict[tuple[str, str], list[Row]] = {}
    for row in result.rows:
        if row.p_value is None or row.df is None or row.std_error is None or row.estimate is None:
            continue
        group = row.group or ""
        key = (group, "") if group.startswith("minus ") else (row.term, group.partition(":")[0])
        families.setdefault(key, []).append(row)
        ends = stats.t.interval(result.settings["level"], row.df, loc=row.estimate, scale=row.std_error)
        p = 2 * stats.t.sf(abs(row.estimate / row.std_error), row.df)
        name = f"{row.term} [{group}]"
        for what, ours, theirs in (("low", row.conf_low, ends[0]), ("high", row.conf_high, ends[1]),
                                   ("p", row.p_value, p)):  # fmt: skip
            tolerance = 1e-8 * max(abs(float(theirs)), 1e-300 if what == "p" else 1.0)
            checks.append(compare(f"{name}, {what}", ours, float(theirs), package="scipy", tolerance=tolerance, why=T))
    holms = []
    for rows in families.values():
        adjusted = multipletests([row.p_value for row in rows], method="holm")[1].tolist()
        holms += [
            compare(f"{row.term} [{row.group}], p (Holm)", row.p_adjusted, theirs, package="statsmodels",
                    tolerance=1e-9, why="the same steps")
            for row, theirs in zip(rows, adjusted, strict=True)
        ]  # fmt: skip
    return [worst(some, "numbers") if len(some) > 1 else some[0] for some in (checks, holms) if some]


def size_checks(result: Result, told: Told) -> list[Check]:
    """Deal the people of each pair of groups anew, and compare what their numbers alone give."""
    name = result.settings["group"]
    if name is None or not any((row.group or "").startswith(f"{name}: ") for row in result.rows):
        return []
    groups, stored = people_of(result, told), result.extras["permuted_differences"]
    say = json.dumps if any(" - " in level for level in groups) else str
    units, rng = list(told.people), np.random.default_rng(0)
    picks = {model: picked(told, result, units, model) for model in told.models}
    checks = []
    for one, other in combinations(groups, 2):
        pool = [*groups[one], *groups[other]]
        table = answers_table(told, units, pool)
        if len(groups[one]) == len(groups[other]):
            continue  # nothing is taken off
        found = np.array([dealt_gap(table, rng.permutation(len(pool)) < len(groups[one]), told, result, picks)
                          for _ in range(DEALT)])  # fmt: skip
        for k, model in enumerate(told.models):
            ours, drawn = stored[f"{say(one)} - {say(other)}"][model], found[~np.isnan(found[:, k]), k]
            if ours is None or len(drawn) < DEALT // 2:
                continue
            error = float(drawn.std(ddof=1)) * math.sqrt(1 / len(drawn) + 1 / result.settings["resamples"])
            label = f"{model} [{name}: {one} - {other}], by sizes alone"
            checks.append(direct(label, ours, float(drawn.mean()), 6 * error + 1e-9, NOISE))
    return [worst(checks, "differences")] if len(checks) > 1 else checks


def answers_table(told: Told, units: list[str], pool: list[str]) -> FloatArray:
    """1 where a person of the pool gave a unit this level: (people, units, levels)."""
    place = {score: k for k, score in enumerate(told.scores)}
    table = np.zeros((len(pool), len(units), len(told.scores)))
    for u, unit in enumerate(units):
        for p, person in enumerate(pool):
            if person in told.people[unit]:
                table[p, u, place[told.people[unit][person]]] = 1
    return table


def picked(told: Told, result: Result, units: list[str], model: str) -> list[Any]:
    """The model's answer to each unit; "none" where it was not asked."""
    return [told.models[model].get(unit, "none") for unit in units]


def dealt_gap(
    table: FloatArray, first: Any, told: Told, result: Result, picks: dict[str, list[Any]]
) -> list[float]:  # fmt: skip
    """Mean difference of each model between the people `first` and the others; every distance looked up by modes."""
    sides = [table[first].sum(axis=0), table[~first].sum(axis=0)]
    modes = [
        [tuple(s for s, n in zip(told.scores, line, strict=True) if n and n == max(line)) for line in side.tolist()]
        for side in sides
    ]
    weight = [told.weight[unit] for unit in told.people]
    looked: dict[Any, float | None] = {}

    def far(mode: tuple[float, ...], given: Any) -> float | None:
        if (mode, given) not in looked:
            looked[mode, given] = None if given == "none" else from_modes(mode, given, told, result.settings)
        return looked[mode, given]

    out = []
    for given in picks.values():
        pairs = [(far(a, x), far(b, x), w) for a, b, x, w in zip(*modes, given, weight, strict=True)]
        known = [(a - b, w) for a, b, w in pairs if a is not None and b is not None]
        out.append(sum(d * w for d, w in known) / sum(w for _, w in known) if known else math.nan)
    return out
