"""Equivalence once more: statsmodels' ttost_paired, clustered errors as for the mean difference, noncentral tails."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from socialstats.crosscheck.long import compare
from socialstats.crosscheck.pair_table import Vectors, matrix_cr2, vectors
from socialstats.crosscheck.paired_difference import LARGEST_MATRIX, MOST_CELLS, near, skipped
from socialstats.models.intervals import SMALLEST
from socialstats.results import Check, FloatArray, Result, Verification


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
    elif pairs.groups.shape[1]:
        checks += clustered_checks(result, d, pairs)
    else:
        checks += paired_checks(result, pairs)
    return Verification(checks=tuple(checks))


def paired_checks(result: Result, pairs: Vectors) -> list[Check]:
    """Compare with statsmodels' two one-sided tests."""
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    low, high = result.settings["low"], result.settings["high"]
    p, (t_low, p_low, _), (t_high, p_high, _) = ttost_paired(pairs.x, pairs.y, low, high)
    ends = DescrStatsW(pairs.x - pairs.y).tconfint_mean(alpha=2 * (1 - result.settings["level"]))
    return [
        near("p", result.row("equivalence").p_value, float(p), "statsmodels"),
        near("t, above low", result.row("above low").statistic, float(t_low), "statsmodels"),
        near("p, above low", result.row("above low").p_value, float(p_low), "statsmodels"),
        near("t, below high", result.row("below high").statistic, float(t_high), "statsmodels"),
        near("p, below high", result.row("below high").p_value, float(p_high), "statsmodels"),
        near("low", result.rows[0].conf_low, float(ends[0]), "statsmodels"),
        near("high", result.rows[0].conf_high, float(ends[1]), "statsmodels"),
    ]


def clustered_checks(result: Result, d: FloatArray, pairs: Vectors) -> list[Check]:
    """Compare with a clustered regression on the mean, and scipy's t."""
    from scipy.stats import t as distribution
    from statsmodels.regression.linear_model import OLS

    row, options = result.rows[0], result.settings
    model = OLS(d, np.ones(len(d)))
    if pairs.groups.shape[1] == 2:
        if result.extras["lead"].floored:
            return [skipped("s.e., two crossed factors", "statsmodels", "statsmodels does not floor V1 + V2 - V12")]
        fit = model.fit(cov_type="cluster", cov_kwds={"groups": pairs.groups, "use_correction": True})
        error, df = float(fit.bse[0]), float(row.df or 0)
    else:
        group = pairs.groups[:, 0]
        sizes = np.bincount(group)
        if sizes.max() > LARGEST_MATRIX or len(sizes) * len(d) > MOST_CELLS:
            return [skipped("s.e., CR2", "statsmodels", "statsmodels has no CR2, clusters too large for matrices")]
        error, df = matrix_cr2(np.asarray(model.fit().resid), group, len(d))
    mean = float(d.mean())
    theirs: Any = max(
        distribution.sf((mean - options["low"]) / error, df), distribution.cdf((mean - options["high"]) / error, df)
    )
    ends = distribution.interval(2 * options["level"] - 1, df, loc=mean, scale=error)
    return [
        near("s.e.", row.std_error, error, "statsmodels"), near("df", row.df, df, "statsmodels"),
        near("p", result.row("equivalence").p_value, float(theirs), "scipy"),
        near("low", row.conf_low, float(ends[0]), "scipy"), near("high", row.conf_high, float(ends[1]), "scipy"),
    ]  # fmt: skip


def standard_checks(result: Result, d: FloatArray) -> list[Check]:
    """Compare tests of d_z with scipy's noncentral t."""
    n = len(d)
    t = float(d.mean() / d.std(ddof=1) * math.sqrt(n))
    low, high = (b * math.sqrt(n) for b in (result.settings["low"], result.settings["high"]))
    why = (
        "one-sided tails of the noncentral t, integrated over the normal variable; of logs, so that no tail is too far"
    )
    return [
        compare(name, math.log(ours), theirs, package="scipy", tolerance=1e-6 * max(1.0, abs(theirs)), why=why)
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
