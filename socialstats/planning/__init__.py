"""What is decided before the data are seen: families of tests, power, and how much to collect."""

from __future__ import annotations

from socialstats.planning.adjusting import adjust
from socialstats.planning.builders import Items, design_items
from socialstats.planning.plan import PlanResult
from socialstats.planning.power import power_clustered_mean, power_mcnemar, power_paired_t

__all__ = [
    "Items",
    "PlanResult",
    "adjust",
    "design_items",
    "power_clustered_mean",
    "power_mcnemar",
    "power_paired_t",
]
