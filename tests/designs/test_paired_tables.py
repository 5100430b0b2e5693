"""Pairs from wide, counted and square tables, from cells, and from values against a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Paired, read_paired
from socialstats.errors import DesignError, InputError, NothingToAnalyse
from tests.designs.same import same


def error(make: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        make(*args, **options)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def test_wide_rows_are_pairs() -> None:
    table = {
        "id": list("abcd"),
        "pre": [1, 2, 2, 4],
        "post": [3, 3, 3, 3],
        "school": [1, 1, 2, 2],
        "m": list("xxyy"),
    }
    design = Paired.from_wide(
        table, first="post", second="pre", unit="id", cluster="school", by="m"
    )
    assert design.conditions == ("post", "pre")
    assert sorted(np.repeat(design.difference, design.count.astype(int)).tolist()) == [
        -1.0,
        1.0,
        1.0,
        2.0,
    ]
    assert design.columns == {
        "first": "post",
        "second": "pre",
        "unit": "id",
        "by": "m",
        "cluster1": "school",
    }
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 4),
        ("rows analysed", 4),
        ("pairs analysed", 4),
    ]
    more = {"pre": range(6), "post": [3] * 6, "school": list("vwxyzz"), "site": list("aabbcc")}
    plain = Paired.from_wide(more, first="post", second="pre")
    assert [c.detail for c in plain.cautions] == ["'school' (5 values), 6 units"]
    again = Paired.from_wide(
        {"id": list("aabbcddeef"), "pre": range(10), "post": [3] * 10}, first="post", second="pre"
    )
    assert [(c.code, c.detail) for c in again.cautions] == [("SS311", "'id' (6 values), 10 units")]
    assert (
        Paired.from_wide(
            {"id": list("abcdef"), "pre": range(6), "post": [3] * 6}, first="post", second="pre"
        ).cautions
        == ()
    )


@pytest.mark.parametrize(("name", "unit"), [("id", None), ("id", "id"), ("country", None)])
def test_a_row_of_totals_is_no_unit(name: str, unit: str | None) -> None:
    table = {name: [*"abcd", "Total"], "pre": [1.5, 2, 2, 4, 9.5], "post": [3, 3, 3.5, 3, 12.5]}
    said = error(Paired.from_wide, table, first="post", second="pre", unit=unit)
    assert f"row 4, column '{name}': 'Total' is a row of totals" in said
    assert f"--exclude {name}=Total" in said
    named_so = table | {"pre": [1.5, 2, 2, 4, 3]}  # a unit that is only called so
    assert Paired.from_wide(named_so, first="post", second="pre", unit=unit).n_pairs == 5


@pytest.mark.parametrize("kind", ["uint8", "int8", "float32", "object", "Int8"])
def test_wide_columns_of_any_numbers(kind: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([1, 0, 1, 1]).astype(kind), "y": [1, 1, 0, 0]})
    design = Paired.from_wide(frame, first="x", second="y")
    assert (design.scale, design.square().tolist()) == ("binary", [[0, 1], [2, 1]])
    assert Paired.from_wide(frame + 1, first="x", second="y").difference.tolist() == [
        -1.0,
        1.0,
        0.0,
    ]


def test_wide_from_polars_with_gaps() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"x": [1, None, 3], "y": [1.5, 2.0, None], "s": ["u", "u", "v"]})
    design = Paired.from_wide(frame.lazy(), first="x", second="y", cluster="s", unmatched="drop")
    assert (design.difference.tolist(), design.unmatched) == ([-0.5], ("1", "2"))
    kind = pl.Enum(["bad", "good"])
    words = pl.DataFrame(
        {"x": ["bad", "good"], "y": ["good", "good"]}, schema={"x": kind, "y": kind}
    )
    assert Paired.from_wide(words, first="x", second="y").levels == ("bad", "good")


def test_wide_errors_name_the_lines_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,pre,post\n\na,1,2\nb,,3\nc,4,\nd,,\ne,x,1\nf,1,2\n")
    assert error(read_paired, path, first="pre", second="post", unit="id").split("\n") == [
        "scores.csv line 7, column 'pre': 'x' is not a finite number. "
        "Correct it, or declare it with na='x' if it means a missing value",
        "scores.csv, column 'id': 2 units without a partner: 4 units under 'pre', 4 units under 'post', 3 pairs. "
        "Add the missing rows, or say missing='drop' (--missing drop) to leave such units out",
        "scores.csv line 4, column 'id': 'b' has no value under 'pre'",
        "scores.csv line 5, column 'id': 'c' has no value under 'post'",
        "scores.csv line 6, columns 'pre' and 'post': both values are missing. "
        "Fill it in, or say missing='drop' (--missing drop) to leave such rows out",
    ]
    design = read_paired(
        path, first="pre", second="post", unit="id", na="x", missing="drop", unmatched="drop"
    )
    assert (design.n_pairs, design.unmatched) == (2, ("b", "c", "e"))
    assert [(s.label, s.rows) for s in design.flow] == [
        ("rows read", 6),
        ("units without a partner", 3),
        ("pairs without both values", 1),
        ("rows analysed", 2),
        ("pairs analysed", 2),
    ]


def test_wide_errors() -> None:
    make = Paired.from_wide
    assert error(make, {"x": [1, 2], "y": [1, 2, 3]}, first="x", second="y") == (
        "data frame: the columns have different lengths (x 2, y 3)"
    )
    assert error(make, {"x": [1, 2], "y": [1, 3]}, first="x", second="x").startswith(
        "data frame: first and second are the same column 'x'"
    )
    assert error(make, {"x": [1, 2], "y": [1, 3]}, first="x", second="z").startswith(
        "data frame: no column 'z' (asked for as second). Columns: x and y."
    )
    message = error(
        make, {"x": [1, 2], "y": [1, 3], "id": [1, 1]}, first="x", second="y", unit="id"
    )
    assert message.startswith(
        "data frame row 0, column 'id': '1' (condition 'x') has 2 rows (2 rows: rows 0, 1)."
    )


TABLE = [[570, 86], [150, 794]]


def test_a_square_array_has_the_first_condition_in_its_rows() -> None:
    design = Paired.from_table(TABLE, conditions=("May", "June"))
    assert (design.conditions, design.scale, design.levels) == (
        ("May", "June"),
        "binary",
        ("0", "1"),
    )
    assert design.square().tolist() == TABLE
    assert (design.difference * design.count).sum() == 150 - 86
    cells = Paired.from_cells(a=794, b=150, c=86, d=570, conditions=("May", "June"))
    same(cells, design, but=("source",))
    rows = {"May": [0, 0, 1, 1], "June": [0, 1, 0, 1], "n": [570, 86, 150, 794]}
    same(
        Paired.from_counts(rows, first="May", second="June", count="n"),
        design,
        but=("source", "flow", "columns"),
    )
    long = pd.DataFrame(
        [
            (f"{i}{j}{k}", c, v)
            for i in (0, 1)
            for j in (0, 1)
            for k in range(int(TABLE[i][j]))
            for c, v in (("May", i), ("June", j))
        ],
        columns=["unit", "condition", "value"],
    )
    from_rows = Paired.from_frame(long, conditions=("May", "June"))
    same(from_rows, design, but=("source", "units", "flow", "columns"))


def test_labels_of_a_data_frame_say_which_cell_is_which() -> None:
    turned = pd.DataFrame([[794, 150], [86, 570]], index=[1, 0], columns=[1, 0])
    assert Paired.from_table(turned).square().tolist() == TABLE
    words = turned.rename(index={1: "yes", 0: "no"}, columns={1: "yes", 0: "no"})
    assert Paired.from_table(words).square().tolist() == TABLE
    assert Paired.from_table(words, levels=("yes", "no")).square().tolist() == [
        [794, 150],
        [86, 570],
    ]
    other = turned.rename(index={1: "good", 0: "bad"}, columns={1: "good", 0: "bad"})
    with pytest.raises(
        DesignError, match=r"which counts as 1 is undeclared. Declare levels=\(zero, one\)"
    ):
        Paired.from_table(other)
    assert Paired.from_table(other, levels=("bad", "good")).square().tolist() == TABLE
    assert Paired.from_table(other, levels=("bad", "?", "good")).square().sum() == 1600


def test_larger_tables_are_nominal_or_numeric() -> None:
    table = [[0, 2, 0], [3, 0, 1], [2, 2, 2]]
    design = Paired.from_table(table)
    assert (design.scale, design.levels, design.square().tolist()) == (
        "nominal",
        ("0", "1", "2"),
        table,
    )
    words = Paired.from_table(table, levels=["left", "middle", "right"])
    assert (words.levels, words.square().tolist()) == (("left", "middle", "right"), table)
    numbers = Paired.from_table(table, levels=(1, 3, 5), scale="numeric")
    assert (numbers.scale, sorted(set(numbers.difference.tolist()))) == (
        "numeric",
        [-2.0, 0.0, 2.0, 4.0],
    )
    counted = pd.crosstab(pd.Series([1, 2, 3, 3]), pd.Series([2, 1, 3, 3]))
    assert Paired.from_table(counted).scale == "numeric"
    assert Paired.from_table(counted, scale="nominal").levels == ("1", "2", "3")


FIX = "Counts are whole numbers from 0 upwards"


@pytest.mark.parametrize(
    ("bad", "shown"),
    [(-2, "-2"), (0.5, "0.5"), (np.nan, "nan"), (np.inf, "inf"), ("3", "3"), (None, "None")],
)
def test_cells_that_are_no_counts_are_named(bad: Any, shown: str) -> None:
    assert error(Paired.from_table, [[1, bad], [3, 4]]) == (
        f"table: row 1 ('0'), column 2 ('1'): {shown} is not a count. {FIX}"
    )
    assert error(Paired.from_cells, a=1, b=2, c=bad, d=3) == f"c={bad!r} is not a count. {FIX}"
    if bad not in (None, "3"):
        rows = {"x": [0, 1], "y": [1, 1], "n": [3, bad]}
        assert error(Paired.from_counts, rows, first="x", second="y", count="n").startswith(
            "data frame row 1, column 'n'"
        )


def test_two_vectors_are_no_table() -> None:
    tail = "For two vectors of values use Paired.from_wide({'x': x, 'y': y}, first='x', second='y')"
    assert (
        error(Paired.from_table, [1, 0])
        == f"table: a square table of counts is needed, not 2. {tail}"
    )
    assert (
        error(Paired.from_table, [[1, 0, 1], [0, 0, 1]])
        == f"table: a square table of counts is needed, not 2 x 3. {tail}"
    )
    assert (
        error(Paired.from_table, 3)
        == f"table: a square table of counts is needed, not a single value. {tail}"
    )


def test_other_bad_tables() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"], columns=["b", "a"])
    assert error(Paired.from_table, frame) == (
        "table: the rows are 'a' and 'b' and the columns 'b' and 'a'. Both sides need the same levels in the same "
        "order: table.reindex(index=levels, columns=levels, fill_value=0)"
    )
    assert (
        error(Paired.from_table, TABLE, levels=list("abc"))
        == "table: 3 levels ('a', 'b' and 'c') for a 2 x 2 table"
    )
    with pytest.raises(NothingToAnalyse, match="every count is 0"):
        Paired.from_table([[0, 0], [0, 0]])
    with pytest.raises(NothingToAnalyse, match="every count is 0"):
        Paired.from_counts({"x": [0], "y": [1], "n": [0]}, first="x", second="y", count="n")
    with pytest.raises(NothingToAnalyse, match="every count is 0"):
        Paired.from_cells(a=0, b=0, c=0, d=0)


def test_counts_with_clusters_and_by() -> None:
    rows = {
        "x": [0, 1, 0],
        "y": [1, 1, 1],
        "n": [3, 2, 5],
        "s": ["u", "v", "v"],
        "m": ["p", "p", "q"],
    }
    design = Paired.from_counts(rows, first="x", second="y", count="n", cluster="s", by="m")
    assert (design.n_pairs, design.clusters[0].levels) == (10, ("u", "v"))
    assert {k: d.n_pairs for k, d in design.split().items()} == {"p": 5, "q": 5}
    twice = Paired.from_counts(
        {k: v * 2 for k, v in rows.items()}, first="x", second="y", count="n", cluster="s", by="m"
    )
    assert twice.count.tolist() == (2 * design.count).tolist()


def test_values_against_a_bound() -> None:
    design = Paired.one_sample([3, 1, 3, 2], bound=2, cluster=["b", "a", "b", "a"], name="score")
    assert (design.conditions, design.scale) == (("score", "bound"), "numeric")
    assert design.difference.tolist() == [-1.0, 0.0, 1.0]
    assert design.count.tolist() == [1.0, 1.0, 2.0]
    same(
        Paired.one_sample(
            np.array([2, 3, 1, 3], dtype="uint8"), bound=2, cluster=list("abab"), name="score"
        ),
        design,
    )
    two = Paired.one_sample([1.5, 2.5], cluster={"s": [1, 1], "w": [1, 2]})
    assert [f.name for f in two.clusters] == ["s", "w"]
    indexed = Paired.one_sample(pd.Series([1, 2], index=[5, 6]), cluster=pd.Series(["u", "v"]))
    assert [f.levels for f in indexed.clusters] == [("u", "v")]
    gap = Paired.one_sample([1, None, 2], missing="drop")
    assert (gap.n_pairs, [c.code for c in gap.cautions]) == (2, ["SS301"])


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1, np.nan], {}, "values row 1, column 'value': the value is missing."),
        ([1, np.inf], {}, "values row 1, column 'value': 'inf' is not a finite number."),
        ([1, 2], {"bound": np.nan}, "bound=nan is not a finite number"),
        ([1, 2], {"bound": "0"}, "bound='0' is not a finite number"),
        (
            [1, 2],
            {"cluster": [1]},
            "values and clusters have different lengths: {'value': 2, 'cluster': 1}",
        ),
        ("12", {}, "value: a sequence of values is needed, not str"),
        (np.eye(2), {}, "value: one value per unit is needed, not an array of shape (2, 2)"),
        (
            [1, 2],
            {"name": "cluster", "cluster": [1, 2]},
            "name='cluster': values and clusters need different names",
        ),
        (
            [1, 2],
            {"missing": "omit"},
            "missing='omit' is not an option. Choose from 'error', 'drop'",
        ),
    ],
)
def test_bad_values_against_a_bound(values: Any, options: dict[str, Any], message: str) -> None:
    assert error(Paired.one_sample, values, **options).startswith(message)


def test_no_values() -> None:
    with pytest.raises(NothingToAnalyse):
        Paired.one_sample([])
