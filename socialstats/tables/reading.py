"""One door for files: the format by option, by suffix, or by content."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import get_args

from socialstats.errors import InputError
from socialstats.tables.delimited import read_delimited
from socialstats.tables.formats import Format, format_of
from socialstats.tables.records import read_json, read_jsonl
from socialstats.tables.table import Table
from socialstats.tables.text import Source, from_bytes, from_path
from socialstats.tables.typed import read_typed
from socialstats.tables.workbooks import ENGINES, read_workbook

URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])", re.IGNORECASE)


def read_table(path: str | os.PathLike[str], format: Format | None = None) -> Table:
    """Read a table from a file, gzipped or not.

    Parameters
    ----------
    path : str or path
        ``-`` reads standard input. A workbook with several sheets is read as ``book.xlsx:Sheet1``.
    format : {"csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"}, optional
        By default the suffix decides (with or without ``.gz``), then the first bytes.

    Returns
    -------
    Table
        Text files and workbooks hold text only: what a label or a number means is decided by the design. Value
        labels of Stata and SPSS files are labels, in the order of their codes.

    Raises
    ------
    InputError
        With the line, for files that are not UTF-8, ragged, or not what their format says.
    NothingToAnalyse
        For empty files.
    MissingDependency
        Without the package that reads the format (extras ``parquet``, ``spss``, ``excel``).

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
    file, colon, sheet = name.rpartition(":")
    if name == "-":
        source, sheet = from_bytes(sys.stdin.buffer.read(), "stdin"), ""
    elif colon and not Path(name).exists() and Path(file).is_file():
        source = from_path(Path(file))
    else:
        refuse_url(name)
        source, sheet = from_path(Path(name)), ""
    chosen = format_of(source, format)
    if sheet and chosen not in ENGINES:
        raise InputError(f"{name}: there is no such file, and {source.name} has no sheets")
    try:
        return replace(_read(source, chosen, sheet), sha256=source.sha256)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{source.name}: the gzip file is damaged ({str(error).lower()})") from error


def refuse_url(name: str) -> None:
    """Refuse an address, also one whose slashes a path has joined.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_url("https:/example.org/x.csv")
    Traceback (most recent call last):
    socialstats.errors.InputError: https://example.org/x.csv is a URL. Download it first: curl -LO https://example.org/x.csv
    """
    match = URL.match(name)
    if match is None or len(match[1]) < 2 or Path(name).exists():
        return
    url = f"{match[1]}://{name[match.end() :]}"
    get = f"Download it first: curl -LO {shlex.quote(url)}" if match[1].lower() in ("http", "https", "ftp") else ""
    raise InputError(f"{url} is a URL. {get or 'Copy the file to this machine, and name its path'}")


def _read(source: Source, chosen: Format, sheet: str) -> Table:
    if chosen in ("csv", "tsv"):
        return read_delimited(source, "," if chosen == "csv" else "\t")
    if chosen in ("json", "jsonl"):
        return read_json(source) if chosen == "json" else read_jsonl(source)
    return read_workbook(source, chosen, sheet) if chosen in ENGINES else read_typed(source, chosen)
