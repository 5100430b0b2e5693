"""Published tables as they are printed: every cell a string with its line, read as a number when a rule asks for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from socialstats.audit.numbers import Printed, Rounding, decimals_of, is_number, located, printed
from socialstats.errors import InputError, Problem
from socialstats.text import quoted, shorten

MISSING = (
    "",
    "-",
    "--",
    "—",
    "–",
    "na",
    "n/a",
    "nan",
    "none",
    "null",
    ".",
    "nr",
    "n.r.",
    "n.s.",
    "ns",
)
LOOKED_AT = 50  # rows that tell which columns hold labels


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the numbers of a table are printed.

    Attributes
    ----------
    decimals : int, "column", "printed" or mapping of column to these
        ``printed``: as each string shows. ``column``: as many as the most precise cell of the column, for tables that
        lost their trailing zeros. A number: so many everywhere.
    rounding : {"half", "truncate", "floor", "ceil", "any"}
    decimal : {".", ","}
    strip : str
        Characters around numbers that mean nothing, such as ``*†``.
    missing : tuple of str
        Further cells that hold no number (upper and lower case alike).
    lenient : bool
        Whether a cell that is no number counts as missing, and is no error: nobody chose the columns of a document.
    """

    decimals: int | str | Mapping[str, int | str] = "printed"
    rounding: Rounding = "half"
    decimal: Literal[".", ","] = "."
    strip: str = ""
    missing: tuple[str, ...] = ()
    lenient: bool = False

    @cached_property
    def how(self) -> dict[str, Any]:
        """The settings of `printed`."""
        return {"rounding": self.rounding, "decimal": self.decimal, "strip": self.strip}

    def number(self, text: str) -> Printed:
        """Read a cell as a printed number."""
        return printed(text, **self.how)

    def is_number(self, text: str) -> bool:
        """Return whether a cell is a printed number."""
        return is_number(text, **self.how)

    @cached_property
    def no_numbers(self) -> frozenset[str]:
        """The cells that hold no number, in lower case."""
        return frozenset((*MISSING, *(text.casefold() for text in self.missing)))

    def is_missing(self, text: str) -> bool:
        """Return whether a cell says that there is no number; marks alone, or after a word, say nothing: ``ns*``."""
        plain = text.strip().casefold()
        bare = plain.strip(self.strip.casefold()).strip()
        return not self.no_numbers.isdisjoint((plain, bare))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A printed number and its place; `source` (the file) is empty for a constant of the rules file.

    `computed` tells that the number was computed from answers, not printed. `head` is the head above it in the
    document, where the rows of a table were made columns.
    """

    number: Printed | None
    text: str
    source: str = ""
    row: int = -1
    line: int = 0
    column: str = ""
    computed: bool = False
    head: str = ""

    @property
    def place(self) -> tuple[str, int]:
        """File and line."""
        return self.source, self.line

    @property
    def key(self) -> tuple[str, int, str]:
        """File, line and column."""
        return self.source, self.line, f"{self.head} / {self.column}" if self.head else self.column


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A published table.

    Attributes
    ----------
    name : str
        Name in the rules file.
    columns : tuple of str
    rows : tuple of mapping of column to str
    lines : tuple of int
        Line of each row in its file.
    sources : tuple of str
        File of each row.
    reading : Reading
    names : mapping of column to mapping of label to label
        Other spellings, replaced when keys are compared.
    title : str
        The caption, where the document has one.
    numbers : mapping of row to Printed, optional
        Of a table that was computed from answers: the numbers of its column ``value``, None where there is a reason.
    turned : mapping of column to int, optional
        Of a table whose rows were made columns: the line that each column has in the document.
    bold : set of row and column
        Numbers that the document prints bold.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    lines: tuple[int, ...]
    sources: tuple[str, ...]
    reading: Reading = field(default_factory=Reading)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    title: str = ""
    numbers: Mapping[int, Printed | None] | None = None
    turned: Mapping[str, int] | None = None
    bold: frozenset[tuple[int, str]] = frozenset()

    def line_of(self, row: int, column: str) -> int:
        """Return the line in which the document prints a cell."""
        return self.lines[row] if self.turned is None else self.turned.get(column, self.lines[row])

    @property
    def places(self) -> set[tuple[str, int]]:
        """File and line of every row."""
        lines = zip(self.sources, self.lines, strict=True)
        return {*lines, *((self.sources[0], line) for line in (self.turned or {}).values())}

    def label(self, row: int, column: str) -> str:
        """Return a label in the spelling that keys are compared in."""
        text = self.rows[row][self.known(column)].strip()
        return self.names.get(column, {}).get(text, text)

    def known(self, column: str) -> str:
        """Return a column's name, or raise with the columns that there are."""
        if column not in self.columns:
            raise InputError(
                Problem(
                    source=self.name,
                    message=f"there is no column '{shorten(column)}'",
                    fix=f"Columns: {quoted(self.columns, 20)}",
                )
            )
        return column

    def where(self, *filters: Mapping[str, Any]) -> list[int]:
        """Return the rows that are wanted: column = label, a list of labels, or ``{not = label}``."""
        rules = [(column, rule) for where in filters for column, rule in where.items()]
        rows = range(len(self.rows))
        return [
            row
            for row in rows
            if all(_wanted(self.label(row, column), rule) for column, rule in rules)
        ]

    def cell(self, row: int, column: str) -> Cell:
        """Return a cell as a number."""
        text = self.rows[row][self.known(column)]
        computed = self.numbers is not None and column == "value"
        number = self.numbers[row] if self.numbers and computed else self._number(row, column)
        head = self.rows[row][self.columns[0]] if self.turned else ""
        return Cell(
            number=number,
            text=text,
            source=self.sources[row],
            row=row,
            line=self.line_of(row, column),
            column=column,
            computed=computed,
            head=head,
        )

    def _number(self, row: int, column: str) -> Printed | None:
        """Read a cell as its number; None where it holds none, or repeats the head of its column."""
        text, reading = self.rows[row][column], self.reading
        head = text.strip().casefold() == column.strip().casefold()
        if head or reading.is_missing(text) or (reading.lenient and not reading.is_number(text)):
            return None
        decimals = reading.decimals
        if isinstance(decimals, Mapping):
            decimals = decimals[column]
        line = self.line_of(row, column)
        place = Problem(message="", source=self.sources[row], column=column, lines=(line,))
        number = located(text, place, **reading.how)
        if not isinstance(decimals, int) or number.relation != "=" or "e" in text.lower():
            return number  # as printed; "column" was settled when the table was read
        return located(text, place, decimals=decimals, **reading.how)


def label_columns(sheet: Sheet) -> tuple[str, ...]:
    """Return the columns that hold text in most of the first rows."""
    first = sheet.rows[:LOOKED_AT]
    texts = {
        column: sum(
            bool(row[column].strip()) and not sheet.reading.is_number(row[column]) for row in first
        )
        for column in sheet.columns
    }
    return tuple(column for column in sheet.columns if texts[column] > len(first) / 2)


def most_decimals(sheet: Sheet, column: str) -> int:
    """Return the decimals of the most precise number of a column."""
    most = 0
    for row in sheet.rows:
        text = row[column]
        # a missing cell, or one that is refused where it is used, has no decimals
        if sheet.reading.is_number(text) and "e" not in text.lower():
            number = sheet.reading.number(text)
            most = max(most, decimals_of(number.unit) if number.relation == "=" else 0)
    return most


def read_sheet(
    name: str,
    files: Sequence[str | os.PathLike[str]],
    *,
    reading: Reading | None = None,
    names: Mapping[str, Mapping[str, str]] | None = None,
) -> Sheet:
    """Read a published table from one file, or from several that continue each other.

    Raises
    ------
    InputError
        For files that cannot be read, or whose columns differ.
    """
    import narwhals as nw

    from socialstats.tables import read_table

    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    sources: list[str] = []
    columns: tuple[str, ...] = ()
    for file in files:
        table = read_table(file)
        if columns and set(table.columns) != set(columns):
            raise InputError(f"table '{name}': {table.source} has other columns than {sources[0]}")
        columns = columns or table.columns
        frame: Any = table.frame.collect() if isinstance(table.frame, nw.LazyFrame) else table.frame
        cells = [
            {column: "" if cell is None else str(cell) for column, cell in row.items()}
            for row in frame.iter_rows(named=True)
        ]
        size = len(cells)
        rows += cells
        lines += table.locate(range(size)) if table.locate else range(1, size + 1)
        sources += [table.source] * size
    sheet = Sheet(
        name=name,
        columns=columns,
        rows=tuple(rows),
        lines=tuple(lines),
        sources=tuple(sources),
        reading=reading or Reading(),
        names=names or {},
    )
    decimals = sheet.reading.decimals
    settings = dict.fromkeys(columns, decimals if not isinstance(decimals, Mapping) else "printed")
    if isinstance(decimals, Mapping):
        general = decimals.get("*", "printed")
        settings = {column: decimals.get(column, general) for column in columns}
    counted = {
        column: most_decimals(sheet, column) if setting == "column" else setting
        for column, setting in settings.items()
    }
    return replace(sheet, reading=replace(sheet.reading, decimals=counted))


def _wanted(label: str, rule: Any) -> bool:
    if isinstance(rule, Mapping):
        return not _wanted(label, rule.get("not", ()))
    if isinstance(rule, list | tuple):
        return any(_wanted(label, label_rule) for label_rule in rule)
    return label == str(rule)
