"""Instruments: what judges score, on which scales, and how the scores are put together."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from socialstats.designs.aliases import Fields, Given, Levels, Pair, Texts
from socialstats.errors import InputError, Problem
from socialstats.tables import Table, as_number
from socialstats.tables.toml_files import toml_of
from socialstats.text import meant, quoted, shorten

COLUMN = "trait_scales"
"""Column in which a table of scores declares its instrument, as JSON, the same in every row."""

WEIGHT_NAMES = ("paper", "equal")  # sets of weights: those published, and equal ones
Scale = tuple[float, float]
KEYS = (
    "traits",
    "scale",
    "further",
    "weights",
    "groups",
    "active",
    "stages",
    "baseline",
    "debrief",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """Traits that judges score on one scale, further scores beside them, and the stages at which they do.

    Attributes
    ----------
    traits : tuple of str
        Their names, which are columns of the table and keys of a judge's reply.
    scale : pair of float
        Lowest and highest score of a trait.
    further : mapping of str to pair of float
        Scores that are analysed alone, each with its scale.
    weights : mapping of str to float
        Weight of each trait in the composite; empty: the composite is the mean of all traits.
    groups : mapping of str to tuple of str
        Groups of traits by name.
    active : float or None
        Score from which a trait is active.
    stages : tuple of str
        All of them in their order; empty: as the table says.
    baseline, debrief : str
        Names of the stages before and after the play; empty: there is none.

    Examples
    --------
    >>> one = Instrument.read({"traits": ["care", "order"], "scale": [1, 7], "weights": {"care": 1, "order": -1}})
    >>> one.centre, one.used, one.read(one.facts()) == one
    (4.0, {'care': 1.0, 'order': -1.0}, True)
    """

    traits: Levels
    scale: Scale
    further: Mapping[str, Scale] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    groups: Mapping[str, Levels] = field(default_factory=dict)
    active: float | None = None
    stages: Levels = ()
    baseline: str = ""
    debrief: str = ""

    @classmethod
    def read(cls, values: Given, source: str = "instrument") -> Instrument:
        """Return the instrument that a mapping declares, such as a run file's.

        A weight of a group is that of its mean: it is spread evenly over the traits of the group.

        Raises
        ------
        InputError
            For everything that is wrong with it, key by key.
        """
        if problems := [
            Problem(message=message, source=source, fix=fix)
            for message, fix in _instrument_errors(values)
        ]:
            raise InputError(problems)
        groups = {name: tuple(members) for name, members in values.get("groups", {}).items()}
        further = {name: _pair(scale) for name, scale in values.get("further", {}).items()}
        active = values.get("active")
        return cls(
            traits=tuple(values["traits"]),
            scale=_pair(values["scale"]),
            further=further,
            weights=_trait_weights(values.get("weights", {}), values["traits"], groups),
            groups=groups,
            active=None if active is None else float(active),
            stages=tuple(values.get("stages", ())),
            baseline=values.get("baseline", ""),
            debrief=values.get("debrief", ""),
        )

    def facts(self) -> Fields:
        """Return what `read` reads, as JSON has it; what is empty is left out."""
        order = ("traits", "scale", "active", *KEYS[2:5], "stages", "baseline", "debrief")
        values = {name: as_lists(getattr(self, name)) for name in order}
        return {name: value for name, value in values.items() if value not in (None, "", [], {})}

    @property
    def names(self) -> Levels:
        """All scores of a judge: traits, then further scores."""
        return (*self.traits, *self.further)

    @property
    def centre(self) -> float:
        """Middle of the scale."""
        return sum(self.scale) / 2

    @property
    def used(self) -> dict[str, float]:
        """Weights of the composite: those declared, or else equal ones that add up to 1."""
        return dict(self.weights) or dict.fromkeys(self.traits, 1 / len(self.traits))

    @property
    def equal(self) -> dict[str, float]:
        """Weights of equal size, with the signs and the sum of sizes of those used; 0 stays 0."""
        used = self.used
        signs = {
            trait: math.copysign(1.0, weight) if weight else 0.0 for trait, weight in used.items()
        }
        size = math.fsum(map(abs, used.values())) / sum(map(abs, signs.values()))
        return {trait: sign * size for trait, sign in signs.items()}

    @property
    def play(self) -> Levels:
        """Stages between baseline and debrief."""
        return tuple(stage for stage in self.stages if stage not in (self.baseline, self.debrief))


@cache
@cache
def published_instrument(name: str) -> Instrument:
    """Return the instrument of a published study.

    Examples
    --------
    >>> paper = published_instrument("staged-values")
    >>> len(paper.traits), paper.scale, dict(paper.further)
    (10, (0.0, 20.0), {'commitment': (0.0, 5.0)})
    """
    raw = (Path(__file__).with_name("data") / "instruments.toml").read_bytes()
    values = toml_of(raw, "instruments.toml")[name]
    read = Instrument.read(values)
    weights = {trait: read.weights[trait] for trait in values["weights"]}
    return replace(
        read, weights=MappingProxyType(weights), further=MappingProxyType(dict(read.further))
    )


def declared(table: Table) -> Instrument | None:
    """Return the instrument that a table declares in its column `COLUMN`; None without such a column.

    Raises
    ------
    InputError
        Where rows declare different instruments, or what is declared cannot be read.
    """
    if COLUMN not in table.columns:
        return None
    declarations = table.counts([COLUMN]).columns[COLUMN].labels().levels
    message = (
        f"{len(declarations)} instruments are declared"
        if declarations
        else "no instrument is declared"
    )
    fix = "Analyse the rows of each instrument apart, or delete the column."
    if len(declarations) == 1:
        with suppress(ValueError):
            values = json.loads(declarations[0])
            if isinstance(values, dict):
                return Instrument.read(values, f"{table.source}, column '{COLUMN}'")
        message = f"'{shorten(declarations[0])}' declares no instrument"
        fix = "Write it as socialstats tidy does, or delete the column."
    raise InputError(Problem(message=message, source=table.source, column=COLUMN, fix=fix))


def of_weights(table: Table) -> Instrument | None:
    """Return the instrument that a table of weights declares: trait, weight, and low and high, the ends of the scale.

    None where it has no columns low and high.

    Raises
    ------
    InputError
        For scales that differ or are none.
    """
    if not {"trait", "low", "high"} <= set(table.columns):
        return None
    cells = table.counts(["trait", "low", "high"]).columns.values()
    traits, low, high = (column.labels().mapped(str, "", object).tolist() for column in cells)
    scales = sorted({*zip(low, high, strict=True)})
    if len(scales) > 1:
        message = f"scales {quoted([' to '.join(ends) for ends in scales])}"
        raise InputError(
            Problem(message=message, source=table.source, fix="All traits have one scale.")
        )
    scale = [end for end in map(as_number, scales[0]) if end is not None]
    return Instrument.read({"traits": [*dict.fromkeys(traits)], "scale": scale}, table.source)


def as_lists(value: Any) -> Any:
    """Return a value with lists and dicts for tuples and mappings."""
    if isinstance(value, Mapping):
        return {name: as_lists(inner) for name, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _pair(scale: Sequence[float]) -> Scale:
    low, high = scale
    return float(low), float(high)


def _trait_weights(
    weights: Mapping[str, float], traits: Texts, groups: Mapping[str, Texts]
) -> dict[str, float]:
    """Return the weight of each trait: its own, and its part of that of each group that it is in."""
    if not weights:
        return {}
    parts = {
        name: weights[name] / len(members) for name, members in groups.items() if name in weights
    }
    return {
        trait: float(weights.get(trait, 0.0))
        + math.fsum(part for name, part in parts.items() if trait in groups[name])
        for trait in traits
    }


def _instrument_errors(values: Given) -> Iterator[Pair]:
    """Yield what is wrong with a declaration, and how to mend it."""
    for name in values:
        if name not in KEYS:
            yield (
                f"unknown key '{shorten(str(name))}'",
                f"{meant(str(name), KEYS)}Known: {', '.join(KEYS)}.",
            )
    traits: Any = values.get("traits")
    groups = values.get("groups", {})
    further = values.get("further", {})
    if not _are_distinct_texts(traits):
        yield "traits: no list of names", 'Write traits = ["care", "fairness"].'
        return
    if not isinstance(groups, dict) or not isinstance(further, dict):
        yield (
            "groups and further are tables",
            'Write groups = { binding = ["loyalty", "authority"] }.',
        )
        return
    scales: Fields = {"scale": values.get("scale")} | {
        f"further.{score}": ends for score, ends in further.items()
    }
    for name, scale in scales.items():
        if not (_are_finite_numbers(scale) and len(scale) == 2 and scale[0] < scale[1]):
            yield (
                f"{name} = {shorten(repr(scale))} is no lowest and highest score",
                f"Write {name} = [0, 10].",
            )
    keys: dict[str, str] = {}
    for name in (*traits, *further):
        first_name = keys.setdefault(_reply_key(name), name)
        if not _reply_key(name):
            yield f"'{name}' is no name", "Name each score with a letter or a number."
        elif first_name is not name or [*traits, *further].count(name) > 1:
            yield (
                f"'{name}' and '{first_name}' are the same key of a reply",
                "Give each score a name of its own.",
            )
    for name, members in groups.items():
        lost = (
            [trait for trait in members if trait not in traits]
            if _are_distinct_texts(members)
            else ["nothing"]
        )
        if lost or name in traits:
            fault = "has the name of a trait" if name in traits else f"names {quoted(lost)}"
            yield f"group '{name}' {fault}", f"Traits: {', '.join(traits)}."
    yield from _wrong_weights(values.get("weights", {}), traits, groups)
    if values.get("active") is not None and not _are_finite_numbers([values["active"]]):
        yield (
            f"active = {shorten(repr(values['active']))} is no score",
            "Write the score from which a trait is active.",
        )
    stages = values.get("stages", [])
    if stages and not _are_distinct_texts(stages):
        yield "stages: no list of different names", 'Write stages = ["offer", "threat"].'


def _wrong_weights(weights: Any, traits: Texts, groups: Given) -> Iterator[Pair]:
    names = (*traits, *groups)
    if not isinstance(weights, dict) or not _are_finite_numbers([*weights.values()]):
        yield "weights: each is a finite number", "Write weights = { care = 1, authority = -1 }."
        return
    for name in [name for name in weights if name not in names]:
        fix = f"{meant(name, names)}There are: {', '.join(names)}."
        yield f"weights name '{shorten(name)}', which is neither a trait nor a group", fix
    weighed = {*weights}.union(*(members for name, members in groups.items() if name in weights))
    if weights and (bare := [trait for trait in traits if trait not in weighed]):
        yield (
            f"weights: none of {quoted(bare)}",
            "Give each trait a weight; 0 leaves it out of the composite.",
        )
    if weights and not any(weights.values()):
        yield "weights: every weight is 0", "Leave weights out where there are none."


def _are_distinct_texts(value: Any) -> bool:
    """Whether something is a list of different texts."""
    listed = isinstance(value, list | tuple) and bool(value)
    return (
        listed
        and all(isinstance(name, str) and name.strip() for name in value)
        and len({*value}) == len(value)
    )


def _are_finite_numbers(value: Any) -> bool:
    """Whether something is a list of finite numbers."""
    plain = isinstance(value, list | tuple) and {*map(type, value)} <= {int, float}
    return plain and all(map(math.isfinite, value))


def _reply_key(name: str) -> str:
    """Return a name as keys of replies are compared."""
    return unicodedata.normalize("NFC", name.strip(" :*_")).casefold()
