"""One file as a table: its bytes within limits, its format, then rows as texts or as typed columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import narwhals as nw

from socialstats.errors import InputError, MissingDependency, NothingToAnalyse, SocialStatsError
from socialstats.first_use import AtFirstUse
from socialstats.tables.delimited import read_delimited
from socialstats.tables.encodings import as_encoded
from socialstats.tables.formats import READ, WORKBOOKS, Format
from socialstats.tables.headers import check_column_names
from socialstats.tables.sources import ByteSource
from socialstats.tables.table import Table, of_file
from socialstats.tables.writing import SEPARATORS
from socialstats.text import shorten
from socialstats.voice import option

# formats that are text, and what reads them
TEXTS: Mapping[Format, Callable[[ByteSource], Table]] = {
    "csv": partial(read_delimited, usual=SEPARATORS["csv"]),
    "tsv": partial(read_delimited, usual=SEPARATORS["tsv"]),
    "json": AtFirstUse("tables.json_files:read_json"),
    "jsonl": AtFirstUse("tables.json_files:read_jsonl"),
}
# formats whose columns have types, and what reads them
TYPED: Mapping[Format, Callable[[ByteSource], Any]] = {
    "parquet": AtFirstUse("tables.typed_files:read_parquet"),
    "feather": AtFirstUse("tables.typed_files:read_feather"),
    "dta": AtFirstUse("tables.typed_files:read_stata"),
    "sav": AtFirstUse("tables.typed_files:read_sav"),
}
# what reads the sheets of a workbook, and what makes a table of one
read_sheets = AtFirstUse("tables.workbooks:read_sheets")
sheet_table = AtFirstUse("tables.sheets:sheet_table")
# programs that count rows from 1
NEEDS_PATH = ("dta", "sav")
# the package that reads a format, and the extra that brings it
PACKAGES: Mapping[Format, tuple[str, str]] = {
    "parquet": ("pyarrow", "parquet"),
    "feather": ("pyarrow", "parquet"),
    "sav": ("pyreadstat", "spss"),
}


def read_source(source: ByteSource, format: Format, sheet: str = "") -> Table:
    """Read a source as a whole.

    Raises
    ------
    InputError, NothingToAnalyse, MissingDependency
    """
    if format in TEXTS:
        table, note = as_encoded(TEXTS[format], source, format)
        return replace(table, encoding=note)
    if format in WORKBOOKS:
        with explain_reader_errors(source, format), source.seekable() as stream:
            sheets = read_sheets(stream, format, source.name, sheet)
        of_sheets: Table = sheet_table(sheets, sheet, source)
        return of_sheets
    return read_typed(source, format)


@contextmanager
def explain_reader_errors(source: ByteSource, format: Format) -> Iterator[None]:
    """State which package is missing, and what an error of another package means: the file is not what it is called.

    Raises
    ------
    MissingDependency, InputError
    """
    if not source.head(1):
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    kind = READ[format]
    if source.encoding:
        advice = option("encoding", source.encoding)
        raise InputError(f"{source.name}: {kind.name} says its encoding itself. Leave out {advice}")
    try:
        # about styles of cells, say; but text in another encoding is an error
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", UnicodeWarning)
            yield
    except (SocialStatsError, MemoryError):
        raise
    except ImportError as error:
        if format not in PACKAGES:
            raise
        package, extra = PACKAGES[format]
        raise MissingDependency(
            f"{source.name}: reading {kind.name} needs {package}: pip install 'socialstats[{extra}]', "
            "or save the table as CSV (UTF-8)"
        ) from error
    except Exception as error:
        # each package has its own
        reason = shorten(" ".join(str(error).split()), 200)
        raise InputError(
            f"{source.name}: this is not {kind.name}, or it is damaged ({reason})"
        ) from error


def read_typed(source: ByteSource, format: Format) -> Table:
    """Read a parquet, feather, Stata or SPSS file.

    Raises
    ------
    InputError
        For damaged files, names that repeat, and value labels that two codes share.
    NothingToAnalyse
        For tables without rows.
    MissingDependency
        Without the package that reads the format.
    """
    with explain_reader_errors(source, format):
        frame: Any = nw.from_native(TYPED[format](source))
    columns = tuple(frame.columns)
    check_column_names(columns, source.name)
    if not columns or not len(frame):
        lacks = "columns but no rows" if columns else "no columns"
        raise NothingToAnalyse(f"{source.name} has {lacks}: there is nothing to analyse")
    unit = "record" if format in NEEDS_PATH else "row"
    return of_file(frame, source.name, unit)
