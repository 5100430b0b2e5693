"""One door for files: the format by option, by suffix, or by content."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import narwhals as nw

from socialstats.errors import InputError, MissingDependency, NothingToAnalyse
from socialstats.tables.delimited import read_delimited
from socialstats.tables.records import read_json, read_jsonl
from socialstats.tables.table import Table, check_names
from socialstats.tables.text import Source, from_bytes, from_path

Format = Literal["csv", "tsv", "jsonl", "json", "parquet"]
SUFFIXES: dict[str, Format] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip


def read_table(path: str | os.PathLike[str], format: Format | None = None) -> Table:
    """Read a table from a file: csv, tsv, jsonl, json or parquet, gzipped or not.

    Parameters
    ----------
    path : str or path
        ``-`` reads standard input.
    format : {"csv", "tsv", "jsonl", "json", "parquet"}, optional
        By default the suffix decides (with or without ``.gz``), then the first bytes.

    Returns
    -------
    Table
        Text files hold text only: what a label or a number means is decided by the design.

    Raises
    ------
    InputError
        With the line, for files that are not UTF-8, ragged, or not what their format says.
    NothingToAnalyse
        For empty files.
    MissingDependency
        For parquet without pyarrow.

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
    source = from_bytes(sys.stdin.buffer.read(), "stdin") if os.fspath(path) == "-" else from_path(Path(path))
    chosen = format or _by_suffix(source.name) or _by_content(source)
    try:
        return replace(_read(source, chosen), sha256=source.sha256)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{source.name}: the gzip file is damaged ({str(error).lower()})") from error


def _read(source: Source, chosen: Format) -> Table:
    if chosen == "parquet":
        return _read_parquet(source)
    if chosen in ("csv", "tsv"):
        return read_delimited(source, "," if chosen == "csv" else "\t")
    return read_json(source) if chosen == "json" else read_jsonl(source)


def _by_suffix(name: str) -> Format | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def _by_content(source: Source) -> Format:
    """Guess: parquet by its magic bytes, json by its first bracket, else delimited by what the first line has."""
    head = source.head().removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"["):
        return "json"
    first = head.split(b"\n", 1)[0].rstrip()
    if head.startswith(b"{"):
        return "jsonl" if first.endswith(b"}") and b":[" not in first.replace(b" ", b"") else "json"
    return "tsv" if b"\t" in first and b"," not in first else "csv"


def _read_parquet(source: Source) -> Table:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependency(
            f"{source.name}: reading parquet needs pyarrow: pip install 'socialstats[parquet]'"
        ) from error
    if not source.head(1):
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    try:
        with source.open() as stream:
            frame = pq.read_table(stream)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{source.name}: this is not a parquet file ({error})") from error
    check_names(frame.column_names, source.name)
    if frame.num_rows == 0:
        raise NothingToAnalyse(f"{source.name} has columns but no rows: there is nothing to analyse")
    return Table(frame=nw.from_native(frame), columns=tuple(frame.column_names), source=source.name, is_file=True)
