"""Sums of distances to an unknown answer key: linear programs over mixtures of its levels, with exact bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from socialstats.errors import InputError

Ends = tuple[Fraction, Fraction]
FINEST = 10**6  # denominators of dual solutions


class AnswerKeys:
    """Which sums of distances abs(h_i - s_ij) a key h can give, one sum a source j.

    Between neighbouring levels every abs(h - s_j) is linear, so the vectors of distances of a unit lie in the convex
    hull of those of the levels. Therefore sum_i sum_a w_ia abs(a - s_ij) = D_j with sum_a w_ia = 1, w >= 0. Bounds are
    those of weak duality in exact fractions, for the solver's dual solution as rounded. For every y the least value of
    sum_i sum_a w_ia c_ia over the mixtures is at least sum_j min(y_j D_j) + sum_i min_a (c_ia - sum_j y_j abs(a -
    s_ij)).

    Parameters
    ----------
    sums : sequence of (low, high)
        Of each source: what its sum can be.
    answers : (units, sources) sequence of Fraction or None
        None for a refusal.
    levels : sequence of Fraction
        As `levels_of` returns them.
    missing : float or None
        Distance that a refusal counts as, whatever the key.
    """

    def __init__(
        self,
        sums: Sequence[Ends],
        answers: Sequence[Sequence[Fraction | None]],
        levels: Sequence[Fraction],
        missing: float | None,
    ) -> None:
        import numpy as np
        from scipy.sparse import csr_array, hstack, kron, vstack

        self.sums, self.levels, self.missing = sums, levels, missing
        self.many = math.lcm(
            Fraction(missing or 0).denominator, *(level.denominator for level in levels)
        )
        self.distances = self.distances_to(answers)
        units, n_levels, sources = self.distances.shape
        flat = self.distances.reshape(units * n_levels, sources).T.astype(np.float64)
        mix = csr_array(flat / self.many)
        eye = csr_array(np.eye(sources))
        # the weights of the levels of a unit sum to 1
        unit_sums = kron(csr_array(np.eye(units)), csr_array(np.ones((1, n_levels))))
        ones = hstack([unit_sums, csr_array((units, 3 * sources))])
        # columns: weights, misfit up and down, the sum itself
        self.equal: Any = vstack([hstack([mix, eye, -eye, -eye]), ones])
        self.right = np.r_[np.zeros(sources), np.ones(units)]

    def distances_to(self, answers: Sequence[Sequence[Fraction | None]]) -> Any:
        """Return the distances of answers from each level: a (units, levels, sources) array of int, times `many`."""
        import numpy as np

        of_refusal = Fraction(self.missing or 0)

        def distance(level: Fraction, answer: Fraction | None) -> int:
            return int((of_refusal if answer is None else abs(level - answer)) * self.many)

        distances = [[[distance(a, s) for s in row] for a in self.levels] for row in answers]
        return np.array(distances, dtype=object)

    def least_misfit(self) -> tuple[float, Fraction]:
        """Return the least sum of misfits of the sums, and its exact lower bound: above 0 no key gives the sums.

        Raises
        ------
        InputError
            Where the solver fails.
        """
        import numpy as np

        none = np.zeros(self.distances.shape[:2], dtype=object)
        solution = self._solved(none, misfit=True)
        if not solution.success:
            raise InputError(f"the linear program could not be solved: {solution.message}")
        marginals = solution.eqlin.marginals[: len(self.sums)]
        dual = [Fraction(float(v)).limit_denominator(FINEST) for v in marginals]
        # a misfit costs 1 in either direction: duals lie between -1 and 1
        dual = [max(Fraction(-1), min(Fraction(1), v)) for v in dual]
        return float(solution.fun), self._bound(dual, none)

    def least_sum(self, costs: Any) -> Fraction:
        """Return the exact lower bound of a sum over the keys that give the sums.

        Parameters
        ----------
        costs : (units, levels) array of int
            What the sum is of, times `many`.

        Raises
        ------
        InputError
            Where no key gives the sums.
        """
        solution = self._solved(costs, misfit=False)
        if not solution.success:
            raise InputError(
                f"no answer key gives the {len(self.sums)} sums in this order: nothing follows from it"
            )
        marginals = solution.eqlin.marginals[: len(self.sums)]
        return self._bound([Fraction(round(v * FINEST), FINEST) for v in marginals], costs)

    def _solved(self, costs: Any, *, misfit: bool) -> Any:
        import numpy as np
        from scipy.optimize import linprog

        solve: Any = linprog  # its types do not know sparse matrices
        sources = len(self.sums)
        weight_costs = costs.ravel().astype(np.float64) / self.many
        objective = np.r_[weight_costs, np.full(2 * sources, float(misfit)), np.zeros(sources)]
        limits: list[Any] = [(0.0, None)] * costs.size
        limits += [(0.0, None if misfit else 0.0)] * (2 * sources)
        limits += [tuple(map(float, ends)) for ends in self.sums]
        return solve(objective, A_eq=self.equal, b_eq=self.right, bounds=limits, method="highs")

    def _bound(self, dual: Sequence[Fraction], costs: Any) -> Fraction:
        import numpy as np

        # sum_j min(y_j D_j) + sum_i min_a (c_ia - sum_j y_j abs(a - s_ij)), in whole numbers over one denominator
        common = math.lcm(*(v.denominator for v in dual))
        integer_dual = np.array([int(v * common) for v in dual], dtype=object)
        reduced_costs = common * costs - self.distances @ integer_dual
        bound = sum(
            (min(v * end for end in ends) for v, ends in zip(dual, self.sums, strict=True)),
            Fraction(0),
        )
        return bound + Fraction(int(reduced_costs.min(axis=1).sum()), self.many * common)


def levels_of(answers: Sequence[Sequence[Fraction | None]], low: int, high: int) -> list[Fraction]:
    """Return the levels between which every distance is linear: the whole ones and those of the answers.

    Examples
    --------
    >>> [str(level) for level in levels_of([[Fraction(1, 2), None]], 0, 1)]
    ['0', '1/2', '1']
    """
    levels = {Fraction(a) for a in range(low, high + 1)}
    for row in answers:
        levels |= {answer for answer in row if answer}
    return sorted(levels)
