"""The sign-flip test: is the mean 0 when the sign of every unit (or whole cluster) might as well be the other?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling.chance import (
    SMALLEST,
    Alternative,
    ChanceTest,
    as_extreme,
    checked_alternative,
    checked_draws,
    checked_seed,
    monte_carlo_p,
)
from socialstats.resampling.flip_exact import flip_tail, tolerance_of

BYTE = 8
MANY_ALIKE = 100  # units of one size from which a binomial draw is cheaper than looking each up
BLOCK = 4096
MEMORY_OF_FLIPS = 64_000_000
PLUS = 2.0 * ((np.arange(2**BYTE)[:, None] >> np.arange(BYTE)) & 1) - 1


def sign_flip(
    values: FloatArray,
    count: FloatArray | None = None,
    *,
    alternative: Alternative = "two_sided",
    flips: int = 100_000,
    seed: int = 0,
    exact: bool = True,
    block: int = BLOCK,
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

    Returns
    -------
    ChanceTest
        `statistic` is the sum. Exact for values on a decimal grid (whole numbers, Likert, 0/1: then it is the exact
        sign test) and for up to 36 non-zero values; otherwise p = (b+1)/(B+1) with its Monte-Carlo error.

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
    >>> test = sign_flip(np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]))
    >>> float(test.p_value[0]), test.method
    (0.00390625, 'shift')
    """
    checked_alternative(alternative)
    flips, seed = checked_draws(flips, "flips"), checked_seed(seed)
    total, size, times = sizes(values, count)
    tolerance = tolerance_of(size, times)
    found = exact_p(total, size, times, tolerance, alternative) if exact else None
    if found is not None:
        return result(total, found[0], 0.0, 0, found[1])
    extreme = 0
    for sums in flipped_sums(size, times, flips=flips, seed=seed, block=block):
        extreme += int(as_extreme(sums, total, tolerance, alternative).sum())
    p, error = monte_carlo_p(np.array(extreme), flips)
    return result(total, float(p), float(error), flips, "random flips")


def exact_p(
    total: float, size: FloatArray, count: FloatArray, tolerance: float, alternative: str
) -> tuple[float, str] | None:
    """Return the share of all patterns at least as extreme, and how it was counted; None where it takes too long."""
    two = alternative == "two_sided"
    if two and abs(total) <= tolerance:
        return 1.0, "symmetry"
    found = flip_tail(size, count, (abs(total) if two else signed(total, alternative)) - tolerance)
    if found is None:
        return None
    return max(SMALLEST, min(1.0, (1 + two) * found[0])), found[1]


def signed(total: float, alternative: str) -> float:
    """Return the sum in the direction of the alternative."""
    return total if alternative == "greater" else -total


def result(total: float, p: float, error: float, draws: int, method: str) -> ChanceTest:
    """Make the result of one statistic."""
    one = np.array([total]), np.array([p]), np.array([error])
    return ChanceTest(
        statistic=one[0], p_value=one[1], mc_error=one[2], exact=draws == 0, draws=draws, method=method
    )  # fmt: skip


def sizes(values: FloatArray, count: FloatArray | None) -> tuple[float, FloatArray, FloatArray]:
    """Return the sum, the distinct non-zero absolute values, and how many units have each."""
    x = np.asarray(values, dtype=np.float64)
    times = np.ones(len(x)) if count is None else np.asarray(count, dtype=np.float64)
    if x.ndim != 1 or not len(x) or times.shape != x.shape or not np.all(np.isfinite(x)):
        raise InputError("a sign-flip test needs a list of finite values, and a count for each if counts are given")
    if np.any(times < 0) or np.any(times % 1 != 0):
        raise InputError("counts of units must be whole numbers of at least 0 to flip their signs")
    kept = (np.abs(x) > 0) & (times > 0)
    if not kept.any():
        raise UndefinedStatistic("every value is 0: there is no sign to flip")
    size, place = np.unique(np.abs(x[kept]), return_inverse=True)
    return float(x @ times), size, np.bincount(place, times[kept]).astype(np.float64)


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
    many = count >= MANY_ALIKE
    single = np.repeat(size[~many], count[~many].astype(np.int64))
    tables = byte_tables(single)
    words = -(-len(tables) // BYTE)
    binomials, bits = (np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(2))
    held = max(1, min(block, MEMORY_OF_FLIPS // (8 * (words + int(many.sum()) + 1))))
    for start in range(0, flips, held):
        n = min(held, flips - start)
        sums = np.zeros(n)
        if many.any():
            plus = binomials.binomial(count[many].astype(np.int64), 0.5, size=(n, int(many.sum())))
            sums += (2.0 * plus - count[many]) @ size[many]
        if words:
            raw = bits.integers(0, 2**64, size=n * words, dtype=np.uint64).astype("<u8", copy=False)
            columns = np.ascontiguousarray(raw.view(np.uint8).reshape(n, -1)[:, : len(tables)].T)
            for table, column in zip(tables, columns, strict=True):
                sums += table[column]
        yield sums


def byte_tables(values: FloatArray) -> FloatArray:
    """Return the 256 signed sums of every eight values, (bytes, 256)."""
    padded = np.zeros(-(-len(values) // BYTE) * BYTE)
    padded[: len(values)] = values
    return np.ascontiguousarray(padded.reshape(-1, BYTE) @ PLUS.T)


def cluster_sums(values: FloatArray, count: FloatArray, code: IntArray) -> FloatArray:
    """Sum cells to clusters: what `sign_flip` takes when whole clusters change sign together.

    Examples
    --------
    >>> cluster_sums(np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1])).tolist()
    [-3.0, 3.0]
    """
    dense = np.unique(code, return_inverse=True)[1]
    return np.bincount(dense, np.asarray(values, dtype=np.float64) * count).astype(np.float64)
