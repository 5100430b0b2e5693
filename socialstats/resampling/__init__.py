"""One resampling engine: resample weights x per-unit sufficient statistics, then a vectorised finish."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socialstats.resampling.engine import (
        SCHEMES,
        Bootstrap,
        Jackknife,
        PlanUnits,
        Replicates,
        Scheme,
        StoredUnits,
        acceleration,
        bootstrap_sums,
        jackknife_sums,
        weight_blocks,
    )
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
    from socialstats.resampling.options import ALTERNATIVES, Alternative
    from socialstats.resampling.permutation import (
        ChanceTest,
        MaxT,
        bootstrap_draws,
        flipped_sums,
        max_t,
        max_t_critical,
        normal_draws,
        permutation_test,
        sign_flip_test,
        sum_cells_to_clusters,
    )

# name -> module that has it; modules load at first use
HOMES = {
    name: module
    for module, names in {
        "engine": "SCHEMES Bootstrap Jackknife PlanUnits Replicates Scheme StoredUnits "
        "acceleration bootstrap_sums jackknife_sums weight_blocks",
        "intervals": "METHODS Interval Method basic bca choose order_quantile percentile "
        "studentized",
        "options": "ALTERNATIVES Alternative",
        "permutation": "ChanceTest MaxT bootstrap_draws flipped_sums max_t max_t_critical "
        "normal_draws permutation_test sign_flip_test sum_cells_to_clusters",
    }.items()
    for name in names.split()
}

__all__ = [
    "ALTERNATIVES",
    "METHODS",
    "SCHEMES",
    "Alternative",
    "Bootstrap",
    "ChanceTest",
    "Interval",
    "Jackknife",
    "MaxT",
    "Method",
    "Replicates",
    "Scheme",
    "StoredUnits",
    "PlanUnits",
    "acceleration",
    "basic",
    "bca",
    "bootstrap_sums",
    "bootstrap_draws",
    "choose",
    "sum_cells_to_clusters",
    "flipped_sums",
    "jackknife_sums",
    "max_t",
    "max_t_critical",
    "normal_draws",
    "order_quantile",
    "percentile",
    "permutation_test",
    "sign_flip_test",
    "studentized",
    "weight_blocks",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
