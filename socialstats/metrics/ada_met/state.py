"""One table of ADA-Met on its way to rows: the answers, what is resampled, and how an interval is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution
from socialstats.inference.dependence import cluster_factors
from socialstats.inference.intervals import critical_values, two_sided_p
from socialstats.inference.rows import with_ends
from socialstats.metrics.ada_met.options import AlignmentOptions
from socialstats.models.alignment import Answers, collect, source_of
from socialstats.models.alignment_variance import Spread
from socialstats.resampling import basic, percentile
from socialstats.resampling.engine import Replicates
from socialstats.results import Row

NO_UNIT = "no unit has an answer of this model that counts and a mode of the reference"
FIXED = "all resamples give the same value, so there is no interval"
CONSTANT = "no unit differs from another and no person makes a difference, so there is no interval"
OUTSIDE = "the interval leaves the estimate out: the modes of the resamples are noisier; use ci='centred'"
METHODS = {
    "two_way": "t of people and units", "centred": "two-way bootstrap, centred percentile",
    "percentile": "two-way bootstrap, percentile", "basic": "two-way bootstrap, basic",
}  # fmt: skip
SMALL = 1e-12  # of a scale's step: a standard error below is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """A design with its joined answers.

    Attributes
    ----------
    reference : str
        Label of the source that is the reference.
    factors : tuple of Factor
        Clusters of the units, over all units of the design.
    clusters : tuple of (units,) int64 arrays
        The same over the units compared.
    """

    design: Ratings
    options: AlignmentOptions
    source: Factor
    reference: str
    answers: Answers
    factors: tuple[Factor, ...]

    @classmethod
    def of(cls, design: Ratings, options: AlignmentOptions) -> State:
        """Join the answers."""
        source, code = source_of(design, options.source, options.reference)
        answers = collect(design, source, code, options.unparsed)
        factors = cluster_factors(design, options.cluster)
        return cls(
            design=design, options=options, source=source, reference=source.levels[code], answers=answers,
            factors=factors,
        )  # fmt: skip

    @property
    def clusters(self) -> tuple[IntArray, ...]:
        """Clusters of the units compared."""
        return tuple(factor.codes[self.answers.unit] for factor in self.factors)

    @property
    def models(self) -> list[str]:
        """Labels of the models."""
        return [self.design.raters[m] for m in self.answers.models.tolist()]

    @property
    def leverage(self) -> float:
        """Largest share of the units that one cluster holds, or of the answers that one person gave."""
        given = self.answers.table.sum(axis=1)
        return max(float((given / given.sum()).max()), *(
            float(np.bincount(codes, self.answers.weight).max() / self.answers.weight.sum()) for codes in
            self.clusters or (np.arange(len(self.answers.unit)),)
        ))  # fmt: skip

    def no_resampling(self, people: int) -> str:
        """Return why this many people and these units cannot be resampled, or an empty text."""
        for factor, codes in zip(self.factors, self.clusters, strict=True):
            if len(np.unique(codes)) < 2:
                return f"a single level of the cluster '{factor.name}': no interval"
        if self.answers.weight.sum() < 2:
            return "a single unit: no interval"
        return "" if people > 1 else "a single reference rater: no interval"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
    """Estimates with their intervals, one a column.

    Attributes
    ----------
    value, std_error, low, high : (m,) float64 arrays
    undefined : tuple of str
    size : (m,) float64 array
        Units behind each estimate.
    bias : (m,) float64 array
        Mean of the resamples minus the estimate.
    caution : Caution or None
        SS204.
    df : (m,) float64 array or None
        Degrees of freedom of a t interval.
    least : float or None
        What the quantity cannot be below.
    """

    value: FloatArray
    std_error: FloatArray
    low: FloatArray
    high: FloatArray
    undefined: tuple[str, ...]
    size: FloatArray
    bias: FloatArray
    caution: Caution | None
    df: FloatArray | None = None
    least: float | None = 0.0

    def tested(self, j: int, row: Row) -> Row:
        """Row with t, degrees of freedom and two-sided p that it is 0; where there is an interval."""
        if self.df is None or row.conf_low is None or row.estimate is None or row.std_error is None:
            return row
        t, df = row.estimate / row.std_error, float(self.df[j])
        return replace(row, statistic=t, df=df, p_value=float(two_sided_p(np.array([t]), df)[0]))

    def facts(self, state: State) -> dict[str, float | None]:
        """Return the least degrees of freedom of a t interval, and the largest share of one cluster or person."""
        known = [] if self.df is None else [
            df for df, why in zip(self.df.tolist(), self.undefined, strict=True) if not why and df > 0
        ]  # fmt: skip
        return {"effective_df": min(known, default=None), "largest_leverage": state.leverage}

    def row(self, j: int, state: State, *, term: str, group: str | None, **more: Any) -> Row:
        """Row of one estimate."""
        made: dict[str, Any] = {"term": term, "group": group, "n": float(self.size[j]), "n_units": int(self.size[j])}
        if state.factors:
            made["n_clusters"] = min(len(np.unique(codes)) for codes in state.clusters)
        if np.isnan(self.value[j]):
            return Row(**made, undefined=NO_UNIT)
        made["estimate"] = float(self.value[j])
        if self.std_error[j] > 0:
            made["std_error"] = float(self.std_error[j])
        made |= {"method": METHODS[state.options.ci]} | more
        within = (-math.inf if self.least is None else self.least, math.inf)
        low, high = float(self.low[j]), float(self.high[j])
        return with_ends(Row(**made), low, high, state.options.level, why=self.undefined[j], within=within)


def without_interval(value: FloatArray, size: FloatArray, why: str) -> Estimates:
    """Estimates that cannot be resampled."""
    none = np.full(len(value), np.nan)
    return Estimates(
        value=value,
        std_error=none,
        low=none,
        high=none,
        undefined=(why,) * len(value),
        size=size,
        bias=none,
        caution=None,
    )


def with_t(
    value: FloatArray, size: FloatArray, spread: Spread, options: AlignmentOptions, *, least: float | None = 0.0
) -> Estimates:
    """Estimates with t intervals; `least` is what the quantity cannot be below."""
    fixed = ~(spread.error > SMALL)
    reach = critical_values(options.level, np.where(spread.df > 0, spread.df, np.nan)) * spread.error
    return Estimates(
        value=value, std_error=np.where(fixed, 0.0, spread.error), low=value - reach, high=value + reach,
        undefined=tuple(CONSTANT if one else "" for one in fixed.tolist()), size=size, bias=spread.bias, caution=None,
        df=spread.df, least=least,
    )  # fmt: skip


def with_intervals(
    value: FloatArray, size: FloatArray, replicates: FloatArray, options: AlignmentOptions, *, least: float | None = 0.0
) -> Estimates:
    """Estimates with the intervals that `ci` names; `least` is what the quantity cannot be below."""
    boot = Replicates(estimate=value, replicates=replicates, n_degenerate=np.isnan(replicates).sum(axis=0))
    some = ~np.all(np.isnan(replicates), axis=0)
    bias = np.where(some, boot.bias, np.nan)
    found = (basic if options.ci == "basic" else percentile)(boot, level=options.level)
    move = bias if options.ci == "centred" else np.zeros(len(value))
    low, high = found.low - move, found.high - move
    if least is not None:
        low, high = np.maximum(low, least), np.maximum(high, least)  # before looking for an interval without width
    outside = ~((low <= value) & (value <= high)) | (low == high)
    constant = boot.is_constant
    why = tuple(
        text or (FIXED if flat else OUTSIDE if out else "")
        for text, flat, out in zip(found.undefined, constant.tolist(), outside.tolist(), strict=True)
    )
    error = np.where(constant, 0.0, boot.std_error)
    return Estimates(
        value=value, std_error=error, low=low, high=high, undefined=why, size=size, bias=bias,
        caution=boot.caution("intervals"), least=least,
    )  # fmt: skip


def first(cautions: Sequence[Caution | None]) -> tuple[Caution, ...]:
    """Cautions that are there, each once."""
    seen = {(c.code, c.detail): c for c in cautions if c is not None}
    return tuple(seen.values())
