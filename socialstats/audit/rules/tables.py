"""The tables and the documents of a rules file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from socialstats.audit.documents.passages import Document, Passage
from socialstats.audit.documents.reading import is_document, read_document
from socialstats.audit.documents.sheets import Reading, Sheet, read_sheet
from socialstats.audit.numbers import Rounding
from socialstats.audit.rules.alignment import realigned_sheet
from socialstats.audit.rules.alignment import wrong_settings as wrong_alignment
from socialstats.audit.rules.answers import computed, listed, recorded_sheet, wrong_settings
from socialstats.audit.rules.problems import RuleProblems
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import Allowed, wrong_keys, wrong_value
from socialstats.text import listing, shorten

GIVEN = "table"  # name of the table of the command line
DECIMALS = ("printed", "column", *range(31))
TABLE: Allowed = {
    "file": [str],
    "table": object,
    "optional": object,
    "decimals": [DECIMALS, {"*": DECIMALS}],
    "rounding": get_args(Rounding),
    "decimal": (".", ","),
    "strip": str,
    "missing": list,
    "names": {"*": dict},
}
PRINTED_AS = ("decimals", "rounding", "decimal", "strip")
FileName = str | os.PathLike[str]
Settings = Mapping[str, Any]


class RuleTables(RuleProblems):
    """The tables and documents of a rules file, and everything that is wrong with it.

    Attributes
    ----------
    sheets : dict of str to Sheet
        Tables by the names by which rules call them.
    documents : dict of str to Document
        By path.
    absent : dict of str to str
        Optional tables that were not given, and what they are.
    """

    def __init__(self, path: str, text: str) -> None:
        super().__init__(path, text)
        self.folder = Path(path).parent
        self.sheets: dict[str, Sheet] = {}
        self.documents: dict[str, Document] = {}
        self.absent: dict[str, str] = {}

    def read_documents(self, names: Any) -> None:
        """Read the documents in which the sentences of claims are looked up."""
        if not self.fits("", wrong_value("document", names, [str])):
            return
        for name in listed(names):
            try:
                document = self._document(self.folder / name)
            except InputError as error:
                self.problems += error.problems
                continue
            if not document.passages:
                fix = "Name the paper: .pdf, .tex, .md, .html, .txt"
                self.wrong(f"document {shorten(name)} has no sentences", fix)

    @property
    def passages(self) -> dict[str, tuple[Passage, ...]]:
        """The sentences of each document."""
        return {document.source: document.passages for document in self.documents.values()}

    def texts(self) -> list[list[Passage]]:
        """Return the sentences of each document, and the captions of its tables."""
        texts = []
        for document in self.documents.values():
            titled = [sheet for sheet in document.sheets if sheet.title and sheet.lines]
            captions = [
                Passage(text=sheet.title, source=document.source, line=sheet.lines[0])
                for sheet in titled
            ]
            if document.passages:
                texts.append([*document.passages, *captions])
        return texts

    def read_tables(self, sections: Any, paths: Sequence[FileName]) -> None:
        """Read the tables of the command line and of the file, and compute those of answers."""
        if not isinstance(sections, dict):
            self.wrong("tables must be a section: [tables]", 'Write: [tables] t3 = "file.csv"')
            return
        settings = {name: self._settings(name, section) for name, section in sections.items()}
        usable = {name: how for name, how in settings.items() if how is not None}
        self._read_paths(paths, usable)
        for name, how in usable.items():
            if name not in self.sheets and "answers" not in how:
                self._read_file(name, how)
        for name, how in usable.items():
            if name not in self.sheets and "answers" in how:
                self.compute(f"tables.{name}: ", name, how)

    def _settings(self, name: str, section: Any) -> dict[str, Any] | None:
        """Return the keys of a table; None where they cannot be used."""
        how = dict(section) if isinstance(section, dict) else {"file": section}
        if "answers" not in how and not self.fits(f"tables.{name}: ", wrong_keys(how, TABLE)):
            return None
        return how | ({"file": listed(how["file"])} if "file" in how else {})

    def _read_paths(self, paths: Sequence[FileName], settings: Mapping[str, Settings]) -> None:
        """Read the tables of the command line, each by its name; the first is also `GIVEN`."""
        stems = {Path(path).name.split(".")[0]: path for path in paths}
        if len(stems) < len(paths):
            fix = "Rename one: rules call them by it"
            self.wrong("two tables of the command line have the same file name", fix)
        of_first = settings.get(GIVEN, {})
        for i, (stem, path) in enumerate(stems.items()):
            first = i == 0
            document = self._document(path) if is_document(path) else None
            if document and not document.sheets:
                continue  # only sentences, which claims are looked up in
            how = settings.get(stem) or (of_first if first else {})
            self.sheets[stem] = self._read(stem, [path], how)
            for sheet in document.sheets if document else ():
                name = _name_in_document(sheet)
                self.sheets[name] = replace(sheet, name=name)
            if first and not of_first.get("file"):
                self.sheets[GIVEN] = self.sheets[stem]

    def _read_file(self, name: str, how: Settings) -> None:
        if "file" in how:
            paths = [self.folder / file for file in how["file"]]
            self.sheets[name] = self._read(name, paths, how)
        elif "optional" in how:
            self.absent[name] = str(how["optional"])
        else:
            fix = 'Write: file = "name.csv", or give the table on the command line'
            self.wrong(f"tables.{name} names no file", fix)

    def compute(self, place: str, name: str, how: Settings) -> None:
        """Compute a table from answers, of a table or a file; or take what is recorded of absent ones."""
        tables = [str(how[key]) for key in ("answers", "table", "units") if key in how]
        absent = [table for table in tables if table in self.absent]
        if absent and "recorded" in how:
            recorded = self._read(name, [self.folder / str(how["recorded"])], {})
            self.sheets[name] = recorded_sheet(recorded)
        elif absent:
            self.absent[name] = self.absent[absent[0]]
        else:
            try:
                self._compute(place, name, how)
            except InputError as error:
                self.problems += error.problems

    def _compute(self, place: str, name: str, how: Settings) -> None:
        answers = str(how["answers"])
        sheet = self.sheets.get(answers) or self._read(answers, [self.folder / answers], {})
        if how.get("compute") == "realigned":
            if self.fits(place, wrong_alignment(how, self.sheets)):
                self.sheets[name] = realigned_sheet(name, self.sheets, how)
        elif self.fits(place, wrong_settings(how, sheet)):
            self.sheets[name] = computed(name, sheet, how)

    def _read(self, name: str, files: Sequence[FileName], how: Settings) -> Sheet:
        """Read a table from its files, or one table of a document."""
        missing = tuple(map(str, how.get("missing", ())))
        reading = Reading(**{key: how[key] for key in PRINTED_AS if key in how}, missing=missing)
        names = how.get("names", {})
        if len(files) > 1 or not is_document(files[0]):
            return read_sheet(name, files, reading=reading, names=names)
        sheet = _table_of(self._document(files[0]), str(how.get("table", 1)))
        strip = sheet.reading.strip + reading.strip
        reading = replace(reading, strip=strip, lenient=sheet.reading.lenient)
        return replace(sheet, name=name, reading=reading, names=names)

    def _document(self, path: FileName) -> Document:
        """Read a document once."""
        key = str(path)
        if key not in self.documents:
            self.documents[key] = read_document(path)
        return self.documents[key]


def _name_in_document(sheet: Sheet) -> str:
    return sheet.name.rpartition(", ")[2]


def _table_of(document: Document, wanted: str) -> Sheet:
    """Return the table of a document that has a number or a name."""
    for number, sheet in enumerate(document.sheets, 1):
        if wanted.casefold() in (str(number), _name_in_document(sheet).casefold()):
            return sheet
    tables = [f"{number} ({sheet.name})" for number, sheet in enumerate(document.sheets, 1)]
    raise InputError(
        Problem(
            source=document.source,
            message=f"there is no table {wanted}",
            fix=f"Tables: {listing(tables) or 'none'}",
        )
    )
