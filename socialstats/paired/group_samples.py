"""Two independent groups for plain definitions: their means, their standard deviations and the difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.groups import Groups
from socialstats.designs.parts import Factor
from socialstats.paired.peers import MOST_WRITTEN_OUT
from socialstats.results.definitions import PlainSample, RowKey

DIFFERENCE: RowKey = (None, "difference")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupUnits:
    """The units of a design, and what a definition takes from them.

    Attributes
    ----------
    design : Groups
    values : (cells,) float64 array
        What is averaged.
    factors : tuple of Factor
        Clusters.
    mean_group : str
        Group of the rows of the means: "mean" or "share".
    level : float
        Of the intervals of the means.
    answers : mapping of str to float
        By name of a group: the most answers that Wilson's interval may count.
    unbiased : bool
        Whether variances of independent units have the divisor n - 1.
    """

    design: Groups
    values: FloatArray
    factors: tuple[Factor, ...]
    mean_group: str
    level: float
    answers: Mapping[str, float] = field(default_factory=dict)
    unbiased: bool = True

    @property
    def weight(self) -> FloatArray:
        """Sampling weights of the cells, 1 without any."""
        design = self.design
        return np.ones(len(design.count)) if design.weight is None else design.weight

    def samples(self) -> Iterator[PlainSample]:
        """Yield the units of each group, then those of both."""
        for side in (0, 1):
            yield self.sample_of_group(side)
        yield self.sample_of_difference()

    def sample_of_group(self, side: int) -> PlainSample:
        """Return the units of one group, with their mean and their standard deviation."""
        inside, name = self.design.group == side, self.design.groups[side]
        x, weight = self.values[inside], self.weight[inside]
        key: RowKey = (self.mean_group, name)

        def estimates(count: FloatArray) -> dict[RowKey, float]:
            mass, n = count * weight, count.sum()
            mean = float(mass @ x / mass.sum())
            variance = float(mass @ (x - mean) ** 2 / mass.sum()) * n / (n - 1)
            return {key: mean, ("sd", name): math.sqrt(variance)}

        factors = tuple(factor.take(inside) for factor in self.factors)
        answers = {key: self.answers[name]} if self.answers else {}
        return PlainSample(
            count=self.design.count[inside],
            plain=estimates,
            factors=factors,
            alike=np.column_stack([x, weight]),
            counted={key: weight},
            answers=answers,
            unbiased=self.unbiased,
            level=self.level,
            size=float(np.abs(x).max()),
        )

    def sample_of_difference(self) -> PlainSample:
        """Return all units, with the mean of the first group less that of the second."""
        first, weight = self.design.group == 0, self.weight

        def estimates(count: FloatArray) -> dict[RowKey, float]:
            mass = count * weight
            means = [
                float(mass[inside] @ self.values[inside] / mass[inside].sum())
                for inside in (first, ~first)
            ]
            return {DIFFERENCE: means[0] - means[1]}

        alike = np.column_stack([self.values, weight, ~first])
        return PlainSample(
            count=self.design.count,
            plain=estimates,
            factors=self.factors,
            alike=alike,
            counted={DIFFERENCE: weight},
            second=~first,
            unbiased=self.unbiased,
            size=float(np.abs(self.values).max()),
        )


def written_out(design: Groups) -> tuple[FloatArray, FloatArray] | None:
    """Return the values of both groups for other packages; None where units weigh unevenly or are too many."""
    if design.weight is not None or design.n_rows > MOST_WRITTEN_OUT:
        return None
    times = design.count.astype(np.int64)
    first = design.group == 0
    return np.repeat(design.value[first], times[first]), np.repeat(
        design.value[~first], times[~first]
    )
