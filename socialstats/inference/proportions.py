"""Intervals of proportions, on arrays: Wilson's, also with the effective sample size of clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.scan import StoredClusters
from socialstats.inference.clustered_mean import centre
from socialstats.inference.means import (
    DrawnRaters,
    MeanErrors,
    effective_trials,
    mean_errors,
    sampled_errors,
    with_drawn,
)

ONE_CLUSTER = "a single cluster: no standard error and no interval"
ONE_UNIT = "one unit: no interval"


def wilson(
    p: FloatArray, n: FloatArray, *, level: float = 0.95, df: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Score interval of a proportion (Wilson 1927).

    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n).

    Parameters
    ----------
    p, n : float64 arrays of one shape
        Proportion in [0, 1], and (effective) number of trials.
    level : float
    df : float64 array, optional
        Degrees of freedom: a t quantile takes the place of z.

    Returns
    -------
    low, high : float64 arrays

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953

    Examples
    --------
    >>> low, high = wilson(np.array([0.5]), np.array([10.0]))
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.2366, 0.7634)
    """
    tail = (1 + level) / 2
    z = ndtri(tail) if df is None else stdtrit(df, tail)
    share = z**2 / n
    middle = (p + share / 2) / (1 + share)
    # Wilson (1927): both roots of n (p - pi)^2 = z^2 pi (1 - pi)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + share)
    # rounding
    return np.minimum(np.clip(middle - half, 0.0, 1.0), p), np.maximum(
        np.clip(middle + half, 0.0, 1.0), p
    )


def korn_graubard(
    p: float, n: float, *, df: float, most: float, level: float
) -> tuple[float, float]:
    """Interval of a proportion from clusters, after Clopper and Pearson (1934).

    Beta quantiles with n (t(most) / t(df))^2 trials, so that few degrees of freedom count.

    Parameters
    ----------
    p : float
    n : float
        Effective trials.
    df : float
        Degrees of freedom of the variance behind `n`.
    most : float
        Those that independent trials would have.
    level : float

    References
    ----------
    Korn, E. L., & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data. Survey Methodology, 24(2), 193-201.

    Examples
    --------
    >>> low, high = korn_graubard(0.0, 50.0, df=49, most=49, level=0.95)
    >>> low, round(high, 4)
    (0.0, 0.0711)
    """
    tail = (1 - level) / 2
    if most > df:
        # Korn & Graubard (1998): fewer degrees of freedom, fewer trials
        n *= float(stdtrit(most, 1 - tail) / stdtrit(df, 1 - tail)) ** 2
    x = p * n
    low = float(betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    return low, float(betaincinv(x + 1, n - x, 1 - tail)) if x < n else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of yes-or-no answers, or of a sum, with Wilson's interval for clusters.

    Attributes
    ----------
    estimate : float
    std_error : float or None
        None where clusters (or units) do not differ.
    low, high, df, trials : float or None
        Ends, Satterthwaite's degrees of freedom and the effective number of answers; None with `undefined`.
    clusters : int
        Clusters (units, where there are none) that take part.
    largest : float
        Largest share of the denominator that one of them holds.
    undefined : str
        Why there is no interval.
    """

    estimate: float
    std_error: float | None = None
    low: float | None = None
    high: float | None = None
    df: float | None = None
    trials: float | None = None
    clusters: int
    largest: float
    undefined: str = ""


def clustered_share(
    values: FloatArray,
    weights: FloatArray,
    factors: Sequence[IntArray] | StoredClusters = (),
    *,
    trials: float = math.inf,
    level: float = 0.95,
    alike: FloatArray | None = None,
    drawn: Sequence[DrawnRaters] = (),
    sampled: bool = False,
) -> Share:
    """Estimate a weighted mean of values between 0 and 1 with Wilson's interval under clusters.

    Parameters
    ----------
    values, weights : (cells,) arrays
        Their weighted mean is the share; for a ratio of sums, the ratio within each cell and the cell's denominator.
    factors : none, one or two (cells,) int64 arrays, or StoredClusters
        Cluster of each cell; without any, a cell's rows are independent.
    trials : float
        Answers behind the share: an interval never counts more.
    level : float
    alike : (cells,) array, optional
        Without factors: rows that each cell stands for; default `weights`.
    drawn : sequence of DrawnRaters
        Groups of raters who are samples too, beside at most one factor.
    sampled : bool
        Whether `weights` are sums of sampling weights; independent ones have the errors of `sampled_errors`.

    Notes
    -----
    V is the CR2 variance of the linearised share and df its Satterthwaite degrees of freedom (two factors: Cochran's;
    `mean_errors`). Wilson's interval takes n_eff = p (1 - p) / V answers, between 1 and `trials`, and the quantile of t
    (Korn & Graubard 1998; Bell & McCaffrey 2002). Where clusters do not differ, n_eff is 1 / sum of squared shares.

    Examples
    --------
    >>> share = clustered_share(np.array([1.0, 0, 1, 1]), np.ones(4), [np.array([0, 0, 1, 2])], trials=4)
    >>> round(share.low, 3), round(share.high, 3), round(share.df, 2)
    (0.084, 0.99, 1.8)
    """
    x, w = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    f = w / w.sum()
    p = centre(x, w, float(w.sum()))
    copies = w if alike is None else alike
    scores, shares = (f * (x - p))[:, None], f[:, None]
    if sampled and not factors:
        errors = sampled_errors(scores, shares, copies, size=1.0)
    else:
        errors = mean_errors(scores, shares, factors, None if factors else copies, size=1.0)
    errors = with_drawn(errors, drawn)
    defined = bool(np.isfinite(errors.variance[0]))
    base: dict[str, Any] = {
        "estimate": p,
        "clusters": int(errors.clusters[0]),
        "largest": float(errors.largest[0]),
    }
    if not defined:
        return Share(**base, undefined=ONE_CLUSTER if factors else ONE_UNIT)
    estimate = np.array([p])
    low, high, n = effective_share_interval(estimate, errors, trials, level=level)
    error = float(errors.std_error[0])
    return Share(
        **base,
        std_error=None if math.isnan(error) else error,
        low=float(low[0]),
        high=float(high[0]),
        df=float(errors.df[0]),
        trials=float(n[0]),
    )


def effective_share_interval(
    p: FloatArray, errors: MeanErrors, trials: FloatArray | float, *, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Wilson's ends for the effective number of answers with the quantile of t, and that number.

    Parameters
    ----------
    p : (k,) array
    errors : MeanErrors
        Of the k shares.
    trials : (k,) array or float
    level : float
    """
    n = effective_trials(p, errors, trials)
    low, high = wilson(p, n, level=level, df=errors.df)
    # rounding may put an end beyond a share of 0 or 1
    return (
        np.minimum(low, p),
        np.maximum(high, p),
        n,
    )
