"""Krippendorff's alpha from what each unit adds to the coincidences of values.

With n_uc the ratings c of unit u, m_u = sum_c n_uc and n_c = sum_u n_uc over units with m_u >= 2, the coincidences
are o_ck = sum_u n_uc (n_uk - [c = k]) / (m_u - 1), and alpha = 1 - (n - 1) Do / De with Do = sum o_ck d_ck and
De = sum n_c n_k d_ck (Krippendorff 2011). The distance d is fixed but for ordinal levels, where it is the squared
difference of mid-ranks of the pooled values (the sum over the levels from c to k, less half of both ends).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError
from socialstats.models.rating_counts import RatingCounts, by_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS_AT_ONCE = 2_000_000
BLOCK = 1024
NO_SPREAD = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlphaSums:
    """What is resampled.

    Attributes
    ----------
    statistics : (units, k) sparse array
        Alike units counted.
    finish : callable
        (B, k) sums -> Do, De and the number n of pairable values, each (B,).
    """

    statistics: csr_array
    finish: Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

    def total(self) -> FloatArray:
        """Sums of the whole sample, (1, k)."""
        return np.asarray(self.statistics.sum(axis=0), dtype=np.float64)[None, :]

    def alpha(self, sums: FloatArray) -> FloatArray:
        """(B, k) sums -> (B, 1) alphas; NaN where the values do not vary."""
        observed, expected, n = self.finish(sums)
        known = expected > 0
        ratio = np.divide((n - 1) * observed, expected, out=np.full_like(observed, np.nan), where=known)
        return np.asarray(1 - ratio)[:, None]


def alpha_sums(counts: RatingCounts, scale: str) -> AlphaSums:
    """Per-unit statistics of alpha and its finish, for one of the four scales.

    Parameters
    ----------
    counts : RatingCounts
        Of units with at least two ratings.
    scale : {"nominal", "ordinal", "interval", "ratio"}
    """
    from scipy.sparse import csr_array, hstack

    check_scores(counts, scale)
    table = counts.table()
    if scale == "ordinal":
        first, second, pairs = pair_columns(counts)
        parts = [pairs, table]
        finish = ordinal_finish(first, second)
    elif scale == "interval":
        x = centred(counts)
        moments = [counts.per_unit(counts.n * x[counts.level] ** p) for p in range(3)]
        parts = [csr_array(np.column_stack([observed(counts, scale), *moments]))]
        finish = interval_finish
    else:
        parts = [csr_array(observed(counts, scale)[:, None]), table]
        finish = nominal_finish if scale == "nominal" else ratio_finish(counts.scores)
    statistics = csr_array(hstack(parts, format="csr"))
    if np.any(counts.copies != 1):
        statistics.data *= np.repeat(counts.copies, np.diff(statistics.indptr))
    return AlphaSums(statistics=statistics, finish=finish)


def check_scores(counts: RatingCounts, scale: str) -> None:
    """Raise InputError for ratio distances between negative numbers."""
    if scale == "ratio" and counts.scores.min() < 0:
        least = counts.levels[int(counts.scores.argmin())]
        raise InputError(
            f"scale='ratio' needs values of at least 0, not {least}; use scale='interval' where 0 is not the absence "
            "of what is measured"
        )


def centred(counts: RatingCounts) -> FloatArray:
    """Scores minus their mean over the ratings: the same differences with less rounding."""
    x: FloatArray = counts.scores - counts.margins @ counts.scores / counts.margins.sum()
    return x


# --- finishes: (B, k) sums -> Do, De, n, each (B,) ----------------------------------------------------------------


def nominal_finish(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """De = sum n_c (n - n_c)."""
    margins = sums[:, 1:]
    n = margins.sum(axis=1)
    return sums[:, 0], (margins * (n[:, None] - margins)).sum(axis=1), n


def interval_finish(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """De = 2 (n sum x^2 - (sum x)^2)."""
    observed, n, s1, s2 = sums.T
    return observed, clear(2 * (n * s2 - s1**2), n * s2), n


def ratio_finish(scores: FloatArray) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """De = sum n_c n_k ((c - k) / (c + k))^2."""

    def finish(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        margins = np.ascontiguousarray(sums[:, 1:])
        n = margins.sum(axis=1)
        return sums[:, 0], (margins * to_margins(margins, scores)).sum(axis=1), n

    return finish


def ordinal_finish(
    first: IntArray, second: IntArray
) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Do and De from mid-ranks of the resample: De = 2 (n sum n_c r_c^2 - (sum n_c r_c)^2)."""

    def finish(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        pairs, margins = sums[:, : len(first)], sums[:, len(first) :]
        r = mid_ranks(margins)
        n = margins.sum(axis=1)
        observed = 2 * np.einsum("bp,bp->b", pairs, (r[:, first] - r[:, second]) ** 2)
        s1, s2 = (margins * r).sum(axis=1), (margins * r**2).sum(axis=1)
        return observed, clear(2 * (n * s2 - s1**2), n**4), n

    return finish


def mid_ranks(margins: FloatArray) -> FloatArray:
    """Mid-ranks of the levels around the middle rank: cumulated counts less half a level's own, less n/2."""
    r: FloatArray = np.cumsum(margins, axis=-1) - margins / 2 - margins.sum(axis=-1, keepdims=True) / 2
    return r


def clear(value: FloatArray, size: FloatArray) -> FloatArray:
    """Value with 0 where it is rounding error of quantities of this size."""
    return np.where(value > NO_SPREAD * size, value, 0.0)


# --- disagreement within units ------------------------------------------------------------------------------------


def observed(counts: RatingCounts, scale: str, scores: FloatArray | None = None) -> FloatArray:
    """What one unit adds to Do, (units,): sum_ck n_uc n_uk d_ck / (m_u - 1) (ordinal: `scores` are mid-ranks)."""
    m = counts.size
    if scale == "nominal":
        apart = m**2 - counts.per_unit(counts.n**2)
    elif scale == "ratio":
        apart = 2 * pair_sums(counts)
    else:
        x = (centred(counts) if scores is None else scores)[counts.level]
        mean = counts.per_unit(counts.n * x) / m
        apart = 2 * m * counts.per_unit(counts.n * (x - mean[counts.unit]) ** 2)
    return np.asarray(apart / (m - 1))


def pair_sums(counts: RatingCounts) -> FloatArray:
    """sum_{c<k} n_uc n_uk ((c - k) / (c + k))^2 of each unit."""
    total = np.zeros(len(counts.size))
    for a, b in pairs_within(counts):
        x, y = counts.scores[counts.level[a]], counts.scores[counts.level[b]]
        part = counts.n[a] * counts.n[b] * ((x - y) / (x + y)) ** 2
        total += np.bincount(counts.unit[a], weights=part, minlength=len(total))
    return total


def pair_columns(counts: RatingCounts) -> tuple[IntArray, IntArray, csr_array]:
    """Pairs of levels that share a unit: lower level, higher level, and (units, pairs) coincidences o_ck."""
    found = [(counts.unit[a], counts.level[a], counts.level[b], counts.n[a] * counts.n[b])
             for a, b in pairs_within(counts)]  # fmt: skip
    unit, low, high, n = (np.concatenate([part[i] for part in found]) for i in range(4))
    k = len(counts.levels)
    keys, column = np.unique(low * k + high, return_inverse=True)
    values = n / (counts.size[unit] - 1)
    return keys // k, keys % k, by_rows(values, unit, column, (len(counts.size), len(keys)))


def pairs_within(counts: RatingCounts) -> Iterator[tuple[IntArray, IntArray]]:
    """Positions (a, b) of the pairs of triplets a < b of the same unit, some units at a time."""
    distinct = np.bincount(counts.unit, minlength=len(counts.size))
    start = np.concatenate([[0], np.cumsum(distinct)])
    block = np.cumsum(distinct * (distinct - 1) // 2) // PAIRS_AT_ONCE
    for k in range(int(block.max(initial=0)) + 1):
        units = np.flatnonzero(block == k)
        rows = np.arange(start[units[0]], start[units[-1] + 1]) if len(units) else np.arange(0)
        after = start[counts.unit[rows] + 1] - rows - 1  # triplets of the unit that come later
        a = np.repeat(rows, after)
        b = a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(after) - after, after)
        yield a, b


def coincidence_matrix(counts: RatingCounts) -> FloatArray:
    """(levels, levels) coincidences o_ck; row sums are the margins."""
    share = counts.copies / (counts.size - 1)
    products = (counts.table().T @ counts.sparse(counts.n * share[counts.unit])).toarray()
    own = np.bincount(counts.level, weights=counts.n * share[counts.unit], minlength=len(counts.levels))
    matrix: FloatArray = products - np.diag(own)
    return matrix


# --- distances to all values, and the linearised standard error ---------------------------------------------------


def to_margins(margins: FloatArray, scores: FloatArray) -> FloatArray:
    """sum_k n_k ((c - k) / (c + k))^2 for each level c and each row of margins, (B, levels)."""
    out = np.empty_like(margins)
    for start in range(0, len(scores), BLOCK):
        some = slice(start, start + BLOCK)
        far, total = scores[:, None] - scores[None, some], scores[:, None] + scores[None, some]
        total[total == 0] = 1.0  # 0 and 0
        far /= total
        far *= far
        out[:, some] = margins @ far
    return out


def influence(counts: RatingCounts, scale: str) -> FloatArray:
    """Derivative of alpha' = 1 - n Do/De by the weight of each unit (times 1 unit), (units,).

    The sum over all units, alike ones counted, is 0. With fixed distances this is the linearisation behind Gwet's
    (2014, chapter 6) standard error of alpha; for ordinal levels the ranks' own dependence on the units is included.
    """
    margins, m = counts.margins, counts.size
    n = margins.sum()
    x = positions(counts, scale)
    own = observed(counts, scale, x)
    away = distances_to_all(margins, x, scale)
    do, de = counts.copies @ own, margins @ away
    d_do, d_de = own, 2 * counts.per_unit(counts.n * away[counts.level])
    if scale == "ordinal":
        moved_do, moved_de = moving_ranks(counts, x)
        d_do, d_de = d_do + moved_do, d_de + moved_de
    slope: FloatArray = -(m * do + n * d_do - n * do * d_de / de) / de
    return slope


def positions(counts: RatingCounts, scale: str) -> FloatArray:
    """Places of the levels whose squared differences are the distances (ratio and nominal: their scores)."""
    return {"interval": centred(counts), "ordinal": mid_ranks(counts.margins)}.get(scale, counts.scores)


def largest_distance(counts: RatingCounts, scale: str) -> float:
    """Largest distance of two levels that were given."""
    if scale == "nominal":
        return 1.0
    used = positions(counts, scale)[counts.margins > 0]
    low, high = float(used.min()), float(used.max())
    return ((high - low) / (high + low)) ** 2 if scale == "ratio" else (high - low) ** 2


def distances_to_all(margins: FloatArray, x: FloatArray, scale: str) -> FloatArray:
    """sum_k n_k d_ck for each level c, (levels,)."""
    if scale == "nominal":
        return np.asarray(margins.sum() - margins)
    if scale == "ratio":
        return np.asarray(to_margins(margins[None, :], x)[0])
    return np.asarray(margins.sum() * x**2 - 2 * x * (margins @ x) + margins @ x**2)


def moving_ranks(counts: RatingCounts, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Change of Do and De through the mid-ranks that one more unit of each kind brings."""
    margins = counts.margins
    within = counts.per_unit(counts.n * r[counts.level]) / counts.size
    factor = (counts.n * counts.size[counts.unit] / (counts.size[counts.unit] - 1)) * counts.copies[counts.unit]
    pull = np.bincount(counts.level, weights=factor * (r[counts.level] - within[counts.unit]), minlength=len(r))
    push = margins * (margins.sum() * r - margins @ r)
    out = []
    for g in (pull, push):  # rank of c grows by n_u above c's own level, by half of it within: 4 sum_c g_c rho_uc
        above = np.cumsum(g[::-1])[::-1] - g / 2
        out.append(4 * counts.per_unit(counts.n * above[counts.level]))
    return out[0], out[1]
