"""Two crossed factors: the floor of V1 + V2 - V12, and what says so."""

from __future__ import annotations

import math

import numpy as np
import pytest

from socialstats.inference.clustered_mean import clustered_mean
from socialstats.paired.matched_pairs import SPECTRAL_FLOOR, spectral_sign_flip
from socialstats.paired.mcnemar import named
from socialstats.paired.robust_tests import WaldTest, rank_of, robust_wald


def crossed(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(0.5, 1, 40), [rng.integers(0, 6, 40), rng.integers(0, 5, 40)]


@pytest.mark.parametrize("seed", range(12))
def test_one_column_has_the_floor_of_the_mean(seed):
    values, codes = crossed(seed)
    mean = clustered_mean(values, np.ones(40), codes)
    test = robust_wald(values[:, None], np.ones(40), codes)
    assert isinstance(test, WaldTest)
    assert test.statistic == pytest.approx(mean.t() ** 2, rel=1e-9)
    assert test.cautious == mean.floored


def test_the_error_without_the_floor_is_kept():
    found = [clustered_mean(x, np.ones(40), codes) for x, codes in map(crossed, range(12))]
    assert {m.floored for m in found} == {True, False}
    for m, (x, codes) in zip(found, map(crossed, range(12)), strict=True):
        off, v = x - x.mean(), []
        for code, reduced in zip(
            (*codes, codes[0] * 5 + codes[1]), (True, True, False), strict=True
        ):
            sums = [off[code == g].sum() for g in np.unique(code)]
            left = [1 - np.mean(code == g) if reduced else 1.0 for g in np.unique(code)]
            v.append((np.square(sums) / left).sum() / 1600)
        raw = v[0] + v[1] - v[2]
        assert m.unfloored_std_error == (None if raw <= 0 else pytest.approx(math.sqrt(raw)))
        assert m.std_error == pytest.approx(math.sqrt(max(raw, v[0], v[1])))


def test_sign_flips_below_what_the_transform_resolves_are_a_bound():
    test = spectral_sign_flip(np.array([1]), np.array([1000]), 1000.0)
    assert test.p == SPECTRAL_FLOOR
    assert named("sign_flip", test).endswith("(p at most 1e-12)")
    assert "at most" not in named(
        "sign_flip", spectral_sign_flip(np.array([1]), np.array([1000]), 30.0)
    )


@pytest.mark.parametrize(
    ("values", "least", "rank"),
    [
        ([4.0, 1.0, 0.0], 0.0, 2),
        ([4.0, 1.0, 0.5], 0.7, 2),
        ([4.0, 1.0, 1e-15], 0.0, 2),
        ([0.0, 0.0], 0.0, 0),
    ],
)
def test_the_rank_of_a_covariance_leaves_out_what_is_rounding(values, least, rank):
    assert rank_of(np.diag(values), least) == rank
