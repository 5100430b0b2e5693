"""An interval at another level follows from estimate, error and df, or is not made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from socialstats.inference.rows import row_at_level
from socialstats.results import Row

ROW = Row(term="x", estimate=0.4, std_error=0.1, df=12.0, conf_level=0.95, interval="t")


def with_ends(row: Row, reach: float) -> Row:
    return replace(row, conf_low=(row.estimate or 0) - reach, conf_high=(row.estimate or 0) + reach)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.99])
def test_t_and_normal_intervals(level: float) -> None:
    for row, of in ((ROW, stats.t(12)), (replace(ROW, interval="z", df=None), stats.norm())):
        found = row_at_level(with_ends(row, of.ppf(0.975) * 0.1), level)
        assert found is not None
        reach = of.ppf((1 + level) / 2) * 0.1
        assert (found.conf_low, found.conf_high, found.conf_level) == pytest.approx(
            (0.4 - reach, 0.4 + reach, level)
        )


@pytest.mark.parametrize(("value", "error"), [(0.4, 0.1), (-0.9, 0.03)])
def test_fishers_z(value: float, error: float) -> None:
    row = replace(ROW, estimate=value, std_error=error, interval="fisher_z")
    own, wanted = (
        np.tanh(
            np.arctanh(value)
            + np.array([-1, 1]) * stats.t(12).ppf((1 + level) / 2) * error / (1 - value**2)
        )
        for level in (0.95, 0.7)
    )
    found = row_at_level(replace(row, conf_low=own[0], conf_high=own[1]), 0.7)
    assert found is not None
    assert (found.conf_low, found.conf_high) == pytest.approx(tuple(wanted))
    assert row_at_level(replace(row, estimate=1.0, conf_low=own[0], conf_high=1.0), 0.7) is None


def test_ends_are_cut_at_what_the_number_can_be() -> None:
    reach = stats.t(12).ppf(0.975) * 0.1
    row = replace(ROW, limits=(0.3, 0.5), conf_low=0.3, conf_high=0.5)
    assert reach > 0.1
    found = row_at_level(row, 0.5)
    assert found is not None
    near = stats.t(12).ppf(0.75) * 0.1
    assert (found.conf_low, found.conf_high) == pytest.approx((0.4 - near, 0.4 + near))
    wide = row_at_level(row, 0.99)
    assert wide is not None
    assert (wide.conf_low, wide.conf_high) == (0.3, 0.5)


def test_what_does_not_follow_from_the_fields_is_not_made() -> None:
    row = with_ends(ROW, stats.t(12).ppf(0.975) * 0.1)
    assert row_at_level(replace(row, conf_low=(row.conf_low or 0) - 1e-6), 0.9) is None
    assert row_at_level(replace(row, conf_high=(row.conf_high or 0) + 1e-6), 0.9) is None
    assert row_at_level(replace(row, interval="score"), 0.9) is None
    for field in ("estimate", "std_error", "conf_low", "conf_high"):
        assert row_at_level(replace(row, **{field: None}), 0.9) is None  # type: ignore[arg-type]
    bare = Row(term="x", estimate=0.4)
    assert row_at_level(bare, 0.9) == bare
