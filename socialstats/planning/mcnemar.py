"""Power, number of pairs, or smallest detectable difference of McNemar's test."""

from __future__ import annotations

import numpy as np

from socialstats.errors import InputError
from socialstats.models.power import (
    NEVER,
    Test,
    mcnemar_p,
    mcnemar_power,
    mcnemar_power_normal,
)
from socialstats.planning.arguments import (
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
from socialstats.results import Row
from socialstats.text import count, number

NAMES = {"mid_p": "mid-p", "exact": "exact", "asymptotic": "asymptotic", "corrected": "continuity-corrected"}
BLOCK = 100_000


def power_mcnemar(
    *,
    n: int | None = None,
    effect: float | None = None,
    power: float | None = None,
    discordant: float | None = None,
    alpha: float = 0.05,
    test: Test = "mid_p",
    by: By = "formula",
    simulations: int = 10_000,
    seed: int = 0,
) -> PlanResult:
    """Compute the power of McNemar's test, the pairs it needs, or the smallest difference it can detect.

    Exact for every n: the probability that the test rejects, summed over the number m of discordant pairs, binomial
    (n, discordant), and how they split, binomial(m, (1 + effect/discordant)/2). Power of tests of counts goes up and
    down a little as n grows; the n returned is one from which on it stays at the target.

    Parameters
    ----------
    n : int or None
        Pairs, at least 1; taken as independent (for clusters of pairs use `power_clustered_mean` on the differences).
    effect : float or None
        Difference of the two proportions, p10 - p01: yes under the first condition only, minus under the second only.
        Its sign does not matter. From a matched odds ratio r: discordant (r - 1)/(r + 1).
    power : float or None
        Above alpha, below 1. Exactly one of `n`, `effect` and `power` is left out and computed from the others.
    discordant : float
        Share of pairs that differ, p10 + p01; must be given.
    alpha : float
    test : {"mid_p", "exact", "asymptotic", "corrected"}
    by : {"formula", "simulation"}
        ``"simulation"`` adds a row that checks the sum: tests of simulated tables.
    simulations : int
        At least 100.
    seed : int

    Returns
    -------
    PlanResult
        Rows ``n``, ``effect``, ``power``, ``discordant``, ``odds_ratio`` (p10/p01, where defined), ``alpha``, the
        computed one marked in `method`, and ``power_normal`` (normal approximation, Connor 1987);
        with ``by="simulation"`` also ``power_simulated``.

    Raises
    ------
    InputError
        If not exactly one quantity is left out, `discordant` is not given, or a value is out of its range.
    UndefinedStatistic
        If no n (or no difference, at most `discordant`) reaches the power.

    References
    ----------
    Connor, R. J. (1987). doi:10.2307/2531961
    Fagerland, M. W., Lydersen, S., & Laake, P. (2013). doi:10.1186/1471-2288-13-91

    Examples
    --------
    >>> plan = power_mcnemar(effect=0.1, discordant=0.3, power=0.8)
    >>> plan.row("n").estimate, round(plan.row("power").estimate, 3)
    (230.0, 0.8)
    """
    for name, value in (("test", test), ("by", by)):
        choice(name, value)
    solved = left_out({"n": n, "effect": effect, "power": power})
    a, differ = share("alpha", alpha), checked_discordant(discordant)
    given = None if n is None else whole("n", n, least=1)
    size = None if effect is None else checked_effect(effect, differ)
    if solved == "n" and size == 0:
        raise InputError("effect=0 can never be shown; give the difference that matters")

    def power_at(k: int, x: float) -> float:
        return mcnemar_power(k, differ, x, a, test)

    pairs, delta = solve(given, size, power, power_at, alpha=a, least=1, largest=differ, steady=False)
    plan = plan_rows(pairs, delta, differ, a, test, solved)
    rows = with_simulation(plan, by, simulations, a, seed, lambda k, s: simulate(pairs, differ, delta, a, test, k, s))
    reached = rows[2].estimate or 0.0
    return PlanResult(
        metric="power_mcnemar",
        title=f"Power of McNemar's test ({NAMES[test]})",
        inference="sum over discordant pairs and their split; pairs independent",
        rows=rows,
        counts={"pairs": pairs},
        fit={"method": "exact sum", "seed": seed if by == "simulation" else None},
        settings={"solved": solved, "power": power, "discordant": differ, "alpha": a, "test": test, "by": by,
                  "simulations": simulations, "seed": seed},
        references=("connor1987", "fagerland2013"),
        words=words(solved, pairs, delta, differ, reached, a, test, power_of(rows, by)),
    )  # fmt: skip


def checked_discordant(discordant: float | None) -> float:
    """Return the share of discordant pairs."""
    if discordant is None:
        raise InputError("discordant must be given: the share of pairs expected to differ (p10 + p01)")
    found = finite("discordant", discordant)
    if not 0 < found <= 1:
        raise InputError(f"discordant must be above 0 and at most 1, not {discordant!r}")
    return found


def checked_effect(effect: float, discordant: float) -> float:
    """Return the difference of the proportions."""
    found = finite("effect", effect)
    if abs(found) > discordant * (1 + 1e-12):
        raise InputError(
            f"effect={effect!r} is larger than discordant={discordant:g}: the difference p10 - p01 is at most their sum"
        )
    return found


def plan_rows(n: int, delta: float, discordant: float, alpha: float, test: Test, solved: str) -> list[Row]:
    """Rows of the plan."""
    reached = mcnemar_power(n, discordant, delta, alpha, test)
    rows = solved_rows({"n": (n, "given"), "effect": (delta, "given"), "power": (reached, "at this n and effect"),
                        "discordant": (discordant, "given"), "alpha": (alpha, "given")}, solved)  # fmt: skip
    rarer = (discordant - delta) / 2
    if rarer > NEVER:
        ratio = (discordant + delta) / 2 / rarer
        rows.append(Row(term="odds_ratio", estimate=ratio, method="p10/p01 of this effect"))
    else:
        rows.append(Row(term="odds_ratio", undefined="p01 is 0: the odds ratio is infinite"))
    normal = mcnemar_power_normal(n, discordant, delta, alpha)
    rows.append(Row(term="power_normal", estimate=normal, method="Connor (1987)"))
    return rows


def simulate(n: int, discordant: float, delta: float, alpha: float, test: Test, simulations: int, seed: int) -> int:
    """Count the rejections among tests of simulated tables (multinomial draws of the cells)."""
    rng, rejected = np.random.default_rng(seed), 0
    p = np.array([(discordant + delta) / 2, (discordant - delta) / 2, 1 - discordant]).clip(0, 1)
    for start in range(0, simulations, BLOCK):
        b, c, _ = rng.multinomial(n, p / p.sum(), size=min(BLOCK, simulations - start)).astype(np.float64).T
        rejected += int((mcnemar_p(np.minimum(b, c), b + c, test) <= alpha).sum())
    return rejected


def words(
    solved: str, n: int, delta: float, discordant: float, reached: float, alpha: float, test: Test, checked: str
) -> str:
    """Say the plan in one sentence."""
    name = f"McNemar's {NAMES[test]} test at {chr(945)} = {number(alpha, 3, bounded=True)}"
    at = f"power {number(reached, 3, bounded=True)}{checked}"
    effect = f"a difference of {number(delta, 3, bounded=True)} between proportions"
    given = f"when {number(discordant, 3, bounded=True)} of the pairs differ"
    if solved == "n":
        return f"To detect {effect} {given}, {name} needs {count(n, 'pair')}, and then has {at}."
    if solved == "effect":
        return f"With {count(n, 'pair')}, the smallest effect that {name} detects with {at} {given} is {effect}."
    return f"With {count(n, 'pair')}, {name} detects {effect} {given} with {at}."
