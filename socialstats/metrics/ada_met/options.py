"""Options of ADA-Met."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from socialstats.errors import InputError
from socialstats.inference.intervals import checked_level
from socialstats.models.alignment_resampling import Rules
from socialstats.models.modes import MODE_TIES, REFUSAL_RULES
from socialstats.resampling.intervals import check_resamples

AlignmentCi = Literal["two_way", "centred", "percentile", "basic"]
CIS: tuple[str, ...] = get_args(AlignmentCi)
Unparsed = Literal["exclude", "refusal"]
UNPARSED: tuple[str, ...] = get_args(Unparsed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentOptions:
    """Options of `ada_met`."""

    reference: str | None
    source: str
    ties: str
    refusal: Any
    unparsed: str
    group: str | None
    stratum: str | None
    ci: str
    cluster: str | Sequence[str] | None
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        for name, allowed in (("ties", MODE_TIES), ("unparsed", UNPARSED), ("ci", CIS)):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        is_number = isinstance(self.refusal, int | float) and not isinstance(self.refusal, bool)
        if not (self.refusal in REFUSAL_RULES if not is_number else math.isfinite(self.refusal) and self.refusal >= 0):
            raise InputError(
                f"refusal={self.refusal!r} is not one of {', '.join(REFUSAL_RULES)}, or a distance of 0 or more"
            )
        if self.group is not None and self.group in (self.stratum, self.source):
            raise InputError(f"group='{self.group}' is the stratum or the source too; name an attribute of the raters")
        check_resamples(self.resamples, self.level)

    @property
    def rules(self) -> Rules:
        """What counts as the mode, and as the distance of a refusal."""
        return Rules(ties=self.ties, refusal=self.refusal if isinstance(self.refusal, str) else float(self.refusal))

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
