"""Errors by clusters of numbers with one parameter, and intervals of agreement, once more: sums written out, scipy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from socialstats.crosscheck.row_arithmetic import quantile
from socialstats.results import FloatArray

FEW = 10.0


def by_cluster(values: Sequence[float] | FloatArray, names: Sequence[Hashable]) -> dict[Hashable, float]:
    """Sum values by cluster."""
    out: dict[Hashable, float] = {}
    for name, value in zip(names, values, strict=True):
        out[name] = out.get(name, 0.0) + float(value)
    return out


def cr2(
    scores: Sequence[float] | FloatArray, shares: Sequence[float] | FloatArray, names: Sequence[Hashable]
) -> tuple[float, float]:
    """CR2 variance and Satterthwaite's degrees of freedom of one parameter (Bell & McCaffrey 2002).

    As (I - H)^-1/2 of a cluster is 1 / sqrt(1 - f) in the direction that counts, P has f (1 - f) / (1 - f) on its
    diagonal and -f_g f_h / sqrt((1 - f_g)(1 - f_h)) beside it.
    """
    e, f = by_cluster(scores, names), by_cluster(shares, names)
    share = np.array([f[name] for name in f if f[name] > 0])
    score = np.array([e[name] for name in f if f[name] > 0])
    if len(share) < 2:
        return math.nan, math.nan
    root = share / np.sqrt(1 - share)
    p = -np.outer(root, root) if len(root) <= 2000 else None
    if p is None:
        squares = float((share @ share) + (root @ root) ** 2 - (root**2) @ (root**2))
    else:
        np.fill_diagonal(p, share)
        squares = float((p**2).sum())
    return float((score**2 / (1 - share)).sum()), float(share.sum()) ** 2 / squares


def spread(
    scores: Sequence[float] | FloatArray, shares: Sequence[float] | FloatArray, factors: Sequence[Sequence[Hashable]]
) -> tuple[float, float]:
    """Variance and df under independent units, clusters, or two crossed factors."""
    if not factors:
        return cr2(scores, shares, range(len(scores)))
    parts = [cr2(scores, shares, names) for names in factors]
    if len(parts) == 1:
        return parts[0]
    both = by_cluster(scores, list(zip(*factors, strict=True)))
    (v1, df1), (v2, df2) = parts
    return max(v1, v2, v1 + v2 - sum(x * x for x in both.values())), cochran(v1, v2, df1, df2)


def cochran(v1: float, v2: float, df1: float, df2: float) -> float:
    """Degrees of freedom whose 95 % t quantile is the mean of those of two variances, weighted by them."""
    from scipy.optimize import brentq
    from scipy.stats import t

    wanted = (v1 * t.ppf(0.975, df1) + v2 * t.ppf(0.975, df2)) / (v1 + v2)
    low, high = min(df1, df2), max(df1, df2)
    if high - low < 1e-9 or v1 <= 0 or v2 <= 0:
        return df1 if v2 <= 0 else df2 if v1 <= 0 else low
    return float(brentq(lambda df: t.ppf(0.975, df) - wanted, low * (1 - 1e-9), high * (1 + 1e-9), xtol=1e-13 * high))


def disagreement_ends(
    value: float, apart: FloatArray, weight: FloatArray, expected: float, factors: Sequence[Sequence[Hashable]],
    level: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Effective disagreements, and the ends of 1 - q / expected by Korn and Graubard's interval of q.

    Parameters
    ----------
    value : float
        The coefficient.
    apart, weight : (units,) arrays
        Disagreement within each unit, and what it weighs.
    expected : float
    factors : sequence of sequences
    level : float
    """
    from scipy.stats import beta, t

    share = weight / weight.sum()
    q = float(share @ apart)
    variance, df = spread(share * (apart - q), share, factors)
    if math.isnan(df):
        return math.nan, math.nan, math.nan
    sizes = [np.array(list(by_cluster(share, names).values())) for names in factors or [range(len(share))]]
    even = min(1 / float(s @ s) for s in sizes)
    n = even if q <= 0 or q >= 1 or variance <= 1e-9 * q * (1 - q) / even else max(q * (1 - q) / variance, 1.0)
    most, tail = float((weight > 0).sum()) - 1, (1 - level) / 2
    trials = n * min(1.0, (t.ppf(1 - tail, most) / t.ppf(1 - tail, df)) ** 2)
    x = q * trials
    low = float(beta.ppf(tail, x, trials - x + 1)) if x > 0 else 0.0
    high = float(beta.ppf(1 - tail, x + 1, trials - x)) if x < trials else 1.0
    slope = (1 - value) / q if q > 0 else 1 / expected
    return q * n, max(-1.0, 1 - slope * high), 1 - slope * low


def fisher_ends(value: float, error: float, df: float, level: float) -> tuple[float, float]:
    """tanh of atanh(value) -+ t s.e. / (1 - value^2)."""
    reach = quantile(level, df) * error / (1 - value**2)
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)
