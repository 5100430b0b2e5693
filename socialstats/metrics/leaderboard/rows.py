"""Rows of a leaderboard: means, means by task, differences of all pairs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from socialstats.designs.parts import FloatArray
from socialstats.inference.compare import HOLM, with_holm
from socialstats.inference.means import MeanErrors
from socialstats.inference.proportions import share_interval, wilson
from socialstats.inference.rows import with_ends, with_t
from socialstats.metrics.leaderboard.board import Board, BoolArray
from socialstats.models.stratified_mean import Strata, StratifiedMeans, flat
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
    """Means of all models over all tasks, over their own units among some."""
    rows = pooled_rows(board, group, pooling, units)
    return combined(board, rows, pooling, units) if board.shares and len(board.tasks) > 1 else rows


def pooled_rows(board: Board, group: str, pooling: str, units: BoolArray | None = None) -> list[Row]:
    """Means of all models with the error of all tasks together, or of the one task that the units are from."""
    means = board.own_means(pooling, units)
    rows = []
    for k, model in enumerate(board.models):
        mask = board.known[:, k] if units is None else board.known[:, k] & units
        rows.append(mean_row(board, Row(term=model, group=group), k, mask, means[k], pooling))
    return rows


def combined(board: Board, rows: list[Row], pooling: str, units: BoolArray | None) -> list[Row]:
    """Give means of shares over several tasks the outer ends of two intervals: pooled, and made of those of the tasks.

    With weights w_t and shares p_t with ends l_t and u_t, the latter are p - root of sum w_t^2 (p_t - l_t)^2 and p +
    root of sum w_t^2 (u_t - p_t)^2 (Zou, Huang & Zhang 2009): a small task whose answers are alike keeps the width that
    its number of units gives it. These alone held .89 of ten tasks of ten units with shares near 1; the pooled ones
    alone held .65 to .89 where a task of 3 to 20 units weighs as much as one of 100 to 1,000.

    References
    ----------
    Zou, G. Y., Huang, W., & Zhang, X. (2009). A note on confidence interval estimation for a linear function of
    binomial proportions. doi:10.1016/j.csda.2008.09.033
    """
    masks = [board.task == t if units is None else units & (board.task == t) for t in range(len(board.tasks))]
    parts = [pooled_rows(board, "", "units", mask) for mask in masks if mask.any()]
    out = []
    for k, row in enumerate(rows):
        own = [part[k] for part in parts if part[k].estimate is not None]
        if row.conf_low is None or row.conf_high is None or len(own) < 2 or any(one.conf_low is None for one in own):
            out.append(row)
            continue
        sizes = np.array([one.n for one in own], dtype=np.float64)
        w = np.full(len(own), 1 / len(own)) if pooling == "tasks" else sizes / sizes.sum()
        p, low, high = (np.array([getattr(one, name) for one in own], dtype=np.float64)
                        for name in ("estimate", "conf_low", "conf_high"))  # fmt: skip
        ends = float(w @ p - np.sqrt(w**2 @ (p - low) ** 2)), float(w @ p + np.sqrt(w**2 @ (high - p) ** 2))
        ends = min(ends[0], row.conf_low), max(ends[1], row.conf_high)
        out.append(with_ends(row, *ends, board.level, within=(0.0, 1.0)))
    return out


def task_rows(board: Board) -> list[Row]:
    """Means of all models by task; none where there is one task."""
    if len(board.tasks) < 2:
        return []
    return [
        row
        for t, task in enumerate(board.tasks)
        for row in pooled_rows(board, task_group(task), "units", board.task == t)
    ]


def sized(board: Board, row: Row, units: BoolArray, pooling: str) -> Row:
    """Return the row with its units and clusters."""
    n = int(units.sum())
    row = replace(row, n=float(n), n_units=n)
    strata = board.strata(units, pooling)
    if not board.factors or isinstance(strata, str):
        return replace(row, n_clusters=len(np.unique(board.cluster[units])) if board.factors else None)
    shares = cluster_shares(strata)
    return replace(row, n_clusters=len(shares), leverage=float(shares.max()))


def cluster_shares(strata: Strata) -> FloatArray:
    """Return the share of a mean over strata that each cluster holds."""
    share = (strata.weights / np.bincount(strata.stratum))[strata.stratum]
    return np.asarray(np.bincount(np.unique(strata.cluster, return_inverse=True)[1], share))


def mean_row(
    board: Board, row: Row, k: int, units: BoolArray, means: StratifiedMeans | str, pooling: str
) -> Row:  # fmt: skip
    """Row of the mean of one model."""
    row = sized(board, row, units, pooling)
    if isinstance(means, str):
        return replace(row, undefined=means)
    row = replace(row, estimate=float(means.estimate[0]), method=method_of(board, units, pooling, interval=True))
    if means.undefined:
        return replace(row, undefined=means.undefined)
    error = float(np.sqrt((means.influence**2).sum()))
    still = bool(flat(means.influence, board.magnitude)[0])
    row = row if still else replace(row, std_error=error)
    if board.shares:
        return share_row(board, row, k, units, means, 0.0 if still else error, pooling)
    if still:
        return replace(row, undefined=constant(board.values[units, k], "scores"))
    return replace(with_t(row, error, means.df, board.level, test=False), df=means.df)


def share_row(
    board: Board, row: Row, k: int, units: BoolArray, means: StratifiedMeans, error: float, pooling: str
) -> Row:
    """Fill in Wilson's interval: of n independent yes-or-no scores of one task, else of effective scores.

    Those are p(1 - p) / s.e.^2 with a t quantile (Korn & Graubard 1998); yes-or-no scores in clusters never count as
    more than the tasks' weights make of independent ones, 1 / sum of w_t^2 / n_t (Kish 1965). Without variance each
    unit (cluster) is one score: 1 / sum of squared shares of the clusters.
    """
    strata = board.strata(units, pooling)
    assert isinstance(strata, Strata)
    sizes, shares = np.bincount(strata.stratum), cluster_shares(strata)
    yes_no = bool(np.isin(board.values[units, k], (0.0, 1.0)).all())
    if len(sizes) == 1 and not board.factors and yes_no:
        low, high = wilson(means.estimate, np.array([float(len(shares))]), level=board.level)
        return with_ends(row, float(low[0]), float(high[0]), board.level)
    errors = MeanErrors.of(
        variance=error**2, df=means.df, clusters=float(len(shares)), effective=1 / float(shares @ shares),
        largest=float(shares.max()),
    )  # fmt: skip
    most = 1 / float((strata.weights**2 / sizes).sum()) if board.factors and yes_no else math.inf
    low, high, n = share_interval(means.estimate, errors, most, level=board.level)
    effective = float(n[0]) if board.factors else None
    return with_ends(row, float(low[0]), float(high[0]), board.level, df=means.df, effective=effective)


def difference_rows(board: Board) -> list[Row]:
    """Differences of all pairs of models on the units that both have, with p adjusted by Holm."""
    rows = []
    for (a, b), found in board.differences(board.pooling).items():
        units = board.known[:, a] & board.known[:, b]
        row = Row(term=f"{board.models[a]} - {board.models[b]}", group=DIFFERENCE)
        row = sized(board, row, units, board.pooling)
        rows.append(difference_row(board, row, found, board.values[units, a] - board.values[units, b], units))
    return with_holm(rows, HOLM)


def difference_row(board: Board, row: Row, found: StratifiedMeans | str, gaps: FloatArray, units: BoolArray) -> Row:
    """Row of one difference with its t test."""
    if isinstance(found, str):
        return replace(row, undefined=found)
    row = replace(row, estimate=float(found.estimate[0]), method=method_of(board, units, board.pooling))
    if found.undefined:
        return replace(row, undefined=found.undefined)
    if flat(found.influence, board.magnitude)[0]:
        return replace(row, undefined=constant(gaps, "differences"))
    most = 1.0 if board.shares else math.inf
    error = float(np.sqrt((found.influence**2).sum()))
    return with_t(row, error, found.df, board.level, within=(-most, most))


def constant(values: FloatArray, what: str) -> str:
    """Say that values show no variation."""
    if np.ptp(values) == 0:
        return f"all {count(len(values))} {what} are equal: no standard error, no test"
    return f"the {what} do not vary between clusters within tasks: no standard error, no test"


def method_of(board: Board, units: BoolArray, pooling: str, *, interval: bool = False) -> str:
    """Name interval or test, and what weighs how much."""
    kind = "Wilson" if board.shares and interval else "t"
    clusters = f", clusters of {board.factors[0].name} (CR2)" if board.factors else ""
    several = len(np.unique(board.task[units])) > 1
    joined = " by task" if several and kind == "Wilson" else ""
    return f"{kind}{joined}{clusters}" + (f", {WEIGHED[pooling]}" if several else "")
