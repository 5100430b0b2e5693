"""Weights of traits in a composite: those that are named, what they must be, and their variants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.instrument import (
    COLUMN,
    WEIGHT_NAMES,
    Instrument,
    declared,
    of_weights,
    published_instrument,
)
from socialstats.designs.tables import need_columns
from socialstats.errors import InputError, Problem
from socialstats.paired.pair_values import checked_number
from socialstats.tables import Table, as_number, read_table
from socialstats.text import as_given, meant, number, quoted, shorten
from socialstats.voice import option

COLUMNS = ("trait", "weight")  # what a table of weights has
TOTAL = 10.0  # sum of the absolute weights
CLOSE = 1e-9  # rounding allowed in sums of weights
STEP = 0.2  # share by which a variant changes one weight
PAPER = published_instrument("staged-values")
TRAIT_WEIGHTS: Mapping[str, float] = PAPER.weights
EQUAL_WEIGHTS: Mapping[str, float] = MappingProxyType(PAPER.equal)
NAMED_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    dict(zip(WEIGHT_NAMES, (TRAIT_WEIGHTS, EQUAL_WEIGHTS), strict=True))
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


def instrument_of_table(table: Table, weights: str | None) -> Instrument | None:
    """Return the instrument with which a table is read; None: that of the paper, which it does not declare.

    Parameters
    ----------
    table : Table
    weights : str or None
        Name of weights, or file of a table of them, which may declare the traits with the ends of their scale.

    Raises
    ------
    InputError
        Where nothing says which columns are the traits, or on which scale they are.
    """
    instrument = declared(table)
    named = None
    if weights is not None and weights not in NAMED_WEIGHTS:
        named = read_table(weights_file(weights))
        instrument = instrument or of_weights(named)
    if instrument is None and not set(PAPER.traits) & set(table.columns):
        message = f"no column '{COLUMN}' declares which traits were scored, and on which scale"
        fix = "Name a file with --weights FILE: columns trait, weight, low and high (the ends of the scale)."
        source = table.source if named is None else f"{table.source} with {named.source}"
        raise InputError(Problem(message=message, source=source, fix=fix))
    if named is not None:
        check_weights(named, instrument or PAPER)
    return instrument


def weights_file(path: str) -> str:
    """Return the path of a table of weights; a word that is neither a file nor a name is an error that lists these."""
    if not Path(path).exists():
        message = f"weights = '{shorten(path)}' is neither a file nor a named set ({', '.join(NAMED_WEIGHTS)})"
        fix = f"{meant(path, tuple(NAMED_WEIGHTS))}A file has columns 'trait' and 'weight'"
        raise InputError(Problem(message=message, fix=fix))
    return path


def check_weights(table: Table, instrument: Instrument) -> None:
    """Raise InputError for weights of other traits than an instrument has, or with the ends of another scale."""
    own = of_weights(table)
    if own is not None and own.scale != instrument.scale:
        low, high = map(as_given, instrument.scale)
        message = "low and high are the ends of another scale"
        fix = f"Write {low} and {high}, as the scores are declared, or leave both columns out."
        raise InputError(Problem(message=message, source=table.source, fix=fix))
    with_weights(instrument, read_weights(table), table.source)


def read_weights(given: Table | str) -> dict[str, float] | str:
    """Return weights from columns trait and weight, one row per trait; a name of weights as it is.

    Raises
    ------
    InputError
        For an unknown name, a trait with two weights, and a weight that is no number.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> read_weights(as_table({"trait": ["care", "order"], "weight": [1, -1]}, "weights"))
    {'care': 1.0, 'order': -1.0}
    """
    if isinstance(given, str):
        if given in NAMED_WEIGHTS:
            return given
        names = quoted(list(NAMED_WEIGHTS))
        raise InputError(f"weights '{shorten(given)}': choose from {names}, or name a file")
    need_columns(given, COLUMNS, "weights are one row per trait: trait, weight")
    columns = given.counts(list(COLUMNS)).columns
    cells = (columns[name].labels().mapped(str, "", object).tolist() for name in COLUMNS)
    weights: dict[str, float] = {}
    for trait, text in zip(*cells, strict=True):
        if trait in weights:
            raise InputError(
                f"{given.source}: trait '{shorten(trait)}' has two weights. Name each trait once"
            )
        value = as_number(text)
        if value is None:
            wrong = f"the weight of {shorten(trait)} is '{shorten(text)}', not a number"
            raise InputError(f"{given.source}: {wrong}")
        weights[trait] = value
    return weights


def with_weights(
    instrument: Instrument, weights: Mapping[str, float] | str | None, source: str = "weights"
) -> Instrument:
    """Return an instrument with other weights: a number for each trait, or a name of weights.

    Those of the paper's traits add up to 0, and their sizes to ten.

    Raises
    ------
    InputError
        For a trait that is not there, or has no weight.
    """
    if weights is None:
        return instrument
    traits, of_paper = instrument.traits, set(instrument.traits) == set(PAPER.traits)
    if weights == "equal":
        return replace(instrument, weights=instrument.equal)
    if isinstance(weights, str):
        if not of_paper:
            names = quoted(list(traits), 12)
            raise InputError(f"the weights '{weights}' are of other traits than {names}")
        return replace(instrument, weights=NAMED_WEIGHTS[weights])
    unknown = [trait for trait in weights if trait not in traits]
    lacking = [trait for trait in traits if trait not in weights]
    if unknown or lacking:
        wrong = f"no trait {quoted(unknown)}" if unknown else f"no weight of {quoted(lacking)}"
        hint = meant(unknown[0], lacking) if unknown else ""
        listed = f"Traits, each once (0 leaves one out): {', '.join(traits)}"
        raise InputError(f"{source}: {wrong}. {hint}{listed}")
    ordered = {trait: weights[trait] for trait in instrument.used}
    return replace(instrument, weights=checked_weights(ordered, free=not of_paper))
