"""Results side by side, or a table of a page, as a Word file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from socialstats.results.layout import (
    GAP,
    NORMAL,
    TURNED,
    Layout,
    estimate_and_interval,
    table_layout,
)

if TYPE_CHECKING:
    from socialstats.results.side_by_side import ResultTable

__all__ = ["WordRow", "word_file", "word_table"]

# an em space
INDENT = "\u2003"
# share of the page that a narrow table takes
FILLED = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRow:
    """A row below the head.

    Attributes
    ----------
    cells : tuple of str
    together, merged : bool
        Whether it is printed on the same page as the next; whether it has one cell.
    rules : tuple of str
        Lines at ``"top"`` and ``"bottom"``.
    """

    cells: tuple[str, ...]
    together: bool = False
    merged: bool = False
    rules: tuple[str, ...] = ()


def word_file(table: ResultTable, comment: str) -> bytes:
    """Return results side by side as a Word file.

    Raises
    ------
    ImportError
        Without python-docx.
    """
    words = [True, *[False] * len(table.names)]
    rows = []
    for k, line in enumerate(table.lines):
        # a group stays on the page of its first term, and an estimate on that of its interval
        following = table.lines[k + 1].what if k + 1 < len(table.lines) else ""
        group = line.what == "group"
        label = INDENT * (table.grouped and line.what == "term") + line.label
        cells = [
            cell.replace(", ", ",\u00a0") if line.what == "below" else cell for cell in line.cells
        ]
        ends = ("top",) * (k == table.foot) + ("bottom",) * (k == len(table.lines) - 1)
        rows.append(
            WordRow(
                cells=(label, *cells),
                together=group or following == "below",
                merged=group,
                rules=ends,
            )
        )
    layout = table_layout(["", *table.names], table.printed_cells(), words)
    return _document(layout, words, rows, table.title, table.notes, comment)


def word_table(
    title: str,
    head: Sequence[str],
    cells: Sequence[Sequence[str]],
    words: Sequence[bool],
    comment: str,
) -> bytes:
    """Return a printed table as a Word file; `words` says which columns hold words.

    Raises
    ------
    ImportError
        Without python-docx.
    """
    layout = table_layout(head, cells, words)
    rows = []
    for k, line in enumerate(cells):
        texts = ["\n".join(estimate_and_interval(c)) for c in line] if layout.stacked else line
        rows.append(WordRow(cells=tuple(texts), rules=("bottom",) * (k == len(cells) - 1)))
    return _document(layout, words, rows, title, (), comment)


def _document(
    layout: Layout,
    words: Sequence[bool],
    rows: Sequence[WordRow],
    title: str,
    notes: Sequence[str],
    comment: str,
) -> bytes:
    """Return a Word file: rules as in print, the head on every page, a wide table on a turned page."""
    from docx import Document
    from docx.shared import Emu

    document = Document()
    document.core_properties.comments = comment
    page = document.sections[0]
    width = int(page.page_width or 0)
    height = int(page.page_height or 0)
    if layout.capacity == TURNED:
        width, page.page_width, page.page_height = height, Emu(height), Emu(width)
    room = width - int(page.left_margin or 0) - int(page.right_margin or 0)
    # sizes are characters: a table that fills less than the share is widened to it
    characters = max(FILLED * layout.capacity, sum(layout.sizes) + GAP * len(layout.sizes))
    widths = [int(room * (size + GAP) / characters) for size in layout.sizes]
    if title:
        document.add_paragraph().add_run(title).bold = True
    grid = document.add_table(rows=0, cols=len(widths))
    grid.autofit = False
    # LibreOffice reads the widths of columns, Word those of cells
    for column, size in zip(grid.columns, widths, strict=True):
        column.width = Emu(size)
    points = 10 if layout.capacity == NORMAL else 8
    head = WordRow(
        cells=tuple(map("\n".join, layout.heads)), together=True, rules=("top", "bottom")
    )
    for row in (head, *rows):
        _add(grid, row, widths, points, words)
    # printed again on each page
    grid.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader"))
    if notes:
        document.add_paragraph().add_run("Note. ").italic = True
        document.paragraphs[-1].add_run(" ".join(notes))
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _add(
    grid: Any, printed: WordRow, widths: Sequence[int], points: int, words: Sequence[bool]
) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    row = grid.add_row()
    if printed.merged:
        row.cells[0].merge(row.cells[-1])
        widths = [sum(widths)]
    # a merged row has more cells than texts: they are all the one cell
    for cell, text, width, word in zip(row.cells, printed.cells, widths, words, strict=False):
        cell.text = text
        cell.width = width
        line = cell.paragraphs[0]
        line.alignment = WD_ALIGN_PARAGRAPH.LEFT if word else WD_ALIGN_PARAGRAPH.RIGHT
        line.paragraph_format.space_after = Pt(0)
        line.paragraph_format.keep_with_next = printed.together
        for run in line.runs:
            run.font.size = Pt(points)
            run.italic = printed.merged or None
    for cell in row.cells if printed.rules else ():
        borders = _element("w:tcBorders")
        for side in printed.rules:
            borders.append(_element(f"w:{side}", val="single", sz="8"))
        cell._tc.get_or_add_tcPr().append(borders)


def _element(name: str, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    return element
