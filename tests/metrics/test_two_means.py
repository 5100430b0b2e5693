"""Means of two groups: Welch and CR2 by R; groups that are alike, other units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import socialstats as ss
from socialstats.results import Result

R: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "two_groups.json").read_text(encoding="utf-8")
)


def of(result: Any) -> Result:
    assert isinstance(result, Result)
    assert result.verify().ok
    return result


@pytest.mark.parametrize("name", ["sleep", "horsepower"])
def test_welchs_difference_is_rs(name: str) -> None:
    known = R[name]
    options: dict[str, Any] = {"null": 10.0, "alternative": "less"} if name == "horsepower" else {}
    row = of(
        ss.two_means(ss.Groups.from_samples(known["x"], known["y"], scale="numeric"), **options)
    ).rows[0]
    assert row.estimate == pytest.approx(known["difference"], rel=1e-12)
    found = (row.std_error, row.statistic, row.df, row.p_value)
    assert found == pytest.approx((known["se"], known["t"], known["df"], known["p"]), rel=1e-9)
    if options:
        assert (row.conf_low, row.conf_high) == (None, pytest.approx(known["ends"], rel=1e-9))
    else:
        assert (row.conf_low, row.conf_high) == pytest.approx(known["ends"], rel=1e-9)


@pytest.mark.parametrize("kind", ["within", "crossing"])
def test_cr2_of_the_difference_is_clubsandwichs(kind: str) -> None:
    known, data = R["clusters"][kind], R["clusters"]
    table = {"arm": known["group"], "value": data["value"], "site": data["cluster"]}
    design = ss.read_groups(table, groups=("a", "b"), cluster="site")
    row = of(ss.two_means(design)).rows[0]
    assert row.estimate == pytest.approx(known["difference"], rel=1e-10)
    assert row.std_error == pytest.approx(known["se"], rel=1e-9)
    assert (row.df or 0) <= known[
        "df"
    ] + 1e-9  # the smaller of Satterthwaite's and that of estimated variances
    shares = of(
        ss.two_proportions(
            {**table, "value": np.greater(data["value"], 0).astype(int)},
            groups=("a", "b"),
            cluster="site",
        )
    ).rows[0]
    assert shares.interval == ("score" if kind == "within" else "t")
    assert shares.test == "t"


def test_groups_that_are_all_alike_have_a_reason() -> None:
    alike = of(ss.two_means(ss.Groups.from_samples([3.0, 3.0], [4.0, 4.0]))).rows[0]
    assert (alike.estimate, alike.p_value) == (-1.0, None)
    assert "all alike" in (alike.undefined or "")
    one = of(ss.two_means(ss.Groups.from_samples([3.0] * 5, [1.0, 2.0, 4.0]))).rows[0]
    alone = stats.ttest_1samp([1.0, 2.0, 4.0], 3.0)  # the other group has all the variance
    assert (one.p_value, one.df) == pytest.approx((float(alone.pvalue), 2))
    apart = of(ss.two_ordinal(ss.Groups.from_samples([5, 6, 7], [1, 2, 3, 4], scale="ordinal")))
    assert (apart.rows[0].estimate, apart.rows[0].conf_low) == (1.0, None)
    assert "do not overlap" in (apart.rows[0].undefined or "")
    assert apart.rows[1].p_value == pytest.approx(2 / 35)


@pytest.mark.parametrize("power", [-300, -150, 150, 300])
def test_another_unit_changes_no_test(power: int) -> None:
    x, y = np.array(R["sleep"]["x"]), np.array(R["sleep"]["y"])
    with np.errstate(all="ignore"):
        row = ss.two_means(ss.Groups.from_samples(x * 10.0**power, y * 10.0**power)).rows[0]
    assert row.p_value == pytest.approx(R["sleep"]["p"], rel=1e-9)


def test_equivalence_of_means_is_two_one_sided_welch_tests() -> None:
    x, y = R["sleep"]["x"], R["sleep"]["y"]
    result = of(ss.equivalence(ss.Groups.from_samples(x, y, scale="numeric"), margin=3.5))
    above = float(stats.ttest_ind(np.add(x, 3.5), y, equal_var=False, alternative="greater").pvalue)
    below = float(
        stats.ttest_ind(np.subtract(x, 3.5), y, equal_var=False, alternative="less").pvalue
    )
    assert [row.p_value for row in result.rows[1:]] == pytest.approx(
        [above, below, max(above, below)]
    )


def test_a_one_sided_interval_is_said_with_its_infinite_end() -> None:
    groups = ss.Groups.from_samples(
        R["sleep"]["x"], R["sleep"]["y"], groups=("one", "two"), scale="numeric"
    )
    assert (
        "95% CI [0.11, ∞), t(17.8) = 1.86, p = .040 (one-sided: greater)."
        in of(ss.two_means(groups, alternative="greater")).sentence()
    )


def test_a_difference_beyond_floats_is_an_error() -> None:
    with pytest.raises(ss.DesignError, match="beyond the largest number"):
        ss.two_means(ss.Groups.from_samples([1.5e308, 1.6e308], [-1.5e308, -1.6e308]))
