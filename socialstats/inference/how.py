"""How the uncertainty of a number is reckoned: the options that public functions share, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from socialstats.inference.intervals import checked_level
from socialstats.resampling.intervals import check_resamples
from socialstats.voice import check_allowed

RESAMPLED = ("percentile", "basic", "bca")
NAMES = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The kind of interval, and what it needs.

    Attributes
    ----------
    ci : str
        ``"closed"``, ``"wald"`` (estimate and error alone), or a bootstrap: ``"percentile"``, ``"basic"``, ``"bca"``.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); ``"declared"`` for all; None: single units.
    level : float
    resamples, seed : int
        Of a bootstrap.
    """

    ci: str
    cluster: str | Sequence[str] | None
    level: float
    resamples: int
    seed: int

    def check(self, allowed: Sequence[str]) -> None:
        """Raise InputError for an unknown interval, an impossible level, or too few resamples for it."""
        checked_level(self.level)
        check_allowed("ci", self.ci, allowed)
        if self.ci in RESAMPLED:
            check_resamples(self.resamples, self.level)

    @property
    def drawn(self) -> dict[str, Any]:
        """Return seed and number of resamples for the header of a result; empty without a bootstrap."""
        return {"seed": self.seed, "resamples": self.resamples} if self.ci in RESAMPLED else {}
