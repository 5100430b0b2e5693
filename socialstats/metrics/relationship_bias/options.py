"""The options, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from socialstats.errors import InputError
from socialstats.inference.intervals import checked_level
from socialstats.models.couples import AGGREGATES, Aggregate
from socialstats.resampling.chance import checked_seed
from socialstats.resampling.intervals import check_resamples

CiName = Literal["closed", "percentile", "basic"]
CoupleRule = Literal["all", "complete"]
StratumRows = Literal["biases", "scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of `relationship_bias`, which documents them."""

    groups: tuple[str, ...] | None
    scenario: str
    pair: str
    group_first: str
    group_second: str
    answers: tuple[Any, ...]
    couples: CoupleRule
    aggregate: Aggregate
    stratum: str | None
    stratum_rows: StratumRows
    ci: CiName
    cluster: Any
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        checked_seed(self.seed)
        for name, allowed in (
            ("couples", get_args(CoupleRule)),
            ("aggregate", AGGREGATES),
            ("ci", get_args(CiName)),
            ("stratum_rows", get_args(StratumRows)),
        ):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name}={getattr(self, name)!r} is not one of {', '.join(allowed)}")
        if len(self.answers) != 2 or self.answers[0] == self.answers[1]:
            raise InputError(f"answers={self.answers!r} must be two different answers: the one that means the first "
                             "name and the one that means the second")  # fmt: skip
        check_resamples(self.resamples, self.level)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything, to be echoed in a result."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
