"""Equivalence recomputed: statsmodels' ttost_paired, Tango by profile likelihood, clusters, noncentral tails."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.clusters import CR2, mean_error
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.paired_difference import near, skipped
from socialstats.crosscheck.paired_tables import Vectors, vectors
from socialstats.crosscheck.profile_score import PROFILE, profile_interval, profile_score
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    field_checks,
    label,
    quantile,
    same_p,
    tail_p,
)
from socialstats.crosscheck.shares import effective_pairs
from socialstats.results import Check, Result, Verification, as_published
from socialstats.results.peers import load_peer

SMALLEST = float(np.finfo(np.float64).tiny)  # no p is 0


def verify(result: Result) -> Verification:
    """Recompute the difference, both one-sided tests and the interval."""
    options = result.settings
    pairs = vectors(result.design, options["cluster"])
    if pairs is None:
        return Verification(
            checks=(skipped("difference", "statsmodels", "too many pairs to write out one by one"),)
        )
    d, row = pairs.x - pairs.y, result.rows[0]
    scale = float(d.std(ddof=1)) if options["scale"] == "d_z" else 1.0
    checks = []
    if row.estimate is not None:
        checks.append(near(row.term, row.estimate, float(np.mean(d)) / scale, "numpy"))
    if row.conf_low is None:
        return Verification(checks=tuple(checks))
    if options["scale"] == "d_z":
        checks += standard_checks(result, d)
    elif np.isin(np.concatenate([pairs.x, pairs.y]), (0.0, 1.0)).all():
        checks += score_checks(result, d, pairs.groups)
    else:
        checks += t_checks(result, pairs)
    return Verification(checks=tuple(checks))


def of_rows(result: Result) -> Verification:
    """Recompute tests of rows against a margin: what the source's own verification found, and scipy's tails."""
    source, at, options = result.extras["source"], result.extras["at"], result.settings
    again = source.verify().checks if source.title != "Difference" else ()
    step, bounds, checks = len(result.rows) // len(at), result.extras["bounds"], []
    for k, place in enumerate(at):
        row, *tests = result.rows[k * step : (k + 1) * step]
        for name in ("estimate", "std_error"):
            for one in (
                c for c in again if (c.row, c.field) == (place, name) and c.theirs is not None
            ):
                checks.append(
                    compare(
                        label(row, name),
                        getattr(row, name),
                        one.theirs,
                        package=one.package,
                        tolerance=one.tolerance,
                        why=one.note,
                    )
                )
        value, error = row.estimate or 0.0, row.std_error or 1.0
        df = tests[0].df
        why = "estimate less bound over its error, and scipy's tails"
        reach = quantile(2 * options["level"] - 1, df) * error
        checks += end_checks(row, value - reach, value + reach, "scipy", why, least=reach)
        values = [(value - bound) / error for bound in bounds]
        tails = [
            max(tail_p(t, df, side), SMALLEST)
            for t, side in zip(values, ("greater", "less"), strict=True)
        ]
        worse = 0 if tails[0] >= tails[1] else 1
        sides = (0,) if options["test"] == "noninferiority" else (0, 1, worse)
        for test, side in zip(tests, sides, strict=True):
            checks += field_checks(test, "scipy", why, statistic=values[side], p_value=tails[side])
            checks += (
                field_checks(test, "scipy", why, df=source.rows[place].df) if df is not None else []
            )
    return Verification(checks=tuple(checks))


def score_checks(result: Result, d: FloatArray, groups: Any) -> list[Check]:
    """Tango's statistics at both bounds, their p, and the interval, by numerical profile likelihood."""
    options, df = result.settings, None
    b, c, n = float((d > 0).sum()), float((d < 0).sum()), len(d)
    table = np.array([[n - b - c, c], [b, 0.0]])
    if groups.shape[1]:
        found = effective_pairs(d, groups)
        if found is None:
            return [skipped("interval", "scipy", "one cluster only")]
        table, df = found
    out = end_checks(
        result.rows[0],
        *profile_interval(table, 2 * options["level"] - 1, df),
        "scipy",
        PROFILE,
        1e-6,
    )
    values = [
        profile_score(table, bound)
        if abs(bound) < 1
        else 0.0
        if float(d.mean()) == bound
        else math.copysign(math.inf, -bound)
        for bound in result.extras["bounds"]
    ]
    return out + side_checks(result, values, df, PROFILE, (1e-6, 1e-5), size=1e-3)


def t_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare error, interval and tests with errors by clusters and scipy's t; p with statsmodels' ttost_paired too."""
    ttost_paired = load_peer("statsmodels.stats.weightstats", "ttost_paired")

    options, d = result.settings, pairs.x - pairs.y
    row, mean, bounds = result.rows[0], float(d.mean()), result.extras["bounds"]
    clustered = pairs.groups.shape[1] > 0
    error, df = mean_error(d, pairs.groups)
    if not clustered:
        error, df = float(d.std(ddof=1) / math.sqrt(len(d))), len(d) - 1.0
    why = (
        CR2 if clustered else "SD of the differences over the root of n, and scipy's t distribution"
    )
    reach = quantile(2 * options["level"] - 1, df) * error
    out = [
        *field_checks(row, "numpy", why, std_error=error, df=df),
        *end_checks(row, mean - reach, mean + reach, "scipy", why),
        *side_checks(result, [(mean - bound) / error for bound in bounds], df, why),
    ]
    if clustered or options["test"] == "noninferiority":
        return out
    p = ttost_paired(pairs.x, pairs.y, *bounds)[0]
    return [*out, same_p("p", result.row("equivalence").p_value, float(p), "statsmodels")]


def side_checks(
    result: Result,
    values: Sequence[float],
    df: float | None,
    why: str,
    close: tuple[float, float] = (1e-8, 1e-8),
    size: float = 0.0,
) -> list[Check]:
    """Statistic, df and p of both one-sided tests, and the larger p as that of equivalence."""
    tails = [
        max(tail_p(t, df, side), SMALLEST)
        for t, side in zip(values, ("greater", "less"), strict=True)
    ]
    free, out, ours = {} if df is None else {"df": df}, [], result.rows[-1].statistic or 0.0
    tied = [
        k for k in (0, 1) if tails[k] >= max(tails) * (1 - 1e-5)
    ]  # at a difference of 0 both sides are as far
    worse = min(tied, key=lambda k: abs(values[k] - ours))
    every = (("above low", 0), ("below high", 1), ("equivalence", worse))
    for term, k in every if result.settings["test"] == "equivalence" else (("noninferiority", 0),):
        out += field_checks(
            result.row(term), "scipy", why, close[0], size, statistic=values[k], **free
        )
        out += field_checks(result.row(term), "scipy", why, close[1], p_value=tails[k])
    return out


def standard_checks(result: Result, d: FloatArray) -> list[Check]:
    """Compare tests of d_z with scipy's noncentral t."""
    n = len(d)
    t = float(d.mean() / d.std(ddof=1) * math.sqrt(n))
    low, high = (b * math.sqrt(n) for b in result.extras["bounds"])
    why = (
        "one-sided tails of the noncentral t, integrated over the normal variable; of logs, "
        "so that no tail is too far"
    )
    return [
        compare(
            name,
            as_published(math.log(ours), ours),
            theirs,
            package="scipy",
            tolerance=1e-6 * max(1.0, abs(theirs)),
            why=why,
        )
        for name, ours, theirs in (
            (
                "log p, above low",
                result.rows[1].p_value or 0.0,
                log_tail(t, n - 1, low, upper=True),
            ),
            *(
                (
                    (
                        "log p, below high",
                        result.row("below high").p_value or 0.0,
                        log_tail(t, n - 1, high, upper=False),
                    ),
                )
                if result.settings["test"] == "equivalence"
                else ()
            ),
        )
        if ours > SMALLEST
    ]


def log_tail(t: float, df: float, center: float, *, upper: bool) -> float:
    """Log of P(T >= t) or P(T <= t) of the noncentral t, given the normal variable z and then integrated over it.

    For t > 0: T >= t where z > -center and the chi-square is at most df (z + center)^2 / t^2.
    """
    from scipy.special import logsumexp
    from scipy.stats import chi2, norm

    if t < 0:
        return log_tail(-t, df, -center, upper=not upper)
    if t == 0:
        return float(norm.logcdf(center if upper else -center))
    z = np.union1d(
        np.linspace(-60.0, 60.0, 240_001), -center + t * np.linspace(-20.0, 20.0, 20_001)
    )  # a steep slope
    with np.errstate(divide="ignore", over="ignore"):
        edge = df * (np.maximum(z + center, 0.0) / t) ** 2
        given = chi2.logcdf(edge, df) if upper else chi2.logsf(edge, df)
    return float(logsumexp(norm.logpdf(z) + given, b=np.gradient(z)))
