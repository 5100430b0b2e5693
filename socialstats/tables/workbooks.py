"""Sheets of workbooks (.xlsx, .ods): cells as the text that a csv file would hold.

The XML parts are read piece by piece, so that a workbook needs the memory of its cells only. Entities, with which a
small file can make a long text, are refused. Sources: ECMA-376 part 1, sections 18.3 and 18.8 (SpreadsheetML);
OpenDocument 1.3 part 3, section 9 (tables).
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from xml.parsers import expat

from socialstats.errors import InputError, Problem
from socialstats.tables.aliases import Bytes
from socialstats.tables.labels import label_text
from socialstats.tables.limits import RATIO_FROM, exceeded, limit

# bytes of XML parsed at a time
BLOCK = 1 << 16
# letters of a column: the last one is XFD
MOST_LETTERS = 3
# what an Excel worksheet holds
MOST_ROWS = 1 << 20
# cells without a usable value that are listed
MOST_PROBLEMS = 1000
CORRECT = "Correct it, or empty it where a value is missing"
SAVE = "Open the file in a spreadsheet program and save it there"
ERROR = "an error (such as #N/A or #DIV/0!)"
Attributes = Mapping[str, str]
Start = Callable[[str, Attributes], None]
Use = Callable[[str], None]


def ignored(*_: object) -> None:
    """Do nothing with the tag or text of an element."""


@dataclass(slots=True)
class WorkbookSheet:
    """A sheet as it is read.

    Attributes
    ----------
    name : str
    source : str
        The workbook, for messages.
    rows : dict of int to list of str
        Cells of each row that has a filled one, by the number of the row (from 1); "" for an empty cell.
    problems : list of Problem
        Cells without a usable value.
    """

    name: str
    source: str
    rows: dict[int, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _cells: int = 0
    _most: tuple[float, float] = field(default_factory=lambda: (limit("columns"), limit("cells")))
    _texts: dict[str, str] = field(default_factory=dict)

    def put(self, row: int, column: int, text: str, columns: int = 1) -> None:
        """Fill a cell (column from 0), or several equal ones beside each other.

        Raises
        ------
        InputError
            If the sheet has more cells, or columns, than the limits allow.
        """
        last = column + columns
        if last > self._most[0]:
            raise exceeded("columns", self.source)
        cells = self.rows.setdefault(row, [])
        before = len(cells)
        cells.extend([""] * (last - before))
        self._count(len(cells) - before)
        # one object for equal texts
        text = self._texts.setdefault(text, text)
        cells[column:last] = [text] * columns

    def repeat(self, row: int, times: int) -> None:
        """Copy a row into those below it; a row stands `times` times in all."""
        if cells := self.rows.get(row):
            self._count(len(cells) * (times - 1))
            # repeated rows share one list: nothing is written to them later
            self.rows.update(dict.fromkeys(range(row + 1, row + times), cells))

    def _count(self, cells: int) -> None:
        self._cells += cells
        if self._cells > self._most[1]:
            raise exceeded("cells", self.source, fix="Save the sheet as CSV (UTF-8)")

    def refuse(self, row: int, column: int, what: str, fix: str) -> None:
        """Note a cell that has no usable value."""
        if len(self.problems) < MOST_PROBLEMS:
            message = f"cell {column_letters(column)}{row} holds {what}"
            self.problems.append(Problem(message=message, source=self.source, fix=fix))


def column_letters(column: int) -> str:
    """Return the letters of a column (from 0) of a spreadsheet.

    Examples
    --------
    >>> column_letters(0), column_letters(25), column_letters(26)
    ('A', 'Z', 'AA')
    """
    letters, column = "", column + 1
    while column:
        column, remainder = divmod(column - 1, 26)
        letters = chr(65 + remainder) + letters
    return letters


def number_text(text: str) -> str:
    """Return a number of a cell as a csv file would hold it: whole numbers without decimals.

    Examples
    --------
    >>> number_text("3.0"), number_text("0.10000000000000001"), number_text("1E20")
    ('3', '0.1', '100000000000000000000')
    """
    return label_text(int(text) if text.lstrip("-").isdecimal() else float(text)) or ""


def date_text(value: datetime) -> str:
    """Return a date, or a date with its time.

    Examples
    --------
    >>> date_text(datetime(2026, 1, 31)), date_text(datetime(2026, 1, 31, 13, 30))
    ('2026-01-31', '2026-01-31 13:30:00')
    """
    return value.isoformat(sep=" ").removesuffix(" 00:00:00")


class WorkbookArchive:
    """The zip file of a workbook, whose parts are read within limits.

    Parameters
    ----------
    stream
    source
        Name for messages.
    """

    def __init__(self, stream: Bytes, source: str) -> None:
        self._zip, self._source, self._total = zipfile.ZipFile(stream), source, 0
        self.names = frozenset(self._zip.namelist())

    def parse(
        self,
        name: str,
        start: Start,
        end: Use = ignored,
        text: Use = ignored,
        *,
        needed: bool = True,
    ) -> None:
        """Parse a part; the functions get the names of elements without their prefixes.

        A part that is not needed may be absent.

        Raises
        ------
        InputError
            If it unpacks to more than the limits allow, or declares entities.
        """
        if not needed and name not in self.names:
            return
        parser = expat.ParserCreate()
        parser.buffer_text = True
        # prefixes of namespaces are up to the program that wrote the file
        local = cache(lambda name: name.rpartition(":")[2])
        parser.StartElementHandler = lambda name, attributes: start(local(name), attributes)
        parser.EndElementHandler = lambda name: end(local(name))
        parser.CharacterDataHandler = text
        # entities that name each other can grow without end (billion laughs)
        parser.EntityDeclHandler = self._refuse_entity
        size, packed = 0, self._zip.getinfo(name).compress_size
        with self._zip.open(name) as stream:
            while block := stream.read(BLOCK):
                size, self._total = size + len(block), self._total + len(block)
                if self._total > limit("bytes"):
                    raise exceeded("bytes", self._source)
                # small parts may be packed very well: a ratio is no sign of a bomb there
                if size > RATIO_FROM and size > limit("ratio") * packed:
                    raise exceeded("ratio", self._source)
                parser.Parse(block, False)
        parser.Parse(b"", True)

    def elements(self, name: str, *, needed: bool = True) -> list[tuple[str, Attributes]]:
        """Return the elements of a small part in order, with their attributes."""
        found: list[tuple[str, Attributes]] = []
        self.parse(name, lambda tag, attributes: found.append((tag, attributes)), needed=needed)
        return found

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise InputError(
            f"{self._source}: its XML declares the entity '{name[:20]}', which no workbook needs. {SAVE}"
        )


def read_sheets(stream: Bytes, format: str, source: str, only: str = "") -> list[WorkbookSheet]:
    """Read the sheets of a workbook; all of them are listed, and of these `only` is read where it is given.

    Raises
    ------
    InputError
        For a workbook beyond the limits.
    Exception
        Of several kinds, for a damaged file.
    """
    archive = WorkbookArchive(stream, source)
    return (_Xlsx if format == "xlsx" else _Ods)(archive, source, only).sheets


REFERENCE = re.compile(rf"([A-Z]{{1,{MOST_LETTERS}}})([1-9][0-9]*)")
WORKBOOK = "xl/workbook.xml"
# day 0, by whether the workbook counts from 1904
EPOCHS = {
    False: datetime(1899, 12, 30),
    True: datetime(1904, 1, 1),
}
# built-in formats of dates, times
DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
# [h]:mm:ss
DURATION = 46
NOT_PRINTED = re.compile(r'"[^"]*"|\\.|_.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
# days of 1900 that Excel counts one too high: it has a 29 February 1900
LEAP_BUG = 60


class _Xlsx:
    """An Excel workbook; `sheets` is what it holds."""

    def __init__(self, archive: WorkbookArchive, source: str, only: str) -> None:
        self._archive, self._epoch = archive, EPOCHS[False]
        self.sheets: list[WorkbookSheet] = []
        self._strings: list[str] = []
        # what numbers are, by the style of their cell: "", "date" or "duration"
        self._kinds: list[str] = []
        self._each("xl/sharedStrings.xml", "si", self._strings.append, needed=False)
        self._read_styles("xl/styles.xml")
        targets = {
            attributes["Id"]: posixpath.normpath(
                posixpath.join("/xl", attributes["Target"])
            ).lstrip("/")
            for tag, attributes in archive.elements("xl/_rels/workbook.xml.rels")
            if tag == "Relationship" and attributes.get("Type", "").endswith("/worksheet")
        }
        listed: list[tuple[str, str]] = []
        for tag, attributes in archive.elements(WORKBOOK):
            if tag == "workbookPr":
                self._epoch = EPOCHS[attributes.get("date1904", "0") in ("1", "true")]
            elif tag == "sheet":
                place = next(
                    (
                        value
                        for name, value in attributes.items()
                        if name.rpartition(":")[2] == "id"
                    ),
                    "",
                )
                listed.append((attributes["name"], targets.get(place, "")))
        for name, part in listed:
            if part in archive.names:
                sheet = WorkbookSheet(name, source)
                self.sheets.append(sheet)
                if only in ("", name):
                    self._read_sheet(sheet, part)

    def _each(
        self, part: str, root: str, use: Use, start: Start = ignored, *, needed: bool = True
    ) -> None:
        """Hand on the text of each element of a tag; spellings for readers of Japanese (rPh) are no part of it."""
        pieces: list[str] = []
        inside = phonetic = False

        def begin(tag: str, attributes: Attributes) -> None:
            nonlocal inside, phonetic
            # phonetic guides repeat a text in another script
            inside, phonetic = tag in ("t", "v"), phonetic or tag == "rPh"
            start(tag, attributes)

        def end(tag: str) -> None:
            nonlocal inside, phonetic
            inside, phonetic = False, phonetic and tag != "rPh"
            if tag == root:
                use("".join(pieces))
                pieces.clear()

        def text(data: str) -> None:
            if inside and not phonetic:
                pieces.append(data)

        self._archive.parse(part, begin, end, text, needed=needed)

    def _read_styles(self, part: str) -> None:
        """Read which styles of cells show numbers as dates or durations."""
        codes: dict[int, str] = {}
        inside = ""
        for tag, attributes in self._archive.elements(part, needed=False):
            if tag == "numFmt":
                codes[int(attributes["numFmtId"])] = attributes.get("formatCode", "")
            elif tag in ("cellXfs", "cellStyleXfs", "dxfs"):
                inside = tag
            # cells name their style by its place among cellXfs
            elif tag == "xf" and inside == "cellXfs":
                self._kinds.append(time_kind(int(attributes.get("numFmtId", "0")), codes))

    def _read_sheet(self, sheet: WorkbookSheet, part: str) -> None:
        """Read the cells of a worksheet."""
        rows = row = column = 0
        attributes: Attributes = {}
        formula = False

        def start(tag: str, given: Attributes) -> None:
            nonlocal rows, row, column, attributes, formula
            match tag:
                case "c":
                    attributes, formula = given, False
                    column += 1
                    # the reference of a cell is optional: without one it follows the cell before it
                    if place := REFERENCE.fullmatch(given.get("r", "")):
                        row, column = int(place[2]), column_number(place[1])
                case "row":
                    row, column, rows = int(given.get("r", row + 1)), 0, rows + 1
                    if rows > MOST_ROWS:
                        raise InputError(
                            f"{sheet.source}: it has more rows than a worksheet holds, {MOST_ROWS:,}. {SAVE}"
                        )
                case "f":
                    formula = True

        def use(value: str) -> None:
            self._put(sheet, row, column - 1, attributes, value, formula=formula)

        self._each(part, "c", use, start)

    def _put(
        self,
        sheet: WorkbookSheet,
        row: int,
        column: int,
        attributes: Attributes,
        value: str,
        *,
        formula: bool,
    ) -> None:
        """Write the value of a cell into a sheet."""
        kind = attributes.get("t", "n")
        if not value:
            # a program that computes nothing wrote it; text that is empty is a value
            if formula and kind != "str":
                sheet.refuse(row, column, "a formula without its value", SAVE)
            return
        match kind:
            case "s":
                value = self._strings[int(value)]
            case "b":
                value = "TRUE" if int(value) else "FALSE"
            case "n":
                style = int(attributes.get("s", "0"))
                value = self._number(value, self._kinds[style] if style < len(self._kinds) else "")
            case "d":
                value = date_text(datetime.fromisoformat(value))
        if kind == "e" or (kind == "n" and not value):
            sheet.refuse(row, column, ERROR, CORRECT)
        elif value:
            sheet.put(row, column, value)

    def _number(self, value: str, kind: str) -> str:
        """Return a number as text, a date or a duration where it is shown as one; empty for a day of no calendar."""
        if not kind:
            return number_text(value)
        try:
            days = float(value)
            return (
                str(timedelta(milliseconds=round(days * 86_400_000)))
                if kind == "duration"
                else self._date(days)
            )
        except (OverflowError, ValueError):
            return ""

    def _date(self, days: float) -> str:
        day, part = divmod(days, 1)
        # a day is a fraction of 1, whose digits below a millisecond are rounding
        clock = timedelta(milliseconds=round(part * 86_400_000))
        if 0 <= days < 1 and not clock.days:
            return str((datetime.min + clock).time())
        day += 0 < days < LEAP_BUG and self._epoch == EPOCHS[False]
        return date_text(self._epoch + timedelta(days=day) + clock)


def column_number(column: str) -> int:
    """Return the number (from 1) of a column by its letters.

    Examples
    --------
    >>> column_number("A"), column_number("AA"), column_number("XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in column:
        number = 26 * number + ord(letter) - 64
    return number


def time_kind(format: int, codes: Mapping[int, str]) -> str:
    """Return whether a format of numbers shows a ``"date"`` (or a time), a ``"duration"``, or neither.

    Examples
    --------
    >>> time_kind(14, {}), time_kind(164, {164: "[h]:mm"}), time_kind(164, {164: '0.0 "days"'})
    ('date', 'duration', '')
    """
    if format not in codes:
        return "duration" if format == DURATION else "date" if format in DATES else ""
    # the section before the first semicolon is that of positive numbers
    text = NOT_PRINTED.sub("", codes[format].partition(";")[0]).lower()
    if re.search(r"\[(?:hh?|mm?|ss?)\]", text):
        return "duration"
    return "date" if re.search("[dmhys]", text) and "general" not in text else ""


CLOCK = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S")
# that one element may stand for
MOST_SPACES = 1_000_000


class _Ods:
    """An OpenDocument spreadsheet; `sheets` is what it holds."""

    def __init__(self, archive: WorkbookArchive, source: str, only: str) -> None:
        self.sheets: list[WorkbookSheet] = []
        self._source, self._only, self._open = source, only, False
        self._row = self._column = self._times = 0
        self._cell: Attributes = {}
        self._pieces: list[str] = []
        self._paragraphs = self._notes = 0
        self._in_paragraph = False
        archive.parse("content.xml", self._start, self._end, self._text)

    def _start(self, tag: str, attributes: Attributes) -> None:
        match tag:
            case "table":
                name = attributes.get("table:name", "")
                self.sheets.append(WorkbookSheet(name, self._source))
                self._row, self._times, self._open = 1, 0, self._only in ("", name)
            case "table-row":
                self._row, self._column = self._row + self._times, 0
                self._times = int(attributes.get("table:number-rows-repeated", "1"))
            case "table-cell" | "covered-table-cell":
                self._cell, self._paragraphs = attributes, 0
                self._pieces.clear()
            case "annotation":
                self._notes += 1
            case "p" if not self._notes:
                self._pieces += ["\n"] if self._paragraphs else []
                self._paragraphs, self._in_paragraph = self._paragraphs + 1, True
            case "s" | "tab" | "line-break" if not self._notes:
                spaces = int(attributes.get("text:c", "1"))
                if spaces > MOST_SPACES:
                    raise InputError(
                        f"{self._source}: a cell with {spaces:,} spaces, which no table needs. Shorten it"
                    )
                self._pieces.append({"s": " " * spaces, "tab": "\t"}.get(tag, "\n"))

    def _end(self, tag: str) -> None:
        match tag:
            case "table-cell" | "covered-table-cell":
                self._put(
                    int(self._cell.get("table:number-columns-repeated", "1")),
                    covered=tag != "table-cell",
                )
            case "table-row" if self._open:
                self.sheets[-1].repeat(self._row, self._times)
            case "annotation":
                self._notes -= 1
            case "p":
                self._in_paragraph = False

    def _text(self, data: str) -> None:
        if self._in_paragraph and not self._notes:
            self._pieces.append(data)

    def _put(self, columns: int, *, covered: bool) -> None:
        """Write the value of a cell, or of several equal ones, into the sheet."""
        column, self._column = self._column, self._column + columns
        shown, kind = "".join(self._pieces), self._cell.get("office:value-type", "")
        # cells that a merged one covers keep their old values
        if not self._open or covered or not kind:
            return
        if shown == "#N/A" or self._cell.get("calcext:value-type") == "error":
            self.sheets[-1].refuse(self._row, column, ERROR, CORRECT)
        elif text := self._value(kind, shown):
            self.sheets[-1].put(self._row, column, text, columns)

    def _value(self, kind: str, text: str) -> str:
        cell = self._cell
        match kind:
            case "float" | "percentage" | "currency":
                return number_text(cell["office:value"])
            case "boolean":
                return (
                    "TRUE" if cell.get("office:boolean-value", text.lower()) == "true" else "FALSE"
                )
            case "date":
                return date_text(datetime.fromisoformat(cell["office:date-value"]))
            case "time":
                clock = CLOCK.fullmatch(cell.get("office:time-value", ""))
                return ":".join(part.zfill(2) for part in clock.groups()) if clock else text
        return text or cell.get("office:string-value", "")
