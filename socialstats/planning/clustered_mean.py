"""Power, number of clusters, or smallest detectable effect of a mean of clustered differences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.models.power import Alternative, cluster_center, t_power
from socialstats.planning.arguments import (
    MOST_NUMBERS,
    By,
    choice,
    finite,
    left_out,
    power_of,
    share,
    solve,
    solved_rows,
    whole,
    with_simulation,
)
from socialstats.planning.paired_t import LARGEST_EFFECT, refuse_wrong_side
from socialstats.planning.plan import PlanResult
from socialstats.results import Row
from socialstats.text import count, number


def power_clustered_mean(
    *,
    clusters: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    size: int | None = None,
    icc: float | None = None,
    sd: float = 1.0,
    sd_between: float | None = None,
    sd_within: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two_sided",
    by: By = "formula",
    simulations: int = 10_000,
    seed: int = 0,
) -> PlanResult:
    """Compute the power of a test that a mean of clustered values is 0, the clusters it needs, or the effect.

    G clusters (scenarios) of `size` values each (differences of pairs). The mean has variance
    sd^2 (1 + (size - 1) icc)/(G size) = (sd_between^2 + sd_within^2/size)/G; the test is t with G - 1 df (Donner &
    Klar 2000), exact for normal values and equal sizes. More values a cluster help only down to sd_between^2/G.

    Parameters
    ----------
    clusters : int or None
        At least 2.
    effect : float or None
        Mean, in the unit of `sd`.
    power : float or None
        Above alpha, below 1. Exactly one of `clusters`, `effect` and `power` is left out and computed.
    size : int
        Values a cluster; must be given.
    icc : float or None
        Share of the variance that lies between clusters, in [0, 1]; with `sd`, the sd of single values (1: the
        effect is in standard deviations). Or give the components:
    sd : float
    sd_between, sd_within : float or None
        Standard deviation between clusters and within them, instead of `icc` and `sd`.
    alpha : float
    alternative : {"two_sided", "greater", "less"}
    by : {"formula", "simulation"}
        ``"simulation"`` adds a row that checks the formula: t tests of the means of simulated normal clusters.
    simulations : int
        At least 100.
    seed : int

    Returns
    -------
    PlanResult
        Rows ``clusters``, ``effect``, ``power``, ``size``, ``icc``, ``design_effect`` (1 + (size - 1) icc),
        ``effective_n`` (clusters x size / design effect), ``n`` (clusters x size), ``alpha``, the computed one marked
        in `method`; with ``by="simulation"`` also ``power_simulated``.

    Raises
    ------
    InputError
        If not exactly one quantity is left out, the dependence is not described in one of the two ways, or a value
        is out of its range.
    UndefinedStatistic
        If no number of clusters (or no effect) reaches the power.

    References
    ----------
    Donner, A., & Klar, N. (2000). Design and analysis of cluster randomization trials in health research.

    Examples
    --------
    >>> plan = power_clustered_mean(clusters=29, size=50, icc=0.1, effect=0.2)
    >>> round(plan.row("power").estimate, 3), round(plan.row("effective_n").estimate, 1)
    (0.857, 245.8)
    """
    for name, value in (("alternative", alternative), ("by", by)):
        choice(name, value)
    solved = left_out({"clusters": clusters, "effect": effect, "power": power})
    if size is None:
        raise InputError("size must be given: the number of values (pairs) in each cluster")
    a, m = share("alpha", alpha), whole("size", size, least=1)
    between, within = components(icc, sd, sd_between, sd_within)

    def power_at(g: int, mean: float) -> float:
        return t_power(g - 1, cluster_center(g, m, mean, between, within), a, alternative)

    given = None if clusters is None else whole("clusters", clusters, least=2)
    asked = None if effect is None else finite("effect", effect)
    if solved == "clusters":
        refuse_wrong_side(asked or 0.0, alternative)
    largest = LARGEST_EFFECT * math.hypot(between, within) * (-1 if alternative == "less" else 1)
    groups, mean = solve(given, asked, power, power_at, alpha=a, least=2, largest=largest)
    plan = plan_rows(groups, mean, power_at(groups, mean), m, between, within, a, solved)
    rows = with_simulation(
        plan, by, simulations, a, seed,
        lambda k, s: simulate(groups, m, mean, between, within, a, alternative, k, s),
    )  # fmt: skip
    return PlanResult(
        metric="power_clustered_mean",
        title="Power of a t test of a mean of clusters",
        inference=f"noncentral t with {groups - 1} df",
        rows=rows,
        counts={"clusters": groups, "values": groups * m},
        fit={"method": "noncentral t", "df": groups - 1, "seed": seed if by == "simulation" else None},
        settings={"solved": solved, "power": power, "size": m, "sd_between": between, "sd_within": within, "alpha": a,
                  "alternative": alternative, "by": by, "simulations": simulations, "seed": seed},
        references=("donnerklar2000",),
        words=words(solved, groups, m, mean, rows, a, alternative, power_of(rows, by)),
    )  # fmt: skip


def components(icc: float | None, sd: float, sd_between: float | None, sd_within: float | None) -> tuple[float, float]:
    """Standard deviations between and within clusters, from either way to give them."""
    by_parts = sd_between is not None or sd_within is not None
    if by_parts == (icc is not None):
        raise InputError("describe the dependence in one way: icc (with sd), or sd_between and sd_within")
    if icc is not None:
        share_between, whole_sd = finite("icc", icc), finite("sd", sd)
        if not 0 <= share_between <= 1:
            raise InputError(f"icc must be from 0 to 1, not {icc!r}")
        if whole_sd <= 0:
            raise InputError(f"sd must be above 0, not {sd!r}")
        return whole_sd * math.sqrt(share_between), whole_sd * math.sqrt(1 - share_between)
    if sd_between is None or sd_within is None:
        raise InputError("give both sd_between and sd_within")
    parts = finite("sd_between", sd_between), finite("sd_within", sd_within)
    if min(parts) < 0 or max(parts) == 0:
        raise InputError(f"sd_between={sd_between!r} and sd_within={sd_within!r}: neither below 0, not both 0")
    return parts


def plan_rows(
    clusters: int, effect: float, reached: float, size: int, between: float, within: float, alpha: float, solved: str
) -> list[Row]:
    """Rows of the plan."""
    icc = between**2 / (between**2 + within**2)
    inflation = 1 + (size - 1) * icc
    return solved_rows(
        {"clusters": (clusters, "given"), "effect": (effect, "given"), "power": (reached, "at this design"),
         "size": (size, "given"), "icc": (icc, "given"), "design_effect": (inflation, "1 + (size - 1) icc"),
         "effective_n": (clusters * size / inflation, "clusters x size / design effect"),
         "n": (clusters * size, "clusters x size"), "alpha": (alpha, "given")}, solved)  # fmt: skip


def simulate(
    clusters: int, size: int, mean: float, between: float, within: float, alpha: float, alternative: Alternative,
    simulations: int, seed: int,
) -> int:  # fmt: skip
    """Count the rejections among t tests of cluster means, every value drawn."""
    rng, values = np.random.default_rng(seed), clusters * size
    if values > MOST_NUMBERS:
        raise UndefinedStatistic(f"simulation draws every value, and {values:,} are too many; use by='formula'")
    edge = float(stdtrit(clusters - 1, 1 - alpha / 2 if alternative == "two_sided" else 1 - alpha))
    block, rejected = max(1, MOST_NUMBERS // values), 0
    for start in range(0, simulations, block):
        k = min(block, simulations - start)
        noise = within * rng.standard_normal((k, clusters, size))
        means = mean + between * rng.standard_normal((k, clusters)) + noise.mean(axis=2)
        t = means.mean(axis=1) * math.sqrt(clusters) / means.std(axis=1, ddof=1)
        t = {"two_sided": np.abs(t), "greater": t, "less": -t}[alternative]
        rejected += int((t > edge).sum())
    return rejected


def words(
    solved: str,
    clusters: int,
    size: int,
    effect: float,
    rows: Sequence[Row],
    alpha: float,
    alternative: str,
    checked: str,
) -> str:
    """Say the plan in one sentence."""
    by_term = {row.term: row.estimate for row in rows if row.group is None}
    sides = "two-sided" if alternative == "two_sided" else "one-sided"
    df = f"t({clusters - 1})"
    test = f"a {sides} {df} test of the mean at {chr(945)} = {number(alpha, 3, bounded=True)}"
    at = f"power {number(by_term['power'], 3, bounded=True)}{checked}"
    what = f"{count(clusters, 'cluster')} of {count(size, 'value')} (ICC {number(by_term['icc'], 3, bounded=True)}, "
    what += f"as good as {number(by_term['effective_n'], 1)} independent values)"
    mean = f"a mean of {number(effect, 3)}"
    if solved == "clusters":
        return f"To detect {mean}, {test} needs {what}, and then has {at}."
    if solved == "effect":
        return f"With {what}, the smallest effect that {test} detects with {at} is {mean}."
    return f"With {what}, {test} detects {mean} with {at}."
