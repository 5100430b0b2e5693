"""Ratings as distinct patterns: what every measure of agreement between raters starts from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.resampling import Units
from socialstats.text import count, listing, shorten

RefusalRule = Literal["missing", "level"]
REFUSALS: tuple[str, ...] = get_args(RefusalRule)
OnUndefined = Literal["nan", "raise"] | float
SEPARATOR = " | "
COUNTED_DIRECTLY = 4096
MOST_PAIRS = 100_000  # pairs of raters with a number each: about 20 s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Distinct rows of ratings (within clusters), with how many units have them.

    Attributes
    ----------
    raters : tuple of str
    levels : tuple of str
        Those of the design, and ``"(refusal)"`` where refusals count as a level.
    codes : (cells, raters) int64 array
        Index into `levels`; -1 where there is no rating. Of raters who are not told apart, a column is a place among
        the unit's sorted ratings.
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
    apart: bool = True,
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
    apart : bool
        False: who gave a rating does not matter. The table then grows with the ratings of a unit, not with the raters.

    Raises
    ------
    InputError
        If a rater is unknown or named twice, or `refusal` is not an option.
    """
    if refusal not in REFUSALS:
        raise InputError(f"refusal='{refusal}' is not one of {', '.join(REFUSALS)}")
    chosen = rater_columns(design, raters)
    counts = design.status == OK
    value, levels = design.value, design.levels
    if refusal == "level":
        refused = design.status == REFUSAL
        counts, value, levels = counts | refused, np.where(refused, len(levels), value), (*levels, "(refusal)")
    use = slice(None) if counts.all() else counts
    unit, value, column = design.unit[use], value[use], design.rater[use]
    if not apart:
        order = np.lexsort((value, unit))
        unit, value = unit[order], value[order]
        column = np.arange(len(unit)) - np.searchsorted(unit, unit)
    rows = len(design.raters) if apart else int(column.max(initial=-1)) + 1
    table = np.full((rows, len(design.units)), -1, dtype=np.int64)  # raters first: sums run along memory
    table[column, unit] = value
    given = [table[c] for c in chosen] if apart else list(table)
    kept = np.add.reduce([column >= 0 for column in given], dtype=np.int64) >= least
    kept = kept if among is None else kept & among
    keys = [key if kept.all() else key[kept] for key in (*(factor.codes for factor in factors), *given)]
    distinct, count_ = distinct_rows(keys, design.unit_count[kept])
    n = len(factors)
    return Patterns(
        raters=tuple(design.raters[c] for c in chosen), levels=levels, codes=distinct[:, n:], count=count_,
        clusters=tuple(distinct[:, j] for j in range(n)),
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


def distinct_rows(keys: Sequence[IntArray], count_: FloatArray) -> tuple[IntArray, FloatArray]:
    """Distinct rows of some columns in ascending order, and the sum of `count_` over each.

    Rows become whole numbers: counted directly where there are few possible ones, else sorted. Rows too long for that
    are compared as they are.

    Examples
    --------
    >>> rows, n = distinct_rows([np.array([1, 0, 1]), np.array([-1, 2, -1])], np.ones(3))
    >>> rows.tolist(), n.tolist()
    ([[0, 2], [1, -1]], [1.0, 2.0])
    """
    if not len(count_):
        return np.zeros((0, len(keys)), dtype=np.int64), count_
    low = [int(key.min()) for key in keys]
    span = tuple(int(key.max()) - least + 1 for key, least in zip(keys, low, strict=True))
    size = math.prod(span)
    if size >= 2**62:
        distinct, inverse = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
        totals = np.bincount(inverse.ravel(), weights=count_, minlength=len(distinct))
        return distinct, totals.astype(np.float64)
    whole = np.zeros(len(count_), dtype=np.int64)
    for key, s, least in zip(keys, span, low, strict=True):
        whole = whole * s + (key - least)
    if size <= COUNTED_DIRECTLY + 4 * len(count_):
        rows = np.flatnonzero(np.bincount(whole, minlength=size))
        totals = np.bincount(whole, weights=count_, minlength=size)[rows]
    else:
        rows, inverse = np.unique(whole, return_inverse=True)
        totals = np.bincount(inverse, weights=count_, minlength=len(rows))
    distinct = np.column_stack(np.unravel_index(rows, span)).astype(np.int64) + np.array(low)
    return distinct, totals.astype(np.float64)


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
    """Name every pair of raters ``a | b``; each in double quotes (doubled inside) where labels hold the separator.

    Examples
    --------
    >>> pair_names(["ann", "bob"]), pair_names(["a|b", "c"])
    ({(0, 1): 'ann | bob'}, {(0, 1): '"a|b" | "c"'})
    """
    plain = not any(SEPARATOR.strip() in rater for rater in raters)
    named = [rater if plain else '"' + rater.replace('"', '""') + '"' for rater in raters]
    n = len(raters)
    return {(i, j): f"{named[i]}{SEPARATOR}{named[j]}" for i in range(n) for j in range(i + 1, n)}


def quoted_pair(name: str) -> str:
    """Return the name of a pair for a sentence, in quotes unless `pair_names` put its raters in quotes.

    Examples
    --------
    >>> quoted_pair("ann | bob"), quoted_pair('"a|b" | "c"')
    ("'ann | bob'", '"a|b" | "c"')
    """
    shown = shorten(name)
    return shown if name.startswith('"') and name.endswith('"') else f"'{shown}'"


def too_many_pairs(raters: int) -> str:
    """Say why a number for each pair of raters is not made; empty text where there are few enough.

    Examples
    --------
    >>> too_many_pairs(3), too_many_pairs(2335)
    ('', '2,335 raters make 2,724,945 pairs, more than the 100,000 that are taken one by one')
    """
    pairs = raters * (raters - 1) // 2
    if pairs <= MOST_PAIRS:
        return ""
    one_by_one = f"more than the {count(MOST_PAIRS)} that are taken one by one"
    return f"{count(raters, 'rater')} make {count(pairs, 'pair')}, {one_by_one}"


def missing_ratings(design: Ratings, found: Patterns, refusal: str) -> tuple[Caution, ...]:
    """Caution SS315 when not everybody rated every unit; says how many refusals are among the missing ratings."""
    missing = found.n_units * len(found.raters) - found.n_ratings
    if not missing:
        return ()
    copies = design.unit_count[design.unit]
    refused = 0 if refusal == "level" else int(copies[design.status == REFUSAL].sum())
    among = f" ({count(refused, 'refusal')} in the whole table taken as missing)" if refused else ""
    said = f"{count(missing, 'rating')} missing{among}; each pair of raters is compared on the units that both rated"
    return (caution("SS315", said, affects="pairs, which stand on different units"),)


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
