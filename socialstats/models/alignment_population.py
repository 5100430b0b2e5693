"""ADA-Met from the mode of the whole population: the noise of modes estimated from halves of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from socialstats.designs.parts import FloatArray, IntArray
from socialstats.models.alignment import Answers, Targets
from socialstats.models.alignment_resampling import Rules
from socialstats.models.alignment_variance import Residuals, Spread, features
from socialstats.models.intervals import critical_value
from socialstats.models.split_half import STREAM, halved

SPLITS = 100
FAST, MIDDLE, SLOW = (1 / (2**rate - 1) for rate in (1.0, 0.75, 0.5))  # of the difference between half and all answers
BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """Distances from the mode of the population, (means,) arrays.

    Attributes
    ----------
    estimate, low, high : float64 arrays
    half : float64 array
        Mean distance with half of the answers of each unit.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    half: FloatArray


def half_distances(answers: Answers, rules: Rules) -> tuple[FloatArray, FloatArray]:
    """Mean over random halves of each unit's answers of the distances (units, k + 1), and of whether there is a mode.

    Units with the same counts share their halves, so that nothing depends on the order or the names of the units.
    """
    counts = answers.counts(np.ones((1, len(answers.people))))[0]
    kinds, place = np.unique(counts, axis=0, return_inverse=True)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    found, seen = np.zeros((len(kinds), len(answers.scores) + 1)), np.zeros(len(kinds))
    for start in range(0, len(kinds), BLOCK):
        some = kinds[start : start + BLOCK].astype(np.int64)
        drawn = np.stack([np.concatenate(halved(one, 1, SPLITS, rng))[:, 0] for one in some])
        distances, known = rules.distances(drawn, answers.scores)
        found[start : start + BLOCK] = (distances * known[..., None]).mean(axis=1)
        seen[start : start + BLOCK] = known.mean(axis=1)
    return found[place.ravel()], seen[place.ravel()]


def population(
    answers: Answers, targets: Targets, clusters: Sequence[IntArray], rules: Rules, value: FloatArray, spread: Spread,
    level: float,
) -> Population:  # fmt: skip
    """Take the noise of the modes off the means `value`.

    With n answers a unit the mean distance is that from the mode of the population plus c n^-a. Half of the answers
    give the difference d = c (n/2)^-a - c n^-a, and the distance without noise is the mean less d / (2^a - 1)
    (Quenouille 1956 for a = 1). Where the leading levels of most units are clearly apart or their gaps spread evenly, a
    is 1; where they nearly tie, 1/2. The estimate takes 3/4. The interval reaches from the lower end for one rate to
    the upper end for the other, with a critical value for an interval of such a range (Imbens & Manski 2004, eq. 7).
    """
    half, known = half_distances(answers, rules)
    whole = rules.distances(answers.counts(np.ones((1, len(answers.people)))), answers.scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        fewer = (targets.pick @ (half * answers.weight[:, None]).ravel()) / (targets.asked @ (answers.weight * known))
    gap = fewer - value
    full = Residuals.of(targets, value, whole[1][0], answers.weight, clusters)
    less = Residuals.of(targets, fewer, known, answers.weight, clusters)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = full.weight / less.weight
    parts = full.pieces_of(features(*whole)), less.pieces_of(np.column_stack([half, known]).reshape(-1, 1))
    ends, errors = [], []
    for rate in (FAST, SLOW):
        sums = [
            ((1 + rate) * one - rate * two * scale[own.target, None])[:, 0]
            for one, two, own in zip(*parts, full.parts, strict=True)
        ]
        ends.append(value - rate * gap)
        errors.append(np.sqrt(full.unit_variance(sums) + spread.people))
    low, high = ranged(np.array(ends), np.array(errors), spread.df, level)
    estimate = np.maximum(value - MIDDLE * gap, 0.0)
    return Population(estimate=estimate, low=np.maximum(low, 0.0), high=np.maximum(high, estimate), half=fewer)


def ranged(ends: FloatArray, errors: FloatArray, df: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Interval of a quantity known to lie between two estimates, both (2, means)."""
    order = np.argsort(ends, axis=0)
    (low, high), (below, above) = (np.take_along_axis(x, order, axis=0) for x in (ends, errors))
    with np.errstate(invalid="ignore", divide="ignore"):
        width = (high - low) / np.maximum(below, above)
    reach = np.array([critical_of_range(w, d, level) for w, d in zip(width.tolist(), df.tolist(), strict=True)])
    return low - reach * below, high + reach * above


def critical_of_range(width: float, df: float, level: float) -> float:
    """Solve F(c + width) - F(-c) = level for c (Imbens & Manski 2004, eq. 7, with the t distribution).

    From the two-sided critical value, for a range of width 0, to the one-sided, for a wide one.

    Examples
    --------
    >>> round(critical_of_range(0.0, 1e9, 0.95), 3), round(critical_of_range(9.0, 1e9, 0.95), 3)
    (1.96, 1.645)
    """
    from scipy.optimize import brentq

    if not (width >= 0 and df > 0):
        return float("nan")
    least, most = critical_value(2 * level - 1, df), critical_value(level, df)
    if width == 0:
        return most
    return float(brentq(lambda c: stdtr(df, c + width) - stdtr(df, -c) - level, least - 1e-9, most + 1e-9))
