"""Standard deviation over wordings of a question, and its change over stages."""

from socialstats.metrics.paraphrase_spread.fit import METRIC, paraphrase_spread

__all__ = ["METRIC", "paraphrase_spread"]
