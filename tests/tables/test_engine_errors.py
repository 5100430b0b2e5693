"""What an engine cannot do is one error that names the table, what happened and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest

import socialstats as ss
from socialstats.tables import as_table, files, lazy

VOTES = pd.DataFrame(
    {
        "item_a": ["x", "y", "x", "y"] * 5,
        "item_b": ["y", "z", "z", "x"] * 5,
        "winner": ["x", "z", "x", "y", *["y", "y", "z", "x"] * 4],
        "judge": [f"j{k % 9}" for k in range(20)],
    }
)
CLOSED = (
    "data frame: the connection to its engine .DuckDB. was closed .* Keep it open until "
    "the last number is computed"
)
GONE = "data frame: a file of the table is gone .* Restore the file, and read the table again"
DROPPED = "data frame: its engine .DuckDB. has no such table any more .*Table with name votes does not exist.* Make it"
OF_FILES: dict[str, Callable[[Path], Any]] = {
    "duckdb": lambda file: duckdb.connect().read_parquet(str(file)),
    "polars": pl.scan_parquet,
    "pyarrow": pyarrow.dataset.dataset,
}


def stored() -> tuple[Any, Any]:
    """Return a connection and one of its tables."""
    connection = duckdb.connect()
    connection.register("rows", VOTES)
    connection.sql("create table votes as select * from rows")
    return connection, connection.table("votes")


@pytest.mark.parametrize(("ended", "said"), [("close", CLOSED), ("drop", DROPPED)])
@pytest.mark.parametrize("when", ["before", "between"])
def test_a_connection_that_is_closed_and_a_table_that_is_dropped(
    ended: str, said: str, when: str
) -> None:
    """DuckDB's own traceback was shown."""
    connection, votes = stored()
    given = votes if when == "before" else ss.Comparisons.from_frame(votes, cluster="judge")
    connection.close() if ended == "close" else connection.sql("drop table votes")
    with pytest.raises(ss.InputError, match=said) as caught:
        ss.bradley_terry(given)
    assert isinstance(caught.value.__cause__, duckdb.Error)


@pytest.mark.parametrize("engine", OF_FILES)
@pytest.mark.parametrize("when", ["before", "between", "whole"])
def test_a_file_that_is_deleted_between_readings(engine: str, when: str, tmp_path: Path) -> None:
    file = tmp_path / "votes.parquet"
    VOTES.to_parquet(file)
    votes = OF_FILES[engine](file)
    given = votes if when == "before" else ss.Comparisons.from_frame(votes, cluster="judge")
    file.unlink()
    with pytest.raises(ss.InputError, match=GONE) as caught:
        given.whole() if when == "whole" else ss.bradley_terry(given)
    assert str(file) in str(caught.value)
    assert caught.value.__cause__ is not None


def test_a_file_whose_rows_stay_in_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 10)
    VOTES.to_parquet(tmp_path / "votes.parquet")
    design = ss.read_comparisons(tmp_path / "votes.parquet", cluster="judge")
    (tmp_path / "votes.parquet").unlink()
    with pytest.raises(ss.InputError, match=r"votes\.parquet: a file of the table is gone"):
        ss.bradley_terry(design)


def test_queries_that_fail_name_the_value() -> None:
    connection, _ = stored()
    for query in (
        connection.sql("select item_a, item_b, winner, cast(judge as int) as judge from votes"),
        pl.from_pandas(VOTES).lazy().with_columns(pl.col("judge").cast(pl.Int64)),
    ):
        with pytest.raises(
            ss.InputError,
            match=r"data frame: its engine .* could not read the table .*j0.* Mend the",
        ):
            ss.bradley_terry(query, cluster="judge")


@pytest.mark.engines
def test_a_session_of_spark_that_was_stopped() -> None:
    """The cure was to mend the query."""
    errors = pytest.importorskip("pyspark.errors")
    said = r"the connection to its engine .Spark. was closed .* Keep it open"
    with pytest.raises(ss.InputError, match=said), lazy.engine("data frame"):
        # what a query says after session.stop(), which would end the session of other tests
        raise errors.PySparkRuntimeError(
            errorClass="SESSION_OR_CONTEXT_NOT_EXISTS", messageParameters={}
        )


def test_every_reading_of_a_table_says_so() -> None:
    connection, votes = stored()
    table = as_table(votes)
    connection.close()
    for reading in (
        lambda: table.height,
        lambda: table.counts(["judge"]),
        lambda: table.distinct(["judge"]),
        lambda: table.holds_labels("judge"),
        lambda: table.positions(["judge"], [lambda row: True], 1),
        lambda: ss.krippendorff_alpha(
            table, unit="judge", rater="item_a", value="winner", scale="nominal"
        ),
        lambda: ss.paired_difference(table, first="item_a", second="item_b"),
    ):
        with pytest.raises(ss.InputError, match=CLOSED):
            reading()
