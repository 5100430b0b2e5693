"""Formulas that a printed number may come from: of one sample, of the end of an interval, of several parts together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from socialstats.claims.samples import Sample
from socialstats.inference.intervals import critical_value
from socialstats.inference.linearised import clustered
from socialstats.inference.proportions import wilson
from socialstats.resampling.units import FloatArray

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


Side = Literal["conf_low", "conf_high"]
SPREADS = ("plain", "population", "clustered", "clustered_plain", "share", "macro", "halves")
SIGN = {"conf_low": -1, "conf_high": 1}
OURS = 4000
SEED = 20260101
NORMAL_FROM = 20_000  # units: skewness moves an end by 0.1 standard errors at p = 0.001, within the error allowed
CHUNK = 2_000_000  # numbers drawn at a time


def end(sample: Sample, column: str, *, side: Side, spread: str, quantile: str) -> float:
    """Mean plus or minus the quantile times a standard error."""
    error = ERRORS[spread].compute(sample, column)
    if quantile == "z":
        reach = critical_value(sample.level)
    else:
        groups = len(np.unique(sample.columns[column])) if column else sample.n
        if groups < 2:
            return math.nan
        reach = critical_value(sample.level, groups - 1)
    return float(sample.value.mean()) + SIGN[side] * reach * error


def wilson_end(sample: Sample, column: str, *, side: Side) -> float:
    """Wilson's (1927) end for scores of 0 and 1."""
    if not np.isin(sample.value, (0.0, 1.0)).all():
        return math.nan
    low, high = wilson(np.array([sample.value.mean()]), np.array([float(sample.n)]), level=sample.level)
    return float((low if side == "conf_low" else high)[0])


def resampled_means(sample: Sample, column: str) -> FloatArray:
    """Means of our own resamples of values, or of whole clusters; the seed is fixed."""
    rng = np.random.default_rng(SEED)
    code = np.unique(sample.columns[column], return_inverse=True)[1] if column else np.arange(sample.n)
    size, sums = np.bincount(code).astype(np.float64), np.bincount(code, sample.value)
    groups, means = len(size), []
    step = max(1, min(OURS, CHUNK // groups))
    for start in range(0, OURS, step):
        drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=min(step, OURS - start)).astype(np.float64)
        means.append(drawn @ sums / (drawn @ size))
    return np.concatenate(means)


def percentile_end(sample: Sample, column: str, *, side: Side) -> float:
    """Percentile of our own resamples; of the normal distribution for so many units that the two agree."""
    tail = (1 - sample.level) / 2
    groups = len(np.unique(sample.columns[column])) if column else sample.n
    if groups > NORMAL_FROM:
        return end(sample, column, side=side, spread="clustered_plain" if column else "population", quantile="z")
    return float(np.quantile(resampled_means(sample, column), tail if side == "conf_low" else 1 - tail))


def ends(side: Side) -> dict[str, Formula]:
    """Return the formulas of one end of an interval."""
    found = {}
    for spread in SPREADS:
        base = ERRORS[spread]
        for quantile, words in (("t", "t quantile"), ("z", "normal quantile")):
            found[f"{spread}_{quantile}"] = Formula(
                words=f"mean ∓ {words} × s.e. ({base.words})", by_column=base.by_column, random=base.random,
                compute=partial(end, side=side, spread=spread, quantile=quantile),
            )  # fmt: skip
    found["wilson"] = Formula(words="Wilson's interval", compute=partial(wilson_end, side=side))
    found["percentile"] = Formula(
        words="percentiles of a bootstrap of single values", compute=partial(percentile_end, side=side), random=True
    )
    found["percentile_clustered"] = Formula(
        words="percentiles of a bootstrap of whole {column}", compute=partial(percentile_end, side=side),
        by_column=True, random=True,
    )  # fmt: skip
    return found


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
