"""Tests of ADA-Met differences: t by scipy, Holm by statsmodels, and people dealt anew to groups of like sizes."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np

from socialstats.crosscheck.ada_met import Told, from_modes, people_of
from socialstats.crosscheck.agreement_direct import direct
from socialstats.crosscheck.row_arithmetic import adjusted_checks, wald_checks
from socialstats.results import Check, FloatArray, Result, Row

DEALT, NOT_ASKED = 100, "not asked"  # ways to deal the people of a pair of groups
NOISE = "people dealt anew: six Monte-Carlo errors"


def difference_checks(result: Result) -> list[Check]:
    """Compare interval, t and p of each tested difference with scipy's, and adjusted p with statsmodels'."""
    checks: list[Check] = []
    families: dict[tuple[str, str], list[Row]] = {}
    for row in result.rows:
        if row.p_value is None or row.df is None or row.std_error is None or row.estimate is None:
            continue
        group = row.group or ""
        key = (group, "") if group.startswith("minus ") else (row.term, group.partition(":")[0])
        families.setdefault(key, []).append(row)
        checks += wald_checks(row, result.settings["level"], float(row.estimate), float(row.std_error), float(row.df))
    checks = [check for check in checks if ", df" not in check.quantity]  # the row's own
    return [*checks, *(check for rows in families.values() for check in adjusted_checks(rows))]


def size_checks(result: Result, told: Told) -> list[Check]:
    """Deal the people of each pair of groups anew, and compare what their numbers alone give."""
    name = result.settings["group"]
    if name is None or not any((row.group or "").startswith(f"{name}: ") for row in result.rows):
        return []
    groups, stored = people_of(result, told), result.extras["permuted_differences"]
    say = json.dumps if any(" - " in level for level in groups) else str
    rng, dealt, checks = np.random.default_rng(0), Dealt(told, result), []
    for one, other in combinations(groups, 2):
        if len(groups[one]) == len(groups[other]):
            continue  # nothing is taken off
        pool = [*sorted(groups[one]), *sorted(groups[other])]
        table = answers_table(told, list(told.people), pool)
        found = np.array([dealt.gaps(table, rng.permutation(len(pool)) < len(groups[one])) for _ in range(DEALT)])
        for k, model in enumerate(told.models):
            ours, drawn = stored[f"{say(one)} - {say(other)}"][model], found[~np.isnan(found[:, k]), k]
            if ours is None or len(drawn) < DEALT // 2:
                continue
            error = float(drawn.std(ddof=1)) * math.sqrt(1 / len(drawn) + 1 / result.extras["permutations"])
            label = f"{model} [{name}: {one} - {other}], by sizes alone"
            checks.append(direct(label, ours, float(drawn.mean()), 6 * error + 1e-9, NOISE))
    return checks


def answers_table(told: Told, units: list[str], pool: list[str]) -> FloatArray:
    """1 where a person of the pool gave a unit this level: (people, units, levels)."""
    place, who = {score: k for k, score in enumerate(told.scores)}, {person: p for p, person in enumerate(pool)}
    table = np.zeros((len(pool), len(units), len(told.scores)))
    for u, unit in enumerate(units):
        for person, score in told.people[unit].items():
            if person in who:
                table[who[person], u, place[score]] = 1
    return table


class Dealt:
    """Mean differences between two groups of people; the distance of an answer from a set of modes is found once."""

    def __init__(self, told: Told, result: Result) -> None:
        self.told, self.settings = told, result.settings
        units = list(told.people)
        self.weight = np.array([told.weight[unit] for unit in units])
        own = [[told.models[model].get(unit, NOT_ASKED) for unit in units] for model in told.models]
        self.given = list({x for one in own for x in one})
        self.asked = np.array([[self.given.index(x) for x in one] for one in own])
        self.known: dict[int, list[float]] = {}

    def distances(self, side: Any) -> FloatArray:
        """Distance of each model (rows) to each unit from counts (units, levels); NaN where there is none."""
        top = (side == side.max(axis=1, keepdims=True)) & (side > 0)
        kinds, place = np.unique(top @ (1 << np.arange(top.shape[1])), return_inverse=True)
        for kind in kinds.tolist():
            if kind not in self.known:
                modes = [score for k, score in enumerate(self.told.scores) if kind >> k & 1]
                self.known[kind] = [self.far(modes, x) for x in self.given]
        found = np.array([self.known[kind] for kind in kinds.tolist()])
        return np.asarray(found[place.ravel()[None, :], self.asked], dtype=np.float64)

    def far(self, modes: list[float], given: Any) -> float:
        """Distance of one answer from modes; NaN where it does not count."""
        found = None if given == NOT_ASKED else from_modes(modes, given, self.told, self.settings)
        return math.nan if found is None else found

    def gaps(self, table: FloatArray, first: Any) -> FloatArray:
        """Mean difference of each model between the people `first` and the others."""
        gap = self.distances(table[first].sum(axis=0)) - self.distances(table[~first].sum(axis=0))
        weight = self.weight * ~np.isnan(gap)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.nansum(gap * weight, axis=1) / weight.sum(axis=1))
