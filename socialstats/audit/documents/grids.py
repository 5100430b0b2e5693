"""Tables of documents as they stand: rows of cells that may span; their heads, blocks and labels made columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from socialstats.audit.documents.cells import parts_of, split_cells
from socialstats.audit.documents.sheets import MISSING, Sheet
from socialstats.errors import InputError

WIDEST, LARGEST = 1000, 200_000  # columns and cells of one table
SPACE = re.compile(r"\s+")
BRACKETED = re.compile(r"[(\[].*[)\]][*†‡]*")
BETWEEN = " / "  # stands between the levels of a head


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
    taken: defaultdict[int, dict[int, str]] = defaultdict(
        dict
    )  # cells of later rows, by row and column
    made: list[list[str]] = []
    for i, row in enumerate(rows):
        j, line_of = 0, taken.pop(i, {})
        found: dict[int, str] = {} if placeholders else dict(line_of)
        for cell in row:
            while not placeholders and j in found:
                j += 1
            wide = min(max(cell.columns, 1), WIDEST + 1)
            _refuse_large(j + wide, len(rows), place)
            for k in range(j, j + wide):
                found[k] = cell.text or (line_of.get(k, "") if placeholders else "")
                for d in range(i + 1, min(i + cell.rows, len(rows)) if cell.text else i):
                    taken[d][k] = cell.text
            j += wide
        width = max(found, default=-1) + 1
        _refuse_large(width, len(rows), place)
        made.append([found.get(k, "") for k in range(width)])
    return made


def _refuse_large(columns: int, rows: int, place: str) -> None:
    if columns > WIDEST or columns * rows > LARGEST:
        fix = "Write what is to be audited as CSV"
        raise InputError(
            f"{place}: the table has more than {WIDEST:,} columns or {LARGEST:,} cells. {fix}"
        )


@dataclass(frozen=True, slots=True)
class Run:
    """Words without a wide gap between them, and where they begin and end in their line."""

    left: float
    right: float
    text: str


def aligned(
    rows: Sequence[Sequence[Run]], under: Sequence[Sequence[tuple[float, float]]]
) -> list[list[str]]:
    """Arrange the runs of lines in columns by the places of those in lines with numbers.

    Parameters
    ----------
    rows : sequence of sequence of Run
    under : sequence of sequence of (left, right)
        The lines drawn under each row; a head stands over the columns of the one below it.

    Returns
    -------
    list of list of str
        A cell for each column; empty lists where there are no columns.

    Examples
    --------
    >>> heads, row = [Run(9, 19, "A and B")], [Run(0, 2, "x"), Run(9, 12, "3.1"), Run(16, 19, "0.5")]
    >>> aligned([heads, row], [[(9, 19)], []])
    [['', 'A and B', 'A and B'], ['x', '3.1', '0.5']]
    """
    body = [i for i, row in enumerate(rows) if any(is_value(run.text) for run in row)] or list(
        range(len(rows))
    )
    most = max((len(rows[i]) for i in body), default=0)
    spans: list[list[float]] = []
    full = [run for i in body if len(rows[i]) >= max(2, most - 1) for run in rows[i]]
    for run in sorted(full, key=lambda run: run.left):
        if spans and run.left < spans[-1][1] - 0.5:
            spans[-1][1] = max(spans[-1][1], run.right)
        else:
            spans.append([run.left, run.right])
    before = [run for row in rows for run in row if spans and run.right < spans[0][0]]
    if before:  # labels in rows of their own, between those that they name
        spans.insert(0, [min(run.left for run in before), max(run.right for run in before)])
    made = []
    for i, row in enumerate(rows):
        cells = [""] * len(spans)
        for run in row if spans else ():
            middle = (run.left + run.right) / 2
            line = (
                next((one for one in under[i] if one[0] <= middle < one[1]), None)
                if i not in body
                else None
            )
            over = [
                j
                for j, (a, b) in enumerate(spans)
                if (line[0] < (a + b) / 2 < line[1] if line else run.left < b and a < run.right)
            ]
            over = over or [min(range(len(spans)), key=lambda j: abs(sum(spans[j]) / 2 - middle))]
            for j in over[:1] if i in body else over:
                cells[j] = f"{cells[j]} {run.text}".strip()
        made.append(cells)
    return made


def is_value(text: str) -> bool:
    """Return whether a cell holds a number, with or without companions."""
    return bool(parts_of(text))


def sheets_of(grid: Grid, name: str) -> list[Sheet]:
    """Return a table as sheets: one, or one for each block that has a head of its own.

    Several rows of heads are joined (``GPT-4 / Acc.``), and labels that span rows are repeated. Rows that hold only a
    label become a column ``section``, and a row of bracketed numbers without a label joins the row above.
    """
    width = max((len(row) for row in grid.rows), default=0)
    rows = [
        [SPACE.sub(" ", cell).strip() for cell in row] + [""] * (width - len(row))
        for row in grid.rows
    ]
    kept = [(row, line) for row, line in zip(rows, grid.lines, strict=True) if any(row)]
    if width < 2 or len(kept) < 2:
        return []
    caption = grid.caption
    while kept and width > 2 and len(set(kept[0][0])) == 1:  # a title over all columns
        caption = f"{caption} {kept.pop(0)[0][0]}".strip()
    while (
        len(kept) > 2 and _is_section(kept[-1][0]) and len(kept[-1][0][0]) > 3
    ):  # a note below the rows
        caption = f"{caption} {kept.pop()[0][0]}".strip()
    heads = min(grid.heads, len(kept) - 1) or _heads([row for row, _ in kept])
    while (
        heads < len(kept) - 1
        and grid.heads
        and _is_head(kept[heads][0])
        and not _is_section(kept[heads][0])
    ):
        heads += 1
    blocks: list[tuple[list[str], list[tuple[list[str], int]]]] = [
        (joined([row for row, _ in kept[:heads]]), [])
    ]
    numeric = {j for row, _ in kept[heads:] for j, cell in enumerate(row) if is_value(cell)}
    top = {tuple(row) for row, _ in kept[:heads]}
    for row, line in kept[heads:]:
        if tuple(row) in top:
            continue
        body = blocks[-1][1]
        words = [j for j in numeric if row[j].casefold() not in MISSING and not is_value(row[j])]
        if (
            len(words) > 1
            and len(words) == len([j for j in numeric if row[j]])
            and len(set(row)) > 2
            and any(is_value(cell) for row_above, _ in body[-1:] for cell in row_above[1:])
        ):
            blocks.append((joined([row]), []))
        elif (
            body
            and not row[0]
            and all(BRACKETED.fullmatch(cell) for cell in row if cell)
            and any(body[-1][0])
        ):
            above = body[-1][0]
            body[-1] = ([f"{a} {b}".strip() for a, b in zip(above, row, strict=True)], body[-1][1])
        else:
            body.append((row, line))
    made = [_sheet(columns, body, name, caption, grid.source) for columns, body in blocks]
    found = [sheet for sheet in made if sheet is not None]
    return [
        replace(sheet, name=f"{name}, block {i}") if i > 1 else sheet
        for i, sheet in enumerate(found, start=1)
    ]


def _is_head(row: Sequence[str]) -> bool:
    marks = any(cell and cell.casefold() in MISSING for cell in row)
    return not marks and not any(is_value(cell) for cell in row) and any(row[1:])


def _is_section(row: Sequence[str]) -> bool:
    """Return whether a row only holds a label, in its first cell or over all of them."""
    return len(set(row)) == 1 or (bool(row[0]) and not any(row[1:]))


def _heads(rows: Sequence[Sequence[str]]) -> int:
    """Return how many leading rows have no number; at least 1."""
    heads = 1
    while heads < min(len(rows) - 1, 4) and _is_head(rows[heads]) and not _is_section(rows[heads]):
        heads += 1
    return heads


def joined(heads: Sequence[Sequence[str]]) -> list[str]:
    """Join the levels of a head for each column, without repeats.

    Examples
    --------
    >>> joined([["", "GPT-4", "", "Claude", ""], ["Task", "Acc.", "F1", "Acc.", "F1"]])
    ['Task', 'GPT-4 / Acc.', 'GPT-4 / F1', 'Claude / Acc.', 'Claude / F1']
    """
    filled = []
    for i, row in enumerate(heads):
        cells = list(row)
        spanning = any(a and a == b for a, b in pairwise(cells))  # then what it spans is known
        for j in range(
            2, len(cells)
        ):  # an upper head without markup stands over the empty cells to its right
            if (
                not spanning
                and i < len(heads) - 1
                and not cells[j]
                and cells[j - 1]
                and not any(r[j - 1] == "" for r in heads[i + 1 :])
            ):
                cells[j] = cells[j - 1] if j - 1 > 0 and heads[-1][j] else ""
        filled.append(cells)
    names: list[str] = []
    for j, levels in enumerate(zip(*filled, strict=True)):
        parts = list(dict.fromkeys(part for part in levels if part))
        name = BETWEEN.join(parts) or ("row" if j == 0 else f"column {j + 1}")
        again = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({again + 1})" if name in names else name)
    return names


def _sheet(
    columns: list[str], body: list[tuple[list[str], int]], name: str, caption: str, source: str
) -> Sheet | None:
    """Return the rows of one head as a sheet, with its sections as a column and its labels filled down."""
    numeric = {j for row, _ in body for j, cell in enumerate(row) if is_value(cell)}
    labels = [j for j in range(len(columns)) if all(k >= j for k in numeric)][
        : min(numeric, default=0)
    ]
    section, above = "", [""] * len(columns)
    rows: list[dict[str, str]] = []
    lines: list[int] = []
    for row, line in body:
        if _is_section(row):
            section = row[0]
            continue
        filled = [above[j] if j in labels[:-1] and not cell else cell for j, cell in enumerate(row)]
        above = filled
        rows.append(
            {**({"section": section} if section else {}), **dict(zip(columns, filled, strict=True))}
        )
        lines.append(line)
    if not rows:
        return None
    sections = any("section" in row for row in rows)
    rows = [{"section": "", **row} if sections else row for row in rows]
    sheet = Sheet(
        name=name,
        columns=(*(("section",) if sections else ()), *columns),
        rows=tuple(rows),
        lines=tuple(lines),
        sources=(source,) * len(rows),
        title=caption,
    )
    return split_cells(sheet)
