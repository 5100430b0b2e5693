"""Clustered McNemar tests, against R and by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from socialstats.paired import matched_pairs as clustered
from socialstats.paired.matched_pairs import ClusterCells, cluster_cells
from tests.golden_data import golden, golden_frame

R = golden("mcnemar")["clustered"]
PUBLISHED = golden("mcnemar_clustered_psychiatry")


@pytest.fixture(scope="module")
def psychiatry():
    table = golden_frame("mcnemar_clustered_psychiatry.csv")
    return ClusterCells(**{k: table[k].to_numpy(float) for k in "abcd"})


@pytest.mark.parametrize("name", ["obuchowski", "durkalski", "yang", "eliasziw"])
def test_four_tests_equal_clust_bin_pair_and_base_r(psychiatry, name):
    found = getattr(clustered, name)(psychiatry)
    for theirs in (PUBLISHED["r"][name], R[name]):
        assert (found.statistic, found.p) == pytest.approx(
            (theirs["statistic"], theirs["p"]), rel=PUBLISHED["rtol"]
        )
    assert found.df == 1


def test_correlation_and_sign_flip_equal_base_r(psychiatry):
    assert clustered.discordant_correlation(psychiatry) == pytest.approx(R["rho"], rel=1e-10)
    found = clustered.sign_flip(psychiatry.gap)
    assert found.p == pytest.approx(R["sign_flip"]["p"], rel=1e-10)
    assert found.statistic == -29


@pytest.mark.parametrize(
    "gap", [[2, 1, 3], [1, -1, 2, 0, 4], [5], [3, -3], [1] * 8, [2, -1, -4, 6, 1, 1, -2]]
)
def test_sign_flip_by_all_signs(gap):
    d = np.array(gap, dtype=float)
    sums = [abs(np.dot(signs, d)) for signs in itertools.product((-1, 1), repeat=len(d))]
    assert clustered.sign_flip(d).p == pytest.approx(np.mean(np.array(sums) >= abs(d.sum())))


@pytest.mark.parametrize("shift", [0.05, 0.15, 0.6, 1.5])
def test_sign_flip_of_many_clusters_is_the_same(shift):
    d = np.round(np.random.default_rng(6).normal(size=400) * 3 + shift)
    sizes, times = np.unique(np.abs(d[d != 0]).astype(np.int64), return_counts=True)
    exact = clustered.sign_flip(d)
    found = clustered.spectral_sign_flip(sizes, times, float(d.sum()))
    assert found.p == pytest.approx(max(exact.p, 1e-12), abs=1e-13, rel=1e-9)
    assert found.statistic == exact.statistic


def test_clusters_of_one_pair_are_mcnemar():
    rng = np.random.default_rng(2)
    x, y = (rng.random((2, 60)) < 0.4).astype(float)
    cells = cluster_cells(x, y, np.ones(60), np.arange(60))
    b, c = cells.b.sum(), cells.c.sum()
    # sum d_k^2 = b + c, so that Durkalski's test is McNemar's and Obuchowski's (K - 1)/K of it
    assert clustered.durkalski(cells).statistic == pytest.approx((b - c) ** 2 / (b + c))
    assert clustered.obuchowski(cells).statistic == pytest.approx(59 / 60 * (b - c) ** 2 / (b + c))
    assert "one pair" in clustered.eliasziw(cells)


def test_eliasziw_is_never_larger_than_mcnemar():
    rng = np.random.default_rng(4)
    for _ in range(50):
        a, b, c, d = rng.integers(0, 5, (4, 9)).astype(float)
        cells = ClusterCells(a=a + 1, b=b, c=c, d=d)
        found = clustered.eliasziw(cells)
        if not isinstance(found, str):
            plain = (b.sum() - c.sum()) ** 2 / (b + c).sum()
            assert 0 <= found.statistic <= plain + 1e-12


def test_reasons_instead_of_numbers():
    zero, one = np.zeros(3), np.ones(3)
    none = ClusterCells(a=one, b=zero, c=zero, d=one)
    assert "do not differ beyond rounding" in clustered.obuchowski(none)
    assert "do not differ beyond rounding" in clustered.durkalski(none)
    single = ClusterCells(a=one[:1], b=one[:1], c=zero[:1], d=one[:1])
    for test in (clustered.obuchowski, clustered.durkalski, clustered.yang, clustered.eliasziw):
        assert "single cluster" in test(single)
