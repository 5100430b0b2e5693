"""Two independent groups recomputed: scipy and statsmodels for shares and means, matrices of clusters."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.crosscheck import weights
from socialstats.crosscheck.clusters import CR2, codes_of, counted, errors_by, errors_of_gap
from socialstats.crosscheck.paired_difference import SIDES, skipped
from socialstats.crosscheck.paired_tables import CLOSED, MOST_ROWS
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

NEWCOMBE = "statsmodels' Newcombe interval of two independent shares"
FISHER = "scipy's exact test of the 2 x 2 table"
INVERTED = "the level at which an end of the interval is the bound, by brentq"
ENDS = "square and add of the ends of both shares (Zou & Donner)"
WHOLE = (-1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """Units written out one by one: value, whether it is of the second group, (units, factors) cluster codes."""

    value: FloatArray
    second: BoolArray
    codes: Any

    def side(self, second: bool) -> tuple[FloatArray, Any]:
        """Return values and codes of one group."""
        mine = self.second == second
        return self.value[mine], self.codes[mine]


def units_of(result: Result, value: FloatArray) -> Units | None:
    """Return the units of a design, or None where they are too many to write out."""
    design = result.design
    if design.n_rows > MOST_ROWS:
        return None
    at = np.repeat(np.arange(len(design.count)), design.count.astype(np.int64))
    factors = design.factors(result.settings["cluster"])
    return Units(value=value[at], second=design.group[at] == 1, codes=codes_of(factors, at))


def deviations(units: Units) -> tuple[FloatArray, FloatArray]:
    """Return what each unit adds to the difference, and what it weighs in its mean."""
    weight, moved = np.zeros(len(units.value)), np.zeros(len(units.value))
    for second, sign in ((False, 1.0), (True, -1.0)):
        mine = units.second == second
        x = units.value[mine]
        weight[mine] = 1 / len(x)
        moved[mine] = sign * (x - x.mean()) / len(x)
    return moved, weight


def clustered_gap(
    row: Row, units: Units, level: float, cut: tuple[float, float] | None, **how: Any
) -> list[Check]:
    """Compare standard error, t, df, p, and the t interval, of a difference of means in clusters."""
    if row.std_error is None:
        return []
    codes = units.codes if units.codes.shape[1] else np.arange(len(units.value))[:, None]
    found = errors_of_gap(*deviations(units), units.second, codes)
    gap, error = (
        float(np.subtract(*(units.side(second)[0].mean() for second in (False, True)))),
        found.variance**0.5,
    )
    out = field_checks(row, "numpy", CR2, std_error=error)
    return [*out, *wald_checks(row, level, gap, error, found.df, cut=cut, why=CR2, **how)]


def proportions(result: Result) -> Verification:
    """Recompute both shares, the difference with its interval, and its test."""
    if result.design.weighted:
        return weights.proportions(result)
    design, settings = result.design, result.settings
    whole = design.repeats is None
    ones = (
        (design.value == design.levels.index(settings["choice"])).astype(float)
        if whole
        else design.value
    )
    units = units_of(result, ones)
    if units is None:
        return Verification(
            checks=(skipped("difference", "statsmodels", "too many units to write out one by one"),)
        )
    lead, *shares = result.rows
    level, side = settings["level"], settings["alternative"]
    means = [float(units.side(second)[0].mean()) for second in (False, True)]
    checks = [relative(label(lead), lead.estimate, means[0] - means[1], "numpy", CLOSED, size=1.0)]
    plain = whole and not units.codes.shape[1]
    for row, second in zip(shares, (False, True), strict=True):
        checks += (plain_share if plain else clustered)(result, row, *units.side(second))
    if plain:
        return Verification(checks=(*checks, *newcombe(lead, units, inner_level(settings), side)))
    scored = lead.interval == "score"
    if scored and None not in (shares[0].conf_low, shares[1].conf_low):
        one_sided = side != "two_sided"
        found = (
            ends_of(result, units, inner_level(settings))
            if one_sided
            else both_ends(means[0] - means[1], *shares)
        )
        checks += end_checks(lead, *with_open_end(*found, side, WHOLE), "numpy", ENDS, least=1.0)
    gap = clustered_gap(lead, units, level, WHOLE, ends=not scored, alternative=side)
    return Verification(checks=(*checks, *gap))


def plain_share(result: Result, row: Row, x: FloatArray, codes: Any) -> list[Check]:
    """Compare the share of independent units with statsmodels' Wilson interval."""
    proportion_confint = load_peer("statsmodels.stats.proportion", "proportion_confint")

    p, n = float(x.mean()), len(x)
    low, high = proportion_confint(
        float(x.sum()), n, alpha=1 - result.settings["level"], method="wilson"
    )
    ends = (
        0.0 if p == 0 else float(low),
        1.0 if p == 1 else float(high),
    )  # statsmodels leaves rounding there
    out = field_checks(row, "statsmodels", CLOSED, estimate=p, std_error=math.sqrt(p * (1 - p) / n))
    return [*out, *end_checks(row, *ends, "statsmodels", CLOSED, least=1.0)]


def clustered(result: Result, row: Row, x: FloatArray, codes: Any) -> list[Check]:
    """Compare the share of units in clusters, or of units with several answers, with Wilson's ends as roots."""
    p, repeats = float(x.mean()), result.design.repeats
    answers = float(len(x)) if repeats is None else float(repeats.of_source(row.term).answers.sum())
    f = np.full(len(x), 1 / len(x))
    errors = errors_by(f * (x - p), f, codes)
    level = result.settings["level"]
    out = field_checks(row, "numpy", CLOSED, estimate=p)
    return [*out, *clustered_share_checks(row, p, errors, answers=answers, level=level)]


def newcombe(row: Row, units: Units, level: float, side: str) -> list[Check]:
    """Compare the interval of the difference with statsmodels', and p with scipy's exact test."""
    from scipy.stats import fisher_exact

    confint_proportions_2indep = load_peer(
        "statsmodels.stats.proportion", "confint_proportions_2indep"
    )

    (a, n), (b, m) = ((int(x.sum()), len(x)) for x, _ in map(units.side, (False, True)))
    p, q = a / n, b / m
    both = confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff", alpha=1 - level)
    ends = with_open_end(float(both[0]), float(both[1]), side, WHOLE)
    error = math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    out = end_checks(row, *ends, "statsmodels", NEWCOMBE, least=1.0)
    exact: Any = fisher_exact(np.array([[a, n - a], [b, m - b]]), alternative=SIDES[side])
    return [
        *out,
        *field_checks(row, "numpy", CLOSED, std_error=error),
        *field_checks(row, "scipy", FISHER, p_value=float(exact.pvalue)),
    ]


def means(result: Result) -> Verification:
    """Recompute both means, their standard deviations, the difference, its interval and test."""
    if result.design.weighted:
        return weights.means(result)
    units, settings = units_of(result, result.design.value), result.settings
    if units is None:
        return Verification(
            checks=(skipped("difference", "scipy", "too many units to write out one by one"),)
        )
    size = float(np.abs(units.value).max())
    lead, rows = result.rows[0], result.rows[1:]
    sides = [units.side(second) for second in (False, True)]
    gap = float(sides[0][0].mean() - sides[1][0].mean())
    checks = [relative(label(lead), lead.estimate, gap, "numpy", CLOSED, size=size)]
    for row, (x, codes) in zip(rows, (*sides, *sides), strict=True):
        theirs = float(x.mean() if row.group == "mean" else x.std(ddof=1))
        checks.append(relative(label(row), row.estimate, theirs, "numpy", CLOSED, size=size))
        checks += one_mean(row, x, codes, settings["level"]) if row.group == "mean" else []
    null, side = settings["null"], settings["alternative"]
    if units.codes.shape[1]:
        cut = lead.limits
        return Verification(
            checks=(
                *checks,
                *clustered_gap(lead, units, settings["level"], cut, null=null, alternative=side),
            )
        )
    return Verification(
        checks=(
            *checks,
            *welch(lead, sides[0][0] - null, sides[1][0], null, side, settings["level"]),
        )
    )


def one_mean(row: Row, x: FloatArray, codes: Any, level: float) -> list[Check]:
    """Compare the error and t interval of the mean of one group."""
    if row.std_error is None:
        return []
    f = np.full(len(x), 1 / len(x))
    found = errors_by(f * (x - x.mean()), f, codes)
    error = math.sqrt(found.variance)
    out = field_checks(row, "numpy", CR2, std_error=error, df=found.df)
    return [
        *out,
        *wald_checks(row, level, float(x.mean()), error, found.df, cut=row.limits, why=CR2),
    ]


def welch(
    row: Row, x: FloatArray, y: FloatArray, null: float, side: str, level: float
) -> list[Check]:
    """Compare Welch's test and interval with scipy's; `x` is the first group less the null hypothesis."""
    from scipy.stats import ttest_ind

    if row.std_error is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # values of a group may be alike
        test: Any = ttest_ind(x, y, equal_var=False, alternative=SIDES[side])
    error = math.sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))
    theirs = {"std_error": error, "statistic": float(test.statistic), "df": float(test.df)}
    low, high = (float(end) + null for end in test.confidence_interval(level))
    ends = with_open_end(low, high, side, row.limits)
    out = field_checks(
        row, "scipy", "ttest_ind(equal_var=False)", p_value=float(test.pvalue), **theirs
    )
    return [*out, *end_checks(row, *ends, "scipy", "ttest_ind(equal_var=False)", least=error)]


MOST_PAIRS = 4_000_000  # pairs of units that are compared one by one
MOST_CHOICES = 200_000  # ways to choose the first group that are listed


def ordinal(result: Result) -> Verification:
    """Recompute the probability from all pairs of units, its error from single units, and the rank-sum test."""
    from scipy.stats import brunnermunzel

    units = units_of(result, result.design.value)
    x, y = (
        (np.zeros(0), np.zeros(0)) if units is None else (units.side(False)[0], units.side(True)[0])
    )
    if units is None or len(x) * len(y) > MOST_PAIRS:
        return Verification(
            checks=(skipped("superiority", "scipy", "too many pairs of units to compare each"),)
        )
    (lead, test), side = result.rows, result.settings["alternative"]
    higher = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    theta = float(higher.mean())
    checks = [
        relative(
            label(lead), lead.estimate, theta, "numpy", "all pairs of units compared", size=1.0
        )
    ]
    if lead.std_error is not None:
        value = np.empty(len(units.value))
        value[~units.second], value[units.second] = higher.mean(axis=1), 1 - higher.mean(axis=0)
        placed = Units(value=value, second=units.second, codes=units.codes)
        if units.codes.shape[1]:
            found = errors_of_gap(*deviations(placed), units.second, units.codes)
            error, df = math.sqrt(found.variance), found.df
        else:
            parts = [placed.side(second)[0] for second in (False, True)]
            v = [part.var(ddof=1) / len(part) for part in parts]
            error = math.sqrt(sum(v))
            df = sum(v) ** 2 / sum(
                one**2 / (len(part) - 1) for one, part in zip(v, parts, strict=True)
            )
            peer: Any = brunnermunzel(x, y, alternative=SIDES[side])
            checks += field_checks(
                lead,
                "scipy",
                "brunnermunzel",
                statistic=-float(peer.statistic),
                p_value=float(peer.pvalue),
            )
        checks += field_checks(lead, "numpy", CR2, std_error=error)
        level = result.settings["level"]
        checks += wald_checks(
            lead, level, theta, error, df, null=0.5, alternative=side, cut=(0.0, 1.0), why=CR2
        )
    return Verification(checks=(*checks, *rank_checks(test, x, y, side)))


def rank_checks(row: Row, x: FloatArray, y: FloatArray, side: str) -> list[Check]:
    """Compare U and p with scipy's mannwhitneyu; exact p with ties by listing the choices of the first group."""
    from itertools import combinations

    from scipy.stats import mannwhitneyu, rankdata

    if row.p_value is None:
        return []
    both = np.concatenate([x, y])
    tied = len(np.unique(both)) < len(both)
    how: Any = "exact" if row.test == "exact_rank_sum" else "asymptotic"
    peer: Any = mannwhitneyu(x, y, method=how, alternative=SIDES[side])
    checks = field_checks(row, "scipy", "mannwhitneyu", statistic=float(peer.statistic))
    if how == "asymptotic" or not tied:
        return [*checks, *field_checks(row, "scipy", "mannwhitneyu", p_value=float(peer.pvalue))]
    if math.comb(len(both), len(x)) > MOST_CHOICES:
        return [
            *checks,
            skipped("rank_sum, p", "numpy", "too many ways to choose the first group to list each"),
        ]
    ranks = 2 * rankdata(both)
    sums = np.array([sum(ranks[list(one)]) for one in combinations(range(len(both)), len(x))])
    seen = float(ranks[: len(x)].sum())
    below, above = float((sums <= seen + 0.5).mean()), float((sums >= seen - 0.5).mean())
    p = {"two_sided": min(1.0, 2 * min(below, above)), "greater": above, "less": below}[side]
    return [
        *checks,
        *field_checks(row, "numpy", "all choices of the first group listed", p_value=p),
    ]


def ends_of(result: Result, units: Units, level: float) -> tuple[float, float]:
    """Return the interval of a difference of shares: statsmodels' Newcombe, or by Wilson's roots of both shares."""
    confint_proportions_2indep = load_peer(
        "statsmodels.stats.proportion", "confint_proportions_2indep"
    )

    sides, repeats = [units.side(second) for second in (False, True)], result.design.repeats
    (x, _), (y, _) = sides
    if repeats is None and not units.codes.shape[1]:
        hits = int(x.sum()), len(x), int(y.sum()), len(y)
        low, high = confint_proportions_2indep(
            *hits, method="newcomb", compare="diff", alpha=1 - level
        )
        return float(low), float(high)
    rows = []
    for name, (values, codes) in zip(result.design.groups, sides, strict=True):
        p, f = float(values.mean()), np.full(len(values), 1 / len(values))
        errors = errors_by(f * (values - p), f, codes)
        answers = (
            float(len(values)) if repeats is None else float(repeats.of_source(name).answers.sum())
        )
        low, high = wilson_roots(p, counted(p * (1 - p), errors, answers), level, errors.df)
        rows.append(Row(term=name, estimate=p, conf_low=low, conf_high=high))
    return both_ends(float(x.mean() - y.mean()), *rows)


def inverted(result: Result) -> Verification:
    """Recompute the interval of an equivalence test of shares, and the levels at which an end is a bound."""
    from scipy.optimize import brentq

    source, options = result.extras["source"], result.settings
    design, choice = source.design, source.settings["choice"]
    ones = (
        design.value
        if design.repeats is not None
        else (design.value == design.levels.index(choice)).astype(float)
    )
    units = units_of(source, ones)
    if units is None:
        return Verification(
            checks=(skipped("difference", "statsmodels", "too many units to write out one by one"),)
        )
    row, *tests = result.rows
    gap = float(np.subtract(*(units.side(second)[0].mean() for second in (False, True))))
    ends = ends_of(source, units, round(2 * options["level"] - 1, 12))
    checks = [relative(label(row), row.estimate, gap, "numpy", CLOSED, size=1.0)]
    checks += end_checks(
        row, max(ends[0], -1.0), min(ends[1], 1.0), "statsmodels", NEWCOMBE, least=1.0
    )
    found = []
    for sign, bound in zip((1.0, -1.0), result.extras["bounds"], strict=True):
        beyond = sign * (gap - bound) < 0
        place = int((sign > 0) == beyond)  # the end that meets the bound

        def off(level: float, place: int = place, bound: float = bound) -> float:
            return ends_of(source, units, level)[place] - bound

        least, most = 1e-9, 1 - 1e-13
        meets = off(least) * off(most) < 0
        level = float(brentq(off, least, most, xtol=1e-15)) if meets else math.nan
        found.append((1 + level) / 2 if beyond else (1 - level) / 2)
    worse = found if options["test"] == "equivalence" else found[:1]
    values = [*worse, *([max(worse)] if len(worse) > 1 else [])]
    for test, theirs in zip(tests, values, strict=True):
        if math.isnan(theirs) or theirs < 1e-9:
            checks.append(
                skipped(label(test, "p"), "scipy", "below what the root of a level near 1 tells")
            )
        else:
            checks += field_checks(test, "scipy", INVERTED, 1e-5, p_value=theirs)
    return Verification(checks=tuple(checks))
