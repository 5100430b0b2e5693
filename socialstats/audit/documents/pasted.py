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


def _inside(lines: Sequence[str], marks: list[str], i: int, mark: str) -> bool:
    """Return whether a line without marks still belongs to a table: a rule, or a label between rows of a table."""
    line = lines[i].strip()
    if is_rule(line):
        return True
    label = bool(line) and len(line.split()) <= 5 and not line.endswith((".", ":"))
    return label and mark == " " and marks[i + 1 : i + 2] == [mark]


def is_rule(line: str) -> bool:
    """Return whether a line is drawn."""
    return bool(line.strip()) and RULE.fullmatch(line) is not None


def pasted_grid(lines: Sequence[str], start: int, end: int, mark: str, source: str) -> Grid | None:
    """Return lines as a table, or None where they hold no numbers."""
    rules = [i for i in range(start, end) if is_rule(lines[i])]
    filled = [i for i in range(start, end) if lines[i].strip() and i not in rules]
    texts = [lines[i] for i in filled]
    if len(texts) < LEAST or max(map(len, texts)) > LONGEST:
        return None
    if mark == " ":
        rows = _aligned(texts, [lines[i + 1] if i + 1 in rules else "" for i in filled])
    else:
        rows = [parted_cells(text, mark) for text in texts]
    values = sum(is_value(cell) for row in rows for cell in row)
    if max(map(len, rows)) < 2 or values < LEAST:
        return None
    return Grid(
        rows=rows,
        lines=[i + 1 for i in filled],
        heads=size_of_ruled_head(filled, rules),
        caption=caption_beside(lines, start, end),
        source=source,
    )


def size_of_ruled_head(filled: Sequence[int], rules: Sequence[int]) -> int:
    """Return how many lines are the head, by the first rule below a line; 0 without one."""
    if rules and rules[0] > filled[0]:
        return sum(i < rules[0] for i in filled)
    return max(1, sum(i < rules[1] for i in filled)) if len(rules) > 2 else 0


def caption_beside(lines: Sequence[str], start: int, end: int) -> str:
    """Return the caption above or below a table, else the heading right above it."""
    above = [line for line in lines[max(start - 3, 0) : start] if line.strip()]
    near = [*reversed(above), *filter(str.strip, lines[end : end + 2])]
    captions = [line.strip() for line in near if CAPTION.fullmatch(line)]
    headings = [line.strip(" #*") for line in above[-1:] if HEADING.fullmatch(line)]
    return next(iter(captions + headings), "")


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
