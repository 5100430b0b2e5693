"""Calls of metrics with columns of a table: how files are read, and columns of two layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.designs.calls import as_design


def test_keywords_say_how_a_file_is_read(tmp_path: Path) -> None:
    """A name that tells no format, and letters of another encoding."""
    path = tmp_path / "rows.of.mine"
    path.write_bytes("unit,rater,value\n1,jörg,2\n1,b,3\n2,jörg,1\n2,b,1\n".encode("latin-1"))
    columns = {"scale": "interval", "format": "csv", "encoding": "latin-1"}
    found = as_design(path, columns, ss.Ratings, name="f()")
    assert found.raters == ("b", "jörg")
    assert found.scores.tolist() == [1, 2, 3]


def test_the_first_column_of_either_layout_is_named() -> None:
    rows = {"a": [1, 2], "b": [2, 3], "when": ["x", "y"]}
    columns = {"first": "a", "second": "b", "condition": "when"}
    with pytest.raises(
        ss.InputError, match=r"^first= names a column of a table with one row per unit"
    ):
        as_design(rows, columns, ss.Paired, name="f()")
