"""The mean absolute value of several means when whole scenarios change their sign at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.resampling.chance import TIE

EXACT_UP_TO = 13  # scenarios whose 2^n patterns are all counted
FLIPS = 10_000
BLOCK = 2_000


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
