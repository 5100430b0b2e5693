"""Coefficients of agreement by plain sums over pairs of ratings: nothing of the library's own arithmetic enters.

Units become tallies {level: number of raters}; everything else is loops over these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

import socialstats
from socialstats.crosscheck.long import compare
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
    clusters : tuple of tuples, one a factor
        Cluster of each unit.
    scores : tuple of float
        Of the levels.
    """

    units: tuple[Tally, ...]
    clusters: tuple[tuple[int, ...], ...]
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
    codes = [factor.codes.tolist() for factor in design.factors(result.settings["cluster"])]
    return Tallies(
        units=tuple(tuple(sorted(found[u].items())) for u, t in zip(kept, times, strict=True) for _ in range(t)),
        clusters=tuple(tuple(code[u] for u, t in zip(kept, times, strict=True) for _ in range(t)) for code in codes),
        scores=(*design.scores.tolist(), float(max(design.scores.tolist(), default=0.0) + 1)),
    )


def pair_agreement(tally: Tally, w: FloatArray) -> float:
    """Mean weight of the ordered pairs of raters of a unit."""
    m = sum(n for _, n in tally)
    total = sum(a * (b - (c == k)) * w[c, k] for c, a in tally for k, b in tally)
    return float(total) / (m * (m - 1))


def chance_values(units: Sequence[Tally], w: FloatArray, kind: str) -> tuple[float, list[float]]:
    """Gwet's coefficient or Fleiss' kappa, and Gwet's (2014) linearised value of each unit."""
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
    return value, [values[unit] for unit in units]


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


def error_of_mean(values: Iterable[float], clusters: Sequence[Sequence[int]]) -> float:
    """Standard error of a mean: independent values, clusters, or two crossed factors (V1 + V2 - V12)."""
    x = list(values)
    n, mean = len(x), sum(x) / len(x)
    if not clusters:
        return float((sum((v - mean) ** 2 for v in x) / (n * (n - 1))) ** 0.5)

    def variance(names: Iterable[object]) -> float:
        sums: Counter[object] = Counter()
        for name, v in zip(names, x, strict=True):
            sums[name] += v - mean  # type: ignore[assignment]
        return len(sums) / (len(sums) - 1) * sum(s**2 for s in sums.values()) / n**2

    parts = [variance(c) for c in clusters]
    if len(parts) == 1:
        return float(parts[0] ** 0.5)
    both = variance(zip(*clusters, strict=True))
    return float(max(*parts, parts[0] + parts[1] - both) ** 0.5)


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


def error_check(row: Row, result: Result, units: Tallies, values: Callable[[], list[float]], why: str) -> list[Check]:
    """Compare the linearised standard error, where the interval uses it, and interval and test with scipy's t."""
    if result.settings["ci"] != "closed" or row.std_error is None:
        return []
    theirs = error_of_mean(values(), units.clusters)
    error = direct(name_of(row, "s.e."), row.std_error, theirs, 1e-6 * max(1.0, theirs), why)
    return [error, *t_checks(row, result, units)]


def t_checks(row: Row, result: Result, units: Tallies) -> list[Check]:
    """Compare degrees of freedom, ends, t and p of a row with those of its (checked) estimate and error."""
    from scipy.stats import t

    if row.estimate is None or row.std_error is None:
        return []
    df = min((len(set(codes)) for codes in units.clusters), default=len(units.units)) - 1
    low, high = t.interval(result.settings["level"], df, loc=row.estimate, scale=row.std_error)
    value = row.estimate / row.std_error
    found = {
        "df": (row.df, df), "low end": (row.conf_low, low), "high end": (row.conf_high, min(1.0, high)),
        "t": (row.statistic, value), "p": (row.p_value, 2 * t.sf(abs(value), df)),
    }  # fmt: skip
    return [
        compare(
            name_of(row, what), ours, float(theirs), package="scipy", tolerance=1e-8 * abs(float(theirs)) + 1e-300,
            why="t of the estimate and its error",
        )
        for what, (ours, theirs) in found.items()
    ]  # fmt: skip
