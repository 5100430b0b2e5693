"""Means of units of analysis: over fixed and drawn judges, and with what was subtracted from every value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.intervals import cochran_df
from socialstats.inference.means import DrawnRaters
from socialstats.paired.matched_pairs import McNemarTest
from socialstats.paired.pair_values import mean_interval
from socialstats.paired.robust_tests import (
    WALD,
    WaldTest,
    cautions_of_tests,
    rank_of,
    robust_wald,
    satterthwaite_df,
    sum_outer_products,
    wald_and_chi_square_rows,
)
from socialstats.paired.unit_means import (
    Inference,
    UnitSample,
    d_z_row,
    few_units_cautions,
    mean_method,
    mostly_complete,
    sample_across_models,
    sample_mean_row,
    sample_of_model,
    unit_clusters,
)
from socialstats.planning.adjusting import correlation_of, replicate_draws
from socialstats.scales.measures import unit_shares

X = np.random.default_rng(8).normal(size=(7, 3)) + np.arange(7)[:, None]


def sample(values: np.ndarray, **how: Any) -> UnitSample:
    return UnitSample(
        values=values, unit=np.arange(len(values)), how=Inference(unit="model", **how)
    )


def test_with_fixed_judges_it_is_the_t_test_of_the_means_over_judges() -> None:
    made = sample(X)
    np.testing.assert_allclose(made.means, X.mean(axis=1))
    test = stats.ttest_1samp(X.mean(axis=1), 0)
    found = made.mean()
    assert (found.mean, found.t(), found.df) == pytest.approx((X.mean(), test.statistic, 6))
    clustered = sample(X, clusters=(np.array([0, 0, 1, 2, 2, 3, 3]),))
    values, codes = clustered.parts()
    np.testing.assert_allclose(values, X.mean(axis=1))
    assert [code.tolist() for code in codes] == [[0, 0, 1, 2, 2, 3, 3]]
    assert clustered.mean().clusters == (4,)


def test_drawn_judges_are_a_factor_of_their_own() -> None:
    clusters = np.array([0, 0, 1, 2, 2, 3, 3])
    for given, wanted in (((), np.arange(7)), ((clusters,), clusters)):
        values, codes = sample(X, judges="random", clusters=given).parts()
        assert values.tolist() == X.ravel().tolist()
        assert codes[0].tolist() == np.repeat(wanted, 3).tolist()
        assert codes[1].tolist() == [0, 1, 2] * 7


def test_what_was_subtracted_adds_its_variance_and_its_degrees_of_freedom() -> None:
    plain, found = sample(X).mean(), sample(X, taken_off=(0.3, 4.0)).mean()
    parts = [plain.std_error**2, 0.3]
    assert found.std_error == pytest.approx(math.sqrt(sum(parts)))
    assert found.df == pytest.approx(cochran_df(parts, [6.0, 4.0]))


@pytest.mark.parametrize(
    ("units", "clusters", "known"), [(2, 0, True), (1, 0, False), (4, 1, False)]
)
def test_of_alike_units_only_what_was_subtracted_varies(
    units: int, clusters: int, known: bool
) -> None:
    codes = (np.zeros(units, dtype=np.int64),) * bool(clusters)
    made = sample(np.full((units, 2), 3.0), taken_off=(0.25, 5.0), clusters=codes)
    found = made.mean()
    assert bool(found.undefined) != known
    if known:
        assert (found.mean, found.std_error, found.df) == (3, 0.5, 5)
    alone = replace(made, how=replace(made.how, taken_off=None)).mean()
    assert alone.undefined


def sums(off: np.ndarray, codes: np.ndarray, *, adjusted: bool = True) -> np.ndarray:
    """V of one factor: sum over clusters of s s' / (1 - f), s the sum of a cluster and f its share."""
    own = [codes == level for level in np.unique(codes)]
    return sum(
        np.outer(off[mine].sum(axis=0), off[mine].sum(axis=0)) / (1 - adjusted * mine.mean())
        for mine in own
    )


def test_two_crossed_factors_of_several_means_take_the_sum_where_the_difference_is_no_covariance() -> (
    None
):
    """Where V1 + V2 - V12 has a negative variance in some direction, V1 + V2 takes its place."""
    one, two = np.repeat(np.arange(5), 12), np.tile(np.repeat(np.arange(4), 3), 5)
    taken = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(60, 2)) + 0.6
        x[:, 1] += rng.normal(size=5)[one] * (seed % 2)
        off = (x - x.mean(axis=0)) / 60
        v1, v2 = sums(off, one), sums(off, two)
        plain = v1 + v2 - sums(off, 4 * one + two, adjusted=False)
        negative = np.linalg.eigvalsh(plain).min() < 0
        used = v1 + v2 if negative else plain
        df = cochran_df([np.trace(v1), np.trace(v2)], [4.0, 3.0])
        mean = x.mean(axis=0)
        wanted = min(mean @ np.linalg.solve(v, mean) for v in (used, v1, v2)) * (df - 1) / (2 * df)
        found = robust_wald(x, np.ones(60), [one, two])
        assert isinstance(found, WaldTest)
        assert (found.df, found.df_denominator) == (2, pytest.approx(df - 1))
        assert found.statistic == pytest.approx(wanted)
        assert found.p == pytest.approx(stats.f.sf(wanted, 2, df - 1))
        taken.add(bool(negative))
    assert taken == {True, False}


CELLS = np.arange(24.0).reshape(3, 4, 2) ** 2
CELLS[0, 1] = CELLS[1, 3] = np.nan


def test_units_of_analysis_are_scenarios_that_all_models_have_or_models_over_theirs() -> None:
    scenarios = sample_across_models(CELLS, Inference(unit="scenario"))
    assert scenarios.unit.tolist() == [0, 2]
    np.testing.assert_allclose(scenarios.values, CELLS[:, [0, 2]].mean(axis=0))
    models = sample_across_models(CELLS, Inference(unit="model"))
    assert models.unit.tolist() == [0, 1, 2]
    np.testing.assert_allclose(models.values, np.nanmean(CELLS, axis=1))
    two = Inference(unit="scenario", pooled=np.array([True, False, True]))
    assert sample_across_models(CELLS, two).unit.tolist() == [0, 2, 3]
    np.testing.assert_allclose(
        sample_across_models(CELLS, two).values, CELLS[[0, 2]][:, [0, 2, 3]].mean(axis=0)
    )
    of_two = replace(two, unit="model")
    assert sample_across_models(CELLS, of_two).unit.tolist() == [0, 2]
    single = sample_of_model(CELLS[0], Inference(unit="scenario"))
    assert single.unit.tolist() == [0, 2, 3]
    np.testing.assert_allclose(single.values, CELLS[0][[0, 2, 3]])


@pytest.mark.parametrize(
    ("complete", "kept"),
    [([6, 3, 2], [True, True, False]), ([2, 2], [True, True]), ([3, 2], [True, False])],
)
def test_models_with_half_of_the_units_are_complete(complete: list[int], kept: list[bool]) -> None:
    assert mostly_complete(np.array(complete), 6).tolist() == kept


def test_rows_of_means_have_their_test_and_clusters() -> None:
    means = X.mean(axis=1)
    row = sample_mean_row("a", "mean", sample(X))
    test = stats.ttest_1samp(means, 0)
    ends = test.confidence_interval(0.95)
    assert (row.estimate, row.n, row.n_units, row.df) == pytest.approx((means.mean(), 7, 7, 6))
    assert (row.statistic, row.p_value) == pytest.approx((test.statistic, test.pvalue))
    assert (row.conf_low, row.conf_high) == pytest.approx((ends.low, ends.high))
    assert (row.n_clusters, row.leverage) == (None, None)
    untested = sample_mean_row("a", "mean", sample(X), test=False)
    assert (untested.statistic, untested.p_value) == (None, None)
    cut = sample_mean_row("a", "mean", sample(X), within=(means.mean() - 0.1, means.mean() + 0.1))
    assert (cut.conf_low, cut.conf_high) == pytest.approx((means.mean() - 0.1, means.mean() + 0.1))
    codes = np.array([0, 0, 0, 1, 1, 2, 3])
    clustered = sample_mean_row("a", "mean", sample(X, clusters=(codes,)))
    wanted = clustered_mean(means, np.ones(7), [codes])
    assert (clustered.n_clusters, clustered.leverage) == (4, pytest.approx(wanted.largest))
    assert (clustered.std_error, clustered.df) == pytest.approx((wanted.std_error, wanted.df))
    empty = sample_mean_row("a", "mean", sample(np.zeros((0, 3))))
    assert (empty.n, empty.n_units, empty.reason) == (0, 0, "no_data")
    drawn = sample_mean_row("a", "mean", sample(X, ci="percentile", resamples=500, seed=1))
    assert drawn.conf_low is not None
    assert drawn.conf_high is not None
    assert row.conf_low is not None
    assert row.conf_high is not None
    assert row.conf_low < drawn.conf_low < drawn.conf_high < row.conf_high
    size = d_z_row("a", "d_z", sample(X))
    assert size.estimate == pytest.approx(means.mean() / means.std(ddof=1))
    assert (size.n, size.n_units, size.undefined) == (7, 7, None)
    dependent = d_z_row("a", "d_z", sample(X, clusters=(codes, np.arange(7) % 3)))
    assert dependent.estimate == pytest.approx(means.mean() / means.std(ddof=1))
    assert dependent.undefined


def test_few_units_and_few_drawn_judges_are_said() -> None:
    def codes(units: int, n_judges: int, **how: Any) -> list[str]:
        return [c.code for c in few_units_cautions(units, Inference(unit="model", **how), n_judges)]

    assert codes(2, 2) == ["SS312"]
    assert codes(1, 2) == []
    assert codes(2, 2, judges="random") == ["SS312", "SS202"]
    assert codes(1, 1, judges="random") == []
    assert codes(10_000, 2) == []


def test_draws_of_replicates_are_centred_and_scaled_and_whole() -> None:
    replicates = np.random.default_rng(3).normal([1, 5], [1, 3], (50, 2))
    replicates[4, 0] = replicates[9, 1] = np.nan
    whole = np.delete(replicates, [4, 9], axis=0)
    np.testing.assert_allclose(replicate_draws(replicates), stats.zscore(whole, ddof=1))
    assert replicate_draws(np.array([[1.0], [2.0]])).ravel() == pytest.approx(
        [-(0.5**0.5), 0.5**0.5]
    )
    with pytest.raises(InputError, match="1 of 2 resamples"):
        replicate_draws(np.array([[1.0], [np.nan]]))
    with pytest.raises(InputError, match="column 2 of the replicates never varies"):
        replicate_draws(np.array([[1.0, 2.0], [2.0, 2.0], [4.0, 2.0]]))


def test_a_correlation_has_no_negative_eigenvalue() -> None:
    plain = np.array([[4.0, 1.0], [1.0, 9.0]])
    np.testing.assert_allclose(correlation_of(plain), [[1, 1 / 6], [1 / 6, 1]])
    negative = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    found = correlation_of(negative)
    np.testing.assert_allclose(np.diag(found), 1)
    assert np.linalg.eigvalsh(found).min() > -1e-12
    np.testing.assert_allclose(found, found.T)
    assert found[0, 1] == pytest.approx(0.5)
    assert found[0, 2] == pytest.approx(-0.5)
    for bad in (plain[:1], np.array([[1.0, 2.0], [0.0, 1.0]]), plain * np.nan):
        with pytest.raises(InputError, match="square symmetric"):
            correlation_of(bad)
    with pytest.raises(InputError, match="a variance of 0"):
        correlation_of(np.diag([1.0, 0.0]))


def test_eigenvalues_count_above_rounding_and_above_what_is_given() -> None:
    covariance = np.diag([1.0, 1e-3, 1e-12])
    assert rank_of(covariance, 0.0) == 2
    assert rank_of(covariance, 0.01) == 1
    assert rank_of(1e-6 * covariance, 1e-8) == 1
    assert rank_of(covariance, 2.0) == 0


def test_degrees_of_freedom_of_a_mean_hang_on_the_sizes_of_clusters() -> None:
    codes = np.array([0, 0, 0, 1, 2, 2])
    x = np.random.default_rng(4).normal(size=6)
    wanted = clustered_mean(x, np.ones(6), [codes]).df
    assert satterthwaite_df(np.ones(6), codes) == pytest.approx(wanted)
    assert satterthwaite_df(np.ones(6), np.arange(6)) == pytest.approx(5)
    sums = np.array([x[codes == k].sum() for k in range(3)])
    assert sum_outer_products(x[:, None], codes)[0, 0] == pytest.approx(sums @ sums)


def test_one_factor_of_two_means_is_hotellings_test() -> None:
    x = np.random.default_rng(5).normal(0.5, 1, (12, 2))
    found = robust_wald(x, np.ones(12), [np.arange(12)])
    assert isinstance(found, WaldTest)
    mean, cov = x.mean(axis=0), np.cov(x.T) / 12
    hotelling = float(mean @ np.linalg.solve(cov, mean))
    statistic = (11 - 2 + 1) / (11 * 2) * hotelling
    assert (found.statistic, found.df, found.df_denominator) == pytest.approx((statistic, 2, 10))
    assert found.p == pytest.approx(stats.f.sf(statistic, 2, 10))
    alike = np.repeat(x[:6], 2, axis=0)
    counted = robust_wald(x[:6], np.full(6, 2.0), [np.arange(6)])
    assert counted == robust_wald(alike, np.ones(12), [np.repeat(np.arange(6), 2)])
    assert "variance in a direction" in str(robust_wald(x[:2], np.ones(2), [np.arange(2)]))
    assert robust_wald(x, np.ones(12), [np.zeros(12, int)]) == "a single cluster"


def test_the_robust_test_leads_and_others_ignore_clusters() -> None:
    plain = {"mcnemar": McNemarTest(statistic=4.0, df=1, p=0.0455)}
    wald = WaldTest(statistic=3.0, df=2, df_denominator=9, p=0.1)
    names = {WALD: "robust", "mcnemar": "McNemar"}

    def rows(test: Any) -> list[Any]:
        made = wald_and_chi_square_rows(test, plain, 20, names)
        return [(r.term, r.group, r.statistic, r.df, r.p_value, r.undefined) for r in made]

    chi = ("mcnemar", "ignoring clusters", 4.0, 1, 0.0455, None)
    assert rows(None) == [("mcnemar", "test", 4.0, 1, 0.0455, None)]
    assert rows(wald) == [(WALD, "test", 3.0, 2, 0.1, None), chi]
    assert rows("why") == [(WALD, "test", None, None, None, "why"), chi]


@pytest.mark.parametrize(
    ("discordant", "cautious", "codes"),
    [(9, False, ["SS314"]), (10, False, []), (10, True, ["SS206"]), (0, True, ["SS314", "SS206"])],
)
def test_few_units_that_differ_and_a_covariance_of_another_kind_are_said(
    discordant: int, cautious: bool, codes: list[str]
) -> None:
    wald = WaldTest(statistic=3.0, df=2, df_denominator=9, p=0.1, cautious=cautious)
    told = cautions_of_tests(wald, discordant, "few")
    assert [c.code for c in told] == codes
    assert ("p is 1 by definition" in str(told)) == (not discordant)


RATED = {
    "item": [0, 0, 1, 1, 2, 2, 3, 4, 4, 5],
    "rater": [*"ababababab"],
    "value": [*"xxxyyyzxzy"],
    "story": [0, 0, 0, 0, 1, 1, 1, 2, 2, 2],
    "topic": [*"pppppppqqq"],
    "half": [*"uuvvuuvuuv"],
}


def test_shares_of_units_are_of_their_ratings() -> None:
    design = Ratings.from_frame(RATED, unit="item", rater="rater", value="value", scale="nominal")
    halves = [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0.5], [0, 1, 0]]
    np.testing.assert_allclose(unit_shares(design), halves)


def test_clusters_of_stories_hold_whole_stories() -> None:
    """Topics hold stories; items lie inside of them, and halves cut across."""
    design = Ratings.from_frame(
        RATED,
        unit="item",
        rater="rater",
        value="value",
        scale="nominal",
        cluster=["story", "topic", "half"],
    )
    story = next(factor for factor in design.clusters if factor.name == "story")

    def of(*cluster: str, judges: str = "fixed", ci: str = "closed") -> Any:
        return unit_clusters(design, story, [*cluster], judges=judges, ci=ci)

    held = of("topic")
    assert [factor.name for factor in held.factors] == ["topic"]
    assert [code.tolist() for code in held.codes] == [[0, 0, 1]]
    assert of("story").codes == ()
    assert [factor.name for factor in of("story", "topic").factors] == ["topic"]
    with pytest.raises(InputError, match="'half' holds parts of several storys"):
        of("half")
    assert of("topic", judges="random").codes[0].tolist() == [0, 0, 1]
    with pytest.raises(InputError, match="needs one factor"):
        of("topic", judges="random", ci="bca")
    with pytest.raises(InputError, match="needs one factor"):
        of("story", judges="random", ci="studentized")
    assert of("topic", ci="bca").codes[0].tolist() == [0, 0, 1]


def test_resampled_means_draw_whole_clusters() -> None:
    codes = np.arange(7) // 2
    row = sample_mean_row(
        "a", "mean", sample(X, clusters=(codes,), ci="percentile", resamples=800, seed=2)
    )
    wanted = mean_interval(
        X.mean(axis=1),
        np.ones(7),
        [codes],
        ci="percentile",
        level=0.95,
        resamples=800,
        seed=2,
        magnitude=100.0,
    )
    ends = float(wanted.low[0]), float(wanted.high[0])
    assert (row.conf_low, row.conf_high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "t"),
        ({"clusters": (np.arange(7),)}, "t, CR2 error"),
        ({"clusters": (np.arange(7), np.arange(7))}, "t, two-way error"),
        ({"judges": "random"}, "t, two-way mean squares"),
        ({"judges": "random", "clusters": (np.arange(7),)}, "t, two-way error"),
        ({"taken_off": (0.1, 4.0)}, "t, with the error of the zero"),
        ({"ci": "percentile"}, "bootstrap, percentile; test: t"),
        ({"ci": "basic"}, "bootstrap, basic; test: t"),
        ({"ci": "bca"}, "bootstrap, BCa; test: t"),
        ({"ci": "studentized"}, "bootstrap, studentized; test: t"),
    ],
)
def test_methods_name_the_interval_and_the_test(how: dict[str, Any], words: str) -> None:
    assert mean_method(Inference(unit="model", **how)) == words


@pytest.mark.parametrize("taste", [0.0, 2.0])
@pytest.mark.parametrize("parts", [1, 2])
def test_drawn_raters_are_the_second_factor_of_a_test_of_means(taste: float, parts: int) -> None:
    """Nine units by six raters, one group of them or two; one mean has the square of its t."""
    rng = np.random.default_rng(6)
    x = rng.normal(0.3, 1, (9, 6)) + taste * rng.normal(size=6)
    unit, rater = np.indices((9, 6))
    members = np.array_split(np.arange(6), parts)
    groups = tuple(
        DrawnRaters.of_means(
            x[:, mine].reshape(-1, 1),
            np.ones(9 * len(mine)),
            unit[:, mine].ravel(),
            rater[:, mine].ravel(),
            total=None if parts == 1 else 54.0,
        )
        for mine in members
    )
    values, codes = x.mean(axis=1), np.arange(9)
    found = robust_wald(values[:, None], np.ones(9), [codes], groups)
    wanted = clustered_mean(values, np.ones(9), [codes], drawn=groups)
    assert isinstance(found, WaldTest)
    assert found.statistic == pytest.approx(float(wanted.t() or 0) ** 2)
    spread = [float((group.sums() ** 2).sum()) for group in groups]
    of_raters = cochran_df(spread, [float(group.errors().df[0]) for group in groups])
    df = cochran_df([values.var(ddof=1) / 9, sum(spread)], [8.0, of_raters])
    assert found.df_denominator == pytest.approx(df)
    assert parts > 1 or df == pytest.approx(wanted.df)


def test_drawn_raters_of_two_means_add_their_sums_less_those_of_single_ratings() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(0.3, 1, (9, 6, 2)) + 2 * rng.normal(size=(6, 2))
    unit, rater = (code.ravel() for code in np.indices((9, 6)))
    group = DrawnRaters.of_means(x.reshape(-1, 2), np.ones(54), unit, rater)
    values = x.mean(axis=1)
    found = robust_wald(values, np.ones(9), [np.arange(9)], (group,))
    mean = values.mean(axis=0)
    off = (x - mean) / 54
    of_units = np.cov(values.T) / 9
    by_rater = group.sums()
    of_raters = by_rater.T @ by_rater
    joint = of_units + of_raters - np.einsum("ua,ub->ab", off.reshape(-1, 2), off.reshape(-1, 2))
    traces = [float(np.trace(of_units)), float(np.trace(of_raters))]
    freedom = cochran_df(traces, [8.0, float(group.errors().df.min())])
    wald = min(float(mean @ np.linalg.solve(v, mean)) for v in (joint, of_units, of_raters))
    assert isinstance(found, WaldTest)
    assert found.df_denominator == pytest.approx(freedom - 1)
    assert found.statistic == pytest.approx((freedom - 1) / (2 * freedom) * wald)
