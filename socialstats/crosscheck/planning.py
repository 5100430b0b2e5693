"""Planning recomputed: statsmodels' multipletests and power, scipy's multivariate t, McNemar cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.crosscheck.long import compare
from socialstats.crosscheck.row_arithmetic import MULTIPLETESTS, adjusted_p, same_p, tail_p
from socialstats.results import Check, Result, Row, Verification
from socialstats.results.peers import load_peer

CLOSED = "the same closed form in another order of arithmetic"
COUNTED = "every draw counted separately"
SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "smaller"}
MOST_TESTS, MOST_PAIRS = 20, 1500
SINGULAR, DRAWS = 1e-8, 200_000


def verify_adjust(result: Result) -> Verification:
    """Compare the adjusted p-values of each family with statsmodels, or those of max-t with scipy's integrals."""
    method, checks = result.settings["method"], []
    for family in dict.fromkeys(result.extras["family"]):
        tested = [
            row
            for row, name in zip(result.rows, result.extras["family"], strict=True)
            if name == family and row.p_value is not None
        ]
        checks += [
            same_p(f"p of {row.term}", row.p_value, nearest_tail(row), "scipy", CLOSED)
            for row in tested
            if method in MULTIPLETESTS and row.test in ("t", "z") and row.statistic is not None
        ]
        if method in MULTIPLETESTS:
            checks += from_p_values(tested, method)
        else:
            checks += from_joint(result, tested)
    return Verification(checks=tuple(checks))


def nearest_tail(row: Row) -> float:
    """Return the p of a statistic, two-sided or of the side that the row's p comes closest to."""
    found = [
        tail_p(row.statistic or 0.0, row.df, side) for side in ("two_sided", "greater", "less")
    ]
    return min(found, key=lambda p: abs(p - (row.p_value or 0.0)))


def from_p_values(tested: Sequence[Row], method: str) -> list[Check]:
    """statsmodels' multipletests on the p-values that exist (it counts a NaN, or returns nothing but NaN)."""
    theirs = adjusted_p([row.p_value for row in tested], MULTIPLETESTS[method])
    return adjusted_checks(tested, theirs, "statsmodels", CLOSED)


def adjusted_checks(
    tested: Sequence[Row], theirs: Sequence[float], package: str, why: str
) -> list[Check]:
    """Compare adjusted p-values with those of a package, to rounding."""
    return [
        compare(
            f"adjusted p of {row.term}",
            row.p_adjusted,
            float(p),
            package=package,
            tolerance=1e-12,
            why=why,
        )
        for row, p in zip(tested, theirs, strict=True)
    ]


def from_joint(result: Result, tested: Sequence[Row]) -> list[Check]:
    """max-t: the probabilities that the draws estimate, by numerical integration."""
    checks = [
        same_p(
            f"p of {row.term}", row.p_value, tail_p(row.statistic or 0.0, row.df), "scipy", CLOSED
        )
        for row in tested
    ]
    checks += simultaneous_checks(result, tested)
    correlation, noise = result.extras["correlation"], result.extras["noise"]
    sizes, single = (
        np.array([abs(row.statistic or 0.0) for row in tested]),
        result.settings["method"] != "max_t",
    )
    if noise == "resamples":
        drawn = drawn_p(sizes.tolist(), result.extras["resampled"], single=single)
        return checks + adjusted_checks(tested, drawn, "numpy", COUNTED)
    if len(tested) > MOST_TESTS:
        return [
            replace(check, note="adjusted p not compared: too many tests to integrate")
            for check in checks
        ]
    theirs = step_down(sizes, correlation, result.extras["df"], single=single)
    for row, value in zip(tested, theirs.tolist(), strict=True):
        error = math.sqrt(value * (1 - value) * (1 / result.settings["draws"] + 1 / DRAWS))
        checks.append(
            compare(
                f"adjusted p of {row.term}",
                row.p_adjusted,
                value,
                package="scipy",
                tolerance=5 * error + 2e-4,
                why="five Monte-Carlo standard errors of the draws on both sides, or the integral's own error",
            )
        )
    return checks


def drawn_p(sizes: Sequence[float], draws: FloatArray, *, single: bool) -> list[float]:
    """Adjusted p-values by counting: (1 + draws whose largest size among the tests left reaches the test's) / (B + 1).

    Step-down: the tests left are those not larger, and no p is below that of a larger statistic.
    """
    order = sorted(range(len(sizes)), key=lambda k: -sizes[k])
    found, least, rows = [0.0] * len(sizes), 0.0, draws.tolist()
    for place, k in enumerate(order):
        left = order if single else order[place:]
        reached = sum(max(abs(row[j]) for j in left) >= sizes[k] * (1 - 1e-10) for row in rows)
        p = (1 + reached) / (1 + len(draws))
        least = p if single else max(least, p)
        found[k] = least
    return found


def simultaneous_checks(result: Result, tested: Sequence[Row]) -> list[Check]:
    """Both ends of all intervals are the same number of standard errors away; of resamples, a maximum of theirs."""
    shown = [row for row in tested if row.conf_low is not None and row.std_error is not None]
    if not shown:
        return []
    reaches = [
        (name, sign * ((end or 0.0) - (row.estimate or 0.0)) / (row.std_error or 1.0))
        for row in shown
        for name, sign, end in (
            (f"{row.term}, low", -1, row.conf_low),
            (f"{row.term}, high", 1, row.conf_high),
        )
    ]
    critical, why = (
        float(np.median([reach for _, reach in reaches])),
        "one critical value for all intervals",
    )
    if result.extras["noise"] == "resamples":
        largest = sorted(max(map(abs, row)) for row in result.extras["resampled"].tolist())
        critical = largest[math.ceil(result.settings["level"] * (len(largest) + 1) - 1e-9) - 1]
        why = "the order statistic of the largest sizes that the level names"
    out = [
        compare(
            f"{name} in standard errors",
            reach,
            critical,
            package="numpy",
            tolerance=1e-8 * critical,
            why=why,
        )
        for name, reach in reaches
    ]
    if result.extras["noise"] == "draws" and len(tested) <= MOST_TESTS:
        level, share = (
            result.settings["level"],
            inside(critical, result.extras["correlation"], result.extras["df"]),
        )
        error = math.sqrt(level * (1 - level) * (1 / result.settings["draws"] + 1 / DRAWS))
        out.append(
            compare(
                "level of the simultaneous intervals",
                level,
                share,
                package="scipy",
                tolerance=5 * error + 2e-4,
                why="five Monte-Carlo standard errors",
            )
        )
    return out


def step_down(
    sizes: FloatArray, correlation: FloatArray, df: float | None, *, single: bool
) -> FloatArray:
    """Adjusted p-values from probabilities of rectangles."""
    order = np.argsort(-sizes, kind="stable")
    found, largest = np.empty(len(sizes)), 0.0
    for place, k in enumerate(order.tolist()):
        rest = order if single else order[place:]
        largest = max(largest, 1 - inside(float(sizes[k]), correlation[np.ix_(rest, rest)], df))
        found[k] = largest
    return found


def inside(edge: float, correlation: FloatArray, df: float | None) -> float:
    """P(max abs(T) < edge): integrated, or drawn if correlations are singular (scipy's integral of t fails then)."""
    from scipy.stats import multivariate_normal, multivariate_t

    t: Any = multivariate_t  # its types know whole df only
    x = np.full(len(correlation), edge)
    if np.linalg.eigvalsh(correlation)[0] < SINGULAR:
        if df is None:
            drawn = multivariate_normal.rvs(cov=correlation, size=DRAWS, random_state=1)
        else:
            drawn = t.rvs(shape=correlation, df=df, size=DRAWS, random_state=1)
        return float(np.mean(np.abs(np.reshape(drawn, (DRAWS, -1))).max(axis=1) < edge))
    if df is None:
        return float(multivariate_normal.cdf(x, cov=correlation, rng=1, lower_limit=-x))
    return float(t.cdf(x, shape=correlation, df=df, random_state=1, lower_limit=-x))


def verify_power_paired_t(result: Result) -> Verification:
    """Compare the power at the n and effect of the plan with statsmodels' TTestPower."""
    n, d = (result.row(term).estimate or 0.0 for term in ("n", "effect"))
    return Verification(checks=tuple(t_checks(result, n, d)))


def t_checks(result: Result, n: float, d: float) -> list[Check]:
    """The power, and that one unit less does not reach what was asked for."""
    TTestPower = load_peer("statsmodels.stats.power", "TTestPower")

    settings, solver = result.settings, TTestPower()
    options = {"alpha": settings["alpha"], "alternative": SIDES[settings["alternative"]]}
    theirs = float(solver.power(d, n, **options))
    none = math.isnan(theirs)
    note = (
        "statsmodels has no number here: scipy's noncentral t is NaN far from its centre"
        if none
        else ""
    )
    checks = [
        compare(
            "power",
            result.row("power").estimate,
            None if none else theirs,
            package="statsmodels",
            tolerance=1e-8,
            why=CLOSED,
            note=note,
        )
    ]
    if settings["solved"] in ("n", "clusters") and n > 2:
        less = float(solver.power(d, n - 1, **options))
        checks.append(
            compare(
                "one fewer is too few",
                1.0,
                float(less < settings["power"]),
                package="statsmodels",
                tolerance=0.0,
                why="1 where the power of n - 1 is below the target",
            )
        )
    elif settings["solved"] == "effect":
        checks.append(
            compare(
                "power at the smallest effect",
                theirs,
                settings["power"],
                package="statsmodels",
                tolerance=1e-8,
                why="the smallest effect is where the power is the target",
            )
        )
    return checks


def verify_power_clustered_mean(result: Result) -> Verification:
    """Cluster means are a sample of their own: statsmodels' TTestPower of G means with their sd."""
    settings = result.settings
    g, mean = (result.row(term).estimate or 0.0 for term in ("clusters", "effect"))
    sd = math.sqrt(settings["sd_between"] ** 2 + settings["sd_within"] ** 2 / settings["size"])
    return Verification(checks=tuple(t_checks(result, g, mean / sd)))


def verify_power_mcnemar(result: Result) -> Verification:
    """Compare the power with a sum over tables by scipy's binomials; the test decided for every table."""
    settings = result.settings
    n, delta = int(result.row("n").estimate or 0), result.row("effect").estimate or 0.0
    reached, discordant = result.row("power").estimate, settings["discordant"]
    if n > MOST_PAIRS:
        near = result.row("power_normal").estimate
        why = "Connor's (1987) normal approximation, good to two hundredths with this many pairs"
        return Verification(
            checks=(compare("power", reached, near, package="scipy", tolerance=0.02, why=why),)
        )
    theirs = table_sum(n, discordant, delta, settings["alpha"], settings["test"])
    why = "the same probabilities, summed table by table"
    return Verification(
        checks=(compare("power", reached, theirs, package="scipy", tolerance=1e-9, why=why),)
    )


def table_sum(n: int, discordant: float, delta: float, alpha: float, test: str) -> float:
    """Sum over m and b of the binomial probabilities of the tables that the test rejects."""
    from scipy.stats import binom

    total, share = 0.0, (1 + delta / discordant) / 2
    for m in range(1, n + 1):
        b = np.arange(m + 1.0)
        rejects = table_p(np.minimum(b, m - b), m, test) <= alpha * (1 + 1e-9)
        total += float(binom.pmf(m, n, discordant) * binom.pmf(b, m, share)[rejects].sum())
    return total


def table_p(rarer: FloatArray, m: int, test: str) -> FloatArray:
    """p of McNemar's test of each table with `rarer` of m discordant pairs on the rarer side."""
    from scipy.stats import binom, chi2

    if test in ("exact", "mid_p"):
        p = 2 * binom.cdf(rarer, m, 0.5) - (binom.pmf(rarer, m, 0.5) if test == "mid_p" else 0.0)
        return np.asarray(np.minimum(p, 1))
    gap = np.maximum(m - 2 * rarer - (1 if test == "corrected" else 0), 0)
    return np.asarray(chi2.sf(gap**2 / m, 1))
