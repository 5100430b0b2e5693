"""Couples of two groups of names, asked in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray, unique_rows
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import (
    ClusteredMean,
    clustered_mean,
    difference_of_clustered_means,
)
from socialstats.paired.matched_pairs import Cells

Aggregate = Literal["pooled", "scenario", "rater"]
# rater (0 where raters are pooled), group of the first, group of the second name
CellKey = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoupleAnswers:
    """Answers, one entry each.

    Attributes
    ----------
    score : (answers,) float64 array
        -1 and 1, or between them where probabilities are read: that of the second name less that of the first.
    count : (answers,) float64 array
        Alike answers that each stands for.
    unit, scenario, pair, rater : (answers,) int64 arrays
    first, second : (answers,) int64 arrays
        Group of the first and of the second name.
    """

    score: FloatArray
    count: FloatArray
    unit: IntArray
    scenario: IntArray
    pair: IntArray
    rater: IntArray
    first: IntArray
    second: IntArray

    @property
    def drawn(self) -> bool:
        """Whether every answer is one of the two, and none is read as a probability."""
        return bool(np.all(np.abs(self.score) == 1))

    def take(self, mask: BoolArray) -> CoupleAnswers:
        """Return some of the answers."""
        return replace(self, **{f.name: getattr(self, f.name)[mask] for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellScores:
    """The mean score S of every cell (rater, group of the first, group of the second name).

    Attributes
    ----------
    answers : Answers
    cells : tuple of (rater, first, second)
    cell : (answers,) int64 array
    weight : (answers,) float64 array
        What a (counted) answer weighs in the mean of its cell; sums to 1 in each.
    mean, n : (cells,) float64 arrays
        S, and the answers behind it.
    """

    answers: CoupleAnswers
    cells: tuple[CellKey, ...]
    cell: IntArray
    weight: FloatArray
    mean: FloatArray
    n: FloatArray


def distinct_codes(*codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the combinations of codes that occur, (k, factors), sorted, and the index of each entry's.

    Examples
    --------
    >>> combinations, index = distinct_codes(np.array([1, 0, 1]), np.array([2, 5, 2]))
    >>> combinations.tolist(), index.tolist()
    ([[0, 5], [1, 2]], [1, 0, 1])
    """
    combinations, _, index = unique_rows(np.column_stack(codes))
    return combinations, index


def cell_scores(
    answers: CoupleAnswers, aggregate: Aggregate = "pooled", alike: IntArray | None = None
) -> CellScores:
    """Average the answers of every cell.

    Parameters
    ----------
    answers : Answers
    aggregate : {"pooled", "scenario", "rater"}
        ``"pooled"``: all answers weigh alike. ``"scenario"``: scenarios weigh alike. ``"rater"``: cells rater by
        rater.
    alike : (answers,) int64 array, optional
        Levels that weigh alike in a cell, in place of answers or scenarios.
    """
    rater = answers.rater if aggregate == "rater" else np.zeros_like(answers.rater)
    cells, cell = distinct_codes(rater, answers.first, answers.second)
    n = np.bincount(cell, answers.count).astype(np.float64)
    weight, mean = answers.count / n[cell], np.bincount(cell, answers.count * answers.score) / n
    parts = answers.scenario if alike is None and aggregate == "scenario" else alike
    if parts is not None:
        # the mean of a cell is that of the means of its parts
        combinations, part = distinct_codes(cell, parts)
        cell_of_part = combinations[:, 0]
        size = np.bincount(part, answers.count)
        n_parts = np.bincount(cell_of_part)
        weight = answers.count / size[part] / n_parts[cell]
        part_mean = np.bincount(part, answers.count * answers.score) / size
        mean = np.bincount(cell_of_part, part_mean) / n_parts
    keys = tuple((r, a, b) for r, a, b in cells.tolist())
    return CellScores(answers=answers, cells=keys, cell=cell, weight=weight, mean=mean, n=n)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearCombination:
    """A linear combination of means of cells, and how much each unit moves it.

    Attributes
    ----------
    estimate : float
    influence : (units,) float64 array
        Sums to 0.
    touched : (units,) float64 array
        Answers of the unit that enter.
    """

    estimate: float
    influence: FloatArray
    touched: FloatArray


def combine_cells(means: CellScores, coefficient: FloatArray, units: int) -> LinearCombination:
    """Combine means of cells.

    The mean of a cell changes by weight x (score - mean) with an answer, also where scenarios weigh alike. Differences
    between scenarios are part of the error.

    Parameters
    ----------
    means : Scores
    coefficient : (cells,) float64 array
    units : int
        Units of the design.
    """
    answers, coefficient_of_answer = means.answers, coefficient[means.cell]
    deviation = answers.score - means.mean[means.cell]
    influence, touched = (
        np.bincount(answers.unit, values, minlength=units).astype(np.float64)
        for values in (
            coefficient_of_answer * means.weight * deviation,
            answers.count * (coefficient_of_answer != 0),
        )
    )
    return LinearCombination(
        estimate=float(coefficient @ means.mean), influence=influence, touched=touched
    )


def clustered_mean_of(
    combined: LinearCombination, unit_count: FloatArray, codes: Sequence[IntArray]
) -> ClusteredMean:
    """Return the combination as a clustered mean of its units' values N x influence + estimate.

    Their mean is the estimate and their deviations from it are N times the influence. Standard error, degrees of
    freedom and the floor of two crossed factors are therefore those of `clustered_mean`.

    Parameters
    ----------
    combined : Linear
    unit_count : (units,) float64 array
    codes : sequence of (units,) int64 arrays
    """
    used = combined.touched > 0
    values = unit_values(combined, unit_count)
    return clustered_mean(
        values[used], unit_count[used], [code[used] for code in codes], magnitude=1.0
    )


def unit_values(combined: LinearCombination, unit_count: FloatArray) -> FloatArray:
    """Return N x influence + estimate of every unit, (units,); N counts the units that a combination touches."""
    n = float(unit_count[combined.touched > 0].sum())
    return combined.influence / unit_count * n + combined.estimate


def clustered_difference_of(
    first: LinearCombination,
    second: LinearCombination,
    unit_count: FloatArray,
    codes: Sequence[IntArray],
) -> ClusteredMean:
    """Return the first minus the second combination, each with its own mean, as those of two levels of a stratum.

    Units, and clusters, may have part in one of them or in both. Parameters are those of `clustered_mean_of`.
    """
    touched = np.column_stack([first.touched, second.touched]) > 0
    used = touched.any(axis=1)
    values = np.column_stack([unit_values(part, unit_count) for part in (first, second)])[used]
    count = touched[used] * unit_count[used, None]
    return difference_of_clustered_means(
        values, count, [code[used] for code in codes], magnitude=1.0
    )


def scenario_means(
    answers: CoupleAnswers, a: int, b: int, raters: int
) -> tuple[FloatArray, FloatArray]:
    """Means of couples (b, a), and of couples (a, b), scenario by scenario and rater by rater.

    Returns
    -------
    (scenarios, raters) arrays
        NaN where there is none. With one rater all answers are pooled.
    """
    size = (int(answers.scenario.max()) + 1) * raters
    cell = answers.scenario * raters + answers.rater * (raters > 1)

    def means(first: int, second: int) -> FloatArray:
        is_couple = (answers.first == first) & (answers.second == second)
        n, total = (
            np.bincount(cell[is_couple], values[is_couple], minlength=size)
            for values in (answers.count, answers.count * answers.score)
        )
        return np.reshape(np.divide(total, n, out=np.full(size, np.nan), where=n > 0), (-1, raters))

    return means(b, a), means(a, b)


def mcnemar_bounds(B: float, N: float) -> tuple[float, float]:
    """Bounds of McNemar's chi-square from a bias B and the number N of couples alone.

    With b couples in which both orders favour the first group and c in which they favour the second, B = 2 (b - c)/N
    and chi-square = (b - c)^2/(b + c), where b + c lies between abs(b - c) = N abs(B)/2 and N:

        N B^2 / 4 <= chi-square <= N abs(B) / 2.

    Parameters
    ----------
    B : float
        In [-2, 2].
    N : float
        Couples asked in both orders, a whole number of at least 1.

    Returns
    -------
    low, high : float
        Chi-square with 1 df; (0, 0) for B = 0. Attained when all couples are discordant, or only those that B needs.

    Raises
    ------
    InputError
        If B is outside [-2, 2] or N is no whole number of at least 1.

    Examples
    --------
    >>> mcnemar_bounds(0.2, 580)
    (5.8, 58.0)
    """
    if not -2 <= B <= 2:
        raise InputError(
            f"B={B!r} is outside [-2, 2]: it is the difference of two means of -1 and +1"
        )
    if not (np.isfinite(N) and N >= 1 and N % 1 == 0):
        raise InputError(f"N={N!r} must be a whole number of couples, at least 1")
    size = float(N) * abs(float(B))
    return round(size * abs(float(B)) / 4, 12), size / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Couples:
    """Couples of two groups: the same groups, scenario, pair of names and rater.

    Attributes
    ----------
    key : (couples, 5) int64 array
        The group with the lower code, the other one, scenario, pair, rater.
    score : (couples, 2) float64 array
        Answer with the one, and with the other group first; NaN where there is none.
    count : (couples,) float64 array
        Alike couples.
    repeated : (couples,) bool array
        With more than one answer in an order: which answers belong together is not known.
    of_answer : (answers,) int64 array
        Couple of each answer; -1 for answers to couples of one group.
    """

    key: IntArray
    score: FloatArray
    count: FloatArray
    repeated: BoolArray
    of_answer: IntArray

    @property
    def complete(self) -> BoolArray:
        """(couples,) bool array: answered in both orders."""
        return np.asarray(~np.isnan(self.score).any(axis=1))

    def is_of_groups(self, a: int, b: int) -> BoolArray:
        """(couples,) bool array: of these two groups, a before b."""
        return np.asarray(np.all(self.key[:, :2] == (a, b), axis=1))

    def cells(self, a: int, b: int) -> Cells | None:
        """Cells of a paired table of the complete couples of two groups, a before b; None without any.

        ``b``: the first group is chosen in both orders, ``c``: the second group. ``a`` and ``d``: the first, the second
        *place* is chosen in both orders.
        """
        used = self.is_of_groups(a, b) & self.complete
        if not used.any():
            return None
        # in the order of a, b, c, d: -1 is the first place
        patterns = product((-1.0, 1.0), repeat=2)
        times = [
            float(self.count[used & np.all(self.score == scores, axis=1)].sum())
            for scores in patterns
        ]
        return Cells(**dict(zip("abcd", times, strict=True)))


def match_couples(answers: CoupleAnswers) -> Couples:
    """Match the answers of both orders by groups, scenario, pair and rater."""
    mixed = np.flatnonzero(answers.first != answers.second)
    low, high = np.minimum(answers.first, answers.second), np.maximum(answers.first, answers.second)
    key, couple = distinct_codes(
        *(code[mixed] for code in (low, high, answers.scenario, answers.pair, answers.rater))
    )
    # (couples, 2): the order with the lower group first, and with the higher one first
    cell = couple, (answers.first > answers.second)[mixed].astype(np.int64)
    times, score = np.zeros((len(key), 2)), np.full((len(key), 2), np.nan)
    count = np.zeros((len(key), 2))
    np.add.at(times, cell, 1)
    score[cell], count[cell] = answers.score[mixed], answers.count[mixed]
    of_answer = np.full(len(answers.score), -1)
    of_answer[mixed] = couple
    several = (times > 1).any(axis=1)
    uneven = (times > 0).all(axis=1) & (count[:, 0] != count[:, 1])
    return Couples(
        key=key,
        score=score,
        count=count.max(axis=1),
        of_answer=of_answer,
        repeated=np.asarray(several | uneven),
    )
