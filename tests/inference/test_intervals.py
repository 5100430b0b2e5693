"""Wald's intervals by their quantiles, and estimates without an error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.intervals import wald_interval


def test_walds_intervals_are_those_of_t_and_of_the_normal() -> None:
    estimate, error = np.array([1.0, -2.0, 0.5]), np.array([0.5, 4.0, 0.25])
    df = np.array([3.0, np.inf, 40.0])
    low, high, statistic, p = wald_interval(estimate, error, df=df, level=0.9)
    reach = stats.t.ppf(0.95, df) * error
    np.testing.assert_allclose((low, high), (estimate - reach, estimate + reach))
    np.testing.assert_allclose(statistic, [2, -0.5, 2])
    np.testing.assert_allclose(p, 2 * stats.t.sf(np.abs(statistic), df))
    normal = wald_interval(estimate, error, df=None, level=0.9)
    np.testing.assert_allclose(normal[1] - estimate, stats.norm.ppf(0.95) * error)
    np.testing.assert_allclose(normal[3], 2 * stats.norm.sf(np.abs(statistic)))


@pytest.mark.parametrize("df", [None, 3.0])
def test_an_error_of_zero_has_no_statistic_and_no_p(df: float | None) -> None:
    low, high, statistic, p = wald_interval(np.array([1.0, 0.0]), np.zeros(2), df=df, level=0.95)
    assert low.tolist() == high.tolist() == [1, 0]
    assert np.isnan(statistic).all()
    assert np.isnan(p).all()
