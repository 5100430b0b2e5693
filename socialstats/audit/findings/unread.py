"""Numbers of tables that no check read, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from socialstats.audit.documents.columns import kind_of
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.numbers import Finding, builtin
from socialstats.text import listing, shorten

NEEDS = {
    "p": "a p-value needs its statistic and df beside it",
    "std_error": "a standard error needs a share, or SD and n",
    "sd": "an SD needs a mean and n of whole numbers, or a standard error",
    "half": "a half width needs its s.e.",
    "mean": "a mean needs n, and numbers that are whole",
    "value": "no check knows what it measures",
    "n": "a size needs a mean, a share or a total beside it",
    "count": "a count needs its total and the percentage",
    "share": "a share needs its count or its n beside it",
    "percent": "a percentage needs its count and its total",
    "total": "a total needs its parts",
    "t": "t needs df and p, or means, SDs and n",
    "F": "F needs both df and p",
    "z": "z needs p",
    "chi2": "chi-square needs df and p",
    "r": "r needs df and p",
    "df": "df need a statistic and p",
}
UNKNOWN = "no check knows what it is"
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Numbers of one column that no check read.

    Attributes
    ----------
    table, column : str
    cells, of : int
        How many numbers of the column no check read, and how many numbers the column has.
    reason : str
        What a check would need.
    odd : tuple of str
        Cells that hold digits and could not be read as a number, with their places.
    """

    table: str
    column: str
    cells: int
    of: int
    reason: str
    odd: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only."""
        return builtin(self)


def unread_cells(
    sheets: Iterable[Sheet], findings: Iterable[Finding], *, guessed: bool
) -> tuple[tuple[Unread, ...], int]:
    """Return the columns with numbers that no check read, and how many numbers the tables hold.

    A number is read by a check that agrees or disagrees. A number inside a guessed range has not been checked.
    """
    read = {
        cell
        for finding in findings
        for cell in finding.cells
        if finding.verdict in ("agree", "disagree") and not (guessed and finding.rule == "within")
    }
    columns, numbers = [], 0
    for sheet in sheets:
        for column in sheet.columns:
            unread = _unread_column(sheet, column, read)
            numbers += unread.of
            if unread.cells or unread.odd:
                columns.append(unread)
    return tuple(columns), numbers


def _unread_column(sheet: Sheet, column: str, read: Collection[tuple[str, int, str]]) -> Unread:
    """Return how many numbers of a column no check read, and its cells that are no numbers, if these are fewer."""
    total = unread = 0
    odd = []
    for row in range(len(sheet.rows)):
        text = sheet.rows[row][column].strip()
        if sheet.reading.is_number(text):
            total += 1
            unread += sheet.cell(row, column).key not in read
        elif text.casefold() not in sheet.reading.no_numbers and any(ch.isdigit() for ch in text):
            odd.append(f"line {sheet.line_of(row, column)}: '{shorten(text, 30)}'")
    return Unread(
        table=sheet.name,
        column=column,
        cells=unread,
        of=total,
        reason=NEEDS.get(kind_of(column)[0], UNKNOWN),
        odd=tuple(odd) if total > len(odd) else (),
    )


def unread_text(unread: Iterable[Unread], numbers: int) -> str:
    """State how many numbers no check read, and in which columns.

    Examples
    --------
    >>> one = Unread(table="t", column="n", cells=2, of=2, reason="")
    >>> unread_text([one], 6), unread_text([], 6)
    ('2 of 6 cells unchecked: n (2)', 'all 6 cells checked')
    """
    columns = sorted((c for c in unread if c.cells), key=lambda column: -column.cells)
    if not columns:
        return f"all {numbers:,} cells checked" if numbers else ""
    names = [f"{shorten(column.column, 30)} ({column.cells:,})" for column in columns]
    total = sum(column.cells for column in columns)
    return f"{total:,} of {numbers:,} cells unchecked: {listing(names, MOST_NAMED)}"
