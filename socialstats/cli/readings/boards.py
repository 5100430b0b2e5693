"""Scores of models."""

from __future__ import annotations

from collections.abc import Iterator

from socialstats.cli.columns import Seen
from socialstats.cli.readings.proposal import Proposal


def score_tables(seen: Seen) -> Iterator[Proposal]:
    """Look for scores of models: one column called so; the study `leaderboard` reads every shape of them."""
    models = [c for c in seen.columns.values() if c.called(("model", "llm", "system", "engine")) and c.names_things]
    if len(models) == 1:
        yield Proposal("ratings", 8.2, "scores of models: a leaderboard", {"study": "leaderboard"})
