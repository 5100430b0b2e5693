"""One resampling engine: resample weights x per-unit sufficient statistics, then a vectorised finish."""

from __future__ import annotations

from socialstats.resampling.engine import (
    METHODS,
    SCHEMES,
    Bootstrap,
    Interval,
    Jackknife,
    Method,
    Replicates,
    Scheme,
    StoredUnits,
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
    MaxT,
    bootstrap_draws,
    cluster_sums,
    flipped_sums,
    max_t,
    max_t_critical,
    normal_draws,
    permutation_test,
    sign_flip,
)

__all__ = [
    "ALTERNATIVES", "METHODS", "SCHEMES", "Alternative", "Bootstrap", "ChanceTest", "Interval", "Jackknife", "MaxT",
    "Method", "Replicates", "Scheme", "StoredUnits", "Units", "acceleration", "basic", "bca", "bootstrap",
    "bootstrap_draws", "choose", "cluster_sums", "flipped_sums", "jackknife", "max_t", "max_t_critical", "normal_draws",
    "order_quantile", "percentile", "permutation_test", "sign_flip", "studentized", "weight_blocks",
]  # fmt: skip
