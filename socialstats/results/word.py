"""Results side by side as a Word file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from socialstats.results.layout import GAP, NORMAL, TURNED, laid_out

if TYPE_CHECKING:
    from socialstats.results.side_by_side import ResultTable

__all__ = ["word_file"]

INDENT = "\u2003"  # an em space
FILLED = 0.75  # share of the page that a narrow table takes


def word_file(table: ResultTable, made_by: str) -> bytes:
    """Return a table as a Word file: rules as in print, its head on every page, a wide one on a turned page.

    Raises
    ------
    ImportError
        Without python-docx.
    """
    from docx import Document
    from docx.shared import Emu

    layout = laid_out(["", *table.names], table.printed_cells(), [True, *[False] * len(table.names)])
    document = Document()
    document.core_properties.comments = made_by
    page = document.sections[0]
    width, height = int(page.page_width or 0), int(page.page_height or 0)
    if layout.capacity == TURNED:
        width, page.page_width, page.page_height = height, Emu(height), Emu(width)
    room = width - int(page.left_margin or 0) - int(page.right_margin or 0)
    whole = max(FILLED * layout.capacity, sum(layout.sizes) + GAP * len(layout.sizes))
    widths = [int(room * (size + GAP) / whole) for size in layout.sizes]
    if table.title:
        document.add_paragraph().add_run(table.title).bold = True
    grid = document.add_table(rows=0, cols=len(widths))
    grid.autofit = False
    points = 10 if layout.capacity == NORMAL else 8
    _add(grid, ["\n".join(lines) for lines in layout.heads], widths, points, together=True, rules=("top", "bottom"))
    grid.rows[0]._tr.get_or_add_trPr().append(_element("w:tblHeader"))  # printed again on each page
    for k, line in enumerate(table.lines):
        following = table.lines[k + 1].what if k + 1 < len(table.lines) else ""
        group = line.what == "group"
        label = INDENT * (table.grouped and line.what == "term") + line.label
        cells = [cell.replace(", ", ",\u00a0") if line.what == "below" else cell for cell in line.cells]
        ends = ("top",) * (k == table.foot) + ("bottom",) * (k == len(table.lines) - 1)
        _add(grid, [label, *cells], widths, points, together=group or following == "below", rules=ends, merged=group)
    if table.notes:
        document.add_paragraph().add_run("Note. ").italic = True
        document.paragraphs[-1].add_run(" ".join(table.notes))
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def _add(
    grid: Any, texts: Sequence[str], widths: Sequence[int], points: int, *, together: bool, rules: Sequence[str],
    merged: bool = False,
) -> None:  # fmt: skip
    """Add a row; one that stays together with the next is printed on the same page, a merged one has one cell."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    row = grid.add_row()
    if merged:
        row.cells[0].merge(row.cells[-1])
        widths = [sum(widths)]
    for j, (cell, text, width) in enumerate(zip(row.cells, texts, widths, strict=False)):
        cell.text, cell.width = text, width
        line = cell.paragraphs[0]
        line.alignment = WD_ALIGN_PARAGRAPH.RIGHT if j else WD_ALIGN_PARAGRAPH.LEFT
        line.paragraph_format.space_after = Pt(0)
        line.paragraph_format.keep_with_next = together
        for run in line.runs:
            run.font.size, run.italic = Pt(points), merged or None
    for cell in row.cells if rules else ():
        borders = _element("w:tcBorders")
        for side in rules:
            borders.append(_element(f"w:{side}", val="single", sz="8"))
        cell._tc.get_or_add_tcPr().append(borders)


def _element(name: str, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = OxmlElement(name)
    for key, value in attributes.items():
        made.set(qn(f"w:{key}"), value)
    return made
