"""Numbers of paired differences and of sizes of estimates, against scipy, closed forms and brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.paired.mean_sizes import (
    MeanSizeEstimates,
    folded_mean,
    influence_correlation,
    influence_products,
    no_bias,
)
from socialstats.paired.noncentral_t import (
    d_z_interval,
    hedges_j,
    integrated_tail,
    log_peak,
    noncentral_t_tail,
    noncentrality_interval,
)
from socialstats.paired.pair_sizes import (
    complete_summary,
    effect_size_moments,
    error_ratio,
    excess_kurtosis,
    is_heaped,
    skewness_of,
    summary_of,
    tail_cautions,
)
from socialstats.paired.pair_values import PairValues


@pytest.mark.parametrize(("t", "n"), [(2.5, 12), (-0.4, 5), (0.0, 30), (6.0, 3)])
def test_ends_of_d_z_are_noncentralities_at_which_t_is_as_rare_as_asked(t: float, n: int) -> None:
    low, high = (end * math.sqrt(n) for end in d_z_interval(t, n, 0.9))
    assert stats.nct.sf(t, n - 1, low) == pytest.approx(0.05, rel=1e-6)
    assert stats.nct.cdf(t, n - 1, high) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize(
    ("t", "df"), [(math.inf, 9), (math.nan, 9), (1, 0), (1, -2), (1, math.inf)]
)
def test_noncentralities_need_a_finite_t_and_positive_df(t: float, df: float) -> None:
    with pytest.raises(InputError, match="finite t and positive df"):
        noncentrality_interval(t, df)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize(("t", "df", "center"), [(2.0, 7, 1.0), (1.0, 20, -1.0), (0.5, 3, 2.0)])
def test_tails_of_the_noncentral_t_are_scipys(
    t: float, df: float, center: float, upper: bool
) -> None:
    wanted = (stats.nct.sf if upper else stats.nct.cdf)(t, df, center)
    assert integrated_tail(t, df, center, upper) == pytest.approx(wanted, rel=1e-8)
    assert noncentral_t_tail(-t, df, -center, upper=not upper) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("df", [1.0, 3.5, 40.0, 1e5, 1e9])
def test_the_peak_of_log_u_is_its_density_at_the_mode(df: float) -> None:
    """U = sqrt(chi-square / df) has the mode of log U at 0."""
    wanted = stats.chi2.logpdf(df, df) + math.log(2 * df)
    assert log_peak(df) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("df", [1.5, 4.0, 60.0, 5000.0, 1e6])
def test_hedges_correction_is_the_mean_of_one_over_u(df: float) -> None:
    """E sqrt(df / chi-square), by its density for few df, and 1 - 3 / (4 df - 1) for many."""
    if df < 1000:
        mean = stats.chi2.expect(lambda x: math.sqrt(df / x), args=(df,))
        assert hedges_j(df) == pytest.approx(1 / mean, rel=1e-6)
    assert hedges_j(df) == pytest.approx(1 - 3 / (4 * df - 1), abs=0.2 / df**2)
    with pytest.raises(UndefinedStatistic):
        hedges_j(1)


def summary(**numbers: Any) -> Any:
    names = ("t", "mean", "sd", "sd_first", "sd_second", "r")
    return complete_summary(**({"n": 16.0} | dict.fromkeys(names) | numbers))


def test_what_follows_from_the_numbers_of_a_summary() -> None:
    sds = {"sd_first": 3.0, "sd_second": 2.0}
    by_r = summary(mean=1.5, r=-0.5, **sds)
    assert by_r.sd == pytest.approx(math.sqrt(9 + 4 + 6))
    assert by_r.t == pytest.approx(1.5 * 4 / math.sqrt(19))
    by_sd = summary(mean=1.5, sd=math.sqrt(19), **sds)
    assert by_sd.r == pytest.approx(-0.5)
    assert summary(t=2.0, sd=3.0).mean == pytest.approx(1.5)
    assert summary(t=-2.0, mean=-1.5).sd == pytest.approx(3)
    assert summary(mean=1.5, **sds).t is None
    assert by_r.sizes()["d_av"] == pytest.approx(1.5 / math.sqrt(6.5))
    assert by_r.sizes()["d_rm"] == pytest.approx(1.5 / math.sqrt(19) * math.sqrt(3))
    perfect = summary(mean=1.0, r=1.0, **sds)
    assert perfect.sd == pytest.approx(1)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"t": 2.0, "sd_second": -1.0}, "sd_second must be above 0"),
        ({"t": 2.0, "sd": 0.0}, "sd must be above 0"),
        ({"t": 2.0, "n": 1.0}, "n must be a whole number"),
        ({"t": 2.0, "n": 2.5}, "n must be a whole number"),
        ({"t": 2.0, "r": 1.5}, "r must be between"),
        ({"t": 2.0, "mean": -1.0}, "different signs"),
        ({"t": 0.0, "mean": 1.0}, "different signs"),
        ({"t": 2.0, "mean": 1.0, "sd": 1.0}, "redundant"),
        ({"mean": 1.0}, "give t="),
        ({"mean": 1.0, "sd_first": 1.0, "sd_second": 1.0, "r": 1.0}, "no variation"),
        ({"mean": 1.0, "sd_first": 1.0, "sd_second": 1.0, "sd": 2.1}, "impossible"),
        ({"sd": 1.0, "sd_first": 1.0, "sd_second": 1.0, "r": 0.5}, "redundant"),
    ],
)
def test_numbers_of_a_summary_that_cannot_be(numbers: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        summary(**numbers)


def test_the_fewest_pairs_and_the_ends_of_r_are_allowed() -> None:
    assert summary(t=2.0, n=2.0).n == 2
    assert summary(mean=1.0, sd_first=1.0, sd_second=2.0, r=-1.0).sd == pytest.approx(3)
    assert summary(mean=1.0, sd_first=1.0, sd_second=1.0, sd=2.0).r == pytest.approx(-1)


DRAWN = np.random.default_rng(8)
VALUES, COUNT = DRAWN.gamma(2.0, size=9), np.array([1.0, 3, 1, 2, 1, 1, 4, 1, 2])
ROWS = np.repeat(VALUES, COUNT.astype(int))


def test_shapes_of_values_are_scipys() -> None:
    assert excess_kurtosis(VALUES, COUNT) == pytest.approx(stats.kurtosis(ROWS))
    cubes = stats.skew(ROWS) / math.sqrt(len(ROWS))
    assert skewness_of(VALUES, COUNT) == pytest.approx(cubes)
    assert skewness_of(-VALUES, COUNT) == pytest.approx(cubes)
    d_z = 0.7
    shape = 1 - d_z * stats.skew(ROWS) + d_z**2 * (stats.kurtosis(ROWS) + 2) / 4
    wanted = math.sqrt(shape / (1 + d_z**2 / 2))
    assert error_ratio(VALUES, COUNT, d_z) == pytest.approx(wanted)


def pairs(first: Any, second: Any, count: Any = None) -> PairValues:
    first, second = np.array(first, float), np.array(second, float)
    count = np.ones(len(first)) if count is None else np.array(count, float)
    return PairValues(
        difference=first - second,
        first=first,
        second=second,
        count=count,
        n=int(count.sum()),
        magnitude=float(np.abs([first, second]).max()),
        tolerance=np.zeros(len(first)),
    )


def test_sizes_by_sums_and_by_a_summary_are_those_of_the_rows() -> None:
    first, second = DRAWN.normal(5, 2, 9), DRAWN.normal(4, 1, 9)
    found = pairs(first, second, COUNT)
    x, y = (np.repeat(values, COUNT.astype(int)) for values in (first, second))
    d = x - y
    d_z = d.mean() / d.std(ddof=1)
    d_av = d.mean() / math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2)
    wanted = [d_z, d_av, d_z * math.sqrt(2 * (1 - np.corrcoef(x, y)[0, 1]))]
    table, finish = effect_size_moments(found)
    assert finish(table.sum(axis=0)[None])[0] == pytest.approx(wanted)
    made = summary_of(found)
    assert [*made.sizes().values()] == pytest.approx(wanted)
    assert made.t == pytest.approx(stats.ttest_rel(x, y).statistic)
    assert made.skewness == pytest.approx(stats.skew(d) / math.sqrt(len(d)))


def test_constant_conditions_have_no_correlation_and_alike_differences_no_t() -> None:
    flat = summary_of(pairs([1, 2, 4], [3, 3, 3]))
    assert (flat.r, flat.sd_second) == (None, 0)
    assert flat.t is not None
    alike = summary_of(pairs([1, 2, 4], [0, 1, 3]))
    assert (alike.t, alike.sd, alike.r, alike.heaped) == (None, None, 1, False)


@pytest.mark.parametrize(
    ("values", "count", "heaped"),
    [
        ([0, 1, 2], [2, 1, 2], True),
        ([0, 1, 2], [1, 3, 2], False),
        ([0, 1, 2], [2, 3, 1], False),
        ([0, 1, 3], [2, 3, 2], False),
        ([0, 1], [2, 2], True),
        ([1], [9], False),
    ],
)
def test_values_are_heaped_on_even_steps_whose_ends_were_met_twice(
    values: list[float], count: list[float], heaped: bool
) -> None:
    assert is_heaped(np.array(values, float), np.array(count, float)) == heaped


def test_long_tails_are_shown_by_the_differences_of_all_pairs() -> None:
    """One cell of many alike pairs and one pair far away; the counts alone would show no tail."""
    far = pairs([*range(40), 600.0], [0.0] * 41, [1.0] * 41)
    (told,) = tail_cautions(far, 1000, 0.5)
    assert told.code == "SS317"
    even = pairs([*range(40)], [0.0] * 40, [*range(1, 41)])
    assert "SS317" not in [c.code for c in tail_cautions(even, 10_000, 0.5)]
    (few,) = tail_cautions(even, 5, 0.5)
    assert few.code == "SS312"


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 2.0), (1.5, 0.5), (-3.0, 2.0)])
def test_the_mean_of_a_folded_normal_is_scipys(mean: float, sd: float) -> None:
    wanted = stats.foldnorm.mean(abs(mean) / sd, scale=sd)
    assert folded_mean(mean, sd) == pytest.approx(wanted)


def estimates(**fields: Any) -> MeanSizeEstimates:
    plain = {
        "value": np.array([0.5, -0.2, 1.0]),
        "error": np.array([0.1, 0.3, 0.2]),
        "df": np.array([9.0, 5.0, 30.0]),
        "correlation": np.array([[1, 0.6, 0], [0.6, 1, 0.3], [0, 0.3, 1]]),
        "weight": np.array([0.5, 0.3, 0.2]),
        "block": np.array([0, 0, 1]),
    }
    return MeanSizeEstimates(**(plain | fields))


def test_sizes_of_estimates_are_weighted_and_less_what_errors_add() -> None:
    made = estimates()
    assert made.size == pytest.approx(0.25 + 0.06 + 0.2)
    folded = [
        stats.foldnorm.mean(abs(v) / e, scale=e)
        for v, e in zip(made.value, made.error, strict=True)
    ]
    assert made.corrected == pytest.approx(2 * made.size - np.array(folded) @ made.weight)
    assert estimates(value=np.full(3, 0.01)).corrected == 0


def test_signs_are_reliable_where_every_interval_excludes_zero() -> None:
    made = estimates()
    ends = stats.t.ppf(0.975, made.df) * made.error
    assert estimates(value=ends * [1.01, -1.01, 1.01]).signs_reliable(0.95)
    for k in range(3):
        value = ends * 1.01
        value[k] = ends[k] * 0.99
        assert not estimates(value=value).signs_reliable(0.95)


def test_errors_are_drawn_as_correlated_ts_of_the_fewest_df_of_their_block() -> None:
    drawn = estimates().draw_errors(3) / np.array([0.1, 0.3, 0.2])
    for column, df in zip(drawn.T, (5, 5, 30), strict=True):
        assert stats.kstest(column, stats.t(df).cdf).pvalue > 0.001
    ranks = stats.spearmanr(drawn).statistic
    rank = 6 / np.pi * np.arcsin(0.3)  # of normal values with a correlation of .6
    assert ranks[0, 1] == pytest.approx(rank, abs=0.03)
    assert ranks[0, 2] == pytest.approx(0, abs=0.03)
    # the shared chi-square makes sizes of one block go together
    sizes = stats.spearmanr(np.abs(estimates(correlation=np.eye(3)).draw_errors(3))).statistic
    assert sizes[0, 1] > 0.1
    assert abs(sizes[0, 2]) < 0.03


def test_without_bias_the_share_of_draws_and_the_fewest_df_are_told() -> None:
    made = estimates()
    errors = np.array([[0.5, 0.2, 1.0], [2.0, 0, 0], [0.1, 0.1, -0.1], [0, 0, -2.6]])
    null = no_bias(made, errors)
    assert null.p_value == pytest.approx((3 + 1) / 5)
    assert (null.df, null.draws) == (5, 4)
    assert null.null_mean == pytest.approx((0.05 + 0.09 + 0.04) * math.sqrt(2 / math.pi))


def test_products_of_influences_are_of_their_sums_within_clusters() -> None:
    influence, codes = DRAWN.normal(size=(12, 2)), np.arange(12) % 4
    sums = np.array([influence[codes == k].sum(axis=0) for k in range(4)])
    by_cluster = sums.T @ sums * 4 / 3
    assert influence_products(influence, [codes]) == pytest.approx(by_cluster)
    rows = influence.T @ influence * 12 / 11
    assert influence_products(influence, []) == pytest.approx(rows)
    both = influence_products(influence, [codes, np.arange(12)])
    assert both == pytest.approx(by_cluster + rows)
    sd = np.sqrt(np.diag(by_cluster))
    assert influence_correlation(influence, [codes]) == pytest.approx(by_cluster / np.outer(sd, sd))
    assert influence_products(influence, [np.zeros(12, int)]) == pytest.approx(
        np.outer(influence.sum(axis=0), influence.sum(axis=0))
    )
