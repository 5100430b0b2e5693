"""Rows of a leaderboard: means, means by task, differences of all pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from socialstats.designs.parts import FloatArray
from socialstats.metrics.leaderboard.board import Board, BoolArray
from socialstats.models.clustered_mean import plain_number, t_p_value
from socialstats.models.intervals import critical_value
from socialstats.models.stratified_mean import Strata, StratifiedMeans, flat, pooled_ends, stratified_means
from socialstats.models.unit_means import with_holm
from socialstats.models.unit_shares import How, Shares, share_row
from socialstats.results import Row
from socialstats.text import count

MEAN, DIFFERENCE, SHARED = "mean", "difference", "mean on shared units"
OTHER = {"tasks": "mean over units", "units": "mean over tasks"}  # beside each pooling
WEIGHED = {"tasks": "tasks weighted equally", "units": "units weighted equally"}
TASK_PREFIX = "task: "


def task_group(task: str) -> str:
    """Return the group of the means of one task."""
    return f"{TASK_PREFIX}{task}"


def mean_rows(board: Board, group: str, pooling: str, units: BoolArray | None = None) -> list[Row]:
    """Means of all models, over their own units among some."""
    means = board.own_means(pooling, units)
    rows = []
    for k, model in enumerate(board.models):
        mask = board.known[:, k] if units is None else board.known[:, k] & units
        rows.append(mean_row(board, Row(term=model, group=group), k, mask, means[k], pooling))
    return rows


def task_rows(board: Board) -> list[Row]:
    """Means of all models by task; none where there is one task."""
    if len(board.tasks) < 2:
        return []
    return [
        row
        for t, task in enumerate(board.tasks)
        for row in mean_rows(board, task_group(task), "units", board.task == t)
    ]


def sized(board: Board, row: Row, units: BoolArray) -> Row:
    """Return the row with its units and clusters."""
    n = int(units.sum())
    clusters = len(np.unique(board.cluster[units])) if board.factors else None
    return replace(row, n=float(n), n_units=n, n_clusters=clusters)


def mean_row(
    board: Board, row: Row, k: int, units: BoolArray, means: StratifiedMeans | str, pooling: str
) -> Row:  # fmt: skip
    """Row of the mean of one model."""
    row = sized(board, row, units)
    if isinstance(means, str):
        return replace(row, undefined=means)
    row = replace(row, estimate=float(means.estimate[0]), method=method_of(board, units, pooling, interval=True))
    if means.undefined:
        return replace(row, undefined=means.undefined)
    error = float(np.sqrt((means.influence**2).sum()))
    still = bool(flat(means.influence, board.magnitude)[0])
    row = row if still else replace(row, std_error=error)
    if board.shares:
        low, high = share_ends(board, k, units, float(means.estimate[0]), pooling)
        return replace(row, conf_low=low, conf_high=high, conf_level=board.level)
    if still:
        return replace(row, undefined=constant(board.values[units, k], "scores"))
    reach = critical_value(board.level, means.df) * error
    mean = float(means.estimate[0])
    return replace(row, conf_low=mean - reach, conf_high=mean + reach, conf_level=board.level)


def share_ends(board: Board, k: int, units: BoolArray, estimate: float, pooling: str) -> tuple[float, float]:
    """Return the ends of an interval of a mean share, from Wilson's intervals of the tasks."""
    strata = board.strata(units, pooling)
    assert isinstance(strata, Strata)
    values, how = board.values[units, k], How(ci="wilson", level=board.level, resamples=0, seed=0)
    tasks = range(len(strata.weights))
    parts = []
    for t in tasks:
        own = strata.stratum == t
        clusters = (strata.cluster[own],) if board.factors else ()
        parts.append(
            share_row(Row(term=""), Shares(values=values[own], count=np.ones(own.sum()), clusters=clusters), how)
        )
    ends = [(float(p.conf_low or 0.0), float(p.conf_high or 0.0)) for p in parts]
    means = np.array([p.estimate for p in parts], dtype=np.float64)
    if len(parts) == 1:
        return ends[0]
    each = [stratified_means(values[:, None], replace(strata, weights=np.eye(len(parts))[t])) for t in tasks]
    return pooled_ends(estimate, means, ends, strata.weights, correlation(np.hstack([m.influence for m in each])))


def correlation(influence: FloatArray) -> FloatArray:
    """Return correlations of the columns of an influence; 0 with a column that does not vary."""
    size = np.sqrt((influence**2).sum(axis=0))
    scaled = influence / np.where(size > 0, size, 1.0)
    found = np.asarray(scaled.T @ scaled)
    np.fill_diagonal(found, 1.0)
    return found


def difference_rows(board: Board) -> list[Row]:
    """Differences of all pairs of models on the units that both have, with p adjusted by Holm."""
    rows = []
    for (a, b), found in board.differences(board.pooling).items():
        units = board.known[:, a] & board.known[:, b]
        row = sized(board, Row(term=f"{board.models[a]} - {board.models[b]}", group=DIFFERENCE), units)
        rows.append(difference_row(board, row, found, board.values[units, a] - board.values[units, b], units))
    return with_holm(rows)


def difference_row(board: Board, row: Row, found: StratifiedMeans | str, gaps: FloatArray, units: BoolArray) -> Row:
    """Row of one difference with its t test."""
    if isinstance(found, str):
        return replace(row, undefined=found)
    row = replace(row, estimate=float(found.estimate[0]), method=method_of(board, units, board.pooling))
    if found.undefined:
        return replace(row, undefined=found.undefined)
    if flat(found.influence, board.magnitude)[0]:
        return replace(row, undefined=constant(gaps, "differences"))
    error, value = float(np.sqrt((found.influence**2).sum())), float(found.estimate[0])
    reach, most = critical_value(board.level, found.df) * error, 1.0 if board.shares else math.inf
    return replace(
        row, std_error=error, conf_low=max(value - reach, -most), conf_high=min(value + reach, most),
        conf_level=board.level, statistic=value / error, df=found.df, p_value=t_p_value(value / error, found.df),
    )  # fmt: skip


def constant(values: FloatArray, what: str) -> str:
    """Say that values show no variation."""
    if np.ptp(values) == 0:
        return f"all {count(len(values))} {what} equal {plain_number(float(values[0]))}: no standard error, no test"
    return f"the {what} do not vary between clusters within tasks: no standard error, no test"


def method_of(board: Board, units: BoolArray, pooling: str, *, interval: bool = False) -> str:
    """Name interval or test, and what weighs how much."""
    kind = "Wilson" if board.shares and interval else "t"
    clusters = f", clusters of {board.factors[0].name} (CR2)" if board.factors else ""
    several = len(np.unique(board.task[units])) > 1
    return f"{kind}{clusters}" + (f", {WEIGHED[pooling]}" if several else "")
