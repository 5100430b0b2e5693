"""Bootstrap intervals from replicates, with the Monte-Carlo error of their ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.resampling.engine import Replicates
from socialstats.resampling.jackknife import Jackknife

Method = Literal["percentile", "basic", "bca", "studentized"]
METHODS: tuple[str, ...] = get_args(Method)
TIES, ROUNDING_OF_ESTIMATE = 1e-9, 1e-12
NO_REPLICATE = "no resample had a finite estimate"
NO_ESTIMATE = "the sample has no estimate or no standard error"
BEYOND = "the ends of the interval lie beyond the resamples; take more resamples"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interval:
    """Bootstrap intervals of m quantities.

    Attributes
    ----------
    low, high : (m,) float64 arrays
        NaN where there is no interval; `undefined` says why.
    error_low, error_high : (m,) float64 arrays
        Monte-Carlo standard error of each end: how far it would move with another seed.
    undefined : tuple of str
        Empty text where the interval exists.
    method : str
    level : float
    """

    low: FloatArray
    high: FloatArray
    error_low: FloatArray
    error_high: FloatArray
    undefined: tuple[str, ...]
    method: str
    level: float


def order_quantile(ordered: FloatArray, alpha: float) -> float:
    """Quantile of sorted replicates: the (B+1) alpha-th order statistic.

    Between order statistics it interpolates on the normal quantile scale.

    Parameters
    ----------
    ordered : (B,) float64 array, ascending, without NaN
    alpha : float
        Between 0 and 1.

    Returns
    -------
    float
        NaN where (B+1) alpha lies outside 1 to B: the replicates do not reach that far.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application, section 5.2, eq. 5.8.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> order_quantile(np.arange(1.0, 1000.0), 0.025)
    25.0
    """
    b = len(ordered)
    position = (b + 1) * alpha
    whole = round(position)
    if abs(position - whole) < 1e-9 and 1 <= whole <= b:
        return float(ordered[whole - 1])
    k = math.floor(position)
    if k < 1 or k >= b:
        return math.nan
    if ordered[k - 1] == ordered[k]:  # infinite, perhaps
        return float(ordered[k])
    at, below, above = ndtri(alpha), ndtri(k / (b + 1)), ndtri((k + 1) / (b + 1))
    return float(ordered[k - 1] + (at - below) / (above - below) * (ordered[k] - ordered[k - 1]))


def quantile_error(ordered: FloatArray, alpha: float) -> float:
    """Monte-Carlo standard error of a quantile of B replicates.

    Half the distance between the order statistics one binomial standard deviation, sqrt(B alpha (1-alpha)),
    either side (the rank of a quantile in B draws is binomial).
    """
    b = len(ordered)
    if b < 2:
        return math.nan
    step = math.sqrt(b * alpha * (1 - alpha))
    at = (b + 1) * alpha - 1
    with np.errstate(invalid="ignore"):  # infinite replicates: NaN
        ends = np.interp([at - step, at + step], np.arange(b), ordered)
        return float(ends[1] - ends[0]) / 2


def percentile(boot: Replicates, *, level: float = 0.95) -> Interval:
    """Percentile intervals: quantiles of the replicates (Davison & Hinkley 1997, eq. 5.18).

    Examples
    --------
    >>> from socialstats.resampling import Units, bootstrap
    >>> table = np.column_stack([[1.0, 4.0, 2.0, 8.0], np.ones(4)])
    >>> b = bootstrap(table, lambda s: s[:, :1] / s[:, 1:], Units.rows(np.ones(4)), resamples=999, seed=1)
    >>> i = percentile(b, level=0.9)
    >>> bool(i.low[0] < 3.75 < i.high[0])
    True
    """
    alphas = tails(level, boot)
    return collect([ends(column, *alphas) for column in boot.replicates.T], "percentile", level)


def basic(boot: Replicates, *, level: float = 0.95, centre: FloatArray | None = None) -> Interval:
    """Basic (pivot) intervals: estimate minus quantiles of (replicate - centre).

    Parameters
    ----------
    boot : Replicates
    level : float
    centre : (m,) array, optional
        What a replicate estimates in the resampling world. The estimate itself by default (Davison &
        Hinkley 1997, eq. 5.6). For a bias-corrected statistic give the plug-in value: it is the truth from
        which the resamples are drawn.

    Returns
    -------
    Interval
    """
    alphas = tails(level, boot)
    middle = boot.estimate if centre is None else np.asarray(centre, dtype=np.float64)
    found = []
    for j, column in enumerate(boot.replicates.T):
        low, high, error_low, error_high, why = ends(column, *alphas)
        shift = boot.estimate[j] + middle[j]
        found.append((shift - high, shift - low, error_high, error_low, why))
    return collect(found, "basic", level)


def bca(
    boot: Replicates, jack: Jackknife | None = None, *, level: float = 0.95, acceleration: FloatArray | None = None
) -> Interval:
    """Bias-corrected and accelerated percentile intervals (Efron 1987).

    Parameters
    ----------
    boot : Replicates
    jack : Jackknife, optional
        Of the same units; gives the acceleration.
    level : float
    acceleration : (m,) array, optional
        Instead of `jack`: from influence values, by `socialstats.resampling.acceleration`.

    Returns
    -------
    Interval
        Undefined where every leave-one-out estimate is the same, one of them does not exist, or the
        replicates do not reach the ends.
    """
    z = ndtri(np.array(tails(level, boot)))
    if (jack is None) == (acceleration is None):
        raise InputError("BCa needs either a jackknife or an acceleration")
    slopes = jack.acceleration if jack is not None else np.asarray(acceleration, dtype=np.float64)
    found = []
    for j, column in enumerate(boot.replicates.T):
        usable = column[~np.isnan(column)]
        share = share_below(usable, float(boot.estimate[j]))
        a = slopes[j]
        if not 0 < share < 1 or np.isnan(a):
            why = "BCa needs replicates on both sides of the estimate and leave-one-out estimates that differ"
            found.append((math.nan, math.nan, math.nan, math.nan, why))
            continue
        z0 = ndtri(share)
        alphas = ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
        found.append(ends(column, float(alphas[0]), float(alphas[1])))
    return collect(found, "bca", level)


def share_below(usable: FloatArray, estimate: float) -> float:
    """Share of the replicates below the estimate, those equal to it counted half; NaN where there are none.

    Replicates of few different values tie with the estimate often, but as sums in another order not to the last bit:
    a distance of rounding is none.

    Examples
    --------
    >>> round(share_below(np.array([0.1 + 0.2, 0.2, 0.4]), 0.3), 6)
    0.5
    """
    if not len(usable):
        return math.nan
    lower, upper = np.percentile(usable, (25, 75))
    near = np.abs(usable - estimate) <= TIES * (upper - lower) + ROUNDING_OF_ESTIMATE * abs(estimate)
    return float(np.mean(np.where(near, 0.5, usable < estimate)))


def studentized(boot: Replicates, *, std_error: FloatArray, std_errors: FloatArray, level: float = 0.95) -> Interval:
    """Studentized intervals: estimate - quantile(t*) x s.e. (Davison & Hinkley 1997, eq. 5.7).

    Parameters
    ----------
    boot : Replicates
    std_error : (m,) array
        Standard error of the estimate.
    std_errors : (B, m) array
        Standard error of each replicate; a replicate with none (0 or NaN) is left out.
    level : float

    Returns
    -------
    Interval
    """
    alphas = tails(level, boot)
    found = []
    for j, column in enumerate(boot.replicates.T):
        se = np.where(std_errors[:, j] > 0, std_errors[:, j], np.nan)
        low, high, error_low, error_high, why = ends((column - boot.estimate[j]) / se, *alphas)
        s = std_error[j]
        found.append((boot.estimate[j] - high * s, boot.estimate[j] - low * s, error_high * s, error_low * s, why))
    return collect(found, "studentized", level)


def choose(method: str, boot: Replicates, *, level: float = 0.95, jack: Jackknife | None = None) -> Interval:
    """Make the interval that an option names: ``percentile``, ``basic`` or ``bca`` (which needs `jack`).

    Raises
    ------
    InputError
        If the name is not one of these, or BCa was asked for without a jackknife.
    """
    if method == "percentile":
        return percentile(boot, level=level)
    if method == "basic":
        return basic(boot, level=level)
    if method == "bca":
        if jack is None:
            raise InputError("ci='bca' needs rows or one cluster factor, not two crossed ones; use ci='basic'")
        return bca(boot, jack, level=level)
    raise InputError(f"ci='{method}' is not one of percentile, basic, bca")


def tails(level: float, boot: Replicates) -> tuple[float, float]:
    """Check the level against the number of resamples; return both tail probabilities."""
    check_resamples(boot.resamples, level)
    alpha = (1 - level) / 2
    return alpha, 1 - alpha


def check_resamples(resamples: int, level: float) -> None:
    """Raise `InputError` for an impossible level, or resamples too few for an interval at it."""
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95%), not {level!r}")
    needed = resamples_needed(level)
    if resamples < needed:
        raise InputError(f"resamples={resamples} cannot give a {100 * level:g}% interval; use at least {needed}")


def resamples_needed(level: float) -> int:
    """Return the fewest replicates whose order statistics reach both ends: (B + 1) (1 - level) / 2 >= 1."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


def ends(column: FloatArray, low: float, high: float) -> tuple[float, float, float, float, str]:
    """Quantiles of the usable replicates of one quantity, their Monte-Carlo errors, and why not."""
    ordered = np.sort(column[~np.isnan(column)])
    if not len(ordered):
        return math.nan, math.nan, math.nan, math.nan, NO_REPLICATE
    found = order_quantile(ordered, low), order_quantile(ordered, high)
    if any(math.isnan(x) for x in found):
        return math.nan, math.nan, math.nan, math.nan, BEYOND
    return *found, quantile_error(ordered, low), quantile_error(ordered, high), ""


def collect(found: list[Any], method: str, level: float) -> Interval:
    """Gather the ends of m intervals; an interval without ends always has its reason."""
    low, high, error_low, error_high = (np.array([f[i] for f in found], dtype=np.float64) for i in range(4))
    gone = np.isnan(low) | np.isnan(high)
    why = tuple(f[4] or (NO_ESTIMATE if g else "") for f, g in zip(found, gone, strict=True))
    return Interval(
        low=low, high=high, error_low=error_low, error_high=error_high, undefined=why, method=method, level=level
    )
