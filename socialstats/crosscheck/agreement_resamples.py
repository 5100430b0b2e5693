"""Bootstraps of alpha, Gwet's coefficients and Fleiss' kappa once more: every resample by sums over its own units."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from socialstats.crosscheck.agreement_direct import Tally, chance_values, pair_agreement
from socialstats.crosscheck.bootstrap import (
    RESAMPLED,
    SAMPLE,
    Cells,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.models.rating_counts import RatingCounts
from socialstats.models.reliability import AgreementOptions, Group, groups_of
from socialstats.resampling import Units
from socialstats.results import Check, FloatArray, Result, Row

LARGEST = 3_000_000
FEW = SAMPLE // 4
LEAST = 1e-12


def bootstrap_checks(result: Result, least: int) -> list[Check]:
    """Compute the coefficient of every resample of the units with at least `least` ratings."""
    settings, term = result.settings, result.rows[0].term
    if settings["ci"] not in RESAMPLED:
        return []
    rows = {row.group: row for row in result.rows if row.term == term and row.std_error is not None}
    options = AgreementOptions(**{f.name: settings[f.name] for f in fields(AgreementOptions)})
    out = []
    for group in groups_of(result.design, options, least=least):
        if group.name in rows:
            out += group_checks(result, rows[group.name], group)
    return out


def group_checks(result: Result, row: Row, group: Group) -> list[Check]:
    """Compare the bootstrap of one group of units."""
    settings, counts = result.settings, group.counts
    units = Units.clusters(*group.clusters) if group.clusters else Units.rows(counts.copies)
    cells, levels = Cells(units=units, count=counts.copies), len(counts.levels)
    if result.metric == "krippendorff_alpha":
        statistic = alpha(counts, settings["scale"])
        package, peer = "krippendorff", krippendorffs(counts, settings["scale"])
    else:
        kind = "gwet" if result.metric == "gwet_ac" else "fleiss"
        statistic = coefficient(counts, result.extras["weights"], kind)
        package, peer = peer_of(counts, result, kind)
    drawn = redrawn(
        cells, statistic, ci=settings["ci"], resamples=settings["resamples"], seed=settings["seed"],
        cost=2 + (levels**2 / 2000 if settings.get("scale", "ratio") == "ratio" else levels / 1000),
    )  # fmt: skip
    out = resampled_checks(row, drawn, settings["ci"], settings["level"], most=1.0)
    if drawn is not None and peer is not None:
        mine, seed, calls = drawn.replicates[:, 0], settings["seed"], FEW if package == "numpy" else SAMPLE
        name = row.term + (f" of '{row.group}'" if row.group is not None else "")
        out += sampled_check(name, cells, mine, peer, seed=seed, package=package, calls=calls)
    return out


def tallies_of(counts: RatingCounts) -> list[Tally]:
    """Levels of each unit with their numbers of raters."""
    found: list[list[tuple[int, int]]] = [[] for _ in counts.size]
    for unit, level, n in zip(counts.unit.tolist(), counts.level.tolist(), counts.n.tolist(), strict=True):
        found[unit].append((level, int(n)))
    return [tuple(unit) for unit in found]


def alpha(counts: RatingCounts, scale: str) -> Statistic:
    """Return the function from the number of each unit to Krippendorff's alpha, by pairs of values within units."""
    pairs = [
        (u, c, k, 2 * a * b / (sum(n for _, n in unit) - 1))
        for u, unit in enumerate(tallies_of(counts))
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


def krippendorffs(counts: RatingCounts, scale: str) -> Statistic | None:
    """The krippendorff package on the units of a resample; None where it would need too much memory."""
    import krippendorff

    if counts.n_units * len(np.unique(counts.level)) ** 2 > LARGEST:
        return None
    table = counts.table().toarray()

    def peer(times: FloatArray) -> Any:
        rows = np.repeat(table, times.astype(np.int64), axis=0)
        here = np.flatnonzero(rows.sum(axis=0))
        domain = counts.scores[here].tolist()
        return krippendorff.alpha(value_counts=rows[:, here], value_domain=domain, level_of_measurement=scale)

    return peer


def coefficient(counts: RatingCounts, w: FloatArray, kind: str) -> Statistic:
    """Return the function from the number of each unit to Gwet's coefficient or Fleiss' kappa."""
    q, paired = len(w), counts.size > 1
    share = counts.n / counts.size[counts.unit]
    own = np.array([pair_agreement(unit, w) if p else 0.0 for unit, p in zip(tallies_of(counts), paired, strict=True)])

    def statistic(times: FloatArray) -> float:
        both = float(times[paired].sum())
        if not both:
            return math.nan
        pi = np.bincount(counts.level, share * times[counts.unit], q) / times.sum()
        chance = float(pi @ w @ pi) if kind == "fleiss" else float(w.sum() * (pi @ (1 - pi))) / (q * (q - 1))
        return (float(times @ own) / both - chance) / (1 - chance) if 1 - chance > LEAST else math.nan

    return statistic


def peer_of(counts: RatingCounts, result: Result, kind: str) -> tuple[str, Statistic]:
    """statsmodels' Fleiss' kappa where it has it; else direct sums over the pairs of ratings of every unit."""
    if kind == "fleiss" and result.settings["weights"] == "unweighted" and np.ptp(counts.size) == 0:
        from statsmodels.stats.inter_rater import fleiss_kappa

        table = counts.table().toarray()
        return "statsmodels", lambda times: fleiss_kappa(np.repeat(table, times.astype(np.int64), axis=0))
    units, w = tallies_of(counts), result.extras["weights"]

    def peer(times: FloatArray) -> float:
        rows = [unit for unit, n in zip(units, times.tolist(), strict=True) for _ in range(int(n))]
        return chance_values(rows, w, kind)[0]

    return "numpy", peer
