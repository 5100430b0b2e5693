"""The mean of a table with drawn rows and columns: against written-out components, and its coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.models.crossed_mean import crossed_mean


def table(rng, n, k, sd_rows, sd_columns, sd_rest):
    return sd_rows * rng.normal(size=(n, 1)) + sd_columns * rng.normal(size=(1, k)) + sd_rest * rng.normal(size=(n, k))


def test_the_variance_is_unbiased_for_the_components():
    rng = np.random.default_rng(3)
    found = [crossed_mean(table(rng, 6, 3, 2.0, 3.0, 1.0), magnitude=100.0) for _ in range(4000)]
    raw = np.array([f.unfloored_std_error**2 for f in found])
    wanted = 4 / 6 + 9 / 3 + 1 / 18
    assert raw.mean() == pytest.approx(wanted, abs=5 * raw.std() / np.sqrt(len(raw)))


@pytest.mark.parametrize("sds", [(10, 6, 3), (6, 0, 3), (0, 6, 3), (2, 2, 4), (4, 0, 0.5)])
def test_coverage_with_twenty_rows_and_three_columns(sds):
    """4,000 tables: the Monte-Carlo error of a share is .0035."""
    rng = np.random.default_rng(7)
    held = []
    for _ in range(4000):
        low, high = crossed_mean(table(rng, 20, 3, *sds), magnitude=100.0).interval(0.95)
        held.append(low <= 0 <= high)
    assert 0.92 <= np.mean(held) <= 0.98


def test_without_differences_of_columns_it_is_the_t_test_of_the_rows():
    x = np.random.default_rng(1).normal(size=(8, 1)) + np.zeros((8, 3))
    found = crossed_mean(x, magnitude=10.0)
    test = stats.ttest_1samp(x[:, 0], 0.0)
    assert found.floored is False
    assert (found.t(), found.df, found.p_value()) == pytest.approx((test.statistic, 7, test.pvalue))


def test_rows_and_columns_are_alike():
    x = np.random.default_rng(2).normal(size=(7, 4))
    one, two = crossed_mean(x, magnitude=10.0), crossed_mean(x.T, magnitude=10.0)
    assert (one.mean, one.std_error, one.df) == pytest.approx((two.mean, two.std_error, two.df))


def test_where_columns_differ_less_than_noise_the_rows_take_its_place():
    x = np.array([[1.0, -1.0], [-1.0, 1.0], [1.2, -1.0], [-1.0, 1.1]]) + np.array([[3.0], [1.0], [2.0], [-1.0]])
    found = crossed_mean(x, magnitude=10.0)
    rows = x.mean(axis=1)
    assert found.floored
    assert (found.std_error, found.df) == pytest.approx((stats.sem(rows), 3))


def test_tables_that_say_nothing():
    assert "equal" in crossed_mean(np.full((4, 3), 2.0), magnitude=10.0).undefined
    assert "single cluster" in crossed_mean(np.arange(4.0)[:, None], magnitude=10.0).undefined
    assert "single cluster" in crossed_mean(np.arange(4.0)[None, :], magnitude=10.0).undefined
