"""Equivalence once more: statsmodels' ttost_paired, Tango by profile likelihood, clusters, noncentral tails."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.clusters import CR2, mean_error
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.mcnemar import PROFILE, profile_interval, profile_score
from socialstats.crosscheck.paired_difference import near, skipped
from socialstats.crosscheck.paired_tables import Vectors, vectors
from socialstats.crosscheck.row_arithmetic import (
    end_checks,
    label,
    quantile,
    relative,
    same_p,
    tail_p,
)
from socialstats.crosscheck.shares import effective_pairs
from socialstats.results import Check, FloatArray, Result, Verification, marked

SMALLEST = float(np.nextafter(0.0, 1.0))  # no p is 0


def verify(result: Result) -> Verification:
    """Recompute the difference, both one-sided tests and the interval."""
    options = result.settings
    pairs = vectors(result.design, options["cluster"])
    if pairs is None:
        return Verification(checks=(skipped("difference", "statsmodels", "too many pairs to write out one by one"),))
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
    elif pairs.groups.shape[1]:
        checks += clustered_checks(result, d, pairs.groups)
    else:
        checks += paired_checks(result, pairs)
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
    out = end_checks(result.rows[0], *profile_interval(table, 2 * options["level"] - 1, df), "scipy", PROFILE, 1e-6)
    tails = []
    for term, bound, side in (("above low", options["low"], "greater"), ("below high", options["high"], "less")):
        test = result.row(term)
        value = profile_score(table, bound) if abs(bound) < 1 else math.copysign(math.inf, -bound)
        tails.append(max(tail_p(value, df, side), SMALLEST))
        if test.statistic is not None:
            out.append(relative(label(test, "statistic"), test.statistic, value, "scipy", PROFILE, 1e-6, 1e-3))
        out += [relative(label(test, "df"), test.df, df, "numpy", PROFILE, 1e-7)] if df is not None else []
        out.append(same_p(label(test, "p"), test.p_value, tails[-1], "scipy", PROFILE, 1e-5))
    return [*out, same_p("p", result.row("equivalence").p_value, max(tails), "scipy", PROFILE, 1e-5)]


def paired_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare with statsmodels' two one-sided tests."""
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    low, high = result.settings["low"], result.settings["high"]
    p, (t_low, p_low, _), (t_high, p_high, _) = ttost_paired(pairs.x, pairs.y, low, high)
    ends = DescrStatsW(pairs.x - pairs.y).tconfint_mean(alpha=2 * (1 - result.settings["level"]))
    d = pairs.x - pairs.y
    error = float(d.std(ddof=1) / math.sqrt(len(d)))
    return [
        relative("s.e.", result.rows[0].std_error, error, "numpy", "sd of the differences over the root of n"),
        *side_checks(result, float(d.mean()), error, float(len(d) - 1), "scipy's t distribution"),
        same_p("p", result.row("equivalence").p_value, float(p), "statsmodels"),
        near("t, above low", result.row("above low").statistic, float(t_low), "statsmodels"),
        same_p("p, above low", result.row("above low").p_value, float(p_low), "statsmodels"),
        near("t, below high", result.row("below high").statistic, float(t_high), "statsmodels"),
        same_p("p, below high", result.row("below high").p_value, float(p_high), "statsmodels"),
        near("low", result.rows[0].conf_low, float(ends[0]), "statsmodels"),
        near("high", result.rows[0].conf_high, float(ends[1]), "statsmodels"),
    ]


def clustered_checks(result: Result, d: FloatArray, groups: Any) -> list[Check]:
    """Compare with errors by clusters, and scipy's t."""
    row, options = result.rows[0], result.settings
    error, df = mean_error(d, groups)
    mean, reach = float(d.mean()), quantile(2 * options["level"] - 1, df) * error
    return [
        relative("s.e.", row.std_error, error, "numpy", CR2),
        *end_checks(row, mean - reach, mean + reach, "scipy", CR2),
        *side_checks(result, mean, error, df, CR2),
    ]


def side_checks(result: Result, mean: float, error: float, df: float, why: str) -> list[Check]:
    """Statistic, df and p of both one-sided tests, and the larger p as that of equivalence."""
    options, out, found, values = result.settings, [], [], []
    for term, bound, side in (("above low", options["low"], "greater"), ("below high", options["high"], "less")):
        test, t = result.row(term), (mean - bound) / error
        found.append(tail_p(t, df, side))
        values.append(t)
        out += [
            relative(label(test, "statistic"), test.statistic, t, "scipy", why, size=1e-6),
            relative(label(test, "df"), test.df, df, "scipy", why),
            same_p(label(test, "p"), test.p_value, found[-1], "scipy", why),
        ]
    for row in (result.rows[0], result.row("equivalence")):
        if row.df is not None:
            out.append(relative(label(row, "df"), row.df, df, "scipy", why))
        if row.p_value is not None:
            out.append(same_p(label(row, "p"), row.p_value, max(found), "scipy", why))
        if row.statistic is not None:
            lead = values[int(np.argmax(found))]
            out.append(relative(label(row, "statistic"), row.statistic, lead, "scipy", "that of the larger p"))
    return out


def standard_checks(result: Result, d: FloatArray) -> list[Check]:
    """Compare tests of d_z with scipy's noncentral t."""
    n = len(d)
    t = float(d.mean() / d.std(ddof=1) * math.sqrt(n))
    low, high = (b * math.sqrt(n) for b in (result.settings["low"], result.settings["high"]))
    why = (
        "one-sided tails of the noncentral t, integrated over the normal variable; of logs, so that no tail is too far"
    )
    return [
        compare(
            name, marked(math.log(ours), ours), theirs, package="scipy", tolerance=1e-6 * max(1.0, abs(theirs)), why=why
        )
        for name, ours, theirs in (
            ("log p, above low", result.row("above low").p_value or 0.0, log_tail(t, n - 1, low, upper=True)),
            ("log p, below high", result.row("below high").p_value or 0.0, log_tail(t, n - 1, high, upper=False)),
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
    z = np.linspace(-60.0, 60.0, 240_001)
    with np.errstate(divide="ignore", over="ignore"):
        edge = df * (np.maximum(z + center, 0.0) / t) ** 2 if t else np.where(z + center > 0, np.inf, 0.0)
        given = chi2.logcdf(edge, df) if upper else chi2.logsf(edge, df)
    return float(logsumexp(norm.logpdf(z) + given) + math.log(z[1] - z[0]))
