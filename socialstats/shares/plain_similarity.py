"""The plain definition of Jensen-Shannon similarity: entropies of shares, and ratings left out one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.designs.parts import Factor
from socialstats.results import Result, Row
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    key_of_row,
    ways_to_leave_out,
)
from socialstats.shares.plain_ratings import PlainRatings

RESAMPLED = "errors of resamples, which are moved by the bias of the sample"
WITHIN = "the error within units has an allowance for the bias that is left"
MOST_PATTERNS = 200  # units with different counts, whose ratings are left out one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRows:
    """The rows of a source in a group of units.

    Attributes
    ----------
    corrected, plug_in : Row
    cells : tuple of str or None
        Strata over which divergences are averaged; None for all units at once.
    """

    corrected: Row
    plug_in: Row
    cells: tuple[str | None, ...]

    @property
    def source(self) -> str:
        """The source that is compared with the reference."""
        return str(self.corrected.label("source"))


def compared_rows(result: Result, ratings: PlainRatings) -> Iterator[ComparedRows]:
    """Yield the rows of each source in all units, in each stratum, and of the mean of the strata."""
    strata = tuple(str(cell) for cell in np.unique(ratings.cell.astype(str)).tolist())
    plug_in = {
        (row.label("source"), row.group): row for row in result.rows if row.role == "component"
    }
    for row in result.rows:
        if row.role != "estimate":
            continue
        cells: tuple[str | None, ...] = (row.group,)
        if row.group is not None and row.group not in strata:
            cells = strata
        uncorrected = plug_in[row.label("source"), row.group]
        yield ComparedRows(corrected=row, plug_in=uncorrected, cells=cells)


def divergence(counts: FloatArray) -> FloatArray:
    """Return the Jensen-Shannon divergence in bits of two lists of counts, (..., 2, levels) -> (...).

    It is the entropy of the mean of the shares, less the mean of their entropies (Lin 1991, eq. 4.1).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / counts.sum(axis=-1, keepdims=True)
    apart = entropy_of_shares(shares.mean(axis=-2)) - entropy_of_shares(shares).mean(axis=-1)
    return np.asarray(apart, dtype=np.float64)


def entropy_of_shares(shares: FloatArray) -> FloatArray:
    """Return the entropy of shares in bits, (..., levels) -> (...)."""
    logarithms = np.log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(-(shares * logarithms).sum(axis=-1))


def sample_similarities(result: Result) -> Iterator[PlainSample]:
    """Yield the ratings of each source and of the reference in each group of units."""
    ratings = PlainRatings.of(result, strata="cell")
    pooled = result.settings["aggregate"] == "pooled"
    if not pooled and ratings.has_probabilities.any():
        # within units single answers are left out, and probabilities have none
        return
    for rows in compared_rows(result, ratings):
        table = PairOfSources.of(result, ratings, rows)
        if pooled:
            yield table.pooled_sample(rows, result.settings["ci"])
        else:
            yield table.unit_sample(rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairOfSources:
    """What the reference and a source answered, by unit, cluster and person.

    Attributes
    ----------
    counts : (cells, strata, 2, levels) float64 array
        Ratings of the reference and of the source.
    unit : (cells,) int64 array
    stratum : (cells,) int64 array
    clusters : tuple of Factor
        Declared clusters, or the units.
    people : Factor or None
        Who gave the ratings, -1 for raters who are no sample.
    """

    counts: FloatArray
    unit: IntArray
    stratum: IntArray
    clusters: tuple[Factor, ...]
    people: Factor | None

    @classmethod
    def of(cls, result: Result, ratings: PlainRatings, rows: ComparedRows) -> PairOfSources:
        """Count the ratings of both sources in the strata of some rows."""
        sides = (result.settings["reference"], rows.source)
        inside = np.isin(ratings.source, sides)
        if rows.cells != (None,):
            inside &= np.isin(ratings.cell, np.array(rows.cells, dtype=object))
        clusters, people = ratings.factors(inside), ratings.people(inside)
        drawn = np.full(int(inside.sum()), -1) if people is None else people.codes
        columns = [ratings.unit[inside], drawn]
        cells, first, place = unique_rows(np.column_stack(columns))
        stratum = np.zeros(int(inside.sum()), dtype=np.int64)
        if len(rows.cells) > 1:
            stratum = np.array([rows.cells.index(cell) for cell in ratings.cell[inside]])
        side = (ratings.source[inside] == sides[1]).astype(np.int64)
        counts = np.zeros((len(cells), len(rows.cells), 2, ratings.shares.shape[1]))
        np.add.at(counts, (place, stratum, side), ratings.shares[inside])
        return cls(
            counts=counts,
            unit=cells[:, 0],
            stratum=stratum[first],
            clusters=tuple(at_places(factor, first) for factor in clusters),
            people=None if people is None else at_places(people, first),
        )

    def pooled_sample(self, rows: ComparedRows, ci: str) -> PlainSample:
        """Return the divergence of pooled shares, and the same less its bias by the jackknife."""
        bias = self.bias()
        keys = key_of_row(rows.plug_in), key_of_row(rows.corrected)

        def pooled(count: FloatArray) -> FloatArray:
            return np.asarray(divergence(np.tensordot(count, self.counts, 1)).mean(axis=-1))

        def similarities(count: FloatArray) -> dict[RowKey, float]:
            value = float(pooled(count))
            return dict(zip(keys, (1 - value, limited(1 - value + bias)), strict=True))

        return PlainSample(
            count=np.ones(len(self.counts)),
            plain=similarities,
            factors=self.clusters,
            people=self.people,
            left_out=pooled,
            no_errors="" if ci == "noncentral" else RESAMPLED,
        )

    def bias(self) -> float:
        """Return the bias of the mean divergence of the strata by units (clusters), and by people beside them.

        With G left out one by one it is G - 1 times the mean change (Quenouille 1956). Of crossed factors the biases
        add up, less that of their intersections.
        """
        biases = []
        for k in range(self.counts.shape[1]):
            counts = self.counts[:, k]
            touched = counts.sum(axis=(1, 2)) > 0
            crossed = [*self.clusters, *([] if self.people is None else [self.people])]
            ways = ways_to_leave_out([factor.codes[touched] for factor in crossed])
            by_way = [jackknife_bias(counts[touched], way) for way in ways]
            # the last way is the intersections of the others
            biases.append(by_way[0] if len(ways) == 1 else by_way[0] + by_way[1] - by_way[2])
        return float(np.mean(biases))

    def shared_units(self) -> tuple[FloatArray, IntArray]:
        """Return the (units, 2, levels) counts of the units that both sources rated, and their strata."""
        _, first, place = np.unique(self.unit, return_index=True, return_inverse=True)
        counts = np.zeros((len(first), *self.counts.shape[2:]))
        np.add.at(counts, place.ravel(), self.counts.sum(axis=1))
        shared = (counts.sum(axis=2) > 0).all(axis=1)
        return counts[shared], self.stratum[first][shared]

    def unit_sample(self, rows: ComparedRows) -> PlainSample:
        """Return the means over units of the divergence within the unit, and of the same less its bias."""
        counts, stratum = self.shared_units()
        values = np.column_stack([divergence(counts), corrected_divergences(counts)])

        def similarities(count: FloatArray) -> dict[RowKey, float]:
            inside = np.equal.outer(np.arange(len(rows.cells)), stratum)
            means = (inside * count) @ values / (inside @ count)[:, None]
            plug_in, corrected = 1 - means.mean(axis=0)
            return {
                key_of_row(rows.plug_in): float(plug_in),
                key_of_row(rows.corrected): limited(float(corrected)),
            }

        return PlainSample(count=np.ones(len(counts)), plain=similarities, no_errors=WITHIN)


def at_places(factor: Factor, places: IntArray) -> Factor:
    """Return a factor with its codes at some places."""
    return replace(factor, codes=factor.codes[places])


def limited(similarity: float) -> float:
    """Return a similarity cut at 0 and 1."""
    return min(max(similarity, 0.0), 1.0)


def jackknife_bias(counts: FloatArray, code: IntArray) -> float:
    """Return the bias of the divergence of (cells, 2, levels) counts, with each level of a code left out in turn."""
    drawn = code >= 0
    _, place = np.unique(code[drawn], return_inverse=True)
    groups = np.zeros((int(place.max()) + 1, *counts.shape[1:]))
    np.add.at(groups, place.ravel(), counts[drawn])
    total = counts.sum(axis=0)
    changes = divergence(total - groups) - divergence(total)
    return float((len(groups) - 1) * changes.mean())


def corrected_divergences(counts: FloatArray) -> FloatArray:
    """Return the divergence of each unit, less its bias by the second-order jackknife over the ratings of each source.

    Parameters
    ----------
    counts : (units, 2, levels) float64 array

    Returns
    -------
    (units,) float64 array
        NaN for units with a single rating of a source, and for all of too many different ones.
    """
    patterns, _, place = unique_rows(counts.reshape(len(counts), -1))
    if len(patterns) > MOST_PATTERNS:
        return np.full(len(counts), math.nan)
    pairs = patterns.reshape(-1, *counts.shape[1:]).astype(np.int64)
    values = np.array([corrected_divergence(*pair) for pair in pairs])
    corrected: FloatArray = values[place]
    return corrected


def corrected_divergence(first: IntArray, second: IntArray) -> float:
    """Return (n^2 d_0 - 2 (n - 1)^2 d_1 + (n - 2)^2 d_2) / 2 for both sources in turn (Schucany et al. 1971).

    d_r is the mean divergence over all ways to leave r of n ratings out.
    """
    if min(first.sum(), second.sum()) < 2:
        return math.nan
    weights = [(n**2 / 2, -((n - 1) ** 2), (n - 2) ** 2 / 2) for n in (first.sum(), second.sum())]
    value = 0.0
    for r, s in product(range(3), range(3)):
        weight = weights[0][r] * weights[1][s]
        # nothing is left out of what would then be empty
        if not weight:
            continue
        of_first, first_shares = ways_left(first, r)
        of_second, second_shares = ways_left(second, s)
        pairs = np.stack(np.broadcast_arrays(of_first[:, None], of_second[None]), axis=-2)
        value += weight * float(first_shares @ divergence(pairs) @ second_shares)
    return value


def ways_left(counts: IntArray, r: int) -> tuple[FloatArray, FloatArray]:
    """Return the (k, levels) counts that can be left without r of the ratings, and the share of the ways to do so."""
    removals = [
        removed
        for removed in product(*(range(min(int(n), r) + 1) for n in counts))
        if sum(removed) == r
    ]
    ways = [math.prod(map(math.comb, counts.tolist(), removed)) for removed in removals]
    left = counts.astype(np.float64) - np.array(removals)
    return left, np.array(ways) / math.comb(int(counts.sum()), r)


def ask_for_distances(result: Result) -> Iterator[PeerNumbers]:
    """Squares of scipy's Jensen-Shannon distances: plug-in similarities, and statistics of permutation tests."""
    from scipy.spatial.distance import jensenshannon

    ratings = PlainRatings.of(result, strata="cell")
    pooled = result.settings["aggregate"] == "pooled"
    if not pooled and ratings.has_probabilities.any():
        return
    for rows in compared_rows(result, ratings):
        if rows.plug_in.estimate is None:
            continue
        table = PairOfSources.of(result, ratings, rows)
        if pooled:
            counts = table.counts.sum(axis=0)
            stratum = np.arange(len(counts))
        else:
            counts, stratum = table.shared_units()
        distance = jensenshannon(counts[:, 0], counts[:, 1], axis=1, base=2)
        # scipy has no distance of shares that are equal but for rounding
        squares = np.nan_to_num(distance) ** 2
        value = float(np.mean([squares[stratum == k].mean() for k in np.unique(stratum)]))
        similarity = {"estimate": 1 - value}
        yield PeerNumbers(package="scipy", row=key_of_row(rows.plug_in), numbers=similarity)
        if rows.corrected.test == "permutation":
            tested = {"statistic": value}
            yield PeerNumbers(package="scipy", row=key_of_row(rows.corrected), numbers=tested)
