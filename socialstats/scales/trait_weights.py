"""Weights of traits in a composite: those that are named, what they must be, and their variants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.instrument import published_instrument
from socialstats.errors import InputError
from socialstats.paired.pair_values import checked_number
from socialstats.text import number, shorten
from socialstats.voice import option

TOTAL = 10.0  # sum of the absolute weights
CLOSE = 1e-9  # rounding allowed in sums of weights
STEP = 0.2  # share by which a variant changes one weight
PAPER = published_instrument("staged-values")
TRAIT_WEIGHTS: Mapping[str, float] = PAPER.weights
EQUAL_WEIGHTS: Mapping[str, float] = MappingProxyType(PAPER.equal)
NAMED_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {"paper": TRAIT_WEIGHTS, "equal": EQUAL_WEIGHTS}
)


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
        For weights that are no finite numbers or all 0. Unless free, for a sum that is not 0 or absolute values that do
        not add up to ten.

    Examples
    --------
    >>> checked_weights({"openness": 5, "tradition": -5})
    {'openness': 5.0, 'tradition': -5.0}
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError(f"weights must map traits to numbers, not {weights!r}")
    weights = TRAIT_WEIGHTS if weights is None else weights
    checked = {
        str(trait): checked_number(weight, f"the weight of trait '{shorten(str(trait))}'")
        for trait, weight in weights.items()
    }
    if not any(checked.values()):
        raise InputError("weights: every weight is 0, or there is none")
    total, size = math.fsum(checked.values()), math.fsum(map(abs, checked.values()))
    if not free and (abs(total) > CLOSE or abs(size - TOTAL) > CLOSE):
        raise InputError(
            f"weights add up to {number(total, 3)} and their absolute values to {number(size, 3)}; they must add up to "
            f"0 and 10. Correct them, or say {option('free_weights', True)}"
        )
    return checked


def balance_sides(weights: FloatArray, reference: FloatArray) -> FloatArray:
    """Rescale positive and negative weights so that each side has the sum that it has in other weights.

    Examples
    --------
    >>> balance_sides(np.array([4.0, 1.0, -2.0]), np.array([3.0, 2.0, -5.0])).tolist()
    [4.0, 1.0, -5.0]
    """
    scaled = np.array(weights, dtype=np.float64)
    for sign in (1.0, -1.0):
        side = sign * scaled > 0
        if side.any():
            scaled[side] *= (
                np.abs(reference[sign * reference > 0]).sum() / np.abs(scaled[side]).sum()
            )
    return scaled


def weight_variants(weights: Mapping[str, float], *, free: bool = False) -> dict[str, FloatArray]:
    """Return other weights, by what was changed: all equal in size, each 20% up or down, each left out.

    Unless the weights are free, the positive and the negative ones are then rescaled to the sums that they had. The
    composite thus keeps its range. A variant that leaves one side without weights is left out, and a single weight
    has no variants.

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
    >>> {k: v.round(2).tolist() for k, v in weight_variants({"open": 5, "old": -4, "shy": -1}).items() if "old" in k}
    {"'old' +20%": [5.0, -4.14, -0.86], "'old' -20%": [5.0, -3.81, -1.19], "without 'old'": [5.0, 0.0, -5.0]}
    """
    original = np.array(list(weights.values()))
    size = np.abs(original).sum() / np.count_nonzero(original)
    variants = {"equal weights": np.sign(original) * size}
    for k, trait in enumerate(weights):
        if original[k] == 0:
            continue
        for change, name in (
            (1 + STEP, "'{}' +20%"),
            (1 - STEP, "'{}' -20%"),
            (0.0, "without '{}'"),
        ):
            factor = np.where(np.arange(len(original)) == k, change, 1.0)
            variants[name.format(trait)] = original * factor
    if free:
        return {name: w for name, w in variants.items() if np.any(w)}
    if np.count_nonzero(original) < 2:
        return {}
    signs = [sign for sign in (1.0, -1.0) if np.any(sign * original > 0)]
    return {
        name: balance_sides(w, original) + 0.0  # + 0.0: no negative zero
        for name, w in variants.items()
        if all(np.any(sign * w > 0) for sign in signs)
    }
