"""Coefficients of agreement recomputed: direct sums over pairs of ratings, statsmodels and the krippendorff package.

Units become tallies of the raters who gave each level; alike units are one cell, unless they are in clusters. For
Gwet's coefficients no package for a current Python exists. The krippendorff package is called with float counts, as
small integers overflow. It also gets the ascending list of the values that occur (its `value_domain`, whose order it
does not check).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import socialstats
from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import (
    FEW,
    codes_of,
    disagreement_ends,
    fisher_ends,
    mean_error,
)
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.resamples import (
    RESAMPLED,
    Cells,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    label,
    relative,
    same_p,
    statistic_checks,
    t_ends,
    tail_p,
)
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

LABEL = "direct sums"
SAME = "the same sums in another order of arithmetic"
SLOPES = "central differences of the same sums, error about h^2"
MOST_KINDS, MOST_SLOPES = (
    250,
    10_000,
)  # kinds of units, and times levels, whose slopes take a second or two
LARGEST, LARGEST_OF_RESAMPLES = (
    20_000_000,
    3_000_000,
)  # numbers that the krippendorff package holds at once
LEAST, STEP = 1e-12, 1e-4
Tally = tuple[tuple[int, int], ...]
ALPHA = "krippendorff_alpha"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """How many raters gave the units of each cell each level.

    Attributes
    ----------
    tallies : list of ((level, number of raters), ...)
        One a cell, levels ascending.
    unit, level, n : (triplets,) arrays
        The same as triplets.
    copies : (cells,) float64 array
        Alike units; 1 where there are clusters.
    clusters : (cells, factors) int array
    scores : (levels,) float64 array
    """

    tallies: list[Tally]
    unit: Any
    level: Any
    n: FloatArray
    copies: FloatArray
    clusters: Any
    scores: FloatArray

    @property
    def size(self) -> FloatArray:
        """Ratings of a unit of each cell."""
        return np.bincount(self.unit, self.n, len(self.copies)).astype(np.float64)

    def table(self, times: FloatArray) -> FloatArray:
        """Return the counts of units taken so many times, one row per unit."""
        out = np.zeros((len(self.copies), len(self.scores)))
        out[self.unit, self.level] = self.n
        return np.repeat(out, times.astype(np.int64), axis=0)


def counts_of(result: Result, row: Row, least: int) -> Counts:
    """Tally the units of a row that have at least `least` ratings."""
    design: Ratings = result.design
    if row.group is not None:
        design = design.split_units(result.settings["stratum"])[row.group]
    levels, refused = len(design.levels), result.settings["refusal"] == "level"
    found: list[Counter[int]] = [Counter() for _ in design.units]
    for unit, value, status in zip(
        design.unit.tolist(), design.value.tolist(), design.status.tolist(), strict=True
    ):
        if status == OK or (status == REFUSAL and refused):
            found[unit][value if status == OK else levels] += 1
    kept = [
        u
        for u, tally in enumerate(found)
        if tally.total() >= least
        for _ in range(int(design.unit_count[u]))
    ]
    tallies, copies = [tuple(sorted(found[u].items())) for u in kept], [1] * len(kept)
    clusters = codes_of(design.factors(result.settings["cluster"]), np.array(kept, dtype=np.int64))
    if not clusters.shape[1]:
        kinds = Counter(tallies)
        tallies, copies, clusters = list(kinds), list(kinds.values()), clusters[: len(kinds)]
    unit, level, n = np.array(
        [(u, c, k) for u, own in enumerate(tallies) for c, k in own], dtype=np.int64
    ).T
    return Counts(
        tallies=tallies,
        unit=unit,
        level=level,
        n=n.astype(float),
        copies=np.array(copies, dtype=float),
        clusters=clusters,
        scores=np.append(design.scores, design.scores.max(initial=0.0) + 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A coefficient 1 - (mean of `apart` weighed by `weight`) / `expected`, and the linearised value of each cell."""

    value: float
    values: Callable[[], Any]
    apart: FloatArray
    weight: FloatArray
    expected: float


def pair_agreement(tally: Tally, w: FloatArray) -> float:
    """Mean weight of the ordered pairs of raters of a unit; 0 of a single rater."""
    m = sum(n for _, n in tally)
    total = sum(a * (b - (c == k)) * w[c, k] for c, a in tally for k, b in tally)
    return float(total) / (m * (m - 1)) if m > 1 else 0.0


def chance_parts(counts: Counts, w: FloatArray, kind: str) -> Callable[[FloatArray], Parts]:
    """Return the function from the units of each cell to Fleiss' kappa or Gwet's coefficient, as Gwet (2014) has it."""
    q, paired, unit = len(w), counts.size > 1, counts.unit
    own = np.array([pair_agreement(tally, w) for tally in counts.tallies])
    share = counts.n / counts.size[unit]

    def parts(times: FloatArray) -> Parts:
        n, both = times.sum(), times[paired].sum()
        pi = np.bincount(counts.level, share * times[unit], q) / n
        each = w @ pi if kind == "fleiss_kappa" else w.sum() * (1 - pi) / (q * (q - 1))
        pe = each @ pi
        value = (times @ own / both - pe) / (1 - pe) if 1 - pe > LEAST else math.nan

        def values() -> Any:
            chance = np.bincount(unit, share * each[counts.level], len(own))
            return (n / both * (own - pe * paired) - 2 * (1 - value) * (chance - pe)) / (1 - pe)

        return Parts(
            value=float(value),
            values=values,
            apart=paired - own,
            weight=paired.astype(np.float64),
            expected=1 - pe,
        )

    return parts


def alpha_parts(counts: Counts, scale: str) -> Callable[[FloatArray], Parts]:
    """Return the function from the units of each cell to Krippendorff's alpha, by pairs of values within units."""
    x, size = counts.scores, counts.size
    pairs = [
        (u, c, k, 2 * a * b / (size[u] - 1))
        for u, tally in enumerate(counts.tallies)
        for c, a in tally
        for k, b in tally
        if c < k
    ]
    unit, low, high = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in range(3))
    share = np.array([pair[3] for pair in pairs])

    def distance(a: Any, b: Any) -> Any:
        if scale == "nominal":
            return np.ones(np.broadcast_shapes(np.shape(a), np.shape(b)))
        return ((a - b) / np.where(a + b > 0, a + b, 1.0) if scale == "ratio" else a - b) ** 2

    def sums(times: FloatArray) -> tuple[FloatArray, float, float, FloatArray]:
        margins = np.bincount(counts.level, counts.n * times[counts.unit], len(x)).astype(
            np.float64
        )
        at = np.cumsum(margins) - margins / 2 if scale == "ordinal" else x
        used, n = np.flatnonzero(margins), float(margins.sum())
        far, m = distance(at[high], at[low]), margins[used]
        if scale == "nominal":
            chance = n**2 - float(m @ m)
        elif scale == "ratio":
            chance = float(m @ distance(at[used, None], at[None, used]) @ m)
        else:
            off = at[used] - at[used].min()  # exact where levels differ by rounding alone
            chance = 2 * n * float(m @ (off - m @ off / n) ** 2)
        return far, chance if len(used) > 1 and chance > 0 else math.nan, n, at[used]

    def linear(times: FloatArray) -> float:
        far, chance, n, _ = sums(times)
        return 1 - n * float(share * times[unit] @ far) / chance

    def parts(times: FloatArray) -> Parts:
        far, chance, n, at = sums(times)

        def values() -> Any:  # identical units one by one
            first: dict[Tally, float] = {}
            for u, tally in enumerate(counts.tallies):
                if tally not in first:
                    step = STEP * (np.arange(len(times)) == u)
                    first[tally] = (linear(times + step) - linear(times - step)) / (2 * STEP)
            return times.sum() * np.array([first[tally] for tally in counts.tallies])

        farthest = (
            float(distance(at.max(), at.min())) or math.nan
        )  # NaN in a resample of a single value
        return Parts(
            value=1 - (n - 1) * float(share * times[unit] @ far) / chance,
            values=values,
            weight=size,
            apart=np.bincount(unit, share * far, len(size)) / size / farthest,
            expected=chance / (n * (n - 1)) / farthest,
        )

    return parts


def direct(quantity: str, ours: float | None, theirs: float, tolerance: float, why: str) -> Check:
    """Make a check against direct sums."""
    ok = bool(ours is not None and abs(ours - theirs) <= tolerance)
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=theirs,
        package=LABEL,
        version=socialstats.__version__,
        tolerance=tolerance,
        ok=ok,
        why=why,
    )


def name_of(row: Row, what: str = "") -> str:
    """Name a quantity of a row."""
    return (
        row.term
        + (f" of '{row.group}'" if row.group is not None else "")
        + (f", {what}" if what else "")
    )


def verify(result: Result) -> Verification:
    """Recompute Fleiss' kappa, Gwet's coefficient or alpha of all units and each stratum, errors, intervals, tests."""
    settings, checks, resampled = result.settings, [], []
    for row in result.rows:
        if row.estimate is None or row.reason == "no_variation":
            continue
        counts = counts_of(result, row, 2 if result.metric == ALPHA else 1)
        if result.metric == ALPHA:
            parts, why = alpha_parts(counts, settings["scale"]), SLOPES
            kinds, used = len(set(counts.tallies)), len(np.unique(counts.level))
            known = kinds <= MOST_KINDS and kinds * used <= MOST_SLOPES
        else:
            parts, why, known = (
                chance_parts(counts, result.extras["weights"], result.metric),
                SAME,
                True,
            )
        checks += peer_checks(row, result, counts)
        checks.append(direct(name_of(row), row.estimate, parts(counts.copies).value, 1e-9, SAME))
        checks += error_checks(row, result, counts, parts(counts.copies), why) if known else []
        if settings["ci"] in RESAMPLED and row.std_error is not None:
            resampled += bootstrap_checks(row, result, counts, parts)
    nulls = [row for row in result.rows if row.role == "test"]
    checks += [null_check(row, result) for row in nulls]
    checks += [
        same_p("null test, p", r.p_value, tail_p(r.statistic, None))
        for r in nulls
        if r.statistic is not None
    ]
    return Verification(checks=(*checks, *resampled))


def lowest(result: Result, counts: Counts) -> float:
    """Return what a coefficient cannot be below: alpha is 1 - m / (m - 1) or more, m the fewest ratings of a unit."""
    m = float(counts.size.min())
    return 1 - m / (m - 1) if result.metric == ALPHA else -math.inf


def error_checks(row: Row, result: Result, counts: Counts, parts: Parts, why: str) -> list[Check]:
    """Compare standard error, df, interval and test of a closed interval with those of direct sums and scipy."""
    if result.settings["ci"] != "closed" or row.estimate is None or row.conf_low is None:
        return []
    level, times = result.settings["level"], counts.copies.astype(np.int64)
    apart, weight, values = (
        np.repeat(x, times) for x in (parts.apart, parts.weight, parts.values())
    )
    factors = np.repeat(counts.clusters, times, axis=0)
    effective, low, high = disagreement_ends(
        row.estimate, apart, weight, parts.expected, factors, level
    )
    error, df = mean_error(values, factors)
    out = []
    if row.std_error is not None:
        out.append(direct(name_of(row, "s.e."), row.std_error, error, 1e-6 * max(1.0, error), why))
        out += statistic_checks(row, df=df)
    if row.statistic is None and row.df is not None:
        out.append(relative(label(row, "df"), row.df, df))
    least = lowest(result, counts)
    if row.std_error is None or effective == 0:
        return out + end_checks(
            row, max(low, least), high, least=1.0
        )  # a coefficient is 1 less a ratio, with the rounding of 1
    if not factors.shape[1]:
        return out + t_ends(row, level, df, cut=(least, 1.0))
    ends = fisher_ends(row.estimate, row.std_error, df, level)
    if effective < FEW:
        ends = min(low, ends[0]), max(high, ends[1])
    return out + end_checks(row, max(ends[0], least), ends[1], least=1.0)


def peer_of(result: Result, counts: Counts, largest: int) -> tuple[str, Statistic | str]:
    """Return a package, and its coefficient of units taken so many times, or what it lacks; no name for none at all."""
    if result.metric == ALPHA:
        units, used = int(counts.copies.sum()), len(np.unique(counts.level))
        if units * used**2 > largest:
            return (
                "krippendorff",
                f"needs {units:,} x {used:,} x {used:,} numbers at once: see {LABEL}",
            )

        def alpha(times: FloatArray) -> Any:
            table = counts.table(times)
            here = np.flatnonzero(table.sum(axis=0))
            return load_peer("krippendorff", "alpha")(
                value_counts=table[:, here],
                value_domain=counts.scores[here].tolist(),
                level_of_measurement=result.settings["scale"],
            )

        return "krippendorff", alpha
    if result.metric != "fleiss_kappa":
        return "", ""
    if result.settings["weights"] != "unweighted":
        return "statsmodels", "has no weights"
    if np.ptp(counts.size):
        sizes = f"{counts.size.min():g} to {counts.size.max():g}"
        return "statsmodels", f"takes the same number of ratings for every unit; here {sizes}"
    fleiss_kappa = load_peer("statsmodels.stats.inter_rater", "fleiss_kappa")

    return "statsmodels", lambda times: fleiss_kappa(counts.table(times), method="fleiss")


def peer_checks(row: Row, result: Result, counts: Counts) -> list[Check]:
    """Compare with statsmodels' fleiss_kappa, or with krippendorff's alpha."""
    package, peer = peer_of(result, counts, LARGEST)
    if not package:
        return []
    if isinstance(peer, str):
        return [
            compare(name_of(row), None, None, package=package, tolerance=0.0, why="", note=peer)
        ]
    theirs = float(peer(counts.copies))
    return [compare(name_of(row), row.estimate, theirs, package=package, tolerance=1e-9, why=SAME)]


def null_check(row: Row, result: Result) -> Check:
    """Compute z from the counts of the levels (Fleiss, Nee & Landis 1979), with plain sums."""
    counts = counts_of(result, result.rows[0], 1)
    m, n = counts.size[0], counts.copies.sum()
    p = np.bincount(counts.level, counts.n * counts.copies[counts.unit]) / (n * m)
    total = sum(x * (1 - x) for x in p)
    variance = (
        2 / (n * m * (m - 1)) * (total**2 - sum(x * (1 - x) * (1 - 2 * x) for x in p)) / total**2
    )
    value = chance_parts(counts, result.extras["weights"], "fleiss_kappa")(counts.copies).value
    return direct("null test, z", row.statistic, value / variance**0.5, 1e-8, SAME)


def bootstrap_checks(
    row: Row, result: Result, counts: Counts, parts: Callable[[FloatArray], Parts]
) -> list[Check]:
    """Compute the coefficient of every resample of the units of a row; without clusters alike units are one cell."""
    settings, alpha = result.settings, result.metric == ALPHA
    levels = len(counts.scores if alpha else result.extras["weights"])
    cells = Cells.of(counts.copies, counts.clusters.T)
    cost = 2 + (levels**2 / 2000 if settings.get("scale", "ratio") == "ratio" else levels / 1000)
    drawn = redrawn(
        cells,
        lambda times: parts(times).value,
        ci=settings["ci"],
        resamples=settings["resamples"],
        seed=settings["seed"],
        cost=cost,
    )
    least = lowest(result, counts)
    out = resampled_checks(row, drawn, settings["ci"], settings["level"], least=least, most=1.0)
    package, peer = peer_of(result, counts, LARGEST_OF_RESAMPLES)
    if drawn is not None and package and not isinstance(peer, str):
        mine = drawn.replicates[:, 0]
        out += sampled_check(
            name_of(row), cells, mine, peer, seed=settings["seed"], package=package
        )
    return out
