"""The text layer of a PDF as tables and running text: its characters become words in their places."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, takewhile
from typing import Any, NamedTuple

from socialstats.audit.documents.grids import Grid
from socialstats.audit.documents.page_tables import tables_on_page
from socialstats.audit.documents.page_words import PageBox, PdfWord, Words, joined_text
from socialstats.audit.documents.webpages import REFERENCES
from socialstats.errors import InputError
from socialstats.tables.limits import check_limit, exceeded, limit

Piece = tuple[str, str, int]
BEGINS = re.compile(r"(?:table|figure|fig\.)\s*\w{1,4}[.:]\s", re.IGNORECASE)
STREAM = re.compile(rb"(?<!end)stream\r?\n")
PACKED_TWICE = re.compile(rb"(?:/Fl(?:ateDecode)?\b[\s/]*){2}")
LONGEST_DICTIONARY = 1000  # bytes before a stream that describe it
BLOCK = 1 << 20  # bytes unpacked at a time
FAR, NEAR = 0.25, 0.1  # shares of the height: gaps between words, and where the library sees one
LETTERS = 30  # letters on a page; with fewer on all pages there is no text layer
BLANKS = " \t\r\n\u00a0\u2002\u2003\u0000"
GAP, MAYBE_GAP = " ", "?"  # a gap that the file has, and one that the library made
QUARTER = 1.5707963  # radians


class Sign(NamedTuple):
    """A character with its box and the size of its font; `turn` counts quarter turns, -1 for a gap."""

    text: str
    turn: int
    left: float = 0
    right: float = 0
    top: float = 0
    bottom: float = 0
    size: float = 0


def read_pdf(raw: bytes, source: str) -> tuple[list[Grid], Iterator[Piece], tuple[str, ...]]:
    """Return the tables of a PDF, its running text in pieces, and notes.

    Raises
    ------
    InputError
        For a PDF with a password, damaged, beyond the limits, or without a text layer.
    """
    import pypdfium2

    refuse_bombs(raw, source)
    try:
        book = pypdfium2.PdfDocument(raw)
        pages = len(book)
    except pypdfium2.PdfiumError as error:
        fault = "is damaged, and cannot be opened"
        if "password" in str(error).lower():
            fault = "has a password. Save a copy without it"
        raise InputError(f"{source}: the PDF {fault}") from error
    check_limit("pages", pages, source, fix="Save the paper alone")
    grids: list[Grid] = []
    pieces: list[Piece] = []
    letters: list[int] = []
    place = source
    try:
        for number in range(pages):
            place = f"{source}, page {number + 1}"
            page = book[number]
            letters.append(0)
            for words, rules in directions_of(page, place):
                letters[-1] += sum(len(word.text) for word in words)
                tables, text = tables_on_page(words, rules, place)
                grids += tables
                pieces += text_lines(text, place)
            check_limit("characters", sum(letters), source, fix="Save the paper alone")
            page.close()
    except pypdfium2.PdfiumError as error:
        raise InputError(f"{place}: the page is damaged, and cannot be read") from error
    finally:
        book.close()
    if sum(letters) < LETTERS:
        raise InputError(
            f"{source}: the PDF has no text layer: it is a scan, or empty. Recognise its text first (OCR)"
        )
    bare = sum(n < LETTERS for n in letters)
    notes = (f"{source} has no text on {bare} of {pages} pages.",) if bare else ()
    text_before = takewhile(lambda piece: not REFERENCES.fullmatch(piece[0]), pieces)
    return grids, text_before, notes


def refuse_bombs(raw: bytes, source: str) -> None:
    """Refuse a PDF whose text or drawings unpack to more than a document has: the library would fill the memory.

    Raises
    ------
    InputError
    """
    most, end = limit("document"), 0
    for start in STREAM.finditer(raw):
        dictionary = raw[max(end, start.start() - LONGEST_DICTIONARY) : start.start()]
        end = start.end()
        if b"/Image" in dictionary:  # a picture, which is not drawn
            continue
        unpacker, packed, size = zlib.decompressobj(), raw[end : raw.find(b"endstream", end)], 0
        try:
            while packed and size <= most:
                size += len(unpacker.decompress(packed, BLOCK))
                packed = unpacker.unconsumed_tail
        except zlib.error:  # not packed, or packed in another way
            continue
        if size > most or PACKED_TWICE.search(dictionary):
            raise exceeded(
                "document", source, fix="Save the paper anew, without what is hidden in it"
            )


def directions_of(page: Any, place: str) -> Iterator[tuple[Words, list[PageBox]]]:
    """Yield the words and the horizontal rules of a page, for each direction that its text runs in."""
    from pypdfium2 import raw as pdfium

    signs = signs_of(page, place)
    turns = Counter(sign.turn for sign in signs if sign.turn >= 0)
    paths = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=3)
    edges = [path.get_bounds() for path in paths]
    for turn, _ in turns.most_common():
        rules = []
        for left, bottom, right, top in edges:
            rule = PageBox(**turned_box(turn, left, right, bottom, top))
            if rule.height < 6 and rule.width > max(8, 4 * rule.height):
                rules.append(rule)
        yield words_from(sign for sign in signs if sign.turn in (-1, turn)), joined_rules(rules)


def signs_of(page: Any, place: str) -> list[Sign]:
    """Return the characters of a page in the order of the file, each turned so that it is read from the left."""
    from pypdfium2 import raw as pdfium

    page_text = page.get_textpage()
    count = page_text.count_chars()
    check_limit("characters", count, place)
    letters = page_text.get_text_range() if count else ""
    if len(letters) != count:  # characters outside the basic plane are two
        letters = "".join(chr(pdfium.FPDFText_GetUnicode(page_text, i)) for i in range(count))
    box = pdfium.FS_RECTF()
    signs = []
    for i, letter in enumerate(letters):
        if letter in BLANKS:
            # the library makes a gap where an index may stand, too
            generated = letter in "\r\n" or pdfium.FPDFText_IsGenerated(page_text, i) == 1
            signs.append(Sign(MAYBE_GAP if generated else GAP, -1))
            continue
        pdfium.FPDFText_GetLooseCharBox(page_text, i, box)
        turn = round(pdfium.FPDFText_GetCharAngle(page_text, i) / QUARTER) % 4
        place_of = turned_box(turn, box.left, box.right, box.bottom, box.top)
        size = pdfium.FPDFText_GetFontSize(page_text, i)
        hyphen = letter in "\x02\ufffe"
        signs.append(Sign("-" if hyphen else letter, turn, size=size, **place_of))
    return signs


def turned_box(turn: int, x0: float, x1: float, y0: float, y1: float) -> dict[str, float]:
    """Turn a box so that the text runs from left to right, and heights grow downwards."""
    across, up, back, down = (x0, x1), (y0, y1), (-x1, -x0), (-y1, -y0)
    sides = ((across, down), (down, back), (back, up), (up, across))[turn]
    (left, right), (top, bottom) = sides
    return {"left": left, "right": right, "top": top, "bottom": bottom}


def words_from(signs: Iterable[Sign]) -> Words:
    """Join characters to words; raised and lowered ones are marked by ^ and _."""
    words: Words = []
    text, line, size, least = "", 0, 0.0, FAR
    left = right = top = bottom = 0.0
    for sign in [*signs, Sign(GAP, -1)]:
        if sign.text == MAYBE_GAP and sign.turn < 0:
            least = NEAR
            continue
        gap = sign.turn < 0
        height = max(sign.bottom - sign.top, 1.0)
        next_line = not gap and (
            sign.left < right - height or sign.top > bottom or sign.bottom < top
        )
        if gap or next_line or sign.left - right > least * height:
            if text:
                words.append(
                    PdfWord(text=text, left=left, right=right, top=top, bottom=bottom, line=line)
                )
            line += next_line
            text = ""
        least = FAR
        if gap:
            continue
        if not text:
            text, size = sign.text, sign.size
            _, _, left, right, top, bottom, _ = sign
            continue
        shift = (sign.top + sign.bottom) / 2 - (top + bottom) / 2
        small = sign.size < 0.85 * size and abs(shift) > 0.08 * (bottom - top)
        if small and not INDEX.search(text):
            text += "^" if shift < 0 else "_"
        text += sign.text
        left, right = min(left, sign.left), max(right, sign.right)
    return words


INDEX = re.compile(r"[\^_]\S{0,3}$")


def joined_rules(rules: Iterable[PageBox]) -> list[PageBox]:
    """Join pieces of one horizontal line."""
    lines: list[PageBox] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.middle / 2), rule.left)):
        last = lines[-1] if lines else None
        if last and abs(last.middle - rule.middle) < 1.5 and rule.left - last.right < 1.5:
            lines[-1] = replace(last, right=max(last.right, rule.right))
        else:
            lines.append(rule)
    return sorted(lines, key=lambda rule: rule.middle)


def text_lines(words: Words, place: str) -> Iterator[Piece]:
    """Yield the running text line by line, in the order of the file; wide gaps between lines end paragraphs."""
    above: PdfWord | None = None
    for number, line in groupby(words, key=lambda word: word.line):
        first, *following = line
        text = joined_text([first, *following])
        if not text.isdigit():  # the number of the page
            apart = above is not None and first.top - above.bottom > 1.2 * first.height
            begins = "\n\n" if apart or BEGINS.match(text) else ""
            yield f"{begins}{text}\n", place, number + 1
        above = following[-1] if following else first
    yield "\n\n", place, (above.line + 1) if above else 1
