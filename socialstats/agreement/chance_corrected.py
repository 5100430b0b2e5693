"""Coefficients that correct agreement for chance: (observed - chance) / (1 - chance)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from socialstats.agreement.agreement_weights import AgreementWeights
from socialstats.agreement.coefficients import Coefficient
from socialstats.agreement.rating_counts import RatingCounts
from socialstats.agreement.reliability import AgreementOptions, UnitGroup, reliability
from socialstats.arrays import FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution
from socialstats.registry import Metric
from socialstats.results import Result, Row

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# (B, levels) shares of the levels, (levels, levels) weights -> what each level adds to chance, times its share
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

    def coefficient(self) -> Coefficient | None:
        """Return the coefficient with each unit's linearised value, whose mean is the coefficient (Gwet 2014).

        It does not exist where agreement by chance is complete: it is 0 / 0.
        The standard error is that of their mean. Units with one rating enter the level shares only; their number is
        taken as fixed, as Gwet does.
        """
        observed, expected, pi = self.overall()
        if not 1 - expected > NO_ERROR:
            return None
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


def chance_corrected(
    metric: Metric,
    design: Ratings,
    options: AgreementOptions,
    weights: AgreementWeights,
    chance: ChanceOfLevels,
    *,
    kind: str,
    term: str,
    name: str,
    cautions: Sequence[Caution] = (),
    further: Callable[[UnitGroup, ObservedAndChance], dict[str, Any]] = lambda *_: {},
    tests: Callable[[UnitGroup], tuple[Row, ...]] = lambda _: (),
) -> Result:
    """Return the result of a coefficient by its definition of agreement by chance.

    Parameters
    ----------
    metric : Metric
    design : Ratings
    options : AgreementOptions
    weights : AgreementWeights
    chance : ChanceOfLevels
    kind : str
        What a matrix of weights holds, as the caller said.
    term, name : str
        Term of the rows, and the name of the coefficient in words.
    cautions : sequence of Caution
        Said beside those of the weights and of all coefficients.
    further, tests : callable
        Of all units: what the result has beside its rows, from their observed and chance agreement; further rows.
    """

    def agreement_of(group: UnitGroup) -> ChanceAgreement:
        return ChanceAgreement(chance=chance, weights=weights.matrix, counts=group.counts)

    def coefficient(group: UnitGroup) -> Coefficient | None:
        return agreement_of(group).coefficient() if group.n_paired else None

    def extras(group: UnitGroup) -> dict[str, Any]:
        agreement = agreement_of(group)
        return agreement.extras() | further(group, agreement.overall())

    return reliability(
        metric,
        design,
        options,
        coefficient,
        term=term,
        title=f"{name} ({weights.name})",
        least=1,
        settings={"weights": weights.name, "kind": kind},
        extras=extras,
        tests=tests,
        cautions=weights.cautions,
        further=cautions,
    )
