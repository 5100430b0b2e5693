"""Tables of documents as they stand: rows of cells that may span; their heads, blocks and labels made columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from socialstats.audit.documents.cells import BOLD, parts_of, split_cells
from socialstats.audit.documents.sheets import MISSING, Sheet
from socialstats.errors import InputError

WIDEST, LARGEST = 1000, 200_000  # columns and cells of one table
SPACE = re.compile(r"\s+")
BRACKETED = re.compile(r"[(\[].*[)\]][*†‡]*")
BETWEEN = " / "  # stands between the levels of a head
SECTION = "section"
Span = tuple[float, float]
Cells = list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spanning:
    """A cell and how many columns and rows it takes."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table as it is printed.

    Attributes
    ----------
    rows : sequence of sequence of str
        Every cell in its place, as long as the table is wide; what spans is repeated.
    lines : sequence of int
        Line of each row.
    heads : int
        How many rows are the head; 0 where the markup does not say.
    caption, source : str
    """

    rows: Sequence[Sequence[str]]
    lines: Sequence[int]
    heads: int = 0
    caption: str = ""
    source: str = ""


def spread(
    rows: Sequence[Sequence[Spanning]], place: str, *, placeholders: bool = False
) -> list[list[str]]:
    """Copy cells that span rows and columns into every place that they take.

    Parameters
    ----------
    rows : sequence of sequence of Spanning
    place : str
        File and line of the table, for errors.
    placeholders : bool
        True where the rows below have an empty cell under one that spans (LaTeX); in HTML they have none.

    Raises
    ------
    InputError
        For a table that is wider or larger than any that is printed.
    """
    pending: defaultdict[int, dict[int, str]] = defaultdict(
        dict
    )  # cells of later rows, by row and column
    table: list[list[str]] = []
    for i, row in enumerate(rows):
        j, line_of = 0, pending.pop(i, {})
        cells: dict[int, str] = {} if placeholders else dict(line_of)
        for cell in row:
            while not placeholders and j in cells:
                j += 1
            wide = min(max(cell.columns, 1), WIDEST + 1)
            _refuse_large(j + wide, len(rows), place)
            for k in range(j, j + wide):
                cells[k] = cell.text or (line_of.get(k, "") if placeholders else "")
                for d in range(i + 1, min(i + cell.rows, len(rows)) if cell.text else i):
                    pending[d][k] = cell.text
            j += wide
        width = max(cells, default=-1) + 1
        _refuse_large(width, len(rows), place)
        table.append([cells.get(k, "") for k in range(width)])
    return table


def _refuse_large(columns: int, rows: int, place: str) -> None:
    if columns > WIDEST or columns * rows > LARGEST:
        fix = "Write what is to be audited as CSV"
        raise InputError(
            f"{place}: the table has more than {WIDEST:,} columns or {LARGEST:,} cells. {fix}"
        )


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words without a wide gap between them, and where they begin and end in their line."""

    left: float
    right: float
    text: str

    @property
    def middle(self) -> float:
        """Place of its middle."""
        return (self.left + self.right) / 2


def aligned(rows: Sequence[Sequence[TextRun]], under: Sequence[Sequence[Span]]) -> list[list[str]]:
    """Arrange the runs of lines in columns by the places of those in lines with numbers.

    Parameters
    ----------
    rows : sequence of sequence of TextRun
    under : sequence of sequence of (left, right)
        The lines drawn under each row; a head stands over the columns of the one below it.

    Returns
    -------
    list of list of str
        A cell for each column; empty lists where there are no columns.

    Examples
    --------
    >>> heads, row = [TextRun(9, 19, "A and B")], [TextRun(0, 2, "x"), TextRun(9, 12, "3.1"), TextRun(16, 19, "0.5")]
    >>> aligned([heads, row], [[(9, 19)], []])
    [['', 'A and B', 'A and B'], ['x', '3.1', '0.5']]
    """
    body = [i for i, row in enumerate(rows) if any(is_value(run.text) for run in row)]
    body = body or [*range(len(rows))]
    columns = column_spans(rows, body)
    cells = [[""] * len(columns) for _ in rows]
    for i, row in enumerate(rows) if columns else ():
        for run in row:
            left, right = run.left, run.right
            lines = () if i in body else under[i]
            line = next((span for span in lines if span[0] <= run.middle < span[1]), None)
            over = [
                j
                for j, (start, end) in enumerate(columns)
                if (line[0] < (start + end) / 2 < line[1] if line else left < end and start < right)
            ]
            if not over:
                away = [abs((start + end) / 2 - run.middle) for start, end in columns]
                over = [away.index(min(away))]
            for j in over[:1] if i in body else over:
                cells[i][j] = f"{cells[i][j]} {run.text}".strip()
    return cells


def column_spans(rows: Sequence[Sequence[TextRun]], body: Sequence[int]) -> list[Span]:
    """Return from where to where the columns reach, by the fullest lines with numbers."""
    most = max((len(rows[i]) for i in body), default=0)
    full = [run for i in body if len(rows[i]) >= max(2, most - 1) for run in rows[i]]
    spans: list[Span] = []
    for run in sorted(full, key=lambda run: run.left):
        if spans and run.left < spans[-1][1] - 0.5:
            left, right = spans.pop()
            spans.append((left, max(right, run.right)))
        else:
            spans.append((run.left, run.right))
    before = [run for row in rows for run in row if spans and run.right < spans[0][0]]
    if before:  # labels in rows of their own, between those that they name
        spans.insert(0, (min(run.left for run in before), max(run.right for run in before)))
    return spans


def is_value(text: str) -> bool:
    """Return whether a cell holds a number, with or without companions."""
    return bool(parts_of(text))


def sheets_of(grid: Grid, name: str) -> list[Sheet]:
    """Return a table as sheets: one, or one for each block that has a head of its own.

    Several rows of heads are joined (``GPT-4 / Acc.``), and labels that span rows are repeated. Rows that hold only a
    label become a column ``section``, and a row of bracketed numbers without a label joins the row above.
    """
    width = max((len(row) for row in grid.rows), default=0)
    lines: list[tuple[Cells, int]] = []
    for row, line in zip(grid.rows, grid.lines, strict=True):
        cells = [SPACE.sub(" ", cell).strip() for cell in row]
        # only numbers are compared by their print
        cells = [cell if is_value(cell) else cell.replace(BOLD, "") for cell in cells]
        if any(cells):
            lines.append((cells + [""] * (width - len(cells)), line))
    if width < 2 or len(lines) < 2:
        return []
    caption = grid.caption
    while lines and width > 2 and len(set(lines[0][0])) == 1:  # a title over all columns
        caption = f"{caption} {lines.pop(0)[0][0]}".strip()
    while len(lines) > 2 and is_note(lines[-1][0]):
        caption = f"{caption} {lines.pop()[0][0]}".strip()
    heads = size_of_head([cells for cells, _ in lines], grid.heads)
    blocks = sheet_blocks([cells for cells, _ in lines[:heads]], lines[heads:])
    sheets = [block.sheet(name, caption, grid.source) for block in blocks]
    filled = [sheet for sheet in sheets if sheet is not None]
    return [
        replace(sheet, name=f"{name}, block {i}") if i > 1 else sheet
        for i, sheet in enumerate(filled, start=1)
    ]


def sheet_blocks(head: Sequence[Cells], body: Sequence[tuple[Cells, int]]) -> list[SheetBlock]:
    """Part the rows below a head where another head stands; the head that a page repeats is none."""
    numeric = {j for cells, _ in body for j, cell in enumerate(cells) if is_value(cell)}
    blocks = [SheetBlock(joined_heads(head))]
    for cells, line in body:
        lines = blocks[-1].lines
        above = lines[-1][0] if lines else []
        present = [cells[j] for j in numeric if cells[j]]
        named = len(present) > 1 and all(map(is_word, present)) and len(set(cells)) > 2
        bracketed = not cells[0] and all(BRACKETED.fullmatch(cell) for cell in cells if cell)
        if cells in head:
            continue
        if named and any(map(is_value, above[1:])):
            blocks.append(SheetBlock(joined_heads([cells])))
        elif bracketed and any(above):
            cells_together = [
                f"{upper} {lower}".strip() for upper, lower in zip(above, cells, strict=True)
            ]
            lines[-1] = (cells_together, lines[-1][1])
        else:
            lines.append((cells, line))
    return blocks


def is_word(cell: str) -> bool:
    """Return whether a cell is neither a number nor the mark of a missing one."""
    return cell.casefold() not in MISSING and not is_value(cell)


def is_head(row: Cells) -> bool:
    """Return whether a row has no number, no mark of a missing one, and more than a label."""
    return all(is_word(cell) for cell in row if cell) and any(row[1:]) and not is_section(row)


def is_section(row: Cells) -> bool:
    """Return whether a row only holds a label, in its first cell or over all of them."""
    return len(set(row)) == 1 or (bool(row[0]) and not any(row[1:]))


def is_note(row: Cells) -> bool:
    """Return whether a row below a table is a note, which is longer than a mark."""
    return is_section(row) and len(row[0]) > 3


def size_of_head(rows: Sequence[Cells], marked: int) -> int:
    """Return how many rows are the head: those that the markup marks, else one, and what looks like a head below."""
    last = len(rows) - 1
    heads = min(marked, last) or 1
    most = last if marked else min(last, 4)
    while heads < most and is_head(rows[heads]):
        heads += 1
    return heads


def joined_heads(heads: Sequence[Sequence[str]]) -> list[str]:
    """Join the levels of a head for each column, without repeats.

    Examples
    --------
    >>> joined_heads([["", "GPT-4", "", "Claude", ""], ["Task", "Acc.", "F1", "Acc.", "F1"]])
    ['Task', 'GPT-4 / Acc.', 'GPT-4 / F1', 'Claude / Acc.', 'Claude / F1']
    """
    filled = [list(row) for row in heads]
    for i, cells in enumerate(filled[:-1]):
        if any(cell and cell == after for cell, after in pairwise(cells)):
            continue  # what it spans is known
        # an upper head without markup stands over the empty cells to its right
        for j in range(2, len(cells)):
            parted = all(row[j - 1] for row in heads[i + 1 :])
            if not cells[j] and parted and heads[-1][j]:
                cells[j] = cells[j - 1]
    names: list[str] = []
    for j, levels in enumerate(zip(*filled, strict=True)):
        parts = list(dict.fromkeys(part for part in levels if part))
        name = BETWEEN.join(parts) or ("row" if j == 0 else f"column {j + 1}")
        again = sum(earlier == name or earlier.startswith(f"{name} (") for earlier in names)
        names.append(f"{name} ({again + 1})" if name in names else name)
    return names


@dataclass(slots=True)
class SheetBlock:
    """The columns of one head, and the rows below it with their lines."""

    columns: list[str]
    lines: list[tuple[Cells, int]] = field(default_factory=list)

    def sheet(self, name: str, caption: str, source: str) -> Sheet | None:
        """Return the rows as a sheet, with sections as a column and labels filled down; None without rows."""
        numeric = {j for cells, _ in self.lines for j, cell in enumerate(cells) if is_value(cell)}
        labels = range(min(numeric, default=0) - 1)  # all but the last column of labels
        section, above = "", list[str]()
        rows: list[dict[str, str]] = []
        lines: list[int] = []
        for cells, line in self.lines:
            if is_section(cells):
                section = cells[0]
                continue
            row = list(cells)
            for j in labels:
                row[j] = row[j] or (above[j] if above else "")
            above = row
            rows.append({SECTION: section, **dict(zip(self.columns, row, strict=True))})
            lines.append(line)
        if not rows:
            return None
        sections = any(row[SECTION] for row in rows)
        sheet = Sheet(
            name=name,
            columns=(SECTION, *self.columns) if sections else tuple(self.columns),
            rows=tuple(rows),
            lines=tuple(lines),
            sources=(source,) * len(rows),
            title=caption,
        )
        return split_cells(sheet)
