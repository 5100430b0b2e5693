from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.designs.paired import Paired
from socialstats.errors import DesignError, InputError
from socialstats.paired.pair_values import mean_interval, merge_ties, pair_values
from socialstats.resampling import PlanUnits, bca, bootstrap_sums, jackknife_sums
from socialstats.shares.counts import IntervalOptions, ratio_interval

RNG = np.random.default_rng(8)


def design(first, second, scale="numeric"):
    return Paired(
        conditions=("a", "b"),
        first=np.asarray(first, dtype=float),
        second=np.asarray(second, dtype=float),
        count=np.ones(len(first)),
        scale=scale,
        levels=("x", "y") if scale == "nominal" else (),
    )


def test_differences_equal_up_to_rounding_are_equal():
    x = np.array([0.7, -1.6, -0.2, 1.1, 1.3, 2.2])
    values = merge_ties(x - (x - np.array([0.1, 0.1, 0.1, -0.1, 0.1, 0.0])), 1e-14)
    assert len(set(np.abs(values).tolist())) == 2
    assert np.sign(values).tolist() == [1, 1, 1, -1, 1, 0]
    assert merge_ties(np.array([1.0, 1.1, 3.0]), 1e-9).tolist() == [1.0, 1.1, 3.0]
    assert merge_ties(np.array([0.0, 0.0]), 0.0).tolist() == [0.0, 0.0]


def test_differences_of_rounding_only_are_zero():
    pairs = pair_values(design([0.1 + 0.2, 5.0], [0.3, 4.0]))
    assert pairs.difference.tolist() == [0.0, 1.0]


def test_one_pair_and_nominal_values_are_refused():
    with pytest.raises(DesignError, match="at least 2 pairs"):
        pair_values(design([1.0], [2.0]))
    with pytest.raises(DesignError, match="nominal"):
        pair_values(design([1.0, 0.0], [0.0, 1.0], scale="nominal"))


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_bootstrap_interval_of_a_mean_is_scipys_up_to_the_draws(ci):
    x = RNG.exponential(size=60)
    ours = mean_interval(x, np.ones(60), [], ci=ci, level=0.9, resamples=20_000, seed=1)
    method = {"bca": "BCa"}.get(ci, ci)
    theirs = stats.bootstrap(
        (x,), np.mean, confidence_level=0.9, n_resamples=20_000, method=method, rng=2
    )
    error = 4 * np.sqrt(2) * max(ours.error_low[0], ours.error_high[0])
    assert (ours.low[0], ours.high[0]) == pytest.approx(
        tuple(theirs.confidence_interval), abs=error
    )


def brute_studentized(x, code, draws, level):
    """Resample clusters by loops, each resample with its own CR1 error."""
    rng = np.random.default_rng(0)
    groups = [x[code == g] for g in np.unique(code)]

    def mean_and_error(parts):
        n, m = sum(map(len, parts)), np.concatenate(parts).mean()
        sums = np.array([p.sum() - len(p) * m for p in parts])
        return m, np.sqrt(len(parts) / (len(parts) - 1) * (sums @ sums)) / n

    m, se = mean_and_error(groups)
    t = []
    for _ in range(draws):
        a, b = mean_and_error([groups[k] for k in rng.integers(0, len(groups), len(groups))])
        t.append((a - m) / b)
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    return m - high * se, m - low * se


@pytest.mark.parametrize("single", [True, False])
def test_studentized_interval_by_loops(single):
    code = np.arange(30) if single else np.repeat(np.arange(12), [1, 2, 3, 4] * 3)
    x = RNG.normal(size=len(code)) + 0.8 * RNG.normal(size=30)[code]
    codes = [] if single else [code]
    ours = mean_interval(
        x, np.ones(len(x)), codes, ci="studentized", level=0.9, resamples=20_000, seed=3
    )
    theirs = brute_studentized(x, code, 4000, 0.9)
    assert ours.low[0] == pytest.approx(theirs[0], abs=6 * ours.error_low[0])
    assert ours.high[0] == pytest.approx(theirs[1], abs=6 * ours.error_high[0])


def test_counts_are_repeated_values_in_distribution():
    values, count = np.array([0.0, 1.0, 3.0]), np.array([10.0, 6.0, 4.0])
    for ci in ("percentile", "bca", "studentized"):
        short = mean_interval(values, count, [], ci=ci, level=0.9, resamples=10_000, seed=1)
        long = mean_interval(
            np.repeat(values, count.astype(int)),
            np.ones(20),
            [],
            ci=ci,
            level=0.9,
            resamples=10_000,
            seed=2,
        )
        assert short.low[0] == pytest.approx(long.low[0], abs=0.1)
        assert short.high[0] == pytest.approx(long.high[0], abs=0.1)


def test_bca_of_clusters_uses_the_jackknife_of_clusters():
    code = np.repeat(np.arange(10), 3)
    x = RNG.exponential(size=30) + RNG.exponential(size=10)[code]
    table, units = np.column_stack([x, np.ones(30)]), PlanUnits.clusters(code)
    mean = lambda s: s[:, :1] / s[:, 1:]  # noqa: E731
    by_hand = bca(
        bootstrap_sums(table, mean, units, resamples=999, seed=5),
        jackknife_sums(table, mean, units),
    )
    ours = mean_interval(x, np.ones(30), [code], ci="bca", level=0.95, resamples=999, seed=5)
    assert (ours.low[0], ours.high[0]) == pytest.approx((by_hand.low[0], by_hand.high[0]), rel=1e-9)


def test_crossed_factors_have_no_bca():
    with pytest.raises(InputError, match="'bca' needs pairs or one"):
        mean_interval(
            RNG.normal(size=6),
            np.ones(6),
            [np.arange(6) % 2, np.arange(6) % 3],
            ci="bca",
            level=0.9,
            resamples=99,
            seed=0,
        )


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("factors", [0, 1, 2])
def test_a_ratio_over_equal_units_is_their_mean(ci, factors):
    x, ones = RNG.exponential(size=30), np.ones(30)
    codes = [np.arange(30) // 3, np.arange(30) % 5][:factors]
    how = IntervalOptions(ci=ci, level=0.9, resamples=400, seed=3)
    if ci == "bca" and factors == 2:
        with pytest.raises(InputError, match="not two crossed ones"):
            ratio_interval(2 * x, 2 * ones, ones, codes, how)
        return
    low, high, why = ratio_interval(2 * x, 2 * ones, ones, codes, how)
    mean = mean_interval(x, ones, codes, ci=ci, level=0.9, resamples=400, seed=3)
    assert (low, high, why) == (pytest.approx(mean.low[0]), pytest.approx(mean.high[0]), "")
