"""Intervals of divergences: the truths of which a value is in no tail of a scaled noncentral chi-square."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from socialstats.inference.power import FAR, quadratic_interval, quadratic_intervals


def by_scipy(value: float, mean: float, square: float, level: float) -> tuple[float, float]:
    """Return both ends by the distribution function of scipy."""
    scale = square / mean
    x, df = value / scale, mean / scale
    ends = []
    for p in ((1 + level) / 2, (1 - level) / 2):
        off = lambda nc, p=p: stats.ncx2.cdf(x, df, nc) - p  # noqa: E731
        ends.append(
            0.0 if stats.chi2.cdf(x, df) <= p else scale * optimize.brentq(off, 1e-9, 4 * x + 50)
        )
    return ends[0], ends[1]


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("df", [1.5, 6.0, 40.0])
@pytest.mark.parametrize("x", [0.5, 8.0, 60.0, 500.0])
def test_ends_are_those_of_the_noncentral_chi_square(x: float, df: float, level: float) -> None:
    scale = 0.003
    mean, square = df * scale, df * scale**2
    values = np.array([x, 1.3 * x, 0.2 * x]) * scale
    found = quadratic_intervals(values, np.full(3, mean), np.full(3, square), level)
    wanted = [by_scipy(value, mean, square, level) for value in values.tolist()]
    assert np.transpose(found) == pytest.approx(np.array(wanted), abs=1e-6 * scale)


@pytest.mark.parametrize("df", [3.0, 400.0])
def test_far_ones_are_normal_and_go_on_where_the_others_end(df: float) -> None:
    scale = 0.002
    for x in (0.99 * FAR, 1.01 * FAR, 3 * FAR):
        ends, wanted = (
            np.array(of(x * scale, df * scale, df * scale**2, 0.95))
            for of in (quadratic_interval, by_scipy)
        )
        assert ends == pytest.approx(wanted, abs=0.03 * np.ptp(wanted))
        assert np.ptp(ends) == pytest.approx(np.ptp(wanted), rel=0.01)
    low, high = quadratic_interval(x * scale, df * scale, df * scale**2, 0.95)
    reach = stats.norm.ppf(0.975) * scale * np.sqrt(2 * df + 4 * (x - df))
    assert (low, high) == pytest.approx((scale * (x - df) - reach, scale * (x - df) + reach))


@pytest.mark.parametrize(
    "given", [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 1.0)]
)
def test_without_a_positive_value_mean_and_square_there_is_none(
    given: tuple[float, float, float],
) -> None:
    assert np.isnan(quadratic_interval(*given, 0.95)).all()


def test_a_far_value_below_its_chance_mean_has_an_interval_from_zero() -> None:
    low, high = quadratic_interval(2.5 * FAR, 3.0 * FAR, 3.0 * FAR, 0.95)
    assert low == 0.0
    assert high == pytest.approx(-0.5 * FAR + stats.norm.ppf(0.975) * np.sqrt(6 * FAR))
