"""Bootstraps of weighted kappa once more: square tables of every resample, scikit-learn and statsmodels on some."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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

LEAST = 1e-12
JOINT = ("mean", "pooled")
Places = tuple[Any, Any]


def bootstrap_checks(result: Result, scheme: str | None, pairs: Mapping[str, tuple[int, int]]) -> list[Check]:
    """Compute the kappas of every resample from its own tables.

    Parameters
    ----------
    result : Result
    scheme : str or None
        What scikit-learn calls the weights: ``"unweighted"``, ``"linear"``, ``"quadratic"``; None where it has none
        that are the same.
    pairs : mapping of str to pair of int
        Raters of each pair, by the term of its row.
    """
    settings, design = result.settings, result.design
    if settings["ci"] not in RESAMPLED:
        return []
    codes = np.full((len(design.units), len(design.raters)), -1)
    level = np.where(design.status == 2, len(design.levels), design.value)
    given = (design.status == 0) | ((design.status == 2) & (settings["refusal"] == "level"))
    codes[design.unit[given], design.rater[given]] = level[given]
    clusters = [factor.codes for factor in design.factors(settings["cluster"])]
    out, stratum = [], settings["stratum"]
    for group in dict.fromkeys(row.group for row in result.rows):
        rows = {row.term: row for row in result.rows if row.group == group and row.conf_low is not None}
        among = np.ones(len(codes), dtype=bool)
        if group is not None:
            factor = design.strata[stratum] if stratum in design.strata else design.factors(stratum)[0]
            among = np.asarray(factor.codes == factor.levels.index(group))
        if rows:
            out += group_checks(result, rows, alike(codes, clusters, pairs, among, design.unit_count), scheme, pairs)
    return out


Alike = tuple[Any, Cells]


def alike(
    codes: Any, clusters: Sequence[Any], pairs: Mapping[str, tuple[int, int]], among: Any, count: FloatArray
) -> Alike:
    """Return the distinct rows of levels (-1: none), ascending by cluster and by rater, and the cells they are."""
    raters = list(dict.fromkeys(rater for pair in pairs.values() for rater in pair))
    kept = among & ((codes[:, raters] >= 0).sum(axis=1) >= 2)
    keys = np.column_stack([*clusters, codes[:, raters]])[kept]
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    k = len(clusters)
    wide = np.full((len(distinct), codes.shape[1]), -1)
    wide[:, raters] = distinct[:, k:]
    return wide, Cells.of(np.bincount(place.ravel(), count[kept]), distinct[:, :k].T)


def group_checks(
    result: Result, rows: dict[str, Row], found: Alike, scheme: str | None, names: Mapping[str, tuple[int, int]]
) -> list[Check]:
    """Compare the intervals of one group of units."""
    settings, (wide, cells) = result.settings, found
    apart = 1 - np.asarray(result.extras["weights"])
    pairs = [Pair(wide, a, b, len(apart)) for a, b in names.values()]
    drawn = redrawn(
        cells, kappas(pairs, apart, cells.count), ci=settings["ci"], resamples=settings["resamples"],
        seed=settings["seed"], cost=len(pairs) * (1 + len(apart) ** 2 / 2000),
    )  # fmt: skip
    out = []
    for column, term in enumerate((*names, *JOINT)):
        if term in rows:
            out += resampled_checks(rows[term], drawn, settings["ci"], settings["level"], column=column)
    if drawn is not None and all(row.group is None for row in rows.values()):
        calls = max(1, SAMPLE // len(pairs))
        for column, (pair, term) in enumerate(zip(pairs, names, strict=True)):
            package = "statsmodels" if scheme is None else "scikit-learn"
            peer = statsmodels_kappa(pair, apart) if scheme is None else sklearn_kappa(pair, len(apart), scheme)
            mine, seed = drawn.replicates[:, column], settings["seed"]
            out += sampled_check(term, cells, mine, peer, seed=seed, package=package, calls=calls)
    return out


class Pair:
    """Two raters: the cells that both rated, and the levels there."""

    def __init__(self, wide: Any, a: int, b: int, levels: int) -> None:
        first, second = wide[:, a], wide[:, b]
        self.there = np.flatnonzero((first >= 0) & (second >= 0))
        self.x, self.y = first[self.there], second[self.there]
        self.levels = levels

    def table(self, times: FloatArray) -> FloatArray:
        """Square table of the units of a resample."""
        table: FloatArray = tables_of([self], times)[0]
        return table


def tables_of(pairs: Sequence[Pair], times: FloatArray, place: Places | None = None) -> FloatArray:
    """Square tables of the units of a resample, (pairs, levels, levels)."""
    k = pairs[0].levels
    there, cell = places_of(pairs) if place is None else place
    flat: FloatArray = np.bincount(cell, times[there], len(pairs) * k * k).astype(np.float64)
    return flat.reshape(len(pairs), k, k)


def places_of(pairs: Sequence[Pair]) -> Places:
    """Return the cells of all pairs of raters one after the other, and their place in the flattened tables."""
    k = pairs[0].levels
    place = [p * k * k + k * pair.x + pair.y for p, pair in enumerate(pairs)]
    return np.concatenate([pair.there for pair in pairs]), np.concatenate(place)


def kappas(pairs: Sequence[Pair], apart: FloatArray, count: FloatArray) -> Statistic:
    """Return the function from the rows of each cell to the kappa of each pair, their mean and the pooled kappa.

    The mean is that of the pairs which have a kappa, on two units or more, in the sample itself.
    """
    place = places_of(pairs)
    whole, _, expected = disagreements(tables_of(pairs, count, place), apart)
    used = (whole >= 2) & (expected > LEAST * whole)

    def statistic(times: FloatArray) -> list[float]:
        n, seen, chance = disagreements(tables_of(pairs, times, place), apart)
        known = chance > LEAST * n
        single = np.where(known, 1 - seen / np.where(known, chance, 1.0), np.nan)
        kept = single[used & known]
        joint = float(chance.sum()) > LEAST * float(n.sum())
        pooled = 1 - float(seen.sum()) / float(chance.sum()) if joint else math.nan
        return [*single.tolist(), float(kept.mean()) if len(kept) else math.nan, pooled]

    return statistic


def disagreements(tables: FloatArray, apart: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Units of each table, and how far they are apart in all, seen and by chance, each (pairs,)."""
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    n = rows.sum(axis=1)
    chance = ((rows @ apart) * columns).sum(axis=1) / np.maximum(n, 1.0)
    return n, (tables * apart).sum(axis=(1, 2)), chance


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
