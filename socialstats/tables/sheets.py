"""Sheets of workbooks as tables: which sheet, which row names the columns, which columns are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables.aliases import Texts
from socialstats.tables.formats import AS_CSV
from socialstats.tables.formula_cells import unguarded
from socialstats.tables.headers import check_column_names
from socialstats.tables.limits import check_limit
from socialstats.tables.sources import ByteSource
from socialstats.tables.table import Table, of_file
from socialstats.tables.workbooks import WorkbookSheet, column_letters
from socialstats.text import quoted

# how many times as many rows as others the main sheet of a workbook has
LARGER = 10


def sheet_table(sheets: Sequence[WorkbookSheet], name: str, source: ByteSource) -> Table:
    """Return a sheet of a workbook: the names of the columns stand in its first row that is not empty.

    Parameters
    ----------
    sheets : sequence of Sheet
        All that the workbook holds.
    name : str
        Of the sheet; empty for the only one that holds cells.
    source : Source

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

    title = f"{source.name}:{name}" if name else source.name
    sheet = chosen_sheet(sheets, name, title)
    alternatives = (
        [other.name for other in sheets if other is not sheet and other.rows] if not name else []
    )
    advice = (
        f"the rows are those of the sheet {quoted([sheet.name])}, beside {quoted(alternatives, 4)}"
        if alternatives
        else ""
    )
    if sheet.problems:
        raise InputError([replace(problem, source=title) for problem in sheet.problems])
    if len(sheet.rows) < 2:
        raise NothingToAnalyse(f"{title} has no rows under a header: there is nothing to analyse")
    (top, header), *body = sorted(sheet.rows.items())
    places = [place for place, _ in body]
    used = sorted({k for row in sheet.rows.values() for k, text in enumerate(row) if text})
    names = [cell_of(header, k) for k in used]
    unnamed = [k for k, column in zip(used, names, strict=True) if not column and k != used[0]]
    if unnamed:
        raise InputError(
            f"{title}: cell {column_letters(unnamed[0])}{top} is empty, and its column holds values. Write the name of "
            f"each column into row {top}, one cell each, and remove titles above it and cells that were merged"
        )
    check_limit("cells", len(used) * len(body), title, fix=AS_CSV)
    columns = [[cell_of(row, k) for _, row in body] for k in used]
    check_column_names(names, title, zip(*columns, strict=True))
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)), dtype=str)
    return of_file(
        frame,
        title,
        "row",
        locate=lambda positions: [places[position] for position in positions],
        entries=advice,
    )


def cell_of(row: Texts, k: int) -> str:
    """Return the text of a cell; rows end with their last filled one."""
    return unguarded(row[k]) if k < len(row) else ""


def chosen_sheet(sheets: Sequence[WorkbookSheet], name: str, title: str) -> WorkbookSheet:
    """Return the sheet that was named, the only one with cells, or the one beside which the others hold notes.

    Raises
    ------
    InputError, NothingToAnalyse
    """
    named = [sheet for sheet in sheets if sheet.name == name]
    if name and not named:
        listed = quoted([sheet.name for sheet in sheets], 20)
        raise InputError(f"{title}: the workbook has no such sheet. Sheets: {listed}")
    filled = named or [sheet for sheet in sheets if sheet.rows or sheet.problems]
    if len(filled) > 1 and not name:
        main = max(filled, key=lambda sheet: len(sheet.rows))
        if all(len(sheet.rows) * LARGER <= len(main.rows) for sheet in filled if sheet is not main):
            return main
        listed = quoted([sheet.name for sheet in filled], 20)
        raise InputError(
            f"{title}: {len(filled)} sheets hold cells: {listed}. Name one of them after a colon, as in "
            f"'{title}:{filled[0].name}'"
        )
    if not filled:
        raise NothingToAnalyse(f"{title} is empty: there is nothing to analyse")
    return filled[0]
