"""Rows of changes: by how much each source's shares move from a base stratum to the others, cluster by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.rows import with_mean
from socialstats.metrics.choice_shares.rows import adjusted
from socialstats.models.hotelling import hotelling
from socialstats.models.source_counts import Cells, SourceCounts, free_label
from socialstats.resampling.sign_flip import sign_flip
from socialstats.results import Row
from socialstats.text import quoted, shorten

TESTED = "t over clusters; p by flipping the signs of whole clusters"
JOINT = "Hotelling's T-squared of all levels"
FLIPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changes:
    """Changes of shares of one source (or of two sources' difference) from the base to one stratum.

    Attributes
    ----------
    group : str
    values : (clusters, levels) float64 array
        Of the clusters that have ratings in both strata.
    ratings : float
    reach : float
        Largest size that a change can have: 1, or 2 for a difference of changes.
    """

    group: str
    values: FloatArray
    ratings: float
    reach: float = 1.0


def change_rows(
    data: SourceCounts, cells: Cells, codes: tuple[IntArray, ...], first: int, settings: dict[str, Any]
) -> list[Row]:
    """Rows of the changes of each source, then of the other sources less the reference; nothing without `base`."""
    if settings["base"] is None:
        return []
    base = base_cell(cells, settings["base"])
    if len(codes) != 1:
        raise InputError(
            f"base='{shorten(settings['base'])}' compares strata within clusters: declare one cluster= (--cluster), "
            f"such as the scenario that each stratum varies, not {len(codes)}"
        )
    found: list[list[Changes]] = []
    shares = [cluster_shares(data, k, cells, codes[0]) for k in range(len(data.sources))]
    others = [k for k in range(len(data.sources)) if k != first]
    for k, name in enumerate(data.sources):
        found.append(of_source(shares[k], shares[k], name, cells, base))
    for k in others:
        name = f"{data.sources[k]} - {data.sources[first]}"
        found.append(of_source(shares[k], shares[first], name, cells, base))
    rows: list[Row] = []
    for some in found:
        made = [rows_of(one, data.levels, settings) for one in some]
        rows += adjusted([row for own, _ in made for row in own], "levels and strata")
        rows += adjusted([joint for _, joint in made], "strata")
    return named_apart(rows)


def base_cell(cells: Cells, base: str) -> int:
    """Return the place of the base among the strata."""
    if base not in cells.labels:
        raise InputError(
            f"base='{shorten(base)}' is no level of stratum=. Levels: {quoted(cells.labels, 10) or 'none'}"
        )
    return cells.labels.index(base)


def cluster_shares(data: SourceCounts, k: int, cells: Cells, code: IntArray) -> tuple[FloatArray, FloatArray]:
    """Shares of a source by cluster and stratum, (clusters, strata, levels), and ratings, (clusters, strata)."""
    dense = np.unique(code, return_inverse=True)[1]
    shape = int(dense.max()) + 1, len(cells.labels), len(data.levels)
    counts = np.zeros(shape)
    np.add.at(counts, (dense, cells.codes), data.counts[:, k] * data.copies[:, None])
    size = counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return counts / size[..., None], size


def of_source(
    one: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray], name: str, cells: Cells, base: int
) -> list[Changes]:
    """Changes of one source, or of one less another."""
    out = []
    for q, label in enumerate(cells.labels):
        if q == base:
            continue
        sides = (one,) if one is other else (one, other)
        used = np.all([(size[:, q] > 0) & (size[:, base] > 0) for _, size in sides], axis=0)
        moved = [shares[used, q] - shares[used, base] for shares, _ in sides]
        ratings = sum(float(size[used][:, [q, base]].sum()) for _, size in sides)
        values = moved[0] if len(sides) == 1 else moved[0] - moved[1]
        out.append(
            Changes(
                group=f"{name}: {label} - {cells.labels[base]}", values=values, ratings=ratings, reach=float(len(sides))
            )
        )
    return out


def rows_of(one: Changes, levels: Sequence[str], settings: dict[str, Any]) -> tuple[list[Row], Row]:
    """Rows of the levels, and the row of any change."""
    base = Row(term="", group=one.group, n=one.ratings, n_clusters=len(one.values))
    joint = replace(base, term=free_label("any level", levels))
    if not len(one.values):
        gone = "no cluster has ratings in both strata"
        return [replace(base, term=level, undefined=gone) for level in levels], replace(joint, undefined=gone)
    rows = [
        level_row(replace(base, term=level), one.values[:, j], one.reach, settings) for j, level in enumerate(levels)
    ]
    test = hotelling(one.values[:, :-1])
    if test.undefined:
        return rows, replace(joint, undefined=test.undefined)
    return rows, replace(joint, statistic=test.statistic, df=float(test.df), p_value=test.p_value, method=JOINT)


def level_row(row: Row, values: FloatArray, reach: float, settings: dict[str, Any]) -> Row:
    """Row of the mean change of one level."""
    mean = clustered_mean(values, np.ones(len(values)), magnitude=1.0)
    row = replace(row, estimate=mean.mean, method=TESTED)
    row = replace(with_mean(row, mean, settings["level"], within=(-reach, reach)), p_value=None)
    if row.undefined:
        return row
    try:
        test = sign_flip(np.round(values, 12), flips=FLIPS, seed=settings["seed"])
    except UndefinedStatistic:
        return row
    return replace(row, p_value=float(test.p_value[0]))


def named_apart(rows: list[Row]) -> list[Row]:
    """Give groups that labels of strangers spell alike an apostrophe."""
    seen: set[tuple[str, str | None]] = set()
    out = []
    for row in rows:
        while (row.term, row.group) in seen:
            row = replace(row, group=f"{row.group}'")
        seen.add((row.term, row.group))
        out.append(row)
    return out
