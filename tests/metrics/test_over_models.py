"""Numbers over models: R's t tests and interval of a spread; what is said of few; what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.results import Result
from tests.golden_data import golden


def results(values: list[float]) -> dict[str, Result]:
    """A result of one number a model."""
    table = {"unit": [1, 2, 3], "rater": ["r"] * 3, "value": [1, 2, 3]}
    one = ss.mean_ratings(table, levels=[1, 2, 3], scale="interval")
    return {
        f"m{k}": replace(one, rows=(replace(one.rows[0], estimate=x, p_value=0.5),))
        for k, x in enumerate(values)
    }


def test_means_spreads_and_groups_are_those_of_r() -> None:
    r = golden("over_models")
    drug = {f"m{k}": "one" if k < 10 else "two" for k in range(20)}
    found = ss.over_models(results(r["values"]), ["all units"], groups={"drug": drug})
    mean, spread, *_, gap = found.rows
    assert (mean.estimate, mean.conf_low, mean.conf_high) == pytest.approx((r["mean"], *r["ends"]))
    assert (spread.conf_low, spread.conf_high) == pytest.approx(r["spread"])
    assert (-gap.statistic, gap.df, gap.p_value) == pytest.approx((r["statistic"], r["df"], r["p"]))
    assert (-gap.conf_high, -gap.conf_low) == pytest.approx(r["gap"])
    assert found.verify().ok


@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [
        ("krippendorff_alpha", -1.0, 1.0),
        ("relationship_bias", -2.0, 2.0),
        ("sensitivity", 0.0, 225.0),
        ("win_rates", 0.0, 1.0),
        ("ada_met", 0.0, np.inf),
    ],
)
def test_means_and_differences_end_where_the_numbers_do(
    metric: str, low: float, high: float
) -> None:
    """Two models of either group, near both ends: the t intervals of means and differences are cut there."""
    top = 10.0 if high == np.inf else high
    values = [low + 0.02 * top, low + 0.2 * top, top - 0.05 * top, top - 0.3 * top]
    made = {name: replace(one, metric=metric) for name, one in results(values).items()}
    sizes = {"m0": "small", "m1": "small", "m2": "large", "m3": "large"}
    found = ss.over_models(made, ["all units"], groups={"size": sizes})
    for group, some in (
        ("size = small", values[:2]),
        ("size = large", values[2:]),
        ("mean over models", values),
    ):
        row, ends = (
            found.row("all units", group=group),
            stats.ttest_1samp(some, 0).confidence_interval(),
        )
        assert (row.conf_low, row.conf_high) == pytest.approx(
            (max(ends.low, low), min(ends.high, high)), rel=1e-9
        )
        assert row.estimate == pytest.approx(np.mean(some))
    gap = found.row("all units", group="size: large - small")
    ends = stats.ttest_ind(values[2:], values[:2], equal_var=False).confidence_interval()
    wide = high - low
    assert (gap.conf_low, gap.conf_high) == pytest.approx(
        (max(ends.low, -wide), min(ends.high, wide)), rel=1e-9
    )
    assert gap.estimate == pytest.approx(np.mean(values[2:]) - np.mean(values[:2]))
    assert [c.detail for c in found.cautions if "group" in c.detail] == ["a group of 2 models"]


def test_few_models_and_long_tails_are_cautioned() -> None:
    """A kurtosis of 4: what 2 n / (g - 1) normal values are worth; 400 values of a normal shape need no caution."""
    shape = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    for values, codes in (
        (shape, []),
        (np.exp(shape), ["SS317", "SS317"]),
        (shape[::20], ["SS312", "SS312"]),
    ):
        found = ss.over_models(results(values.tolist()), ["all units"])
        assert [c.code for c in found.cautions] == codes
        row = found.row("all units", group="SD over models")
        assert row.effective == pytest.approx(
            2 * len(values) / (stats.kurtosis(values, fisher=False) - 1), rel=0.2
        )
        assert found.verify().ok


def test_one_model_of_a_group_and_models_without_the_number() -> None:
    made = results([1.0, 2.0, 4.0])
    made["m1"] = replace(made["m1"], rows=(replace(made["m1"].rows[0], estimate=None),))
    found = ss.over_models(made, ["all units"], groups={"size": {"m0": "small", "m2": "large"}})
    assert found.extras["lacking"] == {"all units": ("m1",)}
    assert (
        found.row("all units", group="size = small").undefined
        == "one model: no interval for models like it"
    )
    assert found.row("all units", group="size: large - small").conf_low is None
    assert (
        found.row("all units", group="SD over models").undefined
        == "no interval of a spread below 5 values"
    )


def test_what_is_refused() -> None:
    made = results([1.0, 2.0])
    with pytest.raises(InputError, match="no result has 'none'"):
        ss.over_models(made, ["none"])
    with pytest.raises(InputError, match="no model has a level of 'size'"):
        ss.over_models(made, ["all units"], groups={"size": {"m0": ""}})
    with pytest.raises(InputError, match="'size' names 'other', without a result"):
        ss.over_models(made, ["all units"], groups={"size": {"other": "small"}})
    with pytest.raises(InputError, match="results of one metric"):
        ss.over_models(made | {"x": replace(made["m0"], metric="mcnemar")}, ["all units"])
    twice = {m: replace(result, rows=result.rows * 2) for m, result in made.items()}
    with pytest.raises(InputError, match="names 2 rows; say which with its group"):
        ss.over_models(twice, ["all units"])
    lost = {
        m: replace(result, rows=(replace(result.rows[0], estimate=None),))
        for m, result in made.items()
    }
    with pytest.raises(NothingToAnalyse, match="undefined for every model"):
        ss.over_models(lost, ["all units"])
