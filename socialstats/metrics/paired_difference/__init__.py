"""Mean difference of pairs."""

from socialstats.metrics.paired_difference.fit import METRIC, paired_difference

__all__ = ["METRIC", "paired_difference"]
