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
        units, each, sources = self.distances.shape
        mix = csr_array(
            self.distances.reshape(units * each, sources).T.astype(np.float64) / self.many
        )
        eye = csr_array(np.eye(sources))
        ones = hstack(
            [
                kron(csr_array(np.eye(units)), csr_array(np.ones((1, each)))),
                csr_array((units, 3 * sources)),
            ]
        )
        self.equal: Any = vstack(
            [hstack([mix, eye, -eye, -eye]), ones]
        )  # weights, misfit up and down, the sum itself
        self.right = np.r_[np.zeros(sources), np.ones(units)]

    def distances_to(self, answers: Sequence[Sequence[Fraction | None]]) -> Any:
        """Return the distances of answers from each level: a (units, levels, sources) array of int, times `many`."""
        import numpy as np

        gone = Fraction(self.missing or 0)
        found = [
            [
                [int((gone if s is None else abs(a - s)) * self.many) for s in row]
                for a in self.levels
            ]
            for row in answers
        ]
        return np.array(found, dtype=object)

    def least_misfit(self) -> tuple[float, Fraction]:
        """Return the least sum of misfits of the sums, and its exact lower bound: above 0 no key gives the sums.

        Raises
        ------
        InputError
            Where the solver fails.
        """
        import numpy as np

        none = np.zeros(self.distances.shape[:2], dtype=object)
        found = self._solved(none, misfit=True)
        if not found.success:
            raise InputError(f"the linear program could not be solved: {found.message}")
        dual = [
            Fraction(float(v)).limit_denominator(FINEST)
            for v in found.eqlin.marginals[: len(self.sums)]
        ]
        return float(found.fun), self._bound(
            [max(Fraction(-1), min(Fraction(1), v)) for v in dual], none
        )

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
        found = self._solved(costs, misfit=False)
        if not found.success:
            raise InputError(
                f"no answer key gives the {len(self.sums)} sums in this order: nothing follows from it"
            )
        return self._bound(
            [Fraction(round(v * FINEST), FINEST) for v in found.eqlin.marginals[: len(self.sums)]],
            costs,
        )

    def _solved(self, costs: Any, *, misfit: bool) -> Any:
        import numpy as np
        from scipy.optimize import linprog

        solve: Any = linprog  # its types do not know sparse matrices
        off = len(self.sums)
        flat = np.r_[
            costs.ravel().astype(np.float64) / self.many,
            np.full(2 * off, float(misfit)),
            np.zeros(off),
        ]
        limits: list[Any] = [(0.0, None)] * costs.size + [(0.0, None if misfit else 0.0)] * (
            2 * off
        )
        limits += [tuple(map(float, ends)) for ends in self.sums]
        return solve(flat, A_eq=self.equal, b_eq=self.right, bounds=limits, method="highs")

    def _bound(self, dual: Sequence[Fraction], costs: Any) -> Fraction:
        import numpy as np

        common = math.lcm(*(v.denominator for v in dual))
        rest = common * costs - self.distances @ np.array(
            [int(v * common) for v in dual], dtype=object
        )
        bound = sum(
            (min(v * end for end in ends) for v, ends in zip(dual, self.sums, strict=True)),
            Fraction(0),
        )
        return bound + Fraction(int(rest.min(axis=1).sum()), self.many * common)


def levels_of(answers: Sequence[Sequence[Fraction | None]], low: int, high: int) -> list[Fraction]:
    """Return the levels between which every distance is linear: the whole ones and those of the answers.

    Examples
    --------
    >>> [str(level) for level in levels_of([[Fraction(1, 2), None]], 0, 1)]
    ['0', '1/2', '1']
    """
    return sorted(
        {Fraction(a) for a in range(low, high + 1)} | {s for row in answers for s in row if s}
    )
