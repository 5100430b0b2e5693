"""Tables among the words of a page: between horizontal rules, or rows whose words are parted by wide gaps.

pdfplumber 0.11 was measured in its place, on the 14 rows of the PDFs in tests/audit/papers. It read 3 rightly with its
own settings, and 12 by texts. The words of a page alone took it three times as long.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from socialstats.audit.documents.grids import Grid, TextRun, aligned, is_value
from socialstats.audit.documents.page_words import (
    PageBox,
    PdfWord,
    Words,
    box_around,
    joined_text,
    rows_of_words,
    runs_in_row,
    words_outside,
)
from socialstats.audit.documents.webpages import CAPTION

GAP = 0.75  # times the height of words: a gap between columns
LONG_RULE, TALLEST = 60, 700  # points: rules that may bound a table, and the height of one
CAPTION_NEAR = 75  # points between a table and the first line of its caption
HYPHENATED = re.compile(r"(?<=[a-z])- (?=[a-z])")
Rows = Sequence[Words]
Rules = Sequence[PageBox]


def tables_on_page(words: Words, rules: Rules, place: str) -> tuple[list[Grid], Words]:
    """Return the tables of a page from top to bottom, and the words outside them."""
    tables: list[tuple[float, Grid]] = []
    outside = words
    for box in boxes_between(rules, words):
        inside = [word for word in outside if is_between_rules(word, box)]
        within = [rule for rule in rules if box.top - 1 <= rule.middle <= box.bottom + 1]
        grid = grid_of_words(inside, within, outside, place)
        if grid:
            outside = words_outside(outside, inside)
            tables.append((box.top, grid))
    for block, around in unruled_blocks(outside):
        inside = [*chain.from_iterable(block)]
        grid = grid_of_words(inside, [], around, place)
        if grid:
            outside = words_outside(outside, inside)
            tables.append((block[0][0].top, grid))
    tables.sort(key=lambda table: table[0])
    return [grid for _, grid in tables], outside


def is_between_rules(word: PdfWord, box: PageBox) -> bool:
    """Return whether a word stands between the rules of a table."""
    level = box.top - 1 <= word.middle <= box.bottom + 1
    return level and box.left - 6 <= word.left and word.right <= box.right + 6


def boxes_between(rules: Rules, words: Words) -> list[PageBox]:
    """Return the boxes between long lines that begin and end alike."""
    boxes = []
    remaining = [rule for rule in rules if rule.width > LONG_RULE]
    while remaining:
        left, right = remaining[0].left, remaining[0].right
        alike = [
            rule for rule in remaining if abs(rule.left - left) < 4 and abs(rule.right - right) < 4
        ]
        remaining = [rule for rule in remaining if rule not in alike]
        stacks = [alike[:1]]
        for rule in alike[1:]:
            if part_tables(stacks[-1], rule, words):
                stacks.append([rule])
            else:
                stacks[-1].append(rule)
        boxes += [
            PageBox(left=left, right=right, top=stack[0].middle, bottom=stack[-1].middle)
            for stack in stacks
            if len(stack) > 1
        ]
    return boxes


def part_tables(stack: Rules, rule: PageBox, words: Words) -> bool:
    """Return whether a rule belongs to another table than those above it: a caption stands between, or it is far."""
    if rule.middle - stack[0].middle > TALLEST:
        return True
    left, right, above = stack[0].left, stack[0].right, stack[-1].middle
    between = [
        word
        for word in words
        if above < word.middle < rule.middle and word.left < right and word.right > left
    ]
    return any(is_caption(row) and len(row) > 2 for row in rows_of_words(between))


def is_caption(row: Words) -> bool:
    """Return whether a line begins the caption of a table."""
    return row[0].text[:1] == "T" and bool(CAPTION.fullmatch(joined_text(row)))


def unruled_blocks(words: Words) -> Iterator[tuple[list[Words], Words]]:
    """Yield tables without lines, each with the words among which its caption stands: a page, or a column of it."""
    rows = rows_of_words(words)
    gutter = gutter_of(rows)
    if gutter is None:
        for block in blocks_in(rows):
            yield block, words
        return
    wide = [block for block in blocks_in(rows) if spans_columns(block)]
    for block in wide:
        yield block, words
    narrow = words_outside(words, (word for block in wide for row in block for word in row))
    for side in (
        [word for word in narrow if word.right <= gutter],
        [word for word in narrow if word.left >= gutter],
    ):
        for block in blocks_in(rows_of_words(side)):
            yield block, side


def gutter_of(rows: Rows) -> float | None:
    """Return the place between two columns of running text; None for a page with one."""
    cuts: Counter[int] = Counter()
    for row in rows:
        for before, after in pairwise(runs_in_row(row, 0.7)):
            if len(before) > 3 and len(after) > 3:
                cuts.update(range(int(before[-1].right) + 1, int(after[0].left) + 1))
    most = max(cuts.values(), default=0)
    if most < max(5, 0.2 * len(rows)):
        return None
    places = [place for place, times in cuts.items() if times == most]
    return sum(places) / len(places)


def spans_columns(block: Rows) -> bool:
    """Return whether a block is a table over both columns of a page, not lines of text beside each other."""
    runs = [runs_in_row(row, GAP) for row in block]
    words_alone = all(len(run) < 6 for row in runs for run in row)
    return words_alone and sum(len(row) > 3 for row in runs) > len(block) / 2


def blocks_in(rows: Rows) -> Iterator[list[Words]]:
    """Yield runs of rows that are parted by wide gaps and hold numbers: tables without lines."""
    block: list[Words] = []
    for row in [*rows, []]:
        runs = runs_in_row(row, GAP)
        parted = len(runs) > 1 and len(row) < 8 * len(runs)
        near = not block or (bool(row) and row[0].top - block[-1][0].bottom < 2.2 * row[0].height)
        if parted and near:
            block.append(row)
            continue
        if len(block) > 2 and sum(map(has_values, block)) > len(block) / 2:
            yield block
        block = [row] if parted else []


def has_values(row: Words) -> bool:
    """Return whether a row has a number."""
    return any(is_value(joined_text(run)) for run in runs_in_row(row, GAP))


def grid_of_words(words: Words, rules: Rules, around: Words, place: str) -> Grid | None:
    """Return the words of a table as rows and columns; None where they are no table."""
    rows = rows_of_words(words)
    body = [row for row in rows if has_values(row)]
    if len(body) < 2 or len(rows) < 3:
        return None
    box = box_around(words)
    wide = 0.9 * box.width
    partial = [rule for rule in rules[:-1] if rule.width < wide]
    runs = [
        [TextRun(run[0].left, run[-1].right, joined_text(run)) for run in runs_in_row(row, 0.6)]
        for row in rows
    ]
    cells = aligned(runs, [spans_below(row, partial) for row in rows])
    if len(cells[0]) < 2:
        return None
    inner = sorted({round(rule.middle, 1) for rule in rules if rule.width > wide})
    heads = sum(row[0].middle < inner[1] for row in rows) if len(inner) > 2 else 0
    if any(row in body for row in rows[:heads]):
        heads = 0
    label_neighbours(cells, rows, heads)
    label_between_rules(cells, rows, [rule.middle for rule in rules], heads)
    return Grid(
        rows=cells,
        lines=[min(word.line for word in row) + 1 for row in rows],
        heads=heads,
        caption=caption_of(box, words_outside(around, words)),
        source=place,
    )


def spans_below(row: Words, rules: Rules) -> list[tuple[float, float]]:
    """Return from where to where lines are drawn right under a row."""
    reach = 1.6 * row[0].height
    near = [rule for rule in rules if 0 < rule.middle - row[0].middle < reach]
    return [(rule.left - 2, rule.right + 2) for rule in near]


def label_neighbours(cells: list[list[str]], rows: Rows, heads: int) -> None:
    """Give a label that stands alone between two rows without one to both of them."""
    for at in range(len(cells) - 2, heads, -1):
        label, *values = cells[at]
        middle = rows[at][0].middle
        far = 0.75 * 1.3 * rows[at][0].height
        neighbours = [
            k
            for k in (at - 1, at + 1)
            if not cells[k][0] and any(cells[k]) and abs(rows[k][0].middle - middle) < far
        ]
        if label and not any(values) and len(neighbours) == 2:
            for k in neighbours:
                cells[k][0] = label
            cells[at] = [""] * len(cells[at])


def label_between_rules(
    cells: list[list[str]], rows: Rows, bounds: Sequence[float], heads: int
) -> None:
    """Give the only label between two lines to the rows there that have none."""
    for at in range(heads, len(cells)):
        middle = rows[at][0].middle
        above = [bound for bound in bounds if bound < middle]
        below = [bound for bound in bounds if bound > middle]
        if cells[at][0] or not any(cells[at]) or not above or not below:
            continue
        low, high = max(above), min(below)
        labelled = [
            k for k in range(heads, len(cells)) if cells[k][0] and low < rows[k][0].middle < high
        ]
        if len(labelled) == 1 and any(cells[labelled[0]][1:]):
            cells[at][0] = cells[labelled[0]][0]


def caption_of(box: PageBox, around: Words) -> str:
    """Return the lines beside a table from the one that begins with "Table"; those above it come first."""
    runs = [run for row in rows_of_words(around) for run in runs_in_row(row, 1.0)]
    beside = [run for run in runs if run[-1].right > box.left and run[0].left < box.right]
    above = [run for run in beside if box.top - CAPTION_NEAR < run[0].middle < box.top]
    below = [run for run in beside if box.bottom < run[0].middle < box.bottom + CAPTION_NEAR]
    for lines in (above, below):
        for i, line in enumerate(lines):
            if line[0].text[:1].casefold() == "t" and CAPTION.fullmatch(joined_text(line)):
                return HYPHENATED.sub("", " ".join(map(joined_text, paragraph(lines[i:]))))
    return ""


def paragraph(lines: Rows) -> list[Words]:
    """Return the first lines up to a wide gap."""
    apart = 0.9 * lines[0][0].height
    for i, (before, after) in enumerate(pairwise(lines), start=1):
        if after[0].top - before[0].bottom > apart:
            return [*lines[:i]]
    return [*lines]
