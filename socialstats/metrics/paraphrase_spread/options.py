"""The options of a spread over wordings, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from socialstats.errors import InputError
from socialstats.inference.intervals import checked_level
from socialstats.models.pair_values import checked_choice, checked_number
from socialstats.models.trait_answers import MISSING_TRAIT, Names
from socialstats.models.trait_weights import checked_weights
from socialstats.models.unit_means import CIS
from socialstats.resampling import ALTERNATIVES, Alternative

UNITS = ("scenario", "model", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose, checked."""

    weights: Mapping[str, float] | None
    centre: float
    free_weights: bool
    stages: tuple[str, ...] | None
    change: tuple[str, str] | None
    unit_of_analysis: str
    alternative: Alternative
    missing_trait: str
    names: Names
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    seed: int


def checked_options(
    *, weights: Mapping[str, float] | None, centre: float, free_weights: bool, stages: Sequence[str] | None,
    change: Sequence[str] | None, level: float, names: Names, **others: Any,
) -> Options:  # fmt: skip
    """Check the options of `paraphrase_spread`."""
    checked_level(level)
    allowed = {"unit_of_analysis": UNITS, "alternative": ALTERNATIVES, "missing_trait": MISSING_TRAIT, "ci": CIS}
    for name, choices in allowed.items():
        checked_choice(others[name], choices, name)
    if names.trait is None and weights is not None:
        raise InputError("weights= need traits; with trait=None the values themselves are compared")
    if change is not None and (isinstance(change, str) or len(set(change)) != 2 or len(change) != 2):
        raise InputError(f"change must name two different stages, not {change!r}")
    used = None if names.trait is None else checked_weights(weights, free=free_weights)
    return Options(
        weights=used, centre=checked_number(centre, "centre"), free_weights=free_weights, names=names,
        stages=None if stages is None else (stages,) if isinstance(stages, str) else tuple(stages),
        change=None if change is None else (change[0], change[1]), level=level, **others,
    )  # fmt: skip
