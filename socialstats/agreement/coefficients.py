"""A coefficient of one group of units, and those that correct agreement for chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from socialstats.agreement.rating_counts import RatingCounts
from socialstats.arrays import FloatArray
from socialstats.inference.infer import Disagreement, Estimand

if TYPE_CHECKING:
    from scipy.sparse import csr_array


ChanceOfLevels = Callable[[FloatArray, FloatArray], FloatArray]
NO_ERROR = 1e-12  # disagreement expected by chance that is rounding


class ObservedAndChance(NamedTuple):
    """Observed and chance agreement, and the (levels,) shares of the levels."""

    observed: float
    chance: float
    shares: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ChanceAgreement:
    """Per-unit statistics of one of the coefficients.

    Attributes
    ----------
    chance : ChanceOfLevels
        The definition of agreement by chance.
    weights : (levels, levels) float64 array
    counts : RatingCounts
        Of units with at least one rating.
    """

    chance: ChanceOfLevels
    weights: FloatArray
    counts: RatingCounts

    @cached_property
    def shares(self) -> csr_array:
        """r_ik / r_i, sparse (units, levels)."""
        return self.counts.sparse(self.counts.n / self.counts.size[self.counts.unit])

    @cached_property
    def pair_statistics(self) -> FloatArray:
        """(units, 3): share of the pairs of raters that agree, by weight (0 of one rating), whether paired, and 1."""
        counts, m = self.counts, self.counts.size
        # r*_ik of Gwet (2014) at each triplet: ratings of the unit that agree with level k, by weight
        agreeing = np.asarray((counts.table() @ self.weights)[counts.unit, counts.level])
        pairs = counts.per_unit(counts.n * (agreeing - 1))
        agreement = np.divide(pairs, m * (m - 1), out=np.zeros_like(m), where=m > 1)
        return np.column_stack([agreement, m > 1, np.ones(len(m))])

    def statistics(self) -> csr_array:
        """Return what is resampled, (units, 3 + levels): agreement, whether paired, whether rated, and shares."""
        from scipy.sparse import csr_array, hstack

        statistics = hstack([csr_array(self.pair_statistics), self.shares], format="csr")
        return csr_array(statistics.multiply(self.counts.copies[:, None]))

    def finish(self, sums: FloatArray) -> FloatArray:
        """(B, 3 + levels) sums -> (B, 1) coefficients; NaN where no unit is paired or chance agreement is 1."""
        observed, expected = self.parts(sums)
        defined = 1 - expected > NO_ERROR
        coefficient = np.full_like(observed, np.nan)
        np.divide(observed - expected, 1 - expected, out=coefficient, where=defined)
        return coefficient[:, None]

    def parts(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(B, 3 + levels) sums -> observed and chance agreement, each (B,)."""
        # units with two ratings, and with any, in each resample
        paired, rated = (np.where(sums[:, k] > 0, sums[:, k], np.nan) for k in (1, 2))
        pi = sums[:, 3:] / rated[:, None]
        return sums[:, 0] / paired, np.asarray((self.chance(pi, self.weights) * pi).sum(axis=1))

    def overall(self) -> ObservedAndChance:
        """Return the agreement of all units."""
        sums = np.asarray(self.statistics().sum(axis=0), dtype=np.float64)[None, :]
        observed, chance = self.parts(sums)
        shares = np.asarray(sums[0, 3:] / sums[0, 2])
        return ObservedAndChance(float(observed[0]), float(chance[0]), shares)

    def coefficient(self) -> Coefficient:
        """Return the coefficient with each unit's linearised value, whose mean is the coefficient (Gwet 2014).

        The standard error is that of their mean. Units with one rating enter the level shares only; their number is
        taken as fixed, as Gwet does.
        """
        observed, expected, pi = self.overall()
        value = (observed - expected) / (1 - expected)
        agreement, paired, rated = self.pair_statistics.T
        # n / n', units rated over units with two ratings (Gwet 2014)
        per_pair = float(self.counts.copies @ rated / (self.counts.copies @ paired))

        def values() -> FloatArray:
            chance = self.shares @ self.chance(pi, self.weights) - expected
            return np.asarray(
                (per_pair * (agreement - expected * paired) - 2 * (1 - value) * chance)
                / (1 - expected)
            )

        return Coefficient(
            estimate=value,
            statistics=self.statistics(),
            finish=self.finish,
            values=values,
            disagreement=paired - agreement,
            weight=paired,
            expected=1 - expected,
        )

    def extras(self) -> dict[str, Any]:
        """Observed and chance agreement, shares of the levels and weights."""
        observed, chance, shares = self.overall()
        return {
            "observed_agreement": observed,
            "chance_agreement": chance,
            "levels": self.counts.levels,
            "shares": shares,
            "weights": self.weights,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficient:
    """One coefficient of one group of units.

    Attributes
    ----------
    estimate : float
        NaN where it does not exist.
    statistics, finish
        As for `socialstats.resampling.bootstrap_sums`.
    values : callable
        Returns the linearised values of the units, whose mean has the standard error of the coefficient.
    disagreement, weight : (units,) float64 arrays
        Disagreement within each unit, from 0 to 1, and what the unit weighs in its mean.
    expected : float
        That disagreement by chance: the coefficient is 1 - sum weight disagreement / sum weight / expected.
    least : float
        What the coefficient cannot be below.
    """

    estimate: float
    statistics: Any
    finish: Callable[[FloatArray], FloatArray]
    values: Callable[[], FloatArray]
    disagreement: FloatArray
    weight: FloatArray
    expected: float
    least: float = -math.inf

    def estimand(self, copies: FloatArray) -> Estimand:
        """Return what the room of inference needs."""
        n, weight = copies.sum(), copies * self.weight
        shares = weight / weight.sum()

        def influence() -> FloatArray:
            values = self.values()
            return np.asarray((values - copies @ values / n) * copies / n)[:, None]

        return Estimand(
            estimate=np.array([self.estimate]),
            influence=influence,
            shares=(copies / n)[:, None],
            copies=copies,
            statistics=self.statistics,
            finish=self.finish,
            disagreement=Disagreement(
                values=(shares * self.disagreement)[:, None],
                shares=shares[:, None],
                expected=np.array([self.expected]),
            ),
            least=self.least,
        )
