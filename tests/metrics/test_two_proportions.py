"""Shares of two groups: Newcombe and Fisher by R, scipy and statsmodels; repeats; margins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.paired.two_groups import fisher_exact
from socialstats.results import Result

R: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "two_groups.json").read_text(encoding="utf-8")
)


def counts(x: list[int], n: list[int]) -> ss.Groups:
    return ss.Groups.from_table([[n[0] - x[0], x[0]], [n[1] - x[1], x[1]]], groups=("new", "old"))


def of(result: Any) -> Result:
    assert isinstance(result, Result)
    assert result.verify().ok
    return result


@pytest.mark.parametrize("known", R["shares"], ids=lambda known: f"{known['x']} of {known['n']}")
def test_shares_newcombe_and_fisher_are_rs(known: dict[str, Any]) -> None:
    result = of(ss.two_proportions(counts(known["x"], known["n"]), level=known["level"]))
    lead, first, second = result.rows
    assert lead.estimate == pytest.approx(known["difference"], abs=1e-12)
    assert (lead.conf_low, lead.conf_high) == pytest.approx((known["low"], known["high"]), abs=1e-9)
    assert lead.p_value == pytest.approx(known["fisher"], rel=1e-6)
    for row, side in ((first, "first"), (second, "second")):
        assert (row.conf_low, row.conf_high) == pytest.approx(known[side], abs=1e-9)
    assert (lead.interval, lead.test) == ("score", "exact")


def test_shares_that_do_not_vary_have_interval_and_p() -> None:
    row = of(ss.two_proportions(counts([10, 0], [10, 20]))).rows[0]
    assert row.estimate == 1
    assert row.conf_low == pytest.approx(0.679, abs=5e-4)
    assert (row.conf_high, row.undefined, row.std_error) == (1, None, None)
    assert row.p_value == pytest.approx(3.328e-8, rel=1e-3)


def test_the_case_that_unshared_units_once_spoilt() -> None:
    row = of(ss.two_proportions(counts([56, 48], [70, 80]))).rows[0]
    assert (round(row.conf_low or 0, 3), round(row.conf_high or 0, 3), row.n) == (0.052, 0.334, 150)


def test_fishers_test_is_scipys() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = rng.integers(1, 200, 2)
        x = [int(rng.integers(0, k + 1)) for k in n]
        theirs = stats.fisher_exact([[x[0], n[0] - x[0]], [x[1], n[1] - x[1]]])
        assert fisher_exact(x, n.tolist()) == pytest.approx(float(theirs.pvalue), rel=1e-9)
    assert (fisher_exact((10**6, 0), (10**6, 10**6)) or 1.0) < 1e-300
    assert fisher_exact((10**13, 10**13), (2 * 10**13, 3 * 10**13)) is None


def test_repeats_are_clusters_of_answers_and_never_units() -> None:
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(30), 3)
    table = pd.DataFrame(
        {
            "unit": unit,
            "arm": np.where(unit < 12, "a", "b"),
            "run": np.tile([1, 2, 3], 30),
            "value": rng.choice(["no", "yes"], 90),
        }
    )
    design = ss.read_groups(table, groups=("a", "b"))
    rows = of(ss.two_proportions(design)).rows
    mean = table.assign(y=table["value"] == "yes").groupby("arm")["y"].mean()
    assert rows[0].estimate == pytest.approx(mean["a"] - mean["b"])
    assert (rows[0].n, rows[1].n, rows[0].test) == (30, 12, "t")
    means = of(ss.two_means(design)).rows[0]
    assert means.p_value == pytest.approx(rows[0].p_value, abs=0.02)
    with pytest.raises(ss.InputError, match="shares of 'yes'"):
        ss.two_proportions(design, choice="no")


@pytest.mark.parametrize("margin", [0.05, 0.12, 0.2])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_equivalence_of_shares_is_where_newcombes_interval_lies_between_the_bounds(
    margin: float, level: float
) -> None:
    result = of(
        ss.equivalence(ss.two_proportions(counts([56, 62], [70, 80])), margin=margin, level=level)
    )
    row, worse = result.rows[0], result.rows[-1]
    inside = -margin < (row.conf_low or -1) and (row.conf_high or 1) < margin
    assert ((worse.p_value or 1) < 1 - level) == inside
    assert (result.extras["verdict"] == "equivalent") == inside
    assert row.conf_level == pytest.approx(2 * level - 1)


def test_margins_that_no_difference_can_reach_are_refused() -> None:
    shares = counts([56, 62], [70, 80])
    for data in (shares, ss.two_proportions(shares), ss.two_means(shares)):
        with pytest.raises(
            ss.InputError, match="cannot be reached: the difference lies within -1 and 1"
        ):
            ss.equivalence(data, margin=20)
    assert (
        of(ss.equivalence(counts([10, 0], [10, 20]), margin=0.2)).extras["verdict"] == "different"
    )


def test_many_units_are_quick_and_exact_enough() -> None:
    big = ss.Groups.from_table([[10**9, 10**9], [10**9 + 10**5, 10**9]])
    row = ss.two_proportions(big).rows[0]
    assert row.p_value is None or 0 < row.p_value < 1
    assert row.conf_low is not None
