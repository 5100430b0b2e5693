"""Tests of two sources by swapping clusters, or by exchanging ratings within units, with draws of numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import label
from socialstats.results import Check, Row

DRAWS, BLOCK = 4_000, 500
WIDTH = 5.0
TIE = 1e-10
Statistic = Callable[[Any, Any], FloatArray]


def p_check(row: Row, extreme: float, draws: int, theirs: int) -> Check:
    """Compare a p-value (b + 1)/(B + 1) with that of other draws: five Monte-Carlo standard errors of both."""
    p = (extreme + 1) / (draws + 1)
    sure = max(p, 1 / theirs)
    error = math.sqrt(sure * (1 - sure) * (1 / draws + 1 / theirs))
    why = f"{draws:,} other draws of numpy: {WIDTH:g} Monte-Carlo standard errors"
    return compare(
        label(row, "p"),
        row.p_value,
        p,
        package="numpy",
        tolerance=WIDTH * error + 2 / theirs,
        why=why,
    )


def swap_check(
    row: Row, sides: tuple[FloatArray, FloatArray], code: Any, statistic: Statistic, draws: int
) -> Check:
    """Exchange the names of two sources in whole clusters at random.

    Parameters
    ----------
    row : Row
    sides : pair of (units, ...) arrays
        What each unit adds to the shares of each source.
    code : (units,) array
        Clusters.
    statistic : callable
        (B, ...) shares of both -> (B,) values that grow with the difference.
    draws : int
        Of the row's own p-value.
    """
    dense = np.unique(code, return_inverse=True)[1].ravel()
    one, two = (np.zeros((dense.max() + 1, *side.shape[1:])) for side in sides)
    np.add.at(one, dense, sides[0])
    np.add.at(two, dense, sides[1])
    observed = float(statistic(one.sum(0)[None], two.sum(0)[None])[0])
    rng, extreme, known = np.random.default_rng(5), 0, 0
    for _ in range(0, DRAWS, BLOCK):
        kept = rng.random((BLOCK, len(one))) < 0.5
        first = np.tensordot(kept, one, 1) + np.tensordot(~kept, two, 1)
        values = statistic(first, one.sum(0) + two.sum(0) - first)
        known += int(np.isfinite(values).sum())
        extreme += int((values >= observed - TIE * (1 + abs(observed))).sum())
    return p_check(row, extreme, known, draws)


def exchange_check(
    row: Row, patterns: Sequence[tuple[Any, Any, int]], divergence: Statistic, draws: int
) -> Check:
    """Exchange single ratings within units; `patterns`: counts of both sources, and how many units have them."""
    rng, total, observed = np.random.default_rng(5), np.zeros(DRAWS), 0.0
    for one, two, times in patterns:
        both, n = np.array(one) + np.array(two), int(np.sum(one))
        observed += times * float(
            divergence(np.array([one], dtype=float), np.array([two], dtype=float))[0]
        )
        drawn = rng.multivariate_hypergeometric(both, n, size=DRAWS * times)
        kinds, place = np.unique(drawn, axis=0, return_inverse=True)
        values = divergence(kinds.astype(float), (both - kinds).astype(float))[place.ravel()]
        total += values.reshape(DRAWS, times).sum(axis=1)
    extreme = float((total >= observed - TIE * (1 + abs(observed))).sum())
    return p_check(row, extreme, DRAWS, draws)
