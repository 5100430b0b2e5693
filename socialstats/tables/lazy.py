"""Tables that an engine reads when it is asked: how their rows are numbered, and how answers are fetched."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce, wraps
from importlib.metadata import PackageNotFoundError, version
from operator import and_, or_
from typing import Any, TypeVar, cast

import narwhals as nw

from socialstats.errors import InFile, InputError, MissingDependency, SocialStatsError
from socialstats.tables.aliases import Lines, Locate, Positions, Texts
from socialstats.text import listing, shorten

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
F = TypeVar("F", bound=Callable[..., Any])
ROW = "socialstats row"
"""Column of the number of each row, which a lazy frame holds beside those of its table; unused, it costs nothing."""
FIRST, TIMES = "socialstats first row", "socialstats times"
# Spark numbers the rows of each partition from a multiple of this
PARTITION = 2**33
KINDS = {"HUGEINT": "bigint", "UHUGEINT": "varchar", "JSON": "varchar", "UUID": "varchar"}
"""Types of DuckDB that narwhals or arrow has not, such as that of a sum of whole numbers, and what is read instead."""
# whose errors these are, by the package that raises them; narwhals raises errors of polars as its
# own
ENGINES = {
    "duckdb": "DuckDB",
    "polars": "polars",
    "pyspark": "Spark",
    "py4j": "Spark",
    "ibis": "ibis",
    "dask": "Dask",
    "pyarrow": "pyarrow",
    "narwhals": "polars",
}
# what an error of an engine says; what happened; what to do
WHY = (
    (
        r"connection.*closed|context.*(stopped|shut down)|context_not_exists",
        "the connection to its engine{name} was closed{line}",
        "Keep it open until the last number is computed, or read the table into memory",
    ),
    (
        r"no such file|no files found|path .*not exist|path_not_found|file_not_exist|failed to open local file",
        "a file of the table is gone{line}",
        "Files stay in their place until the last number is computed. Restore the file, and read the table again",
    ),
    (
        r"(table|view).*(not exist|cannot be found|not found)",
        "its engine{name} has no such table any more{line}",
        "A table stays in its place until the last number is computed. Make it again, and read it again",
    ),
    (
        r"out of range|overflow|too large to convert",
        "a value is larger than any that can be handed over{line}",
        "Correct it, such as a date after the year 9999, or leave its column out",
    ),
    (
        "",
        "its engine{name} could not read the table{line}",
        "Mend the query, or store its rows in a file and read that",
    ),
)


def with_row_numbers(data: Any) -> tuple[Any, Locate | None]:
    """Return what narwhals reads of a table, lazy ones with the column `ROW`, and how its numbers are called.

    Tables of ibis that are DuckDB's, and pyarrow datasets where DuckDB is installed, become relations of DuckDB. Rows
    of other tables of ibis have no number.
    """
    data = _relation(data)
    match package_of(data):
        case "duckdb":
            kinds = {
                in_sql(name, '"'): KINDS.get(str(kind))
                for name, kind in zip(data.columns, data.types, strict=True)
            }
            casts = ", ".join(f"{name}::{kind} as {name}" for name, kind in kinds.items() if kind)
            every = f"* replace ({casts})" if casts else "*"
            return data.project(f'{every}, row_number() over () - 1 as "{ROW}"'), None
        case "polars" if type(data).__name__ == "LazyFrame":
            import polars

            return data.cast({polars.Int128: polars.Int64}).with_row_index(ROW), None
        case "dask" if hasattr(data, "assign"):
            return data.assign(**{ROW: 1}).assign(
                **{ROW: lambda frame: frame[ROW].cumsum() - 1}
            ), None
        case "pyspark":
            from pyspark.sql import functions

            return data.withColumn(ROW, functions.monotonically_increasing_id()), _of_partitions
    return data, None


def package_of(value: object) -> str:
    """Return the package whose class an object or an error has.

    Examples
    --------
    >>> package_of(nw.col("x"))
    'narwhals'
    """
    return type(value).__module__.partition(".")[0].lstrip("_")


def in_sql(text: object, mark: str = "'") -> str:
    """Return a text as SQL writes it, a name between double quotes."""
    return f"{mark}{str(text).replace(mark, 2 * mark)}{mark}"


def _relation(data: Any) -> Any:
    """Return tables that DuckDB can read as its relations; anything else as it is."""
    package = package_of(data)
    if (
        package == "ibis"
        and hasattr(data, "get_backend")
        and (backend := data.get_backend()).name == "duckdb"
    ):
        import ibis

        # registers tables in memory
        backend._run_pre_execute_hooks(data)
        return backend.con.sql(str(ibis.to_sql(data)))
    if package == "pyarrow" and type(data).__module__ == "pyarrow._dataset":
        # without DuckDB an Arrow data set is read as a whole
        if importlib.util.find_spec("duckdb") is None:
            return data.to_table()
        return connected().from_arrow(data)
    return data


def connected(database: str = ":memory:") -> Any:
    """Return a connection to DuckDB that gives memory back between queries; else it keeps that of the largest one."""
    import duckdb

    return duckdb.connect(database, config={"allocator_background_threads": True})


def _of_partitions(rows: Positions) -> Lines:
    return [InFile(row % PARTITION, f"partition {row // PARTITION}") for row in rows]


@contextmanager
def engine(source: str) -> Iterator[None]:
    """State what an engine cannot do: it is not installed, its connection is closed, a file or a table is gone.

    The engine's own error is the cause.

    Raises
    ------
    MissingDependency, InputError

    Examples
    --------
    >>> with engine("votes"):
    ...     raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")
    Traceback (most recent call last):
    socialstats.errors.MissingDependency: votes: its engine needs nowhere: pip install nowhere
    """
    try:
        yield
    except SocialStatsError:
        raise
    except ImportError as error:
        package = (error.name or "").partition(".")[0].lstrip("_")
        if (
            isinstance(error, ModuleNotFoundError)
            and package
            and importlib.util.find_spec(package) is None
        ):
            raise MissingDependency(
                f"{source}: its engine needs {package}: pip install {package}"
            ) from error
        raise InputError(
            f"{source}: its engine cannot be used with the packages installed, which do not fit each other ({error}; "
            f"{listing(_versions(error, package), 9)}). Install versions that do, or pass the table of another engine"
        ) from error
    except Exception as error:
        name = ENGINES.get(package_of(error), "")
        # an error of no engine is one of ours, and is shown as it is
        if not name and not isinstance(error, OSError | OverflowError):
            raise
        message = str(error)
        line = shorten(
            next((line.strip() for line in message.splitlines() if line.strip()), ""), 200
        )
        what, cure = next(
            (what, cure) for sign, what, cure in WHY if re.search(sign, message, re.IGNORECASE)
        )
        text = what.format(
            name=f" ({name})" if name else "", line=f" ({line.rstrip('.!')})" if line else ""
        )
        raise InputError(f"{source}: {text}. {cure}") from error


def asks(function: F) -> F:
    """Let a function of a table, its first argument, state what the table's engine cannot do."""

    @wraps(function)
    def call(table: Any, *args: Any, **given: Any) -> Any:
        with engine(table.source):
            return function(table, *args, **given)

    return cast(F, call)


def _versions(error: BaseException, package: str) -> list[str]:
    """Return the packages between us and an import that failed, with their versions."""
    found, at = {package: None}, error.__traceback__
    # the modules that an error passed through are those whose versions may not fit
    while at is not None:
        found[at.tb_frame.f_globals.get("__name__", "").partition(".")[0]] = None
        at = at.tb_next
    return [named for name in found if name in sys.modules and (named := _version(name))]


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}" if package != "socialstats" else ""
    except PackageNotFoundError:
        return ""


def collected(frame: Any) -> nw.DataFrame[Any]:
    """Return the rows of a frame in memory; polars streams them."""
    if not isinstance(frame, nw.LazyFrame):
        return frame  # type: ignore[no-any-return]
    return (
        frame.collect(engine="streaming") if frame.implementation.is_polars() else frame.collect()
    )


def smallest_and_largest(frame: Any, column: str) -> tuple[Any, Any]:
    """Return the smallest and the largest value of a column; an engine finds them itself."""
    found = collected(
        frame.select(nw.col(column).min().alias(FIRST), nw.col(column).max().alias(TIMES))
    )
    low, high = (found.get_column(name).to_list()[0] for name in (FIRST, TIMES))
    return low, high


def height(frame: Any) -> int:
    """Return how many rows a frame has; a lazy one counts them itself."""
    if not isinstance(frame, nw.LazyFrame):
        return len(frame)
    return int(collected(frame.select(nw.len().alias(TIMES))).get_column(TIMES)[0])


def group_rows(frame: Any, keys: Texts, *sums: nw.Expr) -> Any:
    """Return the distinct rows of some columns, with sums over the rows of each; the engine makes them.

    DuckDB takes a key `a.b` for column b of a table a.
    """
    # DuckDB takes a dot in a name for that of a table and its column
    names = {key: f"socialstats key {k}" for k, key in enumerate(keys) if "." in key}
    names = names if frame.implementation.is_duckdb() else {}
    sums_of_groups = frame.rename(names).group_by(*(names.get(key, key) for key in keys)).agg(*sums)
    return sums_of_groups.rename({name: key for key, name in names.items()})


def first_of_each(frame: nw.LazyFrame[Any], keys: Texts) -> nw.DataFrame[Any] | None:
    """Return the distinct rows of some columns, by their first row; None where rows have no number."""
    schema = frame.collect_schema()
    if ROW not in schema:
        return None
    texts = [
        nw.col(key).cast(nw.String)
        for key in keys
        if isinstance(schema[key], (nw.Categorical, nw.Enum))
    ]
    chosen = frame.with_columns(*texts) if texts else frame
    return collected(
        group_rows(chosen, keys, nw.col(ROW).min().alias(FIRST), nw.len().alias(TIMES))
    ).sort(FIRST)


def first_rows_of(
    frame: nw.LazyFrame[Any], keys: Texts, values: Sequence[Sequence[Any]], most: int
) -> Lines:
    """Return the first rows that hold one of some rows of values."""
    import pandas as pd

    schema = frame.collect_schema()

    def same(key: str, value: Any) -> nw.Expr:
        column = nw.col(key)
        if pd.isna(value):
            return (
                column.is_null() | column.is_nan() if schema[key].is_float() else column.is_null()
            )
        if isinstance(schema[key], (nw.Categorical, nw.Enum)):
            column = column.cast(nw.String)
        return column == nw.lit(value)

    condition = reduce(or_, (reduce(and_, map(same, keys, row)) for row in values))
    found = collected(frame.filter(condition).select(ROW).sort(ROW).head(most))
    return [int(row) for row in found.get_column(ROW).to_list()]
