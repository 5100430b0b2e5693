"""Power, size of the study, or smallest detectable effect: paired t, McNemar's test, mean of clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import stdtrit

from socialstats.arrays import FloatArray
from socialstats.designs.habits import knows_habits
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.power import (
    LARGEST,
    NEVER,
    Alternative,
    Test,
    mcnemar_p,
    mcnemar_power_normal,
    smallest_effect,
    smallest_n,
)
from socialstats.inference.proportions import wilson
from socialstats.inference.rows import with_ends
from socialstats.planning.curves import (
    PowerAt,
    Settings,
    clusters_power,
    exact_mcnemar_power,
    paired_t_power,
)
from socialstats.planning.plan import PlanResult
from socialstats.planning.power_peers import CLUSTERED_MEAN, MCNEMAR, PAIRED_T
from socialstats.resampling.options import checked_alternative
from socialstats.results import Row
from socialstats.text import count, number

By = Literal["formula", "simulation"]
CHOICES: dict[str, tuple[str, ...]] = {
    "test": get_args(Test),
    "by": get_args(By),
}
MOST_NUMBERS = 4_000_000  # drawn at a time, and in one simulated study
TABLES = 100_000  # simulated tables of McNemar's test at a time
FEWEST_SIMULATIONS = 100
LARGEST_EFFECT = 1e4  # in standard deviations: where the search for an effect ends
TEST_NAMES = {
    "mid_p": "mid-p",
    "exact": "exact",
    "asymptotic": "asymptotic",
    "corrected": "continuity-corrected",
}


@knows_habits
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

    The statistic of n differences with mean/sd = d_z is noncentral t with n - 1 df and noncentrality d_z sqrt(n); power
    = P(abs(T) > t_(1 - alpha/2)), both tails counted (Cohen 1988, section 2.3; R's power.t.test(strict = TRUE)).

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
        ``alpha``, the computed one marked in `method`. With ``by="simulation"`` also ``power_simulated``. `extras`:
        ``n_exact`` (the fractional n that R prints).

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
    alternative = checked_alternative(alternative)
    checked_choices(by=by)
    solved = quantity_left_out({"n": n, "effect": effect, "power": power})
    a = checked_share("alpha", alpha)
    settings = {
        "solved": solved,
        "power": power,
        "alpha": a,
        "alternative": alternative,
        "by": by,
        "simulations": simulations,
        "seed": seed,
    }
    power_at = paired_t_power(settings)
    pairs, d = solve_t("n", n, effect, power_at, settings)

    def draw_differences(rng: np.random.Generator, k: int) -> FloatArray:
        return d + rng.standard_normal((k, pairs))

    extras = {}
    if solved == "n" and power:
        extras["n_exact"] = exact_n(lambda k: power_at(k, d), power, pairs)
    tails = "both tails" if alternative == "two_sided" else "one tail"
    return plan_result(
        "power_paired_t",
        settings,
        partial(t_rejections, draw_differences, pairs, pairs, "pair", settings),
        terms={
            "n": (pairs, "given"),
            "effect": (d, "given"),
            "power": (power_at(pairs, d), "at this n and effect"),
            "alpha": (a, "given"),
        },
        phrases=(
            count(pairs, "pair"),
            f"d_z = {number(d, 3)}",
            f"a {sides(alternative)} paired t test at {alpha_text(settings)}",
        ),
        title="Power of a paired t test",
        inference=f"noncentral t, {tails}",
        counts={"pairs": pairs},
        fit={"method": "noncentral t"},
        references=("cohen1988",),
        check=PAIRED_T,
        extras=extras,
    )


@knows_habits
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
    checked_choices(test=test, by=by)
    solved = quantity_left_out({"n": n, "effect": effect, "power": power})
    a, p_discordant = checked_share("alpha", alpha), checked_discordant(discordant)
    settings = {
        "solved": solved,
        "power": power,
        "discordant": p_discordant,
        "alpha": a,
        "test": test,
        "by": by,
        "simulations": simulations,
        "seed": seed,
    }
    asked_n = None if n is None else checked_integer("n", n, least=1)
    asked_delta = None if effect is None else checked_effect(effect, p_discordant)
    if solved == "n" and asked_delta == 0:
        raise InputError("effect=0 can never be shown; give the difference that matters")
    power_at = exact_mcnemar_power(settings)
    pairs, delta = solve(
        asked_n, asked_delta, power, power_at, alpha=a, least=1, largest=p_discordant, steady=False
    )
    # the two kinds of discordant pairs: p10 + p01 is given, p10 - p01 is the effect
    p10, p01 = (p_discordant + delta) / 2, (p_discordant - delta) / 2
    odds = Row(term="odds_ratio", undefined="p01 is 0: the odds ratio is infinite")
    if p01 > NEVER:
        odds = Row(term="odds_ratio", estimate=p10 / p01, method="p10/p01 of this effect")
    normal = mcnemar_power_normal(pairs, p_discordant, delta, a)
    return plan_result(
        "power_mcnemar",
        settings,
        partial(mcnemar_rejections, pairs, p_discordant, delta, a, test),
        terms={
            "n": (pairs, "given"),
            "effect": (delta, "given"),
            "power": (power_at(pairs, delta), "at this n and effect"),
            "discordant": (p_discordant, "given"),
            "alpha": (a, "given"),
        },
        further_rows=(odds, Row(term="power_normal", estimate=normal, method="Connor (1987)")),
        phrases=(
            count(pairs, "pair"),
            f"a difference of {number(delta, 3, bounded=True)} between proportions",
            f"McNemar's {TEST_NAMES[test]} test at {alpha_text(settings)}",
            f" when {number(p_discordant, 3, bounded=True)} of the pairs differ",
        ),
        title=f"Power of McNemar's test ({TEST_NAMES[test]})",
        inference="sum over discordant pairs and their split; pairs independent",
        counts={"pairs": pairs},
        fit={"method": "exact sum"},
        references=("connor1987", "fagerland2013"),
        check=MCNEMAR,
    )


@knows_habits
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
        If not exactly one quantity is left out, the dependence is described in neither or both ways, or a value is out
        of range.
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
    alternative = checked_alternative(alternative)
    checked_choices(by=by)
    solved = quantity_left_out({"clusters": clusters, "effect": effect, "power": power})
    if size is None:
        raise InputError("size must be given: the number of values (pairs) in each cluster")
    a, m = checked_share("alpha", alpha), checked_integer("size", size, least=1)
    between, within = variance_components(icc, sd, sd_between, sd_within)
    settings = {
        "solved": solved,
        "power": power,
        "size": m,
        "sd_between": between,
        "sd_within": within,
        "alpha": a,
        "alternative": alternative,
        "by": by,
        "simulations": simulations,
        "seed": seed,
    }
    power_at = clusters_power(settings)
    total_sd = math.hypot(between, within)
    groups, mean = solve_t("clusters", clusters, effect, power_at, settings, unit=total_sd)
    # the intraclass correlation, and the design effect of Kish (1965)
    correlation = between**2 / (between**2 + within**2)
    design_effect = 1 + (m - 1) * correlation
    effective_n = groups * m / design_effect

    def means(rng: np.random.Generator, k: int) -> FloatArray:
        noise = within * rng.standard_normal((k, groups, m))
        return np.asarray(mean + between * rng.standard_normal((k, groups)) + noise.mean(axis=2))

    icc_text = f"ICC {number(correlation, 3, bounded=True)}"
    good_as = f"as good as {number(effective_n, 1)} independent values"
    design = f"{count(groups, 'cluster')} of {count(m, 'value')} ({icc_text}, {good_as})"
    return plan_result(
        "power_clustered_mean",
        settings,
        partial(t_rejections, means, groups, groups * m, "value", settings),
        terms={
            "clusters": (groups, "given"),
            "effect": (mean, "given"),
            "power": (power_at(groups, mean), "at this design"),
            "size": (m, "given"),
            "icc": (correlation, "given"),
            "design_effect": (design_effect, "1 + (size - 1) icc"),
            "effective_n": (effective_n, "clusters x size / design effect"),
            "n": (groups * m, "clusters x size"),
            "alpha": (a, "given"),
        },
        phrases=(
            design,
            f"a mean of {number(mean, 3)}",
            f"a {sides(alternative)} t({groups - 1}) test of the mean at {alpha_text(settings)}",
        ),
        title="Power of a t test of a mean of clusters",
        inference=f"noncentral t with {groups - 1} df",
        counts={"clusters": groups, "values": groups * m},
        fit={"method": "noncentral t", "df": groups - 1},
        references=("donnerklar2000",),
        check=CLUSTERED_MEAN,
    )


def clustered_mean_width(
    clusters: int, size: int, sd: float, icc: float, level: float = 0.95
) -> float:
    """Return half the width of the t interval of a mean of clustered values; its variance as in `power_clustered_mean`.

    Examples
    --------
    >>> round(clustered_mean_width(30, 8, 1.0, 0.25), 4)
    0.2189
    """
    between, within = variance_components(icc, sd, None, None)
    quantile = float(stdtrit(clusters - 1, (1 + level) / 2))
    # Donner & Klar (2000): the variance of a mean of G cluster means
    return quantile * math.sqrt((between**2 + within**2 / size) / clusters)


def plan_result(
    metric: str,
    settings: Settings,
    reject: Callable[[int, int], int],
    *,
    terms: dict[str, tuple[float, str]],
    phrases: Sequence[str],
    fit: Mapping[str, Any],
    further_rows: Sequence[Row] = (),
    **fields: Any,
) -> PlanResult:
    """Return a plan: a row for each of `terms` (value, and how it came about), simulated power where asked, a sentence.

    Parameters
    ----------
    reject : callable
        (simulations, seed) -> how many simulated studies reject.
    phrases : sequence of str
        Design, effect, test and, where there is one, condition of the effect: what `plan_sentence` takes.
    further_rows : sequence of Row
        Rows after those of `terms`.
    **fields
        Further fields of the result.
    """
    rows = [
        Row(
            term=term,
            estimate=float(value),
            method="computed" if term == settings["solved"] else how,
        )
        for term, (value, how) in terms.items()
    ]
    rows += further_rows
    if settings["by"] == "simulation":
        n = checked_integer("simulations", settings["simulations"], least=FEWEST_SIMULATIONS)
        p = reject(n, checked_integer("seed", settings["seed"], least=0)) / n
        low, high = wilson(np.array([p]), np.array([float(n)]))
        row = Row(
            term="power_simulated",
            estimate=p,
            std_error=math.sqrt(p * (1 - p) / n) or None,
            n=float(n),
            method=f"share of simulated studies with p below {settings['alpha']:g}; "
            "Wilson interval of the Monte-Carlo error",
        )
        rows.append(with_ends(row, float(low[0]), float(high[0]), 0.95))
    seed = settings["seed"] if settings["by"] == "simulation" else None
    words = plan_sentence(rows, settings["solved"], *phrases)
    return PlanResult(
        metric=metric,
        settings=settings,
        rows=tuple(rows),
        fit={**fit, "seed": seed},
        words=words,
        **fields,
    )


def quantity_left_out(quantities: dict[str, Any]) -> str:
    """Return the name of the one quantity that is None.

    Raises
    ------
    InputError
        If not exactly one is.
    """
    missing = [name for name, value in quantities.items() if value is None]
    if len(missing) != 1:
        arguments = [f"{name}={value!r}" for name, value in quantities.items() if value is not None]
        raise InputError(
            f"leave out exactly one of {', '.join(quantities)}: it is computed from the others "
            f"(given: {', '.join(arguments) or 'nothing'})"
        )
    return missing[0]


def checked_choices(**options: str) -> None:
    """Raise InputError unless the value of each named option is one of its choices."""
    for name, value in options.items():
        if value not in CHOICES[name]:
            raise InputError(f"{name} '{value}' is not one of {', '.join(CHOICES[name])}")


def checked_finite(name: str, value: Any) -> float:
    """Return a finite number."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not math.isfinite(value)
    ):
        raise InputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def checked_share(name: str, value: Any, *, least: float = 0.0) -> float:
    """Return a number strictly between `least` and 1."""
    checked = checked_finite(name, value)
    if not least < checked < 1:
        raise InputError(f"{name} must be above {least:g} and below 1, not {value!r}")
    return checked


def checked_integer(name: str, value: Any, *, least: int) -> int:
    """Return a whole number of at least `least`."""
    checked = checked_finite(name, value)
    if checked < least or checked % 1:
        raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(checked)


def checked_discordant(discordant: float | None) -> float:
    """Return the share of discordant pairs."""
    if discordant is None:
        raise InputError(
            "discordant must be given: the share of pairs expected to differ (p10 + p01)"
        )
    checked = checked_finite("discordant", discordant)
    if not 0 < checked <= 1:
        raise InputError(f"discordant must be above 0 and at most 1, not {discordant!r}")
    return checked


def checked_effect(effect: float, discordant: float) -> float:
    """Return the difference of the proportions."""
    checked = checked_finite("effect", effect)
    if abs(checked) > discordant * (1 + 1e-12):
        raise InputError(
            f"effect={effect!r} is larger than discordant={discordant:g}: the difference p10 - p01 is at most their sum"
        )
    return checked


def variance_components(
    icc: float | None, sd: float, sd_between: float | None, sd_within: float | None
) -> tuple[float, float]:
    """Standard deviations between and within clusters, from either way to give them."""
    by_sds = sd_between is not None or sd_within is not None
    if by_sds == (icc is not None):
        raise InputError(
            "the dependence must be described in one way. Give icc= with sd=, or sd_between= with sd_within="
        )
    if icc is not None:
        share_between, total_sd = checked_finite("icc", icc), checked_finite("sd", sd)
        if not 0 <= share_between <= 1:
            raise InputError(f"icc must be from 0 to 1, not {icc!r}")
        if total_sd <= 0:
            raise InputError(f"sd={sd!r} must be above 0")
        return total_sd * math.sqrt(share_between), total_sd * math.sqrt(1 - share_between)
    if sd_between is None or sd_within is None:
        raise InputError("give both sd_between and sd_within")
    sds = checked_finite("sd_between", sd_between), checked_finite("sd_within", sd_within)
    if min(sds) < 0 or max(sds) == 0:
        raise InputError(
            f"sd_between={sd_between!r} and sd_within={sd_within!r}: neither below 0, not both 0"
        )
    return sds


def solve(
    n: int | None,
    effect: float | None,
    power: float | None,
    power_at: PowerAt,
    *,
    alpha: float,
    least: int,
    largest: float,
    steady: bool = True,
) -> tuple[int, float]:
    """Return n and effect, the one that was left out computed; `power` is in its range, or None.

    Parameters
    ----------
    power_at : callable
        (n, effect) -> power.
    least : int
        Smallest n.
    largest : float
        Largest effect; its sign is that of the effect looked for.
    steady : bool
        As in `smallest_n`.
    """
    if power is None:
        assert n is not None
        assert effect is not None
        return n, effect
    target = checked_share("power", power, least=alpha)
    if effect is not None:
        return smallest_n(lambda k: power_at(k, effect), target, least=least, steady=steady), effect
    assert n is not None
    # power grows with the size of the effect, so the search is over its size
    sign = math.copysign(1.0, largest)
    return n, sign * smallest_effect(lambda x: power_at(n, sign * x), target, largest=abs(largest))


def solve_t(
    name: str,
    n: int | None,
    effect: float | None,
    power_at: PowerAt,
    settings: Settings,
    *,
    unit: float = 1.0,
) -> tuple[int, float]:
    """Check the n (called `name`) and the effect of a t test, and compute the one that was left out; as `solve`."""
    asked_n = None if n is None else checked_integer(name, n, least=2)
    d, alternative = (
        None if effect is None else checked_finite("effect", effect),
        settings["alternative"],
    )
    sign = -1 if alternative == "less" else 1
    # no n reaches the power where the effect is 0, or on the other side of the test
    if d is not None and n is None and (d == 0 or (alternative != "two_sided" and sign * d < 0)):
        raise InputError(
            f"effect={d:g} can never be shown by a test with alternative='{alternative}'"
        )
    largest = sign * LARGEST_EFFECT * unit
    return solve(
        asked_n, d, settings["power"], power_at, alpha=settings["alpha"], least=2, largest=largest
    )


def exact_n(power_at: Any, target: float, integer_n: int) -> float:
    """The fractional n at which the power is exactly the target (never below 2)."""
    from scipy.optimize import brentq

    # the power crosses the target between the n before and this one
    if integer_n <= 2 or integer_n > LARGEST:
        return float(integer_n)
    return float(brentq(lambda k: power_at(k) - target, integer_n - 1, integer_n, xtol=1e-12))


def t_rejections(
    draw: Callable[[np.random.Generator, int], FloatArray],
    n: int,
    numbers: int,
    noun: str,
    settings: Settings,
    simulations: int,
    seed: int,
) -> int:
    """Count the rejections among t tests of simulated studies.

    Parameters
    ----------
    draw : callable
        From a generator and a number of studies to their values, (studies, n).
    n : int
        Values of a study that the test takes.
    numbers : int
        Random numbers that a study needs, one for each of `noun`.
    noun : str
    settings : mapping
        With ``alpha`` and ``alternative``.
    simulations, seed : int

    Raises
    ------
    UndefinedStatistic
        If a study needs more numbers than can be held.
    """
    if numbers > MOST_NUMBERS:
        raise UndefinedStatistic(
            f"simulation draws every {noun}, and {numbers:,} are too many; use by='formula'"
        )
    rng = np.random.default_rng(seed)
    alpha, alternative = settings["alpha"], settings["alternative"]
    critical = float(stdtrit(n - 1, 1 - alpha / 2 if alternative == "two_sided" else 1 - alpha))
    block, rejected = max(1, MOST_NUMBERS // numbers), 0
    for start in range(0, simulations, block):
        values = draw(rng, min(block, simulations - start))
        t = values.mean(axis=1) * math.sqrt(n) / values.std(axis=1, ddof=1)
        extremity = {"two_sided": np.abs(t), "greater": t, "less": -t}[alternative]
        rejected += int((extremity > critical).sum())
    return rejected


def mcnemar_rejections(
    n: int, discordant: float, delta: float, alpha: float, test: Test, simulations: int, seed: int
) -> int:
    """Count the rejections among tests of simulated tables (multinomial draws of the cells)."""
    rng, rejected = np.random.default_rng(seed), 0
    p = np.array([(discordant + delta) / 2, (discordant - delta) / 2, 1 - discordant]).clip(0, 1)
    for start in range(0, simulations, TABLES):
        # the two cells of discordant pairs, and the pairs that agree
        cells = rng.multinomial(n, p / p.sum(), size=min(TABLES, simulations - start))
        b, c, _ = cells.astype(np.float64).T
        rejected += int((mcnemar_p(np.minimum(b, c), b + c, test) <= alpha).sum())
    return rejected


def sides(alternative: str) -> str:
    """Return ``two-sided`` or ``one-sided``."""
    return "two-sided" if alternative == "two_sided" else "one-sided"


def alpha_text(settings: Settings) -> str:
    """Return the level of a test as text."""
    return f"{chr(945)} = {number(settings['alpha'], 3, bounded=True)}"


def plan_sentence(
    rows: Sequence[Row], solved: str, design: str, effect: str, test: str, given: str = ""
) -> str:
    """Return the plan as a sentence; `given` is the condition of the effect, with a space before it."""
    by_term = {row.term: row for row in rows}
    power = f"power {number(by_term['power'].estimate, 3, bounded=True)}"
    if "power_simulated" in by_term:
        simulated = by_term["power_simulated"]
        studies = count(simulated.n or 0, "study", "studies")
        power += f" (simulated: {number(simulated.estimate, 3, bounded=True)} of {studies})"
    if solved == "effect":
        return f"With {design}, the smallest effect that {test} detects with {power}{given} is {effect}."
    if solved == "power":
        return f"With {design}, {test} detects {effect}{given} with {power}."
    return f"To detect {effect}{given}, {test} needs {design}, and then has {power}."
