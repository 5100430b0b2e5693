"""How many more clusters would halve an interval, and what more answers to each unit would buy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from socialstats.designs.parts import Repeats
from socialstats.inference.intervals import critical_value
from socialstats.results import Row


def clusters_to_halve(
    row: Row, clusters: int | None = None, *, df: float | None = None
) -> int | None:
    """Return how many more clusters of the same kind would halve the interval of an estimate.

    The standard error is taken to fall with the root of the number of clusters, the degrees of freedom to grow in
    proportion. The result is the least n' with t(df n'/n) / sqrt(n') at most t(df) / (2 sqrt(n)), less n. It is about 3
    n, and less where df are few.

    Parameters
    ----------
    row : Row
        An estimate with its interval; `df` where the interval is one of t.
    clusters : int, optional
        Clusters behind the estimate; by default `row.n_clusters`.
    df : float, optional
        Degrees of freedom behind an interval that is not one of t, such as of inverted tests of t's.

    Returns
    -------
    int or None
        None without an interval, or where there is no number of clusters.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> row = Row(term="d", estimate=1.0, conf_low=0.8, conf_high=1.2, conf_level=0.95, df=9.0, n_clusters=10)
    >>> clusters_to_halve(row), clusters_to_halve(row, 1546)
    (23, 3503)
    """
    n = row.n_clusters if clusters is None else clusters
    if not n or row.conf_low is None or row.conf_high is None or not row.conf_low < row.conf_high:
        return None
    if not math.isfinite(row.conf_low) or not math.isfinite(row.conf_high):
        return None
    level = row.conf_level or 0.95
    df = row.df if row.interval in ("t", None) else df

    def reach(m: int) -> float:
        return float(critical_value(level, None if df is None else df * m / n)) / math.sqrt(m)

    # without degrees of freedom it is 3 n more; t quantiles of more clusters are smaller, so no more are needed
    target, low, high = reach(n) / 2, n, 4 * n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reach(middle) <= target else (middle, high)
    return high - n


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedAnswers:
    """What repeated answers contribute to the standard error of a difference between two sources.

    Attributes
    ----------
    units : int
    answers : int
        Answers behind a mean, the most of both sources.
    share : float
        Share of the variance of the difference that answers within units make up, from 0 to 1.
    """

    units: int
    answers: int
    share: float


def answers_behind(
    repeats: Repeats, row: Row | None, of: tuple[str, str]
) -> RepeatedAnswers | None:
    """Return what repeated answers contribute to a difference of means over units.

    The variance of the difference is (s_b^2 + sum over both sources of s_w^2 mean(1/k)) / n. Here s_b^2 is the
    variance between units and s_w^2 that within units. There are k answers of a source to a unit, and n units. The
    share is that of the second term (Searle, Casella & McCulloch 1992, section 3.2).

    Parameters
    ----------
    repeats : Repeats
    row : Row or None
        The difference with its standard error and its number of units.
    of : pair of str
        The two sources.

    Returns
    -------
    RepeatedAnswers, or None
        None without a standard error, or where a source answered every unit once.
    """
    if row is None or not row.std_error or not row.n_units or not {*of} <= {*repeats.sources}:
        return None
    parts = [repeats.of_source(name) for name in of]
    if any(not len(part.answers) or math.isnan(part.within) for part in parts):
        return None
    # s_w^2 mean(1/k) / n of both sources
    within = sum(part.within * part.reciprocal for part in parts) / row.n_units
    share = min(within / row.std_error**2, 1.0)
    return RepeatedAnswers(units=row.n_units, answers=max(part.most for part in parts), share=share)


def units_worth(behind: RepeatedAnswers) -> int:
    """Return how many more units would narrow an interval as twice as many answers to each unit would.

    Examples
    --------
    >>> units_worth(RepeatedAnswers(units=60, answers=5, share=0.4))
    15
    """
    left = 1 - behind.share / 2
    # twice as many answers halve their share of the variance
    return math.ceil(behind.units / left - behind.units - 1e-9)
