"""Differences over joint resamples: basic intervals, z tests, and what has neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.compare import (
    ONE_CLUSTER,
    ONE_UNIT,
    rows_with_holm,
    with_both_intervals,
    with_jackknife,
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


def test_a_resampled_t_of_two_clusters_has_one_degree_of_freedom() -> None:
    row = with_resampled_t(Row(term="gap"), 2.0, 0.5, 2, 0.95)
    assert (row.df, row.std_error) == (1, pytest.approx(0.5 * np.sqrt(2)))


def test_a_difference_lies_within_what_both_can_be() -> None:
    one = Row(term="x", estimate=0.9, std_error=0.5, n_units=5, limits=(0.0, 1.0))
    two = Row(term="y", estimate=0.2, std_error=0.5, n_units=5, limits=(0.0, 0.5))
    row = with_welch(Row(term="gap"), one, two, 0.95)
    assert (row.limits, row.conf_low, row.conf_high) == ((-0.5, 1.0), -0.5, 1.0)


@pytest.mark.parametrize(("fewest", "adjusted"), [(2, True), (3, True), (4, False)])
def test_holm_adjusts_as_few_tests_as_said(fewest: int, adjusted: bool) -> None:
    rows = [Row(term=str(k), p_value=p) for k, p in enumerate((0.04, 0.01, None, 0.02))]
    found = [row.p_adjusted for row in rows_with_holm(rows, fewest=fewest)]
    assert found == ([0.04, 0.03, None, 0.04] if adjusted else [None] * 4)


def test_a_difference_by_both_intervals_is_that_of_zou_and_donner() -> None:
    one, two = (
        Row(term="x", estimate=x, conf_low=low, conf_high=high, conf_level=0.9)
        for x, low, high in ((0.7, 0.5, 0.8), (0.3, 0.1, 0.6))
    )
    row = with_both_intervals(Row(term="gap"), one, two)
    ends = 0.4 - np.hypot(0.2, 0.3), 0.4 + np.hypot(0.1, 0.2)
    assert (row.estimate, row.conf_low, row.conf_high) == pytest.approx((0.4, *ends))
    assert row.conf_level == 0.9
    around = with_both_intervals(Row(term="gap"), one, two, estimate=0.35)
    assert (around.conf_low, around.conf_high) == pytest.approx(tuple(x - 0.05 for x in ends))
    for lacking in (replace(one, conf_low=None), replace(one, estimate=None, undefined="alike")):
        assert with_both_intervals(Row(term="gap"), lacking, two).conf_low is None


def test_jackknife_intervals_lie_around_their_centre() -> None:
    rows = [Row(term=name) for name in ("tested", "untested", "missing", "alike")]
    values, errors = np.array([1.0, 2.0, np.nan, 3.0]), np.array([0.5, 0.25, 0.5, 0.0])
    centre, df = values - 0.1, np.array([4.0, 9.0, 4.0, 4.0])
    found = with_jackknife(rows, values, errors, centre, df, 0.9, [True, False, True, True])
    for k in (0, 1):
        row, reach = found[k], stats.t.ppf(0.95, df[k]) * errors[k]
        assert (row.estimate, row.std_error, row.df) == (values[k], errors[k], df[k])
        ends = centre[k] - reach, centre[k] + reach
        assert (row.conf_low, row.conf_high) == pytest.approx(ends)
        assert row.interval == "jackknife"
    assert found[0].statistic == pytest.approx(0.9 / 0.5)
    assert found[0].p_value == pytest.approx(2 * stats.t.sf(1.8, 4))
    assert found[1].p_value is None
    assert found[2].undefined
    assert (found[3].estimate, found[3].reason, found[3].conf_low) == (3, "no_variation", None)
