"""Which means of cells make which number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.metrics.relationship_bias.data import Data
from socialstats.models.couples import (
    Aggregate,
    Cell,
    Linear,
    Scores,
    linear,
    scenario_differences,
    scores,
)
from socialstats.resampling import Bootstrap, Units, bootstrap

Parts = Mapping[Cell, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """Mean scores of one set of answers, and the combinations that are asked for.

    Attributes
    ----------
    data : Data
    means : Scores
    raters : tuple of int
        Codes of the raters that have cells of their own; (0,) where raters are pooled.
    """

    data: Data
    means: Scores
    raters: tuple[int, ...]

    def parts(self, cells: Sequence[tuple[float, int, int]]) -> list[Parts]:
        """Coefficients of a combination of (sign, first, second), once for each rater who has all its cells."""
        known = set(self.means.cells)
        found: list[Parts] = [{(r, a, b): sign for sign, a, b in cells} for r in self.raters]
        return [one for one in found if set(one) <= known]

    def bias(self, pair: tuple[int, int]) -> list[Parts]:
        """B_ab = S_ba - S_ab, rater by rater."""
        a, b = pair
        return self.parts([(1.0, b, a), (-1.0, a, b)])

    def combine(self, parts: Sequence[Parts]) -> FloatArray | None:
        """Average the coefficients over raters; None where nobody has the cells."""
        if not parts:
            return None
        return np.asarray(np.mean([self.means.coefficients(one) for one in parts], axis=0))

    def linear(self, parts: Sequence[Parts]) -> Linear | None:
        """Return the average over raters with its influence."""
        coefficient = self.combine(parts)
        return None if coefficient is None else linear(self.means, coefficient, len(self.data.design.units))

    def position(self) -> list[Parts]:
        """Mean of the scores S_aa of all groups that met their own kind, rater by rater."""
        found: list[Parts] = []
        for r in self.raters:
            own = [cell for cell in self.means.cells if cell[0] == r and cell[1] == cell[2]]
            if own:
                found.append({cell: 1 / len(own) for cell in own})
        return found

    def each_bias(self) -> tuple[list[Parts], FloatArray]:
        """Every B that the mean absolute value averages, and its weight: pairs alike, and raters within a pair."""
        listed: list[Parts] = []
        weights: list[float] = []
        for pair in self.data.pairs:
            own = self.bias(pair)
            listed += own
            weights += [1 / max(len(own), 1)] * len(own)
        return listed, np.array(weights) / sum(weights) if weights else np.zeros(0)


def analysis(data: Data, aggregate: Aggregate) -> Analysis:
    """Average the answers."""
    means = scores(data.answers, aggregate)
    raters = tuple(sorted({cell[0] for cell in means.cells}))
    return Analysis(data=data, means=means, raters=raters)


def differences(found: Analysis, pair: tuple[int, int]) -> FloatArray:
    """(scenarios, raters) array of the scenarios' differences; one column where raters are pooled."""
    data, size = found.data, len(found.data.scenarios.levels)
    if len(found.raters) == 1:
        return scenario_differences(data.answers, *pair, size)[:, None]
    each = [data.answers.take(data.answers.rater == r) for r in found.raters]
    return np.column_stack([scenario_differences(one, *pair, size) for one in each])


def resample(found: Analysis, rows: FloatArray, units: Units, resamples: int, seed: int) -> Bootstrap:
    """Bootstrap linear combinations of the means, and last the mean absolute value of all biases.

    Parameters
    ----------
    found : Analysis
    rows : (m, cells) array
        Coefficients.
    units : Units
    resamples, seed : int

    Returns
    -------
    Bootstrap
        Of m + 1 quantities. A resample without any answer of a cell has none of the numbers made from it.
    """
    from scipy.sparse import csr_array

    means, k = found.means, len(found.means.cells)
    listed, weight = found.each_bias()
    each = np.array([means.coefficients(one) for one in listed]).reshape(-1, k)
    shape = (len(found.data.design.units), 2 * k)
    place = (np.concatenate([means.answers.unit] * 2), np.concatenate([means.cell, k + means.cell]))
    table = csr_array((np.concatenate([means.weight * means.answers.score, means.weight]), place), shape=shape)

    def finish(sums: FloatArray) -> FloatArray:
        have = sums[:, k:] > 0
        own = np.divide(sums[:, :k], sums[:, k:], out=np.zeros_like(sums[:, :k]), where=have)
        lost = 1.0 - have
        some = np.where(lost @ (rows != 0).T > 0, np.nan, own @ rows.T)
        absolute = np.where(lost @ (each != 0).T > 0, np.nan, np.abs(own @ each.T))
        return np.column_stack([some, absolute @ weight])

    return bootstrap(table, finish, units, resamples=resamples, seed=seed)
