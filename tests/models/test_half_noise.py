"""The mean divergence of two random halves: every halving listed, the jackknife by hand."""

from itertools import combinations, product

import numpy as np
import pytest

from socialstats.shares.divergence import jensen_shannon
from socialstats.shares.split_half import half_parts, log_error, mean_divergence


def halvings(counts):
    """Every halving of one unit's ratings, larger half first or second, as counts of the two halves."""
    ratings = np.repeat(np.arange(len(counts)), counts.astype(int))
    n, out = len(ratings), []
    for m in {n // 2, n - n // 2}:
        for chosen in combinations(range(n), m):
            one = np.bincount(ratings[list(chosen)], minlength=len(counts)).astype(float)
            out.append((one, counts - one))
    return out


@pytest.mark.parametrize(
    "counts", [[[2, 2], [3, 1], [1, 2]], [[1, 2, 1], [3, 0, 2]], [[1, 1], [2, 1], [1, 0]]]
)
def test_the_variance_of_the_difference_of_two_halves_is_that_of_all_halvings(counts):
    counts = np.array(counts, dtype=float)
    used = counts[counts.sum(axis=1) >= 2]
    p = used.sum(axis=0) / used.sum()
    wanted = np.zeros(counts.shape[1])
    for unit in used:  # halves of different units are independent: variances add
        gaps = [one - two - p * (one.sum() - two.sum()) for one, two in halvings(unit)]
        wanted += np.mean(np.square(gaps), axis=0)
        assert np.mean(gaps, axis=0) == pytest.approx(0, abs=1e-12)
    value = (wanted / p).sum() / (used.sum() / 2) ** 2 / (8 * np.log(2))
    assert mean_divergence(half_parts(counts).sum(axis=0)) == pytest.approx(value, rel=1e-12)


def test_to_second_order_it_is_the_mean_over_all_halvings():
    """Thirteen units of two ratings, 2^13 halvings: 10% off at 26 ratings, as terms of third order are 1/n of it."""
    counts = np.array([[2.0, 0.0]] * 4 + [[1.0, 1.0]] * 6 + [[0.0, 2.0]] * 3)
    fixed = counts[counts.max(axis=1) == 2].sum(axis=0) / 2
    values = []
    for turns in product((0.0, 1.0), repeat=6):
        one = np.add(fixed, [sum(turns), 6 - sum(turns)])
        values.append(float(jensen_shannon(one, counts.sum(axis=0) - one)))
    assert mean_divergence(half_parts(counts).sum(axis=0)) == pytest.approx(
        np.mean(values), rel=0.1
    )


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 2, 3, 3]])
def test_the_error_of_the_logarithm_is_the_jackknife(clusters):
    counts = np.random.default_rng(3).multinomial(5, [0.5, 0.3, 0.2], 8).astype(float)
    codes = np.arange(8) if clusters is None else np.array(clusters)
    left = [
        np.log(mean_divergence(half_parts(counts[codes != k]).sum(axis=0)))
        for k in np.unique(codes)
    ]
    g = len(left)
    wanted = np.sqrt((g - 1) / g * np.square(left - np.mean(left)).sum())
    found = log_error(
        half_parts(counts),
        lambda sums: mean_divergence(sums)[:, None],
        np.ones(8),
        () if clusters is None else (codes,),
        np.ones((8, 1)),
    )
    assert found[0] == pytest.approx(wanted, rel=1e-10)


def test_ratings_that_all_agree_have_no_error():
    counts = np.array([[3.0, 0.0]] * 4)
    found = log_error(
        half_parts(counts), lambda s: mean_divergence(s)[:, None], np.ones(4), (), np.ones((4, 1))
    )
    assert np.isnan(found[0])
