"""The mean of a table with drawn rows and columns: against written-out components, and its coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.crossed_mean import crossed_mean


def table(rng, n, k, sd_rows, sd_columns, sd_rest):
    return (
        sd_rows * rng.normal(size=(n, 1))
        + sd_columns * rng.normal(size=(1, k))
        + sd_rest * rng.normal(size=(n, k))
    )


def test_the_variance_is_unbiased_for_the_components():
    rng = np.random.default_rng(3)
    found = [crossed_mean(table(rng, 6, 3, 2.0, 3.0, 1.0), magnitude=100.0) for _ in range(4000)]
    raw = np.array([f.unfloored_std_error**2 for f in found])
    wanted = 4 / 6 + 9 / 3 + 1 / 18
    assert raw.mean() == pytest.approx(wanted, abs=5 * raw.std() / np.sqrt(len(raw)))


@pytest.mark.parametrize(
    "sds", [(10, 6, 3), (6, 0, 3), (0, 6, 3), (2, 2, 4), (4, 0, 0.5), (10, 2, 3), (3, 10, 1)]
)
@pytest.mark.parametrize("shape", [(20, 3), (60, 3), (20, 8), (10, 4)])
@pytest.mark.slow
def test_coverage_where_columns_are_few(sds, shape):
    """2,000 tables: the Monte-Carlo error of a share is .005."""
    rng = np.random.default_rng(7)
    held = []
    for _ in range(2000):
        low, high = crossed_mean(table(rng, *shape, *sds), magnitude=100.0).interval(0.95)
        held.append(low <= 0 <= high)
    assert 0.92 <= np.mean(held) <= 0.985


def of_parts(n, k, share, rest, times=20_000):
    """Coverage of the 95% interval of normal tables, from the mean squares alone: (Cochran's, Satterthwaite's).

    The variance of the mean is 1; `share` of it is the columns', and `rest` the mean square of the rest, as a share.
    Given the mean squares, a normal mean lies within h of its truth with probability 2 Phi(h) - 1.
    """
    rng = np.random.default_rng(11)
    dfs = np.array([n - 1, k - 1, (n - 1) * (k - 1)], dtype=float)
    true = rest + (1 - rest) * np.array([1 - share, share, 0.0])
    r, c, e = true[:, None] * rng.chisquare(dfs[:, None], (3, times)) / dfs[:, None]
    error = np.sqrt(np.maximum(r + c - e, np.maximum(r, c)))
    q = stats.t.ppf(0.975, dfs)
    cochran = (r * q[0] + c * q[1]) / (r + c)
    df = np.where(
        r + c - e < np.maximum(r, c),
        np.where(r >= c, dfs[0], dfs[1]),
        (r + c - e) ** 2 / (r**2 / dfs[0] + c**2 / dfs[1] + e**2 / dfs[2]),
    )
    return [
        float((2 * stats.norm.cdf(x * error) - 1).mean()) for x in (cochran, stats.t.ppf(0.975, df))
    ]


@pytest.mark.parametrize("k", [2, 3, 5, 8])
@pytest.mark.slow
def test_cochran_holds_where_satterthwaite_does_not(k):
    """By numbers of rows, shares of the columns and of the rest; two columns only from .92 to .99."""
    found = np.array(
        [
            of_parts(n, k, share, rest)
            for n in (10, 20, 60, 200)
            for share in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
            for rest in (0.02, 0.2)
        ]
    )
    assert found[:, 0].min() > 0.92
    assert found[:, 0].max() < (0.99 if k == 2 else 0.98)
    if k < 5:
        assert found[:, 1].min() < 0.925 < found[:, 0].min()


def test_degrees_of_freedom_are_those_of_the_weighted_critical_value():
    x = np.random.default_rng(5).normal(size=(9, 3)) + np.array([0.0, 1.0, 3.0])
    found = crossed_mean(x, magnitude=10.0)
    rows, columns = 3 * x.mean(axis=1).var(ddof=1), 9 * x.mean(axis=0).var(ddof=1)
    wanted = (rows * stats.t.ppf(0.975, 8) + columns * stats.t.ppf(0.975, 2)) / (rows + columns)
    assert stats.t.ppf(0.975, found.df) == pytest.approx(wanted, rel=1e-10)
    low, high = found.interval(0.95)
    assert (high - low) / 2 == pytest.approx(wanted * found.std_error, rel=1e-10)


def test_without_differences_of_columns_it_is_the_t_test_of_the_rows():
    x = np.random.default_rng(1).normal(size=(8, 1)) + np.zeros((8, 3))
    found = crossed_mean(x, magnitude=10.0)
    assert (found.clusters, found.n) == ((8, 3), 24)
    assert (found.mean, found.sd) == pytest.approx((x.mean(), x.std(ddof=1)))
    test = stats.ttest_1samp(x[:, 0], 0.0)
    assert found.floored is False
    assert (found.t(), found.df, found.p_value()) == pytest.approx((test.statistic, 7, test.pvalue))


def test_rows_and_columns_are_alike():
    x = np.random.default_rng(2).normal(size=(7, 4))
    one, two = crossed_mean(x, magnitude=10.0), crossed_mean(x.T, magnitude=10.0)
    assert (one.mean, one.std_error, one.df) == pytest.approx((two.mean, two.std_error, two.df))


def test_where_columns_differ_less_than_noise_the_rows_take_its_place():
    x = np.array([[1.0, -1.0], [-1.0, 1.0], [1.2, -1.0], [-1.0, 1.1]]) + np.array(
        [[3.0], [1.0], [2.0], [-1.0]]
    )
    found = crossed_mean(x, magnitude=10.0)
    rows = x.mean(axis=1)
    assert found.floored
    assert found.std_error == pytest.approx(stats.sem(rows))
    assert 2.5 < found.df <= 3


def test_tables_that_say_nothing():
    assert "equal" in crossed_mean(np.full((4, 3), 2.0), magnitude=10.0).undefined
    assert "single cluster" in crossed_mean(np.arange(4.0)[:, None], magnitude=10.0).undefined
    assert "single cluster" in crossed_mean(np.arange(4.0)[None, :], magnitude=10.0).undefined
    assert "single cluster" in crossed_mean(np.array([[0.0, 1.0]]), magnitude=10.0).undefined
    one = crossed_mean(np.array([[3.0]]), magnitude=10.0)
    assert one.undefined
    assert np.isnan(one.sd)


def test_units_and_judges_that_differ_in_single_scores_only_have_no_error() -> None:
    """Both margins are alike: the mean squares of units and of judges are 0, that of the rest is not."""
    found = crossed_mean(np.array([[1.0, 2.0], [2.0, 1.0]]), magnitude=10.0)
    assert found.undefined is not None
    assert found.undefined.startswith("the units and the judges are alike")
