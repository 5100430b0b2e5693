"""Means over units of analysis (scenarios or models) with judges fixed or drawn, and their rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.crossed_mean import crossed_mean
from socialstats.inference.dependence import cluster_cautions, cluster_factors, few_clusters, is_inside, small_sample
from socialstats.inference.intervals import cochran_df
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.models.effect_sizes import with_d_z
from socialstats.models.pair_values import mean_interval
from socialstats.results import Row
from socialstats.text import count, quoted

CiName = Literal["closed", "percentile", "basic", "bca", "studentized"]
CIS: tuple[str, ...] = ("closed", "percentile", "basic", "bca", "studentized")
JUDGES = ("fixed", "random")
HOW = {
    "percentile": "bootstrap, percentile", "basic": "bootstrap, basic", "bca": "bootstrap, BCa",
    "studentized": "bootstrap, studentized",
}  # fmt: skip
FEW_UNITS = 25  # as for means: `socialstats.inference.dependence.shape_cautions`; 20 exponential composites held .92
NO_UNIT = "no {} has every value that this needs"
DEPENDENT = "units are clustered or judges drawn: d_z has no interval here"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inference:
    """How uncertainty is reckoned.

    Attributes
    ----------
    unit : str
        What one value is of: ``"scenario"``, ``"model"``, ...
    judges : {"fixed", "random"}
    ci, level, resamples, seed
        As in the metrics.
    clusters : tuple of (units,) int64 arrays
        Cluster of each unit of analysis.
    magnitude : float
        Largest size that a value can have.
    taken_off : pair of float, or None
        Variance and degrees of freedom of what was subtracted from every value alike, and is itself estimated.
    """

    unit: str
    judges: str = "fixed"
    ci: str = "closed"
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0
    clusters: tuple[IntArray, ...] = ()
    magnitude: float = 100.0
    taken_off: tuple[float, float] | None = None

    @property
    def dependent(self) -> bool:
        """True where values are not independent draws."""
        return bool(self.clusters) or self.judges == "random"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Values of units of analysis by judge.

    Attributes
    ----------
    values : (units, judges) float64 array
    unit : (units,) int64 array
    how : Inference
    """

    values: FloatArray
    unit: IntArray
    how: Inference

    @property
    def means(self) -> FloatArray:
        """(units,) float64 array: means over judges."""
        return np.asarray(self.values.mean(axis=1))

    def parts(self) -> tuple[FloatArray, list[IntArray]]:
        """Return the values whose mean is taken, and the codes of their clusters."""
        codes = [c[self.unit] for c in self.how.clusters]
        if self.how.judges == "fixed":
            return self.means, codes
        n, k = self.values.shape
        inner = codes[0] if codes else self.unit
        return self.values.ravel(), [np.repeat(inner, k), np.tile(np.arange(k), n)]

    def mean(self) -> ClusteredMean:
        """Return the mean with its error, that of what was taken off included."""
        found = self.mean_alone()
        if self.how.taken_off is None or found.undefined:
            return found
        parts, dfs = zip((found.std_error**2, found.df), self.how.taken_off, strict=True)
        return replace(found, std_error=math.sqrt(sum(parts)), df=cochran_df(parts, dfs))

    def mean_alone(self) -> ClusteredMean:
        """Return the mean with the error of units and judges: drawn judges by mean squares, and by V1 + V2 - V12
        beside clusters.
        """
        if self.how.judges == "random" and not self.how.clusters:
            return crossed_mean(self.values, magnitude=self.how.magnitude)
        values, codes = self.parts()
        return clustered_mean(values, np.ones(len(values)), codes, magnitude=self.how.magnitude)


def across(cells: FloatArray, how: Inference) -> Sample:
    """One value a unit of analysis from (models, scenarios, judges) cells, NaN where a cell is empty.

    Scenarios: the mean over models, of scenarios in which every model has a value. Models: the mean over the scenarios
    that they have.
    """
    full = np.isfinite(cells[:, :, 0])
    if how.unit == "model":
        keep = full.any(axis=1)
        return Sample(values=np.nanmean(cells[keep], axis=1), unit=np.flatnonzero(keep), how=how)
    keep = full.all(axis=0)
    return Sample(values=cells[:, keep].mean(axis=0), unit=np.flatnonzero(keep), how=how)


def of_one(cells: FloatArray, how: Inference) -> Sample:
    """Return the values of one model: (scenarios, judges) cells, empty ones left out."""
    keep = np.isfinite(cells[:, 0])
    return Sample(values=cells[keep], unit=np.flatnonzero(keep), how=how)


def mean_row(term: str, group: str, sample: Sample, *, test: bool = True) -> Row:
    """Row of a mean: t interval or bootstrap; t, df and p of a mean of 0.

    Parameters
    ----------
    term, group : str
    sample : Sample
    test : bool
        Give t, df and p.
    """
    how, n = sample.how, len(sample.unit)
    if not n:
        return Row(term=term, group=group, undefined=NO_UNIT.format(how.unit), n=0.0, n_units=0)
    lead = sample.mean()
    row = Row(
        term=term, group=group, estimate=lead.mean, n=float(n), n_units=n, method=method_of(how),
        n_clusters=min(lead.clusters) if lead.clusters else None, leverage=lead.largest if lead.clusters else None,
    )  # fmt: skip
    row = with_mean(row, lead, how.level, test=test)
    return row if how.ci == "closed" or how.taken_off is not None or row.undefined else with_resampled_mean(row, sample)


def method_of(how: Inference) -> str:
    """Name the interval, and the test beside it."""
    error = "t" if not how.dependent else "t, two-way error"
    if how.judges == "fixed" and len(how.clusters) == 1:
        error = "t, CR2 error"
    elif how.judges == "random" and not how.clusters:
        error = "t, two-way mean squares"
    if how.taken_off is not None:
        return f"{error}, with the error of the zero"
    return error if how.ci == "closed" else f"{HOW[how.ci]}; test: {error}"


def with_resampled_mean(row: Row, sample: Sample) -> Row:
    """Return the row of a mean with a bootstrap interval in place of its t interval."""
    values, codes = sample.parts()
    how = sample.how
    found = mean_interval(
        values, np.ones(len(values)), codes, ci=how.ci, level=how.level, resamples=how.resamples, seed=how.seed
    )
    low, high = float(found.low[0]), float(found.high[0])
    return with_ends(row, low, high, how.level, why=found.undefined[0] or ("" if low < high else NO_WIDTH))


def d_z_row(term: str, group: str, sample: Sample) -> Row:
    """Row of d_z: mean over standard deviation (n - 1) of the values of the units (interval: `d_z_hull`)."""
    values, n, level = sample.means, len(sample.unit), sample.how.level
    alone = clustered_mean(values, np.ones(n), magnitude=sample.how.magnitude) if n else None
    row = Row(term=term, group=group, n=float(n), n_units=n, method="mean / sd")
    if alone is None or alone.undefined:
        return replace(row, undefined=alone.undefined if alone else NO_UNIT.format(sample.how.unit))
    if sample.how.dependent:
        return replace(row, estimate=alone.mean / alone.sd, undefined=DEPENDENT)
    return with_d_z(row, values, level, magnitude=sample.how.magnitude)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitClusters:
    """Declared clusters of the units of analysis.

    Attributes
    ----------
    factors : tuple of Factor
        Those that hold whole units of analysis; codes over the units of the design.
    codes : tuple of (units of analysis,) int64 arrays
    cautions : tuple of Caution
    """

    factors: tuple[Factor, ...] = ()
    codes: tuple[IntArray, ...] = ()
    cautions: tuple[Caution, ...] = field(default=())


def unit_clusters(
    design: Ratings, unit: Factor, cluster: str | Sequence[str] | None, *, judges: str, ci: str
) -> UnitClusters:
    """Return the clusters of the units of analysis that `cluster` names.

    A factor inside the units of analysis (or equal to them) is accounted for by taking one value a unit.

    Raises
    ------
    InputError
        For a factor that cuts across units of analysis, more than two, more than one with drawn judges, or an interval
        that two crossed factors do not have.
    """
    found = cluster_factors(design, cluster)
    used = tuple(f for f in found if not is_inside(f, unit))
    across_units = [f.name for f in used if not is_inside(unit, f)]
    if across_units:
        raise InputError(
            f"cluster {quoted(across_units)} holds parts of several {unit.name}s, which are the units of analysis. Use "
            "cluster=None and say so, or another unit_of_analysis="
        )
    crossed = len(used) + (judges == "random") + (judges == "random" and not used)
    if crossed > 2:
        raise InputError("judges='random' takes one cluster factor beside the judges; name it with cluster=")
    if crossed == 2 and ci in ("bca", "studentized"):
        raise InputError(f"ci='{ci}' needs one factor, not two crossed ones; use 'closed', 'percentile' or 'basic'")
    first = {int(code): k for k, code in reversed(list(enumerate(unit.codes.tolist())))}
    at = np.array([first.get(code, -1) for code in range(len(unit.levels))], dtype=np.int64)
    ignored = [c for c in cluster_cautions(design, (*used, unit)) if c.code == "SS201"]
    few = [c for c in cluster_cautions(design, used) if c.code == "SS202"]
    return UnitClusters(factors=used, codes=tuple(f.codes[at] for f in used), cautions=(*ignored, *few))


def size_cautions(units: int, how: Inference, judges: int) -> tuple[Caution, ...]:
    """Cautions SS312 (few units of analysis) and SS202 (few judges taken as drawn)."""
    found: tuple[Caution, ...] = ()
    if units > 1:
        said = f"{count(units, how.unit)}; t needs values close to normal"
        found = small_sample(units, FEW_UNITS, said, affects="intervals, tests", fix=f"more {how.unit}s")
    if how.judges == "random" and judges > 1:
        said = f"{count(judges, 'judge')} taken as drawn from all judges"
        found = (*found, few_clusters(said, affects="intervals", fix="more judges, or judges='fixed'"))
    return found
