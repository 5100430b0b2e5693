"""Ratings from wide matrices with a named axis, from counts of levels, from a square table of two raters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats import Ratings, read_ratings, weighted_kappa
from socialstats.errors import InputError, NothingToAnalyse
from tests.designs.same import same

FIX = "Counts are whole numbers from 0 upwards"


def error(make: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        make(*args, **options)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


matrices = st.integers(1, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([1, 2, 3, 5, None]), min_size=raters, max_size=raters),
        min_size=1,
        max_size=6,
    )
)


@settings(max_examples=60, deadline=None)
@given(matrices)
@pytest.mark.slow
def test_rows_columns_and_long_tables_say_the_same(matrix: list[list[int | None]]) -> None:
    names = [f"r{j}" for j in range(len(matrix[0]))]
    items = [f"u{i}" for i in range(len(matrix))]
    by_unit = pd.DataFrame(matrix, columns=names, dtype=object).assign(item=items)
    by_rater = pd.DataFrame([*zip(*matrix, strict=True)], columns=items, dtype=object).assign(
        who=names
    )
    long = {
        "item": [u for u in items for _ in names],
        "rater": names * len(items),
        "value": pd.Series([v for row in matrix for v in row], dtype=object),
    }
    options: dict[str, Any] = {"levels": [1, 2, 3, 5], "scale": "ordinal"}
    expected = Ratings.from_frame(long, **options)
    same(
        Ratings.from_wide(by_unit, raters_in="columns", **options),
        expected,
        but=("flow", "columns", "source"),
    )
    turned = Ratings.from_wide(by_rater, raters_in="rows", rater="who", **options)
    same(turned, expected, but=("flow", "columns", "source"))
    filled = [[v for v in row if v] for row in matrix]
    counts = [[row.count(level) for level in (1, 2, 3, 5)] for row in filled]
    np.testing.assert_array_equal(expected.level_counts(), counts)
    if sum(map(sum, counts)):
        counted = Ratings.from_counts(
            pd.DataFrame(counts, columns=list("1235")).assign(item=items),
            unit="item",
            scale="ordinal",
        )
        kept = [row for row in counts if sum(row)]
        np.testing.assert_array_equal(counted.level_counts(), kept)
        bare = Ratings.from_counts(np.array(counts), levels=[1, 2, 3, 5], scale="ordinal")
        total = (bare.level_counts() * bare.unit_count[:, None]).sum(axis=0)
        np.testing.assert_array_equal(total, np.array(counts).sum(axis=0))
        assert bare.unit_count.sum() == len(kept)
        assert bare.n_rows == counted.n_rows == expected.n_rows
        assert len(bare.units) == len({tuple(row) for row in kept})


def test_arrays_need_the_axis_of_the_raters() -> None:
    matrix = np.array([[1, 2, 3, 3], [1, 2, 3, 2]])
    by_row = Ratings.from_wide(matrix, raters_in="rows", scale="ordinal")
    assert (by_row.units, by_row.raters) == (("1", "2", "3", "4"), ("0", "1"))
    np.testing.assert_array_equal(by_row.matrix(), matrix.T - 1)
    by_column = Ratings.from_wide(matrix, raters_in="columns", scale="ordinal")
    np.testing.assert_array_equal(by_column.matrix(), matrix - 1)
    assert [c.code for c in by_column.cautions] == ["SS309"]
    with pytest.raises(TypeError, match="raters_in"):
        Ratings.from_wide(matrix)  # type: ignore[call-arg]
    assert error(Ratings.from_wide, matrix, raters_in="axis") == (
        "raters_in='axis' is not an option. Choose from 'columns', 'rows'"
    )
    assert error(Ratings.from_wide, np.array([1, 2]), raters_in="rows").startswith(
        "a 2-D array is needed, not one of shape (2,)"
    )


def test_columns_of_other_parts_are_no_raters() -> None:
    data = {
        "item": ["u", "v"],
        "value": ["lo", "hi"],
        "row": ["hi", "hi"],
        "topic": ["s", "t"],
        "m": ["p", "p"],
    }
    design = Ratings.from_wide(
        data, raters_in="columns", levels=["lo", "hi"], strata="topic", by="m"
    )
    assert (design.units, design.raters) == (("u", "v"), ("row", "value"))
    assert design.columns == {"unit": "item", "by": "m", "stratum1": "topic"}
    assert design.strata["topic"].levels == ("s", "t")
    chosen = Ratings.from_wide(data, raters_in="columns", raters=["value"], levels=["lo", "hi"])
    assert (chosen.raters, chosen.units) == (("value",), ("0", "1"))
    by_rater = {"who": ["ann", "bob"], "age": [20, 30], "q1": [1, 2], "q2": [2, 2]}
    rows = Ratings.from_wide(by_rater, raters_in="rows", rater="who", rater_groups="age")
    assert (rows.raters, rows.units, rows.rater_groups["age"].levels) == (
        ("ann", "bob"),
        ("q1", "q2"),
        ("20", "30"),
    )


def test_wide_errors(tmp_path: Path) -> None:
    data = {"item": ["u", "v"], "a": [1, 2], "b": [1, 2]}
    assert error(Ratings.from_wide, data, raters_in="rows", strata="item") == (
        "strata='item': with raters_in='rows' units are columns; use Ratings.from_frame (long table)"
    )
    assert error(Ratings.from_wide, data, raters_in="columns", rater_groups="item") == (
        "rater_groups='item': with raters_in='columns' raters are columns; use Ratings.from_frame (long table)"
    )
    assert error(Ratings.from_wide, data, raters_in="columns", units=["a"]) == (
        "units=['a']: with raters_in='columns' the columns are the other axis"
    )
    assert error(Ratings.from_wide, data, raters_in="columns", raters=["a", "c"]).startswith(
        "data frame: no column 'c' (asked for as raters). Columns: item, a and b."
    )
    twice = error(Ratings.from_wide, {"item": ["u", "u"], "a": [1, 2]}, raters_in="columns")
    assert twice.startswith(
        "data frame row 0, column 'item': 'u' (rater 'a') has 2 rows (2 rows: rows 0, 1)."
    )
    path = tmp_path / "matrix.csv"
    path.write_text("item,a,b\n\nu,low,high\nv,low,hgih\n")
    assert error(read_ratings, path, raters_in="columns", levels=["low", "high"]) == (
        "matrix.csv line 4, column 'b': 'hgih' is none of the levels ('low' and 'high'). "
        "Correct it, add it to levels= (--levels), or say refusal='hgih' or na='hgih'"
    )
    assert error(read_ratings, path, raters_in="columns").startswith(
        "matrix.csv, columns 'a' and 'b': the values are texts whose order is undeclared: 'hgih', 'high' and 'low'."
    )


def test_enumerations_of_all_columns_declare_the_levels() -> None:
    pl = pytest.importorskip("polars")
    kind = pl.Enum(["low", "mid", "high"])
    frame = pl.DataFrame({"a": ["low", "high"], "b": ["low", None]}, schema={"a": kind, "b": kind})
    design = Ratings.from_wide(frame.lazy(), raters_in="columns")
    assert (design.levels, design.scale, design.n_rows) == (("low", "mid", "high"), "ordinal", 3)


def test_a_square_table_counts_units_of_two_raters() -> None:
    table = np.array([[44, 5, 1], [7, 20, 3], [9, 5, 6]])
    design = Ratings.from_table(table, levels=["c", "b", "a"], raters=("z", "y"), scale="ordinal")
    assert (design.n_rows, design.unit_count.sum(), design.scale) == (200, 100, "ordinal")
    np.testing.assert_array_equal(design.square("z", "y"), table)
    np.testing.assert_array_equal(design.square("y", "z"), table.T)
    names = np.array(["c", "b", "a"], dtype=object)
    row, column = (np.repeat(x.ravel(), table.ravel()) for x in np.indices(table.shape))
    wide = {"z": names[row], "y": names[column]}
    long = Ratings.from_wide(wide, raters_in="columns", levels=["c", "b", "a"])
    np.testing.assert_array_equal(long.square("z", "y"), design.square("z", "y"))
    assert long.n_rows == design.n_rows
    plain = Ratings.from_table(table)
    assert (plain.raters, plain.levels, plain.scale) == (
        ("rater 1", "rater 2"),
        ("1", "2", "3"),
        "nominal",
    )
    assert [c.code for c in plain.cautions] == ["SS310"]
    np.testing.assert_array_equal(plain.square("rater 1", "rater 2"), table)
    crossed = pd.DataFrame(table, index=list("cba"), columns=list("cba"))
    same(
        Ratings.from_table(crossed, levels=["c", "b", "a"], raters=("z", "y"), scale="ordinal"),
        design,
    )
    turned = Ratings.from_table(crossed, levels=["a", "b", "c"], raters=("z", "y"))
    np.testing.assert_array_equal(turned.square("z", "y"), table[::-1, ::-1])
    assert Ratings.from_table(crossed, scale="nominal").levels == ("c", "b", "a")


@pytest.mark.parametrize(
    ("labels", "levels", "scale", "said"),
    [
        (None, None, "nominal", "the levels have no names, numbered 1 to 3 and taken as nominal"),
        (None, ["a", "b", "c"], "nominal", "'a', 'b' and 'c' taken as nominal"),
        (["a", "b", "c"], None, "nominal", "'a', 'b' and 'c' taken as nominal"),
        (None, [1, 2, 4], "interval", ""),
        ([1, 2, 4], None, "interval", ""),
    ],
)
def test_a_confusion_table_is_nominal_unless_its_labels_are_numbers(
    labels, levels, scale, said
) -> None:
    table = [[44, 5, 1], [7, 20, 3], [9, 5, 6]]
    given = table if labels is None else pd.DataFrame(table, index=labels, columns=labels)
    design = Ratings.from_table(given, levels=levels)
    assert design.scale == scale
    assert [(c.code, c.detail) for c in design.cautions] == ([("SS310", said)] if said else [])
    weights = weighted_kappa(design).settings["weights"]
    assert weights == ("unweighted" if scale == "nominal" else "quadratic")
    assert not Ratings.from_table(given, levels=levels, scale="nominal").cautions


@pytest.mark.parametrize(
    ("bad", "shown"), [(-2, "-2"), (0.5, "0.5"), (np.nan, "nan"), (np.inf, "inf")]
)
def test_cells_that_are_no_counts_are_named(bad: float, shown: str) -> None:
    assert error(Ratings.from_table, [[1, 2], [bad, 4]], levels=["no", "yes"]) == (
        f"table: row 2 ('yes'), column 1 ('no'): {shown} is not a count. {FIX}"
    )
    message = error(Ratings.from_counts, {"no": [1, 2], "yes": [bad, 4]}, scale="nominal")
    if np.isnan(bad):
        assert message == (
            "data frame row 0, column 'yes': the value is missing. Write 0 where no rater gave the level"
        )
    else:
        assert message.startswith("data frame row 0, column 'yes': '")
        assert message.endswith(f"is not a count. {FIX}")


def test_other_bad_tables() -> None:
    tail = "For two vectors of values use Ratings.from_wide({'x': x, 'y': y}, raters_in='columns')"
    assert (
        error(Ratings.from_table, [1, 2])
        == f"table: a square table of counts is needed, not 2. {tail}"
    )
    assert (
        error(Ratings.from_table, np.ones((3, 2)))
        == f"table: a square table of counts is needed, not 3 x 2. {tail}"
    )
    assert error(Ratings.from_table, [[1, 2], [3, 4]], raters=("a",)).startswith(
        "raters=('a',): name the two raters"
    )
    assert error(Ratings.from_table, [[1, 2], [3, 4]], raters=("a", "a")).startswith(
        "raters=('a', 'a'): name the two"
    )
    assert error(Ratings.from_table, [[1, 2], [3, 4]], levels=["a", "b"], scale="ratio").startswith(
        "table: scale='ratio' needs numbers, and 'a' is none."
    )
    with pytest.raises(NothingToAnalyse):
        Ratings.from_table(np.zeros((2, 2)))
    with pytest.raises(NothingToAnalyse):
        Ratings.from_counts(np.zeros((2, 2)))


def test_counts_of_levels() -> None:
    data = {"item": ["v", "u", "w"], "topic": ["s", "t", "s"], "low": [2, 0, 0], "high": [0, 3, 0]}
    design = Ratings.from_counts(data, unit="item", cluster="topic", columns=["low", "high"])
    assert (design.units, design.raters, design.raters_known) == (
        ("u", "v"),
        ("1", "2", "3"),
        False,
    )
    assert design.level_counts().tolist() == [[0.0, 3.0], [2.0, 0.0]]
    assert (design.scale, design.levels, design.clusters[0].levels) == (
        "ordinal",
        ("low", "high"),
        ("s", "t"),
    )
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 3),
        ("units without a rating", 1),
        ("ratings analysed", 5),
    ]
    shuffled = {key: [column[k] for k in (2, 0, 1)] for key, column in data.items()}
    same(
        Ratings.from_counts(shuffled, unit="item", cluster="topic", columns=["low", "high"]), design
    )
    assert error(Ratings.from_counts, {"low": [1], "high": [2]}).startswith(
        "data frame: the levels are texts whose order is undeclared: 'low' and 'high'. Pass levels= or columns="
    )
    assert error(Ratings.from_counts, data, unit="item", cluster="topic", levels=["a"]) == (
        "data frame: 1 level for 2 columns ('low' and 'high')"
    )
    assert error(
        Ratings.from_counts, {"item": ["u", "u"], "1": [1, 2], "2": [2, 2]}, unit="item"
    ).startswith(
        "data frame row 0, column 'item': 'u' has 2 rows (2 rows: rows 0, 1). A unit has one row"
    )
    by = Ratings.from_counts({"m": ["p", "q"], "1": [1, 2], "2": [2, 2]}, by="m", scale="nominal")
    assert {name: part.n_rows for name, part in by.split().items()} == {"p": 3, "q": 4}
    many = Ratings.from_counts(np.array([[6, 5]]), scale="nominal")
    assert many.raters == ("01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11")


@pytest.mark.parametrize(
    "name", ["topic", "domain", "story_id", "item_id", "stage", "Trait", "scenario"]
)
def test_columns_of_units_are_not_taken_as_raters(name: str) -> None:
    rows = {"unit": [1, 2, 3], "ann": [1, 2, 3], "bob": [1, 2, 2], name: [1, 1, 2]}
    message = error(Ratings.from_wide, rows, raters_in="columns", scale="ordinal")
    assert (
        f"here 'ann', 'bob' and '{name}'; but '{name}' has the name of a unit, cluster or stratum"
        in message
    )
    assert "raters=['ann', 'bob']" in message
    for options in ({"strata": name}, {"cluster": name}):
        assert Ratings.from_wide(rows, raters_in="columns", scale="ordinal", **options).raters == (
            "ann",
            "bob",
        )
    assert (
        name
        in Ratings.from_wide(
            {k: v for k, v in rows.items() if k != "unit"},
            raters_in="columns",
            scale="ordinal",
            raters=["ann", name],
        ).raters
    )


def test_a_declared_cluster_is_not_taken_as_the_unit() -> None:
    rows = {"ann": [1, 2, 3], "bob": [1, 2, 2], "story": ["a", "a", "b"]}
    design = Ratings.from_wide(rows, raters_in="columns", scale="ordinal", cluster="story")
    assert (design.raters, len(design.units), design.clusters[0].levels) == (
        ("ann", "bob"),
        3,
        ("a", "b"),
    )


def test_columns_with_names_of_raters_are_raters() -> None:
    rows = {"expert": [1, 2, 3], "model": [1, 2, 2], "worker": [1, 1, 2]}
    assert Ratings.from_wide(rows, raters_in="columns", scale="ordinal").raters == (
        "expert",
        "model",
        "worker",
    )


def test_counts_of_two_units_are_asked_about_and_of_one_are_not() -> None:
    counts = {"red": [0, 2], "green": [3, 1]}
    with pytest.raises(InputError, match="each row sum to 3"):
        Ratings.from_wide(counts, raters_in="columns", raters=["red", "green"])
    single = Ratings.from_wide(
        {"red": [0], "green": [3]}, raters_in="columns", raters=["red", "green"]
    )
    assert single.units == ("0",)


def test_a_square_table_of_one_unit_has_more_raters_than_units_and_of_two_has_not() -> None:
    def codes(counts: list[list[int]]) -> list[str]:
        return [c.code for c in Ratings.from_table(counts, raters=["a", "b"]).cautions]

    assert "SS309" in codes([[1, 0], [0, 0]])
    assert "SS309" not in codes([[1, 0], [0, 1]])
