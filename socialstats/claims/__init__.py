"""Another tool's number against ours: the definitions tried, and a verdict."""

from __future__ import annotations

from socialstats.claims.types import KEYS, Claim, Log, Quantity, Status

__all__ = ["Claim", "Log", "KEYS", "Quantity", "Status"]
