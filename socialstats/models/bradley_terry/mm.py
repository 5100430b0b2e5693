"""The MM iteration for plain Bradley-Terry, the solver of the role-conflict paper."""

from __future__ import annotations

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import NonConvergence
from socialstats.models.bradley_terry.data import PairData


def fit_mm(data: PairData, *, tolerance: float = 1e-12, max_iterations: int = 100_000) -> tuple[FloatArray, int]:
    """Iterate p_i <- W_i / sum_j n_ij / (p_i + p_j), normalised to sum one (Hunter 2004, section 2).

    Parameters
    ----------
    data : PairData
        Without order effect, covariates or ties.
    tolerance : float
        Largest relative change of a worth in one sweep at which to stop.
    max_iterations : int

    Returns
    -------
    worth : (n,) array, sum one
    iterations : int

    Raises
    ------
    NonConvergence
        If the tolerance is not reached.
    """
    n = data.n_items
    games = np.bincount(data.a * n + data.b, data.w.sum(axis=0), n * n).reshape(n, n)
    games += games.T
    wins = np.bincount(data.a, data.w[0] + data.w[2] / 2, n) + np.bincount(data.b, data.w[1] + data.w[2] / 2, n)
    worth = np.full(n, 1 / n)
    change = np.inf
    for iteration in range(1, max_iterations + 1):
        new = wins / (games / (worth[:, None] + worth[None, :])).sum(axis=1)
        new /= new.sum()
        change = float(np.max(np.abs(new - worth) / worth))
        worth = new
        if change <= tolerance:
            return worth, iteration
    raise NonConvergence("the MM iteration did not converge", iterations=max_iterations, gap=change)
