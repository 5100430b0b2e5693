"""Spearman's rho: R's values, what does not exist, coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.agreement.spearman_rho import spearman_rho
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from tests.golden_data import golden

GOLDEN = golden("spearman_rho")


@pytest.mark.parametrize(("cluster", "name"), [(None, "units"), ("story", "clusters")])
def test_r_gives_the_same(cluster, name):
    table = pd.DataFrame({part: GOLDEN[part] for part in ("judge", "person", "story")})
    row = spearman_rho(table, raters=["judge", "person"], scale="ordinal", cluster=cluster).rows[0]
    for field, value in GOLDEN[name].items():
        assert getattr(row, field) == pytest.approx(value, rel=1e-10), field


def test_alike_units_counted_are_units():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.integers(0, 4, 80), "b": rng.integers(0, 4, 80)})
    counted = table.value_counts().reset_index(name="times")
    one = spearman_rho(table, raters=["a", "b"], scale="ordinal").rows[0]
    two = spearman_rho(counted, raters=["a", "b"], scale="ordinal", count="times").rows[0]
    assert (two.estimate, two.std_error, two.n) == pytest.approx(
        (one.estimate, one.std_error, one.n), rel=1e-12
    )


def test_a_monotone_change_of_the_scores_changes_nothing():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 30))
    one, two = (
        spearman_rho({"a": a, "b": y}, raters=["a", "b"]).rows[0] for a in (x, np.exp(3 * x))
    )
    assert (one.estimate, one.std_error) == (two.estimate, two.std_error)


def test_what_does_not_exist_says_why():
    still = spearman_rho(
        {"a": [1, 2, 3, 4], "b": [2, 2, 2, 2]}, raters=["a", "b"], levels=[1, 2, 3, 4]
    ).rows[0]
    assert still.estimate is None
    assert "every unit the same score" in still.undefined
    few = spearman_rho({"a": [1, 2], "b": [2, 1]}, raters=["a", "b"], scale="ordinal").rows[0]
    assert few.estimate is None
    assert "2 units rated by both" in few.undefined
    perfect = spearman_rho(
        {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, raters=["a", "b"], scale="ordinal"
    ).rows[0]
    assert perfect.estimate == pytest.approx(1)
    assert perfect.conf_low is None
    assert "perfect correlation" in perfect.undefined
    with pytest.raises(InputError, match="needs an order"):
        spearman_rho({"a": ["x", "y"], "b": ["y", "x"]}, raters=["a", "b"], scale="nominal")
    with pytest.raises(UndefinedStatistic, match="two raters"):
        spearman_rho({"unit": [1, 2], "rater": ["a", "a"], "value": [1, 2]}, scale="ordinal")
    refused = {"unit": [1, 1, 2, 2], "rater": ["a", "b", "a", "b"], "value": ["none"] * 4}
    with pytest.raises(NothingToAnalyse, match="no unit has two ratings"):
        spearman_rho(refused, scale="interval", refusal="none")


@pytest.mark.parametrize("units", [2, 3])
def test_three_units_have_a_correlation_and_two_have_none(units):
    row = spearman_rho({"a": [1, 3, 2][:units], "b": [1, 2, 3][:units]}, raters=["a", "b"]).rows[0]
    assert (row.reason == "no_data") == (units < 3)
    assert (row.estimate is None) == (units < 3)
    assert row.estimate is None or row.estimate == pytest.approx(0.5)


def test_rare_scores_are_cautioned():
    rng = np.random.default_rng(8)
    rare = {
        "a": rng.permutation(np.arange(100) < 6) * 1,
        "b": rng.permutation(np.arange(100) < 30) * 1,
    }
    said = {
        one.code: one for one in spearman_rho(rare, raters=["a", "b"], scale="ordinal").cautions
    }["SS312"]
    assert "all but 6 units of 100 the same score" in said.detail
    rarer = {**rare, "a": rng.permutation(np.arange(100) < 4) * 1}
    row = spearman_rho(rarer, raters=["a", "b"], scale="ordinal").rows[0]
    assert (row.conf_low, row.p_value, row.reason) == (None, None, "no_interval")
    assert row.estimate is not None
    even = {
        "a": rng.permutation(np.arange(100) < 40) * 1,
        "b": rng.permutation(np.arange(100) < 30) * 1,
    }
    assert not spearman_rho(even, raters=["a", "b"], scale="ordinal").cautions
    even["b"] = rng.permutation(np.arange(100) < 30) * 1
    story = [f"story {k // 10}" for k in range(100)]
    clustered = spearman_rho(
        {**even, "story": story}, raters=["a", "b"], scale="ordinal", cluster="story"
    )
    assert "SS312" in {one.code for one in clustered.cautions}


@pytest.mark.slow
def test_the_test_and_the_interval_agree():
    rng = np.random.default_rng(9)
    rejected = []
    for _ in range(300):
        x, y = rng.normal(size=(2, 6))
        row = spearman_rho({"a": x, "b": y}, raters=["a", "b"]).rows[0]
        if row.conf_low is not None:
            rejected.append(row.p_value < 0.05)
            assert rejected[-1] == (row.conf_low > 0 or row.conf_high < 0)
    assert sum(rejected) < 0.08 * len(rejected)  # .05 and three Monte-Carlo errors


@pytest.mark.slow
def test_the_interval_covers():
    """600 samples of 30 rounded normal pairs: .95 within 3 Monte-Carlo errors (.009) and .005 for so few pairs."""
    rng, held = np.random.default_rng(5), 0
    truth = spearman_of(rng, 200_000)
    for _ in range(600):
        x, y = scores(rng, 30)
        row = spearman_rho({"a": x, "b": y}, raters=["a", "b"], scale="ordinal").rows[0]
        held += row.conf_low <= truth <= row.conf_high
    assert 0.92 <= held / 600 <= 0.975


def scores(rng, n):
    z = rng.normal(size=(2, n))
    return np.round(1.5 * z[0]).clip(-2, 2), np.round(1.5 * (0.6 * z[0] + 0.8 * z[1])).clip(-2, 2)


def spearman_of(rng, n):
    from scipy.stats import spearmanr

    return float(spearmanr(*scores(rng, n)).statistic)


def test_raters_without_a_unit_in_common_are_verified() -> None:
    table = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [2.0, 1, 3, 4, 6, 5], "c": [np.nan] * 6})
    table.loc[6] = [np.nan, np.nan, 3.0]
    result = spearman_rho(table, raters=["a", "b", "c"], scale="interval")
    assert [row.estimate is None for row in result.rows] == [False, True, True]
    assert result.verify().ok
