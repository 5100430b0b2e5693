"""Ratings as distinct patterns: what every measure of agreement between raters starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.designs.parts import Factor, FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling import Units
from socialstats.text import count, listing, shorten

RefusalRule = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(RefusalRule)
OnUndefined = Literal["nan", "raise"] | float
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
SEPARATOR = " | "


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Distinct rows of ratings (within clusters), with how many units have them.

    Attributes
    ----------
    raters : tuple of str
    levels : tuple of str
        Those of the design, and ``"(refusal)"`` where refusals count as a level.
    codes : (cells, raters) int64 array
        Index into `levels`; -1 where there is no rating.
    count : (cells,) float64 array
        Units.
    clusters : tuple of (cells,) int64 arrays
        None, one or two cluster factors.
    """

    raters: tuple[str, ...]
    levels: tuple[str, ...]
    codes: IntArray
    count: FloatArray
    clusters: tuple[IntArray, ...] = ()

    @property
    def n_units(self) -> int:
        """Units, alike ones counted each."""
        return int(self.count.sum())

    @property
    def n_ratings(self) -> int:
        """Ratings used."""
        return int(self.count @ (self.codes >= 0).sum(axis=1))

    def units(self) -> Units:
        """Resampling units: clusters, or single units where there are none."""
        return Units.clusters(*self.clusters) if self.clusters else Units.rows(self.count)


def patterns(
    design: Ratings,
    factors: Sequence[Factor] = (),
    *,
    raters: Sequence[str] | None = None,
    refusal: str = "missing",
    among: BoolArray | None = None,
    least: int = 2,
) -> Patterns:
    """Count the units of a design by their row of ratings.

    Parameters
    ----------
    design : Ratings
    factors : sequence of Factor
        Cluster factors over the units.
    raters : sequence of str, optional
        Columns, in this order; all raters by default.
    refusal : {"missing", "level"}
        Whether a refusal is no rating, or a level of its own.
    among : (units,) bool array, optional
        Units to count; all by default.
    least : int
        Ratings a unit needs to count.

    Raises
    ------
    InputError
        If a rater is unknown or named twice, or `refusal` is not an option.
    """
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    columns = rater_columns(design, raters)
    table = np.full((len(design.units), len(design.raters)), -1, dtype=np.int64)
    ok = design.status == OK
    table[design.unit[ok], design.rater[ok]] = design.value[ok]
    levels = design.levels
    if refusal == "level":
        refused = design.status == REFUSAL
        table[design.unit[refused], design.rater[refused]] = len(levels)
        levels = (*levels, "(refusal)")
    table = table[:, columns]
    kept = (table >= 0).sum(axis=1) >= least
    kept &= True if among is None else among
    keys = np.column_stack([*(factor.codes for factor in factors), table])[kept]
    distinct, count_ = distinct_rows(keys, design.unit_count[kept])
    return Patterns(
        raters=tuple(design.raters[c] for c in columns), levels=levels, codes=distinct[:, len(factors) :],
        count=count_, clusters=tuple(distinct[:, j] for j in range(len(factors))),
    )  # fmt: skip


def rater_columns(design: Ratings, raters: Sequence[str] | None) -> list[int]:
    """Index of each named rater."""
    if raters is None:
        return list(range(len(design.raters)))
    known = {name: k for k, name in enumerate(design.raters)}
    for name in raters:
        if name not in known:
            named = listing([shorten(rater) for rater in design.raters], most=10)
            raise InputError(f"no rater '{shorten(str(name))}'. Raters: {named}")
    if len(set(raters)) < len(raters):
        raise InputError(f"a rater is named twice: {listing([shorten(name) for name in raters])}")
    return [known[name] for name in raters]


def distinct_rows(keys: IntArray, count_: FloatArray) -> tuple[IntArray, FloatArray]:
    """Distinct rows in ascending order, and the sum of `count_` over each."""
    if not len(keys):
        return keys, count_
    low = keys.min(axis=0)
    span = (keys.max(axis=0) - low + 1).astype(object)
    size = int(np.prod(span))
    if size < 2**62:  # one whole number a row sorts faster than rows do
        place = np.array([int(np.prod(span[j + 1 :])) for j in range(keys.shape[1])], dtype=np.int64)
        _, first, inverse = np.unique((keys - low) @ place, return_index=True, return_inverse=True)
        distinct = keys[first]
    else:
        distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    return distinct, np.bincount(inverse.ravel(), weights=count_, minlength=len(distinct)).astype(np.float64)


def by_stratum(design: Ratings, stratum: str | None) -> list[tuple[str | None, BoolArray]]:
    """Return which units to take: all (group None) and, where a stratum is named, those of each of its levels.

    Raises
    ------
    InputError
        If no stratum (or cluster) of that name is declared.
    """
    whole: list[tuple[str | None, BoolArray]] = [(None, np.ones(len(design.units), dtype=bool))]
    if stratum is None:
        return whole
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    if stratum not in known:
        listed = ", ".join(f"'{shorten(name)}'" for name in known) or "none"
        raise InputError(f"no stratum '{shorten(stratum)}'. Declared: {listed}; declare others with strata=")
    factor = known[stratum]
    return [*whole, *((level, factor.codes == code) for code, level in enumerate(factor.levels))]


def pair_names(raters: Sequence[str]) -> dict[tuple[int, int], str]:
    """Name every pair of raters ``a | b``; in full quotes where labels hold the separator themselves.

    Examples
    --------
    >>> pair_names(["ann", "bob"])
    {(0, 1): 'ann | bob'}
    """
    plain = not any(SEPARATOR.strip() in rater for rater in raters)
    named = [rater if plain else repr(rater) for rater in raters]
    n = len(raters)
    return {(i, j): f"{named[i]}{SEPARATOR}{named[j]}" for i in range(n) for j in range(i + 1, n)}


def need_pairs(design: Ratings, found: Patterns) -> None:
    """Raise UndefinedStatistic when no two raters rated the same units, or only one unit was rated twice."""
    if len(found.raters) < 2:
        raise UndefinedStatistic(
            f"{design.source}: agreement needs at least two raters; the only one is '{shorten(''.join(found.raters))}'"
        )
    if found.n_units < 2:
        have = "none has" if found.n_units == 0 else "one has"
        raise UndefinedStatistic(
            f"{design.source}: agreement needs at least 2 units with ratings of two raters; of "
            f"{count(int(design.unit_count.sum()), 'unit')} {have}"
        )


def checked_on_undefined(value: object) -> OnUndefined:
    """Return what to do where a coefficient does not exist: "nan", "raise", or 1.0; else raise InputError."""
    if value in ("nan", "raise"):
        return "nan" if value == "nan" else "raise"
    if not isinstance(value, bool) and isinstance(value, int | float) and value == 1:
        return 1.0
    raise InputError(f"on_undefined={value!r} is not one of 'nan', 'raise', 1.0")
