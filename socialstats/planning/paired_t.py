"""Power, number of pairs, or smallest detectable effect of the paired t test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import stdtrit

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.models.power import LARGEST, Alternative, t_power
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
from socialstats.planning.plan import PlanResult
from socialstats.text import count, number

LARGEST_EFFECT = 1e4


def power_paired_t(
    *,
    n: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two_sided",
    by: By = "formula",
    simulations: int = 10_000,
    seed: int = 0,
) -> PlanResult:
    """Compute the power of a paired t test, the pairs it needs, or the smallest effect it can detect.

    The statistic of n differences with mean/sd = d_z is noncentral t with n - 1 df and noncentrality d_z sqrt(n);
    power = P(|T| > t_(1 - alpha/2)), both tails counted (Cohen 1988, section 2.3; R's power.t.test(strict = TRUE)).

    Parameters
    ----------
    n : int or None
        Pairs, at least 2.
    effect : float or None
        d_z, the mean of the differences over their standard deviation; its sign matters for one-sided tests.
    power : float or None
        Above alpha, below 1. Exactly one of `n`, `effect` and `power` is left out and computed from the others.
    alpha : float
    alternative : {"two_sided", "greater", "less"}
    by : {"formula", "simulation"}
        ``"simulation"`` adds a row that checks the formula: t tests of normal differences with this d_z.
    simulations : int
        At least 100.
    seed : int

    Returns
    -------
    PlanResult
        Rows ``n`` (smallest whole number that reaches the power), ``effect``, ``power`` (reached at that n) and
        ``alpha``, the computed one marked in `method`; with ``by="simulation"`` also ``power_simulated``.
        `extras`: ``n_exact`` (the fractional n that R prints).

    Raises
    ------
    InputError
        If not exactly one quantity is left out, or one is out of its range.
    UndefinedStatistic
        If no n (or no effect) reaches the power.

    References
    ----------
    Cohen, J. (1988). Statistical power analysis for the behavioral sciences (2nd ed.).

    Examples
    --------
    >>> plan = power_paired_t(effect=0.5, power=0.8)
    >>> plan.row("n").estimate, round(plan.row("power").estimate, 4)
    (34.0, 0.8078)
    """
    for name, value in (("alternative", alternative), ("by", by)):
        choice(name, value)
    solved = left_out({"n": n, "effect": effect, "power": power})
    a = share("alpha", alpha)

    def power_at(pairs: float, d: float) -> float:
        return t_power(pairs - 1, d * math.sqrt(pairs), a, alternative)

    given = None if n is None else whole("n", n, least=2)
    size = None if effect is None else finite("effect", effect)
    if solved == "n":
        refuse_wrong_side(size or 0.0, alternative)
    largest = -LARGEST_EFFECT if alternative == "less" else LARGEST_EFFECT
    pairs, d = solve(given, size, power, power_at, alpha=a, least=2, largest=largest)
    reached = power_at(pairs, d)
    plan = solved_rows({"n": (pairs, "given"), "effect": (d, "given"), "power": (reached, "at this n and effect"),
                        "alpha": (a, "given")}, solved)  # fmt: skip
    rows = with_simulation(plan, by, simulations, a, seed, lambda k, s: simulate(pairs, d, a, alternative, k, s))
    return PlanResult(
        metric="power_paired_t",
        title="Power of a paired t test",
        inference="noncentral t, both tails" if alternative == "two_sided" else "noncentral t, one tail",
        rows=rows,
        counts={"pairs": pairs},
        fit={"method": "noncentral t", "seed": seed if by == "simulation" else None},
        settings={"solved": solved, "power": power, "alpha": a, "alternative": alternative, "by": by,
                  "simulations": simulations, "seed": seed},
        references=("cohen1988",),
        extras={"n_exact": exact_n(lambda k: power_at(k, d), power, pairs)} if solved == "n" and power else {},
        words=words(solved, pairs, d, reached, a, alternative, power_of(rows, by)),
    )  # fmt: skip


def refuse_wrong_side(d: float, alternative: Alternative) -> None:
    """Raise InputError for an effect that more pairs cannot show."""
    if d == 0 or (alternative == "greater" and d < 0) or (alternative == "less" and d > 0):
        raise InputError(f"effect={d:g} can never be shown by a test with alternative='{alternative}'")


def exact_n(power_at: Any, target: float, whole_n: int) -> float:
    """The fractional n at which the power is exactly the target (never below 2)."""
    from scipy.optimize import brentq

    if whole_n <= 2 or whole_n > LARGEST:
        return float(whole_n)
    return float(brentq(lambda k: power_at(k) - target, whole_n - 1, whole_n, xtol=1e-12))


def simulate(n: int, d: float, alpha: float, alternative: Alternative, simulations: int, seed: int) -> int:
    """Count the rejections among t tests of simulated normal differences."""
    rng = np.random.default_rng(seed)
    if n > MOST_NUMBERS:
        raise UndefinedStatistic(f"simulation draws every pair, and {n:,} are too many; use by='formula'")
    edge = float(stdtrit(n - 1, 1 - alpha / 2 if alternative == "two_sided" else 1 - alpha))
    block, rejected = max(1, MOST_NUMBERS // n), 0
    for start in range(0, simulations, block):
        drawn = d + rng.standard_normal((min(block, simulations - start), n))
        t = drawn.mean(axis=1) * math.sqrt(n) / drawn.std(axis=1, ddof=1)
        t = {"two_sided": np.abs(t), "greater": t, "less": -t}[alternative]
        rejected += int((t > edge).sum())
    return rejected


def words(solved: str, n: int, d: float, reached: float, alpha: float, alternative: str, checked: str) -> str:
    """Say the plan in one sentence."""
    sides = "two-sided" if alternative == "two_sided" else "one-sided"
    test = f"a {sides} paired t test at {chr(945)} = {number(alpha, 3, bounded=True)}"
    at = f"power {number(reached, 3, bounded=True)}{checked}"
    effect = f"d_z = {number(d, 3)}"
    if solved == "n":
        return f"To detect {effect}, {test} needs {count(n, 'pair')}, and then has {at}."
    if solved == "effect":
        return f"With {count(n, 'pair')}, the smallest effect that {test} detects with {at} is {effect}."
    return f"With {count(n, 'pair')}, {test} detects {effect} with {at}."
