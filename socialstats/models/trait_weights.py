"""Weights of trait scores: checked, and varied one at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.text import number, shorten

TOTAL = 10.0
CLOSE = 1e-9
STEP = 0.2
TRAIT_WEIGHTS: Mapping[str, float] = MappingProxyType({
    "tradition": -1.125, "authority_deference": -1.125, "risk_aversion": -0.875, "individual_responsibility": -0.875,
    "moral_certainty": -1.0, "progress": 1.0, "egalitarianism": 1.125, "openness": 1.125,
    "collective_responsibility": 0.875, "nuanced_pragmatism": 0.875,
})  # fmt: skip

EQUAL_WEIGHTS: Mapping[str, float] = MappingProxyType({
    trait: math.copysign(TOTAL / len(TRAIT_WEIGHTS), weight) for trait, weight in TRAIT_WEIGHTS.items()
})  # fmt: skip
NAMED_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType({"paper": TRAIT_WEIGHTS, "equal": EQUAL_WEIGHTS})


def checked_weights(weights: Mapping[str, float] | None, *, free: bool = False) -> dict[str, float]:
    """Return weights by trait.

    Parameters
    ----------
    weights : mapping of str to float, or None
        None: `TRAIT_WEIGHTS`.
    free : bool
        Allow any sum and any size.

    Raises
    ------
    InputError
        For weights that are no finite numbers or all 0; unless free, for a sum that is not 0 or absolute values that
        do not add up to ten.

    Examples
    --------
    >>> checked_weights({"openness": 5, "tradition": -5})
    {'openness': 5.0, 'tradition': -5.0}
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError(f"weights must map traits to numbers, not {weights!r}")
    given = TRAIT_WEIGHTS if weights is None else weights
    for trait, weight in given.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not math.isfinite(weight):
            raise InputError(f"the weight of trait '{shorten(str(trait))}' must be a finite number, not {weight!r}")
    found = {str(trait): float(weight) for trait, weight in given.items()}
    if not any(found.values()):
        raise InputError("weights: every weight is 0, or there is none")
    total, size = math.fsum(found.values()), math.fsum(map(abs, found.values()))
    if not free and (abs(total) > CLOSE or abs(size - TOTAL) > CLOSE):
        raise InputError(
            f"weights add up to {number(total, 3)} and their absolute values to {number(size, 3)}; they must add up to "
            "0 and 10. Correct them, or say free_weights=True"
        )
    return found


def balanced(weights: FloatArray) -> FloatArray:
    """Rescale positive and negative weights to half of the total each (the sum is 0 again).

    Examples
    --------
    >>> balanced(np.array([4.0, 1.0, -2.0])).tolist()
    [4.0, 1.0, -5.0]
    """
    out = np.array(weights, dtype=np.float64)
    for side in (out > 0, out < 0):
        if side.any():
            out[side] *= TOTAL / 2 / np.abs(out[side]).sum()
    return out


def variants(weights: Mapping[str, float], *, free: bool = False) -> dict[str, FloatArray]:
    """Return other weights, by what was changed: all equal in size, each 20 % up or down, each left out.

    Unless the weights are free, the positive and the negative ones are rescaled to half of the total each afterwards,
    so that the composite keeps its range; a variant that leaves one side without weights does not exist.

    Parameters
    ----------
    weights : mapping of str to float
    free : bool

    Returns
    -------
    dict of str to (traits,) float64 array
        Traits in the order of `weights`.

    Examples
    --------
    >>> {k: v.round(2).tolist() for k, v in variants({"open": 5, "old": -4, "shy": -1}).items() if "old" in k}
    {"'old' +20 %": [5.0, -4.14, -0.86], "'old' -20 %": [5.0, -3.81, -1.19], "without 'old'": [5.0, 0.0, -5.0]}
    """
    own = np.array(list(weights.values()))
    size = np.abs(own).sum() / np.count_nonzero(own)
    made = {"equal weights": np.sign(own) * size}
    for k, trait in enumerate(weights):
        if own[k] == 0:
            continue
        for change, name in ((1 + STEP, "'{}' +20 %"), (1 - STEP, "'{}' -20 %"), (0.0, "without '{}'")):
            made[name.format(trait)] = own * np.where(np.arange(len(own)) == k, change, 1.0)
    if free:
        return {name: w for name, w in made.items() if np.any(w)}
    return {name: balanced(w) + 0.0 for name, w in made.items() if np.any(w > 0) and np.any(w < 0)}
