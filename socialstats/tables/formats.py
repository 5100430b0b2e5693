"""Formats of files: what each is called, how it is recognised, and the way out of those that are not read."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from socialstats.errors import InputError
from socialstats.tables.sources import ByteSource
from socialstats.voice import option

Format = Literal["csv", "tsv", "jsonl", "json", "parquet", "feather", "dta", "sav", "xlsx", "ods"]
WORKBOOKS: tuple[Format, ...] = ("xlsx", "ods")
ZIPPED = b"PK\x03\x04"
# before version 13; then the byte order, and 1
OLD_STATA = re.compile(rb"[\x66-\x73][\x01\x02]\x01.", re.DOTALL)
MARK = b"\xef\xbb\xbf"
# bytes that no text has
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
DAMAGED_ZIP = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    ValueError,
    RuntimeError,
    OverflowError,
    struct.error,
)
"""What the zipfile module raises; its NotImplementedError is a RuntimeError."""
AS_CSV = "Save the table as CSV (UTF-8)"


@dataclass(frozen=True, slots=True)
class FormatKind:
    """A kind of file.

    Attributes
    ----------
    name : str
        As messages call such a file, with its article.
    ends : str
        Suffixes, with blanks between.
    magic : str
        Regular expression of the first bytes of a file that is no text.
    text : str
        Regular expression of the first bytes of a file that is text, after white space and in lower case.
    member : str
        Start of the name of a file that only such zip archives hold.
    fix : str
        For kinds that are not read: how to get to a table that is.
    """

    name: str
    ends: str = ""
    magic: str = ""
    text: str = ""
    member: str = ""
    fix: str = AS_CSV

    @property
    def suffixes(self) -> list[str]:
        """The suffixes of its files."""
        return self.ends.split()

    def begins(self, head: bytes, *, binary: bool) -> bool:
        """Return whether a file of this kind may have these first bytes."""
        if binary and self.magic and re.match(self.magic.encode(), head, re.DOTALL):
            return True
        return bool(
            self.text and re.match(self.text.encode(), head.removeprefix(MARK).lstrip().lower())
        )

    def holds(self, names: Iterable[str]) -> bool:
        """Return whether a zip archive of these files is of this kind."""
        return bool(self.member) and any(name.startswith(self.member) for name in names)


def describe_kinds(table: str) -> Iterator[FormatKind]:
    """Yield the kinds of a table with a line for each attribute, and a blank line between kinds."""
    for block in table.strip().split("\n\n"):
        yield FormatKind(**dict(line.split(": ", 1) for line in block.splitlines()))


READ: dict[Format, FormatKind] = dict(
    zip(
        get_args(Format),
        describe_kinds(r"""
name: a csv file
ends: .csv

name: a tsv file
ends: .tsv .tab

name: a jsonl file
ends: .jsonl .ndjson

name: a json file
ends: .json

name: a parquet file
ends: .parquet .pq
magic: PAR1

name: a feather (Arrow) file
ends: .feather .arrow .arrows .ipc
magic: ARROW1

name: a Stata file
ends: .dta
magic: <stata_dta>

name: an SPSS file
ends: .sav .zsav
magic: \$FL[23]

name: an Excel workbook
ends: .xlsx .xlsm
member: xl/workbook.xml

name: an OpenDocument spreadsheet
ends: .ods
member: content.xml
"""),
        strict=True,
    )
)
TOML = FormatKind(
    "a TOML file, such as a plan, rules or a run file",
    ".toml",
    fix="Name the table itself. A study follows it, as in TABLE --study STUDY.toml; "
    "or type 'socialstats run STUDY.toml TABLE'",
)
ARCHIVE = FormatKind("a zip archive", ".zip", fix="Unpack it and name the table in it")
UNREAD = (
    TOML,
    *describe_kinds(r"""
name: an HTML page
ends: .html .htm
text: <(!doctype html|html|head|body|table|!--)
fix: Name the data file itself: a download link may have led to a page about it

name: a log of 'socialstats collect'
text: \{"type": "(run|item|call|attempt|end)", "run_id":
fix: Make its table: socialstats tidy LOG.jsonl -o table.csv

name: an XML file
ends: .xml
text: <\?xml

name: an R data file
ends: .rds .rdata .rda
magic: RD[XA]|X\n\x00\x00
fix: In R, write the table with write.csv(data, "data.csv", row.names = FALSE)

name: a SAS data set
ends: .sas7bdat
magic: \x00{12}\xc2\xea\x81\x60

name: a SAS transport file
ends: .xpt
text: header record\*{7}

name: an SPSS portable file
ends: .por
text: ascii spss port file
fix: In SPSS, save it as .sav, or as CSV (UTF-8)

name: an old Excel workbook (.xls), or one with a password
ends: .xls .xla
magic: \xd0\xcf\x11\xe0
fix: Save it as .xlsx without a password, or as CSV (UTF-8)

name: a binary Excel workbook (.xlsb)
ends: .xlsb
member: xl/workbook.bin
fix: Save its sheet as CSV (UTF-8), or the workbook as .xlsx

name: a Numbers document
ends: .numbers
member: Index/
fix: Export its table as CSV (UTF-8)

name: a Word document
ends: .docx .doc
member: word/

name: a PowerPoint file
ends: .pptx .ppt
member: ppt/

name: a PDF
ends: .pdf
text: %pdf-

name: a rich text document
ends: .rtf
text: \{\\rtf

name: an SQLite database
ends: .sqlite .sqlite3 .db
magic: SQLite format 3
fix: Write its table as CSV: sqlite3 -csv -header FILE 'select * from TABLE' > data.csv

name: a DuckDB database
ends: .duckdb
fix: Write its table as CSV: duckdb FILE "copy TABLE to 'data.csv'"

name: an HDF5 file
ends: .h5 .hdf5 .hdf
magic: \x89HDF

name: a pickle
ends: .pkl .pickle
magic: \x80[\x03-\x05]
fix: In Python, pass the data frame itself, or write it with to_csv or to_parquet

name: a NumPy file
ends: .npy .npz
magic: \x93NUMPY
fix: In Python, pass the array itself, or write it with named columns as CSV

name: a MATLAB file
ends: .mat
magic: MATLAB 5\.0

name: an ORC file
ends: .orc
magic: ORC
fix: Write the table as parquet or CSV

name: an Avro file
ends: .avro
magic: Obj\x01
fix: Write the table as parquet or CSV

name: a feather file of the first version
magic: FEA1
fix: Write it anew with pandas.DataFrame.to_feather, or as CSV

name: a file compressed with zstd, xz, bzip2 or 7z
ends: .zst .xz .bz2 .7z
magic: \x28\xb5\x2f\xfd|\xfd7zXZ|BZh|7z\xbc\xaf
fix: Unpack it, or compress it with gzip

name: an image
ends: .png .jpg .jpeg .gif
magic: \x89PNG|\xff\xd8\xff|GIF8
"""),
)
KINDS: tuple[tuple[Format | FormatKind, FormatKind], ...] = (
    *READ.items(),
    *((kind, kind) for kind in UNREAD),
)
SUFFIXES = {suffix: format for format, kind in READ.items() for suffix in kind.suffixes}


def detect_format(source: ByteSource, format: Format | None) -> Format:
    """Return the format of a file.

    Parameters
    ----------
    source : Source
    format : str or None
        The format that was asked for; else the suffix decides (with or without ``.gz``), then the content.

    Raises
    ------
    InputError
        For formats that are not read, with the way out, and for content of another format than was asked for.
    """
    head = source.head()
    chosen = format or named_format(source.name)
    binary = CONTROL.search(head) is not None
    content = content_of(source, head, binary=binary)
    if isinstance(content, str):
        if chosen not in (None, content):
            kind = READ[content]
            raise InputError(
                f"{source.name}: this is {kind.name}, not {READ[chosen or 'csv'].name}. "
                f"Let its name end in {kind.suffixes[0]}, or say {option('format', content)}"
            )
        return content
    by_name = UNREAD if binary else () if format else (TOML,)
    unread = next(
        (kind for kind in by_name if unpacked_suffix(source.name) in kind.suffixes), content
    )
    # the reader says what is wrong with it
    torn = unread is ARCHIVE and chosen in WORKBOOKS
    if unread is not None and not torn:
        raise InputError(f"{source.name}: this is {unread.name}, which is not read. {unread.fix}")
    return chosen or format_of_text(head)


def named_format(name: str) -> Format | None:
    """Return the format that the name of a file says it has.

    Examples
    --------
    >>> named_format("votes.CSV.gz"), named_format("README.md")
    ('csv', None)
    """
    return SUFFIXES.get(unpacked_suffix(name))


def unpacked_suffix(name: str) -> str:
    """Return the suffix of a file as it is unpacked, in lower case.

    Examples
    --------
    >>> unpacked_suffix("votes.CSV.gz")
    '.csv'
    """
    return Path(name.lower().removesuffix(".gz")).suffix


def content_of(source: ByteSource, head: bytes, *, binary: bool) -> Format | FormatKind | None:
    """Return what the first bytes say; None for a table as text, and for what has no mark."""
    if head.startswith(ZIPPED):
        try:
            with source.seekable() as stream, zipfile.ZipFile(stream) as archive:
                names = archive.namelist()
        except DAMAGED_ZIP:
            return ARCHIVE
        return next((which for which, kind in KINDS if kind.holds(names)), ARCHIVE)
    if OLD_STATA.match(head):
        return "dta"
    return next((which for which, kind in KINDS if kind.begins(head, binary=binary)), None)


def format_of_text(head: bytes) -> Format:
    """Guess the format of text: json by its first bracket, else delimited by what the first line has."""
    start = head.removeprefix(MARK).lstrip()
    if start.startswith(b"["):
        return "json"
    first = start.split(b"\n", 1)[0].rstrip()
    if start.startswith(b"{"):
        return "jsonl" if first.endswith(b"}") and b":[" not in first.replace(b" ", b"") else "json"
    return "tsv" if b"\t" in first and b"," not in first else "csv"
