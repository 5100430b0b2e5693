"""A coefficient of one group of units, and what the room of inference needs of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.infer import Disagreement, Estimand


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
