"""How many raters gave each unit each level: all that coefficients of agreement need to know of a table of ratings.

Held as triplets (unit, level, n), so that thousands of levels cost no more memory than the ratings themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import InputError
from socialstats.results.scaling import scaled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Refusal = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(Refusal)
REFUSED = "(refusal)"


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
        return np.bincount(self.level, weights=weights, minlength=len(self.levels)).astype(np.float64)

    @property
    def varies(self) -> bool:
        """Tell whether more than one level was given."""
        return bool(np.any(self.level != self.level[:1]))

    @property
    def agrees(self) -> bool:
        """Tell whether all ratings of a unit are the same, in every unit."""
        return len(self.unit) == len(self.size)

    def table(self) -> csr_array:
        """Counts as a sparse (units, levels) array."""
        return self.sparse(self.n)

    def sparse(self, values: FloatArray) -> csr_array:
        """Put a value of each triplet into a sparse (units, levels) array."""
        return by_rows(values, self.unit, self.level, (len(self.size), len(self.levels)))

    def per_unit(self, values: FloatArray) -> FloatArray:
        """Sum a value of each triplet over the triplets of each unit."""
        return np.bincount(self.unit, weights=values, minlength=len(self.size)).astype(np.float64)

    def keep(self, mask: Any) -> RatingCounts:
        """Some of the units."""
        kept = np.flatnonzero(mask)
        place = np.full(len(self.size), -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        here = place[self.unit] >= 0
        return replace(
            self, unit=place[self.unit[here]], level=self.level[here], n=self.n[here], size=self.size[kept],
            copies=self.copies[kept], index=self.index[kept],
        )  # fmt: skip


def by_rows(values: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]) -> csr_array:
    """Make a sparse array of values whose rows are ascending, without sorting them again."""
    from scipy.sparse import csr_array

    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=shape[0]))])
    return csr_array((values, column, start), shape=shape)


def rating_counts(design: Ratings, *, refusal: str = "missing") -> RatingCounts:
    """Count the ratings of each unit by level; units without a rating are left out.

    Parameters
    ----------
    design : Ratings
    refusal : {"missing", "level"}
        What a refusal is: no rating, or a level of its own, the last one, even where nobody refused (for nominal
        levels only: it has no place in an order).

    Raises
    ------
    InputError
        For an unknown option.
    """
    unit, _, value, levels = given(design, refusal)
    scores = scaled(design.scores)
    scores = np.append(scores, scores.max(initial=-1.0) + 1)[: len(levels)]
    keys, n = np.unique(unit * len(levels) + value, return_counts=True)
    index, unit = np.unique(keys // max(len(levels), 1), return_inverse=True)
    size = np.bincount(unit, weights=n, minlength=len(index)).astype(np.float64)
    return RatingCounts(
        unit=unit.astype(np.int64), level=keys % max(len(levels), 1), n=n.astype(np.float64), size=size,
        copies=design.unit_count[index], index=index.astype(np.int64), levels=levels,
        scores=np.asarray(scores, dtype=np.float64),
    )  # fmt: skip


def given(design: Ratings, refusal: str) -> tuple[IntArray, IntArray, IntArray, tuple[str, ...]]:
    """Unit, rater and level of the ratings that count, each (ratings,), and the levels with that of refusals."""
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    refused = design.status == REFUSAL
    if refusal == "missing":
        used = design.status == OK
        return design.unit[used], design.rater[used], design.value[used], design.levels
    used = refused | (design.status == OK)
    value = np.where(refused, len(design.levels), design.value)
    return design.unit[used], design.rater[used], value[used], (*design.levels, free_name(design.levels))


def rated(design: Ratings, refusal: str) -> tuple[IntArray, IntArray, FloatArray]:
    """Rater and level of the ratings that count, and how many alike units each stands for."""
    unit, rater, value, _ = given(design, refusal)
    return rater, value, design.unit_count[unit]


def free_name(levels: Sequence[str]) -> str:
    """Name the level of refusals so that no other level has the name."""
    name = REFUSED
    while name in levels:
        name = f"({name})"
    return name


def merged(counts: RatingCounts) -> RatingCounts:
    """Count units with the same ratings together (their `index` is that of the first of them).

    For single units as resampling units only: which cluster a unit is in does not enter.
    """
    random = np.random.default_rng(20110621).integers(1, 2**63, size=len(counts.levels), dtype=np.uint64)
    sums = np.zeros(len(counts.size), dtype=np.uint64)
    np.add.at(sums, counts.unit, counts.n.astype(np.uint64) * random[counts.level])
    _, first, same = np.unique(sums, return_index=True, return_inverse=True)
    table = counts.table()
    if len(first) == len(counts.size) or abs(table - table[first[same]]).sum() > 0:  # two patterns, one sum
        return counts
    alike = np.bincount(same, weights=counts.copies)
    order = np.argsort(first)
    one = counts.keep(np.isin(np.arange(len(counts.size)), first))
    return replace(one, copies=alike[order].astype(np.float64))
