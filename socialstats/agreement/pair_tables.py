"""Pairs of raters for the plain definition of kappa: who gave which unit which level, as a table of each pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from socialstats.agreement.kappa import pair_names
from socialstats.agreement.rating_tables import level_table, strata_of
from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.designs.parts import Factor
from socialstats.results import Result
from socialstats.results.definitions import DisagreementParts

LEAST_CHANCE = 1e-12  # disagreement by chance, as a share of the units, that is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainPairs:
    """The units of all, or of a stratum, by the levels that two raters of every pair gave them.

    Attributes
    ----------
    codes : (cells, raters) int64 array
        Level of each rater; -1 for none.
    count : (cells,) float64 array
        Units in each cell.
    factors : tuple of Factor
    pairs : mapping of str to pair of int
        Raters of each pair, by its name.
    disagreement : (levels, levels) float64 array
    """

    codes: IntArray
    count: FloatArray
    factors: tuple[Factor, ...]
    pairs: Mapping[str, tuple[int, int]]
    disagreement: FloatArray

    def rated(self, pair: tuple[int, int]) -> BoolArray:
        """Return whether both raters of a pair rated the units of a cell, (cells,)."""
        first, second = self.codes[:, pair].T
        return np.asarray((first >= 0) & (second >= 0))

    def rated_by_any(self, pairs: Sequence[tuple[int, int]]) -> BoolArray:
        """Return whether both raters of any of some pairs rated the units of a cell, (cells,)."""
        rated = np.zeros(len(self.count), dtype=bool)
        for pair in pairs:
            rated |= self.rated(pair)
        return rated

    def table(self, pair: tuple[int, int], count: FloatArray) -> FloatArray:
        """Return the units by the levels of two raters, (levels, levels)."""
        rated = self.rated(pair)
        first, second = self.codes[rated][:, pair].T
        table = np.zeros_like(self.disagreement)
        np.add.at(table, (first, second), count[rated])
        return table

    def disagreements(self, count: FloatArray) -> FloatArray:
        """Return units of each pair, their disagreement, and that by chance from its margins, (pairs, 3)."""
        sums = np.zeros((len(self.pairs), 3))
        for k, pair in enumerate(self.pairs.values()):
            table = self.table(pair, count)
            n = table.sum()
            chance = table.sum(axis=1) @ self.disagreement @ table.sum(axis=0)
            sums[k] = n, (table * self.disagreement).sum(), chance / (n or 1.0)
        return sums


def plain_pairs(result: Result) -> Iterator[tuple[str | None, PlainPairs]]:
    """Yield the pairs of raters of all units, and of each stratum."""
    design, settings = result.design, result.settings
    disagreement = 1 - np.asarray(result.extras["weights"])
    # two raters by name, or all of them
    names_two = not isinstance(settings["pairs"], str)
    raters = list(settings["pairs"] if names_two else design.raters)
    places = [design.raters.index(rater) for rater in raters]
    table = level_table(design, settings["refusal"])[:, places]
    names = {name: pair for pair, name in pair_names(raters).items()}
    factors = design.factors(settings["cluster"])
    for group, among in strata_of(design, settings["stratum"]):
        units = np.flatnonzero(among & ((table >= 0).sum(axis=1) >= 2))
        columns = [factor.codes[units] for factor in factors]
        keys = np.column_stack([*columns, table[units]])
        # cells ascend by clusters and levels, in the order in which the library draws them
        cells, _, place = unique_rows(keys)
        count = np.bincount(place, design.unit_count[units], len(cells))
        of_cells = [replace(factor, codes=cells[:, k]) for k, factor in enumerate(factors)]
        pairs = PlainPairs(
            codes=cells[:, len(factors) :],
            count=count.astype(np.float64),
            factors=tuple(of_cells),
            pairs=names,
            disagreement=disagreement,
        )
        yield group, pairs


def has_chance(sums: FloatArray) -> BoolArray:
    """Return which pairs have a disagreement by chance that is more than rounding."""
    n, _, chance = sums.T
    return np.asarray(chance > LEAST_CHANCE * n)


def disagreement_parts(units: PlainPairs, pairs: Sequence[tuple[int, int]]) -> DisagreementParts:
    """Return the disagreement within units over some pairs of raters, and that by chance, as shares of the largest."""
    apart, weight = np.zeros(len(units.count)), np.zeros(len(units.count))
    for pair in pairs:
        rated = units.rated(pair)
        first, second = units.codes[rated][:, pair].T
        apart[rated] += units.disagreement[first, second]
        weight[rated] += 1
    # nothing disagrees where there is one level
    largest = float(units.disagreement.max()) or 1.0
    of_pairs = replace(units, pairs={str(pair): pair for pair in pairs})
    chance = of_pairs.disagreements(units.count)[:, 2].sum()
    n_pairs = float(units.count @ weight)
    return DisagreementParts(
        within=apart / np.where(weight > 0, weight, 1.0) / largest,
        weight=weight,
        expected=float(chance) / n_pairs / largest if n_pairs else math.nan,
    )
