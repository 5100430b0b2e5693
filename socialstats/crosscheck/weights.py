"""Numbers of units with sampling weights recomputed, each unit written out: statsmodels, and sums by cluster."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.crosscheck.clusters import Errors, codes_of, counted, errors_by, errors_of_gap
from socialstats.crosscheck.paired_tables import MOST_ROWS, set_aside
from socialstats.crosscheck.row_arithmetic import (
    both_ends,
    end_checks,
    field_checks,
    inner_level,
    label,
    relative,
    wald_checks,
    with_open_end,
)
from socialstats.crosscheck.shares import clustered_share_checks, wilson_roots
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

LINEARISED = "n / (n - 1) sum of squared w (x - m) / sum w; clusters: CR2; Satterthwaite's df of the shares of weights"
DESCRIBED = "statsmodels' DescrStatsW"
REGRESSED = "statsmodels' weighted regression on a constant with HC1 errors"
ENDS = "square and add of the ends of both shares (Zou & Donner)"


def weighted_errors(x: FloatArray, w: FloatArray, codes: Any) -> Errors:
    """Return the errors of a weighted mean of units, (units, factors) codes of clusters."""
    f = w / w.sum()
    e = f * (x - f @ x)
    found = errors_by(e, f, codes)
    if np.size(codes) or not found.known:
        return found
    variance = len(x) / (len(x) - 1) * float(e @ e)
    return replace(found, variance=variance, plain=variance)


def described(x: FloatArray, w: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and standard deviation by statsmodels, the latter with n - 1 for n units."""
    found: Any = load_peer("statsmodels.stats.weightstats", "DescrStatsW")(x, weights=w)
    return float(found.mean), math.sqrt(float(found.var) * len(x) / (len(x) - 1))


def regressed(row: Row, x: FloatArray, w: FloatArray, codes: Any) -> list[Check]:
    """Compare the standard error of independent units with that of a weighted regression."""
    if row.std_error is None or np.size(codes):
        return []
    WLS = load_peer("statsmodels.regression.linear_model", "WLS")

    found: Any = WLS(x, np.ones(len(x)), weights=w).fit(cov_type="HC1")
    return field_checks(row, "statsmodels", REGRESSED, std_error=float(found.bse[0]))


def mean_checks(
    row: Row, x: FloatArray, w: FloatArray, codes: Any, level: float, **test: Any
) -> list[Check]:
    """Compare a weighted mean, its error, and the interval and test of t."""
    mean, size = described(x, w)[0], float(np.abs(x).max())
    out = [relative(label(row), row.estimate, mean, "statsmodels", DESCRIBED, size=size)]
    if row.std_error is None:
        return out
    found = weighted_errors(x, w, codes)
    error = math.sqrt(found.variance)
    out += [*field_checks(row, "numpy", LINEARISED, std_error=error), *regressed(row, x, w, codes)]
    return [
        *out,
        *wald_checks(row, level, mean, error, found.df, cut=row.limits, why=LINEARISED, **test),
    ]


def too_many(quantity: str) -> Verification:
    """Return that a result has too many units to write them out."""
    return Verification(
        checks=(set_aside(quantity, None, None, "statsmodels", "too many units to write out"),)
    )


class Sides:
    """The units of two groups, written out."""

    def __init__(self, result: Result, values: FloatArray) -> None:
        design = result.design
        at = np.repeat(np.arange(len(design.count)), design.count.astype(np.int64))
        self.x, self.w = values[at], design.weight[at]
        self.second: BoolArray = design.group[at] == 1
        self.codes = codes_of(design.factors(result.settings["cluster"]), at)

    def of(self, second: bool) -> tuple[FloatArray, FloatArray, Any]:
        """Return values, weights and codes of one group."""
        mine = self.second == second
        return self.x[mine], self.w[mine], self.codes[mine]

    def gap(self) -> tuple[float, Errors]:
        """Return the difference of the weighted means, and its errors."""
        sides = [self.of(second) for second in (False, True)]
        means = [described(x, w)[0] for x, w, _ in sides]
        if not self.codes.shape[1]:
            parts = [weighted_errors(*side) for side in sides]
            v = np.array([0.0 if math.isnan(part.variance) else part.variance for part in parts])
            df = float(
                v.sum() ** 2
                / sum(one**2 / part.df for one, part in zip(v, parts, strict=True) if one)
            )
            return means[0] - means[1], replace(parts[0], variance=float(v.sum()), df=df)
        f, e = np.zeros(len(self.x)), np.zeros(len(self.x))
        for second, sign in ((False, 1.0), (True, -1.0)):
            mine = self.second == second
            f[mine] = self.w[mine] / self.w[mine].sum()
            e[mine] = sign * f[mine] * (self.x[mine] - f[mine] @ self.x[mine])
        return means[0] - means[1], errors_of_gap(e, f, self.second, self.codes)


def means(result: Result) -> Verification:
    """Recompute both weighted means, their standard deviations, and the difference."""
    design, settings = result.design, result.settings
    if design.n_rows > MOST_ROWS:
        return too_many("difference")
    sides = Sides(result, design.value)
    lead, size = result.rows[0], float(np.abs(sides.x).max())
    gap, errors = sides.gap()
    checks = [relative(label(lead), lead.estimate, gap, "statsmodels", DESCRIBED, size=size)]
    if lead.std_error is not None:
        error = math.sqrt(errors.variance)
        checks += field_checks(lead, "numpy", LINEARISED, std_error=error)
        checks += wald_checks(
            lead,
            settings["level"],
            gap,
            error,
            errors.df,
            null=settings["null"],
            why=LINEARISED,
            alternative=settings["alternative"],
            cut=lead.limits,
        )
    for row, second in zip(result.rows[1:], (False, True) * 2, strict=True):
        x, w, codes = sides.of(second)
        if row.group == "mean":
            checks += mean_checks(row, x, w, codes, settings["level"])
        else:
            checks.append(
                relative(
                    label(row),
                    row.estimate,
                    described(x, w)[1],
                    "statsmodels",
                    DESCRIBED,
                    size=size,
                )
            )
    return Verification(checks=tuple(checks))


def proportions(result: Result) -> Verification:
    """Recompute both weighted shares, the difference with its interval, and its test."""
    design, settings = result.design, result.settings
    if design.n_rows > MOST_ROWS:
        return too_many("difference")
    whole = design.repeats is None
    ones = (
        (design.value == design.levels.index(settings["choice"])).astype(float)
        if whole
        else design.value
    )
    sides, (lead, *shares) = Sides(result, ones), result.rows
    (gap, errors), side, inner = sides.gap(), settings["alternative"], inner_level(settings)
    checks, inside = (
        [relative(label(lead), lead.estimate, gap, "statsmodels", DESCRIBED, size=1.0)],
        [],
    )
    for row, second in zip(shares, (False, True), strict=True):
        x, w, codes = sides.of(second)
        p, found = described(x, w)[0], weighted_errors(x, w, codes)
        answers = (
            float(len(x)) if whole else float(design.repeats.of_source(row.term).answers.sum())
        )
        answers *= float(w.sum() ** 2 / (w @ w)) / len(x)
        checks += field_checks(row, "statsmodels", DESCRIBED, estimate=p)
        checks += clustered_share_checks(row, p, found, answers=answers, level=settings["level"])
        low, high = wilson_roots(p, counted(p * (1 - p), found, answers), inner, found.df)
        inside.append(replace(row, estimate=p, conf_low=low, conf_high=high))
    if lead.interval == "score" and None not in (shares[0].conf_low, shares[1].conf_low):
        low, high = both_ends(gap, *(shares if side == "two_sided" else inside))
        ends = with_open_end(max(low, -1.0), min(high, 1.0), side, (-1.0, 1.0))
        checks += end_checks(lead, *ends, "numpy", ENDS, least=1.0)
    if lead.std_error is not None:
        error = math.sqrt(errors.variance)
        checks += field_checks(lead, "numpy", LINEARISED, std_error=error)
        checks += wald_checks(
            lead,
            settings["level"],
            gap,
            error,
            errors.df,
            cut=(-1.0, 1.0),
            why=LINEARISED,
            alternative=side,
            ends=lead.interval != "score",
        )
    return Verification(checks=tuple(checks))
