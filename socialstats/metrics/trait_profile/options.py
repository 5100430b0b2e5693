"""The options of a trait profile, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats.errors import InputError
from socialstats.inference.intervals import checked_level
from socialstats.models.judge_zeros import JudgeZeros
from socialstats.models.pair_values import checked_choice, checked_number
from socialstats.models.trait_answers import MISSING_TRAIT, Names
from socialstats.models.trait_weights import checked_weights
from socialstats.models.unit_means import CIS, JUDGES
from socialstats.text import quoted, shorten

UNITS = ("scenario", "model")
ACTIVATED = ("mean", "each")
ENTROPIES = ("nats", "bits")
BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose."""

    weights: Mapping[str, float]
    centre: float
    free_weights: bool
    stages: tuple[str, ...] | None
    baseline: str | None
    unit_of_analysis: str
    judges: str
    zero: float | Mapping[str, float] | None
    activation: float | None
    activated: str
    entropy: str | None
    missing_trait: str
    names: Names
    cluster: str | Sequence[str] | None
    ci: str
    level: float
    resamples: int
    seed: int


def checked_options(
    *, weights: Mapping[str, float] | None, centre: float, free_weights: bool, zero: Any, activation: float | None,
    stages: Sequence[str] | None, level: float, **others: Any,
) -> Options:  # fmt: skip
    """Check the options of `trait_profile`.

    Raises
    ------
    InputError
        Naming the value and what is allowed.
    """
    checked_level(level)
    allowed = {
        "unit_of_analysis": UNITS,
        "judges": JUDGES,
        "activated": ACTIVATED,
        "missing_trait": MISSING_TRAIT,
        "ci": CIS,
    }
    for name, choices in allowed.items():
        checked_choice(others[name], choices, name)
    if others["entropy"] is not None:
        checked_choice(others["entropy"], ENTROPIES, "entropy")
    middle = checked_number(centre, "centre")
    if not free_weights and middle <= 0:
        raise InputError(f"centre={centre!r}: scores run from 0 to twice the centre, so it must be above 0")
    used = checked_weights(weights, free=free_weights)
    return Options(
        weights=used, centre=middle, free_weights=free_weights, zero=checked_zero(zero, used, middle),
        activation=None if activation is None else checked_number(activation, "activation"),
        stages=None if stages is None else (stages,) if isinstance(stages, str) else tuple(stages), level=level,
        **others,
    )  # fmt: skip


def checked_zero(zero: Any, weights: Mapping[str, float], centre: float) -> float | Mapping[str, float] | None:
    """Return the judges' zero: one number, one a judge, or that of control texts under the weights of the composite.

    Raises
    ------
    InputError
    """
    if zero is None:
        return None
    if isinstance(zero, JudgeZeros):
        return replace(zero.under(weights), centre=centre)
    if not isinstance(zero, Mapping):
        return checked_number(zero, "zero")
    return {
        str(judge): checked_number(value, f"zero of judge '{shorten(str(judge))}'") for judge, value in zero.items()
    }


def zeros_of(zero: float | Mapping[str, float], judges: Sequence[str]) -> list[float]:
    """Return the zero of each judge.

    Raises
    ------
    InputError
        If a judge has none, or a name is no judge.
    """
    if not isinstance(zero, Mapping):
        return [zero] * len(judges)
    absent, extra = [j for j in judges if j not in zero], [j for j in zero if j not in judges]
    if absent or extra:
        said = f"no zero of judge {quoted(absent)}" if absent else f"{quoted(extra)} is no judge"
        raise InputError(f"zero: {said}. Judges: {quoted(judges, 10)}")
    return [zero[judge] for judge in judges]


def chosen_baseline(baseline: str | None, stages: Sequence[str]) -> str:
    """Return the stage that others are compared with: the one named, else ``baseline`` if there is one, else the first.

    Raises
    ------
    InputError
        If the stage is not there.
    """
    if baseline is None:
        return BASELINE if BASELINE in stages else stages[0]
    if baseline not in stages:
        raise InputError(f"baseline='{shorten(baseline)}' is no stage; stages: {quoted(stages, 20)}")
    return baseline


def spread_of_weights(options: Options) -> float:
    """Largest size that a composite can have (free weights: for scores up to twice the centre, at least 1)."""
    size = float(np.abs(list(options.weights.values())).sum())
    return max(1.0, size * abs(options.centre)) if math.isfinite(size) else 1.0
