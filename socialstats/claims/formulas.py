"""Formulas that a printed number may come from: one small function each, named in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats.claims.samples import Sample
from socialstats.resampling.units import FloatArray, IntArray

Compute = Callable[[Sample, str], float]
"""From a sample, and a column (empty for formulas without one), to a number; NaN where it does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """One way to compute a number.

    Attributes
    ----------
    words : str
        With ``{column}`` where it uses one.
    compute : callable
    by_column : bool
    random : bool
        The harness drew random numbers: its value differs from ours by Monte-Carlo error.
    """

    words: str
    compute: Compute
    by_column: bool = False
    random: bool = False


def clustered(values: FloatArray, code: IntArray) -> tuple[float, int]:
    """Sum of squared cluster sums times G/(G-1) (CR1), and the number of clusters G."""
    groups, dense = np.unique(code, return_inverse=True)
    sums, count = np.bincount(dense, weights=values), len(groups)
    return (float(sums @ sums) * count / (count - 1) if count > 1 else math.nan), count


def mean(sample: Sample, column: str = "") -> float:
    """Mean of the values."""
    return float(sample.value.mean())


def weighted_mean(sample: Sample, column: str = "") -> float:
    """Mean with the weights of the log."""
    if sample.weight is None or not sample.weight.sum() > 0:
        return math.nan
    return float(sample.weight @ sample.value / sample.weight.sum())


def group_means(sample: Sample, column: str) -> FloatArray:
    """Mean of each group of a column."""
    dense = np.unique(sample.columns[column], return_inverse=True)[1]
    return np.asarray(np.bincount(dense, sample.value) / np.bincount(dense), dtype=np.float64)


def macro_mean(sample: Sample, column: str) -> float:
    """Mean of the means of the groups."""
    return float(group_means(sample, column).mean())


def only_full(sample: Sample, column: str = "") -> float:
    """Share of values of at least 1."""
    return float(np.mean(sample.value >= 1))


def any_positive(sample: Sample, column: str = "") -> float:
    """Share of values above 0."""
    return float(np.mean(sample.value > 0))


def median(sample: Sample, column: str = "") -> float:
    """Median of the values."""
    return float(np.median(sample.value))


def total(sample: Sample, column: str = "") -> float:
    """Sum of the values."""
    return float(sample.value.sum())


def weighted_total(sample: Sample, column: str = "") -> float:
    """Sum of weight times value."""
    return math.nan if sample.weight is None else float(sample.weight @ sample.value)


def spread(sample: Sample, ddof: int) -> float:
    """Sum of squares about the mean over n - ddof; NaN for a single value."""
    off = sample.value - sample.value.mean()
    return float(off @ off) / (sample.n - ddof) if sample.n > 1 else math.nan


def sd(sample: Sample, column: str = "") -> float:
    """Standard deviation, n - 1."""
    return math.sqrt(spread(sample, 1))


def sd_population(sample: Sample, column: str = "") -> float:
    """Standard deviation, n."""
    return math.sqrt(spread(sample, 0))


def between(sample: Sample, column: str, ddof: int) -> float:
    """Standard deviation of the group means."""
    means = group_means(sample, column)
    return float(means.std(ddof=ddof)) if len(means) > ddof else math.nan


def std_error(sample: Sample, column: str = "") -> float:
    """Standard error of the mean, s / sqrt(n)."""
    return math.sqrt(spread(sample, 1) / sample.n)


def std_error_population(sample: Sample, column: str = "") -> float:
    """Standard error with the population variance, sqrt(sum (x - mean)^2) / n."""
    return math.sqrt(spread(sample, 0) / sample.n)


def std_error_share(sample: Sample, column: str = "") -> float:
    """Standard error sqrt(p (1 - p) / n) of a share."""
    p = float(sample.value.mean())
    return math.sqrt(p * (1 - p) / sample.n) if 0 <= p <= 1 else math.nan


def std_error_rows(sample: Sample, column: str = "") -> float:
    """Standard error s / sqrt(N) with N rows, although s is of units."""
    return math.sqrt(spread(sample, 1) / sample.ok_rows) if sample.ok_rows else math.nan


def std_error_clustered(sample: Sample, column: str) -> float:
    """Cluster-robust: sqrt(C/(C-1) sum_c (sum of residuals in c)^2) / n (Liang & Zeger 1986)."""
    return math.sqrt(clustered(sample.value - sample.value.mean(), sample.columns[column])[0]) / sample.n


def std_error_clustered_plain(sample: Sample, column: str) -> float:
    """Cluster-robust without C/(C-1)."""
    squares, groups = clustered(sample.value - sample.value.mean(), sample.columns[column])
    return math.sqrt(squares * (groups - 1) / groups) / sample.n


def std_error_macro(sample: Sample, column: str) -> float:
    """Standard error of group means taken as the data, s_G / sqrt(G)."""
    means = group_means(sample, column)
    return float(means.std(ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else math.nan


def std_error_halves(sample: Sample, column: str = "") -> float:
    """S.d. of means of random halves without replacement: s sqrt((1/m - 1/n)) with m = n // 2; s/sqrt(n) for even n."""
    half = sample.n // 2
    return math.sqrt(spread(sample, 1) * (1 / half - 1 / sample.n)) if half else math.nan


def zero_of_one(sample: Sample, column: str = "") -> float:
    """0 for a single value, where no standard error exists."""
    return 0.0 if sample.n == 1 else math.nan


MEANS = {
    "mean": Formula(words="mean", compute=mean),
    "weighted": Formula(words="mean with the log's weights", compute=weighted_mean),
    "macro": Formula(words="mean of the means of each {column}", compute=macro_mean, by_column=True),
    "full": Formula(words="share of scores of 1 or more", compute=only_full),
    "positive": Formula(words="share of scores above 0", compute=any_positive),
}
ERRORS = {
    "single": Formula(words="0 printed for a single value, where no standard error exists", compute=zero_of_one),
    "plain": Formula(words="s/√n, rows taken as independent", compute=std_error),
    "population": Formula(words="divided by n, not n − 1", compute=std_error_population),
    "clustered": Formula(words="clustered by {column}, with C/(C − 1)", compute=std_error_clustered, by_column=True),
    "clustered_plain": Formula(
        words="clustered by {column}, without C/(C − 1)", compute=std_error_clustered_plain, by_column=True
    ),
    "share": Formula(words="√(p(1 − p)/n), as if scores were 0 or 1", compute=std_error_share),
    "rows": Formula(words="s of units over the root of the number of rows", compute=std_error_rows),
    "macro": Formula(words="s/√G of the means of each {column}", compute=std_error_macro, by_column=True),
    "bootstrap": Formula(words="bootstrap of single values", compute=std_error_population, random=True),
    "halves": Formula(
        words="s.d. of means of random halves without replacement (called a bootstrap)",
        compute=std_error_halves, random=True,
    ),
    "sd": Formula(words="the standard deviation, not the standard error", compute=sd),
}  # fmt: skip
DEVIATIONS = {
    "sd": Formula(words="standard deviation with n − 1", compute=sd),
    "population": Formula(words="standard deviation with n", compute=sd_population),
    "between_population": Formula(
        words="standard deviation (n) between the means of each {column}",
        compute=lambda s, c: between(s, c, 0), by_column=True,
    ),
    "between": Formula(
        words="standard deviation (n − 1) between the means of each {column}",
        compute=lambda s, c: between(s, c, 1), by_column=True,
    ),
    "plain": Formula(words="the standard error, not the standard deviation", compute=std_error),
    "single": ERRORS["single"],
}  # fmt: skip
SUMS = {
    "sum": Formula(words="sum", compute=total),
    "weighted": Formula(words="sum of weight times score", compute=weighted_total),
    "macro": Formula(words="sum of the means of each {column}", compute=lambda s, c: float(group_means(s, c).sum()),
                     by_column=True),
}  # fmt: skip
COUNTS = {
    "units": Formula(words="units with a score", compute=lambda s, c: float(s.n)),
    "ok_rows": Formula(words="rows with a score", compute=lambda s, c: float(s.ok_rows)),
    "rows": Formula(words="all rows, with or without a score", compute=lambda s, c: float(s.rows)),
    "groups": Formula(words="number of different {column}", by_column=True,
                      compute=lambda s, c: float(len(np.unique(s.columns[c])))),
    "positive": Formula(words="scores of 1", compute=lambda s, c: float(np.sum(s.value >= 1))),
    "below": Formula(words="scores below 1", compute=lambda s, c: float(np.sum(s.value < 1))),
}  # fmt: skip


def squared(formulas: dict[str, Formula]) -> dict[str, Formula]:
    """Return formulas of variances from those of standard deviations."""
    return {
        key: replace(f, words=f"square of: {f.words}", compute=partial(square_of, f.compute))
        for key, f in formulas.items()
    }


def square_of(compute: Compute, sample: Sample, column: str) -> float:
    """Square of another formula's number."""
    return compute(sample, column) ** 2
