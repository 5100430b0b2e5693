"""One resampling engine: resample weights x per-unit sufficient statistics, then a vectorised finish."""

from __future__ import annotations

from socialstats.resampling.chance import ALTERNATIVES, Alternative, ChanceTest
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
from socialstats.resampling.jackknife import Jackknife, acceleration, jackknife
from socialstats.resampling.max_t import MaxT, bootstrap_draws, max_t, max_t_critical, normal_draws
from socialstats.resampling.permutation import permutation_test
from socialstats.resampling.sign_flip import cluster_sums, flipped_sums, sign_flip
from socialstats.resampling.units import SCHEMES, Scheme, Units, weight_blocks

__all__ = [
    "ALTERNATIVES", "METHODS", "SCHEMES", "Alternative", "Bootstrap", "ChanceTest", "Interval", "Jackknife", "MaxT",
    "Method", "Replicates", "Scheme", "Units", "acceleration", "basic", "bca", "bootstrap", "bootstrap_draws", "choose",
    "cluster_sums", "flipped_sums", "jackknife", "max_t", "max_t_critical", "normal_draws", "order_quantile",
    "percentile", "permutation_test", "sign_flip", "studentized", "weight_blocks",
]  # fmt: skip
