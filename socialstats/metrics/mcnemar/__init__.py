"""McNemar's tests of two paired proportions, with clusters leading where they are declared."""

from socialstats.metrics.mcnemar.entry import METRIC
from socialstats.metrics.mcnemar.fit import mcnemar

__all__ = ["METRIC", "mcnemar"]
