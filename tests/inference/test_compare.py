"""Differences over joint resamples: basic intervals, z tests, and what has neither."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.compare import (
    ONE_CLUSTER,
    ONE_UNIT,
    with_resampled_t,
    with_resamples,
    with_welch,
)
from socialstats.resampling.engine import Replicates
from socialstats.results import Row


def test_rows_of_resamples_have_basic_intervals_and_z() -> None:
    draws = np.random.default_rng(1).normal(0.5, 0.2, 999)
    boot = Replicates(
        estimate=np.array([0.4, 0.4, np.nan, 0.3]),
        replicates=np.column_stack([draws, draws, draws, np.full(999, 0.3)]),
        n_degenerate=np.zeros(4, dtype=np.int64),
    )
    rows = [
        Row(term=name, role="difference") for name in ("tested", "untested", "missing", "alike")
    ]
    tested, untested, missing, same = with_resamples(
        rows, boot, 0.9, tested=[True, False, True, True]
    )
    low, high = np.sort(draws)[[49, 949]]  # ranks .05 (B + 1) and .95 (B + 1)
    error = draws.std(ddof=1)
    for row in (tested, untested):
        assert (row.conf_low, row.conf_high) == pytest.approx((0.8 - high, 0.8 - low))
        assert (row.std_error, row.interval) == (pytest.approx(error), "basic")
    assert tested.statistic == pytest.approx(0.4 / error)
    assert tested.p_value == pytest.approx(2 * stats.norm.sf(0.4 / error))
    assert untested.p_value is None
    assert (missing.estimate, missing.conf_low, missing.undefined is not None) == (None, None, True)
    assert (same.estimate, same.conf_low, same.std_error, same.reason) == (
        0.3,
        None,
        None,
        "no_variation",
    )


@pytest.mark.parametrize("groups", [(1, 10), (10, 1), (0, 10)])
def test_welchs_test_needs_two_clusters_on_either_side(groups: tuple[int, int]) -> None:
    one, two = (Row(term="x", estimate=1.0, std_error=0.5, n_clusters=g) for g in groups)
    row = with_welch(Row(term="gap"), one, two, 0.95)
    assert row.undefined == ONE_CLUSTER
    assert row.std_error is row.df is None


def test_welchs_degrees_of_freedom_are_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(1, 3, 5), rng.normal(0, 1, 12)
    one, two = (
        Row(term="x", estimate=v.mean(), std_error=float(stats.sem(v)), n_units=len(v))
        for v in (x, y)
    )
    row = with_welch(Row(term="gap"), one, two, 0.95)
    test = stats.ttest_ind(x, y, equal_var=False)
    found = (row.estimate, row.statistic, row.df, row.p_value)
    assert found == pytest.approx((x.mean() - y.mean(), test.statistic, test.df, test.pvalue))
    ends = test.confidence_interval()
    assert (row.conf_low, row.conf_high) == pytest.approx((ends.low, ends.high))
    assert row.n_clusters == 17
    known = with_welch(Row(term="gap"), one, two, 0.95, dfs=(2.0, 3.0))
    parts = np.array([one.std_error, two.std_error]) ** 2
    assert known.df == pytest.approx(parts.sum() ** 2 / (parts**2 / [2, 3]).sum())


def test_a_resampled_t_has_one_degree_less_than_clusters() -> None:
    row = with_resampled_t(Row(term="gap"), 2.0, 0.5, 5, 0.95)
    error = 0.5 * np.sqrt(5 / 4)
    assert (row.std_error, row.df) == (pytest.approx(error), 4)
    assert row.conf_high == pytest.approx(2 + stats.t.ppf(0.975, 4) * error)
    assert row.p_value == pytest.approx(2 * stats.t.sf(2 / error, 4))
    alike, single = (with_resampled_t(Row(term="gap"), 2.0, 0.0, g, 0.95) for g in (5, 1))
    assert (alike.reason, single.reason) == ("no_variation", "one_unit")
    assert "alike" in (alike.undefined or "")
    assert single.undefined == ONE_UNIT
    assert with_resampled_t(Row(term="gap"), 2.0, 0.5, 1, 0.95).reason == "one_unit"
