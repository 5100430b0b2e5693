"""Bold numbers: the rules that each is the best of its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from socialstats.audit.numbers import Printed
from socialstats.audit.rules.margins import PrintedTable
from socialstats.audit.rules.rule import CERTAIN, LIKELY, Rule

CAPTION = re.compile(r"\bbold(?:face|faced)?\b|\bfett\b|\bgras\b|\bnegrita\b", re.IGNORECASE)
BEST = re.compile(
    r"\b(?:best|highest|top|largest|lowest|strongest|beste[nrs]?|meilleurs?|mejor(?:es)?)\b",
    re.IGNORECASE,
)
LOWER = re.compile(r"↓|\blower is better\b", re.IGNORECASE)
# bold numbers that are the best of their columns, where no caption says what bold means
EVIDENCE = 3
FEWEST_ROWS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BoldNumber:
    """The one bold number of a column, or of a section of it.

    Attributes
    ----------
    column, section : str
    row : int
    rows : sequence of int
        Rows that it is compared with.
    """

    column: str
    section: str
    row: int
    rows: Sequence[int]


def bold_rules(table: PrintedTable) -> Iterator[Rule]:
    """Yield that bold numbers are the largest of their columns; the smallest where a head has ↓.

    They are where the caption says that the best is bold, or where nearly all are. Bold that marks the best column of
    each row, or several numbers of a column, is left alone.
    """
    bold = [*_bold_numbers(table)]
    failing = [one for one in bold if not _is_best(table, one)]
    title = table.sheet.title
    stated = CAPTION.search(title) is not None and BEST.search(title) is not None
    n_best = len(bold) - len(failing)
    if not stated and (n_best < EVIDENCE or len(failing) > 1):
        return
    if failing and _marks_columns(table):
        return
    for one in bold:
        section = {"section": one.section} if one.section else {}
        labels = table.labels_of(*one.rows)
        parts = {"column": one.column, "by": {}, "where": {table.label: labels, **section}}
        yield Rule(
            name=f"{table.name}: extreme of {one.column}",
            check="extreme",
            table=table.name,
            parameters={"value": one.column, "parts": parts},
            where={table.label: table.labels_of(one.row)[0], **section},
            options={"which": "smallest" if _is_smallest(table, one) else "largest"},
            assumes="the best numbers of their columns, as they are bold",
            odds=CERTAIN if stated else LIKELY,
        )


def _bold_numbers(table: PrintedTable) -> Iterator[BoldNumber]:
    sheet = table.sheet
    left_out = {*table.totals, *table.means, *table.apart, *table.references}
    sections = dict.fromkeys(row.get("section", "") for row in sheet.rows)
    for column in table.values:
        for section in sections:
            rows = [
                row
                for row, cells in enumerate(sheet.rows)
                if cells.get("section", "") == section and row not in left_out
            ]
            bold = [row for row in rows if (row, column.name) in sheet.bold]
            labels = table.labels_of(*rows)
            if len(bold) == 1 and len(rows) >= FEWEST_ROWS and len({*labels}) == len(labels):
                others = [row for row in rows if row != bold[0]]
                yield BoldNumber(column=column.name, section=section, row=bold[0], rows=others)


def _number_at(table: PrintedTable, row: int, column: str) -> Printed | None:
    return table.sheet.cell(row, column).number


def _compared(table: PrintedTable, bold: BoldNumber) -> tuple[Printed, list[Printed]] | None:
    """Return the bold number and those that it is compared with; None where there are none."""
    number = _number_at(table, bold.row, bold.column)
    numbers = [_number_at(table, row, bold.column) for row in bold.rows]
    present = [one for one in numbers if one is not None]
    return (number, present) if number is not None and present else None


def _is_smallest(table: PrintedTable, bold: BoldNumber) -> bool:
    """Whether the smallest number is the best: a head says so, or the bold number is the smallest one."""
    compared = _compared(table, bold)
    smallest = compared is not None and all(
        compared[0].value < number.value for number in compared[1]
    )
    return smallest or LOWER.search(bold.column) is not None


def _is_best(table: PrintedTable, bold: BoldNumber) -> bool:
    compared = _compared(table, bold)
    if compared is None:
        return True
    number, numbers = compared
    if _is_smallest(table, bold):
        return all(number.value <= one.value for one in numbers)
    return all(number.value >= one.value for one in numbers)


def _marks_columns(table: PrintedTable) -> bool:
    """Whether bold marks the best column of each row: several rows have one bold number, which is the largest."""
    sheet, columns = table.sheet, [column.name for column in table.values]
    best = n_bold = 0
    for row in range(len(sheet.rows)):
        bold = [name for name in columns if (row, name) in sheet.bold]
        numbers = {name: _number_at(table, row, name) for name in columns}
        values = {name: number.value for name, number in numbers.items() if number is not None}
        if len(bold) > 1 or not values.keys() >= {*bold}:
            return False
        n_bold += len(bold)
        best += sum(values[name] == max(values.values()) for name in bold)
    return n_bold > 1 and best == n_bold
