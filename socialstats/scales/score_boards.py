"""Scores of models on the same units: a table of units by models, the tasks, and means on the units in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit
from socialstats.designs.levels import opposites, which_counts
from socialstats.designs.nouns import noun_of
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import cluster_factors
from socialstats.scales.stratified_means import Strata, StratifiedMeans, stratified_means
from socialstats.text import count, plural_of, quoted, shorten
from socialstats.voice import option

TASK = "task"
POOLINGS = ("tasks", "units")
MOST_MODELS = 2_000  # whose 1,999,000 pairs are compared
MOST_COUNTED = 1_000_000  # units that counts stand for, which are written out one by one
NOBODY = "no unit has scores of both"
MEAN, DIFFERENCE, SHARED = "mean", "difference", "mean on shared units"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CommonUnits:
    """Some units, their tasks, and the means of the models that have scores of all of them.

    Attributes
    ----------
    units : (units,) bool array
    columns : tuple of int
        The models with a score of each of these units.
    strata : Strata or str
        The tasks with their weights, or why the units have no mean.
    means : StratifiedMeans or None
        Of `columns`.
    """

    units: BoolArray
    columns: tuple[int, ...]
    strata: Strata | str
    means: StratifiedMeans | None

    def of(self, models: Sequence[int]) -> StratifiedMeans | None:
        """Return the mean of one model, or the first minus the second of two; None where there is none."""
        if self.means is None:
            return None
        at = [self.columns.index(k) for k in models]
        return replace(
            self.means,
            estimate=minus([self.means.estimate[[k]] for k in at]),
            influence=minus([self.means.influence[:, [k]] for k in at]),
            parts=self.means.parts[at].sum(keepdims=True),
        )


def minus(parts: Sequence[FloatArray]) -> FloatArray:
    """Return the only array, or the first minus the second of two."""
    return parts[0] - parts[1] if len(parts) > 1 else parts[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Board:
    """Scores of models.

    Attributes
    ----------
    models, tasks : tuple of str
        A single task without a name where the design has none.
    values : (units, models) float64 array
        In `unit`; NaN where a model has no score.
    task, cluster : (units,) int64 arrays
        Cluster: one of its own for each unit where none are declared.
    factors : tuple of Factor
        The declared clusters that are used: none or one.
    pooling : {"tasks", "units"}
    level : float
    unit : float
        1, or the size of scores whose squares are beyond the range of floats.
    kept : dict
        The parts in use, so that each is computed once.
    shapes : dict
        The mean or difference behind each row with a t interval, by the name of the row.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    task: IntArray
    cluster: IntArray
    factors: tuple[Factor, ...]
    pooling: str
    level: float
    unit: float = 1.0
    kept: dict[tuple[str, bytes], CommonUnits] = field(default_factory=dict)
    shapes: dict[str, ClusteredMean] = field(default_factory=dict)
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

    @property
    def every(self) -> BoolArray:
        """(units,) bool array of True."""
        return np.ones(len(self.task), dtype=bool)

    def part(
        self, models: Sequence[int], pooling: str, units: BoolArray | None = None
    ) -> CommonUnits:
        """Return the units (of some) that models all have scores of."""
        rated = self.every if units is None else units
        for k in models:
            rated = rated & self.known[:, k]
        key = pooling, np.packbits(rated).tobytes()
        # models with the same missing units share a part
        if key not in self.kept:
            strata = self.strata(rated, pooling)
            columns = np.flatnonzero(self.known[rated].all(axis=0))
            means = (
                None
                if isinstance(strata, str)
                else stratified_means(self.values[rated][:, columns], strata)
            )
            self.kept[key] = CommonUnits(
                units=rated, columns=tuple(columns.tolist()), strata=strata, means=means
            )
        return self.kept[key]

    def strata(self, units: BoolArray, pooling: str) -> Strata | str:
        """Return the tasks of some units with their weights, or why they have no mean."""
        if not units.any():
            return "no unit has a score"
        sizes = np.bincount(self.task[units], minlength=len(self.tasks))
        lost = [name for name, n in zip(self.tasks, sizes.tolist(), strict=True) if not n]
        # a mean over fewer tasks would be of another quantity
        if lost and pooling == "tasks":
            pooled = option("pooling", "units")
            return f"no unit of task {quoted(lost, 3)}: a mean over tasks needs them all; {pooled} does not"
        present = np.flatnonzero(sizes)
        weights = (
            np.full(len(present), 1 / len(present))
            if pooling == "tasks"
            else sizes[present] / sizes.sum()
        )
        return Strata(
            stratum=np.searchsorted(present, self.task[units]),
            cluster=self.cluster[units],
            weights=weights,
            names=tuple(self.tasks[t] for t in present.tolist()),
        )


def score_board(
    design: Ratings,
    *,
    task: str | None,
    pooling: str,
    cluster: str | Sequence[str] | None,
    level: float,
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
        raise DesignError(
            f"{design.source}: a leaderboard needs numbers, or two levels; these scores are "
            f"{quoted(design.levels, 8)}"
        )
    if not (design.numeric or design.levels_declared or opposites(design.levels)):
        raise DesignError(
            f"{design.source}: the scores are {quoted(design.levels)}, but which counts as 1 is "
            f"undeclared. Say {which_counts(design.levels)}"
        )
    noun = noun_of(design)
    if not design.raters_known or len(design.raters) < 2:
        who, instead = "raters without names", ""
        if design.raters_known:
            who = f"one {noun}, {quoted(design.raters)}"
            instead = ". Its mean is the metric mean_ratings, and the study one-source"
        raise DesignError(
            f"{design.source}: a leaderboard compares two {plural_of(noun)} or more; this table has {who}{instead}"
        )
    if (models := len(design.raters)) > MOST_MODELS:
        raise InputError(
            f"{design.source}: a leaderboard compares every two {plural_of(noun)}, and these are {count(models)}. "
            f"At most {count(MOST_MODELS)} are compared: keep those of interest, or average groups of them"
        )
    factors = cluster_factors(design, cluster)
    if len(factors) > 1:
        raise InputError(
            f"{design.source}: a leaderboard takes one cluster factor, got "
            f"{quoted([f.name for f in factors])}. Name one of them with {option('cluster')}"
        )
    # (units, models): a missing value becomes the last code, whose score is NaN
    levels = np.nan_to_num(design.matrix(), nan=-1).astype(np.int64)
    values = np.append(design.scores, np.nan)[levels]
    scored_units = ~np.isnan(values).all(axis=1)
    if not scored_units.any():
        raise NothingToAnalyse(f"{design.source}: no {noun} has a score")
    copies = np.where(scored_units, design.unit_count, 0).astype(np.int64)
    if (total := float(copies.sum())) > max(MOST_COUNTED, len(copies)):
        raise InputError(
            f"{design.source}: a leaderboard takes counts up to {count(MOST_COUNTED)} units, not "
            f"{count(total)}. Divide all counts by a common factor"
        )
    # counts are written out: a unit that stands for n alike ones is n rows
    index = np.repeat(np.arange(len(copies)), copies)
    tasks, codes = tasks_of(design, task)
    tasks_present, dense = np.unique(codes[index], return_inverse=True)
    scores = values[scored_units][~np.isnan(values[scored_units])]
    # shares stay as they are: their limits are 0 and 1
    unit = 1.0 if scores.min() >= 0 and scores.max() <= 1 else size_unit(scores)
    return Board(
        models=design.raters,
        tasks=tuple(tasks[t] for t in tasks_present.tolist()),
        values=values[index] / unit,
        unit=unit,
        task=dense.astype(np.int64),
        cluster=factors[0].codes[index] if factors else np.arange(len(index)),
        factors=factors,
        pooling=pooling,
        level=level,
    )


def tasks_of(design: Ratings, task: str | None) -> tuple[tuple[str, ...], IntArray]:
    """Return the tasks and the task of each unit: a stratum, or one task without a name."""
    if task is not None and task in design.strata:
        return design.strata[task].levels, design.strata[task].codes
    if task not in (None, TASK):
        raise InputError(
            f"{option('task', shorten(str(task)))} is no stratum. Declared: {quoted(list(design.strata)) or 'none'}"
        )
    return ("",), np.zeros(len(design.units), dtype=np.int64)
