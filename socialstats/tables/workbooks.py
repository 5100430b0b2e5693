"""Workbooks of spreadsheet programs: the one sheet that holds cells, or the one that is named; every cell as text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.tables.formats import Format
from socialstats.tables.headers import check_names
from socialstats.tables.table import Table
from socialstats.tables.text import Source
from socialstats.tables.typed import reader_of
from socialstats.tables.values import as_text
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd

ENGINES: dict[Format, str] = {"xlsx": "openpyxl", "ods": "odf"}
# A cell with a formula and no value: it was written by a program that computes nothing. Text that is empty is a value.
UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]*\bt=\"str\")[^>]*\br=\"([A-Z]+[0-9]+)\"[^>]*>\s*<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)"
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</"
)


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
    MissingDependency
        Without the package that reads the format.
    """
    import pandas as pd

    with reader_of(source, format):
        with source.open() as stream:
            sheets = pd.read_excel(
                stream, sheet_name=None, header=None, dtype=object, na_filter=False, engine=ENGINES[format]
            )  # type: ignore[call-overload]
        missing = _uncomputed(source) if format == "xlsx" else set()
    source = replace(source, name=f"{source.name}:{sheet}") if sheet else source
    cells = _cells(_chosen(sheets, sheet, source), missing, source)
    rows = np.flatnonzero((cells != "").any(axis=1))
    if len(rows) < 2:
        raise NothingToAnalyse(f"{source.name} has no rows under a header: there is nothing to analyse")
    header, body = cells[rows[0]], cells[rows[1:]]
    used = (header != "") | (body != "").any(axis=0)
    first = int(np.argmax(used))
    unnamed = [place for place in np.flatnonzero(used & (header == "")).tolist() if place != first]
    if unnamed:
        cell = f"{_letters(unnamed[0])}{rows[0] + 1}"
        raise InputError(
            f"{source.name}: cell {cell} is empty, and its column holds values. Write the name of each column into "
            f"row {rows[0] + 1}, one cell each, and remove titles above it and cells that were merged"
        )
    names = header[used].tolist()
    check_names(names, source.name, map(np.ndarray.tolist, body[:, used]))
    frame = pd.DataFrame({name: pd.Series(body[:, used][:, k], dtype=str) for k, name in enumerate(names)})
    places = (rows[1:] + 1).tolist()

    def locate(positions: Sequence[int]) -> list[int]:
        return [places[position] for position in positions]

    return Table(
        frame=nw.from_native(frame), columns=tuple(names), source=source.name, unit="row", is_file=True, locate=locate
    )


def _chosen(sheets: dict[str, pd.DataFrame], sheet: str, source: Source) -> pd.DataFrame:
    """Return the sheet that was named, or the only one with cells."""
    if sheet and sheet not in sheets:
        raise InputError(f"{source.name}: the workbook has no such sheet. Sheets: {quoted([*sheets], 20)}")
    held = [name for name, cells in sheets.items() if (cells != "").any(axis=None)]
    if not sheet and len(held) > 1:
        raise InputError(
            f"{source.name}: {len(held)} sheets hold cells: {quoted(held, 20)}. Name one of them after a colon, "
            f"as in '{source.name}:{held[0]}'"
        )
    if not held:
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    return sheets[sheet or held[0]]


def _cells(frame: pd.DataFrame, missing: set[str], source: Source) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the cells as text; cells without a usable value are refused."""
    cells = np.full(frame.shape, "", dtype=object)
    problems = []
    for (row, column), value in np.ndenumerate(frame.to_numpy(dtype=object)):
        cells[row, column] = cell_text(value)
        name, message = f"{_letters(column)}{row + 1}", ""
        if value != value:
            message, fix = "an error (such as #N/A or #DIV/0!)", "Correct it, or empty it where a value is missing"
        elif value == "" and name in missing:
            message, fix = "a formula without its value", "Open the file in a spreadsheet program and save it there"
        if message:
            problems.append(Problem(message=f"cell {name} holds {message}", source=source.name, fix=fix))
    if problems:
        raise InputError(problems)
    return cells


def cell_text(value: Any) -> str:
    """Return a cell as text, as a csv file would hold it.

    Examples
    --------
    >>> cell_text(3.0), cell_text(2.5), cell_text(True), cell_text("007"), cell_text(datetime(2026, 1, 31))
    ('3', '2.5', 'TRUE', '007', '2026-01-31')
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    return as_text(value) or ""


def _letters(column: int) -> str:
    """Return the letters of a column (from 0) of a spreadsheet."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _uncomputed(source: Source) -> set[str]:
    """Return the cells of any sheet that hold a formula and no value."""
    found: set[str] = set()
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                found |= {cell.decode() for cell in UNCOMPUTED.findall(archive.read(name))}
    return found
