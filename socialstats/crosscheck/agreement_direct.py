"""Coefficients of agreement by plain sums over pairs of ratings: nothing of the library's own arithmetic enters.

Units become tallies {level: number of raters}; everything else is loops over these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

import socialstats
from socialstats.crosscheck.clusters import FEW, codes_of, disagreement_ends, fisher_ends, mean_error
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, statistic_checks, t_ends
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Result, Row

LABEL = "direct sums"
Tally = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """Units of one row.

    Attributes
    ----------
    units : tuple of tallies, one a unit
        ((level, number of raters), ...) with levels ascending.
    clusters : (units, factors) int array
    scores : tuple of float
        Of the levels.
    """

    units: tuple[Tally, ...]
    clusters: Any
    scores: tuple[float, ...]


def tallies(result: Result, row: Row, least: int) -> Tallies:
    """Tally the units of a row that have at least `least` ratings, alike units one by one."""
    design: Ratings = result.design
    if row.group is not None:
        design = design.split_units(result.settings["stratum"])[row.group]
    refused = result.settings["refusal"] == "level"
    found: list[Counter[int]] = [Counter() for _ in design.units]
    for unit, value, status in zip(design.unit.tolist(), design.value.tolist(), design.status.tolist(), strict=True):
        if status == 0 or (status == 2 and refused):
            found[unit][value if status == 0 else len(design.levels)] += 1
    kept = [u for u, tally in enumerate(found) if sum(tally.values()) >= least]
    times = [int(design.unit_count[u]) for u in kept]
    factors = design.factors(result.settings["cluster"])
    return Tallies(
        units=tuple(tuple(sorted(found[u].items())) for u, t in zip(kept, times, strict=True) for _ in range(t)),
        clusters=codes_of(factors, np.repeat(np.array(kept, dtype=np.int64), times)),
        scores=(*design.scores.tolist(), float(max(design.scores.tolist(), default=0.0) + 1)),
    )


def pair_agreement(tally: Tally, w: FloatArray) -> float:
    """Mean weight of the ordered pairs of raters of a unit."""
    m = sum(n for _, n in tally)
    total = sum(a * (b - (c == k)) * w[c, k] for c, a in tally for k, b in tally)
    return float(total) / (m * (m - 1))


def chance_values(units: Sequence[Tally], w: FloatArray, kind: str) -> tuple[float, list[float], float]:
    """Gwet's coefficient or Fleiss' kappa, Gwet's (2014) linearised value of each unit, and agreement by chance."""
    q, n = len(w), len(units)
    times = Counter(units)  # alike units have one value
    kinds, copies = list(times), list(times.values())
    paired = [sum(b for _, b in kind) > 1 for kind in kinds]
    share = [{k: b / sum(x for _, x in kind) for k, b in kind} for kind in kinds]
    pi = [sum(c * s.get(k, 0.0) for s, c in zip(share, copies, strict=True)) / n for k in range(q)]
    own = [pair_agreement(kind, w) if p else 0.0 for kind, p in zip(kinds, paired, strict=True)]
    n_paired = sum(c for p, c in zip(paired, copies, strict=True) if p)
    pa = sum(c * a for a, c in zip(own, copies, strict=True)) / n_paired
    scale = sum(map(sum, w.tolist())) / (q * (q - 1)) if q > 1 else float("nan")
    each = {
        "gwet": [scale * (1 - pi[k]) for k in range(q)],
        "fleiss": [sum(w[k, j] * pi[j] for j in range(q)) for k in range(q)],
    }[kind]
    pe = sum(each[k] * pi[k] for k in range(q))
    value = (pa - pe) / (1 - pe)
    values = {}
    for unit, s, a, p in zip(kinds, share, own, paired, strict=True):
        chance = sum(each[k] * x for k, x in s.items())
        term = n / n_paired * (a - pe if p else 0.0) / (1 - pe)
        values[unit] = term - 2 * (1 - value) * (chance - pe) / (1 - pe)
    return value, [values[unit] for unit in units], pe


def chance_parts(units: Sequence[Tally], w: FloatArray, kind: str) -> Parts:
    """Return what the interval of Gwet's coefficient or Fleiss' kappa is made from."""
    _, values, pe = chance_values(units, w, kind)
    paired = [sum(n for _, n in unit) > 1 for unit in units]
    apart = [1 - pair_agreement(unit, w) if p else 0.0 for unit, p in zip(units, paired, strict=True)]

    return Parts(
        values=lambda: values, apart=np.array(apart), weight=np.array(paired, dtype=float),
        expected=1 - pe,
    )  # fmt: skip


def alpha_parts(units: Sequence[Tally], scale: str, scores: Sequence[float]) -> Parts:
    """Return what the interval of Krippendorff's alpha is made from."""
    x, size = np.array(scores), np.array([float(sum(n for _, n in unit)) for unit in units])
    counts = np.zeros(len(x))
    for unit in units:
        for level, n in unit:
            counts[level] += n
    below, used = np.append(0.0, np.cumsum(counts)), np.flatnonzero(counts)
    far = [float(squared_distance(scale, int(c), int(k), x, below)) for c in used for k in used if k < c]
    apart = [
        2 * sum(a * b * float(squared_distance(scale, c, k, x, below)) for c, a in unit for k, b in unit if k < c)
        / (m * (m - 1)) / max(far)
        for unit, m in zip(units, size.tolist(), strict=True)
    ]  # fmt: skip
    pairs = [(int(c), int(k)) for c in used for k in used if k < c]
    chance = 2 * sum(counts[c] * counts[k] * d for (c, k), d in zip(pairs, far, strict=True))

    return Parts(
        values=lambda: alpha_values(units, scale, scores), apart=np.array(apart), weight=size,
        expected=chance / (counts.sum() * (counts.sum() - 1)) / max(far),
    )  # fmt: skip


def squared_distance(scale: str, high: int, low: Any, x: FloatArray, below: FloatArray) -> Any:
    """Squared distance of a level to lower ones (an index, or an array of them).

    `below` counts the pairable values under each level; its last entry counts all.
    """
    if scale == "nominal":
        return np.ones_like(x[low])
    if scale == "interval":
        return (x[high] - x[low]) ** 2
    if scale == "ratio":
        return ((x[high] - x[low]) / (x[high] + x[low])) ** 2
    ends = (below[low + 1] - below[low] + below[high + 1] - below[high]) / 2
    return (below[high + 1] - below[low] - ends) ** 2


def alpha_of(kinds: Sequence[tuple[Tally, float]], scale: str, scores: Sequence[float]) -> float:
    """Krippendorff's alpha of weighted kinds of units."""
    x = np.array(scores)
    counts = np.zeros(len(x))
    for unit, weight in kinds:
        for c, a in unit:
            counts[c] += weight * a
    below = np.array([0.0, *accumulate(counts.tolist())])
    within = 0.0
    for unit, weight in kinds:
        pairs = sum(a * b * squared_distance(scale, c, k, x, below) for c, a in unit for k, b in unit if k < c)
        within += weight * float(pairs) / (sum(a for _, a in unit) - 1)
    used = np.flatnonzero(counts)
    apart = sum(
        float(counts[c] * (counts[used[:at]] @ squared_distance(scale, c, used[:at], x, below)))
        for at, c in enumerate(used.tolist())
    )
    n = below[-1]
    return float(1 - (n - 1) * within / apart)


def alpha_values(units: Sequence[Tally], scale: str, scores: Sequence[float]) -> list[float]:
    """Linearised value of each unit, by central differences of alpha without its small-sample factor."""
    kinds = Counter(units)
    used = sorted({level for unit in kinds for level, _ in unit})
    x, place = np.array([scores[level] for level in used]), {level: k for k, level in enumerate(used)}
    counts, pairs = np.zeros((len(kinds), len(x))), np.zeros((len(kinds), len(x), len(x)))
    for one, unit in enumerate(kinds):
        counts[one, [place[level] for level, _ in unit]] = [n for _, n in unit]
        pairs[one] = np.tril(np.outer(counts[one], counts[one]), -1) / (counts[one].sum() - 1)
    times, step = np.array(list(kinds.values()), dtype=float), 1e-4
    slopes = {}
    for one, unit in enumerate(kinds):
        moved = step * (np.arange(len(times)) == one)
        ends = [alpha_of_sums((times + sign * moved) @ counts, np.tensordot(times + sign * moved, pairs, 1), scale, x)
                for sign in (1, -1)]  # fmt: skip
        slopes[unit] = (ends[0] - ends[1]) / (2 * step)
    return [len(units) * slopes[unit] for unit in units]


def alpha_of_sums(counts: FloatArray, pairs: FloatArray, scale: str, x: FloatArray) -> float:
    """Alpha from the values of each level, (k,), and their pairs within units, (k, k) below the diagonal."""
    below = np.append(0.0, np.cumsum(counts))
    within = apart = 0.0
    for high in range(1, len(x)):
        far = squared_distance(scale, high, np.arange(high), x, below)
        within += float(pairs[high, :high] @ far)
        apart += float(counts[high] * (counts[:high] @ far))
    return 1 - float(below[-1]) * within / apart


def direct(quantity: str, ours: float | None, theirs: float, tolerance: float, why: str) -> Check:
    """Make a check against direct sums."""
    ok = bool(ours is not None and abs(ours - theirs) <= tolerance)
    return Check(quantity=quantity, ours=ours, theirs=theirs, package=LABEL, version=socialstats.__version__,
                 tolerance=tolerance, ok=ok, why=why)  # fmt: skip


def name_of(row: Row, what: str = "") -> str:
    """Name a quantity of a row."""
    return row.term + (f" of '{row.group}'" if row.group is not None else "") + (f", {what}" if what else "")


def checkable(result: Result) -> list[Row]:
    """Rows with an estimate that was computed (not set to 1 where it does not exist)."""
    return [r for r in result.rows if r.estimate is not None and not (r.undefined or "").startswith("no variation")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the error and the interval of a coefficient are made from, by other code than the library's.

    Attributes
    ----------
    values : callable
        Linearised value of each unit.
    apart, weight : (units,) float64 arrays
        Disagreement within each unit, from 0 to 1, and its weight.
    expected : float
        Disagreement by chance.
    """

    values: Callable[[], list[float]]
    apart: FloatArray
    weight: FloatArray
    expected: float


def error_checks(row: Row, result: Result, units: Tallies, parts: Parts, why: str) -> list[Check]:
    """Compare standard error, df, interval and test of a closed interval with those of direct sums and scipy."""
    if result.settings["ci"] != "closed" or row.estimate is None or row.conf_low is None:
        return []
    level, factors = result.settings["level"], units.clusters
    effective, low, high = disagreement_ends(
        row.estimate, parts.apart, parts.weight, parts.expected, factors, level
    )
    error, df = mean_error(parts.values(), factors)
    out = []
    if row.std_error is not None:
        out.append(direct(name_of(row, "s.e."), row.std_error, error, 1e-6 * max(1.0, error), why))
        out += statistic_checks(row, df=df)
    if row.std_error is None or effective == 0:
        out.append(relative(label(row, "df"), row.df, df))
        return out + end_checks(row, low, high)
    if not factors.shape[1]:
        return out + t_ends(row, level, df, cut=(-math.inf, 1.0))
    ends = fisher_ends(row.estimate, row.std_error, df, level)
    if effective < FEW:
        ends = min(low, ends[0]), max(high, ends[1])
    return out + end_checks(row, *ends)
