"""Means over units of analysis, which several judges may have rated: errors, intervals and rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError
from socialstats.inference.clustered_mean import (
    ClusteredMean,
    clustered_mean,
)
from socialstats.inference.crossed_mean import crossed_mean
from socialstats.inference.dependence import (
    caution_of_few_clusters,
    cluster_cautions,
    cluster_factors,
    fixed_factors,
    is_nested_in,
    small_sample_caution,
)
from socialstats.inference.intervals import cochran_df
from socialstats.inference.means import DrawnRaters
from socialstats.inference.rows import ANYWHERE, NO_WIDTH, with_ends, with_mean
from socialstats.paired.pair_sizes import with_d_z
from socialstats.paired.pair_values import mean_interval
from socialstats.results import Row
from socialstats.text import count, quoted
from socialstats.voice import option

CiName = Literal["closed", "percentile", "basic", "bca", "studentized"]
CIS: tuple[str, ...] = ("closed", "percentile", "basic", "bca", "studentized")
JUDGES = ("fixed", "random")
HOW = {
    "percentile": "bootstrap, percentile",
    "basic": "bootstrap, basic",
    "bca": "bootstrap, BCa",
    "studentized": "bootstrap, studentized",
}
TWO_WAY = "t, two-way error"
# as for means: `socialstats.inference.dependence.shape_cautions`; 20 exponential composites held .92
FEW_UNITS = 25
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
    pooled : (models,) bool array, or None
        Models of which rows of all models are; None: all.
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
    pooled: BoolArray | None = None

    @property
    def dependent(self) -> bool:
        """True where values are not independent draws."""
        return bool(self.clusters) or self.judges == "random"

    def pooled_of(self, models: int) -> BoolArray:
        """Return which of so many models rows of all models are of."""
        return np.ones(models, dtype=bool) if self.pooled is None else self.pooled


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitSample:
    """Values of units of analysis by judge.

    Attributes
    ----------
    values : (units, judges) float64 array
    unit : (units,) int64 array
    how : Inference
    drawn : tuple of DrawnRaters
        Raters who are samples too, beside fixed judges.
    weight : (units,) float64 array, or None
        Sampling weights of the units, beside fixed judges.
    """

    values: FloatArray
    unit: IntArray
    how: Inference
    drawn: tuple[DrawnRaters, ...] = ()
    weight: FloatArray | None = None

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
        """Return the mean with its error, that of what was subtracted included: where all units are alike, it alone."""
        mean = self.mean_alone()
        if self.how.taken_off is None:
            return mean
        if mean.undefined:
            if mean.sd != 0 or len(self.unit) < 2 or min(mean.clusters, default=2) < 2:
                return mean
            variance, df = self.how.taken_off
            return replace(mean, std_error=math.sqrt(variance), df=df, undefined="")
        # the variances of independent estimates add up; df of their sum by Cochran (1951)
        variances, dfs = zip((mean.std_error**2, mean.df), self.how.taken_off, strict=True)
        return replace(mean, std_error=math.sqrt(sum(variances)), df=cochran_df(variances, dfs))

    def mean_alone(self) -> ClusteredMean:
        """Return the mean with the error of units and judges: drawn judges by mean squares, and by V1 + V2 - V12
        beside clusters.
        """
        if self.how.judges == "random" and not self.how.clusters:
            return crossed_mean(self.values, magnitude=self.how.magnitude)
        # drawn judges beside clusters are the second of two crossed factors
        values, codes = self.parts()
        ones, size = np.ones(len(values)), self.how.magnitude
        return clustered_mean(
            values, ones, codes, magnitude=size, drawn=self.drawn, weight=self.weight
        )


def mostly_complete(n_complete: IntArray, n_units: int) -> BoolArray:
    """Return which models have half of the units or more; all of them where none has.

    What is said of all models rests on the units that all have: one model with few would leave few for all.

    Examples
    --------
    >>> mostly_complete(np.array([6, 3, 2]), 6).tolist(), mostly_complete(np.array([1, 2]), 6).tolist()
    ([True, True, False], [True, True])
    """
    has_half = 2 * n_complete >= n_units
    return np.asarray(has_half if has_half.any() else ~has_half)


def sample_across_models(cells: FloatArray, how: Inference) -> UnitSample:
    """One value a unit of analysis from (models, scenarios, judges) cells, NaN where a cell is empty.

    Scenarios: the mean over models, of scenarios in which every model has a value. Models: the mean over the scenarios
    that they have. Both over the models that `how` pools.
    """
    has_value = np.isfinite(cells[:, :, 0])
    pooled = how.pooled_of(len(has_value))
    if how.unit == "model":
        kept = np.logical_and(has_value.any(axis=1), pooled)
        return UnitSample(
            values=np.nanmean(cells[kept], axis=1), unit=np.flatnonzero(kept), how=how
        )
    kept = np.asarray(has_value[pooled].all(axis=0))
    return UnitSample(
        values=cells[pooled][:, kept].mean(axis=0), unit=np.flatnonzero(kept), how=how
    )


def sample_of_model(cells: FloatArray, how: Inference) -> UnitSample:
    """Return the values of one model: (scenarios, judges) cells, empty ones left out."""
    has_value = np.isfinite(cells[:, 0])
    return UnitSample(values=cells[has_value], unit=np.flatnonzero(has_value), how=how)


def sample_mean_row(
    term: str,
    group: str,
    sample: UnitSample,
    *,
    test: bool = True,
    within: tuple[float, float] = ANYWHERE,
    **facts: Any,
) -> Row:
    """Row of a mean: t interval or bootstrap; t, df and p of a mean of 0.

    Parameters
    ----------
    term, group : str
    sample : Sample
    test : bool
        Give t, df and p.
    within : pair of float
        What the mean can be: ends are cut there.
    **facts
        Further fields of the row, such as its `key` and `role`.
    """
    how, n = sample.how, len(sample.unit)
    if not n:
        return empty_row(term, group, how, **facts)
    mean = sample.mean()
    row = Row(
        term=term,
        group=group,
        estimate=mean.mean,
        n=float(n),
        n_units=n,
        method=TWO_WAY if sample.drawn else mean_method(how),
        n_clusters=mean.n_clusters,
        leverage=mean.largest if mean.clusters else None,
        **facts,
    )
    row = with_mean(row, mean, how.level, test=test, within=within)
    row = replace(row, df=mean.df) if sample.drawn and not mean.undefined else row
    if how.ci == "closed" or how.taken_off is not None or row.undefined:
        return row
    return with_resampled_mean(row, sample, within)


def empty_row(term: str, group: str, how: Inference, **facts: Any) -> Row:
    """Row of no unit of analysis at all."""
    return Row(
        term=term,
        group=group,
        n=0.0,
        n_units=0,
        undefined=NO_UNIT.format(how.unit),
        reason="no_data",
        **facts,
    )


def mean_method(how: Inference) -> str:
    """Name the interval, and the test beside it."""
    error = "t" if not how.dependent else TWO_WAY
    if how.judges == "fixed" and len(how.clusters) == 1:
        error = "t, CR2 error"
    elif how.judges == "random" and not how.clusters:
        error = "t, two-way mean squares"
    if how.taken_off is not None:
        return f"{error}, with the error of the zero"
    return error if how.ci == "closed" else f"{HOW[how.ci]}; test: {error}"


def with_resampled_mean(
    row: Row, sample: UnitSample, within: tuple[float, float] = ANYWHERE
) -> Row:
    """Return the row of a mean with a bootstrap interval in place of its t interval."""
    values, codes = sample.parts()
    how = sample.how
    interval = mean_interval(
        values,
        np.ones(len(values)),
        codes,
        ci=how.ci,
        level=how.level,
        resamples=how.resamples,
        seed=how.seed,
        magnitude=how.magnitude,
    )
    low, high = float(interval.low[0]), float(interval.high[0])
    why = interval.undefined[0] or ("" if low < high else NO_WIDTH)
    return with_ends(row, low, high, how.level, why=why, within=within, interval=how.ci)


def d_z_row(term: str, group: str, sample: UnitSample, **facts: Any) -> Row:
    """Row of d_z: mean over standard deviation (n - 1) of the values of the units (interval: `d_z_hull`)."""
    values, n, level = sample.means, len(sample.unit), sample.how.level
    if not n:
        return empty_row(term, group, sample.how, method="mean / SD", **facts)
    plain = clustered_mean(values, np.ones(n), magnitude=sample.how.magnitude)
    row = Row(term=term, group=group, n=float(n), n_units=n, method="mean / SD", **facts)
    if plain.undefined:
        return replace(row, undefined=plain.undefined)
    if sample.how.dependent:
        return replace(row, estimate=plain.mean / plain.sd, undefined=DEPENDENT)
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

    A factor inside the units of analysis (or equal to them) is accounted for by taking one value per unit.

    Raises
    ------
    InputError
        For a factor that cuts across units of analysis, more than two factors, or more than one with drawn judges. Also
        for an interval that two crossed factors lack.
    """
    declared = cluster_factors(design, cluster)
    used = tuple(f for f in declared if not is_nested_in(f, unit))
    cutting = [f.name for f in used if not is_nested_in(unit, f)]
    if cutting:
        raise InputError(
            f"cluster {quoted(cutting)} holds parts of several {unit.name}s, which are the units of analysis. Use "
            f"{option('cluster', None)} and say so, or another {option('unit_of_analysis')}"
        )
    # drawn judges are crossed with the clusters, or with the units where there are none
    crossed = len(used) + (judges == "random") + (judges == "random" and not used)
    if crossed > 2:
        raise InputError(
            f"{option('judges', 'random')} takes one cluster factor beside the judges; name it with "
            f"{option('cluster')}"
        )
    if crossed == 2 and ci in ("bca", "studentized"):
        raise InputError(
            f"{option('ci', ci)} needs one factor, not two crossed ones; use 'closed', 'percentile' or "
            "'basic'"
        )
    # a unit of the design that belongs to each unit of analysis: the first one
    first = {int(code): k for k, code in reversed(list(enumerate(unit.codes.tolist())))}
    member = np.array([first.get(code, -1) for code in range(len(unit.levels))], dtype=np.int64)
    crossed_out = [
        factor
        for factor in design.clusters
        if not is_nested_in(factor, unit) and not is_nested_in(unit, factor)
    ]
    ignored = [c for c in cluster_cautions(design, (*used, unit)) if c.code == "SS201"]
    if ignored and crossed_out:
        ignored = [fixed_factors(crossed_out, unit)]
    few = [c for c in cluster_cautions(design, used) if c.code == "SS202"]
    return UnitClusters(
        factors=used, codes=tuple(f.codes[member] for f in used), cautions=(*ignored, *few)
    )


def few_units_cautions(units: int, how: Inference, judges: int) -> tuple[Caution, ...]:
    """Cautions SS312 (few units of analysis) and SS202 (few judges taken as drawn)."""
    cautions: tuple[Caution, ...] = ()
    if units > 1:
        message = f"{count(units, how.unit)}; t needs values close to normal"
        cautions = small_sample_caution(
            units,
            FEW_UNITS,
            message,
            affects="intervals, tests",
            fix=f"collect more {how.unit}s",
            basis=count(units, how.unit),
        )
    if how.judges == "random" and judges > 1:
        message = f"{count(judges, 'judge')} taken as drawn from all judges"
        fix = f"add judges, or use {option('judges', 'fixed')}"
        cautions = (
            *cautions,
            caution_of_few_clusters(
                message, affects="intervals", fix=fix, basis=count(judges, "judge")
            ),
        )
    return cautions
