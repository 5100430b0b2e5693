"""The text layer of a PDF as tables and running text: words in their places, lines, columns of words."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from socialstats.audit.documents.grids import Grid, Run, aligned, is_value
from socialstats.audit.documents.webpages import CAPTION, REFERENCES
from socialstats.errors import InputError
from socialstats.tables.limits import check_limit, exceeded, limit

Piece = tuple[str, str, int]
BEGINS = re.compile(r"(?:table|figure|fig\.)\s*\w{1,4}[.:]\s", re.IGNORECASE)
STREAM = re.compile(rb"(?<!end)stream\r?\n")
PACKED_TWICE = re.compile(rb"(?:/Fl(?:ateDecode)?\b[\s/]*){2}")
LONGEST_DICTIONARY, BLOCK = (
    1000,
    1 << 20,
)  # bytes before a stream that describe it; bytes unpacked at a time
FAR, NEAR = 0.25, 0.1  # shares of the height: gaps between words, and where the library sees one
LETTERS = 30  # letters on a page; with fewer on all pages there is no text layer


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfWord:
    """A word and its box, in points, `top` from the upper edge of the page as it is read; `line` in reading order."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    line: int

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.top + self.bottom) / 2


def read_pdf(raw: bytes, source: str) -> tuple[list[Grid], Iterator[Piece], tuple[str, ...]]:
    """Return the tables of a PDF, its running text in pieces, and notes.

    Raises
    ------
    InputError
        For a PDF with a password, damaged, beyond the limits, or without a text layer.
    """
    import pypdfium2
    from pypdfium2 import raw as pdfium

    _refuse_bombs(raw, source)
    try:
        book = pypdfium2.PdfDocument(raw)
        pages = len(book)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        said = (
            "has a password. Save a copy without it"
            if locked
            else "is damaged, and cannot be opened"
        )
        raise InputError(f"{source}: the PDF {said}") from error
    check_limit("pages", pages, source, fix="Save the paper alone")
    grids: list[Grid] = []
    pieces: list[Piece] = []
    letters, bare = 0, list[int]()
    place = source
    try:
        for number in range(pages):
            place = f"{source}, page {number + 1}"
            page = book[number]
            found = 0
            for words, rules in _turned(page, pdfium, place):
                found += sum(len(word.text) for word in words)
                tables, rest = _tables(words, rules, place)
                grids += tables
                pieces += _lines(rest, place)
            letters += found
            check_limit("characters", letters, source, fix="Save the paper alone")
            bare += [number + 1] if found < LETTERS else []
            page.close()
    except pypdfium2.PdfiumError as error:
        raise InputError(f"{place}: the page is damaged, and cannot be read") from error
    finally:
        book.close()
    if letters < LETTERS:
        raise InputError(
            f"{source}: the PDF has no text layer: it is a scan, or empty. Recognise its text first (OCR)"
        )
    notes = (f"{source} has no text on {len(bare)} of {pages} pages.",) if bare else ()
    return grids, _before_references(pieces), notes


def _refuse_bombs(raw: bytes, source: str) -> None:
    """Refuse a PDF whose text or drawings unpack to more than a document has: the library would fill the memory.

    Raises
    ------
    InputError
    """
    most, end = limit("document"), 0
    for start in STREAM.finditer(raw):
        about = raw[max(end, start.start() - LONGEST_DICTIONARY) : start.start()]
        end = start.end()
        if b"/Image" in about:  # a picture, which is not drawn
            continue
        unpacker, packed, size = zlib.decompressobj(), raw[end : raw.find(b"endstream", end)], 0
        try:
            while packed and size <= most:
                size += len(unpacker.decompress(packed, BLOCK))
                packed = unpacker.unconsumed_tail
        except zlib.error:  # not packed, or packed in another way
            continue
        if size > most or PACKED_TWICE.search(about):
            raise exceeded(
                "document", source, fix="Save the paper anew, without what is hidden in it"
            )


def _before_references(pieces: Sequence[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        if REFERENCES.fullmatch(piece[0]):
            return
        yield piece


def _turned(page: Any, pdfium: Any, place: str) -> Iterator[tuple[list[PdfWord], list[PdfWord]]]:
    """Yield the words and the horizontal rules of a page, for each direction that its text runs in."""
    text = page.get_textpage()
    count = text.count_chars()
    check_limit("characters", count, place)
    signs = text.get_text_range() if count else ""
    if len(signs) != count:  # characters outside the basic plane are two
        signs = "".join(chr(pdfium.FPDFText_GetUnicode(text, i)) for i in range(count))
    box = pdfium.FS_RECTF()
    angles: Counter[int] = Counter()
    found: list[tuple[str, int, float, float, float, float, float]] = []
    for i, sign in enumerate(signs):
        if sign in " \t\r\n\u00a0\u2002\u2003\u0000":
            made = (
                pdfium.FPDFText_IsGenerated(text, i) == 1
            )  # where the file has a gap, which may be that of an index
            found.append(("?" if made or sign in "\r\n" else " ", -1, 0, 0, 0, 0, 0))
            continue
        pdfium.FPDFText_GetLooseCharBox(text, i, box)
        ends = (box.left, box.right, box.bottom, box.top)
        turn = round(pdfium.FPDFText_GetCharAngle(text, i) / 1.5707963) % 4
        angles[turn] += 1
        found.append(
            (
                "-" if sign in "\x02\ufffe" else sign,
                turn,
                *ends,
                pdfium.FPDFText_GetFontSize(text, i),
            )
        )
    edges = [
        obj.get_bounds() for obj in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=3)
    ]
    for turn, _ in angles.most_common():
        words = _words([_upright(one, turn) for one in found if one[1] in (-1, turn)])
        rules = []
        for left, bottom, right, top in edges:
            _, _, x0, x1, y0, y1, _ = _upright(("", turn, left, right, bottom, top, 0), turn)
            if y1 - y0 < 6 and x1 - x0 > max(8, 4 * (y1 - y0)):
                rules.append(PdfWord(text="", left=x0, right=x1, top=y0, bottom=y1, line=0))
        yield words, _joined_rules(rules)


def _upright(one: Any, turn: int) -> Any:
    """Turn a box so that the text runs from left to right, and heights grow downwards."""
    sign, at, x0, x1, y0, y1, size = one
    if turn == 1:  # text that runs upwards or downwards
        return sign, at, -y1, -y0, -x1, -x0, size
    if turn == 3:
        return sign, at, y0, y1, x0, x1, size
    return (sign, at, -x1, -x0, y0, y1, size) if turn == 2 else (sign, at, x0, x1, -y1, -y0, size)


def _words(signs: Sequence[Any]) -> list[PdfWord]:
    """Join characters to words; raised and lowered ones are marked by ^ and _."""
    words: list[PdfWord] = []
    text, box, line, full, least = "", [0.0] * 4, 0, 0.0, FAR
    for sign, at, x0, x1, y0, y1, size in [*signs, (" ", -1, 0, 0, 0, 0, 0)]:
        if sign == "?":
            least = NEAR
            continue
        height = max(y1 - y0, 1.0)
        below = at >= 0 and (x0 < box[1] - height or y0 > box[3] or y1 < box[2])
        if at < 0 or below or x0 - box[1] > least * height:
            if text:
                words.append(
                    PdfWord(
                        text=text, left=box[0], right=box[1], top=box[2], bottom=box[3], line=line
                    )
                )
            line += below
            text = ""
        least = FAR
        if at < 0:
            continue
        if not text:
            text, box, full = sign, [x0, x1, y0, y1], size
            continue
        shift = (y0 + y1) / 2 - (box[2] + box[3]) / 2
        if (
            size < 0.85 * full
            and abs(shift) > 0.08 * (box[3] - box[2])
            and text[-1] not in "^_"
            and not _small(text)
        ):
            text += "^" if shift < 0 else "_"
        text += sign
        box = [min(box[0], x0), max(box[1], x1), box[2], box[3]]
    return words


def _small(text: str) -> bool:
    return bool(re.search(r"[\^_]\S{0,3}$", text))


def _joined_rules(rules: Sequence[PdfWord]) -> list[PdfWord]:
    """Join pieces of one horizontal line."""
    made: list[PdfWord] = []
    for rule in sorted(rules, key=lambda r: (round(r.middle / 2), r.left)):
        last = made[-1] if made else None
        if last and abs(last.middle - rule.middle) < 1.5 and rule.left - last.right < 1.5:
            made[-1] = replace(last, right=max(last.right, rule.right))
        else:
            made.append(rule)
    return sorted(made, key=lambda r: r.middle)


def _rows(words: Sequence[PdfWord]) -> list[list[PdfWord]]:
    """Return words by their heights, each row from left to right."""
    rows: list[list[PdfWord]] = []
    for word in sorted(words, key=lambda w: w.middle):
        if rows and word.middle - rows[-1][0].middle < 0.45 * (
            rows[-1][0].bottom - rows[-1][0].top
        ):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: w.left) for row in rows]


def _runs(row: Sequence[PdfWord], gap: float) -> list[list[PdfWord]]:
    """Part a row where its words are farther apart than `gap` times their height."""
    runs: list[list[PdfWord]] = []
    for word in row:
        if runs and word.left - runs[-1][-1].right < gap * (word.bottom - word.top):
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def _said(words: Sequence[PdfWord]) -> str:
    return " ".join(word.text for word in words)


def _gutter(rows: Sequence[Sequence[PdfWord]]) -> float | None:
    """Return the place between two columns of running text; None for a page with one."""
    cuts: Counter[int] = Counter()
    for row in rows:
        runs = _runs(row, 0.7)
        for left, right in pairwise(runs):
            if len(left) > 3 and len(right) > 3:
                cuts.update(range(int(left[-1].right) + 1, int(right[0].left) + 1))
    if not cuts or max(cuts.values()) < max(5, 0.2 * len(rows)):
        return None
    best = [place for place, times in cuts.items() if times == max(cuts.values())]
    return sum(best) / len(best)


def _tables(
    words: list[PdfWord], rules: Sequence[PdfWord], place: str
) -> tuple[list[Grid], list[PdfWord]]:
    """Return the tables of a page, and the words outside them."""
    grids: list[tuple[float, Grid]] = []
    rest = list(words)
    for top, bottom, left, right in _ruled(rules, words):
        inside = [
            w
            for w in rest
            if top - 1 <= w.middle <= bottom + 1 and left - 6 <= w.left and w.right <= right + 6
        ]
        grid = _grid(inside, [r for r in rules if top - 1 <= r.middle <= bottom + 1], rest, place)
        if grid:
            gone = set(map(id, inside))
            rest = [w for w in rest if id(w) not in gone]
            grids.append((top, grid))
    rows = _rows(rest)
    gutter = _gutter(rows)
    blocks: list[tuple[list[PdfWord], list[list[PdfWord]]]] = []
    if gutter is None:
        blocks += [(rest, block) for block in _blocks(rows)]
    else:
        wide = [
            block
            for block in _blocks(rows)
            if all(len(run) < 6 for row in block for run in _runs(row, 0.75))
            and sum(len(_runs(row, 0.75)) > 3 for row in block) > len(block) / 2
        ]
        blocks += [(rest, block) for block in wide]
        gone = {id(word) for block in wide for row in block for word in row}
        for left in (True, False):
            side = [
                w
                for w in rest
                if id(w) not in gone and (w.right <= gutter if left else w.left >= gutter)
            ]
            blocks += [(side, block) for block in _blocks(_rows(side))]
    for side, block in blocks:
        grid = _grid([w for row in block for w in row], [], side, place)
        if grid:
            gone = {id(w) for row in block for w in row}
            rest = [w for w in rest if id(w) not in gone]
            grids.append((block[0][0].top, grid))
    return [grid for _, grid in sorted(grids, key=lambda one: one[0])], rest


def _ruled(
    rules: Sequence[PdfWord], words: Sequence[PdfWord]
) -> list[tuple[float, float, float, float]]:
    """Return the boxes between long lines that begin and end alike."""
    boxes = []
    left = [rule for rule in rules if rule.right - rule.left > 60]
    while left:
        first = left[0]
        same = [r for r in left if abs(r.left - first.left) < 4 and abs(r.right - first.right) < 4]
        left = [r for r in left if r not in same]
        stack = [same[0]]
        for rule in [*same[1:], None]:
            inside = (
                []
                if rule is None
                else [
                    w
                    for w in words
                    if stack[-1].middle < w.middle < rule.middle
                    and w.left < first.right
                    and w.right > first.left
                ]
            )
            broken = (
                rule is None
                or any(
                    CAPTION.fullmatch(_said(row)) and row[0].text[:1] == "T" and len(row) > 2
                    for row in _rows(inside)
                )
                or rule.middle - stack[0].middle > 700
            )
            if not broken and rule is not None:
                stack.append(rule)
                continue
            if len(stack) > 1:
                boxes.append((stack[0].middle, stack[-1].middle, first.left, first.right))
            stack = [rule] if rule is not None else []
    return boxes


def _blocks(rows: Sequence[list[PdfWord]]) -> Iterator[list[list[PdfWord]]]:
    """Yield runs of rows that are parted by wide gaps and hold numbers: tables without lines."""
    block: list[list[PdfWord]] = []
    for row in [*rows, []]:
        runs = _runs(row, 0.75)
        near = not block or (
            row and row[0].top - block[-1][0].bottom < 2.2 * (row[0].bottom - row[0].top)
        )
        if row and near and len(runs) > 1 and len(row) < 8 * len(runs):
            block.append(row)
            continue
        valued = [one for one in block if sum(is_value(_said(run)) for run in _runs(one, 0.75)) > 0]
        if len(block) > 2 and len(valued) > len(block) / 2:
            yield block
        block = [row] if row and len(runs) > 1 and len(row) < 8 * len(runs) else []


def _grid(
    words: Sequence[PdfWord], rules: Sequence[PdfWord], around: Sequence[PdfWord], place: str
) -> Grid | None:
    """Return the words of a table as rows and columns."""
    rows = _rows(words)
    body = [row for row in rows if sum(is_value(_said(run)) for run in _runs(row, 0.75)) > 0]
    if len(body) < 2 or len(rows) < 3:
        return None
    runs = [
        [Run(run[0].left, run[-1].right, _said(run)) for run in _runs(row, 0.6)] for row in rows
    ]
    wide = 0.9 * (max(w.right for w in words) - min(w.left for w in words))
    under = [
        [
            (r.left - 2, r.right + 2)
            for r in rules[:-1]
            if r.right - r.left < wide
            and 0 < r.middle - row[0].middle < 1.6 * (row[0].bottom - row[0].top)
        ]
        for row in rows
    ]
    cells = aligned(runs, under)
    if len(cells[0]) < 2:
        return None
    inner = sorted({round(r.middle, 1) for r in rules if r.right - r.left > wide})
    heads = sum(row[0].middle < inner[1] for row in rows) if len(inner) > 2 else 0
    heads = heads if all(row not in body for row in rows[:heads]) else 0
    _fill(cells, rows, rules, heads)
    lines = [min(w.line for w in row) + 1 for row in rows]
    return Grid(rows=cells, lines=lines, heads=heads, caption=_caption(words, around), source=place)


def _fill(
    cells: list[list[str]], rows: Sequence[Sequence[PdfWord]], rules: Sequence[PdfWord], heads: int
) -> None:
    """Give a label that stands between rows, or in the middle of several, to all of them."""
    for at in range(len(cells) - 1, heads - 1, -1):
        label, others = cells[at][0], any(cells[at][1:])
        pitch = 1.3 * (rows[at][0].bottom - rows[at][0].top)
        near = [
            k
            for k in (at - 1, at + 1)
            if heads <= k < len(cells)
            and not cells[k][0]
            and any(cells[k][1:])
            and abs(rows[k][0].middle - rows[at][0].middle) < (0.75 * pitch if not others else 0)
        ]
        if label and not others and len(near) == 2:
            for k in near:
                cells[k][0] = label
            cells[at] = [""] * len(cells[at])
    bounds = [r.middle for r in rules]
    for at in range(heads, len(cells)):
        if cells[at][0] or not any(cells[at][1:]):
            continue
        low = max((b for b in bounds if b < rows[at][0].middle), default=None)
        high = min((b for b in bounds if b > rows[at][0].middle), default=None)
        same = [
            k
            for k in range(heads, len(cells))
            if low is not None
            and high is not None
            and low < rows[k][0].middle < high
            and cells[k][0]
        ]
        if len(same) == 1 and any(cells[same[0]][1:]):
            cells[at][0] = cells[same[0]][0]


def _caption(words: Sequence[PdfWord], around: Sequence[PdfWord]) -> str:
    """Return the lines beside a table from the one that begins with "Table"."""
    top, bottom = min(w.top for w in words), max(w.bottom for w in words)
    left, right = min(w.left for w in words), max(w.right for w in words)
    inside = set(map(id, words))
    runs = [
        run for row in _rows([w for w in around if id(w) not in inside]) for run in _runs(row, 1.0)
    ]
    beside = [run for run in runs if run[-1].right > left and run[0].left < right]
    above = [row for row in beside if top - 75 < row[0].middle < top]
    below = [row for row in beside if bottom < row[0].middle < bottom + 75]
    for rows in (above, below):
        for i, row in enumerate(rows):
            if CAPTION.fullmatch(_said(row)) and row[0].text[:1].casefold() == "t":
                near = [row]
                for other in rows[i + 1 :]:
                    if other[0].top - near[-1][0].bottom > 0.9 * (row[0].bottom - row[0].top):
                        break
                    near.append(other)
                return re.sub(r"(?<=[a-z])- (?=[a-z])", "", " ".join(_said(one) for one in near))
    return ""


def _lines(words: Sequence[PdfWord], place: str) -> Iterator[Piece]:
    """Yield the running text line by line, in the order of the file; wide gaps between lines end paragraphs."""
    last: PdfWord | None = None
    line: list[PdfWord] = []
    for word in [*words, None]:
        if line and (word is None or word.line != line[-1].line):
            height = line[0].bottom - line[0].top
            apart = last is not None and (line[0].top - last.bottom > 1.2 * height)
            said = _said(line)
            if not said.isdigit():  # the number of the page
                apart = apart or bool(BEGINS.match(said))
                yield ("\n\n" if apart else "") + said + "\n", place, line[0].line + 1
            last, line = line[-1], []
        if word is not None:
            line.append(word)
    yield "\n\n", place, (last.line + 1) if last else 1
