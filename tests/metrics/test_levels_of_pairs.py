"""Levels of paired tables compared: against R, scipy, simulations, and what cannot be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.designs.parts import Factor
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.results import Row
from socialstats.rounding import no_variation_reason as alike_text
from socialstats.scales.compare_models import difference_and_way
from socialstats.scales.model_differences import MOVED, MatchedModels
from socialstats.scales.model_numbers import (
    COMPARISON_RULES,
    ModelNumber,
    PairDifferences,
    sums_to_means,
)
from tests.golden_data import golden

R = golden("paired_levels")
FIELDS = ("estimate", "std_error", "df", "p_value")
NAMES = ("estimate", "se", "df", "p")


def pairs(
    levels: dict[str, Any], units: dict[str, Any] | None = None, **columns: Any
) -> pd.DataFrame:
    """A long table of differences: before is 0, after the difference; units are numbered through, or named."""
    parts, start = [], 0
    for level, found in levels.items():
        d = np.asarray(found, dtype=float)
        unit = np.arange(start, start + len(d)) if units is None else np.asarray(units[level])
        own = pd.DataFrame({"unit": unit, "level": level, "value": d})
        parts.append(
            own.assign(**{name: np.asarray(values[level]) for name, values in columns.items()})
        )
        start += len(d)
    after = pd.concat(parts, ignore_index=True)
    return pd.concat(
        [after.assign(condition="after"), after.assign(condition="before", value=0.0)],
        ignore_index=True,
    )


def compared(table: pd.DataFrame, metric: Any = ss.paired_difference, **options: Any) -> ss.Result:
    own = {"flips": 99} if metric is ss.paired_difference else {}
    return ss.compare_models(
        metric(table, by="level", conditions=("after", "before"), **own, **options)
    )


def matches(row: Row, theirs: dict[str, Any]) -> bool:
    ours = [getattr(row, name) for name in FIELDS]
    assert ours == pytest.approx([theirs[name] for name in NAMES], rel=1e-9)
    return [row.conf_low, row.conf_high] == pytest.approx(theirs["interval"], rel=1e-9)


def test_independent_levels_have_rs_welch_test() -> None:
    theirs = R["numeric"]
    found = compared(pairs({"a": theirs["a"], "b": theirs["b"]}))
    row = found.row("a - b")
    assert matches(row, theirs)
    assert row.statistic == pytest.approx(theirs["statistic"], rel=1e-9)
    assert (row.n_units, row.n_clusters) == (47, None)
    assert found.extras["ways"] == {"a - b": "apart"}
    assert "welch1947" in found.references
    assert found.cautions == ()
    assert found.verify().ok


def test_shares_of_independent_levels_have_rs_welch_test() -> None:
    theirs = R["binary"]
    table = pairs({"a": theirs["a"], "b": theirs["b"]})
    d = table.groupby("unit")["value"].transform("sum")
    table["value"] = np.where(table["condition"] == "after", d > 0, d < 0).astype(int)
    found = compared(table, ss.mcnemar)
    assert matches(found.row("a - b"), theirs)
    own = ss.mcnemar(
        table[table["level"] == "a"].drop(columns="level"), conditions=("after", "before")
    ).rows[0]
    row = found.row("a", group="number")
    assert (row.estimate, row.conf_low, row.p_value) == (own.estimate, own.conf_low, own.p_value)
    assert found.verify().ok
    counted = table.pivot(
        index=["level", "unit"], columns="condition", values="value"
    ).reset_index()
    counted = counted.groupby(["level", "after", "before"]).size().rename("n").reset_index()
    same = ss.compare_models(
        ss.mcnemar(
            ss.Paired.from_counts(counted, first="after", second="before", count="n", by="level")
        )
    )
    assert matches(same.row("a - b"), theirs)
    assert same.counts["units"] == 65
    assert same.verify().ok


def test_levels_with_the_same_units_have_rs_paired_test() -> None:
    theirs = R["shared"]
    names = {level: np.arange(18) for level in "ab"}
    found = compared(pairs({"a": theirs["a"], "b": theirs["b"]}, names))
    assert matches(found.row("a - b"), theirs)
    assert found.extras["ways"] == {"a - b": "units"}
    assert found.verify().ok


@pytest.mark.parametrize("name", ["apart", "joint", "crossed"])
def test_clustered_levels_have_the_errors_of_rs_regression_on_the_level(name: str) -> None:
    theirs = R[name]
    level = np.array(theirs["level"])
    at = {"a": level == "A", "b": level == "B"}
    d, clusters = np.array(theirs["d"]), [np.array(codes) for codes in theirs["clusters"]]
    columns = {
        f"g{k}": {one: codes[mask] for one, mask in at.items()} for k, codes in enumerate(clusters)
    }
    found = compared(
        pairs({one: d[mask] for one, mask in at.items()}, **columns), cluster=tuple(columns)
    )
    row = found.row("a - b")
    assert matches(row, theirs)
    assert row.n_clusters == min(len(np.unique(codes)) for codes in clusters)
    assert set(found.extras["ways"].values()) == {"apart" if name == "apart" else "clusters"}
    assert found.verify().ok


def test_partly_shared_units_are_compared_on_the_shared_ones_and_the_words_say_so() -> None:
    rng = np.random.default_rng(2)
    d = {level: rng.normal(shift, 1, 20) for level, shift in (("a", 1.0), ("b", 0.0), ("c", 0.0))}
    units = {"a": np.arange(20), "b": np.arange(8, 28), "c": np.arange(100, 120)}
    found = compared(pairs(d, units))
    theirs = stats.ttest_rel(d["a"][8:], d["b"][:12])
    row = found.row("a - b")
    assert (row.statistic, row.df, row.n_units) == pytest.approx((theirs.statistic, 11.0, 12))
    assert found.extras["ways"] == {"a - b": "part", "a - c": "apart", "b - c": "apart"}
    assert found.extras["shared"] == {"a - b"}
    (told,) = found.cautions
    assert (told.code, "'a' 8 and 'b' 8; all models share 12" in told.detail) == ("SS342", True)
    two = compared(pairs({one: d[one] for one in "ab"}, units))
    assert "The mean difference (after minus before) on shared units" in two.sentence()
    assert found.verify().ok
    assert two.verify().ok


def test_signed_differences_have_no_ranks_and_the_tests_of_levels_are_a_family() -> None:
    rng = np.random.default_rng(4)
    d = {level: rng.normal(shift, 1, 15) for level, shift in (("a", 0.9), ("b", 0.6), ("c", 0.0))}
    found = compared(pairs(d))
    assert {row.group for row in found.rows} == {"number", "difference"}
    p = [stats.ttest_1samp(values, 0).pvalue for values in d.values()]
    steps = sorted(p)
    by_hand = {
        x: max(min(1.0, (3 - k) * y) for k, y in enumerate(steps[: steps.index(x) + 1]))
        for x in steps
    }
    assert [found.row(one, group="number").p_adjusted for one in d] == pytest.approx(
        [by_hand[x] for x in p]
    )
    assert "rank" not in found.sentence() + found.inference
    assert "differences between levels" in found.sentence()


def test_rows_without_names_are_different_units() -> None:
    rng = np.random.default_rng(5)
    wide = pd.DataFrame(
        {
            "level": ["a"] * 12 + ["b"] * 12,
            "after": rng.normal(1, 1, 24),
            "before": rng.normal(0, 1, 24),
        }
    )
    found = ss.compare_models(
        ss.paired_difference(wide, first="after", second="before", by="level", flips=99)
    )
    d = wide["after"] - wide["before"]
    theirs = stats.ttest_ind(d[:12], d[12:], equal_var=False)
    assert found.row("a - b").p_value == pytest.approx(theirs.pvalue)
    named = wide.assign(person=[*range(12)] * 2)
    made = ss.paired_difference(
        named, first="after", second="before", unit="person", by="level", flips=99
    )
    paired = stats.ttest_rel(d[:12], d[12:])
    assert ss.compare_models(made).row("a - b").p_value == pytest.approx(paired.pvalue)


def test_names_of_units_follow_the_cells_that_are_taken() -> None:
    table = pairs({"a": [1, 2, 1], "b": [1, 1, 3]}, {"a": ["u", "v", "w"], "b": ["w", "v", "u"]})
    design = ss.Paired.from_frame(table, by="level", conditions=("after", "before"))
    for level, part in design.split().items():
        own = table[(table["level"] == level) & (table["condition"] == "after")].set_index("unit")[
            "value"
        ]
        assert part.units is not None
        assert (
            dict(zip(part.units.names(), part.difference[part.units.cell], strict=True))
            == own.to_dict()
        )


def test_large_and_small_values_have_the_same_test() -> None:
    theirs = R["shared"]
    names = {level: np.arange(18) for level in "ab"}
    for factor in (1e-12, 1e12):
        d = {one: np.array(theirs[one]) * factor for one in "ab"}
        for units in (None, names):
            row = compared(pairs(d, units)).row("a - b")
            same = compared(pairs({one: theirs[one] for one in "ab"}, units)).row("a - b")
            assert (row.p_value, row.df) == pytest.approx((same.p_value, same.df))


def test_what_has_no_test_says_why() -> None:
    still = compared(pairs({"a": [1.0] * 6, "b": [1.0, 2.0, 0.5, 3.0]}))
    assert still.row("a - b").undefined == "a: all 6 values equal 1: no standard error, no test"
    assert still.row("a - b").estimate == pytest.approx(1 - 1.625)
    assert still.row("a - b").reason == "no_variation"
    assert still.verify().ok
    lone = compared(
        pairs({"a": [1.0, 2, 4], "b": [0.0, 1, 5]}, g={"a": list("xxx"), "b": list("yzz")}),
        cluster="g",
    )
    assert lone.row("a - b").undefined == "a: a single cluster: no standard error"
    assert (lone.row("a - b").reason, lone.verify().ok) == ("one_cluster", True)
    names = {level: np.arange(6) for level in "ab"}
    groups = {"a": list("xxyyzz"), "b": list("xyxyzz")}
    d = {"a": [1.0, 2, 4, 3, 2, 2], "b": [0.0, 1, 1, 2, 5, 1]}
    assert compared(pairs(d, names, g=groups), cluster="g").row("a - b").undefined == MOVED
    alike = {"a": list("xxyyzz"), "b": list("xxyyzz")}
    even = {"a": [1.0, 2, 4, 3, 2, 6], "b": [2.0, 1, 3, 4, 6, 2]}
    assert compared(pairs(even, g=alike), cluster="g").row("a - b").undefined == alike_text(
        "clusters"
    )


def test_other_conditions_are_not_compared() -> None:
    table = pairs({"a": [1.0, 2, 3]}).drop(columns="level")
    one, two = (
        ss.paired_difference(table, conditions=order)
        for order in (("after", "before"), ("before", "after"))
    )
    with pytest.raises(
        ss.InputError, match="those of 'b' 'before' and 'after': their differences are not compared"
    ):
        ss.compare_models({"a": one, "b": two})


def level_of(
    name: str, values: np.ndarray, units: np.ndarray, groups: np.ndarray | None
) -> ModelNumber:
    """The number of one level, as `compare_models` makes it of a paired table."""
    factors = (
        ()
        if groups is None
        else (Factor(name="g", codes=groups, levels=tuple(map(str, range(40)))),)
    )
    ones = np.ones(len(values))
    mean = clustered_mean(values, ones, [factor.codes for factor in factors])
    return ModelNumber(
        row=Row(term=name, estimate=mean.mean),
        units=tuple(map(str, units)),
        finish=sums_to_means,
        value=mean.mean,
        clusters=tuple(tuple(map(str, factor.codes)) for factor in factors),
        sums=np.column_stack([values, ones]),
        linear=True,
        pairs=PairDifferences(
            mean=mean, difference=values, count=ones, magnitude=1.0, factors=factors
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("way", ["apart", "units", "clusters", "apart, clustered"])
def test_tests_of_two_levels_hold_their_level(way: str) -> None:
    """2,000 tables of levels without a difference: errors differ between the levels, and in size by cluster."""
    rng, many, rejected = np.random.default_rng(17), 2_000, 0
    sizes = (15, 15) if way == "units" else (10, 30) if way == "apart" else (60, 90)
    for _ in range(many):
        noise = [rng.normal(0, scale, n) for scale, n in zip((3.0, 1.0), sizes, strict=True)]
        units, groups = [np.arange(n) + 100 * k for k, n in enumerate(sizes)], [None, None]
        if way == "units":
            hard, units = rng.normal(0, 2, 15), [np.arange(15)] * 2
            noise = [values + hard for values in noise]
        if "clusters" in way or "clustered" in way:
            groups = [rng.choice(12, n, p=np.arange(1, 13) / 78) for n in sizes]
            groups[1] += 20 * (way != "clusters")
            effects = rng.normal(0, 1, 40)
            noise = [values + effects[codes] for values, codes in zip(noise, groups, strict=True)]
        one, two = (level_of(*each) for each in zip("ab", noise, units, groups, strict=True))
        row, found = difference_and_way(
            [one.row, two.row],
            MatchedModels(numbers=(one, two)),
            0,
            1,
            COMPARISON_RULES["paired_difference"],
            0.95,
            linear=True,
        )
        assert found == way.split(",")[0]
        rejected += (row.p_value or 0.0) < 0.05
    assert abs(rejected / many - 0.05) < 3 * np.sqrt(0.05 * 0.95 / many), rejected / many
