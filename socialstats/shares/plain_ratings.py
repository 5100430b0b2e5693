"""Ratings by source for the plain definitions of shares: one row a rating, with what it counts for each level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import AnyArray, BoolArray, FloatArray, IntArray
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.results import Result

PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainRatings:
    """The ratings of a result, of units that stand for themselves.

    Attributes
    ----------
    unit, rater : (ratings,) int64 arrays
    source, cell : (ratings,) object arrays
        Source of the rater, and the stratum of the unit.
    shares : (ratings, levels) float64 array
        1 for the level of a rating, or the probabilities of a reply.
    weight : (ratings,) float64 array
        Sampling weight of the unit.
    person : (ratings,) bool array
        Given by one of several people of a source who are a sample.
    has_probabilities : (ratings,) bool array
    clusters : tuple of Factor
        Declared clusters, with a code for each rating.
    levels : tuple of str
    """

    unit: IntArray
    rater: IntArray
    source: AnyArray
    cell: AnyArray
    shares: FloatArray
    weight: FloatArray
    person: BoolArray
    has_probabilities: BoolArray
    clusters: tuple[Factor, ...]
    levels: tuple[str, ...]

    @classmethod
    def of(cls, result: Result, strata: str = "stratum") -> PlainRatings:
        """Read the ratings of a result; `strata` is the setting that names the strata of units."""
        design: Ratings = result.design
        settings = result.settings
        status = design.status
        rated = (status == OK) | ((status == REFUSAL) & (settings["refusal"] == "level"))
        sources = source_of_raters(design, settings["source"])
        has_source = np.array([source is not None for source in sources], dtype=bool)
        rated = rated & has_source[design.rater]
        # units that stand for several alike ones are written out, each with its number
        times = design.unit_count.astype(np.int64)
        first_number = np.cumsum(times) - times
        rows = np.flatnonzero(rated)
        copies = times[design.unit[rows]]
        numbers = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
        rows = np.repeat(rows, copies)
        of_unit, rater = design.unit[rows], design.rater[rows]
        source = sources[rater]
        weights = np.ones(len(times)) if design.unit_weight is None else design.unit_weight
        has_probabilities = np.zeros(len(rows), dtype=bool)
        if design.probabilities is not None:
            has_probabilities |= ~np.isnan(design.probabilities[rows]).any(axis=1)
        factors = design.factors(settings["cluster"])
        clusters = tuple(factor_at(factor, of_unit) for factor in factors)
        cell = cells_of_units(design, settings[strata])[of_unit]
        return cls(
            unit=first_number[of_unit] + numbers,
            rater=rater,
            source=source,
            cell=cell,
            shares=level_shares(design, rows),
            weight=weights[of_unit],
            person=is_sampled(result, rater, source),
            has_probabilities=has_probabilities,
            clusters=clusters,
            levels=design.levels,
        )

    def inside(self, source: str | None, cell: str | None) -> BoolArray:
        """Return which ratings are of a source and a stratum, (ratings,); None is all of them."""
        inside = np.ones(len(self.unit), dtype=bool)
        if source is not None:
            inside &= self.source == source
        if cell is not None:
            inside &= self.cell == cell
        return inside

    def hits(self, level: str) -> FloatArray:
        """Return what each rating counts for a level; a refusal is the last one."""
        named = level in self.levels
        column: FloatArray = self.shares[:, self.levels.index(level) if named else -1]
        return column

    def factors(self, inside: BoolArray) -> tuple[Factor, ...]:
        """Return the declared clusters of some ratings, or their units."""
        units = Factor(name="unit", codes=self.unit, levels=())
        return tuple(
            factor_at(factor, np.flatnonzero(inside)) for factor in self.clusters or [units]
        )

    def people(self, inside: BoolArray) -> Factor | None:
        """Return the people among the raters of some ratings, -1 for others; None without any."""
        if not (self.person & inside).any():
            return None
        codes = np.where(self.person, self.rater, -1)[inside]
        return Factor(name=PERSON, codes=codes, levels=())


def factor_at(factor: Factor, places: AnyArray) -> Factor:
    """Return a factor with its codes at some places."""
    return Factor(name=factor.name, codes=factor.codes[places], levels=factor.levels)


def source_of_raters(design: Ratings, name: str) -> AnyArray:
    """Return the source of each rater, None without one; all raters are one source where there is no name."""
    raters = np.array(design.raters, dtype=object)
    if not name:
        return np.full(
            len(raters), "all raters" if len(raters) > 1 else "this source", dtype=object
        )
    return design.rater_groups[name].labels() if name in design.rater_groups else raters


def cells_of_units(design: Ratings, names: Any) -> AnyArray:
    """Return the stratum of each unit, the levels of several strata joined; None without strata."""
    declared = {factor.name: factor for factor in design.clusters} | dict(design.strata)
    used = [names] if isinstance(names, str) else list(names or ())
    if not used:
        return np.full(len(design.units), None, dtype=object)
    parts = list(zip(*(declared[name].labels().tolist() for name in used), strict=True))
    joined = [", ".join(part) for part in parts]
    # 'a, b' and 'c' against 'a' and 'b, c'
    if len(set(joined)) < len(set(parts)):
        joined = [" | ".join(map(repr, part)) for part in parts]
    return np.array(joined, dtype=object)


def level_shares(design: Ratings, rows: IntArray) -> FloatArray:
    """Return 1 for the level of each rating, or its probabilities, (ratings, levels); a refusal is one level more."""
    shares = np.zeros((len(rows), len(design.levels) + 1))
    shares[design.status[rows] == REFUSAL, -1] = 1.0
    rated = design.status[rows] == OK
    shares[rated, :-1] = design.read_as()[rows[rated]]
    return shares


def is_sampled(result: Result, rater: IntArray, source: AnyArray) -> BoolArray:
    """Return which ratings are of one of several people of a source who are a sample."""
    names = np.array(result.design.raters, dtype=object)[rater]
    sampled = np.isin(names, list(result.extras.get("people", ())))
    for name in set(source.tolist()):
        inside = source == name
        # a single rater is no sample of people
        if len(np.unique(rater[inside])) < 2:
            sampled[inside] = False
    return sampled
