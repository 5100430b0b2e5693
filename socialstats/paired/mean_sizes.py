"""The mean size of several effects that are estimated with errors, and its interval."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.permutation import TIE

NODES = 48  # quantiles through which a polynomial is laid
LEAST_SHARE = 2.0**-54  # half of the smallest number above 0 that a generator draws
DRAWS = 20_000  # draws of the errors of estimates whose sizes are averaged


def folded_mean(mean: float, sd: float) -> float:
    """Mean of the absolute value of a normal variable: sd sqrt(2/pi) exp(-m^2/(2 sd^2)) + m (1 - 2 Phi(-m/sd)).

    What the absolute value of an unbiased estimate is on average: larger than the size of its mean (Leone, Nelson &
    Nottingham 1961).

    Examples
    --------
    >>> round(folded_mean(0.0, 1.0), 4), round(folded_mean(-3.0, 1.0), 4)
    (0.7979, 3.0008)
    """
    z = mean / sd
    return float(sd * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) + mean * (1 - 2 * ndtr(-z)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanSizeEstimates:
    """Several estimates whose sizes are averaged.

    Attributes
    ----------
    value, error : (k,) arrays
        Estimates and their standard errors, whatever dependence those allow for.
    df : (k,) array
        Degrees of freedom of the standard errors.
    correlation : (k, k) array
    weight : (k,) array
        Of each size in their mean; sums to 1.
    block : (k,) int64 array
        Estimates of one block have standard errors from the same clusters, which are too large or small together.
    """

    value: FloatArray
    error: FloatArray
    df: FloatArray
    correlation: FloatArray
    weight: FloatArray
    block: IntArray

    @property
    def signed_weight(self) -> FloatArray:
        """(k,) float64 array: weights with the signs of the estimates, that of 0 positive."""
        # the estimates weighted so add up to their mean size
        return np.where(self.value < 0, -self.weight, self.weight)

    @property
    def size(self) -> float:
        """The mean size, sum of weight x abs(value)."""
        return float(np.abs(self.value) @ self.weight)

    @property
    def corrected(self) -> float:
        """The mean size less its bias, at least 0.

        Each estimate is taken as normal around the true one with its standard error s; E abs(N(value, s)) - abs(value)
        at the estimate is subtracted.
        """
        means = [
            folded_mean(b, s) for b, s in zip(self.value.tolist(), self.error.tolist(), strict=True)
        ]
        return max(self.size - float((np.array(means) - np.abs(self.value)) @ self.weight), 0.0)

    def signs_reliable(self, level: float) -> bool:
        """Whether the t interval of each estimate excludes 0."""
        from scipy.special import stdtrit

        return bool(np.all(np.abs(self.value) > stdtrit(self.df, (1 + level) / 2) * self.error))

    def draw_errors(self, seed: int) -> FloatArray:
        """Draw errors of the estimates: correlated t's times the standard errors.

        Normal draws with the correlation of the estimates, by its symmetric root, which is stable under small changes.
        Each is divided by the root of its block's chi-square over its degrees of freedom. Chi-squares are quantiles of
        uniforms: `Generator.chisquare` gives other draws where degrees of freedom differ by rounding.

        Parameters
        ----------
        seed : int

        Returns
        -------
        (draws, k) array
        """
        # bytes can be hashed, and so be keys of the cache
        keys = (
            np.asarray(x, dtype=np.float64).tobytes()
            for x in (self.correlation, self.df, self.block)
        )
        return _correlated_t(seed, len(self.value), *keys) * self.error


@functools.lru_cache(maxsize=8)  # the tests, sizes and choices of a page ask for the same draws
def _correlated_t(seed: int, k: int, correlation: bytes, df: bytes, block: bytes) -> FloatArray:
    """Return the draws of `Estimates.drawn` for standard errors of 1."""
    rng = np.random.Generator(np.random.PCG64(seed))
    values, vectors = np.linalg.eigh(np.frombuffer(correlation).reshape(k, k))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    normal: FloatArray = rng.standard_normal((DRAWS, k)) @ root
    blocks = np.frombuffer(block)
    for block_code in np.unique(blocks):
        members = blocks == block_code
        least_df = float(np.frombuffer(df)[members].min())
        chi_square = chi_square_quantiles(least_df, rng.random(DRAWS))
        normal[:, members] /= np.sqrt(chi_square / least_df)[:, None]
    normal.flags.writeable = False
    return normal


def chi_square_quantiles(df: float, share: FloatArray) -> FloatArray:
    """Return the quantiles of chi-square at many shares, to 1e-9 of each; from 1 degree of freedom on to 1e-11.

    The logarithm of a quantile is a smooth function of the normal quantile of the same share. A Chebyshev polynomial
    through `NODES` quantiles is ten times faster than as many quantiles as shares.

    Parameters
    ----------
    df : float
    share : (n,) float64 array
        Between 0 and 1.

    Examples
    --------
    >>> chi_square_quantiles(2.0, np.array([0.0, 0.5, 0.95])).round(4).tolist()
    [0.0, 1.3863, 5.9915]
    """
    from scipy.special import gammaincinv, ndtr, ndtri

    # a generator may draw 0
    z = ndtri(np.maximum(share, LEAST_SHARE))
    middle, reach = (z.max() + z.min()) / 2, (z.max() - z.min()) / 2
    angle = np.pi * (np.arange(NODES) + 0.5) / NODES
    logarithms = np.log(gammaincinv(df / 2, ndtr(middle + reach * np.cos(angle))))
    coefficients = 2 / NODES * np.cos(np.outer(np.arange(NODES), angle)) @ logarithms
    coefficients[0] /= 2
    place = (z - middle) / (reach or 1.0)
    return np.asarray(2 * np.exp(np.polynomial.chebyshev.chebval(place, coefficients)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBias:
    """The mean size of correlated estimates whose true values are all 0.

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


def no_bias(estimates: MeanSizeEstimates, errors: FloatArray) -> NoBias:
    """State what a mean size would be if every true value were 0, by the errors of the estimates.

    The mean of abs(N(0, s)) is s sqrt(2/pi). The test compares the mean size with that of draws of the errors (of a
    single estimate it is the two-sided t test).

    Parameters
    ----------
    estimates : Estimates
    errors : (draws, k) array
        `Estimates.drawn`.

    Returns
    -------
    NoBias

    References
    ----------
    Leone, F. C., Nelson, L. S., & Nottingham, R. B. (1961). The folded normal distribution. Technometrics, 3(4).

    Examples
    --------
    >>> single = MeanSizeEstimates(
    ...     value=np.array([2.0]), error=np.ones(1), df=np.array([10.0]), correlation=np.ones((1, 1)),
    ...     weight=np.ones(1), block=np.zeros(1, dtype=np.int64))
    >>> null = no_bias(single, single.draw_errors(0))
    >>> round(null.null_mean, 4), round(null.p_value, 2)
    (0.7979, 0.07)
    """
    # mean sizes drawn as if every true value were 0
    sizes = np.abs(errors) @ estimates.weight
    extreme = int((sizes >= estimates.size * (1 - TIE)).sum())
    mean = float(estimates.error @ estimates.weight) * float(np.sqrt(2 / np.pi))
    return NoBias(
        null_mean=mean,
        p_value=(extreme + 1) / (len(errors) + 1),
        df=float(estimates.df.min()),
        draws=len(errors),
    )


def nearest_values(estimates: MeanSizeEstimates, size: float) -> FloatArray:
    """Values with a given mean size that are nearest to the estimates, by squares over the variances.

    The minimum of sum (x - value)^2 / s^2 with sum of weight x abs(x) = size keeps the signs. It lowers (or raises) the
    sizes by lambda x weight x s^2, not below 0 (soft thresholds: Tibshirani 1996).

    Parameters
    ----------
    estimates : Estimates
    size : float
        At least 0.

    Returns
    -------
    (k,) array

    Examples
    --------
    >>> pair = MeanSizeEstimates(
    ...     value=np.array([0.5, -0.1]), error=np.ones(2), df=np.full(2, 9.0), correlation=np.eye(2),
    ...     weight=np.full(2, 0.5), block=np.arange(2))
    >>> nearest_values(pair, 0.1).round(3).tolist(), nearest_values(pair, 0.4).round(3).tolist()
    ([0.2, -0.0], [0.6, -0.2])
    """
    sizes, rate = np.abs(estimates.value), estimates.weight * estimates.error**2
    order = np.argsort(-sizes / rate, kind="stable")  # descending: last to reach 0 first
    mean_size = np.cumsum((estimates.weight * sizes)[order])
    slope = np.cumsum((estimates.weight * rate)[order])
    penalty = (mean_size - size) / slope  # lambda, were only the first 1, 2, ... sizes above 0
    feasible = np.flatnonzero(penalty <= (sizes / rate)[order])
    step = penalty[feasible[-1]] if len(feasible) else np.inf
    sign = np.where(estimates.value < 0, -1.0, 1.0)
    return np.asarray(sign * np.maximum(sizes - step * rate, 0.0))


def size_interval(
    estimates: MeanSizeEstimates, errors: FloatArray, *, level: float, most: float
) -> tuple[float, float]:
    """Interval of the true mean size: the sizes that would not make the one observed a rare one.

    Draws are made at the true values nearest to the estimates that have the size. The size is inside when two shares
    are (1 - level)/2 or more: of draws at least, and at most, as large as the mean size observed. An interval that
    moves the observed size by its standard error fails near 0, where no size can be below and errors add up. Tests at
    plugged-in values of what else is unknown, inverted, do not (hybrid resampling: Chuang & Lai 2000).

    A size observed that happens to be near 0 is a rare one for every true size, and the inverted tests end at it. The
    upper end is therefore at least that of the sum of values by their signs around the corrected size. Of 1 to 36
    estimates (8 and 40 df, true sizes 0 to 3 standard errors) intervals held .93 to 1, without it .90 to 1.

    Parameters
    ----------
    estimates : Estimates
    errors : (draws, k) array
        `Estimates.drawn`.
    level : float
    most : float
        The largest size there can be.

    Returns
    -------
    low, high : float
        ``low`` is 0 where the test of no bias (one-sided, at half of 1 - `level`) does not reject. Both ends are on
        their sides of the corrected size, and ``high`` is not below the size observed.

    References
    ----------
    Chuang, C.-S., & Lai, T. L. (2000). Hybrid resampling methods for confidence intervals. Statistica Sinica, 10(1),
    1-50.

    Examples
    --------
    >>> single = MeanSizeEstimates(
    ...     value=np.array([9.0]), error=np.ones(1), df=np.array([1e6]), correlation=np.ones((1, 1)),
    ...     weight=np.ones(1), block=np.zeros(1, dtype=np.int64))
    >>> [round(end) for end in size_interval(single, single.draw_errors(0), level=0.95, most=99.0)]
    [7, 11]
    """
    observed, tail = estimates.size, (1 - level) / 2

    def quantile_gap(size: float, share: float) -> float:
        drawn_sizes = np.abs(errors + nearest_values(estimates, size)) @ estimates.weight
        return float(np.quantile(drawn_sizes, share)) - observed

    def size_at(low: float, high: float, share: float) -> float:
        from scipy.optimize import brentq

        return float(brentq(quantile_gap, low, high, args=(share,), xtol=1e-7))

    low = 0.0 if quantile_gap(0.0, 1 - tail) >= 0 else size_at(0.0, observed, 1 - tail)
    high = observed
    if quantile_gap(observed, tail) < 0:
        high = most if quantile_gap(most, tail) <= 0 else size_at(observed, most, tail)
    signed_errors = errors @ estimates.signed_weight
    half_width = float(np.quantile(np.abs(signed_errors), level))
    least_high = min(estimates.corrected + half_width, most)
    return min(low, estimates.corrected), max(high, least_high)


def influence_correlation(influence: FloatArray, codes: Sequence[IntArray]) -> FloatArray:
    """Correlation of linear estimates by the sums of their influences within clusters.

    Parameters
    ----------
    influence : (units, k) array
    codes : sequence of (units,) int64 arrays

    Examples
    --------
    >>> influence_correlation(np.array([[1.0, -1.0], [-1.0, 1.0]]), []).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    total = influence_products(influence, codes)
    spread = np.sqrt(np.diag(total))
    return np.asarray(total / np.outer(spread, spread))


def influence_products(influence: FloatArray, codes: Sequence[IntArray]) -> FloatArray:
    """Sums of products of the sums of influences within clusters, (k, k).

    With S the (clusters, k) sums of a factor, S'S G/(G-1) is added over the factors (units, where there is none): a
    covariance whatever the data are. V1 + V2 - V12 is more exact for variances, and may have negative ones.
    """
    total = np.zeros((influence.shape[1], influence.shape[1]))
    for code in codes or [np.arange(len(influence))]:
        cluster = np.unique(code, return_inverse=True)[1]
        n_clusters = int(cluster.max()) + 1
        sums = np.column_stack([np.bincount(cluster, column, n_clusters) for column in influence.T])
        # S'S G/(G - 1) of this factor
        total += sums.T @ sums * n_clusters / max(n_clusters - 1, 1)
    return total
