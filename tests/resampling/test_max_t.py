from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError
from socialstats.resampling import (
    PlanUnits,
    bootstrap_draws,
    bootstrap_sums,
    max_t,
    max_t_critical,
    normal_draws,
)

RNG = np.random.default_rng(2)


def brute(t, draws, step_down):
    """Westfall and Young's algorithm, by loops."""
    order = sorted(range(len(t)), key=lambda j: -abs(t[j]))
    out, last = [0.0] * len(t), 0.0
    for place, j in enumerate(order):
        family = order[place:] if step_down else order
        b = sum(max(abs(row[k]) for k in family) >= abs(t[j]) for row in draws)
        p = (b + 1) / (len(draws) + 1)
        last = out[j] = max(p, last) if step_down else p
    return out


@pytest.mark.parametrize("method", ["step_down", "single_step"])
def test_adjusted_p_by_loops(method):
    draws, t = RNG.normal(size=(300, 4)), np.array([1.1, -3.0, 0.2, 2.0])
    found = max_t(t, draws, method=method)
    assert found.p_adjusted.tolist() == pytest.approx(brute(t, draws, method == "step_down"))
    assert found.mc_error == pytest.approx(np.sqrt(found.p_adjusted * (1 - found.p_adjusted) / 300))
    assert (found.members, found.draws) == (4, 300)


def test_independent_tests_are_sidaks():
    t = np.array([2.9, 0.3, 1.8, 2.3])
    found = max_t(t, normal_draws(np.eye(4), draws=200_000, seed=3), method="single_step")
    raw = 2 * stats.norm.sf(np.abs(t))
    assert found.p_adjusted == pytest.approx(1 - (1 - raw) ** 4, abs=4 * found.mc_error.max())


def test_perfectly_correlated_tests_need_no_adjustment():
    found = max_t(np.array([2.5, -1.0, 0.4]), normal_draws(np.ones((3, 3)), draws=100_000))
    assert found.p_adjusted == pytest.approx(
        2 * stats.norm.sf([2.5, 1.0, 0.4]), abs=4 * found.mc_error.max()
    )


def test_correlated_t_is_dunnetts():
    # three treatments against a control, equal groups: correlation one half, 16 df; two-sided 5% point 2.59
    # (Dunnett 1964, table II)
    draws = normal_draws(np.full((3, 3), 0.5) + np.eye(3) / 2, df=16, draws=200_000, seed=1)
    assert max_t_critical(draws, 0.95) == pytest.approx(2.59, abs=0.02)


def test_step_down_is_never_larger_and_keeps_the_order():
    draws, t = normal_draws(np.eye(6), draws=5000), np.array([3.5, 3.0, 2.8, 1.0, 0.4, -2.2])
    down, single = (max_t(t, draws, method=m).p_adjusted for m in ("step_down", "single_step"))
    assert np.all(down <= single)
    order = np.argsort(-np.abs(t))
    assert np.all(np.diff(down[order]) >= 0)


def test_one_sided_families():
    draws = normal_draws(np.eye(2), draws=50_000)
    up = max_t(np.array([2.0, -3.0]), draws, alternative="greater", method="single_step")
    assert up.p_adjusted == pytest.approx(
        1 - stats.norm.cdf([2.0, -3.0]) ** 2, abs=4 * up.mc_error.max() + 1e-4
    )
    down = max_t(np.array([-2.0, 3.0]), -draws, alternative="less", method="single_step")
    assert down.p_adjusted == pytest.approx(up.p_adjusted)


def test_an_undefined_test_is_no_member_and_bad_draws_are_left_out():
    draws = RNG.normal(size=(500, 3))
    draws[:7, 0] = np.nan
    found = max_t(np.array([2.0, np.nan, 1.0]), draws)
    assert np.isnan(found.p_adjusted).tolist() == [False, True, False]
    assert (found.members, found.draws) == (2, 493)
    again = max_t(np.array([2.0, 1.0]), draws[7:][:, [0, 2]])
    assert found.p_adjusted[[0, 2]] == pytest.approx(again.p_adjusted)


def test_bootstrap_draws_are_centred_and_scaled():
    x = RNG.normal(size=(60, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    table = np.column_stack([x, np.ones(60)])
    boot = bootstrap_sums(
        table, lambda s: s[:, :2] / s[:, 2:], PlanUnits.rows(np.ones(60)), resamples=4000, seed=1
    )
    draws = bootstrap_draws(boot, x.std(axis=0) / np.sqrt(60))
    assert np.abs(draws.mean(axis=0)).max() < 0.08
    assert draws.std(axis=0) == pytest.approx([1, 1], abs=0.05)
    assert np.corrcoef(draws.T)[0, 1] == pytest.approx(np.corrcoef(x.T)[0, 1], abs=0.05)


def test_a_negative_eigenvalue_is_set_to_zero_and_variances_stay_one():
    v = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert np.linalg.eigvalsh(v).min() < 0
    assert normal_draws(v, draws=50_000).std(axis=0) == pytest.approx([1, 1, 1], abs=0.02)


def test_family_wise_error_holds():
    draws, rng = (
        normal_draws(np.full((5, 5), 0.5) + np.eye(5) / 2, draws=4000, seed=1),
        np.random.default_rng(3),
    )
    root = np.linalg.cholesky(np.full((5, 5), 0.5) + np.eye(5) / 2)
    hits = [max_t(root @ rng.normal(size=5), draws).p_adjusted.min() <= 0.05 for _ in range(500)]
    assert np.mean(hits) == pytest.approx(0.05, abs=3.5 * np.sqrt(0.05 * 0.95 / 500))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: max_t(np.ones(2), np.ones((200, 3))), "does not fit"),
        (lambda: max_t(np.ones(2), np.ones((20, 2))), "99 draws"),
        (lambda: max_t(np.full(2, np.nan), np.ones((200, 2))), "needs a statistic"),
        (lambda: max_t(np.ones(2), np.ones((200, 2)), method="steps"), "steps"),
        (lambda: max_t(np.ones(2), np.ones((200, 2)), alternative="up"), "up"),
        (lambda: normal_draws(np.ones((2, 3))), "square"),
        (lambda: normal_draws(np.zeros((2, 2))), "positive"),
        (lambda: normal_draws(np.eye(2), df=0), "df"),
        (lambda: normal_draws(np.eye(2), draws=3), "draws"),
        (lambda: max_t_critical(np.ones((200, 2)), 95), "level"),
        (lambda: max_t_critical(np.ones((100, 2)), 0.999), "more"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(InputError, match=said):
        call()
