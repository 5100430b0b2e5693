"""Adjusted p-values again: statsmodels' multipletests, and max-t by scipy's integrals of the multivariate t."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.comparing import compare
from socialstats.crosscheck.row_arithmetic import (
    MULTIPLETESTS,
    adjusted_p,
    end_checks,
    label,
    same_p,
    tail_p,
)
from socialstats.results import Check, Result, Row

CLOSED = "the same closed form in another order of arithmetic"
COUNTED = "every resample counted again"
MONTE_CARLO = "five Monte-Carlo standard errors of the draws, and the error of the integral"
MOST_TESTS = 20  # dimensions of the largest integral
SINGULAR = 1e-8  # the smallest eigenvalue of a correlation matrix that scipy integrates
DRAWS = 200_000
INTEGRAL = 2e-4  # error of scipy's integrals, which are of random points
ROUNDING = 1e-12
TIE = 1e-10


def recheck_families(result: Result) -> Iterator[Check]:
    """Compare the adjusted p-values of each family with those of other packages."""
    method = result.settings["method"]
    names = result.extras["family"]
    for family in dict.fromkeys(names):
        members = [row for row, name in zip(result.rows, names, strict=True) if name == family]
        tested = [row for row in members if row.p_value is not None]
        if method not in MULTIPLETESTS:
            yield from recheck_max_t(result, tested)
            continue
        for row in tested:
            if row.test in ("t", "z") and row.statistic is not None:
                yield same_p(label(row, "p"), row.p_value, nearest_tail(row), "scipy", CLOSED)
        # multipletests counts a NaN, or returns nothing but NaN
        theirs = adjusted_p([row.p_value for row in tested], MULTIPLETESTS[method])
        for row, p in zip(tested, theirs, strict=True):
            yield same_adjusted(row, p, "statsmodels", ROUNDING, CLOSED)


def nearest_tail(row: Row) -> float:
    """Return the p of a statistic, two-sided or of the side that the row's p comes closest to."""
    sides = ("two_sided", "greater", "less")
    tails = [tail_p(row.statistic or 0.0, row.df, side) for side in sides]
    return min(tails, key=lambda p: abs(p - (row.p_value or 0.0)))


def same_adjusted(row: Row, p: float, package: str, tolerance: float, why: str) -> Check:
    """Compare the adjusted p of a row."""
    name = label(row, "adjusted p")
    return compare(name, row.p_adjusted, p, package=package, tolerance=tolerance, why=why)


def recheck_max_t(result: Result, tested: Sequence[Row]) -> Iterator[Check]:
    """Compare the p-values and simultaneous intervals of a family with probabilities of the largest statistic."""
    extras, settings = result.extras, result.settings
    for row in tested:
        p = tail_p(row.statistic or 0.0, row.df)
        yield same_p(label(row, "p"), row.p_value, p, "scipy", CLOSED)
    sizes = np.abs([row.statistic or 0.0 for row in tested])
    single_step = settings["method"] == "max_t_single_step"
    if extras["noise"] == "resamples":
        draws = extras["resampled"]
        critical = critical_resample(draws, settings["level"])
        p_values = step_down(sizes, lambda *of: share_of_resamples(draws, *of), single_step)
        for row, p in zip(tested, p_values, strict=True):
            yield same_adjusted(row, p, "numpy", ROUNDING, COUNTED)
        yield from recheck_ends(tested, critical)
        return
    critical = typical_reach(tested)
    yield from recheck_ends(tested, critical)
    # an integral over more tests takes too long
    if len(tested) > MOST_TESTS:
        return
    correlation, df = extras["correlation"], extras["df"]

    def exceeded(size: float, tests: IntArray) -> float:
        return 1 - share_inside(size, correlation[np.ix_(tests, tests)], df)

    def monte_carlo_error(share: float) -> float:
        return math.sqrt(share * (1 - share) * (1 / settings["draws"] + 1 / DRAWS))

    for row, p in zip(tested, step_down(sizes, exceeded, single_step), strict=True):
        tolerance = 5 * monte_carlo_error(p) + INTEGRAL
        yield same_adjusted(row, p, "scipy", tolerance, MONTE_CARLO)
    if not math.isnan(critical):
        level = settings["level"]
        yield compare(
            "level of the simultaneous intervals",
            level,
            share_inside(critical, correlation, df),
            package="scipy",
            tolerance=5 * monte_carlo_error(level) + INTEGRAL,
            why=MONTE_CARLO,
        )


def step_down(
    sizes: FloatArray, exceeded: Callable[[float, IntArray], float], single_step: bool
) -> list[float]:
    """Return adjusted p-values from the probability that the largest of some statistics reaches a size.

    Step-down: these are the tests whose statistics are not larger, and no p is below that of a larger statistic.
    """
    order = np.argsort(-sizes, kind="stable")
    p_values = [0.0] * len(sizes)
    largest = 0.0
    for place, test in enumerate(order.tolist()):
        tests = order if single_step else order[place:]
        largest = max(largest, exceeded(float(sizes[test]), tests))
        p_values[test] = largest
    return p_values


def share_of_resamples(draws: FloatArray, size: float, tests: IntArray) -> float:
    """Return (1 + resamples whose largest statistic reaches a size) / (1 + resamples)."""
    largest = np.abs(draws[:, tests]).max(axis=1)
    return float((1 + (largest >= size * (1 - TIE)).sum()) / (1 + len(draws)))


def critical_resample(draws: FloatArray, level: float) -> float:
    """Return the order statistic of the largest sizes that the level names."""
    largest = np.sort(np.abs(draws).max(axis=1))
    return float(largest[math.ceil(level * (len(largest) + 1) - 1e-9) - 1])


def typical_reach(rows: Sequence[Row]) -> float:
    """Return half the width of intervals in standard errors, which is one number for all; NaN without intervals."""
    reaches = [
        (row.conf_high - row.conf_low) / (2 * row.std_error)
        for row in rows
        if row.conf_low is not None and row.conf_high is not None and row.std_error
    ]
    return float(np.median(reaches)) if reaches else math.nan


def recheck_ends(rows: Sequence[Row], critical: float) -> Iterator[Check]:
    """Compare the ends of intervals with those of one critical value for all."""
    for row in rows:
        if row.estimate is not None and row.std_error is not None:
            reach = critical * row.std_error
            low, high = row.estimate - reach, row.estimate + reach
            why = "one critical value for all intervals"
            yield from end_checks(row, low, high, "numpy", why, least=reach)


def share_inside(edge: float, correlation: FloatArray, df: float | None) -> float:
    """Return P(max abs(T) < edge), integrated; drawn where correlations are singular, whose integral scipy lacks."""
    from scipy.stats import multivariate_normal, multivariate_t

    t: Any = multivariate_t  # its types know whole df only
    x = np.full(len(correlation), edge)
    if np.linalg.eigvalsh(correlation)[0] < SINGULAR:
        if df is None:
            draws = multivariate_normal.rvs(cov=correlation, size=DRAWS, random_state=1)
        else:
            draws = t.rvs(shape=correlation, df=df, size=DRAWS, random_state=1)
        largest = np.abs(np.reshape(draws, (DRAWS, -1))).max(axis=1)
        return float(np.mean(largest < edge))
    if df is None:
        return float(multivariate_normal.cdf(x, cov=correlation, rng=1, lower_limit=-x))
    return float(t.cdf(x, shape=correlation, df=df, random_state=1, lower_limit=-x))
