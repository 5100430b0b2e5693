"""Intervals from replicates: percentile, basic, BCa and studentized, and why one is not given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.resampling.engine import Jackknife, Replicates
from socialstats.rounding import no_variation_reason
from socialstats.voice import option

Method = Literal["percentile", "basic", "bca", "studentized"]
METHODS: tuple[str, ...] = get_args(Method)
# shares of the quartile range and of the estimate within which a replicate ties with the estimate
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


class QuantileLimits(NamedTuple):
    """Limits of the interval of one quantity, their Monte-Carlo errors, and why there are none."""

    low: float
    high: float
    error_low: float
    error_high: float
    undefined: str


def no_limits(why: str) -> QuantileLimits:
    """Return limits that do not exist."""
    return QuantileLimits(math.nan, math.nan, math.nan, math.nan, why)


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
    rank = round(position)
    if abs(position - rank) < 1e-9 and 1 <= rank <= b:
        return float(ordered[rank - 1])
    k = math.floor(position)
    if k < 1 or k >= b:
        return math.nan
    # infinite, perhaps
    if ordered[k - 1] == ordered[k]:
        return float(ordered[k])
    # eq. 5.8, with the order statistics k and k + 1
    z, z_below, z_above = ndtri(alpha), ndtri(k / (b + 1)), ndtri((k + 1) / (b + 1))
    share = (z - z_below) / (z_above - z_below)
    return float(ordered[k - 1] + share * (ordered[k] - ordered[k - 1]))


def quantile_error(ordered: FloatArray, alpha: float) -> float:
    """Monte-Carlo standard error of a quantile of B replicates.

    Half the distance between the order statistics one binomial standard deviation, sqrt(B alpha (1-alpha)),
    either side (the rank of a quantile in B draws is binomial).
    """
    b = len(ordered)
    if b < 2:
        return math.nan
    step = math.sqrt(b * alpha * (1 - alpha))
    position = (b + 1) * alpha - 1
    # infinite replicates: NaN
    with np.errstate(invalid="ignore"):
        below, above = np.interp([position - step, position + step], np.arange(b), ordered)
        return float(above - below) / 2


def percentile(boot: Replicates, *, level: float = 0.95) -> Interval:
    """Percentile intervals: quantiles of the replicates (Davison & Hinkley 1997, eq. 5.18).

    Examples
    --------
    >>> from socialstats.resampling import PlanUnits, bootstrap_sums
    >>> table = np.column_stack([[1.0, 4.0, 2.0, 8.0], np.ones(4)])
    >>> b = bootstrap_sums(table, lambda s: s[:, :1] / s[:, 1:], PlanUnits.rows(np.ones(4)), resamples=999, seed=1)
    >>> i = percentile(b, level=0.9)
    >>> bool(i.low[0] < 3.75 < i.high[0])
    True
    """
    alphas = tails(level, boot)
    limits = [quantile_limits(column, *alphas) for column in boot.replicates.T]
    return gather_interval(limits, "percentile", level, boot)


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
    truth = boot.estimate if centre is None else np.asarray(centre, dtype=np.float64)
    limits = []
    for j, column in enumerate(boot.replicates.T):
        low, high, error_low, error_high, why = quantile_limits(column, *alphas)
        # estimate - quantile of (replicate - truth): the upper quantile gives the lower limit
        shift = boot.estimate[j] + truth[j]
        limits.append(QuantileLimits(shift - high, shift - low, error_high, error_low, why))
    return gather_interval(limits, "basic", level, boot)


def bca(
    boot: Replicates,
    jack: Jackknife | None = None,
    *,
    level: float = 0.95,
    acceleration: FloatArray | None = None,
    reach: FloatArray | None = None,
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
    reach : (m,) array, optional
        Normal quantiles of the tails, by default those of `level`. Few units need farther tails (Hesterberg 2015). An
        end beyond the replicates is then the farthest one.

    Returns
    -------
    Interval
        Undefined where every leave-one-out estimate is the same, one of them does not exist, or the
        replicates do not reach the ends.
    """
    nominal_z = ndtri(np.array(tails(level, boot)))
    if (jack is None) == (acceleration is None):
        raise InputError("BCa needs either a jackknife or an acceleration")
    accelerations = (
        jack.acceleration if jack is not None else np.asarray(acceleration, dtype=np.float64)
    )
    limits = []
    for j, column in enumerate(boot.replicates.T):
        usable = column[~np.isnan(column)]
        share = share_of_lower_replicates(usable, float(boot.estimate[j]))
        a = accelerations[j]
        if not 0 < share < 1 or np.isnan(a):
            why = "BCa needs replicates on both sides of the estimate and leave-one-out estimates that differ"
            limits.append(no_limits(why))
            continue
        # Efron & Tibshirani (1993), eq. 14.10, with the bias correction z0 of eq. 14.14
        z0, z = ndtri(share), nominal_z if reach is None else reach[j] * np.array([-1.0, 1.0])
        alphas = ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
        if reach is not None:
            alphas = np.clip(alphas, 1 / (len(usable) + 1), len(usable) / (len(usable) + 1))
        limits.append(quantile_limits(column, float(alphas[0]), float(alphas[1])))
    return gather_interval(limits, "bca", level, boot)


def share_of_lower_replicates(usable: FloatArray, estimate: float) -> float:
    """Share of the replicates below the estimate, those equal to it counted half; NaN where there are none.

    Replicates of few different values tie with the estimate often, but as sums in another order not to the last bit:
    a distance of rounding is none.

    Examples
    --------
    >>> round(share_of_lower_replicates(np.array([0.1 + 0.2, 0.2, 0.4]), 0.3), 6)
    0.5
    """
    if not len(usable):
        return math.nan
    lower, upper = np.percentile(usable, (25, 75))
    rounding = TIES * (upper - lower) + ROUNDING_OF_ESTIMATE * abs(estimate)
    tied = np.abs(usable - estimate) <= rounding
    return float(np.mean(np.where(tied, 0.5, usable < estimate)))


def studentized(
    boot: Replicates, *, std_error: FloatArray, std_errors: FloatArray, level: float = 0.95
) -> Interval:
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
    limits = []
    for j, column in enumerate(boot.replicates.T):
        se = np.where(std_errors[:, j] > 0, std_errors[:, j], np.nan)
        t = quantile_limits((column - boot.estimate[j]) / se, *alphas)
        low, high = (boot.estimate[j] - quantile * std_error[j] for quantile in (t.high, t.low))
        error_low, error_high = t.error_high * std_error[j], t.error_low * std_error[j]
        limits.append(QuantileLimits(low, high, error_low, error_high, t.undefined))
    return gather_interval(limits, "studentized", level, boot)


def choose(
    method: str, boot: Replicates, *, level: float = 0.95, jack: Jackknife | None = None
) -> Interval:
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
            raise InputError(
                f"{option('ci', 'bca')} needs rows or one cluster factor, not two crossed ones; use "
                f"{option('ci', 'basic')}"
            )
        return bca(boot, jack, level=level)
    raise InputError(f"{option('ci', method)} is not one of percentile, basic, bca")


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
        raise InputError(
            f"{option('resamples', resamples)} cannot give a {100 * level:g}% interval; use at least "
            f"{needed}"
        )


def resamples_needed(level: float) -> int:
    """Return the fewest replicates whose order statistics reach both ends: (B + 1) (1 - level) / 2 >= 1."""
    return math.ceil(2 / (1 - level) - 1 - 1e-9)


def quantile_limits(column: FloatArray, low: float, high: float) -> QuantileLimits:
    """Quantiles of the usable replicates of one quantity, at the tail probabilities `low` and `high`."""
    ordered = np.sort(column[~np.isnan(column)])
    if not len(ordered):
        return no_limits(NO_REPLICATE)
    lower, upper = order_quantile(ordered, low), order_quantile(ordered, high)
    if math.isnan(lower) or math.isnan(upper):
        return no_limits(BEYOND)
    errors = quantile_error(ordered, low), quantile_error(ordered, high)
    return QuantileLimits(lower, upper, *errors, undefined="")


def gather_interval(
    limits: list[QuantileLimits], method: str, level: float, boot: Replicates
) -> Interval:
    """Gather the limits of m quantities; where there are none, there is a reason, such as resamples all alike."""
    constant = boot.is_constant
    low, high, error_low, error_high = (
        np.where(constant, np.nan, np.array([limit[i] for limit in limits], dtype=np.float64))
        for i in range(4)
    )
    missing = np.isnan(low) | np.isnan(high)
    why = [limit.undefined for limit in limits]
    for j in np.flatnonzero(missing):
        why[j] = no_variation_reason("resamples") if constant[j] else why[j] or NO_ESTIMATE
    return Interval(
        low=low,
        high=high,
        error_low=error_low,
        error_high=error_high,
        undefined=tuple(why),
        method=method,
        level=level,
    )
