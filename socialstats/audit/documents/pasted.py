"""Text as it was pasted: tables by tabs, pipes, semicolons or columns of spaces; all else is running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from socialstats.audit.documents.grids import Grid, TextRun, aligned, is_value
from socialstats.audit.documents.webpages import CAPTION, REFERENCES

Piece = tuple[str, str, int]
RUN = re.compile(r"\S+(?: \S+)*")
GAP = re.compile(r"\s{2,}|\t+")
RULE = re.compile(r"[\s|+:=_─━═│┼├┤┌┐└┘┬┴-]+")
HEADING = re.compile(
    r"\s*(?:#+ .+|\*\*.+\*\*|[A-Z][^.!?|\t]{8,110})\s*"
)  # above a table: a heading, or words without an end
LONGEST = 5000  # characters of a line of a table
LEAST = 2  # rows of a table


def parted_cells(line: str, mark: str) -> list[str]:
    """Return the cells of a line; one cell where it has no mark."""
    if mark == " ":
        return [cell.strip() for cell in GAP.split(line.strip()) if cell.strip()]
    parts = [cell.strip() for cell in line.split(mark)]
    edges = mark in "|│" and len(parts) > 2
    return parts[1 if edges and not parts[0] else 0 : -1 if edges and not parts[-1] else None]


def read_pasted(text: str, source: str) -> tuple[list[Grid], Iterator[Piece]]:
    """Return the tables of a text, and its running text in pieces."""
    lines = text.split("\n")
    marks = [mark_between(line) for line in lines]
    grids: list[Grid] = []
    pieces: list[Piece] = []
    i = 0
    while i < len(lines):
        if REFERENCES.fullmatch(lines[i].strip("# ")) and lines[i].strip():
            break
        mark, end = marks[i], i
        while (
            mark and end < len(lines) and (marks[end] == mark or _inside(lines, marks, end, mark))
        ):
            end += 1
        grid = pasted_grid(lines, i, end, mark, source) if mark and end - i >= LEAST else None
        if grid:
            grids.append(grid)
            i = end
            continue
        pieces.append((lines[i] + "\n", source, i + 1))
        i += 1
    return grids, iter(pieces)


def mark_between(line: str) -> str:
    """Return what parts the cells of a line; empty where it is a sentence or a rule."""
    for mark in "\t|│":
        if mark in line.strip(" |") or line.count(mark) > 2:
            return mark
    if line.count(";") > 1 and not re.search(r";\s+[a-z]+\s+[a-z]+", line):
        return ";"
    return " " if len(GAP.split(line.strip())) > 1 else ""


def _inside(lines: Sequence[str], marks: Sequence[str], i: int, mark: str) -> bool:
    """Return whether a line without marks still belongs to a table: a rule, or a label between rows of a table."""
    if lines[i].strip() and RULE.fullmatch(lines[i]):
        return True
    label = (
        bool(lines[i].strip())
        and len(lines[i].split()) <= 5
        and not lines[i].rstrip().endswith((".", ":"))
    )
    return label and i + 1 < len(lines) and marks[i + 1] == mark and mark == " "


def pasted_grid(lines: Sequence[str], start: int, end: int, mark: str, source: str) -> Grid | None:
    """Return lines as a table, or None where they hold no numbers."""
    numbers = [i for i in range(start, end) if lines[i].strip() and not RULE.fullmatch(lines[i])]
    if not numbers or max(len(lines[i]) for i in numbers) > LONGEST:
        return None
    rules = [i for i in range(start, end) if RULE.fullmatch(lines[i]) and lines[i].strip()]
    rows = (
        _aligned(
            [lines[i] for i in numbers], [lines[i + 1] if i + 1 in rules else "" for i in numbers]
        )
        if mark == " "
        else [parted_cells(lines[i], mark) for i in numbers]
    )
    width = max((len(row) for row in rows), default=0)
    if (
        width < 2
        or len(rows) < LEAST
        or sum(is_value(cell) for row in rows for cell in row) < LEAST
    ):
        return None
    above = [line for line in lines[max(start - 3, 0) : start] if line.strip()]
    below = [line for line in lines[end : end + 2] if line.strip()]
    caption = next(
        (line.strip() for line in [*reversed(above), *below] if CAPTION.fullmatch(line)), ""
    )
    caption = caption or next(
        (line.strip(" #*") for line in above[-1:] if HEADING.fullmatch(line)), ""
    )
    heads = sum(i < rules[0] for i in numbers) if rules and rules[0] > numbers[0] else 0
    heads = heads or (
        sum(numbers[0] < i < rules[1] for i in numbers) + 1
        if len(rules) > 2 and rules[0] < numbers[0]
        else 0
    )
    return Grid(
        rows=rows, lines=[i + 1 for i in numbers], heads=heads, caption=caption, source=source
    )


def _aligned(lines: Sequence[str], below: Sequence[str]) -> list[list[str]]:
    """Part lines by the places of the numbers; a head stands over the columns of the rule `below` it."""
    runs = [
        [TextRun(run.start(), run.end(), run[0]) for run in RUN.finditer(line)] for line in lines
    ]
    under = [[part.span() for part in re.finditer(r"[-─=_]{2,}", rule)] for rule in below]
    rows = aligned(runs, [parts if len(parts) > 1 else [] for parts in under])
    by_gap = [parted_cells(line, " ") for line in lines]
    regular = len({len(row) for row in by_gap}) == 1 and len(by_gap[0]) >= len(rows[0])
    return by_gap if regular else rows
