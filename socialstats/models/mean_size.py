"""The mean size of several correlated estimates: what chance alone gives it, and an interval of the true one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.resampling.chance import TIE

DRAWS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimates:
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
    def size(self) -> float:
        """The mean size, sum of weight x abs(value)."""
        return float(np.abs(self.value) @ self.weight)

    def drawn(self, seed: int) -> FloatArray:
        """Draw errors of the estimates: correlated t's times the standard errors.

        Normal with the correlation of the estimates (its symmetric root, which small changes of the correlation change
        little), each over the root of its block's chi-square over its degrees of freedom.

        Parameters
        ----------
        seed : int

        Returns
        -------
        (draws, k) array
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        values, vectors = np.linalg.eigh(self.correlation)
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        normal = rng.standard_normal((DRAWS, len(self.value))) @ root
        for block in np.unique(self.block):
            mine = self.block == block
            df = float(self.df[mine].min())
            normal[:, mine] /= np.sqrt(rng.chisquare(df, DRAWS) / df)[:, None]
        return np.asarray(normal * self.error)


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


def no_bias(estimates: Estimates, errors: FloatArray) -> NoBias:
    """Say what a mean size would be if every true value were 0, by the errors of the estimates.

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
    >>> one = Estimates(value=np.array([2.0]), error=np.ones(1), df=np.array([10.0]), correlation=np.ones((1, 1)),
    ...                 weight=np.ones(1), block=np.zeros(1, dtype=np.int64))
    >>> found = no_bias(one, one.drawn(0))
    >>> round(found.null_mean, 4), round(found.p_value, 2)
    (0.7979, 0.07)
    """
    sizes = np.abs(errors) @ estimates.weight
    extreme = int((sizes >= estimates.size * (1 - TIE)).sum())
    mean = float(estimates.error @ estimates.weight) * float(np.sqrt(2 / np.pi))
    return NoBias(null_mean=mean, p_value=(extreme + 1) / (len(errors) + 1), df=float(estimates.df.min()),
                  draws=len(errors))  # fmt: skip


def nearest(estimates: Estimates, size: float) -> FloatArray:
    """Values with a given mean size that are nearest to the estimates, by squares over the variances.

    The minimum of sum (x - value)^2 / s^2 with sum of weight x abs(x) = size keeps the signs and lessens (or raises)
    the sizes by lambda x weight x s^2, not below 0 (soft thresholds: Tibshirani 1996).

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
    >>> two = Estimates(value=np.array([0.5, -0.1]), error=np.ones(2), df=np.full(2, 9.0), correlation=np.eye(2),
    ...                 weight=np.full(2, 0.5), block=np.arange(2))
    >>> nearest(two, 0.1).round(3).tolist(), nearest(two, 0.4).round(3).tolist()
    ([0.2, -0.0], [0.6, -0.2])
    """
    size_of, rate = np.abs(estimates.value), estimates.weight * estimates.error**2
    order = np.argsort(-size_of / rate, kind="stable")  # the last to become 0 first
    level = np.cumsum((estimates.weight * size_of)[order])
    slope = np.cumsum((estimates.weight * rate)[order])
    penalty = (level - size) / slope  # with the first 1, 2, ... above 0
    last = np.flatnonzero(penalty <= (size_of / rate)[order])
    step = penalty[last[-1]] if len(last) else np.inf
    return np.asarray(np.sign(estimates.value) * np.maximum(size_of - step * rate, 0.0))


def size_interval(estimates: Estimates, errors: FloatArray, *, level: float, most: float) -> tuple[float, float]:
    """Interval of the true mean size: the sizes that would not make the one observed a rare one.

    A size is inside when, with the true values nearest to the estimates that have it, the share of draws at least as
    large as the mean size observed, and the share at most as large, are both (1 - level)/2 or more. An interval that
    moves the observed size by its standard error fails near 0, where no size can be below and errors add up; tests at
    plugged-in values of what else is unknown, inverted, do not (hybrid resampling: Chuang & Lai 2000).

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
        ``low`` is 0 where the test of no bias (one-sided, at half of 1 - `level`) does not reject; ``high`` is not
        below the size observed.

    References
    ----------
    Chuang, C.-S., & Lai, T. L. (2000). Hybrid resampling methods for confidence intervals. Statistica Sinica, 10(1),
    1-50.

    Examples
    --------
    >>> one = Estimates(value=np.array([9.0]), error=np.ones(1), df=np.array([1e6]), correlation=np.ones((1, 1)),
    ...                 weight=np.ones(1), block=np.zeros(1, dtype=np.int64))
    >>> [round(end) for end in size_interval(one, one.drawn(0), level=0.95, most=99.0)]
    [7, 11]
    """
    observed, tail = estimates.size, (1 - level) / 2

    def beyond(size: float, share: float) -> float:
        drawn = np.abs(errors + nearest(estimates, size)) @ estimates.weight
        return float(np.quantile(drawn, share)) - observed

    def root(low: float, high: float, share: float) -> float:
        from scipy.optimize import brentq

        return float(brentq(beyond, low, high, args=(share,), xtol=1e-7))

    low = 0.0 if beyond(0.0, 1 - tail) >= 0 else root(0.0, observed, 1 - tail)
    if beyond(observed, tail) >= 0:
        return low, observed
    return low, most if beyond(most, tail) <= 0 else root(observed, most, tail)


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
