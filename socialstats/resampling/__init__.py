"""One resampling engine: resample weights x per-unit sufficient statistics, then a vectorised finish."""

from __future__ import annotations

from socialstats.resampling.engine import Bootstrap, Replicates, bootstrap
from socialstats.resampling.intervals import (
    METHODS,
    Interval,
    Method,
    basic,
    bca,
    choose,
    order_quantile,
    percentile,
    studentized,
)
from socialstats.resampling.jackknife import Jackknife, jackknife
from socialstats.resampling.units import SCHEMES, Scheme, Units, weight_blocks

__all__ = [
    "METHODS", "SCHEMES", "Bootstrap", "Interval", "Jackknife", "Method", "Replicates", "Scheme", "Units", "basic",
    "bca", "bootstrap", "choose", "jackknife", "order_quantile", "percentile", "studentized", "weight_blocks",
]  # fmt: skip
