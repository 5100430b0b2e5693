"""What tests by resampling share: alternatives, p-values that are never 0, their Monte-Carlo error, ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.errors import InputError

Alternative = Literal["two_sided", "greater", "less"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)
SMALLEST = float(np.nextafter(0.0, 1.0))  # no p-value is 0
TIE = 1e-12  # sums this close, relative to the sum of absolute values, are the same sum in another order


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


def checked_alternative(alternative: str) -> str:
    """Return an alternative, or raise InputError listing those there are."""
    if alternative not in ALTERNATIVES:
        raise InputError(f"alternative='{alternative}' is not one of {', '.join(ALTERNATIVES)}")
    return alternative


def checked_draws(draws: int, name: str) -> int:
    """Return a number of draws, or raise InputError when it is no whole number of at least 99."""
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 99:
        raise InputError(f"{name} must be a whole number of at least 99, not {draws!r}")
    return int(draws)


def checked_seed(seed: int) -> int:
    """Return a seed, or raise InputError when it is no whole number of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)


def as_extreme(
    draws: FloatArray, observed: Any, tolerance: Any, alternative: str
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Tell which draws are at least as extreme as the observed value, ties included."""
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
