"""Bradley-Terry models of paired comparisons."""

from socialstats.choices.bradley_terry.bootstrap import BradleyTerryBootstrap
from socialstats.choices.bradley_terry.difference import bradley_terry_difference
from socialstats.choices.bradley_terry.fit import (
    METRIC,
    bradley_terry,
    effect_sentence,
    strengths_sentence,
)
from socialstats.choices.bradley_terry.result import BradleyTerryResult

__all__ = [
    "METRIC",
    "BradleyTerryBootstrap",
    "BradleyTerryResult",
    "bradley_terry",
    "bradley_terry_difference",
    "effect_sentence",
    "strengths_sentence",
]
