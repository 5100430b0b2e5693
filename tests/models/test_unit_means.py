"""Means of units of analysis: over fixed and drawn judges, and with what was subtracted from every value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.intervals import cochran_df
from socialstats.paired.unit_means import Inference, UnitSample, WaldTest, robust_wald

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
