"""Whom does a model side with? Scores, biases and position effects of couples asked in both orders."""

from socialstats.metrics.relationship_bias.entry import METRIC
from socialstats.metrics.relationship_bias.fit import relationship_bias

__all__ = ["METRIC", "relationship_bias"]
