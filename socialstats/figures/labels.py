"""Labels that strangers wrote: visible, short enough for their place, and different where they differ."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence

from socialstats.figures.style import EDGE, FONT, NARROW, is_narrow, width
from socialstats.text import shorten, shortened, visible_text

# Widths of the characters from the space to the tilde in DejaVu Sans, in thousandths of the size of the font.
# The fonts of browsers are narrower.
ASCII = """318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636
636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787 695
635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 278 974
634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838"""
WIDTHS = dict(zip(map(chr, range(32, 127)), map(int, ASCII.split()), strict=True))
WIDTHS |= {"\u2212": 838, "\u2013": 500, "\u2026": 1000, "\u2019": 318, "\u00b7": 318}
FULL, USUAL = 1000, 700  # widths of characters of East Asia and of symbols; of other letters
HINTED = 1.05  # letters on whole pixels take up to 5% more than `text_width`: 52 letters at 72 to 200 dpi
LEAST_LABELS = 30.0  # points


@functools.lru_cache(maxsize=4096)
def advance(character: str) -> int:
    """Return the width of a character, in thousandths of the size of the font."""
    if character in WIDTHS:
        return WIDTHS[character]
    if unicodedata.combining(character):
        return 0
    base = unicodedata.normalize("NFD", character)[0]
    if base != character:
        return advance(base)
    full = unicodedata.east_asian_width(character) in "WF" or not character.isalpha()
    return FULL if full else USUAL


def text_width(text: str, size: float = FONT) -> float:
    """Return the width of a text in points.

    Examples
    --------
    >>> round(text_width("95% CI", 10.0), 2)
    35.33
    """
    return size * sum(map(advance, text)) / 1000


def widest(texts: Sequence[str], size: float = FONT) -> float:
    """Return the points that the widest of some texts takes."""
    return max((text_width(text, size) for text in texts), default=0.0) * HINTED


def room_for(labels: Sequence[str]) -> float:
    """Return the points that the widest of some labels takes, at least 30."""
    return max(widest(labels), LEAST_LABELS * HINTED)


def literal(text: str, width: int = 60) -> str:
    """Return a label on one line, of visible characters.

    Examples
    --------
    >>> literal("cost $5 to $9"), literal("a" * 9, width=4)
    ('cost $5 to $9', 'aaa…')
    """
    return shorten(visible_text(text), width)


def literals(texts: Sequence[str], width: int = 60) -> list[str]:
    """Return what `literal` does for labels that are drawn together, cut in the middle: those that differ look so.

    Examples
    --------
    >>> literals(["model of May", "model of June"], width=9)
    ['mode… May', 'mode…June']
    """
    return shortened([visible_text(text) for text in texts], width)


def fitted(texts: Sequence[str], room: float, size: float = FONT, width: int = 60) -> list[str]:
    """Return what `literals` does for labels that must be at most `room` points wide.

    Examples
    --------
    >>> fitted(["a long label of June", "short"], 60.0)
    ['a lon… June', 'short']
    """
    labels = literals(texts, width)
    while width > 4 and widest(labels, size) > room:
        longest = max(map(len, labels))
        width = min(width, longest) - 1
        labels = literals(texts, width)
    return labels


def wrapped(text: str, room: float, size: float = FONT, most: int = 4) -> list[str]:
    """Return a text as lines that are at most `room` points wide, cut where it needs more than `most`.

    Examples
    --------
    >>> wrapped("one two three", 40.0)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in shorten(visible_text(text), 400).split():
        longer = f"{lines[-1]} {word}" if lines else ""
        if longer and widest([longer], size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} \u2026"]
    return [fitted([line], room, size, 400)[0] for line in lines] or [""]


def label_room(share: float) -> float:
    """Return the points that the labels of rows may take: on narrow screens, a share of the width."""
    return share * (NARROW - 2 * EDGE) if is_narrow() else width()
