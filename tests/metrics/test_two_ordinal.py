"""Probability of superiority: Brunner-Munzel and rank sums by R; levels without numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import socialstats as ss
from socialstats.paired.two_groups import exact_rank_sum
from socialstats.results import Result

R: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "two_groups.json").read_text(encoding="utf-8")
)


def of(result: Any) -> Result:
    assert isinstance(result, Result)
    assert result.verify().ok
    return result


@pytest.mark.parametrize("name", ["pain", "small"])
def test_brunner_and_munzels_probability_is_rs(name: str) -> None:
    known = R[name]
    row = of(ss.two_ordinal(ss.Groups.from_samples(known["x"], known["y"], scale="ordinal"))).rows[
        0
    ]
    found = (row.estimate, row.std_error, row.statistic, row.df, row.p_value)
    assert found == pytest.approx(
        (known["theta"], known["se"], known["t"], known["df"], known["p"]), rel=1e-9
    )
    low, high = known["ends"]
    assert (row.conf_low, row.conf_high) == pytest.approx((max(low, 0), min(high, 1)), rel=1e-9)


def test_the_rank_sum_test_is_exact_with_ties_and_normal_of_many() -> None:
    tied = ss.two_ordinal(
        ss.Groups.from_samples(R["small"]["x"], R["small"]["y"], scale="ordinal")
    ).rows[1]
    assert (tied.statistic, tied.p_value) == pytest.approx(
        (R["small"]["exact"]["u"], R["small"]["exact"]["p"])
    )
    free = ss.two_ordinal(ss.Groups.from_samples(R["untied"]["x"], R["untied"]["y"])).rows[1]
    assert (free.statistic, free.p_value) == pytest.approx((R["untied"]["u"], R["untied"]["p"]))
    many = ss.two_ordinal(
        ss.Groups.from_samples(R["pain"]["x"] * 3, R["pain"]["y"] * 3, scale="ordinal")
    ).rows[1]
    assert many.test == "rank_sum"
    assert (many.statistic, many.p_value) == pytest.approx((R["many"]["u"], R["many"]["p"]))
    assert exact_rank_sum(np.array([2.0, 4.0]), np.ones(2), 1, 1.0) == 1.0


def test_ordered_levels_need_no_numbers_and_labels_without_order_are_refused() -> None:
    words = np.array(["low", "mid", "high", "top", "best"])
    first, second = (words[np.array(R["pain"][side]) - 1] for side in "xy")
    design = ss.Groups.from_samples(first, second, levels=words.tolist())
    assert of(ss.two_ordinal(design)).rows[0].estimate == pytest.approx(R["pain"]["theta"])
    share = of(ss.two_proportions(design, choice="low")).rows[0]
    assert share.estimate == pytest.approx(
        float(np.mean(first == "low") - np.mean(second == "low"))
    )
    for wrong, message in (
        (lambda: ss.two_proportions(design), "choice="),
        (lambda: ss.two_proportions(design, choice="x"), "no such level"),
        (lambda: ss.two_means(design), "two_ordinal compares"),
        (
            lambda: ss.two_ordinal(ss.Groups.from_samples(first, second, scale="nominal")),
            "have no order",
        ),
        (
            lambda: ss.two_proportions(ss.Groups.from_samples([1.0, 2.5], [3.0, 4.0])),
            "two_means compares",
        ),
        (
            lambda: ss.two_means(ss.Groups.from_samples([1.5], [2.5, 3.0])),
            "'first' has a single unit",
        ),
    ):
        with pytest.raises(
            ss.DesignError if "level" not in message else ss.InputError, match=message
        ):
            wrong()
