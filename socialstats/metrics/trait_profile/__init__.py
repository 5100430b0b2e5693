"""Weighted composite of trait scores, by model and stage."""

from socialstats.metrics.trait_profile.fit import METRIC, trait_profile
from socialstats.metrics.trait_profile.zero import control_composites, judge_zeros

__all__ = ["METRIC", "control_composites", "judge_zeros", "trait_profile"]
