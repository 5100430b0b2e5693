"""Rows of a table with one value: any engine, true lines in the errors that come later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import (
    Table,
    as_table,
    read_table,
    rows_unlike,
    rows_where,
    rows_without,
    rows_without_whole,
)
from socialstats.tables.lazy import collected

COLUMNS = {"model": ["m1", "m2", None, "m1"], "n": [1, 2, 1, 3], "y": [0.5, 1.5, 2.5, 3.5]}


ENGINES = [
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
    lambda c: pl.DataFrame(c).lazy(),
    dict,
    lambda c: duckdb.connect().from_arrow(pa.table(c)),
]


def values(table: Table, column: str) -> list[Any]:
    return sorted(collected(table.frame).get_column(column).to_list())


def place(table: Table, y: float) -> dict[int, Any]:
    (found,) = table.positions(["y"], [lambda row: row == (str(y),)], 5)
    return {position: table.places(found)[position] for position in found}


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree(engine: Any) -> None:
    table = as_table(engine(COLUMNS))
    kept, left = rows_where(table, "model", "m1")
    assert type(kept.frame) is type(table.frame)
    assert values(kept, "y") == [0.5, 3.5]
    assert left == 2
    kept, left = rows_where(as_table(engine(COLUMNS)), "n", "1")
    assert values(kept, "y") == [0.5, 2.5]
    assert [*place(kept, 2.5).values()] == [2]


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_that_are_alike_and_whole_names_are_left_out(engine: Any) -> None:
    columns = {
        "won": ["a", "b", None, "", "c"],
        "lost": ["a", "c", None, "", "b"],
        "who": [*"xxyzw"],
        "one": [1, 2, 3, 4, 5],
        "other": [1.0, 3.0, 3.5, 4.0, None],
        "text": ["1", "1", "3", "4.0", "5"],
    }
    table = as_table(engine(columns))
    kept, left = rows_unlike(table, "won", "lost")
    assert (values(kept, "one"), left) == ([2, 3, 4, 5], 1)
    assert (values(rows_unlike(table, "one", "other")[0], "one"), left) == ([2, 3, 5], 1)
    assert values(rows_unlike(table, "one", "text")[0], "one") == [2, 4]
    assert values(rows_unlike(table, "other", "text")[0], "one") == [2, 3, 4, 5]
    kept, left, names = rows_without_whole(table, "won", "b", "who")
    assert (values(kept, "one"), left, names) == ([3, 4, 5], 2, 1)
    assert type(kept.frame) is type(table.frame)
    with pytest.raises(NothingToAnalyse, match="every row has the same value"):
        rows_unlike(as_table(engine({"a": ["x"], "b": ["x"]})), "a", "b")


def test_lines_of_errors_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(
        "item_a,item_b,winner,model\nA,B,A,m1\nA,B,A,m2\nA,B,C,m2\nA,B,B,m1\nA,B,D,m1\n"
    )
    kept, _ = rows_where(read_table(path), "model", "m1")
    with pytest.raises(InputError, match=r"c\.csv line 6, column 'winner': 'D'"):
        Comparisons.from_frame(kept)


def test_no_such_column_or_value() -> None:
    table = as_table(COLUMNS)
    with pytest.raises(InputError, match=r"no column .x.\. Columns: model, n and y"):
        rows_where(table, "x", "1")
    with pytest.raises(NothingToAnalyse, match="no row has model = 'm9'; values: m1 and m2"):
        rows_where(table, "model", "m9")


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_without_a_value_keep_those_that_miss_it(engine: Any) -> None:
    kept, left_out = rows_without(as_table(engine(COLUMNS)), "model", "m1")
    assert (values(kept, "y"), left_out) == ([1.5, 2.5], 2)
    assert [*place(kept, 2.5).values()] == [2]
    same, none = rows_without(as_table(engine(COLUMNS)), "model", "m9")
    assert none == 0
    assert same.counts(["n"]).n.sum() == 4


def test_nothing_left_and_unknown_columns_are_errors() -> None:
    with pytest.raises(NothingToAnalyse, match="every row has a = '1': none is left"):
        rows_without(as_table({"a": [1, 1]}), "a", "1")
    with pytest.raises(InputError, match="no column 'b'"):
        rows_without(as_table({"a": [1]}), "b", "1")
