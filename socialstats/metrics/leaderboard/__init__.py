"""Means, differences and ranks of models on the same units, by task and pooled."""

from socialstats.metrics.leaderboard.fit import METRIC, leaderboard
from socialstats.metrics.leaderboard.ranks import LeaderboardResult

__all__ = ["METRIC", "LeaderboardResult", "leaderboard"]
