"""Tables of ratings for the plain definitions of agreement: who gave which unit which level.

The metrics count patterns of ratings. These tables have each unit and each rater, so that a definition can be read off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.designs.parts import OK, REFUSAL, Factor
from socialstats.designs.ratings import Ratings
from socialstats.results import Result
from socialstats.results.definitions import DisagreementParts, PlainSample, RowKey

NO_RATING = -1
ROUNDING = 1e-12  # relative rounding error of a tolerance in decimals
MOST_NUMBERS = 20_000_000  # units times levels of a table of tallies


def level_table(design: Ratings, refusal: str) -> IntArray:
    """Return the level that each rater gave each unit, -1 for none.

    Parameters
    ----------
    design : Ratings
    refusal : {"missing", "level"}
        "level": a refusal is one level more.

    Returns
    -------
    (units, raters) int64 array
    """
    table = np.full((len(design.units), len(design.raters)), NO_RATING, dtype=np.int64)
    rated = design.status == OK
    table[design.unit[rated], design.rater[rated]] = design.value[rated]
    if refusal == "level":
        refused = design.status == REFUSAL
        table[design.unit[refused], design.rater[refused]] = len(design.levels)
    return table


def level_counts(table: IntArray, levels: int) -> FloatArray:
    """Return how many raters gave each unit each level, (units, levels)."""
    counts = [(table == level).sum(axis=1) for level in range(levels)]
    return np.column_stack(counts).astype(np.float64)


def agrees(design: Ratings, tolerance: float, levels: int) -> FloatArray:
    """Return 1 where two levels are at most `tolerance` apart, (levels, levels); a refusal agrees with itself."""
    # a refusal, the level after the last, is near itself alone
    scores = np.append(design.scores, np.inf)[:levels]
    with np.errstate(invalid="ignore"):
        near = np.abs(scores[:, None] - scores) <= tolerance * (1 + ROUNDING)
    np.fill_diagonal(near, val=True)
    matrix: FloatArray = near.astype(np.float64)
    return matrix


def strata_of(design: Ratings, name: str | None) -> Iterator[tuple[str | None, BoolArray]]:
    """Yield all units, then the units of each level of a stratum, as (units,) arrays."""
    yield None, np.ones(len(design.units), dtype=bool)
    if name is not None:
        factor = design.strata[name] if name in design.strata else design.factors(name)[0]
        for code, level in enumerate(factor.levels):
            yield level, factor.codes == code


def pair_agreement(table: IntArray, near: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of a unit's pairs of ratings that agree, NaN without a pair, and its pairs.

    Returns
    -------
    tuple of two (units,) arrays
    """
    counts = level_counts(table, len(near))
    n = counts.sum(axis=1)
    pairs = n * (n - 1) / 2
    # a rating is no pair with itself, and near has 1 on its diagonal
    agreeing = (np.einsum("uc,cd,ud->u", counts, near, counts) - n) / 2
    return np.where(pairs > 0, agreeing / np.where(pairs > 0, pairs, 1), np.nan), pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tallies:
    """How many raters gave the units of each cell each level.

    Attributes
    ----------
    table : (cells, levels) float64 array
    count : (cells,) float64 array
        Units in each cell.
    factors : tuple of Factor
        Clusters of the cells.
    """

    table: FloatArray
    count: FloatArray
    factors: tuple[Factor, ...]

    @property
    def size(self) -> FloatArray:
        """Ratings of a unit of each cell, (cells,)."""
        sums: FloatArray = self.table.sum(axis=1)
        return sums

    def units(self) -> FloatArray:
        """Return the table with a row for each unit."""
        rows: FloatArray = np.repeat(self.table, self.count.astype(np.int64), axis=0)
        return rows

    def agreement(self, weights: FloatArray) -> FloatArray:
        """Return the mean weight of two ratings of a unit, (cells,); 0 where a unit has one rating."""
        size = self.size
        # a rating agrees fully with itself, and is no pair with itself
        agreeing = ((self.table @ weights) * self.table).sum(axis=1) - size
        shares: FloatArray = agreeing / np.where(size > 1, size * (size - 1), 1.0)
        return shares


def tallies_of(result: Result, *, least: int) -> Iterator[tuple[str | None, Tallies]]:
    """Yield the tallies of all units, and of the units of each stratum, that have at least so many ratings.

    A coefficient of more units times levels than `MOST_NUMBERS` has none.
    """
    design, settings = result.design, result.settings
    n_levels = len(design.levels) + 1
    if len(design.units) * n_levels > MOST_NUMBERS:
        return
    counts_refusals = settings["refusal"] == "level"
    rated = (design.status == OK) | ((design.status == REFUSAL) & counts_refusals)
    # a refusal is one level more
    level = np.where(design.status == OK, design.value, len(design.levels))
    table = np.zeros((len(design.units), n_levels))
    np.add.at(table, (design.unit[rated], level[rated]), 1.0)
    factors = design.factors(settings["cluster"])
    for group, among in strata_of(design, settings["stratum"]):
        entering = np.flatnonzero(among & (table.sum(axis=1) >= least))
        if not len(entering):
            continue
        tallies, count = table[entering], design.unit_count[entering]
        if not factors:
            tallies, count = alike_rows(tallies, count)
        of_units = tuple(factor.take(entering) for factor in factors)
        yield group, Tallies(table=tallies, count=count, factors=of_units)


def alike_rows(table: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the different rows, in the order in which they first occur, and the units that have them."""
    _, first, place = unique_rows(table)
    order = np.argsort(first)
    units = np.bincount(place, count, len(first)).astype(np.float64)
    return table[first[order]], units[order]


def sample_of_chance_corrected(
    result: Result,
    term: str,
    chance: Callable[[FloatArray, FloatArray], float],
) -> Iterator[PlainSample]:
    """Yield the samples of (observed - chance) / (1 - chance) agreement, of all units and of each stratum.

    Parameters
    ----------
    result : Result
        Its extras have the weights of pairs of levels.
    term : str
    chance : function of (levels,) shares and (levels, levels) weights
        Returns the agreement that is expected by chance.
    """
    weights = np.asarray(result.extras["weights"])
    for group, tallies in tallies_of(result, least=1):
        yield chance_corrected_sample((group, term), tallies, weights, chance)


def chance_corrected_sample(
    key: RowKey,
    tallies: Tallies,
    weights: FloatArray,
    chance: Callable[[FloatArray, FloatArray], float],
) -> PlainSample:
    """Return the sample of one coefficient of `sample_of_chance_corrected`."""
    tallies = replace(tallies, table=tallies.table[:, : len(weights)])
    agreement, paired = tallies.agreement(weights), (tallies.size > 1).astype(np.float64)
    shares = tallies.table / tallies.size[:, None]
    paired_share = tallies.count @ paired / tallies.count.sum()
    linear = (key[0], f"{key[1]} with the share of units with two ratings as it is")

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        by_chance = chance(count @ shares / count.sum(), weights)
        if 1 - by_chance <= ROUNDING:
            return {key: np.nan, linear: np.nan}
        observed = count @ agreement / (count @ paired)
        beyond_chance = count @ (agreement - by_chance * paired) / count.sum() / paired_share
        return {
            key: float((observed - by_chance) / (1 - by_chance)),
            linear: float(beyond_chance / (1 - by_chance)),
        }

    expected = 1 - chance(tallies.count @ shares / tallies.count.sum(), weights)
    parts = DisagreementParts(within=paired - agreement, weight=paired, expected=expected)
    return PlainSample(
        count=tallies.count,
        plain=estimates,
        factors=tallies.factors,
        alike=tallies.table,
        # Gwet (2014, section 5.3) takes the share of units with two ratings as known
        linear={key: linear},
        disagreements={key: parts},
        cost=cost_of_levels(len(weights)),
    )


def cost_of_levels(levels: int) -> float:
    """Return how much longer than a mean a coefficient takes that goes through all pairs of levels."""
    return 1 + levels**2 / 20
