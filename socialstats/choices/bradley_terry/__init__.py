"""Bradley-Terry models of paired comparisons."""

from typing import TYPE_CHECKING, Any

from socialstats.choices.bradley_terry.fit import (
    METRIC,
    bradley_terry,
    effect_sentence,
    strengths_sentence,
)
from socialstats.choices.bradley_terry.result import BradleyTerryResult

if TYPE_CHECKING:
    from socialstats.choices.bradley_terry.difference import bradley_terry_difference

__all__ = [
    "METRIC",
    "BradleyTerryResult",
    "bradley_terry",
    "bradley_terry_difference",
    "effect_sentence",
    "strengths_sentence",
]


def __getattr__(name: str) -> Any:
    # one fit needs nothing of the comparison of two
    if name != "bradley_terry_difference":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from socialstats.choices.bradley_terry.difference import bradley_terry_difference

    return bradley_terry_difference
