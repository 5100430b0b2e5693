"""Summaries of pairs: the skewness of their differences has its sign."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import socialstats as ss
from socialstats.paired.pair_sizes import summary_of
from socialstats.paired.pair_values import pair_values


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sum_of_cubes_of_differences_is_that_of_scipys_skewness_over_the_root_of_n(
    sign: int,
) -> None:
    after = sign * np.random.default_rng(3).lognormal(size=20)
    before = np.random.default_rng(4).normal(size=20) / 10
    units = [f"q{k:02d}" for k in range(20)]
    rows = {
        "unit": units * 2,
        "condition": ["after"] * 20 + ["before"] * 20,
        "value": [*after, *before],
    }
    pairs = ss.Paired.from_frame(rows, unit="unit", value="value", conditions=("after", "before"))
    found = summary_of(pair_values(pairs))
    assert found.skewness == pytest.approx(stats.skew(after - before) / np.sqrt(20))
    assert (found.skewness or 0) * sign > 0
