"""The mean absolute value of several means: what it would be by chance alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.resampling.chance import TIE
from socialstats.resampling.units import FloatArray, IntArray

EXACT_UP_TO = 13  # scenarios whose 2^n patterns are all counted
FLIPS = 10_000
BLOCK = 2_000
DRAWS = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedMean:
    """The mean absolute value under random signs.

    Attributes
    ----------
    observed : float
        Of the data.
    null_mean : float
        Its mean over the patterns of signs: the value that no bias at all would give on average.
    mc_error : float
        Monte-Carlo standard error of `null_mean`; 0 where all patterns were counted.
    p_value : float
        Share of patterns with a mean absolute value at least as large; never 0.
    flips : int
        Random patterns; 0 where all were counted.
    """

    observed: float
    null_mean: float
    mc_error: float
    p_value: float
    flips: int


def flipped_mean_absolute(values: FloatArray, weight: FloatArray, *, seed: int = 0) -> FlippedMean | str:
    """Flip the signs of whole scenarios and average the absolute means of the columns.

    Under the hypothesis that a scenario's differences are as likely as their negatives (all columns together), all
    patterns of signs are equally likely.

    Parameters
    ----------
    values : (scenarios, columns) array
        NaN where a scenario has no difference.
    weight : (columns,) array
        Of the columns in the mean of absolute values; sums to 1.
    seed : int
        Of the random patterns, drawn where there are more than 13 scenarios.

    Returns
    -------
    FlippedMean, or str
        The reason where there is none.

    Examples
    --------
    >>> found = flipped_mean_absolute(np.array([[0.5], [1.0], [0.25]]), np.ones(1))
    >>> round(found.observed, 4), round(found.null_mean, 4), found.p_value
    (0.5833, 0.3333, 0.25)
    """
    known = ~np.isnan(values)
    some = known.any(axis=1)
    table = np.where(known, values, 0.0)[some]
    n = known.sum(axis=0)
    if some.sum() < 2 or not np.all(n):
        return "a single scenario: there are no signs to flip"
    scaled = table / n
    observed = float(np.abs(scaled.sum(axis=0)) @ weight)
    exact = len(scaled) <= EXACT_UP_TO
    found = np.concatenate([np.asarray(np.abs(sign @ scaled) @ weight) for sign in patterns(len(scaled), exact, seed)])
    extreme = int((found >= observed - TIE * max(float(np.abs(scaled).sum()), 1e-300)).sum())
    p = extreme / len(found) if exact else (extreme + 1) / (len(found) + 1)
    error = 0.0 if exact else float(found.std(ddof=1)) / np.sqrt(len(found))
    return FlippedMean(
        observed=observed, null_mean=float(found.mean()), mc_error=float(error), p_value=p,
        flips=0 if exact else len(found),
    )  # fmt: skip


def patterns(n: int, exact: bool, seed: int) -> list[FloatArray]:
    """Return all patterns of n signs (the first positive: the others are mirrored), or random ones, in blocks."""
    if exact:
        bits = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return [1.0 - 2.0 * bits.astype(np.float64)]
    rng = np.random.Generator(np.random.PCG64(seed))
    return [2.0 * rng.integers(0, 2, size=(BLOCK, n)).astype(np.float64) - 1 for _ in range(FLIPS // BLOCK)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBias:
    """The mean absolute value of correlated estimates whose true values are all 0.

    Attributes
    ----------
    null_mean : float
        Its expectation: sum of weight x s.e. x sqrt(2/pi).
    p_value : float
        Share of draws at least as large as the one observed; never 0.
    df : float
    draws : int
    """

    null_mean: float
    p_value: float
    df: float
    draws: int


def no_bias(
    observed: float, errors: FloatArray, correlation: FloatArray, weight: FloatArray, *, df: float, seed: int = 0
) -> NoBias:
    """Say what a mean absolute value would be if every mean were 0, by the errors of the means.

    The mean of abs(N(0, s)) is s sqrt(2/pi). The test compares the value with draws of a multivariate t: normal with
    the correlation of the estimates, over the root of a shared chi-square over its degrees of freedom, times the
    standard errors (of a single mean it is the two-sided t test).

    Parameters
    ----------
    observed : float
        sum of weight x abs(estimate).
    errors : (k,) array
        Standard errors, whatever dependence they allow for.
    correlation : (k, k) array
    weight : (k,) array
        Sums to 1.
    df : float
    seed : int

    Returns
    -------
    NoBias

    References
    ----------
    Leone, F. C., Nelson, L. S., & Nottingham, R. B. (1961). The folded normal distribution. Technometrics, 3(4).

    Examples
    --------
    >>> found = no_bias(2.0, np.array([1.0]), np.ones((1, 1)), np.ones(1), df=10.0)
    >>> round(found.null_mean, 4), round(found.p_value, 2)
    (0.7979, 0.07)
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = rng.standard_normal((DRAWS, len(errors))) @ root.T
    size = np.abs(normal / np.sqrt(rng.chisquare(df, DRAWS) / df)[:, None]) @ (errors * weight)
    extreme = int((size >= observed * (1 - TIE)).sum())
    mean = float(errors @ weight) * float(np.sqrt(2 / np.pi))
    return NoBias(null_mean=mean, p_value=(extreme + 1) / (DRAWS + 1), df=df, draws=DRAWS)


def influence_correlation(influence: FloatArray, codes: Sequence[IntArray]) -> FloatArray:
    """Correlation of linear estimates by the sums of their influences within clusters.

    With S the (clusters, k) sums of a factor, S'S G/(G-1) is added over the factors (units, where there is none): a
    covariance whatever the data are. V1 + V2 - V12 is more exact for variances, and may have negative ones.

    Parameters
    ----------
    influence : (units, k) array
    codes : sequence of (units,) int64 arrays

    Examples
    --------
    >>> influence_correlation(np.array([[1.0, -1.0], [-1.0, 1.0]]), []).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    total = np.zeros((influence.shape[1], influence.shape[1]))
    for code in codes or [np.arange(len(influence))]:
        dense = np.unique(code, return_inverse=True)[1]
        groups = int(dense.max()) + 1
        sums = np.column_stack([np.bincount(dense, column, groups) for column in influence.T])
        total += sums.T @ sums * groups / max(groups - 1, 1)
    spread = np.sqrt(np.diag(total))
    return np.asarray(total / np.outer(spread, spread))
