"""Files of tables: which format, and how each is read."""

from __future__ import annotations

import csv
import json
import re
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw

from socialstats.errors import InputError, MissingDependency, NothingToAnalyse, Problem, SocialStatsError
from socialstats.tables.formula_cells import unguarded, unguarded_column
from socialstats.tables.limits import depth_of, exceeded, limit, within
from socialstats.tables.sources import (
    UTF16_MARKS,
    CheckedText,
    Source,
    bad_text,
    decoded,
    open_text,
    refuse_other_encodings,
)
from socialstats.tables.spss import read_spss
from socialstats.tables.table import MISSING, Table, as_text, check_names, refuse_wide
from socialstats.tables.workbooks import Sheet, letters, sheets_of
from socialstats.text import quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd


Format = Literal["csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"]
ZIPPED = b"PK\x03\x04"
OLD_DTA = {*range(0x66, 0x74)}  # first byte of Stata's files before version 13; then the byte order (1 or 2), and 1
MARK = b"\xef\xbb\xbf"
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # bytes that no text has
AS_CSV = "Save the table as CSV (UTF-8)"
IN_R = 'In R, write the table with write.csv(data, "data.csv", row.names = FALSE)'


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    name : str
        As messages call such a file, with its article.
    suffixes : tuple of str
    magic : tuple of bytes
        First bytes of a file that is no text.
    text : tuple of bytes
        First bytes of a file that is text, after white space and in lower case.
    member : str
        Start of the name of a file that only such zip archives hold.
    fix : str
        For kinds that are not read: how to get to a table that is.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    text: tuple[bytes, ...] = ()
    member: str = ""
    fix: str = AS_CSV


READ: dict[Format, Kind] = {
    "csv": Kind(name="a csv file", suffixes=(".csv",)),
    "tsv": Kind(name="a tsv file", suffixes=(".tsv", ".tab")),
    "jsonl": Kind(name="a jsonl file", suffixes=(".jsonl", ".ndjson")),
    "json": Kind(name="a json file", suffixes=(".json",)),
    "parquet": Kind(name="a parquet file", suffixes=(".parquet", ".pq"), magic=(b"PAR1",)),
    "feather": Kind(name="a feather (Arrow) file", suffixes=(".feather", ".arrow", ".arrows", ".ipc"),
                    magic=(b"ARROW1",)),
    "dta": Kind(name="a Stata file", suffixes=(".dta",), magic=(b"<stata_dta>",)),
    "sav": Kind(name="an SPSS file", suffixes=(".sav", ".zsav"), magic=(b"$FL2", b"$FL3")),
    "xlsx": Kind(name="an Excel workbook", suffixes=(".xlsx", ".xlsm"), member="xl/workbook.xml"),
    "ods": Kind(name="an OpenDocument spreadsheet", suffixes=(".ods",), member="content.xml"),
}  # fmt: skip
TOML = Kind(name="a TOML file, such as a plan, rules or a run file", suffixes=(".toml",), fix="Name the table itself")
UNREAD = (
    Kind(name="an HTML page", suffixes=(".html", ".htm"),
         text=(b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<!--"),
         fix="Name the data file itself: a download link may have led to a page about it"),
    Kind(name="an XML file", suffixes=(".xml",), text=(b"<?xml",)),
    TOML,
    Kind(name="an R data file", suffixes=(".rds", ".rdata", ".rda"), magic=(b"RDX", b"RDA", b"X\n\0\0"), fix=IN_R),
    Kind(name="a SAS data set", suffixes=(".sas7bdat",), magic=(bytes(12) + b"\xc2\xea\x81\x60",)),
    Kind(name="a SAS transport file", suffixes=(".xpt",), text=(b"header record*******",)),
    Kind(name="an SPSS portable file", suffixes=(".por",), text=(b"ascii spss port file",),
         fix="In SPSS, save it as .sav, or as CSV (UTF-8)"),
    Kind(name="an old Excel workbook (.xls), or one with a password", suffixes=(".xls", ".xla"),
         magic=(b"\xd0\xcf\x11\xe0",), fix="Save it as .xlsx without a password, or as CSV (UTF-8)"),
    Kind(name="a binary Excel workbook (.xlsb)", suffixes=(".xlsb",), member="xl/workbook.bin",
         fix="Save its sheet as CSV (UTF-8), or the workbook as .xlsx"),
    Kind(name="a Numbers document", suffixes=(".numbers",), member="Index/", fix="Export its table as CSV (UTF-8)"),
    Kind(name="a Word document", suffixes=(".docx", ".doc"), member="word/"),
    Kind(name="a PowerPoint file", suffixes=(".pptx", ".ppt"), member="ppt/"),
    Kind(name="a PDF", suffixes=(".pdf",), text=(b"%pdf-",)),
    Kind(name="a rich text document", suffixes=(".rtf",), text=(rb"{\rtf",)),
    Kind(name="an SQLite database", suffixes=(".sqlite", ".sqlite3", ".db"), magic=(b"SQLite format 3",),
         fix="Write its table as CSV: sqlite3 -csv -header FILE 'select * from TABLE' > data.csv"),
    Kind(name="a DuckDB database", suffixes=(".duckdb",),
         fix="Write its table as CSV: duckdb FILE \"copy TABLE to 'data.csv'\""),
    Kind(name="an HDF5 file", suffixes=(".h5", ".hdf5", ".hdf"), magic=(b"\x89HDF",)),
    Kind(name="a pickle", suffixes=(".pkl", ".pickle"), magic=(b"\x80\x03", b"\x80\x04", b"\x80\x05"),
         fix="In Python, pass the data frame itself, or write it with to_csv or to_parquet"),
    Kind(name="a NumPy file", suffixes=(".npy", ".npz"), magic=(b"\x93NUMPY",),
         fix="In Python, pass the array itself, or write it with named columns as CSV"),
    Kind(name="a MATLAB file", suffixes=(".mat",), magic=(b"MATLAB 5.0",)),
    Kind(name="an ORC file", suffixes=(".orc",), magic=(b"ORC",), fix="Write the table as parquet or CSV"),
    Kind(name="an Avro file", suffixes=(".avro",), magic=(b"Obj\x01",), fix="Write the table as parquet or CSV"),
    Kind(name="a feather file of the first version", magic=(b"FEA1",),
         fix="Write it anew with pandas.DataFrame.to_feather, or as CSV"),
    Kind(name="a file compressed with zstd, xz, bzip2 or 7z", suffixes=(".zst", ".xz", ".bz2", ".7z"),
         magic=(b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh", b"7z\xbc\xaf"), fix="Unpack it, or compress it with gzip"),
    Kind(name="an image", suffixes=(".png", ".jpg", ".jpeg", ".gif"), magic=(b"\x89PNG", b"\xff\xd8\xff", b"GIF8")),
)  # fmt: skip
ARCHIVE = Kind(name="a zip archive", suffixes=(".zip",), fix="Unpack it and name the table in it")
KINDS: tuple[tuple[Format | Kind, Kind], ...] = (*READ.items(), *((kind, kind) for kind in UNREAD))
SUFFIXES = {suffix: format for format, kind in READ.items() for suffix in kind.suffixes}


def format_of(source: Source, asked: Format | None) -> Format:
    """Return the format of a file.

    Parameters
    ----------
    source : Source
    asked : str or None
        The format that was asked for; else the suffix decides (with or without ``.gz``), then the content.

    Raises
    ------
    InputError
        For formats that are not read, with the way out, and for content of another format than was asked for.
    """
    head = source.head()
    suffix = _suffix(source.name)
    chosen = asked or named_format(source.name)
    binary = CONTROL.search(head) is not None and head[:2] not in UTF16_MARKS
    content = _content(source, head, binary)
    if isinstance(content, str):
        if chosen not in (None, content):
            kind = READ[content]
            raise InputError(
                f"{source.name}: this is {kind.name}, not {READ[chosen or 'csv'].name}. "
                f"Let its name end in {kind.suffixes[0]}, or say {option('format', content)}"
            )
        return content
    by_name = UNREAD if binary else () if asked else (TOML,)
    unread = next((kind for kind in by_name if suffix in kind.suffixes), content)
    torn = unread is ARCHIVE and chosen in ("xlsx", "ods")  # the reader says what is wrong with it
    if unread is not None and not torn:
        raise InputError(f"{source.name}: this is {unread.name}, which is not read. {unread.fix}")
    return chosen or _of_text(head)


def named_format(name: str) -> Format | None:
    """Return the format that the name of a file says it has.

    Examples
    --------
    >>> named_format("votes.CSV.gz"), named_format("README.md")
    ('csv', None)
    """
    return SUFFIXES.get(_suffix(name))


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _content(source: Source, head: bytes, binary: bool) -> Format | Kind | None:
    """Return what the first bytes say; None for a table as text, and for what has no mark."""
    if head.startswith(ZIPPED):
        return _archive(source)
    if len(head) > 3 and head[0] in OLD_DTA and head[1] in (1, 2) and head[2] == 1:
        return "dta"
    start = head.removeprefix(MARK).lstrip().lower()
    return next(
        (which for which, kind in KINDS if (binary and head.startswith(kind.magic)) or start.startswith(kind.text)),
        None,
    )


# what the zipfile module raises for archives that are damaged
DAMAGED_ZIP = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError,
               OverflowError, struct.error)  # fmt: skip


def _archive(source: Source) -> Format | Kind:
    """Return what a zip archive is by the files in it."""
    try:
        with source.seekable() as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except DAMAGED_ZIP:
        return ARCHIVE
    found = (which for which, kind in KINDS if kind.member and any(name.startswith(kind.member) for name in names))
    return next(found, ARCHIVE)


def _of_text(head: bytes) -> Format:
    """Guess the format of text: json by its first bracket, else delimited by what the first line has."""
    start = head.removeprefix(MARK).lstrip()
    if start.startswith(b"["):
        return "json"
    first = start.split(b"\n", 1)[0].rstrip()
    if start.startswith(b"{"):
        return "jsonl" if first.endswith(b"}") and b":[" not in first.replace(b" ", b"") else "json"
    return "tsv" if b"\t" in first and b"," not in first else "csv"


EXTRA = "socialstats: a field too many"
RAGGED_SHOWN = 20


def read_delimited(source: Source, delimiter: str) -> Table:
    """Read a csv or tsv file.

    Parameters
    ----------
    source : Source
    delimiter : str
        The usual one of the format; a semicolon or a tab is recognised in the header.

    Raises
    ------
    InputError
        For text that is not UTF-8, rows with too many or too few fields, column names that repeat.
    NothingToAnalyse
        For an empty file, or a header without rows.
    """
    refuse_other_encodings(source)
    delimiter = _delimiter(source, delimiter)
    try:
        with open_text(source) as text, _any_field_size():
            columns = _header(text, source, delimiter)
            text.delimiter = delimiter
            frame = _parse(text, columns, delimiter)
            found, quoted_texts = text.delimiters, text.apostrophes
    except UnicodeDecodeError as error:
        raise bad_text(source) from error
    except SocialStatsError:
        raise
    except ValueError as error:  # pandas.errors.ParserError and EmptyDataError are ValueErrors
        if type(error).__name__ == "EmptyDataError":
            frame, found, quoted_texts = None, 0, False
        else:
            raise _unreadable(source, columns, delimiter, error) from error
    if frame is None or len(frame) == 0:
        raise NothingToAnalyse(f"{source.name} has a header but no rows: there is nothing to analyse")
    if found != (len(columns) - 1) * len(frame) or (frame[EXTRA] != "").any():
        _refuse_ragged(source, len(columns), delimiter)

    def locate(positions: Sequence[int]) -> list[int]:
        return lines_of(source, delimiter, positions)

    native = frame.drop(columns=EXTRA)
    native = native.apply(unguarded_column) if quoted_texts else native
    commas = decimal_commas(native) if delimiter == ";" else ()
    for column in commas:
        native[column] = native[column].str.replace(",", ".", regex=False)
    return Table(
        frame=nw.from_native(native), columns=columns, source=source.name, unit="line", is_file=True, locate=locate,
        semicolons=delimiter == ";", decimal_commas=commas,
    )  # fmt: skip


COMMA = re.compile(r"\s*[+-]?[0-9]+(?:,[0-9]+)?\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")


def decimal_commas(frame: Any) -> tuple[str, ...]:
    """Return the columns of a file with semicolons whose numbers have decimal commas, as R's ``read.csv2`` reads them.

    Not those where every comma may part thousands.
    """
    found = []
    for column in frame.columns:
        values = {value for value in frame[column].unique() if isinstance(value, str) and value.strip()} - MISSING
        commas = [value for value in values if "," in value]
        if commas and all(map(COMMA.fullmatch, values)) and not all(map(THOUSANDS.fullmatch, commas)):
            found.append(str(column))
    return tuple(found)


@contextmanager
def _any_field_size() -> Iterator[None]:
    old = csv.field_size_limit(int(min(limit("length"), sys.maxsize)))
    try:
        yield
    finally:
        csv.field_size_limit(old)


def _delimiter(source: Source, usual: str) -> str:
    """Return the usual delimiter, unless the header has none of it and does have another."""
    lines = source.head(65536).decode("utf-8-sig", errors="replace").splitlines()
    header = next((line for line in lines if line.strip() and not line.startswith("# ")), "")
    found = next((mark for mark in (usual, ",", ";", "\t") if mark in header), None)
    return found or (" " if _spaced([line for line in lines if line.strip()][:20]) else usual)


def _spaced(lines: Sequence[str]) -> bool:
    """Whether lines are fields with spaces between and texts in quotes, as R's write.table makes them."""
    sizes = [len(record) for record in csv.reader(lines, delimiter=" ")]
    same = len(sizes) > 1 and len({*sizes[1:]}) == 1 and 0 <= sizes[1] - sizes[0] <= 1 < sizes[0]
    return same and '"' in lines[0]


def on_delimiter(source: Source, usual: str) -> tuple[str, tuple[str, ...], int]:
    """Return the delimiter of a csv or tsv file, its columns, and the first line below its header (or 0)."""
    refuse_other_encodings(source)
    delimiter = _delimiter(source, usual)
    with open_text(source) as text, _any_field_size():
        columns = _header(text, source, delimiter)
    return delimiter, columns, next((line for line, _ in records(source, delimiter)), 0)


def _blank(record: Sequence[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip(" \t"))


def _header(text: CheckedText, source: Source, delimiter: str) -> tuple[str, ...]:
    """Read the first record that is neither blank nor a comment (a line starting with ``#`` and a space)."""
    for record in csv.reader(text, delimiter=delimiter):
        if _blank(record) or record[0].startswith("# "):
            continue
        refuse_wide(record, source.name)
        for _, first in islice(records(source, delimiter), 1):
            refuse_wide(first, source.name)  # pandas makes columns of all fields of the first row
        if delimiter == " " and len(next(row for _, row in records(source, delimiter))) == len(record) + 1:
            record = ["", *record]  # R's names of rows have no name
        record = [*map(unguarded, record)]
        check_names(record, source.name, (row for _, row in records(source, delimiter)))
        return tuple(record)
    raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")


def _parse(text: CheckedText, columns: tuple[str, ...], delimiter: str) -> pd.DataFrame:
    import pandas as pd

    with warnings.catch_warnings():  # a first row that is too long is a warning in pandas, and an error of ours
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        return pd.read_csv(
            text, sep=delimiter, header=None, names=[*columns, EXTRA], index_col=False, dtype=str, na_filter=False,
            low_memory=False,
        )  # fmt: skip


def records(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line (from 1) and the fields of each record after the header; blank lines are no records."""
    with open_text(source) as text, _any_field_size():
        reader, in_header, line = csv.reader(text, delimiter=delimiter), True, 1
        for record in reader:
            start, line = line, reader.line_num + 1
            if _blank(record) or (in_header and record[0].startswith("# ")):
                continue
            if in_header:
                in_header = False
                continue
            yield start, record


def lines_of(source: Source, delimiter: str, positions: Sequence[int]) -> list[int]:
    """Return the lines on which some rows (positions from 0, ascending) start."""
    wanted, lines = set(positions), []
    for position, (line, _) in enumerate(records(source, delimiter)):
        if position in wanted:
            lines.append(line)
            if len(lines) == len(wanted):
                break
    return lines


def _refuse_ragged(source: Source, width: int, delimiter: str) -> None:
    """Raise when rows have more or fewer fields than the header; one problem a number of fields."""
    ragged: dict[int, list[int]] = {}
    for line, record in records(source, delimiter):
        if len(record) != width:
            ragged.setdefault(len(record), []).append(line)
    if list(ragged) == [width + 1] and len(ragged[width + 1]) == sum(1 for _ in records(source, delimiter)):
        message = f"every row has {width + 1} fields and the header {width}: the names of the rows have no name"
        fix = "Write the header with one more name; in R, write.table(..., col.names = NA)"
        raise InputError(Problem(message=message, source=source.name, lines=(1,), fix=fix))
    problems = [
        Problem(
            message=f"{size} field{'s' if size != 1 else ''} where the header has {width}",
            source=source.name, lines=tuple(lines[:RAGGED_SHOWN]), n_rows=len(lines),
            fix="Quote fields that hold the delimiter, and write empty fields for missing values",
        )
        for size, lines in sorted(ragged.items(), key=lambda kv: kv[1])
    ]  # fmt: skip
    if problems:
        raise InputError(problems)


def _unreadable(source: Source, columns: tuple[str, ...], delimiter: str, error: Exception) -> InputError:
    if "EOF inside string" in str(error):
        line = max((line for line, _ in records(source, delimiter)), default=1)
        message = "a quoted field is opened and never closed"
        return InputError(
            Problem(message=message, source=source.name, lines=(line,), fix='Close it, or double the " inside it')
        )
    try:
        _refuse_ragged(source, len(columns), delimiter)
    except InputError as ragged:
        return ragged
    return InputError(f"{source.name}: the file cannot be read as a table ({error})")


PROBLEMS_AT_MOST = 20
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a character beyond U+FFFF: an emoji is two of them
SPARSE = 20  # cells of a table for each value in its records, beyond which the limit of cells counts
SHAPES = "Write a list of records, an object of lists, or one object a line (.jsonl)"


class _UnusableError(ValueError):
    """JSON that is no table's: an object that names a key twice, or half a character."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _UnusableError(f"the key '{twice}' occurs twice")
    return found


def _constant(name: str) -> str | None:
    return None if name == "NaN" else name


def parse(text: str) -> Any:
    """Parse JSON with numbers as they are spelled, NaN as missing; repeated keys and half characters refused.

    Raises
    ------
    RecursionError
        For lists and objects that are nested deeper than the limit.
    """
    found = json.loads(text, parse_int=str, parse_float=str, parse_constant=_constant, object_pairs_hook=_once)
    if depth_of(found) > limit("depth"):
        raise RecursionError
    if SURROGATE.search(text):
        try:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise _UnusableError(f"{half} is half a character: write the file anew with it replaced") from error
    return found


def read_jsonl(source: Source) -> Table:
    """Read one JSON object a line; blank lines are skipped.

    Raises
    ------
    InputError
        Naming up to 20 lines that are no JSON objects.
    NothingToAnalyse
        For an empty file.
    """
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    with decoded(source) as text:
        for line, content in enumerate(text, start=1):
            if not content.strip():
                continue
            lines.append(line)
            try:
                row = parse(content)
                reason = "" if isinstance(row, dict) else f"a JSON {_kind(row)} where an object is needed"
            except (json.JSONDecodeError, _UnusableError) as error:
                row, reason = {}, _json_reason(error)
            except RecursionError as error:
                raise exceeded("depth", source.name, line=line) from error
            rows.append(row)
            if reason:
                fix = "Every line must be one JSON object"
                problems.append(Problem(message=reason, source=source.name, lines=(line,), n_rows=1, fix=fix))
            if len(problems) == PROBLEMS_AT_MOST:
                break
    if problems:
        raise InputError(problems)

    def locate(positions: Sequence[int]) -> list[int]:
        return [lines[position] for position in positions]

    frame, columns = _from_records(rows, source)
    return Table(frame=frame, columns=columns, source=source.name, unit="line", is_file=True, locate=locate)


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg.lower()}, character {error.colno})"
    return f"not usable JSON ({error})"


def _kind(value: Any) -> str:
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "value"


def read_json(source: Source) -> Table:
    """Read a JSON file: a list of records, or an object of lists.

    Raises
    ------
    InputError
        For anything else, with the line where the JSON breaks.
    """
    with decoded(source) as text:
        content = text.read()
    try:
        data = parse(content)
    except json.JSONDecodeError as error:
        fix = f"Is it one object a line? Then say {option('format', 'jsonl')}" if error.msg == "Extra data" else SHAPES
        problem = Problem(message=_json_reason(error), source=source.name, lines=(error.lineno,), fix=fix)
        raise InputError(problem) from error
    except _UnusableError as error:
        raise InputError(f"{source.name}: {_json_reason(error)}") from error
    except RecursionError as error:
        raise exceeded("depth", source.name) from error
    frame, columns = _from_object(data, source) if isinstance(data, dict) else _from_list(data, source)
    return Table(frame=frame, columns=columns, source=source.name, unit="record", is_file=True)


def _from_list(data: Any, source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    if not isinstance(data, list):
        raise InputError(f"{source.name}: a JSON {_kind(data)} is not a table. {SHAPES}")
    for position, row in enumerate(data, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{source.name} record {position}: a JSON {_kind(row)} is not a record. {SHAPES}")
    return _from_records(data, source)


def _from_object(data: dict[str, Any], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    sizes = {name: len(column) if isinstance(column, list) else -1 for name, column in data.items()}
    bad = next((name for name, size in sizes.items() if size < 0), None)
    if bad is not None:
        raise InputError(f"{source.name}: '{bad}' is a JSON {_kind(data[bad])}, not a list of values. {SHAPES}")
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(f"{source.name}: the columns have different lengths ({listed})")
    if not sizes or not max(sizes.values()):
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")
    return _frame(data, source)


def _from_records(rows: list[dict[str, Any]], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    if not rows:
        raise NothingToAnalyse(f"{source.name} has no rows: there is nothing to analyse")
    names = dict.fromkeys(name for row in rows for name in row)
    refuse_wide([*names], source.name)
    cells = len(names) * len(rows)
    if cells > SPARSE * sum(map(len, rows)):  # records that share few names would make a table of empty cells
        within("cells", cells, source.name, fix="Leave out names that few records have")
    return _frame({name: [row.get(name) for row in rows] for name in names}, source)


def _frame(columns: dict[str, list[Any]], source: Source) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
    import pandas as pd

    refuse_wide([*columns], source.name)
    check_names([*columns], source.name)
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    return nw.from_native(frame, eager_only=True), tuple(columns)


# format -> the package that reads it, and the extra that brings it
PACKAGES: dict[Format, tuple[str, str]] = {
    "parquet": ("pyarrow", "parquet"), "feather": ("pyarrow", "parquet"), "sav": ("pyreadstat", "spss"),
}  # fmt: skip


@contextmanager
def reader_of(source: Source, format: Format) -> Iterator[None]:
    """State which package is missing, and what an error of another package means: the file is not what it is called.

    Raises
    ------
    MissingDependency, InputError
    """
    if not source.head(1):
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    kind = READ[format]
    try:
        with warnings.catch_warnings():  # about styles of cells, say; but text in another encoding is an error
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
    except Exception as error:  # each package has its own
        reason = shorten(" ".join(str(error).split()), 200)
        raise InputError(f"{source.name}: this is not {kind.name}, or it is damaged ({reason})") from error


def read_typed(source: Source, format: Format) -> Table:
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
    with reader_of(source, format):
        native = READERS[format](source)
    columns = tuple(nw.from_native(native).columns)
    check_names(columns, source.name)
    if not columns:
        raise NothingToAnalyse(f"{source.name} has no columns: there is nothing to analyse")
    if len(native) == 0:
        raise NothingToAnalyse(f"{source.name} has columns but no rows: there is nothing to analyse")
    unit = "record" if format in ("dta", "sav") else "row"  # these programs count from 1
    return Table(frame=nw.from_native(native), columns=columns, source=source.name, unit=unit, is_file=True)


def _parquet(source: Source) -> Any:
    import pyarrow.parquet as pq

    with source.seekable() as stream:
        opened = pq.ParquetFile(stream)
        about = opened.metadata
        within("rows", about.num_rows, source.name)
        within("bytes", sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups)), source.name)
        refuse_wide(opened.schema_arrow.names, source.name)
        return validated(opened.read())


def _feather(source: Source) -> Any:
    """Read an Arrow file, or an Arrow stream, which has no mark."""
    import pyarrow as pa

    with source.seekable() as stream:
        whole = source.head().startswith(READ["feather"].magic)
        opened = pa.ipc.open_file(stream) if whole else pa.ipc.open_stream(stream)
        refuse_wide(opened.schema.names, source.name)
        held = map(opened.get_batch, range(opened.num_record_batches)) if whole else opened
        batches, rows, size = [], 0, 0
        for batch in held:
            rows, size = rows + batch.num_rows, size + batch.nbytes
            within("rows", rows, source.name)
            within("bytes", size, source.name)
            batches.append(batch)
        return validated(pa.Table.from_batches(batches, opened.schema))


def validated(table: Any) -> Any:
    """Return a pyarrow table whose texts are UTF-8 and lie where they should: of damaged ones Python may crash."""
    table.validate(full=True)
    return table


def _stata(source: Source) -> Any:
    import pandas as pd

    with source.seekable() as stream, pd.read_stata(stream, iterator=True, convert_categoricals=False) as opened:
        reader: Any = opened
        frame, labels = reader.read(), reader.value_labels()
        sets = dict(
            zip(frame.columns, reader._lbllist, strict=True)
        )  # the set of each column; pandas has no public name
    for column, name in sets.items():
        frame[column] = labelled(frame[column], labels.get(name, {}), source.name, ordered=True)
    return frame


def _spss(source: Source) -> Any:
    import pandas as pd

    with source.seekable() as stream:
        content = read_spss(stream)
    refuse_wide([*content.columns], source.name)
    frame = pd.DataFrame(content.columns)
    for column, labels in content.labels.items():
        frame[column] = labelled(frame[column], labels, source.name, ordered=column not in content.nominal)
    return frame


def labelled(column: pd.Series[Any], labels: Mapping[Any, str], source: str, *, ordered: bool) -> pd.Series[Any]:
    """Return a column of codes as what its value labels say.

    A column whose values all have labels becomes a category with every label as a level, in the order of the codes.
    Where some values have none, as on a scale with labels at its ends, values are labels or numbers, in no order.

    Parameters
    ----------
    column : pandas Series
    labels : mapping of code to str
    source : str
        Named in errors.
    ordered : bool
        Whether the order of the codes, where they are numbers, is one of the labels.

    Raises
    ------
    InputError
        If two codes have the same label.

    Examples
    --------
    >>> import pandas as pd
    >>> labelled(pd.Series([2.0, None, 1.0]), {1: "low", 2: "high"}, "x.sav", ordered=True).cat.categories.tolist()
    ['low', 'high']
    >>> labelled(pd.Series([2.0, None, 1.0]), {1: "low"}, "x.sav", ordered=True).tolist()
    ['2', nan, 'low']
    """
    import pandas as pd

    used = column.dropna().unique().tolist()
    unlabelled = [value for value in used if value not in labels]
    if len(unlabelled) == len(used):
        return column
    texts = {code: labels[code] for code in sorted(labels)} | {value: as_text(value) or "" for value in unlabelled}
    codes: dict[str, Any] = {}
    for code, label in texts.items():
        if codes.setdefault(label, code) != code:
            raise InputError(
                f"{source}, column '{shorten(str(column.name))}': codes {as_text(codes[label])} and {as_text(code)} "
                f"have the same label '{shorten(label)}'. Give each code its own label, or save the codes as CSV"
            )
    named = column.map(texts)
    if unlabelled:
        return named.astype(object)
    ordered = ordered and not any(isinstance(code, str) for code in labels)
    return named.astype(pd.CategoricalDtype([*texts.values()], ordered=ordered))


READERS: dict[Format, Callable[[Source], Any]] = {
    "parquet": _parquet, "feather": _feather, "dta": _stata, "sav": _spss,
}  # fmt: skip


WORKBOOKS: tuple[Format, ...] = ("xlsx", "ods")


def read_workbook(source: Source, format: Format, sheet: str = "") -> Table:
    """Read a sheet of a workbook: the names of the columns stand in its first row that is not empty.

    Parameters
    ----------
    source : Source
    format : {"xlsx", "ods"}
    sheet : str
        Its name; by default the only sheet that holds cells.

    Returns
    -------
    Table
        Of texts, as from a csv file: whole numbers without decimals, dates as 2026-01-31. Its rows are counted as
        the spreadsheet counts them.

    Raises
    ------
    InputError
        For several sheets, columns without a name, and cells that hold an error, or a formula without its value.
    NothingToAnalyse
        For workbooks without a row of data.
    """
    import pandas as pd

    with reader_of(source, format), source.seekable() as stream:
        sheets = sheets_of(stream, format, source.name, sheet)
    source = replace(source, name=f"{source.name}:{sheet}") if sheet else source
    chosen = _chosen(sheets, sheet, source)
    if chosen.problems:
        raise InputError([replace(problem, source=source.name) for problem in chosen.problems])
    if len(chosen.rows) < 2:
        raise NothingToAnalyse(f"{source.name} has no rows under a header: there is nothing to analyse")
    (top, header), *body = sorted(chosen.rows.items())
    places = [place for place, _ in body]
    used = [k for k in range(max(len(row) for row in chosen.rows.values()))
            if any(len(row) > k and row[k] for row in chosen.rows.values())]  # fmt: skip
    names = [unguarded(header[k]) if k < len(header) else "" for k in used]
    unnamed = [k for k, name in zip(used, names, strict=True) if not name and k != used[0]]
    if unnamed:
        raise InputError(
            f"{source.name}: cell {letters(unnamed[0])}{top} is empty, and its column holds values. Write the name of "
            f"each column into row {top}, one cell each, and remove titles above it and cells that were merged"
        )
    within("cells", len(used) * len(body), source.name, fix=AS_CSV)
    columns = [[unguarded(row[k]) if k < len(row) else "" for _, row in body] for k in used]
    check_names(names, source.name, zip(*columns, strict=True))
    frame = pd.DataFrame({name: pd.Series(column, dtype=str) for name, column in zip(names, columns, strict=True)})

    def locate(positions: Sequence[int]) -> list[int]:
        return [places[position] for position in positions]

    return Table(
        frame=nw.from_native(frame), columns=tuple(names), source=source.name, unit="row", is_file=True, locate=locate
    )


def _chosen(sheets: Sequence[Sheet], sheet: str, source: Source) -> Sheet:
    """Return the sheet that was named, or the only one with cells."""
    named = [one for one in sheets if one.name == sheet]
    if sheet and not named:
        raise InputError(
            f"{source.name}: the workbook has no such sheet. Sheets: {quoted([one.name for one in sheets], 20)}"
        )
    held = named or [one for one in sheets if one.rows or one.problems]
    if len(held) > 1 and not sheet:
        raise InputError(
            f"{source.name}: {len(held)} sheets hold cells: {quoted([one.name for one in held], 20)}. Name one of them "
            f"after a colon, as in '{source.name}:{held[0].name}'"
        )
    if not held:
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    return held[0]


def read_source(source: Source, chosen: Format, sheet: str = "") -> Table:
    """Read a source as a whole.

    Raises
    ------
    InputError, NothingToAnalyse, MissingDependency
    """
    if chosen in ("csv", "tsv"):
        return read_delimited(source, "," if chosen == "csv" else "\t")
    if chosen in ("json", "jsonl"):
        return read_json(source) if chosen == "json" else read_jsonl(source)
    return read_workbook(source, chosen, sheet) if chosen in WORKBOOKS else read_typed(source, chosen)
