"""Wilcoxon's signed-rank test on cells, with R's conventions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from socialstats.arrays import FloatArray
from socialstats.errors import UndefinedStatistic
from socialstats.inference.intervals import not_zero
from socialstats.resampling import sign_flip

FEWEST_NORMAL = 50  # R's wilcox.test takes the exact distribution below


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignedRank:
    """Ranks of the absolute differences, zeros left out (Wilcoxon) or ranked and then left out (Pratt).

    Attributes
    ----------
    v : float
        Sum of the ranks of positive differences.
    n, zeros : float
        Differences that are not 0, and that are.
    ties : bool
        Some absolute differences are equal.
    rank : (cells,) float64 array
        Mid-rank with the sign of the difference; 0 where the difference is 0.
    count : (cells,) float64 array
    """

    v: float
    n: float
    zeros: float
    ties: bool
    rank: FloatArray
    count: FloatArray

    @property
    def exact_as_r(self) -> bool:
        """True where R's ``wilcox.test`` takes the exact distribution by default: n < 50, no ties, no zeros."""
        return self.n < FEWEST_NORMAL and not self.ties and not self.zeros

    def z(self) -> float:
        """(V - E V) / sd V under the hypothesis: sums of +-rank over all patterns of signs; ties included."""
        size = np.abs(self.rank)
        return (self.v - float(self.count @ size) / 2) / math.sqrt(float(self.count @ size**2) / 4)

    def p_normal(self, alternative: str = "two_sided", *, corrected: bool = True) -> float:
        """Return p of the normal approximation, with R's continuity correction of one half."""
        size = np.abs(self.rank)
        sd = math.sqrt(float(self.count @ size**2) / 4)
        gap = self.v - float(self.count @ size) / 2
        step = {"two_sided": math.copysign(0.5, gap) if gap else 0.0, "greater": 0.5, "less": -0.5}[alternative]
        z = (gap - step * corrected) / sd
        if alternative == "two_sided":
            return float(not_zero(min(1.0, 2 * ndtr(-abs(z)))))
        return float(not_zero(ndtr(-z if alternative == "greater" else z)))

    def p_exact(self, alternative: str = "two_sided") -> float | None:
        """Return the exact p given the ranks (ties allowed): signs flipped; None where it takes too long."""
        test = sign_flip(2 * self.rank, self.count, alternative=alternative, flips=99)  # type: ignore[arg-type]
        return float(test.p_value[0]) if test.exact else None


def signed_rank(difference: FloatArray, count: FloatArray, *, zeros: str = "wilcoxon") -> SignedRank:
    """Rank the absolute differences.

    Parameters
    ----------
    difference, count : (cells,) arrays
        Equal differences must be the same float (`socialstats.models.pair_values.merged`).
    zeros : {"wilcoxon", "pratt"}
        Leave zeros out before ranking (R's ``wilcox.test``), or after (Pratt 1959).

    Raises
    ------
    UndefinedStatistic
        If every difference is 0.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. doi:10.2307/3001968
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures.
    doi:10.1080/01621459.1959.10501526

    Examples
    --------
    >>> ranks = signed_rank(np.array([1.2, 2.4, 1.3, 0.0, 1.0, -0.8]), np.array([1.0, 1, 2, 1, 1, 1]))
    >>> ranks.v, ranks.n, round(ranks.p_normal(), 4)
    (20.0, 6.0, 0.0585)
    """
    size = np.abs(difference)
    kept = np.ones(len(size), dtype=bool) if zeros == "pratt" else size > 0
    if not np.any(size > 0):
        raise UndefinedStatistic("every difference is 0: there is nothing to rank")
    levels, place = np.unique(size[kept], return_inverse=True)
    times = np.bincount(place, count[kept])
    middle = np.cumsum(times) - (times - 1) / 2
    rank = np.zeros(len(size))
    rank[kept] = middle[place]
    rank *= np.sign(difference)
    return SignedRank(
        v=float(count @ np.maximum(rank, 0)), n=float(count[size > 0].sum()), zeros=float(count[size == 0].sum()),
        ties=bool(np.any(times[levels > 0] > 1)), rank=rank, count=count,
    )  # fmt: skip
