"""Majority vote accuracy recomputed: the modes of each unit by ``statistics.multimode``, shares by statsmodels."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import multimode
from typing import Any

from socialstats.crosscheck.percent_agreement import cluster_codes, stratum_labels
from socialstats.crosscheck.shares import share_checks
from socialstats.results import Check, Result, Verification


def verify(result: Result) -> Verification:
    """Recompute each row by counting the votes of the units one by one."""
    design, ties = result.design, result.settings["ties"]
    truth, votes = truth_and_votes(result)
    groups, clusters = stratum_labels(design, result.settings["stratum"]), cluster_codes(result)
    values: dict[str, dict[int, float]] = {
        "accuracy": {},
        "single rater": {},
        "unanimous": {},
        "tied": {},
    }
    for unit, ballot in votes.items():
        if unit not in truth or not ballot:
            continue
        modes = multimode(ballot)
        found = accuracy(modes, truth[unit], ties)
        if found is not None:
            values["accuracy"][unit] = found
        values["single rater"][unit] = ballot.count(truth[unit]) / len(ballot)
        values["unanimous"][unit] = float(len(set(ballot)) == 1)
        values["tied"][unit] = float(len(modes) > 1)
    checks: list[Check] = []
    for row in result.rows:
        units = {
            u: v for u, v in values[row.term].items() if row.group is None or groups[u] == row.group
        }
        weighted = {u: (v, float(design.unit_count[u]), clusters[u]) for u, v in units.items()}
        single = row.term == "single rater"
        answers = sum(
            weight * (len(votes[u]) if single else 1) for u, (_, weight, _) in weighted.items()
        )
        checks += share_checks(result, row, weighted, answers)
    return Verification(checks=tuple(checks))


def truth_and_votes(result: Result) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Return the true level of each unit that has one, and the votes of each unit."""
    design, given = result.design, result.extras["truth"]
    truth: dict[int, int] = {}
    votes: dict[int, list[int]] = {u: [] for u in range(len(design.units))}
    for unit, rater, value, status in zip(
        design.unit, design.rater, design.value, design.status, strict=True
    ):
        if status != 0:
            continue
        if isinstance(given, str) and design.raters[rater] == given:
            truth[int(unit)] = int(value)
        else:
            votes[int(unit)].append(int(value))
    if isinstance(given, Mapping):
        truth = {
            design.units.index(str(u)): level_of(design, v)
            for u, v in given.items()
            if str(u) in design.units
        }
    return truth, votes


def level_of(design: Any, value: Any) -> int:
    """Index of a level by its label, or by its number."""
    if str(value) in design.levels:
        return int(design.levels.index(str(value)))
    return [float(score) for score in design.scores].index(float(value))


def accuracy(modes: list[int], truth: int, ties: str) -> float | None:
    """Return what a unit counts; None where its tie leaves it out."""
    if len(modes) == 1:
        return float(modes[0] == truth)
    if ties == "split":
        return float(truth in modes) / len(modes)
    if ties == "first_level":
        return float(min(modes) == truth)
    return None if ties == "drop" else 0.0
