"""Formulas that a printed number may come from: of one sample, of the end of an interval, of several parts together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.audit.claims.samples import Sample
from socialstats.inference.intervals import critical_value
from socialstats.inference.proportions import wilson

Compute = Callable[[Sample, str], float]
"""From a sample, and a column (empty for formulas without one), to a number; NaN where it does not exist."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One way to compute a number.

    Attributes
    ----------
    words : str
        With ``{column}`` where it uses one.
    compute : callable
    random : bool
        The harness drew random numbers: its value differs from ours by Monte-Carlo error.
    """

    words: str
    compute: Compute
    random: bool = False

    @property
    def by_column(self) -> bool:
        """Whether it groups by a column."""
        return "{column}" in self.words


def weighted_mean(sample: Sample, column: str = "") -> float:
    """Mean with the weights of the log."""
    if sample.weight is None or not sample.weight.sum() > 0:
        return math.nan
    return float(sample.weight @ sample.value / sample.weight.sum())


def groups_of(sample: Sample, column: str) -> IntArray:
    """Group of each value, numbered from 0; without a column each value is one."""
    if not column:
        return np.arange(sample.n)
    return np.unique(sample.columns[column], return_inverse=True)[1].astype(np.int64)


def number_of_groups(sample: Sample, column: str) -> int:
    """Number of groups of a column; without one, of values."""
    return int(groups_of(sample, column).max()) + 1


def group_means(sample: Sample, column: str) -> FloatArray:
    """Mean of each group of a column."""
    groups = groups_of(sample, column)
    return np.asarray(np.bincount(groups, sample.value) / np.bincount(groups), dtype=np.float64)


def spread(sample: Sample, ddof: int) -> float:
    """Sum of squares about the mean over n - ddof; NaN for a single value."""
    off = sample.value - sample.value.mean()
    return float(off @ off) / (sample.n - ddof) if sample.n > 1 else math.nan


def sd(sample: Sample, column: str = "") -> float:
    """Standard deviation, n - 1."""
    return math.sqrt(spread(sample, 1))


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


def std_error_clustered(sample: Sample, column: str, *, plain: bool = False) -> float:
    """Cluster-robust: sqrt(C/(C-1) sum_c (sum of residuals in c)^2) / n (Liang & Zeger 1986); plain: no C/(C-1)."""
    sums = np.bincount(groups_of(sample, column), weights=sample.value - sample.value.mean())
    if len(sums) < 2:
        return math.nan
    factor = 1.0 if plain else len(sums) / (len(sums) - 1)
    return math.sqrt(float(sums @ sums) * factor) / sample.n


def std_error_macro(sample: Sample, column: str) -> float:
    """Standard error of group means taken as the data, s_G / sqrt(G)."""
    means = group_means(sample, column)
    return float(means.std(ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else math.nan


def std_error_halves(sample: Sample, column: str = "") -> float:
    """S.d. of means of random halves without replacement: s sqrt((1/m - 1/n)) with m = n // 2; s/sqrt(n) for even n."""
    half = sample.n // 2
    return math.sqrt(spread(sample, 1) * (1 / half - 1 / sample.n)) if half else math.nan


MEANS = {
    "mean": Formula("mean", lambda s, c: float(s.value.mean())),
    "weighted": Formula("mean with the log's weights", weighted_mean),
    "macro": Formula(
        "mean of the means of each {column}",
        lambda s, c: float(group_means(s, c).mean()),
    ),
    "full": Formula("share of scores of 1 or more", lambda s, c: float(np.mean(s.value >= 1))),
    "positive": Formula("share of scores above 0", lambda s, c: float(np.mean(s.value > 0))),
}
ERRORS = {
    "single": Formula(
        "0 printed for a single value, where no standard error exists",
        lambda s, c: 0.0 if s.n == 1 else math.nan,
    ),
    "plain": Formula("s/√n, rows taken as independent", std_error),
    "population": Formula("divided by n, not n − 1", std_error_population),
    "clustered": Formula("clustered by {column}, with C/(C − 1)", std_error_clustered),
    "clustered_plain": Formula(
        "clustered by {column}, without C/(C − 1)",
        partial(std_error_clustered, plain=True),
    ),
    "share": Formula("√(p(1 − p)/n), as if scores were 0 or 1", std_error_share),
    "unit_spread": Formula(
        "s of units over the root of the number of rows",
        lambda s, c: math.sqrt(spread(s, 1) / s.ok_rows) if s.ok_rows else math.nan,
    ),
    "macro": Formula("s/√G of the means of each {column}", std_error_macro),
    "bootstrap": Formula("bootstrap of single values", std_error_population, random=True),
    "halves": Formula(
        "s.d. of means of random halves without replacement (called a bootstrap)",
        std_error_halves,
        random=True,
    ),
    "deviation": Formula("the standard deviation, not the standard error", sd),
}
DEVIATIONS = {
    "sd": Formula("standard deviation with n − 1", sd),
    "population": Formula("standard deviation with n", lambda s, c: math.sqrt(spread(s, 0))),
    "between_population": Formula(
        "standard deviation (n) between the means of each {column}",
        lambda s, c: between(s, c, 0),
    ),
    "between": Formula(
        "standard deviation (n − 1) between the means of each {column}",
        lambda s, c: between(s, c, 1),
    ),
    "error": Formula("the standard error, not the standard deviation", std_error),
    "single": ERRORS["single"],
}
SUMS = {
    "sum": Formula("sum", lambda s, c: float(s.value.sum())),
    "weighted": Formula(
        "sum of weight times score",
        lambda s, c: math.nan if s.weight is None else float(s.weight @ s.value),
    ),
    "macro": Formula(
        "sum of the means of each {column}",
        lambda s, c: float(group_means(s, c).sum()),
    ),
}
COUNTS = {
    "units": Formula("units with a score", lambda s, c: float(s.n)),
    "ok_rows": Formula("rows with a score", lambda s, c: float(s.ok_rows)),
    "rows": Formula("all rows, with or without a score", lambda s, c: float(s.rows)),
    "groups": Formula(
        "number of different {column}",
        lambda s, c: float(number_of_groups(s, c)),
    ),
    "positive": Formula("scores of 1", lambda s, c: float(np.sum(s.value >= 1))),
    "below": Formula("scores below 1", lambda s, c: float(np.sum(s.value < 1))),
}


def squared(formulas: dict[str, Formula]) -> dict[str, Formula]:
    """Return formulas of variances from those of standard deviations."""

    def square_of(root: Compute) -> Compute:
        return lambda s, c: root(s, c) ** 2

    return {
        key: replace(f, words=f"square of: {f.words}", compute=square_of(f.compute))
        for key, f in formulas.items()
    }


Side = Literal["conf_low", "conf_high"]
SPREADS = ("plain", "population", "clustered", "clustered_plain", "share", "macro", "halves")
SIGN = {"conf_low": -1, "conf_high": 1}
OURS = 4000
SEED = 20260101
NORMAL_FROM = 20_000  # units: skewness moves an end by 0.1 standard errors at p = 0.001, within the error allowed
CHUNK = 2_000_000  # numbers drawn at a time


def end(sample: Sample, column: str, *, side: Side, spread: str, quantile: str) -> float:
    """Mean plus or minus the quantile times a standard error."""
    df = None if quantile == "z" else number_of_groups(sample, column) - 1
    if df == 0:
        return math.nan
    error = ERRORS[spread].compute(sample, column)
    reach = critical_value(sample.level, df)
    return float(sample.value.mean()) + SIGN[side] * reach * error


def wilson_end(sample: Sample, column: str, *, side: Side) -> float:
    """Wilson's (1927) end for scores of 0 and 1."""
    if not np.isin(sample.value, (0.0, 1.0)).all():
        return math.nan
    low, high = wilson(
        np.array([sample.value.mean()]), np.array([float(sample.n)]), level=sample.level
    )
    return float((low if side == "conf_low" else high)[0])


def resampled_means(sample: Sample, column: str) -> FloatArray:
    """Means of our own resamples of values, or of whole clusters; the seed is fixed."""
    rng = np.random.default_rng(SEED)
    code = groups_of(sample, column)
    size, sums = np.bincount(code).astype(np.float64), np.bincount(code, sample.value)
    groups, means = len(size), []
    step = max(1, min(OURS, CHUNK // groups))
    for start in range(0, OURS, step):
        draws = min(step, OURS - start)
        copies = rng.multinomial(groups, np.full(groups, 1 / groups), size=draws).astype(np.float64)
        means.append(copies @ sums / (copies @ size))
    return np.concatenate(means)


def percentile_end(sample: Sample, column: str, *, side: Side) -> float:
    """Percentile of our own resamples; of the normal distribution for so many units that the two agree."""
    if number_of_groups(sample, column) > NORMAL_FROM:
        spread = "clustered_plain" if column else "population"
        return end(sample, column, side=side, spread=spread, quantile="z")
    tail = (1 - sample.level) / 2
    share = tail if side == "conf_low" else 1 - tail
    return float(np.quantile(resampled_means(sample, column), share))


def ends(side: Side) -> dict[str, Formula]:
    """Return the formulas of one end of an interval."""
    at_percentile = partial(percentile_end, side=side)
    found = {
        f"{spread}_{quantile}": replace(
            ERRORS[spread],
            words=f"mean ∓ {words} quantile × s.e. ({ERRORS[spread].words})",
            compute=partial(end, side=side, spread=spread, quantile=quantile),
        )
        for spread in SPREADS
        for quantile, words in (("t", "t"), ("z", "normal"))
    }
    return found | {
        "wilson": Formula("Wilson's interval", partial(wilson_end, side=side)),
        "percentile": Formula(
            "percentiles of a bootstrap of single values", at_percentile, random=True
        ),
        "percentile_clustered": Formula(
            "percentiles of a bootstrap of whole {column}",
            at_percentile,
            random=True,
        ),
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Means, standard errors and sizes of the parts of a group.

    Attributes
    ----------
    mean, error, n : (parts,) arrays
    value : (values,) array
        All values of all parts, in the order of the parts. None where the parts are known by printed numbers only (then
        a size or standard error that is not printed is NaN).
    """

    mean: FloatArray
    error: FloatArray
    n: FloatArray
    value: FloatArray


@dataclass(frozen=True, slots=True)
class GroupFormula:
    """One way to compute a number about a group."""

    words: str
    compute: Callable[[Parts], float]


def parts_of(samples: Sequence[Sample]) -> Parts:
    """Summarise the samples of the parts."""
    mean, error, n = np.array([(s.value.mean(), std_error(s), s.n) for s in samples]).T
    return Parts(mean=mean, error=error, n=n, value=np.concatenate([s.value for s in samples]))


def mean_equal(parts: Parts) -> float:
    """Mean of the part means."""
    return float(parts.mean.mean())


def mean_by_size(parts: Parts) -> float:
    """Mean of the part means, weighted by their sizes."""
    return float(parts.n @ parts.mean / parts.n.sum())


def error_pooled(parts: Parts) -> float:
    """Pooled variance within parts over all rows: sqrt(sum (n_k - 1) n_k s.e._k^2 / (N - K) / N)."""
    total = float(parts.n.sum())
    if total <= len(parts.n):
        return math.nan
    within = float(((parts.n - 1) * parts.n) @ parts.error**2) / (total - len(parts.n))
    return math.sqrt(within / total)


def error_combined(parts: Parts) -> float:
    """Combined variance of the standard errors, taken pair by pair, without the number of rows (lm-eval, PR 1390)."""
    variance, size, mean = float(parts.error[0]) ** 2, float(parts.n[0]), float(parts.mean[0])
    for error, n, score in zip(
        parts.error[1:].tolist(), parts.n[1:].tolist(), parts.mean[1:].tolist(), strict=True
    ):
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


GROUP_MEANS = {
    "equal": GroupFormula("mean of the parts' means", mean_equal),
    "by_size": GroupFormula("parts weighted by their sizes", mean_by_size),
}
GROUP_ERRORS = {
    "equal": GroupFormula(
        "for the unweighted mean: √(Σ s.e.²)/K",
        lambda p: math.sqrt(float(p.error @ p.error)) / len(p.n),
    ),
    "pooled_within": GroupFormula(
        "pooled over all rows, as for a mean weighted by size", error_pooled
    ),
    "by_size": GroupFormula(
        "for the mean weighted by size: √(Σ n²s.e.²)/N",
        lambda p: math.sqrt(float((p.n * p.error) @ (p.n * p.error))) / float(p.n.sum()),
    ),
    "all_rows": GroupFormula(
        "s/√N of all rows as one sample",
        lambda p: std_error(Sample(value=p.value)) if len(p.value) else math.nan,
    ),
    "combined": GroupFormula(
        "combined variance of the parts' standard errors, without the number of rows",
        error_combined,
    ),
    "without_n": GroupFormula(
        "pooled squares of the parts' standard errors, without the number of rows", error_without_n
    ),
    "of_means": GroupFormula("s/√K of the parts' means", lambda p: std_error(Sample(value=p.mean))),
    "mean": GroupFormula(
        "mean of the parts' standard errors (not the standard error of their mean)",
        lambda p: float(p.error.mean()),
    ),
}
GROUP_DEVIATIONS = {
    "of_means": GroupFormula(
        "standard deviation of the parts' means",
        lambda p: math.sqrt(spread(Sample(value=p.mean), 1)),
    ),
}
