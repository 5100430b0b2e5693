from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import UndefinedStatistic
from socialstats.models.effect_sizes import merged, signed_rank
from tests.golden_data import golden, golden_frame

NAMES = {"two.sided": "two_sided", "greater": "greater", "less": "less"}
RNG = np.random.default_rng(3)


def differences(name):
    rows = golden_frame(f"{name}.csv")
    return merged((rows["x"] - rows["y"]).to_numpy(), 1e-13)


def ranks(d, **options):
    return signed_rank(np.asarray(d, dtype=float), np.ones(len(d)), **options)


@pytest.mark.parametrize("name", ["paired_sleep", "paired_anorexia_FT"])
def test_normal_p_with_and_without_correction_is_rs(name):
    found, r = ranks(differences(name)), golden(name)["r"]
    assert found.v == r["wilcox_V"]
    assert found.p_normal() == pytest.approx(r["wilcox_p_normal_cc"], rel=1e-10)
    assert found.p_normal(corrected=False) == pytest.approx(r["wilcox_p_normal_nocc"], rel=1e-10)


@pytest.mark.parametrize("d", [differences("paired_sleep"), np.array([0, 0, 3, -1, 2, 2, 5, -4, 1, 6, 2.5, 7])])
def test_pratts_zeros_are_scipys(d):
    found = ranks(d, zeros="pratt")
    theirs = stats.wilcoxon(d, zero_method="pratt", method="approx", correction=False)
    assert found.p_normal(corrected=False) == pytest.approx(theirs.pvalue, rel=1e-9)
    assert abs(found.z()) == pytest.approx(abs(theirs.zstatistic), rel=1e-9)


@pytest.mark.parametrize("alternative", ["two.sided", "greater", "less"])
def test_exact_and_normal_p_without_ties_are_rs(alternative):
    r = golden("paired")["wilcoxon"]
    found = ranks(np.array(r["x"]) - np.array(r["y"]))
    assert found.exact_as_r
    assert found.v == r["V"]
    p, name = r["p"], NAMES[alternative]
    assert found.p_exact(name) == pytest.approx(p[f"exact {alternative}"], rel=1e-12)
    assert found.p_normal(name) == pytest.approx(p[f"corrected {alternative}"], rel=1e-10)
    assert found.p_normal(name, corrected=False) == pytest.approx(p[f"plain {alternative}"], rel=1e-10)


def test_exact_p_with_ties_is_scipys_permutation():
    d = np.array([1, 1, -2, 3, 3, -1, 4, 2])
    theirs = stats.wilcoxon(d, method=stats.PermutationMethod(n_resamples=np.inf))
    assert ranks(d).p_exact() == pytest.approx(theirs.pvalue, rel=1e-12)
    assert not ranks(d).exact_as_r


def test_forty_nine_exact_fifty_normal():
    assert ranks(RNG.normal(size=49)).exact_as_r
    assert not ranks(RNG.normal(size=50)).exact_as_r


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
