"""A name to a table: one file, or several of the same columns; rows of large ones stay in the files.

DuckDB (extra ``scale``) reads what is asked for (`scanning`). Without it several files are read one after another into
memory (`pieces`), with a code for each text.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

import narwhals as nw

from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables.formats import WORKBOOKS, Format, detect_format
from socialstats.tables.headers import check_column_names, refuse_many_columns
from socialstats.tables.lazy import ROW, connected
from socialstats.tables.limits import check_limit
from socialstats.tables.paths import Files, file_of, files_of_pattern, refuse_strays
from socialstats.tables.pieces import PART, copies, in_memory, locator
from socialstats.tables.reading import read_source
from socialstats.tables.scanning import delimited_relation, parquet_relation, parquet_sizes
from socialstats.tables.table import Table
from socialstats.text import shorten

# rows of parquet and bytes of text beyond which rows stay in files
MOST_ROWS, MOST_BYTES = (
    1_000_000,
    100_000_000,
)
SCANNED = ("csv", "tsv", "parquet")
# bytes of a line that DuckDB is left to read: it drops a last line of over 32 MB in silence
LONGEST_LINE = 1 << 20
# characters of a path in a message
LONGEST = 400


def read_table(
    path: str | os.PathLike[str], format: Format | None = None, encoding: str | None = None
) -> Table:
    """Read a table from a file, gzipped or not.

    Parameters
    ----------
    path : str or path
        ``-`` reads standard input. A workbook with several sheets is read as ``book.xlsx:Sheet1``. A folder, or a
        pattern such as ``votes/*.parquet``, is one table in several files of the same columns.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides (with or without ``.gz``), then the first bytes.
    encoding : str, optional
        Of text. By default UTF-8, UTF-16 where the first bytes say so, and Windows-1252 where the bytes fit no other.

    Returns
    -------
    Table
        Text files and workbooks hold text only: what a label or a number means is decided by the design. Value
        labels of Stata and SPSS files are labels, in the order of their codes. Rows of parquet beyond 1,000,000, and of
        csv beyond 100 MB, stay in the files where DuckDB is installed (extra ``scale``).

    Raises
    ------
    InputError
        With the line, for files that are in no known encoding, ragged, or not what their format says.
    NothingToAnalyse
        For empty files.
    MissingDependency
        Without the package that reads the format (extras ``parquet``, ``spss``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "choices.csv"
    >>> _ = file.write_text("item_a,item_b,winner\\nnurse,son,nurse\\n")
    >>> read_table(file).columns
    ('item_a', 'item_b', 'winner')
    """
    if format is not None and format not in get_args(Format):
        raise InputError(f"there is no format '{format}'. Formats: {', '.join(get_args(Format))}")
    name = os.fspath(path)
    with explain_read_errors(name):
        if (files := files_of_pattern(name, encoding)) is not None:
            pattern = not Path(name).is_dir()
            if not pattern and format is None:
                refuse_strays(files, name)
            return of_files(
                files, "/".join(Path(os.path.realpath(name)).parts[-1 - pattern :]), format
            )
        file = file_of(name, encoding=encoding)
        chosen = detect_format(file.source, format)
        if file.sheet and chosen not in WORKBOOKS:
            raise InputError(f"{name}: there is no such file, and {file.name} has no sheets")
        table = scanned([file], [chosen])
        return replace(
            table or read_source(file.source, chosen, file.sheet), sha256=file.source.sha256
        )


def of_files(files: Files, source: str, format: Format | None) -> Table:
    """Read several files as one table, whose rows are those of the first, then those of the second, and so on.

    Parameters
    ----------
    files : sequence of File
    source : str
        Name for messages of the whole.
    format : str or None
        Format of all files.

    Raises
    ------
    InputError
        For files of different columns, and whatever reading finds, with file and line.
    """
    formats = [detect_format(file.source, format) for file in files]
    table = scanned(files, formats) or in_memory(files, formats)
    return replace(table, source=source, sha256=lambda: checksum_of(files))


def checksum_of(files: Files) -> str:
    """Return the checksum of the checksums of some files: what ``sha256sum * | sha256sum`` prints in their folder."""
    lines = (f"{file.source.sha256()}  {file.name}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def large(files: Files, formats: Sequence[Format]) -> bool:
    """Return whether the rows of some files are left in them: DuckDB is there and reads them, and they are many."""
    if (
        len({*formats}) > 1
        or formats[0] not in SCANNED
        or any(file.source.encoding for file in files)
    ):
        return False
    if importlib.util.find_spec("duckdb") is None:
        return False
    if formats[0] != "parquet":
        sizes = (
            file.path.stat().st_size * (4 if file.name.endswith(".gz") else 1) for file in files
        )
        return all(file.path.is_file() for file in files) and sum(sizes) > MOST_BYTES
    import duckdb

    try:
        return sum(parquet_sizes(connected(), files)) > MOST_ROWS
    except duckdb.Error:
        # the reader says what is wrong
        return False


def scanned(files: Files, formats: Sequence[Format]) -> Table | None:
    """Return a table whose rows stay in its files; None for few rows, and for files that DuckDB cannot read.

    Of the latter our own readers say what is wrong, and where.
    """
    if not large(files, formats):
        return None
    import duckdb

    parquet = formats[0] == "parquet"
    if not parquet and any(file.source.longest_line() > LONGEST_LINE for file in files):
        return None
    try:
        relation = parquet_relation(files) if parquet else delimited_relation(files, formats[0])
    except (duckdb.Error, UnicodeDecodeError):
        return None
    if relation is None:
        return None
    native, pieces = relation
    frame, first = nw.from_native(native), files[0]
    columns = tuple(name for name in frame.collect_schema().names() if name not in (ROW, PART))
    check_column_names(columns, first.name)
    refuse_many_columns(columns, first.name)
    rows = sum(piece.rows for piece in pieces)
    check_limit("rows", rows, first.name)
    if not rows:
        raise NothingToAnalyse(f"{first.name} has columns but no rows: there is nothing to analyse")
    return Table(
        data=frame,
        columns=columns,
        source=first.name,
        unit="row" if parquet else "line",
        is_file=True,
        locate=locator(pieces),
        sha256=first.source.sha256,
        copies=copies(pieces),
    )


@contextmanager
def explain_read_errors(name: str) -> Iterator[None]:
    """State why a table cannot be read: the disk, the gzip file, or the memory.

    Raises
    ------
    InputError
    """
    name = shorten(name, LONGEST)
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name}: the gzip file is damaged ({str(error).lower()})") from error
    except OSError as error:
        what = (
            f"{shorten(str(error.filename), LONGEST)}: "
            if error.filename not in (None, name)
            else ""
        )
        raise InputError(
            f"{name}: it cannot be read ({what}{(error.strerror or str(error)).lower()})"
        ) from error
    except MemoryError as error:
        raise InputError(
            f"{name}: there is not enough memory to read it as a whole, or it is damaged. Write it as parquet or CSV, "
            "of which DuckDB reads what is needed (pip install 'socialstats[scale]'), or keep fewer columns"
        ) from error
