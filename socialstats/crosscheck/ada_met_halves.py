"""ADA-Met from the mode of the population: halves of the answers drawn anew, and the extrapolation by hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import multimode

from socialstats.crosscheck.ada_met import SAME, TOLERANCE, Told, from_modes
from socialstats.crosscheck.agreement_direct import direct
from socialstats.results import Check, Result

POPULATION = "population's mode"
OURS, MOST, LEAST = 100, 8_000, 4  # halvings of a unit in the metric; of all units here, and of a unit
FEW, MANY = 0.25, 0.4  # shares of narrow leads up to and from which the slowest rate is 1/2 and 1/4
NOISE = "halves drawn anew: six Monte-Carlo errors"


def population_checks(result: Result, told: Told) -> list[Check]:
    """Compare the means of halves with others drawn here, and each estimate with the extrapolation from them."""
    rows = [row for row in result.rows if row.group == POPULATION and row.estimate is not None]
    if not rows:
        return []
    splits = max(LEAST, min(OURS // 5, MOST // max(len(told.people), 1)))
    halves = {unit: halvings(list(own.values()), splits) for unit, own in told.people.items()}
    plain = {row.term: row.estimate for row in result.rows if row.group is None}
    stored: Mapping[str, float] = result.extras["half_distance"]
    drawn, sums, rate = [], [], middle_rate(told)
    for row in rows:
        theirs, error = half_mean(halves, told, result, row.term)
        both = error * math.sqrt(1 + splits / OURS)
        name = f"{row.term} [half of the answers]"
        drawn.append(direct(name, stored[row.term], theirs, 6 * both + TOLERANCE, NOISE))
        whole = plain[row.term] or 0.0
        least = max(0.0, whole - (stored[row.term] - whole) / (2**rate - 1))
        sums.append(direct(f"{row.term} [{POPULATION}]", row.estimate, least, TOLERANCE, SAME))
    return [*drawn, *sums]


def middle_rate(told: Told) -> float:
    """Middle of the rates 1 and the slowest one, from the leads of the first level over the second, unit by unit."""
    narrow, total = 0.0, sum(told.weight[unit] for unit in told.people)
    for unit, own in told.people.items():
        times = sorted(Counter(own.values()).values(), reverse=True)
        if times[0] - (times[1] if len(times) > 1 else 0) <= 1:
            narrow += told.weight[unit]
    share = narrow / total
    slow = 0.5 if share <= FEW else 0.25 if share >= MANY else 0.5 - 0.25 * (share - FEW) / (MANY - FEW)
    return (1 + slow) / 2


def halvings(answers: list[float], splits: int) -> list[tuple[list[float], list[float]]]:
    """Modes of both sides of random halvings of some answers."""
    rng = random.Random(len(answers))
    made = []
    for _ in range(splits):
        order = rng.sample(answers, len(answers))
        sides = order[: len(order) // 2], order[len(order) // 2 :]
        made.append((sorted(multimode(sides[0])), sorted(multimode(sides[1]))))
    return made


def half_mean(
    halves: Mapping[str, Sequence[tuple[list[float], list[float]]]], told: Told, result: Result, model: str
) -> tuple[float, float]:
    """Mean over units of a model's distance from the mode of half of the answers, and its Monte-Carlo error."""
    known: dict[str, list[float]] = {}
    size: dict[str, float] = {}
    for unit, given in told.models[model].items():
        found = [from_modes(side, given, told, result.settings) for pair in halves[unit] for side in pair]
        known[unit] = [x for x in found if x is not None]
        size[unit] = told.weight[unit] * len(known[unit]) / len(found)
    total = sum(size.values())
    means = {unit: sum(xs) / len(xs) for unit, xs in known.items() if xs}
    noise = sum(
        size[unit] ** 2 * sum((x - means[unit]) ** 2 for x in xs) / max(len(xs) - 1, 1) / (len(xs) / 2)
        for unit, xs in known.items() if xs
    )  # fmt: skip
    return sum(size[unit] * mean for unit, mean in means.items()) / total, math.sqrt(noise) / total
