"""Bootstraps of alpha, Gwet's coefficients and Fleiss' kappa once more: every resample by sums over its own units."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.crosscheck.agreement_direct import Tallies, Tally, chance_values, name_of, pair_agreement, tallies
from socialstats.crosscheck.bootstrap import (
    RESAMPLED,
    SAMPLE,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.crosscheck.draws import Cells
from socialstats.results import Check, FloatArray, Result, Row

LARGEST = 3_000_000
FEW = SAMPLE // 4
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
        mine, seed, calls = drawn.replicates[:, 0], settings["seed"], FEW if package == "numpy" else SAMPLE
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
