"""Couples of two groups of names, asked in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.models.matched_pairs import Cells

Aggregate = Literal["pooled", "scenario", "rater"]
AGGREGATES: tuple[Aggregate, ...] = ("pooled", "scenario", "rater")
Cell = tuple[int, int, int]  # rater (0 where raters are pooled), group of the first, group of the second name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Answers, one entry each.

    Attributes
    ----------
    score : (answers,) float64 array of -1 and 1
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

    def take(self, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Answers:
        """Return some of the answers."""
        return replace(self, **{f.name: getattr(self, f.name)[mask] for f in fields(self)})

    @property
    def n(self) -> float:
        """Answers."""
        return float(self.count.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """The mean score of every cell (rater, group of the first, group of the second name).

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

    answers: Answers
    cells: tuple[Cell, ...]
    cell: IntArray
    weight: FloatArray
    mean: FloatArray
    n: FloatArray

    def coefficients(self, parts: Mapping[Cell, float]) -> FloatArray:
        """(cells,) float64 array: the coefficient of each cell's mean."""
        return np.array([parts.get(cell, 0.0) for cell in self.cells], dtype=np.float64)


def combinations(*codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the combinations of codes that occur, (k, factors), sorted, and which of them each place has.

    Examples
    --------
    >>> found, place = combinations(np.array([1, 0, 1]), np.array([2, 5, 2]))
    >>> found.tolist(), place.tolist()
    ([[0, 5], [1, 2]], [1, 0, 1])
    """
    sizes = [int(code.max()) + 1 if len(code) else 1 for code in codes]
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        key = key * size + code
    found, place = np.unique(key, return_inverse=True)
    columns = []
    for size in reversed(sizes):
        columns.append(found % size)
        found = found // size
    return np.column_stack(columns[::-1]), place


def scores(answers: Answers, aggregate: Aggregate = "pooled") -> Scores:
    """Average the answers of every cell.

    Parameters
    ----------
    answers : Answers
    aggregate : {"pooled", "scenario", "rater"}
        ``"pooled"``: all answers weigh alike. ``"scenario"``: scenarios weigh alike. ``"rater"``: cells rater by
        rater.

    Returns
    -------
    Scores
    """
    rater = answers.rater if aggregate == "rater" else np.zeros(len(answers.score), dtype=np.int64)
    found, cell = combinations(rater, answers.first, answers.second)
    n = np.bincount(cell, answers.count)
    weight, mean = answers.count / n[cell], np.bincount(cell, answers.count * answers.score) / n
    if aggregate == "scenario":
        weight, mean = scenarios_alike(answers, cell, len(found))
    return Scores(
        answers=answers, cells=tuple((int(r), int(a), int(b)) for r, a, b in found.tolist()), cell=cell, weight=weight,
        mean=mean, n=n.astype(np.float64),
    )  # fmt: skip


def scenarios_alike(answers: Answers, cell: IntArray, cells: int) -> tuple[FloatArray, FloatArray]:
    """Weights of the answers, and means of the cells, where every scenario of a cell weighs the same."""
    place, inside = combinations(cell, answers.scenario)
    scenarios = np.bincount(place[:, 0], minlength=cells)
    n = np.bincount(inside, answers.count)
    own = np.bincount(inside, answers.count * answers.score) / n
    return answers.count / n[inside] / scenarios[cell], np.bincount(place[:, 0], own, minlength=cells) / scenarios


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linear:
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

    def minus(self, other: Linear) -> Linear:
        """Return the difference of two combinations."""
        return Linear(
            estimate=self.estimate - other.estimate, influence=self.influence - other.influence,
            touched=self.touched + other.touched,
        )  # fmt: skip

    @property
    def n(self) -> float:
        """Answers that enter."""
        return float(self.touched.sum())


def linear(means: Scores, coefficient: FloatArray, units: int) -> Linear:
    """Combine means of cells.

    The mean of a cell changes by weight x (score - mean) with an answer, also where scenarios weigh alike: what
    scenarios differ by is part of the error.

    Parameters
    ----------
    means : Scores
    coefficient : (cells,) float64 array
    units : int
        Units of the design.

    Returns
    -------
    Linear
    """
    own = coefficient[means.cell]
    off = own * means.weight * (means.answers.score - means.mean[means.cell])
    enters = means.answers.count * (own != 0)
    return Linear(
        estimate=float(coefficient @ means.mean),
        influence=np.bincount(means.answers.unit, off, minlength=units).astype(np.float64),
        touched=np.bincount(means.answers.unit, enters, minlength=units).astype(np.float64),
    )


def inference(combined: Linear, unit_count: FloatArray, codes: Sequence[IntArray]) -> ClusteredMean:
    """Return the combination as a clustered mean of its units' values N x influence + estimate.

    Their mean is the estimate and their deviations from it are N times the influence, so that standard error, degrees
    of freedom and the floor of two crossed factors are those of `clustered_mean`.

    Parameters
    ----------
    combined : Linear
    unit_count : (units,) float64 array
    codes : sequence of (units,) int64 arrays
    """
    used = combined.touched > 0
    count = unit_count[used]
    values = combined.influence[used] / count * count.sum() + combined.estimate
    return clustered_mean(values, count, [code[used] for code in codes], magnitude=1.0)


def scenario_differences(answers: Answers, a: int, b: int, scenarios: int) -> FloatArray:
    """(scenarios,) array: the mean of couples (b, a) minus that of couples (a, b); NaN where one of them is missing."""
    means = []
    for first, second in ((b, a), (a, b)):
        mine = answers.take((answers.first == first) & (answers.second == second))
        n = np.bincount(mine.scenario, mine.count, minlength=scenarios)
        total = np.bincount(mine.scenario, mine.count * mine.score, minlength=scenarios)
        means.append(np.divide(total, n, out=np.full(scenarios, np.nan), where=n > 0))
    return np.asarray(means[0] - means[1], dtype=np.float64)


def folded_mean(mean: float, sd: float) -> float:
    """Mean of the absolute value of a normal variable: sd sqrt(2/pi) exp(-m^2/(2 sd^2)) + m (1 - 2 Phi(-m/sd)).

    What the absolute value of an unbiased estimate is on average: larger than the size of its mean (Leone, Nelson &
    Nottingham 1961).

    Examples
    --------
    >>> round(folded_mean(0.0, 1.0), 4), round(folded_mean(-3.0, 1.0), 4)
    (0.7979, 3.0008)
    """
    from scipy.special import ndtr

    z = mean / sd
    return float(sd * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) + mean * (1 - 2 * ndtr(-z)))


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
        raise InputError(f"B={B!r} is outside [-2, 2]: it is the difference of two means of -1 and +1")
    if not (np.isfinite(N) and N >= 1 and N % 1 == 0):
        raise InputError(f"N={N!r} must be a whole number of couples, at least 1")
    size = float(N) * abs(float(B))
    return round(size * abs(float(B)) / 4, 12), size / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Couples:
    """Couples of two groups: the same scenario, pair of names and rater.

    Attributes
    ----------
    key : (couples, 3) int64 array
        Scenario, pair, rater.
    score : (couples, 2) float64 array
        Answer with group a first, and with group b first; NaN where there is none.
    count : (couples,) float64 array
        Alike couples.
    repeated : int
        Couples with more than one answer in an order: which answers belong together is not known.
    of_answer : (answers of both orders,) int64 array
        Couple of each answer.
    """

    key: IntArray
    score: FloatArray
    count: FloatArray
    repeated: int
    of_answer: IntArray

    @property
    def complete(self) -> BoolArray:
        """(couples,) bool array: answered in both orders."""
        return np.asarray(~np.isnan(self.score).any(axis=1))

    def cells(self) -> Cells | None:
        """Cells of a paired table of the complete couples; None without any.

        ``b``: the first group is chosen in both orders, ``c``: the second group; ``a`` and ``d``: the first, the
        second *place* is chosen in both orders.
        """
        whole = self.complete
        if not whole.any():
            return None
        one, two = self.score[whole].T
        n = self.count[whole]
        return Cells(
            a=float(n[(one == -1) & (two == -1)].sum()), b=float(n[(one == -1) & (two == 1)].sum()),
            c=float(n[(one == 1) & (two == -1)].sum()), d=float(n[(one == 1) & (two == 1)].sum()),
        )  # fmt: skip


def both_orders(answers: Answers, a: int, b: int) -> BoolArray:
    """(answers,) bool array: couples of these two groups, in either order."""
    forth = (answers.first == a) & (answers.second == b)
    return np.asarray(forth | ((answers.first == b) & (answers.second == a)))


def couples(answers: Answers, a: int, b: int) -> Couples:
    """Match the answers of both orders by scenario, pair and rater."""
    mine = answers.take(both_orders(answers, a, b))
    key, place = combinations(mine.scenario, mine.pair, mine.rater)
    order = (mine.first == b).astype(np.int64)
    times, score, count = (np.zeros((len(key), 2)) for _ in range(3))
    np.add.at(times, (place, order), 1)
    score[place, order] = mine.score
    count[place, order] = mine.count
    unmatched = (times > 1).any(axis=1) | ((times > 0).all(axis=1) & (count[:, 0] != count[:, 1]))
    return Couples(
        key=key, score=np.where(times > 0, score, np.nan), count=count.max(axis=1),
        repeated=int(unmatched.sum()), of_answer=place,
    )  # fmt: skip
