"""Differences over joint resamples: basic intervals, z tests, and what has neither."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.compare import with_resamples
from socialstats.resampling.engine import Replicates
from socialstats.results import Row


def test_rows_of_resamples_have_basic_intervals_and_z() -> None:
    draws = np.random.default_rng(1).normal(0.5, 0.2, 999)
    boot = Replicates(
        estimate=np.array([0.4, 0.4, np.nan, 0.3]),
        replicates=np.column_stack([draws, draws, draws, np.full(999, 0.3)]),
        n_degenerate=np.zeros(4, dtype=np.int64),
    )
    rows = [
        Row(term=name, role="difference") for name in ("tested", "untested", "missing", "alike")
    ]
    tested, untested, missing, same = with_resamples(
        rows, boot, 0.9, tested=[True, False, True, True]
    )
    low, high = np.sort(draws)[[49, 949]]  # ranks .05 (B + 1) and .95 (B + 1)
    error = draws.std(ddof=1)
    for row in (tested, untested):
        assert (row.conf_low, row.conf_high) == pytest.approx((0.8 - high, 0.8 - low))
        assert (row.std_error, row.interval) == (pytest.approx(error), "basic")
    assert tested.statistic == pytest.approx(0.4 / error)
    assert tested.p_value == pytest.approx(2 * stats.norm.sf(0.4 / error))
    assert untested.p_value is None
    assert (missing.estimate, missing.conf_low, missing.undefined is not None) == (None, None, True)
    assert (same.estimate, same.conf_low, same.std_error, same.reason) == (
        0.3,
        None,
        None,
        "no_variation",
    )
