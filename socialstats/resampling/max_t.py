"""The largest of several test statistics: p-values adjusted for a family, from the joint distribution of the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.resampling.chance import Alternative, checked_alternative, checked_draws, checked_seed, monte_carlo_p
from socialstats.resampling.engine import Replicates

Steps = Literal["step_down", "single_step"]
STEPS: tuple[str, ...] = get_args(Steps)
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
    >>> found = max_t(np.array([3.0, 0.5, 2.0]), draws)
    >>> [round(float(p), 2) for p in found.p_adjusted]
    [0.01, 0.62, 0.09]
    """
    checked_alternative(alternative)
    if method not in STEPS:
        raise InputError(f"method='{method}' is not one of {', '.join(STEPS)}")
    t, b = np.asarray(statistics, dtype=np.float64), np.asarray(draws, dtype=np.float64)
    if t.ndim != 1 or b.ndim != 2 or b.shape[1] != len(t):
        raise InputError(f"draws must have one column a statistic: {b.shape} does not fit {t.shape}")
    known = np.flatnonzero(~np.isnan(t))
    b = b[:, known]
    b = b[~np.isnan(b).any(axis=1)]
    if not len(known) or len(b) < 99:
        raise InputError(f"max-t needs a statistic and at least 99 draws, got {len(known)} and {len(b)}")
    size, drawn = extremity(t[known], alternative), extremity(b, alternative)
    p, error = (stepped if method == "step_down" else single)(size, drawn)
    out, out_error = np.full(len(t), np.nan), np.full(len(t), np.nan)
    out[known], out_error[known] = p, error
    return MaxT(p_adjusted=out, mc_error=out_error, members=len(known), draws=len(b), method=method)


def extremity(values: FloatArray, alternative: str) -> FloatArray:
    """Return the statistics so that large means extreme."""
    return {"two_sided": np.abs(values), "greater": values, "less": -values}[alternative]


def single(size: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compare every statistic with the maximum of all."""
    ordered = np.sort(drawn.max(axis=1))
    extreme = len(ordered) - np.searchsorted(ordered, size - ROUND_OFF * np.abs(size), side="left")
    return monte_carlo_p(extreme, len(ordered))


def stepped(size: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compare each statistic with the maximum of those not larger; p-values do not fall down the order."""
    order = np.argsort(-size, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    extreme = (largest >= (size - ROUND_OFF * np.abs(size))[order]).sum(axis=0)
    p, _ = monte_carlo_p(extreme, len(drawn))
    p = np.maximum.accumulate(p)
    back = np.empty(len(p))
    back[order] = p
    return back, np.sqrt(back * (1 - back) / len(drawn))


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
    largest = np.sort(np.abs(b[~np.isnan(b).any(axis=1)]).max(axis=1))
    place = int(np.ceil(level * (len(largest) + 1) - 1e-9))
    if place > len(largest):
        raise InputError(f"{len(largest)} draws do not reach a simultaneous {100 * level:g}% interval; take more")
    return float(largest[place - 1])


def normal_draws(covariance: FloatArray, *, df: float | None = None, draws: int = 100_000, seed: int = 0) -> FloatArray:
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
    if v.ndim != 2 or v.shape[0] != v.shape[1] or not np.allclose(v, v.T) or not np.all(np.diag(v) > 0):
        raise InputError("a covariance must be a square symmetric matrix with positive variances")
    if df is not None and not df > 0:
        raise InputError(f"df must be above 0, not {df!r}")
    scale = np.sqrt(np.diag(v))
    values, vectors = np.linalg.eigh(v / np.outer(scale, scale))
    root = vectors * np.sqrt(np.maximum(values, 0))
    root /= np.sqrt((root**2).sum(axis=1))[:, None]
    rng, chi = (np.random.default_rng(s) for s in np.random.SeedSequence(checked_seed(seed)).spawn(2))
    z = rng.standard_normal((checked_draws(draws, "draws"), len(v))) @ root.T
    draws_t: FloatArray = z if df is None else z / np.sqrt(chi.chisquare(df, size=len(z)) / df)[:, None]
    return draws_t


def bootstrap_draws(boot: Replicates, std_error: FloatArray) -> FloatArray:
    """Turn replicates into draws under the hypotheses: (replicate - estimate) / s.e., (B, m)."""
    se = np.asarray(std_error, dtype=np.float64)
    out: FloatArray = (boot.replicates - boot.estimate) / np.where(se > 0, se, np.nan)
    return out
