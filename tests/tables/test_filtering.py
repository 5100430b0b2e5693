"""Rows of a table with one value: any engine, true lines in the errors that come later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import as_table, read_table, rows_where, rows_without

COLUMNS = {"model": ["m1", "m2", None, "m1"], "n": [1, 2, 1, 3], "y": [0.5, 1.5, 2.5, 3.5]}


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame, pa.table, lambda c: pl.DataFrame(c).lazy(), dict])
def test_engines_agree(engine: Any) -> None:
    kept, left = rows_where(as_table(engine(COLUMNS)), "model", "m1")
    assert kept.frame.get_column("y").to_list() == [0.5, 3.5]  # type: ignore[union-attr]
    assert left == 2
    kept, left = rows_where(as_table(engine(COLUMNS)), "n", "1")
    assert kept.frame.get_column("y").to_list() == [0.5, 2.5]  # type: ignore[union-attr]
    assert kept.places([1]) == {1: 2}


def test_lines_of_errors_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("item_a,item_b,winner,model\nA,B,A,m1\nA,B,A,m2\nA,B,C,m2\nA,B,B,m1\nA,B,D,m1\n")
    kept, _ = rows_where(read_table(path), "model", "m1")
    with pytest.raises(InputError, match=r"c\.csv line 6, column 'winner': 'D'"):
        Comparisons.from_frame(kept)


def test_no_such_column_or_value() -> None:
    table = as_table(COLUMNS)
    with pytest.raises(InputError, match=r"no column .x.\. Columns: model, n and y"):
        rows_where(table, "x", "1")
    with pytest.raises(NothingToAnalyse, match="no row has model = 'm9'; values: m1 and m2"):
        rows_where(table, "model", "m9")


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame, pa.table, lambda c: pl.DataFrame(c).lazy(), dict])
def test_rows_without_a_value_keep_those_that_miss_it(engine: Any) -> None:
    kept, left_out = rows_without(as_table(engine(COLUMNS)), "model", "m1")
    assert (kept.frame.shape, left_out) == ((2, 3), 2)
    assert kept.frame.get_column("y").to_list() == [1.5, 2.5]
    assert kept.places([0, 1]) == {0: 1, 1: 2}
    same, none = rows_without(as_table(engine(COLUMNS)), "model", "m9")
    assert none == 0
    assert same.counts(["n"]).n.sum() == 4


def test_nothing_left_and_unknown_columns_are_errors() -> None:
    with pytest.raises(NothingToAnalyse, match="every row has a = '1': none is left"):
        rows_without(as_table({"a": [1, 1]}), "a", "1")
    with pytest.raises(InputError, match="no column 'b'"):
        rows_without(as_table({"a": [1]}), "b", "1")
