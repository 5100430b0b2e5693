from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import UndefinedStatistic
from socialstats.paired.pair_values import merge_ties
from socialstats.paired.signed_rank import signed_rank
from tests.golden_data import golden, golden_frame

NAMES = {"two.sided": "two_sided", "greater": "greater", "less": "less"}
RNG = np.random.default_rng(3)


def differences(name):
    rows = golden_frame(f"{name}.csv")
    return merge_ties((rows["x"] - rows["y"]).to_numpy(), 1e-13)


def ranks(d, **options):
    return signed_rank(np.asarray(d, dtype=float), np.ones(len(d)), **options)


@pytest.mark.parametrize("name", ["paired_sleep", "paired_anorexia_FT"])
def test_normal_p_with_and_without_correction_is_rs(name):
    found, r = ranks(differences(name)), golden(name)["r"]
    assert found.v == r["wilcox_V"]
    assert found.p_normal() == pytest.approx(r["wilcox_p_normal_cc"], rel=1e-10)
    assert found.p_normal(corrected=False) == pytest.approx(r["wilcox_p_normal_nocc"], rel=1e-10)


@pytest.mark.parametrize(
    "d", [differences("paired_sleep"), np.array([0, 0, 3, -1, 2, 2, 5, -4, 1, 6, 2.5, 7])]
)
def test_pratts_zeros_are_scipys(d):
    found = ranks(d, zeros="pratt")
    theirs = stats.wilcoxon(d, zero_method="pratt", method="approx", correction=False)
    assert found.p_normal(corrected=False) == pytest.approx(theirs.pvalue, rel=1e-9)
    assert abs(found.z()) == pytest.approx(abs(theirs.zstatistic), rel=1e-9)


@pytest.mark.parametrize("alternative", ["two.sided", "greater", "less"])
def test_exact_and_normal_p_without_ties_are_rs(alternative):
    r = golden("paired")["wilcoxon"]
    found = ranks(np.array(r["x"]) - np.array(r["y"]))
    assert found.v == r["V"]
    p, name = r["p"], NAMES[alternative]
    assert found.p_value(name) == (pytest.approx(p[f"exact {alternative}"], rel=1e-12), True)
    assert found.p_normal(name) == pytest.approx(p[f"corrected {alternative}"], rel=1e-10)
    assert found.p_normal(name, corrected=False) == pytest.approx(
        p[f"plain {alternative}"], rel=1e-10
    )


@pytest.mark.parametrize(
    "d",
    [
        [1, 1, -2, 3, 3, -1, 4, 2],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 2],
        [2, 2, -2, 2, 0, 0, 1],
        [0.5, -0.5, 0.5, 3, 3, 3, 3, -3],
    ],
)
@pytest.mark.parametrize("alternative", ["two_sided", "greater", "less"])
def test_exact_p_with_ties_is_that_of_all_patterns_of_signs_and_scipys_permutation(d, alternative):
    d = np.array(d, float)
    kept = d[d != 0]
    rank = stats.rankdata(np.abs(kept))
    sums = np.array([rank @ np.array(signs) for signs in product((0, 1), repeat=len(kept))])
    seen = rank[kept > 0].sum()
    above, below = np.mean(sums >= seen), np.mean(sums <= seen)
    wanted = {"two_sided": min(1, 2 * min(above, below)), "greater": above, "less": below}[
        alternative
    ]
    assert ranks(d).p_value(alternative) == (pytest.approx(wanted, rel=1e-12), True)
    side = alternative.replace("_", "-")
    theirs = stats.wilcoxon(
        kept, alternative=side, method=stats.PermutationMethod(n_resamples=np.inf)
    )
    assert theirs.pvalue == pytest.approx(wanted, rel=1e-12)


def test_no_p_is_smaller_than_that_of_equal_signs():
    """Two of the 2^n patterns are as extreme as all signs alike: R's normal p is .0369 and .0477."""
    assert ranks([1, 1, 1, 1, 1]).p_value() == (0.0625, True)
    assert ranks([1, 1, 1, 1, 2]).p_value() == (0.0625, True)
    assert ranks([1, 1, 1, 1, 1]).p_normal() == pytest.approx(0.0369, abs=1e-4)


@pytest.mark.parametrize(
    ("n", "size"), [(8, 0.0078125), (16, 0.02127075195), (50, 0.03283913756), (2000, 0.04655282)]
)
def test_size_where_all_differences_are_of_one_size(n, size):
    positive = np.arange(n + 1)
    chance = stats.binom.pmf(positive, n, 0.5)
    seen = chance > 1e-12
    rejected = [
        signed_rank(np.array([3.0, -3.0]), np.array([k, n - k], float)).p_value()[0] <= 0.05
        for k in positive[seen].tolist()
    ]
    assert chance[seen] @ rejected == pytest.approx(size, abs=1e-4)


@pytest.mark.parametrize("n", [12, 40, 120, 300])
def test_p_of_ratings_is_that_of_the_distribution_of_v_whose_size_is_at_most_the_level(n):
    rng = np.random.default_rng(n)
    size = rng.integers(1, 4, n).astype(float)
    doubled = np.round(2 * stats.rankdata(size)).astype(int)
    chance = np.array(
        [1.0]
    )  # of the sum of the doubled positive ranks, one difference after the other
    for one in doubled:
        chance = (np.append(chance, np.zeros(one)) + np.append(np.zeros(one), chance)) / 2
    lower = np.cumsum(chance)
    p = np.minimum(1, 2 * np.minimum(lower, lower[::-1]))
    assert chance[p <= 0.05].sum() <= 0.05
    for _ in range(10):
        sign = np.where(rng.random(n) < rng.uniform(0.3, 0.7), 1, -1)
        assert ranks(sign * size).p_value() == (
            pytest.approx(p[doubled[sign > 0].sum()], rel=1e-9),
            True,
        )


def test_untied_differences_are_exact_below_fifty_as_in_r():
    assert ranks(RNG.normal(size=49)).p_value()[1]
    assert not ranks(RNG.normal(size=50)).p_value()[1]
    assert ranks(np.append(RNG.normal(size=20), [0.0, 0.0])).p_value()[1]
    assert ranks(RNG.integers(1, 9, 200) * RNG.choice([-1, 1], 200)).p_value()[1]
    assert not ranks(np.append(RNG.normal(size=5000), [1.0, 1.0])).p_value()[1]  # too long


def test_counts_are_repeated_values():
    values, count = np.array([-2.0, 0.0, 1.0, 3.0]), np.array([3.0, 2.0, 5.0, 4.0])
    short, long = signed_rank(values, count), ranks(np.repeat(values, count.astype(int)))
    assert (short.v, short.n, short.zeros, short.ties) == (long.v, long.n, long.zeros, long.ties)
    assert short.p_normal() == pytest.approx(long.p_normal())
    assert short.p_exact() == pytest.approx(long.p_exact())


def test_v_at_its_middle_has_p_one():
    assert ranks([1.0, -1.0]).p_normal() == 1.0
    assert ranks([1.0, -1.0]).p_exact() == 1.0


def test_only_zeros_is_said():
    with pytest.raises(UndefinedStatistic, match="every difference is 0"):
        ranks([0.0, 0.0])
