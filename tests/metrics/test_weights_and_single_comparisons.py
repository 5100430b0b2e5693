"""Odd designs: weights that differ between like rows, pairs compared once, unequal opponents. Loops as reference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.choice_entropy import choice_entropy
from socialstats.choices.preference_shares import preference_shares
from socialstats.choices.sensitivity import sensitivity
from socialstats.choices.win_rates import win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, UndefinedStatistic


def weighted(conflict_rows, ties=0.2):
    frame = conflict_rows(seed=5, ties=ties)
    return frame.assign(w=np.random.default_rng(1).exponential(1, len(frame)) + 0.05)


def test_variance_of_a_weighted_rate_with_independent_rows_by_a_loop(conflict_rows):
    """Rows alike but for their weights share a cell: the variance needs the sum of the squared weights."""
    frame = pd.concat([weighted(conflict_rows)] * 2, ignore_index=True)
    frame["w"] = np.random.default_rng(2).exponential(1, len(frame)) + 0.05
    design = Comparisons.from_frame(frame, weight="w", covariates=["urgency"])
    assert design.count.max() > 1
    row = win_rates(design, weights="pooled", cluster=None).row("r1", group="higher")
    parts = []
    for r in frame.itertuples():
        for me, mine, its in (
            (r.item_a, r.urgency_a, r.urgency_b),
            (r.item_b, r.urgency_b, r.urgency_a),
        ):
            if me == "r1" and mine > its:
                parts.append((0.5 if r.winner == "tie" else float(r.winner == "r1"), r.w))
    score, w = np.array(parts).T
    p = score @ w / w.sum()
    assert row.estimate == pytest.approx(p, abs=1e-12)
    expected = (
        np.sqrt(np.sum((w * (score - p)) ** 2 / (1 - w / w.sum()))) / w.sum()
    )  # CR2, every row a cluster
    assert row.std_error == pytest.approx(
        expected, rel=0.01
    )  # rows of a cell share one weight in 1 / (1 - f)


def test_rows_of_different_weights_are_not_resampled(conflict_rows):
    frame = pd.concat([weighted(conflict_rows, ties=0.0)] * 2, ignore_index=True)
    frame["w"] = np.random.default_rng(2).exponential(1, len(frame)) + 0.05
    design = Comparisons.from_frame(frame, weight="w", covariates=["urgency"])
    with pytest.raises(InputError, match="different weights"):
        bradley_terry(design).bootstrap(by="row", resamples=40)
    with pytest.raises(InputError, match="different weights"):
        sensitivity(design, cluster=None, resamples=40)
    even = Comparisons.from_frame(frame.assign(w=2.0), weight="w", covariates=["urgency"])
    plain = Comparisons.from_frame(frame, covariates=["urgency"])
    twice, once = (
        bradley_terry(d).bootstrap(by="row", resamples=40, seed=3) for d in (even, plain)
    )
    np.testing.assert_allclose(twice.strengths, once.strengths, atol=1e-4)


@pytest.mark.parametrize("w", [0.1, 0.3, 0.7, 1.3, 1.7, 1.9, 2.3, 2.9, 3.7, 4.1])
def test_a_single_comparison_is_one_whatever_the_last_bits_of_its_weight(w):
    """Rounding makes (sum w)^2 / sum w^2 of one row 1.0000000000000002: no variance can be estimated from it."""
    frame = pd.DataFrame(
        [
            ("a", "b", 2, 1, "tie", w),
            ("a", "b", 1, 1, "a", w),
            ("a", "b", 1, 1, "b", w),
            ("c", "d", 1, 1, "tie", w),
        ],
        columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner", "w"],
    )
    found = sensitivity(Comparisons.from_frame(frame, weight="w"), resamples=100)
    assert found.row("S_higher").estimate == pytest.approx(25)
    assert found.row("S_higher_corrected").estimate is None
    assert "two comparisons" in str(found.row("S_higher_corrected").undefined)


def test_equal_urgency_of_items_with_unequal_opponents_is_not_called_one_half_by_design():
    frame = pd.DataFrame(
        {
            "item_a": ["hub"] * 6,
            "item_b": ["x", "y", "z"] * 2,
            "urgency_a": 1,
            "urgency_b": 1,
            "winner": "hub",
        }
    )
    row = win_rates(Comparisons.from_frame(frame)).row("all", group="equal")
    assert row.estimate == pytest.approx((1 + 0 + 0 + 0) / 4)
    assert "numbers of opponents" in str(row.undefined)
    pooled = win_rates(Comparisons.from_frame(frame), weights="pooled").row("all", group="equal")
    assert pooled.estimate == pytest.approx(0.5)
    assert "by design" in str(pooled.undefined)


def test_entropy_of_pairs_compared_once_does_not_exist():
    once = pd.DataFrame(
        {"item_a": ["a", "a", "b"], "item_b": ["b", "c", "c"], "winner": ["a", "a", "c"]}
    )
    with pytest.raises(UndefinedStatistic, match="compared once"):
        choice_entropy(Comparisons.from_frame(once))
    more = pd.concat([once, once.iloc[:1]], ignore_index=True)
    codes = {c.code: c.detail for c in choice_entropy(Comparisons.from_frame(more)).cautions}
    assert "2 pairs compared once" in codes["SS303"]


def test_delta_intervals_of_shares_use_the_t_of_the_fit(conflict_rows):
    fit = bradley_terry(Comparisons.from_frame(conflict_rows(seed=2), cluster="worker"))
    groups = {item: "even" if int(item[1]) % 2 == 0 else "odd" for item in fit.items}
    row = preference_shares(fit, groups, ci="delta", scale="geometric").rows[0]
    half = (stats.logistic.ppf(row.conf_high) - stats.logistic.ppf(row.conf_low)) / 2
    se = row.std_error / (row.estimate * (1 - row.estimate))
    even = np.array([groups[item] == "even" for item in fit.items])
    log_odds = np.where(even, 1 / even.sum(), -1 / (~even).sum())  # of the geometric share
    df = fit.contrast(dict(zip(fit.items, log_odds, strict=True))).rows[0].df
    assert half / se == pytest.approx(stats.t.ppf(0.975, df), rel=1e-7)


def test_a_single_pair_has_rates_without_cluster_intervals(conflict_rows):
    frame = conflict_rows(seed=1, n_items=2)
    found = win_rates(Comparisons.from_frame(frame))
    row = found.row("r0", group="higher")
    assert row.estimate is not None
    assert row.conf_low is None
    assert "single cluster" in str(row.undefined)


def test_where_s_never_varies_its_corrected_value_has_no_interval(conflict_rows):
    found = sensitivity(Comparisons.from_frame(conflict_rows(seed=3, ties=1.0)), resamples=100)
    assert found.row("S").estimate == pytest.approx(50)
    assert all(row.conf_low is None and row.undefined for row in found.rows)
