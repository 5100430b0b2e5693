"""Tests by permutations and sign flips."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling.engine import (
    MEMORY,
    PlanUnits,
    Replicates,
    column_major,
    unit_sums,
    without_infinities,
)
from socialstats.resampling.options import Alternative, checked_alternative, checked_seed
from socialstats.voice import check_allowed

# no p-value is 0
SMALLEST = float(np.finfo(np.float64).tiny)
# sums this close, relative to the sum of absolute values, are the same sum in another order
TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChanceTest:
    """A test by sign flips or permutations, of m statistics.

    Attributes
    ----------
    statistic : (m,) float64 array
        Of the data; NaN where it does not exist.
    p_value : (m,) float64 array
        Never 0: the observed arrangement is one of those counted.
    mc_error : (m,) float64 array
        Monte-Carlo standard error of `p_value`: how far it would move with another seed; 0 for an exact test.
    exact : bool
        True when every arrangement was counted.
    draws : int
        Arrangements drawn at random; 0 for an exact test.
    method : str
        How the distribution was obtained.
    """

    statistic: FloatArray
    p_value: FloatArray
    mc_error: FloatArray
    exact: bool
    draws: int
    method: str


def checked_draws(draws: int, name: str) -> int:
    """Return a number of draws, or raise InputError when it is no whole number of at least 99."""
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 99:
        raise InputError(f"{name} must be a whole number of at least 99, not {draws!r}")
    return int(draws)


def as_extreme(
    draws: FloatArray, observed: Any, tolerance: Any, alternative: str
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which draws are at least as extreme as the observed value, ties included."""
    if alternative == "greater":
        return np.asarray(draws >= observed - tolerance)
    if alternative == "less":
        return np.asarray(draws <= observed + tolerance)
    return np.asarray(np.abs(draws) >= np.abs(observed) - tolerance)


def monte_carlo_p(extreme: IntArray, draws: Any) -> tuple[FloatArray, FloatArray]:
    """Return p = (b + 1)/(B + 1) and its Monte-Carlo standard error sqrt(p (1 - p)/B).

    The data themselves are one of the B + 1 arrangements (Phipson & Smyth 2010).
    """
    p = (np.asarray(extreme, dtype=np.float64) + 1) / (np.asarray(draws) + 1)
    return p, np.sqrt(p * (1 - p) / np.asarray(draws))


TwoFinish = Callable[[FloatArray, FloatArray], FloatArray]
# labellings up to which all are computed
MOST_LISTED = 20_000


def permutation_test(
    statistics: Any,
    label: IntArray,
    finish: TwoFinish,
    units: PlanUnits,
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
    >>> gap = lambda first, second: first[:, :1] / first[:, 1:] - second[:, :1] / second[:, 1:]
    >>> test = permutation_test(table, np.array([1, 1, 1, 0, 0, 0]), gap, PlanUnits.rows(np.ones(6)))
    >>> float(test.p_value[0]), test.exact
    (0.1, True)
    """
    alternative = checked_alternative(alternative)
    permutations, seed = checked_draws(permutations, "permutations"), checked_seed(seed)
    in_first, copies = unit_labels(label, units)
    table = column_major(units.total(statistics))
    total = unit_sums(np.ones((1, units.n_units)), table)
    observed = without_infinities(finish(*group_sums(in_first[None, :], table, total)))[0]
    n, n_first = int(copies.sum()), int(copies @ in_first)
    listed = math.comb(n, n_first) <= MOST_LISTED and bool(np.all(copies == 1))
    bytes_per_draw = 8 * (3 * units.n_units + 4 * table.shape[0] + len(observed))
    block = max(1, int(memory) // bytes_per_draw)
    labellings = (
        all_labels(n, n_first, block)
        if listed
        else random_labels(copies, n_first, permutations, seed, block)
    )
    extreme, usable = np.zeros(len(observed)), np.zeros(len(observed))
    tolerance = 100 * TIE * np.abs(observed)
    for weights in labellings:
        values = without_infinities(finish(*group_sums(weights, table, total)))
        usable += (~np.isnan(values)).sum(axis=0)
        extreme += as_extreme(values, observed, tolerance, alternative).sum(axis=0)
    return chance_test(observed, extreme, usable, exact=listed, draws=permutations)


def unit_labels(label: IntArray, units: PlanUnits) -> tuple[FloatArray, FloatArray]:
    """Return 1 for units of the first group, and how many alike units each stands for."""
    if len(units.sizes) == 2:
        raise InputError(
            "labels are exchanged between rows or clusters of one factor, not two crossed ones"
        )
    flag = np.asarray(label).astype(bool)
    if flag.shape != units.unit.shape:
        raise InputError(f"labels are {flag.shape}, cells {units.unit.shape}")
    cells = np.bincount(units.unit, None, units.n_units)
    first_cells = np.bincount(units.unit, flag.astype(np.float64), units.n_units)
    mixed = (first_cells > 0) & (first_cells < cells)
    if np.any(mixed):
        raise InputError(
            f"{int(mixed.sum())} clusters hold both groups: labels of whole clusters cannot "
            "be exchanged; the groups are paired within clusters, use a sign-flip test of their differences"
        )
    in_first = (first_cells > 0).astype(np.float64)
    if in_first.min() == in_first.max():
        raise InputError("a permutation test needs units in both groups")
    copies = np.ones(units.n_units) if units.copies is None else units.copies
    return in_first, copies


def group_sums(weights: FloatArray, table: Any, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of the first and of the second group under some labellings, each (labellings, k)."""
    first = unit_sums(weights, table)
    second = total - first
    # a rest that is rounding
    second[np.abs(second) <= TIE * np.abs(total)] = 0.0
    return first, second


def all_labels(n: int, n_first: int, block: int) -> Iterator[FloatArray]:
    """Yield every labelling, (at most block, units): 1 for units of the first group."""
    subsets = combinations(range(n), n_first)
    while listed := list(islice(subsets, block)):
        weights = np.zeros((len(listed), n))
        np.put_along_axis(weights, np.array(listed), 1.0, axis=1)
        yield weights


def random_labels(
    copies: FloatArray, n_first: int, permutations: int, seed: int, block: int
) -> Iterator[FloatArray]:
    """Draw labellings: a subset of the units, or of the alike rows of each cell."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    single = bool(np.all(copies == 1))
    for start in range(0, permutations, block):
        n = min(block, permutations - start)
        if single:
            chosen = np.argpartition(rng.random((n, len(copies))), n_first - 1, axis=1)[:, :n_first]
            weights = np.zeros((n, len(copies)))
            np.put_along_axis(weights, chosen, 1.0, axis=1)
            yield weights
        else:
            drawn = rng.multivariate_hypergeometric(
                copies.astype(np.int64), n_first, size=n, method="marginals"
            )
            yield drawn / copies


def chance_test(
    observed: FloatArray, extreme: FloatArray, usable: FloatArray, *, exact: bool, draws: int
) -> ChanceTest:
    """Turn counts into p-values; NaN where the data have no statistic."""
    if not usable.any():
        raise UndefinedStatistic("no labelling of the two groups has a statistic")
    n = np.maximum(usable, 1)
    if exact:
        p, error = extreme / n, np.zeros(len(n))
    else:
        p, error = monte_carlo_p(extreme.astype(np.int64), n)
    defined = ~np.isnan(observed) & (usable > 0)
    return ChanceTest(
        statistic=observed,
        p_value=np.where(defined, p, np.nan),
        mc_error=np.where(defined, error, np.nan),
        exact=exact,
        draws=0 if exact else draws,
        method="every labelling" if exact else "random labels",
    )


# two halves of 2^18 sums
MOST_FLIPPED = 36
# additions of the shift algorithm
LARGEST_WORK = 40_000_000
# places after the point of values that lie on a grid
DECIMALS = 6
# share of a step by which a value on the grid may be off
NEAR = 1e-9


class TailProbability(NamedTuple):
    """A probability and how it was computed."""

    p: float
    method: str


def flip_tail(size: FloatArray, count: FloatArray, at: float) -> TailProbability | None:
    """Return P(S >= at) of S = sum of +-size over units, and how; None where it takes too long.

    Parameters
    ----------
    size : (k,) array
        Distinct absolute values, above 0.
    count : (k,) array
        Units with each.
    at : float
        Already lowered by the tolerance for ties.

    Returns
    -------
    TailProbability
        The method is ``"binomial"`` for a single size, ``"shift"`` for values on a grid (Streitberg & Roehmel 1986),
        ``"enumeration"`` for few units.
    """
    if len(size) == 1:
        p = binomial_tail(int(count[0]), at / float(size[0]))
        return TailProbability(p, "binomial")
    grid = grid_of(size)
    if grid is not None:
        unit, steps = grid
        if float(count.sum()) * float(steps @ count) <= LARGEST_WORK:
            return TailProbability(shift_tail(steps, count, at / unit), "shift")
    if count.sum() <= MOST_FLIPPED:
        p = enumerated_tail(np.repeat(size, count.astype(np.int64)), at)
        return TailProbability(p, "enumeration")
    return None


def binomial_tail(n: int, at: float) -> float:
    """Return P(S >= at) where all units have size 1: (S + n)/2 of them have a plus."""
    from scipy.special import betainc

    fewest_plus = math.ceil((at + n) / 2 - NEAR)
    if fewest_plus <= 0:
        return 1.0
    # the incomplete beta function is the upper tail of the binomial distribution
    return float(betainc(fewest_plus, n - fewest_plus + 1, 0.5)) if fewest_plus <= n else 0.0


def grid_of(size: FloatArray) -> tuple[float, IntArray] | None:
    """Return a unit and the whole multiples of it that `size` are (decimals of at most six places), or None."""
    for places in range(DECIMALS + 1):
        scaled = size * 10.0**places
        steps = np.round(scaled)
        if float(steps.max()) > LARGEST_WORK:
            return None
        if np.all(np.abs(scaled - steps) <= NEAR * np.maximum(scaled, 1)) and np.all(steps >= 1):
            multiples = steps.astype(np.int64)
            divisor = int(np.gcd.reduce(multiples))
            return divisor / 10.0**places, multiples // divisor
    return None


def shift_tail(steps: IntArray, count: FloatArray, at: float) -> float:
    """Return P(S >= at) by adding one unit at a time to the distribution of the sum of the positive ones.

    S = 2 (sum of the steps with a plus) - total: the sum with a plus runs over 0, 1, ..., total.
    """
    total = int(steps @ count.astype(np.int64))
    # chance[s]: probability that the steps with a plus, of the units so far, sum to s
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    largest_sum = 0
    for step, n in zip(steps.tolist(), count.astype(np.int64).tolist(), strict=True):
        for _ in range(n):
            chance[: largest_sum + 1] *= 0.5
            with_plus = chance[: largest_sum + 1].copy()
            chance[step : step + largest_sum + 1] += with_plus
            largest_sum += step
    fewest_plus = math.ceil((at + total) / 2 - NEAR * max(1, total) / 4)
    return float(chance[max(fewest_plus, 0) :][::-1].sum()) if fewest_plus <= total else 0.0


def enumerated_tail(values: FloatArray, at: float) -> float:
    """Return P(S >= at): every sum of one half of the units meets those of the other (Horowitz & Sahni 1974)."""
    half = len(values) // 2
    first, second = signed_sums(values[:half]), np.sort(signed_sums(values[half:]))
    n_below = np.searchsorted(second, at - first, side="left")
    return float(len(second) * len(first) - int(n_below.sum())) / 2.0 ** len(values)


def signed_sums(values: FloatArray) -> FloatArray:
    """Return all 2^n sums of +-values."""
    sums = np.zeros(1)
    for x in values:
        sums = np.concatenate([sums + x, sums - x])
    return sums


def tolerance_of(size: FloatArray, count: FloatArray) -> float:
    """Return how far two equal sums may differ by rounding."""
    return TIE * float(size @ count)


BYTE = 8
# units of one size from which a binomial draw is cheaper than looking each up
MANY_ALIKE = 100
BLOCK = 4096
# bytes
MEMORY_OF_FLIPS = 64_000_000
# (256, 8): the signs that the bits of each byte stand for
PLUS = 2.0 * ((np.arange(2**BYTE)[:, None] >> np.arange(BYTE)) & 1) - 1


def sign_flip_test(
    values: FloatArray,
    count: FloatArray | None = None,
    *,
    alternative: Alternative = "two_sided",
    flips: int = 100_000,
    seed: int = 0,
    exact: bool = True,
    block: int = BLOCK,
    noise: float = 0.0,
) -> ChanceTest:
    """Test a mean of 0 by flipping signs.

    Under the hypothesis that every unit's value is as likely as its negative, all 2^n patterns of signs are equally
    likely. p is the share of patterns whose sum is at least as extreme as that of the data (Fisher 1935, section 21).

    Parameters
    ----------
    values : (units,) array
        Differences minus the hypothesised mean; for clusters, their sums: whole clusters then change sign together.
    count : (units,) array, optional
        How many alike units each stands for.
    alternative : {"two_sided", "greater", "less"}
    flips : int
        Random patterns, where the exact distribution takes too long.
    seed : int
        Same seed, same bytes, whatever `block` is.
    exact : bool
        False always draws at random.
    block : int
        Patterns in memory at once.
    noise : float
        How far two equal sums may lie apart because of how the values were made, as differences of large numbers.

    Returns
    -------
    ChanceTest
        `statistic` is the sum. Exact for values on a decimal grid (whole numbers, Likert, 0/1: then it is the exact
        sign test) and for up to 36 non-zero values. Otherwise p = (b+1)/(B+1) with its Monte-Carlo error.

    Raises
    ------
    UndefinedStatistic
        If every value is 0: no sign can be flipped.
    InputError
        For values that are not finite, counts that are not whole, or an unknown option.

    References
    ----------
    Fisher, R. A. (1935). The design of experiments, section 21.
    Streitberg, B., & Roehmel, J. (1986). Exact distributions for permutation and rank tests. Statistical Software
    Newsletter, 12(1), 10-17.
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> test = sign_flip_test(np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]))
    >>> float(test.p_value[0]), test.method
    (0.00390625, 'shift')
    """
    alternative = checked_alternative(alternative)
    flips, seed = checked_draws(flips, "flips"), checked_seed(seed)
    total, size, n_of_size = sum_and_sizes(values, count)
    tolerance = max(tolerance_of(size, n_of_size), noise)
    tail = exact_p(total, size, n_of_size, tolerance, alternative) if exact else None
    if tail is not None:
        return chance_test_of_sum(total, tail.p, 0.0, 0, tail.method)
    extreme = 0
    for sums in flipped_sums(size, n_of_size, flips=flips, seed=seed, block=block):
        extreme += int(as_extreme(sums, total, tolerance, alternative).sum())
    p, error = monte_carlo_p(np.array(extreme), flips)
    return chance_test_of_sum(total, float(p), float(error), flips, "random flips")


def exact_p(
    total: float, size: FloatArray, count: FloatArray, tolerance: float, alternative: str
) -> TailProbability | None:
    """Return the share of all patterns at least as extreme; None where it takes too long."""
    two_sided = alternative == "two_sided"
    if two_sided and abs(total) <= tolerance:
        return TailProbability(1.0, "symmetry")
    statistic = {"two_sided": abs(total), "greater": total, "less": -total}[alternative]
    tail = flip_tail(size, count, statistic - tolerance)
    if tail is None:
        return None
    return TailProbability(max(SMALLEST, min(1.0, (1 + two_sided) * tail.p)), tail.method)


def chance_test_of_sum(total: float, p: float, error: float, draws: int, method: str) -> ChanceTest:
    """Return the test of a single sum."""
    return ChanceTest(
        statistic=np.array([total]),
        p_value=np.array([p]),
        mc_error=np.array([error]),
        exact=draws == 0,
        draws=draws,
        method=method,
    )


def sum_and_sizes(
    values: FloatArray, count: FloatArray | None
) -> tuple[float, FloatArray, FloatArray]:
    """Return the sum, the distinct non-zero absolute values, and how many units have each."""
    x = np.asarray(values, dtype=np.float64)
    counts = np.ones(len(x)) if count is None else np.asarray(count, dtype=np.float64)
    if x.ndim != 1 or not len(x) or counts.shape != x.shape or not np.all(np.isfinite(x)):
        raise InputError(
            "a sign-flip test needs a list of finite values, and a count for each if counts are given"
        )
    if np.any(counts < 0) or np.any(counts % 1 != 0):
        raise InputError("counts of units must be whole numbers of at least 0 to flip their signs")
    flippable = (np.abs(x) > 0) & (counts > 0)
    if not flippable.any():
        raise UndefinedStatistic("every value is 0: there is no sign to flip")
    size, size_index = np.unique(np.abs(x[flippable]), return_inverse=True)
    return float(x @ counts), size, np.bincount(size_index, counts[flippable]).astype(np.float64)


def flipped_sums(
    size: FloatArray, count: FloatArray, *, flips: int, seed: int, block: int = BLOCK
) -> Iterator[FloatArray]:
    """Draw sums of randomly signed values, at most `block` at a time.

    Units of a size that many have are drawn as one binomial number. The others are taken eight at a time: their 256
    signed sums stand in a table, and a random byte looks one up. Binomials and bytes have streams of their own, read
    in the order of the flips.

    Parameters
    ----------
    size, count : (k,) arrays
        Absolute values and the units with each.
    flips, seed, block : int

    Yields
    ------
    (at most block,) float64 array
    """
    # sizes that many units have; the others are looked up in tables
    many = count >= MANY_ALIKE
    single = np.repeat(size[~many], count[~many].astype(np.int64))
    tables = byte_tables(single)
    words = -(-len(tables) // BYTE)
    binomials, bits = (
        np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(2)
    )
    block = max(1, min(block, MEMORY_OF_FLIPS // (8 * (words + int(many.sum()) + 1))))
    for start in range(0, flips, block):
        n = min(block, flips - start)
        sums = np.zeros(n)
        if many.any():
            plus = binomials.binomial(count[many].astype(np.int64), 0.5, size=(n, int(many.sum())))
            sums += (2.0 * plus - count[many]) @ size[many]
        if words:
            raw = bits.integers(0, 2**64, size=n * words, dtype=np.uint64).astype("<u8", copy=False)
            # (tables, n): the byte that each flip looks up in each table
            random_bytes = raw.view(np.uint8).reshape(n, -1)[:, : len(tables)]
            for table, looked_up in zip(tables, np.ascontiguousarray(random_bytes.T), strict=True):
                sums += table[looked_up]
        yield sums


def byte_tables(values: FloatArray) -> FloatArray:
    """Return the 256 signed sums of every eight values, (bytes, 256)."""
    padded = np.zeros(-(-len(values) // BYTE) * BYTE)
    padded[: len(values)] = values
    return np.ascontiguousarray(padded.reshape(-1, BYTE) @ PLUS.T)


def sum_cells_to_clusters(values: FloatArray, count: FloatArray, code: IntArray) -> FloatArray:
    """Sum cells to clusters: what `sign_flip_test` takes when whole clusters change sign together.

    Examples
    --------
    >>> sum_cells_to_clusters(np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1])).tolist()
    [-3.0, 3.0]
    """
    dense = np.unique(code, return_inverse=True)[1]
    return np.bincount(dense, np.asarray(values, dtype=np.float64) * count).astype(np.float64)


Steps = Literal["step_down", "single_step"]
STEPS: tuple[str, ...] = get_args(Steps)
# share of a statistic by which a draw equal to it may lie below
ROUND_OFF = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaxT:
    """Adjusted p-values of a family of m tests.

    Attributes
    ----------
    p_adjusted : (m,) float64 array
        NaN for a test without a statistic: it is no member of the family.
    mc_error : (m,) float64 array
        Monte-Carlo standard error of each.
    members, draws : int
        Tests adjusted for, draws used.
    method : str
    """

    p_adjusted: FloatArray
    mc_error: FloatArray
    members: int
    draws: int
    method: str


def max_t(
    statistics: FloatArray,
    draws: FloatArray,
    *,
    method: Steps = "step_down",
    alternative: Alternative = "two_sided",
) -> MaxT:
    """Adjust p-values by the distribution of the largest statistic of the family.

    Parameters
    ----------
    statistics : (m,) array
        Test statistics (t or z) of the data; NaN where a test does not exist.
    draws : (B, m) array
        The same statistics drawn jointly as if every hypothesis were true: `normal_draws`, `bootstrap_draws`, sign
        flips. Draws with a NaN are left out.
    method : {"step_down", "single_step"}
        ``"single_step"``: every test against the maximum of all. ``"step_down"`` (Westfall & Young 1993, algorithm
        2.8): the k-th largest against the maximum of those not larger; never a larger p.
    alternative : {"two_sided", "greater", "less"}

    Returns
    -------
    MaxT
        p = (b + 1)/(B + 1): never 0.

    Raises
    ------
    InputError
        For shapes that do not fit, fewer than 99 usable draws, or an unknown option.

    References
    ----------
    Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple testing. Wiley.
    Romano, J. P., & Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis testing.
    doi:10.1198/016214504000000539

    Examples
    --------
    >>> draws = normal_draws(np.eye(3), draws=20_000, seed=1)
    >>> adjusted = max_t(np.array([3.0, 0.5, 2.0]), draws)
    >>> [round(float(p), 2) for p in adjusted.p_adjusted]
    [0.01, 0.62, 0.09]
    """
    alternative = checked_alternative(alternative)
    check_allowed("method", method, STEPS)
    t, b = np.asarray(statistics, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    if t.ndim != 1 or b.ndim != 2 or b.shape[1] != len(t):
        raise InputError(
            f"draws must have one column per statistic: {b.shape} does not fit {t.shape}"
        )
    members = np.flatnonzero(~np.isnan(t))
    b = b[:, members]
    b = b[~np.isnan(b).any(axis=1)]
    if not len(members) or len(b) < 99:
        raise InputError(
            f"max-t needs a statistic and at least 99 draws, got {len(members)} and {len(b)}"
        )
    size, drawn = extremity(t[members], alternative), extremity(b, alternative)
    p, error = (step_down_p if method == "step_down" else single_step_p)(size, drawn)
    p_adjusted, mc_error = np.full(len(t), np.nan), np.full(len(t), np.nan)
    p_adjusted[members], mc_error[members] = p, error
    return MaxT(
        p_adjusted=p_adjusted, mc_error=mc_error, members=len(members), draws=len(b), method=method
    )


def extremity(values: FloatArray, alternative: str) -> FloatArray:
    """Return the statistics so that large means extreme."""
    return {"two_sided": np.abs(values), "greater": values, "less": -values}[alternative]


def single_step_p(size: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compare every statistic with the maximum of all."""
    ordered = np.sort(drawn.max(axis=1))
    extreme = len(ordered) - np.searchsorted(ordered, size - ROUND_OFF * np.abs(size), side="left")
    return monte_carlo_p(extreme, len(ordered))


def step_down_p(size: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compare each statistic with the maximum of those not larger; p-values do not fall down the order."""
    # algorithm 2.8: column k holds the maximum of the k-th largest statistic and all below it
    order = np.argsort(-size, kind="stable")
    maxima = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    extreme = (maxima >= (size - ROUND_OFF * np.abs(size))[order]).sum(axis=0)
    p, _ = monte_carlo_p(extreme, len(drawn))
    # p-values do not fall down the order (Westfall & Young 1993, algorithm 2.8)
    p = np.maximum.accumulate(p)
    p_in_order = np.empty(len(p))
    p_in_order[order] = p
    return p_in_order, np.sqrt(p_in_order * (1 - p_in_order) / len(drawn))


def max_t_critical(draws: FloatArray, level: float = 0.95) -> float:
    """Return the critical value for simultaneous two-sided intervals: estimate -+ it x s.e. hold all at once.

    The smallest order statistic of the maxima that at least `level` of them do not exceed.

    Examples
    --------
    >>> round(max_t_critical(normal_draws(np.eye(1), draws=50_000, seed=1)), 1)
    2.0
    """
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}")
    b = np.asarray(draws, dtype=np.float64)
    maxima = np.sort(np.abs(b[~np.isnan(b).any(axis=1)]).max(axis=1))
    rank = int(np.ceil(level * (len(maxima) + 1) - 1e-9))
    if rank > len(maxima):
        raise InputError(
            f"{len(maxima)} draws do not reach a simultaneous {100 * level:g}% interval; take more"
        )
    return float(maxima[rank - 1])


def normal_draws(
    covariance: FloatArray, *, df: float | None = None, draws: int = 100_000, seed: int = 0
) -> FloatArray:
    """Draw statistics with given correlations from the multivariate normal (or t) distribution.

    Parameters
    ----------
    covariance : (m, m) array
        Of the estimates; only its correlations matter. Negative eigenvalues (two-way clustering) are set to 0.
    df : float, optional
        Degrees of freedom: all statistics of a draw are divided by the same sqrt(chi^2/df).
    draws, seed : int

    Returns
    -------
    (draws, m) float64 array

    Raises
    ------
    InputError
        For a matrix that is not square and symmetric with positive variances.

    Examples
    --------
    >>> normal_draws(np.array([[1.0, 0.5], [0.5, 1.0]]), draws=1000).shape
    (1000, 2)
    """
    v = np.asarray(covariance, dtype=np.float64)
    if (
        v.ndim != 2
        or v.shape[0] != v.shape[1]
        or not np.allclose(v, v.T)
        or not np.all(np.diag(v) > 0)
    ):
        raise InputError("a covariance must be a square symmetric matrix with positive variances")
    if df is not None and not df > 0:
        raise InputError(f"df must be above 0, not {df!r}")
    scale = np.sqrt(np.diag(v))
    values, vectors = np.linalg.eigh(v / np.outer(scale, scale))
    # rows of the root have length 1 again after negative eigenvalues became 0
    root = vectors * np.sqrt(np.maximum(values, 0))
    root /= np.sqrt((root**2).sum(axis=1))[:, None]
    rng, chi = (
        np.random.default_rng(s) for s in np.random.SeedSequence(checked_seed(seed)).spawn(2)
    )
    z = rng.standard_normal((checked_draws(draws, "draws"), len(v))) @ root.T
    draws_t: FloatArray = (
        z if df is None else z / np.sqrt(chi.chisquare(df, size=len(z)) / df)[:, None]
    )
    return draws_t


def bootstrap_draws(boot: Replicates, std_error: FloatArray) -> FloatArray:
    """Turn replicates into draws under the hypotheses: (replicate - estimate) / s.e., (B, m)."""
    se = np.asarray(std_error, dtype=np.float64)
    draws: FloatArray = (boot.replicates - boot.estimate) / np.where(se > 0, se, np.nan)
    return draws
