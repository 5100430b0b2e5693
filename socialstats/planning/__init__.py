"""What is decided before the data are seen: families of tests, power, and how much to collect."""

from __future__ import annotations

from socialstats.planning.adjusting import adjust
from socialstats.planning.clustered_mean import power_clustered_mean
from socialstats.planning.mcnemar import power_mcnemar
from socialstats.planning.paired_t import power_paired_t
from socialstats.planning.plan import PlanResult

__all__ = ["PlanResult", "adjust", "power_clustered_mean", "power_mcnemar", "power_paired_t"]
