"""The split-half ceiling: how alike two random halves of one source's own ratings are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.divergence import jensen_shannon

STREAM = 20_261_122  # halves have a stream of their own: estimates do not move with the seed of the intervals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Halves:
    """Divergences of random halves.

    Attributes
    ----------
    values : (splits, n_cells + 1) float64 array
        The first column is of all units; NaN where no unit has two ratings.
    units : (units,) float64 array
        Mean divergence of each unit's own halves; NaN for units with a single rating, and for pooled halves.
    """

    values: FloatArray
    units: FloatArray


def split_half(
    counts: FloatArray, copies: FloatArray, codes: IntArray, n_cells: int, *, splits: int, pooled: bool
) -> Halves:
    """Divergence of two halves of each unit's ratings, drawn at random again and again.

    Of an odd number of ratings one half gets one more, either half as likely. A unit with a single rating takes no
    part.

    Parameters
    ----------
    counts : (units, levels) float64 array
        Ratings of the reference source.
    copies : (units,) float64 array
        Alike units.
    codes : (units,) int64 array
        Cell of each unit.
    n_cells : int
    splits : int
        Random halvings.
    pooled : bool
        True: divergence of the pooled halves of a cell; False: mean over units of each unit's own.

    Returns
    -------
    Halves

    Examples
    --------
    >>> halves = split_half(np.array([[4.0, 0.0], [2.0, 2.0]]), np.ones(2), np.zeros(2, dtype=np.int64), 1, splits=99,
    ...                     pooled=False)
    >>> halves.values.shape, float(halves.units[0]), bool(halves.units[1] > 0.1)
    ((99, 2), 0.0, True)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(STREAM)))
    kept = counts.sum(axis=1) >= 2
    rows, place = np.unique(np.column_stack([codes[kept], counts[kept]]), axis=0, return_inverse=True)
    times = np.bincount(place.ravel(), copies[kept], len(rows)).astype(np.int64)
    levels = counts.shape[1]
    mean = np.full(len(rows), np.nan)
    sums = np.zeros((2, splits, n_cells, levels)) if pooled else np.zeros((2, splits, n_cells))
    for k, (row, n) in enumerate(zip(rows.astype(np.int64), times.tolist(), strict=True)):
        one, two = halved(row[1:], n, splits, rng)
        if pooled:
            sums[0, :, row[0]] += one.sum(axis=1)
            sums[1, :, row[0]] += two.sum(axis=1)
        else:
            each = jensen_shannon(one, two)
            mean[k] = each.mean()
            sums[0, :, row[0]] += each.sum(axis=1)
            sums[1, :, row[0]] += n
    every = np.concatenate([sums.sum(axis=2, keepdims=True), sums], axis=2)
    units = np.full(len(counts), np.nan)
    units[kept] = mean[place.ravel()]
    if pooled:
        return Halves(values=jensen_shannon(every[0], every[1]), units=units)
    with np.errstate(invalid="ignore"):
        return Halves(values=np.asarray(every[0] / every[1]), units=units)


def halved(counts: IntArray, n: int, splits: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw halves of n alike units: two (splits, n, levels) arrays."""
    size = int(counts.sum())
    half = rng.multivariate_hypergeometric(counts, size // 2, size=(splits, n), method="marginals").astype(np.float64)
    other = counts - half
    if size % 2 == 0:
        return half, other
    larger = rng.integers(0, 2, size=(splits, n, 1)).astype(bool)
    return np.where(larger, other, half), np.where(larger, half, other)


def noise_ratio(n: FloatArray, reference: FloatArray) -> FloatArray:
    """By how much sampling noise of a comparison exceeds that of two halves of the reference.

    The bias of the divergence is proportional to 1/n1 + 1/n2: (1/n + 1/m) / (2/m + 2/m) for m ratings of the
    reference.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((1 / n + 1 / reference) / (4 / reference))
