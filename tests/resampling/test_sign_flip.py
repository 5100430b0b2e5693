from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.resampling import flipped_sums, sign_flip_test, sum_cells_to_clusters
from tests.golden_data import golden, golden_frame

RNG = np.random.default_rng(4)


def brute(values, alternative="two_sided"):
    """p by writing down every pattern of signs."""
    x = np.asarray(values, dtype=float)
    total, tol = x.sum(), 1e-9 * np.abs(x).sum()
    hits = 0
    for signs in itertools.product((1, -1), repeat=len(x)):
        s = np.dot(signs, x)
        hits += {
            "two_sided": abs(s) >= abs(total) - tol,
            "greater": s >= total - tol,
            "less": s <= total + tol,
        }[alternative]
    return hits / 2 ** len(x)


def p(values, *args, **options):
    return float(sign_flip_test(np.asarray(values), *args, **options).p_value[0])


@pytest.mark.parametrize("name", ["paired_sleep", "paired_anorexia_FT"])
def test_exact_p_is_rs(name):
    rows, r = golden_frame(f"{name}.csv"), golden(name)["r"]
    d = (rows["x"] - rows["y"]).to_numpy()
    assert p(d) == pytest.approx(r["signflip_exact_p_two_sided"], rel=1e-12)
    assert p(d, alternative="greater") == pytest.approx(r["signflip_exact_p_greater"], rel=1e-12)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
@pytest.mark.parametrize(
    ("values", "method"),
    [
        ([0.3, -1.2, 4.5, 0.7, -0.1, 2.2], "shift"),
        ([1, -1, 1, 1, 0, 1, -1, 1], "binomial"),
        ([3, 3, -2, 1, 1, 0, -5, 4], "shift"),
        ([1 / 3, -2 / 3, 1.0, 4 / 3, 1 / 3, -1 / 3], "enumeration"),
        (list(np.random.default_rng(2).normal(0.3, 1, 11)), "enumeration"),
        ([2.0], "binomial"),
        ([0.1, 0.2, -0.3], "shift"),  # a tie that floating point would miss
        ([1e-9, 2e-9, 5e-9], "enumeration"),
        ([-0.25, -1.5, -3.0, 0.75], "shift"),
    ],
)
def test_every_exact_way_is_the_full_list_of_patterns(values, method, alternative):
    test = sign_flip_test(np.array(values, dtype=float), alternative=alternative)
    assert test.p_value[0] == pytest.approx(brute(values, alternative), rel=1e-10)
    assert test.exact
    assert test.mc_error[0] == 0
    assert test.draws == 0
    assert test.method in (method, "symmetry")


def test_zero_one_data_are_the_exact_sign_test():
    values, count = np.array([1.0, -1.0, 0.0]), np.array([150.0, 86.0, 1364.0])
    assert p(values, count) == pytest.approx(stats.binomtest(150, 236).pvalue, rel=1e-10)
    test = sign_flip_test(np.array([1.0, -1.0]), np.array([600_000.0, 598_000.0]))
    assert test.p_value[0] == pytest.approx(stats.binomtest(600_000, 1_198_000).pvalue, rel=1e-9)


def test_thirty_scenarios_are_exact_and_agree_with_random_flips():
    values = RNG.normal(0.35, 1, 29)
    test, random = sign_flip_test(values), sign_flip_test(values, exact=False, seed=3)
    assert test.method == "enumeration"
    assert abs(test.p_value[0] - random.p_value[0]) < 4 * random.mc_error[0]


def test_likert_shift_agrees_with_a_direct_convolution():
    values = RNG.integers(-3, 4, 200).astype(float)
    pmf = np.ones(1)
    for step in np.abs(values[values != 0]).astype(int):
        pair = np.zeros(2 * step + 1)
        pair[[0, -1]] = 0.5
        pmf = np.convolve(pmf, pair)
    support = np.arange(len(pmf)) - len(pmf) // 2
    assert p(values) == pytest.approx(pmf[np.abs(support) >= abs(values.sum())].sum(), rel=1e-9)


@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_random_flips_are_right_within_their_own_error(alternative):
    values = RNG.normal(0.12, 1, 300)
    count = np.where(np.arange(300) < 2, 150.0, 1.0)  # both ways of drawing in one test
    test = sign_flip_test(values, count, alternative=alternative, flips=40_000, seed=1)
    z = float(values @ count) / np.sqrt(values**2 @ count)
    normal = {
        "two_sided": 2 * stats.norm.sf(abs(z)),
        "greater": stats.norm.sf(z),
        "less": stats.norm.cdf(z),
    }
    assert not test.exact
    assert test.mc_error[0] == pytest.approx(
        np.sqrt(test.p_value[0] * (1 - test.p_value[0]) / 40_000)
    )
    assert test.p_value[0] == pytest.approx(normal[alternative], abs=4 * test.mc_error[0] + 0.01)


def test_p_of_random_flips_counts_the_data_themselves():
    values = np.full(200, 1.0) + RNG.normal(0, 0.01, 200)
    test = sign_flip_test(values, flips=999)
    assert test.p_value[0] == pytest.approx(1 / 1000)
    assert p(np.ones(3000)) > 0  # 2^-2999 is no float, and no p-value is 0


def test_flipped_sums_have_mean_zero_and_the_right_variance():
    size, count = np.array([0.5, 1.7, 2.9]), np.array([7.0, 120.0, 11.0])
    sums = np.concatenate(list(flipped_sums(size, count, flips=40_000, seed=0)))
    sd = np.sqrt(size**2 @ count)
    assert abs(sums.mean()) < 4 * sd / 200
    assert sums.std() == pytest.approx(sd, rel=0.015)


def test_same_seed_same_bytes_whatever_the_block():
    size, count = np.abs(RNG.normal(size=77)), np.r_[np.full(3, 400.0), np.ones(74)]
    whole = np.concatenate(list(flipped_sums(size, count, flips=500, seed=5, block=500)))
    for block in (1, 7, 499):
        parts = list(flipped_sums(size, count, flips=500, seed=5, block=block))
        assert max(map(len, parts)) <= block
        assert np.allclose(
            np.concatenate(parts), whole, rtol=0, atol=1e-12
        )  # sums of the same signs
    other = np.concatenate(list(flipped_sums(size, count, flips=500, seed=6)))
    assert not np.allclose(other, whole)


def test_counts_are_repeated_values():
    values, count = RNG.normal(0.2, 1, 6), np.array([1.0, 3, 2, 1, 4, 2])
    assert p(values, count) == pytest.approx(p(np.repeat(values, count.astype(int))), rel=1e-12)
    assert p(values * 7.7, count) == pytest.approx(p(values, count), rel=1e-12)


def test_scipy_agrees_on_small_data():
    d = np.array([1.3, -0.4, 2.2, 0.9, -0.1, 0.6, 1.8, 0.35])
    theirs = stats.permutation_test(
        (d, np.zeros(8)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert p(d) == pytest.approx(theirs.pvalue, rel=1e-12)


def test_whole_clusters_change_sign_together():
    values, count, code = (
        np.array([1.0, 1, -1, 1, 1]),
        np.array([3.0, 2, 1, 4, 1]),
        np.array([9, 4, 4, 7, 7]),
    )
    sums = sum_cells_to_clusters(values, count, code)
    assert sorted(sums.tolist()) == [1.0, 3.0, 5.0]
    assert p(sums) == pytest.approx(0.25)


def test_small_integers_do_not_wrap():
    assert p(np.array([200, 100, 100], dtype=np.uint8)) == pytest.approx(brute([200, 100, 100]))


@pytest.mark.parametrize(
    ("values", "options", "error", "said"),
    [
        ([0.0, 0.0], {}, UndefinedStatistic, "every value is 0"),
        ([1.0, np.nan], {}, InputError, "finite"),
        ([1.0, np.inf], {}, InputError, "finite"),
        ([], {}, InputError, "finite"),
        ([1.0, 2.0], {"alternative": "bigger"}, InputError, "bigger"),
        ([1.0, 2.0], {"flips": 3}, InputError, "flips"),
        ([1.0, 2.0], {"seed": -1}, InputError, "seed"),
        ([1.0, 2.0], {"count": np.array([1.0, 0.5])}, InputError, "whole"),
    ],
)
def test_bad_input(values, options, error, said):
    with pytest.raises(error, match=said):
        sign_flip_test(np.array(values), **options)


def test_type_one_error_is_at_most_the_level():
    rng = np.random.default_rng(9)
    found = np.array([p(rng.standard_t(3, 12)) for _ in range(600)])
    assert (found <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
