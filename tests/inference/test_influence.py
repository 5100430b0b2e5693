"""Degrees of freedom of a jackknife's variance, and the cautions of t intervals of means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.dependence import shape_cautions
from socialstats.inference.influence import (
    influence_df,
    jackknife_errors,
    kurtosis_of,
    spread_ends,
)

RNG = np.random.default_rng(7)


def test_df_are_those_of_a_chi_square_with_the_variance_of_the_variance():
    x = RNG.standard_t(4, size=(25, 3))
    x -= x.mean(axis=0)
    spread = 2 / 24 + stats.kurtosis(x) / 25
    assert influence_df(x, np.ones(25)) == pytest.approx(np.clip(2 / spread, 1, 24))
    assert influence_df(1e-200 * x, np.ones(25)) == pytest.approx(influence_df(x, np.ones(25)))


def test_alike_units_are_written_out_and_some_may_not_enter():
    x, times = np.array([[-2.0], [1.0], [5.0], [-3.0]]), np.array([3.0, 4.0, 1.0, 1.0])
    written = np.repeat(x, times.astype(int), axis=0)
    assert influence_df(x - written.mean(), times) == pytest.approx(
        influence_df(written - written.mean(), np.ones(9))
    )
    both = np.column_stack(
        [written - written.mean(), np.where(np.arange(9) < 5, written[:, 0], 0.0)]
    )
    enters = np.column_stack([np.ones(9), np.arange(9) < 5]).astype(float)
    alone = influence_df(both[:5, 1:], np.ones(5))
    assert influence_df(both, enters)[1] == pytest.approx(alone[0])


def test_normal_influences_have_about_n_minus_1_and_one_outlier_few():
    many = influence_df(RNG.standard_normal((40, 400)), np.ones(40))
    assert 30 < np.median(many) <= 39
    one = np.zeros((40, 1))
    one[0] = 1.0
    assert influence_df(one - one.mean(), np.ones(40))[0] < 2.2
    assert np.isnan(influence_df(np.zeros((5, 1)), np.ones(5))[0])
    assert np.isnan(influence_df(np.ones((1, 1)), np.ones(1))[0])


def test_the_jackknife_of_a_mean_is_its_t_interval_but_for_df():
    x = RNG.exponential(size=15)
    found = jackknife_errors(((x.sum() - x) / 14)[:, None], np.ones(15))
    assert found.std_error[0] == pytest.approx(stats.sem(x))
    low, high = found.interval(np.array([x.mean()]), 0.9)
    reach = stats.t.ppf(0.95, found.df[0]) * stats.sem(x)
    assert (low[0], high[0]) == pytest.approx((x.mean() - reach, x.mean() + reach))
    assert np.isnan(jackknife_errors(np.ones((4, 1)), np.ones(4)).std_error[0])


@pytest.mark.parametrize("clusters", [0, 1, 2])
def test_skewed_sums_are_cautioned_whatever_the_clusters(clusters):
    codes = [np.repeat(np.arange(12), 12), np.tile(np.arange(12), 12)][:clusters]
    effect = np.where(np.arange(12) == 3, 6.0, 0.0)
    noise = 0.1 * RNG.standard_normal(144)
    skewed = clustered_mean(
        (effect[codes[0]] if codes else RNG.lognormal(0, 2, 144)) + noise, np.ones(144), codes
    )
    even = clustered_mean(noise, np.ones(144), codes)
    found = shape_cautions([skewed, even])
    assert [c.code for c in found] == ["SS312"] * bool(clusters) + [
        "SS317"
    ]  # 12 clusters show no lack of skewness
    assert "1 mean of 2" in found[-1].detail.replace("in 1 mean", "1 mean")
    assert [c.code for c in shape_cautions([skewed, even], bounded=True)] == ["SS317"]
    assert not shape_cautions(
        [clustered_mean(np.array([2.0, 2.0]), np.ones(2))]
    )  # undefined: no interval to caution


def test_long_tails_of_thirty_values_or_clusters_are_cautioned_and_normal_ones_seldom():
    """Of 400 samples; binomial standard errors are .01, and the shares of 20,000 samples .97, .986 and .045."""
    code = np.repeat(np.arange(30), 5)
    draws = {"lognormal": lambda n: RNG.lognormal(size=n), "normal": RNG.standard_normal}
    told = {}
    for name, draw in draws.items():
        alone = [clustered_mean(draw(30), np.ones(30)) for _ in range(400)]
        groups = [
            clustered_mean(draw(30)[code] + draw(150), np.ones(150), [code]) for _ in range(400)
        ]
        for kind, means in (("values", alone), ("clusters", groups)):
            told[name, kind] = np.mean([bool(shape_cautions([mean])) for mean in means])
    assert min(told["lognormal", kind] for kind in ("values", "clusters")) > 0.93
    assert max(told["normal", kind] for kind in ("values", "clusters")) < 0.08


@pytest.mark.parametrize(("n", "code"), [(5, "SS312"), (24, "SS312"), (25, None)])
def test_few_even_values_do_not_show_their_shape(n, code):
    found = shape_cautions([clustered_mean(np.arange(n, dtype=float), np.ones(n))])
    assert [c.code for c in found] == ([code] if code else [])


def test_the_skewness_of_a_clustered_mean_is_at_least_that_of_its_values_by_their_effective_number():
    values, code = RNG.lognormal(size=120), np.repeat(np.arange(30), 4)
    found = clustered_mean(values, np.ones(120), [code])
    off = values - values.mean()
    effective = min(120.0, (off @ off / 119) / found.std_error**2)
    single = abs(stats.skew(values)) / np.sqrt(effective)
    sums = off.reshape(30, 4).sum(axis=1)
    assert found.skewness == pytest.approx(max(single, abs((sums**3).sum()) / (sums @ sums) ** 1.5))


def test_ends_of_a_standard_deviation_are_the_wider_of_bonetts_and_the_jackknifes() -> None:
    """The jackknife of the log of the variance leaves each value out."""
    rng = np.random.default_rng(4)
    jackknifed = 0
    for values in (rng.normal(5, 2, 30), rng.lognormal(0, 1, 30), rng.exponential(1, 12)):
        n = len(values)
        left = np.array([np.log(np.delete(values, k).var(ddof=1)) for k in range(n)])
        pseudo = n * np.log(values.var(ddof=1)) - (n - 1) * left
        df = float(influence_df((left - left.mean())[:, None], np.ones(n))[0])
        half = stats.t.ppf(0.975, df) * pseudo.std(ddof=1) / np.sqrt(n)
        z = stats.norm.ppf(0.975)
        centre = np.log(n / (n - z) * values.var(ddof=1))
        reach = z * n / (n - z) * np.sqrt((kurtosis_of(values) - (n - 3) / n) / (n - 1))
        low = np.sqrt(np.exp(min(centre - reach, pseudo.mean() - half)))
        high = np.sqrt(np.exp(max(centre + reach, pseudo.mean() + half)))
        jackknifed += pseudo.mean() + half > centre + reach
        assert spread_ends(values, 0.95) == pytest.approx((low, high))
    assert 0 < jackknifed < 3
