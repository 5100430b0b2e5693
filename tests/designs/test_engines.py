"""Every engine gives the numbers of pandas, and errors that name the same rows; nothing is fetched but sums."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.errors import InFile, InputError, MissingDependency
from socialstats.tables import as_table, lazy
from socialstats.tables.lazy import ROW


@pytest.fixture(scope="session")
def spark() -> Any:
    """Spark with two workers, each a process of its own."""
    pyspark = pytest.importorskip("pyspark")
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.default.parallelism": "4",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.log.level": "ERROR",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = (
            sys.executable
        )  # workers are not started by the first python3 of the path
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
    assert session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() > 0
    yield session
    session.stop()


def of_polars(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("polars").from_pandas(frame)


def of_polars_lazy(frame: pd.DataFrame, folder: Path) -> Any:
    return of_polars(frame, folder).lazy()


def of_pyarrow(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


def parts(frame: pd.DataFrame, folder: Path) -> Path:
    """Write a folder of files."""
    place = folder / f"rows{len([*folder.iterdir()])}"
    place.mkdir()
    for k, start in enumerate(range(0, len(frame), 1 + len(frame) // 4)):
        part = frame.iloc[start : start + 1 + len(frame) // 4]
        part.to_parquet(place / f"part-{k}.parquet", index=False)
    return place


def of_dataset(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("pyarrow.dataset").dataset(parts(frame, folder))


def of_duckdb(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("duckdb").connect().from_df(frame)


def of_dask(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("dask.dataframe").read_parquet(parts(frame, folder))


def of_ibis(frame: pd.DataFrame, folder: Path) -> Any:
    return pytest.importorskip("ibis").memtable(frame)


def of_ibis_file(frame: pd.DataFrame, folder: Path) -> Any:
    return (
        pytest.importorskip("ibis")
        .duckdb.connect()
        .read_parquet(str(parts(frame, folder) / "*.parquet"))
    )


def of_spark(frame: pd.DataFrame, folder: Path, request: pytest.FixtureRequest) -> Any:
    session, files = (
        request.getfixturevalue("spark"),
        sorted(map(str, parts(frame, folder).iterdir())),
    )
    return reduce(
        lambda one, other: one.unionByName(other), map(session.read.parquet, files)
    )  # a partition each


MAKERS: list[Callable[..., Any]] = [of_polars, of_polars_lazy, of_pyarrow, of_dataset, of_duckdb]
OTHER = (pytest.mark.engines, pytest.mark.filterwarnings("ignore"))  # about versions of each other
FURTHER = [pytest.param(make, marks=OTHER) for make in (of_dask, of_ibis, of_ibis_file, of_spark)]


@pytest.fixture(params=[*MAKERS, *FURTHER])
def through(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    given = (request,) if request.param is of_spark else ()
    return lambda frame: request.param(frame, tmp_path, *given)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, set[str]]]:
    """Rows and columns of what engines handed over."""
    sizes: list[tuple[int, set[str]]] = []
    collect = nw.LazyFrame.collect

    def counted(frame: Any, *args: Any, **given: Any) -> Any:
        found = collect(frame, *args, **given)
        sizes.append((len(found), {*found.columns}))
        return found

    monkeypatch.setattr(nw.LazyFrame, "collect", counted)
    return sizes


def votes(n: int = 3000, items: int = 6) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    a = rng.integers(0, items, n)
    b = (a + 1 + rng.integers(0, items - 1, n)) % items
    judge = rng.integers(0, 30, n)
    names = np.array([f"m{k}" for k in range(items)])
    first = rng.random(n) < 1 / (1 + np.exp(-0.3 * (a - b)))
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(first, names[a], names[b]))
    return pd.DataFrame(
        {
            "a": names[a],
            "b": names[b],
            "winner": winner,
            "judge": judge,
            "language": np.where(judge % 3, "en", "de"),
        }
    )


def ratings(units: int = 60, copies: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 5, units)
    rows = [
        (f"u{u}", f"r{r}", int(np.clip(truth[u] + rng.integers(-1, 2), 1, 5)))
        for u in range(units)
        for r in range(copies)
        if rng.random() < 0.9
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "value"])


def answers(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(6)
    before = rng.normal(size=n)
    return pd.DataFrame(
        {
            "question": [f"q{k}" for k in range(n)],
            "old": before,
            "story": rng.integers(0, 20, n),
            "new": before + 0.2 + rng.normal(size=n),
        }
    )


def numbers(result: Any) -> np.ndarray[Any, Any]:
    fields = ("estimate", "std_error", "df", "conf_low", "conf_high", "p_value")
    return np.array([[getattr(row, name) for name in fields] for row in result.rows], dtype=float)


VOTES = {"item_a": "a", "item_b": "b", "winner": "winner"}


def strengths(frame: Any) -> Any:
    return ss.bradley_terry(frame, **VOTES)


def clustered(frame: Any) -> Any:
    return ss.bradley_terry(frame, **VOTES, cluster="judge")


def alpha(frame: Any) -> Any:
    return ss.krippendorff_alpha(frame, unit="unit", rater="rater", value="value", scale="interval")


def means(frame: Any) -> Any:
    return ss.paired_difference(
        ss.Paired.from_wide(as_table(frame), first="new", second="old", cluster=["story"])
    )


@pytest.mark.parametrize(
    ("metric", "frame"),
    [(strengths, votes()), (clustered, votes()), (alpha, ratings()), (means, answers())],
)
def test_estimates_are_those_of_pandas(metric: Any, frame: pd.DataFrame, through: Any) -> None:
    wanted, found = metric(frame), metric(through(frame))
    assert [row.term for row in found.rows] == [row.term for row in wanted.rows]
    np.testing.assert_allclose(numbers(found)[:, 0], numbers(wanted)[:, 0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-9, atol=1e-12)


def clustered_alpha(frame: Any) -> Any:
    columns = {"unit": "unit", "rater": "rater", "value": "value", "cluster": "text"}
    return ss.krippendorff_alpha(frame, **columns, scale="interval")


def rated() -> pd.DataFrame:
    return ratings().assign(text=lambda frame: frame.unit.str[:2])


@pytest.mark.parametrize(
    ("metric", "frame", "most"),
    [
        (strengths, votes(), len(votes().value_counts(["a", "b", "winner"]))),
        (clustered, votes(), len(votes().value_counts(["a", "b", "winner", "judge"]))),
        (clustered_alpha, rated(), len(rated())),
        (means, answers(), 2 * len(answers())),
    ],
)
def test_nothing_is_fetched_but_sums(
    metric: Any, frame: pd.DataFrame, most: int, through: Any, fetched: list[tuple[int, set[str]]]
) -> None:
    """Comparisons are counted; ratings and pairs are values of units. No other column leaves the engine."""
    whole = frame.assign(answer=[f"answer {k}" for k in range(len(frame))])
    table = as_table(through(whole))
    found, wanted = metric(table), metric(frame)
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-9, atol=1e-12)
    assert max((rows for rows, _ in fetched), default=0) <= most
    assert not any("answer" in columns for _, columns in fetched)


def test_wide_tables_stay_with_their_engine(through: Any) -> None:
    frame = answers(40).assign(old=1, new=True).astype({"story": "str"})
    frame.loc[::3, "new"] = False
    named = {"first": "new", "second": "old"}
    wanted, found = (
        ss.Paired.from_wide(as_table(f), **named, unit="question") for f in (frame, through(frame))
    )
    pd.testing.assert_frame_equal(wanted.table(), found.table())
    wide = frame.drop(columns="question")
    wanted, found = (ss.Paired.from_wide(as_table(f), **named) for f in (wide, through(wide)))
    assert np.array_equal(np.sort(wanted.difference), np.sort(found.difference))


def test_errors_of_wide_tables_name_row_and_column(through: Any) -> None:
    frame = answers(30).astype({"old": "str", "new": "str"})
    frame.loc[17, "new"] = "many"
    table = as_table(through(frame))
    with pytest.raises(InputError) as caught:
        ss.Paired.from_wide(table, first="new", second="old", unit="question", scale="numeric")
    (problem,) = caught.value.problems
    assert (problem.column, problem.n_rows) == ("new", 1)
    assert place(problem.lines[0], 30) == 17


def place(line: int, rows: int) -> int:
    """Return the row of a place; files and partitions have a quarter of the rows each."""
    if not isinstance(line, InFile):
        return int(line)
    return int(line) + (1 + rows // 4) * int(
        "".join(letter for letter in line.file if letter.isdigit())
    )


def test_errors_name_the_first_rows(through: Any) -> None:
    frame = votes(400)
    frame.loc[[31, 250], "winner"] = "nobody"
    frame.loc[40:70, "a"] = None
    with pytest.raises(InputError) as caught:
        ss.Comparisons.from_frame(through(frame), **VOTES)
    missing, unknown = caught.value.problems
    assert (missing.n_rows, unknown.n_rows) == (31, 2)
    assert sorted(place(line, 400) for line in unknown.lines) == [31, 250]
    assert [place(line, 400) for line in missing.lines] == [*range(40, 60)]


def test_couples_in_two_orders(through: Any) -> None:
    rng = np.random.default_rng(8)
    rows = [
        {
            "scenario": f"s{s}",
            "pair": f"p{p}",
            "group_first": groups[0],
            "group_second": groups[1],
            "answer": int(rng.choice([-1, 1])),
        }
        for s in range(8)
        for p, group in enumerate(["wm", "mw", "ww", "mm", "wm"])
        for groups in (group, group[::-1])
    ]
    frame = pd.DataFrame(rows)
    data = through(frame)
    if type(data).__module__.startswith("dask"):
        with pytest.raises(InputError, match="name the columns of the two names"):
            ss.relationship_bias(data)
        return
    wanted, found = ss.relationship_bias(frame), ss.relationship_bias(data)
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-9, atol=1e-12)


def test_packages_that_do_not_fit_are_none_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    polars = pytest.importorskip("polars")
    table = as_table(polars.LazyFrame({"item_a": ["x"], "item_b": ["y"], "winner": ["x"]}))

    def clash(self: Any, *args: Any, **given: Any) -> Any:
        from duckdb import DuckDBPyArrowData  # noqa: F401

    monkeypatch.setattr(nw.LazyFrame, "collect", clash)
    with pytest.raises(InputError, match=r"which do not fit each other .*duckdb") as caught:
        ss.Comparisons.from_frame(table)
    assert not isinstance(caught.value, MissingDependency)


def test_row_numbers_cost_nothing_where_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = as_table(duckdb.connect().from_df(votes(50)))
    assert ROW in table.frame.collect_schema()
    assert ROW not in table.columns
    plan = nw.to_native(table.frame.filter(nw.col("judge") < 9).select("a", "b")).explain()
    assert "row_number" not in plan.casefold()
    assert "window" not in plan.casefold()
    assert lazy.ROW == ROW
