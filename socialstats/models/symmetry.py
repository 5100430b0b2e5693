"""Symmetry and marginal homogeneity of a square table of pairs."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc

from socialstats.arrays import FloatArray
from socialstats.inference.intervals import not_zero
from socialstats.models.mcnemar import McNemarTest

NOTHING = McNemarTest(statistic=0.0, df=None, p=1.0)  # no pair differs: nothing speaks against symmetry
RANK = 1e-10


def bowker(table: FloatArray) -> McNemarTest:
    """Bowker's (1948) test of symmetry: sum over i < j of (n_ij - n_ji)^2 / (n_ij + n_ji).

    Pairs of cells that are both empty say nothing and are left out; df is the number of pairs that are left,
    k (k - 1) / 2 when none is empty. No cell is shifted. Without pairs that differ: 0, p = 1.

    Parameters
    ----------
    table : (k, k) array of counts

    Examples
    --------
    >>> test = bowker(np.array([[10.0, 0.0], [5.0, 3.0]]))
    >>> test.statistic, test.df, round(test.p, 4)
    (5.0, 1.0, 0.0253)
    """
    upper, lower = (part[np.triu_indices(len(table), 1)] for part in (table, table.T))
    total = upper + lower
    met = total > 0
    if not met.any():
        return NOTHING
    statistic, df = float(np.sum((upper - lower)[met] ** 2 / total[met])), float(met.sum())
    return McNemarTest(statistic=statistic, df=df, p=float(not_zero(chdtrc(df, statistic))))


def stuart_maxwell(table: FloatArray) -> McNemarTest:
    """Stuart's (1955) and Maxwell's (1970) test of marginal homogeneity: d' S^- d.

    d_i = n_i. - n_.i, S_ii = n_i. + n_.i - 2 n_ii, S_ij = -(n_ij + n_ji). S is singular by one for each group of
    levels that exchange pairs (levels that nobody leaves or enters are groups of their own); d lies in its range, so
    the inverse is taken there and df is its rank: k - 1 when all levels are connected.

    Parameters
    ----------
    table : (k, k) array of counts

    Examples
    --------
    >>> test = stuart_maxwell(np.array([[10.0, 0.0], [5.0, 3.0]]))
    >>> round(test.statistic, 6), test.df
    (5.0, 1.0)
    """
    gap = table.sum(axis=1) - table.sum(axis=0)
    spread = np.diag(table.sum(axis=1) + table.sum(axis=0)) - table - table.T
    values, vectors = np.linalg.eigh(spread)
    kept = values > RANK * max(float(values[-1]), 1.0)
    if not kept.any():
        return NOTHING
    turned = vectors[:, kept].T @ gap
    statistic, df = float(turned**2 @ (1 / values[kept])), float(kept.sum())
    return McNemarTest(statistic=statistic, df=df, p=float(not_zero(chdtrc(df, statistic))))
