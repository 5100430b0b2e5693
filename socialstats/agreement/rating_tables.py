"""Tables of ratings for the plain definitions of agreement: who gave which unit which level.

The metrics count patterns of ratings. These tables have each unit and each rater, so that a definition can be read off.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.ratings import OK, REFUSAL, Ratings

NO_RATING = -1
ROUNDING = 1e-12  # of a tolerance that is written in decimals


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


def level_counts(table: IntArray) -> FloatArray:
    """Return how many raters gave each unit each level, (units, levels)."""
    return np.column_stack(
        [(table == level).sum(axis=1) for level in range(int(table.max(initial=0)) + 1)]
    ).astype(np.float64)


def agrees(design: Ratings, tolerance: float, levels: int) -> FloatArray:
    """Return 1 where two levels are at most `tolerance` apart, (levels, levels); a refusal agrees with itself."""
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
    counts = level_counts(table)
    n = counts.sum(axis=1)
    pairs = n * (n - 1) / 2
    # a rating is no pair with itself, and near has 1 on its diagonal
    agreeing = (np.einsum("uc,cd,ud->u", counts, near, counts) - n) / 2
    return np.where(pairs > 0, agreeing / np.where(pairs > 0, pairs, 1), np.nan), pairs
