"""One resampling engine: resample weights x per-unit sufficient statistics, then a vectorised finish."""

from __future__ import annotations

from socialstats.resampling.engine import (
    METHODS,
    Bootstrap,
    Interval,
    Jackknife,
    Method,
    Replicates,
    Units,
    acceleration,
    basic,
    bca,
    bootstrap,
    choose,
    jackknife,
    order_quantile,
    percentile,
    studentized,
    weight_blocks,
)
from socialstats.resampling.permutation import (
    ALTERNATIVES,
    Alternative,
    ChanceTest,
    cluster_sums,
    flipped_sums,
    max_t,
    max_t_critical,
    normal_draws,
    sign_flip,
)

__all__ = [
    "ALTERNATIVES", "METHODS", "Alternative", "Bootstrap", "ChanceTest", "Interval", "Jackknife", "Method",
    "Replicates", "Units", "acceleration", "basic", "bca", "bootstrap", "choose", "cluster_sums", "flipped_sums",
    "jackknife", "max_t", "max_t_critical", "normal_draws", "order_quantile", "percentile", "sign_flip", "studentized",
    "weight_blocks",
]  # fmt: skip
