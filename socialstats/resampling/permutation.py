"""The permutation test of two groups: would any other labelling of the units do as well?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling.chance import (
    TIE,
    Alternative,
    ChanceTest,
    as_extreme,
    checked_alternative,
    checked_draws,
    checked_seed,
    monte_carlo_p,
)
from socialstats.resampling.engine import MEMORY, finite, unit_sums
from socialstats.resampling.units import Units

TwoFinish = Callable[[FloatArray, FloatArray], FloatArray]
MOST_LISTED = 20_000


def permutation_test(
    statistics: Any,
    label: IntArray,
    finish: TwoFinish,
    units: Units,
    *,
    alternative: Alternative = "two_sided",
    permutations: int = 10_000,
    seed: int = 0,
    memory: int = MEMORY,
) -> ChanceTest:
    """Test that two groups of units come from one population, by exchanging their labels.

    Parameters
    ----------
    statistics : (cells, k) array, dense or sparse
        What each cell adds to the sums that the statistic is made from.
    label : (cells,) array
        True (or 1) for cells of the first group; all cells of a unit must agree.
    finish : callable
        ((B, k) sums of the first group, (B, k) sums of the second) -> (B, m) statistics, row by row, 0 meaning no
        difference; NaN for a labelling without one.
    units : Units
        Rows, or one cluster factor: then whole clusters change their label.
    alternative : {"two_sided", "greater", "less"}
        Two-sided compares absolute values.
    permutations : int
        Random labellings, where there are more than 20,000 different ones; else all are listed.
    seed : int
        Same seed, same bytes, whatever `memory` is.
    memory : int
        Rough bound in bytes.

    Returns
    -------
    ChanceTest
        Exact, or p = (b + 1)/(B + 1) with B the labellings that have a statistic.

    Raises
    ------
    InputError
        If a unit has cells of both groups, a group is empty, units are crossed, or an option is unknown.
    UndefinedStatistic
        If no labelling has a statistic.

    References
    ----------
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, section 4.3.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0])
    >>> table = np.column_stack([x, np.ones(6)])
    >>> gap = lambda one, two: one[:, :1] / one[:, 1:] - two[:, :1] / two[:, 1:]
    >>> test = permutation_test(table, np.array([1, 1, 1, 0, 0, 0]), gap, Units.rows(np.ones(6)))
    >>> float(test.p_value[0]), test.exact
    (0.1, True)
    """
    checked_alternative(alternative)
    permutations, seed = checked_draws(permutations, "permutations"), checked_seed(seed)
    first, copies = unit_labels(label, units)
    table = units.total(statistics)
    whole = unit_sums(np.ones((1, units.n_units)), table)
    observed = finite(finish(*halves(first[None, :], table, whole)))[0]
    n, taken = int(copies.sum()), int(copies @ first)
    listed = math.comb(n, taken) <= MOST_LISTED and bool(np.all(copies == 1))
    per_draw = 8 * (3 * units.n_units + 4 * table.shape[1] + len(observed))
    block = max(1, int(memory) // per_draw)
    drawn = all_labels(n, taken, block) if listed else random_labels(copies, taken, permutations, seed, block)
    extreme, usable = np.zeros(len(observed)), np.zeros(len(observed))
    tolerance = 100 * TIE * np.abs(observed)
    for weights in drawn:
        values = finite(finish(*halves(weights, table, whole)))
        usable += (~np.isnan(values)).sum(axis=0)
        extreme += as_extreme(values, observed, tolerance, alternative).sum(axis=0)
    return finished(observed, extreme, usable, exact=listed, draws=permutations)


def unit_labels(label: IntArray, units: Units) -> tuple[FloatArray, FloatArray]:
    """Return 1 for units of the first group, and how many alike units each stands for."""
    if len(units.sizes) == 2:
        raise InputError("labels are exchanged between rows or clusters of one factor, not two crossed ones")
    flag = np.asarray(label).astype(bool)
    if flag.shape != units.unit.shape:
        raise InputError(f"labels are {flag.shape}, cells {units.unit.shape}")
    cells, ones = (np.bincount(units.unit, w, units.n_units) for w in (None, flag.astype(np.float64)))
    if np.any((ones > 0) & (ones < cells)):
        raise InputError(
            f"{int(((ones > 0) & (ones < cells)).sum())} clusters hold both groups: labels of whole clusters cannot "
            "be exchanged; the groups are paired within clusters, use a sign-flip test of their differences"
        )
    first = (ones > 0).astype(np.float64)
    if first.min() == first.max():
        raise InputError("a permutation test needs units in both groups")
    copies = np.ones(units.n_units) if units.copies is None else units.copies
    return first, copies


def halves(weights: FloatArray, table: Any, whole: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the first and of the second group under some labellings."""
    one = unit_sums(weights, table)
    two = whole - one
    two[np.abs(two) <= TIE * np.abs(whole)] = 0.0
    return one, two


def all_labels(n: int, taken: int, block: int) -> Iterator[FloatArray]:
    """List every labelling."""
    every = combinations(range(n), taken)
    while some := list(islice(every, block)):
        weights = np.zeros((len(some), n))
        np.put_along_axis(weights, np.array(some), 1.0, axis=1)
        yield weights


def random_labels(copies: FloatArray, taken: int, permutations: int, seed: int, block: int) -> Iterator[FloatArray]:
    """Draw labellings: a subset of the units, or of the alike rows of each cell."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    single = bool(np.all(copies == 1))
    for start in range(0, permutations, block):
        n = min(block, permutations - start)
        if single:
            order = np.argpartition(rng.random((n, len(copies))), taken - 1, axis=1)[:, :taken]
            weights = np.zeros((n, len(copies)))
            np.put_along_axis(weights, order, 1.0, axis=1)
            yield weights
        else:
            drawn = rng.multivariate_hypergeometric(copies.astype(np.int64), taken, size=n, method="marginals")
            yield drawn / copies


def finished(observed: FloatArray, extreme: FloatArray, usable: FloatArray, *, exact: bool, draws: int) -> ChanceTest:
    """Turn counts into p-values; NaN where the data have no statistic."""
    if not usable.any():
        raise UndefinedStatistic("no labelling of the two groups has a statistic")
    safe = np.maximum(usable, 1)
    p, error = (extreme / safe, np.zeros(len(safe))) if exact else monte_carlo_p(extreme.astype(np.int64), safe)
    known = ~np.isnan(observed) & (usable > 0)
    return ChanceTest(
        statistic=observed, p_value=np.where(known, p, np.nan), mc_error=np.where(known, error, np.nan), exact=exact,
        draws=0 if exact else draws, method="every labelling" if exact else "random labels",
    )  # fmt: skip
