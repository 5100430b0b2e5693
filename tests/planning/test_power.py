"""Power against R, brute force, statsmodels, and simulated studies; what is left out is what is computed."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from socialstats import (
    InputError,
    UndefinedStatistic,
    power_clustered_mean,
    power_mcnemar,
    power_paired_t,
)
from socialstats.inference.power import most_extreme, smallest_n, upper_tail
from socialstats.planning.curves import curve_of
from tests.golden_data import golden

SIDES = {"two.sided": "two_sided", "one.sided": "greater"}


def value(plan, term="power"):
    return plan.row(term).estimate


def test_paired_t_is_r_power_t_test():
    r = golden("planning")["paired_t"]
    for case in r["power"]:
        ours = power_paired_t(
            n=case["n"],
            effect=case["d"],
            alpha=case["alpha"],
            alternative=SIDES[case["alternative"]],
        )
        assert value(ours) == pytest.approx(case["power"], rel=1e-9)
    for case in r["n"]:
        ours = power_paired_t(
            effect=case["d"], power=case["power"], alternative=SIDES[case["alternative"]]
        )
        assert ours.extras["n_exact"] == pytest.approx(case["n"], rel=1e-7)
        assert value(ours, "n") == math.ceil(case["n"])
    for case in r["effect"]:
        ours = power_paired_t(n=case["n"], power=case["power"])
        assert value(ours, "effect") == pytest.approx(case["d"], rel=1e-7)


def test_clustered_mean_is_the_noncentral_t_of_r():
    for case in golden("planning")["clustered"]:
        ours = power_clustered_mean(**{k: case[k] for k in ("clusters", "size", "icc", "effect")})
        assert value(ours) == pytest.approx(case["power"], rel=1e-8)


def test_mcnemar_is_the_sum_over_all_tables():
    for case in golden("planning")["mcnemar"]:
        p10, p01 = case["p10"], case["p01"]
        ours = power_mcnemar(n=case["n"], effect=p10 - p01, discordant=p10 + p01, test=case["test"])
        assert value(ours) == pytest.approx(case["power"], rel=1e-9)


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic", "corrected"])
def test_rejection_regions_are_those_of_the_tests(test):
    m = np.arange(0, 300)
    found = most_extreme(m.astype(float), 0.05, test)
    for size, c in zip(m.tolist(), found.tolist(), strict=True):
        k = np.arange(0, size // 2 + 1)
        if test in ("exact", "mid_p"):
            p = 2 * stats.binom.cdf(k, size, 0.5) - (
                stats.binom.pmf(k, size, 0.5) if test == "mid_p" else 0
            )
        else:
            gap = np.maximum(size - 2 * k - (test == "corrected"), 0)
            p = stats.chi2.sf(gap**2 / max(size, 1), 1)
        rejects = k[np.minimum(p, 1) <= 0.05]
        assert c == (rejects.max() if size and len(rejects) else -1)


PLANS = {
    "t": lambda **o: power_paired_t(n=17, effect=0.6, **o),
    "t, one side": lambda **o: power_paired_t(n=40, effect=-0.3, alternative="less", **o),
    "t, no effect": lambda **o: power_paired_t(n=6, effect=0.0, **o),
    "mid-p": lambda **o: power_mcnemar(n=60, effect=0.2, discordant=0.4, **o),
    "exact": lambda **o: power_mcnemar(n=60, effect=-0.2, discordant=0.4, test="exact", **o),
    "asymptotic, no effect": lambda **o: power_mcnemar(
        n=25, effect=0.0, discordant=1.0, test="asymptotic", **o
    ),
    "clusters": lambda **o: power_clustered_mean(clusters=12, size=8, icc=0.2, effect=0.35, **o),
    "clusters, parts": lambda **o: power_clustered_mean(
        clusters=9, size=20, sd_between=0.5, sd_within=2.0, effect=0.6, alternative="greater", **o
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_simulated_studies_agree(name):
    plan = PLANS[name](by="simulation", simulations=20_000, seed=5)
    simulated = plan.row("power_simulated")
    assert abs(simulated.estimate - value(plan)) < 4.5 * simulated.std_error
    assert simulated.conf_low < simulated.estimate < simulated.conf_high
    assert plan.to_dict() == PLANS[name](by="simulation", simulations=20_000, seed=5).to_dict()
    assert plan.verify().ok, plan.verify().tidy().to_string()


@pytest.mark.parametrize("name", PLANS)
def test_reads_like_any_result(name):
    import matplotlib as mpl

    mpl.use("Agg")
    plan = PLANS[name]()
    json.dumps(plan.to_dict(), allow_nan=False)
    assert pickle.loads(pickle.dumps(plan)).to_dict() == plan.to_dict()
    assert "\n" not in plan.sentence()
    assert plan.sentence().endswith(".")
    assert plan.title in plan.summary()
    assert plan.cite()
    assert plan.verify().ok
    axes = plan.plot()
    assert axes.get_ylabel() == "Power"
    assert len({(r.term, r.group) for r in plan.rows}) == len(plan.rows)


SOLVED = [
    (power_paired_t, "n", {"effect": 0.4, "power": 0.9}),
    (power_paired_t, "n", {"effect": -0.4, "power": 0.9, "alternative": "less"}),
    (power_paired_t, "n", {"effect": 4.0, "power": 0.9}),
    (power_clustered_mean, "clusters", {"effect": 0.3, "power": 0.8, "size": 14, "icc": 0.1}),
]


@pytest.mark.parametrize(("function", "term", "given"), SOLVED)
def test_n_is_the_smallest_that_reaches_the_power(function, term, given):
    plan = function(**given)
    n, rest = int(value(plan, term)), {k: v for k, v in given.items() if k != "power"}
    assert value(plan) >= given["power"]
    assert plan.row(term).method == "computed"
    if n > 2:
        assert value(function(**{term: n - 1}, **rest)) < given["power"]
    assert plan.verify().ok


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic", "corrected"])
@pytest.mark.parametrize(("effect", "discordant"), [(0.2, 0.4), (0.15, 0.15), (0.5, 1.0)])
@pytest.mark.slow
def test_mcnemar_n_stays_at_its_power(test, effect, discordant):
    plan = power_mcnemar(effect=effect, discordant=discordant, power=0.8, test=test)
    n = int(value(plan, "n"))
    powers = [
        value(power_mcnemar(n=k, effect=effect, discordant=discordant, test=test))
        for k in range(n - 1, n + 60)
    ]
    assert powers[0] < 0.8 <= min(powers[1:])


@pytest.mark.slow
def test_mcnemar_of_very_many_pairs_is_near_the_normal_approximation():
    plan = power_mcnemar(effect=0.002, discordant=0.2, power=0.9)
    z = stats.norm.ppf([0.975, 0.9])
    connor = (z[0] * math.sqrt(0.2) + z[1] * math.sqrt(0.2 - 0.002**2)) ** 2 / 0.002**2
    assert value(plan, "n") == pytest.approx(connor, rel=2e-3)
    assert value(plan, "power_normal") == pytest.approx(0.9, abs=1e-3)
    assert plan.verify().ok


@settings(deadline=None, max_examples=40)
@given(n=st.integers(5, 400), power=st.floats(0.1, 0.99), discordant=st.floats(0.2, 1.0))
def test_smallest_effects_have_their_power(n, power, discordant):
    t = power_paired_t(n=n, power=power)
    assert value(power_paired_t(n=n, effect=value(t, "effect"))) == pytest.approx(power, abs=1e-9)
    try:
        plan = power_mcnemar(n=n, power=power, discordant=discordant)
    except UndefinedStatistic:
        assert value(power_mcnemar(n=n, effect=discordant, discordant=discordant)) < power
        return
    again = power_mcnemar(n=n, effect=value(plan, "effect"), discordant=discordant)
    assert value(again) == pytest.approx(power, abs=1e-8)


def test_clusters_and_their_two_descriptions():
    one = power_clustered_mean(clusters=29, size=50, icc=0.2, sd=3.0, effect=0.5)
    two = power_clustered_mean(
        clusters=29,
        size=50,
        sd_between=3 * math.sqrt(0.2),
        sd_within=3 * math.sqrt(0.8),
        effect=0.5,
    )
    assert value(one) == pytest.approx(value(two), rel=1e-12)
    assert value(one, "design_effect") == pytest.approx(10.8)
    assert value(one, "effective_n") == pytest.approx(1450 / 10.8)
    assert value(one, "n") == 1450
    # one value a cluster, or no dependence, is the paired t
    alone = power_clustered_mean(clusters=30, size=1, icc=0.7, effect=0.4)
    assert value(alone) == pytest.approx(value(power_paired_t(n=30, effect=0.4)), rel=1e-12)
    # more values a cluster do not help beyond the variance between clusters
    many = power_clustered_mean(clusters=29, size=10**6, icc=0.2, effect=0.2)
    assert value(many) == pytest.approx(
        value(power_paired_t(n=29, effect=0.2 / math.sqrt(0.2))), abs=1e-4
    )


def test_tails_where_scipy_has_no_number():
    """nctdtr is NaN for t and noncentrality of opposite signs far apart."""
    assert upper_tail(16, 9.0, -4.18) == pytest.approx(1.0)
    assert upper_tail(16, -9.0, 4.18) == pytest.approx(0.0)
    assert value(power_paired_t(n=1000, effect=3.0)) == pytest.approx(1.0)
    assert value(power_paired_t(n=1000, effect=3.0, alternative="less")) == pytest.approx(0.0)


def test_sentences():
    assert power_paired_t(effect=0.5, power=0.8).sentence() == (
        "To detect d_z = 0.500, a two-sided paired t test at α = .050 needs 34 pairs, and then has power .808."
    )
    said = power_mcnemar(n=100, power=0.8, discordant=0.3).sentence()
    assert said.startswith(
        "With 100 pairs, the smallest effect that McNemar's mid-p test at α = .050 detects"
    )
    said = power_clustered_mean(clusters=29, size=50, icc=0.1, effect=0.2).sentence()
    assert "29 clusters of 50 values (ICC .100, as good as 245.8 independent values)" in said


OK = {"size": 5, "icc": 0.1}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: power_paired_t(), "exactly one"),
        (lambda: power_paired_t(n=10, effect=0.5, power=0.8), "n=10"),
        (lambda: power_paired_t(n=10), "exactly one"),
        (lambda: power_paired_t(n=1, effect=0.5), "at least 2, not 1"),
        (lambda: power_paired_t(n=10.5, effect=0.5), "10.5"),
        (lambda: power_paired_t(n=True, effect=0.5), "True"),
        (lambda: power_paired_t(n=10, effect=math.nan), "nan"),
        (lambda: power_paired_t(n=10, effect="0.5"), "'0.5'"),
        (lambda: power_paired_t(effect=0.5, power=0.05), "above 0.05"),
        (lambda: power_paired_t(effect=0.5, power=80), "80"),
        (lambda: power_paired_t(effect=0, power=0.8), "effect=0"),
        (lambda: power_paired_t(effect=-1, power=0.8, alternative="greater"), "greater"),
        (lambda: power_paired_t(n=10, effect=0.5, alpha=5), "alpha"),
        (lambda: power_paired_t(n=10, effect=0.5, alternative="both"), "two_sided, greater, less"),
        (lambda: power_paired_t(n=10, effect=0.5, by="magic"), "formula, simulation"),
        (lambda: power_paired_t(n=10, effect=0.5, by="simulation", simulations=3), "simulations"),
        (lambda: power_paired_t(n=10, effect=0.5, by="simulation", seed=-1), "seed"),
        (lambda: power_mcnemar(n=10, effect=0.1), "discordant must be given"),
        (lambda: power_mcnemar(n=10, effect=0.1, discordant=30), "30"),
        (lambda: power_mcnemar(n=10, effect=0.4, discordant=0.3), "larger than discordant"),
        (lambda: power_mcnemar(effect=0, power=0.8, discordant=0.3), "effect=0"),
        (lambda: power_mcnemar(n=10, effect=0.1, discordant=0.3, test="midp"), "mid_p, exact"),
        (lambda: power_clustered_mean(clusters=10, effect=0.5, icc=0.1), "size must be given"),
        (lambda: power_clustered_mean(clusters=1, effect=0.5, **OK), "clusters"),
        (lambda: power_clustered_mean(clusters=10, effect=0.5, size=5), "one way"),
        (lambda: power_clustered_mean(clusters=10, effect=0.5, sd_between=1.0, **OK), "one way"),
        (lambda: power_clustered_mean(clusters=10, effect=0.5, size=5, sd_between=1.0), "both"),
        (lambda: power_clustered_mean(clusters=10, effect=0.5, size=5, icc=1.2), "1.2"),
        (
            lambda: power_clustered_mean(clusters=10, effect=0.5, size=5, icc=0.2, sd=0),
            "sd=0 must be above 0",
        ),
        (
            lambda: power_clustered_mean(
                clusters=10, effect=0.5, size=5, sd_between=-1, sd_within=1
            ),
            "below 0",
        ),
    ],
)
def test_bad_input_is_an_error_that_names_it(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_what_no_study_can_do_is_undefined():
    with pytest.raises(UndefinedStatistic, match="no effect up to"):
        power_mcnemar(n=4, power=0.8, discordant=0.5)
    with pytest.raises(UndefinedStatistic, match="no n up to"):
        power_paired_t(effect=1e-7, power=0.8)
    with pytest.raises(UndefinedStatistic, match="too many"):
        power_paired_t(n=10**8, effect=0.1, by="simulation")


@pytest.mark.parametrize(
    ("slope", "period", "dip"), [(100, 7, 0.0655), (1000, 90, 0.0655), (1000, 13, 0.02)]
)
def test_the_smallest_n_of_a_power_that_falls_now_and_then_is_that_from_which_on_it_suffices(
    slope, period, dip
):
    def power(n):
        return n / slope - dip * (n % period == 0)

    enough = 1 + max(n for n in range(1, slope) if power(n) < 0.4)
    assert smallest_n(power, 0.4, least=2, steady=False) == enough
    assert smallest_n(lambda n: n / slope, 0.4, least=2) == 0.4 * slope


@pytest.mark.parametrize("slope", [12.5, 20, 60, 150])
@pytest.mark.parametrize("least", [1, 4])
def test_the_smallest_n_of_a_rising_power_is_the_same_however_it_is_searched(slope, least):
    found = [
        smallest_n(lambda n: n / slope, 0.4, least=least, steady=steady) for steady in (True, False)
    ]
    assert found == [max(least, math.ceil(0.4 * slope))] * 2


def test_fewer_units_than_the_smallest_n_may_have_reached_the_power_before_it_fell():
    def power(n):
        return 0.5 - 0.3 * (n in (9, 17)) if n > 3 else 0.1

    assert smallest_n(power, 0.4, least=1, steady=False) == 18


@pytest.mark.parametrize("n", [3, 30])
def test_a_curve_shows_the_power_of_sizes_up_to_twice_the_planned_one(n):
    plan = power_paired_t(n=n, effect=0.5)
    curve = curve_of(plan)
    assert (curve["x"][0], curve["x"][-1], curve["at"]) == (2, max(2 * n, 10), n)
    assert curve["reached"] == value(plan)
    for size, power in zip(curve["x"], curve["power"], strict=True):
        assert power == pytest.approx(value(power_paired_t(n=int(size), effect=0.5)), rel=1e-9)
    groups = power_clustered_mean(clusters=6, size=4, sd_between=1.0, sd_within=1.0, effect=0.5)
    some = curve_of(groups, [4, 6])
    assert (some["xlabel"], some["at"]) == ("Clusters", 6)
    assert some["power"][1] == pytest.approx(value(groups), rel=1e-9)


def test_one_of_two_standard_deviations_may_be_zero():
    """Without variance between clusters the t test of their means is that of the means of their values."""
    effect = {"clusters": 6, "size": 4, "effect": 0.5}
    alike = power_clustered_mean(**effect, sd_between=0.0, sd_within=1.0)
    assert value(alike) == pytest.approx(value(power_paired_t(n=6, effect=0.5 * 2)), rel=1e-9)
    same = power_clustered_mean(**effect, sd_between=1.0, sd_within=0.0)
    assert value(same) == pytest.approx(value(power_paired_t(n=6, effect=0.5)), rel=1e-9)
    for parts in ((0.0, 0.0), (-1.0, 1.0), (1.0, -1.0)):
        with pytest.raises(InputError, match="neither below 0, not both 0"):
            power_clustered_mean(**effect, sd_between=parts[0], sd_within=parts[1])


@pytest.mark.parametrize("alpha", [0.0625, 0.0624])
def test_a_p_of_alpha_rejects_in_simulations_as_in_the_sum(alpha):
    """Five discordant pairs of one kind have the exact p 1/16."""
    options = {"n": 5, "effect": 0.8, "discordant": 1.0, "test": "exact", "alpha": alpha}
    wanted = value(power_mcnemar(**options))
    assert wanted == pytest.approx((0.9**5 + 0.1**5) * (alpha == 0.0625))
    found = value(power_mcnemar(**options, by="simulation", simulations=20_000))
    assert found == pytest.approx(wanted, abs=5 * math.sqrt(0.25 / 20_000))
