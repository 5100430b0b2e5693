"""How many more clusters halve an interval, and what repeated answers contribute to its length."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from socialstats.designs.parts import Repeats
from socialstats.inference.halving import (
    RepeatedAnswers,
    answers_behind,
    clusters_to_halve,
    units_worth,
)
from socialstats.results import Row

ROW = Row(
    term="d",
    estimate=1.0,
    conf_low=0.8,
    conf_high=1.2,
    conf_level=0.95,
    n_clusters=10,
    interval="t",
)


@pytest.mark.parametrize("n", [1, 7, 10, 250])
def test_four_times_as_many_clusters_halve_an_interval_of_the_normal(n: int) -> None:
    assert clusters_to_halve(replace(ROW, n_clusters=n, interval="z")) == 3 * n
    assert clusters_to_halve(ROW, n) == 3 * n


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("df", [2.0, 9.0, 30.0])
def test_of_t_it_is_the_first_number_that_halves(df: float, level: float) -> None:
    more = clusters_to_halve(replace(ROW, df=df, conf_level=level))
    half = stats.t.ppf((1 + level) / 2, df) / math.sqrt(10) / 2
    reach = [stats.t.ppf((1 + level) / 2, df * m / 10) / math.sqrt(m) for m in range(10, 41)]
    assert more == int(np.argmax(np.array(reach) <= half))


def test_without_an_interval_nothing_is_halved() -> None:
    ends = {"conf_low": None}, {"conf_high": math.inf}, {"conf_low": -math.inf}, {"conf_high": 0.8}
    assert {clusters_to_halve(replace(ROW, **changed)) for changed in ends} == {None}
    assert clusters_to_halve(replace(ROW, n_clusters=None)) is None
    assert clusters_to_halve(ROW, 0) is None


def repeats() -> Repeats:
    return Repeats(
        columns=("try",),
        sources=("a", "b", "c"),
        source=np.array([0, 0, 1, 1, 2, 2]),
        place=np.arange(6),
        answers=np.array([2.0, 4.0, 1.0, 5.0, 1.0, 1.0]),
        variance=np.array([0.4, 0.8, np.nan, 0.6, np.nan, np.nan]),
    )


def test_repeated_answers_hold_a_share_of_the_variance_of_a_difference() -> None:
    row = replace(ROW, std_error=0.75, n_units=2)
    found = answers_behind(repeats(), row, ("a", "b"))
    a, b = (1 * 0.4 + 3 * 0.8) / 4 * (1 / 2 + 1 / 4) / 2, 0.6 * (1 / 1 + 1 / 5) / 2
    assert found == RepeatedAnswers(units=2, answers=5, share=pytest.approx((a + b) / 2 / 0.75**2))
    assert answers_behind(repeats(), row, ("b", "a")) == found
    alone = replace(repeats().take(np.arange(4), 6), sources=("a", "b"))
    assert answers_behind(alone, row, ("a", "b")) == found
    small = answers_behind(repeats(), replace(row, std_error=0.1), ("a", "b"))
    assert small is not None
    assert small.share == 1


def test_without_repeats_of_both_sources_answers_hold_no_share() -> None:
    row = replace(ROW, std_error=0.5, n_units=2)
    assert answers_behind(repeats(), row, ("a", "c")) is None  # each unit has one answer of c
    assert answers_behind(repeats(), row, ("c", "a")) is None
    assert answers_behind(repeats(), row, ("a", "d")) is None
    assert answers_behind(repeats(), None, ("a", "b")) is None
    for lacking in ({"std_error": None}, {"n_units": None}):
        assert answers_behind(repeats(), replace(row, **lacking), ("a", "b")) is None


@pytest.mark.parametrize(("share", "more"), [(0.0, 0), (0.4, 15), (1.0, 60)])
def test_units_that_are_worth_twice_the_answers(share: float, more: int) -> None:
    """Twice the answers take half of their share off the variance; 60 / (1 - share / 2) units do so too."""
    assert units_worth(RepeatedAnswers(units=60, answers=5, share=share)) == more
