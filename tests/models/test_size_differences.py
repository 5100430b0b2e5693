"""The difference of two mean sizes against closed forms and simulated estimates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.paired.mean_sizes import MeanSizeEstimates
from socialstats.paired.size_differences import MeanSizes, SizeDifference


def sizes(values: np.ndarray, errors: np.ndarray, df: float = 12.0) -> MeanSizes:
    k = len(values)
    known = MeanSizeEstimates(
        value=values,
        error=errors,
        df=np.full(k, df),
        correlation=np.eye(k),
        weight=np.full(k, 1 / k),
        block=np.arange(k),
    )
    return MeanSizes(estimates=known, influence=np.eye(k), seed=1)


def single(value: float, error: float) -> MeanSizes:
    return sizes(np.array([value]), np.array([error]))


@pytest.mark.parametrize("r", [0.0, -0.5])
def test_far_from_0_it_is_the_t_test_of_a_difference(r: float) -> None:
    """Limits of single estimates are t limits there: those of the difference are t limits of its error."""
    one, two = single(-3.0, 0.2), single(2.2, 0.3)
    found = SizeDifference(first=one, second=two, correlation=r)
    error = np.sqrt(0.2**2 + 0.3**2 - 2 * r * 0.2 * 0.3)
    p = 2 * stats.t(12).sf(0.8 / error)
    assert found.p_value() == pytest.approx(p, abs=5 * np.sqrt(p / 20_000))
    reach = stats.t(12).ppf(0.975) * error
    assert found.interval(0.95, most=9.0) == pytest.approx((0.8 - reach, 0.8 + reach), abs=0.03)
    turned = SizeDifference(first=two, second=one, correlation=r)
    assert turned.p_value() == found.p_value()
    assert turned.interval(0.95, most=9.0)[0] == pytest.approx(-found.interval(0.95, most=9.0)[1])


@pytest.mark.parametrize(
    ("one", "two"), [((1.5, 0.2), (0.1, 0.3)), ((0.7, 0.2), (0.2, 0.3)), ((0.1, 0.2), (0.9, 0.3))]
)
def test_the_interval_at_1_less_p_ends_at_0(
    one: tuple[float, float], two: tuple[float, float]
) -> None:
    found = SizeDifference(first=single(*one), second=single(*two), correlation=-0.2)
    ends = found.interval(1 - found.p_value(), most=9.0)
    assert ends[0 if found.gap > 0 else 1] == pytest.approx(0.0, abs=0.02)


def test_no_difference_has_p_of_1_and_limits_of_either_size() -> None:
    found = SizeDifference(first=single(0.1, 0.3), second=single(-0.1, 0.3), correlation=0.0)
    assert found.p_value() == 1.0
    limits = [some.ends(0.95, 9.0)[1] for some in (found.first, found.second)]
    assert found.interval(0.95, most=9.0) == pytest.approx((-limits[1], limits[0]))


@pytest.mark.parametrize(
    ("first", "second", "errors", "r"),
    [
        (0.0, 0.0, (0.2, 1.0), 0.0),
        (2.0, 2.0, (1.0, 1.0), -0.6),
        (2.0, -2.0, (1.0, 1.0), 0.6),
        (3.0, 0.0, (0.2, 1.0), 0.0),
    ],
)
@pytest.mark.slow
def test_intervals_hold_and_tests_keep_their_size(
    first: float, second: float, errors: tuple[float, float], r: float
) -> None:
    """Single estimates with 10 df; 400 samples: Monte-Carlo error .011. A size of exactly 0 is the hardest case."""
    rng, truth, held, rejected = np.random.default_rng(4), abs(first) - abs(second), 0, 0
    for _ in range(400):
        noise = rng.multivariate_normal([0, 0], [[1, r], [r, 1]]) * errors
        seen = errors * np.sqrt(rng.chisquare(10, 2) / 10)
        one, two = (
            sizes(np.array([value + e]), np.array([s]), 10.0)
            for value, e, s in zip((first, second), noise, seen, strict=True)
        )
        sign = np.sign(one.estimates.value[0] * two.estimates.value[0])
        found = SizeDifference(first=one, second=two, correlation=min(r * sign, 0.0))
        low, high = found.interval(0.95, most=9.0)
        held += min(low, found.gap) <= truth <= max(high, found.gap)
        rejected += found.p_value() < 0.05
    assert held / 400 >= 0.925
    if truth == 0:
        assert rejected / 400 <= 0.06
