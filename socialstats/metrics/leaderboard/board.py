"""The scores of a leaderboard as arrays, and the means and differences that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.dependence import cluster_factors
from socialstats.models.stratified_mean import Strata, StratifiedMeans, stratified_means
from socialstats.text import count, quoted, shorten

TASK = "task"
POOLINGS = ("tasks", "units")
MOST_COUNTED = 1_000_000  # units that counts stand for, which are written out one by one
NOBODY = "no unit has scores of both"


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """Scores of models.

    Attributes
    ----------
    models, tasks : tuple of str
        A single task without a name where the design has none.
    values : (units, models) float64 array
        NaN where a model has no score.
    task, cluster : (units,) int64 arrays
        Cluster: one of its own for each unit where none are declared.
    factors : tuple of Factor
        The declared clusters that are used: none or one.
    pooling : {"tasks", "units"}
    level : float
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    task: IntArray
    cluster: IntArray
    factors: tuple[Factor, ...]
    pooling: str
    level: float
    known: BoolArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", ~np.isnan(self.values))

    @cached_property
    def shares(self) -> bool:
        """True where every score lies between 0 and 1, so that no mean can leave that range."""
        values = self.values[self.known]
        return bool(values.min() >= 0 and values.max() <= 1)

    @cached_property
    def magnitude(self) -> float:
        """Largest size of a score."""
        return float(np.abs(self.values[self.known]).max())

    @cached_property
    def complete(self) -> bool:
        """True where every model has a score of every unit."""
        return bool(self.known.all())

    @cached_property
    def patterns(self) -> tuple[tuple[BoolArray, tuple[int, ...]], ...]:
        """The units that models have scores of, each pattern with its models."""
        found: dict[bytes, list[int]] = {}
        for k in range(len(self.models)):
            found.setdefault(np.packbits(self.known[:, k]).tobytes(), []).append(k)
        return tuple((self.known[:, members[0]], tuple(members)) for members in found.values())

    def strata(self, units: BoolArray, pooling: str) -> Strata | str:
        """Return the tasks of some units with their weights, or why they have no mean."""
        if not units.any():
            return "no unit has a score"
        sizes = np.bincount(self.task[units], minlength=len(self.tasks))
        lost = [name for name, n in zip(self.tasks, sizes.tolist(), strict=True) if not n]
        if lost and pooling == "tasks":
            return f"no unit of task {quoted(lost, 3)}: a mean over tasks needs them all; pooling='units' does not"
        there = np.flatnonzero(sizes)
        weights = np.full(len(there), 1 / len(there)) if pooling == "tasks" else sizes[there] / sizes.sum()
        return Strata(
            stratum=np.searchsorted(there, self.task[units]), cluster=self.cluster[units], weights=weights,
            names=tuple(self.tasks[t] for t in there.tolist()),
        )  # fmt: skip

    def means(self, units: BoolArray, columns: Sequence[int], pooling: str) -> StratifiedMeans | str:
        """Return the means of some models over units that they all have scores of, or why there are none."""
        strata = self.strata(units, pooling)
        return strata if isinstance(strata, str) else stratified_means(self.values[units][:, [*columns]], strata)

    def own_means(self, pooling: str, units: BoolArray | None = None) -> dict[int, StratifiedMeans | str]:
        """Return the mean of each model over its own units (of some units)."""
        found: dict[int, StratifiedMeans | str] = {}
        for mask, columns in self.patterns:
            means = self.means(mask if units is None else mask & units, columns, pooling)
            for place, k in enumerate(columns):
                found[k] = means if isinstance(means, str) else column_of(means, place)
        return found

    def differences(self, pooling: str) -> Mapping[tuple[int, int], StratifiedMeans | str]:
        """Return the mean difference of each two models, first minus second, over the units that both have."""
        found: dict[tuple[int, int], StratifiedMeans | str] = {}
        for i, (one, first) in enumerate(self.patterns):
            for other, second in self.patterns[i:]:
                columns = [*first, *(k for k in second if k not in first)]
                shared = one & other
                means = self.means(shared, columns, pooling) if shared.any() else NOBODY
                for a in first:
                    for b in second:
                        pair = (min(a, b), max(a, b))
                        if a == b or pair in found:
                            continue
                        places = columns.index(pair[0]), columns.index(pair[1])
                        found[pair] = means if isinstance(means, str) else minus(means, *places)
        return dict(sorted(found.items()))


def column_of(means: StratifiedMeans, k: int) -> StratifiedMeans:
    """Return one of several means."""
    return StratifiedMeans(estimate=means.estimate[[k]], influence=means.influence[:, [k]], df=means.df,
                           undefined=means.undefined)  # fmt: skip


def minus(means: StratifiedMeans, a: int, b: int) -> StratifiedMeans:
    """Return the difference of two of several means."""
    return StratifiedMeans(
        estimate=means.estimate[[a]] - means.estimate[[b]], df=means.df, undefined=means.undefined,
        influence=means.influence[:, [a]] - means.influence[:, [b]],
    )  # fmt: skip


def board_of(
    design: Ratings, *, task: str | None, pooling: str, cluster: str | Sequence[str] | None, level: float
) -> Board:
    """Take the scores of a design.

    Raises
    ------
    DesignError
        For values that are no numbers, raters that nobody named, or a single model.
    InputError
        For a task or a cluster that is not declared, or two clusters.
    NothingToAnalyse
        Without a score.
    """
    if not (design.numeric or len(design.levels) == 2):
        raise DesignError(f"{design.source}: a leaderboard needs numbers, or two levels; these scores are "
                          f"{quoted(design.levels, 8)}")  # fmt: skip
    if not design.raters_known or len(design.raters) < 2:
        who = f"one model, {quoted(design.raters)}" if design.raters_known else "raters without names"
        raise DesignError(f"{design.source}: a leaderboard compares two models or more; this table has {who}")
    factors = cluster_factors(design, cluster)
    if len(factors) > 1:
        raise InputError(f"{design.source}: a leaderboard takes one cluster factor, got "
                         f"{quoted([f.name for f in factors])}. Name one of them with cluster=")  # fmt: skip
    values = np.append(design.scores, np.nan)[np.nan_to_num(design.matrix(), nan=-1).astype(np.int64)]
    kept = ~np.isnan(values).all(axis=1)
    if not kept.any():
        raise NothingToAnalyse(f"{design.source}: no model has a score")
    times = np.where(kept, design.unit_count, 0).astype(np.int64)
    if (total := float(times.sum())) > max(MOST_COUNTED, len(times)):
        raise InputError(f"{design.source}: a leaderboard takes counts up to {count(MOST_COUNTED)} units, not "
                         f"{count(total)}. Divide all counts by a common factor")  # fmt: skip
    index = np.repeat(np.arange(len(times)), times)
    tasks, codes = tasks_of(design, task)
    there, dense = np.unique(codes[index], return_inverse=True)
    return Board(
        models=design.raters, tasks=tuple(tasks[t] for t in there.tolist()), values=values[index],
        task=dense.astype(np.int64), cluster=factors[0].codes[index] if factors else np.arange(len(index)),
        factors=factors, pooling=pooling, level=level,
    )  # fmt: skip


def tasks_of(design: Ratings, task: str | None) -> tuple[tuple[str, ...], IntArray]:
    """Return the tasks and the task of each unit: a stratum, or one task without a name."""
    if task is not None and task in design.strata:
        return design.strata[task].levels, design.strata[task].codes
    if task not in (None, TASK):
        raise InputError(
            f"task='{shorten(str(task))}' is no stratum. Declared: {quoted(list(design.strata)) or 'none'}"
        )
    return ("",), np.zeros(len(design.units), dtype=np.int64)
