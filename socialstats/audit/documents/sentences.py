"""Sentences of running text, each with its line; mathematics as it would be read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from socialstats.audit.documents.data_tables import data_tables
from socialstats.audit.documents.passages import Passage

LONGEST = 2000
ABBREVIATIONS: Sequence[str] = data_tables("words")["sentences"]["abbreviations"]
END = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]*[A-Z0-9À-ÖØ-ÞΑ-Ωα-ωχ])")
BREAK = re.compile(r"\n[ \t]*\n\s*")
RAISED, DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉", "0123456789-0123456789"
PLAIN = {ord(mark): digit for mark, digit in zip(RAISED, DIGITS, strict=True)}
APART: dict[int, str] = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xAD: "",
    0x200B: "",
}
APART |= dict.fromkeys((0xA0, 0x2005, 0x2007, 0x2009, 0x200A, 0x202F), " ")
MATH = re.compile(r"\$\$?(?=\S)([^$\n]{1,400}?)(?<=\S)\$\$?(?!\d)|\\\((.{1,400}?)\\\)", re.DOTALL)
POWER = re.compile(r"(?<=[A-Za-zα-ωΑ-Ω])\^([0-9])|\^(?=[*†‡])")
SYMBOLS = {r"\pm": "±", r"\times": "×", r"\leq": "≤", r"\geq": "≥", r"\chi": "χ", r"\eta": "η"}


def read_math(text: str) -> str:
    r"""Return a formula of LaTeX as it would be read.

    Examples
    --------
    >>> read_math(r"\chi^2(1, N = 90) = 4.85"), read_math(r"\eta_p^{2} = .12"), read_math(r"72.2 \pm 2.8")
    ('χ2(1, N = 90) = 4.85', 'ηp2 = .12', '72.2 ± 2.8')
    """
    if "\\" in text:
        try:
            from pylatexenc.latex2text import LatexNodes2Text

            text = LatexNodes2Text(math_mode="text").latex_to_text(text)
        except Exception:  # broken or without the library: the commands that numbers need
            text = re.sub(r"\\[a-z]+", lambda m: SYMBOLS.get(m[0], m[0][1:]), text)
    return plain_text(text)


def plain_text(text: str) -> str:
    """Return text with raised and lowered characters on the line, and ligatures apart."""
    text = re.sub(
        rf"(?<=[A-Za-zα-ωΑ-Ω])[{RAISED}]+", lambda m: m[0].translate(PLAIN), text.translate(APART)
    )
    text = re.sub(
        rf"[{RAISED}]+", "", re.sub(r"(?<=[^\W_])\^\{([^{}]*)\}", r"^\1", text)
    )  # what is left are footnotes
    text = re.sub(" ?± ?", " ± ", text)
    text = re.sub(r"(?<=[A-Za-zα-ωΑ-Ω])_\{?([A-Za-z0-9]+)\}?", r"\1", text)
    return POWER.sub(lambda match: match[1] or "", text)


def without_math(text: str) -> str:
    """Return text of which the formulas between dollars are as they would be read."""
    return MATH.sub(lambda match: read_math(match[1] or match[2] or ""), text)


def sentences(
    pieces: Iterable[tuple[str, str, int]], *, hyphens: bool = False
) -> Iterator[Passage]:
    r"""Yield the sentences of a text that comes in pieces.

    Parameters
    ----------
    pieces : iterable of (text, source, line)
        In order; an empty line ends a paragraph.
    hyphens : bool
        Whether words are broken at ends of lines, as in a PDF.

    Examples
    --------
    >>> found = sentences([("It rose, t(23) = 2.10,\np = .047. Cf. Fig. 2 by A et al. (2020).", "a.txt", 7)])
    >>> [(passage.text, passage.line) for passage in found]
    [('It rose, t(23) = 2.10, p = .047.', 7), ('Cf. Fig. 2 by A et al. (2020).', 8)]
    """
    starts: list[int] = []
    places: list[tuple[str, int]] = []
    texts: list[str] = []
    length = 0
    for text, source, line in pieces:
        for i, part in enumerate(text.splitlines(keepends=True)):
            starts.append(length)
            places.append((source, line + i))
            texts.append(part)
            length += len(part)
    joined_text = "".join(texts)
    begin = 0
    for gap in [*(match.span() for match in BREAK.finditer(joined_text)), (length, length)]:
        for start, end in _sentence_spans(joined_text, begin, gap[0]):
            text = joined_text[start:end]
            if hyphens:
                text = re.sub(r"(?<=[a-zß-ÿ])[-\u2010\u00ad]\n\s*(?=[a-zß-ÿ])", "", text)
            sentence = " ".join(plain_text(text).split())
            if sentence:
                source, line = places[bisect_right(starts, start) - 1]
                yield Passage(text=sentence, source=source, line=line)
        begin = gap[1]


def _sentence_spans(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each sentence of a paragraph."""
    while begin < end and text[begin].isspace():
        begin += 1
    start = begin
    for match in END.finditer(text, begin, end):
        before = text[max(start, match.start() - 20) : match.start()]
        word = re.split(r"[\s(\[]", before)[-1]
        initial = len(word) == 1 and word.isupper()
        if text[match.start()] == "." and (word.casefold() in ABBREVIATIONS or initial):
            continue
        yield start, match.end()
        start = match.end()
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end
