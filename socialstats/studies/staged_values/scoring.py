"""The instrument of a table: which traits are scored, how they are weighted, and in which order the stages stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from socialstats.designs.instrument import COLUMN, Instrument, declared, of_weights
from socialstats.designs.ratings import Ratings
from socialstats.designs.tables import need_columns
from socialstats.errors import InputError, Problem
from socialstats.scales.trait_weights import NAMED_WEIGHTS, PAPER, checked_weights
from socialstats.studies.page import StudyOptions
from socialstats.studies.staged_values.words import ordered_stages
from socialstats.tables import Table, read_table
from socialstats.text import as_given, meant, quoted, shorten

WEIGHTS = ("trait", "weight")
PLAIN = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def instrument_for(table: Table, weights: str | None) -> Instrument | None:
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
    found = declared(table)
    named = None if weights is None or weights in NAMED_WEIGHTS else read_table(existing(weights))
    found = found or (None if named is None else of_weights(named))
    if found is None and not set(PAPER.traits) & set(table.columns):
        message = f"no column '{COLUMN}' declares which traits were scored, and on which scale"
        fix = "Name a file with --weights FILE: columns trait, weight, low and high (the ends of the scale)."
        source = table.source if named is None else f"{table.source} with {named.source}"
        raise InputError(Problem(message=message, source=source, fix=fix))
    if named is not None:
        check_weights(named, found or PAPER)
    return found


def existing(path: str) -> str:
    """Return the path of a table of weights; a word that is neither a file nor a name is an error that lists these."""
    if not Path(path).exists():
        message = f"weights = '{shorten(path)}' is neither a file nor a named set ({', '.join(NAMED_WEIGHTS)})"
        fix = f"{meant(path, tuple(NAMED_WEIGHTS))}A file has columns 'trait' and 'weight'"
        raise InputError(Problem(message=message, fix=fix))
    return path


def check_weights(table: Table, instrument: Instrument) -> None:
    """Raise InputError for weights of other traits than an instrument has, or with the ends of another scale."""
    told = of_weights(table)
    if told is not None and told.scale != instrument.scale:
        low, high = map(as_given, instrument.scale)
        fix = f"Write {low} and {high}, as the scores are declared, or leave both columns out."
        raise InputError(
            Problem(
                message="low and high are the ends of another scale", source=table.source, fix=fix
            )
        )
    with_weights(instrument, weights_of(table), table.source)


def weights_of(given: Table | str) -> dict[str, float] | str:
    """Return weights from columns trait and weight, one row per trait; a name of weights as it is.

    Raises
    ------
    InputError
        For an unknown name, a trait with two weights, and a weight that is no number.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> weights_of(as_table({"trait": ["care", "order"], "weight": [1, -1]}, "weights"))
    {'care': 1.0, 'order': -1.0}
    """
    if isinstance(given, str):
        if given not in NAMED_WEIGHTS:
            raise InputError(
                f"weights '{shorten(given)}': choose from {quoted(list(NAMED_WEIGHTS))}, or name a file"
            )
        return given
    need_columns(given, WEIGHTS, "weights are one row per trait: trait, weight")
    cells = given.counts(list(WEIGHTS))
    coded = [cells.columns[column].labels() for column in WEIGHTS]
    traits, values = (
        [one.levels[k] if k >= 0 else "" for k in one.codes.tolist()] for one in coded
    )
    if twice := next((trait for k, trait in enumerate(traits) if trait in traits[:k]), None):
        raise InputError(
            f"{given.source}: trait '{shorten(twice)}' has two weights. Name each trait once"
        )
    found = {}
    for trait, value in zip(traits, values, strict=True):
        try:
            found[trait] = float(value)
        except ValueError:
            said = f"the weight of {shorten(trait)} is '{shorten(value)}', not a number"
            raise InputError(f"{given.source}: {said}") from None
    return found


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
    paper = set(instrument.traits) == set(PAPER.traits)
    if isinstance(weights, str):
        if weights == "paper" and not paper:
            raise InputError(
                f"the weights 'paper' are of other traits than {quoted(list(instrument.traits), 12)}"
            )
        return replace(
            instrument, weights=PAPER.weights if weights == "paper" else instrument.equal
        )
    unknown = [trait for trait in weights if trait not in instrument.traits]
    lacking = [trait for trait in instrument.traits if trait not in weights]
    if unknown or lacking:
        said = f"no trait {quoted(unknown)}" if unknown else f"no weight of {quoted(lacking)}"
        hint = meant(unknown[0], lacking) if unknown else ""
        raise InputError(
            f"{source}: {said}. {hint}Traits, each once (0 leaves one out): {', '.join(instrument.traits)}"
        )
    checked = checked_weights({trait: weights[trait] for trait in instrument.used}, free=not paper)
    return replace(instrument, weights=checked)


def instrument_of(design: Ratings) -> Instrument:
    """Return the instrument of a design: as declared, else that of the paper."""
    return design.instrument or PAPER


def scoring(instrument: Instrument) -> dict[str, Any]:
    """Return how metrics are told what the composite is."""
    return {
        "weights": instrument.used,
        "score_range": instrument.scale,
        "centre": instrument.centre,
    }


def further_of(design: Ratings) -> tuple[str, ...]:
    """Return the scores beside the traits that a design has."""
    return tuple(
        name for name in instrument_of(design).further if name in design.strata["trait"].levels
    )


def anchor(design: Ratings, name: str) -> str:
    """Return the anchor of the block of a further score: its name where an address can have it.

    Examples
    --------
    >>> PLAIN.fullmatch("commitment") is not None, PLAIN.fullmatch("nach hinten") is None
    (True, True)
    """
    plain = PLAIN.fullmatch(name) is not None and name not in TAKEN
    return name if plain else f"score-{1 + further_of(design).index(name)}"


TAKEN = {
    "lean",
    "changes",
    "trajectories",
    "agreement",
    "judges",
    "stances",
    "replies",
    "wordings",
    "traits",
    "units",
    "activation",
    "weights",
    "multiverse",
    "trait-changes",
    "models",
    "differences",
    "answer",
    "data",
    "methods",
}
"""Anchors of other parts of the page."""


def stages_of(design: Ratings) -> tuple[str, ...]:
    """Return the stages in the order declared; without one as `ordered_stages`."""
    levels, order = design.strata["stage"].levels, instrument_of(design).stages
    if not order:
        return ordered_stages(levels)
    return (
        *(stage for stage in order if stage in levels),
        *(stage for stage in levels if stage not in order),
    )


def played(design: Ratings, stages: Sequence[str], options: StudyOptions) -> dict[str, Any]:
    """Return the baseline, and the stages of the play where these are declared."""
    instrument, base = instrument_of(design), options.reference
    if not instrument.stages:
        return {"baseline": base}
    base = base or (instrument.baseline if instrument.baseline in stages else stages[0])
    return {
        "baseline": base,
        "interaction": tuple(one for one in instrument.play if one in stages and one != base),
    }
