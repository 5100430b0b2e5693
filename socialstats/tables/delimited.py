"""Files of csv and tsv: the delimiter, the header, the rows as texts, and the lines of rows that do not fit."""

from __future__ import annotations

import csv
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError, NothingToAnalyse, SocialStatsError
from socialstats.tables.aliases import Levels, Lines, Positions, Records, Texts
from socialstats.tables.formula_cells import unguarded, unguarded_column
from socialstats.tables.headers import check_column_names, refuse_many_columns
from socialstats.tables.labels import MISSING
from socialstats.tables.limits import limit
from socialstats.tables.sources import ByteSource, CheckedText, open_text, refuse_empty
from socialstats.tables.table import Table, of_file
from socialstats.tables.writing import SEPARATORS

if TYPE_CHECKING:
    import pandas as pd

EXTRA = "socialstats: a field too many"
MOST_RAGGED = 20
# labels of missing values among numbers with decimal commas
MOST_WORDS = 2
COMMA = re.compile(r"\s*[+-]?[0-9]+(?:,[0-9]+)?\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*")


def read_delimited(source: ByteSource, usual: str) -> Table:
    """Read a csv or tsv file.

    Parameters
    ----------
    source : Source
    usual : str
        The delimiter of the format; a semicolon or a tab is recognised in the header.

    Raises
    ------
    InputError
        For rows with too many or too few fields, column names that repeat.
    UnicodeDecodeError
        For bytes that are no text in the encoding of the source.
    NothingToAnalyse
        For an empty file, or a header without rows.
    """
    refuse_empty(source)
    delimiter = delimiter_of(source, usual)
    frame = None
    try:
        with open_text(source) as text, any_field_size():
            columns = header_of(text, source, delimiter)
            text.delimiter = delimiter
            frame = parse_rows(text, columns, delimiter)
    except (SocialStatsError, UnicodeDecodeError):
        raise
    except ValueError as error:
        # pandas.errors.ParserError and EmptyDataError are ValueErrors
        if type(error).__name__ != "EmptyDataError":
            raise unreadable(source, columns, delimiter, error) from error
    if frame is None or len(frame) == 0:
        raise NothingToAnalyse(
            f"{source.name} has a header but no rows: there is nothing to analyse"
        )
    if text.delimiters != (len(columns) - 1) * len(frame) or (frame[EXTRA] != "").any():
        refuse_ragged(source, len(columns), delimiter)
    texts = frame.drop(columns=EXTRA)
    texts = texts.apply(unguarded_column) if text.apostrophes else texts
    commas = decimal_commas(texts) if delimiter == ";" else ()
    for column in commas:
        numbers = texts[column].str.fullmatch(COMMA, na=False)
        texts.loc[numbers, column] = texts.loc[numbers, column].str.replace(",", ".", regex=False)
    return of_file(
        texts,
        source.name,
        locate=partial(lines_of, source, delimiter),
        semicolons=delimiter == ";",
        decimal_commas=commas,
    )


def decimal_commas(frame: Any) -> Levels:
    """Return the columns of a file with semicolons whose numbers have decimal commas, as R's ``read.csv2`` reads them.

    Not those where every comma may part thousands. A few labels may say why a value is missing, such as "k. A.".
    """
    columns = []
    for column in frame.columns:
        values = {
            value for value in frame[column].unique() if isinstance(value, str) and value.strip()
        } - MISSING
        numbers = [value for value in values if any(letter.isdigit() for letter in value)]
        commas = [value for value in numbers if "," in value]
        plain = len(values) - len(numbers) <= MOST_WORDS and all(map(COMMA.fullmatch, numbers))
        if commas and plain and not all(map(THOUSANDS.fullmatch, commas)):
            columns.append(str(column))
    return tuple(columns)


@contextmanager
def any_field_size() -> Iterator[None]:
    """Inside, the csv module reads fields as long as the limits allow."""
    before = csv.field_size_limit(int(min(limit("length"), sys.maxsize)))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def delimiter_of(source: ByteSource, usual: str) -> str:
    """Return the usual delimiter, unless the header has none of it and does have another."""
    lines = source.head(65536).decode("utf-8-sig", errors="replace").splitlines()
    lines = [line for line in lines if line.strip()]
    header = next((line for line in lines if not line.startswith("# ")), "")
    # the suffix decides first, then the first delimiter that the header has
    mark = next((mark for mark in (usual, ",", ";", "\t") if mark in header), None)
    return mark or (" " if is_spaced(lines[:20]) else usual)


def is_spaced(lines: Texts) -> bool:
    """Whether lines are fields with spaces between and texts in quotes, as R's write.table makes them."""
    sizes = [len(record) for record in csv.reader(lines, delimiter=" ")]
    is_uniform = (
        len(sizes) > 1 and len({*sizes[1:]}) == 1 and 0 <= sizes[1] - sizes[0] <= 1 < sizes[0]
    )
    return is_uniform and '"' in lines[0]


def layout_of(source: ByteSource, format: str) -> tuple[str, Levels, int]:
    """Return the delimiter of a csv or tsv file, its columns, and the first line below its header (or 0)."""
    refuse_empty(source)
    delimiter = delimiter_of(source, SEPARATORS[format])
    with open_text(source) as text, any_field_size():
        columns = header_of(text, source, delimiter)
    return delimiter, columns, next((line for line, _ in record_fields(source, delimiter)), 0)


def header_of(text: CheckedText, source: ByteSource, delimiter: str) -> Levels:
    """Read the first record that is neither blank nor a comment (a line starting with ``#`` and a space)."""
    for record in csv.reader(text, delimiter=delimiter):
        if is_blank(record) or record[0].startswith("# "):
            continue
        refuse_many_columns(record, source.name)
        _, first = next(record_fields(source, delimiter), (0, []))
        # pandas makes columns of all fields of the first row
        refuse_many_columns(first, source.name)
        # R's names of rows have no name
        unnamed = delimiter == " " and len(first) == len(record) + 1
        columns = [*([""] if unnamed else []), *map(unguarded, record)]
        check_column_names(
            columns, source.name, (row for _, row in record_fields(source, delimiter))
        )
        return tuple(columns)
    raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")


def is_blank(record: Texts) -> bool:
    """Whether a record has no field, or one that is empty."""
    return not record or (len(record) == 1 and not record[0].strip(" \t"))


def parse_rows(text: CheckedText, columns: Levels, delimiter: str) -> pd.DataFrame:
    """Return the rows below the header as texts, with what stands behind their last field."""
    import pandas as pd

    # a first row that is too long is a warning in pandas, and an error of ours
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        return pd.read_csv(
            text,
            sep=delimiter,
            header=None,
            names=[*columns, EXTRA],
            index_col=False,
            dtype=str,
            na_filter=False,
            low_memory=False,
        )


def all_records(source: ByteSource, delimiter: str) -> Records:
    """Yield the first line (from 1) and the fields of the header and each record; blank lines are no records."""
    with open_text(source) as text, any_field_size():
        reader, in_header, line = csv.reader(text, delimiter=delimiter), True, 1
        for record in reader:
            # a record may go over several lines: the reader is at its last one
            start, line = line, reader.line_num + 1
            if not is_blank(record) and not (in_header and record[0].startswith("# ")):
                in_header = False
                yield start, record


def record_fields(source: ByteSource, delimiter: str) -> Records:
    """Yield the first line and the fields of each record after the header."""
    return islice(all_records(source, delimiter), 1, None)


def lines_of(source: ByteSource, delimiter: str, positions: Positions) -> Lines:
    """Return the lines on which some rows (positions from 0, ascending) start."""
    places, lines = set(positions), []
    for position, (line, _) in enumerate(record_fields(source, delimiter)):
        if position in places:
            lines.append(line)
            if len(lines) == len(places):
                break
    return lines


def refuse_ragged(source: ByteSource, width: int, delimiter: str) -> None:
    """Refuse rows with more or fewer fields than the header; one problem a number of fields.

    Raises
    ------
    InputError
    """
    ragged: dict[int, Lines] = {}
    rows = 0
    for line, record in record_fields(source, delimiter):
        rows += 1
        if len(record) != width:
            ragged.setdefault(len(record), []).append(line)
    # as R writes tables: the column of the rows' names has no name
    if list(ragged) == [width + 1] and len(ragged[width + 1]) == rows:
        message = f"every row has {width + 1} fields and the header {width}: the names of the rows have no name"
        fix = "Write the header with one more name; in R, write.table(..., col.names = NA)"
        raise InputError(source.problem(message, 1, fix=fix))
    fix = "Quote fields that hold the delimiter, and write empty fields for missing values"
    problems = []
    for size, lines in sorted(ragged.items(), key=lambda item: item[1]):
        message = f"{size} field{'s' if size != 1 else ''} where the header has {width}"
        problems.append(source.problem(message, *lines[:MOST_RAGGED], n_rows=len(lines), fix=fix))
    if problems:
        raise InputError(problems)


def unreadable(source: ByteSource, columns: Levels, delimiter: str, error: Exception) -> InputError:
    """Return what is wrong with a file that pandas cannot parse."""
    if "EOF inside string" in str(error):
        line = max((line for line, _ in record_fields(source, delimiter)), default=1)
        message, fix = (
            "a quoted field is opened and never closed",
            'Close it, or double the " inside it',
        )
        return InputError(source.problem(message, line, fix=fix))
    try:
        refuse_ragged(source, len(columns), delimiter)
    except InputError as ragged:
        return ragged
    return InputError(f"{source.name}: the file cannot be read as a table ({error})")
