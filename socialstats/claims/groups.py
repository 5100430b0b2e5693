"""Numbers about several parts together: means of part means, and their standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from socialstats.claims.formulas import spread, std_error
from socialstats.claims.samples import Sample
from socialstats.resampling.units import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Means, standard errors and sizes of the parts of a group.

    Attributes
    ----------
    mean, error, n : (parts,) arrays
    value : (values,) array
        All values of all parts, in the order of the parts; none where the parts are known by printed numbers only
        (then a size or standard error that is not printed is NaN).
    """

    mean: FloatArray
    error: FloatArray
    n: FloatArray
    value: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFormula:
    """One way to compute a number about a group."""

    words: str
    compute: Callable[[Parts], float]


def parts_of(samples: Sequence[Sample]) -> Parts:
    """Summarise the samples of the parts."""
    return Parts(
        mean=np.array([s.value.mean() for s in samples]),
        error=np.array([std_error(s) for s in samples]),
        n=np.array([float(s.n) for s in samples]),
        value=np.concatenate([s.value for s in samples]),
    )


def mean_equal(parts: Parts) -> float:
    """Mean of the part means."""
    return float(parts.mean.mean())


def mean_by_size(parts: Parts) -> float:
    """Mean of the part means, weighted by their sizes."""
    return float(parts.n @ parts.mean / parts.n.sum())


def error_equal(parts: Parts) -> float:
    """Of the unweighted mean of K independent parts: sqrt(sum s.e._k^2) / K."""
    return math.sqrt(float(parts.error @ parts.error)) / len(parts.n)


def error_pooled(parts: Parts) -> float:
    """Pooled variance within parts over all rows: sqrt(sum (n_k - 1) n_k s.e._k^2 / (N - K) / N)."""
    total = float(parts.n.sum())
    if total <= len(parts.n):
        return math.nan
    within = float(((parts.n - 1) * parts.n) @ parts.error**2) / (total - len(parts.n))
    return math.sqrt(within / total)


def error_by_size(parts: Parts) -> float:
    """Of the mean weighted by size: sqrt(sum n_k^2 s.e._k^2) / N."""
    return math.sqrt(float((parts.n * parts.error) @ (parts.n * parts.error))) / float(parts.n.sum())


def error_all_rows(parts: Parts) -> float:
    """Of all rows as one sample: s / sqrt(N)."""
    return std_error(Sample(value=parts.value)) if len(parts.value) else math.nan


def error_combined(parts: Parts) -> float:
    """Combined variance of the standard errors, taken pair by pair, without the number of rows (lm-eval, PR 1390)."""
    variance, size, mean = float(parts.error[0]) ** 2, float(parts.n[0]), float(parts.mean[0])
    for error, n, score in zip(parts.error[1:].tolist(), parts.n[1:].tolist(), parts.mean[1:].tolist(), strict=True):
        mean = (mean * size + score * n) / (size + n)
        within = ((size - 1) * variance + (n - 1) * error**2) / (size + n - 1)
        variance = within + size * n / ((size + n) * (size + n - 1)) * (mean - score) ** 2
    return math.sqrt(variance)


def error_without_n(parts: Parts) -> float:
    """Pooled squares of the standard errors as if they were variances (lm-eval, before PR 1427)."""
    total = float(parts.n.sum())
    if total <= len(parts.n):
        return math.nan
    return math.sqrt(float((parts.n - 1) @ parts.error**2) / (total - len(parts.n)))


def error_of_means(parts: Parts) -> float:
    """Part means as the data: s_K / sqrt(K)."""
    return std_error(Sample(value=parts.mean))


def error_mean(parts: Parts) -> float:
    """Mean of the standard errors of the parts: the standard error of no mean, and printed all the same."""
    return float(parts.error.mean())


def deviation_of_means(parts: Parts) -> float:
    """Standard deviation of the part means, K - 1."""
    return math.sqrt(spread(Sample(value=parts.mean), 1))


GROUP_MEANS = {
    "equal": GroupFormula(words="mean of the parts' means", compute=mean_equal),
    "by_size": GroupFormula(words="parts weighted by their sizes", compute=mean_by_size),
}
GROUP_ERRORS = {
    "equal": GroupFormula(words="for the unweighted mean: √(Σ s.e.²)/K", compute=error_equal),
    "pooled": GroupFormula(
        words="pooled over all rows, as for a mean weighted by size",
        compute=error_pooled,
    ),
    "by_size": GroupFormula(words="for the mean weighted by size: √(Σ n²s.e.²)/N", compute=error_by_size),
    "all_rows": GroupFormula(words="s/√N of all rows as one sample", compute=error_all_rows),
    "combined": GroupFormula(
        words="combined variance of the parts' standard errors, without the number of rows", compute=error_combined
    ),
    "without_n": GroupFormula(words="pooled squares of the parts' standard errors, without the number of rows",
                              compute=error_without_n),
    "of_means": GroupFormula(words="s/√K of the parts' means", compute=error_of_means),
    "mean": GroupFormula(
        words="mean of the parts' standard errors (not the standard error of their mean)", compute=error_mean
    ),
}  # fmt: skip
GROUP_DEVIATIONS = {
    "of_means": GroupFormula(words="standard deviation of the parts' means", compute=deviation_of_means),
}
