"""The difference of two mean sizes, such as B_all of two models: interval and test by the intervals of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.paired.mean_sizes import (
    MeanSizeEstimates,
    influence_products,
    nearest_values,
    size_interval,
)
from socialstats.paired.pair_sizes import ROUNDING
from socialstats.resampling.permutation import TIE

CLOSE = 1e-9  # tolerance of the size at which both tails meet


@dataclass(frozen=True, kw_only=True, eq=False)
class MeanSizes:
    """Estimates whose sizes are averaged, with what every unit adds to them.

    Attributes
    ----------
    estimates : Estimates
    influence : (units, k) float64 array
    seed : int
        Of the draws.
    """

    estimates: MeanSizeEstimates
    influence: FloatArray
    seed: int

    @cached_property
    def errors(self) -> FloatArray:
        """Draws of the errors, (draws, k)."""
        return self.estimates.draw_errors(self.seed)

    @cached_property
    def signed(self) -> FloatArray:
        """What every unit adds to the mean size, where each estimate keeps its sign, (units,)."""
        return np.asarray(self.influence @ self.estimates.signed_weight)

    def ends(self, level: float, most: float) -> tuple[float, float]:
        """Return the interval of the mean size (`size_interval`)."""
        return size_interval(self.estimates, self.errors, level=level, most=most)

    def drawn(self, size: float) -> FloatArray:
        """Return mean sizes drawn where the true one is `size`, at the values nearest to the estimates."""
        return np.asarray(
            np.abs(self.errors + nearest_values(self.estimates, size)) @ self.estimates.weight
        )

    def above(self, size: float) -> float:
        """Share of draws at a true size that are at least the mean size observed: the tail of a lower limit."""
        return share_of_draws(np.asarray(self.drawn(size) >= self.estimates.size * (1 - TIE)))

    def below(self, size: float) -> float:
        """Share of draws at a true size that are at most the one observed: the tail of an upper limit.

        As in `size_interval`, at least half that of the sum by signs around the corrected size.
        """
        # the sum by signs has no bias of a size
        by_sign = self.errors @ (self.estimates.signed_weight)
        least = share_of_draws(np.asarray(np.abs(by_sign) >= size - self.estimates.corrected)) / 2
        return max(
            share_of_draws(np.asarray(self.drawn(size) <= self.estimates.size * (1 + TIE))), least
        )


def share_of_draws(is_extreme: BoolArray) -> float:
    """Share of draws, the data counted as one of them: never 0."""
    return (int(is_extreme.sum()) + 1) / (len(is_extreme) + 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SizeDifference:
    """The corrected mean size of some estimates minus that of others.

    Sampling error adds to a size, and more to that with the larger error: a t test of the difference is not valid. With
    the sizes a and b and their limits (a1, a2), (b1, b2), the lower limit is a - b - sqrt((a - a1)^2 + (b2 - b)^2 - 2 r
    (a - a1) (b2 - b)), the upper one likewise (Zou & Donner 2008). Where a1 is 0 a may be 0, and the lower limit is at
    most -b2. Where b1 is 0, the upper one is at least a2. p is 1 less the level at which the interval ends at 0.

    Attributes
    ----------
    first, second : MeanSizes
    correlation : float
        r, of the sizes where each estimate keeps its sign, and at most 0. A positive one would make the interval
        shorter, and the signs of estimates near 0 are not known.

    References
    ----------
    Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect measures: a general approach.
    doi:10.1002/sim.3095

    Examples
    --------
    >>> large, none = (MeanSizes(seed=0, influence=np.array([[1.0], [-1.0]]), estimates=MeanSizeEstimates(
    ...     value=np.array([x]), error=np.array([0.2]), df=np.array([20.0]), weight=np.ones(1),
    ...     correlation=np.ones((1, 1)), block=np.zeros(1, dtype=np.int64))) for x in (1.5, 0.1))
    >>> difference = SizeDifference.from_sizes(large, none, [])
    >>> difference.p_value() < 0.001, [round(end) for end in difference.interval(0.95, most=2.0)]
    (True, [1, 2])
    """

    first: MeanSizes
    second: MeanSizes
    correlation: float

    @classmethod
    def from_sizes(cls, first: MeanSizes, second: MeanSizes, codes: list[IntArray]) -> Self:
        """Compare estimates from the same units, in clusters."""
        influence = np.column_stack([first.signed, second.signed])
        products = influence_products(influence, codes)
        spread = np.sqrt(np.diag(products))
        correlation = 0.0
        # without a spread clusters are alike
        if np.all(spread > ROUNDING * np.abs(influence).sum(axis=0)):
            correlation = min(float(products[0, 1] / spread.prod()), 0.0)
        return cls(first=first, second=second, correlation=correlation)

    @property
    def gap(self) -> float:
        """The difference of the corrected sizes."""
        return self.first.estimates.corrected - self.second.estimates.corrected

    def interval(self, level: float, *, most: float) -> tuple[float, float]:
        """Return both limits; `most` is the largest size there can be."""
        a, b = self.first.estimates.corrected, self.second.estimates.corrected
        (a1, a2), (b1, b2) = (sizes.ends(level, most) for sizes in (self.first, self.second))
        low = self.gap - self.limit_distance(a - a1, b2 - b)
        high = self.gap + self.limit_distance(a2 - a, b - b1)
        return min(low, -b2) if a1 == 0 else low, max(high, a2) if b1 == 0 else high

    def limit_distance(self, x: float, y: float) -> float:
        """Distance from the difference to a limit, of the distances of both sizes to theirs."""
        return math.sqrt(max(x * x + y * y - 2 * self.correlation * x * y, 0.0))

    def p_value(self) -> float:
        """Two-sided p of no difference; never 0.

        The limit of the larger size a and that of the smaller one b have the same tail, and lie so that the interval
        ends at 0. Between a and b the tail of the first falls with its distance x from a, that of the second rises.
        """
        from scipy.optimize import brentq

        large, small = self.first, self.second
        if self.gap < 0:
            large, small = small, large
        a, b = large.estimates.corrected, small.estimates.corrected
        gap, r = abs(self.gap), self.correlation

        def tails(x: float) -> tuple[float, float]:
            # the y for which the distance of the limit is the gap
            y = r * x + math.sqrt(max(gap**2 - (1 - r * r) * x * x, 0.0))
            return large.above(a - x), small.below(b + y)

        def tail_difference(x: float) -> float:
            first, second = tails(x)
            return first - second

        if gap == 0 or tail_difference(0.0) <= 0 or tail_difference(gap) >= 0:
            return 1.0
        x = float(brentq(tail_difference, 0.0, gap, xtol=CLOSE * max(1.0, gap)))
        return min(2 * max(tails(x)), 1.0)
