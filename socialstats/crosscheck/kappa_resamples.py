"""Bootstraps of weighted kappa once more: square tables of every resample, scikit-learn and statsmodels on some."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.crosscheck.bootstrap import (
    RESAMPLED,
    SAMPLE,
    Cells,
    Statistic,
    redrawn,
    resampled_checks,
    sampled_check,
)
from socialstats.models.dependence import cluster_factors
from socialstats.models.raters import Patterns, by_stratum, pair_names, patterns
from socialstats.results import Check, FloatArray, Result, Row

LEAST = 1e-12
JOINT = ("mean", "pooled")


def bootstrap_checks(result: Result, scheme: str | None) -> list[Check]:
    """Compute the kappas of every resample from its own tables.

    Parameters
    ----------
    result : Result
    scheme : str or None
        What scikit-learn calls the weights: ``"unweighted"``, ``"linear"``, ``"quadratic"``; None where it has none
        that are the same.
    """
    settings, design = result.settings, result.design
    if settings["ci"] not in RESAMPLED:
        return []
    two = settings["pairs"] if isinstance(settings["pairs"], tuple) else None
    factors, out = cluster_factors(design, settings["cluster"]), []
    for group, among in by_stratum(design, settings["stratum"]):
        rows = {row.term: row for row in result.rows if row.group == group and row.conf_low is not None}
        if rows:
            found = patterns(design, factors, raters=two, refusal=settings["refusal"], among=among)
            out += group_checks(result, rows, found, scheme)
    return out


def group_checks(result: Result, rows: dict[str, Row], found: Patterns, scheme: str | None) -> list[Check]:
    """Compare the intervals of one group of units."""
    settings, names = result.settings, pair_names(found.raters)
    apart = 1 - np.asarray(result.extras["weights"])
    pairs = [Pair(found, a, b, len(apart)) for a, b in names]
    cells = Cells(units=found.units(), count=found.count)
    drawn = redrawn(
        cells, kappas(pairs, apart, found.count), ci=settings["ci"], resamples=settings["resamples"],
        seed=settings["seed"], cost=len(pairs) / 2,
    )  # fmt: skip
    out = []
    for column, term in enumerate((*names.values(), *JOINT)):
        if term in rows:
            out += resampled_checks(rows[term], drawn, settings["ci"], settings["level"], column=column, error=False)
    if drawn is not None and all(row.group is None for row in rows.values()):
        calls = max(1, SAMPLE // len(pairs))
        for column, (pair, term) in enumerate(zip(pairs, names.values(), strict=True)):
            package = "statsmodels" if scheme is None else "scikit-learn"
            peer = statsmodels_kappa(pair, apart) if scheme is None else sklearn_kappa(pair, len(apart), scheme)
            mine, seed = drawn.replicates[:, column], settings["seed"]
            out += sampled_check(term, cells, mine, peer, seed=seed, package=package, calls=calls)
    return out


class Pair:
    """Two raters: the cells that both rated, and the levels there."""

    def __init__(self, found: Patterns, a: int, b: int, levels: int) -> None:
        first, second = found.codes[:, a], found.codes[:, b]
        self.there = np.flatnonzero((first >= 0) & (second >= 0))
        self.x, self.y = first[self.there], second[self.there]
        self.levels = levels

    def table(self, times: FloatArray) -> FloatArray:
        """Square table of the units of a resample."""
        k, cell = self.levels, self.levels * self.x + self.y
        return np.bincount(cell, times[self.there], k * k).reshape(k, k).astype(np.float64)


def kappas(pairs: Sequence[Pair], apart: FloatArray, count: FloatArray) -> Statistic:
    """Return the function from the rows of each cell to the kappa of each pair, their mean and the pooled kappa.

    The mean is that of the pairs which have a kappa, on two units or more, in the sample itself.
    """
    whole = [disagreements(pair.table(count), apart) for pair in pairs]
    used = [n >= 2 and expected > LEAST * n for n, _, expected in whole]

    def statistic(times: FloatArray) -> list[float]:
        parts = [disagreements(pair.table(times), apart) for pair in pairs]
        single = [1 - seen / chance if n and chance > LEAST * n else math.nan for n, seen, chance in parts]
        kept = [kappa for kappa, use in zip(single, used, strict=True) if use and not math.isnan(kappa)]
        total = sum(chance for n, _, chance in parts if n)
        seen = sum(part[1] for part in parts)
        known = total > LEAST * sum(part[0] for part in parts)
        return [*single, sum(kept) / len(kept) if kept else math.nan, 1 - seen / total if known else math.nan]

    return statistic


def disagreements(table: FloatArray, apart: FloatArray) -> tuple[float, float, float]:
    """Units, and how far they are apart in all, seen and by chance."""
    n = float(table.sum())
    chance = float(table.sum(axis=1) @ apart @ table.sum(axis=0)) / n if n else 0.0
    return n, float((table * apart).sum()), chance


def statsmodels_kappa(pair: Pair, apart: FloatArray) -> Statistic:
    """statsmodels' kappa of the units of a resample."""
    from statsmodels.stats.inter_rater import cohens_kappa

    def kappa(times: FloatArray) -> Any:
        with np.errstate(all="ignore"):
            return cohens_kappa(pair.table(times), weights=apart, return_results=False)

    return kappa


def sklearn_kappa(pair: Pair, levels: int, scheme: str) -> Statistic:
    """scikit-learn's kappa of the ratings of a resample."""
    from sklearn.metrics import cohen_kappa_score

    def kappa(times: FloatArray) -> Any:
        n = times[pair.there].astype(np.int64)
        weights = None if scheme == "unweighted" else scheme
        return cohen_kappa_score(
            np.repeat(pair.x, n), np.repeat(pair.y, n), labels=list(range(levels)), weights=weights
        )

    return kappa
