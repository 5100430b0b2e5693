"""What groups of units add to an estimate, and the variances and degrees of freedom that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.clusters import (
    Errors,
    cochran,
    errors_by,
    errors_in_strata,
    errors_of_gap,
    errors_of_table,
)
from socialstats.crosscheck.people import RatingsOfPeople, joined_errors, numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contributions:
    """What groups of units, which are alike in their clusters, add to an estimate.

    Attributes
    ----------
    influence : (groups,) float64 array
        Derivative of the estimate by the relative weight of the group.
    units : (groups,) float64 array
        Alike units of the group.
    weight : (groups,) float64 array
        What they weigh in the denominator of the estimate; groups without any weight are left out.
    codes : (groups, factors) int64 array
        Clusters of the group; without factors a group is a cell of independent units.
    people : (groups,) int64 array or None
        Who gave the ratings, where raters are a sample; -1 for other raters.
    people_weight : (groups,) float64 array or None
        What ratings weigh among those of people; by default `weight`.
    strata : (groups,) int64 array or None
        Strata of fixed weight.
    second : (groups,) bool array or None
        Of a difference: units of its second group.
    independent_units : bool
        Whether the only factor numbers independent units, of several ratings each.
    mean_squares : bool
        Whether groups are the cells of a complete table of two factors.
    """

    influence: FloatArray
    units: FloatArray
    weight: FloatArray
    codes: IntArray
    people: IntArray | None = None
    people_weight: FloatArray | None = None
    strata: IntArray | None = None
    second: BoolArray | None = None
    independent_units: bool = False
    mean_squares: bool = False

    @property
    def total(self) -> float:
        """Units that the denominator counts."""
        return float(self.weight.sum())

    @property
    def clustered(self) -> bool:
        """Whether units are in clusters or of people, or are clusters of the answers that the denominator counts."""
        # a unit of several answers, or of parts of one, is a cluster of them
        sized = not np.array_equal(self.weight, self.units)
        return bool(self.codes.shape[1]) or sized or self.people is not None

    @property
    def alone(self) -> bool:
        """Whether units are independent of all others, whatever they weigh."""
        return not self.codes.shape[1] and self.people is None and self.strata is None

    def errors(self) -> Errors:
        """Return variance and df under clusters or within strata, or of independent units: the squares added up."""
        if self.strata is None and not self.clustered:
            # each of the alike units of a cell adds its part of the cell's influence
            variance = float(self.influence**2 @ (1 / self.weight))
            return Errors(
                variance=variance,
                df=self.total - 1,
                effective=self.total,
                largest=1 / self.total,
                plain=variance,
            )
        if self.mean_squares:
            return errors_of_table(self.influence, self.codes)
        groups = self if self.codes.shape[1] else self.single_units()
        if groups.strata is not None:
            return errors_in_strata(
                groups.influence,
                groups.weight / groups.total,
                groups.units,
                groups.codes[:, 0],
                groups.strata,
            )
        errors = errors_by(groups.influence, groups.weight / groups.total, groups.codes)
        if self.independent_units:
            # the usual variance of n units, in place of CR2
            sums = np.bincount(numbers(groups.codes[:, 0]), groups.influence)
            n = len(sums)
            errors = replace(errors, variance=n / (n - 1) * float(sums @ sums))
        return joined_errors(errors, groups.ratings_of_people())

    def single_units(self) -> Contributions:
        """Return the contributions of single units, each of which is its own cluster."""
        unit = np.repeat(np.arange(len(self.units)), self.units.astype(np.int64))
        influence, weight = self.influence / self.units, self.weight / self.units
        single = np.arange(len(unit))[:, None]
        people = None if self.people is None else self.people[unit]
        strata = None if self.strata is None else self.strata[unit]
        return Contributions(
            influence=influence[unit],
            units=np.ones(len(unit)),
            weight=weight[unit],
            codes=single,
            people=people,
            strata=strata,
        )

    def ratings_of_people(self) -> RatingsOfPeople | None:
        """Return what people who are a sample add: deviations from their own estimate; None without such people."""
        if self.people is None or not (self.people >= 0).any():
            return None
        drawn = self.people >= 0
        weight = self.weight if self.people_weight is None else self.people_weight
        share = weight[drawn] / weight[drawn].sum()
        # deviations from the estimate of these people alone
        deviations = self.influence[drawn] - share * self.influence[drawn].sum()
        return RatingsOfPeople(
            e=deviations,
            f=share,
            unit=numbers(self.codes[drawn, 0]),
            person=numbers(self.people[drawn]),
            alone=bool(drawn.all()),
        )

    def errors_of_difference(self, second: BoolArray, *, unbiased: bool) -> Errors:
        """Return variance and df of a difference of two groups: CR2 of both, or Welch's of independent units."""
        if self.codes.shape[1]:
            # weights sum to 1 in each group
            total = np.bincount(second, self.weight, 2)
            share = self.weight / total[second.astype(np.int64)]
            return errors_of_gap(self.influence, share, second, self.codes, self.units)
        sides = [
            Contributions(
                influence=self.influence[inside],
                units=self.units[inside],
                weight=self.weight[inside],
                codes=self.codes[inside],
            )
            for inside in (~second, second)
        ]
        parts = [side.errors() for side in sides]
        variances = np.array([part.variance for part in parts])
        if unbiased:
            variances = np.array([side.linearised_variance() for side in sides])
        variance, dfs = float(variances.sum()), np.array([part.df for part in parts])
        # Welch (1947)
        df = variance**2 / float((variances**2 / dfs).sum())
        return replace(parts[0], variance=variance, df=df, plain=variance)

    def linearised_variance(self) -> float:
        """Return n / (n - 1) times the sum of squares of n independent units of uneven weight."""
        n = float(self.units.sum())
        return n / (n - 1) * float(self.influence**2 @ (1 / self.units))


def with_added(errors: Errors, variance: float, df: float) -> Errors:
    """Return the errors of a difference from what has a variance and df of its own."""
    together = cochran([errors.variance, variance], [errors.df, df])
    return replace(errors, variance=errors.variance + variance, df=together)
