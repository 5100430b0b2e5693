"""Ends of intervals that a harness may have printed."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np

from socialstats.claims.formulas import ERRORS, Formula
from socialstats.claims.samples import Sample
from socialstats.inference.intervals import critical_value
from socialstats.inference.proportions import wilson
from socialstats.resampling.units import FloatArray

Side = Literal["conf_low", "conf_high"]
SPREADS = ("plain", "population", "clustered", "clustered_plain", "share", "macro", "halves")
SIGN = {"conf_low": -1, "conf_high": 1}
OURS = 4000
SEED = 20260101
NORMAL_FROM = 20_000  # units: skewness moves an end by 0.1 standard errors at p = 0.001, within the error allowed
CHUNK = 2_000_000  # numbers drawn at a time


def end(sample: Sample, column: str, *, side: Side, spread: str, quantile: str) -> float:
    """Mean plus or minus the quantile times a standard error."""
    error = ERRORS[spread].compute(sample, column)
    if quantile == "z":
        reach = critical_value(sample.level)
    else:
        groups = len(np.unique(sample.columns[column])) if column else sample.n
        if groups < 2:
            return math.nan
        reach = critical_value(sample.level, groups - 1)
    return float(sample.value.mean()) + SIGN[side] * reach * error


def wilson_end(sample: Sample, column: str, *, side: Side) -> float:
    """Wilson's (1927) end for scores of 0 and 1."""
    if not np.isin(sample.value, (0.0, 1.0)).all():
        return math.nan
    low, high = wilson(np.array([sample.value.mean()]), np.array([float(sample.n)]), level=sample.level)
    return float((low if side == "conf_low" else high)[0])


def resampled_means(sample: Sample, column: str) -> FloatArray:
    """Means of our own resamples of values, or of whole clusters; the seed is fixed."""
    rng = np.random.default_rng(SEED)
    code = np.unique(sample.columns[column], return_inverse=True)[1] if column else np.arange(sample.n)
    size, sums = np.bincount(code).astype(np.float64), np.bincount(code, sample.value)
    groups, means = len(size), []
    step = max(1, min(OURS, CHUNK // groups))
    for start in range(0, OURS, step):
        drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=min(step, OURS - start)).astype(np.float64)
        means.append(drawn @ sums / (drawn @ size))
    return np.concatenate(means)


def percentile_end(sample: Sample, column: str, *, side: Side) -> float:
    """Percentile of our own resamples; of the normal distribution for so many units that the two agree."""
    tail = (1 - sample.level) / 2
    groups = len(np.unique(sample.columns[column])) if column else sample.n
    if groups > NORMAL_FROM:
        return end(sample, column, side=side, spread="clustered_plain" if column else "population", quantile="z")
    return float(np.quantile(resampled_means(sample, column), tail if side == "conf_low" else 1 - tail))


def ends(side: Side) -> dict[str, Formula]:
    """Return the formulas of one end of an interval."""
    found = {}
    for spread in SPREADS:
        base = ERRORS[spread]
        for quantile, words in (("t", "t quantile"), ("z", "normal quantile")):
            found[f"{spread}_{quantile}"] = Formula(
                words=f"mean ∓ {words} × s.e. ({base.words})", by_column=base.by_column, random=base.random,
                compute=partial(end, side=side, spread=spread, quantile=quantile),
            )  # fmt: skip
    found["wilson"] = Formula(words="Wilson's interval", compute=partial(wilson_end, side=side))
    found["percentile"] = Formula(
        words="percentiles of a bootstrap of single values", compute=partial(percentile_end, side=side), random=True
    )
    found["percentile_clustered"] = Formula(
        words="percentiles of a bootstrap of whole {column}", compute=partial(percentile_end, side=side),
        by_column=True, random=True,
    )  # fmt: skip
    return found
