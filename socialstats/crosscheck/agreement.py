"""Coefficients of agreement once more: direct sums over pairs of ratings, statsmodels and the krippendorff package.

Units become tallies {level: number of raters}; everything else is loops over these. For Gwet's coefficients no package
for a current Python exists. The krippendorff package is called with float counts (small integers overflow) and the
ascending list of the values that occur (its `value_domain`, whose order it does not check).
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
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import (
    RESAMPLED,
    SAMPLE,
    Cells,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.row_arithmetic import end_checks, label, relative, same_p, statistic_checks, t_ends, tail_p
from socialstats.designs.ratings import Ratings
from socialstats.results import Check, FloatArray, Result, Row, Verification

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
    effective, low, high = disagreement_ends(row.estimate, parts.apart, parts.weight, parts.expected, factors, level)
    error, df = mean_error(parts.values(), factors)
    out = []
    if row.std_error is not None:
        out.append(direct(name_of(row, "s.e."), row.std_error, error, 1e-6 * max(1.0, error), why))
        out += statistic_checks(row, df=df)
    if row.statistic is None and row.df is not None:
        out.append(relative(label(row, "df"), row.df, df))
    if row.std_error is None or effective == 0:
        return out + end_checks(row, low, high)
    if not factors.shape[1]:
        return out + t_ends(row, level, df, cut=(-math.inf, 1.0))
    ends = fisher_ends(row.estimate, row.std_error, df, level)
    if effective < FEW:
        ends = min(low, ends[0]), max(high, ends[1])
    return out + end_checks(row, *ends)


SAME = "the same sums in another order of arithmetic"


def verify_fleiss(result: Result) -> Verification:
    """Recompute kappa of all units and of each stratum, Gwet's standard error, and the z of the null test."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 1)
        w = result.extras["weights"]
        theirs = chance_values(units.units, w, "fleiss")[0]
        checks.append(statsmodels_check(row, result, units))
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        checks += error_checks(row, result, units, chance_parts(units.units, w, "fleiss"), SAME)
    nulls = [row for row in result.rows if row.term == "null test"]
    checks += [null_check(row, result) for row in nulls]
    checks += [same_p("null test, p", r.p_value, tail_p(r.statistic, None)) for r in nulls if r.statistic is not None]
    return Verification(checks=(*checks, *bootstrap_checks(result, 1)))


def statsmodels_check(row: Row, result: Result, units: Tallies) -> Check:
    """Compare with statsmodels' fleiss_kappa, which knows no weights and one number of raters only."""
    sizes = {sum(n for _, n in unit) for unit in units.units}
    note = ""
    if result.settings["weights"] != "unweighted":
        note = "has no weights"
    elif len(sizes) > 1:
        note = f"takes the same number of ratings for every unit; here {min(sizes)} to {max(sizes)}"
    if note:
        return compare(name_of(row), None, None, package="statsmodels", tolerance=0.0, why="", note=note)
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = np.zeros((len(units.units), len(result.extras["levels"])))
    for u, unit in enumerate(units.units):
        for level, n in unit:
            table[u, level] = n
    theirs = float(fleiss_kappa(table, method="fleiss"))
    return compare(name_of(row), row.estimate, theirs, package="statsmodels", tolerance=1e-9, why=SAME)


def null_check(row: Row, result: Result) -> Check:
    """Compute z from the counts of the levels (Fleiss, Nee & Landis 1979), with plain sums."""
    units = tallies(result, result.rows[0], 1).units
    m, n = sum(b for _, b in units[0]), len(units)
    p = [sum(dict(unit).get(k, 0) for unit in units) / (n * m) for k in range(len(result.extras["levels"]))]
    total = sum(x * (1 - x) for x in p)
    variance = 2 / (n * m * (m - 1)) * (total**2 - sum(x * (1 - x) * (1 - 2 * x) for x in p)) / total**2
    value = chance_values(units, result.extras["weights"], "fleiss")[0]
    return direct("null test, z", row.statistic, value / variance**0.5, 1e-8, SAME)


def verify_gwet(result: Result) -> Verification:
    """Recompute the coefficient of all units and of each stratum, and Gwet's standard error."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 1)
        w = result.extras["weights"]
        theirs = chance_values(units.units, w, "gwet")[0]
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        checks += error_checks(row, result, units, chance_parts(units.units, w, "gwet"), SAME)
    return Verification(checks=(*checks, *bootstrap_checks(result, 1)))


LARGEST_TABLE = 20_000_000
MOST_KINDS, MOST_SLOPES = 250, 10_000  # kinds of units, and times levels, whose slopes take a second or two
SLOPES = "central differences of the same sums, error about h^2"


def verify_alpha(result: Result) -> Verification:
    """Recompute alpha of all units and of each stratum, and the linearised standard error."""
    checks: list[Check] = []
    for row in checkable(result):
        units = tallies(result, row, 2)
        checks.append(krippendorff_check(row, result, units))
        theirs = alpha_of(list(Counter(units.units).items()), result.settings["scale"], units.scores)
        checks.append(direct(name_of(row), row.estimate, theirs, 1e-9, SAME))
        kinds = set(units.units)
        used = {level for unit in kinds for level, _ in unit}
        if len(kinds) <= MOST_KINDS and len(kinds) * len(used) <= MOST_SLOPES:
            checks += error_checks(
                row, result, units, alpha_parts(units.units, result.settings["scale"], units.scores), SLOPES
            )
    return Verification(checks=(*checks, *bootstrap_checks(result, 2)))


def krippendorff_check(row: Row, result: Result, units: Tallies) -> Check:
    """Compare with krippendorff.alpha."""
    import krippendorff

    used = sorted({level for unit in units.units for level, _ in unit})
    if len(units.units) * len(used) ** 2 > LARGEST_TABLE:
        note = f"needs {len(units.units):,} x {len(used):,} x {len(used):,} numbers at once: see {LABEL}"
        return compare(name_of(row), None, None, package="krippendorff", tolerance=0.0, why="", note=note)
    place = {level: j for j, level in enumerate(used)}
    counts = np.zeros((len(units.units), len(used)))
    for u, unit in enumerate(units.units):
        for level, n in unit:
            counts[u, place[level]] = n
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=[units.scores[level] for level in used],
        level_of_measurement=result.settings["scale"],
    )  # fmt: skip
    return compare(name_of(row), row.estimate, float(theirs), package="krippendorff", tolerance=1e-9, why=SAME)


LARGEST = 3_000_000
FEW_CALLS = SAMPLE // 4
LEAST = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """How many raters gave each unit each level.

    Attributes
    ----------
    tallies : list of ((level, n), ...)
        One a unit.
    unit, level, n : (triplets,) arrays
    size : (units,) float64 array
        Ratings.
    scores : (levels,) float64 array
    """

    tallies: list[Tally]
    unit: Any
    level: Any
    n: FloatArray
    size: FloatArray
    scores: FloatArray

    @classmethod
    def of(cls, units: list[Tally], scores: Any) -> Counts:
        """Write tallies as triplets."""
        unit, level, n = np.array([(u, c, k) for u, own in enumerate(units) for c, k in own], dtype=np.int64).T
        size = np.bincount(unit, n, len(units)).astype(np.float64)
        return cls(tallies=units, unit=unit, level=level, n=n.astype(float), size=size, scores=np.array(scores))

    @property
    def table(self) -> FloatArray:
        """Counts as a (units, levels) array."""
        out = np.zeros((len(self.size), len(self.scores)))
        out[self.unit, self.level] = self.n
        return out


def bootstrap_checks(result: Result, least: int) -> list[Check]:
    """Compute the coefficient of every resample of the units with at least `least` ratings."""
    if result.settings["ci"] not in RESAMPLED:
        return []
    rows = [row for row in result.rows if row.term == result.rows[0].term and row.std_error is not None]
    return [check for row in rows for check in row_checks(result, row, tallies(result, row, least))]


def row_checks(result: Result, row: Row, found: Tallies) -> list[Check]:
    """Compare the bootstrap of one group of units; without clusters alike units are one cell, in order of the first."""
    settings = result.settings
    if found.clusters.shape[1]:
        counts = Counts.of(list(found.units), found.scores)
        cells = Cells.of(np.ones(len(found.units)), found.clusters.T)
    else:
        kinds = Counter(found.units)
        counts, cells = Counts.of(list(kinds), found.scores), Cells.of(np.array(list(kinds.values())))
    if result.metric == "krippendorff_alpha":
        statistic, levels = alpha(counts, settings["scale"]), len(found.scores)
        package, peer = "krippendorff", krippendorffs(counts, settings["scale"])
    else:
        kind, levels = "gwet" if result.metric == "gwet_ac" else "fleiss", len(result.extras["weights"])
        statistic = coefficient(counts, result.extras["weights"], kind)
        package, peer = peer_of(counts, result, kind)
    drawn = redrawn(
        cells, statistic, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"],
        cost=2 + (levels**2 / 2000 if settings.get("scale", "ratio") == "ratio" else levels / 1000),
    )  # fmt: skip
    out = resampled_checks(row, drawn, settings["ci"], settings["level"], most=1.0)
    if drawn is not None and peer is not None:
        mine, seed, calls = drawn.replicates[:, 0], settings["seed"], FEW_CALLS if package == "numpy" else SAMPLE
        out += sampled_check(name_of(row), cells, mine, peer, seed=seed, package=package, calls=calls)
    return out


def alpha(counts: Counts, scale: str) -> Statistic:
    """Return the function from the number of each unit to Krippendorff's alpha, by pairs of values within units."""
    pairs = [
        (u, c, k, 2 * a * b / (sum(n for _, n in unit) - 1))
        for u, unit in enumerate(counts.tallies)
        for c, a in unit
        for k, b in unit
        if c < k
    ]
    unit, low, high = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in range(3))
    share, x = np.array([pair[3] for pair in pairs]), counts.scores
    within = np.array([((x[k] - x[c]) / (x[k] + x[c])) ** 2 for _, c, k, _ in pairs]) if scale == "ratio" else None

    def statistic(times: FloatArray) -> float:
        margins = np.bincount(counts.level, counts.n * times[counts.unit], len(x)).astype(np.float64)
        weight = share * times[unit]
        if np.count_nonzero(margins) < 2:
            return math.nan
        n = float(margins.sum())
        if scale == "nominal":
            seen, chance = float(weight.sum()), n**2 - float(margins @ margins)
        elif within is not None:
            seen, chance = float(weight @ within), far_apart(margins, x)
        else:
            at = np.cumsum(margins) - margins / 2 if scale == "ordinal" else x
            seen = float(weight @ (at[high] - at[low]) ** 2)
            chance = 2 * n * float(margins @ (at - margins @ at / n) ** 2)
        return 1 - (n - 1) * seen / chance

    return statistic


def far_apart(margins: FloatArray, x: FloatArray) -> float:
    """Sum over pairs of values of their squared ratio distance."""
    used = np.flatnonzero(margins)
    values = x[used]
    total = np.add.outer(values, values)
    apart = np.subtract.outer(values, values) / np.where(total > 0, total, 1.0)
    return float(margins[used] @ apart**2 @ margins[used])


def krippendorffs(counts: Counts, scale: str) -> Statistic | None:
    """The krippendorff package on the units of a resample; None where it would need too much memory."""
    import krippendorff

    if len(counts.size) * len(np.unique(counts.level)) ** 2 > LARGEST:
        return None
    table = counts.table

    def peer(times: FloatArray) -> Any:
        rows = np.repeat(table, times.astype(np.int64), axis=0)
        here = np.flatnonzero(rows.sum(axis=0))
        domain = counts.scores[here].tolist()
        return krippendorff.alpha(value_counts=rows[:, here], value_domain=domain, level_of_measurement=scale)

    return peer


def coefficient(counts: Counts, w: FloatArray, kind: str) -> Statistic:
    """Return the function from the number of each unit to Gwet's coefficient or Fleiss' kappa."""
    q, paired = len(w), counts.size > 1
    share = counts.n / counts.size[counts.unit]
    own = np.array([pair_agreement(unit, w) if p else 0.0 for unit, p in zip(counts.tallies, paired, strict=True)])

    def statistic(times: FloatArray) -> float:
        both = float(times[paired].sum())
        if not both:
            return math.nan
        pi = np.bincount(counts.level, share * times[counts.unit], q) / times.sum()
        chance = float(pi @ w @ pi) if kind == "fleiss" else float(w.sum() * (pi @ (1 - pi))) / (q * (q - 1))
        return (float(times @ own) / both - chance) / (1 - chance) if 1 - chance > LEAST else math.nan

    return statistic


def peer_of(counts: Counts, result: Result, kind: str) -> tuple[str, Statistic]:
    """statsmodels' Fleiss' kappa where it has it; else direct sums over the pairs of ratings of every unit."""
    if kind == "fleiss" and result.settings["weights"] == "unweighted" and np.ptp(counts.size) == 0:
        from statsmodels.stats.inter_rater import fleiss_kappa

        table = counts.table
        return "statsmodels", lambda times: fleiss_kappa(np.repeat(table, times.astype(np.int64), axis=0))
    units, w = counts.tallies, result.extras["weights"]

    def peer(times: FloatArray) -> float:
        rows = [unit for unit, n in zip(units, times.tolist(), strict=True) for _ in range(int(n))]
        return chance_values(rows, w, kind)[0]

    return "numpy", peer
