from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.paired.effect_sizes import effect_sizes_from_summary
from socialstats.paired.noncentral_t import (
    d_z_interval,
    hedges_j,
    noncentral_t_tail,
    noncentrality_interval,
)
from tests.golden_data import golden

SETS = ("paired_sleep", "paired_anorexia_FT")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("level", "key"), [(0.95, "d_z_ci95_ncp_uniroot"), (0.9, "d_z_ci90_ncp_uniroot")]
)
def test_interval_of_d_z_is_rs(name, level, key):
    r = golden(name)["r"]
    # R's uniroot ran to a tolerance of 1e-12 or so on the noncentrality
    assert d_z_interval(r["t"], r["df"] + 1, level) == pytest.approx(r[key], abs=1e-11)


@pytest.mark.parametrize("name", SETS)
def test_hedges_correction_is_the_exact_gamma_ratio(name):
    r = golden(name)["r"]
    assert hedges_j(r["df"]) == pytest.approx(r["hedges_J_exact"], rel=1e-12)
    with pytest.raises(UndefinedStatistic, match="more than 1"):
        hedges_j(1)


def below(t, df, center):
    """P(T <= t) by integrating the normal distribution function over the chi distribution."""
    chi = stats.chi(df)
    inside = lambda u: stats.norm.cdf(t * u / math.sqrt(df) - center) * chi.pdf(u)  # noqa: E731
    return integrate.quad(inside, chi.ppf(1e-14), chi.isf(1e-14), epsabs=1e-12, limit=200)[0]


@pytest.mark.parametrize("t", [-30.0, -4.18, -0.3, 0.0, 0.8, 4.85, 25.0])
@pytest.mark.parametrize("df", [2, 16, 400])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.slow
def test_ends_put_t_at_the_tails_by_integration(t, df, level):
    low, high = noncentrality_interval(t, df, level)
    assert low < t < high or df < 3
    assert below(t, df, low) == pytest.approx((1 + level) / 2, abs=1e-9)
    assert below(t, df, high) == pytest.approx((1 - level) / 2, abs=1e-9)


@pytest.mark.parametrize("t", [0.0, 0.7, 3.2, 12.0])
def test_sign_is_restored(t):
    low, high = noncentrality_interval(t, 7)
    assert noncentrality_interval(-t, 7) == (-high, -low)


def test_many_pairs_approach_the_normal_interval():
    low, high = noncentrality_interval(2.0, 1e7)
    assert (low, high) == pytest.approx((2 - 1.959964, 2 + 1.959964), abs=1e-5)


def test_where_scipy_has_no_distribution_function_the_solver_goes_on():
    from scipy.special import nctdtr

    holes = [c for c in np.arange(-60.0, 200.0) if math.isnan(nctdtr(1545, c, 60.0))]
    low, high = noncentrality_interval(60.0, 1545)
    assert low < 60 < high
    assert all(not low <= c <= high for c in holes)


@pytest.mark.parametrize(
    ("t", "df", "level"), [(math.nan, 5, 0.95), (math.inf, 5, 0.95), (1, 0, 0.95), (1, 5, 95)]
)
def test_impossible_input(t, df, level):
    with pytest.raises(InputError):
        noncentrality_interval(t, df, level)


@pytest.mark.parametrize("t", [-6.0, -0.4, 0.0, 0.7, 3.0, 40.0])
@pytest.mark.parametrize("df", [1, 4, 29, 500, 40_000])
@pytest.mark.parametrize("center", [-30.0, -3.0, 0.0, 2.0, 37.0])
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.slow
def test_far_tails_keep_their_digits(t, df, center, upper):
    """The other way round: given the normal variable, the chi-square's tail."""
    z = np.linspace(-55, 55, 400_001) if t else np.zeros(0)
    if t == 0:
        expected = stats.norm.logcdf(center if upper else -center)
    else:
        reach = (z + center) / t  # T >= t: z + center >= t U; for t < 0 true of all z above -center
        edge = df * np.maximum(reach, 0) ** 2
        above = t > 0
        given = (stats.chi2.logcdf if above == upper else stats.chi2.logsf)(edge, df)
        expected = np.logaddexp.reduce(stats.norm.logpdf(z) + given) + math.log(z[1] - z[0])
    found = noncentral_t_tail(t, df, center, upper=upper)
    if expected < -700:
        assert found < 1e-300
    else:
        assert math.log(found) == pytest.approx(expected, rel=1e-6, abs=2e-5)


def test_far_tails_of_the_central_t_and_the_normal():
    assert noncentral_t_tail(0.0, 50, -14.0, upper=True) == pytest.approx(
        stats.norm.sf(14), rel=1e-10
    )
    assert noncentral_t_tail(30.0, 40, 0.0, upper=True) == pytest.approx(
        stats.t.sf(30, 40), rel=1e-10
    )
    assert noncentral_t_tail(8.0, 1e6, 0.0, upper=True) == pytest.approx(
        stats.t.sf(8, 1e6), rel=1e-8
    )


@pytest.mark.parametrize(
    "case", golden("noncentral_t")["cases"], ids=lambda c: f"t={c['t']:g}, df={c['df']}"
)
def test_ends_of_any_t_are_rs_quantiles(case):
    # R's uniroot ran to 1e-13 of the end, on integrals right to 1e-13
    ends = noncentrality_interval(case["t"], case["df"])
    assert ends == pytest.approx((case["low"], case["high"]), rel=1e-11)


@pytest.mark.parametrize(
    "case", golden("noncentral_t")["many"], ids=lambda c: f"t={c['t']:g}, df={c['df']:g}"
)
def test_ends_of_small_t_with_many_df_are_rs(case):
    # R's dchisq is right to some 1e-13 for so many df
    ends = noncentrality_interval(case["t"], case["df"])
    assert ends == pytest.approx((case["low"], case["high"]), abs=1e-11)


@pytest.mark.parametrize("t", [1e7, 37_345_188.0, 1e12, 1e200, 1e300])
@pytest.mark.parametrize("df", [1, 5, 29, 1e6])
def test_ends_of_large_t_are_quantiles_of_the_spread(t, df):
    low, high = noncentrality_interval(t, df)
    near = [t * math.sqrt(x / df) for x in stats.chi2.ppf([0.025, 0.975], df)]
    # Z adds a share 1/t^2 (df / chi-square) to the variance of t U
    assert (low, high) == pytest.approx(near, rel=1e-7)


def test_an_end_beyond_the_largest_float_is_undefined():
    with pytest.raises(UndefinedStatistic, match="beyond the largest float"):
        noncentrality_interval(1.7e308, 3)


@pytest.mark.parametrize(
    ("t", "df"), [(2.0, 1e12), (1e-300, 5), (1e4, 1e12), (141.0, 1), (0.0, 1e15)]
)
def test_ends_hold_t(t, df):
    low, high = noncentrality_interval(t, df)
    assert low < t < high


def test_summary_numbers_with_a_large_t():
    row = effect_sizes_from_summary(t=1e5, n=6).row("d_z")
    assert row.conf_high == pytest.approx(
        65_402.6, abs=0.1
    )  # 160,203.0087 of noncentral_t.json over sqrt(6)
    assert row.conf_low == pytest.approx(16_645.44, abs=0.01)
    wide = effect_sizes_from_summary(t=1e6, n=6).row("d_z")
    assert (wide.conf_low, wide.conf_high) == pytest.approx(
        (10 * row.conf_low, 10 * row.conf_high), rel=1e-6
    )


@pytest.mark.parametrize("df", [1500, 1999, 2001, 5000])
def test_hedges_correction_of_many_df(df):
    # Gamma(x + 1) / Gamma(x + 1/2) = Gamma(x) / Gamma(x - 1/2) x / (x - 1/2), from the smallest x up
    steps = np.arange(df % 2 + 2, df, 2)
    start = math.exp(math.lgamma((df % 2 + 2) / 2) - math.lgamma((df % 2 + 1) / 2))
    expected = start * np.exp(np.log1p(1 / (steps - 1)).sum()) / math.sqrt(df / 2)
    assert hedges_j(df) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("df", [1.0, 4.0, 30.0, 5e3, 1e6, 1e8])
@pytest.mark.parametrize("t", [0.0, 0.3, 2.0, 6.0, 40.0])
def test_without_a_center_the_tails_are_those_of_t(t, df):
    for upper, wanted in ((True, stats.t.sf(t, df)), (False, stats.t.cdf(t, df))):
        assert noncentral_t_tail(t, df, 0.0, upper=upper) == pytest.approx(wanted, rel=1e-9)
        assert noncentral_t_tail(-t, df, 0.0, upper=not upper) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("t", "df", "center"), [(2.0, 5, 1.0), (-1.0, 12, 2.0), (3.0, 200, -1.0)])
def test_both_tails_are_the_integral_and_sum_to_one(t, df, center):
    lower, upper = (noncentral_t_tail(t, df, center, upper=side) for side in (False, True))
    assert lower == pytest.approx(below(t, df, center), abs=1e-10)
    assert lower + upper == pytest.approx(1, rel=1e-10)
