"""Comma- and tab-separated files: parsed fast, and scanned again with the csv module only when a row is bad.

Every field is text: an item called ``007``, ``NA``, ``nan``, ``1e5`` or ``True`` stays itself.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import narwhals as nw

from socialstats.errors import InputError, NothingToAnalyse, Problem, SocialStatsError
from socialstats.tables.headers import check_names, refuse_wide
from socialstats.tables.table import Table
from socialstats.tables.text import CheckedText, Source, bad_text, open_text, refuse_other_encodings

if TYPE_CHECKING:
    import pandas as pd

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
            found = text.delimiters
    except UnicodeDecodeError as error:
        raise bad_text(source) from error
    except SocialStatsError:
        raise
    except ValueError as error:  # pandas.errors.ParserError and EmptyDataError are ValueErrors
        if type(error).__name__ == "EmptyDataError":
            frame, found = None, 0
        else:
            raise _unreadable(source, columns, delimiter, error) from error
    if frame is None or len(frame) == 0:
        raise NothingToAnalyse(f"{source.name} has a header but no rows: there is nothing to analyse")
    if found != (len(columns) - 1) * len(frame) or (frame[EXTRA] != "").any():
        _refuse_ragged(source, len(columns), delimiter)

    def locate(positions: Sequence[int]) -> list[int]:
        return lines_of(source, delimiter, positions)

    native = frame.drop(columns=EXTRA)
    return Table(
        frame=nw.from_native(native), columns=columns, source=source.name, unit="line", is_file=True, locate=locate,
        semicolons=delimiter == ";",
    )  # fmt: skip


@contextmanager
def _any_field_size() -> Iterator[None]:
    old = csv.field_size_limit(sys.maxsize)
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


def _blank(record: Sequence[str]) -> bool:
    return not record or (len(record) == 1 and not record[0].strip(" \t"))


def _header(text: CheckedText, source: Source, delimiter: str) -> tuple[str, ...]:
    """Read the first record that is neither blank nor a comment (a line starting with ``#`` and a space)."""
    for record in csv.reader(text, delimiter=delimiter):
        if _blank(record) or record[0].startswith("# "):
            continue
        if any("\0" in name for name in record):
            raise bad_text(source)
        refuse_wide(record, source.name)
        if delimiter == " " and len(next(row for _, row in records(source, delimiter))) == len(record) + 1:
            record = ["", *record]  # R's names of rows have no name
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
