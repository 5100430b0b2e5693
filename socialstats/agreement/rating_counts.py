"""Ratings of each unit by level, and units with the same ratings counted together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from socialstats.arrays import FloatArray, IntArray, scale_free
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import REFUSALS, REFUSED
from socialstats.voice import check_allowed

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NO_PAIR = "no unit has two ratings: agreement needs two or more raters of the same unit"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingCounts:
    """Ratings of each unit by level.

    Attributes
    ----------
    unit, level : (triplets,) int64 arrays
        Sorted by unit, then level; each combination once.
    n : (triplets,) float64 array
        How many raters gave the unit this level; at least 1.
    size : (units,) float64 array
        Ratings of each unit.
    copies : (units,) float64 array
        How many alike units each stands for.
    index : (units,) int64 array
        Position of each unit in the design.
    levels : tuple of str
    scores : (levels,) float64 array
    """

    unit: IntArray
    level: IntArray
    n: FloatArray
    size: FloatArray
    copies: FloatArray
    index: IntArray
    levels: tuple[str, ...]
    scores: FloatArray

    @property
    def n_units(self) -> int:
        """Units, alike ones counted."""
        return int(self.copies.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings in these units."""
        return int(self.copies @ self.size)

    @property
    def margins(self) -> FloatArray:
        """(levels,) float64 array: how often each level was given."""
        weights = self.n * self.copies[self.unit]
        return np.bincount(self.level, weights=weights, minlength=len(self.levels)).astype(
            np.float64
        )

    @property
    def varies(self) -> bool:
        """Return whether more than one level was given."""
        return bool(np.any(self.level != self.level[:1]))

    @property
    def agrees(self) -> bool:
        """Return whether all ratings of a unit are the same, in every unit."""
        return len(self.unit) == len(self.size)

    def table(self) -> csr_array:
        """Counts as a sparse (units, levels) array."""
        return self.sparse(self.n)

    def sparse(self, values: FloatArray) -> csr_array:
        """Place a value of each triplet into a sparse (units, levels) array."""
        return sparse_by_rows(values, self.unit, self.level, (len(self.size), len(self.levels)))

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each triplet over the triplets of each unit."""
        return np.bincount(self.unit, weights=values, minlength=len(self.size)).astype(np.float64)

    def keep(self, mask: Any) -> RatingCounts:
        """Some of the units."""
        kept_units = np.flatnonzero(mask)
        # -1 for units that are left out
        new_index = np.full(len(self.size), -1, dtype=np.int64)
        new_index[kept_units] = np.arange(len(kept_units))
        is_kept = new_index[self.unit] >= 0
        return replace(
            self,
            unit=new_index[self.unit[is_kept]],
            level=self.level[is_kept],
            n=self.n[is_kept],
            size=self.size[kept_units],
            copies=self.copies[kept_units],
            index=self.index[kept_units],
        )


def sparse_by_rows(
    values: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]
) -> csr_array:
    """Make a sparse array of values whose rows are ascending, without sorting them again."""
    from scipy.sparse import csr_array

    # indptr of the compressed rows
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
    return csr_array((values, column, start), shape=shape)


def rating_counts(design: Ratings, *, refusal: str = "missing") -> RatingCounts:
    """Count the ratings of each unit by level; units without a rating are left out.

    Parameters
    ----------
    design : Ratings
    refusal : {"missing", "level"}
        What a refusal is: no rating, or the last level, even without refusals. The latter is for nominal levels only,
        as a refusal has no place in an order.

    Raises
    ------
    InputError
        For an unknown option.
    """
    unit, _, value, levels = select_ratings(design, refusal)
    scores = scale_free(design.scores)
    # a level of refusals comes last
    scores = np.append(scores, scores.max(initial=-1.0) + 1)[: len(levels)]
    # one key for each combination of unit and level
    keys, n = np.unique(unit * len(levels) + value, return_counts=True)
    index, unit = np.unique(keys // max(len(levels), 1), return_inverse=True)
    size = np.bincount(unit, weights=n, minlength=len(index)).astype(np.float64)
    return RatingCounts(
        unit=unit.astype(np.int64),
        level=keys % max(len(levels), 1),
        n=n.astype(np.float64),
        size=size,
        copies=design.unit_count[index],
        index=index.astype(np.int64),
        levels=levels,
        scores=np.asarray(scores, dtype=np.float64),
    )


class CountedRatings(NamedTuple):
    """Unit, rater and level of the ratings that count, each (ratings,), and the levels with that of refusals."""

    unit: IntArray
    rater: IntArray
    level: IntArray
    levels: tuple[str, ...]


def select_ratings(design: Ratings, refusal: str) -> CountedRatings:
    """Return the ratings that count, refused ones as missing or as a level of their own."""
    check_allowed("refusal", refusal, REFUSALS)
    refused = design.status == REFUSAL
    if refusal == "missing":
        used = design.status == OK
        value, levels = design.value, design.levels
    else:
        used = refused | (design.status == OK)
        value = np.where(refused, len(design.levels), design.value)
        levels = (*design.levels, refusal_level_name(design.levels))
    return CountedRatings(design.unit[used], design.rater[used], value[used], levels)


def raters_and_levels(design: Ratings, refusal: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Rater and level of the ratings that count, and how many alike units each stands for."""
    unit, rater, value, _ = select_ratings(design, refusal)
    return rater, value, design.unit_count[unit]


def refusal_level_name(levels: Sequence[str]) -> str:
    """Name the level of refusals so that no other level has the name."""
    name = REFUSED
    while name in levels:
        name = f"({name})"
    return name


def group_alike_units(counts: RatingCounts) -> RatingCounts:
    """Count units with the same ratings together (their `index` is that of the first of them).

    For single units as resampling units only: which cluster a unit is in does not enter.
    """
    # units with the same random number are alike: the sum over levels of count x random number
    generator = np.random.default_rng(20110621)
    random = generator.integers(1, 2**63, size=len(counts.levels), dtype=np.uint64)
    hashes = np.zeros(len(counts.size), dtype=np.uint64)
    np.add.at(hashes, counts.unit, counts.n.astype(np.uint64) * random[counts.level])
    _, first, pattern = np.unique(hashes, return_index=True, return_inverse=True)
    table = counts.table()
    collide = abs(table - table[first[pattern]]).sum() > 0  # two patterns with one hash
    if len(first) == len(counts.size) or collide:
        return counts
    copies = np.bincount(pattern, weights=counts.copies)
    order = np.argsort(first)
    patterns = counts.keep(np.isin(np.arange(len(counts.size)), first))
    return replace(patterns, copies=copies[order].astype(np.float64))
