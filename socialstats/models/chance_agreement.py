"""Gwet's AC1 and AC2 and Fleiss' kappa: agreement within units corrected for chance, with standard errors.

With r_ik the raters who gave unit i level k, r_i their number, w the agreement weights and r*_ik = sum_l w_kl r_il:
observed agreement pa = mean over units with r_i >= 2 of sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1)), level shares
pi_k = mean over rated units of r_ik / r_i, coefficient = (pa - pe) / (1 - pe). By chance, Fleiss' kappa expects
pe = sum_kl w_kl pi_k pi_l and Gwet's coefficients pe = T sum_k pi_k (1 - pi_k) / (q (q - 1)), T the sum of all
weights and q the number of levels (Gwet 2014, sections 2.4 and 5.2-5.4). Weighted Fleiss' kappa is Gwet's extension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.models.rating_counts import RatingCounts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Kind = Literal["gwet", "fleiss"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChanceAgreement:
    """Per-unit statistics of one of the coefficients.

    Attributes
    ----------
    kind : {"gwet", "fleiss"}
    weights : (levels, levels) float64 array
    counts : RatingCounts
        Of units with at least one rating.
    """

    kind: Kind
    weights: FloatArray
    counts: RatingCounts

    @property
    def shares(self) -> csr_array:
        """r_ik / r_i, sparse (units, levels)."""
        return self.counts.sparse(self.counts.n / self.counts.size[self.counts.unit])

    @property
    def agreement(self) -> FloatArray:
        """Share of the pairs of raters of a unit that agree, by weight, (units,); 0 where it has one rating."""
        counts, m = self.counts, self.counts.size
        table = counts.table()
        together = np.asarray((table @ self.weights)[counts.unit, counts.level])  # r*_ik at each triplet
        pairs = counts.per_unit(counts.n * (together - 1))
        return np.divide(pairs, m * (m - 1), out=np.zeros_like(m), where=m > 1)

    def statistics(self) -> csr_array:
        """Return what is resampled, (units, 3 + levels): agreement, whether paired, whether rated, and shares."""
        from scipy.sparse import csr_array, hstack

        left = np.column_stack([self.agreement, self.counts.size > 1, np.ones(len(self.counts.size))])
        both = hstack([csr_array(left), self.shares], format="csr")
        return csr_array(both.multiply(self.counts.copies[:, None]))

    def finish(self, sums: FloatArray) -> FloatArray:
        """(B, 3 + levels) sums -> (B, 1) coefficients; NaN where no unit is paired or chance agreement is 1."""
        observed, expected = self.parts(sums)
        known = 1 - expected > 1e-12
        out = np.divide(observed - expected, 1 - expected, out=np.full_like(observed, np.nan), where=known)
        return out[:, None]

    def parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(B, 3 + levels) sums -> observed and chance agreement, each (B,)."""
        paired, rated = sums[:, 1], sums[:, 2]
        nothing = np.full_like(paired, np.nan)
        observed = np.divide(sums[:, 0], paired, out=nothing.copy(), where=paired > 0)
        pi = sums[:, 3:] / np.where(rated > 0, rated, np.nan)[:, None]
        return observed, self.chance(pi)

    def chance(self, pi: FloatArray) -> FloatArray:
        """(B, levels) shares of the levels -> chance agreement (B,); NaN for Gwet's with a single level."""
        if self.kind == "fleiss":
            return np.asarray(((pi @ self.weights) * pi).sum(axis=1))
        q = pi.shape[1]
        if q < 2:
            return np.full(len(pi), np.nan)
        return np.asarray(self.weights.sum() / (q * (q - 1)) * (pi * (1 - pi)).sum(axis=1))

    def whole(self) -> tuple[float, float, FloatArray]:
        """Observed and chance agreement of all units, and the shares of the levels."""
        sums = np.asarray(self.statistics().sum(axis=0), dtype=np.float64)[None, :]
        observed, chance = self.parts(sums)
        return float(observed[0]), float(chance[0]), np.asarray(sums[0, 3:] / sums[0, 2])

    def linear_values(self) -> tuple[float, FloatArray]:
        """Coefficient, and each unit's linearised value, whose mean is the coefficient (Gwet 2014).

        The standard error is that of their mean. Units with one rating enter the level shares only; their number is
        taken as fixed, as Gwet does.
        """
        counts = self.counts
        totals = counts.copies @ np.column_stack([self.agreement, counts.size > 1, np.ones(len(counts.size))])
        pi = counts.copies @ self.shares / totals[2]
        observed, expected = totals[0] / totals[1], float(self.chance(pi[None, :])[0])
        value = float((observed - expected) / (1 - expected))
        paired = counts.size > 1
        own = totals[2] / totals[1] * (self.agreement - expected * paired) / (1 - expected)
        if self.kind == "fleiss":
            chance = self.shares @ (self.weights @ pi)
        else:
            q = len(pi)
            chance = self.weights.sum() / (q * (q - 1)) * (self.shares @ (1 - pi))
        return value, own - 2 * (1 - value) * (chance - expected) / (1 - expected)


def conger_chance(rater: IntArray, level: IntArray, copies: FloatArray, weights: FloatArray) -> float:
    """Chance agreement of Conger's (1980) kappa, in which each rater keeps their own level shares.

    pe = sum_kl w_kl times the mean over pairs of raters g != h of p_gk p_hl, with p_gk the share of the ratings of
    rater g that are k (Conger 1980; Gwet 2014 for weights and missing ratings).

    Parameters
    ----------
    rater, level : (ratings,) int64 arrays
        At least two raters.
    copies : (ratings,) float64 array
        Alike units that each rating stands for.
    weights : (levels, levels) float64 array
    """
    names, dense = np.unique(rater, return_inverse=True)
    raters, q = len(names), len(weights)
    given = np.bincount(dense * q + level, weights=copies, minlength=raters * q).reshape(raters, q)
    share = given / given.sum(axis=1, keepdims=True)
    total = share.sum(axis=0)
    both = np.outer(total, total) - share.T @ share
    return float((weights * both).sum() / (raters * (raters - 1)))


def fleiss_null(counts: RatingCounts) -> float:
    """Standard error of unweighted Fleiss' kappa where there is no agreement beyond chance.

    var0 = 2 / (N m (m - 1)) * ((sum p q)^2 - sum p q (q - p)) / (sum p q)^2, q = 1 - p (Fleiss, Nee & Landis 1979).

    Parameters
    ----------
    counts : RatingCounts
        All units rated by the same number m of raters, and ratings that vary.
    """
    m, units = float(counts.size[0]), counts.copies.sum()
    p = counts.margins / counts.margins.sum()
    q = 1 - p
    variance = 2 / (units * m * (m - 1)) * ((p @ q) ** 2 - np.sum(p * q * (q - p))) / (p @ q) ** 2
    return float(np.sqrt(variance))
