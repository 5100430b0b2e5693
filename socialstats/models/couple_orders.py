"""The same couple asked in both orders: what McNemar's test sees, and couples that were asked in one order only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.models.couples import Answers, combinations
from socialstats.models.mcnemar import Cells


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
