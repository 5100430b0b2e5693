"""What stands beside a table of staged values: control texts, which give the judges' own zero, and weights."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.metrics.trait_profile import control_composites, judge_zeros
from socialstats.models.traits import NAMED_WEIGHTS, TRAIT_WEIGHTS, checked_weights
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Table as Shown
from socialstats.tables import Table as DataTable
from socialstats.text import number, quoted, shorten

NEUTRAL = re.compile(r"(balanced|neutral)(?![a-z])", re.IGNORECASE)  # what the name of a neutral text starts with
COLUMNS = ("trait", "weight")


def controls_of(table: DataTable) -> Ratings:
    """Read control texts: columns text, judge and the traits.

    Raises
    ------
    InputError
        For a table without them; they are named in that file.
    """
    absent = [name for name in ("text", "judge", *TRAIT_WEIGHTS) if name not in table.columns]
    if absent:
        raise InputError(f"{table.source}: no column {quoted(absent)}; control texts are rows with columns text, judge "
                         "and the traits. Name them so in that file")  # fmt: skip
    return trait_ratings(table, traits=list(TRAIT_WEIGHTS), model=None, scenario="text", source=table.source)


def weights_of(given: DataTable | str) -> dict[str, float]:
    """Return weights by their name (paper, equal), or read them from columns trait and weight, one row a trait.

    Raises
    ------
    InputError
        For a name or a trait that does not exist, a trait without a weight or with two, and weights that are no
        numbers, do not add up to 0 or whose absolute values do not add up to ten.

    Examples
    --------
    >>> weights_of("equal")["openness"], weights_of("paper")["openness"]
    (1.0, 1.125)
    """
    if isinstance(given, str):
        if given not in NAMED_WEIGHTS:
            raise InputError(f"weights '{shorten(given)}': choose from {quoted(list(NAMED_WEIGHTS))}, or name a file")
        return dict(NAMED_WEIGHTS[given])
    absent = [column for column in COLUMNS if column not in given.columns]
    if absent:
        raise InputError(f"{given.source}: no column {quoted(absent)}; weights are one row a trait: trait, weight")
    cells = given.counts(list(COLUMNS))
    coded = [cells.columns[column].labels() for column in COLUMNS]
    traits, values = ([one.levels[k] if k >= 0 else "" for k in one.codes.tolist()] for one in coded)
    unknown, lacking = [t for t in traits if t not in TRAIT_WEIGHTS], [t for t in TRAIT_WEIGHTS if t not in traits]
    if unknown or lacking or len(set(traits)) < len(traits):
        said = f"no trait {quoted(unknown)}" if unknown else f"no weight of {quoted(lacking)}" if lacking else (
            "a trait has two weights")  # fmt: skip
        raise InputError(f"{given.source}: {said}. Traits, each once (0 leaves one out): {', '.join(TRAIT_WEIGHTS)}")
    found = {trait: number_of(value, trait, given.source) for trait, value in zip(traits, values, strict=True)}
    return checked_weights({trait: found[trait] for trait in TRAIT_WEIGHTS})


def number_of(text: str, trait: str, source: str) -> float:
    """Return a weight as a number.

    Raises
    ------
    InputError
    """
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{source}: the weight of {trait} is '{shorten(text)}', which is no number") from None


def with_zero(options: StudyOptions) -> StudyOptions:
    """Return the options with the judges' own zero under the weights asked for, where control texts give it.

    Texts whose name starts with balanced or neutral count; where there is none, all texts, as if each were neutral.
    """
    if options.controls is None or options.zero is not None:
        return options
    zero = judge_zeros(options.controls, weights=options.weights, texts=neutral_texts(options.controls))
    return replace(options, zero=zero)


def neutral_texts(controls: Ratings) -> list[str] | None:
    """Return the texts that are called neutral; None where no text is."""
    return [name for name in controls.strata["scenario"].levels if NEUTRAL.match(name.strip())] or None


def control_table(controls: Ratings, weights: Mapping[str, float] | None, level: float) -> Shown:
    """Return the composites of the control texts by judge, their mean with its interval, and the sd (n - 1)."""
    found = control_composites(controls, weights=weights)
    judges = list(next(iter(found.values())))
    cells = tuple((text, *(number(one[j]) for j in judges), *spread(list(one.values()), level))
                  for text, one in found.items())  # fmt: skip
    return Shown(
        caption="Composites of the control texts, by judge; mean over judges with its t interval, and their standard "
        "deviation (n − 1)",
        header=("Text", *(shorten(j, 30) for j in judges), "Mean", "Low", "High", "SD"), cells=cells,
    )  # fmt: skip


def spread(values: Sequence[float], level: float) -> tuple[str | None, ...]:
    """Return mean, both ends and standard deviation of the judges' composites, as they are printed."""
    mean = clustered_mean(np.array(values), np.ones(len(values)))
    if mean.undefined:
        return (number(mean.mean), None, None, number(mean.sd) if len(values) > 1 else None)
    low, high = mean.interval(level)
    return (number(mean.mean), number(low), number(high), number(mean.sd))
