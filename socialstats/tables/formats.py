"""What a file is: by option, by suffix and by its first bytes; and the way out for formats that are not read."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from socialstats.errors import InputError
from socialstats.tables.text import UTF16_MARKS, Source

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
UNREAD = (
    Kind(name="an HTML page", suffixes=(".html", ".htm"),
         text=(b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<!--"),
         fix="Name the data file itself: a download link may have led to a page about it"),
    Kind(name="an XML file", suffixes=(".xml",), text=(b"<?xml",)),
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
    chosen = asked or SUFFIXES.get(suffix)
    binary = CONTROL.search(head) is not None and head[:2] not in UTF16_MARKS
    content = _content(source, head, binary)
    if isinstance(content, str):
        if chosen not in (None, content):
            kind = READ[content]
            raise InputError(
                f"{source.name}: this is {kind.name}, not {READ[chosen or 'csv'].name}. "
                f"Let its name end in {kind.suffixes[0]}, or say format='{content}'"
            )
        return content
    unread = next((kind for kind in UNREAD if binary and suffix in kind.suffixes), content)
    torn = unread is ARCHIVE and chosen in ("xlsx", "ods")  # the reader says what is wrong with it
    if unread is not None and not torn:
        raise InputError(f"{source.name}: this is {unread.name}, which is not read. {unread.fix}")
    return chosen or _of_text(head)


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


def _archive(source: Source) -> Format | Kind:
    """Return what a zip archive is by the files in it."""
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
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
