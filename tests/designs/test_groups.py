"""Two independent groups: from long tables, vectors and counts; units in both, repeats, order, missing values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import socialstats as ss


def trial(units: int = 40, seed: int = 1) -> pd.DataFrame:
    """A table of persons in two arms and eight sites, with a score and an answer."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "person": [f"p{k:03d}" for k in range(units)],
            "arm": np.repeat(["control", "drug"], units // 2),
            "score": rng.normal(size=units).round(3),
            "ok": rng.choice(["no", "yes"], units),
            "site": np.tile(list("abcdefgh"), units // 8),
        }
    )


def codes(design: ss.Groups) -> set[str]:
    return {said.code for said in design.cautions}


def test_a_long_table_is_read_by_the_names_of_its_columns() -> None:
    design = ss.read_groups(trial())
    assert (design.groups, design.n_units, design.n_rows, design.scale) == (
        ("drug", "control"),
        (20, 20),
        40,
        "numeric",
    )
    assert design.columns == {"unit": "person", "group": "arm", "value": "score"}
    assert [(step.label, step.rows) for step in design.flow] == [
        ("rows read", 40),
        ("rows analysed", 40),
        ("units analysed", 40),
    ]


def test_a_formula_and_a_file_and_another_engine_give_the_same(tmp_path: Path) -> None:
    table, path = trial(), tmp_path / "t.csv"
    table.to_csv(path, index=False)
    expected = ss.read_groups(table, cluster="site").table()
    for found in (
        ss.read_groups("score ~ arm + unit(person) | site", table),
        ss.read_groups(path, cluster="site"),
        ss.Groups.from_file(path, cluster="site"),
        ss.read_groups(pl.from_pandas(table), cluster="site"),
    ):
        pd.testing.assert_frame_equal(found.table(), expected)


def test_vectors_and_counts_are_the_same_design() -> None:
    table = ss.Groups.from_table([[14, 56], [32, 48]], groups=("new", "old"))
    vectors = ss.Groups.from_samples(
        [0] * 14 + [1] * 56, [0] * 32 + [1] * 48, groups=("new", "old")
    )
    counted = ss.read_groups(
        {"arm": ["new", "new", "old", "old"], "y": [0, 1, 0, 1], "n": [14, 56, 32, 48]},
        value="y",
        groups=("new", "old"),
    )
    for design in (table, vectors, counted):
        assert design.square().tolist() == [[14.0, 56.0], [32.0, 48.0]]
    assert "SS323" in codes(counted)
    framed = ss.Groups.from_table(
        pd.DataFrame([[3, 1, 2], [0, 4, 1]], index=["x", "y"], columns=["low", "mid", "high"])
    )
    assert (framed.groups, framed.levels, framed.scale) == (
        ("x", "y"),
        ("low", "mid", "high"),
        "ordinal",
    )


def test_repeats_of_a_unit_are_averaged_and_are_no_units() -> None:
    table = trial()
    twice = pd.concat([table.assign(run=1), table.assign(run=2, score=table["score"] + 1)])
    design = ss.read_groups(twice)
    assert design.n_units == (20, 20)
    assert sorted(design.value) == pytest.approx(sorted(table["score"] + 0.5))
    assert "SS341" in codes(design)
    assert design.repeats is not None
    assert set(design.repeats.answers) == {2.0}
    shares = ss.read_groups(twice.assign(value=[*table["ok"], *(["yes"] * 40)]), value="value")
    assert (shares.scale, set(shares.value)) == ("numeric", {0.5, 1.0})
    assert shares.repeats is not None
    assert shares.repeats.share_of == "yes"


@pytest.mark.parametrize(
    ("pair", "order"),
    [
        (("control", "drug"), ("drug", "control")),
        (("placebo 1", "zinc"), ("zinc", "placebo 1")),
        (("post-test", "pre-test"), ("post-test", "pre-test")),
        (("after", "before"), ("after", "before")),
        (("kontrolle", "neu"), ("neu", "kontrolle")),
        (("a", "b"), None),
        (("control a", "control b"), None),
    ],
)
def test_what_was_treated_or_came_later_is_first(
    pair: tuple[str, str], order: tuple[str, str] | None
) -> None:
    design = ss.Groups.from_frame({"arm": [*pair, *pair], "score": [1.0, 2.0, 3.0, 4.0]})
    assert design.groups == (order or pair)
    assert ("SS310" in codes(design)) == (order is None)


def test_declared_groups_and_ordered_categories_say_the_order() -> None:
    table = trial()
    assert ss.read_groups(table, groups=("control", "drug")).groups == ("control", "drug")
    typed = table.assign(arm=pd.Categorical(table["arm"], ["control", "drug"], ordered=True))
    design = ss.read_groups(typed)
    assert design.groups == ("control", "drug")
    assert "SS310" not in codes(design)
    three = table.assign(arm=np.where(table.index < 5, "other", table["arm"]))
    picked = ss.read_groups(three, groups=("drug", "control"))
    assert picked.n_units == (20, 15)
    assert ("other groups", 5) in [(step.label, step.rows) for step in picked.flow]
    assert "SS301" not in codes(picked)


def test_missing_values_are_an_error_or_left_out_and_counted() -> None:
    table = trial()
    table.loc[3, "score"] = np.nan
    with pytest.raises(ss.InputError, match="row 3, column 'score': the value is missing"):
        ss.read_groups(table)
    design = ss.read_groups(table, missing="drop")
    assert design.n_units == (20, 19)
    assert "SS301" in codes(design)
    texts = table.assign(score=table["score"].astype(object).where(table.index != 3, "n/k"))
    assert ss.read_groups(texts, missing="drop", na="n/k").n_units == (20, 19)


WRONG: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], dict[str, Any], str]] = {
    "a unit in both": (
        lambda t: t.assign(person=t.index % 30),
        {},
        "unit '0' has several values of 'arm'",
    ),
    "both, with the way out": (
        lambda t: t.assign(person=t.index % 30),
        {},
        r"are pairs.*read_paired",
    ),
    "one group": (lambda t: t[t["arm"] == "drug"], {}, "only one group, 'drug'"),
    "three groups": (
        lambda t: t.assign(arm=np.resize(["a", "b", "c"], 40)),
        {},
        "3 groups .* groups=",
    ),
    "no such group": (
        lambda t: t,
        {"groups": ("x", "drug")},
        "no group 'x'. Groups: 'control' and 'drug'",
    ),
    "one name": (lambda t: t, {"groups": ("drug",)}, "name two"),
    "no group column": (lambda t: t.drop(columns="arm"), {}, "no column for 'group'"),
    "no value column": (lambda t: t.drop(columns=["score", "ok"]), {}, "no column for 'value'"),
    "texts among numbers": (
        lambda t: t.assign(score=[*t["score"][:-1], "x"]),
        {},
        "'x' is not a finite",
    ),
    "two clusters": (
        lambda t: pd.concat([t, t.assign(site="z")]),
        {"cluster": "site"},
        "several values of 'site'",
    ),
    "no order": (
        lambda t: t.assign(score=np.resize(["p", "q", "r"], 40)),
        {"scale": "ordinal"},
        "needs the order",
    ),
    "undeclared texts": (
        lambda t: t.assign(score=np.resize(["p", "q"], 40)),
        {},
        "which counts as 1 is undeclared",
    ),
    "no scale": (lambda t: t, {"scale": "interval"}, "scale='interval' is not an option"),
    "empty": (lambda t: t.iloc[:0], {}, "has no rows"),
    "counts of named units": (lambda t: t.assign(n=1.5), {"count": "n"}, "'1.5' is not a count"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_errors_that_say_what_is_wrong(name: str) -> None:
    change, options, message = WRONG[name]
    with pytest.raises(ss.SocialStatsError, match=message):
        ss.read_groups(change(trial()), **options)


@pytest.mark.parametrize(
    "table", [[[1, 2]], [[1, 2], [3, 4], [5, 6]], [[1], [2]], [[1, -2], [3, 4]], [[1.5, 2], [3, 4]]]
)
def test_tables_of_another_shape_and_cells_that_are_no_counts_are_errors(table: Any) -> None:
    with pytest.raises(ss.InputError):
        ss.Groups.from_table(table)
    with pytest.raises(ss.NothingToAnalyse, match="unit of 'second'"):
        ss.Groups.from_table([[1, 2], [0, 0]])


def test_rows_are_units_where_the_unit_is_none_of_the_columns() -> None:
    shared = trial().assign(person=lambda t: t.index % 20)
    assert ss.read_groups(shared, unit=False).n_units == (20, 20)


def test_columns_that_repeat_are_tried_as_clusters() -> None:
    table = trial(80)
    shift = {site: 3.0 * k for k, site in enumerate("abcdefgh")}
    table["site"] = np.repeat(list("abcdefgh"), 10)
    strong = ss.read_groups(table.assign(score=table["score"] + table["site"].map(shift)))
    assert {"SS311", "SS344"} & codes(strong)
    assert not {"SS311", "SS344"} & codes(ss.read_groups(table, cluster="site"))


def test_parts_swaps_and_levels_of_by() -> None:
    table = trial(80).assign(model=np.tile(["m", "n"], 40))
    design = ss.read_groups(table, by="model")
    parts = design.split()
    assert {name: part.n_units for name, part in parts.items()} == {"m": (20, 20), "n": (20, 20)}
    assert parts["m"].swap().groups == ("control", "drug")
    with pytest.raises(ss.NothingToAnalyse, match="no unit of 'control' is left"):
        design.take(design.group == 0)
