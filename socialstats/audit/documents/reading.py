"""What a document holds that can be checked: its tables, as sheets, and its sentences, with their places."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from socialstats.audit.documents.passages import Document, Passage
from socialstats.audit.documents.sheets import Reading, Sheet, read_sheet
from socialstats.errors import InputError, MissingDependency, NothingToAnalyse
from socialstats.tables.limits import exceeded, limit
from socialstats.tables.sources import from_path, standard_input
from socialstats.text import shorten

if TYPE_CHECKING:
    from socialstats.audit.documents.grids import Grid


SUFFIXES = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".qmd": "Markdown",
    ".rmd": "Markdown",
    ".html": "HTML",
    ".htm": "HTML",
    ".xhtml": "HTML",
    ".tex": "LaTeX",
    ".ltx": "LaTeX",
    ".pdf": "PDF",
    ".txt": "text",
    ".text": "text",
}
DELIMITED = (".csv", ".tsv", ".tab", "")
SIGNS = (
    ("HTML", re.compile(r"<(?:!doctype html|html|table|tbody)\b", re.IGNORECASE)),
    ("LaTeX", re.compile(r"\\(?:begin\s*\{|documentclass|section\*?\{)")),
    (
        "Markdown",
        re.compile(
            r"^ {0,9}\|? {0,9}:?-{2,}:?(?: {0,9}\| {0,9}:?-{2,}:?)+ {0,9}\|? *$", re.MULTILINE
        ),
    ),
)
PACKAGES = {
    "HTML": "lxml",
    "LaTeX": "pylatexenc",
    "Markdown": "markdown-it-py and lxml",
    "PDF": "pypdfium2",
}
NUMBERED = re.compile(
    r"\s*(?P<name>(?:supplementary |appendix )?tab(?:le|\.)\s*[A-Z]?\.?\d+[a-z]?)\b", re.IGNORECASE
)


def is_document(path: str | os.PathLike[str]) -> bool:
    """Return whether the suffix of a file is that of a paper, not of a table."""
    return Path(path).suffix.lower() in SUFFIXES


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read the tables and the sentences of a document.

    Parameters
    ----------
    path : str or path
        Markdown, HTML, LaTeX, a PDF with a text layer, text as it was pasted, or any table that socialstats reads (csv,
        tsv, xlsx, ...); ``-`` for standard input. The suffix decides, and then the content.

    Returns
    -------
    Document

    Raises
    ------
    InputError
        For files that are not there, not text, too large, or a PDF without a text layer or with a password.
    NothingToAnalyse
        For an empty file.
    MissingDependency
        Without the packages that read the format (extra ``documents``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "t.md"
    >>> _ = file.write_text("It rose, $t(23) = 2.10$.\\n\\n| Task | M (SD) |\\n|---|---|\\n| A | 3.96 (0.28) |\\n")
    >>> found = read_document(file)
    >>> found.sheets[0].columns, found.sheets[0].rows[0]["SD"], found.passages[0].text
    (('Task', 'M', 'SD'), '0.28', 'It rose, t(23) = 2.10.')
    """
    file = Path(path)
    source = "stdin" if str(path) == "-" else file.name
    suffix = file.suffix.lower() if source != "stdin" else ""
    if (suffix not in SUFFIXES and suffix not in DELIMITED) or (
        source != "stdin" and not file.is_file()
    ):
        return _table_document(path)  # its errors say what is wrong with the name
    content = standard_input() if source == "stdin" else from_path(file)
    raw = content.head(int(limit("document")) + 1)
    if len(raw) > limit("document") and suffix in SUFFIXES:
        raise exceeded("document", source, fix="Write the tables that are to be audited as CSV")
    if not raw.strip():
        raise NothingToAnalyse(f"{source} is empty: there is nothing to analyse")
    pdf = raw[:1024].lstrip().startswith(b"%PDF-")
    text, notes = ("", []) if pdf else _decoded(raw, source, suffix)
    kind = "PDF" if pdf else next((kind for kind, sign in SIGNS if sign.search(text[:200_000])), "")
    named = SUFFIXES.get(suffix, "")
    if suffix in DELIMITED and not kind:
        if source != "stdin":
            return _table_document(path)
        kind = "text"
    if named in ("HTML", "LaTeX", "Markdown") and kind != "PDF":
        kind = named  # each may hold a little of the others
    kind = kind or named
    if named == "PDF" and not pdf:
        raise InputError(
            f"{source}: this is not a PDF, or it is damaged: it does not begin with %PDF"
        )
    if kind != named and (named or suffix):
        notes.append(f"{source} is {kind}, and was read as that.")
    grids, passages, more = _read_format(kind, raw, text, source, file)
    sheets = tuple(_numbered_sheets(grids, Path(source).stem))
    return Document(source=source, sheets=sheets, passages=tuple(passages), notes=(*notes, *more))


def _table_document(path: str | os.PathLike[str]) -> Document:
    """Return a file that is a table, as a document without sentences."""
    from socialstats.audit.documents.cells import MARKS, split_cells

    name = Path(path).name.split(".")[0]
    sheet = split_cells(read_sheet(name, [path], reading=Reading(strip=MARKS)))
    return Document(source=sheet.sources[0], sheets=(sheet,))


def _decoded(raw: bytes, source: str, suffix: str) -> tuple[str, list[str]]:
    """Return bytes as text, and a note where they are not UTF-8."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace").replace("\r\n", "\n"), []
    if suffix in SUFFIXES and raw.count(b"\0"):
        raise InputError(
            f"{source}: this is a binary file, not {SUFFIXES[suffix]}. Name the document itself"
        )
    try:
        text, notes = raw.decode("utf-8-sig"), list[str]()
    except UnicodeDecodeError:
        text, notes = (
            raw.decode("cp1252", "replace"),
            [f"{source} is not UTF-8, and was read as Windows-1252."],
        )
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _read_format(
    kind: str, raw: bytes, text: str, source: str, path: Path
) -> tuple[list[Grid], Iterable[Passage], tuple[str, ...]]:
    """Read one format; a package that is missing is named."""
    try:
        from socialstats.audit.documents.sentences import sentences

        if kind == "PDF":
            from socialstats.audit.documents.pdf import read_pdf

            grids, pieces, notes = read_pdf(raw, source)
            return grids, list(sentences(pieces, hyphens=True)), notes
        if kind == "LaTeX":
            from socialstats.audit.documents.latex import read_latex

            grids, pieces = read_latex(path if source != "stdin" else Path("stdin"), text)
        elif kind in ("HTML", "Markdown"):
            from socialstats.audit.documents.webpages import read_html, read_markdown

            grids, pieces = (read_html if kind == "HTML" else read_markdown)(text, source)
        else:
            from socialstats.audit.documents.pasted import read_pasted

            grids, pieces = read_pasted(text, source)
        return grids, list(sentences(pieces)), ()
    except ImportError as error:
        raise MissingDependency(
            f"{source}: reading {kind} needs {PACKAGES.get(kind, 'lxml')}: pip install 'socialstats[documents]'"
        ) from error


def _numbered_sheets(grids: Iterable[Grid], stem: str) -> Iterator[Sheet]:
    """Yield the sheets of tables, named by the number in the caption, or else by their place."""
    from socialstats.audit.documents.grids import sheets_of

    names: set[str] = set()
    for i, grid in enumerate(grids, start=1):
        match = NUMBERED.match(grid.caption)
        name = f"{stem}, {shorten(match['name'])}" if match else f"{stem}, table {i}"
        name = name if name not in names else f"{name} (#{i})"
        names.add(name)
        yield from sheets_of(grid, name)
