"""Rows of large files stay there: DuckDB reads parquet in place, and csv from a copy in a temporary file."""

from __future__ import annotations

import glob
import importlib.util
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from socialstats.tables.aliases import Texts
from socialstats.tables.delimited import layout_of, lines_of
from socialstats.tables.formula_cells import unguarded_in_sql
from socialstats.tables.headers import check_column_names
from socialstats.tables.lazy import ROW, connected, in_sql
from socialstats.tables.paths import File, Files
from socialstats.tables.pieces import PART, Piece, same_columns

name_in_sql = partial(in_sql, mark='"')


def parquet_relation(files: Files) -> tuple[Any, list[Piece]] | None:
    """Return parquet files as a relation of DuckDB; names of folders such as ``model=a`` make a column.

    None where columns declare an order of their levels, or have names that differ in case alone: DuckDB keeps neither.
    """
    if any(is_unlike_sql(file.path) for file in files):
        return None
    connection = connected()
    pieces = [
        Piece(file, rows, list)
        for file, rows in zip(files, parquet_sizes(connection, files), strict=True)
    ]
    hive = (
        f"hive_partitioning = {any(file.partition for file in files)}, hive_types_autocast = false"
    )
    starts = [0, *accumulate(piece.rows for piece in pieces)]
    queries = [
        f'select * exclude (file_row_number), file_row_number + {start} as "{ROW}", {in_sql(file.label)} as "{PART}" '
        f"from read_parquet({path_in_sql(file.path)}, file_row_number=true, {hive})"
        for file, start in zip(files, starts, strict=False)
    ]
    same_columns(files, [connection.sql(query).columns for query in queries])
    return connection.sql(" union all by name ".join(queries)), pieces


def parquet_sizes(connection: Any, files: Files) -> Iterator[int]:
    """Yield how many rows each parquet file has."""
    for file in files:
        yield first_value(
            connection, f"select num_rows from parquet_file_metadata({path_in_sql(file.path)})"
        )


def is_unlike_sql(path: Path) -> bool:
    """Return whether a column of a parquet file is a category with an order, or two names differ in case alone."""
    if importlib.util.find_spec("pyarrow") is None:
        return False
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    names = {name.casefold() for name in schema.names}
    return len(names) < len(schema.names) or any(
        getattr(field.type, "ordered", False) for field in schema
    )


def delimited_relation(files: Files, format: str) -> tuple[Any, list[Piece]]:
    """Return csv or tsv files as a relation of DuckDB: a copy in a temporary file, which ends with the table."""
    layouts = [layout_of(file.source, format) for file in files]
    every = [
        [*columns, *file.partition] for file, (_, columns, _) in zip(files, layouts, strict=True)
    ]
    for file, names in zip(files, every, strict=True):
        check_column_names(names, file.name)
    same_columns(files, every)
    lines = [
        partial(lines_of, file.source, layout[0])
        for file, layout in zip(files, layouts, strict=True)
    ]
    folder = tempfile.mkdtemp(prefix="socialstats")
    weakref.finalize(lines[0], shutil.rmtree, folder, ignore_errors=True)
    connection = connected(str(Path(folder) / "rows"))
    types = ", ".join(f"{name_in_sql(name)} varchar" for name in [*every[0], PART])
    connection.execute(f"create table held ({types})")
    pieces = []
    for file, layout, locate in zip(files, layouts, lines, strict=True):
        rows = first_value(connection, copy_in_sql(file, *layout)) if layout[2] else 0
        pieces.append(Piece(file, rows, locate))
    return connection.sql(f'select *, rowid as "{ROW}" from held'), pieces


def copy_in_sql(file: File, delimiter: str, columns: Texts, line: int) -> str:
    """Return the statement that copies the rows of a csv or tsv file, the first of which stands on a line."""
    names = map(name_in_sql, columns)
    texts = [f"{unguarded_in_sql(name)} as {name}" for name in names]
    beside = {**file.partition, PART: file.label}
    more = [
        f"{'null' if v is None else in_sql(v)} as {name_in_sql(name)}" for name, v in beside.items()
    ]
    types = ", ".join(f"{in_sql(name)}: 'varchar'" for name in columns)
    return (
        f"insert into held by name select {', '.join([*texts, *more])} from read_csv({path_in_sql(file.path)}, "
        f"auto_detect=false, header=false, compression='{'gzip' if file.source.packed else 'none'}', "
        f"skip={line - 1}, delim={in_sql(delimiter)}, quote='\"', escape='\"', columns={{{types}}})"
    )


def path_in_sql(path: Path) -> str:
    """Return a path as DuckDB reads that file alone: it takes ``*``, ``?`` and ``[`` for patterns of names."""
    return in_sql(glob.escape(str(path)))


def first_value(connection: Any, query: str) -> int:
    """Return the first number that a query answers with."""
    return int(connection.execute(query).fetchall()[0][0])
