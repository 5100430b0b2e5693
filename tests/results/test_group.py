"""One result a level: everything that a single result answers, for all levels at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import UndefinedStatistic
from socialstats.results import ResultGroup


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for model in ("m1", "m2"):
        for k in range(90):
            a, b = rng.choice(4, 2, replace=False)
            rows.append(
                (
                    model,
                    f"r{a}",
                    f"r{b}",
                    f"r{a if rng.random() < 0.4 + 0.05 * (a - b) else b}",
                    f"s{k % 9}",
                )
            )
    return pd.DataFrame(rows, columns=["model", "item_a", "item_b", "winner", "story"])


@pytest.fixture(scope="module")
def group(frame: pd.DataFrame) -> ResultGroup:
    found = ss.bradley_terry(ss.Comparisons.from_frame(frame, by="model", cluster="story"))
    assert isinstance(found, ResultGroup)
    return found


def alone(frame: pd.DataFrame, model: str) -> ss.Result:
    part = frame[frame["model"] == model].drop(columns="model")
    found = ss.bradley_terry(ss.Comparisons.from_frame(part, cluster="story"))
    assert isinstance(found, ss.Result)
    return found


def test_coefficients_intervals_and_covariances_are_those_of_each_level(
    frame: pd.DataFrame, group: ResultGroup
) -> None:
    assert repr(group) == "<ResultGroup by model: 2 levels (m1 and m2)>"
    assert list(group.coef()) == ["m1", "m2"]
    intervals = group.confint(level=0.9)
    assert list(intervals.columns) == ["5 %", "95 %"]
    assert intervals.index.names == ["model", "term"]
    for model in ("m1", "m2"):
        own = alone(frame, model)
        assert group.coef()[model] == own.coef()
        pd.testing.assert_frame_equal(
            intervals.loc[model], own.confint(level=0.9), check_names=False
        )
        pd.testing.assert_frame_equal(group.vcov()[model], own.vcov())


def test_every_level_is_verified(group: ResultGroup) -> None:
    verification = group.verify()
    assert verification.ok
    each = [len(group[level].verify().checks) for level in group]
    assert len(verification.checks) == sum(each)
    assert verification.checks[0].quantity.startswith("m1: ")
    assert verification.checks[-1].quantity.startswith("m2: ")


def test_every_level_has_a_figure_of_its_own(group: ResultGroup) -> None:
    axes = group.plot()
    assert list(axes) == ["m1", "m2"]
    assert len({id(ax.figure) for ax in axes.values()}) == 2
    for level, ax in axes.items():
        assert ax.get_title(loc="left").startswith(f"model = {level}")
        ax.figure.draw_without_rendering()


def test_literature_is_listed_once(group: ResultGroup) -> None:
    assert group.cite() == group["m1"].cite()


def test_what_a_level_has_not_is_said_with_its_name(frame: pd.DataFrame) -> None:
    entropy = ss.choice_entropy(ss.Comparisons.from_frame(frame, by="model"))
    with pytest.raises(UndefinedStatistic, match=r"model = 'm1': .* has no covariance matrix"):
        entropy.vcov()
